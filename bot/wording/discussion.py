"""What is said of answers and of what a change did: sentences with their sources, lines of work. Pure."""

from __future__ import annotations

from functools import partial

from adapters.chat import Button, Document
from bot.views.actions import Action
from bot.views.changes import ChangedSection, view_changes
from bot.views.survey_pages import offer_sources
from bot.wording.labels import draw_buttons
from bot.wording.sentences import list_first, pluralize
from bot.wording.survey_text import link, link_numbers, survey_text, with_links
from engine.citations import list_cited_keys, numbers, reference_text, remove_citations
from engine.rendering.markdown import escape_markdown, render_markdown
from engine.revising.gaps import FieldGaps
from engine.revising.paper_records import count_records
from engine.run import Answer
from engine.session.state import SurveySession
from engine.survey import Claim, SectionChange, Survey
from engine.text import clean, list_words, shorten
from engine.values import PaperKey


def make_document(session: SurveySession) -> Document | None:
    """The whole finished survey as a document, its citations as links; ``None`` where none is finished.

    Slack's canvases have three levels of headings, and show no links in tables.
    """
    survey = session.state.survey
    if survey is None:
        return None
    cite = partial(link_numbers, dict(enumerate(survey.references, start=1)))
    _, *lines = render_markdown(survey, cite).split("\n")
    levelled = [f"### {line.lstrip('# ')}" if line.startswith("####") else line for line in lines]
    return Document(session.id, clean(survey.title), "\n".join(levelled).strip())


def answer(found: Answer) -> str:
    """Quoted, cited sentences, or that the papers do not say; then what the records say of papers named, or of all."""
    known, papers = numbers(found.survey), {p.key: p for p in (*found.papers, *found.survey.references)}
    records = found.records or ("" if found.claims else count_records(found.papers))
    of = "By the papers’ records" if found.records else "If you asked about the papers themselves"
    told = f"{of}: {with_links(records, known, papers)}" if records else ""
    if found.counts:
        return told
    if not found.claims:
        silent = "The papers gathered here do not say. Say `more` to search for further papers."
        if found.searched is not None:
            new = pluralize(found.searched, "further paper")
            silent = f"I searched for this and read {new}: they do not say either. The survey is as it was."
        return f"{silent}\n\n{told}".rstrip()
    lines = [_word_answer_claim(claim, found, known) for claim in found.claims]
    verdicts = {c.verdict for claim in found.claims for c in claim.citations}
    if not all(claim.citations for claim in found.claims) or not verdicts <= {"quoted", "summarised"}:
        how = "by a language model, each sentence checked against its paper:"
    else:
        how = "in their own words:" if verdicts == {"quoted"} else "or from summaries of them:"
    if found.unchecked:
        further = f"{pluralize(found.unchecked, 'further sentence')} could not be checked"
        lines += ["", f"{further} and {'is' if found.unchecked == 1 else 'are'} left out."]
    whose = "the papers of this survey"
    if found.searched:
        whose += f" and {pluralize(found.searched, 'paper')} more that I searched for this"
    lines += ["", told] if told else []
    return "\n".join([f"{_word_lacking(found, known)}From {whose}, {how}", "", *lines])


def _word_lacking(found: Answer, known: dict[PaperKey, int]) -> str:
    """What of the question these papers do not speak of."""
    lacking = "Nothing here answers this in so many words; this comes nearest. " if found.faint else ""
    named = [f"[{known[p.key]}]" if p.key in known else f"“{escape_markdown(clean(p.title))}”" for p in found.silent]
    return f"{lacking}I found nothing on this in {list_words(named)}. " if named else lacking


def _word_answer_claim(claim: Claim, found: Answer, known: dict[PaperKey, int]) -> str:
    """One sentence of an answer; a paper that the survey does not cite is named after it."""
    if not claim.citations:
        return f"- {escape_markdown(claim.text)} *(general knowledge, not from these papers)*"
    papers = {p.key: p for p in (*found.papers, *found.survey.references)}
    strangers = dict.fromkeys(c.key for c in claim.citations if c.key not in known)
    if not strangers:
        return f"- {with_links(claim.text, known, papers)}"
    named = "; ".join(
        link(clean(reference_text(papers[k])), papers[k]) if k in papers else escape_markdown(k) for k in strangers
    )
    return f"- {with_links(claim.text, known, papers)} (not cited in the survey: {named})"


def gaps(found: FieldGaps) -> str:
    lines = [
        f"- {escape_markdown(gap.name)}: {pluralize(gap.papers, 'paper')}, "
        f"{pluralize(gap.surveys, 'survey') if gap.surveys else 'no survey'}"
        for gap in found.gaps
    ]
    head = "**Lines of work among these papers**, those with the fewest surveys first (a survey says so in its title):"
    return "\n".join([head, "", *lines])


def answer_sources(found: Answer, session: SurveySession) -> tuple[Button, ...]:
    """The button that lists the sources of an answer; one that searches for more papers where they do not say."""
    if not found.claims and found.searched is None:
        return draw_buttons(session, [Action("search more", "more")])
    return draw_buttons(session, offer_sources(list_cited_keys(found.text), found.survey))


CHANGES_SHOWN, OLD_SHOWN = 6, 160
"""Sentences of each kind that a change shows; characters of one that is gone."""


def word_revision(before: Survey, after: Survey, change: SectionChange | None) -> str:
    """What became of the section that was changed, sentence by sentence; the other sections are as they were."""
    changed = view_changes(before, after, change)
    if not changed:
        return f"Section {change.place} is as it was." if change else "The survey is as it was."
    return "\n\n".join(_word_section(section, after) for section in changed)


def _word_section(section: ChangedSection, survey: Survey) -> str:
    (words_before, words), (rows_before, rows) = section.words, section.rows
    size = f"{words_before:,} → {words:,} words" + (f", {rows_before:,} → {rows:,} rows" if rows_before != rows else "")
    reworded = [f"- was: {_show_old(old)} → now: {survey_text(new, survey)}" for old, new in section.reworded]
    added = [f"- added: {survey_text(sentence, survey)}" for sentence in section.added]
    removed = [f"- removed: {_show_old(sentence)}" for sentence in section.removed]
    lines: list[str] = []
    for what, found in (("reworded", reworded), ("added", added), ("removed", removed)):
        lines += list_first(found, CHANGES_SHOWN, f"- … and {{}} more {what}")
    if section.left_out:
        gone = pluralize(section.left_out, "sentence")
        lines.append(f"- left out of the new text: {gone} that the papers were not found to say")
    if section.unchecked:
        told = (
            f"{pluralize(section.unchecked, 'sentence')} of the new text {'was' if section.unchecked == 1 else 'were'}"
        )
        lines.append(f"- {told} not checked against the papers")
    head = f"### {section.place} {escape_markdown(section.title)}, changed: {size}"
    return "\n\n".join([head, "\n".join(lines)])


def _show_old(sentence: str) -> str:
    return escape_markdown(shorten(clean(remove_citations(sentence)), OLD_SHOWN))
