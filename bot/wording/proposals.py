"""The longer texts of the conversation: proposals, the survey, and its evidence. See `bot.wording.sentences`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import assert_never

from bot.wording.reviews import word_review
from bot.wording.sentences import WELCOME
from engine.citations import numbers, reference_text, replace_citations
from engine.evidence import Evidence
from engine.gathering.search_record import search_flow
from engine.limits import length_class
from engine.rendering.markdown import describe_search, escape_markdown, with_numbers
from engine.retrieval.identity import surname
from engine.retrieval.matching import SURE
from engine.session.state import State
from engine.survey import Citation, Section, Survey, walk
from engine.text import clean, shorten
from engine.values import (
    FoundPaper,
    KeywordPool,
    Outline,
    OutlineNode,
    Paper,
    PaperKey,
    PaperSelection,
    Reason,
    walk_outline,
)


def proposal(state: State) -> str:
    """The proposal of the phase the session is in."""
    match state.phase:
        case "topic":
            return (
                f"The topic is “{escape_markdown(state.brief.topic)}”. Say `ok` to go on." if state.brief else WELCOME
            )
        case "keywords":
            return _keywords(state.keywords) if state.keywords else WELCOME
        case "papers":
            return _papers(state.papers) if state.papers else WELCOME
        case "outline":
            return _outline(state.outline) if state.outline else WELCOME
        case "writing":
            total = len(state.outline.nodes) if state.outline else 0
            return (
                f"{len(state.sections)} of {total} sections are written. "
                "Say `ok` to go on, `back` to change the outline, or `export` to have what is finished."
            )
        case "discussion":
            if state.brief and state.brief.quick and state.survey and state.papers:
                return word_review(state.survey, state.papers)
            return _survey(state.survey) if state.survey else WELCOME
        case _:
            assert_never(state.phase)


def _keywords(pool: KeywordPool) -> str:
    lines = [f"- **{escape_markdown(k.text)}**{_origin(k.origin, k.found)}" for k in pool.keywords]
    return "\n".join(
        ["**Keywords**", "", *lines, "", "`ok` searches with these. `add WORDS` and `drop WORDS` change them."]
    )


def _origin(origin: str, found: int) -> str:
    match origin:
        case "topic":
            return " (your topic)"
        case "person":
            return " (added by you)"
        case _:
            return f" (brings {found} papers the others do not)"


LISTED_PAPERS = 15
SHOWN_NOTES = 4
EVIDENCE_BAR = 12
"""Blocks of the part with the most hints."""


def _papers(selection: PaperSelection) -> str:
    used = len(selection.included())
    years = sorted(f.paper.year for f in selection.found if f.paper.year)
    span = f" from {years[0]} to {years[-1]}" if years else ""
    lines = [paper_line(i, item, selection) for i, item in enumerate(selection.found[:LISTED_PAPERS], start=1)]
    rest = len(selection.found) - LISTED_PAPERS
    more = f"\n… and {rest} more; `show` lists them all." if rest > 0 else ""
    out = selection.filtered + len(selection.left_out)
    left_out = f" {out} more were found but left out; `sources` says why." if out else ""
    return "\n".join(
        [
            f"**{used} papers**{span}.{left_out}",
            "",
            *_word_coverage(selection),
            *_word_unsure_lines(selection),
            *_notes(selection),
            *lines,
            more,
            "",
            "`ok` makes an outline of them. `exclude 3 7` leaves papers out, `more` looks for more.",
        ]
    )


def _word_coverage(selection: PaperSelection) -> list[str]:
    """Whether there is enough about the topic, with the choices where there is not."""
    coverage = selection.coverage
    if coverage is None or not coverage.nearest:
        return []
    about = "1 paper is" if coverage.about == 1 else f"{coverage.about} papers are"
    nearest = "; ".join(f"“{escape_markdown(shorten(clean(title), 90))}”" for title in coverage.nearest)
    return [
        f"⚠ **Only {about} about your topic.** The next ones are not: {nearest}.",
        "",
        "Go on with these, search online, go back to try other words, or stop.",
        "",
    ]


def paper_line(position: int, item: FoundPaper, selection: PaperSelection) -> str:
    """One paper of a list with why it was found."""
    paper = item.paper
    marks = (("**retracted**", paper.retracted), ("**excluded**", paper.key in selection.excluded))
    out = "".join(f" — {mark}" for mark, holds in marks if holds)
    people = paper.authors[0] + (" et al." if len(paper.authors) > 1 else "") if paper.authors else "no author given"
    where = ", ".join(part for part in (paper.venue, str(paper.year or "")) if part)
    counted = f" by {paper.counted}" if paper.counted else ""
    cited = f", cited {paper.citations:,} times{counted}" if paper.citations is not None else ""
    words = sorted((r for r in item.reasons if r.by == "keyword"), key=lambda r: r.rank)[:2]
    reasons = [f"found by {', '.join(f'“{escape_markdown(r.keyword)}” #{r.rank}' for r in words)}"] if words else []
    reasons += [_by_citation(r) for r in item.reasons if r.by != "keyword"]
    reasons += [escape_markdown(item.judgement)] if item.judgement else []
    why = f" · {'; '.join(reasons)}" if reasons else ""
    title = escape_markdown(shorten(clean(paper.title), 120))
    return f"{position}. {title} — {escape_markdown(people)}, {escape_markdown(where)}{cited}{why}{out}"


def _word_unsure_lines(selection: PaperSelection) -> list[str]:
    """Lines of a person's list that need a look: not sure, or not found."""
    places = {found.paper.key: place for place, found in enumerate(selection.found, start=1)}
    lines = []
    for item in selection.listed:
        line = escape_markdown(shorten(item.line, 120))
        note = f": {escape_markdown(item.note)}" if item.note else ""
        if item.key is None:
            lines.append(f"- not found{note}: “{line}”")
        elif item.certainty < SURE:
            sure = round(100 * item.certainty)
            lines.append(f"- {sure} % sure{note}: “{line}”; `include {places[item.key]}` takes it in")
    head = f"**{sum(i.certainty >= SURE for i in selection.listed)} of {len(selection.listed)} lines are certain**"
    return [head, "", *lines, ""] if selection.listed else []


