"""What a sentence must have to answer a question of its kind: a number for "how many", a limit for "what limits"."""

from __future__ import annotations

import re
from collections.abc import Callable

from engine.checking.quantities import quantities
from engine.text import terms

_DATA = re.compile(r"\b(?:data ?-?sets?|benchmarks?|corpus|corpora|test ?beds?)\b", re.I)
_NAME = re.compile(r"\b[A-Za-z][\w-]*[A-Z\d][\w-]*\b")
_LIMIT = re.compile(
    r"\b(?:limit\w*|fail\w*|cannot|unable|suffer\w*|challeng\w*|difficult\w*|hard|problem\w*|risk\w*|vulnerab\w*|leak\w*|"
    r"drawback\w*|weak\w*|shortcoming\w*|however|but|lack\w*|poor\w*|degrad\w*|costly|expensive|bias\w*|threat\w*|attack\w*|"
    r"incompatible|compromis\w*|overlook\w*|insufficient\w*|not)\b",
    re.I,
)
_PROPOSING = re.compile(r"\b(?:propos|introduc|present|describ|develop|design|invent)\w*\b", re.I)
_BEST = re.compile(r"\b(?:best|highest|outperform\w*|surpass\w*|state[- ]of[- ]the[- ]art|achiev\w*|reach\w*)\b", re.I)


def _tells_best(text: str) -> bool:
    return bool(_BEST.search(text)) and any(q.words[:1].isdigit() for q in quantities(text))


_KINDS: tuple[tuple[re.Pattern[str], Callable[[str], bool]], ...] = (
    (
        re.compile(r"\bhow much\b|\bwhat (?:share|percentage|number|fraction)\b", re.I),
        lambda text: bool(quantities(text)),
    ),
    (
        re.compile(r"\b(?:which|what) (?:\w+ ){0,2}?(?:data ?sets?|benchmarks?|corpora|corpus|data)\b", re.I),
        lambda text: bool(_DATA.search(text) and _NAME.search(text)),
    ),
    (re.compile(r"\b(?:best|highest|top) (?:\w+ )?(?:results?|accuracy|scores?|performance)\b", re.I), _tells_best),
    (
        re.compile(
            r"\b(?:limits|limitations?|drawbacks?|weakness\w*|shortcomings?|problems|risks?|dangers?|challenges?|"
            r"pitfalls?)\b",
            re.I,
        ),
        lambda text: bool(_LIMIT.search(text)),
    ),
)
BEHIND = 3
"""Words behind a number in which what it counts is looked for."""

_HOW_MANY = re.compile(r"\bhow many (?P<thing>[\w-]+)", re.I)
_WHO = re.compile(r"^(?:and )?(?:who|which (?:authors?|group|team))\b", re.I)


KIND_TERMS = frozenset(
    terms(
        "data set sets dataset datasets benchmark benchmarks corpus corpora used use evaluate evaluated many much "
        "number limit limits limitation limitations drawback drawbacks weakness weaknesses shortcoming shortcomings "
        "result results"
    )
)
"""Words that only say of what kind a question is."""


def _is_counted(thing: str, text: str) -> bool:
    """Whether a number of the sentence counts such things: 113,000 pairs of questions."""
    return any(set(terms(thing)) & set(terms(" ".join(text[q.end :].split()[:BEHIND]))) for q in quantities(text))


def fits_question(question: str, text: str, title: str) -> bool:
    """Whether a sentence of the paper with that title is of the kind that the question asks for."""
    if _WHO.match(question) and _PROPOSING.search(question):
        wanted = set(terms(_PROPOSING.sub("", question))) - set(terms("who authors group team first"))
        return bool(_PROPOSING.search(text)) and wanted <= set(terms(f"{title} {text}"))
    if (counted := _HOW_MANY.search(question)) and not _is_counted(counted["thing"], text):
        return False
    return all(is_told(text) for asked, is_told in _KINDS if asked.search(question))
