"""Fitting the model of sentence roles to labelled abstracts, and measuring it."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression

from engine.errors import UserError
from engine.reading.roles import (
    BUCKETS,
    ROLES,
    Matrix,
    Role,
    RoleModel,
    context_features,
    one_against_rest,
    sentence_features,
    statement_probabilities,
)

STRENGTH = 4.0
"""Inverse of the first pass's regularisation: the best of 2 to 6 by three-fold cross-validation."""

CONTEXT_STRENGTH = 0.05
"""Inverse of the second pass's regularisation."""

FOLDS = 4
"""Parts of the abstracts; the second pass learns from what models of the other parts say of each."""

SURE_PRECISION = 0.95
"""Share of the statements called sure that have to be right in cross-validation, where the label itself is sure."""

MAJORITY = 0.5
"""Agreement from which a label is taken as sure; below it most annotators chose another one, and it tells nothing."""

CERTAIN = 10.0
"""Log odds that stand for certainty."""

HELD_BACK = 3
"""One abstract in so many is held back for measuring."""

AGREEMENT_BANDS = (0.0, 0.5, 0.7, 0.9)
"""Agreement of annotators at which a band begins, each reported by itself."""

_STATEMENT_OF = np.array([0, 1, 1, 2, -1])
"""Role → statement, by position; `other` is none."""


@dataclass(frozen=True, slots=True)
class LabelledAbstract:
    """Sentences of one abstract, the role of each, and how many of its annotators agreed on it (0 to 1)."""

    sentences: tuple[str, ...]
    roles: tuple[Role, ...]
    agreement: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class AgreementScore:
    """How often a model is right where the annotators agreed at least so much (and less than the next band)."""

    agreement: float
    sentences: int
    accuracy: float


@dataclass(frozen=True, slots=True)
class RoleScores:
    """How often a model is right, `other` left out.

    ``accuracy`` is over the three statements (problem, contribution, finding), ``role_accuracy`` over the four
    roles; ``sure_accuracy`` and ``sure_share`` are of the sentences sure enough to be quoted under a label, which a
    statement is from the probability ``sure_from``. ``agreed`` tells what the annotators' disagreement costs.
    """

    sentences: int
    accuracy: float
    role_accuracy: float
    sure_accuracy: float
    sure_share: float
    sure_from: float
    agreed: tuple[AgreementScore, ...]


def read_labelled_abstracts(path: Path) -> list[LabelledAbstract]:
    """JSON Lines, gzipped or not, with ``sentences``, ``labels`` and optionally ``confs`` (CSAbstruct's format).

    Raises `UserError` that names the first line that is not one.
    """
    try:
        content = path.read_bytes()
        text = (gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content).decode()
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise UserError(f"{path} could not be read: {error}") from error
    abstracts = [
        _parse_labelled(line, f"{path}, line {n}") for n, line in enumerate(text.splitlines(), 1) if line.strip()
    ]
    if not abstracts:
        raise UserError(f"{path} holds no labelled abstract.")
    return abstracts


