"""Whether a number of a claim measures what it measures in the source: 70 % of the latency, or of the operations."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from engine.checking.numbers_in_place import place_numbers
from engine.text import stem, terms

_FAMILIES = (
    "latency time speed runtime faster slower speedup throughput delay seconds minutes hours milliseconds fast quick",
    "flops computation compute operations macs computational",
    "memory footprint storage ram space",
    "parameters size",
    "energy power battery",
    "price dollars monetary",
    "accuracy accurate correct correctly misclassified error errors",
    "precision",
    "em exact",
    "recall coverage",
    "f1 f-score",
    "bleu",
    "rouge",
    "perplexity",
    "ndcg",
    "mrr",
    "auc auroc",
    "iou miou",
    "map",
    "psnr",
    "wer",
    "hota",
    "mota",
    "cider",
    "meteor",
    "ssim",
    "fid",
    "dice",
    "success",
    "survival mortality",
    "reward return",
)
"""What is measured, in families of words that speak of the same; a number of one is none of another."""


_SHARE_OF_CASES = re.compile(r"\bof the time\b", re.I)
"""What measures no time: "right 90% of the time"."""


def find_other_measures(claim: str, sources: Iterable[str]) -> list[str]:
    """Numbers that the claim gives of one measure and the source's sentences only of others."""
    claim = _SHARE_OF_CASES.sub("", claim)
    ours = [(one, found) for one in place_numbers(claim) if (found := _measures(one.own) or _measures(one.company))]
    theirs = [other for sentence in sources for other in place_numbers(sentence)] if ours else []
    wrong = []
    for one, found in ours:
        same = [_measures(other.company) for other in theirs if one.number.equals(other.number)]
        if same and all(same) and not any(found & measured for measured in same):
            wrong.append(one.number.words)
    return wrong


def _measures(words: Iterable[str]) -> frozenset[int]:
    return frozenset(_family_of()[term] for term in words if term in _family_of())


@cache
def _family_of() -> dict[str, int]:
    return {
        term: at for at, line in enumerate(_FAMILIES) for word in line.split() for term in (stem(word), *terms(word))
    }
