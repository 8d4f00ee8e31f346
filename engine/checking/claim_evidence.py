"""The sentences that a claim is held against: those it names, or else those of its papers that say most of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice, zip_longest

from engine.addresses import NumberedSentence, number_sentences, sentences_at
from engine.checking.doubts import Source, carries
from engine.checking.figures import find_missing_figures
from engine.checking.terms_held import list_missing_terms, rank_sentences
from engine.citations import replace_citations
from engine.llm.prompting import data
from engine.retrieval.paper_keys import surname
from engine.survey import Citation, Verdict
from engine.values import Paper, PaperKey

BEST_SENTENCES = 3
"""Sentences of a paper that are shown where a claim names none, or where those it names do not carry it."""

MOST_SENTENCES = 12
"""Sentences that one claim is held against at most."""

Addresses = Mapping[PaperKey, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class EvidenceSentence:
    """A sentence of a paper behind a claim."""

    paper: Paper
    said: NumberedSentence

    def cite(self, verdict: Verdict) -> Citation:
        """It as a citation that was judged so."""
        own = self.said
        return Citation(self.paper.key, own.text, verdict, own.source, own.page, own.number)


def choose_evidence(
    claim: str, papers: Sequence[Paper], named: Addresses, *, widely: bool = False
) -> tuple[EvidenceSentence, ...]:
    """The sentences named of each paper, and that one of it which has most of what they lack of the claim.

    Where they do not carry the claim, or it is to be mended (``widely``), the best of each paper are shown as well.
    Where there are more than can be shown, those named come first, and every paper has one before any has two.
    """
    bare = replace_citations(claim, lambda _: "")
    told = {paper.key: sentences_at(paper, named.get(paper.key, ())) for paper in papers}
    together = " ".join(own.text for sentences in told.values() for own in sentences)
    titles = " ".join(paper.title for paper in papers)
    if not widely and all(told.values()) and carries(bare, together, titles):
        best = [_cover(bare, f"{titles}.\n{together}", paper, 1) for paper in papers]
    else:
        best = [_choose_best(bare, paper) for paper in papers]
    by_turns = chain(zip_longest(*told.values()), zip_longest(*best))
    wanted = dict.fromkeys((at, own) for turn in by_turns for at, own in enumerate(turn) if own)
    chosen = sorted(islice(wanted, MOST_SENTENCES), key=lambda item: (item[0], item[1].number))
    return tuple(EvidenceSentence(papers[at], own) for at, own in chosen)


def _choose_best(claim: str, paper: Paper) -> Sequence[NumberedSentence]:
    """Those that together say most of the claim, then those that say most of it by themselves.

    Of the true claims of ``../shared/claims`` 5 to 24 % so lack something that their source has; of the three with most
    terms each, 24 to 60 %.
    """
    ranked = dict.fromkeys((*_cover(claim, "", paper, BEST_SENTENCES), *rank_sentences(claim, paper)))
    return list(ranked)[:BEST_SENTENCES]


def _cover(claim: str, held: str, paper: Paper, most: int) -> Sequence[NumberedSentence]:
    """At most so many sentences, each with most of the claim's terms and figures that are not ``held`` before it."""
    lacking = _list_lacking(claim, held)
    has = {own: lacking - _list_lacking(claim, own.text) for own in number_sentences(paper)}
    chosen: list[NumberedSentence] = []
    while len(chosen) < most and any(got & lacking for got in has.values()):
        chosen.append(max(has, key=lambda own: len(has[own] & lacking)))
        lacking -= has[chosen[-1]]
    return chosen


def _list_lacking(claim: str, held: str) -> set[str]:
    """The claim's terms and figures that are not held; the "s" of a genitive is none."""
    return {term for term in list_missing_terms(claim, held) if len(term) > 1} | {*find_missing_figures(claim, held)}


def source_of(evidence: Iterable[EvidenceSentence], shared: str = "", papers: Sequence[Paper] = ()) -> Source:
    """The evidence as the program reads it, with its papers and ``papers``, whose whole texts count for vetoes."""
    found = tuple(evidence)
    own = dict.fromkeys((*papers, *(item.paper for item in found)))
    return Source("\n".join(item.said.text for item in found), tuple(own), shared)


def show_evidence(evidence: Sequence[EvidenceSentence], *, by_address: bool = False) -> str:
    """The sentences below their papers' titles, each with a letter, or with its address for citing."""
    lines: list[str] = []
    paper: Paper | None = None
    for at, item in enumerate(evidence):
        if item.paper != paper:
            paper = item.paper
            lines.append(f"From “{data(paper.title)}”{data(_say_who(paper))}:")
        label = f"[@{paper.key}:{item.said.number}]" if by_address else f"{letter_of(at)}."
        lines.append(f"{label} {data(' '.join(item.said.text.split()))}")
    return "\n".join(lines) or "(none)"


def letter_of(at: int) -> str:
    """``a`` for the first."""
    return chr(ord("a") + at)


def pick_evidence(evidence: Sequence[EvidenceSentence], labels: str) -> tuple[EvidenceSentence, ...]:
    """The sentences with these letters, however a model writes them (``a``, ``bc``, ``[a]``); all where none is one."""
    letters = {letter for letter in labels.lower() if letter.isalpha()}
    return tuple(item for at, item in enumerate(evidence) if letter_of(at) in letters) or tuple(evidence)


def _say_who(paper: Paper) -> str:
    others = " et al." if len(paper.authors) > 1 else ""
    parts = [f"{surname(paper.authors[0])}{others}" if paper.authors else "", str(paper.year or "")]
    said = ", ".join(part for part in parts if part)
    return f" ({said})" if said else ""
