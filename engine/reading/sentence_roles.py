"""What each sentence of an abstract does: as its labels say where it has some, else as a linear model judges.

Its first pass judges each sentence by its words, its neighbours' words and its place; the second by what the first says
of all sentences of the abstract (stacked generalisation, Wolpert, 1992). ``tests.measures.train_roles`` makes its
weights (`roles.npz`; source and licence in `roles.md`).
"""

from __future__ import annotations

import io
import math
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cache, lru_cache
from importlib import resources
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.text import sentences, strip_quotes

Role = Literal["background", "objective", "method", "result", "other"]
ROLES: tuple[Role, ...] = ("background", "objective", "method", "result", "other")

Statement = Literal["problem", "contribution", "finding"]
"""What a sentence is quoted as: its background states the problem, objective and method the contribution."""

STATEMENTS: tuple[Statement, ...] = ("problem", "contribution", "finding")

ROLE_WEIGHTS = "roles.npz"
"""File of the weights, beside this one."""

BUCKETS = 1 << 18
"""Features are hashed into so many columns."""

Matrix = NDArray[np.float64]

_TOKEN = re.compile(r"[a-z]+(?:['’][a-z]+)?|\d+(?:[.,]\d+)*|[%$():;?]")
_BEFORE, _AFTER = 0x9E3779B1, 0x85EBCA77
"""Added to the hash of a word of the sentence before or after, so that it is a feature of its own."""

_WINDOW = 3
"""Sentences on each side whose probabilities the second pass sees one by one."""

_FAINT = 1e-3
"""Added to a probability before its logarithm."""


def sentence_features(sentences: Sequence[str]) -> list[tuple[NDArray[np.int64], float]]:
    """For each sentence of an abstract the columns of its features, and their Euclidean length.

    They are words, pairs of words and its place, which stand there twice, and its neighbours' words and pairs, once.
    """
    own = [_word_hashes(sentence) for sentence in sentences]
    count = len(sentences)
    features = []
    for i, hashes in enumerate(own):
        before = own[i - 1] + _BEFORE if i else _hashes(["before: none"])
        after = own[i + 1] + _AFTER if i + 1 < count else _hashes(["after: none"])
        place = [
            f"from start: {min(i, 9)}",
            f"from end: {min(count - 1 - i, 9)}",
            f"tenth: {10 * i // max(1, count - 1)}",
            f"sentences: {min(count, 12)}",
            f"ends: {sentences[i].rstrip()[-1:] in ('.', '!', '?')}",
        ]
        of_sentence = np.concatenate([hashes, _hashes(place)])
        columns = np.concatenate([of_sentence, of_sentence, before, after]) % BUCKETS
        features.append((columns, math.sqrt(4 * len(of_sentence) + len(before) + len(after))))
    return features


def _word_hashes(sentence: str) -> NDArray[np.int64]:
    tokens = ["^", *("#" if t[0].isdigit() else t for t in _TOKEN.findall(sentence.lower())), "$"]
    pairs = (f"{one} {other}" for one, other in pairwise(tokens))
    opening = f"opening: {' '.join(tokens[1:4])}"
    return _hashes([*tokens, *pairs, opening, f"length: {min(8, len(tokens) // 6)}"])


def _hashes(texts: Sequence[str]) -> NDArray[np.int64]:
    return np.array([zlib.crc32(text.encode()) for text in dict.fromkeys(texts)], np.int64)


def context_features(probabilities: Matrix) -> Matrix:
    """What the second pass reads, a row for each sentence of one abstract; ``probabilities`` are the first pass's.

    Logarithms of the sentence's own and of three neighbours on each side, means and largest of all before and all
    after, and the sentence's place.
    """
    count, roles = probabilities.shape
    seen = probabilities + _FAINT
    logs = np.log(seen)
    padded = np.vstack([np.zeros((_WINDOW, roles)), logs, np.zeros((_WINDOW, roles))])
    rows = []
    for i in range(count):
        before, after = seen[:i], seen[i + 1 :]
        around = [3.0 * part.mean(axis=0) if len(part) else np.zeros(roles) for part in (before, after)]
        most = [np.log(part.max(axis=0) if len(part) else np.full(roles, _FAINT)) for part in (before, after)]
        place = np.zeros(24)
        place[[min(i, 5), 6 + min(count - 1 - i, 5), 12 + min(count, 10)]] = 1.0
        place[23] = i / max(1, count - 1)
        rows.append(np.concatenate([padded[i : i + 2 * _WINDOW + 1].ravel(), *around, *most, place]))
    return np.array(rows)


@dataclass(frozen=True, slots=True, eq=False)
class RoleModel:
    """The weights of both passes, and from which probability a statement is sure.

    ``weights`` has shape (roles, `BUCKETS`) as signed bytes, ``scale`` restores them, ``bias`` is one for each role;
    ``context_weights`` has shape (roles, context features), ``context_bias`` one for each role. ``sure`` is the
    probability of a statement from which a sentence may stand under its label.
    """

    weights: NDArray[np.int8]
    scale: float
    bias: Matrix
    context_weights: Matrix
    context_bias: Matrix
    sure: float

    def probabilities(self, sentences: Sequence[str]) -> Matrix:
        """Shape (sentences, roles), rows summing to one; the sentences are those of one abstract, in order."""
        if not sentences:
            return np.zeros((0, len(ROLES)))
        first = np.zeros((len(sentences), len(ROLES)))
        for row, (columns, length) in enumerate(sentence_features(sentences)):
            first[row] = self.weights[:, columns].sum(axis=1, dtype=np.int64) / length * self.scale  # exact sums
        seen = round_off(context_features(round_off(one_against_rest(round_off(first + self.bias)))))
        total = round_off(seen @ self.context_weights.T + self.context_bias)
        return round_off(_normalise(np.exp(total - total.max(axis=1, keepdims=True))))


