"""What a question asks for, as words that a sentence can have: their forms, synonyms, and what is denied. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TypeAlias

from rapidfuzz import process
from rapidfuzz.distance import OSA

from engine.checking.lexicon import split_terms, unify_spelling
from engine.checking.names import read_ordinary_words
from engine.revising.other_wordings import A_LANGUAGE, SEVERAL, join_compounds, names_language, say_several
from engine.text import STOP_WORDS, stem, terms, words
from engine.values import Paper
from engine.wordlists import read_lines

ASKING = frozenset(
    terms(
        "look looks looking take takes rely relies based concern get got "
        "propose proposes proposed introduce introduces introduced present presents presented develop conclude claim "
        "paper papers say says tell explain describe difference differences differ compare compared comparison "
        "main best approach approaches method methods work works know known exist exists mean means think survey "
        "literature author authors research please give list deal deals cover covers concern concerns treat "
        "treats need needs needed several many some any help helps happens does do did can could should will idea "
        "ideas way ways kind kinds type types summarise summarize summary overview question questions answer "
        "article articles study studies decide decides determine determines handle handles tackle achieve "
        "achieves represent necessary unnecessary needless obsolete useful useless worth worthwhile important "
        "matter matters enough sufficient good bad make makes made making apply applied possible exactly actually "
        "really just simply short briefly reported report tell us tldr pls plz thanks hello anything something "
        "everything reach reaches reached attain attained obtain obtained appear appears appeared besides apart "
        "come comes input inputs "
        "additional extra original explicit"
    )
)
"""Words that only ask, or that every paper has."""

KIND_TERMS = frozenset(
    terms(
        "data set sets dataset datasets benchmark benchmarks corpus corpora used use uses using evaluate "
        "evaluated many much number limit limits limitation limitations drawback drawbacks weakness weaknesses "
        "shortcoming shortcomings result results solved unsolved open problem problems risk risks danger dangers "
        "issue issues challenge challenges pitfall pitfalls improve improves improved better effective perform "
        "performs performance gain gains achieve metric metrics evaluation"
    )
)
"""Words that only say of what kind a question is."""

NEEDED_COVERAGE = 2 / 3
"""Share of what is asked for that a sentence and its paper's title have to hold, rare words counting more."""

NEEDED_RAREST = 2
TELLING = math.log(2)
"""Weight of a word that half of the papers have."""

Word: TypeAlias = frozenset[frozenset[str]]
"""A word of a question: its forms and synonyms, each a set of stems that say it together."""

_WITH_DIGITS = re.compile(r"\b\d+-?[a-z]+\b", re.I)
_HYPHENATED = re.compile(r"\b[^\W_]+(?:-[^\W_]+)+\b")
_ABBREVIATION = re.compile(r"\b[A-Z][\w-]*[A-Z]\b")

_DENIAL = re.compile(
    r"\b(?:not|\w+n[’']t|without|no|never|neither|nor|lack(?:s|ing)?(?! in\b)|avoid(?:s|ing)?|free of|instead of|"
    r"rather than|eliminat\w+|abandon\w*|dispens\w+ with|discard\w*|no longer|"
    r"remov\w+ the (?:need|dependency|reliance)|fail(?:s|ed)? to|unable to|cannot)\b",
    re.I,
)
DENIED_WITHIN = 5
"""Words behind a denial in which what it denies is looked for."""


@dataclass(frozen=True, slots=True)
class AskedWords:
    """The words that a sentence must have, those of them that it must deny, and what each weighs."""

    wanted: tuple[Word, ...]
    denied: tuple[Word, ...]
    weights: Mapping[Word, float]
    known: frozenset[Word]
    """Those that any paper has."""

    def measure(self, held: frozenset[str]) -> float:
        """The share of them that these terms hold; 0 where they lack one of the two rarest that any paper has.

        What denies one of the words that the question denies need not have the others.
        """
        known = sorted((w for w in self.wanted if w in self.known), key=lambda word: -self.weights[word])
        rarest = [word for at, word in enumerate(known[:NEEDED_RAREST]) if not at or self.weights[word] >= TELLING]
        if not self.denied and not all(says(word, held) for word in rarest):
            return 0.0
        return self.share(held, self.denied)

    def share(self, held: frozenset[str], among: Sequence[Word] = ()) -> float:
        """The share of all, or of those given, that the terms hold; 1 where nothing is asked for."""
        words = among or self.wanted
        total = sum(self.weights[word] for word in words)
        return sum(self.weights[word] for word in words if says(word, held)) / total if total else 1.0

    def are_in(self, own: frozenset[str]) -> bool:
        """Whether the terms have any of them but what is rather common among the papers; if all are, then any."""
        telling = [word for word in self.wanted if self.weights[word] >= TELLING] or self.wanted
        return any(says(word, own) for word in telling)


def says(word: Word, held: frozenset[str]) -> bool:
    """Whether the terms say the word, in one of its forms."""
    return any(form <= held for form in word)


