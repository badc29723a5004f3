# SPDX-License-Identifier: MIT
"""Contexts, streams and events; the driver and its devices."""
import contextlib
import ctypes
import functools
import os
from ctypes import byref
from typing import Any, Iterator, Optional, Union

from . import _api, _dlpack, _interface
from ._library import check, fill, library, new
from ._object import Object, handle_of
from .kernel import Module
from .matrix import Matrix, Type


def driver_info() -> _api.isomat_driver_info:
    """The driver in use; opens it."""
    return fill(_api.isomat_driver_info(), library().isomat_driver_get_info)


def device_count() -> int:
    """How many devices the driver sees."""
    count = ctypes.c_int32()
    check(library().isomat_device_count(byref(count)))
    return count.value


def device_info(device: int = 0) -> _api.isomat_device_info:
    """About a device; its name is bytes, as all text in a struct of ctypes."""
    return fill(_api.isomat_device_info(), library().isomat_device_get_info, device)


class Stream(Object):
    """Work in order. Made by Context.stream."""

    _kind = "stream"

    def synchronize(self) -> None:
        """Waits for its work."""
        check(library().isomat_stream_synchronize(self._handle))

    def done(self) -> bool:
        """Whether its work is done."""
        return _is_ready(library().isomat_stream_query(self._handle))

    def wait(self, event: "Event") -> None:
        """Makes later work of this stream wait for the event."""
        check(library().isomat_stream_wait(self._handle, event.handle))

    @property
    def native(self) -> int:
        """The CUstream, for other libraries."""
        return new(library().isomat_stream_get_native, self._handle)


class Event(Object):
    """A point in a stream. Made by Context.event."""

    _kind = "event"

    def record(self, stream: Optional[Stream] = None) -> None:
        """Records the present end of a stream; of the context's default one if there is none."""
        check(library().isomat_event_record(self._handle, handle_of(stream)))

    def synchronize(self) -> None:
        """Waits for it."""
        check(library().isomat_event_synchronize(self._handle))

    def done(self) -> bool:
        """Whether it has happened or was never recorded."""
        return _is_ready(library().isomat_event_query(self._handle))

    def elapsed_since(self, start: "Event") -> float:
        """Milliseconds on the device's clock."""
        milliseconds = ctypes.c_double()
        check(library().isomat_event_elapsed(byref(milliseconds), start.handle, self._handle))
        return milliseconds.value


class Graph(Object):
    """A captured sequence of operations, launched as a whole. Made by Context.capture."""

    _kind = "graph"

    def launch(self, stream: Optional[Stream] = None) -> None:
        """Submits it, to the context's default stream if there is none."""
        check(library().isomat_graph_launch(self._handle, handle_of(stream)))

    def info(self) -> _api.isomat_graph_info:
        """How many operations a launch runs, and the memory that they need."""
        return fill(_api.isomat_graph_info(), library().isomat_graph_get_info, self._handle)


def _is_ready(status: int) -> bool:
    if status == _api.ISOMAT_ERROR_NOT_READY:
        return False
    check(status)
    return True


