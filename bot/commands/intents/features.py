"""What the classifier sees of words: the words, the letters in them, and what kind of word each is.

The kinds carry what was learnt of one verb over to its synonyms: “kick out 3” has the kinds of “remove 3”.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from bot.commands.intents.vocabulary import table, words

_REFERENCE = re.compile(r"\[(\d{1,4})\]")
_ANY_NUMBER = re.compile(r"#?\d+(?:\.\d+)*(?:-\d+)?|#last")
_PLAIN_NUMBER = re.compile(r"#?\d[\d.-]*")
_PLAIN_WAY = re.compile(r"[a-z]+(?: [a-z]+)*")
_KINDS = (
    "negation", "nouns", "opinion", "languages", "social", "hesitation", "asking", "inverted", "artefacts"
)  # fmt: skip
_MOST_WORDS = 3
_LETTERS = (3, 4, 5)
_SUBJECT = "SUBJECT"
"""Words that no list knows, one or several: what a survey is about."""


def describe(norm: str, phase: str) -> tuple[tuple[str, ...], ...]:
    """Four groups of features of normalised words at a step, each as often as it is said.

    One to three words in a row, three to five letters within words, the kinds of words, and each kind at its step.
    """
    letters = f"at_{phase} {_ANY_NUMBER.sub('0', _REFERENCE.sub('[0]', norm))}"
    first, _, rest = letters.partition(" ")
    kinds = name_kinds(norm)
    return (
        (*_in_a_row((first, "BEGIN", *rest.split(), "END"), "word"),),
        (*_within_words(letters),),
        (*_in_a_row((f"at_{phase}", "BEGIN", *kinds, "END"), "kind"),),
        (*(f"{phase}: {kind}" for kind in kinds),),
    )


def _in_a_row(said: tuple[str, ...], sort: str) -> Iterator[str]:
    for count in range(1, _MOST_WORDS + 1):
        for start in range(len(said) - count + 1):
            yield f"{sort} {' '.join(said[start : start + count])}"


def _within_words(text: str) -> Iterator[str]:
    """Letters in a row, a space before and behind each word counted as letters; short words whole."""
    for word in text.split():
        padded = f" {word} "
        for count in _LETTERS:
            if len(padded) <= count:
                yield f"letters{padded}"
                break
            for start in range(len(padded) - count + 1):
                yield f"letters{padded[start : start + count]}"


def name_kinds(norm: str) -> list[str]:
    """The kinds of normalised words; neighbours that are part of a subject count as one."""
    kinds: list[str] = []
    for _, kind in _divide(norm):
        if kind != _SUBJECT or kinds[-1:] != [_SUBJECT]:
            kinds.append(kind)
    return kinds


def find_subjects(norm: str) -> list[str]:
    """The words that no list knows."""
    return [word for word, kind in _divide(norm) if kind == _SUBJECT and word.isalpha()]


def _divide(norm: str) -> Iterator[tuple[str, str]]:
    """One or a few words, and their kind."""
    said = norm.split()
    start = 0
    while start < len(said):
        end = next(
            (end for end in range(min(start + 4, len(said)), start, -1) if " ".join(said[start:end]) in _ways()),
            start + 1,
        )
        word = " ".join(said[start:end])
        yield word, _name_kind(word)
        start = end


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
