#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# record.sh --pack BUILD FOLDER
# record.sh FOLDER OUT [PART ...]
#
# Everything that is recorded on a machine with an NVIDIA GPU.  The first form
# puts the built programs into FOLDER, which can be carried to a machine that has
# neither libtool nor cmocka nor Rust; the second runs them and writes to the
# folder OUT, a file for each part:
#
#   machine    what the machine is
#   info       what isomat finds there
#   speed      each mode beside cuBLAS, against the goals; each figure in speed.csv
#   accuracy   errors beside cuBLAS's over many distributions; each in accuracy.csv
#   bench      float32 back to back, with the time of a whole call
#   shapes     the shapes of shapes.csv in the float32 modes beside cuBLAS; each in shapes.csv
#   sweep      each mode over sizes, in sweep.csv; the chart where there is what draws it
#   loops      the C and Rust loops
#   overhead   the cost of calls
#   epilogue   the cost of epilogues
#   tests      the tests
#   sanitizer  the tests under compute-sanitizer
#
# Without PART, all of them.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

pack() {
    local build=$1 folder=$2
    mkdir -p "$folder/bin" "$folder/lib" "$folder/tests"
    cp "$build/.libs/isomat" "$build/bench/.libs/overhead" "$build/bench/.libs/epilogue" "$build/bench/.libs/accuracy" "$build/bench/.libs/shapes" "$build"/examples/c/.libs/loop* "$folder/bin/"
    cp -L "$build"/.libs/libisomat.so.0 "$build"/.libs/libcuda_kernels.so.0 "$folder/lib/"
    # What isomat needs beside the C library.
    ldd "$build/.libs/isomat" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' |
        grep -v 'libisomat\|/libc\.\|/libm\.\|/libdl\.\|/libpthread\.' | xargs -I '{}' cp -L '{}' "$folder/lib/"
    sh tests/gpu.sh --pack "$build" "$folder/tests"
    build=$(cd "$build" && pwd)
    for profile in debug release; do # whose name for cargo is dev or release
        CARGO_TARGET_DIR=$build/examples/rust/target cargo build -q --offline \
            --manifest-path examples/rust/Cargo.toml --profile "${profile/debug/dev}" || continue
        mkdir -p "$folder/bin/$profile"
        cp "$build/examples/rust/target/$profile"/loop{,_dropin} "$folder/bin/$profile/"
    done
}

# The loops in turn, so that no host has the warmer GPU.
loops() {
    local round profile program
    for round in 1 2 3; do
        echo "round $round"
        for program in loop loop_dropin; do
            echo -n "$program: " && "$folder/bin/$program" 4096 100
            for profile in debug release; do
                echo -n "$program: " && "$folder/bin/$profile/$program" 4096 100
            done
        done
    done
}

# bench_csv OPTION...: measures, and adds the rows to speed.csv.  What one call
# cannot do, a mode or cuBLAS, it says, and the others go on.
bench_csv() {
    "$folder/bin/isomat" bench --format csv --verify --compare cublas "$@" >>"$out/speed.csv" ||
        echo "isomat bench $* exits with $?"
}

# The tables of docs/PERFORMANCE.md.
speed() {
    local tensor=(--compute tf32 --compute f16 --compute bf16) all=() layout size
    : >"$out/speed.csv"
    for size in 1024 2048 4096 8192 16384; do
        all+=(--size "$size")
    done
    bench_csv "${all[@]}" --compute f32 "${tensor[@]}" --protocol spaced --best-layout
    bench_csv "${all[@]}" --compute f32 --compute tf32 --protocol spaced --best-layout --keep
    bench_csv --size 4096 --size 8192 --compute f32 --protocol loop --best-layout
    bench_csv --size 4095 --size 4097 --size 4100 --shape 5000,3000,7000 --shape 5120,3072,7040 \
        --compute f32 "${tensor[@]}" --protocol spaced
    bench_csv "${all[@]:0:8}" --compute f32-strict --protocol spaced --best-layout
    for layout in --transpose-a --transpose-b "--transpose-a --transpose-b"; do
        # shellcheck disable=SC2086 # a list of words
        bench_csv --size 4096 --size 8192 --compute f32 "${tensor[@]}" --protocol spaced $layout
    done
    awk -f bench/tables.awk "$out/speed.csv"
}

bench() {
    local layout
    "$folder/bin/isomat" bench "${shapes[@]}" --compute f32 --compute f32-strict --compare cublas --verify
    for layout in --transpose-a --transpose-b "--transpose-a --transpose-b"; do
        echo "$layout"
        # shellcheck disable=SC2086 # a list of words
        "$folder/bin/isomat" bench --size 512 --size 2048 --size 4096 --compute f32 --compute f32-strict \
            --compare cublas --verify --iterations 30 $layout
    done
}

machine() {
    date -u
    nvidia-smi --query-gpu=name,driver_version,power.limit,clocks.max.sm --format=csv,noheader
    nvcc --version | tail -n 2
}

# run_part PART: its standard output and error.
run_part() {
    case $1 in
    machine | speed | bench | loops) "$1" ;;
    info) "$folder/bin/isomat" info ;;
    accuracy) timeout 240 "$folder/bin/accuracy" --csv "$out/accuracy.csv" ;;
    shapes)
        "$folder/bin/shapes" --shapes bench/shapes.csv --compute f32-strict --compute f32 --csv "$out/shapes.csv"
        ;;
    sweep) SHAPES_COMMAND=$folder/bin/shapes sh bench/sweep --csv "$out/sweep.csv" --svg "$out/sweep.svg" ;;
    overhead) "$folder/bin/overhead" ;;
    epilogue) "$folder/bin/epilogue" ;;
    tests) timeout 240 sh tests/gpu.sh "$folder/tests" ;;
    sanitizer) timeout 240 sh tests/gpu.sh --sanitizer "$folder/tests" ;;
    esac
}

if [[ ${1-} == --pack && $# -eq 3 ]]; then
    pack "$2" "$3"
    exit
fi
parts=(machine info speed accuracy bench shapes sweep loops overhead epilogue tests sanitizer)
if [[ $# -lt 2 || $1 == --* ]]; then
    sed -n '3,4s/^# //p' "$0" >&2
    exit 2
fi
for part in "${@:3}"; do
    if [[ " ${parts[*]} " != *" $part "* ]]; then
        echo "record.sh: no part $part; there are: ${parts[*]}" >&2
        exit 2
    fi
done
if [[ $# -gt 2 ]]; then
    parts=("${@:3}")
fi

folder=$(cd "$1" && pwd) || exit 1
mkdir -p "$2"
out=$(cd "$2" && pwd)
shapes=()
for size in 256 512 1024 2048 4095 4096 8192; do
    shapes+=(--size "$size")
done
export LD_LIBRARY_PATH=$folder/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export ISOMAT_LIBRARY=$folder/lib/libisomat.so.0 ISOMAT_CUDA_KERNELS=$folder/lib/libcuda_kernels.so.0
export ISOMAT_DRIVER=nvidia

for part in "${parts[@]}"; do
    start=$SECONDS
    run_part "$part" >"$out/$part" 2>&1
    printf '\n== %s (%d s)\n' "$part" $((SECONDS - start))
    tail -n 100 "$out/$part"
done
