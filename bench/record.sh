#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# record.sh BUILD OUT: everything that is recorded on a machine with an NVIDIA
# GPU, into the folder OUT: what the machine is, multiplication beside cuBLAS,
# the C and Rust loops, the cost of calls, the tests, compute-sanitizer.
# Uses the programs in BUILD; needs no libtool, cmocka or Rust on the machine.
set -uo pipefail
build=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
cd "$(dirname "$0")/.." || exit 1

# The programs themselves, not libtool's scripts around them.
export LD_LIBRARY_PATH=$build/.libs:$build/carried${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
isomat=$build/.libs/isomat
export ISOMAT_DRIVER=nvidia

{
    date -u
    nvidia-smi --query-gpu=name,driver_version,power.limit,clocks.max.sm --format=csv,noheader
    nvcc --version | tail -n 2
    git describe --always --dirty 2>/dev/null
} >"$out/machine" 2>&1
"$isomat" info >"$out/info" 2>&1

shapes=(--size 256 --size 512 --size 1024 --size 2048 --size 4096 --size 8192)
"$isomat" bench "${shapes[@]}" --compare cublas >"$out/bench" 2>&1
"$isomat" bench "${shapes[@]}" --compare cublas --format json >"$out/bench.json" 2>>"$out/bench"

# The loops, in turn, so that no host has the warmer GPU.
for _ in 1 2 3; do
    "$build"/examples/c/.libs/loop 4096 100
    "$build"/examples/c/.libs/loop_dropin 4096 100
    for profile in debug release; do
        for program in loop loop_dropin; do
            ISOMAT_LIBRARY=$build/.libs/libisomat.so.0 ISOMAT_CUDA_KERNELS=$build/.libs/libcuda_kernels.so.0 \
                "$build/carried/$profile/$program" 4096 100
        done
    done
done >"$out/loops" 2>&1

"$build/bench/.libs/overhead" >"$out/overhead" 2>&1
bash tests/gpu.sh "$build" >"$out/tests" 2>&1
bash tests/gpu.sh --sanitizer "$build" >"$out/sanitizer" 2>&1

for file in machine info bench loops overhead; do
    printf '\n== %s\n' "$file"
    cat "$out/$file"
done
printf '\n== tests\n'
tail -n 20 "$out/tests"
printf '\n== compute-sanitizer\n'
tail -n 20 "$out/sanitizer"
