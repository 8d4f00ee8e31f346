"""Questions that the records of the papers answer: how many, of which year, by whom, where, how often cited. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from engine.citations import cite
from engine.retrieval.merging.venues import conference_of
from engine.revising.named_works import find_named, find_numbered
from engine.revising.question_words import ASKING, hold_terms, read_asked, says
from engine.survey import Survey
from engine.text import fold, inert, list_words, stem, terms, words
from engine.values import Paper

MOST_LISTED = 30
"""Papers that are cited one by one behind a count."""

_OF_THEM = r"(?:of (?:them|these|those|(?:the|these|those|all) (?:papers|works|studies|sources|articles)|all))\b ?"
_PAPERS = r"(?:papers?|works?|studies|articles?|sources?|references?|publications?)"
_COUNTED = re.compile(
    rf"^(?:and )?how many (?:{_OF_THEM}|{_PAPERS}\b|(?=(?:are|were|appeared|come|came|from)\b)) ?"
    r"(?:(?:in|of) (?:the|this|your) survey )?(?P<rest>.*?)[\s?.!]*$",
    re.I,
)
_LISTED = re.compile(
    rf"^(?:and )?(?:which|what|(?:list|show|name|give)(?: me)?(?: all)?(?: the)?)(?: {_PAPERS})? ?(?:{_OF_THEM})?"
    r"(?P<rest>(?:is |are |was |were |appeared |came )?"
    r"(?:published |written |out )?(?:from|of|in|since|before|after|between|at|by) .*?)[\s?.!]*$",
    re.I,
)
_YEAR = r"(?:the year )?((?:19|20)\d\d)"
_SPANS: tuple[tuple[re.Pattern[str], Callable[[int, int], tuple[int, int]]], ...] = (
    (re.compile(rf"\b(?:between|from) {_YEAR} (?:and|to|until) {_YEAR}\b", re.I), lambda a, b: (a, b)),
    (re.compile(rf"\b(?:since|from) {_YEAR}(?: on(?:wards)?)\b|\bsince {_YEAR}\b", re.I), lambda a, _: (a, 9_999)),
    (re.compile(rf"\b(?:after|later than|newer than) {_YEAR}\b", re.I), lambda a, _: (a + 1, 9_999)),
    (re.compile(rf"\b(?:before|earlier than|older than) {_YEAR}\b", re.I), lambda a, _: (0, a - 1)),
    (re.compile(rf"\b(?:from|in|of) {_YEAR}\b", re.I), lambda a, _: (a, a)),
)
_EMPTY = re.compile(
    r"\b(?:are|is|were|was|there|do you have|did you|have been|been|published|written|appeared|come|came|out|gathered|"
    r"cited|found|used|here|in total|in all|altogether|all|in (?:the|this|your) survey|does (?:the|this) survey|cite|"
    r"have|has|it|you|contain|include|rest on|from|in|at|of|the|papers?|works?|studies|articles?|sources?)\b",
    re.I,
)
_PLACE = re.compile(r"\b(?:sub)?(?:section|chapter)s? \d[\d.]*\b", re.I)
_WHEN = re.compile(r"^(?:and )?(?:when|in (?:which|what) year)\b", re.I)
_ISSUED = re.compile(
    r"\b(?:publish\w*|propos\w*|introduc\w*|appear\w*|present\w*|(?:comes?|came) out|releas\w*|writ\w*|develop\w*)\b",
    re.I,
)
_WHERE = re.compile(
    r"^(?:and )?(?:where|(?:at|in) (?:which|what) (?:conference|venue|journal)|(?:which|what) venue)\b", re.I
)
_WHO = re.compile(
    r"^(?:and )?(?:who (?:wrote|made|published|are the (?:authors|people)|is the (?:first )?author|is behind)|whose\b|"
    r"(?:which|what) authors?|name the authors)",
    re.I,
)
_CITED = re.compile(r"\bhow (?:often|many times|many citations|much)\b.*\b(?:cited|citations?)\b", re.I)


_RANK = r"(?P<rank>oldest|earliest|newest|latest|most recent|most (?:often )?cited|cited (?:the )?most(?: often)?)"
_ONE = r"(?:papers?|ones?|works?|stud(?:y|ies)|articles?)"
_AMONG = r"(?:of|among|in) (?:them|these|those|all|(?:the|these|this|those) (?:papers|works|studies|survey))"
_RANKED = re.compile(
    rf"^(?:and )?(?:when was|what|which|how (?:old|recent|new))"
    rf"(?: {_ONE})?(?: {_AMONG})?(?:'s| is| are| was)?(?: the)? {_RANK}(?: {_ONE})?"
    rf"(?: published| written)?(?: {_AMONG}| here| overall)*"
    r"(?: (?:on|about|for|that uses?|with) (?P<topic>[^?]+?))?\s*\?*$",
    re.I,
)
"""A question that asks for nothing but the first or last paper by year, or by citations."""


def tell_by_records(question: str, papers: Sequence[Paper], survey: Survey, total: Sequence[Paper]) -> str:
    """A sentence of what the records say, which cites the papers; empty where they do not answer the question.

    ``papers`` are those that the question is about, which may be some of all that were gathered (``total``).
    """
    said = question.strip()
    return _count(said, papers, survey) or _tell_of_work(
        said, papers if len(papers) < len(total) else (), survey, total
    )


def _count(question: str, papers: Sequence[Paper], survey: Survey) -> str:
    counted, listed = _COUNTED.match(question), _LISTED.match(question)
    found = counted or listed
    if not found:
        return ""
    rest, chosen, said = _limit(found["rest"], papers, survey)
    venues = {_identify_venue(p.venue): p.venue for p in papers if p.venue}
    asked_venues: dict[str, str] = {}
    for word in re.findall(r"[\w&-]*\w", rest):
        if (venue := _identify_venue(word)) in venues or conference_of(word):
            asked_venues[venue] = venues.get(venue, word)
            rest = rest.replace(word, " ")
    about = [t for t in terms(_EMPTY.sub(" ", rest)) if t not in ASKING]
    if about:
        asked = read_asked(_EMPTY.sub(" ", rest), papers, {})
        if not counted or not re.search(
            r"\b(?:about|on|deal|cover|concern|mention|speak|talk|us(?:e|es|ing)|treat|address)", rest
        ):
            return ""
        chosen = [p for p in chosen if all(says(w, hold_terms(f"{p.title}. {p.content}", {})) for w in asked.wanted)]
        named = ", ".join(dict.fromkeys(w for w in words(_EMPTY.sub(" ", rest)) if stem(w) in about))
        said.append(f"with “{named}” in title or abstract")
    if not said and not asked_venues and listed:
        return ""
    if not asked_venues:
        return _word_count(chosen, papers, said)
    counts = [
        _word_count(
            [p for p in chosen if _identify_venue(p.venue) == venue],
            papers,
            [*said, f"in the proceedings or issues of {name}"],
        )
        for venue, name in asked_venues.items()
    ]
    return " ".join(counts)


def _limit(rest: str, papers: Sequence[Paper], survey: Survey) -> tuple[str, list[Paper], list[str]]:
    """What is left of the question without section and years, the papers that are cited there or of then, and both."""
    chosen, said = list(papers), list[str]()
    place = _PLACE.search(rest)
    if place and (scope := find_numbered(rest, papers, survey)) and scope.papers:
        chosen = [p for p in chosen if p in scope.papers]
        said.append(f"cited in {place[0].lower()}")
        rest = scope.rest
    for pattern, bounds in _SPANS:
        if span := pattern.search(rest):
            years = [int(year) for year in span.groups() if year]
            first, last = bounds(years[0], years[-1])
            chosen = [p for p in chosen if p.year and first <= p.year <= last]
            said.append(re.sub(r"^in (?=[\dt])", "from ", span[0].strip().lower()))
            rest = rest.replace(span[0], " ")
    return rest, chosen, said


def _identify_venue(venue: str) -> str:
    """What two names of one venue have in common: NIPS and NeurIPS."""
    return conference_of(venue) or conference_of(venue.upper()) or fold(venue)


def _word_count(chosen: Sequence[Paper], papers: Sequence[Paper], said: Sequence[str]) -> str:
    """How many of the papers are what is said, and which."""
    many = f"{len(chosen):,} of the {len(papers):,} papers here" if said else f"{len(papers):,} papers here"
    if not chosen:
        return f"None of the papers here is {' and '.join(said)}."
    what = f" {'is' if len(chosen) == 1 else 'are'} {' and '.join(said)}" if said else ""
    behind = f" {cite([p.key for p in chosen])}" if said and len(chosen) <= MOST_LISTED else ""
    return f"{many}{what}{behind}." if said else f"There are {many}."


def _tell_of_work(question: str, spoken_of: Sequence[Paper], survey: Survey, papers: Sequence[Paper]) -> str:
    """When, where or by whom the works that are named were published, or how often they are cited."""
    asks_when = _WHEN.match(question) or (_WHERE.match(question) and re.search(r"\bwhen\b", question, re.I))
    asks_where = _WHERE.match(question) or (_WHEN.match(question) and re.search(r"\bwhere\b", question, re.I))
    if not _ISSUED.search(question):
        asks_when = asks_where = None
    asks_who, asks_cited = _WHO.match(question), _CITED.search(question)
    if not (asks_when or asks_where or asks_who or asks_cited):
        return ""
    scope = find_numbered(question, papers, survey) or find_named(question, papers)
    named = scope.papers if scope else tuple(spoken_of)
    if not named or len(named) > 3:
        return ""
    told = []
    for paper in named:
        what = f"is of {paper.year}" if asks_when and paper.year else ""
        if asks_where and paper.venue:
            what = f"{what} and appeared at {inert(paper.venue)}".removeprefix(" and ")
        elif asks_who and paper.authors:
            what = f"is by {inert(list_words(paper.authors))}"
        elif asks_cited and paper.citations:
            what = f"is cited {paper.citations:,} times" + (f" by {paper.counted}" if paper.counted else "")
        if what:
            told.append(f"“{inert(paper.title)}” {what} {cite([paper.key])}.")
    return " ".join(told)


MOST_TIED = 3
"""Papers of one year, or cited as often, that are named together."""


def rank_by_records(question: str, papers: Sequence[Paper]) -> tuple[str, list[Paper]]:
    """What is said of the papers that are the oldest, the newest or cited most, and they; empty for other questions."""
    asked = _RANKED.match(question.strip())
    if not asked:
        return "", []
    rank, topic = asked["rank"].lower(), set(terms(asked["topic"] or ""))
    papers = [paper for paper in papers if topic <= set(terms(paper.title))]
    values = {p.key: p.citations if "cited" in rank else p.year for p in papers}
    known = [value for value in values.values() if value]
    if not known:
        return "", []
    best = min(known) if rank in {"oldest", "earliest"} else max(known)
    first = [paper for paper in papers if values[paper.key] == best][:MOST_TIED]
    what = f"Cited most, {best:,} times" if "cited" in rank else f"The {rank}, of {best}"
    many = "1 paper" if len(known) == 1 else f"{len(known):,} papers"
    head = f"{what}, of {many} here" + (f" on {asked['topic'].strip()}" if topic else "")
    return head, first
