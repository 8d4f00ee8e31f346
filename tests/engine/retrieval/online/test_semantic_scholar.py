"""Semantic Scholar as it really is: what it refuses, what it says of it, and the package that asks it for us."""

from __future__ import annotations

import inspect
import logging
from collections.abc import AsyncIterator
from typing import get_args

import pytest
from semanticscholar import AsyncSemanticScholar
from semanticscholar.ApiRequester import ApiRequester

from engine.errors import RetrievalError
from engine.options import KINDS
from engine.retrieval.online.queries import BooleanQuery, Field, query_of
from engine.retrieval.online.semantic_scholar import SemanticScholar
from engine.retrieval.online.transport import ServicePolicy, reason_of
from engine.values import Paper, PaperKey, YearRange
from tests.fakes import MovedClock, papers
from tests.scholarly_server import Scholarly, number, scholarly, transport
from tests.service_rules import refusal

SOME = papers(12)
UNKNOWN = PaperKey("arxiv:9999.99999")
FIRST_FIELDS = "title,authors.name"


@pytest.fixture
async def site() -> AsyncIterator[Scholarly]:
    async with scholarly(SOME) as service:
        yield service


@pytest.fixture
async def scholar(site: Scholarly) -> AsyncIterator[SemanticScholar]:
    async with transport(MovedClock()) as web:
        yield SemanticScholar(web, "secret-key", site.url, ServicePolicy(0.0))


async def ask_everything(scholar: SemanticScholar, key: PaperKey) -> None:
    await scholar.find(query_of("dense retrieval", YearRange(2001, None)), 5)
    await scholar.find(BooleanQuery((("dense retrieval",),), YearRange(None, 2030), KINDS, get_args(Field)), 5)
    await scholar.most_cited("dense retrieval", 5, YearRange(2001, 2030))
    await scholar.match(SOME[0].title)
    await scholar.lookup([key])
    await scholar.references([key])
    await scholar.vectors([key])
    await scholar.citations(key)
    await scholar.recommendations([key], [SOME[1].key])


async def test_nothing_that_we_ask_is_refused_and_all_of_it_goes_through_our_transport(
    site: Scholarly, scholar: SemanticScholar
) -> None:
    await ask_everything(scholar, SOME[0].key)
    assert [call.status for call in site.calls] == [200] * 10
    assert {call.headers["x-api-key"] for call in site.calls} == {"secret-key"}
    assert all(call.headers["user-agent"].startswith("Scholium/") for call in site.calls)


def test_the_package_still_asks_through_the_part_that_we_replace() -> None:
    client = AsyncSemanticScholar()
    assert type(client._requester) is ApiRequester
    assert list(inspect.signature(ApiRequester.get_data_async).parameters) == [
        "self",
        "url",
        "parameters",
        "headers",
        "payload",
    ]


@pytest.mark.parametrize(
    ("path", "query", "body", "status", "reason"),
    [
        ("/graph/v1/paper/x/citations", {"fields": FIRST_FIELDS}, None, 400, "fields: [authors.name]"),
        ("/recommendations/v1/papers/", {"fields": FIRST_FIELDS}, {}, 400, "fields: [authors.name]"),
        ("/graph/v1/paper/search/bulk", {"query": "a", "fields": "tldr"}, None, 400, "fields: [tldr]"),
        ("/graph/v1/paper/search", {"query": "a", "limit": "101"}, None, 400, "'limit' must be <= 100"),
        ("/graph/v1/paper/search", {"query": "a", "year": "soon"}, None, 400, "[year=soon]"),
        ("/graph/v1/paper/search", {"query": "a", "fieldsOfStudy": "Magic"}, None, 400, "[fieldsOfStudy=Magic]"),
        ("/graph/v1/paper/search", {"query": "a", "publicationTypes": "Blog"}, None, 400, "[publicationTypes=Blog]"),
        ("/graph/v1/paper/search", {"query": "a", "offset": "950"}, None, 400, "not available"),
        ("/graph/v1/paper/search", {"query": " "}, None, 400, "'query'"),
        ("/graph/v1/paper/batch", {"fields": "title"}, {"ids": ["no such form"]}, 400, "No valid paper ids"),
        ("/recommendations/v1/papers/", {}, {"positivePaperIds": []}, 400, "No positive paper examples"),
        ("/graph/v2/paper/search", {"query": "a"}, None, 404, "Not Found"),
    ],
)
def test_the_stand_in_refuses_what_the_service_refuses(
    path: str, query: dict[str, str], body: object, status: int, reason: str
) -> None:
    refused = refusal(path, query, body)
    assert refused is not None
    assert refused[0] == status
    assert reason in refused[1]


async def test_the_reason_is_the_services_own(site: Scholarly, scholar: SemanticScholar) -> None:
    site.fault = lambda _, __: "refused"
    with pytest.raises(RetrievalError, match=r"\(400\): Unacceptable query params: \[year=soon\]"):
        await scholar.find(query_of("dense retrieval"), 5)


def test_reasons_are_read_from_what_services_answer() -> None:
    assert reason_of('{"error": "Bad\\nfields"}') == "Bad fields"
    assert reason_of('{"error": "Invalid filter", "message": "Unknown field"}') == "Invalid filter. Unknown field"
    assert reason_of('{"error": {"code": 3}}') == reason_of("<html>") == reason_of("[1]") == ""


async def test_a_lookup_of_papers_that_nobody_knows_is_no_outage(scholar: SemanticScholar) -> None:
    assert await scholar.lookup([UNKNOWN]) == {}
    assert await scholar.references([UNKNOWN]) == {}


async def test_a_search_that_finds_nothing_ends(site: Scholarly, scholar: SemanticScholar) -> None:
    assert await scholar.find(query_of("zebra zoology"), 50) == ([], 0.0)
    assert len(site.calls) == 1


async def test_unknown_papers_are_dropped_from_recommendations(site: Scholarly, scholar: SemanticScholar) -> None:
    known, disliked = SOME[0], SOME[1]
    found = await scholar.recommendations([UNKNOWN, known.key], [disliked.key, PaperKey("doi:10.1/none")])
    assert found and known.key not in {paper.key for paper in found}
    assert [call.status for call in site.calls] == [200, 200]
    number_of = known.key.removeprefix("arxiv:")
    assert site.calls[-1].body["positivePaperIds"] == [f"ARXIV:{number_of}"]
    assert len(site.calls[-1].body["negativePaperIds"]) == 1
    assert await scholar.recommendations([UNKNOWN]) == []


async def test_papers_by_the_services_own_ids_are_certain(site: Scholarly, scholar: SemanticScholar) -> None:
    own = PaperKey(f"s2:{number(SOME[0])}")
    assert await scholar.recommendations([own, UNKNOWN])
    looked_up, asked = site.calls
    assert looked_up.body == {"ids": ["ARXIV:9999.99999"]}
    assert asked.body["positivePaperIds"] == [number(SOME[0])]


async def test_a_paper_goes_by_the_services_own_id_where_it_has_one(scholar: SemanticScholar) -> None:
    found = (SOME[0], Paper(UNKNOWN, "T", identifiers=(UNKNOWN, PaperKey("s2:a1"))))
    assert scholar.names_of(found) == [SOME[0].key, "s2:a1"]


async def test_the_package_leaves_the_programs_logging_alone(scholar: SemanticScholar) -> None:
    before = list(logging.getLogger().handlers)
    await scholar.lookup([UNKNOWN, SOME[0].key])
    assert logging.getLogger().handlers == before
