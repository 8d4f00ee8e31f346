"""What writing an outline by SurveyX will take, before it starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from engine.checking.check import CLAIMS_PER_CALL
from engine.llm.model import tokens_of
from engine.recipes.surveyx_hints import HINTED_AT_ONCE, HINTS_EACH
from engine.run import CallChain, PlannedCall
from engine.session.kept_text import KeptText, parts_to_write
from engine.values import Paper
from engine.writing.drafting import Assignment, outline_text
from engine.writing.estimates import (
    CHECK_OVERHEAD,
    PROMPT_OVERHEAD,
    TOKENS_PER_DRAFTED_WORD,
    TOKENS_PER_VERDICT,
    WORDS_PER_CITATION,
    plan_repairs,
)

NOTES, GIST, HINT, SOURCE = 1.06, 0.28, 0.25, 1.0
"""Sizes in abstracts, measured on 300 papers: all notes of a paper, those that say where it belongs, a hint with the
sentence behind it, and the paper in a check."""

HEAD_TOKENS = 35
"""Key, title, author and year of a paper in a prompt."""

HINTS_WRITTEN = 120
"""Tokens of one paper's hints as they are written."""

EDIT_TOKENS = 45
EDITED_SHARE = 0.2
"""One edited sentence, and how many sentences are."""

HINTS_OF_A_PAPER = 1.3
"""Parts that a paper brings something to."""

DIFFERENT = 0.5
"""Share of a part's claims that cite a paper no other claim of it cites."""

FOUND = 4
"""Papers that rewriting finds for a subsection."""

TABLE_ROWS, ROW_TOKENS = 10, 90
"""Rows of a section's table, and the tokens of one as it is written."""

FRAME_PAPERS, FRAME_TOKENS = 2, 60
"""Papers cited where a part begins and ends, and the tokens of these sentences."""


def plan_survey(
    task: Assignment, papers: Sequence[Paper], kept: KeptText, *, rewrite: bool, tables: bool
) -> list[CallChain]:
    """Hints of all papers, then for each section its drafts one after the other, each rewritten and checked."""
    body = [node for node in task.outline.nodes if node.role == "body"]
    due = parts_to_write(task.outline, kept)
    places = [n for n, node in enumerate(task.outline.nodes, start=1) if node.role == "body"]
    leaves = [sum(number.split(".")[0] == f"{place}" for number, _ in due) for place in places]
    sizes = _Sizes(
        outline=tokens_of(outline_text(task.outline)) + PROMPT_OVERHEAD,
        abstract=fmean(tokens_of(paper.content) for paper in papers) if papers else 0.0,
        written=round(task.words * TOKENS_PER_DRAFTED_WORD),
        cited=task.words // WORDS_PER_CITATION + 1,
        hints=min(HINTS_EACH, round(HINTS_OF_A_PAPER * len(papers) / max(1, sum(leaves)))),
    )
    size = min(HINTED_AT_ONCE, len(papers))
    hints = PlannedCall("outline", sizes.outline + sizes.papers(size, NOTES), size * HINTS_WRITTEN)
    chains: list[CallChain] = [(hints,)] * -(-len(papers) // HINTED_AT_ONCE)
    for count in filter(None, leaves):
        chains += _plan_section(count, sizes, rewrite=rewrite)
    for _ in [node for _, node in due if node.role != "body"]:
        shown = sizes.papers(FRAME_PAPERS * sum(leaves), GIST) + FRAME_TOKENS * sum(leaves)
        first, *others = sizes.checks()
        chains.append((PlannedCall("drafting", sizes.outline + shown, sizes.written), first))
        chains += [(check,) for check in others]
    chains += plan_repairs(task.words, len(due), papers)
    if tables:
        shown = PROMPT_OVERHEAD + sizes.papers(TABLE_ROWS, GIST)
        chains += [(PlannedCall("extraction", shown, TABLE_ROWS * ROW_TOKENS),)] * len(body)
    return chains


@dataclass(frozen=True)
class _Sizes:
    """Tokens of what the prompts of one survey are made of; ``cited`` and ``hints`` are counts for each part."""

    outline: int
    abstract: float
    written: int
    cited: int
    hints: int

    def papers(self, count: int, share: float) -> int:
        return round(count * (HEAD_TOKENS + share * self.abstract))

    def checks(self) -> list[PlannedCall]:
        """The calls that check a part, side by side."""
        count = -(-self.cited // CLAIMS_PER_CALL)
        read = CHECK_OVERHEAD + (self.written + self.papers(round(DIFFERENT * self.cited), SOURCE)) // count
        return [PlannedCall("checking", read, self.cited * TOKENS_PER_VERDICT // count)] * count


def _plan_section(parts: int, sizes: _Sizes, *, rewrite: bool) -> list[CallChain]:
    """The drafts follow one another; each but the last is rewritten and checked while the next is drafted."""
    hints = sizes.papers(sizes.hints, HINT)
    drafts = [PlannedCall("drafting", sizes.outline + hints + i * sizes.written, sizes.written) for i in range(parts)]
    read = PROMPT_OVERHEAD + sizes.written + sizes.papers(sizes.cited + FOUND, GIST)
    rewriting = PlannedCall("checking", read, round(EDITED_SHARE * sizes.cited * EDIT_TOKENS))
    first, *others = sizes.checks()
    finish = (rewriting, first) if rewrite else (first,)
    return [(*drafts, *finish), *[finish] * (parts - 1), *[(check,) for check in others * parts]]
