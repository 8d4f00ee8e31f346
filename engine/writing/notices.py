"""What the first page says of how a survey came about: counted from its sections, never a fixed promise."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import reduce

from engine.citations import replace_citations
from engine.limits import LENGTH_CLASSES_TOKENS, length_class
from engine.llm.model import tokens_of
from engine.llm.prompting import prompt_digests
from engine.survey import Claim, ClaimTally, Survey, SurveyWarning, walk
from engine.text import list_words
from engine.values import Brief, Paper, PaperKey
from engine.writing.drafting import count_words

LENGTH = "Length"
"""Name of the fact, and place of the warning, that tell how long a survey is."""

SHORT_PART, NAMED_PARTS = 0.5, 6
"""Share of the words asked for under which a part is called short, and how many such parts are named."""

SHORTEST = min(LENGTH_CLASSES_TOKENS, key=lambda name: LENGTH_CLASSES_TOKENS[name])

DISCLAIMER = "This survey was made with a computer's help and is intended for reference only."


def with_notice(survey: Survey) -> Survey:
    """The survey with its notice: the method, what was quoted, what was checked, what could not be."""
    if not survey.method:  # it was stored before methods were
        return survey
    stored = [claim for _, section in walk(survey.sections) for claim in section.claims]
    claims = [claim for claim in stored if not claim.common]
    found = (*(section.tally for _, section in walk(survey.sections)), survey.tally)
    tallies = [tally for tally in found if tally]
    tally = sum_of(tallies)
    common = len(stored) - len(claims)
    explain = _pluralize(common, "sentence explains a term", "sentences explain terms")
    parts = (
        survey.method,
        _on_quotations(claims, is_checked=bool(tallies)),
        _on_checks(tally) if tally.claims else "",
        f"{explain} as common knowledge, without a citation." if common else "",
        _on_unchecked(claims),
        DISCLAIMER,
    )
    return replace(survey, notice=" ".join(part for part in parts if part))


def sum_of(tallies: Iterable[ClaimTally]) -> ClaimTally:
    """Several tallies counted together."""
    return reduce(ClaimTally.plus, tallies, ClaimTally())


def _on_quotations(claims: Sequence[Claim], *, is_checked: bool) -> str:
    """How much is the authors' own words, how much a summary's, and whose the rest is where no model wrote any."""
    cited = [citation for claim in claims for citation in claim.citations]
    passages = {(citation.key, citation.quote): citation.source for citation in cited if citation.verdict == "quoted"}
    told = sum(claim.citations[0].verdict == "summarised" for claim in claims if claim.citations)
    said = []
    if passages:
        sources = list_words(sorted({f"{source}s" for source in passages.values()}))
        cut = ", with … where words are left out" if any("…" in claim.text for claim in claims) else ""
        quoted = _pluralize(len(passages), "passage is", "passages are")
        said.append(f"{quoted} quoted word for word from the papers' {sources}{cut}.")
    if told:
        said.append(
            f"{_pluralize(told, 'statement is', 'statements are')} told in the words of summaries that the library "
            "holds in place of abstracts: they are not the authors' words and stand without quotation marks."
        )
    if said and not is_checked and all(citation.verdict in ("quoted", "summarised") for citation in cited):
        ours = "counts, headings and linking words were added by the program."
        said.append(f"Other words in quotation marks are the papers' titles and terms; {ours}")
    return " ".join(said)


def _on_checks(tally: ClaimTally) -> str:
    """What claims were checked against, what became of them, and how often model and program were one."""
    silent, were = _pluralize(tally.unanswered, "claim", "claims"), "it was" if tally.unanswered == 1 else "they were"
    unanswered = f"The model gave no verdict for {silent}, so {were} removed." if tally.unanswered else ""
    examined, held = tally.claims - tally.unchecked - tally.unanswered, tally.kept + tally.cited_anew + tally.reworded
    if examined == 0 or held == 0:
        return unanswered
    on_abstracts = held - tally.on_full_texts - tally.on_summaries
    kinds = ((on_abstracts, "abstracts"), (tally.on_full_texts, "full texts"), (tally.on_summaries, "summaries"))
    named = [f"{what} ({count:,})" for count, what in kinds if count]
    against = list_words(named) if len(named) > 1 else f"the papers' {next((w for count, w in kinds if count), '')}"
    removed = tally.removed - tally.unanswered
    endings = ((tally.cited_anew, "cited anew"), (tally.reworded, "reworded"), (removed, "removed"))
    changes = [(count, what) for count, what in endings if count]
    told = "All of them stand as they were written."
    if changes:  # "1 was reworded", "2 were cited anew, 15 reworded and 7 removed"
        (count, what), *others = changes
        first = f"{count:,} {'was' if count == 1 else 'were'} {what}"
        told = f"Of these, {list_words([first, *(f'{count:,} {what}' for count, what in others)])}."
    said = [f"{examined:,} of {tally.claims:,} claims were checked against {against}.", told]
    if tally.ours:
        own = _pluralize(tally.ours, "claim is", "claims are")
        said.append(f"{own} the survey’s own, judged by its neighbours’ evidence.")
    if tally.repeated:
        gone = _pluralize(tally.repeated, "claim repeated another and was", "claims repeated others and were")
        said.append(f"{gone} left out.")
    if tally.judged:
        twice = f"; of {tally.asked_twice:,} asked about twice, {tally.insisted:,} stood" if tally.asked_twice else ""
        said.append(f"Model and program agreed on {tally.agreed:,} of {tally.judged:,}{twice}.")
    return " ".join(filter(None, (*said, unanswered)))


def _on_unchecked(claims: Sequence[Claim]) -> str:
    unchecked = sum(any(c.verdict == "unchecked" for c in claim.citations) for claim in claims)
    if not unchecked:
        return ""
    some = f"{_pluralize(unchecked, 'claim was', 'claims were')} not"
    whole = "None of its claims was" if unchecked == len(claims) else some
    return f"{whole} checked against the papers {'it cites' if unchecked == 1 else 'they cite'}."


def _pluralize(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"


def name_contents(papers: Iterable[Paper]) -> str:
    """What of these papers was at hand: "abstracts", "summaries", or both."""
    kinds = {"abstracts" if paper.abstract else "summaries" for paper in papers if paper.content}
    return " or ".join(sorted(kinds)) or "abstracts"


def list_read(keys: Sequence[PaperKey]) -> tuple[str, str]:
    """The fact that says which papers were read beyond their abstracts."""
    return "Papers read beyond the abstract", f"{len(keys):,}: {', '.join(keys)}" if keys else "0"


def record_prompts(survey: Survey) -> Survey:
    """The survey with the versions of the prompts that it was written or changed with."""
    return replace(survey, prompts=tuple(sorted({*survey.prompts, *prompt_digests().items()})))


def word_quoted_length(brief: Brief) -> str:
    """That the length asked for cannot be had without a language model; empty where none was asked for."""
    if brief.subsection_words is None and brief.length == SHORTEST:
        return ""
    asked = f"{brief.subsection_words} words a subsection were" if brief.subsection_words else f"{brief.length} was"
    return f"{asked} asked for: without a language model a survey is as long as what it quotes"


def _word_short_parts(survey: Survey, words: int) -> str:
    """Which parts have less than half of the words asked for; empty where none has."""
    leaves = {number: part for number, part in walk(survey.sections) if not part.sections}
    short = {number: part for number, part in leaves.items() if count_words(part.text) < SHORT_PART * words}
    if not short:
        return ""
    more = [f"{len(short) - NAMED_PARTS} more"] if len(short) > NAMED_PARTS else []
    named = list_words([*list(short)[:NAMED_PARTS], *more])
    lost = any(part.tally and part.tally.removed for part in short.values())
    why = ": what did not hold was removed" if lost else ""
    return f"{named} {'has' if len(short) == 1 else 'have'} less than half of the {words:,} words asked for{why}"


def state_length(brief: Brief, survey: Survey, *, is_quoted: bool = False) -> Survey:
    """The survey with the length class that it has, and a warning where another one, or longer parts, were asked for.

    Tokens are counted as characters / 4 of the running text and its headings, each citation as its number.
    """
    texts = (survey.abstract, *(f"{section.title}\n{section.text}" for _, section in walk(survey.sections)))
    tokens = sum(
        tokens_of(replace_citations(text, lambda keys: f"[{', '.join('00' for _ in keys)}]")) for text in texts
    )
    found = length_class(tokens)
    said = ""
    if is_quoted and (brief.subsection_words or found != brief.length):
        said = word_quoted_length(brief)
    elif brief.subsection_words:
        said = _word_short_parts(survey, brief.subsection_words)
    elif found != brief.length:
        said = f"{brief.length} was asked for; this survey has {tokens:,} tokens, which is {found}"
    facts = (*(fact for fact in survey.facts if fact[0] != LENGTH), (LENGTH, f"{tokens:,} tokens ({found})"))
    warnings = [warning for warning in survey.warnings if warning.place != LENGTH]
    warnings += [SurveyWarning("length", LENGTH, said)] if said else []
    return replace(survey, facts=facts, warnings=tuple(warnings))
