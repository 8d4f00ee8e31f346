"""Background from Wikipedia, quoted or collected by a model, cited as an encyclopedia."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from aiohttp import web

from adapters.http_server import serve_http
from engine.errors import RetrievalError, UserError
from engine.options import QuickOptions
from engine.rendering.bibliography import bibtex, ris
from engine.retrieval.embedding import FittedOnTopic
from engine.retrieval.libraries.library import EmptyLibrary
from engine.retrieval.libraries.local import LocalLibrary
from engine.retrieval.online.transport import ServicePolicy
from engine.retrieval.online.wikipedia import Wikipedia
from engine.revising.background import PageAnswer, Statement, SummaryAnswer, TopicAnswer, add_background
from engine.run import RunContext
from engine.survey import Survey, walk
from engine.values import Brief, FoundPaper, PaperSelection
from tests.fakes import FakeModel, MovedClock, claim, papers, section
from tests.lab import opened
from tests.scholarly_server import transport

TEXT = (
    "Dense retrieval finds documents by vectors. It is used in search engines.\n\n\n== History ==\n\n"
    "It began in 2013 with [@word] embeddings.\n\n\n=== Later ===\n\nThen came transformers."
)


@dataclass
class Encyclopedia:
    """A stand-in of the MediaWiki service."""

    url: str = ""
    status: int = 200
    asked: list[dict[str, str]] = field(default_factory=list)

    async def answer(self, request: web.Request) -> web.Response:
        query = dict(request.query)
        self.asked.append(query)
        if self.status != 200:
            return web.Response(status=self.status)
        pages: list[dict[str, Any]] = [
            {"index": 2, "title": "Search engine", "extract": "A search engine searches."},
            {"index": 1, "title": "Dense retrieval", "extract": TEXT.split("\n", maxsplit=1)[0]},
        ]
        if "titles" in query:
            revision = {"revid": 42, "timestamp": "2026-05-01T00:00:00Z"}
            pages = [{"title": query["titles"], "extract": TEXT, "revisions": [revision]}]
        return web.json_response({"query": {"pages": pages}})


@pytest.fixture
async def site(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Encyclopedia]:
    service = Encyclopedia()
    application = web.Application()
    application.router.add_get("/w/api.php", service.answer)
    async with serve_http(application, "127.0.0.1", 0) as port:
        service.url = f"http://127.0.0.1:{port}"
        monkeypatch.setenv("WIKIPEDIA_URL", service.url)
        yield service


CITED = papers(1)[0]
SELECTION = PaperSelection((FoundPaper(CITED, 1.0),))
QUOTE = CITED.abstract.split(". ", maxsplit=1)[0]
INTRODUCTION = section("Introduction", claim(CITED, QUOTE).text)
SURVEY = Survey("S", "", (INTRODUCTION, section("Body", f"More [@{CITED.key}].")), (CITED,))
BRIEF = Brief("dense retrieval")


QUESTION = Brief("Why does dense retrieval beat sparse retrieval?", quick=QuickOptions())


async def explained(
    site: Encyclopedia, model: FakeModel | None, survey: Survey = SURVEY, brief: Brief = BRIEF
) -> Survey:
    async with transport(MovedClock()) as browser:
        wikipedia = Wikipedia(browser, site.url, ServicePolicy(0.0))
        context = RunContext(EmptyLibrary(), FittedOnTopic(), model=model, wikipedia=wikipedia)
        return await add_background(brief, SELECTION, survey, context)


async def test_without_a_model_it_is_quoted_and_cited_as_an_encyclopedia(site: Encyclopedia) -> None:
    survey = await explained(site, None)
    assert "Wikipedia says “Dense retrieval finds documents by vectors”" in survey.sections[0].text
    assert survey.sections[1] == SURVEY.sections[1]
    article = survey.references[1]
    assert (article.key, article.year, article.venue) == ("wikipedia:Dense_retrieval.42", 2026, "Wikipedia")
    assert article.url.endswith("title=Dense_retrieval&oldid=42")
    assert "TY  - ENCYC" in ris([article]) and "Wikipedia, the free encyclopedia" in bibtex([article])
    assert [c.verdict for c in survey.sections[0].claims[0].citations] == ["quoted", "quoted"]
    with pytest.raises(UserError, match="already"):
        await explained(site, None, survey)


async def test_with_a_model_only_what_the_article_says_is_taken(site: Encyclopedia) -> None:
    def reply(prompt: str, kind: str) -> str:
        if kind == "PageAnswer":
            assert prompt.index("Dense retrieval") < prompt.index("Search engine")
            return PageAnswer(reason="it explains it", number=1).model_dump_json()
        said = [
            Statement(sentence="It began in 2013 [@arxiv:1].", quote="It began in 2013"),
            Statement(sentence="It was invented on Mars.", quote="invented on Mars"),
            Statement(sentence="It was told on Mars that it began in 1998.", quote="It began in 2013"),
        ]
        return SummaryAnswer(reason="it helps", relevant=True, statements=said).model_dump_json()

    model = FakeModel(reply)
    survey = await explained(site, model)
    assert "It began in 2013" in survey.sections[0].text and "Mars" not in survey.sections[0].text
    assert {p.key for p in survey.references} == {CITED.key, "wikipedia:Dense_retrieval.42"}
    assert site.asked[0]["gsrlimit"] == "20"
    assert {r.temperature for r in model.requests} == {0.2}


@pytest.mark.parametrize(
    ("number", "relevant", "why"), [(0, True, "none fits"), (7, True, "none fits"), (1, False, "no use")]
)
async def test_where_no_article_helps_the_reason_is_said(
    site: Encyclopedia, number: int, *, relevant: bool, why: str
) -> None:
    def reply(_: str, kind: str) -> str:
        if kind == "PageAnswer":
            return PageAnswer(reason="none fits", number=number).model_dump_json()
        return SummaryAnswer(reason="no use", relevant=relevant, statements=[]).model_dump_json()

    with pytest.raises(UserError, match=why):
        await explained(site, FakeModel(reply))


async def test_a_question_is_looked_up_by_its_subject(site: Encyclopedia) -> None:
    def reply(prompt: str, kind: str) -> str:
        if kind == "TopicAnswer":
            assert QUESTION.topic in prompt
            return TopicAnswer(topic="Vector retrieval").model_dump_json()
        if kind == "PageAnswer":
            return PageAnswer(reason="it explains it", number=1).model_dump_json()
        assert "Introduction; Body; Part" in prompt, "what the review asks stands in its subsections"
        said = [Statement(sentence="It began in 2013.", quote="It began in 2013")]
        return SummaryAnswer(reason="it helps", relevant=True, statements=said).model_dump_json()

    body = replace(SURVEY.sections[1], sections=(section("Part", "More."),))
    survey = await explained(site, FakeModel(reply), replace(SURVEY, sections=(INTRODUCTION, body)), QUESTION)
    assert "It began in 2013" in survey.sections[0].text
    quoted = await explained(site, None, brief=QUESTION)
    assert "Dense retrieval finds documents by vectors" in quoted.sections[0].text
    assert [asked["gsrsearch"] for asked in site.asked if "gsrsearch" in asked] == [
        "Vector retrieval",
        QUESTION.topic,
    ]


async def test_an_outage_is_an_error(site: Encyclopedia) -> None:
    site.status = 503
    with pytest.raises(RetrievalError, match="Wikipedia answered 503"):
        await explained(site, None)


async def test_in_a_conversation_it_can_be_undone(site: Encyclopedia, library: LocalLibrary) -> None:
    async with opened() as lab:
        (said,) = await lab.chat.say("background")
        assert "Name a topic first" in said.text
        await lab.talk("survey dense retrieval", "ok", "ok", "ok", "background")
        assert "Wikipedia says" in (await lab.survey()).sections[0].text
        before = await lab.survey()
        place = next(n for n, part in walk(before.sections) if n != "1" and not part.sections)
        await lab.talk(f"rewrite {place}: open problem")
        assert await lab.survey() != before, lab.chat.last
        assert any(p.key.startswith("wikipedia:") for p in (await lab.survey()).references)
        await lab.talk("undo 2")
        assert "Wikipedia says" not in (await lab.survey()).sections[0].text
