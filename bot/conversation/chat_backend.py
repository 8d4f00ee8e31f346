"""What an adapter has behind it: the dispatcher for what people do, the store and the forms for what they see."""

from __future__ import annotations

from adapters.chat import Conversation, Form, FormFault, Incoming, Outgoing, SurveyList
from bot.conversation.dispatcher import Dispatcher
from bot.conversation.turn import Turn
from bot.conversation.turns import Turns
from bot.store import notes, surveys
from bot.store.sessions import Store, StoredConversation
from bot.wording import labels
from bot.wording import sentences as wording
from engine.errors import UserError
from engine.session.events import Stop


class ConversationBackend:
    """An `adapters.chat.ChatBackend`."""

    def __init__(self, dispatcher: Dispatcher, store: Store, turns: Turns) -> None:
        self._dispatcher = dispatcher
        self._store = store
        self._turns = turns

    async def handle(self, incoming: Incoming) -> None:
        """Take it."""
        await self._dispatcher.handle(incoming)

    async def knows(self, conversation: Conversation) -> bool:
        """Whether something was said to us there already."""
        return await notes.knows(self._store, conversation)

    async def form(self, incoming: Incoming) -> Form | Outgoing:
        """The form that the pressed button asks for."""
        stored = await self._dispatcher.load_conversation(incoming.conversation)
        try:
            return self._turns.form(stored, incoming)
        except UserError as error:
            return Outgoing(incoming.conversation, wording.failure(error), only_for=incoming.person)

    async def fault(self, incoming: Incoming) -> FormFault | None:
        """What is wrong with a filled form."""
        return self._turns.fault(await self._dispatcher.load_conversation(incoming.conversation), incoming)

    async def overview(self, platform: str, tenant: str, person: str) -> SurveyList:
        """A person's surveys."""
        found = await surveys.surveys_of(self._store, platform, tenant, person)
        return labels.overview(
            tuple(
                Outgoing(survey.conversation, labels.survey_line(survey), buttons=labels.survey_buttons(survey))
                for survey in found
            )
        )

    async def remember(self, conversation: Conversation, name: str, value: str) -> None:
        """Keep a small note."""
        await notes.remember(self._store, conversation, name, value)

    async def recall(self, conversation: Conversation, name: str) -> str:
        """The note; empty where there is none."""
        return await notes.recall(self._store, conversation, name)

    async def closed(self, conversation: Conversation) -> None:
        """Stop what runs there, and tell the owner."""
        await self._stop(conversation, wording.CLOSED)

    async def left(self, platform: str, tenant: str) -> None:
        """End the workspace's jobs; what they finished is kept."""
        for conversation, _, _ in await self._store.with_jobs(platform, None):
            if conversation.tenant == tenant:
                await self._stop(conversation, "")

    async def _stop(self, conversation: Conversation, why: str) -> None:
        """Stop what runs there; where there is a reason to be told, its owner is told alone."""

        async def stopped(stored: StoredConversation) -> Turn:
            turn = Turn(stored)
            if stored.session.job:
                self._turns.decide(turn, Stop())
                if why:
                    turn.mention(why, stored.owner, stored.owner)
            return turn

        await self._dispatcher.report(conversation, stopped)
