"""Where a survey would be shorter than the length class asked for, its shortest parts are written on.

What the check and the search for repetitions took out of the drafts is not known before; what is written in its place
is checked like them, and stands at the end of its part.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from engine.citations import list_cited_keys
from engine.errors import LanguageModelError, LimitExceeded
from engine.limits import TOKENS_PER_WORD
from engine.llm.model import LanguageModel, Request
from engine.llm.prompting import data, fill, paper_block
from engine.run import RunContext
from engine.session.kept_text import find_texts, leaves_of
from engine.survey import ClaimTally, Section, SurveyWarning
from engine.values import OutlineNode, Paper, PaperKey
from engine.writing.drafting import (
    Assignment,
    Draft,
    hold_length,
    mark_unchecked,
    settle_citations,
    verify_citations,
)
from engine.writing.model_text import read_prose
from engine.writing.notices import count_tokens
from engine.writing.repetitions import remove_repeated

ROUNDS = 3
FEWEST_WORDS = 100
"""What is written on in one part."""

SPARE = 1.25
"""So many times the words missing are asked for: the check takes out of them too."""


def share_out(tokens: int, parts: int, most: int) -> list[int]:
    """Words to be added to each of the shortest of so many parts, ``most`` to one, so that so many tokens are added."""
    if tokens <= 0 or parts == 0:
        return []
    words, most = math.ceil(tokens / TOKENS_PER_WORD * SPARE), max(FEWEST_WORDS, most)
    count = min(parts, math.ceil(words / most))
    return [min(most, max(FEWEST_WORDS, math.ceil(words / count)))] * count


@dataclass
class Lengthening:
    """Writing on in the parts of one trial; ``warnings`` collects what a reader should know."""

    model: LanguageModel
    task: Assignment
    papers: Mapping[PaperKey, Paper]
    context: RunContext
    check: bool = True
    warnings: list[SurveyWarning] = field(default_factory=list)

    async def lengthen(self, sections: Mapping[int, Section], finished: Mapping[int, Section]) -> dict[int, Section]:
        """The sections by position, long enough where that can be; what was ``finished`` before stays as it is."""
        longer = await self._lengthen(sections, {*self.context.kept, *find_texts(self.task.outline, finished)})
        for position, section in longer.items():
            if section is not sections[position]:
                await self.context.section_finished(section, position)
        return longer

    async def _lengthen(self, sections: Mapping[int, Section], fixed: Collection[str]) -> dict[int, Section]:
        made = dict(sections)
        nodes = {number: node for number, node in leaves_of(self.task.outline.nodes) if number not in fixed}
        for attempt in range(ROUNDS):
            found = find_texts(self.task.outline, made)
            missing = self.task.least_tokens - count_tokens(list(made.values()))
            open_parts = {n: part for n, part in found.items() if part.text and n in nodes}
            added = share_out(missing, len(open_parts), self.task.words)
            if not added:
                break
            shortest = sorted(open_parts, key=lambda number: len(open_parts[number].text.split()))
            shares = dict(zip(shortest, added, strict=False))
            async with asyncio.TaskGroup() as group:
                tasks = {
                    number: group.create_task(self._write_on(nodes[number], found[number], words, attempt))
                    for number, words in shares.items()
                }
            said = [claim for part in found.values() for claim in part.claims]
            longer: dict[int, Section] = {}
            for number, task in tasks.items():
                if draft := task.result():
                    new = remove_repeated(draft, said)
                    said += new.claims
                    longer[id(found[number])] = _append(found[number], new)
            made = {i: _exchange(section, longer) for i, section in made.items()}
        return made

    async def _write_on(self, node: OutlineNode, part: Section, words: int, attempt: int) -> Draft | None:
        """What is to stand at the part's end; ``None`` where nothing more could be written or held."""
        cited = set(list_cited_keys(part.text))
        own = [self.papers[key] for key in node.papers if key in self.papers][: self.context.limits.papers_per_node]
        own.sort(key=lambda paper: paper.key in cited)
        prompt = fill(
            "common/lengthen",
            topic=data(self.task.topic),
            title=data(node.title),
            description=data(node.description or node.title),
            text=data(part.text),
            papers=paper_block(own),
            words=str(words),
        )
        step = f"lengthen/{self.task.trial}/{attempt}/{node.title}"
        request = Request("drafting", step, prompt, max(1_024, words * 3), self.task.temperature, self.task.top_p)
        try:
            prose = read_prose(await self.model.text(request), node.title)
            draft = hold_length(settle_citations(Draft(node, tuple(own), prose)), words)
            checked = (
                await verify_citations(self.model, draft, self.task.topic) if self.check else mark_unchecked(draft)
            )
        except (LanguageModelError, LimitExceeded) as error:
            self.warnings.append(SurveyWarning("length", node.title, f"not written on: {error}"))
            return None
        self.warnings += checked.warnings
        return checked if list_cited_keys(checked.text) else None


def _append(part: Section, new: Draft) -> Section:
    tally = (part.tally or ClaimTally()).plus(new.tally or ClaimTally()) if part.tally or new.tally else None
    return replace(part, text=f"{part.text}\n\n{new.text}", claims=(*part.claims, *new.claims), tally=tally)


def _exchange(section: Section, new: Mapping[int, Section]) -> Section:
    """The section with those parts exchanged whose identities are named."""
    if id(section) in new:
        return new[id(section)]
    below = tuple(_exchange(part, new) for part in section.sections)
    is_same = all(one is other for one, other in zip(below, section.sections, strict=True))
    return section if is_same else replace(section, sections=below)
