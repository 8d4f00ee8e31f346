"""Follow-up questions about a finished survey, answered by quotation from its own papers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.checking.back_references import begins_with_reference
from engine.retrieval.identity import surname
from engine.revising.question_kinds import KIND_TERMS, find_named_work, fits_question, group_by_fit
from engine.run import Answer, RunContext
from engine.session.exchanges import Exchange
from engine.survey import Claim, Survey
from engine.text import fold, terms
from engine.values import Paper, PaperSelection
from engine.writing.extractive import AbstractSentence, quotable, quote_sentences
from engine.writing.paper_tables import claim_of
from engine.writing.quotation import quote_contribution, quote_finding
from engine.writing.speaking_sentences import find_speaking

ASKING = frozenset(
    terms(
        "paper papers say says tell explain describe difference compare main best approach approaches method methods "
        "work works know known exist exists mean means think survey literature author authors research please give "
        "list "
        "deal deals cover covers concern concerns treat treats need needs needed several many some any help helps "
        "happens does do did can could should will"
    )
)


OF_ANY_EFFECT = frozenset(
    terms(
        "improve improves better worse reduce reduces increase affect affects influence hurt harm replace measured "
        "evaluate evaluated evaluation measure show shows perform performance make makes work"
    )
)
"""What is asked of anything, by which no sentence is found."""

_COMPARED = re.compile(r"\b(?:differ\w*|compar\w*|versus|vs)\b", re.I)
"""What asks for two things, of which a sentence may have one."""

_REFERRING = re.compile(
    r"\b(?:them|these|those|they|it|its|their|this|that (?:one|method|paper|model|work)|which ones?|"
    r"the (?:first|second|third|last|former|latter|same|others?)(?: one)?|and (?:what|how|why|which))\b|"
    r"^(?:why|how so|since when|by whom)\s*\?*$",
    re.I,
)


_OF_AUTHORS = re.compile(
    r"^(?:and )?(?:what|how)\s+(?:did|do|does|have|has|was|were)\s+"
    r"(?P<name>[\w’'-]+(?: (?:(?:van|von|de|der|den|di|la|le) ?)*[\w’'-]+)?)"
    r"(?:\s+et al\b\.?|\s+and (?P<second>[\w’'-]+))?,?\s*(?:\(?(?P<year>(?:19|20)\d\d)\)?\s+)?"
    r"(?:find|found|show|shown|report|reported|conclude|concluded|propose|proposed|say|said|discover|discovered|do|done|"
    r"introduce|introduced|present|presented|argue|argued|prove|proved)(?:\s+out)?\s*\?*$",
    re.I,
)
"""A question that asks for nothing but what somebody found or proposed."""

_PROPOSED = re.compile(r"\b(?:propos|introduc|present|develop|invent|design)\w*|\bdo(?:ne)?\W*$", re.I)


_RANK = r"(?P<rank>oldest|earliest|newest|latest|most recent|most (?:often )?cited|cited (?:the )?most(?: often)?)"
_ONE = r"(?:papers?|ones?|works?|stud(?:y|ies)|articles?)"
_AMONG = r"(?:of|among|in) (?:them|these|those|all|(?:the|these|this|those) (?:papers|works|studies|survey))"
_RANKED = re.compile(
    rf"^(?:and )?(?:what|which)(?: {_ONE})?(?: {_AMONG})?(?:'s| is| are| was)?(?: the)? {_RANK}(?: {_ONE})?"
    rf"(?: {_AMONG}| here| overall)*(?: (?:on|about|for|that uses?|with) (?P<topic>[^?]+?))?\s*\?*$",
    re.I,
)
"""A question that asks for nothing but the first or last paper by year, or by citations."""


def read_with_last(question: str, asked: Sequence[Exchange]) -> str:
    """The question, with the one before it where it refers to what was said: "which of them are fast?"."""
    return f"{asked[-1].question} {question}" if asked and _REFERRING.search(question) else question


def answer_by_quotation(question: str, selection: PaperSelection, survey: Survey, context: RunContext) -> Answer:
    """The best quoted sentence of each of a few papers; no claims where none of the papers speaks to it."""
    gathered = selection.list_included()
    works = (list_works_of(question, gathered) or find_named_work(question, gathered))[: context.limits.answer_papers]
    if found := tuple(c for paper in works if (c := _say_what_was_found(paper, question) or _quote_any(paper))):
        return Answer(question, found, survey, gathered)
    if ranked := answer_by_record(question, gathered):
        return Answer(question, ranked, survey, gathered)
    wanted = read_with_last(question, context.asked)
    asked = [t for t in dict.fromkeys(terms(wanted)) if t not in ASKING and t not in KIND_TERMS]
    whole = [s for paper in gathered for s in quotable(paper)]
    candidates = [s for s in whole if fits_question(question, s.text, s.paper.title)]
    if not _COMPARED.search(question):
        candidates = _keep_rarest(asked, candidates, gathered)
    groups = group_by_fit(question, candidates)
    ranked_groups = [find_speaking(wanted, asked, group, context.embedder, gathered=gathered) for group in groups]
    first = {s.paper.key: s for group in reversed(ranked_groups) for s in group}
    best = [s for group in ranked_groups for s in group if first[s.paper.key] is s]
    claims = tuple(quote_sentences([s]) for s in best[: context.limits.answer_papers])
    return Answer(question, claims, survey, gathered)


def _keep_rarest(
    asked: Sequence[str], candidates: Sequence[AbstractSentence], papers: Sequence[Paper]
) -> list[AbstractSentence]:
    """Those that have, with their paper's title, the term that fewest papers have of those that any has."""
    held = [frozenset(terms(f"{paper.title}. {paper.content}")) for paper in papers]
    spread = {
        term: count for term in asked if term not in OF_ANY_EFFECT and (count := sum(term in own for own in held))
    }
    rarest = min(spread, key=lambda term: spread[term], default="")
    return [s for s in candidates if not rarest or rarest in terms(f"{s.paper.title}. {s.text}")]


