"""The trained linear models of plain words, as `training.py` writes them and every process reads them.

Reading takes some hundredths of a second, where training takes many and scikit-learn.
"""

from __future__ import annotations

import io
import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MODEL_FILE = Path(__file__).with_name("model.npz")


@dataclass(frozen=True, slots=True)
class Classes:
    """Weights of features for each class, a sparse matrix by rows of features, and what the classes are.

    ``starts[i] : starts[i + 1]`` are the places of feature ``i`` in ``columns`` (of classes) and ``weights``.
    """

    names: tuple[str, ...]
    intercepts: NDArray[np.float64]
    phases: Mapping[str, Sequence[str]]
    """By class, the steps at which it was seen in training; at others it is never proposed."""
    rows: Mapping[str, int]
    rarities: NDArray[np.float32]
    """Inverse document frequency of each feature."""
    starts: NDArray[np.uint32]
    columns: NDArray[np.uint8]
    weights: NDArray[np.float32]

    def score(self, groups: Iterable[Iterable[str]], phase: str) -> list[tuple[str, float]]:
        """The classes of this step with their values of the decision function, the highest first."""
        values = self.intercepts.copy()
        for row, weight in weigh_features(groups, self.rows, self.rarities):
            places = slice(self.starts[row], self.starts[row + 1])
            values[self.columns[places]] += weight * self.weights[places]
        found = [(n, float(v)) for n, v in zip(self.names, values, strict=True) if phase in self.phases[n]]
        return sorted(found, key=lambda pair: -pair[1])


def weigh_features(
    groups: Iterable[Iterable[str]], rows: Mapping[str, int], rarities: NDArray[np.float32]
) -> list[tuple[int, float]]:
    """TF-IDF weights, sublinear and each group of length 1, of the features that have a row."""
    weighed: list[tuple[int, float]] = []
    for group in groups:
        counts = Counter(rows[name] for name in group if name in rows)
        own = [(row, (1 + math.log(count)) * float(rarities[row])) for row, count in counts.items()]
        length = math.hypot(*(weight for _, weight in own))
        weighed += [(row, weight / length) for row, weight in own]
    return weighed


@dataclass(frozen=True, slots=True)
class Spans:
    """Weights of what is told of a word, for whether it stands in the words that a command needs."""

    weights: Mapping[str, float]
    intercept: float
    known: frozenset[str]
    """Words that examples have outside spans."""


@dataclass(frozen=True, slots=True)
class TrainedModel:
    """Both models; ``known`` are words of the commands themselves, ``digest`` is that of what it was trained on."""

    classes: Classes
    spans: Spans
    known: frozenset[str]
    digest: str


@cache
def load_model(file: Path = MODEL_FILE) -> TrainedModel:
    """The model that belongs to this version, or another that `save_model` wrote."""
    import numpy as np  # a tenth of a second, which commands do without

    with np.load(file) as stored:
        head = json.loads(stored["head"].tobytes())
        classes = Classes(
            tuple(head["names"]),
            np.array(head["intercepts"]),
            head["phases"],
            {name: row for row, name in enumerate(head["features"])},
            stored["rarities"],
            stored["starts"],
            stored["columns"],
            stored["weights"].astype(np.float32) * np.float32(head["unit"]),
        )
    spans = Spans(head["span_weights"], head["span_intercept"], frozenset(head["span_known"]))
    return TrainedModel(classes, spans, frozenset(head["known"]), head["digest"])


def save_model(model: TrainedModel, file: Path = MODEL_FILE) -> None:
    """Write the model, its weights in 127 steps."""
    import numpy as np

    classes = model.classes
    unit = float(np.abs(classes.weights).max()) / 127
    head = {
        "digest": model.digest,
        "names": classes.names,
        "intercepts": [round(float(value), 5) for value in classes.intercepts],
        "phases": {name: sorted(phases) for name, phases in classes.phases.items()},
        "unit": unit,
        "known": sorted(model.known),
        "span_weights": {name: round(weight, 4) for name, weight in model.spans.weights.items()},
        "span_intercept": model.spans.intercept,
        "span_known": sorted(model.spans.known),
        "features": list(classes.rows),
    }
    buffer = io.BytesIO()
    np.savez_compressed(
        buffer,
        head=np.frombuffer(json.dumps(head, ensure_ascii=False).encode(), np.uint8),
        rarities=classes.rarities.astype(np.float32),
        starts=classes.starts,
        columns=classes.columns,
        weights=np.round(classes.weights / unit).astype(np.int8),
    )
    file.write_bytes(buffer.getvalue())
