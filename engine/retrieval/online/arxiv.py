"""arXiv: the last resort for searching, and the place where a preprint's text is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.errors import RetrievalError
from engine.retrieval.online.queries import BooleanQuery
from engine.retrieval.online.transport import (
    ARXIV,
    ARXIV_S,
    OnlineTransport,
    ScholarlyService,
    ServicePolicy,
    ServiceRequest,
    read_xml,
)
from engine.retrieval.paper_keys import arxiv_key
from engine.retrieval.records.record_fields import make_found_paper
from engine.text import clean
from engine.values import ALL_YEARS, Paper

ADDRESS = "https://export.arxiv.org"
PAGE, MOST = 100, 300
_ATOM = "{http://www.w3.org/2005/Atom}"
_ARXIV = "{http://arxiv.org/schemas/atom}"


class Arxiv:
    """A client of the search service."""

    name = ARXIV

    def __init__(self, web: OnlineTransport, url: str, policy: ServicePolicy) -> None:
        self._service = ScholarlyService(ARXIV, url, web, policy.with_interval(ARXIV_S))

    async def find(self, query: BooleanQuery, limit: int) -> tuple[Sequence[Paper], float]:
        """At most ``limit`` papers (never more than 300) by relevance; kinds and fields are not restricted."""
        if not query.groups:
            return [], 0.0
        asked, years = query.render("all:"), query.years
        if years != ALL_YEARS:
            asked = f"({asked}) AND submittedDate:[{years.first or 1990}01010000 TO {years.last or 2100}12312359]"
        params = {"search_query": asked, "max_results": str(PAGE), "sortBy": "relevance"}

        def ask(start: int) -> ServiceRequest:
            return ServiceRequest("/api/query", {**params, "start": str(start)})

        return await self._service.read_pages(ask, read_feed, PAGE, min(limit, MOST))


def read_feed(text: str) -> list[Paper | None]:
    """The papers of an Atom feed. Raises `ValueError` where it is none, `RetrievalError` where it tells of an error."""
    entries = list(read_xml(text, f"{_ATOM}feed").iter(f"{_ATOM}entry"))
    for entry in entries:
        if "/api/errors" in _text(entry, f"{_ATOM}id"):
            raise RetrievalError(f"{ARXIV} did not accept the question: {_text(entry, f'{_ATOM}summary')[:200]}")
    return [_to_paper(entry) for entry in entries]


def _to_paper(entry: Any) -> Paper | None:
    own = arxiv_key(_text(entry, f"{_ATOM}id"))
    number = (own or "").removeprefix("arxiv:")
    fields = {
        "title": _text(entry, f"{_ATOM}title"),
        "abstract": _text(entry, f"{_ATOM}summary"),
        "authors": [_text(author, f"{_ATOM}name") for author in entry.iter(f"{_ATOM}author")],
        "year": _text(entry, f"{_ATOM}published"),
        "venue": _text(entry, f"{_ARXIV}journal_ref") or "arXiv",
        "doi": _text(entry, f"{_ARXIV}doi"),
        "url": f"https://arxiv.org/abs/{number}",
        "pdf": f"https://arxiv.org/pdf/{number}",
    }
    return make_found_paper(fields, (own,), ARXIV) if own else None


def _text(element: Any, tag: str) -> str:
    return clean(element.findtext(tag) or "")
