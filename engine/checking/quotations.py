"""Finding the words that somebody says stand in a text, and where they stand."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Literal

from rapidfuzz import fuzz

from engine.text import STOP_WORDS, fold
from engine.values import Paper

SHORTEST_QUOTE = 12
"""Letters and digits that named words need; fewer stand in any text."""

SIMILAR = 90.0
"""Least likeness, of 100, of named words and the words of the text, from which they are compared one by one."""

SIMILAR_WORD = 80.0
"""Least likeness of two words that may stand for one another: a plural or a misprint apart."""

TEXTS_KEPT = 2_048
"""Texts whose letters are kept: many claims cite one paper."""

_ELLIPSIS = re.compile(r"\s*(?:\[\s*(?:\.{2,}|…)\s*\]|\(\s*(?:\.{3,}|…)\s*\)|\.{3,}|…)\s*")
_BEARING = frozenset(
    [
        "not",
        "no",
        "never",
        "none",
        "nor",
        "neither",
        "without",
        "cannot",
        "all",
        "every",
        "only",
        "any",
        "few",
        "less",
        "more",
        "most",
        "first",
    ]
)


def find_words(quote: str, text: str) -> str:
    """The words of the text that the quote names, as they stand there; empty where the text has no such words.

    Case, quotation marks, hyphens, ligatures, white space and ellipses do not matter. Where a few letters differ,
    the words are compared one by one: none that carries meaning may be missing, added or another one.
    """
    pieces = [piece for piece in _ELLIPSIS.split(quote) if fold(piece)]
    if sum(len(fold(piece)) for piece in pieces) < SHORTEST_QUOTE:
        return ""
    letters, places = _letters(text)
    start = first = last = 0
    for number, piece in enumerate(pieces):
        span = _exact(fold(piece), letters, start) or _similar(piece, text, letters, places, start)
        if span is None:
            return ""
        first = span[0] if number == 0 else first
        start = last = span[1]
    return text[_with_sign(text, places[first]) : _with_unit(text, places[last - 1] + 1)]


def _with_sign(text: str, start: int) -> int:
    """The start, or that of the sign before the number that begins there."""
    signs = re.search(r"(?:(?<![\w)])[-−+±]|[<>≤≥~≈$€£] ?)$", text[:start]) if text[start].isdigit() else None
    return signs.start() if signs else start


def _with_unit(text: str, end: int) -> int:
    """The end, or that of the sign behind the number that ends there: "5" is not what "5%" says."""
    unit = re.match(r" ?[%‰°]", text[end:]) if text[end - 1].isdigit() else None
    return end + unit.end() if unit else end


def find_in_paper(quote: str, paper: Paper) -> tuple[str, Literal["abstract", "summary", "full text"], int | None]:
    """The paper's words, where they stand (abstract, summary or full text) and on which page; empty if nowhere."""
    for text in (paper.abstract, paper.title):
        if found := find_words(quote, text):
            return found, "abstract", None
    if found := find_words(quote, paper.summary):
        return found, "summary", None
    for passage in paper.body:
        if found := find_words(quote, passage.text):
            return found, "full text", passage.page
    return "", "abstract", None


@lru_cache(maxsize=TEXTS_KEPT)
def _letters(text: str) -> tuple[str, Sequence[int]]:
    """The text in fold form, and for each of its letters the place it has in the text."""
    if text.isascii():
        return fold(text), [at for at, character in enumerate(text) if character.isalnum()]
    letters: list[str] = []
    places: list[int] = []
    for at, character in enumerate(text):
        plain = character if character.isascii() else unicodedata.normalize("NFKD", character)
        for letter in plain.casefold():
            if letter.isalnum():
                letters.append(letter)
                places.append(at)
    return "".join(letters), places


def _exact(piece: str, letters: str, start: int) -> tuple[int, int] | None:
    at = letters.find(piece, start)
    return (at, at + len(piece)) if at >= 0 else None


def _similar(piece: str, text: str, letters: str, places: Sequence[int], start: int) -> tuple[int, int] | None:
    wanted = fold(piece)
    if len(wanted) < SHORTEST_QUOTE or len(letters) - start < len(wanted) // 2:
        return None
    near = fuzz.partial_ratio_alignment(wanted, letters[start:], score_cutoff=SIMILAR)
    if near is None:
        return None
    first, last = start + near.dest_start, start + near.dest_end
    while first > 0 and _same_word(text, places[first - 1], places[first]):
        first -= 1
    while last < len(letters) and _same_word(text, places[last - 1], places[last]):
        last += 1
    return (first, last) if _same_meaning(piece, text[places[first] : places[last - 1] + 1]) else None


def _same_word(text: str, one: int, other: int) -> bool:
    return other - one <= 1 or not re.search(r"\s", text[one:other])


def _same_meaning(quote: str, found: str) -> bool:
    one, other = (re.findall(r"\w+(?:[.,]\d+)*", text.casefold()) for text in (quote, found))
    for kind, a, b, c, d in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        lost, new = one[a:b], other[c:d]
        if any(w in _BEARING or any(ch.isdigit() for ch in w) for w in (*lost, *new)):
            return False
        if len(lost) == len(new) and all(fuzz.ratio(x, y) >= SIMILAR_WORD for x, y in zip(lost, new, strict=True)):
            continue
        if fuzz.ratio("".join(lost), "".join(new)) >= SIMILAR_WORD and lost and new:
            continue
        if not all(w in STOP_WORDS for w in (*lost, *new)):
            return False
    return True
