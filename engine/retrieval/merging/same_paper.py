"""The one rule of identity: when two records are one paper.

Ingest, merging of searches, uploads and lists all ask `same_paper`. It would rather keep two records of one paper than
make one of two papers:

0. What a person took apart stays apart (`Paper.apart`).
1. Conflicting identifiers (two DOIs of publications, two arXiv ids) are two papers, whatever else agrees.
2. A shared identifier is one paper, unless title and authors both say otherwise; the DOI of a volume is none.
3. Without one, the titles must agree, the authors fit, the years be close, and the venues not exclude each other.
   Titles that many works bear (“Editorial”) prove nothing; a long title may stand without year or authors.
"""

from __future__ import annotations

import hashlib
import re

from engine.retrieval.merging.people import compare_people, find_blocking_surname
from engine.retrieval.merging.titles import (
    HEAD_LETTERS,
    compare_titles,
    is_generic,
    is_long,
    is_recurrent,
    title_letters,
    title_similarity,
    title_words,
)
from engine.retrieval.merging.venues import are_different_venues, is_published
from engine.text import fold
from engine.values import Paper, PaperKey

_REPOSITORY = re.compile(
    r"doi:10\.(?:48550|2139|31234|31235|31219|31223|31224|35542|21203|20944|36227|26434|5281|6084|13140|22541|32388|"
    r"33774|14293|17605|31222|55458|5555)/|doi:10\.1101/(?=\d)"
)
"""DOIs of preprints and of repositories: a publication has another one beside it. 10.5555 is the ACM's for what has no
DOI there."""

_VOLUME = re.compile(
    r"doi:(?:10\.\d{4,9}/(?:b?97[89][-\d]{10,14}|[a-z]*\d{6,8})|10\.18653/v1/[\d.]*[a-z]\w*-[a-z]\w*|10\.18653/v1/[a-z]\d\d-\d"
    r"|10\.1109/[a-z]+\d*(?:\.\d{4})?|10\.4230/lipics\.[a-z]+\.\d{4})$"
)
"""DOIs of whole volumes: a book by its ISBN, proceedings by their number or acronym."""

_VERSION = re.compile(r"(?<=[\d\w])(?:[/_.]v\d+|(?<=\d)v\d+)$")
_NUMBERED_VERSION = re.compile(r"(doi:10\.(?:12688|12659|7554|3310)/.+?\d)\.\d{1,2}$")


def find_shared_identifiers(one: Paper, other: Paper) -> frozenset[PaperKey]:
    """Identifiers of both that one paper alone can have; that of a volume is none, nor one made from a title."""
    first, second = (
        {i for i in (p.key, *p.identifiers) if not i.startswith("title:") and not is_volume(i)} for p in (one, other)
    )
    return frozenset(first & second)


def are_in_conflict(one: Paper, other: Paper) -> bool:
    """Whether both have an identifier of one kind of which a paper has one only, and they differ.

    A preprint's DOI beside its publication's is no conflict, nor are two versions of one DOI, nor is a chapter's DOI
    beside that of its volume.
    """
    mine, others = _by_kind(one), _by_kind(other)
    return any(
        not (
            mine[kind] & others[kind]
            or any(_is_within(a, b) or _is_within(b, a) for a in mine[kind] for b in others[kind])
        )
        for kind in mine.keys() & others.keys()
    )


def _by_kind(paper: Paper) -> dict[str, set[str]]:
    """Identifiers by their kind; the DOIs of each repository are a kind of their own."""
    found: dict[str, set[str]] = {}
    for identifier in (paper.key, *paper.identifiers):
        kind = identifier.partition(":")[0]
        if kind == "doi":
            named = _NUMBERED_VERSION.fullmatch(identifier)
            identifier = PaperKey(named[1] if named else _VERSION.sub("", identifier))
            kind = identifier.partition("/")[0] if _REPOSITORY.match(identifier) else kind
        if kind.startswith("doi") or kind in {"arxiv", "acl", "pmid", "pmcid"}:
            found.setdefault(kind, set()).add(identifier)
    return found


def _is_within(part: str, volume: str) -> bool:
    return is_volume(volume) and part.startswith(volume) and part != volume


def is_volume(identifier: str) -> bool:
    """Whether an identifier is that of a whole book or of proceedings, which all papers in it share."""
    return bool(_VOLUME.match(identifier))


