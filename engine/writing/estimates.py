"""What writing an outline will take, before it starts: calls, tokens, money, time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice

from engine.limits import CHARACTERS_PER_TOKEN
from engine.llm.model import Task
from engine.llm.prices import price_of
from engine.llm.prompting import paper_tokens
from engine.reading.full_text import OPENING_TOKENS
from engine.values import Paper, PaperKey, Passage, walk_outline
from engine.writing.drafting import ABSTRACT_TOKENS, Assignment, build_draft_request

TOKENS_PER_DRAFTED_WORD = 2.1
"""Measured on cited prose: a word and its share of citation keys, in characters / 4."""

WORDS_PER_CITATION = 27
"""A survey cites about once a sentence."""

TOKENS_PER_VERDICT = 33
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


def estimate(task: Assignment, papers: Mapping[PaperKey, Paper], models: Mapping[Task, str], at_once: int) -> Estimate:
    """Writing, checking and connecting every subsection; ``at_once`` calls run together."""
    calls: list[tuple[Task, int, int]] = []
    for _, node in walk_outline(task.outline.nodes):
        if node.children:
            continue
        own = [papers[key] for key in node.papers if key in papers]
        written = round(task.words * TOKENS_PER_DRAFTED_WORD)
        cited = min(len(own), task.words // WORDS_PER_CITATION + 1)
        mean = sum(paper_tokens(p, ABSTRACT_TOKENS) for p in own) / max(1, len(own))
        verdicts = (task.words // WORDS_PER_CITATION + 1) * TOKENS_PER_VERDICT
        calls += [
            ("drafting", build_draft_request(task, node, own).prompt.tokens(), written),
            ("checking", round(cited * mean) + written + PROMPT_OVERHEAD, verdicts),
            ("checking", written + PROMPT_OVERHEAD, 60),
        ]
    prices = [price_of(models[kind]) for kind, _, _ in calls]
    money = sum(p.cost(i, o) for p, (_, i, o) in zip(prices, calls, strict=True) if p) if all(prices) else None
    durations = [LATENCY_S + i / INPUT_TOKENS_PER_S + o / OUTPUT_TOKENS_PER_S for _, i, o in calls]
    chain = sum(durations[:3]) if durations else 0.0
    seconds = max(chain, sum(durations) / max(1, at_once))
    return Estimate(len(calls), sum(i for _, i, _ in calls), sum(o for _, _, o in calls), money, seconds)
