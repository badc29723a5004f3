#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# record.sh --pack BUILD FOLDER
# record.sh FOLDER OUT
#
# Everything that is recorded on a machine with an NVIDIA GPU: what the machine
# is, multiplication beside cuBLAS, the C and Rust loops, the cost of calls, the
# tests, and the tests under compute-sanitizer.  The first form puts the built
# programs into FOLDER, which can be carried to a machine that has neither
# libtool nor cmocka nor Rust; the second runs them and writes to the folder OUT.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

pack() {
    local build=$1 folder=$2
    mkdir -p "$folder/bin" "$folder/lib" "$folder/tests"
    cp "$build/.libs/isomat" "$build/bench/.libs/overhead" "$build"/examples/c/.libs/loop* "$folder/bin/"
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

record() {
    {
        date -u
        nvidia-smi --query-gpu=name,driver_version,power.limit,clocks.max.sm --format=csv,noheader
        nvcc --version | tail -n 2
    } >"$out/machine" 2>&1
    "$folder/bin/isomat" info >"$out/info" 2>&1
    {
        "$folder/bin/isomat" bench "${shapes[@]}" --compute f32 --compute f32-strict --compare cublas --verify
        for layout in --transpose-a --transpose-b "--transpose-a --transpose-b"; do
            echo "$layout"
            # shellcheck disable=SC2086 # a list of words
            "$folder/bin/isomat" bench --size 512 --size 2048 --size 4096 --compute f32 --compute f32-strict \
                --compare cublas --verify --iterations 30 $layout
        done
    } >"$out/bench" 2>&1
    loops >"$out/loops" 2>&1
    "$folder/bin/overhead" >"$out/overhead" 2>&1
    timeout 240 sh tests/gpu.sh "$folder/tests" >"$out/tests" 2>&1
    timeout 240 sh tests/gpu.sh --sanitizer "$folder/tests" >"$out/sanitizer" 2>&1
}

if [[ ${1-} == --pack && $# -eq 3 ]]; then
    pack "$2" "$3"
    exit
fi
if [[ $# -ne 2 ]]; then
    sed -n '3,5s/^# //p' "$0" >&2
    exit 2
fi

folder=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
shapes=()
for size in 256 512 1024 2048 4095 4096 8192; do
    shapes+=(--size "$size")
done
export LD_LIBRARY_PATH=$folder/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export ISOMAT_LIBRARY=$folder/lib/libisomat.so.0 ISOMAT_CUDA_KERNELS=$folder/lib/libcuda_kernels.so.0
export ISOMAT_DRIVER=nvidia

record
for file in machine info bench loops overhead tests sanitizer; do
    printf '\n== %s\n' "$file"
    tail -n 50 "$out/$file"
done
