"""How often the model of sentence roles is right, and fitting it anew."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from engine.errors import UserError
from engine.reading.role_training import (
    RoleScores,
    measure_roles,
    read_labelled_abstracts,
    split_held_back,
    train_role_model,
)
from engine.reading.roles import ROLE_WEIGHTS, role_model


async def measure(console: Console, data: Path, *, as_json: bool) -> int:
    """Print how often the model that comes with Scholium is right on labelled abstracts."""
    _report(console, measure_roles(role_model(), read_labelled_abstracts(data)), as_json=as_json)
    return 0


async def train(console: Console, files: Sequence[Path], output: Path | None, *, as_json: bool) -> int:
    """Fit to two thirds, print the scores on the third held back, then fit to all and write the weights."""
    abstracts = [abstract for file in files for abstract in read_labelled_abstracts(file)]
    fitted, held_back = split_held_back(abstracts, seed=0)
    if not held_back:
        raise UserError("Three labelled abstracts are the fewest: a third is held back for measuring.")
    _report(console, measure_roles(train_role_model(fitted), held_back), as_json=as_json)
    path = output or Path(ROLE_WEIGHTS)
    path.write_bytes(train_role_model(abstracts).pack())
    if not as_json:
        console.print(f"The weights fitted to all {len(abstracts):,} abstracts are in {path}.")
    return 0


def _report(console: Console, scores: RoleScores, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(asdict(scores)))  # noqa: T201
        return
    console.print(
        f"{scores.sentences:,} sentences that have a role: {scores.accuracy:.1%} right as problem, contribution or "
        f"finding, {scores.role_accuracy:.1%} as one of the four roles."
    )
    console.print(
        f"{scores.sure_share:.1%} are sure enough to be quoted under a label (probability from "
        f"{scores.sure_from:.2f}); {scores.sure_accuracy:.1%} of these are right."
    )
    bands = "; ".join(f"{band.accuracy:.0%} of {band.sentences:,} from {band.agreement:.0%}" for band in scores.agreed)
    console.print(f"By how far the annotators agreed on a label: {bands}.")
