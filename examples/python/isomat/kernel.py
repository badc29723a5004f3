# SPDX-License-Identifier: MIT
"""Kernels of one's own: modules from fatbins, cubins or PTX, and launches."""
from __future__ import annotations

import ctypes
import functools
import struct
from ctypes import byref, c_int32, c_int64, c_uint64, c_void_p
from typing import TYPE_CHECKING, Any, Optional, Union

from . import _api
from ._library import check, fill, library, new, text
from ._object import Object, handle_of
from .matrix import Matrix

if TYPE_CHECKING:
    from .context import Stream

Size = Union[int, tuple[int, ...]]

FLOATS = {2: "<e", 4: "<f", 8: "<d"}


class Module(Object):
    """Device code that is loaded. Made by Context.load."""

    _kind = "module"

    def info(self) -> _api.isomat_module_info:
        """Which image was taken, how long it took, and whether it is a debug build."""
        return fill(_api.isomat_module_info(), library().isomat_module_get_info, self._handle)

    def report(self) -> str:
        """A line per image: what it is, and "taken" or the reason why not."""
        return text(library().isomat_module_get_report, self._handle)

    def log(self) -> str:
        """The JIT compiler's log of the load."""
        return text(library().isomat_module_get_log, self._handle)

    def __getitem__(self, name: str) -> Kernel:
        """A kernel by its name in the image: extern "C", or mangled."""
        return Kernel(new(library().isomat_kernel_get, self._handle, name.encode()))


class Kernel(Object):
    """Of a module, which it keeps."""

    _kind = "kernel"

    def info(self) -> _api.isomat_kernel_info:
        """What it needs, and whether it was built with -G."""
        return fill(_api.isomat_kernel_info(), library().isomat_kernel_get_info, self._handle)

    def occupancy(self, block_threads: int, shared_bytes: int = 0) -> int:
        """How many blocks of that size fit on one multiprocessor."""
        blocks = c_int32()
        check(library().isomat_kernel_get_occupancy(byref(blocks), self._handle, block_threads, shared_bytes))
        return blocks.value

    @functools.cached_property
    def parameter_bytes(self) -> Optional[list[int]]:
        """The size of each parameter; None if the driver cannot tell (below 12.4)."""
        count = self.info().parameter_count
        if count < 0:
            return None
        sizes, offset, size = [], c_int64(), c_int64()
        for index in range(count):
            check(library().isomat_kernel_get_parameter(byref(offset), byref(size), self._handle, index))
            sizes.append(size.value)
        return sizes

    def launch(self, grid: Size, block: Size, *arguments: Any, **options: Any) -> None:
        """Submits it once. As prepare."""
        self.prepare(grid, block, *arguments, **options)()

    def prepare(
        self,
        grid: Size,
        block: Size,
        *arguments: Any,
        shared_bytes: int = 0,
        cluster: Size = (0, 0, 0),
        cooperative: bool = False,
        stream: Optional[Stream] = None,
    ) -> Launch:
        """A launch that can be called again and again: grid of blocks, block of threads, and an argument for
        each parameter. A matrix, or an array with __cuda_array_interface__, is given as its address; an
        int or a float in the parameter's width (a floating-point parameter takes 2.0, not 2); a value of
        ctypes or a NumPy scalar as it is."""
        widths = self.parameter_bytes
        if widths is not None and len(widths) != len(arguments):
            widths = [8] * len(arguments)  # the library refuses the launch
        values = [_value(each, widths[i] if widths else None) for i, each in enumerate(arguments)]
        launch = _api.isomat_launch(ctypes.sizeof(_api.isomat_launch), *_triple(grid), *_triple(block))
        if cluster != (0, 0, 0):
            launch.cluster_x, launch.cluster_y, launch.cluster_z = _triple(cluster)
        launch.shared_bytes = _unsigned(shared_bytes)
        launch.cooperative = int(cooperative)
        launch.stream = handle_of(stream)
        return Launch(self, launch, values, arguments)


class Launch:
    """A kernel with all that it is launched with. Made by Kernel.prepare."""

    def __init__(self, kernel: Kernel, launch: _api.isomat_launch, values: list[Any], objects: Any) -> None:
        count = len(values)
        pointers = (c_void_p * count)(*map(ctypes.addressof, values))
        sizes = (c_int64 * count)(*map(ctypes.sizeof, values))
        self._kept = kernel, values, objects
        # Made to be called often: a function of its own, whose arguments need no conversion.
        self._function = library()["isomat_kernel_launch"]
        self._call = c_uint64(kernel.handle), byref(launch), byref(pointers), c_int32(count), byref(sizes)

    def __call__(self) -> None:
        """Submits the kernel."""
        status = self._function(*self._call)
        if status:
            check(status)


def _unsigned(value: int) -> int:
    if not 0 <= value < 2**32:
        raise OverflowError(f"{value} is not a number of 32 bits without a sign")
    return value


def _triple(size: Size) -> tuple[int, int, int]:
    sizes = (size,) if isinstance(size, int) else tuple(size)
    if not 1 <= len(sizes) <= 3:
        raise ValueError(f"a size of {len(sizes)} dimensions, not of 1 to 3")
    x, y, z = (_unsigned(each) for each in sizes + (1, 1, 1)[len(sizes) :])
    return x, y, z


def _value(argument: Any, width: Optional[int]) -> Any:
    """An argument as a value of ctypes; width is the parameter's, if that is known."""
    if isinstance(argument, Matrix):
        return ctypes.c_uint64(argument.pointer)
    if hasattr(argument, "__cuda_array_interface__"):
        return ctypes.c_uint64(argument.__cuda_array_interface__["data"][0] or 0)
    if isinstance(argument, (ctypes._SimpleCData, ctypes.Structure, ctypes.Array)):
        return argument
    if isinstance(argument, (int, float)):
        if width is None:
            raise TypeError("the driver does not tell the parameters' widths: give ctypes.c_int32(…) or the like")
        return _bytes(_number(argument, width))
    if hasattr(argument, "dtype") and hasattr(argument, "tobytes"):
        return _bytes(argument.tobytes())
    raise TypeError(f"{type(argument).__name__} is no argument of a kernel")


def _number(value: Union[int, float], width: int) -> bytes:
    if isinstance(value, int):
        return value.to_bytes(width, "little", signed=value < 0)
    if width not in FLOATS:
        raise TypeError(f"a float for a parameter of {width} bytes")
    return struct.pack(FLOATS[width], value)


def _bytes(data: bytes) -> Any:
    return ctypes.create_string_buffer(data, len(data))
