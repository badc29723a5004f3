# SPDX-License-Identifier: MIT
"""Host memory of others, as rows of elements: NumPy arrays, buffers, rows of numbers. NumPy is not needed."""
import array
import ctypes
from typing import Any, NamedTuple, Optional

from . import _api

F32, F16, BF16 = _api.ISOMAT_TYPE_F32, _api.ISOMAT_TYPE_F16, _api.ISOMAT_TYPE_BF16
F64 = _api.ISOMAT_TYPE_F64
BYTES = {F32: 4, F16: 2, BF16: 2, F64: 8}
NAMES = {F32: "float32", F16: "float16", BF16: "bfloat16", F64: "float64"}
# As __array_interface__ writes them; raw bfloat16 is unsigned, for want of a letter of its own.
TYPESTRS = {F32: "<f4", F16: "<f2", BF16: "<u2", F64: "<f8"}
FORMATS = {"f": "<f4", "e": "<f2", "H": "<u2", "d": "<f8"}
LETTERS = {F32: "f", F16: "H", BF16: "H", F64: "d"}  # that memoryview casts to


class HostMemory(NamedTuple):
    address: int
    rows: int
    cols: int
    ld: int
    type: int
    owner: Any  # keeps the memory


def rows_of(
    shape: tuple[int, ...], strides: Optional[tuple[int, ...]], item_bytes: int
) -> Optional[tuple[int, int, int]]:
    """(rows, cols, ld) of an array of two dimensions; None if its rows are not contiguous."""
    rows, cols = shape
    if strides is None or rows == 0 or cols == 0:
        return rows, cols, cols
    row_bytes = strides[0] if rows > 1 else cols * item_bytes
    if (cols > 1 and strides[1] != item_bytes) or row_bytes % item_bytes or row_bytes < cols * item_bytes:
        return None
    return rows, cols, row_bytes // item_bytes


def type_of(typestr: str, wanted: Optional[int]) -> Optional[int]:
    """The element type of a typestr; None if it is none of ours."""
    if typestr in (TYPESTRS[BF16], TYPESTRS[F64]):  # where they are asked for
        return wanted if wanted in TYPESTRS and typestr == TYPESTRS[wanted] else None
    return {TYPESTRS[F32]: F32, TYPESTRS[F16]: F16}.get(typestr)


def _bfloat16(array_like: Any) -> bool:
    return str(getattr(array_like, "dtype", "")) == NAMES[BF16]  # of ml_dtypes


def numpy_dtype(type: int) -> Any:
    """The dtype that holds a type in NumPy: for bfloat16 that of ml_dtypes if it is there, else uint16."""
    if type == BF16:
        try:
            import ml_dtypes  # noqa: PLC0415, optional

            return ml_dtypes.bfloat16
        except ImportError:
            return "uint16"
    return NAMES[type]


def _from_array(data: Any, wanted: Optional[int]) -> HostMemory:
    interface = data.__array_interface__
    typestr, shape = interface["typestr"], interface["shape"]
    if len(shape) != 2:
        raise ValueError(f"an array of {len(shape)} dimensions, not of 2")
    type = BF16 if _bfloat16(data) else type_of(typestr, wanted)
    layout = type and rows_of(shape, interface.get("strides"), BYTES[type])
    if type and layout:
        return HostMemory(interface["data"][0], *layout, type, data)
    if type is None and wanted is None:
        remedy = "type='bfloat16' to take them raw" if typestr == "<u2" else "type='float32' to convert them"
        raise TypeError(f"elements of {typestr!r}: give {remedy}")
    import numpy  # noqa: PLC0415, optional

    # bfloat16 of other types goes by way of float32: the device rounds it.
    dtype = data.dtype if type else NAMES[wanted if wanted in (F16, F64) else F32]
    return _from_array(numpy.ascontiguousarray(data, dtype), wanted)


def _from_buffer(view: Any, wanted: Optional[int], shape: Optional[tuple[int, int]]) -> HostMemory:
    letter = view.format.lstrip("@=<")
    # 'H' is the raw form of both 16-bit types: memoryview itself cannot cast to 'e'.
    type = wanted if letter == "H" and wanted == F16 else type_of(FORMATS.get(letter, ""), wanted)
    if type is None:
        raise TypeError(f"elements of format {view.format!r}: not 'f', 'e', or 'H' with a type of 16 bits")
    shape = shape or view.shape
    if shape is None or len(shape) != 2:
        raise ValueError(f"a buffer of {view.ndim} dimensions: give its shape, (rows, cols)")
    rows, cols = shape
    if rows < 0 or cols < 0 or rows * cols * view.itemsize != view.nbytes:
        raise ValueError(f"a buffer of {view.nbytes} bytes is not {rows} x {cols} of {view.itemsize} bytes")
    if view.nbytes == 0:
        return HostMemory(0, rows, cols, cols, type, view)
    if view.readonly or not view.c_contiguous:
        view = memoryview(bytearray(view.tobytes()))
    anchor = (ctypes.c_char * view.nbytes).from_buffer(view)
    return HostMemory(ctypes.addressof(anchor), rows, cols, cols, type, anchor)


def _from_numbers(rows: Any, wanted: Optional[int]) -> HostMemory:
    lists = [list(row) for row in rows]
    cols = len(lists[0]) if lists else 0
    if any(len(row) != cols for row in lists):
        raise ValueError("rows of different lengths")
    type = F64 if wanted == F64 else F32
    flat = array.array(LETTERS[type], (value for row in lists for value in row))
    return HostMemory(flat.buffer_info()[0], len(lists), cols, cols, type, flat)


def read(data: Any, wanted: Optional[int], shape: Optional[tuple[int, int]] = None) -> HostMemory:
    """Memory to upload from. Its type is not always the wanted one: the device converts."""
    if shape is not None and hasattr(data, "reshape"):
        data, shape = data.reshape(shape), None
    if hasattr(data, "__array_interface__"):
        return _from_array(data, wanted)
    if isinstance(data, (list, tuple)):
        if shape is not None:
            raise TypeError("rows of numbers have a shape of their own")
        return _from_numbers(data, wanted)
    return _from_buffer(memoryview(data), wanted, shape)


def destination(out: Any, rows: int, cols: int, type: int) -> HostMemory:
    """Memory to download to: of that very shape and type, writable, its rows contiguous."""
    what = f"{rows} x {cols} of {NAMES[type]}"
    if hasattr(out, "__array_interface__"):
        interface = out.__array_interface__
        found = BF16 if _bfloat16(out) else type_of(interface["typestr"], type)
        layout = None
        if found == type and tuple(interface["shape"]) == (rows, cols) and not interface["data"][1]:
            layout = rows_of((rows, cols), interface.get("strides"), BYTES[type])
        if layout is None:
            raise ValueError(f"out is not a writable array of {what} with contiguous rows")
        return HostMemory(interface["data"][0], *layout, type, out)
    view = memoryview(out)
    letters = LETTERS[type] + ("eB" if type == F16 else "B")
    fits = view.nbytes == rows * cols * BYTES[type] and view.format.lstrip("@=<") in letters
    if view.readonly or not view.c_contiguous or not fits:
        raise ValueError(f"out is not a writable buffer for {what}")
    return _from_buffer(view.cast("B").cast(LETTERS[type]), type, (rows, cols))
