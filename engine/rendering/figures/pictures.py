"""A figure as SVG, and the same drawing as PNG and PDF, made by Typst; charts and others' figures are drawn here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, assert_never

from engine.overview import TimeLine
from engine.rendering.figures.drawing import COLOURS, FAINT, RULE, Drawing, Links
from engine.rendering.figures.field_map import draw_map
from engine.rendering.figures.taxonomy import draw_taxonomy
from engine.rendering.figures.time_line import draw_time_line
from engine.survey import BarChart, FieldMap, Figure, Reproduction, Taxonomy

_ALONE = b"""#set page(width: auto, height: auto, margin: 6pt)
#image(bytes(sys.inputs.svg), format: "svg")
"""
_PIXELS_PER_INCH = 150.0


def svg(figure: Figure, links: Links | None = None, groups: Sequence[str] = ()) -> str:
    """An ``<svg>`` element; labels cannot become markup; papers in ``links`` lead somewhere.

    ``groups`` are those of the document in order, so that one group has one colour in all its figures.
    """
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
    if not isinstance(made, bytes):
        raise TypeError("Typst returned no bytes for a single page")
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
