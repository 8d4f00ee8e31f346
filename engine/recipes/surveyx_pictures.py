"""Figures out of cited papers (SurveyX, 3.2.3): where the licence allows it, each in the section it is nearest to."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.citations import remove_citations
from engine.errors import LanguageModelError, LimitExceeded, ScholiumError
from engine.llm.model import PlainText, PromptImage, Request, TypedAnswer
from engine.llm.prompting import data, fill
from engine.reading.open_access import FullTexts
from engine.reading.paper_figures import PaperFigure, is_reusable
from engine.recipes.surveyx_material import Material, author_and_year
from engine.retrieval.embedding import Embedder
from engine.run import RunContext
from engine.survey import Reproduction, Section, Survey, SurveyWarning, walk
from engine.text import clean, shorten
from engine.values import Outline, PaperKey

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


class FigureAnswer(TypedAnswer):
    """The number of the figure chosen, from 1, 0 for none; and what can be seen in it."""

    figure: int
    shows: PlainText = ""


@dataclass(frozen=True)
class FigureSearch:
    """At most ``most`` figures for a survey; with ``look`` a model chooses by looking at the pictures."""

    material: Material
    context: RunContext
    texts: FullTexts
    most: int
    look: bool = False


async def add_paper_figures(
    survey: Survey, outline: Outline, search: FigureSearch, warnings: list[SurveyWarning]
) -> Survey:
    """The survey with figures of papers that it cites, one for a section and one of a paper.

    A picture that cannot be had is reported, and the next best takes its place.
    """
    body = {node.title for node in outline.nodes if node.role == "body"}
    sections = list(survey.sections)
    places = [place for place, section in enumerate(sections) if section.title in body]
    ranked = await asyncio.to_thread(rank_figures, sections, places, search.material, search.context.embedder)
    shown: set[PaperKey] = set()
    for place in dict.fromkeys(choice.place for choice in ranked):
        own = [choice for choice in ranked if choice.place == place and choice.key not in shown]
        chosen = await _choose_figure(sections[place], own, search, warnings) if len(shown) < search.most else None
        if chosen:
            sections[place] = replace(sections[place], figures=(*sections[place].figures, chosen))
            shown.add(chosen.key)
    return replace(survey, sections=tuple(sections))


async def _choose_figure(
    section: Section, ranked: Sequence[ChosenFigure], search: FigureSearch, warnings: list[SurveyWarning]
) -> Reproduction | None:
    """The nearest whose picture can be had; or, of some of these, the one that a model chooses, if any."""
    seen: list[Reproduction] = []
    for choice in ranked:
        if len(seen) == (LOOKED_AT if search.look else 1):
            break
        try:
            seen.append(await _reproduce(choice, search))
        except ScholiumError as error:
            title = clean(search.material.papers[choice.key].title)
            what = f"figure {choice.figure.number} of “{title}” is not shown: {error}"
            warnings.append(SurveyWarning("unfinished", section.title, what))
    if not seen or not search.look:
        return seen[0] if seen else None
    listed = "\n".join(f'<figure number="{n}">{data(drawn.caption)}</figure>' for n, drawn in enumerate(seen, start=1))
    text = data(remove_citations(_whole_text(section)))
    prompt = fill("surveyx/figures", title=data(section.title), text=text, figures=listed)
    images = tuple(PromptImage(drawn.kind, drawn.base64) for drawn in seen)
    request = Request("judging", f"figures/{section.title}", replace(prompt, images=images), ANSWER_TOKENS, 0.0)
    try:
        answer = await search.context.require_model().answer_typed(request, FigureAnswer)
    except (LanguageModelError, LimitExceeded) as error:
        what = f"no model looked at the figures, the nearest is shown: {error}"
        warnings.append(SurveyWarning("unfinished", section.title, what))
        return seen[0]
    if not 1 <= answer.figure <= len(seen):
        return None
    chosen = seen[answer.figure - 1]
    said = f" A model that looked at it says: {answer.shows.rstrip('.')}." if answer.shows else ""
    return replace(chosen, introduction=chosen.introduction + said)


async def _reproduce(choice: ChosenFigure, search: FigureSearch) -> Reproduction:
    """The figure with what attribution asks for; raises `ScholiumError` where its picture cannot be had."""
    figure, address = choice.figure, choice.figure.address
    picture = await search.texts.fetch_picture(address)
    paper, licence = search.material.papers[choice.key], search.material.texts[choice.key].licence
    said = shorten(clean(figure.caption), CAPTION_CHARACTERS)
    ended = said if said.endswith((".", "…")) else f"{said}."
    where = f"Figure {figure.number} of {author_and_year(paper)}, “{clean(paper.title)}”"
    caption = f"{ended} Source: {where}, {address}, licence: {licence}; size changed."
    size = (picture.width, picture.height)
    introduction = f"{{}} is taken from “{clean(paper.title)}”."
    return Reproduction(caption, choice.key, address, licence, picture.kind, *size, picture.base64, introduction)


def rank_figures(
    sections: Sequence[Section], places: Sequence[int], material: Material, embedder: Embedder
) -> list[ChosenFigure]:
    """The reusable figures of the papers that these sections cite, each in the section it is nearest to, best first."""
    found: list[ChosenFigure] = []
    for place in places:
        parts = [part for _, part in walk((sections[place],))]
        for key in dict.fromkeys(c.key for part in parts for claim in part.claims for c in claim.citations):
            text = material.texts.get(key)
            if text is not None and is_reusable(text.licence):
                found += [ChosenFigure(place, key, figure) for figure in text.figures]
    if not found:
        return []
    texts = [f"{sections[place].title}. {_whole_text(sections[place])}" for place in places]
    vectors = embedder.embed([*texts, *(choice.figure.context() for choice in found)])
    about = dict(zip(places, vectors, strict=False))
    near = [(float(about[one.place] @ shown), one) for one, shown in zip(found, vectors[len(places) :], strict=True)]
    best: dict[str, ChosenFigure] = {}
    for likeness, choice in sorted(near, key=lambda one: -one[0]):
        if likeness >= LEAST_LIKENESS:
            best.setdefault(choice.figure.address, choice)
    return list(best.values())


def _whole_text(section: Section) -> str:
    return " ".join(part.text for _, part in walk((section,)))
