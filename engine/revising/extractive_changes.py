"""Changes to one section of a finished survey, by quotation and by program; everything else stays byte for byte."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from engine.citations import list_cited_keys, with_references
from engine.errors import UserError
from engine.evidence import evidence_of_reference, section_at
from engine.quoting.abstracts import stands_alone
from engine.quoting.counts import frame_section
from engine.quoting.paper_tables import NOTHING, is_papers_table, tabulate_papers
from engine.reading.sentence_roles import read_statements
from engine.retrieval.embedding import Embedder, embed_papers, nearest
from engine.revising.sentence_ranking import quote_ranked, rank_sentences
from engine.survey import Claim, Section, SectionChange, Survey, Table, Way, walk
from engine.text import all_sentences, fold, replace_sentences, shorten, terms
from engine.values import Paper, PaperSelection
from engine.writing.notices import with_notice

SIZES: dict[Way, float] = {"expand": 1.5, "shorten": 0.6}
"""Words, or rows of a table, afterwards, as a share of those before."""


def list_rows(section: Section, papers: Sequence[Paper]) -> list[Paper]:
    """Those of the papers that the section sets side by side in its table; none where it has none."""
    tables = filter(is_papers_table, section.tables)
    keys = {key for table in tables for row in table.rows for key in list_cited_keys(row[0])}
    return [paper for paper in papers if paper.key in keys]


def with_rows(old: Section, papers: Sequence[Paper]) -> Section:
    """The section with a table of these papers, framed anew; a quotation that opens it stays."""
    table, quoted = tabulate_papers(papers, old.title)
    opening = [claim for claim in old.claims if claim.text in old.text]
    frame = frame_section(papers, ())
    return replace(
        old,
        text="\n\n".join([*(claim.text for claim in opening), frame]),
        claims=(*opening, *quoted),
        tables=(table, *(table for table in old.tables if not is_papers_table(table))),
    )


def remove_quotation(old: Section, gone: Claim) -> Section:
    """The section without what one claim quotes in a table."""

    def kept(row: tuple[str, ...]) -> tuple[str, ...]:
        own = [citation.quote for citation in gone.citations if citation.key in list_cited_keys(" ".join(row))]
        return tuple(NOTHING if any(quote in cell for quote in own) else cell for cell in row)

    def without(table: Table) -> Table:
        rows = tuple(map(kept, table.rows))
        evidence = tuple(one for one in table.evidence if rows[one.row][one.column] == table.rows[one.row][one.column])
        return replace(table, rows=rows, evidence=evidence)

    claims = tuple(claim for claim in old.claims if claim != gone)
    return replace(old, tables=tuple(map(without, old.tables)), claims=claims)


REVISION_PAPERS = 30
PARAGRAPH_WORDS, PARAGRAPH_CLAIMS = 90, 4
QUOTATION_WORDS = 25
"""Enough for one quoted sentence."""

NAMED_SHARE = 0.5
"""A claim is the one meant when it holds at least half of the terms it was described with."""


@dataclass(frozen=True, slots=True)
class Revision:
    """A section of a survey as it is, the change that is wanted of it, and all papers that may be cited."""

    survey: Survey
    papers: tuple[Paper, ...]
    change: SectionChange
    old: Section

    @property
    def adds(self) -> bool:
        """Whether a paragraph is wanted behind what is there."""
        return self.change.way == "paragraph"

    @property
    def subject(self) -> str:
        """What the new text is to be about."""
        return self.change.wish if self.adds else f"{self.old.title} {self.change.wish}".strip()

    @property
    def words(self) -> int:
        """How many words are wanted."""
        size = PARAGRAPH_WORDS if self.adds else max(80, len(self.old.text.split()))
        return round(size * SIZES.get(self.change.way, 1.0))

    def choose_papers(self, embedder: Embedder) -> tuple[Paper, ...]:
        """Those that the section cites, unless a paragraph is wanted, then those nearest to the subject."""
        about = embedder.embed([self.subject])[0]
        near = nearest(self.papers, embed_papers(embedder, self.papers), about, REVISION_PAPERS)
        keys = {*list_cited_keys(self.old.text), *(c.key for claim in self.old.claims for c in claim.citations)}
        cited = [paper for paper in self.papers if paper.key in keys and not self.adds]
        return tuple({p.key: p for p in (*cited, *near)}.values())

    def extend(self, text: str, claims: Sequence[Claim]) -> Section:
        """The section with new paragraphs at its end."""
        return replace(self.old, text=f"{self.old.text}\n\n{text}", claims=(*self.old.claims, *claims))

    def find_paper(self) -> Paper:
        """The paper that the wish names by number, identifier or title; raises `UserError` for none, or several."""
        said = self.change.wish
        if number := re.fullmatch(r"\[?(\d{1,4})\]?", said.strip()):
            return evidence_of_reference(self.survey, int(number[1]))[0]
        wanted = fold(said)
        exact = [p for p in self.papers if wanted in {fold(p.title), *map(fold, (p.key, *p.identifiers))}]
        holding = exact or [p for p in self.papers if len(wanted) >= 8 and wanted in fold(p.title)]
        if len(holding) == 1:
            return holding[0]
        if holding:
            titles = "; ".join(f"{p.key}: {shorten(p.title, 60)}" for p in holding[:4])
            raise UserError(f"“{said[:80]}” could be several papers. Name one by its key: {titles}")
        raise UserError(
            f"“{said[:80]}” is not among the papers gathered for this survey, so it cannot be cited. "
            "Name it by reference number, identifier or title."
        )

    def finish(self, new: Section) -> Survey:
        """The survey with the new section in the old one's place and its references in order, the rest untouched."""

        def exchange(sections: tuple[Section, ...], path: Sequence[int]) -> tuple[Section, ...]:
            at, own = path[0] - 1, sections[path[0] - 1]
            inner = new if len(path) == 1 else replace(own, sections=exchange(own.sections, path[1:]))
            return (*sections[:at], inner, *sections[at + 1 :])

        sections = exchange(self.survey.sections, [int(part) for part in self.change.place.split(".")])
        known = {p.key: p for p in (*self.survey.references, *self.papers)}
        return with_notice(with_references(replace(self.survey, sections=sections), known))


