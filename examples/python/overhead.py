#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The host's time per call of an empty kernel's launch and of a small product.

    overhead.py [calls]               by default 100000

Medians over batches of calls; what is submitted in a batch is waited for outside the time.
"""
import statistics
import sys
import time
from collections.abc import Callable, Sequence

import isomat
from loop import random

MOST_CALLS = 100000000
MOST_IN_BATCH = 500  # few enough that the driver's queue does not fill up
SIZE = 64
EMPTY_PTX = b"""\
.version 7.0
.target sm_75
.address_size 64
.visible .entry empty() { ret; }
"""


def per_call(gpu: isomat.Context, calls: int, call: Callable[[], object]) -> float:
    """Nanoseconds."""
    batch = min(calls, MOST_IN_BATCH)
    results = []
    for _ in range((calls + batch - 1) // batch + 1):
        began = time.perf_counter_ns()
        for _ in range(batch):
            call()
        ended = time.perf_counter_ns()
        gpu.synchronize()
        results.append((ended - began) / batch)
    return statistics.median(results[1:])  # the first is the warm-up


def run(calls: int) -> str:
    """Measures; gives the line to print."""
    with isomat.Context() as gpu, gpu.load(EMPTY_PTX) as module, module["empty"] as empty:
        a = gpu.matrix(random(SIZE * SIZE, 1), shape=(SIZE, SIZE))
        b = gpu.matrix(random(SIZE * SIZE, 2), shape=(SIZE, SIZE))
        c = gpu.empty(SIZE, SIZE)
        launch_ns = per_call(gpu, calls, empty.prepare(1, 1))
        product_ns = per_call(gpu, calls, lambda: isomat.gemm(a, b, out=c))
    return f"python: {calls} calls: empty launch {launch_ns:.0f} ns, {SIZE} x {SIZE} product {product_ns:.0f} ns"


def usage(problem: str = "") -> None:
    """Ends the program."""
    print(f"{problem}usage: overhead.py [calls]", file=sys.stderr)
    sys.exit(2)


def main(arguments: Sequence[str]) -> None:
    """Reads the arguments."""
    if len(arguments) > 1:
        usage()
    text = arguments[0] if arguments else "100000"
    if not (text.isascii() and text.isdecimal() and len(text) < 10 and 1 <= int(text) <= MOST_CALLS):
        usage(f"overhead: '{text}' is not a number from 1 to {MOST_CALLS}\n")
    try:
        print(run(int(text)))
    except isomat.Error as error:
        sys.exit(f"overhead: {error}")


if __name__ == "__main__":
    main(sys.argv[1:])
