"""The intents: ways to say each command, as `intents.toml` lists them, and the command in the grammar's own words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache

from bot.commands.intents.phrases import Phrase, end_of_words
from bot.commands.intents.vocabulary import compile_pattern, data, table

_BEHIND = frozenset({"behind", "below", "under", "following", "next to", "right after", "after"})
_NAMES = {"intro": "introduction", "conclusions": "conclusion", "end": "last", "bottom": "last"}
_FRONT = frozenset({"front", "top", "beginning", "start"})


_NAMED_QUOTE = re.compile(r"^(?:named|called|titled|entitled)\s+[\"“«]")
"""Before a title in quotation marks, whose end was taken off as punctuation."""


@dataclass(frozen=True, slots=True)
class Slots:
    """What stands in the slots of a pattern, each as the grammar writes it."""

    place: str = ""
    other: str = ""
    where: str = ""
    numbers: str = ""
    count: str = ""
    reference: str = ""
    formats: str = ""
    language: str = ""
    person: str = ""
    text: str = ""
    title: str = ""
    terms: str = ""
    earlier: str = ""
    later: str = ""


@dataclass(frozen=True, slots=True)
class Intent:
    """Ways to say one command. No phases means all; ``quiet`` ways are not acted on among people."""

    command: str
    ways: tuple[str, ...]
    phases: frozenset[str]
    quiet: bool

    @property
    def names_something(self) -> bool:
        """Whether it takes a section's title or keywords, which name a subject and hold no clause of their own."""
        return self.command != "name {title}" and ("{title}" in self.command or "{terms}" in self.command)

    def readings(self, phrase: Phrase) -> Iterator[tuple[str, Slots]]:
        """The command for each way that fits the whole phrase, and its slots."""
        for way in self.ways:
            if match := compile_pattern(way).fullmatch(phrase.norm):
                slots = _read_slots(match, phrase)
                if command := _fill(self.command, slots):
                    yield command, slots


@cache
def load_intents() -> tuple[Intent, ...]:
    """All intents; the first that fits wins."""
    return tuple(
        Intent(row["command"], tuple(row["ways"]), frozenset(row.get("phases", ())), row.get("quiet", False))
        for row in data("intents")["intent"]
    )


def _fill(template: str, slots: Slots) -> str:
    """The command; empty where a slot that it needs is empty."""
    needed = re.findall(r"{(\w+)}", template)
    values: Mapping[str, str] = {name: getattr(slots, name) for name in needed}
    return template.format(**values) if all(values.values()) else ""


def _read_slots(match: re.Match[str], phrase: Phrase) -> Slots:
    slots = Slots()
    for group, value in match.groupdict().items():
        if value is not None:
            name = group.partition("__")[0]
            slots = replace(slots, **{name: _read_slot(name, value, match.span(group), phrase)})
    places = sorted((slots.place, slots.other))
    return replace(slots, terms=write_terms(slots.text), earlier=places[0], later=places[1])


def _read_slot(name: str, value: str, span: tuple[int, int], phrase: Phrase) -> str:
    start, end = span
    match name:
        case "place" | "other" | "count":
            return write_place(value)
        case "numbers":
            return write_numbers(value)
        case "where":
            return "after" if value in _BEHIND else "before"
        case "formats":
            named = (table("formats")[word] for word in re.findall(r"\w+", value) if word in table("formats"))
            return " ".join(dict.fromkeys(named))
        case "reference":
            return value
        case "person":
            return re.sub(r"^<?@?!?|>$", "", phrase.surface(start, end))
        case _:
            surface = phrase.surface(start, start + end_of_words(value))
            return _NAMED_QUOTE.sub("", surface) if name == "title" else surface


def write_place(said: str) -> str:
    """``#2`` and ``2`` are the second section; ``#last`` is the last, the front is 1."""
    if said in _FRONT:
        return "1"
    return _NAMES.get(said, said.lstrip("#"))


def write_numbers(said: str) -> str:
    """Numbers as the grammar writes them.

    ``#1 and the #5 paper`` → ``1 5``; ``10 to 15`` → ``10-15``; ``the #1 3`` (the first three) → ``1-3``;
    ``#last 2`` → ``last-2``.
    """
    span = r"#?(\d+)(?: \w+)? (?:to|until|till|through|-|up to) (?:(?:paper|number|no) )?#?(\d+)"
    joined = re.sub(r"#(1|last) (\d+)\b", r"\1-\2", re.sub(span, r"\1-\2", said))
    return " ".join(part.lstrip("#") for part in re.findall(r"(?:\d+|last)-\d+|#?\d+(?:\.\d+)*|#last", joined))


_TERM_HEAD = re.compile(
    r"(?:(?:these|those|the following)(?: \w+){0,2} ?: ?|(?:what|how) about |"
    r"the (?:words?|phrases?|terms?|keywords?|topics?)(?: (?:like|such as|called|named))? |"
    r"(?:the|a|an|also|some|more|another|other|as|new|both|all of|the two|"
    r"consider|have|add|include|try|cover|search for|look for|look at|look into|think of|go for) |"
    r"(?:key ?words?|search terms?|the (?:terms?|topics?|phrases?|words?))(?: (?:like|such as|called|named))? ?:? ?|"
    r"(?:terms?|synonyms?|concepts?|words|phrases|topics?)"
    r"(?: like| such as| (?:would|could|might) be| is|,? (?:e\.g\.|for example))[ ,:]*|"
    r"(?:something|anything|stuff|papers|articles|works?|literature) (?:on|about|for|like) )+"
)
_TERM_TAIL = re.compile(
    r"(?: ,)? (?:(?:as|to|into|in|from|of|among) (?:a |an |the |our |my |your |one )*(?:new |additional |other )?"
    r"(?:key ?words?|search terms?|list|search|terms?|topics?|pool)|"
    r"key ?words?|there|in there|too|as well|also|please|instead|again|now|then|maybe|for me|for us|thanks|first|"
    r"if possible|ok|"
    r"would be (?:nice|good|great)|though|here|and search again|i think|anymore|any more|(?:is|are) missing)$"
)
_QUOTED_TERM = re.compile(r"(?:^|\s)[\"“«](?=\S)([^\"“”«»]+)|^([^\"“”«»]+)(?<=\S)[\"”»](?=\s|$)")
"""A quotation, or the end of one that begins the words: what stands around it is no keyword."""
_BETWEEN_TERMS = re.compile(r" ?[,;] ?(?:and )?| and | n | plus | as well as | & ")


def write_terms(said: str) -> str:
    """Keywords, divided by commas, without what is said around them."""
    return ", ".join(term for term in map(_write_term, _BETWEEN_TERMS.split(said)) if term)


def _write_term(said: str) -> str:
    text = said.strip(" \"'“”«».,;:!?")
    if quoted := _QUOTED_TERM.search(text):
        text = (quoted[1] or quoted[2]).strip()
    while True:
        low = text.lower()
        if (head := _TERM_HEAD.match(low)) and head.end() < len(text):
            text = text[head.end() :].strip(" \"'“”«».,;:!?")
        elif tail := _TERM_TAIL.search(low):
            text = text[: tail.start()].strip(" \"'“”«».,;:!?")
        else:
            return text
