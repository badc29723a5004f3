#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Launches a kernel of one's own: y += alpha * x, from a fatbin, a cubin or PTX.

    own_kernel.py [module]            by default axpy.ptx beside this file
"""
import pathlib
import sys

import isomat

N, BLOCK, ALPHA = 1000, 128, 0.5


def main(path: str = str(pathlib.Path(__file__).with_name("axpy.ptx"))) -> None:
    """Loads, launches, compares."""
    with isomat.Context() as gpu, gpu.load(path) as module, module["axpy"] as axpy:
        if axpy.info().debug:
            sys.exit("own_kernel.py: the kernel was built with -G: see isomat inspect")
        x, y = gpu.matrix([range(N)]), gpu.full(1, N, 3.0)
        axpy.launch((N + BLOCK - 1) // BLOCK, BLOCK, ALPHA, x, y, N)
        if y.tolist() != [[3 + ALPHA * i for i in range(N)]]:
            sys.exit("own_kernel.py: a wrong result")
        print(f"python: axpy, {N} elements, {axpy.info().registers} registers")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:2])
    except isomat.Error as error:
        sys.exit(f"own_kernel.py: {error}")
