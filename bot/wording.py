"""Every sentence and button label the bot shows. Markdown; everything from outside is escaped here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from adapters.chat import Button
from engine.citations import numbers, reference_text
from engine.errors import LimitExceeded, RetrievalError, ScholiumError, ServiceError, UserError
from engine.evidence import Evidence
from engine.limits import length_class
from engine.rendering.markdown import escaped, with_numbers
from engine.run import Answer, Progress
from engine.session import Job, NoticeKind, Phase, State, SurveySession
from engine.text import clean, shortened
from engine.values import (
    FoundPaper,
    KeywordPool,
    Outline,
    Paper,
    PaperSelection,
    Section,
    Survey,
    walk,
    walk_outline,
)

WELCOME = (
    "**Scholium** writes a literature survey together with you. Name a topic, for example:\n\n"
    "    survey retrieval-augmented generation\n\n"
    "Say `help` to see what else you can say."
)
GOODBYE = "Goodbye."

HELP = """**What you can say**

| When | Say |
| --- | --- |
| to begin | `survey TOPIC` with `length=8k` `years=2018..2025` `sections=8` `words=300` `library=NAME` |
| at every proposal | `ok` · `no` (another one) · `back` · `undo` · `undo 3` · `start over` |
| keywords | `add dense retrieval` · `drop transformers` |
| papers | `exclude 3 7` · `include 3` · `more` · `show` |
| outline | `rename 2 to …` · `drop 3` · `move 4 before 2` · `merge 3 4` · `split 3` · `add section … after 2` |
| the survey | `show 3.2` · `rewrite 3.2: …` · `expand 2.1` · `why 3.2` · `why [12]` · or simply ask a question |
| files | `export` · `export pdf bib` (md, html, pdf, bib, ris, json) |
| any time | `status` · `sources` · `history` · `stop` · `help` |"""

_NOTICES: dict[NoticeKind, str] = {
    "stale": "That was an earlier proposal; it has changed since. Here it is as it stands:",
    "busy": "I am still working. Say `stop` to stop, or wait for the result.",
    "running already": "A survey is being made here already. Say `stop` first, then name the new topic.",
    "nothing to approve": "There is nothing to approve now.",
    "nothing to undo": "There is nothing to undo.",
    "nothing to stop": "Nothing is running.",
    "stopped": "Stopped. What was finished is kept.",
    "undone": "Undone.",
    "no way back": "This is the beginning; name a topic.",
    "not now": "That cannot be done at this step.",
    "started over": "All right, from the beginning. Name a topic, for example: `survey graph neural networks`. "
    "(`undo` brings the former survey back.)",
    "needs topic": "Name a topic first, for example: `survey graph neural networks`",
}

_SUGGESTIONS: dict[Phase, str] = {
    "topic": "`survey TOPIC` to begin, or `help`",
    "keywords": "`ok` to search with these keywords, `add WORDS`, or `drop WORDS`",
    "papers": "`ok` to go on to the outline, `exclude 3 7`, or `more`",
    "outline": "`ok` to write, `rename 2 to …`, or `drop 3`",
    "writing": "`ok` to write on, `back` to change the outline, or `export` what is finished",
    "discussion": "a question, `why 3.2`, or `export`",
}

_STAGES = {
    "keywords": "Looking for keywords",
    "searching": "Searching",
    "filtering": "Leaving out what is off topic",
    "grouping": "Grouping the papers by what they are about",
    "dividing": "Dividing the groups",
    "writing": "Writing",
    "words": "Indexing words",
    "fitting": "Learning how this library's words go together",
    "vectors": "Placing papers by meaning",
    "reading": "Reading",
}

_STARTED: dict[str, str] = {
    "keywords": "Looking for keywords …",
    "papers": "Gathering papers …",
    "outline": "Drafting an outline …",
    "write": "Writing. `stop` keeps what is finished.",
    "revise": "Changing that section …",
    "answer": "Looking through the papers …",
}


def notice(kind: NoticeKind, session: SurveySession) -> str:
    """One of the known short answers."""
    if kind == "not now":
        return f"{_NOTICES[kind]} You can say {_SUGGESTIONS[session.state.phase]}."
    return _NOTICES[kind]


def started(job: Job) -> str:
    """What is being done now."""
    return _STARTED[job.kind]


def progress(step: Progress) -> str:
    """One line: the stage and what is being done."""
    stage = _STAGES.get(step.stage, step.stage)
    return f"{stage}: {escaped(shortened(step.detail, 80))}" if step.detail else stage


def not_understood(text: str, phase: Phase) -> str:
    """An honest answer to words that mean nothing here."""
    return f"I did not understand “{escaped(shortened(clean(text), 80))}”. You can say {_SUGGESTIONS[phase]}."


def failure(error: ScholiumError) -> str:
    """What went wrong, whose fault it was, what to do."""
    match error:
        case UserError():
            return escaped(str(error))
        case LimitExceeded():
            return f"{escaped(str(error))} What was finished is kept; say `ok` to go on."
        case RetrievalError() | ServiceError():
            again = " Trying again may help: say `no` or `ok`." if error.retryable else ""
            return f"A service failed: {escaped(str(error))}{again}"
        case _:
            return escaped(str(error))


OUR_FAULT = "Something went wrong inside Scholium; nothing you made is lost. Say `ok` to try again, or `undo`."


def buttons(session: SurveySession) -> tuple[Button, ...]:
    """Buttons of the current proposal; each carries only verb, session and revision."""
    offered: dict[Phase, tuple[tuple[str, str, str], ...]] = {
        "topic": (),
        "keywords": (("Search with these", "ok", "ok"), ("Other keywords", "no", "no")),
        "papers": (("Make an outline", "ok", "ok"), ("More papers", "more", "more"), ("Back", "back", "back")),
        "outline": (("Write it", "ok", "ok"), ("Another outline", "no", "no"), ("Back", "back", "back")),
        "writing": (("Go on", "ok", "ok"), ("Back", "back", "back")),
        "discussion": (("Export", "export", "export"), ("Back to the outline", "back", "back")),
    }
    return tuple(
        Button(label, f"{verb}:{session.id}:{session.revision}", typed)
        for label, verb, typed in offered[session.state.phase]
    )


def proposal(state: State) -> str:
    """The proposal of the phase the session is in."""
    match state.phase:
        case "topic":
            return f"The topic is “{escaped(state.brief.topic)}”. Say `ok` to go on." if state.brief else WELCOME
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
            return _survey(state.survey) if state.survey else WELCOME
        case _:
            assert_never(state.phase)


def _keywords(pool: KeywordPool) -> str:
    lines = [f"- **{escaped(k.text)}**{_origin(k.origin, k.found)}" for k in pool.keywords]
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


def _papers(selection: PaperSelection) -> str:
    used = len(selection.included())
    years = sorted(f.paper.year for f in selection.found if f.paper.year)
    span = f" from {years[0]} to {years[-1]}" if years else ""
    lines = [paper_line(i, item, selection) for i, item in enumerate(selection.found[:LISTED_PAPERS], start=1)]
    rest = len(selection.found) - LISTED_PAPERS
    more = f"\n… and {rest} more; `show` lists them all." if rest > 0 else ""
    left_out = f" {selection.filtered} more were found but left out as off topic." if selection.filtered else ""
    return "\n".join(
        [
            f"**{used} papers**{span}.{left_out}",
            "",
            *lines,
            more,
            "",
            "`ok` makes an outline of them. `exclude 3 7` leaves papers out, `more` looks for more.",
        ]
    )


def paper_line(position: int, item: FoundPaper, selection: PaperSelection) -> str:
    """One paper of a list with why it was found."""
    paper = item.paper
    out = " — **excluded**" if paper.key in selection.excluded else ""
    people = paper.authors[0] + (" et al." if len(paper.authors) > 1 else "") if paper.authors else "no author given"
    where = ", ".join(part for part in (paper.venue, str(paper.year or "")) if part)
    cited = f", cited {paper.citations:,} times" if paper.citations is not None else ""
    reasons = [f"“{escaped(r.keyword)}” #{r.rank}" for r in sorted(item.reasons, key=lambda r: r.rank)[:2]]
    why = f" · found by {', '.join(reasons)}" if reasons else ""
    title = escaped(shortened(clean(paper.title), 120))
    return f"{position}. {title} — {escaped(people)}, {escaped(where)}{cited}{why}{out}"


def all_papers(selection: PaperSelection) -> str:
    """Every paper with its number."""
    return "\n".join(paper_line(i, item, selection) for i, item in enumerate(selection.found, start=1))


def _outline(outline: Outline) -> str:
    lines = []
    for number, node in walk_outline(outline.nodes):
        count = len(node.all_papers())
        papers = (
            "" if node.role != "body" else f" ({count} papers)" if count else " (papers are chosen when it is written)"
        )
        thin = " ⚠ thin evidence" if node.thin and count else ""
        lines.append(f"{'    ' * number.count('.')}- **{number}** {escaped(node.title)}{papers}{thin}")
    thin_note = (
        "\n⚠ Sections marked so rest on very few papers: merge or drop them, or look for more papers."
        if any(node.thin for _, node in walk_outline(outline.nodes))
        else ""
    )
    return "\n".join(
        [
            f"**{escaped(outline.title)}**",
            "",
            *lines,
            thin_note,
            "",
            "`ok` writes it. `rename 2 to …`, `drop 3`, `move 4 before 2`, `merge 3 4` and "
            "`add section … after 2` change it.",
        ]
    )


def _survey(survey: Survey) -> str:
    words = sum(len(section.text.split()) for _, section in walk(survey.sections))
    tokens = sum(len(section.text) for _, section in walk(survey.sections)) // 4
    notes = "".join(f"\n- {w.kind}: {escaped(w.place)} ({escaped(w.detail)})" for w in survey.warnings[:8])
    warned = f"\n\nWorth knowing:\n{notes}" if notes else ""
    return (
        f"**{escaped(survey.title)}** is written: {len(survey.sections)} sections, {words:,} words "
        f"(length class {length_class(tokens)}), {len(survey.references)} references.{warned}\n\n"
        "Ask a question, say `show 2`, `why 3.1`, `rewrite 3.1: …`, or `export`."
    )


def section(survey: Survey, place: str, found: Section) -> str:
    """One section with its parts, as it stands in the survey."""
    known = numbers(survey)
    parts = [f"**{place} {escaped(found.title)}**", with_numbers(found.text, known)]
    for number, below in walk(found.sections, f"{place}."):
        parts += [f"**{number} {escaped(below.title)}**", with_numbers(below.text, known)]
    return "\n\n".join(parts)


def finished_section(found: Section, position: int) -> str:
    """One line for a section that was just written."""
    words = sum(len(part.text.split()) for part in (found, *(s for _, s in walk(found.sections))))
    return f"✓ {position + 1} {escaped(found.title)} ({words} words)"


def answer(found: Answer) -> str:
    """Quoted, cited sentences, or that the papers do not say."""
    if not found.claims:
        return (
            "The papers gathered here do not say. To look further: `back` to the outline and again to the papers, "
            "then `more`, or `survey` with other words."
        )
    known = numbers(found.survey)
    lines, others = [], []
    for claim in found.claims:
        keys = [c.key for c in claim.citations]
        if all(key in known for key in keys):
            lines.append(f"- {with_numbers(claim.text, known)}")
        else:
            others.append(f"- {escaped(claim.text.split(' [@')[0])} (gathered, but not cited in the survey)")
    return "\n".join(["From the papers of this survey, in their own words:", "", *lines, *others])


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
                f"- **{item.place}** [{known[citation.key]}] {escaped(clean(paper.title))} "
                f"({paper.year or 'no year'}): “{escaped(citation.quote)}” — "
                f"{_verdict(citation.verdict)}, from the {citation.source}"
            )
    return "\n".join(parts)


def _verdict(verdict: str) -> str:
    return {
        "quoted": "quoted word for word",
        "supported": "checked: supported",
        "unsupported": "checked: NOT supported",
        "unchecked": "not checked",
    }[verdict]


def why_section(survey: Survey, place: str, title: str, items: Sequence[Evidence]) -> str:
    """The evidence behind a section."""
    if not items:
        return f"Section {place}, {escaped(title)}, makes no statement about a paper; it only leads over."
    return evidence(survey, items, f"**Evidence for {place} {escaped(title)}**\n")


def why_reference(survey: Survey, paper: Paper, number: int, items: Sequence[Evidence]) -> str:
    """Where a reference is used and with which words."""
    head = f"**[{number}]** {escaped(clean(reference_text(paper)))} {f'<{paper.url}>' if paper.url else ''}\n"
    if not items:
        return f"{head}\nIt is cited in a table, as one of the most cited of its group."
    return evidence(survey, items, head)


def sources(state: State) -> str:
    """How it was searched: queries, numbers found, left out and why."""
    selection = state.papers
    if selection is None:
        return "Nothing was searched yet."
    lines = [f"- {escaped(s.source)}, {s.date}: “{escaped(s.query)}” gave {s.found} papers" for s in selection.searches]
    return "\n".join(
        [
            "**How this was searched**",
            "",
            *lines,
            f"- {len(selection.found) + selection.filtered} different papers in all",
            f"- {selection.filtered} left out as off topic",
            f"- {len(selection.excluded)} left out by you",
            f"- {len(selection.included())} used",
        ]
    )


def status(session: SurveySession) -> str:
    """Where the conversation is."""
    state = session.state
    topic = f"“{escaped(state.brief.topic)}”" if state.brief else "no topic yet"
    doing = started(session.job) if session.job else f"it is your turn: {_SUGGESTIONS[state.phase]}"
    written = f" {len(state.sections)} sections are written." if state.phase == "writing" else ""
    return f"Topic: {topic}. Step: {state.phase}.{written} Now: {doing}"


def history(session: SurveySession) -> str:
    """The steps so far, the latest last."""
    states = [*session.past, session.state]
    lines = [f"{i}. {_described(state)}" for i, state in enumerate(states[-12:], start=max(0, len(states) - 12))]
    return "\n".join(["**So far** (`undo 2` takes back two):", "", *lines])


def _described(state: State) -> str:
    match state.phase:
        case "topic":
            return f"topic: {escaped(state.brief.topic)}" if state.brief else "the beginning"
        case "keywords":
            return f"{len(state.keywords.keywords) if state.keywords else 0} keywords"
        case "papers":
            return f"{len(state.papers.included()) if state.papers else 0} papers"
        case "outline":
            return f"outline of {len(state.outline.nodes) if state.outline else 0} sections"
        case "writing":
            return "writing"
        case "discussion":
            return "the survey"
        case _:
            assert_never(state.phase)


def exported(paths: Sequence[str]) -> str:
    """The files that were written."""
    return "\n".join(["Written:", "", *(f"- `{path}`" for path in paths)])


NOTHING_TO_EXPORT = "There is nothing to export yet. Once sections are written, `export` makes files of them."
NO_SURVEY_YET = "There is no text yet to look into. It comes after the outline is approved."
STILL_WORKING_CANNOT_EXPORT = "I am still writing; `stop` first to export what is finished, or wait."


def bundled(library: str, name: str) -> str:
    """Said once when there is no library yet."""
    return (
        f"There is no library “{library}” yet, so I use a small one that comes with Scholium: “{name}”, well-known "
        "papers on retrieval-augmented generation. Add your own with `scholium ingest FILE`."
    )


UNFINISHED = "This survey was stopped before it was finished; the sections that are missing are listed at the end."
