"""How often the model of sentence roles is right, and fitting it anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console

from bot.bench.report import Figures, ReportOptions, print_report
from engine.errors import UserError
from engine.reading.labelled_abstracts import read_labelled_abstracts
from engine.reading.role_training import RoleScores, measure_roles, split_held_back, train_role_model
from engine.reading.roles import ROLE_WEIGHTS, role_model


async def measure(console: Console, data: Path, options: ReportOptions) -> int:
    """Print how often the model that comes with Scholium is right on labelled abstracts."""
    _print_scores(console, data, measure_roles(role_model(), read_labelled_abstracts(data)), options)
    return 0


async def train(console: Console, files: Sequence[Path], output: Path | None, options: ReportOptions) -> int:
    """Fit to two thirds of each source, print the scores on the third held back, then fit to all, write the weights."""
    sources = [read_labelled_abstracts(file) for file in files]
    divided = [split_held_back(source, seed=0) for source in sources]
    if not all(held_back for _, held_back in divided):
        raise UserError("Three labelled abstracts are the fewest: a third is held back for measuring.")
    model = train_role_model([fitted for fitted, _ in divided])
    for file, (_, held_back) in zip(files, divided, strict=True):
        _print_scores(console, file, measure_roles(model, held_back), options)
    path = output or Path(ROLE_WEIGHTS)
    path.write_bytes(train_role_model(sources).pack())
    if not options.as_json:
        console.print(f"The weights fitted to {sum(map(len, sources)):,} abstracts are in {path}.")
    return 0


def _print_scores(console: Console, data: Path, scores: RoleScores, options: ReportOptions) -> None:
    print_report(console, "Roles of sentences", {"data": data.name, **asdict(scores)}, _read_figures, options)


def _read_figures(document: Mapping[str, Any]) -> Figures:
    """One row: right as one of three statements, as one of four roles, and among those sure enough to be quoted."""
    return {document["data"]: {k.replace("_", " "): v for k, v in document.items() if k != "data"}}
