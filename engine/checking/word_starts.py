r"""Which of many patterns may match a text, told from how its words begin: most need not be looked for.

For patterns that begin with a word in one of a few ways, such as ``\b(?:outperform\w*|beats?)\b``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Generic, TypeVar

from engine.checking.lexicon import TEXTS_KEPT

LETTERS = 3
"""First letters of a word by which patterns are told apart."""

T = TypeVar("T")

_WORD = re.compile(r"\w+")
_LITERAL = re.compile(r"[A-Za-z]+")
_OPTIONAL = ("?", "*", "{")
_LOOKAROUND = ("(?<!", "(?<=", "(?!", "(?=")


@dataclass(frozen=True)
class WordIndex(Generic[T]):
    """Items in their order, found by the words that their patterns begin with."""

    items: Sequence[T]
    by_start: dict[str, tuple[int, ...]]
    anywhere: tuple[int, ...]
    """Items whose patterns do not tell how they begin."""

    @classmethod
    def of(cls, items: Iterable[tuple[re.Pattern[str], T]]) -> WordIndex[T]:
        """The items, each with its pattern."""
        pairs = list(items)
        by_start: defaultdict[str, list[int]] = defaultdict(list)
        anywhere: list[int] = []
        for at, (pattern, _) in enumerate(pairs):
            starts = list_starts(pattern.pattern)
            for start in starts:
                by_start[start].append(at)
            if not starts:
                anywhere.append(at)
        return cls([item for _, item in pairs], {start: tuple(at) for start, at in by_start.items()}, tuple(anywhere))

    def select(self, text: str) -> list[T]:
        """The items whose patterns may match; the others do not."""
        found = set(self.anywhere)
        for start in _list_heads(text) & self.by_start.keys():
            found.update(self.by_start[start])
        return [self.items[at] for at in sorted(found)]


@lru_cache(maxsize=TEXTS_KEPT)
def _list_heads(text: str) -> frozenset[str]:
    """The first one, two and three letters of every word."""
    starts = {word[:LETTERS] for word in _WORD.findall(text.lower())}
    return frozenset(start[:size] for start in starts for size in range(1, LETTERS + 1))


def list_starts(pattern: str) -> frozenset[str]:
    """How the word begins that a match of the pattern begins with, in small letters; empty where it does not tell."""
    whole = pattern.removeprefix(r"\b")
    return frozenset(_starts_of(whole) or ()) if whole != pattern else frozenset()


def _starts_of(pattern: str) -> set[str] | None:
    """The starts of all alternatives; ``None`` where one does not tell."""
    found: set[str] = set()
    for alternative in _split(pattern):
        starts = _start_of(alternative.removeprefix(r"\b"))
        if starts is None:
            return None
        found |= starts
    return found


def _start_of(text: str) -> set[str] | None:
    while text.startswith(_LOOKAROUND):
        text = text[_closing(text) :]
    if text.startswith("(?:"):
        end = _closing(text)
        first, rest = _starts_of(text[3 : end - 1]), text[end:]
        if not rest.startswith(_OPTIONAL):
            return first
        behind = _start_of(re.sub(r"^(?:[?*]|\{[\d,]*\})\??", "", rest))
        return None if first is None or behind is None else first | behind
    literal = _LITERAL.match(text)
    if not literal:
        return None
    word = literal[0][:-1] if text[literal.end() :].startswith(_OPTIONAL) else literal[0]
    return {word[:LETTERS].lower()} if word else None


_SYNTAX = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|(?P<mark>[()|])", re.S)
"""An escape, a class of characters, or a mark outside of both."""


def _list_marks(pattern: str) -> Iterator[tuple[int, str, int]]:
    """Where each parenthesis and bar stands, and within how many groups what follows it is."""
    depth = 0
    for found in _SYNTAX.finditer(pattern):
        if mark := found["mark"]:
            depth += (mark == "(") - (mark == ")")
            yield found.start(), mark, depth


def _split(pattern: str) -> list[str]:
    """The alternatives of a pattern, those inside groups left together."""
    bars = [at for at, mark, depth in _list_marks(pattern) if mark == "|" and depth == 0]
    return [pattern[begin + 1 : end] for begin, end in pairwise([-1, *bars, len(pattern)])]


def _closing(text: str) -> int:
    """Where the group ends that the text begins with."""
    return next(at + 1 for at, mark, depth in _list_marks(text) if mark == ")" and depth == 0)
