"""What a program can see to be made up in a claim: quotations, data sets in small letters, ties between two papers."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

from engine.checking.quotations import find_words
from engine.text import fold, stem

FEWEST_QUOTED = 3
"""Words in quotation marks from which they are somebody's: fewer set a term apart."""

_QUOTED = re.compile(r"[“\"„«](?P<words>[^“”\"„«»]+)[”\"“»]")
_DATA = re.compile(
    r"\b(?:the|an?|on|with|from|using)\s(?P<name>[a-z][a-z\d-]{4,})\s"
    r"(?:corpus|corpora|benchmarks?|datasets?|leaderboard|challenge|toolkit|test suite)\b"
)
_ADDRESS = re.compile(r"\b(?:https?://|www\.)\S+|\bdoi:\s?\S+|\b10\.\d{4,}/\S+", re.I)
_TIE = re.compile(
    r"\b(?:extend|build|is based|draw|improv|outperform|surpass|beat|exceed|replac|inspir|adopt|generaliz|"
    r"simplif|modif|preced|succeed|supersed)\w*(?:\s(?:up)?on)?\s"
)


def find_strange_quotations(claim: str, texts: Sequence[str]) -> list[str]:
    """Words that the claim has in quotation marks and none of its sources has."""
    quoted = [match["words"].strip(" ,.;") for match in _QUOTED.finditer(claim)]
    return [
        words
        for words in quoted
        if len(words.split()) >= FEWEST_QUOTED and not any(find_words(words, text) for text in texts)
    ]


def find_strange_addresses(claim: str, texts: Sequence[str]) -> list[str]:
    """Addresses on the web and identifiers that stand in none of its sources."""
    found = (match[0].rstrip(".,;)") for match in _ADDRESS.finditer(claim))
    return [address for address in found if not any(address in text for text in texts)]


def find_invented_data(claim: str, known: Collection[str], ordinary: Sequence[Collection[str]]) -> list[str]:
    """Words before "corpus" or "benchmark" that no source has and that are no ``ordinary`` words, in any of the lists.

    ``known`` are the sources' words in fold form.
    """
    names = [match["name"] for match in _DATA.finditer(claim) if fold(match["name"]) not in known]
    if not names:
        return []
    usual = frozenset[str]().union(*ordinary)  # thousands of words
    common = {stem(word) for word in usual}
    return [n for n in names if not any(part in usual or stem(part) in common for part in n.split("-"))]


def find_strange_ties(
    claim: str, held_names: Sequence[Collection[str]], names: Callable[[str], Sequence[str]]
) -> list[str]:
    """What one named thing did to another, where no paper names both; ``held_names`` are each paper's words."""
    tie = _TIE.search(claim)
    if not tie or len(held_names) < 2:
        return []
    before, behind = names(claim[: tie.start()])[-1:], names(claim[tie.end() :])[:1]
    if not before or not behind or fold(before[0]) == fold(behind[0]):
        return []
    known = [any(fold(name[0]) in held for held in held_names) for name in (before, behind)]
    together = any(fold(before[0]) in held and fold(behind[0]) in held for held in held_names)
    return [tie[0].strip()] if all(known) and not together else []
