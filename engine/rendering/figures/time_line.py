"""A time line: a lane for each line of work, a bar for each year, and the turns by name."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, pi, sin
from typing import assert_never

from engine.overview import TimeLane, TimeLine, Turn, TurnKind
from engine.rendering.figures.drawing import (
    BOLD,
    COLOURS,
    FAINT,
    INK,
    RULE,
    Box,
    Drawing,
    Links,
    order_groups,
    text_width,
    wrap_label,
)

_LEFT, _RIGHT, _TOP = 178.0, 12.0, 26.0
_WIDTH = 720.0
_BAR, _ROW, _GAP = 26.0, 13.0, 14.0
_SIZE = 10.0
_SIGN = 13.0
"""Width of the sign before a turn's label."""
_TOLD: dict[TurnKind, str] = {
    "first": "first paper of the line",
    "burst": "steepest rise in papers",
    "most cited": "most cited",
}


def draw_time_line(figure: TimeLine, links: Links, known: Sequence[str]) -> Drawing:
    """Lanes below one another over one axis of years."""
    years = [year for lane in figure.lanes for year, _ in lane.counts]
    first, last = (min(years), max(years)) if years else (0, 0)
    step = (_WIDTH - _LEFT - _RIGHT) / (last - first + 1)
    placed = [_rows_of(lane, first, step) for lane in figure.lanes]
    heights = [max(_BAR + rows * _ROW, 30) + _GAP for _, rows in placed]
    drawing = Drawing(_WIDTH, _TOP + sum(heights) + 24, figure.caption)
    _draw_years(drawing, first, last, step)
    highest = max((count for lane in figure.lanes for _, count in lane.counts), default=1) or 1
    order = order_groups((lane.group for lane in figure.lanes), known)
    top = _TOP
    for lane, (turns, _), height in zip(figure.lanes, placed, heights, strict=True):
        base = top + height - _GAP / 2
        _draw_lane(drawing, lane, order.index(lane.group), base, (first, step, highest))
        for turn, x, row in turns:
            with drawing.link(turn.key, links):
                y = base - _BAR - 4 - row * _ROW
                _draw_sign(drawing, turn.kind, x + 4, y - 3.5)
                drawing.text(x + _SIGN, y, turn.label, size=_SIZE, class_="ink turn")
        top += height
    x = _LEFT
    marked = {turn.kind for lane in figure.lanes for turn in lane.turns}
    for kind, told in ((kind, told) for kind, told in _TOLD.items() if kind in marked):
        _draw_sign(drawing, kind, x + 4, drawing.height - 9.5)
        drawing.text(x + _SIGN, drawing.height - 6, told, size=9.5, fill=FAINT, class_="faint")
        x += _SIGN + text_width(told, 9.5) + 16
    return drawing


def _draw_sign(drawing: Drawing, kind: TurnKind, x: float, y: float) -> None:
    """What a turn is: a wedge for a beginning, a peak for the busiest year, a star for the most cited paper."""
    corners: list[tuple[float, float]]
    match kind:
        case "first":
            corners = [(-3, -3.6), (4, 0), (-3, 3.6)]
        case "burst":
            corners = [(-3.8, 3.2), (0, -3.8), (3.8, 3.2)]
        case "most cited":
            radii = (4.6, 1.9)
            corners = [(radii[i % 2] * sin(i * pi / 5), -radii[i % 2] * cos(i * pi / 5)) for i in range(10)]
        case _:
            assert_never(kind)
    points = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners)
    drawing.element("polygon", points=points, fill=INK, class_="ink")


def _draw_years(drawing: Drawing, first: int, last: int, step: float) -> None:
    every = next(n for n in (1, 2, 5, 10, 20, 50, 1000) if n * step >= 34 or n == 1000)
    for year in range(first, last + 1):
        if year % every == 0:
            x = _LEFT + (year - first + 0.5) * step
            drawing.element("line", x1=x, x2=x, y1=_TOP - 6, y2=drawing.height - 24, stroke=RULE, class_="rule")
            drawing.text(x, _TOP - 11, str(year), size=_SIZE, fill=FAINT, text_anchor="middle", class_="faint")


def _draw_lane(drawing: Drawing, lane: TimeLane, index: int, base: float, scale: tuple[int, float, int]) -> None:
    first, step, highest = scale
    lines = wrap_label(lane.group, 11 * BOLD, _LEFT - 16, lines=3)
    for row, line in enumerate(lines):
        drawing.text(_LEFT - 10, base - 12 * (len(lines) - 1 - row) - 3, line, text_anchor="end", font_weight="bold",
                     fill=COLOURS[index % len(COLOURS)], class_=f"t{index % len(COLOURS)}")  # fmt: skip
    drawing.element("line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=base, y2=base, stroke=RULE, class_="rule")
    for year, count in lane.counts:
        if count:
            tall = max(2.0, _BAR * count / highest)
            drawing.element(
                "rect", title=f"{year}: {count} papers" if count > 1 else f"{year}: 1 paper",
                x=_LEFT + (year - first) * step + step * 0.12, y=base - tall, width=step * 0.76, height=tall,
                fill=COLOURS[index % len(COLOURS)], class_=f"g{index % len(COLOURS)}",
            )  # fmt: skip


def _rows_of(lane: TimeLane, first: int, step: float) -> tuple[list[tuple[Turn, float, int]], int]:
    """Each turn with its left edge and its row above the bars, so that no label covers another."""
    taken: list[Box] = []
    placed: list[tuple[Turn, float, int]] = []
    for turn in sorted(lane.turns, key=lambda t: t.year):
        width = _SIGN + text_width(turn.label, _SIZE) + 6
        middle = _LEFT + (turn.year - first + 0.5) * step
        left = min(max(middle - 5, _LEFT), _WIDTH - _RIGHT - width)
        row = 0
        while any(Box(left, row, width, 1).overlap(box) for box in taken):
            row += 1
        taken.append(Box(left, row, width, 1))
        placed.append((turn, left, row))
    return placed, max((row for *_, row in placed), default=-1) + 1