def _notes(selection: PaperSelection) -> list[str]:
    """What did not go as it should when it was searched, each once."""
    notes = [f"- ⚠ {escape_markdown(note)}" for note in dict.fromkeys(s.note for s in selection.searches) if note]
    return [*notes[:SHOWN_NOTES], ""] if notes else []


def _by_citation(reason: Reason) -> str:
    """Why a paper was found that no keyword found."""
    match reason.by:
        case "cited":
            return f"cited by {reason.rank} of the papers found"
        case "citing":
            return f"cites {reason.rank} of the papers found"
        case "recommended":
            return "recommended for the papers found"
        case "foundation":
            return "*foundation*: close to the topic and much cited, does not name it"
        case _:
            return f"on your list: {escape_markdown(shorten(clean(reason.keyword), 80))}"


def all_papers(selection: PaperSelection) -> str:
    """Every paper with its number."""
    return "\n".join(paper_line(i, item, selection) for i, item in enumerate(selection.found, start=1))


def _outline(outline: Outline) -> str:
    lines = []
    most = max((node.hints for _, node in walk_outline(outline.nodes)), default=0)
    for number, node in walk_outline(outline.nodes):
        count = len(node.all_papers())
        papers = (
            ""
            if node.role != "body"
            else f" ({_evidence(node, most)})"
            if count
            else " (papers are chosen when it is written)"
        )
        thin = " ⚠ thin evidence" if node.thin and count else ""
        lines.append(f"{'    ' * number.count('.')}- **{number}** {escape_markdown(node.title)}{papers}{thin}")
    thin_note = (
        "\n⚠ Sections marked so rest on very few papers: merge or drop them, or look for more papers."
        if any(node.thin for _, node in walk_outline(outline.nodes))
        else ""
    )
    return "\n".join(
        [
            f"**{escape_markdown(outline.title)}**",
            "",
            *lines,
            thin_note,
            *(f"⚠ {escape_markdown(note)}" for note in outline.notes),
            "",
            "`ok` writes it. `rename 2 to …`, `drop 3`, `move 4 before 2`, `merge 3 4` and "
            "`add section … after 2` change it.",
        ]
    )


def _evidence(node: OutlineNode, most: int) -> str:
    """How many papers a section rests on and, where hints were made of them, how many, with a bar for each part."""
    papers = f"{len(node.all_papers())} papers"
    if not node.all_hints():
        return papers
    bar = f" {'▇' * max(1, round(EVIDENCE_BAR * node.hints / most))}" if node.hints else ""
    return f"{papers}, {node.all_hints()} hints{bar}"


_COUNTED = {
    "unsupported claim": "citations were removed because the paper does not say so; the exported files list them",
    "unknown citation": "citations were not among the papers given, and were repaired or removed; the files list them",
}


def _survey(survey: Survey) -> str:
    words = sum(len(section.text.split()) for _, section in walk(survey.sections))
    tokens = sum(len(section.text) for _, section in walk(survey.sections)) // 4
    counts: Counter[str] = Counter(w.kind for w in survey.warnings)
    told = [f"{counts[kind]} {text}" for kind, text in _COUNTED.items() if counts[kind]]
    told += [
        f"{w.kind}: {escape_markdown(w.place)} ({escape_markdown(w.detail)})"
        for w in survey.warnings
        if w.kind not in _COUNTED
    ]
    notes = "".join(f"\n- {note}" for note in told[:10])
    warned = f"\n\nWorth knowing:\n{notes}" if notes else ""
    return (
        f"**{escape_markdown(survey.title)}** is written: {len(survey.sections)} sections, {words:,} words "
        f"(length class {length_class(tokens)}), {len(survey.references)} references.{warned}\n\n"
        "Ask a question, say `show 2`, `why 3.1`, `rewrite 3.1: …`, or `export`."
    )


