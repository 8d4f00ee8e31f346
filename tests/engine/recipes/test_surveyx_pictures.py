"""Figures out of cited papers in a survey by SurveyX: whose licence allows it, near what is said, credited."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from PIL import Image

from bot.wording.survey_text import why_figure
from engine.errors import LanguageModelError, RetrievalError
from engine.reading.full_text import FullText
from engine.reading.paper_figures import PaperFigure, Picture
from engine.recipes.surveyx_material import prepare
from engine.recipes.surveyx_pictures import FigureSearch, add_paper_figures
from engine.rendering.files import FORMATS, as_json, from_json
from engine.survey import Citation, Claim, Reproduction, Section, Survey, SurveyWarning, walk
from engine.values import Outline, OutlineNode, Paper, PaperKey, Passage
from engine.writing.assembly import add_warnings
from tests.engine.recipes.test_surveyx import context
from tests.fakes import FakeModel, papers
from tests.stand_ins.simulation import simulate_answer

HOSTILE = "An encoder [@arxiv:6666.66666] <script>alert(1)</script> \\input{x} #read("
FREE = {"CC BY 4.0", "CC BY-SA 4.0", "CC Zero"}


def drawn() -> Picture:
    buffer = io.BytesIO()
    Image.new("RGB", (300, 200), "white").save(buffer, "PNG")
    return Picture("png", 300, 200, base64.b64encode(buffer.getvalue()).decode())


@dataclass
class Illustrated:
    """Every paper's text can be had, under one licence after the other, with a figure near its abstract."""

    broken: frozenset[str] = frozenset()
    licences: Sequence[str] = ("CC BY 4.0", "CC BY-NC-ND 4.0", "CC BY-SA 4.0", "")
    given: dict[PaperKey, str] = field(default_factory=dict)
    fetched: list[str] = field(default_factory=list)

    async def read(self, papers: Sequence[Paper], most: int, on_read: object) -> dict[PaperKey, FullText]:
        body = (Passage("A question is answered.", "1 Introduction"),)
        self.given = {p.key: self.licences[i % len(self.licences)] for i, p in enumerate(papers)}
        return {p.key: FullText(p.title, p.abstract, body, "", self.given[p.key], (self.figure(p),)) for p in papers}

    @staticmethod
    def figure(of: Paper) -> PaperFigure:
        return PaperFigure("3", f"{of.abstract} {HOSTILE}", f"https://arxiv.org/html/{of.key}/x3.png")

    async def fetch_picture(self, address: str) -> Picture:
        self.fetched.append(address)
        if address in self.broken:
            raise RetrievalError("arxiv.org answered 404.")
        return drawn()


CITED = {"Dense Retrieval": papers(6), "Graph Networks": papers(6, "graph", 101)}
OUTLINE = Outline("A Survey", tuple(OutlineNode(title) for title in CITED))


def written() -> Survey:
    """Two sections that cite six papers each."""
    sections = []
    for title, cited in CITED.items():
        claims = tuple(Claim(f"{p.abstract} [@{p.key}].", (Citation(p.key, "", "supported"),)) for p in cited)
        sections.append(Section(title, " ".join(claim.text for claim in claims), claims))
    return Survey("A Survey", "", tuple(sections), tuple(p for cited in CITED.values() for p in cited))


async def survey_with(texts: Illustrated, most: int, seen_by: FakeModel | None = None) -> Survey:
    survey, warnings = written(), list[SurveyWarning]()
    run = context(seen_by or FakeModel(simulate_answer), texts=texts)
    prepared = await prepare(survey.references, run, with_trees=False)
    search = FigureSearch(prepared, run, texts, most, look=seen_by is not None)
    survey = await add_paper_figures(survey, OUTLINE, search, warnings)
    return add_warnings(survey, warnings)


def shown(survey: Survey) -> list[Reproduction]:
    return [f for section in survey.sections for f in section.figures if isinstance(f, Reproduction)]


