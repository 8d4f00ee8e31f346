"""Figures out of cited papers (SurveyX, 3.2.3): where the licence allows it, each in the section it is nearest to.

SurveyX lets a multimodal model choose by the context of a figure; here the embeddings of caption and context choose,
so that no picture is sent anywhere.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from engine.errors import ScholiumError
from engine.reading.paper_figures import PaperFigure, is_reusable
from engine.recipes.surveyx_material import Preparation, author_and_year
from engine.retrieval.embedding import Embedder
from engine.run import RunContext
from engine.survey import Reproduction, Section, Survey, SurveyWarning, walk
from engine.text import clean, shorten
from engine.values import Outline, Paper, PaperKey

LEAST_LIKENESS = 0.25
"""Cosine of a figure's context and a section's text under which the figure shows something else."""

CAPTION_CHARACTERS = 240


@dataclass(frozen=True, slots=True)
class ChosenFigure:
    """A figure of a paper for the section at ``place`` (from 0)."""

    place: int
    key: PaperKey
    figure: PaperFigure
    likeness: float


async def add_paper_figures(
    survey: Survey,
    outline: Outline,
    prepared: Preparation,
    context: RunContext,
    most: int,
    warnings: list[SurveyWarning],
) -> Survey:
    """The survey with at most so many figures of papers that it cites, one for a section and one of a paper.

    A picture that cannot be had is reported, and the next best takes its place.
    """
    if not most or context.pictures is None:
        return survey
    body = {node.title for node in outline.nodes if node.role == "body"}
    places = [place for place, section in enumerate(survey.sections) if section.title in body]
    ranked = await asyncio.to_thread(rank_figures, survey.sections, places, prepared, context.embedder)
    added: dict[int, Reproduction] = {}
    shown: set[PaperKey] = set()
    for choice in ranked:
        if len(added) == most:
            break
        if choice.place in added or choice.key in shown:
            continue
        try:
            picture = await context.pictures.fetch_picture(choice.figure.address)
        except ScholiumError as error:
            paper, where = prepared.material.papers[choice.key], survey.sections[choice.place].title
            what = f"figure {choice.figure.number} of “{clean(paper.title)}” is not shown: {error}"
            warnings.append(SurveyWarning("unfinished", where, what))
            continue
        paper, licence = prepared.material.papers[choice.key], prepared.texts[choice.key].licence
        added[choice.place] = Reproduction(
            _credit(paper, choice.figure, licence),
            choice.key,
            choice.figure.address,
            licence,
            picture.kind,
            picture.width,
            picture.height,
            picture.base64,
            f"{{}} is taken from “{clean(paper.title)}”.",
        )
        shown.add(choice.key)
    sections = [
        replace(section, figures=(*section.figures, added[place])) if place in added else section
        for place, section in enumerate(survey.sections)
    ]
    return replace(survey, sections=tuple(sections))


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