def section(survey: Survey, place: str, found: Section) -> str:
    """One section with its parts, as it stands in the survey."""
    known = numbers(survey)
    parts = [f"**{place} {escape_markdown(found.title)}**", with_numbers(found.text, known)]
    for number, below in walk(found.sections, f"{place}."):
        parts += [f"**{number} {escape_markdown(below.title)}**", with_numbers(below.text, known)]
    return "\n\n".join(parts)


def word_written_section(found: Section, position: int, papers: Mapping[PaperKey, Paper]) -> str:
    """A section that was just written, its citations by name: numbers are known when all sections are."""

    def shown(text: str) -> str:
        lines = [clean(line) for line in text.split("\n")]
        name = lambda keys: f"[{'; '.join(escape_markdown(_name(papers.get(k))) for k in keys)}]"  # noqa: E731
        return "\n".join(replace_citations(line, name, escape_markdown) for line in lines)

    number = str(position + 1)
    parts = [f"**{number} {escape_markdown(found.title)}**", shown(found.text)]
    for place, below in walk(found.sections, f"{number}."):
        parts += [f"**{place} {escape_markdown(below.title)}**", shown(below.text)]
    return "\n\n".join(part for part in parts if part)


def _name(paper: Paper | None) -> str:
    """A paper by its first author and year, or by the beginning of its title."""
    if paper is None:
        return "?"
    others = " et al." if len(paper.authors) > 1 else ""
    who = f"{surname(paper.authors[0])}{others}" if paper.authors else shorten(clean(paper.title), 40)
    return f"{who} {paper.year}" if paper.year else who


def evidence(survey: Survey, items: Sequence[Evidence], head: str) -> str:
    """Claim by claim: the quote, the paper, how it was checked."""
    known = numbers(survey)
    papers = {paper.key: paper for paper in survey.references}
    parts = [head]
    for item in items:
        for citation in item.claim.citations:
            if citation.key not in papers:
                continue
            paper = papers[citation.key]
            parts.append(
                f"- **{item.place}** [{known[citation.key]}] {escape_markdown(clean(paper.title))} "
                f"({paper.year or 'no year'}): {_words_behind(citation)}"
                f"{_verdict(citation.verdict)}, from the {citation.source}"
                f"{f', page {citation.page}' if citation.page else ''}"
            )
    return "\n".join(parts)


def _words_behind(citation: Citation) -> str:
    """The words behind a claim, in quotation marks only where they are the authors'."""
    if not citation.quote:
        return ""
    words = escape_markdown(citation.quote)
    return f"{words} — " if citation.source == "summary" else f"“{words}” — "


def _verdict(verdict: str) -> str:
    return {
        "summarised": "told in a summary's words, which are not the authors'",
        "quoted": "quoted word for word",
        "supported": "checked: supported",
        "unsupported": "checked: NOT supported",
        "unchecked": "not checked",
    }[verdict]


def why_section(survey: Survey, place: str, title: str, items: Sequence[Evidence]) -> str:
    """The evidence behind a section."""
    if not items:
        return f"Section {place}, {escape_markdown(title)}, makes no statement about a paper; it only leads over."
    return evidence(survey, items, f"**Evidence for {place} {escape_markdown(title)}**\n")


def why_reference(survey: Survey, paper: Paper, number: int, items: Sequence[Evidence]) -> str:
    """Where a reference is used and with which words."""
    head = f"**[{number}]** {escape_markdown(clean(reference_text(paper)))} {f'<{paper.url}>' if paper.url else ''}\n"
    if not items:
        return f"{head}\nIt is cited in a table, as one of the most cited of its group."
    return evidence(survey, items, head)


def sources(state: State) -> str:
    """How it was searched: queries, numbers found, left out and why."""
    selection = state.papers
    if selection is None:
        return "Nothing was searched yet."
    lines = [
        f"- {escape_markdown(s.source)}, {s.date}: “{escape_markdown(s.query)}” gave "
        f"{escape_markdown(describe_search(s))} papers"
        for s in selection.searches
    ]
    flow = [f"- {name}: {count:,}" for name, count in search_flow(selection)]
    out = [
        f"- {escape_markdown(clean(o.paper.title))}: {o.why}, {escape_markdown(o.reason)}"
        for o in selection.all_left_out()
    ]
    reasons = ["", "**Left out, with the reason**", "", *out] if out else []
    return "\n".join(["**How this was searched**", "", *lines, "", *flow, *reasons])
