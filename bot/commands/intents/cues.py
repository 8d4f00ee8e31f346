"""A reading free of word order: the words that carry meaning, where nothing else of weight was said.

An utterance is read so only if each of its words is a function word, a number, or a word of the command's own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from bot.commands.intents.vocabulary import data, words

_NUMBER = re.compile(r"#?(?!(?:19|20)\d\d$)\d{1,4}(?:\.\d+)*|#last|\d+-\d+")
_LAST_FEW = re.compile(r"#last \d")
_SPAN = re.compile(r"\d (?:to|until|till|through|up to) #?\d")
_REFERENCE = re.compile(r"\[\d{1,4}\]")
_EDITS = ("exclude", "include", "drop", "merge", "split", "shorten", "expand")
_ITSELF = frozenset({"it", "me", "its", "us"})


@dataclass(frozen=True, slots=True)
class Cue:
    """A command by the words that carry it.

    ``negated``: with a “not”, and only then. ``beside``: one of these is said too, where there are any.
    """

    command: str
    words: frozenset[str]
    also: frozenset[str]
    phases: frozenset[str]
    negated: bool
    beside: frozenset[str]

    def fits(self, said: frozenset[str], numbers: int) -> bool:
        """Whether these words say it, with so many numbers."""
        needed = self.command.count("{")
        enough = numbers == needed or (numbers > needed and "{numbers}" in self.command)
        known = words("function") | words("nouns") | words("negation") | self.words | self.also
        return enough and bool(not self.beside or said & self.beside) and bool(said & self.words) and said <= known

    def write(self, numbers: list[str]) -> str:
        place, other = (*numbers, "", "")[:2]
        return self.command.format(place=place, other=other, numbers=" ".join(numbers))


@cache
def load_cues() -> tuple[Cue, ...]:
    return tuple(
        Cue(
            row["command"],
            frozenset(row["words"].split()),
            frozenset(row["also"].split()),
            frozenset(row["phases"]),
            row.get("negated", False),
            frozenset(row.get("beside", "").split()),
        )
        for row in data("vocabulary")["cue"]
    )


def read_cues(norm: str, phase: str, *, among_people: bool) -> str:
    """The command whose words these are; empty where something else was said as well."""
    said = norm.split()
    if not said or _LAST_FEW.search(norm):
        return ""
    numbers = [word for word in said if _NUMBER.fullmatch(word)]
    references = [word for word in said if _REFERENCE.fullmatch(word)]
    rest = frozenset(said) - {*numbers, *references}
    if len(set(numbers)) < len(numbers) or _SPAN.search(norm) or (among_people and rest & {"at", "up"}):
        return ""  # “from 10 to 15” is no list of two, and “show up at nine” is for a colleague
    if among_people and rest & (words("pronouns") - _ITSELF):
        return ""
    if references:
        return _read_reference(references, rest) if not numbers and phase in {"writing", "discussion"} else ""
    if phase == "discussion" and (translation := _read_translation(numbers, rest)):
        return translation
    for cue in load_cues():
        if phase not in cue.phases or (among_people and "{" not in cue.command):
            continue
        if _is_meant(cue, said, rest) and cue.fits(rest, len(numbers)):
            return cue.write([number.lstrip("#") for number in numbers])
    return ""


def _is_meant(cue: Cue, said: list[str], rest: frozenset[str]) -> bool:
    """Whether nothing else that was said speaks against the command: a negation, a question, a way back."""
    if cue.negated != bool(words("negation") & rest):
        return False
    if cue.command.startswith(_EDITS) and said[0] in words("asking") | (words("inverted") - words("modal")):
        return False  # “what is in paper 8?”, “do we need section 5?”
    if cue.command == "ok":
        return not rest & (words("asking") | words("hesitating")) and said[0] not in words("inverted")
    return cue.command != "no" or "back" not in rest  # “go back, these were wrong”


def _read_reference(references: list[str], rest: frozenset[str]) -> str:
    known = words("function") | words("nouns") | words("referring")
    asked = rest & (words("asking") | {"show", "open", "source", "explain"})
    return f"why {references[0]}" if len(references) == 1 and asked and rest <= known else ""


def _read_translation(numbers: list[str], rest: frozenset[str]) -> str:
    languages = rest & words("languages")
    known = words("function") | words("nouns") | words("translating")
    if len(numbers) != 1 or len(languages) != 1 or not rest - languages <= known or rest & words("negation"):
        return ""
    return f"translate {numbers[0].lstrip('#')} to {min(languages).capitalize()}"
