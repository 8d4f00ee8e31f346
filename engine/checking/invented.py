"""What a program can see to be made up in a claim: quotations, data sets in small letters, ties between two papers."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

from engine.checking.quotations import find_words
from engine.text import fold, stem

FEWEST_QUOTED = 3
"""Words in quotation marks from which they are somebody's: fewer set a term apart."""

_QUOTED = re.compile(
    r"[“\"„«](?P<words>[^“”\"„«»]+)[”\"“»]|(?<![\w’'])[‘'](?P<within>\w(?:[^“”\"„«»‘’']|(?<=\w)[’'](?=\w))+)[’'](?!\w)"
)
_EXPANDED = re.compile(
    r"\b(?P<short>[A-Z][\w+]*[A-Z][\w+]*)(?:\s\(|,? (?:stands|standing|is short|short) for (?:the )?)"
    r"(?P<long>[a-zA-Z]+(?:[\s-][a-z]+){1,7})(?=[),.]|$)|"
    r"\b(?P<before>[a-zA-Z]+(?:[\s-][a-z]+){1,5}) \((?P<after>[A-Z]{2,6})\)"
)
"""An abbreviation and what it stands for, in either order."""

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
    quoted = [(match["words"] or match["within"]).strip(" ,.;") for match in _QUOTED.finditer(claim)]
    return [
        words
        for words in quoted
        if len(words.split()) >= FEWEST_QUOTED and not any(find_words(words, text) for text in texts)
    ]


def find_strange_expansions(claim: str, texts: Sequence[str]) -> list[str]:
    """What the claim says that an abbreviation stands for, where a source says that it stands for something else."""
    found = []
    for match in _EXPANDED.finditer(claim):
        short, said = (match["short"], match["long"]) if match["short"] else (match["after"], match["before"])
        theirs = [other for text in texts for other in _read_expansions(text, short)]
        own = _stems(said)
        if theirs and len(own) > 1 and not any(len(own & _stems(other)) * 2 > len(own) for other in theirs):
            found.append(said.strip())
    return found


def _read_expansions(text: str, short: str) -> list[str]:
    """The words before "(SHORT)" and behind "SHORT (", as many as it has letters and one more."""
    size = len(short) + 1
    before = re.findall(rf"((?:[\w-]+\s+){{1,{size}}})\({re.escape(short)}s?\)", text)
    return before + re.findall(rf"(?<!\w){re.escape(short)}s?\s\(([A-Za-z][a-z]+[^()]*)\)", text)


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in re.findall(r"[a-z]+", text.lower())) - {"the", "of", "and", "for", "a"}


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
