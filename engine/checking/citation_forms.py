"""Reads the forms in which models write citations as ``[@key]`` of one of the papers they were given."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from rapidfuzz import fuzz

from engine.citations import Address, cite, cite_sentences, list_addresses, list_cited_keys
from engine.retrieval.identity import arxiv_key, doi_key, surname
from engine.text import fold
from engine.values import Paper, PaperKey

NEAR_TITLE = 90.0
"""Least likeness, of 100, from which a bracket is read as the title of a given paper; each case is recorded."""

NEXT_TITLE = 5.0
"""How much less like it the next title must be."""

SHORTEST_TITLE = 15
"""Letters that words need to be compared with titles."""

MOST_NUMBERS = 12
"""A range of more numbers than this is no citation."""


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


def read_citations(text: str, papers: Sequence[Paper], others: Sequence[Paper] = ()) -> ReadText:
    """The text with each citation read; what looks like a citation and is none of the papers is taken out and named.

    ``others`` were not shown to the model; they are read where a key or a title names them, never by people or numbers.
    """
    reading = _Reading(_index(tuple(papers)))
    if others:
        reading.others = _Reading(replace(_index(tuple(others)), short_titles={}, people={}))
    for pattern, read in _FORMS:
        text = pattern.sub(lambda match, read=read: read(reading, match), text)  # type: ignore[misc]
    return ReadText(
        _place_citations(text), tuple(dict.fromkeys(reading.repairs)), tuple(dict.fromkeys(reading.unknown))
    )


_YEAR = r"(?:19|20)\d\d[a-z]?"
_NAME = r"(?:(?:de|van|der|von|di|da|la|le|el|al|den)\s+)*[A-ZÀ-Þ][\w’'-]+"
_AUTHORS = rf"{_NAME}(?:\s+et\s+al\.?,?|(?:,\s+{_NAME})*,?\s+(?:and|&)\s+{_NAME})?"
_AUTHOR_YEAR = re.compile(rf"(?:see\s+|e\.g\.,?\s+|cf\.\s+)*({_AUTHORS}),?\s+\(?({_YEAR})\)?", re.U)
_LIKE_A_SOURCE = re.compile(
    rf"@|10\.\d{{4}}|arxiv|\bdoi\b|\bet al\b|https?:|\b{_YEAR}\b|^\d+(?:\s*[-–,;]\s*\d+)*$", re.I
)
_LABEL = re.compile(
    r"^(?:(?:key|source|sources|paper|papers|ref|refs|reference|citation|cite|see|see also|"
    r"e\.g\.,?|cf\.|id|from)\b[\s:.#=]*)+",
    re.I,
)
_PLACE_IN_PAPER = re.compile(
    r"\s*†.*$|,?\s*(?:pp?\.|pages?|sec(?:tion|\.)?|table|fig(?:ure|\.)?|§|abstract)\s*[\w.–-]*$", re.I
)


_SENTENCES = re.compile(
    r"@?(?P<key>\w+:\S+?)(?:\s*[:#,§]\s*|\s+)(?:s(?:ent(?:ence)?s?)?\.?\s*)?"
    r"(?P<numbers>\d{1,3}(?:\s*(?:[,–-]|and|&)\s*s?\d{1,3})*)",
    re.I,
)
"""How models name sentences behind a key: ``:3``, ``: 3, 5``, ``:3-5``, ``, sentence 3``, ``#3``."""


def _read_numbers(said: str) -> tuple[int, ...]:
    """1, 3, 4, 5 of "1, 3-5"; a range of more than `MOST_NUMBERS` is read as its two ends."""
    found: set[int] = set()
    for part in re.split(r"\s*(?:,|and|&)\s*", said.casefold().replace("s", "").replace("–", "-")):
        first, _, last = (end.strip() for end in part.partition("-"))
        low, high = int(first), int(last or first)
        found |= set(range(low, high + 1)) if low <= high < low + MOST_NUMBERS else {low, high}
    return tuple(sorted(found))


