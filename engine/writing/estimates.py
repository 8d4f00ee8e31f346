"""What writing an outline will take, before it starts: calls, tokens, money, time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from engine.checking.check import CLAIMS_PER_CALL
from engine.limits import CHARACTERS_PER_TOKEN, Limits
from engine.llm.meter import expect_seconds
from engine.llm.model import Task
from engine.llm.prices import PUBLISHED_PRICES, PriceList
from engine.llm.prompting import paper_tokens
from engine.notes.taking import Question, build_request, divide_reading
from engine.reading.full_text import OPENING_TOKENS
from engine.run import CallChain, PlannedCall, WritingTask
from engine.session.kept_text import leaves_of, parts_to_write
from engine.values import OutlineNode, Paper, PaperSelection, Passage
from engine.writing.drafting import ALL_STEPS, Assignment, Material, Steps, build_draft_request, count_words
from engine.writing.outer_parts import ABSTRACT_WORDS, FINDINGS_EACH, FRAME_WORDS

TOKENS_PER_DRAFTED_WORD, PLAIN_TOKENS = 1.8, 1.4
"""Measured on cited prose, in characters / 4: a word with its share of citation keys, and one without them."""

WORDS_PER_CLAIM, PARAGRAPH_WORDS = 25, 110
"""A survey cites about once a sentence; measured on 400 drafts of 150 to 700 words. A paragraph's first claim is shown
for introduction and conclusion."""

WORDS_BEYOND = 10
"""A model that is asked for more than so many words goes on to the end of its sentence or paragraph."""

TOKENS_PER_VERDICT, CLAIM_TOKENS, REWORDED_TOKENS = 6, 135, 45
"""One verdict as it is written, one claim with its evidence as it is shown, and a new wording."""

FINDING_TOKENS, HEADING_TOKENS, TOKENS_PER_FRAME_WORD = 45, 15, 2.1
"""One sentence of the finished sections, from which introduction and conclusion are written, a heading, and a word of
what is written from them, which cites more densely than sections do."""

NOTE_WRITTEN, NOTED_PAPER, POINTS_WRITTEN = 65, 150, 90
"""Tokens of one note as it is written, of a paper with its notes and their sentences, and of a subsection's points."""

DOUBTFUL, EDITED = 0.05, 0.02
"""Shares of claims that are worded anew and judged once more, and of sentences that a reviewer edits."""

REPAIRS = 3
"""Calls of a check's size that follow on it where half of its claims do not hold: two word anew, one judges again."""

EDIT_TOKENS, JUDGE_TOKENS, EARLIER = 17, 40, 2
"""Tokens of one edit and of a judge's scores, and the parts of a section that a draft is shown where it sees those
before it."""

MEANWHILE, AGREEING = 1, 2
"""Waves: when all was judged once, what did not hold is judged again while the whole is read and framed; then
the frame is read against it."""

MEAN_PAPER_TOKENS, CHECK_OVERHEAD, PROMPT_OVERHEAD = 250, 570, 420
"""Tokens of a paper where there are none to measure, and of the rules and the JSON schema of a check and of another
editing call."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Expected use; ``money`` in US dollars, ``None`` where a model's price is not known.

    ``most_calls`` and ``most_tokens`` are what it comes to where half of what is written does not hold.
    """

    calls: int
    input_tokens: int
    output_tokens: int
    money: float | None
    seconds: float
    most_calls: int
    most_tokens: int


def with_expected_texts(selection: PaperSelection, most: int) -> PaperSelection:
    """The papers, the first so many that seem to be open with as much text as would be read of them."""
    text = Passage("x" * OPENING_TOKENS * CHARACTERS_PER_TOKEN)
    expected = set(islice((paper.key for paper in selection.list_included() if paper.is_open), most))
    found = (
        replace(f, paper=replace(f.paper, body=(text,))) if f.paper.key in expected else f for f in selection.found
    )
    return replace(selection, found=tuple(found))


def plan_subsections(
    approved: WritingTask, limits: Limits, task: Assignment, steps: Steps = ALL_STEPS
) -> list[CallChain]:
    """Notes, draft and check of every subsection that does not stay; then the reading of the whole, then its frame."""
    chains: list[CallChain] = []
    due, everything = parts_to_write(task.outline, approved.kept), approved.selection.list_included()
    papers = {paper.key: paper for paper in everything}
    body = [(number, node) for number, node in due if node.role == "body"]
    for number, node in body:
        own = tuple(papers[key] for key in node.papers if key in papers)
        # A section that the person added gets its papers then.
        chains += _plan_part(task, number, node, (own or everything)[: limits.papers_per_node], steps)
    if steps.check:
        chains += plan_repairs(task.words, len(body))
        again = (part.section.text for part in approved.kept.parts if not part.is_checked)
        chains += [chain for text in again for chain in with_checks((), count_words(text) - WORDS_BEYOND)]
    leaves = sum(1 for _, node in leaves_of(task.outline.nodes) if node.role == "body")
    if steps.check and steps.review and body:
        chains += _plan_review(task.words, leaves, steps.judges)
    around = sum(node.role != "body" for _, node in due)
    return [*chains, *(_plan_frame(task.words, leaves, around, steps) if steps.frame and around else ())]


