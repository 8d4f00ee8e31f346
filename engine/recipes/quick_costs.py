"""What a quick review will take, before it starts."""

from __future__ import annotations

from collections.abc import Sequence

from engine.checking.check import CLAIMS_PER_CALL
from engine.gathering.review_scope import QUESTIONS
from engine.gathering.studies import AT_ONCE, MOST_READ, TEXT_SHARE
from engine.limits import Limits
from engine.options import QuickOptions
from engine.run import CallChain, PlannedCall
from engine.values import Paper
from engine.writing.estimates import (
    CHECK_OVERHEAD,
    TOKENS_PER_VERDICT,
    mean_tokens,
    tokens_drafted,
    with_checks,
)
from engine.writing.review import MOST_CONCLUSIONS, WORDS_PER_QUESTION

SCOPE_TOKENS, SCOPE_WRITTEN = 670, 150
"""Tokens that the plan of a review reads and writes."""

STUDY_OVERHEAD, STUDY_WRITTEN = 620, 280
"""Tokens of the rules and the JSON schema with which one paper is read, and of what is said of it."""

ENTRY_TOKENS = 310
"""One study in the prompts that write from summaries; the review's share of tokens holds so many studies."""

ENTRY_SHARE = 1.24
"""Tokens of such an entry for each of the paper that was read: of short abstracts less is said."""

RELEVANT = 0.8
"""Share of the papers read that say something to the questions."""

WRITING_OVERHEAD, CONCLUSIONS_WRITTEN = 500, 250

CHECKED_COLUMNS, CELL_TOKENS = 3, 40
"""Columns of the table whose sentences are checked, and the tokens of one such sentence."""


def plan_quick_review(
    options: QuickOptions, limits: Limits, papers: Sequence[Paper], *, with_texts: bool
) -> Sequence[CallChain]:
    """The calls of one review: its plan, the papers read `AT_ONCE` at a time, table, answers, conclusions.

    ``papers``: some of those that it may read, where they are known; ``with_texts``: whether full texts are fetched,
    which are longer than abstracts.
    """
    if options.only_search:
        read = options.space
    else:
        fitting = -(-limits.review_tokens * options.share // (100 * ENTRY_TOKENS))
        read = min(MOST_READ, options.space, round(fitting / RELEVANT) + AT_ONCE // 2)
    studies = round(read * RELEVANT)
    paper = round(TEXT_SHARE * limits.review_tokens) if with_texts else round(mean_tokens(papers))
    study = PlannedCall("reading", STUDY_OVERHEAD + paper, STUDY_WRITTEN)
    chains: list[CallChain] = [(PlannedCall("outline", SCOPE_TOKENS, SCOPE_WRITTEN),)]
    chains += [(study,) * len(range(at, read, AT_ONCE)) for at in range(min(read, AT_ONCE))]
    each = min(studies, CLAIMS_PER_CALL)
    cells = PlannedCall("checking", CHECK_OVERHEAD + each * (paper + CELL_TOKENS), each * TOKENS_PER_VERDICT)
    chains += [(cells,)] * (CHECKED_COLUMNS * -(-studies // CLAIMS_PER_CALL))
    if options.only_search:
        return chains
    entries = studies * min(ENTRY_TOKENS, round(ENTRY_SHARE * paper))
    written = tokens_drafted(WORDS_PER_QUESTION)
    for _ in range(QUESTIONS):
        chains += with_checks([PlannedCall("drafting", WRITING_OVERHEAD + entries, written)], WORDS_PER_QUESTION, ())
    concluded = PlannedCall("drafting", WRITING_OVERHEAD + entries + QUESTIONS * written, CONCLUSIONS_WRITTEN)
    check = PlannedCall("checking", CHECK_OVERHEAD + studies * paper, MOST_CONCLUSIONS * TOKENS_PER_VERDICT)
    return [*chains, (concluded, check)]
