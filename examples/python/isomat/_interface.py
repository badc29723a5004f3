# SPDX-License-Identifier: MIT
"""Device memory of other libraries, as __cuda_array_interface__ tells of it."""
from typing import Any, NamedTuple, Optional

from ._host import BYTES, NAMES, rows_of, type_of

UNTOLD = -1  # the interface says nothing of streams: versions below 3, PyTorch


class DeviceMemory(NamedTuple):
    pointer: int
    rows: int
    cols: int
    ld: int
    type: int
    stream: Optional[int]  # whose work to wait for; None for none


def layout(
    shape: tuple[int, ...], strides: Optional[tuple[int, ...]], type: int
) -> tuple[int, int, int]:
    """(rows, cols, ld), strides in bytes. Refuses what is no matrix of isomat's."""
    if len(shape) == 1:
        shape, strides = (1, *shape), strides and (0, *strides)
    if len(shape) != 2:
        raise ValueError(f"an array of {len(shape)} dimensions, not of 2")
    found = rows_of(shape, strides, BYTES[type])
    if found is None:
        raise ValueError("rows are not contiguous: adopt the transpose and multiply with Op.T, or copy")
    return found


def read(array: Any, wanted: Optional[int]) -> DeviceMemory:
    """Refuses what is no matrix of isomat's."""
    try:
        interface = array.__cuda_array_interface__
    except AttributeError:
        raise TypeError(f"{type(array).__name__} has neither __dlpack__ nor __cuda_array_interface__") from None
    typestr = interface["typestr"]
    found = type_of(typestr, wanted)
    if found is None or (wanted is not None and found != wanted):
        name = NAMES[wanted] if wanted else "float32 or float16"
        raise TypeError(f"elements of {typestr!r} are not {name}")
    if interface.get("mask") is not None:
        raise ValueError("an array with a mask")
    pointer, readonly = interface["data"]
    if readonly:
        raise ValueError("an array that is read-only: isomat cannot promise not to write it")
    sizes = layout(tuple(interface["shape"]), interface.get("strides"), found)
    stream = interface.get("stream") if interface.get("version", 0) >= 3 else UNTOLD
    return DeviceMemory(pointer or 0, *sizes, found, stream)
