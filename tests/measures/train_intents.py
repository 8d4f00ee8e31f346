"""Trains the classifier of plain words: `python -m tests.measures.train_intents` writes `model.npz` and its figures.

A linear support vector machine over tf-idf of words and letters. Phrasings that are nearly the same stand in one fold,
so that the figures are those of phrasings never seen. No process of the bot trains.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.svm import LinearSVC

from bot.bench.understand import Utterance
from bot.bench.yardstick_report import read_json_lines
from bot.commands.intents.classifier import MODEL, NAMED, Classifier, rank
from bot.commands.intents.features import BUCKETS, Heard, describe, name_bucket, read_words, weigh
from bot.commands.intents.intents import INTENTS, NOT_FOR_US, UNCLEAR, list_slots
from bot.commands.intents.slots import describe_tokens, list_tokens

EXAMPLES = Path(__file__).with_name("intents.jsonl")
FOLDS = 5
LEAST_WORDS = 4
"""Shorter messages are often answers, which mean something else after somebody else."""
SAME_PHRASING = 0.4
"""Least share of letters in threes that two messages of one intent have in common to count as one phrasing."""


_PLACE = r"\d+(?:\.\d+)*|last"
_SLOTS = {
    "numbers": rf"(?:{_PLACE})(?:[ ,-]+(?:{_PLACE}))*", "place": _PLACE, "other": _PLACE, "where": "before|after",
    "reference": r"\d+", "formats": r"[\w. ]+", "language": r".+", "words": ".+", "topic": ".+", "question": ".+",
    "money": r"\d+",
}  # fmt: skip


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    def compile_template(template: str) -> re.Pattern[str]:
        parts = re.split(r"{(\w+)}", template)
        written = (f"(?P<{part}>{_SLOTS[part]})" if n % 2 else re.escape(part) for n, part in enumerate(parts))
        return re.compile("".join(written), re.I | re.S)

    return tuple((template, compile_template(template)) for template in INTENTS)


def label_command(means: str) -> str | None:
    """The intent of a command in the grammar's words; ``None`` where the table has none."""
    if means in {NOT_FOR_US, UNCLEAR}:
        return means
    return next((template for template, pattern in _patterns() if pattern.fullmatch(means)), None)


def save_classifier(classifier: Classifier, file: Path = MODEL) -> None:
    """Write it, its weights in 255 steps."""
    unit, named_unit = (float(np.abs(weights).max()) / 127 for weights in (classifier.weights, classifier.named))
    head = {
        "labels": classifier.labels,
        "unit": unit,
        "frame": sorted(classifier.frame),
        "named_unit": named_unit,
        "languages": sorted(classifier.languages),
        "digest": classifier.digest,
    }
    buffer = io.BytesIO()
    np.savez_compressed(
        buffer,
        head=np.frombuffer(json.dumps(head, ensure_ascii=False).encode(), np.uint8),
        weights=np.round(classifier.weights / unit).astype(np.int8),
        named=np.round(classifier.named / named_unit).astype(np.int8),
        intercept=classifier.intercept.astype(np.float32),
        rarity=classifier.rarity.astype(np.float16),
    )
    file.write_bytes(buffer.getvalue())


@dataclass(frozen=True, slots=True)
class Example:
    """What somebody said, where, and the command it means."""

    text: str
    heard: Heard
    means: str
    label: str


def load_examples(file: Path = EXAMPLES) -> list[Example]:
    """The labelled messages whose meaning is an intent of the table."""
    labelled = [(said, label_command(said.means)) for said in read_json_lines(file, Utterance)]
    return [Example(said.text, said.heard, said.means, label) for said, label in labelled if label is not None]


def digest_examples(examples: Sequence[Example]) -> str:
    """What a classifier is trained on, as one number: it changes with the examples and with what is seen of them."""
    digest = hashlib.sha256()
    for example in examples:
        digest.update(json.dumps([example.label, describe(example.text, example.heard)]).encode())
    return digest.hexdigest()[:16]


def divide_phrasings(examples: Sequence[Example]) -> list[int]:
    """The fold of each example; phrasings that are nearly the same, and what chains of them join, share one."""
    group = list(range(len(examples)))

    def find(i: int) -> int:
        while group[i] != i:
            i = group[i]
        return i

    by_label: defaultdict[str, list[int]] = defaultdict(list)
    for i, example in enumerate(examples):
        by_label[example.label].append(i)
    letters = [_letters(example.text) for example in examples]
    for members in by_label.values():
        for n, i in enumerate(members):
            for j in members[:n]:
                shared = len(letters[i] & letters[j])
                if shared and shared >= SAME_PHRASING * len(letters[i] | letters[j]):
                    group[find(i)] = find(j)
    return [zlib.crc32(examples[find(i)].text.encode()) % FOLDS for i in range(len(examples))]


def _letters(text: str) -> frozenset[str]:
    said = f" {' '.join(read_words(text))} "
    return frozenset(said[i : i + 3] for i in range(len(said) - 2))


def fit(examples: Sequence[Example]) -> Classifier:
    """The classifier of these examples, those that mean the same whoever spoke before in another place too."""
    digest, frame = digest_examples(examples), find_frame(examples)
    named = fit_named(examples, frame)
    examples = [*examples, *(said for example in examples for said in _say_among_people(example))]
    described = [describe(example.text, example.heard) for example in examples]
    counts = np.zeros(BUCKETS)
    for groups in described:
        for bucket in {name_bucket(name) for names in groups[:2] for name in names}:
            counts[bucket] += 1
    rarity = (np.log((1 + len(examples)) / (1 + counts)) + 1).astype(np.float32)
    weighed = [weigh(groups, rarity) for groups in described]
    starts = np.cumsum([0, *map(len, weighed)])
    columns = [bucket for line in weighed for bucket in line]
    matrix = csr_matrix(([w for line in weighed for w in line.values()], columns, starts), (len(weighed), BUCKETS))
    said = [example.label for example in examples]
    machine = LinearSVC(class_weight=_weigh_labels(said), random_state=0).fit(matrix, said)
    weights: NDArray[np.float32] = machine.coef_.T.astype(np.float32)
    labels = tuple(map(str, machine.classes_))
    intercept = machine.intercept_.astype(np.float32)
    languages = frozenset(e.means.rpartition(" to ")[2].lower() for e in examples if "{language}" in e.label)
    return Classifier(labels, weights, intercept, rarity, frame, named, languages, digest)


