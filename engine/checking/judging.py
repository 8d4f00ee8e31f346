"""A sentence on its way through the check, and what is asked and answered about it: verdicts, and new wordings."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from pydantic import Field

from engine.checking.claim_evidence import Addresses, EvidenceSentence, show_evidence
from engine.checking.doubts import Doubt
from engine.citations import keep_allowed_citations, list_cited_keys, remove_citations, replace_citations
from engine.llm.model import Request, TypedAnswer
from engine.llm.prompting import data, fill
from engine.survey import Citation, Claim, ClaimTally, Ending, count_standing
from engine.text import fold

State = Literal["pending", "failed", "held", "framing", "common", "removed", "unchecked"]
"""To be judged; to be reworded; it holds; no claim; common knowledge; taken out; not judged: nobody could be asked."""


SCOPE = re.compile(r" \(among the [\d,]+ papers gathered\)")
_BEFORE_CITATIONS = re.compile(r"((?:\s*\[@[^\]]+\])?[.!?]?)$")


@dataclass
class SentenceState:
    """A sentence on its way through the check; the draft ``named`` sentences of papers, ``text`` cites keys alone."""

    number: int
    """Its place in the text, from 1."""
    paragraph: int
    original: str
    text: str
    named: Addresses = field(default_factory=dict)
    state: State = "pending"
    evidence: tuple[EvidenceSentence, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    citations: tuple[Citation, ...] = ()
    wrong: str = ""
    """What the model is told to mend, where the sentence does not hold."""
    tries: int = 0
    """How often it was written anew."""
    stood_behind: int = 0
    """The number of the removed sentence behind which it was last shown for mending."""
    insisted: str = ""
    """The words that the program doubts, where two judgements let the claim stand."""
    unanswered: bool = False
    repeats: bool = False
    """Whether it was taken out because another sentence says the same."""
    judged: bool = False
    agreed: bool = False
    """Whether program and judge said the same of it when it was judged first."""
    asked_twice: bool = False
    of_all: bool = False
    """Whether it is said of all papers that were gathered ("only", "not yet"), and so judged against all of them."""
    searched: tuple[EvidenceSentence, ...] = ()
    """What was found among them beside its ``evidence``."""

    @property
    def is_ours(self) -> bool:
        """Whether it cites nothing itself: it joins, compares or counts what its neighbours cite, or frames."""
        return not list_cited_keys(self.text)

    @property
    def joins(self) -> bool:
        """Whether it rests on several papers, or on what its neighbours cite."""
        return len(set(list_cited_keys(self.text))) != 1

    @property
    def stands(self) -> bool:
        return self.state in {"held", "framing", "common", "unchecked"}

    def hold(self, chosen: Sequence[EvidenceSentence]) -> None:
        """End it as a claim that rests on these sentences; papers of which none is among them are no longer cited."""
        self.state = "held"
        self.citations = tuple(item.cite("supported") for item in chosen)
        if not self.is_ours:
            self.text = keep_allowed_citations(self.text, {item.paper.key for item in chosen})

    def fail(self, wrong: str) -> None:
        self.state, self.wrong, self.citations = "failed", wrong, ()

    def remove(self) -> None:
        self.state, self.citations = "removed", ()

    def name_scope(self, gathered: int) -> None:
        """Say of how many papers it is said, before its citations."""
        self.text = SCOPE.sub("", self.text)
        self.text = _BEFORE_CITATIONS.sub(rf" (among the {gathered:,} papers gathered)\1", self.text, count=1)

    @property
    def ending(self) -> Ending:
        was, now = (fold(replace_citations(text, lambda _: "")) for text in (self.original, self.text))
        if was != now:
            return "reworded"
        return "kept" if list_cited_keys(self.original) == list_cited_keys(self.text) else "cited anew"


def list_claims(lines: Sequence[SentenceState]) -> tuple[Claim, ...]:
    """The claims among the sentences that stand, with what was written before where that differs."""
    return tuple(
        Claim(
            line.text,
            line.citations,
            line.ending,
            line.original if line.text != line.original else "",
            line.insisted,
            line.is_ours,
            line.state == "common",
        )
        for line in lines
        if line.state in {"held", "common", "unchecked"}
    )


def count_claims(lines: Sequence[SentenceState]) -> ClaimTally:
    """What became of the claims among the sentences."""
    own = [line for line in lines if line.state not in {"framing", "common"}]
    return replace(
        count_standing(list_claims([line for line in own if line.state == "held"])),
        claims=len(own),
        removed=sum(line.state == "removed" and not line.repeats for line in own),
        repeated=sum(line.repeats for line in own),
        unchecked=sum(line.state == "unchecked" for line in own),
        unanswered=sum(line.state == "removed" and line.unanswered for line in own),
        judged=sum(line.judged for line in own),
        agreed=sum(line.agreed for line in own),
        asked_twice=sum(line.asked_twice for line in own),
    )


class ClaimVerdict(TypedAnswer):
    """What the evidence makes of a claim that it does not say whole; ``beyond`` is what goes further."""

    claim: int
    verdict: Literal["partly", "contradicted", "not said", "frames", "common", "all papers"]
    beyond: str = ""


SUPPORTED = "supported"
_SUPPORTED = re.compile(r"\s*(\d{1,9})(?!\d)(.*)", re.S)


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
    """Each sentence between its neighbours, with what is wrong and its evidence, or with what stood before it.

    ``followers`` are those, by the number of the one before, that may hang when it goes.
    """
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
