"""How often the model of sentence roles is right, and fitting it anew."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from engine.errors import UserError
from engine.reading.labelled_abstracts import read_labelled_abstracts
from engine.reading.role_training import RoleScores, measure_roles, split_held_back, train_role_model
from engine.reading.roles import ROLE_WEIGHTS, role_model


async def measure(console: Console, data: Path, *, as_json: bool) -> int:
    """Print how often the model that comes with Scholium is right on labelled abstracts."""
    _report(console, data, measure_roles(role_model(), read_labelled_abstracts(data)), as_json=as_json)
    return 0


async def train(console: Console, files: Sequence[Path], output: Path | None, *, as_json: bool) -> int:
    """Fit to two thirds of each source, print the scores on the third held back, then fit to all, write the weights."""
    sources = [read_labelled_abstracts(file) for file in files]
    divided = [split_held_back(source, seed=0) for source in sources]
    if not all(held_back for _, held_back in divided):
        raise UserError("Three labelled abstracts are the fewest: a third is held back for measuring.")
    model = train_role_model([fitted for fitted, _ in divided])
    for file, (_, held_back) in zip(files, divided, strict=True):
        _report(console, file, measure_roles(model, held_back), as_json=as_json)
    path = output or Path(ROLE_WEIGHTS)
    path.write_bytes(train_role_model(sources).pack())
    if not as_json:
        console.print(f"The weights fitted to {sum(map(len, sources)):,} abstracts are in {path}.")
    return 0


def _report(console: Console, data: Path, scores: RoleScores, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"data": data.name, **asdict(scores)}))  # noqa: T201
        return
    console.print(
        f"{data.name}: {scores.sentences:,} sentences that have a role: {scores.accuracy:.1%} right as problem, "
        f"contribution or finding, {scores.role_accuracy:.1%} as one of the four roles."
    )
    console.print(
        f"{scores.sure_share:.1%} are sure enough to be quoted under a label (probability from "
        f"{scores.sure_from:.2f}); {scores.sure_accuracy:.1%} of these are right."
    )
