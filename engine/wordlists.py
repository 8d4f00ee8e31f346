"""Lists that stand as text files beside the code, one entry on each line."""

from __future__ import annotations

from importlib import resources


def read_lines(path: str) -> tuple[str, ...]:
    """The lines of a file in the engine's folder, in order, without empty lines and comments (``# …``)."""
    lines = resources.files("engine").joinpath(path).read_text(encoding="utf-8").splitlines()
    return tuple(line for line in lines if line.strip() and not line.startswith("#"))


def read_wordlist(path: str) -> frozenset[str]:
    """The words or phrases of a list, given as `read_lines` takes it."""
    return frozenset(read_lines(path))
