"""Stand-ins of Semantic Scholar, OpenAlex, arXiv and Crossref on loopback, written from their documentation.

Pages, batches, limits with 429, unknown ids as null, missing abstracts, null authors, and the ways they fail.
"""

from __future__ import annotations

import asyncio
import html
import re
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from aiohttp import web

from adapters.http_server import serve_http
from engine.clock import SYSTEM_CLOCK, Clock
from engine.retrieval.online.transport import OnlineTransport, ProcessCache
from engine.values import Paper, PaperKey
from tests.fakes import MovedClock
from tests.service_rules import open_alex_refusal, refusal

Fault = Literal[
    "429", "429 later", "401", "403", "413", "500", "502", "503", "504", "html", "refused", "cut", "hang", "no data"
]
Site = Literal["s2", "openalex", "arxiv", "crossref"]
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    site: Site
    path: str
    query: dict[str, str]
    body: Any
    headers: dict[str, str]
    at: float
    status: int


@dataclass
class Scholarly:
    """What the services know, how they behave, and what they were asked."""

    papers: dict[PaperKey, Paper] = field(default_factory=dict)
    cites: dict[PaperKey, tuple[PaperKey, ...]] = field(default_factory=dict)
    specter: dict[PaperKey, list[float]] = field(default_factory=dict)
    """SPECTER2 vectors of papers that are not like all others."""
    retracted: set[PaperKey] = field(default_factory=set)
    fault: Callable[[Site, int], Fault | None] = lambda _, __: None
    clock: Clock = SYSTEM_CLOCK
    url: str = ""
    left: float = 1.0
    """Dollars of OpenAlex's allowance of one dollar a day that are left."""
    calls: list[Call] = field(default_factory=list)
    _index: dict[str, list[PaperKey]] = field(default_factory=lambda: defaultdict(list))
    _numbers: dict[str, Paper] = field(default_factory=dict)

    def add(self, papers: Iterable[Paper]) -> None:
        for paper in papers:
            self.papers[paper.key] = self._numbers[number(paper)] = paper
            for word in set(_words(f"{paper.title} {paper.abstract}")):
                self._index[word].append(paper.key)

    def asked(self, site: Site) -> list[Call]:
        return [call for call in self.calls if call.site == site]

    async def answer(self, request: web.Request) -> web.StreamResponse:
        path = request.path
        site: Site = "s2"
        for prefix in ("openalex", "arxiv", "crossref"):
            if path.startswith(f"/{prefix}/"):
                site, path = prefix, path.removeprefix(f"/{prefix}")  # type: ignore[assignment]
        body = await request.json() if request.method == "POST" else None
        now = self.clock.now()
        fault = self.fault(site, len(self.asked(site)))
        response = await self._failed(request, fault) or self._found(site, path, dict(request.query), body)
        if site == "openalex":
            limits = {"Limit-USD": "1", "Remaining-USD": str(self.left), "Reset": "60"}
            response.headers.update({f"X-RateLimit-{name}": said for name, said in limits.items()})
        headers = {k.lower(): v for k, v in request.headers.items()}
        self.calls.append(Call(site, path, dict(request.query), body, headers, now, response.status))
        return response

    async def _failed(self, request: web.Request, fault: Fault | None) -> web.Response | None:
        match fault:
            case None:
                return None
            case "429" | "429 later":
                asked = "1" if fault == "429" else "3600"
                return web.json_response({"message": "Too Many Requests"}, status=429, headers={"Retry-After": asked})
            case "html":
                return web.Response(text="<html>Bad Gateway</html>", content_type="text/html")
            case "refused":
                return web.json_response({"error": "Unacceptable query params: [year=soon]"}, status=400)
            case "no data":
                return web.json_response({"message": "Internal"})
            case "cut":
                assert request.transport
                request.transport.abort()
                return web.Response()
            case "hang":
                await asyncio.sleep(30)
                return web.Response()
            case status:
                return web.Response(text="<html>down</html>", status=int(status), content_type="text/html")

    def _found(self, site: Site, path: str, query: dict[str, str], body: Any) -> web.Response:
        match site:
            case "s2":
                return self._semantic_scholar(path, query, body)
            case "openalex":
                return self._open_alex(path, query)
            case "arxiv":
                phrases = re.findall(r'all:"([^"]*)"', query["search_query"])
                found = self.ranked(_words(" ".join(phrases)), "")[:100]
                return web.Response(text=_feed(found[int(query["start"]) :]), content_type="application/atom+xml")
            case "crossref":
                keys = [PaperKey(part) for part in query["filter"].split(",")]
                items = [{"DOI": k.removeprefix("doi:"), "updated-by": self._notices(k)} for k in keys]
                return web.json_response({"message": {"items": items}})

    def _notices(self, key: PaperKey) -> list[Json]:
        return [{"type": "retraction", "DOI": "10.1/notice"}] if key in self.retracted else []

    def _semantic_scholar(self, path: str, query: dict[str, str], body: Any) -> web.Response:
        if refused := refusal(path, query, body):
            return web.json_response({"error": refused[1]}, status=refused[0])
        if "/search" in path:
            return self._searched(path, query)
        if path == "/graph/v1/paper/batch":
            items = [self._batched(i, query["fields"]) for i in body["ids"]]
            if not any(items):
                return web.json_response({"error": "No valid paper ids given"}, status=400)
            return web.json_response(items)
        if path.startswith("/recommendations/"):
            return self._recommended(body, int(query["limit"]))
        match = re.fullmatch(r"/graph/v1/paper/(.+)/citations", path)
        cited = self.by_name(match[1]) if match else None
        if cited is None:
            return web.json_response({"error": "Paper with that id not found"}, status=404)
        citing = [self.papers[k] for k, keys in self.cites.items() if cited.key in keys]
        return web.json_response({"offset": 0, "data": [{"citingPaper": s2(p)} for p in citing]})

    def _searched(self, path: str, query: dict[str, str]) -> web.Response:
        if path == "/graph/v1/paper/search":
            offset, limit = int(query["offset"]), int(query["limit"])
            found = self.ranked(_words(query["query"]), query.get("year", ""))
            wanted = query.get("publicationTypes")
            found = [p for p in found if not wanted or set(wanted.split(",")) & set(s2(p)["publicationTypes"] or ())]
            if not found:
                return web.json_response({"total": 0, "offset": offset})
            page: Json = {"total": len(found), "offset": offset, "data": list(map(s2, found[offset : offset + limit]))}
            return web.json_response(page | ({"next": offset + limit} if offset + limit < len(found) else {}))
        if path == "/graph/v1/paper/search/bulk":
            words = set(_words(query["query"]))
            found = [p for p in self.ranked(list(words), query.get("year", "")) if words <= set(_words(_text(p)))]
            found.sort(key=lambda p: -(p.citations or 0))
            return web.json_response({"total": len(found), "token": None, "data": list(map(s2, found[:1000]))})
        found = [p for p in self.ranked(_words(query["query"]), "") if _words(p.title) == _words(query["query"])]
        if not found:
            return web.json_response({"error": "Title match not found"}, status=404)
        return web.json_response({"data": [s2(found[0]) | {"matchScore": 200.0}]})

    def _recommended(self, body: Any, limit: int) -> web.Response:
        if not all(self.by_name(name) for name in (*body["positivePaperIds"], *body["negativePaperIds"])):
            return web.json_response({"error": "Input papers not found"}, status=404)
        liked = [p for name in body["positivePaperIds"] if (p := self.by_name(name))]
        title_words = [w for p in liked[:10] for w in _words(p.title)]
        own = {p.key for p in liked}
        similar = [p for p in self.ranked(title_words, "") if p.key not in own][:limit]
        return web.json_response({"recommendedPapers": list(map(s2, similar))})

    def _batched(self, name: str, fields: str) -> Json | None:
        paper = self.by_name(name)
        if paper is None:
            return None
        if fields.startswith("references"):
            references = [{"paperId": number(self.papers[k])} for k in self.cites.get(paper.key, ())]
            return {"paperId": number(paper), "references": [*references, {"paperId": None}]}
        if fields.startswith("embedding"):
            return {
                "paperId": number(paper),
                "embedding": {"model": "specter_v2", "vector": self.specter.get(paper.key, [0.5] * 768)},
            }
        return s2(paper)

    def _open_alex(self, path: str, query: dict[str, str]) -> web.Response:
        if single := re.fullmatch(r"/works/(doi:.+|W\d+)", path):
            found = self.works_named([single[1].removeprefix("doi:")])
            if not found:
                return web.json_response({"error": "Not found"}, status=404)
            return web.json_response(self._work(found[0]))
        if refused := open_alex_refusal(path, query):
            return web.json_response({"error": "Invalid query", "message": refused}, status=400)
        kind, _, value = query.get("filter", "").partition(":")
        if kind in {"doi", "openalex"}:
            found = self.works_named(value.split("|"))
        elif kind == "cites":
            cited = {p.key for p in self.works_named([value])}
            found = [self.papers[key] for key, keys in self.cites.items() if cited & set(keys)]
        elif kind == "title.search" and (phrases := re.findall(r'"([^"]+)"', value)):
            found = [p for phrase in phrases for p in self.papers.values() if _words(phrase) == _words(p.title)]
        elif kind == "title.search":
            found = self.ranked(_words(value), "")[:5]
        else:
            found = self.ranked(_words(query["search"]), value)
        if query.get("sort") == "cited_by_count:desc":
            found = sorted(found, key=lambda p: -(p.citations or 0))
        first = (int(query.get("page", 1)) - 1) * int(query["per_page"])
        page = found[first : first + int(query["per_page"])]
        return web.json_response({"results": list(map(self._work, page))})

    def _work(self, paper: Paper) -> Json:
        cited = [f"https://openalex.org/{work_number(self.papers[key])}" for key in self.cites.get(paper.key, ())]
        return work(paper, retracted=paper.key in self.retracted) | {"referenced_works": cited}

    def works_named(self, names: Sequence[str]) -> list[Paper]:
        by_number = {work_number(p): p for p in self.papers.values()}
        keys = [PaperKey(f"arxiv:{n.split('arxiv.')[1]}" if "48550" in n else f"doi:{n}") for n in names]
        found = [by_number.get(name) or self.papers.get(key) for name, key in zip(names, keys, strict=True)]
        return [paper for paper in found if paper]

    def by_name(self, name: str) -> Paper | None:
        kind, _, rest = name.partition(":")
        key = PaperKey(f"{kind.lower()}:{rest}") if rest else None
        if key:
            return self.papers.get(key)
        return self._numbers.get(name)

    def ranked(self, words: Sequence[str], years: str) -> list[Paper]:
        first, last = (int(y) if y else None for y in years.split("-")) if years else (None, None)
        scores: Counter[PaperKey] = Counter()
        for word in dict.fromkeys(words):
            having = self._index.get(word, [])
            for key in having:
                scores[key] += int(1000 / (1 + len(having) ** 0.5)) + 1
        papers = [self.papers[key] for key, _ in scores.most_common()]
        return [p for p in papers if (not first or (p.year or 0) >= first) and (not last or (p.year or 0) <= last)]