@dataclass(frozen=True, slots=True)
class _Index:
    """By what the papers may be named."""

    exact: Mapping[str, PaperKey]
    titles: tuple[tuple[str, PaperKey], ...]
    short_titles: Mapping[str, PaperKey]
    people: Mapping[tuple[str, str], PaperKey]
    order: tuple[PaperKey, ...]


@lru_cache(maxsize=256)
def _index(papers: tuple[Paper, ...]) -> _Index:
    """The papers' index; kept, because every claim of a section is read against the same papers."""
    exact: dict[str, PaperKey] = {}
    titles: list[tuple[str, PaperKey]] = []
    short: dict[str, list[PaperKey]] = {}
    people: dict[tuple[str, str], list[PaperKey]] = {}
    for paper in papers:
        for identifier in (paper.key, *paper.identifiers):
            exact.setdefault(fold(identifier), paper.key)
            exact.setdefault(fold(identifier.partition(":")[2]), paper.key)
        titles.append((fold(paper.title), paper.key))
        exact.setdefault(*titles[-1])
        head, colon, _ = paper.title.partition(":")
        if colon:
            short.setdefault(fold(head), []).append(paper.key)
        if paper.authors and paper.year:
            people.setdefault((fold(surname(paper.authors[0])), str(paper.year)), []).append(paper.key)
    return _Index(
        exact,
        tuple(titles),
        {name: keys[0] for name, keys in short.items() if len(keys) == 1},
        {who: keys[0] for who, keys in people.items() if len(keys) == 1},
        tuple(p.key for p in papers),
    )


@dataclass
class _Reading:
    """What is known of the papers, and what was read so far."""

    index: _Index
    repairs: list[ReadAs] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    others: _Reading | None = None

    def keys_of(self, inside: str) -> list[Address] | None:
        """The papers a bracket names, with their sentences; ``None`` where it is ordinary text."""
        whole = self._address_of(inside)
        if whole:
            return [whole]
        parts = [p for p in re.split(r"\s*[;,]\s*(?=@)|\s*;\s*|\s*\|\s*|\]\s*\[", inside) if p.strip()]
        named = [self._address_of(p) for p in parts]
        if not any(named):
            parts = [p for p in re.split(r"\s*[;,]\s*|\s+(?:and|&)\s+|\s+(?=@)", inside) if p.strip()]
            named = [self._address_of(p) for p in parts]
        numbers = self._by_number(_PLACE_IN_PAPER.sub("", inside))
        if numbers:
            return [Address(key) for key in numbers]
        if any(named):
            self.unknown += [p.strip() for p, key in zip(parts, named, strict=True) if key is None and p.strip(" .@")]
            return [key for key in named if key]
        if _LIKE_A_SOURCE.search(inside) or _like_a_title(inside):
            self.unknown.append(inside.strip())
            return []
        return None

    def _address_of(self, said: str) -> Address | None:
        """The paper and its sentences; the numbers are read behind a key of these papers only, never behind a title."""
        key = said.strip().removeprefix("@")
        if key not in self.index.order and (match := _SENTENCES.fullmatch(said.strip())):
            bare = self.index.exact.get(fold(match["key"]))
            if bare is not None:
                numbers = _read_numbers(match["numbers"])
                if match[0] != f"@{Address(bare, numbers)}":
                    self.repairs.append(ReadAs(said.strip(), bare, 1.0))
                return Address(bare, numbers)
        found = self._key_of(said)
        return Address(found) if found else None

    def _key_of(self, said: str) -> PaperKey | None:
        name = (
            _PLACE_IN_PAPER.sub("", _LABEL.sub("", said.strip().strip("\"“”'`*_{}<>() ")).strip())
            .lstrip("@^")
            .strip(' .,"“”')
        )
        key = self.index.exact.get(fold(name)) if fold(name) else None
        if key is None:
            other = arxiv_key(name) or doi_key(name)
            key = self.index.exact.get(fold(other)) if other else None
        if key is not None:
            if said.strip() != f"@{key}":
                self.repairs.append(ReadAs(said.strip(), key, 1.0))
            return key
        return self._by_people(name, said) or self._by_title(name, said) or self._among_others(said)

    def _among_others(self, said: str) -> PaperKey | None:
        key = self.others._key_of(said) if self.others else None
        if self.others:
            self.repairs += self.others.repairs
            self.others.repairs.clear()
        return key

    def _by_people(self, name: str, said: str) -> PaperKey | None:
        match = _AUTHOR_YEAR.fullmatch(name)
        if not match:
            return None
        first = re.split(r"\s+et\s+al|,|\s+and\s+|\s+&\s+", match[1])[0]
        key = self.index.people.get((fold(surname(first)), match[2][:4]))
        if key:
            self.repairs.append(ReadAs(said.strip(), key, 0.9))
        return key

    def _by_title(self, name: str, said: str) -> PaperKey | None:
        wanted = fold(name)
        if key := self.index.short_titles.get(wanted):
            self.repairs.append(ReadAs(said.strip(), key, 0.9))
            return key
        if len(wanted) < SHORTEST_TITLE or not self.index.titles:
            return None
        ranked = sorted(((fuzz.ratio(wanted, title), key) for title, key in self.index.titles), reverse=True)
        best, key = ranked[0]
        if best < NEAR_TITLE or (len(ranked) > 1 and ranked[1][0] > best - NEXT_TITLE):
            return None
        self.repairs.append(ReadAs(said.strip(), key, best / 100))
        return key

    def _by_number(self, inside: str) -> list[PaperKey]:
        """Places in the numbered list of the prompt, where all of them are there."""
        if not re.fullmatch(r"\s*\d{1,3}(?:\s*[-–,;]\s*\d{1,3})*\s*", inside):
            return []
        numbers: list[int] = []
        for part in re.split(r"\s*[,;]\s*", inside.strip()):
            first, _, last = (p.strip() for p in re.sub("–", "-", part).partition("-"))
            numbers += range(int(first), int(last or first) + 1)
        if len(numbers) > MOST_NUMBERS or not all(1 <= n <= len(self.index.order) for n in numbers):
            return []
        keys = [self.index.order[n - 1] for n in numbers]
        self.repairs += [ReadAs(f"[{n}]", key, 0.9) for n, key in zip(numbers, keys, strict=True)]
        return keys