def read_asked(
    question: str, papers: Sequence[Paper], long_forms: Mapping[str, str], without: Iterable[str] = ()
) -> AskedWords:
    """The words that the question asks for; ``without`` are stems that name what it is about.

    How rare a word is, is told by the papers: one that all have asks for next to nothing. Of words in a list of
    alternatives ("points, curves or grids") any one will do.
    """
    question = _EXCEPTED.sub(" ", question)
    denied_from = _find_denial(question)
    taken = ASKING | KIND_TERMS | frozenset(without)
    wanted: list[Word] = []
    denied: list[Word] = []
    for said in _list_words(question):
        forms = _forms_of(said.text, long_forms)
        if said.stem == stem("language") and _WHICH_LANGUAGE.search(question):
            forms |= {frozenset({A_LANGUAGE})}
        if said.stem in taken or said.text in STOP_WORDS or forms in wanted:
            continue
        wanted.append(forms)
        if denied_from is not None and said.start > denied_from:
            denied.append(forms)
    wanted = _join_alternatives(question, wanted)
    held = [hold_terms(f"{p.title}. {p.content}", long_forms) for p in papers]
    spread = {word: sum(says(word, own) for own in held) for word in wanted}
    weights = {word: math.log((len(held) + 1) / (count + 0.5)) for word, count in spread.items()}
    return AskedWords(tuple(wanted), tuple(denied), weights, frozenset(word for word in wanted if spread[word]))


_WHICH_LANGUAGE = re.compile(r"\b(?:which|what|how many) (?:\w+ )?languages?\b", re.I)


@dataclass(frozen=True, slots=True)
class _Said:
    text: str
    start: int

    @property
    def stem(self) -> str:
        return stem(self.text.lower())


_EXCEPTED = re.compile(
    r"\b(?:besides|apart from|other than|except(?: for)?|in addition to)\s(?:the\s)?[\w-]+"
    r"(?:\s(?!(?:is|are|was|were|do|does|did|has|have|can|used|covered)\b)[\w-]+)?",
    re.I,
)
"""What is known already, so that an answer need not have it: "metrics besides exact match"."""

_MEASURED = re.compile(
    r"\bhow (?:fast|quick(?:ly)?|slow(?:ly)?|large|big|small|long|accurate(?:ly)?|well|good|much|often|effective)\b",
    re.I,
)
_WORD = re.compile(r"\d+-?[A-Za-z]+|[^\W\d_][\w-]*[^\W_]|[^\W\d_]\d*")


def _list_words(question: str) -> list[_Said]:
    text = unify_spelling(_MEASURED.sub(" ", re.sub(r"[’']s\b", "", question)))
    text = SEVERAL.sub(lambda found: say_several(found["thing"]), join_compounds(text))
    return [
        _Said(match[0] if match[0].isupper() else match[0].lower(), match.start()) for match in _WORD.finditer(text)
    ]


def _forms_of(word: str, long_forms: Mapping[str, str]) -> Word:
    low = word.lower()
    forms = {frozenset(stem(part) for part in low.split("-") if part)}
    if "-" in low:
        forms.add(frozenset({stem(low.replace("-", ""))}))
    own = stem(low)
    for group in _synonyms():
        if frozenset({own}) in group:
            forms |= group
    long = long_forms.get(word) or long_forms.get(word.rstrip("sS"))
    if long:
        forms.add(split_terms(join_compounds(long)))
    return frozenset(form for form in forms if form)


@cache
def _synonyms() -> tuple[frozenset[frozenset[str]], ...]:
    """Words of which somebody asks with one and finds another, as sets of stems."""
    return tuple(
        frozenset(split_terms(word) for word in line.split(",")) for line in read_lines("revising/synonyms.txt")
    )


@lru_cache(maxsize=50_000)
def _own_terms(text: str) -> frozenset[str]:
    text = join_compounds(text)
    joined = {stem(match.replace("-", "").lower()) for match in _HYPHENATED.findall(text)}
    joined |= {A_LANGUAGE} if names_language(text) else set()
    joined |= {stem(say_several(found["thing"])) for found in SEVERAL.finditer(text)}
    return split_terms(text) | joined | {stem(match.lower()) for match in _WITH_DIGITS.findall(text)}


def hold_terms(text: str, long_forms: Mapping[str, str]) -> frozenset[str]:
    """The terms of a text, with those of what its abbreviations stand for."""
    found = _own_terms(text)
    for short in _ABBREVIATION.findall(text.replace("s ", " ")):
        if long := long_forms.get(short):
            found |= split_terms(join_compounds(long))
    return found


_ALTERNATIVES = re.compile(r"(?P<before>(?:[\w-]+, )*[\w-]+),? or (?:an? |the |by |as |with )?(?P<last>[\w-]+)", re.I)


def _join_alternatives(question: str, wanted: Sequence[Word]) -> list[Word]:
    found = _ALTERNATIVES.search(unify_spelling(question))
    if not found:
        return list(wanted)
    listed = {stem(word) for word in words(f"{found['before']} {found['last']}")}
    either = [word for word in wanted if any(form <= listed for form in word)]
    if len(either) < 2:
        return list(wanted)
    return [*(word for word in wanted if word not in either), frozenset().union(*either)]


