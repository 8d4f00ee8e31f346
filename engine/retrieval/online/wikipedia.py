"""Wikipedia: articles that explain a topic, with the revision that was read; no library for it fits or is kept up."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from engine.errors import RetrievalError
from engine.retrieval.online.transport import OnlineTransport, ScholarlyService, ServicePolicy, ServiceRequest
from engine.text import clean
from engine.values import Paper, PaperKey, Passage

NAME = "Wikipedia"
INTERVAL_S = 0.5
FOUND = 20
"""Articles that a search gives (Jarvis' ``srlimit``)."""


class Wikipedia:
    """A client of the MediaWiki service; each method raises `RetrievalError` where it cannot answer."""

    def __init__(self, web: OnlineTransport, url: str, policy: ServicePolicy) -> None:
        self._url = url.rstrip("/")
        self._service = ScholarlyService(NAME, url, web, policy.with_interval(INTERVAL_S))

    async def search(self, words: str) -> list[tuple[str, str]]:
        """Titles and introductions of at most `FOUND` articles, best first."""
        asked = {"generator": "search", "gsrsearch": words, "gsrlimit": str(FOUND)}
        found = await self._pages({**asked, "prop": "extracts", "exintro": "1", "exlimit": str(FOUND)})
        ordered = sorted(found, key=lambda page: page.get("index", FOUND))
        return [(clean(str(p.get("title") or "")), clean(str(p.get("extract") or ""))) for p in ordered]

    async def article(self, title: str) -> Paper:
        """The article as a source that can be cited: its revision's year and permanent address, its text as body."""
        found = await self._pages(
            {"titles": title, "prop": "extracts|revisions", "rvprop": "ids|timestamp", "redirects": "1"}
        )
        text = str(found[0].get("extract") or "") if found else ""
        if not text:
            raise RetrievalError(f"{NAME} has no article “{title}”.")
        page = found[0]
        revision: Mapping[str, Any] = (page.get("revisions") or [{}])[0]
        name = clean(str(page.get("title") or title))
        # Brackets, quotes and so on would end a citation's key; the revision's number tells the article as well.
        key = PaperKey(f"wikipedia:{re.sub(r'[^A-Za-z0-9_.-]', '_', name)}.{revision.get('revid', 0)}")
        year = re.match(r"\d{4}", str(revision.get("timestamp") or ""))
        parts = re.split(r"\n+=+ *(.*?) *=+\n+", text)
        return Paper(
            key=key,
            title=name,
            abstract=clean(parts[0]),
            authors=("Wikipedia contributors",),
            year=int(year[0]) if year else None,
            venue=NAME,
            url=f"{self._url}/w/index.php?title={quote(name.replace(' ', '_'))}&oldid={revision.get('revid', 0)}",
            identifiers=(key,),
            body=tuple(Passage(clean(t), clean(s)) for s, t in zip(["", *parts[1::2]], parts[::2], strict=True) if t),
        )

    async def _pages(self, params: Mapping[str, str]) -> list[Mapping[str, Any]]:
        common = {"action": "query", "format": "json", "formatversion": "2", "explaintext": "1"}
        answer, _ = await self._service.ask(ServiceRequest("/w/api.php", {**common, **params}))
        if not isinstance(answer, dict) or "error" in answer:
            raise RetrievalError(f"{NAME} did not accept the question.", retryable=True)
        pages = (answer.get("query") or {}).get("pages") or []
        return [page for page in pages if isinstance(page, dict) and not page.get("missing")]


def is_encyclopedia(paper: Paper) -> bool:
    """Whether it is an article of an encyclopedia and no paper."""
    return paper.key.startswith("wikipedia:")