def round_off(values: Matrix) -> Matrix:
    """The values without their last digits, in which one processor's sums and powers differ from another's."""
    return np.round(values, 6)


def one_against_rest(log_odds: Matrix) -> Matrix:
    """Probabilities of the roles, each judged alone against all others, made to sum to one."""
    return _normalise(1.0 / (1.0 + np.exp(-log_odds)))


def _normalise(values: Matrix) -> Matrix:
    """The rows made to sum to one."""
    normalised: Matrix = values / np.maximum(values.sum(axis=1, keepdims=True), 1e-12)
    return normalised


def unpack_model(content: bytes) -> RoleModel:
    """The model in a numpy archive of its fields; raises `ValueError` for anything else."""
    with np.load(io.BytesIO(content), allow_pickle=False) as archive:
        stored = {field.name: archive[field.name] for field in fields(RoleModel)}
    return RoleModel(**(stored | {"sure": float(stored["sure"])}))


@cache
def role_model() -> RoleModel:
    """The model that comes with Scholium."""
    return unpack_model(resources.files("engine.reading").joinpath(ROLE_WEIGHTS).read_bytes())


def statement_probabilities(probabilities: Matrix) -> Matrix:
    """Shape (sentences, statements): `other` left out, objective and method put together, rows summing to one."""
    background, objective, method, result, _ = probabilities.T
    return _normalise(np.stack([background, objective + method, result], axis=1))


_LABELS: dict[Role, str] = {
    "background": "background introduction context rationale importance",
    "objective": "objective objectives aim aims purpose purposes goal goals hypothesis",
    "method": "method methods methodology materials material design setting settings patients participants subjects "
    "population animals intervention interventions exposure exposures measurements measures outcome outcomes sources "
    "extraction selection procedure procedures analysis approach",
    "result": "result results finding findings conclusion conclusions interpretation discussion implications "
    "significance relevance limitations",
}
"""Heads of labels, as the National Library of Medicine groups them; a conclusion is a finding here."""
_ROLE_OF = {word: role for role, words in _LABELS.items() for word in words.split()}

_BESIDE = frozenset(
    ("and", "of", "the", "main", "study", "primary", "secondary", "key", "principal", "research", "data", "major")
)
"""Words of a label that do not tell its role."""

_LABEL = re.compile(
    r"(?:^|(?<=[.!?;)\]]\s)|(?<=\n))\s*(?P<label>[A-Z][A-Za-z&/ ]{2,60}?)\s*(?:[:：]\s*|\s?[—–]\s?|\s-\s|\n+)(?=\S)"
)
_CAPITALS = re.compile(r"(?:^|(?<=[.!?)\]]\s))(?P<label>[A-Z]{3,}(?:[ &/]+[A-Z]+){0,5})[.]?\s+(?=[A-Z0-9])")


def role_of_label(label: str) -> Role | None:
    """The role that a label states; ``None`` for what is no label, or one of parts with several roles."""
    said = [word for word in re.split(r"[\s/&,]+", label.lower().strip(" .:")) if word and word not in _BESIDE]
    roles = {_ROLE_OF.get(word) for word in said}
    if roles == {"method", "result"} and said[0].startswith("measure"):
        return "result"
    return roles.pop() if len(roles) == 1 else None


def divide_by_labels(abstract: str) -> Iterator[tuple[Role | None, str]]:
    """The parts of an abstract as its labels divide it, without them, each with its role; none before the first."""
    found, bare = (
        [match for match in pattern.finditer(abstract) if role_of_label(match["label"])]
        for pattern in (_LABEL, _CAPITALS)
    )
    labels = bare if len(found) < 2 <= len(bare) else found
    ends = [match.start() for match in labels] + [len(abstract)]
    if before := abstract[: ends[0]].strip():
        yield None, before
    for match, end in zip(labels, ends[1:], strict=True):
        if text := abstract[match.end() : end].strip():
            yield role_of_label(match["label"]), text


def remove_label(sentence: str) -> str:
    """The sentence without a label of its part that it begins with."""
    found = _LABEL.match(sentence)
    return sentence[found.end() :] if found and role_of_label(found["label"]) else sentence


_STATEMENT_OF: dict[Role, Statement] = {
    "background": "problem",
    "objective": "contribution",
    "method": "contribution",
    "result": "finding",
}


@dataclass(frozen=True, slots=True)
class StatedSentence:
    """A sentence, what it states, and how sure that is (1.0 where the abstract itself says so)."""

    text: str
    statement: Statement
    probability: float


@lru_cache(maxsize=4_096)
def read_statements(abstract: str) -> tuple[StatedSentence, ...]:
    """The sentences of an abstract in order, without its labels, each in the abstract letter for letter."""
    said = [(role, text) for role, part in divide_by_labels(strip_quotes(abstract)) for text in sentences(part)]
    judged = statement_probabilities(role_model().probabilities([text for _, text in said]))
    found = []
    for (role, text), row in zip(said, judged, strict=True):
        stated = _STATEMENT_OF.get(role) if role else None
        probability = 1.0 if stated else float(row.max())
        found.append(StatedSentence(text, stated or STATEMENTS[int(row.argmax())], probability))
    return tuple(found)
