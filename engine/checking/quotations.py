"""Finding the words that somebody says stand in a text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.text import fold

SHORTEST_QUOTE = 2
"""Words in quotation marks that are looked for; a single one is often a term in inverted commas."""

_MARKED = re.compile(r"“([^“”]+)”|\"([^\"]+)\"|«([^«»]+)»|„([^„“”]+)[“”]")
_ELLIPSIS = re.compile(r"\s*(?:\[\s*(?:\.{2,}|…)\s*\]|\(\s*(?:\.{3,}|…)\s*\)|\.{3,}|…)\s*|\s*\[[^\]]{0,40}\]\s*")


def holds_words(quote: str, text: str) -> bool:
    """Whether the text has the quoted words, letter for letter and in order.

    Case, quotation marks, hyphens, ligatures, accents and white space do not matter; an ellipsis and an insertion in
    brackets leave something out.
    """
    letters, start = fold(text), 0
    for piece in filter(None, map(fold, _ELLIPSIS.split(quote))):
        at = letters.find(piece, start)
        if at < 0:
            return False
        start = at + len(piece)
    return True


def find_strange_quotations(claim: str, texts: Sequence[str]) -> tuple[str, ...]:
    """What stands in quotation marks in the claim and as such in none of the texts."""
    quotes = (next(filter(None, match.groups())) for match in _MARKED.finditer(claim))
    return tuple(
        quote
        for quote in quotes
        if len(quote.split()) >= SHORTEST_QUOTE and not any(holds_words(quote, text) for text in texts)
    )
