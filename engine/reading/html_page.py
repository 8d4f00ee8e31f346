"""HTML pages as trees of their text, and papers as arXiv's HTML (LaTeXML) has them, read in a bounded process."""

from __future__ import annotations

import re
from typing import Any

import lxml.html

from engine.bounded_process import TOO_MUCH, ProcessLimits, call_bounded
from engine.errors import UserError
from engine.reading.full_text import MOST_PASSAGES, FullText, make_passages
from engine.reading.paper_figures import LIMITS, read_figures, read_licence
from engine.text import clean
from engine.values import Passage


def read_html(content: bytes, url: str, limits: ProcessLimits = LIMITS) -> FullText:
    """The paper; blocks: call it in a thread. Raises `UserError` where there is none, or it takes too much to read."""
    failed = f"The page {url[:200]} {TOO_MUCH}. It was not read."
    return call_bounded(from_html, content, limits, failed, url)


def from_html(page: bytes, source: str) -> FullText:
    """A paper as arXiv's HTML (LaTeXML) has it. Raises `UserError` where the page holds none."""
    document = parse_page(page.decode("utf-8", "replace"), source)
    article = next(iter(document.xpath("//article[contains(@class, 'ltx_document')]")), None)
    if article is None:
        raise UserError(f"The page {source} holds no paper.")
    passages: list[Passage] = []
    abstract = clean(" ".join(_texts(article, ".//div[contains(@class,'ltx_abstract')]//p")))
    if abstract:
        passages += make_passages("Abstract", None, [abstract])
    for part in article.xpath(".//section[contains(@class,'ltx_section') or contains(@class,'ltx_subsection')]"):
        title = next(iter(_texts(part, "./*[contains(@class,'ltx_title')]")), "")
        own = "./div[contains(@class,'ltx_para')]//p|./p"
        passages += make_passages(re.sub(r"^[\d.\s]+", "", title), None, _texts(part, own))
    title = next(iter(_texts(article, "./h1[contains(@class,'ltx_title')]")), "")
    if not any(passage.section != "Abstract" for passage in passages):
        raise UserError(f"The page {source} holds no text of a paper.")
    kept, figures = tuple(passages[:MOST_PASSAGES]), tuple(read_figures(article, source, passages))
    return FullText(title, abstract, kept, source, read_licence(document), figures)


def _texts(element: Any, path: str) -> list[str]:
    return [text for found in element.xpath(path) if (text := clean(found.text_content()))]


def parse_page(page: str, source: str) -> Any:
    """The root element of lxml's tree. Raises `UserError` where the page ``source`` holds no element."""
    parser = lxml.html.HTMLParser(no_network=True, huge_tree=False)
    try:
        document: Any = lxml.html.document_fromstring(page, parser=parser)
    except (lxml.etree.ParserError, ValueError) as error:
        raise UserError(f"The page {source} holds no paper.") from error
    for unwanted in document.xpath("//script|//style|//nav|//annotation|//annotation-xml"):
        unwanted.drop_tree()
    for formula in document.xpath("//math[@alttext]"):
        formula.text, formula[:] = formula.get("alttext"), []
    return document
