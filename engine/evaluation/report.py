"""Evaluations as JSON, as Markdown tables with mean ± standard deviation, as a figure, and in three sentences."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from engine.evaluation.measures import Evaluation
from engine.evaluation.scores import Score, mean_and_spread, scale_of
from engine.rendering.markdown import escape_markdown
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
        rows = [f"| {escape_markdown(s.name)} | {_value(s)} | {escape_markdown(s.how)} |" for s in scores]
        parts.append("\n".join([f"## {name}", "", "| Measure | Value | How |", "| --- | --- | --- |", *rows]))
        if details:
            parts += ["\n".join(f"- {escape_markdown(d)}" for d in s.details) for s in scores if s.details]
    return "\n\n".join(parts) + "\n"


def comparison(evaluations: Mapping[str, Sequence[Evaluation]], about: Mapping[str, str]) -> str:
    """Several systems over several topics: one row for each measure, mean ± standard deviation (AE14)."""
    names = list(dict.fromkeys(n for found in evaluations.values() for e in found for n in e.scores()))
    head = "| Measure | " + " | ".join(f"{escape_markdown(s)} ({len(e)})" for s, e in evaluations.items()) + " |"
    rows = [
        f"| {escape_markdown(name)} | {' | '.join(_mean(_list_values(e, name)) for e in evaluations.values())} |"
        for name in names
    ]
    lines = "\n".join([head, "| --- |" + " --- |" * len(evaluations), *rows])
    unread = [
        f"- {escape_markdown(system)}, {escape_markdown(e.title)}: {escape_markdown(problem)}"
        for system, found in evaluations.items()
        for e in found
        for problem in e.problems
    ]
    told = ["## What could not be read", "\n".join(unread)] if unread else []
    return "\n\n".join(["# Comparison", _about(about), lines, *told]) + "\n"


_SHARES = ("citation recall", "citation precision", "citation F1")


def card(evaluation: Evaluation) -> str:
    """A few lines for a chat."""
    scores = evaluation.scores()
    wanted = (scores.get(name) for name in (*_SHARES, *CRITERIA, "references cited", "references real", "shared lists"))
    lines = [f"- {s.name}: {_value(s)} ({escape_markdown(s.how)})" for s in wanted if s and s.value is not None]
    title = f"**Evaluation of “{escape_markdown(evaluation.title)}”**"
    return "\n".join([title, "", _verdict(evaluation), "", *lines])


def chart(evaluations: Mapping[str, Sequence[Evaluation]]) -> str:
    """An SVG of bars: each system's five criteria where judges gave them, else its shares between 0 and 1."""
    # Imported here because it takes more than a second, and most reports have no figure.
    import io

    from matplotlib.figure import Figure

    judged = all(e.scores().get("coverage") and e.scores()["coverage"].value for f in evaluations.values() for e in f)
    names = tuple(CRITERIA) if judged else (*_SHARES, "references real", "soft heading recall")
    canvas = Figure(figsize=(7, 5), layout="constrained")
    axes = canvas.add_subplot()
    width = 0.8 / max(1, len(evaluations))
    for at, (system, found) in enumerate(evaluations.items()):
        measured = [_list_values(found, name) for name in names]
        heights = [statistics.fmean(values) if values else 0.0 for values in measured]
        axes.bar([i + at * width for i in range(len(names))], heights, width, label=system.replace("$", r"\$"))
    axes.set_xticks(range(len(names)), names, rotation=20)
    axes.set_ylim(0, 5 if judged else 1)
    axes.legend(loc="upper right", fontsize=7)
    buffer = io.StringIO()
    canvas.savefig(buffer, format="svg", metadata={"Date": None})
    return buffer.getvalue()


def _list_values(found: Sequence[Evaluation], name: str) -> list[float]:
    return [s.value for e in found if (s := e.scores().get(name)) and s.value is not None]


def _about(about: Mapping[str, str]) -> str:
    return "\n".join(f"- {escape_markdown(f'{name}: {value}')}" for name, value in about.items())


