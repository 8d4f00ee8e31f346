"""What says in another form what is asked for: terms of several words, "twelve languages", "zero-shot"."""

from __future__ import annotations

import re
from functools import cache

from engine.wordlists import read_lines


@cache
def _compounds() -> re.Pattern[str]:
    """Terms of several words, with the plural of the last."""
    told = (r"[\s-]".join(map(re.escape, line.split())) for line in read_lines("revising/compounds.txt"))
    return re.compile(rf"\b(?:{'|'.join(told)})s?\b", re.I)


def join_compounds(text: str) -> str:
    """The text with terms of several words as one, so that none of them is found by one of its words alone."""
    return _compounds().sub(lambda found: re.sub(r"[\s-]", "", found[0]), text)


SEVERAL = re.compile(
    r"\b(?:several|multiple|various|many|different|diverse|numerous|more than one|both|two|three|four|five|six|seven|"
    r"eight|nine|ten|eleven|twelve|\d{1,4})\s(?:(?!of\b)[\w-]+\s)?"
    r"(?P<thing>languages|modalities|domains|tasks|views|agents|hops|speakers|documents)\b",
    re.I,
)


def say_several(thing: str) -> str:
    """The one word for several of a thing: "multilingual", "multitask"."""
    low = thing.lower()
    return {"languages": "multilingual", "modalities": "multimodal"}.get(low, f"multi{low.removesuffix('s')}")


_NO_TEST = (
    r"(?! (?:settings?|evaluations?|performance|experiments?|transfer|scenarios?|accurac\w+|capabilit\w+|"
    r"cross\S*|results?|generali\w+|learners?)\b)"
)
"""Not behind what is done without something: an evaluation of many, of which some do."""


@cache
def _absences() -> tuple[tuple[re.Pattern[str], str], ...]:
    """What says in one word that something is not needed, and in which words it is denied."""
    rows = (line.partition(":") for line in read_lines("revising/absences.txt"))
    return tuple(
        (
            re.compile(rf"\b(?:{'|'.join(w.strip().replace(' ', '[ -]') for w in said.split(','))})\b{_NO_TEST}", re.I),
            what.strip(),
        )
        for said, _, what in rows
    )


def spell_out_absences(text: str) -> str:
    """The text that denies in so many words what one word of it does without: "zero-shot (without training …)"."""
    for said, what in _absences():
        found = said.search(text)
        if found and not _OF_OTHERS.search(text[: found.start()]):
            text = f"{text[: found.end()]} (without {what}){text[found.end() :]}"
    return text


_OF_OTHERS = re.compile(
    r"\b(?:than|unlike|outperform\w*|surpass\w*|exceed\w*|beat\w*|over|existing|current|previous|prior|traditional|"
    r"compar\w+)\b[^,;]*$",
    re.I,
)
"""What makes the words behind it speak of other works."""


A_LANGUAGE = "(language)"
"""Among the terms of a text that names one."""


@cache
def _languages() -> re.Pattern[str]:
    """Names of languages."""
    return re.compile(rf"\b(?:{'|'.join(read_lines('revising/languages.txt'))})\b")


def names_language(text: str) -> bool:
    """Whether the text names a language."""
    return bool(_languages().search(text))
