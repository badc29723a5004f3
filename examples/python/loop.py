#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Multiplies two matrices in a loop and times it.

    loop.py [size [iterations]]       by default 4096 100
"""
import array
import statistics
import sys
import time
from collections.abc import Sequence
from typing import Any

import isomat

WARM_UP = 3
LARGEST_SIZE = 65536
MOST_ITERATIONS = 1000000

MULTIPLIER, INCREMENT, MASK = 6364136223846793005, 1442695040888963407, 2**64 - 1


def random(count: int, state: int) -> Sequence[float]:
    """Random float32, uniform in [-0.5, 0.5): the high bits of a 64-bit linear congruential generator.
    The loops in every language use this one. NumPy, if it is there, only makes it faster."""
    try:
        import numpy
    except ImportError:
        return _random(count, state)
    states: Any = numpy.empty(count, numpy.uint64)
    states[:1] = (state * MULTIPLIER + INCREMENT) & MASK
    done, multiplier, increment = 1, MULTIPLIER, INCREMENT  # of as many steps as are done
    while done < count:
        more = min(done, count - done)
        states[done : done + more] = states[:more] * numpy.uint64(multiplier) + numpy.uint64(increment)
        done += more
        multiplier, increment = multiplier * multiplier & MASK, increment * (multiplier + 1) & MASK
    data: Sequence[float] = (states >> numpy.uint64(40)).astype(numpy.float32) / numpy.float32(2**24) - 0.5
    return data


def _random(count: int, state: int) -> Sequence[float]:
    data = array.array("f", bytes(4 * count))
    for i in range(count):
        state = (state * MULTIPLIER + INCREMENT) & MASK
        data[i] = (state >> 40) / 2**24 - 0.5
    return data


def check(size: int, a: Sequence[float], b: Sequence[float], c: Sequence[float]) -> None:
    """Compares elements of c with double-precision dot products. An element may be off by what float32
    arithmetic may lose in size additions."""
    places = [(size - 1) * index // 6 for index in range(7)]  # the corners, the edges and points inside
    for i in places:
        for j in places:
            row, col = a[i * size : (i + 1) * size], b[j::size]
            products = [float(x) * float(y) for x, y in zip(row, col)]
            exact, magnitude = sum(products), sum(map(abs, products))
            found = float(c[i * size + j])
            if not abs(found - exact) <= size * 2.0**-24 * magnitude:
                sys.exit(f"loop: element ({i}, {j}) is {found:.9g}, not {exact:.9g}")


def run(size: int, iterations: int) -> str:
    """Multiplies, synchronizes and drops the result, again and again; gives the line to print."""
    a_data, b_data = random(size * size, 1), random(size * size, 2)
    device_ms: list[float] = []
    total_ms: list[float] = []
    with isomat.Context() as gpu:
        a = gpu.matrix(a_data, shape=(size, size))
        b = gpu.matrix(b_data, shape=(size, size))
        start, end = gpu.event(), gpu.event()
        for _ in range(WARM_UP + iterations):
            began = time.perf_counter()
            start.record()
            c = a @ b
            end.record()
            gpu.synchronize()
            c.close()
            total_ms.append((time.perf_counter() - began) * 1e3)
            device_ms.append(end.elapsed_since(start))

        c_data = array.array("f", bytes(4 * size * size))
        (a @ b).download(c_data)
    check(size, a_data, b_data, c_data)
    device = isomat.device_info().name.decode()
    return (
        f"python: {size} x {size}, {iterations} multiplications, {device}:"
        f" device {statistics.median(device_ms[WARM_UP:]):.3f} ms,"
        f" with overhead {statistics.median(total_ms[WARM_UP:]):.3f} ms"
    )


def usage(problem: str = "") -> None:
    """Ends the program."""
    print(f"{problem}usage: loop.py [size [iterations]]", file=sys.stderr)
    sys.exit(2)


def parse(text: str, most: int) -> int:
    """An argument as a number from 1 to most."""
    if not (text.isascii() and text.isdecimal() and len(text) < 10 and 1 <= int(text) <= most):
        usage(f"loop: '{text}' is not a number from 1 to {most}\n")
    return int(text)


def main(arguments: Sequence[str]) -> None:
    """Reads the arguments."""
    if len(arguments) > 2:
        usage()
    size = parse(arguments[0], LARGEST_SIZE) if arguments else 4096
    iterations = parse(arguments[1], MOST_ITERATIONS) if len(arguments) > 1 else 100
    try:
        print(run(size, iterations))
    except isomat.Error as error:
        sys.exit(f"loop: {error}")


if __name__ == "__main__":
    main(sys.argv[1:])