def _parse_labelled(line: str, place: str) -> LabelledAbstract:
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
    """Both passes, and the threshold from which a statement is sure; a sentence counts by its annotators' agreement.

    Each sentence's features for the second pass, and its probability by which the threshold is set, come from models
    that have not seen its abstract.
    """
    data = _build_training_data(abstracts)
    first = np.zeros((len(data.roles), len(ROLES)))
    for fold in range(FOLDS):
        seen, unseen = data.fold != fold, data.fold == fold
        if seen.any() and unseen.any():
            first[unseen] = _fit_words(data, seen).probabilities(data.features[unseen])
    parts = np.split(first, np.cumsum([len(abstract.sentences) for abstract in abstracts])[:-1])
    context = np.vstack([context_features(part) for part in parts])
    second = np.zeros_like(first)
    for fold in range(FOLDS):
        seen, unseen = data.fold != fold, data.fold == fold
        if seen.any() and unseen.any():
            second[unseen] = _fit_context(data, context, seen).probabilities(context[unseen])
    everything = np.ones(len(data.roles), bool)
    words, again = _fit_words(data, everything), _fit_context(data, context, everything)
    scale = float(np.abs(words.weights).max() / 127) or 1.0
    return RoleModel(
        np.round(words.weights / scale).astype(np.int8),
        scale,
        words.bias,
        again.weights,
        again.bias,
        _sure_threshold(second[data.agreement >= MAJORITY], data.roles[data.agreement >= MAJORITY]),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _TrainingData:
    """A row for each sentence: its features, role, annotators' agreement and the part its abstract belongs to."""

    features: csr_matrix
    roles: NDArray[np.int64]
    agreement: Matrix
    fold: NDArray[np.int64]


def _build_training_data(abstracts: Sequence[LabelledAbstract]) -> _TrainingData:
    rows = [features for abstract in abstracts for features in sentence_features(abstract.sentences)]
    starts = np.cumsum([0, *(len(row.columns) for row in rows)])
    values, columns = (np.concatenate(parts) for parts in zip(*((r.values, r.columns) for r in rows), strict=True))
    return _TrainingData(
        csr_matrix((values, columns, starts), shape=(len(rows), BUCKETS)),
        np.array([ROLES.index(role) for abstract in abstracts for role in abstract.roles]),
        np.array([share for abstract in abstracts for share in abstract.agreement]),
        np.array([n % FOLDS for n, abstract in enumerate(abstracts) for _ in abstract.roles]),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _LinearModel:
    """Weights of shape (roles, features) and a bias for each role; each role is judged alone or all together."""

    weights: Matrix
    bias: Matrix
    together: bool

    def probabilities(self, features: Any) -> Matrix:
        total: Matrix = features @ self.weights.T + self.bias
        return softmax(total, axis=1) if self.together else one_against_rest(total)


def _fit_words(data: _TrainingData, chosen: NDArray[np.bool_]) -> _LinearModel:
    """The first pass: one logistic regression for each role."""
    features, roles, agreement = data.features[chosen], data.roles[chosen], data.agreement[chosen]
    fitted = [_fit_role(features, roles == i, agreement) for i in range(len(ROLES))]
    return _LinearModel(np.stack([weights for weights, _ in fitted]), np.array([b for _, b in fitted]), together=False)


def _fit_context(data: _TrainingData, context: Matrix, chosen: NDArray[np.bool_]) -> _LinearModel:
    """The second pass: one multinomial regression; a role that no sentence has is never predicted."""
    roles = data.roles[chosen]
    weights, bias = np.zeros((len(ROLES), context.shape[1])), np.full(len(ROLES), -CERTAIN)
    known = np.unique(roles)
    if len(known) == 1:
        bias[known] = CERTAIN
        return _LinearModel(weights, bias, together=True)
    model = LogisticRegression(C=CONTEXT_STRENGTH, max_iter=200, tol=1e-3)
    model.fit(context[chosen], roles, sample_weight=data.agreement[chosen])
    if len(known) == 2:
        weights[known], bias[known] = np.vstack([0 * model.coef_, model.coef_]), [0.0, model.intercept_[0]]
    else:
        weights[known], bias[known] = model.coef_, model.intercept_
    return _LinearModel(weights, bias, together=True)


def _sure_threshold(probabilities: Matrix, roles: NDArray[np.int64]) -> float:
    """The lowest probability of a statement from which `SURE_PRECISION` of all are right, by one standard error.

    1.0 if there is none.
    """
    statements, right = _judge_statements(probabilities, roles)
    highest = statements.max(axis=1)
    order = np.argsort(-highest, kind="stable")
    count = np.arange(1, len(order) + 1)
    precision = np.cumsum(right[order]) / count
    error = np.sqrt(precision * (1.0 - precision) / count)
    precise = np.flatnonzero(precision - error >= SURE_PRECISION)
    return float(highest[order][precise[-1]]) if len(precise) else 1.0


def _judge_statements(probabilities: Matrix, roles: NDArray[np.int64]) -> tuple[Matrix, NDArray[np.bool_]]:
    """The probabilities of the statements, and whether the likeliest is right; sentences without one left out."""
    labelled = roles != ROLES.index("other")
    statements = statement_probabilities(probabilities[labelled])
    right: NDArray[np.bool_] = statements.argmax(axis=1) == _STATEMENT_OF[roles[labelled]]
    return statements, right


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
    statements, right = _judge_statements(found, true)
    labelled = true != ROLES.index("other")
    sure = statements.max(axis=1) >= model.sure
    return RoleScores(
        sentences=len(right),
        accuracy=_mean(right),
        role_accuracy=_mean(found[labelled][:, :-1].argmax(axis=1) == true[labelled]),
        sure_accuracy=_mean(right[sure]),
        sure_share=_mean(sure),
        sure_from=model.sure,
        agreed=_by_agreement(right, np.array([s for a in abstracts for s in a.agreement])[labelled]),
    )


def _by_agreement(right: NDArray[np.bool_], agreement: Matrix) -> tuple[AgreementScore, ...]:
    bands = [(low, (agreement >= low) & (agreement < high)) for low, high in pairwise((*AGREEMENT_BANDS, np.inf))]
    return tuple(AgreementScore(low, int(band.sum()), _mean(right[band])) for low, band in bands if band.any())


def _mean(values: NDArray[np.bool_]) -> float:
    return float(values.mean()) if len(values) else 0.0
