"""Every sentence and button label the bot shows. Markdown; everything from outside is escaped here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import assert_never

from adapters.chat import Button
from bot.access import Refusal
from bot.ledger import Limit, Standing
from engine.citations import checked, numbers, reference_text
from engine.errors import LimitExceeded, RetrievalError, ScholiumError, ServiceError, UserError
from engine.estimates import Estimate
from engine.evaluation.evaluating import Evaluation
from engine.evaluation.report import as_markdown, card
from engine.events import Job, NoticeKind
from engine.gaps import FieldGaps
from engine.llm.metering import Usage
from engine.rendering.markdown import escaped, with_numbers
from engine.retrieval.library import AddReport
from engine.run import Answer, Progress
from engine.session import Phase, State, SurveySession
from engine.text import clean, shortened
from engine.values import Claim, PaperKey, Section, walk

WELCOME = (
    "**Scholium** writes a literature survey together with you. Name a topic, for example:\n\n"
    "    survey retrieval-augmented generation\n\n"
    "Say `help` to see what else you can say."
)
GOODBYE = "Goodbye."

HELP = """**What you can say**

| When | Say |
| --- | --- |
| to begin | `survey TOPIC` with `length=8k` `years=2018..2025` `sections=8` `words=300` `library=NAME` `budget=2.50` |
| at every proposal | `ok` · `no` (another one) · `back` · `undo` · `undo 3` · `start over` |
| keywords | `add dense retrieval` · `drop transformers` |
| papers | `exclude 3 7` · `include 3` · `more` · `show` |
| outline | `rename 2 to …` · `drop 3` · `move 4 before 2` · `merge 3 4` · `split 3` · `add section … after 2` |
| the survey | `show 3.2` · `why 3.2` · `why [12]` · or simply ask a question |
| change it | `rewrite 3.2: …` · `expand 2.1` · `shorten 2.1` · `add a paragraph on … to 2.1` · `cite … in 2.1` · \
`remove the claim about … from 2.1` · `translate 2.1 to German` |
| files | `export` · `export pdf bib` (md, html, pdf, bib, ris, json) |
| its quality | `evaluate` · `evaluate details` |
| the field | `gaps` (which parts of it lack surveys) |
| people | `invite NAME` (may change the survey too) |
| any time | `status` · `cost` · `budget` · `sources` · `history` · `stop` · `forget` · `help` |"""

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
    "outlining": "Drafting outlines",
    "judging": "Judging",
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
    "gaps": "Drawing a map of the field …",
    "evaluate": "Judging the survey …",
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
    lines = [_answered(claim, found, known) for claim in found.claims]
    verdicts = {c.verdict for claim in found.claims for c in claim.citations}
    quoted = verdicts == {"quoted"} and all(claim.citations for claim in found.claims)
    how = "in their own words:" if quoted else "each sentence checked against its paper:"
    return "\n".join([f"From the papers of this survey, {how}", "", *lines])


def _answered(claim: Claim, found: Answer, known: dict[PaperKey, int]) -> str:
    """One sentence of an answer; a paper that the survey does not cite is named after it."""
    if not claim.citations:
        return f"- {escaped(claim.text)} *(general knowledge, not from these papers)*"
    strangers = dict.fromkeys(c.key for c in claim.citations if c.key not in known)
    if not strangers:
        return f"- {with_numbers(claim.text, known)}"
    papers = {p.key: p for p in found.papers}
    named = "; ".join(escaped(clean(reference_text(papers[k]))) if k in papers else escaped(k) for k in strangers)
    shown = with_numbers(checked(claim.text, known).text, known)
    return f"- {shown} (gathered, but not cited in the survey: {named})"


def gaps(found: FieldGaps) -> str:
    """Lines of work by share of surveys, the smallest first."""
    lines = [
        f"- {escaped(gap.name)}: {gap.papers} papers, {'no survey' if not gap.surveys else f'{gap.surveys} surveys'}"
        for gap in found.gaps
    ]
    head = "**Lines of work among these papers**, those with the fewest surveys first (a survey says so in its title):"
    return "\n".join([head, "", *lines])


def evaluation(found: Evaluation, *, details: bool) -> str:
    """A short card, or every figure with its reasons."""
    about = {"Judged by": "the survey's own model where one is configured, else by rules; see each figure"}
    return as_markdown(found, about, details=True) if details else card(found)


def details(session: SurveySession, job: Job) -> tuple[Button, ...]:
    """The button that shows every figure, unless that is what was asked for."""
    shown = Button("All figures and reasons", f"evaluate details:{session.id}:{session.revision}", "evaluate details")
    return () if job.details else (shown,)


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


def estimate(expected: Estimate, limits: Sequence[Limit]) -> str:
    """What writing will take, said before it starts."""
    money = f"about ${expected.money:.2f}" if expected.money is not None else "money unknown (no price for this model)"
    most = next((limit.money for limit in limits if limit.scope == "survey"), None)
    over = expected.money is not None and most is not None and expected.money > most
    limit = f" Your budget is ${most:.2f}." if most is not None else ""
    warning = " It will not be enough for all sections; what is finished by then is kept." if over else ""
    return (
        f"\n\nWriting it takes about {expected.calls} calls, {expected.input_tokens:,} tokens to read and "
        f"{expected.output_tokens:,} to write, {money}, and {max(1, round(expected.seconds / 60))} minutes or less."
        f"{limit}{warning} `ok` accepts this."
    )


def cost(steps: Mapping[str, Usage], limits: Sequence[Limit]) -> str:
    """What was spent, on what."""
    if not steps:
        return "Nothing was spent."
    lines = [
        f"- {escaped(name)}: {u.calls} calls, {u.input_tokens:,} tokens read, {u.output_tokens:,} written, "
        f"{f'${u.money:.3f}' if u.priced else 'price unknown'}"
        for name, u in steps.items()
    ]
    total = sum(u.money for u in steps.values())
    known = all(u.priced for u in steps.values())
    most = next((limit.money for limit in limits if limit.scope == "survey"), None)
    left = f" ${max(0.0, most - total):.2f} of ${most:.2f} are left." if most is not None else ""
    summed = f"${total:.3f} in all." if known else "The price of a model is not known, so only tokens are counted."
    return "\n".join(["**Spent so far**", "", *lines, "", f"{summed}{left}"])


_WHOSE = {"survey": "this survey", "person": "you, today", "workspace": "this workspace, today"}


def budget(standings: Sequence[Standing]) -> str:
    """What is left of each budget."""
    if not standings:
        return "No budget is set. `survey TOPIC budget=2.50` sets one for a survey."
    lines = []
    for item in standings:
        limit = item.limit
        if limit.money is not None:
            left = f"${max(0.0, limit.money - item.money):.2f} of ${limit.money:.2f}"
            lines.append(f"- {_WHOSE[limit.scope]}: {left} left")
        if limit.tokens is not None:
            left = f"{max(0, limit.tokens - item.tokens):,} of {limit.tokens:,} tokens"
            lines.append(f"- {_WHOSE[limit.scope]}: {left} left")
    return "\n".join(["**Budget**", "", *lines])


def budget_warning(item: Standing) -> str:
    """Said once, when most of a budget is used."""
    return f"⚠ {item.share():.0%} of the budget for {_WHOSE[item.limit.scope]} is used. `budget` shows what is left."


def raised(scope: str, money: float) -> str:
    """An administrator has added to a budget."""
    return f"${money:.2f} more for {_WHOSE.get(scope, scope)}."


def invited(person: str) -> str:
    """Somebody may change the survey now."""
    return f"{escaped(person)} may approve and change this survey now."


def refused(why: Refusal, owner: str) -> str:
    """A kind no, and who can help."""
    asker = escaped(owner) or "who started it"
    return {
        "start": "You may not start surveys here; an administrator of Scholium can allow it.",
        "read": f"This survey is {asker}'s, who can let you in with `invite`.",
        "change": f"Only {asker} and those they `invite` can decide here; you can read along and ask questions.",
        "own": f"Only {asker} can do that.",
        "administer": "Only an administrator of Scholium can do that.",
    }[why]


FORGET = (
    "This would delete the survey with everything that belongs to it: proposals, texts, evidence, recorded answers of "
    "the language model, what was said here. It cannot be undone. Say `forget now` to do it."
)
FORGOTTEN = "Forgotten. Files that were exported are not touched. Name a topic to begin anew."
WELCOME_BACK = "Welcome back. This is where we were:"


def going_on(job: Job) -> str:
    """The conversation is opened again while its job runs."""
    return f"Welcome back. Still at work: {started(job)}"


def papers_added(report: AddReport, rejected: int) -> str:
    """What became of a file with papers."""
    unread = f" {rejected} records could not be read." if rejected else ""
    return (
        f"{report.added} papers added, {report.updated + report.unchanged} were there already.{unread} "
        "Only this workspace sees them; say `no` at the papers to search again."
    )


def read_as(said: Sequence[str], changes: str) -> str:
    """How a person's words were understood, before anything is done."""
    commands = "\n".join(f"- `{command}`" for command in said)
    shown = f"\n\nThat would change:\n\n```\n{changes}\n```" if changes else ""
    return f"I read that as:\n\n{commands}{shown}\n\n`ok` does it; anything else leaves all as it is."


ACCEPT_COST = "Say ok to accept this cost (or run the command with --yes)."
