#!/bin/bash
# SPDX-License-Identifier: MIT
# inspect_nvcc.sh: compiles samples.cu in every mode, and compares what isomat inspect reads with what
# ptxas -v said.
#
# ISOMAT_COMMAND  the command (built: $top_builddir/isomat)
# NVCC            the compiler; without one, or without it on this machine, the test is skipped
set -u
top_builddir=${top_builddir:-.}
isomat=$(realpath "${ISOMAT_COMMAND:-$top_builddir/isomat}")
source=$(realpath "${srcdir:-.}/tests/inspect/samples.cu")
nvcc=${NVCC:-$(command -v nvcc)}
if ! command -v "${nvcc:-/nonexistent}" >/dev/null; then
    echo 'no nvcc'
    exit 77
fi
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 99
checks=0 failures=0

wrong() {
    failures=$((failures + 1))
    echo "FAILED: $*"
}

archs=
for arch in 75 80 86 89 90a 100 120; do
    "$nvcc" --list-gpu-code 2>/dev/null | grep -qx "sm_${arch%a}" && archs="$archs $arch"
done
gencode=
for arch in $archs; do
    gencode="$gencode -gencode arch=compute_$arch,code=sm_$arch"
done

# From what ptxas -v prints: architecture, kernel, registers, stack, spill stores and loads, shared, barriers.
ptxas_rows() {
    awk '
        /Compiling entry function/ { split($0, word, "\047"); kernel = word[2]; arch = word[4] }
        /bytes stack frame/ { stack = $1; stores = $5; loads = $9 }
        /: Used [0-9]+ registers/ {
            registers = shared = barriers = 0
            n = split($0, part, /[:,] */)
            for (i = 1; i <= n; i++) {
                split(part[i], field, " ")
                if (part[i] ~ /registers/) registers = field[2]
                if (part[i] ~ /used [0-9]+ barriers/) barriers = field[2]
                if (part[i] ~ /bytes smem/) shared = field[1]
            }
            print arch, kernel, registers, stack, stores, loads, shared, barriers
        }' "$1" | sort
}

