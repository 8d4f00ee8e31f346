"""A taxonomy: the root at the left, its branches to the right, works at their ends."""

from __future__ import annotations

from dataclasses import dataclass

from engine.rendering.figures.drawing import COLOURS, INK, RULE, Drawing, Links, text_width, wrap_label
from engine.survey import Branch, Taxonomy
from engine.text import clean
from engine.values import PaperKey

_TOP, _PAD = 12.0, 7.0
_SIZE, _LINE = 11.0, 12.5
_BETWEEN = 4.0
"""Room between two boxes of a column."""
_GAP = 26.0
_WIDER = 1.1
"""A page may set labels in a font that is wider than the one they are measured in."""
_WIDTHS = (110.0, 205.0, 245.0)
"""The longest line of a label in the first, second and third column, in pixels."""
_LINES = (8, 4, 3)
"""Lines of a label there; what does not fit ends with an ellipsis."""


@dataclass(frozen=True, slots=True)
class _Node:
    """A branch with the lines of its label, the branches to its right, and the height that all of these take."""

    label: str
    key: PaperKey | None
    lines: tuple[str, ...]
    below: tuple[_Node, ...]
    height: float

    @classmethod
    def of(cls, branch: Branch, depth: int = 0) -> _Node:
        """The branch at that depth, the root's being 0."""
        column = min(depth, len(_WIDTHS) - 1)
        lines = tuple(wrap_label(branch.label, _SIZE, _WIDTHS[column], _LINES[column])) or ("",)
        below = tuple(cls.of(child, depth + 1) for child in branch.children)
        own = len(lines) * _LINE + 2 + _BETWEEN
        return cls(clean(branch.label), branch.key, lines, below, max(own, sum(node.height for node in below)))


def draw_taxonomy(figure: Taxonomy, links: Links) -> Drawing:
    """Each branch stands in the middle of what it holds; works lead to their papers."""
    root = _Node.of(figure.root)
    drawing = Drawing(720, _TOP * 2 + root.height, figure.caption)
    _draw(drawing, root, (8.0, _TOP), (0, 0), links)
    return drawing


def _draw(
    drawing: Drawing, node: _Node, at: tuple[float, float], depth_and_group: tuple[int, int], links: Links
) -> float:
    """Draw the branch and all to its right, from the left and top edge ``at``; returns the height of its middle."""
    depth, group = depth_and_group
    x, top = at
    width = _WIDER * max(text_width(line, _SIZE) for line in node.lines) + 2 * _PAD
    middle = top + node.height / 2
    right = x + _WIDER * _WIDTHS[min(depth, len(_WIDTHS) - 1)] + 2 * _PAD + _GAP
    row = top + (node.height - sum(child.height for child in node.below)) / 2
    for i, child in enumerate(node.below):
        y = _draw(drawing, child, (right, row), (depth + 1, i if depth == 0 else group), links)
        bend = right - _GAP / 2
        path = f"M{x + width:.1f} {middle:.1f}H{bend:.1f}V{y:.1f}H{right:.1f}"
        drawing.element("path", d=path, fill="none", stroke=RULE, stroke_width=1.2, **{"class": "rule"})
        row += child.height
    edge = INK if depth == 0 else COLOURS[group % len(COLOURS)]
    tall = len(node.lines) * _LINE + 2
    with drawing.link(node.key, links):
        drawing.element(
            "rect", title=node.label, x=x, y=middle - tall / 2, width=width, height=tall, rx=4,
            fill="#ffffff", stroke=edge, **{"class": f"g{group % len(COLOURS)}-edge"},
        )  # fmt: skip
        for i, line in enumerate(node.lines):
            drawing.text(x + _PAD, middle - tall / 2 + 10 + i * _LINE, line, size=_SIZE, fill=INK)
    return middle
