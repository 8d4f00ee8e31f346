"""Sentences that begin by referring to what stands before them, for texts of which no model can be asked."""

from __future__ import annotations

from collections.abc import Sequence

from engine.text import STOP_WORDS, words

_PRONOUNS = frozenset({"this", "these", "that", "those", "it", "they", "its", "their", "such", "he", "she", "both"})
"""Pronouns: a closed class, all but one of them stop words."""


def begins_with_reference(sentence: str) -> bool:
    """Whether its first word is a pronoun."""
    return (words(sentence)[:1] or [""])[0] in _PRONOUNS


def is_dangling(sentence: str, before: Sequence[str | None], *, is_first: bool = False) -> bool:
    """Whether it begins with a pronoun and the sentence before it was taken out (``None``) or never stood there."""
    return begins_with_reference(sentence) and (before[-1] is None if before else is_first)


def remove_connective(sentence: str) -> str:
    """The sentence without a stop word and comma at its start, as "However, ": what it took up is gone."""
    first, comma, rest = sentence.partition(", ")
    return f"{rest[:1].upper()}{rest[1:]}" if comma and first.lower() in STOP_WORDS else sentence
