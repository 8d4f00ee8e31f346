"""When two records are the same paper, and what the merged record says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from rapidfuzz import fuzz

from engine.errors import UserError
from engine.retrieval.ranking import reciprocal_rank_fusion
from engine.text import fold
from engine.values import FoundPaper, Paper, PaperKey

_KEY = re.compile(r"[a-z0-9][a-z0-9_+-]*:[^\s\[\]@;,\"'`|<>{}\\]+")
_ARXIV = re.compile(r"^(?:arxiv:)?(\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})(?:v\d+)?$", re.I)
_DOI = re.compile(r"^(?:doi:)?(10\.\d{4,9}/\S+)$", re.I)

_PREFERRED = ("doi", "arxiv", "acl", "s2", "pmid", "openalex")


def paper_key(text: str) -> PaperKey:
    """Check and normalise a key; raises `UserError` where it is not ``namespace:rest``."""
    namespace, colon, rest = text.strip().partition(":")
    candidate = f"{namespace.lower()}{colon}{rest}"
    if not _KEY.fullmatch(candidate):
        raise UserError(f"“{text[:80]}” is not a paper's key; a key looks like arxiv:2406.10252.")
    return PaperKey(candidate)


def arxiv_key(text: str) -> PaperKey | None:
    """``arxiv:2406.10252`` from an id, a link or an arXiv DOI, its version removed; ``None`` if it is none."""
    bare = re.sub(r"^https?://(?:www\.)?arxiv\.org/(?:abs|pdf)/", "", text.strip(), flags=re.I)
    bare = re.sub(r"^(?:https?://(?:dx\.)?doi\.org/)?(?:doi:)?10\.48550/arxiv\.", "", bare, flags=re.I)
    match = _ARXIV.match(bare.removesuffix(".pdf"))
    return PaperKey(f"arxiv:{match.group(1).lower()}") if match else None


def doi_key(text: str) -> PaperKey | None:
    """``doi:10.…`` in lower case from a DOI or its link; an arXiv DOI is given by `arxiv_key` instead."""
    bare = re.sub(r"^https?://(?:dx\.)?doi\.org/", "", text.strip(), flags=re.I)
    match = _DOI.match(bare)
    if not match or arxiv_key(bare):
        return None
    candidate = f"doi:{match.group(1).lower().rstrip('.')}"
    return PaperKey(candidate) if _KEY.fullmatch(candidate) else None


_MENTIONED = re.compile(
    r"(?:arxiv[:\s.]+|arxiv\.org/(?:abs|pdf|html)/)(\d{4}\.\d{4,5})|\b(10\.\d{4,9}/[^\s\]\)>,;\"']+)|((?:s2|acl|pmid):[^\s\]]+)",
    re.I,
)


def identifiers_in(text: str) -> list[PaperKey]:
    """Keys of the identifiers that a reference mentions: arXiv ids and links, DOIs, and keys as we write them."""
    found: dict[PaperKey, None] = {}
    for match in _MENTIONED.finditer(text):
        key = arxiv_key(match[1]) if match[1] else doi_key(match[2].rstrip(".")) if match[2] else PaperKey(match[3])
        key = key or arxiv_key(match[0])
        if key:
            found[key] = None
    return list(found)


def fingerprint(paper: Paper) -> str:
    """Normalised title, year and first author's surname; empty where title or year is missing."""
    if not paper.title or paper.year is None:
        return ""
    return f"{fold(paper.title)}|{paper.year}|{fold(surname(paper.authors[0])) if paper.authors else ''}"


_PARTICLE = re.compile(r"van|von|der|den|de|del|della|di|da|dos|du|la|le|ten|ter|al|bin|ibn", re.I)


def surname(author: str) -> str:
    """The family name with its particles: ``Jan van den Berg`` and ``van den Berg, Jan`` give ``van den Berg``."""
    if "," in author:
        return author.split(",", 1)[0].strip()
    parts = author.split()
    start = len(parts) - 1
    while start > 1 and _PARTICLE.fullmatch(parts[start - 1]):
        start -= 1
    return " ".join(parts[max(start, 0) :])


def choose_key(identifiers: tuple[PaperKey, ...]) -> PaperKey:
    """The most widely understood of a paper's identifiers; otherwise the first."""
    for namespace in _PREFERRED:
        for identifier in identifiers:
            if identifier.startswith(f"{namespace}:"):
                return identifier
    return identifiers[0]


_PREPRINT_VENUE = re.compile(r"arxiv|\bcorr\b|biorxiv|medrxiv|ssrn|preprint|research square|openreview", re.I)
_PREPRINT_DOI = re.compile(r"doi:10\.(?:48550|1101|2139|31234|21203|20944|36227|26434|31219)/")


def is_published(paper: Paper) -> bool:
    """Whether the venue is one of publications, not of preprints."""
    return bool(paper.venue) and not _PREPRINT_VENUE.search(paper.venue)


