"""Surveys whose papers come from online sources, from topic to files, in a chat."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.retrieval.libraries.local import LocalLibrary
from engine.values import PaperKey
from tests.fakes import HERE, papers
from tests.lab import opened
from tests.scholarly_server import Scholarly, scholarly


@pytest.fixture
async def site(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Scholarly]:
    async with scholarly([*papers(60), *papers(20, "graph", 101)]) as service:
        monkeypatch.setenv("SEMANTIC_SCHOLAR_API_KEY", "k")
        monkeypatch.setenv("SEMANTIC_SCHOLAR_API_URL", service.url)
        monkeypatch.setenv("OPENALEX_API_URL", f"{service.url}/openalex")
        monkeypatch.setenv("ARXIV_API_URL", f"{service.url}/arxiv")
        monkeypatch.setenv("CROSSREF_API_URL", f"{service.url}/crossref")
        monkeypatch.setenv("SCHOLIUM_ONLINE_SECONDS", "1")
        monkeypatch.setenv("SCHOLIUM_SEMANTIC_SCHOLAR_PER_SECOND", "100")
        yield service


async def test_a_survey_from_online_papers_alone(site: Scholarly, tmp_path: Path) -> None:
    wrong = PaperKey("doi:10.1000/wrong")
    site.add([replace(papers(1, start=500)[0], key=wrong, identifiers=(wrong,), citations=9_000)])
    site.retracted = {wrong}
    old = replace(papers(1, "vision", 900)[0], title="Attention", abstract="A thing of general use.", year=1998)
    site.add([old])
    site.cites = {p.key: (old.key,) for p in papers(40)}
    async with opened() as lab:
        await lab.talk("survey dense retrieval library=online", "ok")
        state = await lab.state()
        assert state.brief and state.brief.library == "" and state.brief.online
        assert state.papers is not None
        titles = [f.paper.title for f in state.papers.found]
        assert "Attention" in titles and len(titles) > 40
        assert [o.paper.key for o in state.papers.all_left_out()] == [wrong]
        await lab.chat.say("sources")
        shown = lab.chat.last
        for expected in (
            "Semantic Scholar",
            "cited by the papers found",
            "Repeats of a paper",
            "was retracted",
        ):
            assert expected in shown
        pages = []
        for page in range(1, len(titles) // 15 + 2):
            await lab.chat.say(f"show papers {page}")
            pages.append(lab.chat.last)
        assert "cited by 40 of the papers found" in "".join(pages)
        await lab.talk("ok", "ok", "export md json")
        survey = await lab.survey()
        known = {p.key for p in state.papers.list_included()}
        assert survey.references and {p.key for p in survey.references} <= known
        document = next(Path(p) for p in lab.chat.sent[-1].files if Path(p).suffix == ".md").read_text("utf-8")
        assert "Semantic Scholar" in document and "retracted by its publisher" in document
        assert "Records found" in document


async def test_a_retracted_paper_is_taken_in_only_by_asking_for_it(site: Scholarly) -> None:
    wrong = PaperKey("doi:10.1000/wrong")
    site.add([replace(papers(1, start=500)[0], key=wrong, identifiers=(wrong,))])
    site.retracted = {wrong}
    async with opened() as lab:
        await lab.talk("survey dense retrieval library=online", "ok")
        state = await lab.state()
        assert state.papers
        place = [f.paper.key for f in state.papers.found].index(wrong) + 1
        await lab.chat.say("show")
        assert "**retracted** · **excluded**" in lab.chat.last
        await lab.talk(f"include {place}")
        state = await lab.state()
        assert state.papers and wrong in {p.key for p in state.papers.list_included()}
        await lab.talk(f"papers: {wrong}\n{papers(1)[0].key}")
        state = await lab.state()
        assert state.papers and [p.key for p in state.papers.list_included()] == [papers(1)[0].key]


async def test_a_quick_review_of_online_papers_needs_no_model_and_no_library(site: Scholarly) -> None:
    async with opened() as lab:
        await lab.talk("quick does dense retrieval help? library=online background=no")
        survey = await lab.survey()
        assert survey.references and "A service failed" not in lab.chat.last


async def test_where_no_source_answers_that_is_said_and_nothing_is_made_up(site: Scholarly) -> None:
    site.fault = lambda _, __: "503"
    async with opened() as lab:
        (*_, last) = await lab.chat.say("survey dense retrieval library=online")
        assert "No online source could be searched" in last.text and "answered 503" in last.text
        assert (await lab.state()).keywords is None
        site.fault = lambda _, __: None
        (*_, last) = await lab.chat.say("ok")
        assert "Keywords" in last.text


async def test_the_library_is_enough_where_online_sources_are_away(site: Scholarly, library: LocalLibrary) -> None:
    async with opened() as lab:
        site.fault = lambda _, __: "503"
        await lab.talk("survey dense retrieval", "ok")
        state = await lab.state()
        assert state.papers and len(state.papers.found) >= 12
        await lab.chat.say("sources")
        assert "main" in lab.chat.last and "answered 503" in lab.chat.last


async def test_who_took_over_is_told_with_the_papers(site: Scholarly) -> None:
    site.fault = lambda where, _: "503" if where == "s2" else None
    async with opened() as lab:
        await lab.talk("survey dense retrieval library=online", "ok")
        assert "⚠ instead of Semantic Scholar: Semantic Scholar answered 503" in lab.chat.last
        state = await lab.state()
        assert state.papers and {s.source for s in state.papers.searches} >= {"OpenAlex", "citation graph"}


async def test_library_and_online_are_one_list(site: Scholarly, library: LocalLibrary) -> None:
    async with opened() as lab:
        await lab.talk("survey dense retrieval", "ok")
        state = await lab.state()
        assert state.papers
        keys = [f.paper.key for f in state.papers.found]
        assert len(keys) == len(set(keys))
        assert {p.key for p in papers(12)} <= set(keys)
        assert len(keys) > 30
        assert state.papers.repeats >= 12


async def test_only_papers_of_the_kinds_and_places_that_were_named_are_gathered(
    site: Scholarly, library: LocalLibrary
) -> None:
    site.add(replace(p, kinds=("clinical trial",)) for p in papers(9, start=300))
    async with opened() as lab:
        (*_, keywords) = await lab.chat.say('survey dense retrieval types=trial places="semantic scholar"')
        assert "Papers are searched for only of the kind clinical trial, in semantic scholar alone." in keywords.text
        await lab.talk("ok")
        assert "only of the kind clinical trial" in lab.chat.last
        state = await lab.state()
        assert state.papers and {f.paper.key for f in state.papers.found} == {p.key for p in papers(9, start=300)}
        assert {s.source for s in state.papers.searches} == {"Semantic Scholar"}
        (said,) = await lab.chat.say("survey dense retrieval types=poem")
        assert "types=poem is not possible; write some of: review, meta-analysis" in said.text
        (*_, said) = await lab.chat.say("survey dense retrieval types=trial places=library")
        assert "no papers of the kind clinical trial" in said.text


async def test_all_places_that_were_named_are_searched(site: Scholarly, library: LocalLibrary) -> None:
    async with opened() as lab:
        await lab.talk("survey dense retrieval places=arxiv,openalex", "ok")
        assert not site.asked("s2") and site.asked("arxiv") and site.asked("openalex")
        state = await lab.state()
        assert state.papers and "OpenAlex and arXiv" in {s.source for s in state.papers.searches}


async def test_online_can_be_refused_for_one_survey(site: Scholarly, library: LocalLibrary) -> None:
    async with opened() as lab:
        await lab.talk("survey dense retrieval online=no", "ok")
        assert site.calls == []
        (said,) = await lab.chat.say("start over")
        (said,) = await lab.chat.say("survey dense retrieval library=online online=no")
        assert "library=online searches online" in said.text
        (said,) = await lab.chat.say("survey dense retrieval online=perhaps")
        assert "write one of: yes, no" in said.text


async def test_the_pace_is_one_for_all_that_share_a_store(site: Scholarly, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCHOLIUM_SEMANTIC_SCHOLAR_PER_SECOND", "1")
    monkeypatch.setenv("SCHOLIUM_ONLINE_SECONDS", "30")
    began = time.monotonic()
    async with opened() as lab:
        await lab.talk("survey dense retrieval library=online")
        assert lab.chat.messages()[-1].conversation == HERE
    arrived = sorted(call.at - began for call in site.asked("s2"))
    assert len(arrived) >= 2
    assert all(at >= 1.0 * n for n, at in enumerate(arrived))
