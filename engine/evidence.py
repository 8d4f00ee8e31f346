"""Which words of which paper stand behind a sentence, looked up by section or by reference."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.errors import UserError, pick
from engine.survey import Claim, Figure, Section, Survey, Table, walk
from engine.text import all_sentences
from engine.values import Paper


@dataclass(frozen=True, slots=True)
class Evidence:
    """One claim of a survey with the number of its section."""

    place: str
    section: Section
    claim: Claim


def is_quoted(quote: str, paper: Paper) -> bool:
    """Whether the paper's abstract, title or text holds exactly these words."""
    texts = (paper.abstract, paper.title, *(passage.text for passage in paper.body))
    return bool(quote) and any(quote in text for text in texts)


def find_connecting_sentences(survey: Survey, place: str) -> tuple[str, ...]:
    """The sentences of the section and of those below it that belong to no claim, in reading order."""
    left = []
    for _, section in walk((section_at(survey, place),)):
        text = section.text
        for claim in section.claims:
            text = text.replace(claim.text, " ")
        left += all_sentences(text)
    return tuple(left)


def section_at(survey: Survey, place: str) -> Section:
    """The section with that number; raises `UserError` naming the numbers there are."""
    sections = dict(walk(survey.sections))
    if place not in sections:
        raise UserError(f"There is no section {place}. The sections are numbered 1 to {len(survey.sections)}.")
    return sections[place]


def evidence_of_section(survey: Survey, place: str) -> tuple[Evidence, ...]:
    """Claims of the section and of those below it, in reading order."""
    section_at(survey, place)
    return tuple(item for item in _all(survey) if f"{item.place}.".startswith(f"{place}."))


def table_at(survey: Survey, number: int) -> Table:
    """The table with that number in the document; raises `UserError` naming the numbers there are."""
    return pick("table", [table for _, section in walk(survey.sections) for table in section.tables], number)


def figure_at(survey: Survey, number: int) -> Figure:
    """The figure with that number in the document; raises `UserError` naming the numbers there are."""
    return pick("figure", [figure for _, section in walk(survey.sections) for figure in section.figures], number)


def evidence_of_reference(survey: Survey, number: int) -> tuple[Paper, tuple[Evidence, ...]]:
    """The paper with that reference number and every claim that cites it."""
    paper = pick("reference", survey.references, number)
    return paper, tuple(item for item in _all(survey) if any(c.key == paper.key for c in item.claim.citations))


def _all(survey: Survey) -> Iterator[Evidence]:
    for place, section in walk(survey.sections):
        for claim in section.claims:
            yield Evidence(place, section, claim)
