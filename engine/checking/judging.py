"""What is asked about claims and what is answered: verdicts, the blind second judgement, sentences to be reworded."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import Field

from engine.checking.claim_evidence import show_evidence
from engine.checking.sentence_state import SentenceState
from engine.citations import remove_citations
from engine.llm.model import Request, TypedAnswer
from engine.llm.prompting import data, fill


class ClaimVerdict(TypedAnswer):
    """What the evidence makes of a claim that it does not say whole; ``beyond`` is what goes further."""

    claim: int
    verdict: Literal["partly", "contradicted", "not said", "frames", "common", "all papers"]
    beyond: str = ""


SUPPORTED = "supported"
_SUPPORTED = re.compile(r"\s*(\d+)(.*)")


class CheckAnswer(TypedAnswer):
    """Every claim asked about in one of two lists: most are supported, and are told in a few characters each."""

    supported: list[str] = Field(default_factory=list)
    """The number of the claim with the letters of the sentences that say it: ``3a``, ``4bc``."""
    others: list[ClaimVerdict] = Field(default_factory=list)

    def list_verdicts(self) -> dict[int, tuple[str, str]]:
        """By the number of the claim its verdict with what goes further, or `SUPPORTED` with the letters."""
        said = [match.groups() for supported in self.supported if (match := _SUPPORTED.match(supported))]
        held = {int(number): (SUPPORTED, letters) for number, letters in said}
        return held | {other.claim: (other.verdict, other.beyond) for other in self.others}


class SecondVerdict(TypedAnswer):
    """Whether a statement follows from its text."""

    statement: int
    follows: bool


class SecondAnswer(TypedAnswer):
    """A second judgement of statements."""

    judgements: list[SecondVerdict] = Field(default_factory=list)


class Rewording(TypedAnswer):
    """A sentence written anew; empty where nothing can be said."""

    sentence: int
    text: str = ""


class RewordAnswer(TypedAnswer):
    """Sentences written anew."""

    sentences: list[Rewording] = Field(default_factory=list)


VERDICT_TOKENS, REWORDING_TOKENS = 50, 120
"""Room for one verdict, and for one sentence written anew."""

OVERHEAD_TOKENS = 512


def build_judgement(topic: str, gathered: int, lines: Sequence[SentenceState], name: str) -> Request:
    """Verdicts are asked for; each claim stands above its own evidence and nothing else."""
    claims = "\n\n".join(
        f'<claim number="{line.number}"{_mark(line)}>\n{data(remove_citations(line.text))}\n'
        f"{show_evidence((*line.evidence, *line.searched))}\n</claim>"
        for line in lines
    )
    prompt = fill("common/check", topic=data(topic), gathered=str(gathered), claims=claims)
    return Request("checking", name, prompt, VERDICT_TOKENS * len(lines) + OVERHEAD_TOKENS, 0.0)


def build_second_judgement(topic: str, lines: Sequence[SentenceState], name: str) -> Request:
    """The same question in other words and another order; it does not say that or why it is asked again."""
    passages = "\n\n".join(
        f"<passage>\n{show_evidence((*line.evidence, *line.searched))}\n</passage>\n"
        f"Statement {line.number}{' (of several)' if line.joins else ''}: {data(remove_citations(line.text))}"
        for line in reversed(lines)
    )
    prompt = fill("common/check_again", topic=data(topic), passages=passages)
    return Request("checking", name, prompt, VERDICT_TOKENS * len(lines) + OVERHEAD_TOKENS, 0.0)


def build_rewording(
    topic: str,
    asked: Sequence[SentenceState],
    lines: Sequence[SentenceState],
    followers: Mapping[int, SentenceState],
    name: str,
) -> Request:
    """Each sentence between its neighbours, with what is wrong and its evidence; ``followers`` hang when it goes."""
    sentences = "\n\n".join(_show_for_mending(line, lines, followers.get(line.number)) for line in asked)
    prompt = fill("common/reword", topic=data(topic), sentences=sentences)
    return Request("checking", name, prompt, REWORDING_TOKENS * len(asked) + OVERHEAD_TOKENS, 0.0)


def _mark(line: SentenceState) -> str:
    return " all" if line.of_all else " own" if line.is_ours else " several" if line.joins else ""


def _show_for_mending(line: SentenceState, lines: Sequence[SentenceState], follower: SentenceState | None) -> str:
    near = [other for other in lines if other.paragraph == line.paragraph and other.state != "removed"]
    before = next((other.text for other in reversed(near) if other.number < line.number), "")
    after = next((other.text for other in near if other.number > line.number), "")
    gone = lines[line.number - 2] if line.number > 1 else None
    told = [
        f"before: {data(remove_citations(before)) or '(it is the first)'}",
        f"sentence: {data(line.text)}",
        f"after, {follower.number}: {data(follower.text)}"
        if follower
        else f"after: {data(remove_citations(after)) or '(it is the last)'}",
    ]
    if line.state == "failed":
        told += [f"wrong: {data(line.wrong)}", show_evidence(line.evidence, by_address=not line.is_ours)]
    elif gone:
        told.append(f"before it was: {data(remove_citations(gone.text))}")
    return "\n".join((f'<sentence number="{line.number}"{" own" if line.is_ours else ""}>', *told, "</sentence>"))
