"""The longer texts of the conversation: proposals, the survey, and its evidence. See `bot.wording.sentences`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from bot.views.steps import (
    FinishedReview,
    PaperGroups,
    PlannedOutline,
    PlannedSection,
    Proposal,
    Topic,
    WrittenSections,
    view_proposal,
)
from bot.views.survey_pages import Page
from bot.wording.reviews import tabulate, word_groups, word_review
from bot.wording.sentences import WELCOME, list_first, pluralize
from bot.wording.survey_text import link, word_survey
from engine.gathering.search_record import search_flow
from engine.quoting.attribution import name_paper
from engine.quoting.counts import find_most_cited
from engine.reading.trees.attribute_trees import AttributeTree, AttributeValue
from engine.rendering.document import describe_search
from engine.rendering.markdown import escape_markdown
from engine.retrieval.matching import SURE
from engine.session.state import State
from engine.survey import Survey
from engine.text import clean, list_words, shorten
from engine.values import Brief, FoundBy, FoundPaper, KeywordPool, OutlineNode, Paper, PaperSelection


def proposal(state: State) -> str:
    return word_proposal(view_proposal(state))


def word_proposal(shown: Proposal) -> str:
    match shown:
        case Topic(topic):
            return f"The topic is “{escape_markdown(topic)}”." if topic else WELCOME
        case KeywordPool():
            return _keywords(shown)
        case PaperSelection():
            return _papers(shown)
        case PaperGroups():
            return word_groups(shown)
        case PlannedOutline():
            return _outline(shown)
        case WrittenSections(done, total):
            return f"**{done} of {total} sections are written.**"
        case FinishedReview(survey, selection):
            return f"{word_review(survey, selection)}\n\n{tabulate(survey)}".rstrip()
        case Survey():
            return word_survey(shown)
        case _:
            assert_never(shown)


def _keywords(pool: KeywordPool) -> str:
    lines = [f"- **{escape_markdown(k.text)}**{_origin(k.origin, k.found)}" for k in pool.keywords]
    note = ["", f"⚠ {escape_markdown(pool.note)}"] if pool.note else []
    return "\n".join(["**Keywords** to search with:", "", *lines, *note])


def word_restrictions(brief: Brief) -> str:
    """What kinds of publication are searched for, and where, as the brief has it; empty where it names neither."""
    kinds = f" only of the kind {list_words(brief.kinds, 'or')}" if brief.kinds else ""
    places = f" in {list_words(brief.places)} alone" if brief.places else ""
    return f"Papers are searched for{kinds}{',' if kinds and places else ''}{places}." if kinds or places else ""


def _origin(origin: str, found: int) -> str:
    if origin in {"topic", "person"}:
        return " (your topic)" if origin == "topic" else " (added by you)"
    return f" (brings {pluralize(found, 'paper')}{'; named by the model' if origin == 'model' else ''})"


LISTED_PAPERS, LISTED_NEAR = 10, 5
PAGE_OF_PAPERS = 15
SHOWN_NOTES, EXAMPLES = 4, 3
EVIDENCE_BAR = 12
"""Blocks of the part with the most hints."""


def _papers(selection: PaperSelection) -> str:
    used = len(selection.list_included())
    years = sorted(f.paper.year for f in selection.found if f.paper.year)
    span = f" from {' to '.join(map(str, dict.fromkeys((years[0], years[-1]))))}" if years else ""
    core, near, out = selection.count_tier("core"), selection.count_tier("near"), len(selection.left_out)
    tiers = f" {core} on your topic{f', {near} near it' if near else ''}." if core or near else ""
    left_out = f" {out:,} judged not relevant {'was' if out == 1 else 'were'} left out." if out else ""
    head = f"**{pluralize(used, 'paper')}**{span}.{tiers}{left_out}"
    retracted = [
        f"⚠ {place} {link(shorten(clean(item.paper.title), 80), item.paper)}{_marks(item, selection)}"
        for place, item in enumerate(selection.found, start=1)
        if item.paper.retracted and place > LISTED_PAPERS
    ]
    notes = [f"- ⚠ {escape_markdown(note)}" for note in dict.fromkeys(s.note for s in selection.searches) if note]
    notes = [*notes[:SHOWN_NOTES], ""] if notes else []
    before = [*_word_thin_topic(selection), *_word_unsure_lines(selection), *notes]
    return "\n".join([head, "", *before, *_list_first(selection), *(["", *retracted] if retracted else ())])


def _list_first(selection: PaperSelection) -> list[str]:
    """The first papers of the core, a line, and the first that are near it; or the first of all."""
    lines = [(item.tier, paper_line(i, item, selection, why=False)) for i, item in enumerate(selection.found, start=1)]
    core, near = ([line for tier, line in lines if (tier == "near") is is_near] for is_near in (False, True))
    shown = list_first(core, LISTED_PAPERS, f"\n… and {{}} more{' on the topic' if near else ''}.")
    return shown + (["", "**Near it**", "", *list_first(near, LISTED_NEAR, "\n… and {} more.")] if near else [])


def _marks(item: FoundPaper, selection: PaperSelection) -> str:
    marks = (("**retracted**", item.paper.retracted), ("**excluded**", item.paper.key in selection.excluded))
    return "".join(f" · {mark}" for mark, holds in marks if holds)


def _word_thin_topic(selection: PaperSelection) -> list[str]:
    if not selection.is_thin():
        return []
    core = selection.count_tier("core")
    count = "No paper is" if core == 0 else "Only 1 paper is" if core == 1 else f"Only {core} papers are"
    return [
        f"⚠ **{count} surely on your topic here.** Those near it stand below the line.",
        "",
        "Go on with all, `exclude` what does not belong, search online, or go back to try other words.",
        "",
    ]


def paper_line(position: int, item: FoundPaper, selection: PaperSelection, *, why: bool = True) -> str:
    """One paper of a list: what it is, and ``why`` it was found where all are listed."""
    paper = item.paper
    counted = f" by {paper.counted}" if paper.counted and why else ""
    cited = f" · cited {paper.citations:,} times{counted}" if paper.citations is not None else ""
    people = name_paper(paper) if paper.authors else str(paper.year or "")  # a title is not said twice
    published = ", ".join(part for part in (people, paper.venue if why else "") if part)
    what = " · ".join(filter(None, (link(shorten(clean(paper.title), 100), paper), escape_markdown(published))))
    reasons = "; ".join(_list_reasons(item, selection)) if why else ""
    return f"{position}. {what}{cited}{f' · {reasons}' if reasons else ''}{_marks(item, selection)}"


def _list_reasons(item: FoundPaper, selection: PaperSelection) -> list[str]:
    """Why a paper was found: the two best keywords, the papers it is near to, what the model says of it."""
    ranks: dict[str, int] = {}
    for reason in sorted((r for r in item.reasons if r.by == "keyword"), key=lambda r: r.rank):
        ranks.setdefault(reason.keyword, reason.rank)
    topic = selection.searches[0].query if selection.searches else ""  # not repeated in each line
    named = {keyword: "your topic" if keyword == topic else f"“{escape_markdown(keyword)}”" for keyword in ranks}
    found = [f"{named[keyword]} (rank {rank})" for keyword, rank in ranks.items()][:2]
    reasons = [f"found by {', '.join(found)}"] if found else []
    for reason in (r for r in item.reasons if r.by != "keyword"):
        keyword = escape_markdown(shorten(clean(reason.keyword), 80))
        reasons.append(_FOUND_BY[reason.by].format(rank=reason.rank, keyword=keyword))
    return reasons + ([escape_markdown(item.judgement)] if item.judgement else [])


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
            lines.append(f"- {sure} % sure{note}: “{line}” (paper {places[item.key]}, left out until it is included)")
    head = f"**{sum(i.certainty >= SURE for i in selection.listed)} of {len(selection.listed)} lines are certain**"
    return [head, "", *lines, ""] if selection.listed else []


_FOUND_BY: dict[FoundBy, str] = {
    "cited": "cited by {rank:,} of the papers found",
    "citing": "cites {rank:,} of the papers found",
    "recommended": "recommended for the papers found",
    "list": "on your list: {keyword}",
    "foundation": "*foundation*: {rank:,} papers on the topic name it",
    "similar": "*foundation*: close to the papers on the topic, and cited {rank:,} times",
}


def word_papers(selection: PaperSelection, page: Page[FoundPaper]) -> str:
    """A page of the papers, with why each was found."""
    lines = [paper_line(i, item, selection) for i, item in enumerate(page.items, start=page.start + 1)]
    head = f"**Papers {page.start + 1} to {page.start + len(page.items)} of {page.total}**"
    return "\n".join([head, "", *lines])


def _outline(outline: PlannedOutline) -> str:
    lines = [_outline_line(section) for section in outline.sections]
    lacking = [section for section in outline.sections if section.lacks_papers]
    notes = [THIN] if any(section.node.is_thin for section in outline.sections) else []
    notes += [f"⚠ {escape_markdown(note)}" for note in outline.notes]
    notes += list_first(list(map(_word_unsupported, lacking)), SHOWN_NOTES, "⚠ The same holds for {} more.")
    return "\n".join([f"**{escape_markdown(outline.title)}**", "", *lines, *([""] if notes else []), *notes])


CHOSEN_LATER = "papers are chosen when it is written"
THIN = "⚠ Sections marked so rest on very few papers: merge or drop them, or look for more papers."


def _word_unsupported(section: PlannedSection) -> str:
    number = section.number
    return (
        f"⚠ No gathered paper speaks of “{number} {escape_markdown(section.node.title)}”; it may stay unwritten. "
        f"`search for {number}` gathers papers about it, and the outline stays; "
        f"`describe {number}: …` says it in the papers' words; `drop {number}` leaves it out."
    )


def _outline_line(section: PlannedSection) -> str:
    node, depth = section.node, section.number.count(".")
    about = _inside(section) if node.role == "body" else ""
    inside = f": {escape_markdown(about)}" if about else ""
    thin = " ⚠" if node.is_thin else ""
    return f"{'    ' * depth}- **{section.number}** {escape_markdown(node.title)}{_evidence(section)}{thin}{inside}"


def _evidence(section: PlannedSection) -> str:
    """How many papers and hints a section has; a bar shows where the evidence is."""
    count, hints = len(section.node.all_papers()), len(section.node.all_hints())
    if section.node.role == "body" and not count:
        return f" · {'⚠ no gathered paper speaks of it' if section.lacks_papers else CHOSEN_LATER}"
    papers = f" · {pluralize(count, 'paper')}" if count else ""
    bar = f" {'▇' * max(1, round(EVIDENCE_BAR * section.share))}" if section.share else ""
    return f"{papers}, {pluralize(hints, 'hint')}{bar}" if hints else papers


def _inside(section: PlannedSection) -> str:
    """What a section holds: what it is about, its years, and its best known paper; of a part only the papers."""
    if "." in section.number:
        return "; ".join(name_paper(paper) for paper in section.papers[:EXAMPLES])
    years = sorted(paper.year for paper in section.papers if paper.year)
    span = " to ".join(map(str, dict.fromkeys((*years[:1], *years[-1:]))))
    word = "best known" if find_most_cited(section.papers) else "for example"
    known = [f"{word} {name_paper(paper)}, “{shorten(clean(paper.title), 70)}”" for paper in section.papers[:1]]
    return "; ".join(part for part in (shorten(clean(section.node.description), 110), span, *known) if part)


def sources(state: State) -> str:
    """How it was searched: queries, numbers found, left out and why."""
    selection = state.papers
    if selection is None:
        return "Nothing was searched yet."
    lines = []
    for s in selection.searches:
        source, query, gave = map(escape_markdown, (s.source, s.query, describe_search(s)))
        lines.append(f"- {source}, {s.date}: “{query}” gave {gave} papers")
    flow = [f"- {name}: {count:,}" for name, count in search_flow(selection)]
    left = [(escape_markdown(clean(o.paper.title)), o) for o in selection.all_left_out()]
    out = [f"- {title}: {o.why}, {escape_markdown(o.reason)}" for title, o in left]
    reasons = ["", "**Left out, with the reason**", "", *out] if out else []
    return "\n".join(["**How this was searched**", "", *lines, "", *flow, *reasons])


ABSTRACT_CHARACTERS, QUOTE_CHARACTERS = 1_200, 240
SHOWN_PAPERS = 15


def word_paper(number: int, item: FoundPaper, selection: PaperSelection) -> str:
    """A paper of the list, with why it was found and its abstract."""
    text = clean(item.paper.abstract or item.paper.summary)
    told = escape_markdown(shorten(text, ABSTRACT_CHARACTERS)) if text else "No abstract of it is known."
    return f"{paper_line(number, item, selection)}\n\n{told}"


def word_planned_section(place: str, node: OutlineNode, papers: Sequence[Paper]) -> str:
    """A section of the outline: what it is about, its parts, its papers."""
    lines = [f"**{place} {escape_markdown(node.title)}**"]
    lines += [escape_markdown(node.description)] if node.description else []
    lines += ["", *(f"- **{place}.{n}** {escape_markdown(c.title)}" for n, c in enumerate(node.children, start=1))]
    if papers:
        lines += ["", f"{pluralize(len(papers), 'paper')}:", ""]
        named = [f"- {link(shorten(clean(p.title), 80), p)} · {escape_markdown(name_paper(p))}" for p in papers]
        lines += list_first(named, SHOWN_PAPERS, "\n… and {} more.")
    else:
        chosen = "Its papers are chosen when it is written."
        lines += ["", chosen if node.role == "body" else "It is written last, from the other sections."]
    return "\n".join(lines)


def show_tree(paper: Paper, tree: AttributeTree | None) -> str:
    """The paper's attributes; a field that it says nothing about is named at the end."""
    title = escape_markdown(clean(paper.title))
    if tree is None:
        return f"No attribute tree of “{title}” was made: `recipe=surveyx` makes those of the full texts that it reads."
    lines = [f"- **{name}**: {escape_markdown(value.text)}\n  {_place(value)}" for name, value in tree.list_known()]
    missing = [name for name, value in tree.values if value is None]
    silent = f"\n\nNot said in its {tree.level}: {', '.join(missing)}." if missing else ""
    head = f"**{title}** is a {tree.kind} paper. This was read from its {tree.level}:"
    return "\n".join([head, "", *lines]) + silent


def _place(value: AttributeValue) -> str:
    where = ", ".join(part for part in (value.section, f"page {value.page}" if value.page else "") if part)
    words = escape_markdown(shorten(value.quote, QUOTE_CHARACTERS))
    # A summary is not the authors' words.
    said = f"Summary: {words}" if value.level == "summary" else f"“{words}”"
    return f"{said} ({escape_markdown(where)})" if where else said
