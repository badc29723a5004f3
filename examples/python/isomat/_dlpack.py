# SPDX-License-Identifier: MIT
"""DLPack: device memory of other libraries for isomat, and isomat's for them, without a copy."""
from __future__ import annotations

import ctypes
import sys
import threading
from ctypes import Structure, c_int32, c_int64, c_uint8, c_uint16, c_uint64, c_void_p, py_object
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

from . import _api, _interface
from ._host import BF16, BYTES, F16, F32, NAMES
from ._interface import DeviceMemory
from ._library import library, new

if TYPE_CHECKING:
    from .context import Context
    from .matrix import Matrix

CUDA, CUDA_MANAGED = 2, 13
UNSIGNED, FLOAT, BFLOAT = 1, 2, 4
TYPES = {(FLOAT, 32): F32, (FLOAT, 16): F16, (BFLOAT, 16): BF16}
ALREADY_ORDERED = -1  # as a stream: there is nothing to wait for


class _Managed(Structure):
    """DLManagedTensor, flat; it has the same layout as its nested structs."""

    _fields_ = [
        ("data", c_uint64),
        ("device_type", c_int32),
        ("device_id", c_int32),
        ("ndim", c_int32),
        ("code", c_uint8),
        ("bits", c_uint8),
        ("lanes", c_uint16),
        ("shape", c_uint64),
        ("strides", c_uint64),
        ("byte_offset", c_uint64),
        ("manager", c_uint64),
        ("deleter", c_void_p),
    ]


def _python(name: str, result: Any, *parameters: Any) -> Any:
    """A function of Python's own."""
    return ctypes.PYFUNCTYPE(result, *parameters)((name, ctypes.pythonapi))


_capsule_new = _python("PyCapsule_New", py_object, c_void_p, c_void_p, c_void_p)
_capsule_is_valid = _python("PyCapsule_IsValid", ctypes.c_int, py_object, c_void_p)
_capsule_pointer = _python("PyCapsule_GetPointer", c_void_p, py_object, c_void_p)
_capsule_set_name = _python("PyCapsule_SetName", ctypes.c_int, py_object, c_void_p)
_allocate = _python("PyMem_RawCalloc", c_void_p, ctypes.c_size_t, ctypes.c_size_t)
_free = _python("PyMem_RawFree", None, c_void_p)
_DELETER = ctypes.PYFUNCTYPE(None, c_void_p)


def _text_for_ever(text: bytes) -> int:
    """The address of a text: a capsule does not copy its name, and may outlive this module."""
    address: int = _allocate(1, len(text) + 1)
    ctypes.memmove(address, text, len(text))
    return address


_NAME, _USED_NAME = _text_for_ever(b"dltensor"), _text_for_ever(b"used_dltensor")


# -------------------------------------------------------------------------------------- theirs for us


class Borrowed:
    """What a capsule held. Told that it is no longer needed when this is dropped."""

    _struct, _function = _Managed, _DELETER  # modules may be gone before the last object
    _collect: Any = None  # set below
    _address = 0

    def __init__(self, capsule: Any) -> None:
        address = _capsule_pointer(capsule, _NAME)  # a ValueError if another has taken it
        _capsule_set_name(capsule, _USED_NAME)
        self._address = address
        self.tensor = _Managed.from_address(address)

    def __del__(self) -> None:
        address, self._address = self._address, 0
        if address:
            deleter = self._struct.from_address(address).deleter
            if deleter:
                self._function(deleter)(address)
            self._collect()  # it may have been isomat's own


def read(array: Any, wanted: Optional[int], context: Context) -> tuple[DeviceMemory, Borrowed]:
    """The context's default stream waits for the other library's, by way of that. Refuses what is no matrix."""
    info = context.info()
    kind, device = map(int, array.__dlpack_device__())
    if kind not in (CUDA, CUDA_MANAGED):
        raise TypeError(f"{type(array).__name__} is not in memory of a CUDA device: Context.matrix copies it there")
    if device != info.device:
        raise ValueError(f"an array of device {device} for a context of device {info.device}")
    borrowed = Borrowed(array.__dlpack__(stream=info.cu_stream))
    tensor = borrowed.tensor
    found = TYPES.get((tensor.code, tensor.bits))
    if wanted == BF16 and (tensor.code, tensor.bits) == (UNSIGNED, 16):
        found = BF16  # raw
    if found is None or tensor.lanes != 1 or wanted not in (None, found):
        name = NAMES[wanted] if wanted else "float32, float16 or bfloat16"
        raise TypeError(f"elements of {tensor.bits} bits, kind {tensor.code}, are not {name}")
    shape = tuple((c_int64 * tensor.ndim).from_address(tensor.shape)) if tensor.ndim > 0 else ()
    strides = None
    if tensor.strides and shape:
        strides = tuple(each * BYTES[found] for each in (c_int64 * tensor.ndim).from_address(tensor.strides))
    layout = _interface.layout(shape, strides, found)
    return DeviceMemory(tensor.data + tensor.byte_offset, *layout, found, None), borrowed


