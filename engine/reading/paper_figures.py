"""Figures of a paper and its licence, as arXiv's HTML (LaTeXML) has them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit

from engine.text import clean, sentences
from engine.values import Passage

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
    """Whether a work under the licence may be shown in others without asking: by attribution, alike, or freely.

    Licences against commercial use or changes do not count, nor does arXiv's own, which covers distribution by arXiv.
    """
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
