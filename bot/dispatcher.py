"""From what comes in to what goes out: one order for each conversation, "stop" ahead of it.

It knows no platform: it reads `Incoming`, advances the session, starts and stops jobs, sends `Outgoing`.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import Protocol, assert_never

from adapters.chat import Bar, ChatAdapter, Conversation, Incoming, Outgoing
from bot import proposals, wording
from bot.briefs import Defaults, brief_of
from bot.commands import Command, Export, Look, More, Plain, StartSurvey, parse
from bot.runner import Bench, Listener, Result, Runner
from bot.understanding import Reading, difference, read
from engine.drafting import Assignment
from engine.errors import ScholiumError, UserError
from engine.estimates import estimate
from engine.events import (
    Approve,
    Ask,
    Event,
    Job,
    JobDone,
    JobFailed,
    JobKind,
    MorePapers,
    Propose,
    Regenerate,
    SectionFinished,
    Start,
    StartJob,
    Stop,
    StopJob,
    Tell,
)
from engine.evidence import evidence_of_reference, evidence_of_section, section_at
from engine.gaps import FieldGaps
from engine.llm.metering import Account
from engine.llm.model import LanguageModel
from engine.rendering.files import file_stem, known_formats, write_figure, write_files
from engine.run import Answer, Progress
from engine.session import State, SurveySession, advance
from engine.values import Section, Survey
from engine.writing import assembled, words_for_each

_QUIET: frozenset[JobKind] = frozenset({"answer", "revise", "gaps"})


@dataclass(frozen=True)
class _Reply:
    """Something to say; ``proposal`` adds the buttons of the current proposal."""

    text: str
    proposal: bool = False


class Backstage(Protocol):
    """What stands behind the conversations: the composition root."""

    async def bench(self, session: SurveySession, listener: Listener) -> Bench:
        """What the session's job works with."""
        ...

    def account(self, session: SurveySession) -> Account:
        """What the session has spent."""
        ...

    def model(self, session: SurveySession) -> LanguageModel | None:
        """The session's language model, where one is configured."""
        ...


