"""What can be typed at a step; nothing is offered that names a section or paper that is not there. Pure."""

from __future__ import annotations

import re
from typing import assert_never

from engine.session.outline_edits import find_divisible
from engine.session.state import State
from engine.values import KeywordPool, Outline, PaperSelection

_CHANGES_OF_OUTLINE = ("rename 2 to …", "drop 3", "move 4 before 2", "merge 3 4", "add section … after 2")


def list_hints(state: State) -> tuple[str, ...]:
    """What can be typed besides the buttons' words; each names only what is there."""
    match state:
        case State(phase="keywords", keywords=KeywordPool(keywords=keywords)):
            return ("add WORDS", *(("drop WORDS",) if len(keywords) > 1 else ()))
        case State(phase="papers", papers=PaperSelection() as selection):
            out = [n for n, found in enumerate(selection.found, start=1) if found.paper.key in selection.excluded]
            exclude = "exclude 3 7" if len(selection.found) >= 7 else "exclude 1"
            return (*((exclude,) if selection.list_included() else ()), *((f"include {out[0]}",) if out else ()))
        case State(phase="outline", outline=Outline(nodes=nodes)):
            there = {str(number) for number in range(1, len(nodes) + 1)}
            changes = tuple(hint for hint in _CHANGES_OF_OUTLINE if set(re.findall(r"\d+", hint)) <= there)
            divisible = find_divisible(state.outline, state.papers) if state.outline and state.papers else ""
            return (*changes, *((f"split {divisible}",) if divisible else ()))
        case State(phase="discussion", survey=survey) if survey:
            last = min(2, len(survey.sections))
            part = f"{last}.1" if last and survey.sections[last - 1].sections else str(last)
            return (f"show {last}", f"why {last}", f"shorten {part}", "ask …") if last else ("ask …",)
        case _:
            return ()


def suggest_words(state: State) -> str:
    """The few things that are said most at this step, as the end of a sentence."""
    some = [f"`{hint}`" for hint in list_hints(state)[:2]]
    match state.phase:
        case "topic":
            return "`survey TOPIC` to begin, or `help`"
        case "keywords":
            return _list_choices("`ok` to search with these keywords", *some)
        case "papers":
            return _list_choices("`ok` to go on to the outline", *some, "`more`")
        case "outline":
            return _list_choices("`ok` to write", *some)
        case "writing":
            return "`ok` to write on, `back` to change the outline, or `export` what is finished"
        case "discussion":
            return _list_choices("a question", *some[1:], "`export`")
        case _:
            assert_never(state.phase)


def _list_choices(*choices: str) -> str:
    """``a, b, or c``."""
    if len(choices) < 3:
        return " or ".join(choices)
    return f"{', '.join(choices[:-1])}, or {choices[-1]}"
