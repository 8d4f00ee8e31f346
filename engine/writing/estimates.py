"""What writing an outline will take, before it starts: calls, tokens, money, time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from statistics import NormalDist

from engine.checking.check import CLAIMS_PER_CALL, FEWER_CLAIMS
from engine.citations import list_cited_keys
from engine.limits import CHARACTERS_PER_TOKEN, TOKENS_PER_WORD
from engine.llm.model import Task, tokens_of
from engine.llm.places import expect_seconds
from engine.llm.prices import PUBLISHED_PRICES, PriceList
from engine.llm.prompting import paper_tokens
from engine.reading.full_text import OPENING_TOKENS
from engine.run import CallChain, PlannedCall, WritingPlan
from engine.session.kept_text import KeptText, leaves_of, parts_to_write
from engine.values import Paper, PaperKey, Passage
from engine.writing.drafting import Assignment, build_draft_request
from engine.writing.lengthening import share_out
from engine.writing.outer_parts import ABSTRACT_WORDS, FINDINGS_EACH, FRAME_WORDS

TOKENS_PER_DRAFTED_WORD = 1.95
"""Measured on cited prose: a word and its share of citation keys, in characters / 4."""

WORDS_PER_CLAIM = 25
"""A survey cites about once a sentence; measured on 400 drafts of 150 to 700 words."""

CLAIMS_SPREAD = 0.18
"""Standard deviation of the claims of texts of one length, as a share of their mean."""

TOKENS_PER_VERDICT = 38
FINDING_TOKENS, HEADING_TOKENS = 45, 15
"""One sentence of the finished sections, from which introduction and conclusion are written, and a heading."""

TOKENS_PER_FRAME_WORD = 2.1
"""Introduction, conclusion and abstract cite more densely than sections do."""

WORDS_BEYOND = 10
"""A model that is asked for more than so many words goes on to the end of its sentence or paragraph."""

CONNECTING_TOKENS = 65
"""New transitions: a first and a last sentence, often empty."""

DOUBTFUL, REPAIR_PAPERS = 0.04, 3
"""Share of claims that are judged once more after the first round, and the papers that such a call shows; of 101 texts
of about 10 claims 32 had one."""

DRAFTED_AGAIN = 0.05
"""Share of the parts that lose so much in the check that they are drafted once more: 5 of 110, all on one topic."""

WHOLE_WORDS, LOST_AT_DOUBLE = 170, 0.1
"""A part of so many words stands as it was drafted; one twice as long loses that share of them, one of four times twice
as much: it says what other parts say. Measured on 200 parts of 250 to 1,200 words, from 20 papers each."""

REPAIRING, FRAMING = 1, 2
"""Waves: what did not hold is judged again when all was judged once, and the frame is written from what holds."""

MEAN_PAPER_TOKENS = 250
"""Where there are no papers to measure."""
CHECK_OVERHEAD = 650
PROMPT_OVERHEAD = 420
"""Tokens of the rules and the JSON schema of one editing call."""


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
    frame: bool = True
    """Whether introduction, conclusion and abstract are written from the finished sections."""
    lost_besides: float = 0.0
    """Share of the words that does not stand at the end, beside what long parts lose."""


def plan_subsections(plan: WritingPlan, task: Assignment, steps: Steps = Steps()) -> list[CallChain]:
    """Drafting every subsection of the task's outline that does not stay, and the steps that follow it."""
    chains: list[CallChain] = []
    due, everything = parts_to_write(task.outline, plan.kept), list(plan.papers.values())
    body = [node for _, node in due if node.role == "body"]
    again = body[: round(DRAFTED_AGAIN * len(body))] if steps.check else []
    led_over = PlannedCall("checking", CHECK_OVERHEAD + round(mean_tokens(everything)), TOKENS_PER_VERDICT)
    for at, node in enumerate([*body, *again]):
        own = [plan.papers[key] for key in node.papers if key in plan.papers][: plan.limits.papers_per_node]
        own = own or everything[: plan.limits.papers_per_node]  # a section that the person added gets its papers then
        written = tokens_drafted(task.words)
        chain = [PlannedCall("drafting", build_draft_request(task, node, own).prompt.tokens(), written)]
        if steps.connect:  # beside the check, and done before it
            connecting = PlannedCall("checking", 3 * written + PROMPT_OVERHEAD, CONNECTING_TOKENS)
            chains.append((connecting, led_over) if steps.check else (connecting,))
        chains += with_checks(chain, task.words, own, at) if steps.check else [tuple(chain)]
    if steps.check:
        chains += plan_repairs(task.words, len(body), everything) + plan_kept_checks(plan.kept, plan.papers)
    if not (plan.kept.parts or plan.kept.sections):
        chains += plan_lengthening(task, len(body), everything, plan.limits.papers_per_node, steps.lost_besides)
    if steps.connect:
        chains += [
            (
                PlannedCall("checking", 3 * tokens_of(part.section.text) + PROMPT_OVERHEAD, CONNECTING_TOKENS),
                *((led_over,) if part.is_checked else ()),
            )
            for part in plan.kept.parts
            if part.needs_transitions()
        ]
    around = [node for _, node in due if node.role != "body"]
    return chains + (_plan_frame(task, len(around), everything, check=steps.check) if steps.frame and around else [])


