#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs both kernels of matmul.fatbin from Python, with ctypes and nothing else.

    multiply.py [size [launches [fatbin]]]       by default 512 20 matmul.fatbin

ISOMAT_LIBRARY names the library to open instead of the installed libisomat.so.0.
"""
import array
import ctypes
import os
import statistics
import sys
from ctypes import byref, c_double, c_int32, c_int64, c_uint32, c_uint64, c_void_p

isomat = ctypes.CDLL(os.environ.get("ISOMAT_LIBRARY", "libisomat.so.0"))
isomat.isomat_error_message.restype = ctypes.c_char_p
NONE = c_uint64(0)

# name, rows and columns that a block makes, threads of a block
KERNELS = [("matmul_tiled", 32, (32, 32, 1)), ("matmul_registers", 128, (256, 1, 1))]


class KernelInfo(ctypes.Structure):
    """isomat_kernel_info"""

    _fields_ = [("struct_size", c_uint32)] + [
        (name, c_int32)
        for name in "registers max_threads_per_block parameter_count binary_version ptx_version".split()
    ]
    _fields_ += [(name, c_int64) for name in "shared_bytes local_bytes const_bytes parameter_bytes".split()]
    _fields_ += [(name, c_int32) for name in "jit debug spills".split()]


class Launch(ctypes.Structure):
    """isomat_launch"""

    _fields_ = [
        ("struct_size", c_uint32),
        ("grid", c_uint32 * 3),
        ("block", c_uint32 * 3),
        ("cluster", c_uint32 * 3),
        ("shared_bytes", c_uint32),
        ("cooperative", c_uint32),
        ("stream", c_uint64),
    ]


class IsomatError(Exception):
    """A call failed; the text is the library's."""


def call(name, *arguments):
    """Calls a function of isomat.h. Handles and sizes are given as ctypes of their width."""
    if getattr(isomat, name)(*arguments) != 0:
        raise IsomatError(isomat.isomat_error_message().decode())


def new(name, *arguments):
    """Calls a function that writes a handle, an address or the like first, and gives that."""
    value = c_uint64()
    call(name, byref(value), *arguments)
    return value


def element(matrix, i, j):
    """Multiples of 1/16 from -1 to 1: every sum of their products is exact in float32."""
    return ((i * 7 + j * 13 + matrix * 5) % 33 - 16) / 16


def upload(context, matrix, n):
    """Fills a matrix on the device."""
    data = array.array("f", (element(matrix, i, j) for i in range(n) for j in range(n)))
    size = c_int64(4 * n * n)
    address = new("isomat_memory_allocate", size, context, NONE)
    call("isomat_memory_copy_to_device", address, c_void_p(data.buffer_info()[0]), size, context, NONE)
    return address


def check_product(context, address, n):
    """Compares some elements with dot products made here."""
    c = array.array("f", bytes(4 * n * n))
    call("isomat_memory_copy_to_host", c_void_p(c.buffer_info()[0]), address, c_int64(4 * n * n), context, NONE)
    for sample in range(64):
        i, j = sample * 7919 % n, n - 1 - sample * 104729 % n
        if c[i * n + j] != sum(element(0, i, k) * element(1, k, j) for k in range(n)):
            raise IsomatError("a wrong product")


def time_launches(context, kernel, launch, arguments, launches):
    """The median, in milliseconds on the device's clock."""
    pointers = (c_void_p * len(arguments))(*(ctypes.addressof(each) for each in arguments))
    start = new("isomat_event_create", context, c_int32(1))
    end = new("isomat_event_create", context, c_int32(1))
    times = []
    for _ in range(launches + 1):  # the first is the warm-up
        call("isomat_event_record", start, NONE)
        call("isomat_kernel_launch", kernel, byref(launch), pointers, c_int32(len(arguments)), None)
        call("isomat_event_record", end, NONE)
        call("isomat_event_synchronize", end)
        milliseconds = c_double()
        call("isomat_event_elapsed", byref(milliseconds), start, end)
        times.append(milliseconds.value)
    call("isomat_event_destroy", end)
    call("isomat_event_destroy", start)
    return statistics.median(times[1:])


def run(n, launches, path):
    """Runs each kernel and prints a line about it."""
    context = new("isomat_context_create", c_int32(0), c_int32(0))
    module = new("isomat_module_load_file", context, path.encode())
    matrices = [upload(context, matrix, n) for matrix in range(3)]
    size = c_int32(n)
    for name, tile, block in KERNELS:
        kernel = new("isomat_kernel_get", module, name.encode())
        info = KernelInfo(struct_size=ctypes.sizeof(KernelInfo))
        call("isomat_kernel_get_info", byref(info), kernel)
        if info.debug:
            raise IsomatError("the kernels were built with -G: see isomat inspect")
        blocks = (n + tile - 1) // tile
        launch = Launch(struct_size=ctypes.sizeof(Launch), grid=(blocks, blocks, 1), block=block)
        call("isomat_memory_fill", matrices[2], c_uint32(0x7FC00000), c_int32(4), c_int64(n * n), context, NONE)
        milliseconds = time_launches(context, kernel, launch, [*matrices, size, size, size], launches)
        check_product(context, matrices[2], n)
        print(f"python: {name}, {n} x {n}, {info.registers} registers: {milliseconds:.3f} ms")
        call("isomat_kernel_destroy", kernel)
    for address in matrices:
        call("isomat_memory_free", address, context, NONE)
    call("isomat_module_destroy", module)
    call("isomat_context_destroy", context)


def main(size="512", launches="20", path="matmul.fatbin"):
    """Reads the arguments."""
    if not (size.isdecimal() and launches.isdecimal() and 1 <= int(size) <= 32768 and 1 <= int(launches)):
        sys.exit(__doc__.split("\n\n")[1].strip())
    run(int(size), int(launches), path)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:4])
    except IsomatError as error:
        sys.exit(f"multiply.py: {error}")