# -------------------------------------------------------------------------------------- ours for them
# The other library calls the deleter when it likes: in the middle of an exception, without Python's lock, after
# Python has ended. Nothing written in Python could run there, so the deleter is a function of C that takes one
# pointer and clears what is there: sigemptyset. What was cleared is found, and given back, by collect().


class _Block(Structure):
    _fields_ = [
        ("managed", _Managed),
        ("padding", c_uint64 * 24),  # sigemptyset may clear 128 bytes and more
        ("shape", c_int64 * 2),
        ("strides", c_int64 * 2),
    ]


_CLEAR = ctypes.CDLL(None).sigemptyset


def _words_cleared() -> int:
    """How many 64-bit words sigemptyset clears."""
    words = (c_uint64 * 32)(*[1] * 32)
    _CLEAR(ctypes.byref(words))
    return words[:].index(1)


_WORDS = _words_cleared()
_BYTE_OFFSET = _Managed.byte_offset.offset // 8  # the one word that is 0 all the time


class _Export(NamedTuple):
    block: int
    view: int  # keeps the storage
    context: Context
    capsule: list[Any]  # the one, until it is taken

    def is_cleared(self) -> bool:
        """Whether the deleter has run, and to its end."""
        words = (c_uint64 * _WORDS).from_address(self.block)
        return not any(word for index, word in enumerate(words) if index != _BYTE_OFFSET)

    def is_forgotten(self) -> bool:
        """Whether nobody can take the capsule any more."""
        if self.capsule and not _capsule_is_valid(self.capsule[0], _NAME):
            self.capsule.clear()
        return bool(self.capsule) and _references(self.capsule) == _NO_OTHERS

    def end(self) -> None:
        """Gives all back, when the work on the device is done. Handles that are stale by now do not matter."""
        library().isomat_context_synchronize(self.context.handle)
        library().isomat_matrix_destroy(self.view)
        _free(self.block)


def _references(one: list[Any]) -> int:
    return sys.getrefcount(one[0])


_NO_OTHERS = _references([object()])
_exports: list[_Export] = []
_lock = threading.Lock()


def collect() -> None:
    """Gives back what others have let go of."""
    if not _exports or not _lock.acquire(blocking=False):  # who has the lock collects
        return
    try:
        ended = [each for each in _exports if each.is_cleared() or each.is_forgotten()]
        for each in ended:
            _exports.remove(each)
    finally:
        _lock.release()
    for each in ended:
        each.end()


Borrowed._collect = staticmethod(collect)


def device(context: Context) -> tuple[int, int]:
    """Of __dlpack_device__."""
    return CUDA, context.info().device


def capsule(matrix: Matrix, stream: Optional[int]) -> Any:
    """Of __dlpack__. Waits for the context's work, which then precedes that on any stream."""
    rows, cols = matrix.shape
    pointer = matrix.pointer
    if stream != ALREADY_ORDERED:
        matrix.context.synchronize()
    collect()
    kind, index = device(matrix.context)
    view = new(library().isomat_matrix_view, matrix.handle, 0, 0, rows, cols)
    address: int = _allocate(1, ctypes.sizeof(_Block))
    block = _Block.from_address(address)
    block.shape[:], block.strides[:], block.padding[:] = (rows, cols), (matrix.ld, 1), [1] * 24
    code, bits = next(key for key, type in TYPES.items() if type == matrix.type)
    block.managed = _Managed(
        pointer, kind, index, 2, code, bits, 1, address + _Block.shape.offset, address + _Block.strides.offset,
        0, address, ctypes.cast(_CLEAR, c_void_p),
    )  # fmt: skip
    result = _capsule_new(address, _NAME, None)
    with _lock:
        _exports.append(_Export(address, view, matrix.context, [result]))
    return result
