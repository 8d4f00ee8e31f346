"""A stand-in of NCBI's E-utilities on loopback, written from their documentation (NBK25497, NBK25499).

It refuses what the service refuses, in its words: another database, an empty term, a search that begins beyond place
9,998, a fetch of more than 200 numbers by GET or of numbers that cannot be any, an unknown key, more calls in a second
than are allowed. Like the service it gives 9,999 numbers where more are asked for, and JSON with line breaks in errors.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from aiohttp import web

from adapters.http_server import serve_http
from engine.clock import SYSTEM_CLOCK, Clock
from engine.values import Paper

Fault = Literal["429", "500", "html", "backend", "cut", "no list", "proxy"]
KEY = "known-key"
LAST_PLACE = 9_999


@dataclass
class PubMedServer:
    """What the service knows, how it behaves, and what it was asked."""

    papers: dict[str, Paper] = field(default_factory=dict)
    retracted: set[str] = field(default_factory=set)
    fault: Callable[[int], Fault | None] = lambda _: None
    per_second: int = 1_000
    calls: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    clock: Clock = SYSTEM_CLOCK
    url: str = ""
    _times: list[float] = field(default_factory=list)

    def add(self, papers: Iterable[Paper]) -> None:
        """Papers with a ``pmid:`` among their identifiers."""
        for paper in papers:
            number = next(i.removeprefix("pmid:") for i in paper.identifiers if i.startswith("pmid:"))
            self.papers[number] = paper

    async def answer(self, request: web.Request) -> web.StreamResponse:
        query = dict(request.query)
        number = len(self.calls)
        self.calls.append((request.path.rsplit("/", 1)[-1], query))
        now = self.clock.now()
        self._times = [at for at in self._times if now - at < 1.0] + [now]
        if query.get("api_key", KEY) != KEY:
            return web.json_response({"error": "API key invalid", "api-key": query["api_key"]}, status=400)
        if len(self._times) > self.per_second:
            return _limited()
        failed = self._failed(request, self.fault(number))
        return failed or (self._search(query) if request.path.endswith("esearch.fcgi") else self._fetch(query))

    def _failed(self, request: web.Request, fault: Fault | None) -> web.Response | None:
        match fault:
            case None:
                return None
            case "429":
                return _limited()
            case "500":
                return web.Response(status=500, text="error")
            case "html":
                return web.Response(text="<html>maintenance</html>", content_type="text/html")
            case "backend":
                return _problem("Search Backend failed: Exception:\nDatabase is not ready")
            case "proxy":
                error = "Error occurred: proxy_stream(): Failed to connect to PubOne service"
                return _fetch_problem(error, status=400)
            case "no list":
                return web.json_response({"header": {}, "esearchresult": {"count": "1"}})
            case "cut":
                assert request.transport
                request.transport.abort()
                return web.Response()

    def _search(self, query: dict[str, str]) -> web.Response:
        if query.get("db") != "pubmed":
            return _problem(f"Invalid db name specified: {query.get('db')}")
        if not query.get("term"):
            return _problem("Empty term and query_key - nothing todo")
        start = int(query.get("retstart", 0))
        count = min(int(query.get("retmax", 20)), LAST_PLACE - start)
        if start >= LAST_PLACE:
            return _problem(
                "Search Backend failed: Exception:\n'retstart' cannot be larger than 9998. For PubMed,\n"
                "ESearch can only retrieve the first 9,999 records\nmatching the query.\n"
            )
        if bool(query.get("mindate")) != bool(query.get("maxdate")):
            return _problem("mindate and maxdate are needed together")
        found = [number for number in self._ranked(query["term"]) if _in(self.papers[number], query)]
        result: dict[str, Any] = {
            "count": str(len(found)),
            "retmax": str(len(found[start : start + count])),
            "retstart": str(start),
            "idlist": found[start : start + count],
            "translationset": [],
            "querytranslation": query["term"],
        }
        if not found:
            result["warninglist"] = {"outputmessages": ["No items found."]}
        return web.json_response({"header": {"type": "esearch", "version": "0.3"}, "esearchresult": result})

    def _ranked(self, term: str) -> list[str]:
        """Papers for which the term is true, those with most of its words first."""
        scores: Counter[str] = Counter()
        for number, paper in self.papers.items():
            text = f"{paper.title} {paper.abstract}".lower()
            if _holds(term, text, paper.venue.lower()):
                scores[number] = sum(text.count(word) for word in re.findall(r"[a-z]{3,}", term.lower())) + 1
        return [number for number, _ in scores.most_common()]

    def _fetch(self, query: dict[str, str]) -> web.Response:
        numbers = query.get("id", "").split(",")
        if len(numbers) > 200:
            return web.Response(status=414, text="Request-URI Too Large")
        if numbers == [""]:
            return _fetch_problem("Supplied id parameter is empty.", status=200)
        numbers = [number for number in numbers if re.fullmatch(r"[1-9]\d*", number)]
        if not numbers:
            return _fetch_problem("ID list is empty! Possibly it has no correct IDs.", status=400)
        records = "".join(
            article(number, self.papers[number], retracted=number in self.retracted)
            for number in reversed(numbers)  # the order of the answer is not promised
            if number in self.papers
        )
        return web.Response(text=record_set(records), content_type="text/xml")


def _holds(term: str, text: str, kind: str) -> bool:
    """Whether ``A AND (B OR C)`` is true of a text; ``review[Publication Type]`` looks at its kind."""
    groups = re.split(r" AND (?![^(]*\))", term)
    return all(any(_has(phrase, text, kind) for phrase in group.strip("()").split(" OR ")) for group in groups)


def _has(phrase: str, text: str, kind: str) -> bool:
    bare = phrase.strip(' "()').lower()
    if "[publication type]" in bare:
        return bare.removesuffix("[publication type]") in kind
    return bare in text if '"' in phrase else all(word in text for word in bare.split())


def _in(paper: Paper, query: dict[str, str]) -> bool:
    if "mindate" not in query:
        return True
    return int(query["mindate"]) <= (paper.year or 0) <= int(query["maxdate"])


def _limited() -> web.Response:
    body = {"error": "API rate limit exceeded", "api-key": "127.0.0.1", "count": "4", "limit": "3"}
    headers = {"Retry-After": "2", "X-RateLimit-Limit": "3", "X-RateLimit-Remaining": "0"}
    return web.json_response(body, status=429, headers=headers)


def _problem(text: str) -> web.Response:
    """An error as ESearch tells it: with status 200, the line breaks as they are."""
    return web.Response(text=f'{{"header":{{"type":"esearch"}},"esearchresult":{{"ERROR":"{text}"}}}}')


def _fetch_problem(text: str, status: int) -> web.Response:
    """An error as EFetch tells it."""
    body = f'<?xml version="1.0" ?>\n<eFetchResult>\n\t<ERROR>{text}</ERROR>\n</eFetchResult>'
    return web.Response(status=status, text=body, content_type="text/xml")


def record_set(records: str) -> str:
    """An answer of EFetch, with the document type it has."""
    kind = (
        '<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2025//EN" "https://x.invalid/p.dtd">'
    )
    return f'<?xml version="1.0" ?>\n{kind}\n<PubmedArticleSet>{records}</PubmedArticleSet>'


def article(number: str, paper: Paper, *, retracted: bool = False) -> str:
    """One record as PubMed's document type has it: a structured abstract, markup in the title, ids at the end."""
    doi = next((i.removeprefix("doi:") for i in paper.identifiers if i.startswith("doi:")), "")
    first, _, rest = paper.abstract.partition(". ")
    parts = f'<AbstractText Label="BACKGROUND">{html.escape(first)}.</AbstractText>' if first else ""
    parts += f'<AbstractText Label="RESULTS">{html.escape(rest)}</AbstractText>' if rest else ""
    authors = "".join(
        f"<Author><LastName>{html.escape(n.split()[-1])}</LastName>"
        f"<ForeName>{html.escape(' '.join(n.split()[:-1]))}</ForeName></Author>"
        for n in paper.authors
    )
    kind = "<PublicationType>Retracted Publication</PublicationType>" if retracted else ""
    return (
        f'<PubmedArticle><MedlineCitation><PMID Version="1">{number}</PMID><Article>'
        f"<Journal><JournalIssue><PubDate><Year>{paper.year}</Year></PubDate></JournalIssue>"
        f"<Title>{html.escape(paper.venue)}</Title></Journal>"
        f"<ArticleTitle>{html.escape(paper.title)}.</ArticleTitle>"
        f"<Abstract>{parts}</Abstract><AuthorList>{authors}</AuthorList>"
        f"<PublicationTypeList><PublicationType>Journal Article</PublicationType>{kind}</PublicationTypeList>"
        f"</Article></MedlineCitation><PubmedData><ArticleIdList>"
        f'<ArticleId IdType="pubmed">{number}</ArticleId>'
        + (f'<ArticleId IdType="doi">{doi}</ArticleId>' if doi else "")
        + "</ArticleIdList></PubmedData></PubmedArticle>"
    )


@asynccontextmanager
async def pubmed(papers: Iterable[Paper] = (), clock: Clock = SYSTEM_CLOCK) -> AsyncIterator[PubMedServer]:
    """The service while the block runs."""
    service = PubMedServer(clock=clock)
    service.add(papers)
    application = web.Application()
    application.router.add_get("/{tail:.*}", service.answer)
    async with serve_http(application, "127.0.0.1", 0, shutdown_s=0.1) as port:
        service.url = f"http://127.0.0.1:{port}"
        yield service