class Dispatcher:
    """Serves the conversations of one adapter."""

    def __init__(self, adapter: ChatAdapter, runner: Runner, backstage: Backstage, defaults: Defaults) -> None:
        self._adapter = adapter
        self._runner = runner
        self._backstage = backstage
        self._defaults = defaults
        self._sessions: dict[Conversation, SurveySession] = {}
        self._order: defaultdict[Conversation, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._readings: dict[Conversation, Reading] = {}

    def session(self, conversation: Conversation) -> SurveySession:
        """The session as it stands; a new one where the conversation has none."""
        return self._sessions.setdefault(conversation, SurveySession(f"s{len(self._sessions) + 1}"))

    async def greet(self, conversation: Conversation) -> None:
        """Say what this is and that it is the person's turn."""
        await self._send(conversation, _Reply(wording.WELCOME))

    async def handle(self, incoming: Incoming) -> None:
        """Answer one message or button; every one gets an answer."""
        conversation = incoming.conversation
        try:
            command = _command_of(incoming, self.session(conversation))
        except UserError as error:
            await self._send(conversation, _Reply(wording.failure(error)))
            return
        if isinstance(command, Stop):  # not in the queue: it is about what the queue waits for
            await self._decide(conversation, command)
            return
        async with self._order[conversation]:
            try:
                await self._obey(conversation, command)
            except ScholiumError as error:
                await self._send(conversation, _Reply(wording.failure(error)))

    async def _obey(self, conversation: Conversation, command: Command) -> None:
        session = self.session(conversation)
        reading = self._readings.pop(conversation, None)
        if reading and command == Approve():  # said in words; a button means its own proposal
            for step in reading.commands:
                await self._obey(conversation, step)
            return
        match command:
            case StartSurvey():
                brief = brief_of(command, self._defaults)
                await self._decide(conversation, Start(brief, self._defaults.papers(brief.recipe)))
            case More():
                await self._decide(conversation, MorePapers(self._defaults.more_papers))
            case Plain(text):
                await self._plain(conversation, session, text)
            case Look():
                await self._send(conversation, _Reply(_view(session, command, self._backstage.account(session))))
            case Export(formats):
                await self._export(conversation, session, formats)
            case _:
                await self._decide(conversation, command)

    async def _plain(self, conversation: Conversation, session: SurveySession, text: str) -> None:
        """Words that are no command: a topic at the beginning, a question at the end."""
        if session.state.phase == "topic" and not session.job and len(text.split()) > 1 and "?" not in text:
            await self._obey(conversation, parse(f"survey {text}"))
        elif session.state.phase == "discussion" and text.endswith("?") and len(text.split()) > 1:
            await self._decide(conversation, Ask(text))
        elif not session.job and (model := self._backstage.model(session)):
            await self._read(conversation, session, text, model)
        elif session.state.phase == "discussion" and len(text.split()) > 1:
            await self._decide(conversation, Ask(text))
        else:
            await self._send(conversation, _Reply(wording.not_understood(text, session.state.phase)))

    async def _read(self, conversation: Conversation, session: SurveySession, text: str, model: LanguageModel) -> None:
        """Understand with the model; what is not certain, or is more than one thing, is asked back."""
        reading = await read(model, text, session)
        if not reading.commands:
            await self._send(conversation, _Reply(wording.not_understood(text, session.state.phase)))
        elif reading.sure and len(reading.commands) == 1:
            await self._obey(conversation, reading.commands[0])
        else:
            changes = difference(session, reading.commands)
            self._readings[conversation] = reading
            await self._send(conversation, _Reply(wording.read_as(reading.said, changes)))

    async def _decide(self, conversation: Conversation, event: Event) -> None:
        """Advance the session and carry out what follows."""
        session, actions = advance(self.session(conversation), event)
        self._sessions[conversation] = session
        for action in actions:
            match action:
                case Propose():
                    text = proposals.proposal(session.state) + self._price(session)
                    await self._send(conversation, _Reply(text, proposal=True))
                case Tell(kind):
                    await self._send(conversation, _Reply(wording.notice(kind, session)))
                case StartJob(job):
                    await self._send(conversation, _Reply(wording.started(job)))
                    self._runner.start(session, self._backstage.bench, self._listener(conversation, job))
                case StopJob(job):
                    await self._runner.stop(job)
                case _:
                    assert_never(action)

    def _price(self, session: SurveySession) -> str:
        """What writing the outline will take, where a language model writes it."""
        state = session.state
        if state.phase != "outline" or not (state.brief and state.outline and state.papers):
            return ""
        models = self._defaults.models.get(state.brief.recipe)
        if models is None:
            return ""
        task = Assignment(state.brief.topic, state.outline, words_for_each(state.brief, state.outline))
        papers = {p.key: p for p in state.papers.included()}
        expected = estimate(task, papers, models, self._defaults.concurrent_calls)
        return wording.estimate(expected, self._backstage.account(session).budget)

    def _listener(self, conversation: Conversation, job: Job) -> Listener:
        async def progressed(step: Progress) -> None:
            bar = Bar(step.done, step.total)
            await self._adapter.send(Outgoing(conversation, wording.progress(step), "progress", bar=bar))

        async def section_finished(section: Section, position: int) -> None:
            await self._decide(conversation, SectionFinished(job.id, position, section))
            await self._adapter.send(Outgoing(conversation, wording.finished_section(section, position)))

        async def answering(found: Answer) -> None:
            await self._adapter.send(Outgoing(conversation, wording.answer(found), "growing"))

        async def done(result: Result) -> None:
            if isinstance(result, Answer):
                await self._decide(conversation, JobDone(job.id))
                await self._send(conversation, _Reply(wording.answer(result)))
            elif isinstance(result, FieldGaps):
                await self._decide(conversation, JobDone(job.id))
                await self._show_gaps(conversation, result)
            else:
                await self._decide(conversation, JobDone(job.id, result))

        async def failed(error: ScholiumError | None) -> None:
            await self._decide(conversation, JobFailed(job.id))
            await self._send(conversation, _Reply(wording.failure(error) if error else wording.OUR_FAULT))

        return Listener(progressed, section_finished, answering, done, failed)

    async def _show_gaps(self, conversation: Conversation, found: FieldGaps) -> None:
        brief = self.session(conversation).state.brief
        stem = f"{file_stem(brief.topic)}-gaps" if brief else "gaps"
        path = await asyncio.to_thread(write_figure, found.map, self._defaults.output, stem)
        await self._adapter.send(Outgoing(conversation, wording.gaps(found), files=(path,), awaits=True))

    async def _export(self, conversation: Conversation, session: SurveySession, names: tuple[str, ...]) -> None:
        formats = known_formats(names)
        survey = _finished_survey(session.state)
        if session.job and session.job.kind not in _QUIET:
            raise UserError(wording.STILL_WORKING_CANNOT_EXPORT)
        if survey is None:
            raise UserError(wording.NOTHING_TO_EXPORT)
        paths = await asyncio.to_thread(write_files, survey, self._defaults.output, formats)
        await self._adapter.send(
            Outgoing(conversation, wording.exported([str(p) for p in paths]), files=paths, awaits=True)
        )

    async def _send(self, conversation: Conversation, reply: _Reply) -> None:
        session = self.session(conversation)
        shown = wording.buttons(session) if reply.proposal else ()
        await self._adapter.send(Outgoing(conversation, reply.text, buttons=shown, awaits=session.job is None))


def _command_of(incoming: Incoming, session: SurveySession) -> Command:
    """Text or button as a command; a button's revision decides whether it is still meant."""
    if not incoming.button:
        return parse(incoming.text)
    verb, _, rest = incoming.button.partition(":")
    session_id, _, revision = rest.partition(":")
    command = parse(verb)
    current = int(revision) if revision.isdigit() and session_id == session.id else -1
    if isinstance(command, Approve | Regenerate):
        return replace(command, revision=current)
    return command if current == session.revision else Approve(current)


def _view(session: SurveySession, look: Look, account: Account) -> str:
    state = session.state
    match look.view:
        case "help":
            return wording.HELP
        case "status":
            return wording.status(session)
        case "history":
            return wording.history(session)
        case "sources":
            return wording.sources(state)
        case "cost":
            return wording.cost(account.steps, account.budget)
        case "show":
            return _shown(state, look.target)
        case "why section":
            survey = _needed_survey(state)
            title = section_at(survey, look.target).title
            return proposals.why_section(survey, look.target, title, evidence_of_section(survey, look.target))
        case "why reference":
            survey = _needed_survey(state)
            paper, items = evidence_of_reference(survey, int(look.target))
            return proposals.why_reference(survey, paper, int(look.target), items)
        case _:
            assert_never(look.view)


def _shown(state: State, place: str) -> str:
    if place:
        survey = _needed_survey(state)
        return proposals.section(survey, place, section_at(survey, place))
    if state.phase == "papers" and state.papers:
        return proposals.all_papers(state.papers)
    return proposals.proposal(state)


def _finished_survey(state: State) -> Survey | None:
    """The survey, or what is finished of it."""
    if state.survey or not (state.brief and state.outline and state.papers and state.sections):
        return state.survey
    return assembled(state.brief, state.outline, dict(state.sections), state.papers, wording.UNFINISHED)


def _needed_survey(state: State) -> Survey:
    survey = _finished_survey(state)
    if survey is None:
        raise UserError(wording.NO_SURVEY_YET)
    return survey
