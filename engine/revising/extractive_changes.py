"""Changes to one section of a finished survey, by quotation and by program; everything else stays byte for byte."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from engine.citations import list_cited_keys, with_references
from engine.errors import UserError
from engine.evidence import section_at
from engine.quoting.abstracts import read_abstract
from engine.quoting.counts import frame_section
from engine.quoting.paper_tables import NOTHING, is_papers_table, tabulate_papers
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


def change_rows(old: Section, papers: Sequence[Paper], change: SectionChange, embedder: Embedder) -> Section:
    """The section with the rows that the change wants: shortened, expanded, or nearest to the wish."""
    inside = list_rows(old, papers)
    count = max(1, round(SIZES.get(change.way, 1.0) * len(inside)))
    if change.way == "shorten":
        return with_rows(old, sorted(inside, key=lambda p: -(p.citations or 0))[:count])
    stay = inside if change.way == "expand" else []
    others, about = [paper for paper in papers if paper not in stay], embedder.embed([change.wish or old.title])[0]
    more = nearest(others, embed_papers(embedder, others), about, max(1, count - len(stay))) if others else []
    return with_rows(old, [*stay, *more])


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
    """A section to be changed: what is wanted of it, from which papers, in how many words."""

    old: Section
    wanted: str
    papers: tuple[Paper, ...]
    words: int


def section_to_change(survey: Survey, place: str) -> Section:
    """The section with that number; raises `UserError` where there is none or it has parts."""
    old = section_at(survey, place)
    if old.sections:
        raise UserError(f"Section {place} has parts; name one of them, for example {place}.1.")
    return old


def divide_change(survey: Survey, change: SectionChange) -> list[SectionChange]:
    """The change of each part with papers where a whole section is shortened, expanded, translated; else itself."""
    whole = section_at(survey, change.place)
    parts = [
        replace(change, place=place)
        for place, part in walk(whole.sections, f"{change.place}.")
        if not part.sections and (part.claims or part.tables)
    ]
    return parts if parts and change.way in {"shorten", "expand", "translate"} else [change]


def revision_of(selection: PaperSelection, survey: Survey, change: SectionChange, embedder: Embedder) -> Revision:
    """What the change takes: papers that the section cites, unless a paragraph is wanted, then those nearest."""
    old = section_to_change(survey, change.place)
    wanted = change.wish if change.way == "paragraph" else f"{old.title} {change.wish}".strip()
    papers = selection.list_included()
    vectors = embed_papers(embedder, papers)
    near = nearest(papers, vectors, embedder.embed([wanted])[0], REVISION_PAPERS)
    keys = {*list_cited_keys(old.text), *(c.key for claim in old.claims for c in claim.citations)}
    cited = [paper for paper in papers if paper.key in keys and change.way != "paragraph"]
    size = PARAGRAPH_WORDS if change.way == "paragraph" else max(80, len(old.text.split()))
    words = round(size * SIZES.get(change.way, 1.0))
    return Revision(old, wanted, tuple({p.key: p for p in (*cited, *near)}.values()), words)


def replace_section(selection: PaperSelection, survey: Survey, place: str, new: Section) -> Survey:
    """The survey with the section at ``place`` replaced and its references in order, the rest untouched."""

    def exchange(sections: tuple[Section, ...], path: Sequence[int]) -> tuple[Section, ...]:
        at, own = path[0] - 1, sections[path[0] - 1]
        inner = new if len(path) == 1 else replace(own, sections=exchange(own.sections, path[1:]))
        return (*sections[:at], inner, *sections[at + 1 :])

    sections = exchange(survey.sections, [int(part) for part in place.split(".")])
    known = {p.key: p for p in (*survey.references, *selection.list_included())}
    return with_notice(with_references(replace(survey, sections=sections), known))


def change_by_quotation(selection: PaperSelection, survey: Survey, change: SectionChange, embedder: Embedder) -> Survey:
    """The survey with one section changed by quotation; raises `UserError` where that cannot be done."""
    if change.way == "translate":
        raise UserError("A quoted survey keeps the words of its papers; translating needs a language model.")
    if change.way == "remove":
        return remove_claim(selection, survey, change)
    old = section_to_change(survey, change.place)

    def quote(papers: Sequence[Paper], about: str, words: int) -> tuple[Claim, ...]:
        if found := _quote_passage(papers, about, words, embedder):
            return found
        about = f" on “{change.wish}”" if change.wish else ""
        raise UserError(f"The papers have nothing to quote for section {change.place}{about}.")

    papers = selection.list_included()
    rows = list_rows(old, papers)
    if change.way == "cite":
        paper = paper_named(selection, survey, change.wish)
        if paper in rows:
            raise UserError(f"“{paper.title[:80]}” is in that section already.")
        if rows:
            new = with_rows(old, [*rows, paper])
        else:
            said = quote([paper], f"{old.title}. {old.text}", QUOTATION_WORDS)
            new = append_section(old, join_claims(said), said)
    elif rows and change.way != "paragraph":
        new = change_rows(old, papers, change, embedder)
    elif not old.claims and not change.wish:
        raise UserError(
            f"Section {change.place} quotes no paper; it only says what the survey holds, so there is no "
            "quotation to leave out or to add. A language model could write it anew."
        )
    else:
        wanted = revision_of(selection, survey, change, embedder)
        said = quote(wanted.papers, wanted.wanted, wanted.words)
        text, is_more = join_claims(said), change.way == "paragraph"
        new = append_section(old, text, said) if is_more else replace(old, text=text, claims=said)
    return replace_section(selection, survey, change.place, new)


def _quote_passage(papers: Sequence[Paper], about: str, words: int, embedder: Embedder) -> tuple[Claim, ...]:
    """About so many words of the sentences that rank first for a subject and can stand alone, each as its paper's."""
    alone = {s.text for paper in papers for s in read_abstract(paper) if s.stands_alone}
    ranked = [one for one in rank_sentences(about, papers, embedder) if one.quote in alone]
    claims = quote_ranked(ranked, len(papers), worth=0.0)
    before = accumulate((len(claim.text.split()) for claim in claims), initial=0)
    return tuple(claim for claim, used in zip(claims, before, strict=False) if used < words)