async def test_figures_of_cited_papers_whose_licence_allows_it_are_shown_with_credit() -> None:
    texts = Illustrated()
    survey = await survey_with(texts, 2)
    figures = shown(survey)
    assert len(figures) == 2
    assert len({figure.key for figure in figures}) == 2
    for section in survey.sections:
        own = [figure for figure in section.figures if isinstance(figure, Reproduction)]
        cited = {c.key for _, part in walk((section,)) for claim in part.claims for c in claim.citations}
        assert len(own) <= 1
        assert {figure.key for figure in own} <= cited
    for figure in figures:
        paper = next(p for p in survey.references if p.key == figure.key)
        assert figure.licence == texts.given[figure.key]
        assert figure.licence in FREE
        assert all(part in figure.caption for part in (figure.licence, paper.title, "Figure 3", figure.address))
        assert figure.licence in why_figure(survey, figure, 1)
    assert "arxiv:6666.66666" not in "".join(re.findall(r"\[@[^\]]+\]", "".join(f.caption for f in figures)))


async def test_no_figure_is_shown_unless_it_is_asked_for_and_free() -> None:
    texts = Illustrated()
    assert shown(await survey_with(texts, 0)) == []
    unfree = Illustrated(licences=("CC BY-NC-SA 4.0", "arXiv.org perpetual non-exclusive license", ""))
    assert shown(await survey_with(unfree, 4)) == []
    assert texts.fetched == unfree.fetched == []


async def test_a_picture_that_cannot_be_had_is_said_and_the_next_takes_its_place() -> None:
    first = (await survey_with(Illustrated(), 1)).sections
    address = next(f.address for s in first for f in s.figures if isinstance(f, Reproduction))
    survey = await survey_with(Illustrated(frozenset({address})), 1)
    (figure,) = shown(survey)
    assert figure.address != address
    assert [w.kind for w in survey.warnings if "is not shown: arxiv.org answered 404" in w.detail] == ["unfinished"]


async def test_every_format_shows_them_and_nothing_of_a_caption_is_markup() -> None:
    survey = await survey_with(Illustrated(), 1)
    (figure,) = shown(survey)
    assert shown(from_json(as_json(survey))) == [figure]
    files = {name: form(survey) for name, form in FORMATS.items()}
    page = files["html"].decode()
    assert f"data:image/png;base64,{figure.base64}" in page
    assert "<script>alert(1)" not in page
    assert f"](<{figure.address}>)" in files["md"].decode()
    assert files["pdf"].startswith(b"%PDF")
    assert all(files[name] for name in ("docx", "tex"))


async def test_a_model_that_sees_the_pictures_chooses_and_says_what_one_shows_or_none() -> None:
    answers = ['{"figure": 2, "shows": "Two towers of boxes joined by an arrow."}', '{"figure": 0, "shows": ""}']
    model = FakeModel(lambda _, __: answers.pop(0))
    texts = Illustrated(licences=("CC BY 4.0",))
    (figure,) = shown(await survey_with(texts, 2, model))
    assert figure.address == texts.fetched[1]
    assert "A model that looked at it says: Two towers of boxes joined by an arrow." in figure.introduction
    assert [len(request.prompt.images) for request in model.requests] == [4, 4]
    assert all(image.kind == "png" for image in model.requests[0].prompt.images)
    assert '<figure number="1">' in model.requests[0].prompt.question


async def test_where_no_model_can_look_the_nearest_figure_is_shown_and_that_is_said() -> None:
    def refuse(_: str, __: str) -> str:
        raise LanguageModelError("this model takes no pictures", retryable=False)

    texts = Illustrated(licences=("CC BY 4.0",))
    survey = await survey_with(texts, 1, FakeModel(refuse))
    assert shown(survey)[0].address == texts.fetched[0]
    assert any("no model looked at the figures" in warning.detail for warning in survey.warnings)
