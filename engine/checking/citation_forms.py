"""Reads what models write for citations: a key or identifier, a title, or first author and year, but no numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from rapidfuzz import fuzz, process

from engine.citations import Address, cite, cite_sentences, list_addresses, read_ranges
from engine.retrieval.paper_keys import arxiv_key, doi_key, surname
from engine.text import fold
from engine.values import Paper, PaperKey

NEAR_TITLE = 90.0
"""Least likeness, of 100, from which a bracket is read as the title of a given paper; each case is recorded."""

NEXT_TITLE = 5.0
"""How much less like it the next title must be."""

SHORTEST_TITLE = 15
"""Letters that words need to be compared with titles."""

SHORTEST_NUMBER = 8
"""Digits of an identifier that is one without its kind, as 2004.04906 is: shorter ones are years and counts."""

UNKNOWN = PaperKey("unknown:citation")
"""Stands for what is cited and is none of the papers, where the check is to see it."""

MOST_NUMBERS = 12
"""A range of more sentences than this is read as its two ends."""

BY_NAME = 0.9
"""How certain a paper is that is named by its author and year, or by the head of its title."""


@dataclass(frozen=True, slots=True)
class ReadAs:
    """What was written, as which paper it was read, and how certain that is (1: exactly)."""

    said: str
    key: PaperKey
    certainty: float


@dataclass(frozen=True, slots=True)
class ReadText:
    """A text in which every citation is ``[@key]`` or ``[@key:3,5]`` of a given paper, before its sentence's end."""

    text: str
    repairs: tuple[ReadAs, ...]
    unknown: tuple[str, ...]


def read_citations(
    text: str, papers: Sequence[Paper], others: Sequence[Paper] = (), *, keeps_unknown: bool = False
) -> ReadText:
    """The text with each citation read; what looks like a citation and is none of the papers is taken out and named.

    ``others`` were not shown to the model; they are read where a key or a title names them. With ``keeps_unknown``
    what is taken out leaves `UNKNOWN` in its place.
    """
    reader = _Reader(cite([UNKNOWN]) if keeps_unknown else "", *_index(tuple(papers), tuple(others)))
    text = _BRACKET.sub(reader.read_bracket, text.translate(_OTHER_BRACKETS))
    text = _BARE.sub(reader.read_bare, _PARENTHESIS.sub(reader.read_parenthesis, text))
    return ReadText(_place_citations(text), tuple(reader.repairs), tuple(reader.unknown))


_OTHER_BRACKETS = str.maketrans("【】〔〕［］", "[][][]")
_BRACKET = re.compile(r"\[+\s*([^\[\]]{1,400}?)\s*\]+")
_PARENTHESIS = re.compile(r"[({]\s*([^(){}\[\]]{3,300}?)\s*[)}]")
_BARE = re.compile(r"(?<![\w\[;@.])(?<!; )@([A-Za-z][\w.-]*:[^\s\[\](){};,@]+)")
_DIVIDED = (re.compile(r"\s*[;|]\s*|\s*,\s*(?=@)"), re.compile(r"\s*[;,|]\s*|\s+(?:and|&)\s+|\s+(?=@)"))
"""Between citations in one bracket: surely, or else perhaps."""

_PEOPLE = re.compile(r"\bet al\b.*\b(?:19|20)\d\d", re.I)
_SOURCE = re.compile(rf"@|†|10\.\d{{4}}|arxiv|\bdoi\b|https?:|{_PEOPLE.pattern}|^\^?\d+(?:\s*[-–,;]\s*\d+)*$", re.I)
"""What is in brackets and can only be a citation."""

_LABEL = re.compile(r"(?:(?:key|source|paper|ref|reference|see|cf\.?|e\.g\.,?)\b[\s:=]*)+", re.I)
_NAMED = re.compile(
    r"@?(?P<key>\w+:\S+?)(?:\s*[:#,]\s*|\s+)(?:s(?:entences?)?\.?\s*)?(?P<numbers>\d{1,3}(?:\s*(?:[,–-]|and|&)\s*\d{1,3})*)",
    re.I,
)
"""How models name sentences behind a key: ``:3``, ``: 3, 5``, ``:3-5``, ``, sentence 3``, ``#3``."""


_Named = Mapping[str, tuple[PaperKey, float]]
"""By what papers may be named, folded, each with how certain it is."""


@lru_cache(maxsize=256)
def _index(papers: tuple[Paper, ...], others: tuple[Paper, ...]) -> tuple[_Named, Mapping[PaperKey, str]]:
    """The papers' names and their titles; kept, because every claim of a section is read against the same papers."""
    exact: dict[str, tuple[PaperKey, float]] = {}
    loose: dict[str, set[PaperKey]] = {}
    for paper in (*papers, *others):
        for identifier in (paper.key, *paper.identifiers):
            exact.setdefault(fold(identifier), (paper.key, 1.0))
            bare = fold(identifier.partition(":")[2])
            if not bare.isdecimal() or len(bare) >= SHORTEST_NUMBER:
                exact.setdefault(bare, (paper.key, 1.0))
        exact.setdefault(fold(paper.title), (paper.key, 1.0))
    for paper in papers:
        head, colon, _ = paper.title.partition(":")
        names = [head] if colon else []
        if paper.authors and paper.year:
            first, *more = map(surname, paper.authors)
            rests = ("", "etal", more[0], f"and{more[0]}") if more else ("", "etal")
            names += [f"{first}{rest}{paper.year}" for rest in rests]
        for name in names:
            loose.setdefault(fold(name), set()).add(paper.key)
    unique = {name: (next(iter(keys)), BY_NAME) for name, keys in loose.items() if len(keys) == 1}
    return {**unique, **exact}, {paper.key: fold(paper.title) for paper in (*others, *papers)}


