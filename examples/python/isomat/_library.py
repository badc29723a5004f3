# SPDX-License-Identifier: MIT
"""Opens the shared library, once for the process, and turns statuses into exceptions."""
import ctypes
import functools
import os
from ctypes import byref, c_uint64
from typing import Any, TypeVar

from . import _api

NAME = "libisomat.so.0"
Filled = TypeVar("Filled", bound=ctypes.Structure)
WRITTEN_FOR = (_api.ISOMAT_VERSION_MAJOR, _api.ISOMAT_VERSION_MINOR, _api.ISOMAT_VERSION_PATCH)


class Error(Exception):
    """A call failed. The text is the library's one line; status is its ISOMAT_ERROR_..."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status

    def __reduce__(self) -> tuple[Any, ...]:  # the default would pass the message alone
        return type(self), (self.status, str(self))

    @property
    def name(self) -> str:
        """The status by name: "ISOMAT_ERROR_ALIAS"."""
        return str(library().isomat_status_name(self.status), "ascii")


class LibraryError(Error):
    """The library could not be opened, or is too old for this binding; status is 0."""

    def __init__(self, message: str) -> None:
        super().__init__(_api.ISOMAT_OK, message)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self),)

    @property
    def name(self) -> str:
        return ""


def _text(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


def _check_version(number: int, path: str) -> None:
    """Functions are only added within a major version."""
    found = number // 1000000, number // 1000 % 1000, number % 1000
    if found[0] != WRITTEN_FOR[0] or found < WRITTEN_FOR:
        raise LibraryError(
            f"{path} is version {_text(found)}, this binding needs {_text(WRITTEN_FOR)} or later,"
            f" below {WRITTEN_FOR[0] + 1}.0.0"
        )


@functools.lru_cache(maxsize=None)
def library() -> ctypes.CDLL:
    """The library that ISOMAT_LIBRARY names, else the installed one. It is never closed."""
    path = os.environ.get("ISOMAT_LIBRARY") or NAME
    try:
        opened = ctypes.CDLL(path)
    except OSError as error:
        raise LibraryError(str(error)) from None
    try:
        opened.isomat_version.restype = ctypes.c_int32
        _check_version(opened.isomat_version(), path)
        for name, (result, parameters) in _api.PROTOTYPES.items():
            function = getattr(opened, name)
            function.restype = result
            function.argtypes = parameters
    except AttributeError as error:
        raise LibraryError(f"{path} is not isomat {_text(WRITTEN_FOR)}: {error}") from None
    return opened


def check(status: int) -> None:
    """Raises what the calling thread's last failure was, if the status is one."""
    if status != _api.ISOMAT_OK:
        raise Error(status, library().isomat_error_message().decode(errors="replace"))


def new(function: Any, *arguments: Any) -> int:
    """Calls a function that writes a handle or an address first, and gives that."""
    value = c_uint64()
    check(function(byref(value), *arguments))
    return value.value


def fill(struct: Filled, function: Any, *arguments: Any) -> Filled:
    """Calls a function that fills a struct, and gives that."""
    setattr(struct, "struct_size", ctypes.sizeof(struct))  # noqa: B010, every struct of isomat.h has it
    check(function(byref(struct), *arguments))
    return struct


def text(function: Any, *arguments: Any) -> str:
    """Calls a function that copies a text whose length it tells."""
    length = ctypes.c_int64()
    check(function(None, 0, byref(length), *arguments))
    buffer = ctypes.create_string_buffer(length.value + 1)
    check(function(buffer, len(buffer), None, *arguments))
    return buffer.value.decode(errors="replace")


def version() -> str:
    """The version of the library in use."""
    return str(library().isomat_version_string(), "ascii")


def live_objects() -> int:
    """How many objects of isomat exist in this process."""
    return int(library().isomat_live_objects())
