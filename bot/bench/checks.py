"""How well the program's checks alone tell false claims from true ones, on claims that people labelled."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from bot.bench.yardstick_report import ReportOptions, print_report, read_json_lines
from engine.addresses import number_sentences
from engine.checking.claim_evidence import choose_evidence, source_of
from engine.checking.doubts import carries, find_doubts, split_terms
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
    chosen = random.Random(seed)
    found = np.array([_examine(claim, chosen) for claim in claims])
    label = np.array([claim.label for claim in claims])
    sets = {name: np.array([claim.ds == name for claim in claims]) for name in dict.fromkeys(c.ds for c in claims)}
    if len(sets) > 1:
        sets["all"] = np.full(len(claims), fill_value=True)
    return [_score(name, found[own & label], found[own & ~label]) for name, own in sets.items()]


def _examine(claim: LabelledClaim, chosen: random.Random) -> tuple[bool, bool, bool]:
    """Whether it is doubted; whether its source's best sentence, and a random one, pass as evidence."""
    paper = claim.paper
    doubts = find_doubts(claim.claim, replace(source_of(choose_evidence(claim.claim, [paper], {})), papers=(paper,)))
    said = number_sentences(paper)
    if not said:
        return bool(doubts), False, False
    terms = split_terms(claim.claim)
    best, other = max(said, key=lambda own: len(terms & split_terms(own.text))), chosen.choice(said)
    accepts_best, accepts_other = (carries(claim.claim, one.text, paper.title) for one in (best, other))
    return bool(doubts), accepts_best, accepts_other


def _score(name: str, true: NDArray[np.bool_], false: NDArray[np.bool_]) -> Row:
    (alarm, best, other), (recall, *_) = _find_means(true), _find_means(false)
    j = low = high = None
    if recall is not None and alarm is not None:
        j = recall - alarm
        margin = Z95 * sqrt(recall * (1 - recall) / len(false) + alarm * (1 - alarm) / len(true))
        low, high = j - margin, j + margin
    return {
        "set": name,
        "true": len(true),
        "true_flagged": int(true[:, 0].sum()),
        "true_doubted": alarm,
        "false": len(false),
        "false_flagged": int(false[:, 0].sum()),
        "false_doubted": recall,
        "j": j,
        "low": low,
        "high": high,
        "best_accepted": best,
        "random_accepted": other,
    }


def _find_means(found: NDArray[np.bool_]) -> list[float | None]:
    return [float(mean) for mean in found.mean(axis=0)] if len(found) else [None] * 3
