"""From a question in free words to a title, three research questions and three queries (Jarvis' first prompt)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from pydantic import Field as Bounded

from engine.llm.model import LanguageModel, PlainText, Request, TypedAnswer
from engine.llm.prompting import data, fill
from engine.retrieval.online.queries import FIELDS, BooleanQuery, Field, PaperKind, plain_phrase
from engine.text import STOP_WORDS, clean, inert, list_words, sentences, shorten, stem, to_title_case, words
from engine.values import YearRange
from engine.wordlists import read_wordlist

QUESTIONS = 3
QUERIES = 3
TITLE_CHARACTERS = 160
QUESTION_CHARACTERS = 300
MOST_GROUPS, MOST_PHRASES = 6, 6


class QueryAnswer(TypedAnswer):
    """Groups that must all match, each by any of its phrases."""

    groups: list[list[str]] = Bounded(min_length=1)


class ScopeAnswer(TypedAnswer):
    """The plan of a review."""

    title: PlainText
    questions: list[PlainText] = Bounded(min_length=QUESTIONS, max_length=QUESTIONS)
    queries: list[QueryAnswer] = Bounded(min_length=QUERIES, max_length=QUERIES)
    first_year: int | None
    last_year: int | None
    kinds: list[PaperKind]
    fields: list[Field]
    life_sciences: bool


class QueriesAnswer(TypedAnswer):
    """Other words for the same search."""

    queries: list[QueryAnswer] = Bounded(min_length=1)


@dataclass(frozen=True, slots=True)
class ReviewScope:
    """What a quick review asks and searches; the first question is the main one."""

    title: str
    questions: tuple[str, ...]
    queries: tuple[BooleanQuery, ...]
    life_sciences: bool = False
    subject: str = ""
    """What the request is about, within a sentence; empty where a language model planned."""
    phrases: tuple[str, ...] = ()
    """The parts of the request that a paper must name; empty where a language model judges the papers."""

    def number_questions(self) -> str:
        """The questions as prompts have them."""
        return "\n".join(f"{i}. {data(question)}" for i, question in enumerate(self.questions, start=1))


@dataclass(frozen=True, slots=True)
class Filters:
    """What a request says about the papers it wants."""

    years: YearRange
    kinds: tuple[PaperKind, ...]
    fields: tuple[Field, ...]


async def plan_review(request: str, years: YearRange, model: LanguageModel | None) -> ReviewScope:
    """The scope of a review, in one call; ``years`` are those that were set apart from the request's words.

    Filters are taken only where the request names them: a model that adds one of its own is not followed.
    """
    if model is None:
        return plan_by_rule(request, years)
    prompt = fill("quick/scope", request=data(request))
    answer = await model.answer_typed(Request("outline", "scope", prompt, 1_024, 0.3), ScopeAnswer)
    filters = read_filters(request, years)
    queries = [_query(q.groups, filters) for q in answer.queries]
    found = [query for query in queries if query.groups] or list(plan_by_rule(request, years).queries)
    title = shorten(inert(clean(answer.title)).rstrip("."), TITLE_CHARACTERS) or to_title_case(request)
    questions = tuple(shorten(inert(next(iter(sentences(q)), "")), QUESTION_CHARACTERS) for q in answer.questions)
    return ReviewScope(title, questions, _with_comparison(request, found, filters), answer.life_sciences)


def plan_by_rule(request: str, years: YearRange) -> ReviewScope:
    """The scope of a review without a language model: the request's phrases, their words, and less of them."""
    filters = read_filters(request, years)
    phrases = extract_phrases(request)
    compared = find_comparison(request)
    line = " ".join(request.strip(" ?.!").split())
    is_question = request.strip().endswith("?") or bool(_QUESTION.match(line))
    subject = list_words(compared or phrases) if compared or is_question else line
    studies = "the studies" if is_question else f"studies of {subject}"
    queries = dict.fromkeys(_query(groups, filters) for groups in _strategies(phrases))
    questions = (
        f"{line[:1].upper()}{line[1:]}?" if is_question else f"What is known about {subject}?",
        f"Which methods and data do {studies} use?",
        f"What do {studies} leave open?",
    )
    return ReviewScope(
        shorten(questions[0] if is_question else to_title_case(subject), TITLE_CHARACTERS),
        tuple(shorten(question, QUESTION_CHARACTERS) for question in questions),
        _with_comparison(request, list(queries)[:QUERIES], filters),
        bool(_LIFE_SCIENCES.search(request)),
        subject,
        tuple(phrases),
    )


