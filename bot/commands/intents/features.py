"""What the classifier sees of words: the words, the letters in them, and what kind of word each is.

The kinds carry what was learnt of one verb over to its synonyms: “kick out 3” has the kinds of “remove 3”.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from bot.commands.intents.vocabulary import table, words

if TYPE_CHECKING:
    from sklearn.pipeline import FeatureUnion

_REFERENCE = re.compile(r"\[(\d{1,4})\]")
_ANY_NUMBER = re.compile(r"#?\d+(?:\.\d+)*(?:-\d+)?|#last")
_PLAIN_NUMBER = re.compile(r"#?\d[\d.-]*")
_PLAIN_WAY = re.compile(r"[a-z]+(?: [a-z]+)*")
_KINDS = (
    "negation", "nouns", "opinion", "languages", "social", "hesitation", "asking", "inverted", "artefacts"
)  # fmt: skip
_SUBJECT = "SUBJECT"
"""Words that no list knows, one or several: what a survey is about."""


def build_features() -> FeatureUnion:
    """TF-IDF weights of the words, of letters within words, and of the kinds of words, alone and at their step.

    It reads pairs of normalised words and phase.
    """
    # Heavy, and needed by no process whose people only use commands.
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_union

    return make_union(
        TfidfVectorizer(preprocessor=_write_words, ngram_range=(1, 3), token_pattern=r"\S+", sublinear_tf=True),
        TfidfVectorizer(preprocessor=_write_letters, analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True),
        TfidfVectorizer(preprocessor=_write_kinds, ngram_range=(1, 3), token_pattern=r"\S+", sublinear_tf=True),
        TfidfVectorizer(preprocessor=_write_kinds_at_step, token_pattern=r"\S+", sublinear_tf=True),
    )


def _write_letters(said: tuple[str, str]) -> str:
    """Words with every number the same, and the phase as one more of them."""
    norm, phase = said
    return f"at_{phase} {_ANY_NUMBER.sub('0', _REFERENCE.sub('[0]', norm))}"


def _write_words(said: tuple[str, str]) -> str:
    """The same with a mark where the words begin and end."""
    phase, _, rest = _write_letters(said).partition(" ")
    return f"{phase} BEGIN {rest} END"


def _write_kinds(said: tuple[str, str]) -> str:
    norm, phase = said
    return " ".join((f"at_{phase}", "BEGIN", *name_kinds(norm), "END"))


def _write_kinds_at_step(said: tuple[str, str]) -> str:
    norm, phase = said
    return " ".join(f"{phase}:{kind}" for kind in name_kinds(norm))


def name_kinds(norm: str) -> list[str]:
    """The kinds of normalised words; neighbours that are part of a subject count as one."""
    said = norm.split()
    kinds: list[str] = []
    start = 0
    while start < len(said):
        end = next(
            (end for end in range(min(start + 4, len(said)), start, -1) if " ".join(said[start:end]) in _ways()),
            start + 1,
        )
        kind = _name_kind(" ".join(said[start:end]))
        if kind != _SUBJECT or kinds[-1:] != [_SUBJECT]:
            kinds.append(kind)
        start = end
    return kinds


@cache
def _name_kind(word: str) -> str:
    if _PLAIN_NUMBER.fullmatch(word):
        return "0"
    if word == "#last":
        return word
    if command := _ways().get(word):
        return f"TO_{command.upper()}"
    if word in table("formats"):
        return "FORMAT"
    kind = next((name.upper() for name in _KINDS if word in words(name)), "")
    return kind or (word if word in words("function") else _SUBJECT)


@cache
def _ways() -> dict[str, str]:
    """Words of the commands → the class that lists them first."""
    found: dict[str, str] = {}
    for name, ways in table("classes").items():
        for way in filter(_PLAIN_WAY.fullmatch, ways):
            found.setdefault(way, name)
    for name, listed in table("kinds").items():
        for way in listed.split(", "):
            found.setdefault(way, name)
    return found