def _like_a_title(inside: str) -> bool:
    words = inside.split()
    return len(words) >= 4 and sum(word[:1].isupper() for word in words) * 2 > len(words)


def _bracket(reading: _Reading, match: re.Match[str]) -> str:
    inside = match[1]
    addresses = list_addresses(match[0])
    if addresses and cite_sentences(addresses) == match[0] and all(a.key in reading.index.order for a in addresses):
        return match[0]
    named = reading.keys_of(inside)
    return match[0] if named is None else cite_sentences(named)


def _superscript(reading: _Reading, match: re.Match[str]) -> str:
    return cite(reading._by_number(match[1].translate(_PLAIN_DIGITS))) or match[0]


def _latex(reading: _Reading, match: re.Match[str]) -> str:
    return cite_sentences(reading.keys_of(match[1]) or ())


def _parenthesis(reading: _Reading, match: re.Match[str]) -> str:
    inside = match[1]
    if (place := _NUMBERED_PAPER.fullmatch(inside)) and (numbered := reading._by_number(place[1])):
        return cite(numbered)
    parts = [p.strip() for p in inside.split(";")]
    is_source = "@" in inside or fold(inside) in reading.index.exact or all(_AUTHOR_YEAR.fullmatch(p) for p in parts)
    identifier = arxiv_key(inside) or doi_key(inside)
    if not is_source and not (identifier and fold(identifier) in reading.index.exact):
        return match[0]
    named = reading.keys_of(inside)
    return match[0] if named is None else cite_sentences(named)