def _find_denial(question: str) -> int | None:
    """Where the question begins to deny something; ``None`` where it denies nothing, or asks why."""
    if re.match(r"(?:and )?(?:why|how come)\b", question.strip(), re.I):
        return None
    found = _DENIAL.search(question)
    return found.start() if found else None


_VERB_DENIED = re.compile(r"not|\w+n[’']t|never|cannot|fail(?:s|ed)? to|unable to|neither|nor|no longer", re.I)
_NEEDS = re.compile(
    r"\b(?:need|requir|necess|rely|relies|relying|reliance|depend|access|us(?:e|es|ed|ing)\b|utili[sz]|involv|assum|demand|"
    r"resort|employ|leverag)",
    re.I,
)


def asks_without(question: str) -> bool:
    """Whether the question denies that something is needed or used, not that something is so."""
    return bool(_NEEDS.search(question) or re.search(r"\b(?:without|avoid\w*|free)\b", question, re.I))


def denies(text: str, words_: Sequence[Word], *, need: bool = False) -> bool:
    """Whether the text denies one of the words, or only that it is needed: "without images", "training-free"."""
    for found in _DENIAL.finditer(text):
        said = " ".join(text[found.end() :].split()[:DENIED_WITHIN])
        if need and _VERB_DENIED.fullmatch(found[0]) and not _NEEDS.search(said):
            continue
        behind = hold_terms(said, {})
        if any(says(word, behind) for word in words_):
            return True
    free = [hold_terms(word, {}) for word in re.findall(r"\b([\w-]+)[- ](?:free|less)\b", text)]
    return any(says(word, own) for own in free for word in words_)


WITHIN = 2
"""Words more than those of a term in which it still stands together: "expansion of short queries"."""


def stand_together(text: str, wanted: Sequence[Word], long_forms: Mapping[str, str]) -> bool:
    """Whether the text has all the words next to each other, in any order, with few others between."""
    said = text.split()
    size = len(wanted) + WITHIN
    windows = (hold_terms(" ".join(said[at : at + size]), long_forms) for at in range(max(1, len(said) - size + 1)))
    return any(all(says(word, held) for word in wanted) for held in windows)


SHORTEST_CORRECTED, SHORTEST_OF_THE_TOPIC, SURE, LONG = 6, 5, 8, 11
"""Letters of a word that is read as one with another letter; as one that many papers have; that one has; with two."""


def correct_spelling(question: str, papers: Sequence[Paper]) -> str:
    """The question with misspelt words as the papers spell them; words that are known stay."""
    spread: dict[str, int] = {}
    for paper in papers:
        for word in {*words(paper.title), *words(paper.content)}:
            if word.isalpha() and word not in STOP_WORDS:
                spread[word] = spread.get(word, 0) + 1
    known = read_ordinary_words() | STOP_WORDS
    stems = {stem(word) for word in spread}
    ordinary = {stem(word) for word in known} | ASKING | KIND_TERMS

    def correct(match: re.Match[str]) -> str:
        said = match[0]
        low = said.lower()
        is_name = not (said.islower() or (match.start() == 0 and said[1:].islower()))
        if is_name or len(low) < SHORTEST_OF_THE_TOPIC or stem(low) in stems or stem(low) in ordinary:
            return said
        is_short = len(low) < SHORTEST_CORRECTED
        least = max(2, len(papers) // 5) if is_short else 1 if len(low) >= SURE else 2
        near = [word for word, count in spread.items() if word[0] == low[0] and count >= least]
        best = process.extractOne(low, near, scorer=OSA.distance, score_cutoff=2 if len(low) >= LONG else 1)
        return best[0] if best else said

    return re.sub(r"(?<![\w-])[^\W\d_]+(?![\w-])", correct, question)


_OWN_AFFAIR = re.compile(
    r"\b(?:my|our)\b(?! (?:surveys?|topics?|questions?|reviews?|papers?|list)\b)|\bdo (?:i|we) (?:have to|need)\b", re.I
)


def asks_about_self(question: str) -> bool:
    """Whether somebody asks about their own data or case, of which no paper says anything."""
    return bool(_OWN_AFFAIR.search(question))


@cache
def _other_languages() -> dict[str, frozenset[str]]:
    """Language → its commonest words in questions."""
    rows = (line.partition(":") for line in read_lines("revising/other_languages.txt"))
    return {name: frozenset(said.split()) for name, _, said in rows}


def is_english(question: str) -> bool:
    """Whether the question is not in one of the languages that are told by their commonest words, or another script."""
    letters = [ch for ch in question if ch.isalpha()]
    if sum(ord(ch) > 0x24F for ch in letters) * 2 > len(letters):
        return False
    said = re.findall(r"[^\W\d_]+", question.lower())
    english = sum(word in STOP_WORDS or stem(word) in ASKING for word in said)
    return all(sum(word in own for word in said) <= max(1, english) for own in _other_languages().values())
