"""Figures out of cited papers (SurveyX, 3.2.3): where the licence allows it, each in the section it is nearest to.

SurveyX lets a multimodal model choose by the context of a figure. Here the embeddings of caption and context rank them;
where it is allowed to see them, the model chooses among the nearest and says what the picture shows.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from engine.citations import remove_citations
from engine.errors import LanguageModelError, LimitExceeded, ScholiumError
from engine.llm.model import PlainText, PromptImage, Request, TypedAnswer
from engine.llm.prompting import data, fill
from engine.reading.paper_figures import PaperFigure, Picture, is_reusable
from engine.recipes.surveyx_material import Preparation, author_and_year
from engine.retrieval.embedding import Embedder
from engine.run import RunContext
from engine.survey import Reproduction, Section, Survey, SurveyWarning, walk
from engine.text import clean, shorten
from engine.values import Outline, Paper, PaperKey

LEAST_LIKENESS = 0.25
"""Cosine of a figure's context and a section's text under which the figure shows something else."""

CAPTION_CHARACTERS = 240
LOOKED_AT = 4
"""Figures of a section that a model looks at."""
ANSWER_TOKENS = 256


@dataclass(frozen=True, slots=True)
class ChosenFigure:
    """A figure of a paper for the section at ``place`` (from 0)."""

    place: int
    key: PaperKey
    figure: PaperFigure
    likeness: float


class FigureAnswer(TypedAnswer):
    """The number of the figure chosen, from 1, 0 for none; and what can be seen in it."""

    figure: int
    shows: PlainText = ""


@dataclass(frozen=True, slots=True)
class SeenFigure:
    """A figure with its picture, and, where a model looked at it, what it shows."""

    choice: ChosenFigure
    picture: Picture
    shows: str = ""


@dataclass(frozen=True)
class FigureSearch:
    """At most ``most`` figures for a survey; with ``look`` a model chooses by looking at the pictures."""

    prepared: Preparation
    context: RunContext
    most: int
    look: bool = False


async def add_paper_figures(
    survey: Survey, outline: Outline, search: FigureSearch, warnings: list[SurveyWarning]
) -> Survey:
    """The survey with figures of papers that it cites, one for a section and one of a paper.

    A picture that cannot be had is reported, and the next best takes its place.
    """
    if not search.most or search.context.pictures is None:
        return survey
    body = {node.title for node in outline.nodes if node.role == "body"}
    places = [place for place, section in enumerate(survey.sections) if section.title in body]
    embedder = search.context.embedder
    ranked = await asyncio.to_thread(rank_figures, survey.sections, places, search.prepared, embedder)
    added: dict[int, Reproduction] = {}
    shown: set[PaperKey] = set()
    for place in dict.fromkeys(choice.place for choice in ranked):
        if len(added) == search.most:
            break
        section = survey.sections[place]
        own = [choice for choice in ranked if choice.place == place and choice.key not in shown]
        if seen := await _choose_figure(section, own, search, warnings):
            added[place] = _reproduce(seen, search.prepared)
            shown.add(seen.choice.key)
    sections = [
        replace(section, figures=(*section.figures, added[place])) if place in added else section
        for place, section in enumerate(survey.sections)
    ]
    return replace(survey, sections=tuple(sections))


async def _choose_figure(
    section: Section, ranked: Sequence[ChosenFigure], search: FigureSearch, warnings: list[SurveyWarning]
) -> SeenFigure | None:
    """The nearest whose picture can be had; or, of some of these, the one that a model chooses, if any."""
    wanted = LOOKED_AT if search.look and search.context.model else 1
    seen: list[SeenFigure] = []
    for choice in ranked:
        if len(seen) == wanted:
            break
        assert search.context.pictures is not None
        try:
            seen.append(SeenFigure(choice, await search.context.pictures.fetch_picture(choice.figure.address)))
        except ScholiumError as error:
            title = clean(search.prepared.material.papers[choice.key].title)
            what = f"figure {choice.figure.number} of “{title}” is not shown: {error}"
            warnings.append(SurveyWarning("unfinished", section.title, what))
    if not seen or wanted == 1:
        return seen[0] if seen else None
    assert search.context.model is not None
    request = _build_request(section, seen)
    try:
        answer = await search.context.model.answer_typed(request, FigureAnswer)
    except (LanguageModelError, LimitExceeded) as error:
        what = f"no model looked at the figures, the nearest is shown: {error}"
        warnings.append(SurveyWarning("unfinished", section.title, what))
        return seen[0]
    if not 1 <= answer.figure <= len(seen):
        return None
    return replace(seen[answer.figure - 1], shows=answer.shows)


def _build_request(section: Section, seen: Sequence[SeenFigure]) -> Request:
    figures = "\n".join(
        f'<figure number="{number}">{data(clean(one.choice.figure.caption))}</figure>'
        for number, one in enumerate(seen, start=1)
    )
    text = data(remove_citations(_whole_text(section)))
    prompt = fill("surveyx/figures", title=data(section.title), text=text, figures=figures)
    images = tuple(PromptImage(one.picture.kind, one.picture.base64) for one in seen)
    return Request("judging", f"figures/{section.title}", replace(prompt, images=images), ANSWER_TOKENS, 0.0)


def _reproduce(seen: SeenFigure, prepared: Preparation) -> Reproduction:
    choice, picture = seen.choice, seen.picture
    paper, licence = prepared.material.papers[choice.key], prepared.texts[choice.key].licence
    said = f" A model that looked at it says: {seen.shows.rstrip('.')}." if seen.shows else ""
    return Reproduction(
        _credit(paper, choice.figure, licence),
        choice.key,
        choice.figure.address,
        licence,
        picture.kind,
        picture.width,
        picture.height,
        picture.base64,
        f"{{}} is taken from “{clean(paper.title)}”.{said}",
    )


def rank_figures(
    sections: Sequence[Section], places: Sequence[int], prepared: Preparation, embedder: Embedder
) -> list[ChosenFigure]:
    """The reusable figures of the papers that these sections cite, each in the section it is nearest to, best first."""
    found = [(place, key, figure) for place in places for key, figure in _reusable(sections[place], prepared)]
    if not found:
        return []
    texts = [f"{sections[place].title}. {_whole_text(sections[place])}" for place in places]
    vectors = embedder.embed([*texts, *(figure.context() for _, _, figure in found)])
    likeness = vectors[: len(places)] @ vectors[len(places) :].T
    choices = [
        ChosenFigure(place, key, figure, float(likeness[places.index(place), at]))
        for at, (place, key, figure) in enumerate(found)
    ]
    best: dict[str, ChosenFigure] = {}
    for choice in sorted(choices, key=lambda choice: -choice.likeness):
        if choice.likeness >= LEAST_LIKENESS:
            best.setdefault(choice.figure.address, choice)
    return list(best.values())


def _reusable(section: Section, prepared: Preparation) -> Iterator[tuple[PaperKey, PaperFigure]]:
    """Figures of the papers that a section cites, whose licence lets them be shown here."""
    cited = {c.key: None for _, part in walk((section,)) for claim in part.claims for c in claim.citations}
    for key in cited:
        text = prepared.texts.get(key)
        if text is not None and is_reusable(text.licence):
            yield from ((key, figure) for figure in text.figures)


def _whole_text(section: Section) -> str:
    return " ".join(part.text for _, part in walk((section,)))


def _credit(paper: Paper, figure: PaperFigure, licence: str) -> str:
    """What attribution asks for: caption, authors, title, address and licence."""
    said = shorten(clean(figure.caption), CAPTION_CHARACTERS)
    where = f"Figure {figure.number} of {author_and_year(paper)}, “{clean(paper.title)}”"
    ended = said if said.endswith((".", "…")) else f"{said}."
    return f"{ended} Source: {where}, {figure.address}, licence: {licence}; size changed."