class Context(Object):
    """A device in use, and the maker of everything else."""

    _kind = "context"

    def __init__(self, device: int = 0, *, own: bool = False) -> None:
        """The device's primary context, which PyTorch and CuPy use too, or a new one of its own."""
        kind = _api.ISOMAT_CONTEXT_OWN if own else _api.ISOMAT_CONTEXT_PRIMARY
        super().__init__(new(library().isomat_context_create, device, kind))

    @classmethod
    def from_native(cls, cu_context: int) -> "Context":
        """Borrows a CUcontext, given as a number, which has to outlive this object."""
        context = cls.__new__(cls)
        Object.__init__(context, new(library().isomat_context_adopt, cu_context, _api.ISOMAT_ADOPT_BORROW))
        return context

    def close(self) -> None:
        _dlpack.collect()
        super().close()
        self.__dict__.pop("_default_stream", None)  # it would keep the context in the library

    @functools.cached_property
    def _default_stream(self) -> Stream:
        """As an object: isomat.h names it ISOMAT_NONE."""
        return self.adopt_stream(self.info().cu_stream)

    def synchronize(self) -> None:
        """Waits for all of its work. Then gives back what others were lent and have let go of."""
        check(library().isomat_context_synchronize(self._handle))
        _dlpack.collect()

    def info(self) -> _api.isomat_context_info:
        """Its device, native handles and memory."""
        return fill(_api.isomat_context_info(), library().isomat_context_get_info, self._handle)

    def stream(self, priority: int = 0) -> Stream:
        """A stream that runs beside the others."""
        return Stream(new(library().isomat_stream_create, self._handle, priority))

    def adopt_stream(self, cu_stream: int) -> Stream:
        """Borrows a CUstream of this context, given as a number."""
        create = library().isomat_stream_adopt
        return Stream(new(create, self._handle, cu_stream, _api.ISOMAT_ADOPT_BORROW))

    def event(self, timing: bool = True) -> Event:
        """An event; without timing it is cheaper and only gives order."""
        return Event(new(library().isomat_event_create, self._handle, int(timing)))

    @contextlib.contextmanager
    def capture(self, stream: Optional[Stream] = None) -> Iterator[Graph]:
        """Captures what the block submits to the stream, by default the context's own, in place of running
        it; the graph can be launched behind the block. Results must be there before: gemm(…, out=c)."""
        place = self._handle, handle_of(stream)
        check(library().isomat_graph_begin(*place))
        graph = Graph(_api.ISOMAT_NONE)
        try:
            yield graph
        except BaseException:
            Graph(new(library().isomat_graph_end, *place)).close()
            raise
        graph._handle = new(library().isomat_graph_end, *place)

    def matrix(
        self,
        data: Any,
        type: Union[Type, str, None] = None,
        *,
        shape: Optional[tuple[int, int]] = None,
        stream: Optional[Stream] = None,
    ) -> Matrix:
        """A matrix with the elements of data: a NumPy array or another buffer of two dimensions, a flat
        buffer with its shape, or rows of numbers. By default of data's type; of numbers, float32."""
        return Matrix._from_host(self, data, type, shape, stream)

    def empty(
        self, rows: int, cols: int, type: Union[Type, str] = Type.F32, *, stream: Optional[Stream] = None
    ) -> Matrix:
        """A matrix whose elements are undefined."""
        return Matrix._create(self, rows, cols, Type.of(type), stream)

    def full(
        self,
        rows: int,
        cols: int,
        value: float,
        type: Union[Type, str] = Type.F32,
        *,
        stream: Optional[Stream] = None,
    ) -> Matrix:
        """A matrix of equal elements."""
        matrix = self.empty(rows, cols, type, stream=stream)
        matrix.fill(value, stream=stream)
        return matrix

    def adopt(self, array: Any, type: Union[Type, str, None] = None) -> Matrix:
        """The memory of any object with __dlpack__ or __cuda_array_interface__ (CuPy, PyTorch, JAX, Numba, …)
        as a matrix, with no copy. One dimension is a single row. The object is kept while the matrix or a
        view of it is, and let go of when the context's work is done. Whoever writes the memory calls
        modified() if the matrix was prepared. A type is needed for bfloat16 where others call it uint16."""
        if hasattr(array, "__dlpack__"):
            return Matrix._adopt(self, *_dlpack.read(array, None if type is None else Type.of(type), self))
        found = _interface.read(array, None if type is None else Type.of(type))
        if found.stream == _interface.UNTOLD:
            self.synchronize()
        elif found.stream is not None:
            self._wait_for(found.stream)
        return Matrix._adopt(self, found, array)

    def _wait_for(self, cu_stream: int) -> None:
        """Makes this context's default stream wait for another library's."""
        with self.adopt_stream(cu_stream) as theirs, self.event(timing=False) as event:
            event.record(theirs)
            self._default_stream.wait(event)

    def load(self, image: Union[str, "os.PathLike[str]", bytes, bytearray, memoryview]) -> Module:
        """A module from a file, or from the bytes of a fatbin, cubin or PTX."""
        if isinstance(image, (bytes, bytearray, memoryview)):
            data = bytes(image)
            return Module(new(library().isomat_module_load_data, self._handle, data, len(data)))
        return Module(new(library().isomat_module_load_file, self._handle, os.fsencode(image)))

    def load_embedded(self, name: str) -> Module:
        """One of the modules in the library: "gemm_f32"."""
        return Module(new(library().isomat_module_load_embedded, self._handle, name.encode()))
