# SPDX-License-Identifier: MIT
"""isomat from Python: matrices on the GPU, with ctypes and nothing compiled.

    import isomat

    with isomat.Context() as gpu:
        product = gpu.matrix([[1, 2], [3, 4]]) @ gpu.matrix([[5, 6], [7, 8]])
        print(product.tolist())

The library is opened by the first call that needs it; a failure is an isomat.Error.
"""
from ._library import Error, LibraryError, live_objects, version
from .context import Context, Event, Graph, Stream, device_count, device_info, driver_info
from .kernel import Kernel, Module
from .matrix import Compute, Matrix, Op, Operand, Type, gemm

__all__ = [
    "Compute",
    "Context",
    "Error",
    "Event",
    "Graph",
    "Kernel",
    "LibraryError",
    "Matrix",
    "Module",
    "Op",
    "Operand",
    "Stream",
    "Type",
    "device_count",
    "device_info",
    "driver_info",
    "gemm",
    "live_objects",
    "version",
]
