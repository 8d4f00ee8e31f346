"""Fits the model of sentence roles: `python -m tests.measures.train_roles FILES -o roles.npz`.

It is fitted to two thirds of each source and measured on the third held back, then fitted to all. No process of the bot
trains.
"""

from __future__ import annotations

import io
import random
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console
from scipy.sparse import csr_matrix
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression

from bot.bench.roles import LabelledAbstract, judge_statements, measure_roles
from bot.bench.yardstick_report import ReportOptions, print_report
from engine.errors import UserError
from engine.reading.sentence_roles import (
    BUCKETS,
    ROLE_WEIGHTS,
    ROLES,
    Matrix,
    RoleModel,
    context_features,
    one_against_rest,
    sentence_features,
)
from tests.measures.labelled_sources import read_source

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

MOST_OF_SOURCE = 2_000
"""Abstracts of one source that are fitted to, about as many as CSAbstruct has: no field outweighs another."""


def split_held_back(
    abstracts: Sequence[LabelledAbstract], seed: int
) -> tuple[list[LabelledAbstract], list[LabelledAbstract]]:
    """Abstracts to fit to and abstracts to measure on, a third of all, at random."""
    shuffled = random.Random(seed).sample(list(abstracts), len(abstracts))
    held = len(shuffled) // HELD_BACK
    return shuffled[held:], shuffled[:held]


def train_role_model(sources: Sequence[Sequence[LabelledAbstract]]) -> RoleModel:
    """Both passes, and the threshold from which a statement is sure in each of the sources.

    A sentence counts by its annotators' agreement. Its features for the second pass, and its probability by which the
    threshold is set, come from models that have not seen its abstract.
    """
    sources = [random.Random(0).sample(list(s), min(len(s), MOST_OF_SOURCE)) for s in sources]
    abstracts = [abstract for source in sources for abstract in source]
    data = _build_training_data(sources)
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
        max(_sure_threshold(second[rows], data.roles[rows]) for rows in data.list_sources()),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _TrainingData:
    """A row for each sentence: its features, role, annotators' agreement, its abstract's part and source."""

    features: csr_matrix
    roles: NDArray[np.int64]
    agreement: Matrix
    weight: Matrix
    fold: NDArray[np.int64]
    source: NDArray[np.int64]

    def list_sources(self) -> list[NDArray[np.bool_]]:
        """The rows of each source whose label is sure."""
        sure = self.agreement >= MAJORITY
        return [sure & (self.source == n) for n in range(int(self.source.max()) + 1)]


def _build_training_data(sources: Sequence[Sequence[LabelledAbstract]]) -> _TrainingData:
    abstracts = [abstract for source in sources for abstract in source]
    rows = [features for abstract in abstracts for features in sentence_features(abstract.sentences)]
    starts = np.cumsum([0, *(len(columns) for columns, _ in rows)])
    values = np.concatenate([np.full(len(columns), 1 / length) for columns, length in rows])
    features = csr_matrix((values, np.concatenate([columns for columns, _ in rows]), starts), (len(rows), BUCKETS))
    features.sum_duplicates()
    return _TrainingData(
        features,
        np.array([ROLES.index(role) for abstract in abstracts for role in abstract.labels]),
        np.array([share for abstract in abstracts for share in abstract.agreement]),
        np.concatenate([_weigh(source, len(rows) / len(sources)) for source in sources]),
        np.array([n % FOLDS for n, abstract in enumerate(abstracts) for _ in abstract.labels]),
        np.array([n for n, source in enumerate(sources) for abstract in source for _ in abstract.labels]),
    )


def _weigh(source: Sequence[LabelledAbstract], total: float) -> Matrix:
    """Weights of one source's sentences by their annotators' agreement, with this sum: all sources weigh alike."""
    agreement = np.array([share for abstract in source for share in abstract.agreement])
    weights: Matrix = agreement * (total / agreement.sum())
    return weights


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
    features, roles, weight = data.features[chosen], data.roles[chosen], data.weight[chosen]
    fitted = [_fit_role(features, roles == i, weight) for i in range(len(ROLES))]
    return _LinearModel(np.stack([weights for weights, _ in fitted]), np.array([b for _, b in fitted]), together=False)


def _fit_context(data: _TrainingData, context: Matrix, chosen: NDArray[np.bool_]) -> _LinearModel:
    """The second pass: one multinomial regression; a role that no sentence has is never predicted."""
    roles = data.roles[chosen]
    weights, bias = np.zeros((len(ROLES), context.shape[1])), np.full(len(ROLES), -CERTAIN)
    known = np.unique(roles)
    if len(known) == 1:
        bias[known] = CERTAIN
        return _LinearModel(weights, bias, together=True)
    model = LogisticRegression(C=CONTEXT_STRENGTH, max_iter=1_000, tol=1e-3)
    model.fit(context[chosen], roles, sample_weight=data.weight[chosen])
    if len(known) == 2:
        weights[known], bias[known] = np.vstack([0 * model.coef_, model.coef_]), [0.0, model.intercept_[0]]
    else:
        weights[known], bias[known] = model.coef_, model.intercept_
    return _LinearModel(weights, bias, together=True)


def _sure_threshold(probabilities: Matrix, roles: NDArray[np.int64]) -> float:
    """The lowest probability of a statement from which `SURE_PRECISION` of all are right, by one standard error.

    1.0 if there is none.
    """
    statements, right = judge_statements(probabilities, roles)
    highest = statements.max(axis=1)
    order = np.argsort(-highest, kind="stable")
    count = np.arange(1, len(order) + 1)
    precision = np.cumsum(right[order]) / count
    error = np.sqrt(precision * (1.0 - precision) / count)
    precise = np.flatnonzero(precision - error >= SURE_PRECISION)
    return float(highest[order][precise[-1]]) if len(precise) else 1.0


def _fit_role(features: Any, has_role: NDArray[np.bool_], weight: Matrix) -> tuple[Matrix, float]:
    """Weights and bias of one role; one that no sentence, or every sentence, has is never, or always, predicted."""
    if has_role.all() or not has_role.any():
        return np.zeros(BUCKETS), CERTAIN if has_role.all() else -CERTAIN
    model = LogisticRegression(solver="liblinear", dual=True, C=STRENGTH, tol=0.01, random_state=0)
    model.fit(features, has_role, sample_weight=weight)
    return model.coef_[0], float(model.intercept_[0])


def train(console: Console, files: Sequence[Path], output: Path) -> None:
    """Print the scores of each file's third, write the weights. Raises `UserError` where a file has too few."""
    sources = [read_source(file) for file in files]
    divided = [split_held_back(source, seed=0) for source in sources]
    if not all(held_back for _, held_back in divided):
        raise UserError("Three labelled abstracts are the fewest: a third is held back for measuring.")
    model = train_role_model([fitted for fitted, _ in divided])
    for file, (_, held_back) in zip(files, divided, strict=True):
        print_report(console, f"Roles of sentences in {file.name}", measure_roles(model, held_back), ReportOptions())
    output.write_bytes(pack_model(train_role_model(sources)))
    console.print(f"The weights fitted to {sum(map(len, sources)):,} abstracts are in {output}.")


def pack_model(model: RoleModel) -> bytes:
    """The model as a compressed numpy archive of its fields."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **{field.name: getattr(model, field.name) for field in fields(model)})
    return buffer.getvalue()


def main(
    files: Annotated[list[Path], typer.Argument(help="Labelled abstracts to fit to.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="File for the fitted weights.")] = Path(ROLE_WEIGHTS),
) -> None:
    """Fit the model anew."""
    train(Console(), files, output)


if __name__ == "__main__":
    typer.run(main)
