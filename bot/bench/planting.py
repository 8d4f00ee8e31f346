"""How a true sentence is made a false one: what is changed in it, added to it or said beside it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from engine.retrieval.identity import surname
from engine.text import fold
from engine.values import Paper

NAMED = r"(?<=[a-z,] )[A-Z][a-z]*[A-Z0-9][\w-]*"
"""A name inside a sentence."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence without its citation, and the paper that says it; ``cited`` is the key it is written with."""

    text: str
    paper: Paper
    cited: str


@dataclass(frozen=True, slots=True)
class Falsehood:
    """A kind of falsehood: ``make`` turns a true statement into a false one, or gives ``None`` where it cannot.

    ``seen`` says that a program can see it, whatever the checker says; ``other`` is a paper about something else.
    ``verdict`` is what the checker does with it every time: give no verdict, or name words that the paper lacks.
    """

    name: str
    seen: bool
    make: Callable[[Statement, Paper], Statement | None]
    verdict: Literal["", "missing", "invented words"] = ""


def change_text(text: str, pattern: str, into: str | Callable[[re.Match[str]], str]) -> str | None:
    changed = re.sub(pattern, into, text, count=1, flags=re.I)
    return changed if changed != text else None


def swap_words(
    pattern: str, into: str | Callable[[re.Match[str]], str]
) -> Callable[[Statement, Paper], Statement | None]:
    """The statement with the first thing the pattern finds changed."""

    def make(true: Statement, _: Paper) -> Statement | None:
        text = change_text(true.text, pattern, into)
        return Statement(text, true.paper, true.cited) if text else None

    return make


def add_words(addition: str) -> Callable[[Statement, Paper], Statement | None]:
    """The statement with words put before its end."""
    return lambda true, _: Statement(f"{true.text.rstrip('.')}{addition}.", true.paper, true.cited)


def put_before(words: str) -> Callable[[Statement, Paper], Statement | None]:
    """The statement as part of a longer one."""
    return lambda true, _: Statement(f"{words} {true.text[:1].lower()}{true.text[1:]}", true.paper, true.cited)


def write_about(text: str) -> Callable[[Statement, Paper], Statement | None]:
    """A sentence of its own, cited to the paper."""
    return lambda true, _: Statement(text.format(topic=name_topic(true.paper)), true.paper, true.cited)


def name_topic(paper: Paper) -> str:
    return " ".join(re.findall(r"[A-Za-z-]+", paper.title.rpartition(":")[2])[:5]).lower() or "the task"


def widen_to_all(true: Statement, _: Paper) -> Statement | None:
    if re.search(r"\b(?:all|every|each|any|always|universal\w*|regardless)\b", true.paper.content, re.I):
        return None
    return Statement(f"In all domains {true.text[:1].lower()}{true.text[1:]}", true.paper, true.cited)


def write_unless_better(text: str) -> Callable[[Statement, Paper], Statement | None]:
    """A sentence of its own, where the paper says of nothing that it is better."""

    def make(true: Statement, _: Paper) -> Statement | None:
        if re.search(
            r"\b(?:better|best|improv\w+|outperform\w*|surpass\w*|superior|gains?)\b", true.paper.content, re.I
        ):
            return None
        return Statement(text.format(topic=name_topic(true.paper)), true.paper, true.cited)

    return make


def enlarge(match: re.Match[str]) -> str:
    return f"{float(match[0].replace(',', '')) * 3 + 11:g}"


def cite_another(true: Statement, other: Paper) -> Statement:
    return Statement(true.text, true.paper, other.key)


def join_papers(true: Statement, other: Paper) -> Statement | None:
    said = re.split(r"(?<=[.!?]) ", other.content)[0].rstrip(".")
    return Statement(f"{true.text.rstrip('.')}, while {said[:1].lower()}{said[1:]}.", true.paper, true.cited)


def turn_sides(match: re.Match[str]) -> str:
    return f"{match[3]} {match[2]} {match[1]}"


def name_last_author(true: Statement, _: Paper) -> Statement | None:
    """Attributed to the paper's last author as if it were the first."""
    if len(true.paper.authors) < 2 or surname(true.paper.authors[-1]) in fold(true.paper.authors[0]):
        return None
    name = true.paper.authors[-1].split()[-1]
    return Statement(f"{name} et al. report that {begin_small(true.text)}", true.paper, true.cited)


def change_year(true: Statement, _: Paper) -> Statement | None:
    """Attributed to the first author with the year of another paper."""
    if not true.paper.authors or not true.paper.year:
        return None
    name, year = true.paper.authors[0].split()[-1], true.paper.year - 3
    return Statement(f"{name} et al. ({year}) report that {begin_small(true.text)}", true.paper, true.cited)


def begin_small(text: str) -> str:
    return f"{text[:1].lower()}{text[1:]}"


def exchange_measures(true: Statement, _: Paper) -> Statement | None:
    """Two measures of one sentence in each other's place."""
    found = re.findall(r"(?<![\w.,-])\d+\.\d+(?![\w.])", true.text)
    if len(set(found)) != 2 or len(found) != 2:
        return None
    text = true.text.replace(found[0], "#").replace(found[1], found[0]).replace("#", found[1])
    return Statement(text, true.paper, true.cited)


def reverse_direction(match: re.Match[str]) -> str:
    return {"increas": "decreas", "decreas": "increas", "reduc": "increas", "high": "low", "low": "high"}[
        match[1].lower()
    ] + match[2].lower()


def exchange_words(
    words: dict[str, str], before: str = "", behind: str = ""
) -> Callable[[Statement, Paper], Statement | None]:
    """The statement with the first of these words changed into its counterpart."""

    def make(true: Statement, _: Paper) -> Statement | None:
        text = re.sub(rf"{before}\b({'|'.join(words)})\b{behind}", lambda m: words[m[1]], true.text, count=1)
        return Statement(text, true.paper, true.cited) if text != true.text else None

    return make


def change_slightly(match: re.Match[str]) -> str:
    places = len(match[0].partition(".")[2])
    return f"{float(match[0]) * 1.11 + 10.0**-places:.{places}f}"


def add_unless_said(pattern: str, addition: str) -> Callable[[Statement, Paper], Statement | None]:
    """The statement with words put before its end, where the paper says nothing of the kind."""

    def make(true: Statement, _: Paper) -> Statement | None:
        if re.search(pattern, f"{true.paper.title} {true.paper.content}", re.I):
            return None
        return Statement(f"{true.text.rstrip('.')}{addition}.", true.paper, true.cited)

    return make


def add_data_of_another(true: Statement, other: Paper) -> Statement | None:
    """Tested on what another paper names."""
    own = true.paper.content
    named = [n for n in re.findall(NAMED, other.content) if n.partition("-")[0] not in own and len(n) > 3]
    return Statement(f"{true.text.rstrip('.')} on {named[0]}.", true.paper, true.cited) if named else None
