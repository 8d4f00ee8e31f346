"""Which of the words said are the topic, keyword or title that a command needs; `training.py` trains the tagger.

Every word gets the log-odds of standing in that span, from itself, its neighbours and the command; the contiguous words
with the highest sum are the span. A word that no example has outside a span counts as new, whatever it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.commands.intents.linear_model import Spans
from bot.commands.intents.phrases import Phrase, normalise

_COMMANDS = (
    ("survey", re.compile(r"survey (.+?)(?: \w+=\S+)*")),
    ("add section", re.compile(r"add section (.+?)(?: (?:after|before) \S+)?")),
    ("add a paragraph", re.compile(r"add a paragraph on (.+) to \S+")),
    ("remove", re.compile(r"remove the claim about (.+) from \S+")),
    ("name", re.compile(r"name (.+)")),
    ("rename", re.compile(r"rename \S+ to (.+)")),
    ("add", re.compile(r"add (.+)")),
    ("drop", re.compile(r"drop (?![\d\s.-]+$|last\b)(.+)")),
)
"""Commands with words of the person's own, and where in the command these stand."""
_LEAST_MARGIN = {"survey": 0.6}
_USUAL_MARGIN = 1.0
"""Least lead of the best span over the next, in log-odds, at which it is taken."""
_ARTICLES = frozenset({"the", "a", "an"})
_QUOTED = re.compile(r"[\"“«]([^\"“”«»]{2,80})[\"”»]")


@dataclass(frozen=True, slots=True)
class TaggedExample:
    """Normalised words said for a command; those from ``start`` to before ``end`` are what it needs."""

    command: str
    said: tuple[str, ...]
    start: int
    end: int


def tag_example(text: str, means: str) -> TaggedExample | None:
    """The example with its span; ``None`` where the command has none or says it in other words."""
    said = tuple(normalise(text).norm.split())
    for command, pattern in _COMMANDS:
        if match := pattern.fullmatch(means):
            wanted = tuple(normalise(match[1]).norm.split())
            starts = [i for i in range(len(said)) if said[i : i + len(wanted)] == wanted]
            return TaggedExample(command, said, starts[-1], starts[-1] + len(wanted)) if starts and wanted else None
    return None


def find_span(command: str, phrase: Phrase, spans: Spans) -> str:
    """The span's words as they were typed; empty where two spans are about as likely."""
    if len(quoted := _QUOTED.findall(phrase.source)) == 1:
        return str(quoted[0]).strip()
    said = list(re.finditer(r"\S+", phrase.norm))
    if not said:
        return ""
    described = describe_words(command, [word[0] for word in said], spans.known)
    odds = [spans.intercept + sum(spans.weights.get(n, 0) * value for n, value in row.items()) for row in described]
    sums = [(sum(odds[i:j]), i, j) for i in range(len(said)) for j in range(i + 1, len(said) + 1)]
    (best, start, end), *others = sorted(sums, reverse=True)
    core = _strip_articles([word[0] for word in said], start, end)
    others = [other for other in others if _strip_articles([word[0] for word in said], *other[1:]) != core]
    start, end = core
    if others and best - others[0][0] < _LEAST_MARGIN.get(command, _USUAL_MARGIN):
        return ""
    return phrase.surface(said[start].start(), said[end - 1].end())


def _strip_articles(said: Sequence[str], start: int, end: int) -> tuple[int, int]:
    """The span without an article that begins it, which is no difference between two spans."""
    while start + 1 < end and said[start] in _ARTICLES:
        start += 1
    return start, end


def describe_words(command: str, said: Sequence[str], known: frozenset[str]) -> list[dict[str, float]]:
    """What is told of each word: itself, two neighbours on either side, and where new words are."""
    seen = [word if word in known else "NEW" for word in said]
    padded = ["START", "START", *seen, "END", "END"]
    described = []
    for i, word in enumerate(seen):
        before2, before, _, after, after2 = padded[i : i + 5]
        new = "".join(str(int(near == "NEW")) for near in (before, word, after))
        named = (
            f"word={word}", f"before={before}", f"after={after}", f"before2={before2}", f"after2={after2}",
            f"around={before2} {before}", f"around={after} {after2}", f"pair={before} {word}", f"pair={word} {after}",
            f"new={new}", f"{command}: {word}", f"{command}: after {before}",
        )  # fmt: skip
        row = dict.fromkeys(named, 1.0)
        row["new before"] = float("NEW" in seen[:i])
        row["new after"] = float("NEW" in seen[i + 1 :])
        row["number"] = float(said[i][0] in "#0123456789")
        described.append(row)
    return described
