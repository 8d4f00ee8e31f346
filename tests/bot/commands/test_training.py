from __future__ import annotations

from pathlib import Path

import pytest

from bot.commands.intents.classifier import load_classifier
from bot.commands.intents.features import Heard
from bot.commands.intents.intents import INTENTS, NOT_FOR_US, UNCLEAR
from bot.commands.intents.plain_words import STOPPED_AT
from tests.measures.train_intents import (
    EXAMPLES,
    HeldOut,
    digest_examples,
    label_command,
    load_examples,
    read_held_out,
    save_classifier,
)


@pytest.fixture(scope="module")
def held_out() -> list[HeldOut]:
    """Each example as it is read by a classifier that was trained on no phrasing like it."""
    return read_held_out(load_examples())


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
    assert len(stops) >= 20
    assert {one.example.label for one in stops} == {"stop"}


def test_a_stored_classifier_is_read_as_it_was_written(tmp_path: Path) -> None:
    save_classifier(load_classifier(), tmp_path / "model.npz")
    again, heard = load_classifier(tmp_path / "model.npz"), Heard("papers")
    assert again.score("please drop 3", heard) == load_classifier().score("please drop 3", heard)
    assert (again.frame, again.joints, again.digest) == (
        load_classifier().frame,
        load_classifier().joints,
        load_classifier().digest,
    )
