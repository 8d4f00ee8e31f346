"""One sentence on its way through the check, and what became of all of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from engine.checking.claim_evidence import Addresses, EvidenceSentence
from engine.checking.doubts import Doubt
from engine.citations import keep_allowed_citations, list_cited_keys, replace_citations
from engine.survey import Citation, Claim, ClaimTally, Ending, count_standing
from engine.text import fold

State = Literal["pending", "failed", "held", "framing", "common", "removed", "unchecked"]
"""To be judged; to be reworded; judged to hold; no claim at all; common knowledge, which needs no paper; taken out; not
judged: nobody could be asked."""


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
