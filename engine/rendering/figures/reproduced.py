"""A figure out of a cited paper, at most as large as it is."""

from __future__ import annotations

from engine.rendering.figures.drawing import RULE, Drawing, Links
from engine.survey import Reproduction

WIDTH, HEIGHT = 720.0, 480.0
_MARGIN = 8.0


def draw_reproduction(figure: Reproduction, links: Links) -> Drawing:
    """The picture in a thin frame, in the middle, leading to its paper."""
    scale = min(1.0, (WIDTH - 2 * _MARGIN) / figure.width, (HEIGHT - 2 * _MARGIN) / figure.height)
    width, height = figure.width * scale, figure.height * scale
    drawing = Drawing(WIDTH, round(height + 2 * _MARGIN), figure.caption)
    left = (WIDTH - width) / 2
    with drawing.link(figure.key, links):
        drawing.element(
            "image",
            x=left,
            y=_MARGIN,
            width=width,
            height=height,
            href=f"data:image/{figure.kind};base64,{figure.base64}",
        )
    drawing.element(
        "rect", x=left - 4, y=_MARGIN - 4, width=width + 8, height=height + 8, fill="none", stroke=RULE, class_="rule"
    )
    return drawing
