"""How often the model of sentence roles is right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from bot.bench.yardstick_report import ReportOptions, print_report, read_json_lines
from engine.reading.sentence_roles import ROLES, Matrix, Role, RoleModel, role_model, statement_probabilities

_STATEMENT_OF = np.array([0, 1, 1, 2, -1])
"""Role → statement, by position; `other` is none."""


@dataclass(frozen=True, slots=True)
class LabelledAbstract:
    """Sentences of one abstract, the role of each, and how many of its annotators agreed on it, 0 to 1 (CSAbstruct)."""

    sentences: tuple[str, ...]
    labels: tuple[Role, ...]
    confs: tuple[float, ...] = ()
    """Empty where all agreed."""

    def __post_init__(self) -> None:
        if not len(self.sentences) == len(self.labels) == len(self.agreement):
            raise ValueError("each sentence needs a label")

    @property
    def agreement(self) -> tuple[float, ...]:
        """The share of annotators for each sentence."""
        return self.confs or (1.0,) * len(self.sentences)


async def measure(console: Console, data: Path, options: ReportOptions) -> int:
    """Print how often the model that comes with Scholium is right on labelled abstracts."""
    scores = measure_roles(role_model(), read_json_lines(data, LabelledAbstract))
    print_report(console, f"Roles of sentences in {data.name}", {"data": data.name, **scores}, options)
    return 0


def measure_roles(model: RoleModel, abstracts: Sequence[LabelledAbstract]) -> dict[str, float]:
    """How often the model is right on these abstracts, `other` left out.

    ``accuracy`` is over the three statements (problem, contribution, finding), ``role_accuracy`` over the four roles;
    ``sure_accuracy`` and ``sure_share`` are of the sentences sure enough to be quoted under a label.
    """
    found = np.concatenate([model.probabilities(abstract.sentences) for abstract in abstracts])
    true = np.array([ROLES.index(role) for abstract in abstracts for role in abstract.labels])
    statements, right = judge_statements(found, true)
    labelled = true != ROLES.index("other")
    sure = statements.max(axis=1) >= model.sure
    of_roles = found[labelled][:, :-1].argmax(axis=1) == true[labelled]
    return {
        "sentences": len(right),
        "accuracy": _mean(right),
        "role_accuracy": _mean(of_roles),
        "sure_accuracy": _mean(right[sure]),
        "sure_share": _mean(sure),
        "sure_from": float(model.sure),
    }


def _mean(values: NDArray[np.bool_]) -> float:
    return float(values.mean()) if len(values) else 0.0


def judge_statements(probabilities: Matrix, roles: NDArray[np.int64]) -> tuple[Matrix, NDArray[np.bool_]]:
    """The probabilities of the statements, and whether the likeliest is right; sentences without one left out."""
    labelled = roles != ROLES.index("other")
    statements = statement_probabilities(probabilities[labelled])
    right: NDArray[np.bool_] = statements.argmax(axis=1) == _STATEMENT_OF[roles[labelled]]
    return statements, right
