"""What a quick review will take, before it starts."""

from __future__ import annotations

from collections.abc import Sequence

from engine.checking.check import CLAIMS_PER_CALL
from engine.gathering.review_scope import QUESTIONS
from engine.gathering.studies import AT_ONCE, MOST_READ, TEXT_SHARE, TOGETHER
from engine.limits import Limits
from engine.options import QuickOptions
from engine.run import CallChain, PlannedCall
from engine.values import Paper
from engine.writing.estimates import (
    mean_tokens,
    plan_check,
    plan_repairs,
    tokens_drafted,
    with_checks,
)
from engine.writing.review import MOST_CONCLUSIONS, WORDS_PER_QUESTION

SCOPE_TOKENS, SCOPE_WRITTEN = 670, 150
"""Tokens that the plan of a review reads and writes."""

STUDY_OVERHEAD, STUDY_WRITTEN = 620, 280
"""Tokens of the rules and the JSON schema with which papers are read, and of what is said of each."""

ENTRY_TOKENS, ENTRY_SHARE, MOST_ENTRY_TOKENS = 180, 0.38, 310
"""One study in the prompts that write from summaries: its fields, and of its summary so many tokens for each of the
paper that was read, up to the summary's full length; the review's share of tokens holds as many as fit."""

RELEVANT = 0.8
"""Share of the papers read that say something to the questions."""

UNDER_WAY = 1
"""Papers that are being read when the review is full."""

WRITING_OVERHEAD, CONCLUSIONS_WRITTEN = 340, 250

CHECKED_COLUMNS = 3
"""Columns of the table whose sentences are checked."""


def plan_quick_review(
    options: QuickOptions, limits: Limits, papers: Sequence[Paper], *, with_texts: bool
) -> Sequence[CallChain]:
    """The calls of one review: its plan, the papers read `TOGETHER` in a call, table, answers, conclusions.

    ``papers``: some of those that it may read, where they are known; ``with_texts``: whether full texts are fetched,
    which are longer than abstracts.
    """
    paper = round(TEXT_SHARE * limits.review_tokens) if with_texts else round(mean_tokens(papers))
    entry = min(MOST_ENTRY_TOKENS, round(ENTRY_TOKENS + ENTRY_SHARE * paper))
    if options.only_search:
        read, studies = options.space, round(options.space * RELEVANT)
    else:
        fitting = limits.review_tokens * options.share // (100 * entry)
        read = min(MOST_READ, options.space, round(fitting / RELEVANT) + UNDER_WAY)
        studies = min(fitting, round(read * RELEVANT))
    sizes = [min(TOGETHER, read - first) for first in range(0, read, TOGETHER)]
    reading = [PlannedCall("reading", STUDY_OVERHEAD + count * paper, count * STUDY_WRITTEN) for count in sizes]
    chains: list[CallChain] = [(PlannedCall("outline", SCOPE_TOKENS, SCOPE_WRITTEN),)]
    chains += [tuple(reading[at::AT_ONCE]) for at in range(min(len(reading), AT_ONCE))]
    cells = plan_check(min(studies, CLAIMS_PER_CALL))
    chains += [(cells,)] * (CHECKED_COLUMNS * -(-studies // CLAIMS_PER_CALL))
    if options.only_search:
        return chains
    written = tokens_drafted(WORDS_PER_QUESTION)
    drafting = WRITING_OVERHEAD + studies * entry
    answers = with_checks([PlannedCall("drafting", drafting, written)], WORDS_PER_QUESTION) * QUESTIONS
    concluded = PlannedCall("drafting", drafting + QUESTIONS * written, CONCLUSIONS_WRITTEN)
    again = plan_repairs(WORDS_PER_QUESTION, QUESTIONS)
    return [*chains, *answers, (concluded, plan_check(MOST_CONCLUSIONS)), *again]