def number(paper: Paper) -> str:
    """Semantic Scholar's own id of a paper."""
    return f"{sum(ord(c) * 31**i for i, c in enumerate(paper.key)) % 16**10:040x}"


def work_number(paper: Paper) -> str:
    """OpenAlex's own id of a paper."""
    return f"W{int(number(paper), 16) % 10**10}"


def s2(paper: Paper) -> Json:
    external: Json = {"CorpusId": 1}
    names = {"doi": "DOI", "arxiv": "ArXiv", "acl": "ACL"}
    for identifier in paper.identifiers:
        kind, _, rest = identifier.partition(":")
        external |= {names[kind]: rest} if kind in names else {}
    return {
        "paperId": number(paper),
        "externalIds": external,
        "title": paper.title,
        "abstract": paper.abstract or None,
        "authors": [{"authorId": None, "name": a or None} for a in paper.authors] if paper.authors else None,
        "year": paper.year,
        "venue": paper.venue,
        "publicationVenue": None,
        "citationCount": paper.citations,
        "openAccessPdf": {"url": paper.pdf, "status": "GREEN"} if paper.pdf else None,
        "publicationTypes": [kind.title().replace(" ", "") for kind in paper.kinds] or None,
    }


def work(paper: Paper, *, retracted: bool) -> Json:
    places: dict[str, list[int]] = defaultdict(list)
    for at, word in enumerate(paper.abstract.split()):
        places[word].append(at)
    doi = next((i.removeprefix("doi:") for i in paper.identifiers if i.startswith("doi:")), None)
    arxiv = next((i.removeprefix("arxiv:") for i in paper.identifiers if i.startswith("arxiv:")), None)
    doi = doi or (f"10.48550/arxiv.{arxiv}" if arxiv else None)
    return {
        "id": f"https://openalex.org/{work_number(paper)}",
        "doi": f"https://doi.org/{doi}" if doi else None,
        "ids": {},
        "title": paper.title,
        "authorships": [{"author": {"display_name": a}} for a in paper.authors],
        "publication_year": paper.year,
        "primary_location": {"source": {"display_name": paper.venue}, "landing_page_url": None},
        "cited_by_count": paper.citations,
        "abstract_inverted_index": dict(places) or None,
        "best_oa_location": None,
        "is_retracted": retracted,
        "type": paper.kinds[0] if paper.kinds else "article",
    }


