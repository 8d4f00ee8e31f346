"""Fitting the model of sentence roles to labelled abstracts, and measuring it."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from engine.errors import UserError
from engine.reading.roles import (
    BUCKETS,
    ROLES,
    SURE,
    Matrix,
    Role,
    RoleModel,
    sentence_features,
    statement_probabilities,
)

STRENGTH = 6.0
"""Inverse of the regularisation: the best of 1 to 30 on abstracts held back."""

CERTAIN = 10.0
"""Log odds that stand for certainty."""

HELD_BACK = 3
"""One abstract in so many is held back for measuring."""

_STATEMENT_OF = np.array([0, 1, 1, 2, -1])
"""Role → statement, by position; `other` is none."""


@dataclass(frozen=True, slots=True)
class LabelledAbstract:
    """Sentences of one abstract, the role of each, and how many of its annotators agreed on it (0 to 1)."""

    sentences: tuple[str, ...]
    roles: tuple[Role, ...]
    agreement: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class RoleScores:
    """How often a model is right, `other` left out.

    ``accuracy`` is over the three statements (problem, contribution, finding), ``role_accuracy`` over the four
    roles; ``sure_accuracy`` and ``sure_share`` are of the sentences sure enough to be quoted under a label.
    """

    sentences: int
    accuracy: float
    role_accuracy: float
    sure_accuracy: float
    sure_share: float


def read_labelled_abstracts(path: Path) -> list[LabelledAbstract]:
    """JSON Lines, gzipped or not, with ``sentences``, ``labels`` and optionally ``confs`` (CSAbstruct's format).

    Raises `UserError` that names the first line that is not one.
    """
    try:
        content = path.read_bytes()
        text = (gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content).decode()
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise UserError(f"{path} could not be read: {error}") from error
    abstracts = [_labelled(line, f"{path}, line {n}") for n, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not abstracts:
        raise UserError(f"{path} holds no labelled abstract.")
    return abstracts


def _labelled(line: str, place: str) -> LabelledAbstract:
    try:
        record = json.loads(line)
        sentences, labels = record["sentences"], record["labels"]
        agreement = record.get("confs") or [1.0] * len(sentences)
        if not len(sentences) == len(labels) == len(agreement) or not set(labels) <= set(ROLES):
            raise ValueError(f"each sentence needs a label, one of {', '.join(ROLES)}")
        return LabelledAbstract(tuple(map(str, sentences)), tuple(labels), tuple(map(float, agreement)))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(f"{place} is not a labelled abstract: {error}") from error


def split_held_back(
    abstracts: Sequence[LabelledAbstract], seed: int
) -> tuple[list[LabelledAbstract], list[LabelledAbstract]]:
    """Abstracts to fit to and abstracts to measure on, a third of all, at random."""
    shuffled = random.Random(seed).sample(list(abstracts), len(abstracts))
    held = len(shuffled) // HELD_BACK
    return shuffled[held:], shuffled[:held]


def train_role_model(abstracts: Sequence[LabelledAbstract]) -> RoleModel:
    """One logistic regression for each role; a sentence counts by its annotators' agreement."""
    rows = [features for abstract in abstracts for features in sentence_features(abstract.sentences)]
    starts = np.cumsum([0, *(len(row.columns) for row in rows)])
    values, columns = (np.concatenate(parts) for parts in zip(*((r.values, r.columns) for r in rows), strict=True))
    features = csr_matrix((values, columns, starts), shape=(len(rows), BUCKETS))
    roles = np.array([ROLES.index(role) for abstract in abstracts for role in abstract.roles])
    weight = np.array([share for abstract in abstracts for share in abstract.agreement])
    fitted = [_fit_role(features, roles == i, weight) for i in range(len(ROLES))]
    weights = np.stack([coefficients for coefficients, _ in fitted])
    scale = float(np.abs(weights).max() / 127) or 1.0
    bias = np.array([intercept for _, intercept in fitted])
    return RoleModel(np.round(weights / scale).astype(np.int8), scale, bias)


def _fit_role(features: Any, has_role: NDArray[np.bool_], weight: Matrix) -> tuple[Matrix, float]:
    """Weights and bias of one role; one that no sentence, or every sentence, has is never, or always, predicted."""
    if has_role.all() or not has_role.any():
        return np.zeros(BUCKETS), CERTAIN if has_role.all() else -CERTAIN
    model = LogisticRegression(solver="liblinear", dual=True, C=STRENGTH, tol=0.01, random_state=0)
    model.fit(features, has_role, sample_weight=weight)
    return model.coef_[0], float(model.intercept_[0])


def measure_roles(model: RoleModel, abstracts: Sequence[LabelledAbstract]) -> RoleScores:
    """How often the model is right on these abstracts."""
    found = np.concatenate([model.probabilities(abstract.sentences) for abstract in abstracts])
    true = np.array([ROLES.index(role) for abstract in abstracts for role in abstract.roles])
    labelled = true != ROLES.index("other")
    found, true = found[labelled], true[labelled]
    statements = statement_probabilities(found)
    right = statements.argmax(axis=1) == _STATEMENT_OF[true]
    sure = statements.max(axis=1) >= SURE
    return RoleScores(
        sentences=len(true),
        accuracy=_mean(right),
        role_accuracy=_mean(found[:, :-1].argmax(axis=1) == true),
        sure_accuracy=_mean(right[sure]),
        sure_share=_mean(sure),
    )


def _mean(values: NDArray[np.bool_]) -> float:
    return float(values.mean()) if len(values) else 0.0
