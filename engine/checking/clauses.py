"""Subject, verb and rest of a sentence, found by a list of verbs: enough to ask who does what.

The verbs are those that stand behind "we", "which" or "the method" in 87,000 abstracts at least 25 times.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from engine.checking.lexicon import split_terms
from engine.text import STOP_WORDS, stem, terms
from engine.wordlists import read_wordlist

LONGEST_SUBJECT = 14
"""Words before the verb; behind more of them it is seldom the first one's verb."""

_TOKEN = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_AUXILIARY = frozenset(
    re.findall(
        r"\w+",
        "is are was were be been being has have had can may might could will would should must cannot do does did",
    )
)
_BE = frozenset({"is", "are", "was", "were", "be", "been", "being"})
_NO_VERB_BEHIND = frozenset(
    re.findall(
        r"\w+",
        "a an the this that these those its their our his her of in on for with by from at into between each every "
        "no any some all both more most less new such as via per",
    )
)
_BEFORE_A_PLAIN_VERB = frozenset(re.findall(r"\w+", "we they i you to and or not also that which who people data"))
_PLURAL_DOER = re.compile(r"we|they|authors|al|(?:19|20)\d\d", re.I)
"""Behind which a plain verb says what is done: "Pan and Zhang (2013) show"."""

_BARE_NOUN = re.compile(
    r"\s+(?:approach|method|model|system|parser|network|algorithm|data|dataset|setting|version)s?\b", re.I
)
"""What a participle and its adverb may stand before: "the weakly supervised approach"."""

_BY = re.compile(r"^\s+(?:[\w-]+ly\s+)?by\s+(?!\w+ing\b)", re.I)
_PARTICIPLE_BEHIND = re.compile(r"^\s+(?:by|in|on|from|at|with|for|to|as|through|via|under|over|into|using)\b", re.I)


@dataclass(frozen=True, slots=True)
class Deed:
    """A verb with the terms on its two sides; of "A is done by B", B is the ``before`` side.

    ``near`` are the terms of the words directly before the verb.
    """

    verb: str
    before: frozenset[str]
    after: frozenset[str]
    near: frozenset[str]
    behind: str
    """What follows the verb, as it stands."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A sentence taken apart at its first finite verb; ``verb`` is a stem."""

    subject: str
    verb: str
    rest: str


@lru_cache(maxsize=8_192)
def split_clause(sentence: str) -> Clause | None:
    """Subject, verb and rest of a sentence; ``None`` where no verb is found."""
    tokens = list(_TOKEN.finditer(sentence))
    for at, match in enumerate(tokens[1:LONGEST_SUBJECT], start=1):
        word = match[0].lower()
        if tokens[at - 1][0].lower() in _NO_VERB_BEHIND:
            continue
        if word in _AUXILIARY:
            main = next((t for t in tokens[at + 1 : at + 4] if not _is_passed_over(t[0].lower())), None)
            if main is None:
                return None
            return Clause(sentence[: match.start()].strip(), stem(main[0].lower()), sentence[main.end() :].strip())
        finite = word.endswith(("s", "ed")) and not word.endswith("ss")
        finite = finite or bool(_PLURAL_DOER.fullmatch(tokens[at - 1][0]))
        if (
            word.endswith("ed")
            and tokens[at - 1][0].lower().endswith("ly")
            and _BARE_NOUN.match(sentence[match.end() :])
        ):
            continue
        if finite and stem(word) in _verbs() and terms(sentence[: match.start()]):
            return Clause(sentence[: match.start()].strip(), stem(word), sentence[match.end() :].strip())
    return None


def _is_passed_over(word: str) -> bool:
    return word in _AUXILIARY or word in {"not", "also", "then", "only", "thus"} or word.endswith("ly")


@lru_cache(maxsize=8_192)
def find_deeds(sentence: str) -> tuple[Deed, ...]:
    """Every verb of the sentence whose sides can be told; passives that do not say by whom are left out."""
    return tuple(_deeds(sentence))


def _deeds(sentence: str) -> Iterator[Deed]:
    tokens = list(_TOKEN.finditer(sentence))
    for at, match in enumerate(tokens):
        word = match[0].lower()
        if at == 0 or word.endswith("ing") or word in STOP_WORDS or stem(word) not in _verbs():
            continue
        previous = tokens[at - 1][0].lower()
        if previous in _NO_VERB_BEHIND - {"that"}:
            continue
        ahead, behind = sentence[: match.start()], sentence[match.end() :]
        if _is_noun(word, previous, behind):
            continue
        is_participle = word.endswith(("ed", "en", "wn", "lt", "nt", "ught"))
        is_passive = is_participle and bool(_BY.match(behind))
        if is_participle and not is_passive and (_follows_be(tokens[:at]) or _PARTICIPLE_BEHIND.match(behind)):
            continue
        before, after = split_terms(ahead), split_terms(behind)
        if is_passive:
            before, after = after, before
        near = split_terms(" ".join(token[0] for token in tokens[max(0, at - 4) : at]))
        yield Deed(stem(word), before, after, near, behind)


def _is_noun(word: str, previous: str, behind: str) -> bool:
    """Whether a word that may be a verb is a noun: "features of", "structure learning"; a plain verb has a plural."""
    if word.endswith("s"):
        return bool(re.match(r"\s+of\b", behind))
    inflected = word.endswith(("ed", "en", "wn", "lt", "nt", "ught"))
    return not (inflected or previous.endswith(("s", "ly")) or previous in _BEFORE_A_PLAIN_VERB | _AUXILIARY)


def _follows_be(tokens: list[re.Match[str]]) -> bool:
    for token in reversed(tokens[-3:]):
        if token[0].lower() in _BE:
            return True
        if not _is_passed_over(token[0].lower()):
            return False
    return False


@cache
def _verbs() -> frozenset[str]:
    return read_wordlist("checking/verbs.txt")
