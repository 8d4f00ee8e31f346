"""What writing an outline will take, before it starts: calls, tokens, money, time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from engine.checking.check import CLAIMS_PER_CALL
from engine.limits import CHARACTERS_PER_TOKEN
from engine.llm.model import Task, tokens_of
from engine.llm.prices import PUBLISHED_PRICES, PriceList
from engine.llm.prompting import paper_tokens
from engine.reading.full_text import OPENING_TOKENS
from engine.run import CallChain, PlannedCall
from engine.session.kept_text import KeptText, parts_to_write
from engine.values import Paper, PaperKey, Passage, walk_outline
from engine.writing.drafting import Assignment, build_draft_request
from engine.writing.outer_parts import FINDINGS_EACH, FRAME_WORDS

TOKENS_PER_DRAFTED_WORD = 2.1
"""Measured on cited prose: a word and its share of citation keys, in characters / 4."""

WORDS_PER_CITATION = 20
"""A survey cites about once a sentence."""

TOKENS_PER_VERDICT = 33
FINDING_TOKENS = 45
"""One sentence of the finished sections, from which introduction and conclusion are written."""

MEAN_PAPER_TOKENS = 250
CHECK_OVERHEAD = 750
PROMPT_OVERHEAD = 450
"""Tokens of the rules and the JSON schema of one editing call."""

LATENCY_S, INPUT_TOKENS_PER_S, OUTPUT_TOKENS_PER_S = 0.5, 20_000, 80
"""How fast a typical service reads and writes."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Expected use; ``money`` in US dollars, ``None`` where a model's price is not known."""

    calls: int
    input_tokens: int
    output_tokens: int
    money: float | None
    seconds: float


def with_expected_texts(papers: Mapping[PaperKey, Paper], most: int) -> dict[PaperKey, Paper]:
    """The papers, the first so many that seem to be open with as much text as would be read of them."""
    text = Passage("x" * OPENING_TOKENS * CHARACTERS_PER_TOKEN)
    is_open = (p.key for p in papers.values() if p.pdf or any(i.startswith("arxiv:") for i in p.identifiers))
    expected = set(islice(is_open, most))
    return {key: replace(paper, body=(text,)) if key in expected else paper for key, paper in papers.items()}


@dataclass(frozen=True, slots=True)
class Steps:
    """Which steps follow a draft; a recipe's ablations switch them off."""

    check: bool = True
    connect: bool = True


def plan_subsections(
    task: Assignment, papers: Mapping[PaperKey, Paper], kept: KeptText, steps: Steps = Steps()
) -> list[CallChain]:
    """Drafting every subsection that is not ``kept``, and the steps that follow it."""
    chains: list[CallChain] = []
    for _, node in parts_to_write(task.outline, kept):
        if node.role != "body":
            chains += _plan_frame(task, check=steps.check)
            chains += _plan_frame(task, check=steps.check) if node.role == "conclusion" else []  # and the abstract
            continue
        own = [papers[key] for key in node.papers if key in papers]
        written = round(task.words * TOKENS_PER_DRAFTED_WORD)
        cited = min(len(own), task.words // WORDS_PER_CITATION + 1)
        mean = sum(paper_tokens(p) for p in own) / max(1, len(own))
        claims = task.words // WORDS_PER_CITATION + 1
        checks = -(-claims // CLAIMS_PER_CALL)
        chain = [PlannedCall("drafting", build_draft_request(task, node, own).prompt.tokens(), written)]
        if steps.connect:
            chain.append(PlannedCall("checking", written + PROMPT_OVERHEAD, 60))
        if steps.check:
            read = round(cited * mean) + written
            one = PlannedCall("checking", read // checks + CHECK_OVERHEAD, claims * TOKENS_PER_VERDICT // checks)
            chain.append(one)
            chains += [(one,)] * (checks - 1)  # a subsection's checks run side by side
        chains.append(tuple(chain))
    if steps.connect:
        chains += [
            (PlannedCall("checking", tokens_of(part.section.text) + PROMPT_OVERHEAD, 60),)
            for part in kept.parts
            if not part.same_neighbours
        ]
    return chains


def _plan_frame(task: Assignment, *, check: bool) -> list[CallChain]:
    """What is written from the finished sections, and its check."""
    leaves = sum(not node.children and node.role == "body" for _, node in walk_outline(task.outline.nodes))
    words = min(FRAME_WORDS, task.words)
    read = leaves * FINDINGS_EACH * FINDING_TOKENS + PROMPT_OVERHEAD
    draft = PlannedCall("drafting", read, round(words * TOKENS_PER_DRAFTED_WORD))
    claims = words // WORDS_PER_CITATION + 1
    checked = PlannedCall("checking", CHECK_OVERHEAD + claims * MEAN_PAPER_TOKENS, claims * TOKENS_PER_VERDICT)
    return [(draft, checked) if check else (draft,)]


def estimate_cost(
    chains: Sequence[CallChain], models: Mapping[Task, str], at_once: int, prices: PriceList = PUBLISHED_PRICES
) -> Estimate:
    """The cost of the chains; ``at_once`` calls run together."""
    calls = [call for chain in chains for call in chain]
    found = [prices.find(models[call.task]) for call in calls]
    known = [price.cost(c.input_tokens, c.output_tokens) for price, c in zip(found, calls, strict=True) if price]
    longest = max((sum(map(_duration_s, chain)) for chain in chains), default=0.0)
    return Estimate(
        len(calls),
        sum(c.input_tokens for c in calls),
        sum(c.output_tokens for c in calls),
        sum(known) if len(known) == len(calls) else None,
        max(longest, sum(map(_duration_s, calls)) / max(1, at_once)),
    )


def _duration_s(call: PlannedCall) -> float:
    return LATENCY_S + call.input_tokens / INPUT_TOKENS_PER_S + call.output_tokens / OUTPUT_TOKENS_PER_S
