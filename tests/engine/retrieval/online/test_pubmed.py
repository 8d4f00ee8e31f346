"""PubMed's client against a stand-in that refuses what the service refuses."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from engine.errors import RetrievalError
from engine.retrieval.online.pubmed import AWAY, PubMed, read_numbers, read_records
from engine.retrieval.online.queries import BooleanQuery, query_of
from engine.retrieval.online.transport import ServicePolicy
from engine.values import Paper, PaperKey, YearRange
from tests.fakes import MovedClock, paper
from tests.pubmed_server import KEY, PubMedServer, article, pubmed, record_set
from tests.scholarly_server import transport


def study(number: int, **changes: object) -> Paper:
    own = {"identifiers": (PaperKey(f"doi:10.1000/{number}"), PaperKey(f"pmid:{30_000_000 + number}")), **changes}
    return paper(number, **own)  # type: ignore[arg-type]


@asynccontextmanager
async def client(server: PubMedServer, key: str = "", clock: MovedClock | None = None) -> AsyncIterator[PubMed]:
    async with transport(clock or MovedClock()) as web:
        yield PubMed(web, key, server.url, ServicePolicy(0.0, away=AWAY))


async def test_papers_come_in_the_order_of_the_search_with_their_metadata() -> None:
    first = study(1, abstract="Insulin helps. Insulin lowered glucose by 12 %.", title="Insulin & <sleep>")
    second = study(2, abstract="Insulin was measured once. It changed nothing.")
    async with pubmed([second, first]) as server, client(server) as service:
        found, age = await service.find(query_of("insulin"), 10)
    assert [p.title for p in found] == ["Insulin & <sleep>", second.title]
    assert found[0].key == "doi:10.1000/1"
    assert found[0].identifiers == ("doi:10.1000/1", "pmid:30000001")
    assert found[0].abstract == "Background: Insulin helps. Results: Insulin lowered glucose by 12 %."
    assert found[0].authors == ("Ada Author", "Ben Buddy", "Cleo van der Clue")
    assert (found[0].year, found[0].venue, found[0].url) == (2001, "ACL", "https://pubmed.ncbi.nlm.nih.gov/30000001/")
    assert found[0].citations is None
    assert age == 0.0


async def test_every_call_says_who_asks_and_the_key_is_never_kept() -> None:
    async with pubmed([study(1)]) as server, client(server, KEY) as service:
        await service.find(query_of("dense retrieval"), 10)
        await service.find(query_of("dense retrieval"), 10)
    assert [path for path, _ in server.calls] == ["esearch.fcgi", "efetch.fcgi"]  # asked once, then remembered
    for _, query in server.calls:
        assert (query["db"], query["tool"], query["email"]) == ("pubmed", "scholium", "lab@example.org")
        assert query["api_key"] == KEY


async def test_a_key_that_is_not_known_is_said() -> None:
    async with pubmed([study(1)]) as server, client(server, "wrong") as service:
        with pytest.raises(RetrievalError, match="check its key"):
            await service.find(query_of("retrieval"), 10)


async def test_operators_years_and_kinds_of_publication_arrive() -> None:
    papers = [
        study(1, abstract="Insulin and sleep were compared. It helped.", venue="a review", year=2019),
        study(2, abstract="Insulin alone was given. It helped.", venue="a review", year=2019),
        study(3, abstract="Insulin and sleep were compared. It helped.", venue="a journal", year=2019),
        study(4, abstract="Metformin and sleep were compared. It helped.", venue="a review", year=2010),
        study(5, abstract="Metformin and sleep were compared. It helped.", venue="a review", year=2021),
    ]
    query = BooleanQuery((("insulin", "metformin"), ("sleep",)), YearRange(2015, None), ("review",))
    async with pubmed(papers) as server, client(server) as service:
        found, _ = await service.find(query, 10)
    assert {p.identifiers[0] for p in found} == {"doi:10.1000/1", "doi:10.1000/5"}
    asked = server.calls[0][1]
    assert asked["term"] == '("insulin" OR "metformin") AND "sleep" AND (review[Publication Type])'
    assert (asked["datetype"], asked["mindate"], asked["maxdate"]) == ("pdat", "2015", "3000")


async def test_more_papers_than_one_fetch_may_name_are_fetched_in_parts() -> None:
    async with pubmed(study(n) for n in range(1, 251)) as server, client(server) as service:
        found, _ = await service.find(query_of("dense retrieval"), 240)
    assert len({p.key for p in found}) == 240
    assert [len(query["id"].split(",")) for path, query in server.calls if path == "efetch.fcgi"] == [100, 100, 40]


async def test_nothing_found_is_no_fault_and_no_word_asks_nothing() -> None:
    async with pubmed([study(1)]) as server, client(server) as service:
        assert await service.find(query_of("quantum gravity"), 10) == ([], 0.0)
        assert await service.find(query_of("?!"), 10) == ([], 0.0)
    assert len(server.calls) == 1


@pytest.mark.parametrize("fault", ["429", "500", "html", "backend", "cut", "no list", "proxy"])
async def test_a_failure_that_passes_is_waited_for(fault: str) -> None:
    async with pubmed([study(1)]) as server, client(server) as service:
        server.fault = lambda number: fault if number in {0, 2} else None  # type: ignore[assignment, return-value]
        found, _ = await service.find(query_of("dense retrieval"), 10)
    assert [p.key for p in found] == ["doi:10.1000/1"]
    assert len(server.calls) == 4


@pytest.mark.parametrize("fault", ["429", "500", "html", "backend", "cut", "no list", "proxy"])
async def test_a_failure_that_stays_is_an_error_and_never_an_empty_answer(fault: str) -> None:
    async with pubmed([study(1)]) as server, client(server) as service:
        server.fault = lambda _: fault  # type: ignore[assignment, return-value]
        with pytest.raises(RetrievalError, match="PubMed") as caught:
            await service.find(query_of("dense retrieval"), 10)
        assert caught.value.retryable
        server.fault = lambda _: None
        async with client(server) as later:
            found, _ = await later.find(query_of("dense retrieval"), 10)
    assert len(found) == 1


async def test_the_pace_keeps_within_three_calls_a_second() -> None:
    clock = MovedClock()
    async with pubmed((study(n) for n in range(1, 251)), clock) as server, transport(clock) as web:
        server.per_second = 3
        found, _ = await PubMed(web, "", server.url, ServicePolicy()).find(query_of("dense retrieval"), 250)
    assert len(found) == 250
    assert len(server.calls) == 4  # none was refused


async def test_records_are_looked_up_by_their_numbers() -> None:
    async with pubmed([study(1), study(2)]) as server, client(server) as service:
        keys = [PaperKey("pmid:30000002"), PaperKey("pmid:39999999"), PaperKey("doi:10.1000/1")]
        found = await service.lookup(keys)
    assert list(found) == ["pmid:30000002"]


async def test_numbers_that_cannot_be_any_are_of_no_paper_and_not_asked_for() -> None:
    async with pubmed([study(1)]) as server, client(server) as service:
        assert await service.lookup([PaperKey("pmid:0"), PaperKey("pmid:1234567890")]) == {}
        assert not server.calls
        assert await service.lookup([PaperKey("pmid:39999999")]) == {}
    assert len(server.calls) == 1


def test_what_the_search_says_of_an_error_is_read_though_it_has_line_breaks() -> None:
    with pytest.raises(ValueError, match="did not accept the question: 'retstart' cannot be larger"):
        read_numbers('{"esearchresult":{"ERROR":"\'retstart\' cannot be\nlarger than 9998."}}')


def test_what_records_may_hold_is_read() -> None:
    plain = article("1", replace(study(1), year=None))
    shapes = (
        plain.replace("<Year>None</Year>", "<MedlineDate>1998 Dec-1999 Jan</MedlineDate>"),
        plain.replace("<PMID Version", "<PMID\nVersion")
        .replace('"pubmed">1<', '"pubmed">7<')
        .replace(">1</PMID>", ">7</PMID>"),
        article("2", study(2), retracted=True),
        article("3", replace(study(3), title="[Über den Schlaf]")),
        article("4", replace(study(4), authors=("Trialists",))).replace(
            "<Author><LastName>Trialists</LastName><ForeName></ForeName></Author>",
            "<Author><CollectiveName>The Sleep Trialists</CollectiveName></Author>",
        ),
        article("5", study(5)).replace("Number5", "H<sub>2</sub>O in <i>vivo</i>"),
        "<PubmedArticle><MedlineCitation><PMID>6</PMID></MedlineCitation></PubmedArticle>",
    )
    found = {p.identifiers[-1]: p for p in read_records(record_set("".join(shapes)))}
    assert found[PaperKey("pmid:1")].year == 1998
    assert found[PaperKey("pmid:7")].year is None
    assert found[PaperKey("pmid:2")].retracted
    assert not found[PaperKey("pmid:3")].retracted
    assert found[PaperKey("pmid:3")].title == "Über den Schlaf"
    assert found[PaperKey("pmid:4")].authors == ("The Sleep Trialists",)
    assert found[PaperKey("pmid:5")].title.endswith("H2O in vivo")
    assert "pmid:6" not in found