def merge_records(old: Paper, new: Paper) -> Paper:
    """One paper from two records of it: the old key stays, the fuller value of each field wins.

    Of a preprint and its publication, title, year and venue are those of the publication.
    """
    known = dict.fromkeys((*old.identifiers, *new.identifiers))
    better = is_published(new) and bool(old.venue) and not is_published(old)
    first, second = (new, old) if better else (old, new)
    chosen: dict[str, tuple[object, Paper]] = {}
    for name in ("title", "venue", "url", "pdf"):
        chosen[name] = next(((v, p) for p in (first, second) if (v := getattr(p, name))), ("", first))
    chosen["year"] = (first.year, first) if first.year is not None else (second.year, second)
    for name in ("abstract", "summary", "authors"):
        fuller = max((old, new), key=lambda p: len(getattr(p, name)))
        chosen[name] = (getattr(fuller, name), fuller)
    counted = max((old, new), key=lambda p: -1 if p.citations is None else p.citations)
    chosen["citations"] = (counted.citations, counted)
    chosen["counted"] = (counted.counted, counted)
    origins = [(name, source) for name, (_, p) in chosen.items() if (source := dict(p.origins).get(name))]
    return replace(
        old,
        **{name: value for name, (value, _) in chosen.items()},  # type: ignore[arg-type]
        identifiers=tuple(known),
        retracted=old.retracted or new.retracted,
        origins=tuple(origins),
    )


SAME_TITLE = 95.0
"""Least similarity, of 100, of two titles of the same paper: a comma or a plural apart, not a word."""


def same_paper(one: Paper, other: Paper) -> bool:
    """Whether two records describe one paper, by an identifier or by title, first author and year.

    A year apart is allowed, because a preprint is often of the year before. Two publications with a DOI each
    (those of preprints aside) are two papers, whatever their titles.
    """
    if set(one.identifiers) & set(other.identifiers):
        return True
    if _conflict(one, other) or not (one.authors and other.authors and one.year and other.year):
        return False
    if abs(one.year - other.year) > 1 or fold(surname(one.authors[0])) != fold(surname(other.authors[0])):
        return False
    return fuzz.ratio(fold(one.title), fold(other.title)) >= SAME_TITLE


def _conflict(one: Paper, other: Paper) -> bool:
    """Whether both have an identifier of one kind that only one publication can have, and they differ."""
    for kind in ("doi", "arxiv", "acl"):
        first, second = (
            {i for i in p.identifiers if i.startswith(f"{kind}:") and not _PREPRINT_DOI.match(i)} for p in (one, other)
        )
        if first and second and not first & second:
            return True
    return False


@dataclass
class MergedPapers:
    """Records taken one after another, each paper kept once, with the best of each of its fields."""

    papers: dict[PaperKey, Paper] = field(default_factory=dict)
    repeats: int = 0
    _owner: dict[PaperKey, PaperKey] = field(default_factory=dict)
    _by_author: dict[str, list[PaperKey]] = field(default_factory=dict)

    def add(self, paper: Paper) -> PaperKey:
        """Take a record in; the key of the paper it belongs to, which `key_of` keeps true later on."""
        known = dict.fromkeys(self.key_of(i) for i in (paper.key, *paper.identifiers) if i in self._owner)
        author = fold(surname(paper.authors[0])) if paper.authors else ""
        if not known and author:
            similar = (k for k in self._by_author.get(author, ()) if k in self.papers)
            known = dict.fromkeys(k for k in similar if same_paper(self.papers[k], paper))
        self.repeats += bool(known)
        first, *others = known or [paper.key]
        now = merge_records(self.papers[first], paper) if known else paper
        for key in others:  # this record shows that two papers were one
            now = merge_records(now, self.papers.pop(key))
            self.repeats += 1
        self.papers[first] = now
        self._owner.update(dict.fromkeys((paper.key, *others, *now.identifiers, first), first))
        if author and first not in self._by_author.setdefault(author, []):
            self._by_author[author].append(first)
        return first

    def key_of(self, identifier: PaperKey) -> PaperKey:
        """The key of the paper that has this identifier. Raises `KeyError` where none has."""
        key = self._owner[identifier]
        while key not in self.papers:
            key = self._owner[key]
        return key

    def fused(self, rankings: Sequence[tuple[Sequence[PaperKey], float]]) -> list[FoundPaper]:
        """The papers of weighted rankings by reciprocal rank fusion, best first; of equals the one known longer."""
        place = {key: i for i, key in enumerate(self.papers)}
        ranked = [list(dict.fromkeys(place[self.key_of(key)] for key in keys)) for keys, _ in rankings]
        scores = reciprocal_rank_fusion(ranked, [weight for _, weight in rankings])
        papers = list(self.papers.values())
        return [FoundPaper(papers[i], scores[i]) for i in sorted(scores, key=lambda i: (-scores[i], i))]
