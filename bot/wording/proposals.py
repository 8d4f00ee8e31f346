"""The longer texts of the conversation: proposals, the survey, and its evidence. See `bot.wording.sentences`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import assert_never

from bot.wording.reviews import more, word_groups, word_review
from bot.wording.sentences import WELCOME
from bot.wording.survey import link, word_survey
from engine.errors import UserError
from engine.gathering.search_record import search_flow
from engine.quoting.counts import find_most_cited
from engine.rendering.markdown import describe_search, escape_markdown
from engine.retrieval.identity import surname
from engine.retrieval.matching import SURE
from engine.session.state import State
from engine.session.support import find_unsupported
from engine.text import clean, shorten
from engine.values import (
    FoundPaper,
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
            return f"The topic is “{escape_markdown(state.brief.topic)}”." if state.brief else WELCOME
        case "keywords":
            return _keywords(state) if state.keywords else WELCOME
        case "papers":
            return _papers(state.papers) if state.papers else WELCOME
        case "outline":
            if state.outline and state.outline.is_grouping and state.papers:
                return word_groups(state.outline, state.papers)
            return _outline(state) if state.outline else WELCOME
        case "writing":
            total = len(state.outline.nodes) if state.outline else 0
            return f"**{len(state.sections)} of {total} sections are written.**"
        case "discussion":
            if state.brief and state.brief.quick and state.survey and state.papers:
                return f"{word_review(state.survey, state.papers)}\n\n{more(state)}".rstrip()
            return word_survey(state.survey) if state.survey else WELCOME
        case _:
            assert_never(state.phase)


def _keywords(state: State) -> str:
    keywords = state.keywords.keywords if state.keywords else ()
    lines = [f"- **{escape_markdown(k.text)}**{_origin(k.origin, k.found)}" for k in keywords]
    note = state.keywords.note if state.keywords else ""
    return "\n".join(
        ["**Keywords** to search with:", "", *lines, *(["", f"⚠ {escape_markdown(note)}"] if note else [])]
    )


def _origin(origin: str, found: int) -> str:
    match origin:
        case "topic":
            return " (your topic)"
        case "person":
            return " (added by you)"
        case "model":
            return f" (brings {_count_papers(found)}; named by the model)"
        case _:
            return f" (brings {_count_papers(found)})"


def _count_papers(count: int) -> str:
    return f"{count} {'paper' if count == 1 else 'papers'}"


LISTED_PAPERS, LISTED_NEAR = 10, 5
PAGE_OF_PAPERS = 15
EXAMPLES = 3
SHOWN_NOTES = 4
EVIDENCE_BAR = 12
"""Blocks of the part with the most hints."""


def _papers(selection: PaperSelection) -> str:
    used = len(selection.list_included())
    years = sorted(f.paper.year for f in selection.found if f.paper.year)
    span = "" if not years else f" from {years[0]}" if years[0] == years[-1] else f" from {years[0]} to {years[-1]}"
    head = f"**{used} {'paper' if used == 1 else 'papers'}**{span}.{_count_tiers(selection)}"
    retracted = [
        f"⚠ {place} {link(shorten(clean(item.paper.title), 80), item.paper)}{_marks(item, selection)}"
        for place, item in enumerate(selection.found, start=1)
        if item.paper.retracted and place > LISTED_PAPERS
    ]
    return "\n".join(
        [
            head,
            "",
            *_word_thin_topic(selection),
            *_word_unsure_lines(selection),
            *_notes(selection),
            *_list_first(selection),
            *(["", *retracted] if retracted else ()),
        ]
    )


def _count_tiers(selection: PaperSelection) -> str:
    core = selection.count_tier("core")
    near = selection.count_tier("near")
    out = len(selection.left_out)
    left_out = f" {out:,} judged not relevant {'was' if out == 1 else 'were'} left out." if out else ""
    if not near and not core:
        return left_out
    return f" {core} on your topic{f', {near} near it' if near else ''}.{left_out}"


def _list_first(selection: PaperSelection) -> list[str]:
    """The first papers of the core, a line, and the first that are near it; or the first of all."""
    numbered = list(enumerate(selection.found, start=1))
    near = [pair for pair in numbered if pair[1].tier == "near"]
    core = [pair for pair in numbered if pair[1].tier != "near"]
    first = core[:LISTED_PAPERS]
    lines = [_short_line(i, item, selection) for i, item in first]
    rest = len(core) - len(first)
    lines += ["", f"… and {rest} more{' on the topic' if near else ''}."] if rest > 0 else []
    if not near:
        return lines
    shown = near[:LISTED_NEAR]
    lines += ["", "**Near it**", "", *(_short_line(i, item, selection) for i, item in shown)]
    return [*lines, "", f"… and {len(near) - len(shown)} more."] if len(near) > len(shown) else lines


def _short_line(position: int, item: FoundPaper, selection: PaperSelection) -> str:
    """One paper of the proposal: what it is; why it was found is said where all are listed."""
    paper = item.paper
    cited = f" · cited {paper.citations:,} times" if paper.citations is not None else ""
    title = link(shorten(clean(paper.title), 80), paper)
    who = (
        name_paper(paper) if paper.authors else str(paper.year or "")
    )  # a paper without authors is not called by its title twice
    made = f" · {escape_markdown(who)}" if who else ""
    return f"{position}. {title}{made}{cited}{_marks(item, selection)}"


def _marks(item: FoundPaper, selection: PaperSelection) -> str:
    marks = (("**retracted**", item.paper.retracted), ("**excluded**", item.paper.key in selection.excluded))
    return "".join(f" · {mark}" for mark, holds in marks if holds)


def _word_thin_topic(selection: PaperSelection) -> list[str]:
    """That few papers are on the topic, with the choices."""
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


def paper_line(position: int, item: FoundPaper, selection: PaperSelection) -> str:
    """One paper of a list with why it was found."""
    paper = item.paper
    people = paper.authors[0] + (" et al." if len(paper.authors) > 1 else "") if paper.authors else ""
    published = ", ".join(part for part in (people, paper.venue, str(paper.year or "")) if part)
    counted = f" by {paper.counted}" if paper.counted else ""
    cited = f", cited {paper.citations:,} times{counted}" if paper.citations is not None else ""
    ranks: dict[str, int] = {}
    for reason in sorted((r for r in item.reasons if r.by == "keyword"), key=lambda r: r.rank):
        ranks.setdefault(reason.keyword, reason.rank)
    found = [f"{_name_keyword(keyword, selection)} (rank {rank})" for keyword, rank in ranks.items()][:2]
    reasons = [f"found by {', '.join(found)}"] if found else []
    reasons += [_by_citation(r) for r in item.reasons if r.by != "keyword"]
    reasons += [escape_markdown(item.judgement)] if item.judgement else []
    why = f" · {'; '.join(reasons)}" if reasons else ""
    title = link(shorten(clean(paper.title), 120), paper)
    what = f"{title} · {escape_markdown(published)}" if published else title
    return f"{position}. {what}{cited}{why}{_marks(item, selection)}"


def _name_keyword(keyword: str, selection: PaperSelection) -> str:
    """The keyword in quotation marks; the topic, which is the first that is searched, is not repeated in each line."""
    is_topic = bool(selection.searches) and keyword == selection.searches[0].query
    return "your topic" if is_topic else f"“{escape_markdown(keyword)}”"


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
            return f"*foundation*: {reason.rank} papers on the topic name it"
        case "similar":
            return f"*foundation*: close to the papers on the topic, and cited {reason.rank:,} times"
        case _:
            return f"on your list: {escape_markdown(shorten(clean(reason.keyword), 80))}"


def paper_pages(selection: PaperSelection) -> int:
    """How many pages the list of papers has."""
    return max(1, -(-len(selection.found) // PAGE_OF_PAPERS))


def word_papers(selection: PaperSelection, page: int) -> str:
    """A page of the papers, from 1, with why each was found; raises `UserError` where there is no such page."""
    last = paper_pages(selection)
    if not 1 <= page <= last:
        raise UserError(f"There is no page {page}; the papers have pages 1 to {last}.")
    start = (page - 1) * PAGE_OF_PAPERS
    items = selection.found[start : start + PAGE_OF_PAPERS]
    lines = [paper_line(i, item, selection) for i, item in enumerate(items, start=start + 1)]
    return "\n".join([f"**Papers {start + 1} to {start + len(items)} of {len(selection.found)}**", "", *lines])


def _outline(state: State) -> str:
    outline, selection = state.outline, state.papers
    assert outline is not None
    papers = {item.paper.key: item.paper for item in selection.found} if selection else {}
    most = max((len(node.hint_papers) for _, node in walk_outline(outline.nodes)), default=0)
    bare = find_unsupported(outline, selection, state.brief.topic) if selection and state.brief else []
    unsupported = [number for number, _ in bare]
    lines = [
        _outline_line(number, node, papers, most, unsupported=number in unsupported)
        for number, node in walk_outline(outline.nodes)
    ]
    is_thin = any(node.thin for _, node in walk_outline(outline.nodes))
    thin = ["⚠ Sections marked so rest on very few papers: merge or drop them, or look for more papers."]
    notes = [*(thin if is_thin else []), *(f"⚠ {escape_markdown(note)}" for note in outline.notes)]
    notes += [_word_unsupported(number, node) for number, node in bare[:SHOWN_NOTES]]
    notes += [f"⚠ The same holds for {len(bare) - SHOWN_NOTES} more."] if len(bare) > SHOWN_NOTES else []
    return "\n".join([f"**{escape_markdown(outline.title)}**", "", *lines, *([""] if notes else []), *notes])


def _word_unsupported(number: str, node: OutlineNode) -> str:
    """That a section may have nothing to be written from, with what can be done."""
    return (
        f"⚠ No gathered paper speaks of “{number} {escape_markdown(node.title)}”; it may stay unwritten. "
        f"`search for {number}` gathers papers about it, and the outline stays; "
        f"`describe {number}: …` says it in the papers' words; `drop {number}` leaves it out."
    )


def _evidence(node: OutlineNode, most: int) -> str:
    """How many papers and hints a section has; a bar shows where the evidence is."""
    keys = node.all_papers()
    papers = f" · {len(keys)} {'paper' if len(keys) == 1 else 'papers'}" if keys else ""
    count, own = len(node.all_hints()), len(node.hint_papers)
    if not count:
        return papers
    bar = f" {'▇' * max(1, round(EVIDENCE_BAR * own / most))}" if own else ""
    return f"{papers}, {count} {'hint' if count == 1 else 'hints'}{bar}"


def _outline_line(
    number: str, node: OutlineNode, papers: Mapping[PaperKey, Paper], most: int, *, unsupported: bool
) -> str:
    """A section with a line of what is in it; ``most`` hints has the section with most."""
    keys = node.all_papers()
    count = _evidence(node, most)
    if node.role == "body" and not keys:
        count = " · ⚠ no gathered paper speaks of it" if unsupported else " · papers are chosen when it is written"
    about = _inside(node, [papers[key] for key in keys if key in papers], is_section="." not in number)
    inside = f": {escape_markdown(about)}" if about and node.role == "body" else ""
    thin = " ⚠" if node.thin and keys else ""
    return f"{'    ' * number.count('.')}- **{number}** {escape_markdown(node.title)}{count}{thin}{inside}"


def _inside(node: OutlineNode, papers: Sequence[Paper], *, is_section: bool) -> str:
    """What a section holds: what it is about, its years, and its best known paper; of a part only the papers."""
    best = sorted(papers, key=lambda p: -(p.citations or 0))[: 1 if is_section else EXAMPLES]
    years = sorted(paper.year for paper in papers if paper.year)
    span = "" if not years else str(years[0]) if years[0] == years[-1] else f"{years[0]} to {years[-1]}"
    if not is_section:
        return "; ".join(name_paper(paper) for paper in best)
    word = "best known" if find_most_cited(papers) else "for example"
    known = f"{word} {name_paper(best[0])}, “{shorten(clean(best[0].title), 70)}”" if best else ""
    return "; ".join(part for part in (shorten(clean(node.description), 110), span, known) if part)


def name_paper(paper: Paper) -> str:
    """A paper by its first author and year, or by the beginning of its title."""
    others = " et al." if len(paper.authors) > 1 else ""
    who = f"{surname(paper.authors[0])}{others}" if paper.authors else shorten(clean(paper.title), 40)
    return f"{who} {paper.year}" if paper.year else who


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
