"""Growing array files, and the note of papers that were written but are not searchable yet."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.values import PaperKey


def append_rows(path: Path, rows: NDArray[Any], count: int) -> None:
    """Write rows behind the first ``count`` of an array file; the header has room for a greater number of them.

    Whoever has the file mapped, or reads it meanwhile, sees no change in the first ``count``. What an interrupted call
    left behind them is overwritten; the file never becomes shorter than its header says.
    """
    with path.open("r+b") as file:
        np.lib.format.read_magic(file)
        shape, _, kind = np.lib.format.read_array_header_1_0(file)
        begins = file.tell()
        row_bytes = kind.itemsize * int(np.prod(shape[1:], dtype=np.int64))
        file.seek(begins + count * row_bytes)
        file.write(np.ascontiguousarray(rows, kind).tobytes())
        file.flush()
        os.fsync(file.fileno())
        file.seek(0)
        now = {"descr": kind.str, "fortran_order": False, "shape": (count + len(rows), *shape[1:])}
        np.lib.format.write_array_header_1_0(file, now)
        assert file.tell() == begins, "NumPy no longer leaves room for a greater number of rows"


class UnindexedPapers:
    """Keys of papers that were written, changed or removed since the library was last indexed.

    A key is noted before the paper is written: one noted in vain costs little, one missed would never be found.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / "unindexed.txt"

    def note(self, keys: Iterable[PaperKey]) -> None:
        """Add keys; they are on the disk when this returns."""
        with self._file.open("a", encoding="utf-8") as file:
            file.write("\n")  # ends a line that an interruption cut off
            file.writelines(f"{key}\n" for key in keys)
            file.flush()
            os.fsync(file.fileno())

    def read(self) -> list[PaperKey]:
        """Each noted key once; a line that an interruption cut off is left out."""
        try:
            text = self._file.read_text(encoding="utf-8")
        except FileNotFoundError:
            return []
        return [PaperKey(key) for key in dict.fromkeys(text[: text.rfind("\n") + 1].split("\n")) if key]

    def clear(self) -> None:
        """All of them are searchable."""
        self._file.unlink(missing_ok=True)
