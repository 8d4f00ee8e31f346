"""The report of a quick review: what was asked and searched, the studies, what they say, limits, what comes next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from engine.citations import with_references
from engine.gathering.search_record import WITHOUT_ROOM, search_flow
from engine.options import QuickOptions
from engine.quoting.abstracts import quote_contribution, quote_finding
from engine.quoting.attribution import whose_words
from engine.retrieval.embedding import Embedder, ready
from engine.retrieval.online.queries import BooleanQuery
from engine.reviews.review import cite_by_name
from engine.reviews.review_search import ReviewScope, ReviewSearch
from engine.reviews.studies import Reading
from engine.revising.sentence_ranking import SIGNAL, measure_signal, quote_ranked, rank_sentences
from engine.survey import Section, Survey, SurveyWarning, Table
from engine.text import list_words, shorten
from engine.values import Brief, FoundPaper, LeftOut, PaperSelection
from engine.writing.notices import with_notice

METHOD = (
    "This quick review was written by a language model from summaries of the studies it cites. It answers a question; "
    "it is no systematic review."
)
QUOTED_METHOD = (
    "This quick review was assembled from quotations. No language model took part: the papers are those that name "
    "what was asked for, and nobody judged whether they answer it."
)
SEARCHED_METHOD = (
    "This is what a search found, in the order in which it seems worth reading; no review was written of it."
)

QUOTED_STUDIES = 12
"""Papers that a review without a language model rests on: a few more than the article's 8 to 10."""

QUOTED_ANSWERS, QUOTED_METHODS = 8, 4
"""Papers whose quotations answer the first two questions at most."""

NOTHING_ANSWERS = "No sentence was found here that answers the first question: read the studies themselves."

FEW_STUDIES = 4
"""Below this a review says that it stands on little (the article: 3 to 4 papers keep it free of invented ones)."""


@dataclass(frozen=True, slots=True)
class ReviewParts:
    """What was written: the section with the studies' table, findings, conclusions, the questions that come next."""

    studies: Section
    findings: tuple[Section, ...] = ()
    conclusions: Section | None = None
    follow_up: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
    """Sentences on what the studies are and were read from."""
    warnings: tuple[SurveyWarning, ...] = ()
    method: str = METHOD


def assemble_review(
    brief: Brief, scope: ReviewScope, queries: Sequence[BooleanQuery], selection: PaperSelection, parts: ReviewParts
) -> Survey:
    """The review as a survey, so that all that can be done with a survey can be done with it."""
    flow = dict(search_flow(selection))
    used, found = flow["Papers gathered"], flow["Different papers"]
    of = "the paper" if found == 1 else f"{used} of the {found} papers"
    sections = [_report_questions(brief, scope, queries, selection), replace(parts.studies, text=_report_counts(flow))]
    if parts.findings:
        sections.append(Section("Findings", "", sections=parts.findings))
    sections += [parts.conclusions] if parts.conclusions else []
    if parts.findings or parts.limits:
        sections.append(Section("Limits of This Review", " ".join((*_limits(selection), *parts.limits))))
    if parts.follow_up:
        sections.append(Section("Follow-up Questions", "\n".join(f"- {question}" for question in parts.follow_up)))
    survey = Survey(
        title=scope.title,
        abstract=f"This quick review looks at “{brief.topic}” in {of} that {'was' if found == 1 else 'were'} found.",
        sections=tuple(sections),
        references=(),
        method=SEARCHED_METHOD if brief.quick and brief.quick.only_search else parts.method,
        searches=selection.searches,
        left_out=selection.all_left_out(),
        warnings=parts.warnings,
        follow_up=parts.follow_up,
    )
    resolved = with_references(survey, {paper.key: paper for paper in selection.list_included()})
    facts = tuple((name, f"{count:,}") for name, count in flow.items() if count)
    return with_notice(replace(resolved, facts=(*facts, ("Papers cited", str(len(resolved.references))))))


def _report_questions(
    brief: Brief, scope: ReviewScope, queries: Sequence[BooleanQuery], selection: PaperSelection
) -> Section:
    questions = "\n".join(f"- {question}" for question in scope.questions)
    searched = "\n".join(f"- {query}" for query in queries)
    places = list(dict.fromkeys(s.source for s in selection.searches if s.found))
    where = f"Searched in {list_words(places)} with:" if places else "Searched with:"
    text = f"The request: {brief.topic}\n\nThe research questions:\n\n{questions}\n\n{where}\n\n{searched}"
    return Section("Question and Search", text)


def _report_counts(flow: Mapping[str, int]) -> str:
    used = flow["Papers gathered"]
    counts = {
        "Read and left out as not relevant: {}; the reasons stand at the end.": flow["Left out as not relevant"],
        "Relevant, but beyond the share of tokens: {}.": flow.get(WITHOUT_ROOM, 0),
        "Not read: {}.": flow["Left out because enough were better"],
    }
    first = f"{flow['Different papers']} different papers were found; {used} {'is' if used == 1 else 'are'} used here."
    return " ".join((first, *(said.format(count) for said, count in counts.items() if count)))


