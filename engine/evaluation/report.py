"""Evaluations as JSON, as Markdown tables with mean ± standard deviation, and in three sentences."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict

from engine.evaluation.measures import Evaluation
from engine.evaluation.scores import Score, describe_scale, mean_and_spread
from engine.rendering.markdown import escape_markdown, render_table
from engine.rubrics import CRITERIA


def as_json(evaluations: Mapping[str, Sequence[Evaluation]], about: Mapping[str, str]) -> str:
    """Everything, with judge, version and date in ``about``."""
    systems = {name: [asdict(e) for e in found] for name, found in evaluations.items()}
    return json.dumps({"about": dict(about), "systems": systems}, ensure_ascii=False, indent=1)


def as_markdown(evaluation: Evaluation, about: Mapping[str, str], *, details: bool = False) -> str:
    """One survey: a table for each group; with ``details`` the reasons below."""
    parts = [f"# Evaluation of “{escape_markdown(evaluation.title)}”", _verdict(evaluation), _about(about)]
    parts += [f"⚠ {escape_markdown(problem)}" for problem in evaluation.problems]
    for name, scores in evaluation.groups:
        rows = [(escape_markdown(s.name), _value(s), escape_markdown(s.how)) for s in scores]
        parts += [f"## {name}", render_table(("Measure", "Value", "How"), rows)]
        if details:
            parts += ["\n".join(f"- {escape_markdown(d)}" for d in s.details) for s in scores if s.details]
    return "\n\n".join(parts) + "\n"


def comparison(evaluations: Mapping[str, Sequence[Evaluation]], about: Mapping[str, str]) -> str:
    """Several systems over several topics: one row for each measure, mean ± standard deviation (AE14)."""
    names = list(dict.fromkeys(n for found in evaluations.values() for e in found for n in e.scores()))
    head = ("Measure", *(f"{escape_markdown(system)} ({len(found)})" for system, found in evaluations.items()))
    rows = []
    for name in names:
        columns = ([s.value for e in found if (s := e.scores().get(name))] for found in evaluations.values())
        rows.append((escape_markdown(name), *map(word_mean, columns)))
    unread = [
        f"- {escape_markdown(system)}, {escape_markdown(e.title)}: {escape_markdown(problem)}"
        for system, found in evaluations.items()
        for e in found
        for problem in e.problems
    ]
    told = ["## What could not be read", "\n".join(unread)] if unread else []
    return "\n\n".join(["# Comparison", _about(about), render_table(head, rows), *told]) + "\n"


CARD = (
    *("citation recall", "citation precision", "citation F1", *CRITERIA),
    *("references cited", "references real", "shared lists"),
)
"""What is shown in a chat."""


def card(evaluation: Evaluation) -> str:
    """A few lines for a chat."""
    scores = evaluation.scores()
    wanted = (scores.get(name) for name in CARD)
    lines = [f"- {s.name}: {_value(s)} ({escape_markdown(s.how)})" for s in wanted if s and s.value is not None]
    title = f"**Evaluation of “{escape_markdown(evaluation.title)}”**"
    return "\n".join([title, "", _verdict(evaluation), "", *lines])


def _about(about: Mapping[str, str]) -> str:
    return "\n".join(f"- {escape_markdown(f'{name}: {value}')}" for name, value in about.items())


def _value(score: Score) -> str:
    if score.value is None:
        return "not measured"
    spread = f" ± {score.spread:.2f}" if score.spread is not None else ""
    if scale := describe_scale(score.name):
        return f"{score.value:.2f}{spread} {scale}"
    return f"{score.value:,.{0 if float(score.value).is_integer() else 1}f}{spread}"


def _verdict(evaluation: Evaluation) -> str:
    return escape_markdown(write_verdict(evaluation.scores(), evaluation.topic or evaluation.title))


def word_mean(measured: Iterable[float | None], nothing: str = "not measured") -> str:
    """``0.412 ± 0.031``; of one value without the spread, of none ``nothing``."""
    values = [value for value in measured if value is not None]
    if not values:
        return nothing
    mean, spread = mean_and_spread(values)
    digits = 0 if mean >= 100 else 2 if mean >= 10 else 3
    return f"{mean:,.{digits}f} ± {spread:,.{digits}f}" if len(values) > 1 else f"{mean:,.{digits}f}"


def write_verdict(scores: Mapping[str, Score], topic: str) -> str:
    """Three sentences: how close it keeps to its topic, how many of its claims hold, how many references were found."""
    none = Score("", None, "")
    close = scores.get("closeness to the topic", none)
    if close.value is None:
        told = [f"How close its references are to “{topic}” cannot be told{close.how and f': {close.how}'}."]
    else:
        basis = "".join(f"; {detail}" for detail in close.details)
        told = [
            f"Its references reach {close.value:.0%} of the closeness to “{topic}” that the library's nearest papers "
            f"have{basis}."
        ]
    count, of_known = _value_of(scores, "claims"), ""
    recall, known = scores.get("citation recall", none), scores.get("citation recall, sources known", none)
    if known.value is not None:
        recall, of_known = known, " whose sources are known"
        count *= _value_of(scores, "claims whose sources are all known")
    if recall.value is None:
        told.append("It has no sentences with citations that could be read.")
    else:
        ruled = ", as far as a rule of words can tell" if recall.how.startswith("approximation") else ""
        held = f"{round(count * recall.value):,} of its {round(count):,} sentences with citations{of_known}"
        told.append(f"What they cite supports {held} ({recall.value:.0%}){ruled}.")
    total = round(_value_of(scores, "references"))
    if not total or scores.get("references real", none).value is None:
        return " ".join([*told, "Its list of references could not be read."])
    wrong, missing = (
        round(total * _value_of(scores, f"references {kind}")) for kind in ("real with wrong metadata", "not found")
    )
    details = f", {wrong:,} of them with wrong metadata" if wrong else ""
    details += f"; that {missing:,} were not does not prove that they are invented" if missing else ""
    return " ".join([*told, f"Of its {total:,} references {total - missing:,} were found{details}."])


def _value_of(scores: Mapping[str, Score], name: str) -> float:
    """The figure; 0 where it was not measured."""
    return (scores[name].value or 0.0) if name in scores else 0.0
