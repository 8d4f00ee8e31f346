"""References of anybody's survey: exact before similar, and online where the library has none, with the evidence."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from engine.errors import RetrievalError
from engine.evaluation.documents import Reference
from engine.evaluation.references import existence, judge_titles, resolve_online, resolve_references
from engine.retrieval.libraries.local import LocalLibrary
from engine.retrieval.online.sources import Online
from engine.values import Paper, PaperKey
from tests.fakes import paper

ELSEWHERE = paper(900, title="A Study of Battery Recycling in Europe", identifiers=(PaperKey("doi:10.1234/battery"),))


class Known(Online):
    """Online sources that know one paper."""

    async def get(self, keys: Sequence[PaperKey]) -> dict[PaperKey, Paper]:
        return {key: ELSEWHERE for key in keys if key in ELSEWHERE.identifiers}

    async def find_by_title(self, title: str) -> Paper | None:
        return ELSEWHERE


class Away(Online):
    """Online sources that do not answer."""

    async def get(self, keys: Sequence[PaperKey]) -> dict[PaperKey, Paper]:
        raise RetrievalError("Semantic Scholar is away.")

    async def find_by_title(self, title: str) -> Paper | None:
        raise RetrievalError("Semantic Scholar is away.")


def test_the_same_title_is_taken_before_a_similar_one_that_ranks_higher() -> None:
    near, same = paper(1, title="Dense Retrieval with Passages II"), paper(2, title="Dense Retrieval with Passages")
    found = judge_titles(Reference("1", same.title, same.title), [near, same], "in this library")
    assert (found.finding, found.paper) == ("real", same)


@pytest.mark.parametrize(
    ("reference", "finding", "evidence"),
    [
        (Reference("1", f"B. Author. {ELSEWHERE.title}. 2020.", ELSEWHERE.title), "real", ELSEWHERE.key),
        (
            Reference("1", "Recycled. doi:10.1234/battery", "Something Else"),
            "real with wrong metadata",
            "10.1234",
        ),
        (Reference("1", "x", "A Study of Battery Recycling in Asia"), "real with wrong metadata", ELSEWHERE.title),
        (Reference("1", "x", "Nobody Has Ever Written This Paper"), "not found", "not online"),
    ],
)
async def test_what_the_library_does_not_have_is_looked_up_online(
    library: LocalLibrary, reference: Reference, finding: str, evidence: str
) -> None:
    found = await resolve_online(await resolve_references([reference], library), Known())
    assert found[0].finding == finding
    assert evidence in found[0].why


async def test_a_service_that_is_away_proves_nothing(library: LocalLibrary) -> None:
    listed = await resolve_references([Reference("1", "x", "A Study of Battery Recycling")], library)
    found = await resolve_online(listed, Away())
    assert "could not be looked up online: Semantic Scholar is away." in found[0].why
    scores = existence(found, "main", online=True)
    assert "and online" in scores[-1].how
