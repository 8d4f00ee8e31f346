"""One sentence on its way through the check, and what became of all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from engine.addresses import sentences_at
from engine.checking.back_references import remove_connective
from engine.citations import cite, keep_allowed_citations, list_addresses, list_cited_keys, replace_citations
from engine.survey import Citation, Claim, ClaimTally, Ending
from engine.text import fold
from engine.values import Paper, PaperKey


@dataclass
class SentenceState:
    """A sentence on its way through the check; ``number`` is its place in the text, from 1."""

    number: int
    paragraph: int
    original: str
    text: str
    claim: bool
    named: Mapping[PaperKey, tuple[int, ...]] = field(default_factory=dict)
    """The sentences of each cited paper that the text named."""
    ending: Ending | None = None
    removed: bool = False
    unchecked: bool = False
    citations: tuple[Citation, ...] = ()
    doubts: tuple[str, ...] = ()
    questioned: str = ""
    """The wording about whose arguable faults the model was asked."""
    insisted: str = ""
    """The words of those faults, where the model insisted."""
    unanswered: bool = False
    """Whether the model gave neither verdict nor repair when it was asked last."""

    @property
    def pending(self) -> bool:
        return self.claim and self.ending is None and not self.removed and not self.unchecked

    def cite_named(self, paper: Paper) -> tuple[Citation, ...]:
        """The sentences of the paper that the text named, not yet held against what is said."""
        named = sentences_at(paper, self.named.get(paper.key, ()))
        found = (Citation(paper.key, own.text, "unchecked", own.source, own.page, own.number) for own in named)
        return tuple(found) or (Citation(paper.key, "", "unchecked"),)


def read_named(text: str) -> Mapping[PaperKey, tuple[int, ...]]:
    """The sentences that a text names of each paper that it cites."""
    return {address.key: address.sentences for address in list_addresses(text)}


def share_evenly(lines: Sequence[SentenceState], most: int) -> list[Sequence[SentenceState]]:
    """The lines in as few groups of at most so many as there can be, of nearly the same size."""
    groups, count = -(-len(lines) // most), len(lines)
    return [lines[count * at // groups : count * (at + 1) // groups] for at in range(groups)]


def drop_connectives(lines: Sequence[SentenceState]) -> None:
    """Take out each "therefore" where the sentence that it took up is gone, or says something else now."""
    for at, line in enumerate(lines):
        before = lines[at - 1] if at and lines[at - 1].paragraph == line.paragraph else None
        if not line.removed and (before is None or before.removed or before.ending == "reworded"):
            line.text = remove_connective(line.text)


def count_claims(lines: Sequence[SentenceState]) -> ClaimTally:
    """What became of the claims among the sentences."""
    own = [line for line in lines if line.claim]
    held = [line for line in own if line.ending]
    kinds = [{c.source for c in line.citations} for line in held]
    return ClaimTally(
        claims=len(own),
        kept=sum(line.ending == "kept" for line in held),
        cited_anew=sum(line.ending == "cited anew" for line in held),
        reworded=sum(line.ending == "reworded" for line in held),
        removed=sum(line.removed for line in own),
        unchecked=sum(line.unchecked for line in own),
        connecting=sum(not line.claim for line in lines),
        on_full_texts=sum("full text" in kind for kind in kinds),
        on_summaries=sum("summary" in kind and "full text" not in kind for kind in kinds),
        insisted=sum(bool(line.insisted) for line in held),
        unanswered=sum(line.removed and line.unanswered for line in own),
    )


@dataclass(frozen=True, slots=True)
class LostClaim:
    """A claim that was removed, as it was written, and what was wrong with it where that is known."""

    text: str
    why: str = ""


def list_claims(lines: Sequence[SentenceState]) -> tuple[Claim, ...]:
    """The claims among the sentences that stand, with what was written before where that differs."""
    return tuple(
        Claim(
            line.text,
            line.citations,
            line.ending or "kept",
            line.original if line.ending in {"reworded", "cited anew"} else "",
            line.insisted,
        )
        for line in lines
        if line.claim and not line.removed
    )


def list_lost(lines: Sequence[SentenceState]) -> tuple[LostClaim, ...]:
    """The claims among the sentences that were removed."""
    return tuple(LostClaim(line.original, "; ".join(line.doubts)) for line in lines if line.claim and line.removed)


def cite_only(text: str, keys: Sequence[PaperKey]) -> str:
    """The sentence citing these papers at its end, and no others."""
    bare = keep_allowed_citations(text, ()).text.rstrip()
    stop = bare[-1] if bare[-1:] in {".", "!", "?"} else "."
    return f"{bare.removesuffix(stop).rstrip()} {cite(keys)}{stop}"


def classify_ending(before: str, after: str) -> Ending:
    """What became of a claim that reads like this before and after the check."""
    if _bare(before) != _bare(after):
        return "reworded"
    return "kept" if set(list_cited_keys(after)) <= set(list_cited_keys(before)) else "cited anew"


def _bare(text: str) -> str:
    return fold(replace_citations(text, lambda _: ""))
