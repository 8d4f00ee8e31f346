"""arXiv: the last resort for searching, and the place where a preprint's text is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from engine.errors import RetrievalError
from engine.retrieval.online.queries import BooleanQuery
from engine.retrieval.online.semantic_scholar import note_source
from engine.retrieval.online.transport import OnlineTransport, ScholarlyService, ServicePolicy, ServiceRequest, read_xml
from engine.retrieval.paper_keys import arxiv_key, doi_key
from engine.text import clean
from engine.values import ALL_YEARS, Paper, YearRange

ADDRESS = "https://export.arxiv.org"
NAME = "arXiv"
PAGE = 100
_ATOM = "{http://www.w3.org/2005/Atom}"
_ARXIV = "{http://arxiv.org/schemas/atom}"


class Arxiv:
    """A client of the search service, which wants three seconds between calls."""

    name = NAME

    def __init__(self, web: OnlineTransport, url: str = ADDRESS, policy: ServicePolicy | None = None) -> None:
        self._service = ScholarlyService(NAME, url, web, policy or ServicePolicy(3.0))

    async def search(self, text: str, limit: int, years: YearRange = ALL_YEARS) -> tuple[Sequence[Paper], float]:
        """At most ``limit`` papers (and at most 300) that hold all words, by relevance; no citation counts."""
        words = re.findall(r"[\w.+#]+", text)
        if not words:
            return [], 0.0
        return await self._relevant(" AND ".join(f'all:"{word}"' for word in words), limit, years)

    async def find(self, query: BooleanQuery, limit: int) -> tuple[Sequence[Paper], float]:
        """Likewise for a query with operators; kinds of publication and fields are not restricted."""
        return await self._relevant(query.render("all:"), limit, query.years)

    async def _relevant(self, query: str, limit: int, years: YearRange) -> tuple[Sequence[Paper], float]:
        if years != ALL_YEARS:
            query = f"({query}) AND submittedDate:[{years.first or 1990}01010000 TO {years.last or 2100}12312359]"
        found: list[Paper] = []
        age = 0.0
        while len(found) < min(limit, 3 * PAGE):
            params = {"search_query": query, "start": str(len(found)), "max_results": str(PAGE), "sortBy": "relevance"}
            page, answered = await self._service.read(ServiceRequest("/api/query", params), read_feed)
            found += page
            age = max(age, answered)
            if len(page) < PAGE:
                break
        return found[:limit], age


def read_feed(text: str) -> list[Paper]:
    """The papers of an Atom feed. Raises `ValueError` where it is none, `RetrievalError` where it tells of an error."""
    papers = []
    for entry in read_xml(text, f"{_ATOM}feed").iter(f"{_ATOM}entry"):
        if "/api/errors" in _text(entry, f"{_ATOM}id"):
            raise RetrievalError(f"{NAME} did not accept the question: {_text(entry, f'{_ATOM}summary')[:200]}")
        if paper := _paper(entry):
            papers.append(paper)
    return papers


def _paper(entry: Any) -> Paper | None:
    own = arxiv_key(_text(entry, f"{_ATOM}id"))
    title = _text(entry, f"{_ATOM}title")
    if own is None or not title:
        return None
    published = doi_key(_text(entry, f"{_ARXIV}doi"))
    year = re.match(r"\d{4}", _text(entry, f"{_ATOM}published"))
    number = own.removeprefix("arxiv:")
    values: dict[str, Any] = {
        "title": title,
        "abstract": _text(entry, f"{_ATOM}summary"),
        "authors": [_text(a, f"{_ATOM}name") for a in entry.iter(f"{_ATOM}author")],
        "year": int(year[0]) if year else None,
        "venue": _text(entry, f"{_ARXIV}journal_ref") or "arXiv",
        "url": f"https://arxiv.org/abs/{number}",
        "pdf": f"https://arxiv.org/pdf/{number}",
    }
    return note_source(values, (published, own), NAME)


def _text(element: Any, tag: str) -> str:
    return clean(element.findtext(tag) or "")
