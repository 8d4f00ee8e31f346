"""What writing an outline by SurveyX will take, before it starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from engine.llm.model import tokens_of
from engine.recipes.surveyx_hints import HINTED_AT_ONCE, HINTS_EACH, choose_hinted
from engine.recipes.surveyx_outline import MOUNTED_AT_ONCE, PLANNED_TOKENS
from engine.run import CallChain, PlannedCall
from engine.session.kept_text import KeptText, leaves_of, parts_to_write
from engine.values import Outline, Paper
from engine.writing.drafting import Assignment, outline_text
from engine.writing.estimates import (
    CHECK_OVERHEAD,
    PROMPT_OVERHEAD,
    TOKENS_PER_DRAFTED_WORD,
    TOKENS_PER_VERDICT,
    count_checks,
    expect_claims,
    plan_kept_checks,
    plan_lengthening,
    plan_repairs,
)

NOTES, GIST, SOURCE = 1.2, 0.28, 1.0
"""Sizes in abstracts, measured on 400 papers: all notes of a paper, those that say where it belongs, and the paper in a
check."""

LENGTHENED_FROM, LOST_IN_REWRITING = 20, 0.11
"""Papers shown where a part is written on, and the share of the words that rewriting takes out."""

LABELS_TOKENS, HINT_TOKENS = 35, 100
"""The names of the fields in a paper's notes, and a hint with the sentence behind it and its paper's key and title."""

HEAD_TOKENS = 35
"""Key, title, author and year of a paper in a prompt."""

HINTS_WRITTEN = 120
"""Tokens of one paper's hints as they are written."""

MOUNT_TOKENS, REORGANISED_TOKENS = 80, 200
"""Tokens of one paper's hints for the sections, and of the answer that puts subsections in order, as written."""

EDIT_TOKENS = 45
EDITED_SHARE = 0.2
"""One edited sentence, and how many sentences are."""

HINTS_OF_A_PAPER = 1.5
"""Parts that a paper brings something to."""

DIFFERENT = 0.5
"""Share of a part's claims that cite a paper no other claim of it cites."""

FOUND = 4
"""Papers that rewriting finds for a subsection."""

TABLE_ROWS, ROW_TOKENS = 10, 90
"""Rows of a section's table, and the tokens of one as it is written."""

FRAME_PAPERS, FRAME_TOKENS = 2, 60
"""Papers cited where a part begins and ends, and the tokens of these sentences."""


def plan_steps(
    outline: Outline, papers: Sequence[Paper], shown: Sequence[Paper], *, optimised: bool
) -> list[CallChain]:
    """The calls that make an outline like this one, its main sections from the papers ``shown``.

    Hints of all papers, subsections and their order follow; not so without optimisation.
    """
    size = tokens_of(outline_text(outline))
    read = sum(HEAD_TOKENS + min(PLANNED_TOKENS, tokens_of(paper.content)) for paper in shown)
    chains: list[CallChain] = [(PlannedCall("outline", read + PROMPT_OVERHEAD, size),)]
    if not optimised:
        return chains
    notes = [round(HEAD_TOKENS + LABELS_TOKENS + GIST * tokens_of(paper.content)) for paper in papers]
    for start in range(0, len(notes), MOUNTED_AT_ONCE):
        some = notes[start : start + MOUNTED_AT_ONCE]
        chains.append((PlannedCall("outline", size + PROMPT_OVERHEAD + sum(some), MOUNT_TOKENS * len(some)),))
    divided = [node for node in outline.nodes if node.children]
    hints = MOUNT_TOKENS * len(papers) // max(1, len(divided))
    chains += [(PlannedCall("outline", size + PROMPT_OVERHEAD + hints, size // len(divided)),) for _ in divided]
    return [*chains, (PlannedCall("outline", 2 * size + PROMPT_OVERHEAD, REORGANISED_TOKENS),)]


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
        words=task.words,
        hints=min(HINTS_EACH, round(HINTS_OF_A_PAPER * len(papers) / max(1, sum(leaves)))),
    )
    body_due = [node for _, node in due if node.role == "body"]
    some_stay = bool(kept.parts or kept.sections)
    asked = len(choose_hinted([paper.key for paper in papers], body_due, some_stay=some_stay))
    size = min(HINTED_AT_ONCE, asked)
    hints = PlannedCall(
        "outline", sizes.outline + sizes.papers(size, NOTES) + size * LABELS_TOKENS, size * HINTS_WRITTEN
    )
    chains: list[CallChain] = [(hints,)] * -(-asked // HINTED_AT_ONCE)
    for at, count in enumerate(leaves):
        chains += _plan_section(count, sum(leaves[:at]), sizes, rewrite=rewrite) if count else ()
    whole = sum(1 for _, node in leaves_of(task.outline.nodes) if node.role == "body")
    for at in range(sum(node.role != "body" for _, node in due)):
        shown = sizes.papers(FRAME_PAPERS * whole, GIST) + FRAME_TOKENS * whole
        first, *others = sizes.checks(sum(leaves) + at)
        chains.append((PlannedCall("drafting", sizes.outline + shown, sizes.written), first))
        chains += [(check,) for check in others]
    chains += plan_repairs(task.words, len(due), papers) + plan_kept_checks(kept, {p.key: p for p in papers})
    if not some_stay:
        chains += plan_lengthening(task, len(body_due), papers, LENGTHENED_FROM, LOST_IN_REWRITING)
    if tables:
        shown = PROMPT_OVERHEAD + sizes.papers(TABLE_ROWS, GIST)
        chains += [(PlannedCall("extraction", shown, TABLE_ROWS * ROW_TOKENS),)] * len(body)
    return chains


@dataclass(frozen=True)
class _Sizes:
    """Tokens of what the prompts of one survey are made of; ``words`` and ``hints`` are counts for each part."""

    outline: int
    abstract: float
    written: int
    words: int
    hints: int

    @property
    def claims(self) -> int:
        return round(expect_claims(self.words))

    def papers(self, count: int, share: float) -> int:
        return round(count * (HEAD_TOKENS + share * self.abstract))

    def checks(self, at: int) -> list[PlannedCall]:
        """The calls that check the part of that number, side by side."""
        count = count_checks(self.words, at)
        read = CHECK_OVERHEAD + (self.written + self.papers(round(DIFFERENT * self.claims), SOURCE)) // count
        return [PlannedCall("checking", read, self.claims * TOKENS_PER_VERDICT // count)] * count


def _plan_section(parts: int, before: int, sizes: _Sizes, *, rewrite: bool) -> list[CallChain]:
    """The drafts follow one another; each but the last is rewritten and checked while the next is drafted.

    ``before`` is how many parts the sections before it have.
    """
    hints = sizes.hints * HINT_TOKENS
    drafts = [PlannedCall("drafting", sizes.outline + hints + i * sizes.written, sizes.written) for i in range(parts)]
    read = PROMPT_OVERHEAD + sizes.written + sizes.papers(sizes.claims + FOUND, GIST)
    rewriting = PlannedCall("checking", read, round(EDITED_SHARE * sizes.claims * EDIT_TOKENS))
    chains: list[CallChain] = []
    for at in range(parts):
        first, *others = sizes.checks(before + at)
        finish = (rewriting, first) if rewrite else (first,)
        chains += [(*(drafts if at == parts - 1 else ()), *finish), *[(check,) for check in others]]
    return chains
