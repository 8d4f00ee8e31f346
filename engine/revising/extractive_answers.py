"""Follow-up questions about a finished survey, answered by quotation from its own papers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from engine.checking.back_references import begins_with_reference
from engine.citations import list_cited_keys
from engine.errors import UserError
from engine.naming.abbreviations import find_abbreviations
from engine.quoting.abstracts import AbstractSentence, quotable, quote_sentences
from engine.quoting.paper_tables import claim_of
from engine.quoting.statements import quote_contribution, quote_finding
from engine.retrieval.identity import surname
from engine.revising.evidence_search import Evidence, find_evidence, list_quotable
from engine.revising.named_works import Scope, find_named, find_numbered
from engine.revising.paper_records import rank_by_records, tell_by_records
from engine.revising.question_kinds import (
    asks_for_reason,
    asks_for_some,
    defines,
    find_named_work,
    has_kind,
    name_to_define,
)
from engine.revising.question_words import AskedWords, asks_about_self, correct_spelling, is_english, read_asked
from engine.run import Answer, RunContext
from engine.session.exchanges import Exchange
from engine.survey import Claim, Survey
from engine.text import fold
from engine.values import Paper, PaperSelection

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
_COMPARED = re.compile(r"\b(?:differ\w*|compar\w*|versus|vs)\b", re.I)
_COMPARISON = re.compile(
    r"^.*?\b(?:differences? between|compar(?:e|ed|ison (?:of|between))|contrast)\b|"
    r"^(?:and )?(?:how|what|in what way)?\s?(?:do|does|is|are|would|makes?)?\b(?=.*\bdiffer)",
    re.I,
)
_BETWEEN = re.compile(r"\b(?:and|with|to|versus|vs\.?|from|than|or|against)\b|,", re.I)
_OF_ALL = re.compile(r"\bof (?:these|those|the|all) (?:\w+ )?(?:papers|works|studies|articles)\b", re.I)
_OF_THEM = re.compile(
    r"\b(?:which|what|any|some|one|all|none|how many) of (?:them|these|those)\b"
    r"(?! (?:\w+ )?(?:papers|works|studies|articles)\b)|^(?:and )?which ones?\b",
    re.I,
)


def list_referred(question: str, asked: Sequence[Exchange]) -> tuple[Exchange, ...]:
    """The exchanges that a question refers to: the last, and those before it that one refers to which found nothing."""
    if not asked or not _REFERRING.search(question):
        return ()
    *before, last = asked
    return (*(() if last.answer else list_referred(last.question, before)), last)


def read_with_last(question: str, asked: Sequence[Exchange]) -> str:
    """The question, with those before it where it refers to what was said: "which of them are fast?"."""
    return " ".join([*(exchange.question for exchange in list_referred(question, asked)), question])


@dataclass(frozen=True, slots=True)
class _Search:
    """What answers are looked for in: all papers that were gathered, and what their abbreviations stand for."""

    papers: tuple[Paper, ...]
    long_forms: Mapping[str, str]
    survey: Survey
    context: RunContext

    def read(self, question: str, name: frozenset[str] = frozenset()) -> AskedWords:
        """The words that the question asks for beside those that name its papers."""
        return read_asked(question, self.papers, self.long_forms, name)

    def find(
        self, question: str, papers: Sequence[Paper], name: frozenset[str] = frozenset()
    ) -> list[AbstractSentence]:
        """The sentences of these papers that answer the question; ``name`` are terms that only say whose they are."""
        evidence = Evidence(question, self.read(question, name), self.long_forms)
        return find_evidence(evidence, papers, self.context.embedder)[: self.context.limits.answer_papers]

    def asks(self, question: str, name: frozenset[str] = frozenset()) -> bool:
        """Whether the question asks for something beside the papers that it names."""
        return bool(self.read(question, name).wanted) or has_kind(question)


def answer_by_quotation(question: str, selection: PaperSelection, survey: Survey, context: RunContext) -> Answer:
    """The best quoted sentence of each of a few papers; no claims where none of the papers speaks to it.

    Raises `UserError` for a question in another language that names none of the papers.
    """
    gathered = tuple(selection.list_included())
    answer = Answer(question, (), survey, gathered)
    works = (list_works_of(question, gathered) or find_named_work(question, gathered))[: context.limits.answer_papers]
    if found := tuple(c for paper in works if (c := _say_what_was_found(paper, question) or _quote_any(paper))):
        return replace(answer, claims=found)
    if ranked := _word_ranked(question, gathered):
        return replace(answer, claims=ranked)
    search = _Search(gathered, find_abbreviations(gathered), survey, context)
    if not is_english(question):
        return replace(answer, claims=_quote_each(_answer_other_language(question, search)))
    if asks_about_self(question):
        return answer
    read = correct_spelling(question, gathered)
    last = _list_spoken_of(read, gathered, context.asked)
    read = read if last else _OF_THEM.sub(_name_all, read)
    answer = replace(answer, read_as=read if read != question else "")
    if records := tell_by_records(read, last or gathered, survey, gathered):
        return replace(answer, records=records)
    told = _look_for(read, last, search)
    return replace(
        answer,
        claims=_quote_each(told.sentences),
        undefined=told.undefined,
        beyond=told.beyond,
        unmentioned=told.unmentioned,
    )


def _name_all(referring: re.Match[str]) -> str:
    """What is asked of papers that nobody named is asked of all."""
    return re.sub(r"\b(?:of (?:them|these|those)|ones?)$", "of the papers here", referring[0])


@dataclass(frozen=True, slots=True)
class _Found:
    """Sentences that answer, and what of the question they do not."""

    sentences: tuple[AbstractSentence, ...]
    undefined: str = ""
    beyond: bool = False
    unmentioned: tuple[str, ...] = ()


def _quote_each(sentences: Sequence[AbstractSentence]) -> tuple[Claim, ...]:
    return tuple(quote_sentences([sentence]) for sentence in sentences)


def _look_for(question: str, last: Sequence[Paper], search: _Search) -> _Found:
    if scope := find_numbered(question, search.papers, search.survey):
        asks = search.asks(scope.rest)
        return _Found(tuple(search.find(scope.rest, scope.papers) if asks else _describe(scope.papers, search)))
    if _COMPARED.search(question) and (compared := _compare(question, last, search)):
        return compared
    if not asks_for_some(question) and (scope := find_named(question, search.papers)):
        return _Found(tuple(_define_by_others(question, scope, search) or _answer_of_named(question, scope, search)))
    if last:
        found = _answer_of_last(question, last, search)
        if found or not _may_go_beyond(question, search):
            is_of_others = bool(found and _OF_MANY.search(question)) and not any(s.paper in last for s in found)
            return _Found(tuple(found), beyond=is_of_others)
        others = [paper for paper in search.papers if paper not in last]
        return _Found(tuple(search.find(question, others)), beyond=True)
    asks = bool(search.read(question).wanted) or (has_kind(question) and not asks_for_reason(question))
    found = search.find(question, search.papers) if asks else []
    name = name_to_define(question)
    is_undefined = bool(name and found) and not any(defines(name, s) for s in found)
    return _Found(tuple(found), name if is_undefined else "")


def _define_by_others(question: str, scope: Scope, search: _Search) -> list[AbstractSentence]:
    """What others say that something is which only stands in a paper's title, as a known method does in "4D ICP"."""
    name = name_to_define(question)
    if not name or any(fold(paper.title).startswith(fold(name)) for paper in scope.papers):
        return []
    others = [paper for paper in search.papers if paper not in scope.papers]
    return [s for s in search.find(question, others) if defines(name, s)]