def _say_among_people(example: Example) -> Iterator[Example]:
    """The same said among people after one of them, and after us; nothing of what may answer somebody."""
    if example.label != UNCLEAR and len(read_words(example.text)) >= LEAST_WORDS:
        for before in (("bot", "colleague"), ("colleague", "bot")):
            yield replace(example, heard=Heard(example.heard.phase, "thread", others=True, before=before))


def _weigh_labels(said: Sequence[str]) -> dict[str, float]:
    """Rare commands count more, by the root of how rare they are; the others count in full."""
    counts = Counter(said)
    usual = len(said) / len(counts)
    return {label: max(1.0, (usual / count) ** 0.5) for label, count in counts.items()}


def find_spans(example: Example) -> list[tuple[int, int]]:
    """Where what the example names stands in it, each of several by itself."""
    slot = next((slot for slot in list_slots(example.label) if slot in {"words", "topic"}), "")
    named = dict(_patterns())[example.label].fullmatch(example.means) if slot else None
    if named is None:
        return []
    said, value = example.text.lower(), re.sub(r"\s+\w+=\S+", "", named[slot]).lower()
    spans = [
        (said.find(part), said.find(part) + len(part)) for part in ([value] if value in said else value.split(", "))
    ]
    return spans if all(start >= 0 for start, _ in spans) else []


def find_frame(examples: Sequence[Example]) -> frozenset[str]:
    """The words that stand around what is named: said twice, and more often than as a part of it."""
    around: Counter[str] = Counter()
    named: Counter[str] = Counter()
    for example in examples:
        if example.label in {NOT_FOR_US, "ask {question}", "quick {question}"}:
            continue
        spans = find_spans(example) if example.label in INTENTS else []
        for token in list_tokens(example.text):
            is_named = any(start <= token.start() < end for start, end in spans)
            (named if is_named else around)[token[0] if token.start() else token[0].lower()] += 1
    return frozenset(word for word, count in around.items() if count >= 2 and count > named[word])


def fit_named(examples: Sequence[Example], frame: frozenset[str]) -> NDArray[np.float32]:
    """What `Classifier.named` holds: three linear machines over the tokens of what is named somewhere."""
    rows: list[list[int]] = []
    answers: list[tuple[bool, bool, bool]] = []
    for example in examples:
        spans = find_spans(example) if example.label in INTENTS else []
        tokens = list_tokens(example.text) if spans else []
        described = describe_tokens(example.label, [token[0] for token in tokens], frame)
        rows += [[name_bucket(name) % NAMED for name in names] for names in described]
        for token in tokens:
            start, end = next((span for span in spans if span[0] <= token.start() < span[1]), (-1, -1))
            answers.append((start >= 0, start == token.start(), 0 <= end <= token.end()))
    starts = np.arange(len(rows) + 1) * len(rows[0])
    matrix = csr_matrix((np.ones(starts[-1]), [b for row in rows for b in row], starts), (len(rows), NAMED))
    machines = [LinearSVC(C=0.3, random_state=0).fit(matrix, column) for column in zip(*answers, strict=True)]
    return np.array([[*machine.coef_[0], machine.intercept_[0]] for machine in machines], np.float32).T


@dataclass(frozen=True, slots=True)
class HeldOut:
    """An example as it was read by a classifier that has seen no phrasing like it."""

    example: Example
    scores: dict[str, float]

    @property
    def read(self) -> str:
        """The likeliest intent."""
        return next(iter(self.scores))

    @property
    def lead(self) -> float:
        """Of the likeliest over the next."""
        first, second, *_ = self.scores.values()
        return first - second


def read_held_out(examples: Sequence[Example], folds: Sequence[int], held_out: int = FOLDS) -> list[HeldOut]:
    """Each example of the first folds as the classifier trained on all other folds reads it."""
    found = []
    for fold in range(held_out):
        classifier = fit([e for e, at in zip(examples, folds, strict=True) if at != fold])
        held = [e for e, at in zip(examples, folds, strict=True) if at == fold]
        found += [HeldOut(e, rank(classifier.score(e.text, e.heard), e.heard)) for e in held]
    return found


def _print_figures(read: Sequence[HeldOut]) -> None:
    right = sum(one.read == one.example.label for one in read)
    among = sum(one.example.label in [*one.scores][:3] for one in read)
    print(f"{len(read)} examples, {right / len(read):.1%} right, {among / len(read):.1%} among three")  # noqa: T201
    stops = sorted(((one.lead, one.example.label) for one in read if one.read == "stop"), reverse=True)
    wrong = max((lead for lead, label in stops if label != "stop"), default=0.0)
    print(f"  stop: above a lead of {wrong:.2f} none is another wish, {len(stops)} read")  # noqa: T201
    unclear = [one for one in read if one.example.label == UNCLEAR]
    print(f"  unclear: {sum(one.read == UNCLEAR for one in unclear)} of {len(unclear)} so read")  # noqa: T201


if __name__ == "__main__":
    labelled = load_examples()
    save_classifier(fit(labelled))
    _print_figures(read_held_out(labelled, divide_phrasings(labelled)))
