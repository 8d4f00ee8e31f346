"""What a person's words mean in a conversation; what is no command is read by a language model, if there is one.

The model only ever proposes commands that a person could have typed; what it proposes is parsed like theirs.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace

from adapters.chat import Incoming
from bot.commands.commands import Choose, Command, Export, FreeText, Show, StartSurvey, SurveyCommand
from bot.commands.grammar import parse
from bot.commands.intents.features import Heard
from bot.commands.intents.plain_words import hear_name, understand
from bot.conversation import survey_forms
from bot.store.notes import Talk
from bot.wording.proposals import proposal
from bot.wording.sentences import HELP
from engine.errors import UserError
from engine.llm.model import LanguageModel, Request, TypedAnswer
from engine.llm.prompting import data, fill
from engine.session.events import (
    Approve,
    Control,
    EditKeywords,
    EditOutline,
    EditPapers,
    Job,
    Regenerate,
)
from engine.session.state import State, SurveySession, advance

LONGEST_SAID = 1_000
"""Characters of a message that a language model is asked to read."""

EDITS = EditKeywords | EditPapers | EditOutline


class ReadingAnswer(TypedAnswer):
    """Whether words are for the bot, and the commands of the grammar that they mean, in order."""

    commands: list[str]
    sure: bool
    for_bot: bool = True


@dataclass(frozen=True, slots=True)
class Reading:
    """What a model read words as; only commands that the grammar knows."""

    said: tuple[str, ...]
    commands: tuple[Command, ...]
    sure: bool
    for_bot: bool = True

    @property
    def acts_alone(self) -> bool:
        """Whether it may be done without a button: a reading has seen strangers' titles, some of which give orders."""
        return self.sure and len(self.commands) == 1 and _only_shows(self.commands[0])

    @property
    def makes_edits(self) -> bool:
        """Whether it is several changes, each of which `undo` takes back: they are shown, and one yes is for all."""
        return len(self.commands) > 1 and all(_edits(c) or _only_shows(c) for c in self.commands)


def _edits(command: Command) -> bool:
    return isinstance(command, EDITS) or (isinstance(command, Job) and command.kind == "divide")


def _only_shows(command: Command) -> bool:
    asks = isinstance(command, Job) and command.kind == "answer"
    lists = isinstance(command, SurveyCommand) and command.kind == "list"
    return asks or lists or isinstance(command, Show | Export)


def read_words_said(incoming: Incoming, session: SurveySession | None, talk: Talk) -> Command | None:
    """What is meant: a command that was typed, else `FreeText` with the likeliest; ``None`` where it is not for us.

    Raises `UserError` where a command is begun but cannot be read.
    """
    state = session.state if session else State()
    phase = "writing" if session and session.job else state.phase
    heard = Heard(phase, incoming.place, talk.others, talk.before, talk.by_owner)
    found = understand(incoming.text, heard, state)
    answers = isinstance(found, Approve | Regenerate) and session is not None and session.job is not None
    if answers and hear_name(incoming.text, heard)[1].among_people:
        return None  # said among people while we work, it answers one of them
    return found


def is_stop(incoming: Incoming) -> bool:
    """Whether somebody may want what runs to be stopped, which does not wait for its turn."""
    if incoming.values or incoming.button:
        return incoming.button.partition(":")[0] == "stop" and not incoming.values
    try:
        found = understand(incoming.text, Heard("writing", incoming.place), State(phase="writing"))
    except UserError:
        return False
    return found is Control.STOP or (isinstance(found, FreeText) and found.guess == "stop")


async def read(model: LanguageModel, text: str, session: SurveySession, talk: Talk) -> Reading:
    """The commands that do what the person says; none where nothing fits. Raises `LanguageModelError`."""
    prompt = fill(
        "conversation/reading",
        commands=HELP,
        phase=session.state.phase,
        proposal=data(proposal(session.state)),
        people="The person and others talk here." if talk.others else "Only the person and the bot talk here.",
        before=data("\n".join(talk.said)) or "Nothing.",
        said=data(text[:LONGEST_SAID]),
    )
    answer = await model.answer_typed(Request("reading", "reading", prompt, 512, 0.0), ReadingAnswer)
    pairs = [(said, command) for said in answer.commands if (command := _parse_known(said)) is not None]
    whole = len(pairs) == len(answer.commands)
    said, commands = tuple(s for s, _ in pairs), tuple(c for _, c in pairs)
    return Reading(said, commands, answer.sure and whole, answer.for_bot or not talk.others)


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


def command_of(incoming: Incoming, session: SurveySession | None, talk: Talk) -> Command | None:
    """Text, button or form as a command; ``None`` where people talk to one another.

    A button's revision decides whether what it changes is still meant.
    """
    if not incoming.button:
        command = read_words_said(incoming, session, talk)
        return FreeText(incoming.text) if command is None and incoming.attachments else command
    verb, session_id, revision = survey_forms.read_action(incoming.button)
    command = survey_forms.command(verb, dict(incoming.values), session) if incoming.values else parse(verb)
    if session is None or isinstance(command, StartSurvey):
        return command
    current = revision if session_id == session.id else -1
    if isinstance(command, Approve | Regenerate):
        return replace(command, revision=current)
    is_meant_always = command is Control.STOP or isinstance(command, Show | Export)
    same = session_id == session.id and is_meant_always
    return command if same or current == session.revision else Approve(current)
