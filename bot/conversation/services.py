"""What the conversations may use, and what it gives back; the application provides it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from adapters.chat import Conversation, Incoming
from bot.commands.commands import RaiseBudget
from bot.store.ledger import BudgetUse, Payer
from bot.store.notes import Talk
from bot.store.surveys import StoredSurvey
from engine.errors import RecordError
from engine.llm.meter import Usage
from engine.llm.model import LanguageModel
from engine.reading.full_text import FullText
from engine.reading.trees.attribute_trees import AttributeTree
from engine.session.state import SurveySession
from engine.values import Brief, Paper, PaperKey


@dataclass
class Upload:
    """What became of the files: papers, records that could not be read, papers whose text was kept."""

    papers: list[Paper] = field(default_factory=list)
    rejected: list[RecordError] = field(default_factory=list)
    texts: list[tuple[Paper, FullText]] = field(default_factory=list)
    said: str = ""


class ConversationServices(Protocol):
    """What stands behind the conversations: the composition root."""

    def model(self, session: SurveySession, payer: Payer) -> LanguageModel | None:
        """The session's language model, where one is configured."""

    async def spent(self, session_id: str) -> dict[str, Usage]:
        """What the session's calls used, by kind of step."""

    async def load_budget_use(self, session: SurveySession, payer: Payer) -> list[BudgetUse]:
        """What is used of the session's budgets."""

    async def raise_budget(
        self, session: SurveySession, payer: Payer, wanted: RaiseBudget, *, beyond_settings: bool
    ) -> tuple[BudgetUse, BudgetUse]:
        """Add to a budget, and give what is used of it before and after.

        Raises `UserError` where there is none, where it is one of dollars and tokens are added or the reverse, and
        where it would be more than is set for every survey unless ``beyond_settings``.
        """

    async def load_talk(self, incoming: Incoming, owner: str) -> Talk:
        """Who has spoken where this was said, and what was said before it."""

    async def find_trees(
        self, session: SurveySession, payer: Payer, keys: Sequence[PaperKey]
    ) -> Mapping[PaperKey, AttributeTree]:
        """The attribute trees that were made of these papers."""

    async def sample_papers(self, brief: Brief) -> Sequence[Paper]:
        """Papers that are about as long as those that a review would read; none where that is not known."""

    async def list_surveys(self, at: Conversation, person: str) -> Sequence[StoredSurvey]:
        """The person's surveys in this workspace, numbered."""

    async def load_survey(self, session_id: str) -> tuple[SurveySession, str, frozenset[str]]:
        """A survey, its owner and who was invited. Raises `UserError` where it was forgotten."""

    async def name_survey(self, session_id: str, name: str) -> None:
        """Give a survey a name of its own."""

    async def archive_survey(self, session_id: str, *, archived: bool) -> None:
        """Put a survey out of the list, or back into it."""

    async def add_papers(self, incoming: Incoming) -> Upload:
        """Add the papers in the attachments to the workspace's own library."""
