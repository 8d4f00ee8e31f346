"""The commands `bench rating-form` and `bench ratings`: surveys for people to rate, and what their ratings say."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from pydantic import TypeAdapter, ValidationError
from rich.console import Console
from rich.table import Table

from bot.cli.running import read_text, write_text
from engine.errors import UserError
from engine.evaluation.documents import list_systems, read_document
from engine.evaluation.ratings import (
    label_studio_interface,
    label_studio_tasks,
    measure_agreement,
    name_surveys,
    number_surveys,
    rank_surveys,
    read_ratings,
    score_systems,
)
from engine.evaluation.scores import Score

INTERFACE, TASKS, KEY = "label-studio.xml", "tasks.json", "key.json"


async def write_form(console: Console, folders: Sequence[Path], output: Path, seed: int) -> int:
    """Write the labelling interface, the tasks, and the key that says which system wrote which survey."""
    surveys = {
        f"{system}/{path.stem}": (path.stem, read_document(path))
        for system, paths in list_systems(folders).items()
        for path in paths
    }
    key = number_surveys(surveys, seed)
    told = json.dumps(key, ensure_ascii=False, indent=1)
    files = {INTERFACE: label_studio_interface(), TASKS: label_studio_tasks(key, surveys), KEY: told}
    for name, content in files.items():
        write_text(output / name, content)
    console.print(
        f"{len(surveys)} surveys in {output}. In Label Studio make a project with the labelling interface {INTERFACE}, "
        f"import {TASKS}, and let everybody rate every survey. Keep {KEY} from the raters: it says who wrote what. "
        f"Then export and say: scholium bench ratings EXPORT --key {output / KEY}",
        soft_wrap=True,
    )
    return 0


async def print_ratings(console: Console, export: Path, key: Path | None, ranks: Path | None) -> int:
    """Print each system's scores and how far the raters agree; write the surveys' ranks where ``ranks`` names a file.

    Without a key the ratings name their surveys “system/topic” themselves.
    """
    ratings = read_ratings(read_text(export))
    if key:
        try:
            ratings = name_surveys(ratings, TypeAdapter(dict[str, str]).validate_json(read_text(key)))
        except ValidationError as error:
            raise UserError(f"{key} is not a key that `scholium bench rating-form` wrote.") from error
    if ranks:
        write_text(ranks, json.dumps(rank_surveys(ratings), ensure_ascii=False, indent=1))
    systems, agreement = score_systems(ratings), measure_agreement(ratings)
    raters, surveys = len({r.rater for r in ratings}), len({r.survey for r in ratings})
    title = f"Ratings of {surveys} surveys by {raters} people"
    table = Table("mean ± standard deviation", *(name or "–" for name in systems), title=title)
    for name in dict.fromkeys(name for scores in systems.values() for name in scores):
        table.add_row(name, *(_show(scores.get(name)) for scores in systems.values()))
    console.print(table)
    table = Table("Agreement of the raters", "", "How")
    for score in agreement:
        table.add_row(score.name.removeprefix("agreement "), _show(score), score.how)
    console.print(table)
    if ranks:
        said = f"Written: {ranks}. How far judges agree with people: scholium evaluate --compare … --ranks {ranks}"
        console.print(said, soft_wrap=True)
    return 0


def _show(score: Score | None) -> str:
    if score is None or score.value is None:
        return "–"
    return f"{score.value:.2f}" + (f" ± {score.spread:.2f}" if score.spread is not None else "")
