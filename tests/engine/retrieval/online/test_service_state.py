"""What an installation remembers of its services: outages, allowances, paces, and how it names itself."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import pytest

from engine.errors import RetrievalError
from engine.retrieval.online.crossref import Crossref
from engine.retrieval.online.openalex import OpenAlex
from engine.retrieval.online.queries import query_of
from engine.retrieval.online.semantic_scholar import SemanticScholar
from engine.retrieval.online.transport import OnlineTransport, ProcessCache, ServicePolicy, user_agent
from engine.values import PaperKey
from tests.fakes import MovedClock, papers
from tests.scholarly_server import Scholarly, scholarly

POLICY = ServicePolicy(0.0)
SOME = papers(20)


@pytest.fixture
async def site() -> AsyncIterator[Scholarly]:
    async with scholarly(SOME) as service:
        yield service


def scholar(site: Scholarly, web: OnlineTransport) -> SemanticScholar:
    return SemanticScholar(web, "", site.url, POLICY)


def open_alex(site: Scholarly, web: OnlineTransport) -> OpenAlex:
    return OpenAlex(web, "", f"{site.url}/openalex", POLICY)


async def test_an_outage_is_waited_for_once_by_all_jobs(site: Scholarly, web: OnlineTransport) -> None:
    site.fault = lambda _, __: "503"
    with pytest.raises(RetrievalError, match="answered 503"):
        await scholar(site, web).find(query_of("dense retrieval"), 5)
    calls = len(site.calls)
    assert calls > 2
    with pytest.raises(RetrievalError, match="answered 503"):
        await scholar(site, web).find(query_of("retrieval"), 5)
    assert len(site.calls) == calls + 1
    site.fault = lambda _, __: None
    assert (await scholar(site, web).find(query_of("retrieval"), 5))[0]
    site.fault = lambda _, __: "503"
    with pytest.raises(RetrievalError):
        await scholar(site, web).find(query_of("graph attention"), 5)
    assert len(site.calls) > calls + 3


async def test_a_service_that_asks_for_an_hour_is_left_alone_by_all_jobs(
    site: Scholarly, web: OnlineTransport, clock: MovedClock
) -> None:
    site.fault = lambda _, __: "429 later"
    with pytest.raises(RetrievalError):
        await scholar(site, web).find(query_of("dense retrieval"), 5)
    with pytest.raises(RetrievalError, match=r"asked again in 3,\d+ seconds") as error:
        await scholar(site, web).find(query_of("retrieval"), 5)
    assert error.value.retryable and len(site.calls) == 1
    clock.at_s += 3_601.0
    site.fault = lambda _, __: None
    assert (await scholar(site, web).find(query_of("retrieval"), 5))[0]


async def test_an_answer_that_cannot_be_used_is_no_outage(site: Scholarly, web: OnlineTransport) -> None:
    site.fault = lambda _, __: "no data"
    with pytest.raises(RetrievalError):
        await scholar(site, web).find(query_of("dense retrieval"), 5)
    site.fault = lambda _, __: None
    assert (await scholar(site, web).find(query_of("dense retrieval"), 5))[0]


async def test_open_alex_says_by_403_that_it_is_asked_too_often(site: Scholarly, web: OnlineTransport) -> None:
    site.fault = lambda _, call: "403" if call == 0 else None
    assert (await open_alex(site, web).find(query_of("dense retrieval"), 5))[0]
    assert [call.status for call in site.calls] == [403, 200]


async def test_the_allowance_is_read_and_spent_sparsely(
    site: Scholarly, web: OnlineTransport, clock: MovedClock
) -> None:
    site.add(papers(300, "vision", 2_000))
    asked = open_alex(site, web)
    assert await asked.allowance() is None
    assert len((await asked.find(query_of("image segmentation"), 250))[0]) == 250
    assert len(site.calls) == 3
    site.left = 0.1
    assert await asked.lookup([SOME[0].key])
    assert await asked.allowance() == (0.1, 1.0)
    assert len((await asked.find(query_of("object detection"), 250))[0]) <= 100
    assert len(site.calls) == 5
    with pytest.raises(RetrievalError, match="allowance"):
        await asked.most_cited("dense retrieval", 10)
    clock.at_s += 61.0
    assert await asked.allowance() is None and (await asked.most_cited("dense retrieval", 10))[0]


async def test_papers_are_looked_up_in_one_call(site: Scholarly, web: OnlineTransport) -> None:
    asked = open_alex(site, web)
    unknown = PaperKey("doi:10.1/none")
    assert set(await asked.lookup([SOME[0].key, unknown])) == {SOME[0].key}
    before = len(site.calls)
    assert set(await asked.lookup([*(p.key for p in SOME), unknown])) == {p.key for p in SOME}
    assert len(site.calls) == before + 1


def test_we_name_ourselves_and_those_who_run_us() -> None:
    assert user_agent("me@lab.org").endswith("; mailto:me@lab.org)")
    assert user_agent("https://lab.org").endswith("; https://lab.org)")
    assert re.fullmatch(r"Scholium/[\d.]+ \([\w ]+\)", user_agent(""))


@pytest.mark.parametrize(("contact", "least_s", "most_s"), [("", 1.0, 2.0), ("me@lab.org", 1 / 3, 0.99)])
async def test_crossrefs_lists_are_asked_at_its_published_rates(
    site: Scholarly, clock: MovedClock, contact: str, least_s: float, most_s: float
) -> None:
    asking = OnlineTransport(ProcessCache(clock), contact, clock)
    await Crossref(asking, f"{site.url}/crossref", ServicePolicy()).find_retracted(
        [PaperKey(f"doi:10.1/{n}") for n in range(40)]
    )
    await asking.close()
    assert least_s <= sum(clock.slept) <= most_s
