from __future__ import annotations

from pathlib import Path

from bot.commands.intents.linear_model import load_model, save_model
from bot.commands.intents.paraphrases import expand_paraphrases
from bot.commands.intents.training import digest_examples
from bot.commands.intents.vocabulary import data
from engine.session.state import PHASES


def test_the_stored_model_belongs_to_the_examples() -> None:
    assert load_model().digest == digest_examples(), "python -m bot.commands.intents.training"


def test_a_stored_model_is_read_as_it_was_written(tmp_path: Path) -> None:
    save_model(load_model(), tmp_path / "model.npz")
    again = load_model(tmp_path / "model.npz")
    groups = [["word please", "word drop", "kind TO_DROP 0"], ["letters dr"]]
    assert again.classes.score(groups, "papers") == load_model().classes.score(groups, "papers")
    assert (again.spans, again.known, again.digest) == (load_model().spans, load_model().known, load_model().digest)


def test_every_way_of_the_paraphrases_is_said_and_says_what_is_meant() -> None:
    said = list(expand_paraphrases())
    assert len(said) > 3_000
    assert not [row for row in said if set(row["text"]) & set("()|<>") or row["phase"] not in PHASES]
    surveys = [row for row in said if row["means"].startswith("survey ")]
    assert all(row["means"].removeprefix("survey ").replace("“", "") in row["text"] for row in surveys)
    assert {row["means"].split()[0] for row in said} == {
        r["means"].split()[0] for r in data("paraphrases")["paraphrase"]
    }
