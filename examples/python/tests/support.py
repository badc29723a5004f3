# SPDX-License-Identifier: MIT
"""What the tests share: the package's place, other processes, a reference product, arrays of others."""
import os
import pathlib
import subprocess
import sys
from typing import Any, Optional

FOLDER = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(FOLDER))
sys.dont_write_bytecode = True


def python(*arguments: Any, **environment: str) -> subprocess.CompletedProcess:
    """Runs Python in another process."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(FOLDER), **environment}
    command = [sys.executable, "-W", "error", *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)


def product(a: Any, b: Any) -> list:
    """In double precision."""
    return [[sum(x * y for x, y in zip(row, col)) for col in zip(*b)] for row in a]


def numbers(rows: int, cols: int, seed: int) -> list:
    """Multiples of 1/8 from -2 to 2: all sums of their products are exact, in float16 as well as here."""
    return [[((i * 7 + j * 13 + seed * 5) % 33 - 16) / 8 for j in range(cols)] for i in range(rows)]


class Array:
    """Another library's array: no more than its interface."""

    def __init__(self, matrix: Any, **changes: Any) -> None:
        self.matrix = matrix
        self.__cuda_array_interface__ = dict(matrix.__cuda_array_interface__, **changes)


def pick(name: str) -> Optional[Any]:
    """A module, if it is installed."""
    try:
        return __import__(name)
    except ImportError:
        return None
