"""A taxonomy: the root at the left, its branches to the right, works at their ends."""

from __future__ import annotations

from engine.rendering.figures.drawing import COLOURS, INK, RULE, Drawing, Links, text_width
from engine.survey import Branch, Taxonomy
from engine.text import clean, shorten

_ROW, _TOP, _PAD = 19.0, 12.0, 7.0
_SIZE = 11.0
_GAP = 26.0
_WIDER = 1.1
"""A page may set labels in a font that is wider than the one they are measured in."""
_LABELS = (26, 40, 34)
"""Characters of a label in the first, second and third column."""


def draw_taxonomy(figure: Taxonomy, links: Links) -> Drawing:
    """Each branch stands in the middle of what it holds; works lead to their papers."""
    rows = max(1, _rows(figure.root))
    drawing = Drawing(720, _TOP * 2 + rows * _ROW, figure.caption)
    _branch(drawing, figure.root, (8.0, _TOP), (0, 0), links)
    return drawing


def _rows(branch: Branch) -> int:
    return sum(map(_rows, branch.children)) or 1


def _branch(
    drawing: Drawing, branch: Branch, at: tuple[float, float], depth_and_group: tuple[int, int], links: Links
) -> float:
    """Draw the branch with its left edge and the top of its rows at ``at``; returns the height of its middle."""
    depth, group = depth_and_group
    x, top = at
    label = shorten(clean(branch.label), _LABELS[min(depth, len(_LABELS) - 1)])
    width = _WIDER * text_width(label, _SIZE) + 2 * _PAD
    middle = top + _rows(branch) * _ROW / 2
    below = x + _column(depth)
    row = top
    for i, child in enumerate(branch.children):
        colour = i if depth == 0 else group
        y = _branch(drawing, child, (below, row), (depth + 1, colour), links)
        bend = below - _GAP / 2
        path = f"M{x + width:.1f} {middle:.1f}H{bend:.1f}V{y:.1f}H{below:.1f}"
        drawing.element("path", d=path, fill="none", stroke=RULE, stroke_width=1.2, **{"class": "rule"})
        row += _rows(child) * _ROW
    edge = INK if depth == 0 else COLOURS[group % len(COLOURS)]
    with drawing.linked(branch.key, links):
        drawing.element(
            "rect", title=clean(branch.label), x=x, y=middle - _ROW / 2 + 2, width=width, height=_ROW - 4, rx=4,
            fill="#ffffff", stroke=edge, **{"class": f"g{group % len(COLOURS)}-edge"},
        )  # fmt: skip
        drawing.text(x + _PAD, middle + 4, label, size=_SIZE, fill=INK)
    return middle


def _column(depth: int) -> float:
    """Distance from a column's left edge to the next one's."""
    return _LABELS[min(depth, len(_LABELS) - 1)] * _SIZE * 0.52 + 2 * _PAD + _GAP
