"""A field drawn: its map, with a mark for each paper, and its time line, with a lane for each line of work."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, pi, sin
from statistics import median
from typing import assert_never

from engine.overview import TimeLane, TimeLine, Turn, TurnKind
from engine.rendering.figures.drawing import (
    BOLD,
    COLOURS,
    FAINT,
    INK,
    PAPER,
    RULE,
    Box,
    Drawing,
    Links,
    marker,
    order_groups,
    place_label,
    text_width,
    wrap_label,
)
from engine.survey import FieldMap, MapPoint

_FRAME = Box(8, 8, 704, 504)
_MARGIN = 30
_GROUP_SIZE, _PAPER_SIZE = 13.0, 10.5
# A pale edge, so that text is readable over marks.
_HALO: dict[str, object] = {"stroke": PAPER, "stroke_width": 3, "stroke_linejoin": "round", "paint_order": "stroke"}

Place = tuple[float, float]


def draw_map(figure: FieldMap, links: Links, known: Sequence[str]) -> Drawing:
    """Points spread over the frame; names are set where they cover least."""
    drawing = Drawing(720, 520, figure.caption)
    groups = order_groups((point.group for point in figure.points), known)
    drawing.groups = tuple(groups)
    places = _spread(figure.points)
    # Those with names last, so that nothing lies over them.
    for index in sorted(range(len(places)), key=lambda i: bool(figure.points[i].label)):
        (x, y), point = places[index], figure.points[index]
        link = links.get(point.key) if point.key else None
        told = link.title if link else point.label or point.group
        group = groups.index(point.group)
        of_paper = {"class_": "paper", "data_group": group}
        with drawing.link(point.key, links, reachable=bool(point.label)), drawing.inside("g", **of_paper):
            marker(drawing, group, x, y, 6 if point.label else 4, title=told)
    taken = _name_groups(drawing, figure, groups, places)
    _name_papers(drawing, figure, places, taken)
    return drawing


def _spread(points: Sequence[MapPoint]) -> list[Place]:
    """Places in the frame: half by value, half by rank, so that a crowd is drawn apart and keeps its order."""

    def scaled(values: list[float], start: float, length: float) -> list[float]:
        low, high = min(values), max(values)
        ranks = {value: rank for rank, value in enumerate(sorted(set(values)))}
        last = max(1, len(ranks) - 1)
        across = high - low or 1.0
        middle = 0.5 if high == low else 0.0
        return [start + length * (middle + 0.5 * (v - low) / across + 0.5 * ranks[v] / last) for v in values]

    xs = scaled([p.x for p in points], _FRAME.x + _MARGIN, _FRAME.width - 2 * _MARGIN)
    ys = scaled([-p.y for p in points], _FRAME.y + _MARGIN, _FRAME.height - 2 * _MARGIN)
    return list(zip(xs, ys, strict=True))


def _name_groups(drawing: Drawing, figure: FieldMap, groups: Sequence[str], places: Sequence[Place]) -> list[Box]:
    """The groups' names near the middle of their papers, not over one another; their boxes."""
    taken = [Box(x - 6, y - 6, 12, 12) for (x, y), p in zip(places, figure.points, strict=True) if p.label]
    marks = len(taken)
    for index, group in enumerate(groups):
        inside = [place for place, point in zip(places, figure.points, strict=True) if point.group == group]
        x, y = median(p[0] for p in inside), median(p[1] for p in inside)
        lines = wrap_label(group, _GROUP_SIZE * BOLD, 180, lines=3)
        width = max((text_width(line, _GROUP_SIZE * BOLD) for line in lines), default=0.0)
        height = len(lines) * (_GROUP_SIZE + 3)
        left = min(max(x - width / 2, _FRAME.x), _FRAME.x + _FRAME.width - width)
        shifts = sorted(
            ((dx, dy) for dx in range(-4, 5) for dy in range(-8, 9)), key=lambda s: s[0] ** 2 * 4 + s[1] ** 2
        )
        boxes = (Box(left + dx * 30, y - height / 2 + dy * 14, width, height) for dx, dy in shifts)
        box = place_label(boxes, taken, _FRAME)
        taken.append(box)
        for row, line in enumerate(lines):
            drawing.text(
                box.x + width / 2, box.y + _GROUP_SIZE + row * (_GROUP_SIZE + 3), line, size=_GROUP_SIZE,
                fill=COLOURS[index % len(COLOURS)], font_weight="bold", text_anchor="middle", **_HALO,
                class_=f"halo group-name t{index % len(COLOURS)}",
            )  # fmt: skip
    return taken[marks:]


def _name_papers(drawing: Drawing, figure: FieldMap, places: Sequence[Place], taken: list[Box]) -> None:
    """Names beside their marks; one that had to move away is tied to its mark by a line."""
    marks = {place: Box(place[0] - 6, place[1] - 6, 12, 12) for place in places}
    named = [(place, p) for place, p in zip(places, figure.points, strict=True) if p.label]
    for (x, y), point in named:
        label = wrap_label(point.label, _PAPER_SIZE, 150, lines=1)[0]
        width, height = text_width(label, _PAPER_SIZE), _PAPER_SIZE + 3
        others = [marks[place] for place, _ in named if place != (x, y)]
        box = place_label(_around(x, y, width, height), [*taken, *others], _FRAME)
        taken.append(box)
        near_x, near_y = min(max(x, box.x), box.x + width), min(max(y, box.y), box.y + height)
        if (near_x - x) ** 2 + (near_y - y) ** 2 > 14**2:
            drawing.element(
                "line", x1=x, y1=y, x2=near_x, y2=near_y, stroke="#6a737d", stroke_width=0.7, class_="leader"
            )
        drawing.text(box.x, box.y + _PAPER_SIZE, label, size=_PAPER_SIZE, **_HALO, class_="halo paper-name")


def _around(x: float, y: float, width: float, height: float) -> list[Box]:
    """Places for a label around a mark: right, left, below and above first, then farther out."""
    left, top = x - width / 2, y - height / 2
    boxes = [Box(x + 9, top, width, height), Box(x - 9 - width, top, width, height)]
    for distance in (10, 22, 36, 52):
        for step in range(16):
            dx, dy = cos(step * pi / 8), sin(step * pi / 8)
            boxes.append(Box(left + dx * (distance + width / 2), top + dy * (distance + height / 2), width, height))
    return boxes


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
