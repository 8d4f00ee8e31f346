"""Words that the grammar does not know, read by a language model as commands of that grammar.

The model only ever proposes commands that a person could have typed; what it proposes is parsed like theirs.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from bot.commands.grammar import Command, FreeText, parse
from bot.wording.proposals import proposal
from engine.errors import UserError
from engine.llm.model import LanguageModel, Request, TypedAnswer
from engine.llm.prompting import data, fill
from engine.session.events import EditKeywords, EditOutline, EditPapers
from engine.session.state import SurveySession, advance

LONGEST_SAID = 1_000
"""Characters of a message that are read."""


class ReadingAnswer(TypedAnswer):
    """Commands of the grammar, in order."""

    commands: list[str]
    sure: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """What the words were read as; only commands that the grammar knows."""

    said: tuple[str, ...]
    commands: tuple[Command, ...]
    sure: bool


async def read(model: LanguageModel, text: str, session: SurveySession) -> Reading:
    """The commands that do what the person says; none where nothing fits. Raises `LanguageModelError`."""
    prompt = fill(
        "conversation/reading",
        phase=session.state.phase,
        proposal=data(proposal(session.state)),
        said=data(text[:LONGEST_SAID]),
    )
    answer = await model.answer_typed(Request("reading", "reading", prompt, 512, 0.0), ReadingAnswer)
    pairs = [(said, command) for said in answer.commands if (command := _parse_known(said)) is not None]
    whole = len(pairs) == len(answer.commands)
    return Reading(tuple(s for s, _ in pairs), tuple(c for _, c in pairs), answer.sure and whole)


def _parse_known(said: str) -> Command | None:
    try:
        command = parse(said)
    except UserError:
        return None
    return None if isinstance(command, FreeText) else command


def difference(session: SurveySession, commands: tuple[Command, ...]) -> str:
    """The lines of the proposal that the commands would change; raises `UserError` where one cannot be done."""
    changed = session
    for command in commands:
        if isinstance(command, EditOutline | EditKeywords | EditPapers):
            changed, _ = advance(changed, command)
    before, after = (proposal(s.state).splitlines() for s in (session, changed))
    lines = difflib.unified_diff(before, after, lineterm="", n=0)
    return "\n".join(line for line in lines if line[:1] in "+-" and line[:3] not in {"+++", "---"})
