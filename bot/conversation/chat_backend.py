"""What an adapter has behind it: the dispatcher for what people do, the store and the forms for what they see."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from adapters.chat import Conversation, Form, FormFault, Incoming, Outgoing, PlatformError, SurveyList
from bot.conversation.dispatcher import Dispatcher
from bot.conversation.intake import admit, compute
from bot.conversation.outbox import Outbox
from bot.conversation.turn import Turn
from bot.conversation.turns import Turns
from bot.store import notes, surveys
from bot.store.sessions import Store, StoredConversation
from bot.store.surveys import load_wanted_jobs
from bot.wording import labels
from bot.wording import sentences as wording
from engine.errors import UserError
from engine.rendering.markdown import escape_markdown
from engine.session.events import Approve, Control, JobKind

GONE, STOPPED = "gone", "stopped"
"""The notes of a conversation in which nothing can be written any more: why, and what was stopped there."""

LISTED = 20
"""Surveys in an overview."""

APPROVED: frozenset[JobKind] = frozenset({"papers", "outline", "write"})
"""Jobs that a yes to what is proposed begins."""


class ConversationBackend:
    """An `adapters.chat.ChatBackend`."""

    def __init__(self, dispatcher: Dispatcher, store: Store, turns: Turns, outbox: Outbox) -> None:
        self._dispatcher = dispatcher
        self._store = store
        self._turns = turns
        self._outbox = outbox
        self.knows, self.rate = partial(notes.knows, store), partial(notes.rate, store)
        self.remember, self.recall = partial(notes.remember, store), partial(notes.recall, store)
        outbox.on_refusal, outbox.on_return = self.handle_refusal, self.take_up
        self._locked: set[Conversation] = set()
        """Threads of which the owner was told that they are locked."""
        self.on_listening: Callable[[], None] = lambda: None
        """Told when everything that is said comes in."""

    async def handle(self, incoming: Incoming) -> None:
        was_locked = incoming.conversation in self._locked
        self._locked.discard(incoming.conversation)
        if was_locked or await self.recall(incoming.conversation, GONE):  # perhaps it is back
            self._outbox.retry(incoming.conversation)
        await self._dispatcher.handle(incoming)

    async def form(self, incoming: Incoming, characters: int) -> Form | Outgoing:
        stored = await self._store.load_conversation(incoming.conversation)
        try:
            form = await compute(self._turns.form, stored, admit(incoming))
        except UserError as error:
            return Outgoing(incoming.conversation, wording.failure(error), only_for=incoming.person)
        if all(len(field.value) <= characters for field in form.fields):
            return form
        return Outgoing(incoming.conversation, wording.TOO_LONG_FOR_A_FORM, only_for=incoming.person)

    async def fault(self, incoming: Incoming) -> FormFault | None:
        stored = await self._store.load_conversation(incoming.conversation)
        return await compute(self._turns.fault, stored, admit(incoming))

    async def overview(self, platform: str, tenant: str, person: str) -> SurveyList:
        found = await surveys.list_surveys(self._store, Conversation(platform, tenant, ""), person)
        latest = sorted((s for s in found if not s.is_archived), key=lambda s: s.changed_at, reverse=True)[:LISTED]
        return labels.overview(tuple([await self._list_survey(survey) for survey in latest]))

    async def _list_survey(self, survey: surveys.StoredSurvey) -> Outgoing:
        """A survey in a list; one whose place is gone is named without a way there."""
        at, line = survey.conversation, labels.survey_line(survey)
        if why := await self.recall(at, GONE):
            return Outgoing(replace(at, channel="", thread=""), f"{line}\n\n⚠ {escape_markdown(why)}")
        return Outgoing(at, line, buttons=labels.survey_buttons(survey))

    async def note_listening(self) -> None:
        self.on_listening()

    async def close_conversation(self, conversation: Conversation, why: str = "") -> None:
        if not why:
            await self._stop(conversation, "" if conversation in self._locked else wording.CLOSED)
        elif not await self.recall(conversation, GONE):
            await self.remember(conversation, GONE, why)
            await self._stop(conversation, why, is_gone=True)

    async def take_up(self, conversation: Conversation) -> None:
        """It can be written there again: what was stopped goes on."""
        stopped = await self.recall(conversation, STOPPED)
        for name in (GONE, STOPPED):
            await self.remember(conversation, name, "")

        async def approve(stored: StoredConversation) -> Turn:
            turn = await self._turns.load_uses(Turn(stored))
            if not stored.session.job:
                self._turns.decide(turn, Approve())
            return turn

        if stopped in APPROVED:
            await self._dispatcher.report(conversation, approve)

    async def handle_refusal(self, outgoing: Outgoing, error: PlatformError) -> bool:
        """The platform never takes this message: its survey's owner is told alone, what has no place any more stops.

        Whether the message waits until there is a place again.
        """
        if outgoing.only_for or not await self.knows(outgoing.conversation):
            return False  # nobody is left to be told
        if str(error) == labels.THREAD_LOCKED:
            if outgoing.conversation in self._locked:
                return True
            self._locked.add(outgoing.conversation)
        if error.gone:
            await self.close_conversation(outgoing.conversation, str(error))
            return True

        async def tell(stored: StoredConversation) -> Turn:
            turn = Turn(stored)
            turn.say(wording.word_not_delivered(str(error), stored.session.state.topic), only_for=stored.owner)
            return turn

        await self._dispatcher.report(outgoing.conversation, tell)
        return False

    async def left(self, platform: str, tenant: str) -> None:
        for job in await load_wanted_jobs(self._store, platform, None):
            if job.conversation.tenant == tenant:
                await self._stop(job.conversation, "")

    async def _stop(self, conversation: Conversation, why: str, *, is_gone: bool = False) -> None:
        """Stop what runs there; where there is a reason to be told, its owner is told alone."""

        async def stopped(stored: StoredConversation) -> Turn:
            turn = Turn(stored)
            job = stored.session.job
            if job:
                self._turns.decide(turn, Control.STOP)
            if job and is_gone:
                await self.remember(conversation, STOPPED, job.kind)
            if why == wording.CLOSED and job:
                self._locked.add(conversation)
            if is_gone or (why and job):
                text = wording.word_gone(why, stored.session.state.topic, job) if is_gone else why
                turn.say(text, only_for=stored.owner)
            return turn

        await self._dispatcher.report(conversation, stopped)
