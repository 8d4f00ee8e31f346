"""Figures as SVG, drawn by matplotlib."""

from __future__ import annotations

import io
from typing import Any

from engine.overview import TimeLine
from engine.survey import BarChart, Branch, FieldMap, Figure, Taxonomy
from engine.text import clean, shorten

_SETTINGS = {"svg.hashsalt": "scholium", "font.family": "sans-serif", "svg.fonttype": "path", "font.size": 9}


def svg(figure: Figure) -> str:
    """An ``<svg>`` element, without XML declaration; labels cannot become markup or formulas."""
    # Imported here because it takes more than a second, and a conversation should begin at once.
    import matplotlib
    from matplotlib.figure import Figure as Canvas

    with matplotlib.rc_context(_SETTINGS):
        canvas = Canvas(figsize=(6.4, 3.0 if isinstance(figure, BarChart) else 4.2), layout="constrained")
        axes = canvas.add_subplot()
        axes.spines[["top", "right"]].set_visible(False)
        if isinstance(figure, BarChart):
            _bars(axes, figure)
        elif isinstance(figure, TimeLine):
            _time_line(axes, figure)
        elif isinstance(figure, Taxonomy):
            _taxonomy(canvas, axes, figure)
        else:
            _map(axes, figure, matplotlib.colormaps["tab10"])
        buffer = io.StringIO()
        canvas.savefig(buffer, format="svg", metadata={"Date": None})
    text = buffer.getvalue()
    return text[text.index("<svg") :]


def _bars(axes: Any, figure: BarChart) -> None:
    labels = [_literal(label) for label, _ in figure.bars]
    axes.bar(range(len(labels)), [count for _, count in figure.bars], color="tab:blue")
    step = max(1, len(labels) // 15)
    axes.set_xticks(range(0, len(labels), step), labels[::step], rotation=45 if len(labels) > 12 else 0)
    axes.locator_params(axis="y", integer=True)
    axes.set_xlabel(_literal(figure.x_label))
    axes.set_ylabel(_literal(figure.y_label))


def _taxonomy(canvas: Any, axes: Any, figure: Taxonomy) -> None:
    canvas.set_figheight(max(2.0, 0.22 * _rows(figure.root)))
    axes.set_axis_off()
    _branch(axes, figure.root, 0, 0.0)
    axes.set_xlim(-0.02, 3.0)
    axes.invert_yaxis()


def _rows(branch: Branch) -> int:
    return sum(map(_rows, branch.children)) or 1


def _branch(axes: Any, branch: Branch, depth: int, top: float) -> float:
    """Draw the branch in the middle of what it holds; returns that height."""
    middle, row = top + _rows(branch) / 2, top
    for child in branch.children:
        below = _branch(axes, child, depth + 1, row)
        axes.plot(
            [depth + 0.86, depth + 0.93, depth + 0.93, depth + 0.98], [middle, middle, below, below], "0.7", lw=0.8
        )
        row += _rows(child)
    axes.text(depth, middle, shorten(_literal(branch.label), 36), fontsize=7, va="center")
    return middle


def _time_line(axes: Any, figure: TimeLine) -> None:
    for row, lane in enumerate(reversed(figure.lanes)):
        years, counts = zip(*((year, count) for year, count in lane.counts if count), strict=True)
        axes.scatter(years, [row] * len(years), s=[6 * count for count in counts], color="tab:blue", alpha=0.6)
        for turn in lane.turns:
            axes.annotate(_literal(turn.label), (turn.year, row), xytext=(0, 6), textcoords="offset points", fontsize=6)
    axes.set_yticks(range(len(figure.lanes)), [shorten(_literal(lane.group), 40) for lane in reversed(figure.lanes)])
    axes.locator_params(axis="x", integer=True)


def _map(axes: Any, figure: FieldMap, colours: Any) -> None:
    for i, group in enumerate(dict.fromkeys(point.group for point in figure.points)):
        inside = [point for point in figure.points if point.group == group]
        label = shorten(_literal(group), 50)
        axes.scatter([p.x for p in inside], [p.y for p in inside], s=14, color=colours(i % 10), label=label)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[:].set_visible(False)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=2, frameon=False, fontsize=7)


def _literal(text: str) -> str:
    return clean(text).replace("$", r"\$")