def _feed(papers: Sequence[Paper]) -> str:
    entries = "".join(
        f"<entry><id>http://arxiv.org/abs/{p.key.removeprefix('arxiv:')}v2</id>"
        f"<published>{p.year}-01-01T00:00:00Z</published><title>{html.escape(p.title)}</title>"
        f"<summary>{html.escape(p.abstract)}</summary>"
        + "".join(f"<author><name>{html.escape(a)}</name></author>" for a in p.authors)
        + "</entry>"
        for p in papers
    )
    return f'<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom">{entries}</feed>'


def _text(paper: Paper) -> str:
    return f"{paper.title} {paper.abstract}"


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9+#&]+", text.lower())


@asynccontextmanager
async def scholarly(papers: Iterable[Paper] = ()) -> AsyncIterator[Scholarly]:
    """The services while the block runs: Semantic Scholar at ``url``, the others below it."""
    service = Scholarly()
    service.add(papers)
    application = web.Application(client_max_size=2**24)
    application.router.add_route("*", "/{tail:.*}", service.answer)
    async with serve_http(application, "127.0.0.1", 0, shutdown_s=0.1) as port:
        service.url = f"http://127.0.0.1:{port}"
        yield service


@asynccontextmanager
async def transport(clock: MovedClock, memory: ProcessCache | None = None) -> AsyncIterator[OnlineTransport]:
    """Connections whose retries and pauses wait by the clock."""
    made = OnlineTransport(memory or ProcessCache(clock), "lab@example.org", clock)
    try:
        yield made
    finally:
        await made.close()
