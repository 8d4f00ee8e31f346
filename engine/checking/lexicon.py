"""Words that turn a statement round, hedge it or compare, and the terms of a text."""

from __future__ import annotations

import re
from functools import lru_cache

from engine.text import terms

TEXTS_KEPT = 8_192
"""Texts whose reading is kept: a source's sentences are compared with every claim that cites it."""

NEGATION = re.compile(
    r"\b(?:not|no|never|none|nothing|neither|nor|without|cannot|(?:fail(?:s|ed|ing)?|unable) to|"
    r"lack(?:s|ing)?|poorly|n't)\b",
    re.I,
)

HEDGE = re.compile(
    r"\b(?:may|might|could|can sometimes|sometimes|suggests?|potential(?:ly)?|possibl[ey]|"
    r"likely|appears?|seems?|tends? to|partial(?:ly)?|"
    r"preliminary|in some cases|often|under some|certain)\b",
    re.I,
)

_OPPOSITES = (
    ("improv", "degrad|worsen|harm|hurt|deteriorat|impair"),
    ("increas|rais|grow|gain", "decreas|reduc|lower|declin|drop|shrink|loss|los"),
    ("higher|greater|larger|bigger|more", "lower|smaller|less|fewer"),
    ("faster|quicker", "slower"),
    ("better|superior|best", "worse|inferior|worst"),
    ("outperform|surpass|exceed|beat", "underperform|fall short|lag|trail"),
    ("unsupervis|self-supervis", "supervis"),
    ("unlabel", "label"),
    ("simple|simpl", "complex|complicat"),
    ("cheap|inexpensive|efficient", "expensive|costly|inefficient"),
    ("strong", "weak"),
    ("robust|resilient", "vulnerable|brittle|fragile|sensitive"),
    ("sparse", "dense"),
    ("before|prior to", "after"),
    ("with", "without"),
    ("easy|easier", "hard|harder|difficult"),
    ("short|shorter", "long|longer"),
    ("online", "offline"),
    ("static|fixed", "dynamic|adaptive"),
    ("small", "large|big"),
    ("open", "closed|proprietary"),
    ("success|succeed", "fail"),
    ("helpful|beneficial|benefit|help", "harmful|detrimental|useless"),
    ("accurate|correct|reliable", "inaccurate|incorrect|unreliable|wrong"),
    ("encoder", "decoder"),
    ("positive", "negative"),
    ("minimis|minimiz", "maximis|maximiz"),
    ("early|earlier", "late|later"),
    ("rare|seldom", "frequent|often|common"),
    ("scalable", "unscalable"),
    ("parametric", "non-parametric|nonparametric"),
    ("local", "global"),
    ("implicit", "explicit"),
    ("discrete", "continuous"),
    ("linear", "nonlinear|non-linear|quadratic|exponential"),
    ("top", "bottom"),
    ("same |identical|uniform", "var(?:y|ies|ied|ying)|differ|individual"),
)

OPPOSITES: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (re.compile(rf"\b(?:{one})\w*", re.I), re.compile(rf"\b(?:{other})\w*", re.I))
    for pair in _OPPOSITES
    for one, other in (pair, pair[::-1])
)
"""Pairs of which a claim must not have the first where the sentence it is taken from has only the second."""

COMPARATOR = re.compile(
    r"\b(?:outperform\w*|surpass\w*|exceed\w*|beats?|better than|worse than|superior to|"
    r"inferior to|faster than|slower than|"
    r"larger than|smaller than|higher than|lower than|improv\w+ (?:over|upon|on)|instead of|"
    r"rather than|extends?|replaces?|"
    r"builds? on|based on|compared (?:to|with))\b",
    re.I,
)


_BRITISH = tuple(
    (re.compile(rf"\b({roots}){british}", re.I), rf"\1{american}")
    for roots, british, american in (
        (
            "anonym|categor|character|discret|emphas|factor|formal|general|initial|linear|local|maxim|minim|"
            "neutral|normal|optim|organ|parallel|parameter|penal|personal|quant|random|real|recogn|regular|special|stabil|"
            "standard|summar|synchron|synthes|token|util|vector|visual",
            r"is(?=e[sdr]?\b|ers?\b|ing\b|ations?\b|able\b)",
            "iz",
        ),
        ("behavi|col|endeav|fav|flav|harb|hum|lab|neighb|rum|tum", r"our(?!ing?s)", "or"),
        ("label|level|model|signal|travel|channel|cancel", r"l(?=ed\b|ing\b|ers?\b)", ""),
        ("anal", r"ys(?=e[sdr]?\b|ing\b)", "yz"),
        ("art", "efact", "ifact"),
        ("cent|met|lit", r"re(?=s?\b|d\b)", "er"),
        ("gr", r"ey(?=s?\b|scale)", "ay"),
    )
)


_NON = re.compile(r"\bnon[- ](?=[a-z])", re.I)
_ANY_BRITISH = re.compile(r"is(?:e|ing|ation|able)|our|ll(?:ed|ing|er)|ys(?:e|ing)|efact|re(?:s|d)?\b|grey", re.I)
"""What stands in every word of British spelling."""

_DATA_SET = re.compile(r"(?<=\b[Dd]ata)[ -](sets?|bases?)\b")
_WORD = re.compile(r"\w+")


def unify_spelling(text: str) -> str:
    """The text with British spelling as American, and "data set" as one word."""
    text = _DATA_SET.sub(r"\1", text)
    if not _ANY_BRITISH.search(text):
        return text
    american = {word: other for word in set(_WORD.findall(text)) if (other := _as_american(word)) != word}
    return _WORD.sub(lambda word: american.get(word[0], word[0]), text) if american else text


@lru_cache(maxsize=100_000)
def _as_american(word: str) -> str:
    for british, american in _BRITISH if _ANY_BRITISH.search(word) else ():
        word = british.sub(american, word)
    return word


@lru_cache(maxsize=5 * TEXTS_KEPT)  # also of what stands before and behind each verb
def split_terms(text: str) -> frozenset[str]:
    """Terms, with "state-of-the-art" and "state of the art" the same, and British spelling as American."""
    return frozenset(terms(unify_spelling(_NON.sub("non", text).replace("-", " "))))
