"""What a person's words mean in a conversation; words that nothing knows are read by a language model.

The model only ever proposes commands that a person could have typed; what it proposes is parsed like theirs.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, replace

from adapters.chat import Incoming
from bot.commands.commands import Choose, Command, Export, FreeText, ListSurveys, Show, StartSurvey
from bot.commands.grammar import parse
from bot.commands.intents.reading import ReadingContext, Understanding, understand
from bot.conversation import forms
from bot.wording.proposals import proposal
from engine.errors import UserError
from engine.llm.model import LanguageModel, Request, TypedAnswer
from engine.llm.prompting import data, fill
from engine.session.events import (
    Approve,
    AskQuestion,
    EditKeywords,
    EditOutline,
    EditPapers,
    Regenerate,
    SplitSection,
    Stop,
)
from engine.session.state import State, SurveySession, advance
from engine.values import walk_outline

LONGEST_SAID = 1_000
"""Characters of a message that are read."""


ANY_TIME = Stop | Show | Export
"""What a button means however much has changed since it was shown."""


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

    @property
    def acts_alone(self) -> bool:
        """Whether it may be done on a reading alone: it changes nothing; for the rest a button has to be pressed.

        The model has read titles that strangers wrote, and some of those give orders.
        """
        return self.sure and len(self.commands) == 1 and isinstance(self.commands[0], SHOWING)

    @property
    def makes_edits(self) -> bool:
        """Whether it is several changes, each of which `undo` takes back: they are shown, and one yes is for all."""
        return len(self.commands) > 1 and all(isinstance(command, SHOWING | EDITS) for command in self.commands)


SHOWING = Show | Export | ListSurveys | AskQuestion
EDITS = EditKeywords | EditPapers | EditOutline | SplitSection


def understand_words(incoming: Incoming, session: SurveySession | None) -> Understanding:
    """What is meant, without a model. Raises `UserError` where a command is begun but cannot be read."""
    state = session.state if session else State()
    found = understand(incoming.text, _context_of(incoming, state), state)
    if incoming.place == "thread" and session and session.job and isinstance(found.command, Approve | Regenerate):
        return Understanding(silent=True)  # said among people while we work, it answers one of them
    return found


def _context_of(incoming: Incoming, state: State) -> ReadingContext:
    own = _own_words(state) if incoming.place == "thread" else frozenset()
    return ReadingContext(state.phase, incoming.place, own)


def is_stop(incoming: Incoming) -> bool:
    """Whether somebody wants what runs to be stopped, which does not wait for its turn."""
    if incoming.values or incoming.button:
        return incoming.button.partition(":")[0] == "stop" and not incoming.values
    try:
        found = understand(
            incoming.text, ReadingContext("writing", incoming.place, by_patterns=True), State(phase="writing")
        )
    except UserError:
        return False
    return isinstance(found.command, Stop)


def _own_words(state: State) -> frozenset[str]:
    """The words of the survey's topic, keywords and titles."""
    texts = [state.brief.topic] if state.brief else []
    texts += [keyword.text for keyword in state.keywords.keywords] if state.keywords else []
    texts += [node.title for _, node in walk_outline(state.outline.nodes)] if state.outline else []
    return frozenset(word for text in texts for word in re.findall(r"[^\W_]{4,}", text.lower()))


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
    return None if isinstance(command, FreeText | Choose) else command


def difference(session: SurveySession, commands: tuple[Command, ...]) -> str:
    """The lines of the proposal that the commands would change; raises `UserError` where one cannot be done."""
    changed = session
    for command in commands:
        if isinstance(command, EditOutline | EditKeywords | EditPapers):
            changed, _ = advance(changed, command)
    before, after = (proposal(s.state).splitlines() for s in (session, changed))
    lines = difflib.unified_diff(before, after, lineterm="", n=0)
    return "\n".join(line for line in lines if line[:1] in "+-" and line[:3] not in {"+++", "---"})


def command_of(incoming: Incoming, session: SurveySession | None) -> Command | None:
    """Text, button or form as a command; ``None`` where people talk to one another.

    A button's revision decides whether what it changes is still meant.
    """
    if not incoming.button:
        found = understand_words(incoming, session)
        return found.command or (None if found.silent and not incoming.attachments else FreeText(incoming.text))
    verb, session_id, revision = forms.read_action(incoming.button)
    command = forms.command(verb, dict(incoming.values), session) if incoming.values else parse(verb)
    if session is None or isinstance(command, StartSurvey):
        return command
    current = revision if session_id == session.id else -1
    if isinstance(command, Approve | Regenerate):
        return replace(command, revision=current)
    same = session_id == session.id and isinstance(command, ANY_TIME)
    return command if same or current == session.revision else Approve(current)
