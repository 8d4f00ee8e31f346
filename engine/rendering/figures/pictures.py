"""A figure as SVG, and as PNG and PDF by Typst; charts, taxonomies and figures that others made are drawn here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, assert_never

from engine.overview import TimeLine
from engine.rendering.figures.drawing import COLOURS, FAINT, INK, RULE, Drawing, Links, text_width, wrap_label
from engine.rendering.figures.field_figures import draw_map, draw_time_line
from engine.survey import BarChart, Branch, FieldMap, Figure, Reproduction, Taxonomy
from engine.text import clean
from engine.values import PaperKey

_ALONE = b"""#set page(width: auto, height: auto, margin: 6pt)
#image(bytes(sys.inputs.svg), format: "svg")
"""
_PIXELS_PER_INCH = 150.0


def svg(figure: Figure, links: Links | None = None, groups: Sequence[str] = ()) -> str:
    """An ``<svg>`` element, labels escaped; one of the document's ``groups`` has one colour in all its figures."""
    known = links or {}
    match figure:
        case BarChart():
            return _draw_bars(figure).svg()
        case FieldMap():
            return draw_map(figure, known, groups).svg()
        case TimeLine():
            return draw_time_line(figure, known, groups).svg()
        case Taxonomy():
            return draw_taxonomy(figure, known).svg()
        case Reproduction():
            return _draw_reproduction(figure, known).svg()
        case _:
            assert_never(figure)


def compile_figure(figure: Figure, kind: Literal["png", "pdf"], groups: Sequence[str] = ()) -> bytes:
    """A PNG of about 1,500 pixels' width on white ground, or a PDF of one page as large as the figure."""
    # Imported here because only exports need it.
    import typst

    drawn = {"svg": svg(figure, groups=groups)}
    # PDF 1.5, which every LaTeX includes; without a time, the same figure gives the same bytes.
    made = typst.compile(_ALONE, format=kind, ppi=_PIXELS_PER_INCH, pdf_standards="1.5", timestamp=0, sys_inputs=drawn)
    assert isinstance(made, bytes)  # of a single page
    return made


_LEFT, _TOP, _BOTTOM = 46, 32, 46


def _draw_bars(figure: BarChart) -> Drawing:
    """Upright bars with their counts; every so many labels where they are many."""
    drawing = Drawing(720, 270, figure.caption)
    width, height = drawing.width - _LEFT - 10, drawing.height - _TOP - _BOTTOM
    highest = max((count for _, count in figure.bars), default=0) or 1
    step = width / max(1, len(figure.bars))
    base = _TOP + height
    every = max(1, round(len(figure.bars) / 16))
    for count in sorted({0, highest // 2, highest}):
        y = base - height * count / highest
        drawing.element("line", x1=_LEFT, x2=drawing.width - 10, y1=y, y2=y, stroke=RULE, class_="rule")
        drawing.text(_LEFT - 8, y + 4, str(count), fill=FAINT, text_anchor="end", class_="faint")
    for i, (label, count) in enumerate(figure.bars):
        x = _LEFT + i * step
        tall = height * count / highest
        drawing.element(
            "rect", title=f"{label}: {count}", x=x + step * 0.14, y=base - tall, width=step * 0.72, height=tall,
            fill=COLOURS[0], class_="g0",
        )  # fmt: skip
        if count and step >= 16:
            drawing.text(x + step / 2, base - tall - 4, str(count), size=9, text_anchor="middle")
        if i % every == 0:
            drawing.text(x + step / 2, base + 16, label[:12], text_anchor="middle")
    drawing.text(
        _LEFT + width / 2, drawing.height - 8, figure.x_label, fill=FAINT, text_anchor="middle", class_="faint"
    )
    drawing.text(4, 12, figure.y_label, fill=FAINT, class_="faint")
    return drawing


_WIDTH, _HEIGHT = 720.0, 480.0
_MARGIN = 8.0


def _draw_reproduction(figure: Reproduction, links: Links) -> Drawing:
    """The picture in a thin frame, in the middle, leading to its paper."""
    scale = min(1.0, (_WIDTH - 2 * _MARGIN) / figure.width, (_HEIGHT - 2 * _MARGIN) / figure.height)
    width, height = figure.width * scale, figure.height * scale
    drawing = Drawing(_WIDTH, round(height + 2 * _MARGIN), figure.caption)
    left = (_WIDTH - width) / 2
    with drawing.link(figure.key, links):
        source = f"data:image/{figure.kind};base64,{figure.base64}"
        drawing.element("image", x=left, y=_MARGIN, width=width, height=height, href=source)
    drawing.element(
        "rect", x=left - 4, y=_MARGIN - 4, width=width + 8, height=height + 8, fill="none", stroke=RULE, class_="rule"
    )
    return drawing


_ABOVE, _PAD = 12.0, 7.0
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
    drawing = Drawing(720, _ABOVE * 2 + root.height, figure.caption)
    _draw(drawing, root, (8.0, _ABOVE), (0, 0), links)
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
