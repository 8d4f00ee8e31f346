"""What is said of answers and of the field: sentences with their sources, lines of work. Pure."""

from __future__ import annotations

from adapters.chat import Button
from bot.views.actions import Action
from bot.wording.buttons import draw_buttons
from bot.wording.sentences import pluralize
from bot.wording.survey import link, offer_sources, with_links
from engine.citations import keep_allowed_citations, list_cited_keys, numbers, reference_text
from engine.rendering.markdown import escape_markdown
from engine.revising.gaps import FieldGaps
from engine.run import Answer
from engine.session.state import SurveySession
from engine.survey import Claim
from engine.text import clean, list_words
from engine.values import PaperKey


def answer(found: Answer) -> str:
    """Quoted, cited sentences, what the papers' records say, or that the papers do not say."""
    known = numbers(found.survey)
    if found.records:
        papers = {p.key: p for p in (*found.papers, *found.survey.references)}
        return f"By the papers’ records: {with_links(found.records, known, papers)}"
    if not found.claims:
        if found.searched is not None:
            new = pluralize(found.searched, "further paper")
            return f"I searched for this and read {new}: they do not say either. The survey is as it was."
        return "The papers gathered here do not say. Say `more` to search for further papers."
    lines = [_word_answer_claim(claim, found, known) for claim in found.claims]
    verdicts = {c.verdict for claim in found.claims for c in claim.citations}
    quoted = verdicts == {"quoted"} and all(claim.citations for claim in found.claims)
    told = verdicts <= {"quoted", "summarised"} and all(claim.citations for claim in found.claims)
    otherwise = "or from summaries of them:" if told else "each sentence checked against its paper:"
    how = "in their own words:" if quoted else otherwise
    if found.unchecked:
        is_or_are = "is" if found.unchecked == 1 else "are"
        lines += [
            "",
            f"{pluralize(found.unchecked, 'further sentence')} could not be checked and {is_or_are} left out.",
        ]
    lacking = ""
    if found.apart:
        lacking = "No sentence here names both; these name one of them. "
    elif found.faint:
        lacking = "Nothing here answers this in so many words; this comes nearest. "
    elif found.unmentioned:
        nothing = list_words([f"“{escape_markdown(thing)}”" for thing in found.unmentioned], "or")
        lacking = f"No paper here names {nothing}. "
    if found.silent:
        named = [
            f"[{known[p.key]}]" if p.key in known else f"“{escape_markdown(clean(p.title))}”" for p in found.silent
        ]
        lacking += f"I found nothing on this in {list_words(named)}. "
    whose = "the papers of this survey"
    if found.searched:
        whose += f" and {pluralize(found.searched, 'paper')} more that I searched for this"
    return "\n".join([f"{lacking}From {whose}, {how}", "", *lines])


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
    shown = with_links(keep_allowed_citations(claim.text, known).text, known, papers)
    return f"- {shown} (not cited in the survey: {named})"


def gaps(found: FieldGaps) -> str:
    """Lines of work by share of surveys, the smallest first."""
    lines = [
        f"- {escape_markdown(gap.name)}: {pluralize(gap.papers, 'paper')}, "
        f"{pluralize(gap.surveys, 'survey') if gap.surveys else 'no survey'}"
        for gap in found.gaps
    ]
    head = "**Lines of work among these papers**, those with the fewest surveys first (a survey says so in its title):"
    return "\n".join([head, "", *lines])


def answer_sources(found: Answer, session: SurveySession) -> tuple[Button, ...]:
    """The button that lists the sources of an answer; one that searches for more papers where they do not say."""
    if not found.claims and not found.records and found.searched is None:
        return draw_buttons(session, [Action("search more", "more")])
    texts = [found.records, *(claim.text for claim in found.claims)]
    cited = (key for text in texts for key in list_cited_keys(text))
    return draw_buttons(session, offer_sources(cited, found.survey))
