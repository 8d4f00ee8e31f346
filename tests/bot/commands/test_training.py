from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bot.commands.intents.classifier import load_classifier
from bot.commands.intents.features import Heard
from bot.commands.intents.intents import INTENTS, NOT_FOR_US, UNCLEAR, list_slots
from bot.commands.intents.plain_words import STOPPED_AT
from bot.commands.intents.slots import fill_intent
from tests.measures.train_intents import (
    EXAMPLES,
    HeldOut,
    digest_examples,
    divide_phrasings,
    find_frame,
    fit_named,
    label_command,
    load_examples,
    read_held_out,
    save_classifier,
)

PLACES = {f"{place}": "" for first in range(1, 10) for place in (first, *(f"{first}.{n}" for n in range(1, 10)))}
"""The sections of an outline without titles."""


TRIED = 2
"""Folds that are held out here, to save time; `python -m tests.measures.train_intents` holds out each in turn."""


@pytest.fixture(scope="module")
def folds() -> list[int]:
    return divide_phrasings(load_examples())


@pytest.fixture(scope="module")
def held_out(folds: list[int]) -> list[HeldOut]:
    """Examples as they are read by a classifier that was trained on no phrasing like them."""
    return read_held_out(load_examples(), folds, TRIED)


def test_the_stored_classifier_belongs_to_the_examples() -> None:
    assert load_classifier().digest == digest_examples(load_examples()), "python -m tests.measures.train_intents"


def test_every_example_means_an_intent_of_the_table_and_every_intent_has_examples() -> None:
    labels = {example.label for example in load_examples()}
    assert len(load_examples()) == len(EXAMPLES.read_text(encoding="utf-8").splitlines())
    assert labels == {NOT_FOR_US, UNCLEAR, *INTENTS}
    assert all(label_command(template.replace("{", "").replace("}", "")) for template in ("ok", "gaps"))


def test_phrasings_never_seen_are_read_and_what_is_done_alone_is_never_wrong(held_out: list[HeldOut]) -> None:
    assert sum(one.read == one.example.label for one in held_out) / len(held_out) >= 0.67
    assert sum(one.example.label in [*one.scores][:3] for one in held_out) / len(held_out) >= 0.86
    stops = [one for one in held_out if one.read == "stop" and one.lead > STOPPED_AT]
    assert len(stops) >= 8
    assert {one.example.label for one in stops} == {"stop"}


def test_what_is_named_is_found_in_phrasings_never_seen(folds: list[int]) -> None:
    examples, found = load_examples(), list[bool]()
    for fold in range(TRIED):
        learnt = [e for e, at in zip(examples, folds, strict=True) if at != fold]
        classifier = replace(load_classifier(), frame=find_frame(learnt), named=fit_named(learnt, find_frame(learnt)))
        held = [e for e, at in zip(examples, folds, strict=True) if at == fold and e.label in INTENTS]
        naming = [e for e in held if {"words", "topic"} & {*list_slots(e.label)}]
        found += [fill_intent(e.label, e.text, classifier, PLACES).lower() == e.means.lower() for e in naming]
    assert sum(found) / len(found) >= 0.75


def test_a_stored_classifier_is_read_as_it_was_written(tmp_path: Path) -> None:
    save_classifier(load_classifier(), tmp_path / "model.npz")
    again, heard = load_classifier(tmp_path / "model.npz"), Heard("papers")
    assert again.score("please drop 3", heard) == load_classifier().score("please drop 3", heard)
    assert (again.frame, again.digest) == (load_classifier().frame, load_classifier().digest)
    assert np.array_equal(again.named, load_classifier().named)