def _plan_part(
    task: Assignment, number: str, node: OutlineNode, papers: Sequence[Paper], steps: Steps
) -> list[CallChain]:
    """The notes of one subsection side by side, its draft from them, and its check."""
    written, taking = tokens_drafted(task.words) + POINTS_WRITTEN, list[PlannedCall]()
    read = build_draft_request(task, Material(node, () if steps.notes else tuple(papers))).prompt.tokens()
    if steps.notes:
        question = Question(task.topic, number, node, task.words)
        groups = divide_reading(papers)
        for at, group in enumerate(groups):
            shown = build_request(question, group, len(groups), at, {}).prompt.tokens()
            noted = min(len(group), math.ceil(question.most / len(groups)))
            taking.append(PlannedCall("extraction", shown, NOTE_WRITTEN * noted))
        before = round(EARLIER * task.words * PLAIN_TOKENS) if steps.in_turn else 0
        read += NOTED_PAPER * len(papers[: question.most]) + before
    chain = (*taking[:1], PlannedCall("drafting", read, written))
    return [*(with_checks(chain, task.words) if steps.check else [chain]), *((call,) for call in taking[1:])]


def _plan_review(words: int, leaves: int, judges: Sequence[str]) -> list[CallChain]:
    """One reading of the whole, or one by each judge, who scores it before and after, and the check of the edits."""
    edits, shown = max(1, round(EDITED * leaves * expect_claims(words))), round(leaves * words * PLAIN_TOKENS)
    read = PlannedCall("checking", PROMPT_OVERHEAD + shown, edits * EDIT_TOKENS, MEANWHILE)
    again = replace(plan_check(1), wave=MEANWHILE)
    score = replace(read, task="judging", output_tokens=JUDGE_TOKENS)
    return [(read, again), *[(again,)] * (edits - 1), *[(read,)] * (len(judges) - 1), *[(score,)] * (2 * len(judges))]


def tokens_drafted(words: int) -> int:
    """Tokens of a draft of so many words: it is a little longer than asked for."""
    return round((words + WORDS_BEYOND) * TOKENS_PER_DRAFTED_WORD)


def with_checks(chain: Sequence[PlannedCall], words: int) -> list[CallChain]:
    """The calls that end in a text of so many words, and its check; the check's calls run side by side."""
    claims = expect_claims(words)
    checks = math.ceil(claims / CLAIMS_PER_CALL)
    one = plan_check(claims / checks)
    return [(*chain, one), *[(one,)] * (checks - 1)]


def plan_check(claims: float) -> PlannedCall:
    """One call that judges so many claims."""
    return PlannedCall("checking", round(CHECK_OVERHEAD + claims * CLAIM_TOKENS), round(claims * TOKENS_PER_VERDICT))


def expect_claims(words: int) -> float:
    """How many claims a draft has for which so many words were asked."""
    return (words + WORDS_BEYOND) / WORDS_PER_CLAIM


def mean_tokens(papers: Sequence[Paper]) -> float:
    """Tokens of one of the papers in a prompt, on average."""
    return sum(paper_tokens(p) for p in papers) / len(papers) if papers else MEAN_PAPER_TOKENS


def plan_repairs(words: int, texts: int) -> list[CallChain]:
    """The further rounds of so many texts' checks: where a claim does not hold, it is worded anew and judged again."""
    again = round(texts * (1 - (1 - DOUBTFUL) ** expect_claims(words)))
    reword = PlannedCall("checking", CHECK_OVERHEAD + 2 * CLAIM_TOKENS, REWORDED_TOKENS, MEANWHILE)
    return [(reword, replace(plan_check(1), wave=MEANWHILE))] * again


def _plan_frame(words: int, leaves: int, parts: int, steps: Steps) -> list[CallChain]:
    """Introduction, conclusion and abstract, written from the finished sections, their checks, and one reading."""
    each = min(FINDINGS_EACH, words / PARAGRAPH_WORDS)
    read = round(leaves * (each * FINDING_TOKENS + HEADING_TOKENS)) + PROMPT_OVERHEAD
    lengths = [*[min(FRAME_WORDS, words)] * parts, ABSTRACT_WORDS]
    chains: list[CallChain] = []
    for length in lengths:
        draft = PlannedCall("drafting", read, round(length * TOKENS_PER_FRAME_WORD))
        chains += with_checks([draft], length) if steps.check else [(draft,)]
    framed = [tuple(replace(call, wave=MEANWHILE) for call in chain) for chain in chains]
    agreeing = PlannedCall("checking", read + round(sum(lengths) * PLAIN_TOKENS), EDIT_TOKENS, AGREEING)
    return [*framed, *([(agreeing,)] if steps.check and steps.review else [])]


def estimate_cost(
    chains: Sequence[CallChain], models: Mapping[Task, str], at_once: int, prices: PriceList = PUBLISHED_PRICES
) -> Estimate:
    """The cost of the chains; ``at_once`` calls run together."""
    calls = [call for chain in chains for call in chain]
    found = [prices.find(models[call.task]) for call in calls]
    known = [price.cost(c.input_tokens, c.output_tokens) for price, c in zip(found, calls, strict=True) if price]
    again = [call for call in calls if call.task == "checking"] * REPAIRS
    seconds = 0.0
    for wave in {c.wave for c in calls}:  # those of one wave begin together
        durations = [
            sum(expect_seconds(c.input_tokens, c.output_tokens) for c in chain if c.wave == wave) for chain in chains
        ]
        seconds += max(max(durations), sum(durations) / max(1, at_once))
    return Estimate(
        len(calls),
        sum(c.input_tokens for c in calls),
        sum(c.output_tokens for c in calls),
        sum(known) if len(known) == len(calls) else None,
        seconds,
        len(calls) + len(again),
        sum(c.input_tokens + c.output_tokens for c in (*calls, *again)),
    )
