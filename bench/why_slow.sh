#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# why_slow.sh --pack BUILD FOLDER
# why_slow.sh FOLDER
#
# The figures of docs/WHY-SLOW.md.  The first form compiles examples/own-kernel in every way that the
# document compares, with nvcc and rustc, into FOLDER, which can be carried to a machine with an NVIDIA
# GPU that has neither; BUILD is a build folder of isomat.  The second form measures there and prints
# the tables.
#
# ARCH  the GPU's architecture (90)
set -euo pipefail
cd "$(dirname "$0")/.."
arch=${ARCH:-90}

# One row each: name, what the kernels were compiled with, host, how often the program is run.  The
# figures of a row are the medians of its runs, each with that many launches of each kernel and one more.
launches=5
host_c="C, static cudart"
rows=(
    "plain|optimised, sm_$arch|$host_c|3"
    "lineinfo|\`-lineinfo\`|$host_c|3"
    "dopt|\`-G -dopt=on\`|$host_c|3"
    "debug|**\`-G\`**|$host_c|1"
    "ptx$arch|PTX for compute_$arch alone|$host_c|3"
    "ptx75|PTX for compute_75 alone|$host_c|3"
    "ptx_debug|**\`-G\`**, PTX for compute_$arch alone|$host_c|1"
    "shared|optimised, sm_$arch|C, shared cudart|3"
    "isomat|optimised, fatbin|C, driver API by isomat|3"
    "rust_debug_cc|**\`-G\`**, as the crate cc does in debug|Rust debug, static cudart|1"
    "rust_debug|optimised: cc with \`debug(false)\`|Rust debug, static cudart|3"
    "rust_release|optimised: cc in release|Rust release, static cudart|3"
    "rust_debug_isomat|optimised, fatbin|Rust debug, driver API by isomat|3"
    "rust_release_isomat|optimised, fatbin|Rust release, driver API by isomat|3"
)

# What the crate cc gives to nvcc for the host's side of a debug build; -G comes with it.
cc_debug="-Xcompiler -O0 -Xcompiler -ffunction-sections -Xcompiler -fdata-sections -Xcompiler -fPIC -Xcompiler -g"

pack() {
    local build=$1 folder=$2 nvcc=${NVCC:-nvcc} objects
    local code="-gencode arch=compute_$arch,code=sm_$arch"
    objects=$(mktemp -d)
    # shellcheck disable=SC2064 # the folder of now
    trap "rm -rf '$objects'" EXIT
    mkdir -p "$folder/bin" "$folder/lib"
    cp -L "$build/.libs/libisomat.so.0" "$folder/lib/"
    cp "$build/.libs/isomat" "$folder/bin/"
    # What the command needs beside the C library.
    ldd "$build/.libs/isomat" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' |
        grep -v 'libisomat\|/libc\.\|/libm\.\|/libdl\.\|/libpthread\.' | xargs -I '{}' cp -L '{}' "$folder/lib/"

    compile() { # compile NAME FLAG...: the kernels and what launches them, as an object and an archive
        echo "compiling $1" >&2
        # shellcheck disable=SC2068 # flags are words
        "$nvcc" -O3 -I. -Ibench/why_slow -c -o "$objects/$1.o" ${@:2} bench/why_slow/matmul_run.cu
        ar rcs "$objects/lib$1.a" "$objects/$1.o"
    }
    # shellcheck disable=SC2086 # lists of words
    {
        compile plain $code
        compile lineinfo -lineinfo $code
        compile dopt -G -dopt=on $code
        compile debug -G $code
        compile "ptx$arch" -gencode "arch=compute_$arch,code=compute_$arch"
        compile ptx75 -gencode arch=compute_75,code=compute_75
        compile ptx_debug -G -gencode "arch=compute_$arch,code=compute_$arch"
        compile debug_cc -G $cc_debug $code
        "$nvcc" -fatbin -O3 -lineinfo $code -o "$folder/matmul.fatbin" examples/own-kernel/matmul.cu
        "$nvcc" -fatbin -G $code -o "$folder/debug.fatbin" examples/own-kernel/matmul.cu
        "$nvcc" -O3 -I. $code -o "$folder/bin/suspects" bench/why_slow/suspects.cu
    }
    "${CC:-cc}" -O2 -Ibench/why_slow -c -o "$objects/main.o" bench/why_slow/main.c
    for name in plain lineinfo dopt debug "ptx$arch" ptx75 ptx_debug; do
        "$nvcc" -cudart static -o "$folder/bin/$name" "$objects/main.o" "$objects/$name.o"
    done
    "$nvcc" -cudart shared -o "$folder/bin/shared" "$objects/main.o" "$objects/plain.o"
    "${CC:-cc}" -O2 -Iinclude -Ibench/why_slow -c -o "$objects/isomat.o" bench/why_slow/matmul_isomat.c
    ar rcs "$objects/libisomat_run.a" "$objects/isomat.o"
    "${CC:-cc}" -o "$folder/bin/isomat_row" "$objects/main.o" "$objects/isomat.o" -L"$build/.libs" -lisomat

    rust() { # rust NAME LIBRARY FLAG...
        rustc --edition 2021 -o "$folder/bin/$1" -L "$objects" -l "static=$2" "${@:3}" bench/why_slow/main.rs
    }
    local runtime=(-L "$(find_cudart "$nvcc")" -l static=cudart_static -l stdc++ -l dl -l rt -l pthread)
    local debug=(-C opt-level=0 -C debuginfo=2 -C debug-assertions=on) release=(-C opt-level=3)
    rust rust_debug_cc debug_cc "${debug[@]}" "${runtime[@]}"
    rust rust_debug plain "${debug[@]}" "${runtime[@]}"
    rust rust_release plain "${release[@]}" "${runtime[@]}"
    rust rust_debug_isomat isomat_run "${debug[@]}" -L "$build/.libs" -l dylib=isomat
    rust rust_release_isomat isomat_run "${release[@]}" -L "$build/.libs" -l dylib=isomat
}

