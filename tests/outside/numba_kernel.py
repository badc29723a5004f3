# SPDX-License-Identifier: MIT
"""Numba: kernels compiled from Python; shared memory, atomics, streams, events."""

import math

from cuda import pathfinder


def load_all_but_nvjitlink(name, load=pathfinder.load_nvidia_dynamic_lib):
    if name == "nvJitLink":
        raise pathfinder.DynamicLibNotFoundError("not wanted here")
    return load(name)


# nvJitLink makes a cubin. Without it the driver links, and is handed PTX.
pathfinder.load_nvidia_dynamic_lib = load_all_but_nvjitlink

import numpy as np
from numba import cuda, float32, int32


@cuda.jit
def axpy(a, x, y):
    i = cuda.grid(1)
    if i < y.size:
        y[i] = a * x[i] + math.sqrt(y[i])


@cuda.jit
def histogram(values, bins):
    local = cuda.shared.array(16, int32)
    if cuda.threadIdx.x < 16:
        local[cuda.threadIdx.x] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        cuda.atomic.add(local, values[i], 1)
    cuda.syncthreads()
    if cuda.threadIdx.x < 16:
        cuda.atomic.add(bins, cuda.threadIdx.x, local[cuda.threadIdx.x])


@cuda.jit
def product(a, b, c):
    tile_a = cuda.shared.array((8, 8), float32)
    tile_b = cuda.shared.array((8, 8), float32)
    column, row = cuda.grid(2)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for k in range(0, a.shape[1], 8):
        tile_a[y, x] = a[row, k + x]
        tile_b[y, x] = b[k + y, column]
        cuda.syncthreads()
        for i in range(8):
            total += tile_a[y, i] * tile_b[i, x]
        cuda.syncthreads()
    c[row, column] = total


print(cuda.get_current_device().name)
random = np.random.default_rng()
x, y = random.random(5001), random.random(5001)
expected = 2.5 * x + np.sqrt(y)
stream = cuda.stream()
on_device = cuda.to_device(y, stream=stream)
start, end = cuda.event(), cuda.event()
start.record(stream)
axpy[40, 128, stream](2.5, cuda.to_device(x, stream=stream), on_device)
end.record(stream)
got = on_device.copy_to_host(stream=stream)
stream.synchronize()
assert np.allclose(got, expected, rtol=1e-14)
assert cuda.event_elapsed_time(start, end) >= 0

values = random.integers(0, 16, 20_000, dtype=np.int32)
bins = np.zeros(16, np.int32)
histogram[8, 64](values, bins)
assert np.array_equal(bins, np.bincount(values, minlength=16))

a, b = random.random((32, 48), dtype=np.float32), random.random((48, 40), dtype=np.float32)
c = np.zeros((32, 40), np.float32)
product[(5, 4), (8, 8)](a, b, c)
assert np.allclose(c, a @ b, rtol=1e-5)
print("axpy, a histogram and a product are right")