def _value(score: Score) -> str:
    if score.value is None:
        return "not measured"
    spread = f" ± {score.spread:.2f}" if score.spread is not None else ""
    if scale := scale_of(score.name):
        return f"{score.value:.2f}{spread} of {scale.top}, {'higher' if scale.rises else 'lower'} is better"
    return f"{score.value:,.{0 if float(score.value).is_integer() else 1}f}{spread}"


def _verdict(evaluation: Evaluation) -> str:
    return escape_markdown(write_verdict(evaluation.scores(), evaluation.topic or evaluation.title))


def _mean(values: Sequence[float]) -> str:
    if not values:
        return "not measured"
    mean, spread = mean_and_spread(values)
    digits = 0 if mean >= 100 else 2 if mean >= 10 else 3
    return f"{mean:,.{digits}f} ± {spread:,.{digits}f}" if len(values) > 1 else f"{mean:,.{digits}f}"


KEEPS, STRAYS = 0.7, 0.45
"""Closeness to the topic from which a survey keeps to it, and below which it is hardly about it."""

WELL, BADLY = 0.8, 0.5
"""Shares of supported claims from which claims are well supported, and below which they are badly supported."""

FEW = 5
"""Sentences with citations below which their share says little."""


def write_verdict(scores: Mapping[str, Score], topic: str) -> str:
    """Three sentences, each in plain words and with the figure behind it."""
    return " ".join((_judge_topic(scores, topic), _judge_claims(scores), _judge_references(scores)))


def _value_of(scores: Mapping[str, Score], name: str) -> float:
    """The figure; 0 where it was not measured."""
    return (scores[name].value or 0.0) if name in scores else 0.0


def _judge_topic(scores: Mapping[str, Score], topic: str) -> str:
    found = scores.get("closeness to the topic")
    if found is None or found.value is None:
        why = f": {found.how}" if found else ""
        return f"Whether it keeps to its topic, “{topic}”, cannot be judged{why}."
    basis = "".join(f"; {detail}" for detail in found.details)
    figure = f"{found.value:.2f} of 1, where 1 is as close as the library's nearest papers{basis}"
    if found.value < STRAYS:
        return f"This survey is hardly about “{topic}” ({figure})."
    kept = "keeps to" if found.value >= KEEPS else "keeps only in part to"
    return f"This survey {kept} its topic, “{topic}” ({figure})."


def _judge_claims(scores: Mapping[str, Score]) -> str:
    count, of_known = _value_of(scores, "claims"), ""
    known, found = scores.get("citation recall, sources known"), scores.get("citation recall")
    if known and known.value is not None:
        found, of_known = known, " whose sources are known"
        count *= _value_of(scores, "claims whose sources are all known")
    if found is None or found.value is None:
        return "It has no sentences with citations that could be read."
    if 0 < (whole := round(count)) < FEW:
        sentences = "sentence has citations" if whole == 1 else "sentences have citations"
        return f"Only {whole} {sentences}{of_known}, too few to say how well its claims are supported."
    word = "well" if found.value >= WELL else "in part" if found.value >= BADLY else "badly"
    ruled = ", as far as a rule of words can tell" if found.how.startswith("approximation") else ""
    return f"Its claims are {word} supported{ruled}: {found.value:.0%} of the sentences with citations{of_known} hold."


def _judge_references(scores: Mapping[str, Score]) -> str:
    total = round(_value_of(scores, "references"))
    if not total or scores.get("references real", Score("", None, "")).value is None:
        return "Its list of references could not be read."
    wrong, missing = (
        round(total * _value_of(scores, f"references {kind}")) for kind in ("real with wrong metadata", "not found")
    )
    details = [f"{wrong} of them with wrong metadata"] if wrong else []
    details += [f"{missing} {_was(missing)} not, which does not prove that they are invented"] if missing else []
    found = total - missing
    return f"Of its {total:,} references, {found:,} {_was(found)} found{''.join(f', {d}' for d in details)}."


def _was(count: int) -> str:
    return "was" if count == 1 else "were"
