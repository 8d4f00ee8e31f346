"""How well the program's checks alone tell false claims from true ones, on claims that people labelled."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import Any
from zlib import crc32

from rich.console import Console

from bot.bench.yardstick_report import ReportOptions, print_report, read_json_lines
from engine.addresses import number_sentences
from engine.checking.claim_evidence import choose_evidence, source_of
from engine.checking.doubts import carries, find_doubts
from engine.checking.terms_held import split_terms
from engine.values import Paper, PaperKey

Z95 = 1.96
"""Of a normal distribution: 95 % lie within so many standard deviations."""


@dataclass(frozen=True, slots=True)
class LabelledClaim:
    """A claim of the set ``ds``, title and text of its source, and whether people say that the source says so."""

    ds: str
    claim: str
    title: str
    source: str
    label: bool

    @property
    def paper(self) -> Paper:
        """The source as a paper."""
        return Paper(PaperKey(f"claim:{crc32(self.source.encode())}"), self.title, self.source)


Row = Mapping[str, Any]
"""Claims of a set and how many of them were doubted; ``j`` is the share of the false less that of the true.

``low`` and ``high`` are its 95 % interval (normal approximation). ``best_accepted`` and ``random_accepted`` are the
shares of true claims of which the source's best sentence, and a random one, would pass as evidence.
"""


async def checks(console: Console, data: Path, options: ReportOptions) -> int:
    """Measure the claims of a file, and print a line for each set and one for all."""
    document = {"sets": measure_checks(read_json_lines(data, LabelledClaim))}
    print_report(console, "Claims that the program doubts", document, options)
    return 0


def measure_checks(claims: Sequence[LabelledClaim], seed: int = 0) -> list[Row]:
    """The scores of each set, and of all claims together where there are several sets."""
    sets = dict.fromkeys(claim.ds for claim in claims)
    chosen = random.Random(seed)
    found = [_examine(claim, chosen) for claim in claims]
    scores = [_score(name, [item for item in found if item.claim.ds == name]) for name in sets]
    return [*scores, _score("all", found)] if len(sets) > 1 else scores


@dataclass(frozen=True, slots=True)
class Examined:
    """A claim; whether it is doubted; whether its source's best sentence, and a random one, pass as evidence."""

    claim: LabelledClaim
    is_doubted: bool
    is_best_accepted: bool = False
    is_random_accepted: bool = False


def _examine(claim: LabelledClaim, chosen: random.Random) -> Examined:
    paper = claim.paper
    doubts = find_doubts(claim.claim, source_of(choose_evidence(claim.claim, [paper], {}), papers=[paper]))
    said = number_sentences(paper)
    if not said:
        return Examined(claim, bool(doubts))
    terms = split_terms(claim.claim)
    best, other = max(said, key=lambda own: len(terms & split_terms(own.text))), chosen.choice(said)
    accepted = (carries(claim.claim, sentence.text, paper.title) for sentence in (best, other))
    return Examined(claim, bool(doubts), *accepted)


def _score(name: str, found: Sequence[Examined]) -> Row:
    true, false = ([item for item in found if item.claim.label == label] for label in (True, False))
    alarms, hits = (sum(item.is_doubted for item in items) for items in (true, false))
    alarm, recall = (_mean([item.is_doubted for item in items]) for items in (true, false))
    j = low = high = None
    if recall is not None and alarm is not None:
        j = recall - alarm
        margin = Z95 * sqrt(recall * (1 - recall) / len(false) + alarm * (1 - alarm) / len(true))
        low, high = j - margin, j + margin
    return {
        "set": name,
        "true": len(true),
        "true_flagged": alarms,
        "true_doubted": alarm,
        "false": len(false),
        "false_flagged": hits,
        "false_doubted": recall,
        "j": j,
        "low": low,
        "high": high,
        "best_accepted": _mean([item.is_best_accepted for item in true]),
        "random_accepted": _mean([item.is_random_accepted for item in true]),
    }


def _mean(values: Sequence[bool]) -> float | None:
    return sum(values) / len(values) if values else None
