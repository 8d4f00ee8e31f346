"""Figures of a paper and its licence, as arXiv's HTML (LaTeXML) has them, and their pictures, drawn again."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit

from engine.bounded_process import TOO_MUCH, ProcessLimits, call_bounded
from engine.errors import UserError
from engine.text import clean, sentences
from engine.values import Passage

LIMITS = ProcessLimits(memory_bytes=2**30, cpu_s=20, silence_s=120)


@dataclass(frozen=True, slots=True)
class Picture:
    """A PNG or JPEG as base64, with its size in pixels."""

    kind: str
    width: int
    height: int
    base64: str


def redraw_picture(content: bytes, limits: ProcessLimits = LIMITS) -> Picture:
    """The picture; blocks: call it in a thread. Raises `UserError` for none (PNG, JPEG, GIF or WebP), or a bomb."""
    return call_bounded(draw_again, content, limits, f"The picture {TOO_MUCH}.")


READ = ("PNG", "JPEG", "GIF", "WEBP")
MOST_PIXELS = 40_000_000
LEAST_SIDE = 120
"""Pixels of the shorter side; what is smaller is a symbol or cannot be read in print."""

LONGEST_SIDE = 1_400
LARGEST_PNG = 400_000
"""Bytes; a larger one is a photograph and is kept as JPEG."""


def draw_again(content: bytes) -> Picture:
    """The picture of its pixels alone. Raises `UserError` where there is none to be drawn."""
    from PIL import Image, UnidentifiedImageError

    Image.MAX_IMAGE_PIXELS = MOST_PIXELS
    try:
        with Image.open(io.BytesIO(content), formats=READ) as picture:
            if picture.width * picture.height > MOST_PIXELS or min(picture.size) < LEAST_SIDE:
                raise ValueError("too large or too small")
            picture.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
            whole = picture.convert("RGBA")
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, SyntaxError, ValueError) as error:
        raise UserError("The picture is damaged, too large, or of a kind that is not read.") from error
    drawn = Image.new("RGB", whole.size, "white")  # print and dark pages need it without transparency
    drawn.paste(whole, mask=whole.getchannel("A"))
    kind, encoded = "png", io.BytesIO()
    drawn.save(encoded, "PNG", optimize=True)
    if encoded.tell() > LARGEST_PNG:
        kind, encoded = "jpeg", io.BytesIO()
        drawn.save(encoded, "JPEG", quality=85)
    return Picture(kind, drawn.width, drawn.height, base64.b64encode(encoded.getvalue()).decode())


MOST_FIGURES = 30
MENTIONS = 3
"""Sentences kept of those that name a figure."""

CAPTION_CHARACTERS = 600

_REUSABLE = re.compile(r"CC BY(-SA)? \d\.\d|CC Zero")
"""Licences that let anybody show a work anywhere, named as arXiv's pages name them."""


@dataclass(frozen=True, slots=True)
class PaperFigure:
    """A figure of a paper: its number there, caption, picture's address, and sentences that refer to it."""

    number: str
    caption: str
    address: str
    mentions: tuple[str, ...] = ()

    def context(self) -> str:
        """What the paper says about it."""
        return " ".join((self.caption, *self.mentions))


def is_reusable(licence: str) -> bool:
    """Whether a work under the licence may be shown anywhere by attribution, alike, or freely; not by arXiv's own."""
    return _REUSABLE.fullmatch(licence) is not None


def read_licence(document: Any) -> str:
    """The licence that arXiv prints at the head of the page (``CC BY 4.0``); empty where it prints none."""
    shown = next(iter(document.xpath("//*[@id='license-tr']")), None)
    return "" if shown is None else clean(shown.text_content()).removeprefix("License:").strip()


def read_figures(article: Any, url: str, passages: Iterable[Passage]) -> Iterator[PaperFigure]:
    """Figures of one picture with a number and a caption, whose picture lies on the page's own host."""
    base = next(iter(article.xpath("//base/@href")), "")
    body = [sentence for passage in passages for sentence in sentences(passage.text)]
    for figure in article.xpath(".//figure[contains(@class,'ltx_figure')]")[:MOST_FIGURES]:
        pictures = figure.xpath(".//img/@src")
        captions = figure.xpath("./figcaption")
        if len(pictures) != 1 or len(captions) != 1:
            continue
        tags = captions[0].xpath(".//*[contains(@class,'ltx_tag')]")
        number = re.search(r"\d+", clean(tags[0].text_content())) if tags else None
        caption = clean(captions[0].text_content())
        if number is None:
            continue
        caption = caption.removeprefix(clean(tags[0].text_content())).strip()
        address = urljoin(urljoin(url, base), pictures[0])
        if caption and urlsplit(address)[:2] == urlsplit(url)[:2]:
            named = re.compile(rf"\bFig(?:ure|\.)?\s*{number[0]}\b", re.I)
            mentions = tuple(said for said in body if named.search(said))[:MENTIONS]
            yield PaperFigure(number[0], caption[:CAPTION_CHARACTERS], address, mentions)