_OF_MANY = re.compile(r"\b(?:they|them|their|these|those)\b|^and (?:which|what|how)\b(?!.*\bits?\b)", re.I)


def _may_go_beyond(question: str, search: _Search) -> bool:
    """Whether the question asks for something of a kind alone, of many, so that other papers may answer it."""
    alone = has_kind(question) and not asks_for_reason(question) and not search.read(question).wanted
    return alone and bool(_OF_MANY.search(question)) and not _OF_THEM.search(question)


def _answer_of_named(question: str, scope: Scope, search: _Search) -> list[AbstractSentence]:
    """What the works that are named say of what is asked, or else what they are; then what others say of them."""
    if not search.asks(question, scope.name):
        return _describe(scope.papers, search, scope.said)
    own = search.find(question, scope.papers, scope.name)
    if own:
        return own
    others = [paper for paper in search.papers if paper not in scope.papers]
    names = {fold(name) for name in scope.said}
    return [s for s in search.find(question, others, scope.name) if any(name in fold(s.text) for name in names)]


def _answer_of_last(question: str, last: Sequence[Paper], search: _Search) -> list[AbstractSentence]:
    """What the papers of the answer before say of what is asked now; again what was quoted only if asked "of them".

    Where they say nothing, all papers are looked through with the question before it, unless "of them" is asked.
    """
    before = search.context.asked[-1]
    if not search.asks(question):
        return [s for s in _describe(last, search, each=3) if not _was_said(s, before)][:MOST_OF_ONE]
    whole = f"{question} {before.question}" if asks_for_reason(question) and len(question.split()) < 3 else question
    found = search.find(whole, last)
    if _OF_THEM.search(question):
        return found
    fresh = [s for s in found if not _was_said(s, before)]
    if found:
        return fresh or found
    own = search.read(question).wanted
    if len(own) >= SELF_CONTAINED:
        return search.find(question, search.papers)
    wide = [s for s in search.find(f"{before.question} {question}", search.papers) if not _was_said(s, before)]
    return [s for s in wide if (own or has_kind(question)) and s in search.find(question, [s.paper])]


