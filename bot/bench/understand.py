"""The command `bench understand`: how many utterances are read as their writer meant them."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError
from rich.console import Console
from rich.table import Table

from adapters.chat import Place
from bot.commands.grammar import parse
from bot.commands.intents.reading import ReadingContext, read_plain, understand
from engine.errors import UserError
from engine.session.state import PHASES, Phase, State

ASKED_BACK = "?"
SILENT = ""


@dataclass(frozen=True, slots=True)
class Utterance:
    """What somebody said where; ``means`` is a command, `ASKED_BACK` or `SILENT`."""

    text: str
    phase: Phase
    place: Place
    means: str


@dataclass(frozen=True, slots=True)
class Misreading:
    """An utterance that was not read as meant."""

    text: str
    phase: Phase
    place: Place
    means: str
    read: str


@dataclass(frozen=True, slots=True)
class UnderstandingFigures:
    """Shares of utterances read right, from 0 to 1, of each phase and of all; what was acted on though not for us."""

    phases: dict[str, float]
    share: float
    utterances: int
    not_for_us: int
    acted_on: int
    wrong: tuple[Misreading, ...]


async def understand_file(console: Console, data: Path, *, as_json: bool) -> int:
    """Print the figures of a file of JSON Lines."""
    figures = measure_understanding(read_utterances(data))
    if as_json:
        print(json.dumps(asdict(figures), ensure_ascii=False))  # noqa: T201
        return 0
    table = Table("phase", "right")
    for phase, share in figures.phases.items():
        table.add_row(phase, f"{100 * share:.1f} %")
    table.add_row("all", f"{100 * figures.share:.1f} %")
    console.print(table)
    for miss in figures.wrong:
        line = f"{miss.phase}, {miss.place}: “{miss.text}” means {_word(miss.means)}, was read as {_word(miss.read)}"
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    console.print(f"{figures.not_for_us} were not for the bot; it acted on {figures.acted_on} of them.")
    return 0


def _word(means: str) -> str:
    return {ASKED_BACK: "a question back", SILENT: "silence"}.get(means, f"`{means}`")


def read_utterances(file: Path) -> list[Utterance]:
    """The utterances. Raises `UserError` with the line's number where one cannot be read."""
    reader = TypeAdapter(Utterance)
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{file} cannot be read: {error}") from error
    found = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                found.append(reader.validate_json(line))
            except ValidationError as error:
                where = ", ".join(".".join(map(str, e["loc"])) or "the line" for e in error.errors())
                raise UserError(f"{file.name}, line {number}: {where} cannot be read.") from error
    if not found:
        raise UserError(f"{file.name} holds no utterance.")
    return found


def measure_understanding(utterances: list[Utterance]) -> UnderstandingFigures:
    """Read each utterance as a conversation without a survey of its own would, and compare."""
    right: Counter[str] = Counter()
    wrong = []
    for said in utterances:
        read = read_utterance(said.text, said.phase, said.place)
        if _is_same(read, said.means, said.phase):
            right[said.phase] += 1
        else:
            wrong.append(Misreading(said.text, said.phase, said.place, said.means, read))
    counts = Counter(said.phase for said in utterances)
    return UnderstandingFigures(
        {phase: right[phase] / counts[phase] for phase in PHASES if counts[phase]},
        right.total() / len(utterances),
        len(utterances),
        sum(said.means == SILENT for said in utterances),
        sum(miss.means == SILENT for miss in wrong),
        tuple(wrong),
    )


def read_utterance(text: str, phase: Phase, place: Place) -> str:
    """The command that the words are taken for, `ASKED_BACK`, or `SILENT`."""
    try:
        found = understand(text, ReadingContext(phase, place), State(phase=phase))
    except UserError:  # unreadable, or the last of a list that this conversation does not have
        return read_plain(text, ReadingContext(phase, place)).said or ASKED_BACK
    if found.silent:
        return SILENT
    return found.said if found.said and found.fits else ASKED_BACK


def _is_same(read: str, means: str, phase: Phase) -> bool:
    """Whether two commands do the same: word for word, as values, or once both are read at this step."""
    read, means = (_name_proposal(command.strip(), phase) for command in (read, means))
    if ASKED_BACK in {read, means} or SILENT in {read, means}:
        return read == means
    return (
        _plain(read) == _plain(means) or _value(read) == _value(means) or _plain(read) == _plain(_reread(means, phase))
    )


def _name_proposal(command: str, phase: Phase) -> str:
    """`show` at a step shows what is proposed there: `show keywords`, `show papers`, `show outline`."""
    return f"show {phase}" if command == "show" and phase in {"keywords", "papers", "outline"} else command


def _reread(means: str, phase: Phase) -> str:
    return read_utterance(means, phase, "direct")


def _plain(command: str) -> str:
    """Without case, punctuation, articles, “to” and the order of merged sections, which change no meaning.

    Nor does how the wish of a rewrite is joined: “with a focus on …” is “focus on …”.
    """
    bare = re.sub(r"[“”\"'.,;:?!]+(?=\s|$)|(?<=\s)[“”\"']", " ", command.casefold())
    words = [word for word in bare.split() if word not in {"a", "an", "the", "to", "and", "into"}]
    if words[:1] == ["rewrite"]:
        words = [word for word in words if word not in {"with", "so", "that", "it"}]
    return " ".join(sorted(words) if words[:1] == ["merge"] else words)


def _value(command: str) -> object:
    """The command as a value; itself where the grammar cannot read it or two values are never the same."""
    try:
        return parse(command)
    except UserError:
        return command
