"""A bar chart."""

from __future__ import annotations

from engine.rendering.figures.drawing import COLOURS, FAINT, RULE, Drawing, Links
from engine.survey import BarChart

_LEFT, _TOP, _BOTTOM = 46, 32, 46


def draw_bars(figure: BarChart, links: Links) -> Drawing:
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
