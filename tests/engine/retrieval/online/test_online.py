"""Online sources over the real wire, against stand-ins of the services."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from engine.errors import RetrievalError
from engine.retrieval.online.arxiv import Arxiv, read_feed
from engine.retrieval.online.crossref import Crossref
from engine.retrieval.online.openalex import OpenAlex, abstract_of
from engine.retrieval.online.queries import query_of
from engine.retrieval.online.semantic_scholar import SemanticScholar, to_paper
from engine.retrieval.online.sources import Online
from engine.retrieval.online.transport import OnlineTransport, ProcessCache, ServicePolicy
from engine.values import Paper, PaperKey, YearRange
from tests.fakes import MovedClock, papers
from tests.scholarly_server import Fault, Scholarly, Site, number, s2, scholarly
from tests.servers import free_ports

POLICY = ServicePolicy(0.0)
EVERYTHING = [*papers(30), *papers(20, "graph", 101)]


@pytest.fixture
async def site() -> AsyncIterator[Scholarly]:
    async with scholarly(EVERYTHING) as service:
        yield service


def client(site: Scholarly, web: OnlineTransport, policy: ServicePolicy = POLICY, key: str = "") -> SemanticScholar:
    return SemanticScholar(web, key, site.url, policy)


def everything(site: Scholarly, web: OnlineTransport, policy: ServicePolicy = POLICY) -> Online:
    open_alex = OpenAlex(web, "", f"{site.url}/openalex", policy)
    arxiv = Arxiv(web, f"{site.url}/arxiv", policy)
    crossref = Crossref(web, f"{site.url}/crossref", policy)
    return Online(client(site, web, policy), (open_alex, arxiv), open_alex, crossref)


@pytest.mark.parametrize("text", ["R&D management", "C++ compilers", "a=b&year=1990", "Größe # 100%", "x+y"])
async def test_a_query_arrives_as_it_was_written(site: Scholarly, web: OnlineTransport, text: str) -> None:
    await client(site, web).find(query_of(text), 10)
    (call,) = site.asked("s2")
    assert call.query["query"] == text
    assert set(call.query) == {"query", "fields", "offset", "limit"}


async def test_hyphens_and_operators_are_read_as_words(site: Scholarly, web: OnlineTransport) -> None:
    found, _ = await client(site, web).find(query_of("dense-retrieval"), 5)
    assert found
    await client(site, web).most_cited('dense-"retrieval" | (graph)* +~2', 5)
    assert site.calls[-1].query["query"].split() == ["dense", "retrieval", "graph", "2"]


async def test_limit_is_a_number_of_papers_and_not_a_page(site: Scholarly, web: OnlineTransport) -> None:
    found, _ = await client(site, web).find(query_of("dense retrieval"), 10)
    assert len(found) == 10
    assert len(site.calls) == 1


async def test_pages_are_followed_up_to_the_last_place(site: Scholarly, web: OnlineTransport) -> None:
    site.add(papers(1_100, "vision", 2_000))
    found, _ = await client(site, web).find(query_of("image segmentation"), 5_000)
    assert len(found) == 1_000
    assert len(site.calls) == 10


async def test_years_are_asked_for(site: Scholarly, web: OnlineTransport) -> None:
    found, _ = await client(site, web).find(query_of("dense retrieval", YearRange(2010, None)), 50)
    assert found and all((p.year or 0) >= 2010 for p in found)


@pytest.mark.parametrize("fault", ["500", "502", "503", "504", "html", "no data", "cut", "hang"])
async def test_an_outage_is_an_error_and_never_no_papers(
    site: Scholarly, web: OnlineTransport, clock: MovedClock, fault: Fault
) -> None:
    site.fault = lambda _, __: fault
    policy = replace(POLICY, call_s=0.2, patience_s=1.5) if fault == "hang" else POLICY
    with pytest.raises(RetrievalError) as error:
        await client(site, web, policy).find(query_of("dense retrieval"), 10)
    assert error.value.retryable
    assert sum(clock.slept) <= policy.patience_s


@pytest.mark.parametrize("fault", ["500", "502", "503", "html", "cut", "429"])
async def test_what_passes_is_tried_again(site: Scholarly, web: OnlineTransport, fault: Fault) -> None:
    site.fault = lambda _, call: fault if call < 1 else None
    found, _ = await client(site, web).find(query_of("dense retrieval"), 10)
    assert len(found) == 10
    assert len(site.calls) == 2


async def test_without_a_network_that_is_said_soon(web: OnlineTransport, clock: MovedClock) -> None:
    (port,) = free_ports(1)
    scholar = SemanticScholar(web, "", f"http://127.0.0.1:{port}", POLICY)
    with pytest.raises(RetrievalError, match="could not be reached") as error:
        await scholar.find(query_of("dense retrieval"), 10)
    assert error.value.retryable
    assert sum(clock.slept) < 5


async def test_retry_after_is_obeyed_by_everybody(site: Scholarly, web: OnlineTransport, clock: MovedClock) -> None:
    site.fault = lambda _, call: "429" if call == 0 else None
    await client(site, web).find(query_of("dense retrieval"), 10)
    assert [call.status for call in site.calls] == [429, 200]
    assert clock.slept[-1] == 1.0
    await web.memory.pause("Semantic Scholar", 7.0)
    await client(site, web).find(query_of("graph attention"), 10)
    assert clock.slept[-1] == 7.0


async def test_a_longer_wait_than_our_patience_is_an_error_that_says_so(site: Scholarly, web: OnlineTransport) -> None:
    site.fault = lambda _, __: "429 later"
    with pytest.raises(RetrievalError, match="wait 3,600 seconds"):
        await client(site, web).find(query_of("dense retrieval"), 10)
    assert len(site.calls) == 1


async def test_one_pace_for_all_calls(site: Scholarly, web: OnlineTransport, clock: MovedClock) -> None:
    scholar = client(site, web, ServicePolicy(0.1))
    await asyncio.gather(*(scholar.find(query_of(f"dense retrieval {n}"), 5) for n in range(8)))
    assert len(site.calls) == 8
    assert sorted(clock.slept) == pytest.approx([0.1 * n for n in range(8)])


async def test_an_answer_is_kept_for_its_age_and_used_when_the_service_is_away(
    site: Scholarly, web: OnlineTransport, clock: MovedClock
) -> None:
    for _ in range(2):
        await client(site, web).find(query_of("dense retrieval"), 10)
    assert len(site.calls) == 1
    clock.at_s += POLICY.fresh_s + 1
    await client(site, web).find(query_of("dense retrieval"), 10)
    assert len(site.calls) == 2
    clock.at_s += POLICY.fresh_s + 1
    site.fault = lambda _, __: "503"
    found, _ = await client(site, web).find(query_of("dense retrieval"), 10)
    assert len(found) == 10
    assert len(site.calls) > 2


async def test_the_key_is_sent_and_kept_nowhere(site: Scholarly) -> None:
    memory = ProcessCache()
    web = OnlineTransport(memory)
    await client(site, web, key="secret-key").find(query_of("dense retrieval"), 10)
    await web.close()
    assert site.calls[0].headers["x-api-key"] == "secret-key"
    assert "secret-key" not in repr(memory)


def test_missing_fields_are_no_obstacle() -> None:
    bare = {"paperId": "a1", "title": "T", "abstract": None, "authors": None, "year": None, "externalIds": None}
    assert to_paper(bare) == Paper(
        PaperKey("s2:a1"),
        "T",
        identifiers=(PaperKey("s2:a1"),),
        url="https://www.semanticscholar.org/paper/a1",
        origins=(("title", "Semantic Scholar"), ("url", "Semantic Scholar")),
    )
    assert to_paper({"paperId": "a1", "title": None}) is None
    assert to_paper({"title": "T"}) is None
    nameless = to_paper({**bare, "authors": [{"name": None}, None, {"name": "Ada"}]})
    assert nameless and nameless.authors == ("Ada",)


async def test_lookup_knows_each_kind_of_key_and_leaves_out_what_is_unknown(
    site: Scholarly, web: OnlineTransport
) -> None:
    known = EVERYTHING[3].key
    found = await client(site, web).lookup([PaperKey("arxiv:9999.99999"), known, PaperKey("title:abc")])
    assert list(found) == [known]
    assert found[known].title == EVERYTHING[3].title
    assert site.calls[0].body == {"ids": ["ARXIV:9999.99999", f"ARXIV:{known.removeprefix('arxiv:')}"]}


async def test_references_citations_recommendations_vectors(site: Scholarly, web: OnlineTransport) -> None:
    first, second, third = (p.key for p in EVERYTHING[:3])
    site.cites = {first: (second, third)}
    scholar = client(site, web)
    assert await scholar.references([first]) == {first: tuple(PaperKey(f"s2:{number(p)}") for p in EVERYTHING[1:3])}
    assert [p.title for p in await scholar.citations(second)] == [EVERYTHING[0].title]
    assert await scholar.citations(PaperKey("arxiv:9999.99999")) == []
    assert first not in {p.key for p in await scholar.recommendations([first])}
    assert len((await scholar.vectors([first]))[first]) == 768
    match = await scholar.match(EVERYTHING[5].title)
    assert match and match.key == EVERYTHING[5].key
    assert await scholar.match("No such title anywhere") is None


async def test_when_semantic_scholar_is_away_open_alex_takes_over_and_it_is_said(
    site: Scholarly, web: OnlineTransport
) -> None:
    site.fault = lambda where, _: "503" if where == "s2" else None
    online = everything(site, web)
    searched = await online.search("dense retrieval", 20)
    assert searched.record.source == "OpenAlex"
    assert "instead of Semantic Scholar" in searched.record.note and "503" in searched.record.note
    assert searched.papers[0].abstract.startswith("Systems for")
    calls = len(site.asked("s2"))
    await online.search("graph attention", 20)
    assert len(site.asked("s2")) == calls  # not asked again by this job


async def test_arxiv_is_the_last_resort_and_then_it_is_an_error(site: Scholarly, web: OnlineTransport) -> None:
    site.fault = lambda where, _: "503" if where in {"s2", "openalex"} else None
    searched = await everything(site, web).search("dense retrieval", 20)
    assert searched.record.source == "arXiv"
    assert searched.papers[0].key.startswith("arxiv:")
    site.fault = lambda _, __: "503"
    with pytest.raises(RetrievalError, match=r"No online source.*Semantic Scholar.*OpenAlex.*arXiv"):
        await everything(site, web).search("vision", 20)


@pytest.mark.parametrize(("away", "source"), [(None, "Semantic Scholar"), ("s2", "OpenAlex")])
async def test_foundations_are_found_by_being_cited_whatever_their_words(
    site: Scholarly, web: OnlineTransport, away: Site | None, source: str
) -> None:
    site.fault = lambda where, _: "503" if where == away else None
    old = replace(papers(1, "vision", 900)[0], title="Attention", abstract="Nothing of the kind.")
    site.add([old])
    site.cites = {p.key: (old.key, EVERYTHING[40].key) if i < 9 else (old.key,) for i, p in enumerate(EVERYTHING[:12])}
    online = everything(site, web)
    cited = await online.foundations(EVERYTHING[:30])
    assert cited.source == source
    assert [(paper.title, pointers) for paper, pointers in cited.found] == [
        ("Attention", 12),
        (EVERYTHING[40].title, 9),
    ]
    site.cites = {EVERYTHING[20].key: tuple(p.key for p in EVERYTHING[:5])}
    citing = await online.followers(EVERYTHING[:8])
    assert [(paper.key, pointers) for paper, pointers in citing.found] == [(EVERYTHING[20].key, 5)]
    most = await online.most_cited("dense retrieval", 10)
    counts = [paper.citations or 0 for paper in most.papers]
    assert most.record.source == source
    assert counts and counts == sorted(counts, reverse=True)


async def test_a_graph_that_is_away_is_waited_for_once(site: Scholarly, web: OnlineTransport) -> None:
    site.fault = lambda where, _: "503"
    online = everything(site, web)
    with pytest.raises(RetrievalError):
        await online.foundations(EVERYTHING[:5])
    calls = len(site.calls)
    for question in (online.followers(EVERYTHING[:5]), online.recommend(EVERYTHING[:5], ())):
        with pytest.raises(RetrievalError, match="503"):
            await question
    assert len(site.calls) == calls


@pytest.mark.parametrize("away", [None, "openalex"])
async def test_retracted_papers_are_known_by_either_service(
    site: Scholarly, web: OnlineTransport, away: Site | None
) -> None:
    key = PaperKey("doi:10.1000/wrong")
    wrong = replace(EVERYTHING[0], key=key, identifiers=(key,))
    right = replace(EVERYTHING[1], key=PaperKey("doi:10.1000/right"), identifiers=(PaperKey("doi:10.1000/right"),))
    site.add([wrong, right])
    site.retracted = {key}
    site.fault = lambda where, _: "503" if where == away else None
    assert await everything(site, web).find_retracted([wrong, right]) == {key}
    site.fault = lambda _, __: "503"
    other = replace(wrong, identifiers=(PaperKey("doi:10.1000/other"),))
    with pytest.raises(RetrievalError):
        await everything(site, web).find_retracted([other])


def test_abstracts_come_back_from_their_index() -> None:
    assert abstract_of({"b": [1], "a": [0, 2]}) == "a b a"
    assert abstract_of(None) == ""
    assert abstract_of({"a": ["x", 0], "b": None}) == "a"


def test_feeds_that_are_none_are_errors() -> None:
    for text in ("", "<html/>", "<feed", '<!DOCTYPE f [<!ENTITY x SYSTEM "file:///etc/passwd">]><feed>&x;</feed>'):
        with pytest.raises(ValueError, match="gave an answer that"):
            read_feed(text)


def test_the_stand_in_speaks_with_gaps() -> None:
    bare = replace(EVERYTHING[0], abstract="", authors=())
    assert (s2(bare)["abstract"], s2(bare)["authors"]) == (None, None)


async def test_that_nothing_was_found_is_remembered_for_a_day(
    site: Scholarly, web: OnlineTransport, clock: MovedClock
) -> None:
    unknown = PaperKey("arxiv:9999.99999")
    for _ in range(2):
        assert await client(site, web).match("A Title That Nobody Has Written") is None
        assert await client(site, web).lookup([unknown]) == {}
        assert await OpenAlex(web, "", f"{site.url}/openalex", POLICY).lookup([unknown]) == {}
    assert [call.status for call in site.calls] == [404, 400, 200]
    await clock.sleep(POLICY.absent_s)
    assert await client(site, web).match("A Title That Nobody Has Written") is None
    assert len(site.calls) == 4
    site.fault = lambda _, __: "500"
    await clock.sleep(POLICY.absent_s)
    with pytest.raises(RetrievalError):  # what was not there yesterday proves nothing today
        await client(site, web).match("A Title That Nobody Has Written")


async def test_many_titles_are_asked_for_in_a_few_calls(site: Scholarly, web: OnlineTransport) -> None:
    titles = [p.title for p in EVERYTHING]
    found = await everything(site, web).find_by_titles([*titles, "A Title (That: Nobody) Has, Written"])
    assert {p.title for p in found} == set(titles)
    assert len(site.asked("openalex")) <= len(titles) / 5 and not site.asked("s2")
    assert all(len(call.query["filter"]) <= 2_000 for call in site.calls)
    online = everything(site, web)
    site.fault = lambda _, __: "500"
    assert await online.find_by_titles(["Another Title That Was Not Asked For"]) == []
    assert "OpenAlex" in online.failed