def _identify(said: str) -> str:
    """The key in an arXiv or DOI link, else what is said, folded."""
    return fold(arxiv_key(said) or doi_key(said) or said)


@dataclass
class _Reader:
    """Reads the brackets of one text, and notes how."""

    unread: str
    """What is put for a citation of none of the papers."""
    names: _Named
    titles: Mapping[PaperKey, str]
    repairs: dict[ReadAs, None] = field(default_factory=dict)
    unknown: dict[str, None] = field(default_factory=dict)

    def read_bracket(self, match: re.Match[str]) -> str:
        """A bracket as its papers; as it was where it is ordinary text."""
        addresses = list_addresses(match[0])
        if addresses and cite_sentences(addresses) == match[0] and all(a.key in self.titles for a in addresses):
            return match[0]
        cited = self._read_inside(match[1])
        if cited is None and (_SOURCE.search(match[1]) or _is_like_a_title(match[1])):
            self.unknown[match[1]] = None
            return self.unread
        return match[0] if cited is None else cited

    def read_parenthesis(self, match: re.Match[str]) -> str:
        """A parenthesis as its papers, where it names them by key or by people; what else it is stays."""
        is_source = "@" in match[1] or _PEOPLE.search(match[1])
        is_known = any(_identify(part) in self.names for part in match[1].split(";"))
        return self.read_bracket(match) if is_source or is_known else match[0]

    def read_bare(self, match: re.Match[str]) -> str:
        """A key that stands without brackets."""
        said = match[1].rstrip(".,;:")
        if not (address := self._find(said)):
            self.unknown[match[0]] = None
        return (cite_sentences([address]) if address else self.unread) + match[1][len(said) :]

    def _read_inside(self, inside: str) -> str | None:
        if inside.count("@") < 2 and (whole := self._find(inside)):
            return cite_sentences([whole])
        for divider in _DIVIDED:
            parts = [part for part in divider.split(inside) if part.strip(" @")]
            if any(named := [self._find(part) for part in parts]):
                lost = (part.strip() for part, address in zip(parts, named, strict=True) if not address)
                self.unknown.update(dict.fromkeys(lost))
                return cite_sentences(address for address in named if address)
        return None

    def _find(self, said: str) -> Address | None:
        """The paper that is named, with its sentences: their numbers are read behind a key of these papers only."""
        bare = said[said.index("@") :].split(",")[0] if "@" in said else said
        numbered = _NAMED.fullmatch(said[said.find("@") + 1 :].strip())
        if fold(bare) not in self.names and numbered and (key := self.names.get(fold(numbered["key"]))):
            address, certainty = Address(key[0], tuple(sorted(read_ranges(numbered["numbers"], MOST_NUMBERS)))), 1.0
        elif found := self._match(bare):
            address, certainty = Address(found[0]), found[1]
        else:
            return None
        if said.strip() != f"@{address}":
            self.repairs[ReadAs(said.strip(), address.key, certainty)] = None
        return address

    def _match(self, said: str) -> tuple[PaperKey, float] | None:
        """The paper of a name, an identifier or a title."""
        name = _LABEL.sub("", said.strip(" @\"“”'`*_<>"), count=1).strip(" @\"“”'`*_<>")
        if found := self.names.get(fold(name)) or self.names.get(_identify(name)):
            return found
        if len(wanted := fold(name)) < SHORTEST_TITLE:
            return None
        near = process.extract(wanted, self.titles, scorer=fuzz.ratio, score_cutoff=NEAR_TITLE - NEXT_TITLE, limit=2)
        if not near or near[0][1] < NEAR_TITLE or (len(near) > 1 and near[1][1] > near[0][1] - NEXT_TITLE):
            return None
        return near[0][2], near[0][1] / 100


def _is_like_a_title(inside: str) -> bool:
    words = inside.split()
    return len(words) >= 4 and sum(word[:1].isupper() for word in words) * 2 > len(words)


_SIDE_BY_SIDE = r"\[@[^\]]+\](?:\s*[;,]?\s*(?:and\s+)?\[@[^\]]+\])*"


def _place_citations(text: str) -> str:
    """Citations side by side become one; those after the end of a sentence go before it; no space is doubled."""

    def merge(match: re.Match[str]) -> str:
        return cite_sentences(list_addresses(match[0]))

    text = re.sub(
        rf"\(\s*(?:see|e\.g\.,?|cf\.)?\s*({_SIDE_BY_SIDE})\s*\)|{_SIDE_BY_SIDE}", merge, text.replace("()", "")
    )
    text = re.sub(r"([.!?])([\"”’']?)[ \t]*(\[@[^\]]+\])\.?(?=[ \t]*(?:\n|$|[\"“(]?[^a-z\s]))", r"\2 \3\1 ", text)
    text = re.sub(r"(?<=[^\s(\[“])(\[@[^\]]+\])", r" \1", text)
    text = re.sub(r"(\[@[^\]]+\])(?=[\w(“])", r"\1 ", text)
    return "\n".join(
        re.sub(r"\s+([.,;:!?])(?=\s|$)", r"\1", " ".join(line.split())) for line in text.split("\n")
    ).strip()