def _limits(selection: PaperSelection) -> list[str]:
    """What a reader should know, as far as it can be counted."""
    papers = selection.list_included()
    years = sorted(p.year for p in papers if p.year)
    failed = list(dict.fromkeys(s.source for s in selection.searches if s.note and not s.found))
    found = [f"It rests on {len(papers)} {'study' if len(papers) == 1 else 'studies'}."]
    found += [f"They were published from {years[0]} to {years[-1]}."] if years and years[0] != years[-1] else []
    found += ["That is very little: treat every conclusion as a first impression."] if len(papers) < FEW_STUDIES else []
    found += [f"Not every place answered: {list_words(failed)}."] if failed else []
    return found


def quote_review(
    scope: ReviewScope, selection: PaperSelection, embedder: Embedder, options: QuickOptions
) -> ReviewParts:
    """The parts of a review without a language model: the studies' table, and quotations that answer the questions."""
    table, question = quote_table(selection), scope.questions[0]
    if options.only_search:
        return ReviewParts(table)
    papers = selection.list_included()
    ranked = rank_sentences(question, papers, ready(embedder, papers))  # online, none is fitted before
    said = quote_ranked(ranked, QUOTED_ANSWERS) if measure_signal(ranked) >= SIGNAL else ()
    told = {citation.quote for claim in said for citation in claim.citations}
    stated = [q for p in papers if (q := quote_contribution(p)) and q.words not in told][:QUOTED_METHODS]
    methods = tuple(quotation.claim for quotation in stated)
    findings = tuple(
        Section(asked, "\n".join(f"- {claim.text}" for claim in claims), claims)
        for asked, claims in zip(scope.questions, (said, methods), strict=False)
        if claims
    )
    return ReviewParts(table, findings, limits=() if said else (NOTHING_ANSWERS,), method=QUOTED_METHOD)


def quote_table(selection: PaperSelection) -> Section:
    """The papers with what each says it found, or else what it is about, as it says itself or a summary of it does."""
    rows, claims = [], []
    papers = selection.list_included()
    for paper in papers:
        best = quote_finding(paper) or quote_contribution(paper)
        said = best.cell if best else ""
        if best:
            claims.append(best.claim)
        cited = f"{paper.citations:,}" if paper.citations is not None else ""
        rows.append((cite_by_name(paper), shorten(paper.title, 140), paper.venue, cited, said))
    header = ("Study", "Title", "Published in", "Cited", whose_words(papers, "its").capitalize())
    table = Table("The papers found, those most worth reading first.", header, tuple(rows), (3, 5, 2, 1, 7))
    return Section("Studies", "", tuple(claims), tables=(table,))


def select_papers(search: ReviewSearch, used: Sequence[FoundPaper], reading: Reading) -> PaperSelection:
    """The papers of the review, and what became of the others."""
    retracted = tuple(paper for paper in search.known.papers.values() if paper.retracted)
    found = tuple(replace(item, paper=replace(item.paper, body=())) for item in used)
    return PaperSelection(
        (*found, *(FoundPaper(paper, 0.0) for paper in retracted)),
        excluded=tuple(paper.key for paper in retracted),
        searches=tuple(search.records),
        left_out=tuple(reading.left_out),
        repeats=search.known.repeats,
        beyond=reading.unread + reading.unjudged,
    )


def tell_reading(reading: Reading) -> tuple[str, ...]:
    """What the studies were read from, and what could not be read."""
    short = [study.paper for study in reading.studies if not study.paper.body]
    whole, summaries = len(reading.studies) - len(short), sum(not paper.abstract for paper in short)
    failed, stopped = reading.unjudged, reading.stopped.rstrip(".")
    said = [f"Of {whole} the discussion or the text was read."] if whole else []
    text = "abstract" if not summaries else "summary" if summaries == len(short) else "abstract or a summary"
    said += [f"Of {len(short) if whole else 'each'} only the {text} was read."] if short else []
    unread = "1 paper" if failed == 1 else f"{failed} papers"
    said += [f"{unread} could not be read because the language model failed."] if failed else []
    said += [f"Reading ended early: {stopped}."] if stopped else []
    return tuple(said)


def explain_nothing_relevant(brief: Brief, left_out: Sequence[LeftOut]) -> str:
    """No paper helps: what to change, and why the first ones that were read do not."""
    where = "" if brief.online else ", or search online too (`online=yes`)"
    read = f" {len(left_out)} papers were read." if left_out else ""
    reasons = "".join(f"\n- {shorten(out.paper.title, 100)}: {out.reason}" for out in left_out[:3])
    return f"No relevant paper was found.{read} Ask in other words, look at more papers (`papers=100`){where}.{reasons}"
