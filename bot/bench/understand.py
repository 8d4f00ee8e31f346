"""The command `bench understand`: how many utterances are read as their writer meant them.

A reading that changes a survey counts as right where it is done, or is the first of the buttons that are offered.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from adapters.chat import Place
from bot.bench.yardstick_report import ReportOptions, print_report, read_json_lines
from bot.commands.access import act_of
from bot.commands.commands import Export, FreeText
from bot.commands.grammar import parse
from bot.commands.intents.features import Heard
from bot.commands.intents.plain_words import name_items, understand
from bot.commands.intents.slots import find_last
from engine.errors import UserError
from engine.rendering.files import parse_formats
from engine.session.events import EditKeywords, EditOutline
from engine.session.state import PHASES, Phase, State
from engine.values import FoundPaper, Keyword, KeywordPool, Outline, OutlineNode, Paper, PaperKey, PaperSelection

ASKED_BACK = "?"
SILENT = ""
_SECTIONS = tuple(OutlineNode(f"section {n}") for n in range(1, 10))
_OUTLINE = Outline("outline", tuple(replace(node, children=_SECTIONS) for node in _SECTIONS))
_KEYWORDS = tuple(Keyword(f"keyword {n}", "topic") for n in range(1, 10))
_FOUND = tuple(FoundPaper(Paper(PaperKey(f"paper:{n}"), f"Paper {n}", ""), 1.0) for n in range(1, 61))
"""What is proposed where something is said about it."""


@dataclass(frozen=True, slots=True)
class Utterance:
    """What somebody said where; ``means`` is a command, `ASKED_BACK` or `SILENT`, as is each that it may ``also`` mean.

    ``spoken`` names who has spoken in the thread, its owner first; ``before`` are the last two messages, each with its
    speaker: ``bot: The outline …``. A thread without ``spoken`` is one among people. ``by`` is ``owner`` where it is
    the owner who says it.
    """

    text: str
    phase: Phase
    place: Place
    means: str
    also: tuple[str, ...] = ()
    spoken: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    by: str = ""

    @property
    def heard(self) -> Heard:
        """Where it was said, as the reader is told."""
        people = {*self.spoken} - {"bot", "scholium"}
        others = self.place == "thread" and (len(people) > 1 or not people)
        return Heard(self.phase, self.place, others, tuple(map(name_speaker, self.before[-2:])), self.by == "owner")

    @property
    def state(self) -> State:
        """What is proposed there."""
        command = parse(self.means) if self.means.startswith("drop ") else None
        dropped = command.drop if isinstance(command, EditKeywords) else ()
        pool = KeywordPool((*_KEYWORDS, *(Keyword(words, "person") for words in dropped)))
        return State(self.phase, keywords=pool, papers=PaperSelection(_FOUND), outline=_OUTLINE)


@dataclass(frozen=True, slots=True)
class Reading:
    """What became of an utterance: the command that is ``done``, what is ``offered``, or silence."""

    done: str = ""
    offered: tuple[str, ...] = ()
    silent: bool = False

    @property
    def first(self) -> str:
        """What it was taken for before anything else."""
        return SILENT if self.silent else self.done or next(iter(self.offered), ASKED_BACK)


async def understand_file(console: Console, data: Path, options: ReportOptions) -> int:
    """Print the figures of a file of JSON Lines, and each utterance that was misread."""
    figures = measure_understanding(read_json_lines(data, Utterance))
    print_report(console, "Utterances: shares read right, and what must not happen", figures, options)
    for said, read in () if options.as_json else figures["wrong"]:
        line = f"{said.phase}, {said.place}: “{said.text}” means {_word(said.means)}, was read as {_word(read.first)}"
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    return 0


def name_speaker(said: str) -> str:
    """``bot: Outline …`` → ``bot``; ``colleague?`` where it asks."""
    name = said.partition(":")[0].strip().lower()
    kind = "bot" if name in {"bot", "scholium"} else "owner" if name == "owner" else "colleague"
    return f"{kind}?" if said.rstrip().endswith("?") else kind


def _word(means: str) -> str:
    return {ASKED_BACK: "a question back", SILENT: "silence"}.get(means, f"`{means}`")


def measure_understanding(utterances: list[Utterance]) -> dict[str, Any]:
    """Read each utterance as a conversation without a survey of its own would, and compare.

    Shares read right, of each phase and of all, and counts of what must not happen: ``wrong_changes`` are of a survey,
    by a reading that was not meant; ``unheard`` is what was said to the bot alone and got no answer; ``overheard`` what
    was meant for somebody else and done. ``wrong`` has what was misread, with its readings.
    """
    counts: Counter[str] = Counter()
    right: Counter[str] = Counter()
    wrong = []
    for said in utterances:
        read = read_utterance(said)
        meant = (said.means, *said.also)
        asked = not (read.done or read.silent)
        fits = [any(_is_same(one, means, said.state) for means in meant) for one in (read.first, *read.offered)]
        is_right = fits[0] or (asked and ASKED_BACK in meant)
        right[said.phase] += is_right
        counts["offered"] += is_right or any(fits)
        harmless = is_right or not read.done or act_of(parse(read.done)) in {"read", "ask", "open"}
        counts["wrong_changes"] += not harmless
        counts["for_us_alone"] += not said.heard.among_people
        counts["unheard"] += not said.heard.among_people and read.silent
        counts["not_for_us"] += said.means == SILENT
        counts["overheard"] += SILENT in meant and bool(read.done) and not is_right
        if not is_right:
            wrong.append((said, read))
    totals, all_of_them = Counter(said.phase for said in utterances), len(utterances)
    return {
        "phases": {phase: right[phase] / totals[phase] for phase in PHASES if totals[phase]},
        "share": right.total() / all_of_them,
        **counts,
        "offered": counts["offered"] / all_of_them,
        "utterances": all_of_them,
        "wrong": wrong,
    }


def read_utterance(said: Utterance) -> Reading:
    """What becomes of it without a language model."""
    try:
        found = understand(said.text, said.heard, said.state)
    except UserError:  # a command that cannot be read is refused with how it is written
        return Reading()
    if isinstance(found, FreeText) and not found.quiet:
        return Reading(found.guess, found.offers)
    silent = found is None or isinstance(found, FreeText)
    return Reading("" if silent else said.text.strip(), silent=silent)


def _is_same(read: str, means: str, state: State) -> bool:
    """Whether two commands do the same: word for word, or as values."""
    if {ASKED_BACK, SILENT} & {read, means}:
        return read == means
    return _value(read, state) == _value(means, state)


def _value(command: str, state: State) -> object:
    """What the command does, as a value (of a change of an outline, what becomes of one); else its words."""
    said = re.sub(r"\blast\b", find_last(name_items(state)), command.casefold().rstrip("?.! "))
    try:
        value = understand(said, Heard(state.phase), state)
        match value:
            case Export(formats):
                return Export(parse_formats(formats))
            case EditOutline(change):
                return change(_OUTLINE)
    except UserError:
        return said
    return said if isinstance(value, FreeText) else value
