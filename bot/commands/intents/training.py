"""Trains the models of plain words: `python -m bot.commands.intents.training` writes what `linear_model.py` reads.

A linear support vector machine tells the commands apart, logistic regression finds the words that they need. No process
of the bot trains; a test compares what the stored model was trained on with the examples as they are.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import chain
from pathlib import Path

import numpy as np
from scipy.sparse import csc_matrix, csr_matrix
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from bot.commands.intents.classifier import write_template
from bot.commands.intents.features import describe
from bot.commands.intents.linear_model import Classes, Spans, TrainedModel, save_model, weigh_features
from bot.commands.intents.paraphrases import expand_paraphrases
from bot.commands.intents.phrases import normalise
from bot.commands.intents.spans import TaggedExample, describe_words, tag_example
from bot.commands.intents.vocabulary import table, words

_LEAST_EXAMPLES = 3
"""In how many examples a feature is to be found; rarer ones are no more than noise."""
_LEAST_WEIGHT = 0.03
"""Smaller weights decide nothing, and are three quarters of all."""
_SEEN_OFTEN = 2

_Example = tuple[str, str, str]
"""Normalised words, the phase, and the class of what they mean."""
_Groups = tuple[tuple[str, ...], ...]


def train() -> TrainedModel:
    """Both models, from `examples.jsonl` and `paraphrases.toml`."""
    examples = _load_examples()
    rows = _read_rows()
    tagged = [example for row in rows if (example := tag_example(row["text"], row["means"]))]
    known = words("function").union(*(norm.split() for norm, _, name in examples if not re.search("text|said", name)))
    return TrainedModel(_train_classes(examples), _train_spans(tagged), known, digest_examples())


def digest_examples() -> str:
    """What the models are trained on, as one number: it changes with the examples and with what is seen of them."""
    digest = hashlib.sha256()
    for norm, phase, template in _load_examples():
        digest.update(json.dumps([norm, phase, template, describe(norm, phase)]).encode())
    return digest.hexdigest()[:16]


def _train_classes(examples: Sequence[_Example]) -> Classes:
    described = [describe(norm, phase) for norm, phase, _ in examples]
    counts = Counter(name for groups in described for name in set(chain(*groups)))
    features = sorted(name for name, count in counts.items() if count >= _LEAST_EXAMPLES)
    row_of = {name: row for row, name in enumerate(features)}
    # The smooth inverse document frequency of scikit-learn.
    rarities = np.log((1 + len(examples)) / (1 + np.array([counts[n] for n in features]))).astype(np.float32) + 1
    machine = LinearSVC(random_state=0)
    machine.fit(_vectorise(described, row_of, rarities), [template for _, _, template in examples])
    by_feature = csc_matrix(np.where(np.abs(machine.coef_) >= _LEAST_WEIGHT, machine.coef_, 0))
    phases: dict[str, set[str]] = {}
    for _, phase, template in examples:
        phases.setdefault(template, set()).add(phase)
    return Classes(
        tuple(map(str, machine.classes_)),
        machine.intercept_,
        {name: sorted(at) for name, at in phases.items()},
        row_of,
        rarities,
        by_feature.indptr.astype(np.uint32),
        by_feature.indices.astype(np.uint8),
        by_feature.data.astype(np.float32),
    )


def _vectorise(described: Sequence[_Groups], rows: Mapping[str, int], rarities: np.ndarray) -> csr_matrix:
    weighed = [weigh_features(groups, rows, rarities) for groups in described]
    starts = np.cumsum([0, *map(len, weighed)])
    columns = [column for line in weighed for column, _ in line]
    return csr_matrix(([weight for line in weighed for _, weight in line], columns, starts), (len(weighed), len(rows)))


def _train_spans(learned: Sequence[TaggedExample]) -> Spans:
    outside = Counter(word for e in learned for word in {*e.said[: e.start], *e.said[e.end :]})
    often = frozenset(word for word, count in outside.items() if count >= _SEEN_OFTEN)
    known = often | words("function") | words("frame")
    described = [row for e in learned for row in describe_words(e.command, e.said, known)]
    inside = [e.start <= i < e.end for e in learned for i in range(len(e.said))]
    vectorizer = DictVectorizer()
    model = LogisticRegression(C=2, max_iter=300).fit(vectorizer.fit_transform(described), inside)
    weights = dict(zip(vectorizer.get_feature_names_out(), map(float, model.coef_[0]), strict=True))
    return Spans(weights, float(model.intercept_[0]), known)


def _load_examples() -> list[_Example]:
    return _repeat_at_other_steps(
        [(normalise(row["text"]).norm, row["phase"], write_template(row["means"])) for row in _read_rows()]
    )


def _repeat_at_other_steps(examples: list[_Example]) -> list[_Example]:
    """The examples, and what is said alike at several steps at each of them: who says “undo” names no step."""
    alike = {name: row.split() for name, row in table("alike").items()}
    repeated = (
        (norm, phase, template)
        for norm, _, template in examples
        if not words("step_names") & set(norm.split())
        for phase in alike.get(template, ())
    )
    return list(dict.fromkeys(chain(examples, repeated)))


@cache
def _read_rows() -> list[dict[str, str]]:
    """What was said to us: text, phase and meaning."""
    lines = Path(__file__).with_name("examples.jsonl").read_text(encoding="utf-8").splitlines()
    said = [row for row in map(json.loads, lines) if row["place"] != "thread" and row["means"]]
    return [*said, *expand_paraphrases()]


if __name__ == "__main__":
    save_model(train())