def divide_change(survey: Survey, change: SectionChange) -> list[SectionChange]:
    """The change of each part with papers where a whole section is shortened, expanded, translated; else itself."""
    whole = section_at(survey, change.place)
    parts = [
        replace(change, place=place)
        for place, part in walk(whole.sections, f"{change.place}.")
        if not part.sections and (part.claims or part.tables)
    ]
    return parts if parts and change.way in {"shorten", "expand", "translate"} else [change]


def open_revision(selection: PaperSelection, survey: Survey, change: SectionChange) -> Revision:
    """The change of a section; raises `UserError` where there is none of that number, or it has parts."""
    old = section_at(survey, change.place)
    if old.sections:
        raise UserError(f"Section {change.place} has parts; name one of them, for example {change.place}.1.")
    return Revision(survey, selection.list_included(), change, old)


def change_by_quotation(revision: Revision, embedder: Embedder) -> Section:
    """The section changed by quotation; raises `UserError` where that cannot be done."""
    old, papers, change = revision.old, revision.papers, revision.change

    def quote(papers: Sequence[Paper], about: str, words: int) -> tuple[Claim, ...]:
        if found := _quote_passage(papers, about, words, embedder):
            return found
        about = f" on “{change.wish}”" if change.wish else ""
        raise UserError(f"The papers have nothing to quote for section {change.place}{about}.")

    rows = list_rows(old, papers)
    if change.way == "translate":
        raise UserError("A quoted survey keeps the words of its papers; translating needs a language model.")
    if change.way == "remove":
        return remove_claim(revision)
    if change.way == "cite":
        paper = revision.find_paper()
        if paper in rows:
            raise UserError(f"“{paper.title[:80]}” is in that section already.")
        if rows:
            return with_rows(old, [*rows, paper])
        said = quote([paper], f"{old.title}. {old.text}", QUOTATION_WORDS)
        return revision.extend(join_claims(said), said)
    if rows and not revision.adds:
        return with_rows(old, _choose_rows(revision, rows, embedder))
    if not old.claims and not change.wish:
        raise UserError(
            f"Section {change.place} quotes no paper; it only says what the survey holds, so there is no "
            "quotation to leave out or to add. A language model could write it anew."
        )
    said = quote(revision.choose_papers(embedder), revision.subject, revision.words)
    text = join_claims(said)
    return revision.extend(text, said) if revision.adds else replace(old, text=text, claims=said)


