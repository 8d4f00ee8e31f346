"""Array files of NumPy, read by several threads."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_READING = threading.Lock()
"""NumPy parses a file's header with `ast`, and CPython 3.11 fails (`SystemError`) where two threads do so at once."""


def load_array(path: Path, *, mapped: bool = False) -> NDArray[Any]:
    """The array of a file, read whole or ``mapped`` from disk. Raises what `numpy.load` raises; never runs code."""
    with _READING:
        array: NDArray[Any] = np.load(path, mmap_mode="r" if mapped else None, allow_pickle=False)
        return array