_QUESTION = re.compile(
    r"(?:(?:in|to|under|for|by|at|with|on) )?(?:what|which|when|where|who|whose|why|how|whether)\b|"
    r"(?:am|are|can|could|did|do|does|has|have|is|may|might|must|should|was|were|will|would)\b",
    re.I,
)


def _strategies(phrases: Sequence[str]) -> list[list[list[str]]]:
    """Searches from the narrowest: all phrases, all their words, the ends of long phrases, the first phrases."""
    own = list(dict.fromkeys(word for phrase in phrases for word in phrase.split()))
    ends = [" ".join(phrase.split()[-2:]) for phrase in phrases]
    first = list(phrases[: max(1, min(2, len(phrases) - 1))])
    tried = [list(phrases), own, ends, first, [" ".join(own[1:]) or own[0]]]
    return [[[phrase] for phrase in some] for some in tried]


async def plan_other_queries(
    request: str, scope: ReviewScope, tried: Sequence[BooleanQuery], found: int, model: LanguageModel | None
) -> tuple[BooleanQuery, ...]:
    """Queries in other words, none of which was tried; by rule the same with less that has to match."""
    filters = Filters(tried[0].years, tried[0].kinds, tried[0].fields)
    if model is None:
        phrases = list(dict.fromkeys(p for query in tried for group in query.groups for p in group))
        single = [w for w in dict.fromkeys(w for p in phrases for w in p.split()) if w.lower() not in STOP_WORDS]
        proposed = [[[p]] for p in phrases] + [[[w]] for w in sorted(single, key=len, reverse=True)]
    else:
        prompt = fill(
            "quick/queries",
            request=data(request),
            questions=scope.number_questions(),
            found=str(found),
            queries=data("\n".join(query.render() for query in tried)),
        )
        request_ = Request("outline", f"queries/{len(tried)}", prompt, 512, 0.5)
        answer = await model.answer_typed(request_, QueriesAnswer)
        proposed = [query.groups for query in answer.queries]
    known = {query.groups for query in tried}
    new = dict.fromkeys(query for groups in proposed if (query := _query(groups, filters)).groups not in known)
    return tuple(query for query in new if query.groups)[:QUERIES]


def _query(groups: Sequence[Sequence[str]], filters: Filters) -> BooleanQuery:
    """Phrases without operators; empty ones and empty groups are left out."""
    kept = (tuple(dict.fromkeys(p for phrase in group if (p := plain_phrase(phrase)))) for group in groups)
    whole = tuple(group[:MOST_PHRASES] for group in kept if group)[:MOST_GROUPS]
    return BooleanQuery(whole, filters.years, filters.kinds, filters.fields)


_COMPARISON = (
    re.compile(r"\bcompar(?:e|es|ing|ison)\s+(?:of\s+|between\s+)?(.+?)\s+(?:and|with|to|versus|vs\.?)\s+(.+)", re.I),
    re.compile(r"\bdifferences?\s+between\s+(.+?)\s+and\s+(.+)", re.I),
    re.compile(r"(.+?)\s+(?:versus|vs\.?)\s+(.+)", re.I),
)


LONGEST_COMPARISON = 600
"""Characters of a request in which a comparison is looked for: longer ones cost the cube of their length."""


def find_comparison(request: str) -> tuple[str, str] | None:
    """The two things that a request compares; ``None`` where it compares none."""
    line = shorten(" ".join(request.split()), LONGEST_COMPARISON).strip(" ?.!")
    for pattern in _COMPARISON:
        if match := pattern.search(line):
            first, second = (extract_phrases(part)[0] for part in match.groups())
            return first, second
    return None


def _with_comparison(request: str, queries: Sequence[BooleanQuery], filters: Filters) -> tuple[BooleanQuery, ...]:
    """Where two things are compared: papers on both, and papers on either (Jarvis' “various strategies”)."""
    things = find_comparison(request)
    if things is None:
        return tuple(dict.fromkeys(queries))
    both = next((q for q in queries if len(q.groups) >= 2), _query([[things[0]], [things[1]]], filters))
    either = next((q for q in queries if len(q.groups) == 1 and len(q.groups[0]) >= 2), _query([things], filters))
    return tuple(dict.fromkeys((both, either, *queries)))[:QUERIES]


