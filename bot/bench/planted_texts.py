"""The texts that `bench honesty` plants falsehoods in: a section's draft, an answer, a section that is changed."""

from __future__ import annotations

import random
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, assert_never, get_args

from engine.checking.back_references import begins_with_reference
from engine.checking.check import CheckedText, CheckTask, check_section
from engine.checking.citation_forms import read_citations
from engine.errors import LanguageModelError, UserError
from engine.llm.model import LanguageModel
from engine.retrieval.embedding import Embedder
from engine.retrieval.libraries.library import EmptyLibrary
from engine.revising.model_changes import RevisedByModel
from engine.run import RunContext
from engine.survey import Citation, Claim, Section, SectionChange, Survey
from engine.text import list_words
from engine.values import Brief, FoundPaper, Paper, PaperSelection
from engine.writing.model_text import read_prose

PlantedText = Literal["section", "answer", "expand", "rewrite"]
TOPIC = "retrieval-augmented generation"
QUESTION = "What do the papers say?"
"""It has no word that an answer must hold, so that only the check decides what is left of one."""


def read_planted_text(name: str) -> PlantedText:
    """The text with that name; raises `UserError` naming those there are."""
    known: tuple[PlantedText, ...] = get_args(PlantedText)
    found = next((text for text in known if text == name), None)
    if found is None:
        raise UserError(f"Falsehoods cannot be planted in “{name}”; say {list_words(known, 'or')}.")
    return found


class WritingModel(LanguageModel, Protocol):
    """A model that writes what it is told to, and judges by what it knows."""

    written: str


Check = Callable[[WritingModel, str, Sequence[Paper]], Awaitable[CheckedText]]
"""What is left of a text of the model about these papers."""


async def check_draft(model: WritingModel, written: str, papers: Sequence[Paper]) -> CheckedText:
    """What is left of a section's draft."""
    text = read_citations(read_prose(written), papers).text
    return await check_section(model, CheckTask("Part", text, tuple(papers), TOPIC))


@dataclass(frozen=True, slots=True)
class CheckInConversation:
    """What is left of an answer, or of a section's new text, in a conversation about a survey."""

    way: Literal["answer", "expand", "rewrite"]
    embedder: Embedder

    async def __call__(self, model: WritingModel, written: str, papers: Sequence[Paper]) -> CheckedText:
        model.written = written
        context = RunContext(EmptyLibrary(), self.embedder, model=model)
        selection = PaperSelection(tuple(FoundPaper(paper, 1.0) for paper in papers))
        cited = Claim("The papers of this part.", tuple(Citation(paper.key, "", "unchecked") for paper in papers))
        survey = Survey("Survey", "", (Section("Part", cited.text, (cited,)),), tuple(papers))
        revised = RevisedByModel()
        match self.way:
            case "answer":
                answer = await revised.answer(Brief(TOPIC), QUESTION, selection, survey, context)
                return CheckedText(" ".join(claim.text for claim in answer.claims), answer.claims)
            case "expand" | "rewrite":
                change = SectionChange("1", self.way, "what the papers found" if self.way == "rewrite" else "")
                try:
                    changed = await revised.revise(Brief(TOPIC), selection, survey, change, context)
                except LanguageModelError:  # nothing cited is left, so the section stays as it was
                    return CheckedText("")
                return CheckedText(changed.sections[0].text, changed.sections[0].claims)
            case _:
                assert_never(self.way)


def choose_true_sentence(paper: Paper, chance: random.Random) -> str:
    """A sentence of the paper as a survey would say it, its authors in the third person; empty where none fits."""
    found = [
        re.sub(r"\bour\b", "their", re.sub(r"\b([Ww])e\b", "the authors", s))
        for s in re.split(r"(?<=[.!?]) (?=[A-Z])", paper.content)
        if 8 <= len(s.split()) <= 40 and not begins_with_reference(s) and not re.match(r"However\b|.*https?:", s)
    ]
    chosen = chance.choice(found) if found else ""
    return chosen[:1].upper() + chosen[1:]