def _choose_rows(revision: Revision, rows: Sequence[Paper], embedder: Embedder) -> list[Paper]:
    """The papers of the table afterwards: the most cited of those there, more of them, or those nearest to the wish."""
    change = revision.change
    count = max(1, round(SIZES.get(change.way, 1.0) * len(rows)))
    if change.way == "shorten":
        return sorted(rows, key=lambda p: -(p.citations or 0))[:count]
    stay = rows if change.way == "expand" else []
    others = [paper for paper in revision.papers if paper not in stay]
    about = embedder.embed([change.wish or revision.old.title])[0]
    more = nearest(others, embed_papers(embedder, others), about, max(1, count - len(stay))) if others else []
    return [*stay, *more]


def _quote_passage(papers: Sequence[Paper], about: str, words: int, embedder: Embedder) -> tuple[Claim, ...]:
    """About so many words of the sentences that rank first for a subject and can stand alone, each as its paper's."""
    alone = {said.text for paper in papers for said in read_statements(paper.content) if stands_alone(said.text)}
    ranked = [one for one in rank_sentences(about, papers, embedder) if one.quote in alone]
    claims = quote_ranked(ranked, len(papers), worth=0.0)
    before = accumulate((len(claim.text.split()) for claim in claims), initial=0)
    return tuple(claim for claim, used in zip(claims, before, strict=False) if used < words)


def join_claims(claims: Sequence[Claim]) -> str:
    """Paragraphs of a few quotations each."""
    texts = [claim.text for claim in claims]
    return "\n\n".join(" ".join(texts[i : i + PARAGRAPH_CLAIMS]) for i in range(0, len(texts), PARAGRAPH_CLAIMS))


def remove_claim(revision: Revision) -> Section:
    """The section without the sentence that the wish describes best; no word of others changes."""
    old, place, wish = revision.old, revision.change.place, revision.change.wish
    meant = set(terms(wish))
    # A quotation can hold what looks like the end of a sentence, so claims are taken whole.
    inside = [claim.text for claim in old.claims]
    units = inside + [s for s in all_sentences(old.text) if not any(s in text for text in inside)]
    share = [len(meant & set(terms(unit))) / max(1, len(meant)) for unit in units]
    if not units or not meant or max(share) < NAMED_SHARE:
        raise UserError(f"No sentence of section {place} speaks of “{wish[:80]}”. `show {place}`")
    gone = units[share.index(max(share))]
    quoted = next((claim for claim in old.claims if claim.text == gone and gone not in old.text), None)
    if quoted:
        return remove_quotation(old, quoted)
    paragraphs = [" ".join(block.replace(gone, "", 1).split()) for block in old.text.split("\n\n")]
    kept = tuple(claim for claim in old.claims if claim.text != gone)
    new = replace(old, text="\n\n".join(block for block in paragraphs if block), claims=kept)
    if not new.text:
        raise UserError(f"That is all that section {place} says; `back` to the outline and drop the section.")
    return new


def with_sentences(section: Section, new: Sequence[str]) -> Section:
    """The section with its sentences, in order, replaced; a claim goes with its sentence."""
    renamed = dict(zip(all_sentences(section.text), new, strict=True))
    claims = tuple(replace(claim, text=renamed.get(claim.text, claim.text)) for claim in section.claims)
    return replace(section, text=replace_sentences(section.text, dict(enumerate(new, start=1))), claims=claims)