def list_works_of(question: str, papers: Sequence[Paper]) -> list[Paper]:
    """The papers of which the question names the authors, and the year where it names one; empty for other questions.

    Papers of the two who are named, or of which the named one is the first author, come alone, where there are any.
    """
    asked = _OF_AUTHORS.match(question.strip())
    if not asked:
        return []
    name, second, year = fold(asked["name"]), fold(asked["second"] or ""), asked["year"]
    names = {paper.key: [fold(surname(author)) for author in paper.authors] for paper in papers}
    by_them = [
        paper
        for paper in papers
        if name in names[paper.key]
        and (not second or second in names[paper.key])
        and (not year or year == str(paper.year))
    ]
    alone = [paper for paper in by_them if second and len(names[paper.key]) == len({name, second})]
    return alone or [paper for paper in by_them if names[paper.key][0] == name] or by_them


MOST_TIED = 3
"""Papers of one year, or cited as often, that are named together."""


def answer_by_record(question: str, papers: Sequence[Paper]) -> tuple[Claim, ...]:
    """Which papers are the oldest, the newest or cited most, by their records; empty where no record tells it."""
    asked = _RANKED.match(question.strip())
    if not asked:
        return ()
    rank, topic = asked["rank"].lower(), set(terms(asked["topic"] or ""))
    papers = [paper for paper in papers if topic <= set(terms(paper.title))]
    values = {p.key: p.citations if "cited" in rank else p.year for p in papers}
    known = [value for value in values.values() if value]
    if not known:
        return ()
    best = min(known) if rank in {"oldest", "earliest"} else max(known)
    first = [paper for paper in papers if values[paper.key] == best][:MOST_TIED]
    what = f"Cited most, {best:,} times" if "cited" in rank else f"The {rank}, of {best}"
    quoted = (_say_what_was_found(paper, "introduce") or _quote_any(paper) for paper in first)
    many = "1 paper" if len(known) == 1 else f"{len(known):,} papers"
    head = f"{what}, of {many} here" + (f" on {asked['topic'].strip()}" if topic else "")
    return tuple(Claim(f"{head}: {claim.text}", claim.citations) for claim in quoted if claim)


def _quote_any(paper: Paper) -> Claim | None:
    """The first sentence of the paper that says something alone; ``None`` where none does."""
    return next((quote_sentences([sentence]) for sentence in quotable(paper)), None)


def _say_what_was_found(paper: Paper, question: str) -> Claim | None:
    """What the paper says came out, or what it proposes where that is asked for or nothing else can be quoted."""
    ways = (quote_contribution, quote_finding) if _PROPOSED.search(question) else (quote_finding, quote_contribution)
    found = [quotation for way in ways if (quotation := way(paper))]
    quotation = next((q for q in found if not begins_with_reference(q.words)), None)
    return claim_of(paper, quotation) if quotation else None
