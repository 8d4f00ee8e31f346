"""The intents that plain words are told apart by: the grammar's commands with slots, and what is none. Pure."""

from __future__ import annotations

import re

NOT_FOR_US = ""
UNCLEAR = "?"
TOPIC = "survey {topic}"

_ANY = "topic keywords papers outline writing discussion"
_PROPOSED = "keywords papers outline"
_OUTLINE = "outline writing discussion"
_TABLE = (
    ("ok", "keywords papers outline writing"), ("no", _PROPOSED), ("back", f"{_PROPOSED} discussion"),
    ("undo", f"{_PROPOSED} discussion"), ("redo", f"{_PROPOSED} discussion"), ("stop", _ANY), ("status", _ANY),
    ("help", _ANY), ("hello", _ANY), ("thanks", _ANY), ("cost", _ANY), ("list", _ANY),
    ("start over", f"{_PROPOSED} writing discussion"), ("new", f"{_PROPOSED} discussion"),
    ("forget", f"{_PROPOSED} writing discussion"), ("archive", "discussion"),
    ("history", f"{_PROPOSED} writing discussion"),
    ("show papers", "papers outline discussion"), ("show keywords", _PROPOSED), ("show", _ANY),
    ("sources", "keywords papers outline discussion"), ("references", "papers outline discussion"),
    ("search online", "topic keywords papers discussion"), ("gaps", "papers outline discussion"),
    ("evaluate", "discussion"), ("export", "writing discussion"), ("rewrite all", "discussion"),
    ("exclude {numbers}", "papers"), ("include {numbers}", "papers"), ("more {numbers}", "papers"), ("more", "papers"),
    ("merge {place} {other}", "outline discussion"), ("move {place} {where} {other}", "outline discussion"),
    ("move {place} to {other}", "papers outline"),
    ("drop {numbers}", "keywords outline discussion"), ("split {place}", "outline discussion"),
    ("search for {place}", "outline"), ("shorten {place}", "discussion"), ("expand {place}", "discussion"),
    ("open last", _ANY), ("open {place}", _ANY), ("quick {question}", "topic"), ("why [{reference}]", "discussion"),
    ("why {place}", "discussion"), ("show {place}", "papers outline writing discussion"),
    ("export {formats}", "writing discussion"), ("translate {place} to {language}", "discussion"),
    ("rename {place} to {words}", "outline discussion"), ("rewrite {place}: {words}", "discussion"),
    ("cite {words} in {place}", "discussion"), ("add a paragraph on {words} to {place}", "discussion"),
    ("remove the claim about {words} from {place}", "discussion"),
    ("add section {words} {where} {place}", "outline discussion"), ("add section {words}", "outline discussion"),
    ("add {words}", "keywords"), ("drop {words}", "keywords outline"), ("name {words}", "discussion"),
    ("invite {words}", f"{_PROPOSED} writing discussion"), ("ask {question}", "discussion"),
    ("survey {topic}", "topic discussion"), ("background", "discussion"), ("full survey", "discussion"),
    ("evaluate details", "discussion"), ("follow {reference}", "discussion"), ("why figure {reference}", "discussion"),
    ("why table {reference}", "discussion"), ("candidates", "discussion"),
    ("choose candidate {reference}", "discussion"),
    ("describe {place}: {words}", "outline discussion"), ("budget survey {money}", f"{_PROPOSED} writing discussion"),
)  # fmt: skip
_SHOWS = frozenset(
    ("status", "help", "hello", "thanks", "cost", "list", "history", "sources", "references", "export", "show", "ask",
     "candidates", "why")
)  # fmt: skip
"""The first words of what is harmless."""


INTENTS = {template: frozenset(phases.split()) for template, phases in _TABLE}
"""Commands with slots, and the steps at which each can be done."""


def list_slots(label: str) -> list[str]:
    """The names of an intent's slots, in order."""
    return re.findall(r"{(\w+)}", label)


def is_harmless(label: str) -> bool:
    """Whether an intent changes nothing of a survey, and begins no long work but an answer."""
    return label.split()[0] in _SHOWS


def is_possible(label: str, phase: str) -> bool:
    """Whether the intent can be meant at the step."""
    return label in {NOT_FOR_US, UNCLEAR} or phase in INTENTS[label]
