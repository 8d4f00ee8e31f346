"""Lists of words and phrases beside this file, one on each line."""

from __future__ import annotations

from importlib import resources


def read_wordlist(name: str) -> frozenset[str]:
    """The lines of a list."""
    text = resources.files("engine.naming").joinpath(f"wordlists/{name}.txt").read_text(encoding="utf-8")
    return frozenset(text.split("\n")) - {""}
