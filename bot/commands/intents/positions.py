"""Positions as people name them, “the last paper”, “the third keyword”, “the conclusion” → what the grammar knows."""

from __future__ import annotations

import re

from bot.commands.grammar import numbers_in
from engine.session.state import State
from engine.survey import Section
from engine.values import KeywordPool, Outline, OutlineNode

_LAST = re.compile(
    r"((?:exclude|include|drop|move|merge|split|rename|show|why|shorten|expand|rewrite|translate)(?: \d[\d.]*)*"
    r"|.* (?:before|after|to|in|from)) last(?=$|:| )"
)
_TO_AN_END = re.compile(r"(move \d{1,3} before|move \d{1,3} after) (1|last)")
_LAST_FEW = re.compile(r"\blast-(\d{1,3})\b")
_KEYWORDS = re.compile(r"drop ((?:\d{1,3}(?:-\d{1,3})?|last)(?: (?:\d{1,3}(?:-\d{1,3})?|last))*)")
_NEXT_TO = re.compile(r"(add section .+ (?:before|after)) (introduction|conclusion)")
_BY_TITLE = re.compile(
    r"(show|why|shorten|expand|rewrite|translate|drop|rename|split) (introduction|conclusion|abstract)\b"
)


def resolve_positions(said: str, state: State) -> str:
    """The command with numbers, or the keyword itself; as it is where there is nothing of that name."""
    counted = count_items(state)
    if state.outline and (match := _TO_AN_END.fullmatch(said)):
        said = f"{match[1]} {_end_of_body(state.outline, match[1], match[2])}"
    if counted:
        said = _LAST_FEW.sub(lambda few: f"{max(1, counted - int(few[1]) + 1)}-{counted}", said)
    if counted and (match := _LAST.match(said)):
        said = f"{match[1]} {counted}{said[match.end() :]}"
    if match := _BY_TITLE.match(said):
        number = _find_section(match[2], state)
        said = f"{match[1]} {number}{said[match.end() :]}" if number else said
    if match := _NEXT_TO.fullmatch(said):
        number = _find_section(match[2], state)
        return f"{match[1]} {number}" if number else match[1].rpartition(" ")[0]
    match = _KEYWORDS.fullmatch(said)
    if match and state.phase == "keywords" and state.keywords:
        return _name_keywords(match[1], state.keywords, said)
    return said


def _end_of_body(outline: Outline, said: str, end: str) -> str:
    """The first or the last section between introduction and conclusion, which stay where they are."""
    body = [number for number, node in enumerate(outline.nodes, start=1) if node.role == "body"]
    if not body or said.split()[1] not in map(str, body):
        return end
    return str(body[0] if said.endswith("before") else body[-1])


def _name_keywords(numbers: str, pool: KeywordPool, said: str) -> str:
    """``drop 2 4`` → the words of the second and the fourth; as it is where one of them is not there."""
    places = numbers_in(numbers)
    if not all(1 <= place <= len(pool.keywords) for place in places):
        return said
    return f"drop {', '.join(pool.keywords[place - 1].text for place in places)}"


def count_items(state: State) -> int:
    """How many things there are of the kind that is counted at this step."""
    match state.phase:
        case "keywords":
            return len(state.keywords.keywords) if state.keywords else 0
        case "papers":
            return len(state.papers.found) if state.papers else 0
        case _:
            return len(_sections(state))


def _sections(state: State) -> tuple[Section, ...] | tuple[OutlineNode, ...]:
    if state.survey:
        return state.survey.sections
    return state.outline.nodes if state.outline else ()


def _find_section(name: str, state: State) -> int:
    """The number of the section of that title; 0 where there is none."""
    titles = [section.title.casefold() for section in _sections(state)]
    return next((number for number, title in enumerate(titles, start=1) if title.startswith(name)), 0)