# ---------------------------------------------------------------- on the GPU

# median COLUMN FILE
median() {
    awk -v column="$1" '{ print $column }' "$2" | sort -n | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'
}

program_of() {
    [[ $1 == isomat ]] && echo "$folder/bin/isomat_row" || echo "$folder/bin/$1"
}

# What isomat inspect holds against a program: the verdicts that are no hints.
verdict_of() {
    local file
    file=$(program_of "$1")
    [[ $1 == *isomat ]] && file=$folder/matmul.fatbin
    "$folder/bin/isomat" inspect --arch "sm_$arch" "$file" | sed -n 's/^  \(error\|warning\): .*\[\(.*\)\]$/\2/p' |
        paste -sd ' ' | sed 's/^$/nothing/; s/ /, /g'
}

measure_rows() {
    local round row name kernels host runs
    for round in 1 2 3; do
        for row in "${rows[@]}"; do
            IFS='|' read -r name kernels host runs <<<"$row"
            [[ $round -le $runs ]] || continue
            "$(program_of "$name")" 4096 "$launches" >>"$scratch/$name"
        done
    done
    echo "| kernels | host | tiled, ms | registers, ms | whole, ms | registers a thread | isomat inspect |"
    echo "|---|---|---|---|---|---|---|"
    for row in "${rows[@]}"; do
        IFS='|' read -r name kernels host runs <<<"$row"
        printf '| %s | %s | %.2f | %.2f | %.0f | %.0f, %.0f | %s |\n' "$kernels" "$host" \
            "$(median 1 "$scratch/$name")" "$(median 2 "$scratch/$name")" "$(median 4 "$scratch/$name")" \
            "$(median 5 "$scratch/$name")" "$(median 6 "$scratch/$name")" "$(verdict_of "$name")"
    done
}

# The first launch of each kind, in ms, without the JIT compiler's cache, with an empty one, and again.
measure_first() {
    local name cache=$scratch/jit
    first() {
        "$folder/bin/$1" 1024 1 | cut -d ' ' -f 3
    }
    echo "| program | cache off | cache empty | cache filled |"
    echo "|---|---|---|---|"
    for name in plain "ptx$arch" ptx75 ptx_debug; do
        rm -rf "$cache" && mkdir "$cache"
        echo "| $name | $(CUDA_CACHE_DISABLE=1 first "$name") | $(CUDA_CACHE_PATH=$cache first "$name") |" \
            "$(CUDA_CACHE_PATH=$cache first "$name") |"
    done
}

measure_suspects() {
    local mode
    for mode in LAZY EAGER; do
        echo "CUDA_MODULE_LOADING=$mode"
        CUDA_MODULE_LOADING=$mode "$folder/bin/suspects" first
    done
    echo "one process"
    "$folder/bin/suspects"
}

transcripts() {
    local size='f32[4096,4096]'
    echo '$ isomat inspect rust_debug_cc'
    "$folder/bin/isomat" inspect "$folder/bin/rust_debug_cc" || true
    echo '$ isomat run matmul.fatbin matmul_registers ... --compare debug.fatbin'
    (cd "$folder" && bin/isomat run matmul.fatbin matmul_registers --grid 32,32 --block 256 --arg "$size:random" \
        --arg "$size:random" --arg "$size:zeros" --arg i32:4096 --arg i32:4096 --arg i32:4096 \
        --flops '2*arg3*arg4*arg5' --compare debug.fatbin --repeat 5)
}

find_cudart() {
    local root folder
    root=$(cd "$(dirname "$(command -v "$1")")/.." && pwd)
    for folder in "$root"/lib64 "$root"/targets/*/lib "$root"/lib; do
        if [[ -e $folder/libcudart_static.a ]]; then
            echo "$folder"
            return
        fi
    done
    echo "why_slow.sh: no libcudart_static.a beside $1" >&2
    exit 1
}

if [[ ${1-} == --pack && $# -eq 3 ]]; then
    pack "$2" "$3"
    exit
fi
if [[ $# -ne 1 ]]; then
    sed -n '3,4s/^# //p' "$0" >&2
    exit 2
fi

folder=$(cd "$1" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export LD_LIBRARY_PATH=$folder/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}:/usr/local/cuda/lib64
export MATMUL_FATBIN=$folder/matmul.fatbin ISOMAT_DRIVER=nvidia CUDA_CACHE_PATH=$scratch/cache
mkdir "$CUDA_CACHE_PATH"

date -u
nvidia-smi --query-gpu=name,driver_version,power.limit,clocks.max.sm --format=csv,noheader
for part in measure_rows measure_first measure_suspects transcripts; do
    printf '\n== %s (%d s)\n' "$part" "$SECONDS"
    $part || echo "$part failed"
done
printf '\n== done (%d s)\n' "$SECONDS"