PREPRINT_YEARS, PUBLISHED_YEARS = 2, 1
"""Years between a preprint and its publication, and between two records of one: online first, then in print."""

MOST_IN_BLOCK = 30
"""Where more papers have one blocking key (a series of one author), it says nothing and is not compared by."""

BLOCKING_VERSION = 6
"""Raised whenever `list_blocking_keys` gives other keys for a record: what a library keeps of them is made anew."""

UNLIKE = 0.6
"""Below this similarity two titles are two works, if nothing but an identifier joins them."""


def same_paper(one: Paper, other: Paper) -> bool:
    """Whether two records describe one paper."""
    if are_apart(one, other) or are_in_conflict(one, other):
        return False
    shared = find_shared_identifiers(one, other)
    if shared and not _is_mistaken(one, other, all(i.startswith("doi:") for i in shared)):
        return True
    return not shared and (_are_alike(one, other) or _are_identical(one, other))


def are_apart(one: Paper, other: Paper) -> bool:
    """Whether a person said that they are two papers."""
    return one.key in other.apart or other.key in one.apart


def list_blocking_keys(paper: Paper) -> list[str]:
    """Strings of which records of one paper have at least one in common, so that only these need be compared.

    Its identifiers; the title; the beginning and the end of the title, each with the first author's surname.
    """
    keys: list[str] = [paper.key, *paper.identifiers]
    letters = title_letters(paper.title)
    if letters and not is_generic(paper.title):
        keys.append(f"whole:{_digest(letters)}")
        if author := find_blocking_surname(paper.authors):
            keys.append(f"head:{_digest(letters[:HEAD_LETTERS] + author)}")
            keys.append(f"tail:{_digest(letters[-HEAD_LETTERS:] + author)}")
    return list(dict.fromkeys(keys))


def _is_mistaken(one: Paper, other: Paper, only_a_doi: bool) -> bool:  # noqa: FBT001 - one question about one value
    """Whether titles and authors speak against a shared identifier; of a DOI, often the volume's, titles alone may."""
    people = compare_people(one.authors, other.authors)
    titles = compare_titles(one.title, other.title)
    if titles in {"same", "near", "shortened"}:
        return False
    unlike = title_similarity(one.title, other.title) < UNLIKE
    if not only_a_doi:
        return unlike and people == "different"
    if is_recurrent(one.title) != is_recurrent(other.title):
        return True
    if people in {"different", "unknown"} or are_different_venues(one.venue, other.venue):
        return unlike
    return unlike and bool(one.year and other.year) and abs((one.year or 0) - (other.year or 0)) > PREPRINT_YEARS


def _are_identical(one: Paper, other: Paper) -> bool:
    """Whether two records that bear one key made from them say the same in every field that describes a paper."""
    return one.key == other.key and one.key.startswith("title:") and describe_record(one) == describe_record(other)


def describe_record(paper: Paper) -> tuple[object, ...]:
    """What tells two records apart that may be versions of one: what describes the paper, and its identifiers."""
    own = frozenset(i for i in paper.identifiers if not i.startswith("title:"))
    return title_letters(paper.title), tuple(map(fold, paper.authors)), paper.year, fold(paper.venue), own


def _are_alike(one: Paper, other: Paper) -> bool:
    """Whether title, authors, years and venues together say that it is one paper."""
    titles = compare_titles(one.title, other.title)
    if titles == "other" or is_generic(one.title) or is_generic(other.title):
        return False
    people = compare_people(one.authors, other.authors)
    if people == "different" or are_different_venues(one.venue, other.venue):
        return False
    apart = abs(one.year - other.year) if one.year and other.year else None
    both_published = is_published(one) and is_published(other)
    if apart is not None and apart > (PUBLISHED_YEARS if both_published else PREPRINT_YEARS):
        return False
    if apart != 0 and (is_recurrent(one.title) or is_recurrent(other.title)):
        return False
    if titles == "shortened" and (people != "same" or (apart and both_published)):
        return False  # a later paper often adds a subtitle to an earlier one's title
    if titles != "same":
        return people == "same" and (apart or 0) <= PUBLISHED_YEARS
    if people == "same":
        is_short = len(title_words(one.title)) <= 2
        return not is_short or apart in {0, 1}
    if people == "overlap":
        return len(title_words(one.title)) >= 4 and apart in {0, 1}
    return is_long(one.title) or (apart == 0 and len(title_words(one.title)) >= 4)


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