def plan_lengthening(
    task: Assignment, parts: int, papers: Sequence[Paper], papers_each: int, lost_besides: float = 0.0
) -> list[CallChain]:
    """Writing on, and checking, where so many drafts will not be as long together as they are to be at least.

    ``lost_besides`` is what else of their words, as a share, does not stand at the end.
    """
    standing = 1 - LOST_AT_DOUBLE * math.log2(max(1.0, task.words / WHOLE_WORDS)) - lost_besides
    expected = round(parts * task.words * TOKENS_PER_WORD * standing)
    chains: list[CallChain] = []
    for at, words in enumerate(share_out(task.least_tokens - expected, parts, task.words)):
        read = PROMPT_OVERHEAD + tokens_drafted(task.words) + round(papers_each * mean_tokens(papers))
        chains += with_checks([PlannedCall("drafting", read, tokens_drafted(words))], words, papers, at)
    return chains


def plan_kept_checks(kept: KeptText, papers: Mapping[PaperKey, Paper]) -> list[CallChain]:
    """Checking the parts that stay and whose claims could not be checked when they were written."""
    chains: list[CallChain] = []
    for at, part in enumerate(part for part in kept.parts if not part.is_checked):
        cited = [papers[key] for key in list_cited_keys(part.section.text) if key in papers]
        chains += with_checks((), len(part.section.text.split()) - WORDS_BEYOND, cited, at)
    return chains


def tokens_drafted(words: int) -> int:
    """Tokens of a draft of so many words: it is a little longer than asked for."""
    return round((words + WORDS_BEYOND) * TOKENS_PER_DRAFTED_WORD)


def with_checks(
    chain: Sequence[PlannedCall], words: int, papers: Sequence[Paper], at: int = 0, most: int = CLAIMS_PER_CALL
) -> list[CallChain]:
    """The calls that end in a text of so many words, and its check; the check's calls run side by side.

    ``at`` counts the texts of that length from 0: some have more claims than one call judges, which are ``most``.
    """
    claims, checks = expect_claims(words), count_checks(words, at, most)
    read = round(min(claims, len(papers) or claims) * mean_tokens(papers)) + tokens_drafted(words)
    one = PlannedCall("checking", read // checks + CHECK_OVERHEAD, round(claims * TOKENS_PER_VERDICT / checks))
    return [(*chain, one), *[(one,)] * (checks - 1)]


def expect_claims(words: int) -> float:
    """How many claims a draft has for which so many words were asked."""
    return (words + WORDS_BEYOND) / WORDS_PER_CLAIM


def count_checks(words: int, at: int, most: int = CLAIMS_PER_CALL) -> int:
    """Calls that check the text of that number, from 0, among texts of so many words; over many texts their mean.

    The claims of a text spread about their mean, so that the share of texts that need one call more is expected.
    """
    mean = expect_claims(words)
    spread = NormalDist(mean, CLAIMS_SPREAD * mean)
    each = 1 + sum(1 - spread.cdf(n + 0.5) for n in range(most, round(2 * mean) + 1, most))
    return int((at + 1) * each + 0.5) - int(at * each + 0.5)


def mean_tokens(papers: Sequence[Paper]) -> float:
    """Tokens of one of the papers in a prompt, on average."""
    return sum(paper_tokens(p) for p in papers) / len(papers) if papers else MEAN_PAPER_TOKENS


def plan_repairs(words: int, texts: int, papers: Sequence[Paper]) -> list[CallChain]:
    """The further rounds of so many texts' checks: where one of its claims does not hold, a text has one more."""
    again = round(texts * (1 - (1 - DOUBTFUL) ** expect_claims(words)))
    read = CHECK_OVERHEAD + round(REPAIR_PAPERS * mean_tokens(papers))
    return [(PlannedCall("checking", read, 2 * TOKENS_PER_VERDICT, REPAIRING),)] * again


def _plan_frame(task: Assignment, parts: int, papers: Sequence[Paper], *, check: bool) -> list[CallChain]:
    """Introduction, conclusion and abstract, written from the finished sections, and their checks."""
    leaves = sum(1 for _, node in leaves_of(task.outline.nodes) if node.role == "body")
    words = min(FRAME_WORDS, task.words)
    each = min(FINDINGS_EACH, expect_claims(task.words))
    read = round(leaves * (each * FINDING_TOKENS + HEADING_TOKENS)) + PROMPT_OVERHEAD
    chains: list[CallChain] = []
    for at, length in [*enumerate([words] * parts), (0, ABSTRACT_WORDS)]:
        draft = PlannedCall("drafting", read, round(length * TOKENS_PER_FRAME_WORD))
        chains += with_checks([draft], length, papers, at, FEWER_CLAIMS) if check else [(draft,)]
    return [tuple(replace(call, wave=FRAMING) for call in chain) for chain in chains]


def estimate_cost(
    chains: Sequence[CallChain], models: Mapping[Task, str], at_once: int, prices: PriceList = PUBLISHED_PRICES
) -> Estimate:
    """The cost of the chains; ``at_once`` calls run together."""
    calls = [call for chain in chains for call in chain]
    found = [prices.find(models[call.task]) for call in calls]
    known = [price.cost(c.input_tokens, c.output_tokens) for price, c in zip(found, calls, strict=True) if price]
    waves = ([[c for c in chain if c.wave == wave] for chain in chains] for wave in sorted({c.wave for c in calls}))
    return Estimate(
        len(calls),
        sum(c.input_tokens for c in calls),
        sum(c.output_tokens for c in calls),
        sum(known) if len(known) == len(calls) else None,
        sum(_measure_wave(wave, at_once) for wave in waves),
    )


def _measure_wave(chains: Sequence[Sequence[PlannedCall]], at_once: int) -> float:
    """Seconds until all chains have ended that begin together."""
    durations = [sum(map(_duration_s, chain)) for chain in chains]
    return max(max(durations), sum(durations) / max(1, at_once))


def _duration_s(call: PlannedCall) -> float:
    return expect_seconds(call.input_tokens, call.output_tokens)
