#!/bin/sh
# SPDX-License-Identifier: MIT
# samples.sh: makes samples/ again, with the nvcc of CUDA 13.0; what changes must be looked at.
set -eu
cd "$(dirname "$0")"
nvcc=${NVCC:-nvcc}
one() { "$nvcc" -fatbin -DKERNELS=1 -gencode arch=compute_80,code='[sm_80,compute_80]' "$@" samples.cu; }
one -Xfatbin -compress-all -o samples/zstd.fatbin
one --compress-mode=speed -Xfatbin -compress-all -o samples/lz4.fatbin
one -G -o samples/debug.fatbin
"$nvcc" -fatbin -DKERNELS=3 -arch=sm_90a -Xfatbin -compress-all -o samples/spill.fatbin samples.cu
"$nvcc" -cubin -DKERNELS=2 -arch=sm_90a -o samples/sm90a.cubin samples.cu
"$nvcc" -ptx -DKERNELS=2 -arch=compute_75 -o samples/plain.ptx samples.cu
