"""Several clauses in one message: a wish with its reason, “drop the third, it is too broad”, or a wish said twice."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from itertools import pairwise

from bot.commands.intents.phrases import Phrase
from bot.commands.intents.vocabulary import compile_pattern, table, words

_BREAK = re.compile(r" (?:, )?(?:because|since|as|and so|and then) | ?[,-] ")
_REASON = re.compile(
    r"(?:it|this|that|they|these|those|which|there|i|we) (?:is|are|was|has|have|do|does|did|seems?|looks?)\b.*"
    r"|(?:i|we)(?: have)? changed (?:my|our) minds?(?: about .*)?"
)
_STATEMENT = re.compile(
    r"(?:the )?(?:(?:paper|number|section|keyword)s? )?#?[\d.]+(?: \w+)? "
    r"(?:is|are|was|were|looks?|seems?|duplicates?|repeats?|equals?) .*"
)
"""“the fifth is a copy of the second”: beside a wish, its reason."""
_MOST = 3
_NAMED = (
    r"(?:.*? )??(?P<text>(?:the |papers? |sections? )*<numbers>"
    r"|(?:the )?(?:introduction|intro|conclusions?|abstract))(?: .*)?"
)
_PRONOUN = re.compile(r"\b(?:them|those|these|it|that one|this one|both|this|that)\b(?! [a-z]+ (?:is|are|does|do)\b)")
_PLACED = re.compile(r"\d|\b(?:last|introduction|conclusion|abstract)\b")
_ASKS_ABOUT = ("show", "why")
_FAULTS = frozenset({"bad", "wrong", "odd", "strange", "poor", "useless", "irrelevant", "terrible", "missing"})
"""“some are good, some are bad” approves nothing."""
_EDITS = ("drop", "add", "rename", "move", "merge", "split", "shorten", "expand", "rewrite")


def read_clauses(phrase: Phrase, read: Callable[[Phrase], str]) -> str:
    """The one command that is in the clauses, where the others only give its reason; empty otherwise."""
    clauses = _divide(phrase)
    if not 1 < len(clauses) <= _MOST:
        return ""
    if said := _read_reference_back(clauses, read):
        return said
    readings = [read(clause) for clause in clauses]
    if any(said and not _STATEMENT.fullmatch(c.norm) for c, said in zip(clauses, readings, strict=True)):
        readings = ["" if _STATEMENT.fullmatch(c.norm) else said for c, said in zip(clauses, readings, strict=True)]
    commands = set(readings) - {"", "thanks", "hello"} or set(readings) & {"thanks"}
    commands = commands - {"ok", "no"} or commands  # “great, drop 3”, “drop 3, it is too broad”
    if len(commands) != 1:
        return ""
    command = commands.pop()
    unread = [clause.norm for clause, said in zip(clauses, readings, strict=True) if not said]
    return command if all(_is_remark(norm, command) for norm in unread) else ""


def _read_reference_back(clauses: list[Phrase], read: Callable[[Phrase], str]) -> str:
    """“section 4 is thin, flesh it out”: the last clause's command, its pronoun being what was named before."""
    *before, last = clauses
    named = next(filter(None, (compile_pattern(_NAMED).fullmatch(clause.norm) for clause in before)), None)
    pronoun = _PRONOUN.search(last.norm)
    if not named or not pronoun or re.search(r"(?<!in )(?<!into )#?\b\d", last.norm):
        return ""
    clause = next(clause for clause in before if clause.norm == named.string)
    number, (start, end) = clause.cut(*named.span("text__1")), pronoun.span()
    norm = last.norm[:start] + number.norm + last.norm[end:]
    said = read(Phrase(norm, last.source, last.spans[:start] + number.spans + last.spans[end:]))
    others = {read(clause) for clause in before if not _STATEMENT.fullmatch(clause.norm)} - {"", said, "ok", "no"}
    is_command = said and not said.startswith(_ASKS_ABOUT) and _PLACED.search(said)
    return said if is_command and all(other.startswith(_ASKS_ABOUT) for other in others) else ""


def _divide(phrase: Phrase) -> list[Phrase]:
    bounds = [(0, 0), *(match.span() for match in _BREAK.finditer(phrase.norm)), (len(phrase.norm),) * 2]
    pieces = [phrase.cut(end, start) for (_, end), (start, _) in pairwise(bounds)]
    return [piece for piece in pieces if piece.norm]


def _is_remark(norm: str, command: str) -> bool:
    """Whether a clause asks for nothing of its own. What is negated or doubted beside a yes is no mere remark."""
    said = frozenset(norm.split())
    if any(word[:1].isdigit() or word[:1] == "#" for word in said):
        return bool(_STATEMENT.fullmatch(norm)) and not said & words("commanding")
    if command == "ok" and said & (words("negation") | words("hesitating") | words("asking") | _FAULTS):
        return False
    empty = words("function") | words("nouns") | words("frame") | words("opinion")
    return said <= empty | words("negation") or bool(command != "ok" and _REASON.fullmatch(norm))


def has_two_wishes(norm: str) -> bool:
    """“drop 2 and add metrics”, but not “I have to leave, please stop”."""
    second = _second_wish().search(norm)
    return second is not None and not _load_wishing_words().isdisjoint(norm[: second.start()].split())


def divide_wishes(phrase: Phrase) -> tuple[str, str]:
    """The text of the first wish, and of the second; all of it, and nothing, where there is one."""
    second = _second_wish().search(phrase.norm) if has_two_wishes(phrase.norm) else None
    if not second:
        return phrase.source, ""
    first = phrase.source_of(0, second.start())
    rest = phrase.source_of(second.start(), len(phrase.norm))
    return first, re.sub(r"^(?:[\s,]|and\b|then\b|but\b|also\b|please\b)+", "", rest, flags=re.I)


@cache
def _load_wishing_words() -> frozenset[str]:
    """Verbs of edits that are a single word."""
    ways = (way for edit in _EDITS for way in table("classes")[edit])
    verbs = frozenset(way for way in ways if way.isalpha()) - words("function")
    return verbs | words("commanding") | {"write", "make", "put", "keep", "take", "throw"}


@cache
def _second_wish() -> re.Pattern[str]:
    verbs = "|".join(sorted(words("commanding") | {"add", "exclude", "insert", "write", "make", "put", "keep"}))
    itself = r"(?! (?:it|them|this|that|these|those)\b)(?!$)"  # “cost is missing, put it in” is one
    another = r"(?:another |a |the )?(?:one|section|chapter|paragraph) (?:about|on|for)\b"
    return re.compile(rf"(?:\b(?:and|then|but)|,)(?: then| also| please)* (?:(?:{verbs})\b{itself}|{another})")
