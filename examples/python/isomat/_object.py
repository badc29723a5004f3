# SPDX-License-Identifier: MIT
"""What every object of isomat has: a handle, and an end."""
from typing import Any, Optional, TypeVar

from . import _api
from ._library import check, library

Self = TypeVar("Self", bound="Object")


class Object:
    """Closed by close(), at the end of a with block, or when it is dropped; in any order and as often
    as one likes. A closed object keeps its handle: the library refuses it by name."""

    _kind = ""
    _handle = _api.ISOMAT_NONE
    _destroy: Any = None

    def __init__(self, handle: int) -> None:
        # Held by the object: while the interpreter shuts down, modules may be gone before objects.
        self._destroy = getattr(library(), f"isomat_{self._kind}_destroy")
        self._handle = handle

    @property
    def handle(self) -> int:
        """The number that functions of isomat.h take."""
        return self._handle

    def close(self) -> None:
        """Destroys the handle; the library keeps what others still need. Closing twice does nothing."""
        destroy, self._destroy = self._destroy, None
        if destroy:
            check(destroy(self._handle))

    def __del__(self) -> None:
        # Nobody could catch an exception from here.
        destroy, self._destroy = self._destroy, None
        if destroy:
            destroy(self._handle)

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "" if self._destroy else " (closed)"
        return f"<isomat.{type(self).__name__} {self._handle:#x}{state}>"


def handle_of(item: Optional[Object]) -> int:
    """The handle, ISOMAT_NONE for None."""
    return _api.ISOMAT_NONE if item is None else item._handle
