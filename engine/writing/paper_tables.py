"""A section's papers as a table: what each contributes and finds, in its own words, and on which data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from engine.citations import cite
from engine.naming.aspects import is_group
from engine.naming.clustering import is_rest
from engine.naming.lines_of_work import FOUNDATIONS, FURTHER
from engine.naming.names import is_name
from engine.overview import Name
from engine.paper_kinds import KINDS
from engine.retrieval.identity import surname
from engine.survey import CellEvidence, Claim, Table
from engine.text import inert, list_words
from engine.values import Paper, PaperKey
from engine.writing.extractive import LONGEST_QUOTE, AbstractSentence, read_abstract
from engine.writing.quotation import Quotation, quote_contribution, quote_finding, shorten_quotation
from engine.writing.reported_numbers import ReportedNumber, are_close, read_number, same_metric

PAPERS_HEADER = ("Work", "Year", "Contributes", "Data and metrics", "Result")
CONTRIBUTES, RESULT = PAPERS_HEADER.index("Contributes"), PAPERS_HEADER.index("Result")
"""Columns with quotations."""

PAPERS_WIDTHS = (5, 1, 6, 3, 6)
MOST_NAMES = 6
"""Names in one cell."""

NOTHING = "–"
"""What a cell holds where the abstract says nothing of it."""


def names_subject(title: str) -> bool:
    """Whether the heading says what its papers are about: not a kind of work, several aspects, or what is left."""
    return not (is_rest(title) or title in KINDS or title in (FOUNDATIONS, FURTHER) or is_group(title))


def caption_table(title: str) -> str:
    """The caption of the table of a section's papers."""
    return f"Papers on {title}, oldest first." if names_subject(title) else f"{title}, oldest first."


@dataclass(frozen=True, slots=True)
class QuotedTable:
    """A table and the claims that its cells make."""

    table: Table
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class ComparedResults:
    """Results on the same data side by side, and what they agree or differ on as sentences for the text."""

    results: QuotedTable
    comparisons: tuple[Claim, ...]


def tabulate_papers(papers: Sequence[Paper], names: Mapping[PaperKey, Sequence[Name]], caption: str) -> QuotedTable:
    """One row for each paper, oldest first; ``names`` are those that a paper uses."""
    rows: list[tuple[str, ...]] = []
    claims: list[Claim] = []
    evidence: list[CellEvidence] = []
    for at, paper in enumerate(sorted(papers, key=lambda p: (p.year or 9_999, -(p.citations or 0)))):
        contribution, finding = quote_contribution(paper), quote_finding(paper)
        used = [n.name for n in names.get(paper.key, ()) if n.kind in ("data set", "metric")]
        rows.append(
            (
                f"{_write_entry(paper)} {cite([paper.key])}",
                str(paper.year or NOTHING),
                contribution.cell if contribution else NOTHING,
                ", ".join(used[:MOST_NAMES]) or NOTHING,
                finding.cell if finding else NOTHING,
            )
        )
        quoted = [(column, q) for column, q in ((CONTRIBUTES, contribution), (RESULT, finding)) if q]
        claims += (claim_of(paper, quotation) for _, quotation in quoted)
        evidence += (CellEvidence(at, column, quotation.citation) for column, quotation in quoted)
    table = Table(caption, PAPERS_HEADER, tuple(rows), PAPERS_WIDTHS, evidence=tuple(evidence))
    return QuotedTable(table, tuple(claims))


def _write_entry(paper: Paper) -> str:
    """The title, in quotation marks as titles are, and who wrote it: ``“Trees”, Lewis et al.``."""
    people = name_people(paper)
    return f"“{inert(paper.title)}”{f', {people}' if people else ''}"


def claim_of(paper: Paper, quotation: Quotation) -> Claim:
    """The claim that a quotation in a table makes, as a sentence that cites its paper."""
    return Claim(f"{name_work(paper)}: {quotation.cell} {cite([paper.key])}.", (quotation.citation,))


