"""References of anybody's survey: exact before similar, and online where the library has none, with the evidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import pytest

from engine.errors import RetrievalError
from engine.evaluation.documents import Reference
from engine.evaluation.references import (
    count_shared_titles,
    existence,
    judge_titles,
    overlap,
    resolve_online,
    resolve_references,
    similarity,
)
from engine.retrieval.libraries.local import LocalLibrary
from engine.retrieval.online.openalex import OpenAlex
from engine.retrieval.online.semantic_scholar import SemanticScholar
from engine.retrieval.online.sources import Online
from engine.values import Paper, PaperKey
from tests.fakes import paper

ELSEWHERE = paper(
    900,
    title="A Study of Battery Recycling in Europe",
    identifiers=(PaperKey("doi:10.1234/battery"),),
    authors=("Ada Byron", "Jan van den Berg"),
    year=2020,
)

WORDS = ["Battery", "Glass", "Paper", "Steel", "Water", "Copper", "Cotton", "Timber", "Solvent", "Concrete"]


class Source:
    """A service that knows some papers, and of each question the closest title; it is away where it knows ``None``."""

    def __init__(self, name: str, papers: Sequence[Paper] | None) -> None:
        self.name, self._papers, self.asked = name, papers, list[str]()

    def _known(self) -> Sequence[Paper]:
        if self._papers is None:
            raise RetrievalError(f"{self.name} is away.", retryable=True)
        return self._papers

    async def lookup(self, keys: Sequence[PaperKey]) -> dict[PaperKey, Paper]:
        return {key: paper for paper in self._known() for key in keys if key in paper.identifiers}

    async def match(self, title: str) -> Paper | None:
        self.asked.append(title)
        return max(self._known(), key=lambda paper: similarity(title, paper.title), default=None)

    async def find_by_titles(self, titles: Sequence[str]) -> list[Paper]:
        return [paper for paper in self._known() if paper.title in titles]


def sources(first: Sequence[Paper] | None, second: Sequence[Paper] | None) -> Online:
    return Online(
        cast(SemanticScholar, Source("Semantic Scholar", first)), open_alex=cast(OpenAlex, Source("OpenAlex", second))
    )


def test_the_same_title_is_taken_before_a_similar_one_that_ranks_higher() -> None:
    near, same = paper(1, title="Dense Retrieval with Passages II"), paper(2, title="Dense Retrieval with Passages")
    found = judge_titles(Reference("1", same.title, same.title), [near, same], "in this library")
    assert (found.finding, found.paper) == ("real", same)


@pytest.mark.parametrize(
    ("reference", "finding", "evidence"),
    [
        (Reference("1", f"B. Author. {ELSEWHERE.title}.", ELSEWHERE.title), "real with wrong metadata", "Ada Byron"),
        (Reference("1", f"J. van den Berg et al. {ELSEWHERE.title}. 2018.", ELSEWHERE.title), "real", ELSEWHERE.key),
        (Reference("1", f"{ELSEWHERE.title}. 10.1234/battery", ELSEWHERE.title), "real", ELSEWHERE.key),
        (Reference("1", f"{ELSEWHERE.title}. 2009, pages 2020-2030"), "real with wrong metadata", "the year is 2020"),
        (Reference("1", "Recycled. doi:10.1234/battery", "Something Else"), "real with wrong metadata", "Europe"),
        (
            Reference("1", "A. Byron. A Study of Battery Recycling in Asia.", "A Study of Battery Recycling in Asia"),
            "real with wrong metadata",
            ELSEWHERE.title,
        ),
        (Reference("1", "x", "A Study of Battery Recycling in Asia"), "not found", ELSEWHERE.title),
        (Reference("1", f"Another {ELSEWHERE.title} and Asia. 2020."), "not found", "not online"),
        (Reference("1", "x", "Nobody Has Ever Written This Paper"), "not found", "not online"),
    ],
)
async def test_what_the_library_does_not_have_is_looked_up_online(
    library: LocalLibrary, reference: Reference, finding: str, evidence: str
) -> None:
    listed = await resolve_references([reference], library)
    found = await resolve_online(listed, sources([ELSEWHERE], []))
    assert found[0].finding == finding
    assert evidence in found[0].why


async def test_what_one_source_does_not_know_the_next_is_asked_for(library: LocalLibrary) -> None:
    similar = paper(901, title="A Study of Battery Recycling in Norway")
    by_title, by_doi = Reference("1", "x", ELSEWHERE.title), Reference("2", f"{ELSEWHERE.title}. 10.1234/battery")
    listed = await resolve_references([by_title, by_doi], library)
    online = sources([similar], [ELSEWHERE])
    assert [item.finding for item in await resolve_online(listed, online)] == ["real", "real"]
    online = sources([ELSEWHERE], [similar])
    assert [item.finding for item in await resolve_online(listed, online)] == ["real", "real"]
    assert not cast(Source, online.open_alex).asked


async def test_a_service_that_is_away_proves_nothing(library: LocalLibrary) -> None:
    listed = await resolve_references([Reference("1", "x", "A Study of Battery Recycling")], library)
    found = await resolve_online(listed, sources(None, None))
    assert found[0].why == "could not be looked up online: OpenAlex is away. Semantic Scholar is away."
    assert "and online" in existence(found, "main", online=True)[-1].how
    found = await resolve_online(listed, sources(None, []))
    assert found[0].why == "not online; Semantic Scholar is away."


async def test_many_titles_are_asked_for_together_and_only_the_rest_one_by_one(library: LocalLibrary) -> None:
    known = [paper(910 + n, title=f"{word} Recycling in Practice") for n, word in enumerate(WORDS)]
    references = [Reference(str(n), p.title, p.title) for n, p in enumerate(known)]
    references.append(Reference("misspelt", "A. Author. Batery Recyling in Practice.", "Batery Recyling in Practice"))
    listed = await resolve_references(references, library)
    online, told = sources([], known), []

    async def tell(words: str) -> None:
        told.append(words)

    found = await resolve_online(listed, online, tell)
    assert [item.finding for item in found] == ["real"] * len(known) + ["real with wrong metadata"]
    assert cast(Source, online.scholar).asked == [references[-1].title]
    assert told == [f"references online: {n} of 11" for n in (10, 11)]


def test_shared_references_are_counted_once() -> None:
    own = ["A Survey of Graph Networks", "A survey of graph networks.", "Something Else Entirely Here"]
    human = ["A Survey of Graph  Networks", "Somethin Else Entirely Here", "A Third One"]
    assert count_shared_titles(own, human) == 2
    iou, coverage = overlap([Reference("", t, t) for t in own[1:]], [Reference("", t, t) for t in human])
    assert (iou.value, coverage.value) == (pytest.approx(2 / 3), pytest.approx(2 / 3))
