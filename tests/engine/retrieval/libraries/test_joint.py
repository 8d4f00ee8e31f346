"""A person's own papers beside the shared library: no record is poorer for having come first."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.retrieval.libraries.combined import JointLibrary, complete_records
from engine.retrieval.libraries.local import create_library
from engine.retrieval.matching import match_line
from engine.values import Paper, PaperKey, Query
from tests.fakes import papers

KNOWN = papers(50)


def bare(known: Paper, number: int) -> Paper:
    """The record of an export: no abstract, and of every second paper no identifier that the library has."""
    poor = replace(known, abstract="", venue="", citations=None)
    own = PaperKey(f"doi:10.5555/{number}")
    return replace(poor, key=own, identifiers=(own,)) if number % 2 else poor


@pytest.fixture
async def both(tmp_path: Path) -> AsyncIterator[JointLibrary]:
    own, shared = await create_library(tmp_path / "own"), await create_library(tmp_path / "shared")
    await shared.add(KNOWN)
    await own.add([bare(known, number) for number, known in enumerate(KNOWN)])
    for library in (own, shared):
        await library.index(lambda _: None)
    yield JointLibrary(own, shared)


async def test_papers_of_an_export_that_the_library_has_keep_their_abstracts(both: JointLibrary) -> None:
    sent = [bare(known, number) for number, known in enumerate(KNOWN)]
    found = await both.get([paper.key for paper in sent])
    assert [paper.abstract for paper in found] == [known.abstract for known in KNOWN]
    searched = await both.search(Query(KNOWN[1].title, 20))
    assert searched
    assert all(item.paper.abstract for item in searched)


async def test_a_line_of_a_list_is_the_fuller_record(both: JointLibrary) -> None:
    for line in (KNOWN[2].title, f"doi:10.5555/{3}"):
        matched = await match_line(line, both, None)
        assert matched.paper.abstract


async def test_what_the_person_wrote_stays_where_the_library_says_less(both: JointLibrary) -> None:
    shared = await both.get([KNOWN[0].key])
    own = replace(KNOWN[0], abstract="", summary="A note of mine.", authors=("Ada Stone", "Ida Moss", "Lea Marsh"))
    (whole,) = await complete_records([own], both)
    assert (whole.summary, whole.authors, whole.abstract) == ("A note of mine.", own.authors, shared[0].abstract)
