"""What `deploy/monitoring` watches is what a process shows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from bot.monitoring.metrics import Metrics

MONITORING = Path(__file__).parents[3] / "deploy" / "monitoring"
ADDED_BY_PROMETHEUS = {"job", "instance"}


def list_alerts() -> Iterator[str]:
    for group in yaml.safe_load((MONITORING / "alerts.yaml").read_text())["groups"]:
        yield from (rule["expr"] for rule in group["rules"])


def list_panels() -> Iterator[str]:
    for panel in json.loads((MONITORING / "dashboard.json").read_text())["panels"]:
        yield from (target["expr"] for target in panel["targets"])


@pytest.fixture(scope="module")
def shown() -> dict[str, set[str]]:
    """The labels of each figure that a process shows once all of them have been counted."""
    metrics = Metrics()
    for figure in vars(metrics).values():
        if names := getattr(figure, "_labelnames", ()):
            figure.labels(*names)
    text = generate_latest(metrics.registry).decode()
    samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
    return {
        name: {label for s in samples if s.name == name for label in s.labels} for name in {s.name for s in samples}
    }


@pytest.mark.parametrize("expression", [*list_alerts(), *list_panels()])
def test_every_figure_that_is_watched_is_shown_with_its_labels(expression: str, shown: dict[str, set[str]]) -> None:
    figures = set(re.findall(r"\bscholium_\w+", expression))
    assert figures <= shown.keys() and (figures or expression.startswith("up{"))
    asked = {name.strip() for group in re.findall(r"by \(([^)]*)\)", expression) for name in group.split(",")}
    asked |= set(re.findall(r"[{,]\s*(\w+)\s*=", expression))
    assert asked <= set().union(*(shown[figure] for figure in figures), ADDED_BY_PROMETHEUS)


def test_every_figure_of_the_guide_is_shown(shown: dict[str, set[str]]) -> None:
    guide = (MONITORING.parents[1] / "docs" / "operating.md").read_text()
    named = set(re.findall(r"\bscholium_\w+", guide))
    assert len(named) >= 5
    # A histogram's name stands for its buckets, sum and count.
    assert {name for name in named if not {name, f"{name}_count"} & shown.keys()} == set()
