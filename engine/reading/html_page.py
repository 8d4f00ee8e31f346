"""An HTML page as a tree of its text: no scripts, no styles, no navigation, formulas as their source."""

from __future__ import annotations

from typing import Any

import lxml.html

from engine.errors import UserError


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