def join_claims(claims: Sequence[Claim]) -> str:
    """Paragraphs of a few quotations each."""
    texts = [claim.text for claim in claims]
    return "\n\n".join(" ".join(texts[i : i + PARAGRAPH_CLAIMS]) for i in range(0, len(texts), PARAGRAPH_CLAIMS))


def append_section(old: Section, text: str, claims: Sequence[Claim]) -> Section:
    """The section with new paragraphs at its end."""
    return replace(old, text=f"{old.text}\n\n{text}", claims=(*old.claims, *claims))


def paper_named(selection: PaperSelection, survey: Survey, said: str) -> Paper:
    """The gathered paper meant by a number, identifier or title; raises `UserError` where it is none, or several."""
    number = re.fullmatch(r"\[?(\d{1,4})\]?", said.strip())
    if number:
        at = int(number[1])
        if not 1 <= at <= len(survey.references):
            raise UserError(f"There is no reference [{at}]; the survey has [1] to [{len(survey.references)}].")
        return survey.references[at - 1]
    papers, wanted = selection.list_included(), fold(said)
    exact = [p for p in papers if wanted in {fold(p.title), *map(fold, (p.key, *p.identifiers))}]
    holding = exact or [p for p in papers if len(wanted) >= 8 and wanted in fold(p.title)]
    if len(holding) == 1:
        return holding[0]
    if holding:
        titles = "; ".join(f"{p.key}: {shorten(p.title, 60)}" for p in holding[:4])
        raise UserError(f"“{said[:80]}” could be several papers. Name one by its key: {titles}")
    raise UserError(
        f"“{said[:80]}” is not among the papers gathered for this survey, so it cannot be cited. "
        "Name it by reference number, identifier or title."
    )


def remove_claim(selection: PaperSelection, survey: Survey, change: SectionChange) -> Survey:
    """The survey without the sentence of the section that the words describe best; no word of others changes."""
    old = section_to_change(survey, change.place)
    meant = set(terms(change.wish))
    # A quotation can hold what looks like the end of a sentence, so claims are taken whole.
    inside = [claim.text for claim in old.claims]
    units = inside + [s for s in all_sentences(old.text) if not any(s in text for text in inside)]
    share = [len(meant & set(terms(unit))) / max(1, len(meant)) for unit in units]
    if not units or not meant or max(share) < NAMED_SHARE:
        raise UserError(f"No sentence of section {change.place} speaks of “{change.wish[:80]}”. `show {change.place}`")
    gone = units[share.index(max(share))]
    quoted = next((claim for claim in old.claims if claim.text == gone and gone not in old.text), None)
    if quoted:
        return replace_section(selection, survey, change.place, remove_quotation(old, quoted))
    paragraphs = [" ".join(block.replace(gone, "", 1).split()) for block in old.text.split("\n\n")]
    kept = tuple(claim for claim in old.claims if claim.text != gone)
    new = replace(old, text="\n\n".join(block for block in paragraphs if block), claims=kept)
    if not new.text:
        raise UserError(f"That is all that section {change.place} says; `back` to the outline and drop the section.")
    return replace_section(selection, survey, change.place, new)


def with_sentences(section: Section, new: Sequence[str]) -> Section:
    """The section with its sentences, in order, replaced; a claim goes with its sentence."""
    renamed = dict(zip(all_sentences(section.text), new, strict=True))
    claims = tuple(replace(claim, text=renamed.get(claim.text, claim.text)) for claim in section.claims)
    return replace(section, text=replace_sentences(section.text, dict(enumerate(new, start=1))), claims=claims)
