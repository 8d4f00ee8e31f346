"""A drawing: SVG elements on a plane measured in pixels, with text that is escaped and measured."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from engine.text import clean
from engine.values import PaperKey

INK = "#1f2328"
FAINT = "#6a737d"
RULE = "#d0d7de"
PAPER = "#ffffff"
FONT = "Libertinus Serif, sans-serif"

# Paul Tol's bright and muted schemes, for the colour-blind: https://personal.sron.nl/~pault/
COLOURS = (
    "#4477aa", "#cc6677", "#228833", "#aa7700", "#117799", "#aa3377", "#666666", "#332288", "#999933", "#882255",
)  # fmt: skip

_NARROW = frozenset("fijlrtI.,:;'|!()[] -")
_WIDE = frozenset("mwMW@%—…")


@dataclass(frozen=True, slots=True)
class PaperLink:
    """Where a paper of a figure leads, and its title."""

    address: str
    title: str


Links = Mapping[PaperKey, PaperLink]


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle: left and top edge, width and height."""

    x: float
    y: float
    width: float
    height: float

    def overlap(self, other: Box) -> float:
        """Area common to both."""
        across = min(self.x + self.width, other.x + other.width) - max(self.x, other.x)
        down = min(self.y + self.height, other.y + other.height) - max(self.y, other.y)
        return max(0.0, across) * max(0.0, down)


def text_width(text: str, size: float) -> float:
    """About the width of a line of text; rather too wide than too narrow."""
    units = sum(
        0.33 if ch in _NARROW else 0.92 if ch in _WIDE else 1.0 if ord(ch) > 0x2E7F else 0.68 if ch.isupper() else 0.56
        for ch in text
    )
    return units * size


BOLD = 1.16
"""How much wider bold letters are."""


def wrap_label(text: str, size: float, width: float, lines: int = 2) -> list[str]:
    """The text on at most so many lines of that width, with an ellipsis where it is cut."""
    found: list[str] = []
    for word in clean(text).split():
        if found and text_width(f"{found[-1]} {word}", size) <= width:
            found[-1] += f" {word}"
        else:
            found.append(word)
    kept = found[:lines]
    if len(found) > lines:
        kept[-1] += " …"
    return [_fit(line, size, width) for line in kept]


def _fit(line: str, size: float, width: float) -> str:
    if text_width(line, size) <= width:
        return line
    while len(line) > 1 and text_width(f"{line}…", size) > width:
        line = line[:-1]
    return f"{line.rstrip()}…"


class Drawing:
    """Elements in the order in which they are painted."""

    def __init__(self, width: float, height: float, label: str) -> None:
        self.width = width
        self.height = height
        self.label = clean(label)
        self.groups: tuple[str, ...] = ()
        self._parts: list[str] = []

    def text(self, x: float, y: float, text: str, *, size: float = 11, **attributes: object) -> None:
        """A line of text whose baseline begins at a point; its characters cannot become markup."""
        given = {"fill": INK, "class_": "ink", **attributes}
        self._parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}"{_write_attributes(given)}>{escape(clean(text))}</text>'
        )

    def element(self, name: str, *, title: str = "", **attributes: object) -> None:
        """A shape; ``title`` is what is told of it where the pointer rests on it."""
        told = f"><title>{escape(clean(title))}</title></{name}>" if title else "/>"
        self._parts.append(f"<{name}{_write_attributes(attributes)}{told}")

    @contextmanager
    def inside(self, name: str, **attributes: object) -> Iterator[None]:
        """What is drawn within belongs to this element."""
        self._parts.append(f"<{name}{_write_attributes(attributes)}>")
        yield
        self._parts.append(f"</{name}>")

    @contextmanager
    def link(self, key: PaperKey | None, links: Links, *, reachable: bool = True) -> Iterator[None]:
        """What is drawn within leads to the paper, if any; the tabulator passes over what is not ``reachable``."""
        link = links.get(key) if key else None
        if link is None:
            yield
            return
        attributes: dict[str, object] = {"href": link.address, "class_": "to-paper", "aria_label": clean(link.title)}
        with self.inside("a", **(attributes if reachable else {**attributes, "tabindex": -1})):
            yield

    def svg(self) -> str:
        """The ``<svg>`` element, without XML declaration: a picture, or, with links in it, a group of them."""
        groups = f" data-groups={quoteattr(json.dumps(self.groups))}" if self.groups else ""
        role = "group" if any(part.startswith("<a ") for part in self._parts) else "img"
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:g} {self.height:g}" '
            f'width="{self.width:g}" height="{self.height:g}" font-family="{FONT}" role="{role}" '
            f"aria-label={quoteattr(self.label)}{groups}>{''.join(self._parts)}</svg>"
        )


def _write_attributes(attributes: Mapping[str, object]) -> str:
    return "".join(
        f" {name.rstrip('_').replace('_', '-')}={quoteattr(f'{value:.1f}' if isinstance(value, float) else str(value))}"
        for name, value in attributes.items()
    )


def order_groups(groups: Iterable[str], known: Sequence[str]) -> list[str]:
    """Groups each once: those known in their order, then the others."""
    present = list(dict.fromkeys(groups))
    return [*(group for group in known if group in present), *(group for group in present if group not in known)]


def place_label(candidates: Iterable[Box], taken: Iterable[Box], frame: Box) -> Box:
    """The first candidate that covers nothing and stays in the frame, else the one that covers least."""
    blocked = list(taken)

    def cost(box: Box) -> float:
        outside = max(0.0, box.width * box.height - box.overlap(frame))
        return sum(box.overlap(other) for other in blocked) + 4 * outside

    return min(candidates, key=cost)


def marker(drawing: Drawing, index: int, x: float, y: float, size: float, title: str = "") -> None:
    """The mark of a group: colour and shape, so that it is told apart in print too."""
    shape = index % 5
    style: dict[str, object] = {"fill": COLOURS[index % len(COLOURS)], "class_": f"mark g{index % len(COLOURS)}"}
    if shape == 0:
        drawing.element("circle", title=title, cx=x, cy=y, r=size, **style)
        return
    corners = {
        1: ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
        2: ((0, -1.2), (1.1, 0.8), (-1.1, 0.8)),
        3: ((0, -1.25), (1.25, 0), (0, 1.25), (-1.25, 0)),
        4: ((0, 1.2), (1.1, -0.8), (-1.1, -0.8)),
    }[shape]
    points = " ".join(f"{x + size * dx:.1f},{y + size * dy:.1f}" for dx, dy in corners)
    drawing.element("polygon", title=title, points=points, **style)
