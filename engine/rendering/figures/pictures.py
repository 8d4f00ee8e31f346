"""A figure as SVG, and the same drawing as PNG and PDF, made by Typst."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, assert_never

from engine.overview import TimeLine
from engine.rendering.figures.bars import draw_bars
from engine.rendering.figures.drawing import Drawing, Links
from engine.rendering.figures.field_map import draw_map
from engine.rendering.figures.reproduced import draw_reproduction
from engine.rendering.figures.taxonomy import draw_taxonomy
from engine.rendering.figures.time_line import draw_time_line
from engine.survey import BarChart, FieldMap, Figure, Reproduction, Taxonomy

_ALONE = b"""#set page(width: auto, height: auto, margin: 6pt)
#image(bytes(sys.inputs.svg), format: "svg")
"""
_PIXELS_PER_INCH = 150.0


def draw(figure: Figure, links: Links, groups: Sequence[str]) -> Drawing:
    """The figure's drawing; papers in ``links`` lead somewhere, ``groups`` give each group its colour."""
    match figure:
        case BarChart():
            return draw_bars(figure, links)
        case FieldMap():
            return draw_map(figure, links, groups)
        case TimeLine():
            return draw_time_line(figure, links, groups)
        case Taxonomy():
            return draw_taxonomy(figure, links)
        case Reproduction():
            return draw_reproduction(figure, links)
        case _:
            assert_never(figure)


def svg(figure: Figure, links: Links | None = None, groups: Sequence[str] = ()) -> str:
    """An ``<svg>`` element; labels cannot become markup.

    ``groups`` are those of the document in order, so that one group has one colour in all its figures.
    """
    return draw(figure, links or {}, groups).svg()


def png(figure: Figure, groups: Sequence[str] = ()) -> bytes:
    """A picture of about 1,500 pixels' width on white ground."""
    return _compile(figure, "png", groups)


def pdf_picture(figure: Figure, groups: Sequence[str] = ()) -> bytes:
    """A PDF of one page as large as the figure."""
    return _compile(figure, "pdf", groups)


def _compile(figure: Figure, kind: Literal["png", "pdf"], groups: Sequence[str]) -> bytes:
    # Imported here because only exports need it.
    import typst

    drawn = {"svg": svg(figure, groups=groups)}
    # PDF 1.5, which every LaTeX includes; without a time, the same figure gives the same bytes.
    made = typst.compile(_ALONE, format=kind, ppi=_PIXELS_PER_INCH, pdf_standards="1.5", timestamp=0, sys_inputs=drawn)
    if not isinstance(made, bytes):
        raise TypeError("Typst returned no bytes for a single page")
    return made
