"""What writing an outline by SurveyX will take, before it starts."""

from __future__ import annotations

from collections.abc import Sequence

from engine.llm.model import tokens_of
from engine.recipes.surveyx_outline import MOUNTED_AT_ONCE, PLANNED_TOKENS
from engine.run import CallChain, PlannedCall, WritingPlan
from engine.session.kept_text import parts_to_write
from engine.values import Outline, Paper
from engine.writing.drafting import Assignment, Steps
from engine.writing.estimates import PROMPT_OVERHEAD, expect_claims, mean_tokens, plan_subsections, tokens_drafted
from engine.writing.outlining import outline_text

GIST = 0.28
"""What of a paper's tree says where it belongs, in abstracts; measured on 400 papers."""

LABELS_TOKENS = 35
"""The names of the fields in a paper's notes."""

HEAD_TOKENS = 35
"""Key, title, author and year of a paper in a prompt."""

MOUNT_TOKENS, REORGANISED_TOKENS = 80, 200
"""Tokens of one paper's hints for the sections, and of the answer that puts subsections in order, as written."""

EDIT_TOKENS = 45
EDITED_SHARE = 0.2
"""One edited sentence, and how many sentences are."""

FOUND = 4
"""Papers that rewriting finds for a subsection."""

TABLE_ROWS, ROW_TOKENS = 10, 90
"""Rows of a section's table, and the tokens of one as it is written."""


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


def plan_survey(plan: WritingPlan, task: Assignment, *, rewrite: bool, tables: bool) -> list[CallChain]:
    """Notes, drafts and checks as for any survey, the rewriting of each draft, and the cells of the tables."""
    chains = plan_subsections(plan, task, Steps(in_turn=True))
    papers = list(plan.papers.values())
    due = [node for _, node in parts_to_write(plan.outline, plan.kept) if node.role == "body"]
    shown = HEAD_TOKENS + GIST * mean_tokens(papers)
    if rewrite:
        claims, written = expect_claims(task.words), tokens_drafted(task.words)
        read = PROMPT_OVERHEAD + written + round((claims + FOUND) * shown)
        chains += [(PlannedCall("checking", read, round(EDITED_SHARE * claims * EDIT_TOKENS)),)] * len(due)
    if tables and due:
        body = sum(node.role == "body" for node in plan.outline.nodes)
        read = PROMPT_OVERHEAD + round(TABLE_ROWS * shown)
        chains += [(PlannedCall("extraction", read, TABLE_ROWS * ROW_TOKENS),)] * body
    return chains