def _bare(reading: _Reading, match: re.Match[str]) -> str:
    said = match[1].rstrip(".,;:")
    address = reading._address_of(f"@{said}")
    if address is None:
        reading.unknown.append(match[0])
        return match[1][len(said) :]
    reading.repairs.append(ReadAs(match[0], address.key, 1.0))
    return cite_sentences([address]) + match[1][len(said) :]


def _narrative(reading: _Reading, match: re.Match[str]) -> str:
    """Of "Lewis et al. (2020) show" the authors stay, and their paper is cited after them."""
    key = reading._by_people(f"{match[1]} {match[2]}", match[0])
    rest = match.string[match.end() : match.end() + 400]
    ahead = re.split(r"[.!?]\s+[A-Z]", rest)[0]
    return match[0] if key is None or key in list_cited_keys(ahead) else f"{match[0]} {cite([key])}"


_NUMBERED_PAPER = re.compile(
    r"(?:see\s)?(?:papers?|sources?|refs?\.?|references?|documents?|abstracts?)\s(\d[\d\s,–-]*)", re.I
)
_PLAIN_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")

_FORMS = (
    (
        re.compile(r"[【〔［]\d+:\d+†[^【】〔〕［］\n]{0,60}[】〕］]"),
        lambda *_: "",
    ),  # a place in a search of the model's own
    (
        re.compile(r"(?:(?<=[a-z]{3})|(?<=[a-z)\]][.,;]))([⁰¹²³⁴⁵⁶⁷⁸⁹]+(?:[,⁻][⁰¹²³⁴⁵⁶⁷⁸⁹]+)*)(?=[\s.,;:]|$)"),
        _superscript,
    ),
    (re.compile(r"\\(?:no)?cite[a-zA-Z]*\*?(?:\[[^\]]*\])*\{([^{}]+)\}"), _latex),
    (re.compile(r"[【〔［]([^【】〔〕［］]{1,400})[】〕］]"), _bracket),
    (re.compile(r"\[\[([^\[\]]{1,400})\]\]"), _bracket),
    (re.compile(r"\^?\[\^?([^\[\]]{1,400})\]"), _bracket),
    (re.compile(r"[({]\s*([^(){}\[\]]{3,300}?)\s*[)}]"), _parenthesis),
    (re.compile(r"(?<![\w\[;@.])(?<!; )@([A-Za-z][\w.-]*:[^\s\[\](){};,@]+)"), _bare),
    (re.compile(rf"\b({_AUTHORS})\s+\(({_YEAR})\)"), _narrative),
)


_SIDE_BY_SIDE = r"\[@[^\]]+\](?:\s*[;,]?\s*(?:and\s+)?\[@[^\]]+\])*"


def _place_citations(text: str) -> str:
    """Citations side by side become one; those after the end of a sentence go before it; no space is doubled."""
    text = re.sub(r"(?:\(\s*\)|\[\s*\])", "", text)
    text = re.sub(rf"\(\s*(?:see(?: also)?|e\.g\.,?|cf\.)?\s*({_SIDE_BY_SIDE})\s*\)", _merge, text)
    text = re.sub(_SIDE_BY_SIDE, _merge, text)
    text = re.sub(
        r"([.!?])([\"”’']?)[ \t]*((?:\[@[^\]]+\][ \t]*)+)\.?(?=[ \t]*(?:\n|$|[\"“(]?[^a-z\s]))", _before_stop, text
    )
    text = re.sub(r"(?<=[^\s(\[“])(\[@[^\]]+\])", r" \1", text)
    text = re.sub(r"(\[@[^\]]+\])(?=[\w(“])", r"\1 ", text)
    text = re.sub(r"[ \t]+([.,;:!?](?:\s|$))", r"\1", text)
    return re.sub(r"[ \t]+(?=\n|$)", "", re.sub(r"[ \t]{2,}", " ", text)).strip()


def _merge(match: re.Match[str]) -> str:
    return cite_sentences(list_addresses(match[0]))


def _before_stop(match: re.Match[str]) -> str:
    return f"{match[2]} {cite_sentences(list_addresses(match[3]))}{match[1]} "