# The same from the JSON, in which a kernel and an image take a line each.
inspect_rows() {
    awk '
        function value(key,   at) {
            at = index($0, "\"" key "\": ")
            if (!at) return "absent"
            at = substr($0, at + length(key) + 4)
            sub(/[,}].*/, "", at)
            gsub(/"/, "", at)
            return at
        }
        /^ *\{"kind": / { image[count++] = value("name") }
        /^ *\{"name": / {
            arch = image[value("image")]
            if (arch ~ /^sm_/)
                print arch, value("name"), value("registers"), value("stack_bytes"), value("spill_store_bytes"),
                    value("spill_load_bytes"), value("shared_bytes"), value("barriers")
        }' "$1" | sort
}

inspect() {
    "$isomat" inspect --json "$1" >json 2>errors || wrong "$1: exit status $?: $(cat errors)"
}

has_verdict() {
    grep -q "\"verdict\": \"$1\"" json
}

# compare NAME FILE WORD...: compiles FILE with the words, and compares.
compare() {
    local name=$1 file=$2
    shift 2
    checks=$((checks + 1))
    # shellcheck disable=SC2086 # a list of words
    if ! "$nvcc" $gencode "$@" -Xptxas -v -o "$file" "$source" >log 2>&1; then
        wrong "$name: nvcc: $(tail -3 log)"
        return
    fi
    inspect "$file"
    ptxas_rows log >wanted
    inspect_rows json >got
    [ "$(wc -l <wanted)" -ge "$(echo "$archs" | wc -w)" ] || wrong "$name: ptxas -v was not understood"
    diff wanted got >difference || wrong "$name: ptxas (<) and inspect (>) differ: $(cat difference)"
}

test_modes() {
    compare optimised optimised.fatbin -fatbin -O3
    has_verdict debug && wrong 'optimised: taken for -G'
    for verdict in spill stack f64 fma scalar lineinfo; do
        has_verdict $verdict || wrong "optimised: no verdict $verdict"
    done
    compare debug debug.fatbin -fatbin -G
    has_verdict debug || wrong '-G: not seen'
    has_verdict mixed && wrong '-G: a mix'
    compare dopt dopt.fatbin -fatbin -G -dopt=on
    has_verdict debug && wrong '-G -dopt=on: taken for -G'
    compare lineinfo lineinfo.fatbin -fatbin -lineinfo
    has_verdict debug && wrong '-lineinfo: taken for -G'
    has_verdict lineinfo && wrong '-lineinfo: not seen'
    compare relocatable relocatable.o -c -rdc=true
    grep -q '"relocatable": true' json || wrong '-rdc=true: not seen'
    compare object object.o -c -O3
}

test_compression() {
    local few=$gencode first
    first=$(echo "$archs" | awk '{ print $1 }')
    gencode="-gencode arch=compute_$first,code=sm_$first -gencode arch=compute_$first,code=compute_$first"
    for mode in none speed balance size; do
        "$nvcc" --help | grep -q -- --compress-mode || continue
        compare "compress-mode=$mode" $mode.fatbin -fatbin --compress-mode=$mode -Xfatbin -compress-all
    done
    compare no-compress none.fatbin -fatbin --no-compress
    gencode=$few
}

test_ptx() {
    local arch=80
    checks=$((checks + 1))
    "$nvcc" -fatbin -gencode arch=compute_$arch,code=compute_$arch -o ptx.fatbin "$source" || wrong 'ptx: nvcc'
    inspect ptx.fatbin
    has_verdict ptx-only || wrong 'PTX only: not seen'
    "$isomat" inspect --arch sm_75 --fail-on no-code ptx.fatbin >out && wrong 'PTX for sm_80 on sm_75: no verdict'
    "$isomat" inspect --arch sm_90 --fail-on no-code ptx.fatbin >out || wrong 'PTX for sm_80 on sm_90: no-code'
    "$nvcc" -ptx -arch=compute_$arch -G -o debug.ptx "$source" || wrong 'ptx -G: nvcc'
    inspect debug.ptx
    has_verdict debug || wrong 'PTX with -G: not seen'
}

# As the Rust cc crate calls nvcc in a debug build, and two such units with one that is optimised.
test_mix() {
    checks=$((checks + 1))
    "$nvcc" -ccbin=c++ -Xcompiler -O0 -Xcompiler -fPIC -G -Xcompiler -gdwarf-4 -m64 -o cc.o -c "$source" ||
        wrong 'cc crate: nvcc'
    "$nvcc" -DKERNELS=1 -c -o release.o "$source" || wrong 'mix: nvcc'
    ar rc libmix.a cc.o release.o
    cp libmix.a libmix.rlib
    inspect cc.o
    has_verdict debug || wrong 'cc crate: -G not seen'
    inspect libmix.rlib
    has_verdict debug || wrong 'mix: -G not seen'
    has_verdict mixed || wrong 'mix: not seen'
    grep -q 'Cargo' json || wrong 'rlib: no remedy for Cargo'
    "$isomat" inspect --diff release.o cc.o >out || wrong 'diff: exit status'
    grep -q '^saxpy .*B was compiled with -G' out || wrong "diff: -G not seen: $(cat out)"
}

# One with the static cudart, one with the shared, one with both.
test_cudart() {
    checks=$((checks + 1))
    printf '#include "%s"\nint main() { saxpy<<<1, 1>>>(0, 0, 0, 0); return cudaDeviceSynchronize(); }\n' \
        "$source" >main.cu
    "$nvcc" -DKERNELS=1 -cudart static -o static main.cu || wrong 'cudart: nvcc'
    "$nvcc" -DKERNELS=1 -cudart shared -o shared main.cu || wrong 'cudart: nvcc'
    for file in static shared; do
        inspect $file
        has_verdict cudart && wrong "cudart $file: taken for two"
    done
    if "$nvcc" -DKERNELS=1 -cudart none -Xlinker --no-as-needed -o both main.cu -lcudart_static -lcudart \
        -ldl -lrt -lpthread; then
        inspect both
        has_verdict cudart || wrong 'cudart both: not seen'
    fi
}

test_modes
test_compression
test_ptx
test_mix
test_cudart
echo "$checks checks on$archs, $failures failures"
[ "$failures" -eq 0 ]
