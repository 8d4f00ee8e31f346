"""What the conversations may use, and what it gives back; the application provides it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from adapters.chat import Incoming
from bot.store.ledger import Payer
from bot.store.sessions import Store
from engine.errors import RecordError
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

    @property
    def store(self) -> Store:
        """Where surveys and what was said are kept."""

    def model(self, session: SurveySession, payer: Payer) -> LanguageModel | None:
        """The session's language model, where one is configured."""

    async def find_trees(
        self, session: SurveySession, payer: Payer, keys: Sequence[PaperKey]
    ) -> Mapping[PaperKey, AttributeTree]:
        """The attribute trees that were made of these papers."""

    async def sample_papers(self, brief: Brief) -> Sequence[Paper]:
        """Papers that are about as long as those that a review would read; none where that is not known."""

    async def add_papers(self, incoming: Incoming) -> Upload:
        """Add the papers in the attachments to the workspace's own library."""
