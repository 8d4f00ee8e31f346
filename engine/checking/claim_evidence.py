"""The sentences that a claim is held against: those it names, or else those of its papers that say most of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from math import log
from string import ascii_lowercase
from typing import TypeVar

from engine.addresses import NumberedSentence, number_sentences, sentences_at
from engine.checking.doubts import Source, carries, is_negated, list_missing_terms, split_terms
from engine.checking.figures import find_missing_figures
from engine.citations import replace_citations
from engine.llm.prompting import data, first_author
from engine.survey import Citation, Verdict
from engine.values import Paper, PaperKey

BEST_SENTENCES = 3
"""Sentences of a paper that are shown where a claim names none, or where those it names do not carry it."""

MOST_SENTENCES = 12
"""Sentences that one claim is held against at most."""

NEAREST_PAPERS = 8
"""Papers of all that were gathered that a claim about all of them is held against, beside those it rests on."""

LACKED, DIFFERENT = 4.0, 1.25
"""What a term or figure not shown yet counts beside the weights of terms; how much more what may refute a claim."""

Addresses = Mapping[PaperKey, tuple[int, ...]]
K = TypeVar("K", Paper, NumberedSentence)


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
    """The sentences named of each paper; where they lack some of the claim, one more that may have it, or refute it.

    Where they do not carry the claim, or it is to be mended (``widely``), the best of each paper are shown as well.
    Where there are more than can be shown, those named come first, and every paper has one before any has two.
    """
    bare = replace_citations(claim, lambda _: "")
    told = {paper.key: sentences_at(paper, named.get(paper.key, ())) for paper in papers}
    together = " ".join(own.text for sentences in told.values() for own in sentences)
    titles = " ".join(paper.title for paper in papers)
    if not widely and all(told.values()) and carries(bare, together, titles):
        best = [_choose_best(bare, paper, 1, f"{titles}.\n{together}", told[paper.key]) for paper in papers]
    else:
        best = [_choose_best(bare, paper, BEST_SENTENCES) for paper in papers]
    by_turns = chain(zip_longest(*told.values()), zip_longest(*best))
    wanted = dict.fromkeys((at, own) for turn in by_turns for at, own in enumerate(turn) if own)
    chosen = sorted(islice(wanted, MOST_SENTENCES), key=lambda item: (item[0], item[1].number))
    return tuple(EvidenceSentence(papers[at], own) for at, own in chosen)


def search_gathered(claim: str, papers: Sequence[Paper]) -> tuple[EvidenceSentence, ...]:
    """One sentence of each of the papers that share most terms with the claim, those that few papers have first."""
    bare = replace_citations(claim, lambda _: "")
    near = _weigh_terms({p: split_terms(bare) & split_terms(f"{p.title}. {p.content}") for p in papers})
    nearest = sorted(filter(near.__getitem__, papers), key=lambda paper: (-near[paper], paper.key))[:NEAREST_PAPERS]
    return tuple(EvidenceSentence(paper, own) for paper in nearest for own in _choose_best(bare, paper, 1))


def _choose_best(
    claim: str, paper: Paper, most: int, held: str = "", told: Sequence[NumberedSentence] = ()
) -> Sequence[NumberedSentence]:
    """At most so many sentences beside those ``told``: they have what is not ``held`` of the claim, or are near to it.

    Of 45 false claims of scifact (``../shared/claims``) 44 are shown a sentence that refutes them, and 38 where they
    name the nearest of the others; by terms and figures lacking alone 39 and 27.
    """
    lacking = _list_lacking(claim, held)
    has = {own: lacking - _list_lacking(claim, own.text) for own in number_sentences(paper) if own not in told}
    if held and not lacking:
        return ()
    near = _measure_nearness(claim, paper)
    chosen: list[NumberedSentence] = []
    while len(chosen) < most and has:
        best = max(has, key=lambda own: LACKED * len(has[own] & lacking) + near[own])
        lacking -= has.pop(best)
        if near[best] or not held:  # what shares no word with a claim that names its sentences is not about it
            chosen.append(best)
    return chosen


def _measure_nearness(claim: str, paper: Paper) -> dict[NumberedSentence, float]:
    """The weight of the claim's terms in each sentence; more where it differs in figures, or in what it denies."""
    own = number_sentences(paper)
    near = _weigh_terms({s: split_terms(s.text) - {*list_missing_terms(s.text, claim)} for s in own})
    denied = is_negated(claim)
    differs = {s: bool(find_missing_figures(s.text, claim)) + (is_negated(s.text) != denied) for s in own}
    return {s: round(near[s] * DIFFERENT ** differs[s], 6) for s in own}


def _weigh_terms(held: Mapping[K, Set[str]]) -> dict[K, float]:
    """The weight of what each holds of a claim's terms, those that few hold weighing more."""
    frequency = Counter(chain.from_iterable(held.values()))
    return {key: round(sum(log(1 + len(held) / frequency[t]) for t in terms), 6) for key, terms in held.items()}


def _list_lacking(claim: str, held: str) -> set[str]:
    """The claim's terms and figures that are not held; the "s" of a genitive is none."""
    return {term for term in list_missing_terms(claim, held) if len(term) > 1} | {*find_missing_figures(claim, held)}


def source_of(evidence: Sequence[EvidenceSentence], shared: str = "") -> Source:
    """The evidence as the program reads it, with its papers, whose whole texts count for vetoes."""
    papers = dict.fromkeys(item.paper for item in evidence)
    return Source("\n".join(item.said.text for item in evidence), tuple(papers), shared)


def show_evidence(evidence: Sequence[EvidenceSentence], *, by_address: bool = False) -> str:
    """The sentences below their papers' titles, each with a letter, or with its address for citing."""
    lines: list[str] = []
    paper: Paper | None = None
    for letter, item in zip(ascii_lowercase, evidence, strict=False):
        if item.paper != paper:
            paper = item.paper
            said = ", ".join(part for part in (first_author(paper), str(paper.year or "")) if part)
            lines.append(f"From “{data(paper.title)}”{f' ({data(said)})' if said else ''}:")
        label = f"[@{paper.key}:{item.said.number}]" if by_address else f"{letter}."
        lines.append(f"{label} {data(' '.join(item.said.text.split()))}")
    return "\n".join(lines) or "(none)"


def pick_evidence(evidence: Sequence[EvidenceSentence], labels: str) -> tuple[EvidenceSentence, ...]:
    """The sentences with these letters, however a model writes them (``a``, ``bc``, ``[a]``); all where none is one."""
    lettered = zip(ascii_lowercase, evidence, strict=False)
    return tuple(item for letter, item in lettered if letter in labels.lower()) or tuple(evidence)
