"""What an adapter has behind it: the dispatcher for what people do, the store and the forms for what they see."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

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
from engine.session.events import Control

GONE = "gone"
"""The note of a conversation in which nothing can be written any more: why."""


class ConversationBackend:
    """An `adapters.chat.ChatBackend`."""

    def __init__(self, dispatcher: Dispatcher, store: Store, turns: Turns, outbox: Outbox) -> None:
        self._dispatcher = dispatcher
        self._store = store
        self._turns = turns
        outbox.on_refusal = self.handle_refusal
        self.on_listening: Callable[[], None] | None = None
        """Told when everything that is said comes in."""

    async def handle(self, incoming: Incoming) -> None:
        if await self.recall(incoming.conversation, GONE):
            await self.remember(incoming.conversation, GONE, "")  # perhaps it is back
        await self._dispatcher.handle(incoming)

    async def knows(self, conversation: Conversation) -> bool:
        """Whether something was said to us there already."""
        return await notes.knows(self._store, conversation)

    async def form(self, incoming: Incoming) -> Form | Outgoing:
        """The form that the pressed button asks for."""
        stored = await self._dispatcher.load_conversation(incoming.conversation)
        try:
            return await compute(self._turns.form, stored, admit(incoming))
        except UserError as error:
            return Outgoing(incoming.conversation, wording.failure(error), only_for=incoming.person)

    async def fault(self, incoming: Incoming) -> FormFault | None:
        """What is wrong with a filled form."""
        stored = await self._dispatcher.load_conversation(incoming.conversation)
        return await compute(self._turns.fault, stored, admit(incoming))

    async def overview(self, platform: str, tenant: str, person: str) -> SurveyList:
        """A person's surveys."""
        found = await surveys.list_latest_surveys(self._store, Conversation(platform, tenant, ""), person)
        return labels.overview(tuple([await self._list_survey(survey) for survey in found]))

    async def _list_survey(self, survey: surveys.StoredSurvey) -> Outgoing:
        """A survey in a list; one whose place is gone is named without a way there."""
        at, line = survey.conversation, labels.survey_line(survey)
        if why := await self.recall(at, GONE):
            return Outgoing(replace(at, channel="", thread=""), f"{line}\n\n{labels.place_gone(why)}")
        return Outgoing(at, line, buttons=labels.survey_buttons(survey))

    async def remember(self, conversation: Conversation, name: str, value: str) -> None:
        """Keep a small note."""
        await notes.remember(self._store, conversation, name, value)

    async def recall(self, conversation: Conversation, name: str) -> str:
        """The note; empty where there is none."""
        return await notes.recall(self._store, conversation, name)

    async def rate(self, conversation: Conversation, message: str, person: str, *, good: bool) -> None:
        """Keep what the person thinks of an answer."""
        await notes.rate(self._store, conversation, message, person, good=good)

    async def note_listening(self) -> None:
        if self.on_listening is not None:
            self.on_listening()

    async def close_conversation(self, conversation: Conversation, why: str) -> None:
        """Stop what runs there, and tell the owner, once."""
        if not await self.recall(conversation, GONE):
            await self.remember(conversation, GONE, why)
            await self._stop(conversation, why)

    async def handle_refusal(self, outgoing: Outgoing, error: PlatformError) -> None:
        """The platform never takes this message: its survey's owner is told alone, what has no place any more stops."""
        at = outgoing.conversation
        if outgoing.only_for or not await notes.knows(self._store, at):
            return  # nobody is left to be told
        if error.gone:
            await self.close_conversation(at, str(error))
            return

        async def tell(stored: StoredConversation) -> Turn:
            turn = Turn(stored)
            turn.mention(wording.word_not_delivered(str(error), _topic(stored)), "", stored.owner)
            return turn

        await self._dispatcher.report(at, tell)

    async def left(self, platform: str, tenant: str) -> None:
        """End the workspace's jobs; what they finished is kept."""
        for job in await load_wanted_jobs(self._store, platform, None):
            if job.conversation.tenant == tenant:
                await self._stop(job.conversation, "")

    async def _stop(self, conversation: Conversation, why: str) -> None:
        """Stop what runs there; where there is a reason to be told, its owner is told alone."""

        async def stopped(stored: StoredConversation) -> Turn:
            turn = Turn(stored)
            job = stored.session.job
            if job:
                self._turns.decide(turn, Control.STOP)
            if why:
                turn.mention(wording.word_gone(why, _topic(stored), job), "", stored.owner)
            return turn

        await self._dispatcher.report(conversation, stopped)


def _topic(stored: StoredConversation) -> str:
    brief = stored.session.state.brief
    return brief.topic if brief else ""
