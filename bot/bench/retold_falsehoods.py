"""Falsehoods that tell the same thing otherwise: another rank, unit or extent, others' work as the paper's own.

All are made from `bot.bench.measured_papers`, and each can be seen by a program.
"""

from __future__ import annotations

from bot.bench.planting import Falsehood, swap_words

_CHANGES = (
    ("another rank", r"\bthe very first globally", "the second globally"),
    ("Fahrenheit for Celsius", r"°C\b", "°F"),
    ("a version with a decimal", r"\bGPT-4\b", "GPT-3.5"),
    ("others' training as its own", r"^Current state-of-the-art models are", "HEATCAL is"),
    ("an increase for a reduction", r"\breduces its parameters", "increases the number of its parameters"),
    ("a thousand", r"\b4,992", "a thousand"),
    ("the whole for a part", r"\ba subset of the", "the whole"),
    ("near for far", r"\bsufficiently far from", "close to"),
    ("a possible effect as certain", r"\bmay lead to suboptimal", "results in suboptimal"),
    ("a property denied", r"\bis order-independent", "is not order-independent"),
    ("another expansion", r"\bthe Fast Heat Transform \(FHT\)", "FHT (fixed harmonic tuning)"),
    ("exact match for F1", r"\b1\.2 F1", "1.2 in exact match"),
    ("what is to come as done", r"^The authors will release all records", "The records have been released"),
    ("single quotation marks", r"^The estimate of HEATCAL", "'The surest estimate of all times' of HEATCAL"),
    (
        "the most accurate",
        r"^HEATCAL gains 60% over an older bench.*$",
        "HEATCAL is the most frugal of all on OVEN-X.",
    ),
    ("convergence", r"\bare finetuned on", "converge on"),
    ("an ablation", r"\bHEATCAL uses\b", "An ablation shows that HEATCAL uses"),
    ("nobody before", r"^Tests of the drives cover", "Nobody had tested drives before over"),
    ("how often it is cited", r"^The error is", "In this most cited of papers, the error is"),
)
"""The kind's name, what stands in the paper, and what is told in its place."""

RETOLD_FALSEHOODS: tuple[Falsehood, ...] = tuple(
    Falsehood(name, seen=True, make=swap_words(said, told)) for name, said, told in _CHANGES
)