_ASKED_FOR = re.compile(
    r"best|current(?:ly)?|latest|papers?|published|recent(?:ly)?|research|reviews?|since|state|stud(?:y|ies)|surveys?",
    re.I,
)


@cache
def _load_asking_words() -> frozenset[str]:
    return read_wordlist("gathering/asking_words.txt")


def extract_phrases(text: str) -> list[str]:
    """What a request is about: the runs of words between prepositions, verbs of asking and the like; never empty."""
    phrases: list[list[str]] = [[]]
    for word in re.findall(r"[^\W_][\w+'’#.-]*[^\W_]|[^\W_]", plain_phrase(text)):
        if word.lower() in _load_asking_words():
            phrases.append([])
        elif not _ASKED_FOR.fullmatch(word) and not re.fullmatch(r"(?:19|20)\d\d", word):
            phrases[-1].append(word)
    found = [" ".join(phrase) for phrase in phrases if phrase]
    return list(dict.fromkeys(found)) or [plain_phrase(text) or text]


_SPAN = re.compile(r"\b(?:between|from)\s+((?:19|20)\d\d)\s*(?:and|to|until|–|-)\s*((?:19|20)\d\d)\b", re.I)
_SINCE = re.compile(r"\b(?:since|from|starting in)\s+((?:19|20)\d\d)\b|\bafter\s+((?:19|20)\d\d)\b", re.I)
_UNTIL = re.compile(r"\b(?:until|till|up to)\s+((?:19|20)\d\d)\b|\bbefore\s+((?:19|20)\d\d)\b", re.I)
_IN = re.compile(
    r"\b(?:published|papers|studies|work|research)\s+(?:published\s+)?(?:in|of|from)\s+((?:19|20)\d\d)\b", re.I
)

_KIND_WORDS: tuple[tuple[PaperKind, re.Pattern[str]], ...] = (
    (
        "review",
        re.compile(r"\b(?:only|just|systematic)\s+(?:systematic\s+)?(?:reviews?|surveys?)\b", re.I),
    ),
    ("meta-analysis", re.compile(r"\bmeta-?analys[ei]s\b", re.I)),
    ("clinical trial", re.compile(r"\b(?:clinical|randomi[sz]ed|controlled) trials?\b|\bRCTs?\b", re.I)),
    ("case report", re.compile(r"\bcase reports?\b", re.I)),
)
_LIFE_SCIENCES = re.compile(
    r"\b(?:patients?|clinical|medic\w*|disease\w*|cancer\w*|tumou?rs?|health\w*|drugs?|therap\w+|vaccin\w+|"
    r"virus\w*|viral|bacteri\w+|infect\w+|genes?|genom\w+|genetic\w*|proteins?|cells?|neurons?|brain|surg\w+|nurs\w+|"
    r"diagnos\w+|epidemi\w+|diabet\w+|biolog\w*|pharmac\w+|psychiatr\w+|pregnan\w+|diet\w*|obesity|mortality|COVID\S*)\b",
    re.I,
)


def read_filters(request: str, years: YearRange) -> Filters:
    """Years, kinds of publication and fields that the words of a request ask for; years set apart come first."""
    said = years
    if years == YearRange():
        first = _year(_SINCE.search(request))
        last = _year(_UNTIL.search(request), before=True)
        if span := _SPAN.search(request) or _IN.search(request):
            given = [int(part) for part in span.groups()]
            first, last = min(given), max(given)
        said = YearRange(first, last)
    kinds = tuple(kind for kind, pattern in _KIND_WORDS if pattern.search(request))
    asked = re.search(r"\bin (?:the field of |the fields of )(.+)", request, re.I)
    stems = {stem(word) for word in words(asked[1])} if asked else set()
    fields = tuple(name for name in FIELDS if {stem(w) for w in name.split()} <= stems)
    return Filters(said, kinds, fields)


def _year(match: re.Match[str] | None, *, before: bool = False) -> int | None:
    """The year itself, or, after “after” and “before”, the one next to it."""
    if match is None:
        return None
    included, excluded = match.groups()
    if included:
        return int(included)
    return int(excluded) + (-1 if before else 1)
