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

from engine.retrieval.merging.identifiers import are_in_conflict, find_shared_identifiers
from engine.retrieval.merging.people import People, compare_people, find_blocking_surname
from engine.retrieval.merging.titles import (
    HEAD_LETTERS,
    Titles,
    compare_titles,
    is_cut_off,
    is_generic,
    is_long,
    is_recurrent,
    notice_kind,
    title_letters,
    title_similarity,
    title_words,
)
from engine.retrieval.merging.venues import are_different_venues, is_published
from engine.text import fold
from engine.values import Paper

PREPRINT_YEARS = 2
"""Years between a preprint and its publication."""

PUBLISHED_YEARS = 1
"""Years between two records of one publication: online first, then in print."""

MOST_IN_BLOCK = 30
"""Where more papers have one blocking key (a series of one author), it says nothing and is not compared by."""

BLOCKING_VERSION = 4
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
    """Whether title and authors speak against the identifier that two records share.

    A DOI is often that of the proceedings, so there the titles alone may say so; other identifiers are a paper's own.
    """
    people = compare_people(one.authors, other.authors)
    titles = compare_titles(one.title, other.title)
    if titles in {Titles.SAME, Titles.NEAR, Titles.SHORTENED}:
        return False
    unlike = title_similarity(one.title, other.title) < UNLIKE
    if not only_a_doi:
        return unlike and people is People.DIFFERENT
    if titles is Titles.SERIES or notice_kind(one.title) != notice_kind(other.title):
        return True
    return unlike and (people in {People.DIFFERENT, People.UNKNOWN} or _are_two_publications(one, other))


def _are_two_publications(one: Paper, other: Paper) -> bool:
    """Whether venues or years show two publications."""
    apart = abs(one.year - other.year) if one.year and other.year else 0
    return apart > PREPRINT_YEARS or are_different_venues(one.venue, other.venue)


def _are_identical(one: Paper, other: Paper) -> bool:
    """Whether two records without any identifier say the same in every field that describes a paper."""
    mine, others = ({p.key, *p.identifiers} for p in (one, other))
    if not all(key.startswith("title:") for key in mine | others) or (is_generic(one.title) and not mine & others):
        return False
    facts = [(title_letters(p.title), tuple(map(fold, p.authors)), p.year, fold(p.venue)) for p in (one, other)]
    return facts[0] == facts[1]


def _are_alike(one: Paper, other: Paper) -> bool:
    """Whether title, authors, years and venues together say that it is one paper."""
    titles = compare_titles(one.title, other.title)
    if titles in {Titles.OTHER, Titles.SERIES} or is_generic(one.title) or is_generic(other.title):
        return False
    people = compare_people(one.authors, other.authors)
    if people is People.DIFFERENT or are_different_venues(one.venue, other.venue):
        return False
    apart = abs(one.year - other.year) if one.year and other.year else None
    both_published = is_published(one) and is_published(other)
    if apart is not None and apart > (PUBLISHED_YEARS if both_published else PREPRINT_YEARS):
        return False
    if apart != 0 and (is_recurrent(one.title) or is_recurrent(other.title)):
        return False
    if titles is Titles.SHORTENED and (
        not (people is People.SAME or _is_only_cut_off(one.title, other.title)) or (apart and both_published)
    ):
        return False  # a later paper often adds a subtitle to an earlier one's title
    if titles is not Titles.SAME:
        return people is People.SAME and (apart or 0) <= PUBLISHED_YEARS
    if people is People.SAME:
        is_short = len(title_words(one.title)) <= 2
        return not is_short or apart in {0, 1}
    if people is People.OVERLAP:
        return len(title_words(one.title)) >= 4 and apart in {0, 1}
    return is_long(one.title) or (apart == 0 and len(title_words(one.title)) >= 4)


def _is_only_cut_off(one: str, other: str) -> bool:
    """Whether a title ends in “…” after so much that it is one work's; such a list cuts off the authors too."""
    return any(is_cut_off(title) and is_long(title) for title in (one, other))


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
