# SPDX-License-Identifier: MIT
"""PyCUDA: a module of PTX text; arrays, streams, events, textures excepted."""

import sys

import numpy as np
import pycuda.driver as cuda

cuda.init()
device = cuda.Device(0)
context = device.make_context()
try:
    print(device.name(), device.compute_capability(), cuda.get_driver_version())
    with open(sys.argv[1], "rb") as file:
        module = cuda.module_from_buffer(file.read())
    scale = module.get_function("scale")
    random = np.random.default_rng()
    x = random.random(10_001, dtype=np.float32)
    expected = x * 2.5

    # Copied in and out by the call.
    got = x.copy()
    scale(cuda.InOut(got), np.float32(2.5), np.int32(x.size), block=(128, 1, 1), grid=(79, 1))
    assert np.array_equal(got, expected)

    # Page-locked memory, in a stream between events.
    stream, start, end = cuda.Stream(), cuda.Event(), cuda.Event()
    host = cuda.pagelocked_empty(x.shape, x.dtype)
    host[:] = x
    pointer = cuda.mem_alloc(x.nbytes)
    cuda.memcpy_htod_async(pointer, host, stream)
    start.record(stream)
    scale(pointer, np.float32(2.5), np.int32(x.size), block=(128, 1, 1), grid=(79, 1), stream=stream)
    end.record(stream)
    cuda.memcpy_dtoh_async(host, pointer, stream)
    stream.synchronize()
    assert np.array_equal(host, expected)
    assert end.time_since(start) >= 0

    # A prepared call, a global, managed memory, a fill, a copy of a rectangle.
    factor, size = module.get_global("factor")
    assert size == 4
    cuda.memcpy_htod(factor, np.float32(0.5))
    prepared = module.get_function("scale_by_global")
    prepared.prepare("Pi")
    managed = cuda.managed_empty(1000, np.float32, mem_flags=cuda.mem_attach_flags.GLOBAL)
    managed[:] = np.arange(1000)
    prepared.prepared_call((8, 1), (128, 1, 1), managed.ctypes.data, 1000)
    context.synchronize()
    assert np.array_equal(managed, np.arange(1000, dtype=np.float32) / 2)
    cuda.memset_d32(pointer, 7, 100)
    words = np.empty(100, np.uint32)
    cuda.memcpy_dtoh(words, pointer)
    assert (words == 7).all()
    copy = cuda.Memcpy2D()
    copy.set_src_host(x)
    copy.set_dst_device(pointer)
    copy.src_pitch, copy.dst_pitch, copy.width_in_bytes, copy.height = 400, 512, 40, 20
    copy(aligned=False)
    flat = np.empty(128 * 20, np.float32)
    cuda.memcpy_dtoh(flat, pointer)
    assert np.array_equal(flat.reshape(20, 128)[:, :10], x[:2000].reshape(20, 100)[:, :10])
    free, total = cuda.mem_get_info()
    assert 0 < free < total
    print("scale by an argument and by a global are right")
finally:
    del module
    context.pop()
    context.detach()