def name_work(paper: Paper) -> str:
    """The method's own name where the title begins with one, and its authors: ``RAG (Lewis et al.)``."""
    people = name_people(paper)
    title = re.match(r"([^\s:]{2,24}(?: [^\s:]{1,20})?):\s", paper.title)
    if title and all(map(is_name, title[1].split())):
        return f"{inert(title[1])} ({people})" if people else inert(title[1])
    return people or inert(paper.title)


def name_people(paper: Paper) -> str:
    """``Lewis et al.``, ``Lewis and Perez`` or ``Lewis``; empty where no author is known."""
    surnames = [inert(surname(author)) for author in paper.authors]
    return f"{surnames[0]} et al." if len(surnames) > 2 else " and ".join(surnames)


_REPORTED = re.compile(r"\d+(?:\.\d+)?\s?\\?%|\b\d+\.\d+\b|\b\d+(?:\.\d+)? (?:points?|BLEU|F1)\b")


def whose_words(papers: Iterable[Paper], owner: str = "their") -> str:
    """In whose words sentences of the papers are told: "in ``owner`` own words", or in those of summaries."""
    summarised = {not paper.abstract for paper in papers if paper.content}
    if summarised == {True}:
        return "in the words of summaries"
    return f"in {owner} own words{' or those of summaries' if True in summarised else ''}"


def compare_results(papers: Sequence[Paper], names: Iterable[Name]) -> ComparedResults | None:
    """What at least two of the papers report on the same data set; ``None`` without any."""
    inside = {paper.key: paper for paper in papers}
    data_sets: dict[AbstractSentence, list[str]] = {}
    comparisons: list[Claim] = []
    for name in names:
        if name.kind != "data set":
            continue
        reporting = [s for key in name.papers if key in inside and (s := _find_reported(inside[key], name.name))]
        if len(reporting) < 2:
            continue
        for sentence in reporting:
            data_sets.setdefault(sentence, []).append(name.name)
        read = [number for sentence in reporting if (number := read_number(sentence, name.name))]
        comparisons += (_compare(name.name, numbers) for numbers in same_metric(read))
    rows: list[tuple[str, ...]] = []
    claims: list[Claim] = []
    evidence: list[CellEvidence] = []
    for sentence, on in sorted(data_sets.items(), key=lambda item: (item[1], item[0].paper.year or 9_999)):
        paper, quotation = sentence.paper, shorten_quotation(sentence, _REPORTED)
        work = f"{name_work(paper)} {cite([paper.key])}"
        rows.append((", ".join(on), work, str(paper.year or NOTHING), quotation.cell))
        claims.append(claim_of(paper, quotation))
        evidence.append(CellEvidence(len(rows) - 1, 3, quotation.citation))
    if not rows:
        return None
    header = ("Data set", "Work", "Year", "Reports")
    said = whose_words((sentence.paper for sentence in data_sets), "the papers'")
    table = Table(f"Numbers on the same data, {said}.", header, tuple(rows), (2, 3, 1, 7), evidence=tuple(evidence))
    return ComparedResults(QuotedTable(table, tuple(claims)), tuple(comparisons))


def _compare(data_set: str, numbers: Sequence[ReportedNumber]) -> Claim:
    """A sentence that says whether papers report close or different values by one metric, highest first."""
    listed = list_words([f"{n.shown} ({name_work(n.paper)} {cite([n.paper.key])})" for n in numbers])
    verdict = "the values are close" if are_close(numbers) else "the values differ"
    evidence = tuple(shorten_quotation(n.sentence, _REPORTED).citation for n in numbers)
    return Claim(f"On {inert(data_set)}, by {numbers[0].metric}, {verdict}: {listed}.", evidence)


def _find_reported(paper: Paper, data_set: str) -> AbstractSentence | None:
    """The sentence that gives the paper's own number on the data set, if there is one."""
    named = re.compile(rf"(?<![\w-]){re.escape(data_set)}(?:[ -]?\d\.\d)?(?![\w-])")
    for sentence in read_abstract(paper):
        usable = sentence.statement == "finding" and len(sentence.text.split()) <= LONGEST_QUOTE
        if usable and named.search(sentence.text) and _REPORTED.search(named.sub("", sentence.text)):
            return sentence
    return None