SELF_CONTAINED = 2
"""Words that a question asks for which is understood without the one before it."""


def _was_said(sentence: AbstractSentence, before: Exchange) -> bool:
    return fold(sentence.text) in fold(before.answer)


MOST_OF_ONE = 3
"""Sentences that say what one paper is about."""


def _describe(
    papers: Sequence[Paper], search: _Search, names: Sequence[str] = (), each: int = 0
) -> list[AbstractSentence]:
    """What each of the papers contributes: one sentence each, of one or two papers more, in their order."""
    papers = papers[: search.context.limits.answer_papers]
    most = each or (MOST_OF_ONE if len(papers) == 1 else 2 if len(papers) == 2 else 1)
    return [s for paper in papers for s in _choose_telling(paper, names, most)]


def _choose_telling(paper: Paper, names: Sequence[str], most: int) -> list[AbstractSentence]:
    """The sentences that tell best what the paper contributes, in order."""
    own = list_quotable(paper)
    stated = quote_contribution(paper)
    head = stated.words[:40] if stated else ""

    def rate(s: AbstractSentence) -> tuple[bool, bool, bool, int]:
        says_name = any(fold(name) in fold(s.text) for name in names)
        return says_name, bool(head and head in s.text), s.statement == "contribution", -s.position

    telling = [s for s in own if s.statement != "problem"] or own
    return sorted(sorted(telling, key=rate, reverse=True)[:most], key=lambda s: s.position)


def _compare(question: str, last: Sequence[Paper], search: _Search) -> _Found | None:
    """Sentences that speak of both things that are compared, then what each is, and which of them no paper mentions.

    ``None`` where the question does not say what to compare.
    """
    behind = _COMPARISON.sub("", question, count=1)
    parts = [part for part in _BETWEEN.split(re.sub(r"\bdiffer\w*", " ", behind)) if part and search.asks(part)]
    parts = _share_head(parts)
    if len(parts) < 2:
        return _Found(tuple(_describe(last, search))) if last and not parts else None
    scopes = [find_named(part, search.papers) for part in parts]
    if all(scopes):
        named = [s for scope in scopes if scope for s in _describe(scope.papers, search, scope.said, each=2)]
        across = [s for s in named if sum(_names_one(s, scope) for scope in scopes if scope) > 1]
        return _Found(tuple(dict.fromkeys([*across, *named])))
    each = [
        _describe(scope.papers, search, scope.said) if scope else _explain(part, search)
        for part, scope in zip(parts, scopes, strict=True)
    ]
    missing = tuple(part.strip(" ?.!") for part, found in zip(parts, each, strict=True) if not found)
    both = [] if missing else [s for s in search.find(" ".join(parts), search.papers) if s.statement != "problem"][:2]
    return _Found(tuple(dict.fromkeys([*both, *(s for found in each for s in found)])), unmentioned=missing)


def _share_head(parts: Sequence[str]) -> list[str]:
    """Each part with the noun that stands behind the last for all: "exact" and "approximate unlearning"."""
    said = [part.strip(" ?.!").split() for part in parts]
    is_shared = len(said) == 2 and len(said[0]) == 1 and len(said[1]) == 2 and said[0][0].islower()
    return [f"{said[0][0]} {said[1][1]}", parts[1]] if is_shared else list(parts)


def _explain(thing: str, search: _Search) -> list[AbstractSentence]:
    """What something is, where that is said, or else what is said of it."""
    name = thing.strip(" ?.!")
    said = search.find(f"what is {name}?", search.papers)
    defining = [s for s in said if defines(name, s)]
    return defining[:1] or [s for s in said if s.statement != "problem"][:2] or said[:2]


def _names_one(sentence: AbstractSentence, scope: Scope) -> bool:
    return any(fold(name) in fold(sentence.text) for name in scope.said)


def _list_spoken_of(question: str, papers: Sequence[Paper], asked: Sequence[Exchange]) -> tuple[Paper, ...]:
    """The papers of the answer before, where the question refers to it; empty where it does not or none answered."""
    if not asked or not _REFERRING.search(_OF_ALL.sub(" ", question)):
        return ()
    keys = list_cited_keys(asked[-1].answer)
    return tuple(paper for paper in papers if paper.key in keys)


def _answer_other_language(question: str, search: _Search) -> list[AbstractSentence]:
    """What the papers that are named contribute, which is all that is read of such a question."""
    scope = find_named(question, search.papers)
    if not scope:
        raise UserError("Without a language model I read questions in English only. Please ask it in English.")
    return _describe(scope.papers, search, scope.said)


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


def _word_ranked(question: str, papers: Sequence[Paper]) -> tuple[Claim, ...]:
    """Which papers are the oldest, the newest or cited most, each with what it says; empty for other questions."""
    head, first = rank_by_records(question, papers)
    quoted = (_say_what_was_found(paper, "introduce") or _quote_any(paper) for paper in first)
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
