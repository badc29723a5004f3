# SPDX-License-Identifier: MIT
"""Matrices in device memory, row-major, and their product."""
from __future__ import annotations

import array
import functools
import operator
from ctypes import byref, c_double, c_uint64
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Optional, Union

from . import _api, _dlpack, _host
from ._interface import DeviceMemory
from ._library import check, fill, library, new
from ._object import Object, handle_of

if TYPE_CHECKING:
    from .context import Context, Stream


class Type(IntEnum):
    """Of the elements."""

    F32 = _api.ISOMAT_TYPE_F32
    F16 = _api.ISOMAT_TYPE_F16
    BF16 = _api.ISOMAT_TYPE_BF16
    F64 = _api.ISOMAT_TYPE_F64

    @classmethod
    def of(cls, name: Union[Type, str]) -> Type:
        """From a type, or from "float32", "float16", "bfloat16" or "float64"."""
        for type in cls:
            if name in (type, _host.NAMES[type]):
                return type
        raise TypeError(f"{name!r} is not float32, float16, bfloat16 or float64")


class Op(IntEnum):
    """How a product takes an operand."""

    N = _api.ISOMAT_OP_N  # as it is
    T = _api.ISOMAT_OP_T  # its transpose


class Operand(IntEnum):
    """Which operand of a product, for Matrix.prepare."""

    A = _api.ISOMAT_OPERAND_A
    B = _api.ISOMAT_OPERAND_B


class Compute(IntEnum):
    """How a product is computed; docs/NUMERICS.md tells what each promises."""

    F32 = _api.ISOMAT_COMPUTE_F32
    F32_STRICT = _api.ISOMAT_COMPUTE_F32_STRICT
    TF32 = _api.ISOMAT_COMPUTE_TF32
    F16 = _api.ISOMAT_COMPUTE_F16
    BF16 = _api.ISOMAT_COMPUTE_BF16
    F64 = _api.ISOMAT_COMPUTE_F64


USUAL_COMPUTE = {type: Compute[type.name] for type in Type}


def _size(value: Any) -> int:
    """A size; ctypes would cut a larger one to 64 bits."""
    size = operator.index(value)
    if not -(2**63) <= size < 2**63:
        raise OverflowError(f"a size of {size}")
    return size


class _Lender:
    """Memory of another library, kept while a matrix needs it. It may be used again as soon as it is let
    go of, so that isomat's work on it has to be done by then."""

    def __init__(self, owner: Any, context: Context) -> None:
        self._owner = owner
        self._context = context
        self._stream = context._default_stream
        self._synchronize = library().isomat_context_synchronize
        self._synchronize_stream = library().isomat_stream_synchronize

    def __del__(self) -> None:
        # A context that is closed cannot be waited for, but may still be at work.
        if self._synchronize(self._context.handle) != _api.ISOMAT_OK:
            self._synchronize_stream(self._stream.handle)


class Matrix(Object):
    """Made by Context.matrix, empty, full and adopt, by slices, and by products."""

    _kind = "matrix"
    _lender: Optional[_Lender] = None
    # NumPy's arrays leave array @ matrix to __rmatmul__, which is not there: a TypeError, and no copy by stealth.
    __array_ufunc__ = None

    def __init__(self, handle: int, context: Context) -> None:
        super().__init__(handle)
        self.context = context

    @classmethod
    def _create(cls, context: Context, rows: int, cols: int, type: Type, stream: Optional[Stream]) -> Matrix:
        create = library().isomat_matrix_create
        return cls(new(create, context.handle, _size(rows), _size(cols), type, handle_of(stream)), context)

    @classmethod
    def _from_host(
        cls,
        context: Context,
        data: Any,
        type: Union[Type, str, None],
        shape: Optional[tuple[int, int]],
        stream: Optional[Stream],
    ) -> Matrix:
        wanted = None if type is None else Type.of(type)
        host = _host.read(data, wanted, shape)
        create, here = library().isomat_matrix_from_host, handle_of(stream)
        sizes = host.rows, host.cols, host.ld
        matrix = cls(new(create, context.handle, host.address, *sizes, host.type, here), context)
        return matrix if wanted in (None, host.type) else matrix.astype(wanted, stream=stream)

    @classmethod
    def _adopt(cls, context: Context, memory: DeviceMemory, owner: Any) -> Matrix:
        pointer, rows, cols, ld, type, _ = memory
        if rows == 0 or cols == 0:
            return cls._create(context, rows, cols, Type(type), None)
        adopt, borrow = library().isomat_matrix_adopt, _api.ISOMAT_ADOPT_BORROW
        matrix = cls(new(adopt, context.handle, pointer, rows, cols, ld, type, borrow), context)
        matrix._lender = _Lender(owner, context)
        return matrix

    def close(self) -> None:
        super().close()
        self._lender = None

    # ------------------------------------------------------------------------------------ what it is

    @functools.cached_property
    def _info(self) -> _api.isomat_matrix_info:
        return fill(_api.isomat_matrix_info(), library().isomat_matrix_get_info, self._handle)

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, cols)"""
        return self._info.rows, self._info.cols

    @property
    def ld(self) -> int:
        """The leading dimension: elements from a row to the next."""
        return int(self._info.ld)

    @functools.cached_property
    def type(self) -> Type:
        """Of its elements."""
        return Type(self._info.type)

    @functools.cached_property
    def _usual_compute(self) -> int:
        return int(USUAL_COMPUTE[self.type])

    @functools.cached_property
    def _value(self) -> c_uint64:
        """The handle, as ctypes passes it; only ever read."""
        return c_uint64(self._handle)

    @property
    def pointer(self) -> int:
        """The device address of element (0, 0), 0 if it is empty. Others may write there from now on, so
        that no form of the matrix is kept by itself any more."""
        return new(library().isomat_matrix_get_pointer, self._handle)

    def __getitem__(self, place: tuple[slice, slice]) -> Matrix:
        """A view: m[0:2, 1:3]. It shares the elements."""
        if not (isinstance(place, tuple) and len(place) == 2 and all(isinstance(each, slice) for each in place)):
            raise TypeError("a view takes two slices: m[0:2, 1:3]")
        (row, row_end, row_step), (col, col_end, col_step) = (
            each.indices(size) for each, size in zip(place, self.shape)
        )
        if (row_step, col_step) != (1, 1):
            raise ValueError("a view has every row and column: the step is 1")
        sizes = row, col, max(row_end - row, 0), max(col_end - col, 0)
        view = type(self)(new(library().isomat_matrix_view, self._handle, *sizes), self.context)
        view._lender = self._lender
        return view

    # --------------------------------------------------------------------------------- to and fro

    def upload(self, data: Any, *, stream: Optional[Stream] = None) -> None:
        """Copies host memory of the same shape and type into it."""
        host = _host.read(data, self.type, None)
        if (host.rows, host.cols) != self.shape or host.type != self.type:
            raise ValueError(
                f"{host.rows} x {host.cols} of {_host.NAMES[host.type]} into"
                f" {self.shape[0]} x {self.shape[1]} of {_host.NAMES[self.type]}"
            )
        check(library().isomat_matrix_upload(self._handle, host.address, host.ld, handle_of(stream)))

    def download(self, out: Any, *, stream: Optional[Stream] = None) -> None:
        """Copies it to a writable array or buffer of the same shape and type, and waits for that."""
        host = _host.destination(out, *self.shape, self.type)
        check(library().isomat_matrix_to_host(host.address, host.ld, self._handle, handle_of(stream)))

    def numpy(self) -> Any:
        """A NumPy array; bfloat16 as ml_dtypes has it, else as raw uint16."""
        import numpy  # noqa: PLC0415, optional

        result = numpy.empty(self.shape, _host.numpy_dtype(self.type))
        self.download(result)
        return result

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> Any:
        if copy is False:
            raise ValueError("device memory cannot become a NumPy array without a copy")
        result = self.numpy()
        return result if dtype is None else result.astype(dtype, copy=False)

    def tolist(self) -> list[list[float]]:
        """Its rows, as Python's numbers."""
        if self.type not in (Type.F32, Type.F64):
            with self.astype(Type.F32) as wide:
                return wide.tolist()
        rows, cols = self.shape
        flat = array.array(_host.LETTERS[self.type], bytes(_host.BYTES[self.type] * rows * cols))
        self.download(flat)
        return [flat[row * cols : (row + 1) * cols].tolist() for row in range(rows)]

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """For CuPy, PyTorch, Numba, …: no copy. Waits for the context's work, since PyTorch does not
        heed streams. bfloat16 is given as raw uint16. The matrix has to outlive what is made of it;
        those libraries keep it. Order of later work on both sides is the caller's."""
        rows, cols = self.shape
        item = _host.BYTES[self.type]
        pointer = self.pointer
        self.context.synchronize()
        return {
            "shape": (rows, cols),
            "typestr": _host.TYPESTRS[self.type],
            "data": (pointer, False),
            "strides": None if self.ld == cols else (self.ld * item, item),
            "version": 3,
            "stream": None,
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        """(2, the device): CUDA."""
        return _dlpack.device(self.context)

    def __dlpack__(
        self,
        *,
        stream: Optional[int] = None,
        max_version: Optional[tuple[int, int]] = None,
        dl_device: Optional[tuple[int, int]] = None,
        copy: Optional[bool] = None,
    ) -> Any:
        """A capsule for CuPy, PyTorch, JAX, …: no copy. Waits for the context's work, unless stream is -1. What
        is made of it keeps the memory; that is given back by a later export or synchronize. Order of later
        work on both sides is the caller's."""
        if copy or dl_device not in (None, self.__dlpack_device__()):
            raise BufferError("a matrix is lent where it is, and not copied")
        return _dlpack.capsule(self, stream)

    # ------------------------------------------------------------------------------- on the device

    def fill(self, value: float, *, stream: Optional[Stream] = None) -> None:
        """Sets every element."""
        check(library().isomat_matrix_fill(self._handle, value, handle_of(stream)))

    def copy_from(self, source: Matrix, *, stream: Optional[Stream] = None) -> None:
        """Copies the elements of a matrix of this shape, rounded where the type is shorter."""
        check(library().isomat_matrix_copy(self._handle, source.handle, handle_of(stream)))

    def astype(self, type: Union[Type, str], *, stream: Optional[Stream] = None) -> Matrix:
        """A copy with elements of another type."""
        result = self._create(self.context, *self.shape, Type.of(type), stream)
        result.copy_from(self, stream=stream)
        return result

    def prepare(
        self, operand: Operand, op: Op = Op.N, compute: Optional[Compute] = None, *, stream: Optional[Stream] = None
    ) -> None:
        """Makes now, and keeps, what products would make of it as that operand. See isomat.h, KEPT FORMS."""
        mode = self._usual_compute if compute is None else compute
        check(library().isomat_matrix_prepare(self._handle, operand, op, mode, handle_of(stream)))

    def modified(self) -> None:
        """Tells that it was written other than through isomat: prepared forms are dropped."""
        check(library().isomat_matrix_modified(self._handle))

    def __matmul__(self, other: Matrix) -> Matrix:
        return gemm(self, other) if isinstance(other, Matrix) else NotImplemented


def gemm(
    a: Matrix,
    b: Matrix,
    out: Optional[Matrix] = None,
    *,
    op_a: Op = Op.N,
    op_b: Op = Op.N,
    alpha: float = 1.0,
    beta: float = 0.0,
    compute: Optional[Compute] = None,
    stream: Optional[Stream] = None,
) -> Matrix:
    """alpha * op_a(a) * op_b(b) + beta * out, written to out and returned; without out to a new matrix of
    a's type. compute is by default the mode of a's type. Submitted, and not waited for."""
    # Made to be called often: a function without argtypes, and values that are of their C type already.
    if not (isinstance(a, Matrix) and isinstance(b, Matrix)):
        raise TypeError(f"{type(a).__name__} times {type(b).__name__}, not matrices of isomat")
    mode = a._usual_compute if compute is None else compute
    here = _DEFAULT_STREAM if stream is None else c_uint64(stream.handle)
    slot = c_uint64() if out is None else out._value
    status = _raw_gemm()(
        byref(slot), c_double(alpha), a._value, op_a, b._value, op_b, c_double(beta), mode, here
    )
    if status:
        check(status)
    return Matrix(slot.value, a.context) if out is None else out


_DEFAULT_STREAM = c_uint64(_api.ISOMAT_NONE)


@functools.lru_cache(maxsize=None)
def _raw_gemm() -> Any:
    return library()["isomat_gemm"]
