"""Searches of publishers that want a key: Scopus and ScienceDirect (Elsevier), and Springer Nature.

Documentation: Elsevier's "Scopus Search API" and "ScienceDirect Search V2" (dev.elsevier.com), Springer Nature's "Meta
API v2" (dev.springernature.com). Scopus gives 25 records a page with abstracts, at most 5,000 in all; ScienceDirect is
asked by PUT and gives no abstracts; Springer gives 25 a page to keys of its free plan.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engine.retrieval.online.queries import BooleanQuery, query_of
from engine.retrieval.online.semantic_scholar import note_source
from engine.retrieval.online.transport import OnlineTransport, ScholarlyService, ServicePolicy, ServiceRequest
from engine.retrieval.paper_keys import doi_key, paper_key
from engine.values import ALL_YEARS, Paper, YearRange

ELSEVIER, SPRINGER = "https://api.elsevier.com", "https://api.springernature.com"
PAGE = 25
LAST_PLACE = 5_000
SCOPUS_ORDER = "-relevancy,-citedby-count,-pubyear"
"""As Jarvis asks: by relevance, then citations, then year."""
INTERVAL_S = 0.35
"""Seconds between calls: Elsevier allows nine a second for searches of Scopus and two of ScienceDirect."""

ServicePage = tuple[Sequence[Mapping[str, Any]], int]
"""The items of one page, and how many there are in all."""


class PublisherSearch:
    """One publisher's search; each method raises `RetrievalError` where it cannot answer."""

    name: str

    def __init__(self, service: ScholarlyService) -> None:
        self._service = service

    async def search(self, text: str, limit: int, years: YearRange = ALL_YEARS) -> tuple[Sequence[Paper], float]:
        """At most ``limit`` papers by relevance for plain words, and the age of the oldest answer in seconds."""
        return await self.find(query_of(text, years), limit)

    async def find(self, query: BooleanQuery, limit: int) -> tuple[Sequence[Paper], float]:
        """Likewise for a query with operators and years; kinds of publication and fields are not restricted."""
        found: list[Paper] = []
        age, start, total = 0.0, 0, 1
        while query.groups and start < min(total, limit, LAST_PLACE):
            (items, total), answered = await self._service.read(
                self.ask_for(query, start), lambda text: self.page_of(json.loads(text))
            )
            found += [paper for item in items if (paper := self.to_paper(item))]
            age, start = max(age, answered), start + PAGE
        return found[:limit], age

    def ask_for(self, query: BooleanQuery, start: int) -> ServiceRequest:
        """The question for a page that begins at this place, from 0."""
        raise NotImplementedError

    def page_of(self, answer: Mapping[str, Any]) -> ServicePage:
        """The items of an answer; raises what a wrong shape raises."""
        raise NotImplementedError

    def to_paper(self, item: Mapping[str, Any]) -> Paper | None:
        """One item as a paper; ``None`` without a title or an identifier."""
        raise NotImplementedError


class Scopus(PublisherSearch):
    """Elsevier's index of abstracts, its own and other publishers'."""

    name = "Scopus"

    def __init__(self, web: OnlineTransport, key: str, policy: ServicePolicy | None = None) -> None:
        super().__init__(_elsevier(self.name, web, key, policy))

    def ask_for(self, query: BooleanQuery, start: int) -> ServiceRequest:
        """By title, abstract and keywords."""
        asked = {"query": f"TITLE-ABS-KEY({query.render()})", "start": str(start), "count": str(PAGE)}
        return ServiceRequest(
            "/content/search/scopus", {**asked, "sort": SCOPUS_ORDER, "view": "COMPLETE", **_dates(query)}
        )

    def page_of(self, answer: Mapping[str, Any]) -> ServicePage:
        """An empty result is an entry with an error."""
        results = answer["search-results"]
        return [e for e in results["entry"] if "error" not in e], int(results["opensearch:totalResults"])

    def to_paper(self, item: Mapping[str, Any]) -> Paper | None:
        """Authors are complete in the view that has abstracts, else the first alone."""
        authors = [a["authname"] for a in item.get("author") or () if a.get("authname")] or [item.get("dc:creator", "")]
        number = str(item.get("eid", "")).removeprefix("2-s2.0-")
        return _make_paper(
            self.name,
            (item.get("prism:doi"), "scopus", number),
            (item.get("dc:title"), item.get("dc:description"), authors),
            (item.get("prism:coverDate"), item.get("prism:publicationName"), item.get("citedby-count")),
        )


class ScienceDirect(PublisherSearch):
    """Elsevier's own journals and books."""

    name = "ScienceDirect"

    def __init__(self, web: OnlineTransport, key: str, policy: ServicePolicy | None = None) -> None:
        super().__init__(_elsevier(self.name, web, key, policy))

    def ask_for(self, query: BooleanQuery, start: int) -> ServiceRequest:
        """By all that is searched; the years are part of the body."""
        shown = {"offset": start, "show": PAGE, "sortBy": "relevance"}
        body = {"qs": query.render(), "display": shown, **_dates(query)}
        return ServiceRequest("/content/search/sciencedirect", body=body, method="PUT")

    def page_of(self, answer: Mapping[str, Any]) -> ServicePage:
        """Nothing found has no results."""
        return answer.get("results") or (), int(answer["resultsFound"])

    def to_paper(self, item: Mapping[str, Any]) -> Paper | None:
        """Without an abstract: the service gives none."""
        authors = [author["name"] for author in item.get("authors") or () if author.get("name")]
        return _make_paper(
            self.name,
            (item.get("doi"), "pii", str(item.get("pii") or "")),
            (item.get("title"), "", authors),
            (item.get("publicationDate"), item.get("sourceTitle"), None),
        )


class Springer(PublisherSearch):
    """Springer Nature's journals and books."""

    name = "Springer"

    def __init__(self, web: OnlineTransport, key: str, policy: ServicePolicy | None = None) -> None:
        pace = policy or ServicePolicy(INTERVAL_S)
        super().__init__(ScholarlyService(self.name, SPRINGER, web, pace, secret_params={"api_key": key}))

    def ask_for(self, query: BooleanQuery, start: int) -> ServiceRequest:
        """Places are counted from 1."""
        years = query.years
        dates = [f"datefrom:{years.first}-01-01"] if years.first else []
        dates += [f"dateto:{years.last}-12-31"] if years.last else []
        asked = " ".join((f"({query.render()})", *dates))
        return ServiceRequest("/meta/v2/json", {"q": asked, "s": str(start + 1), "p": str(PAGE)})

    def page_of(self, answer: Mapping[str, Any]) -> ServicePage:
        """The total stands in a list of one."""
        return answer["records"], int(answer["result"][0]["total"])

    def to_paper(self, item: Mapping[str, Any]) -> Paper | None:
        """An abstract is a text, or paragraphs below a heading."""
        said = item.get("abstract") or ""
        abstract = said if isinstance(said, str) else " ".join(_list_texts(said.get("p")))
        authors = [person["creator"] for person in item.get("creators") or () if person.get("creator")]
        return _make_paper(
            self.name,
            (item.get("doi"), "", ""),
            (item.get("title"), abstract, authors),
            (item.get("publicationDate"), item.get("publicationName"), None),
        )


MakeSearch = Callable[[OnlineTransport, str, ServicePolicy], PublisherSearch]
PUBLISHERS: Mapping[str, MakeSearch] = {
    "scopus": Scopus,
    "sciencedirect": ScienceDirect,
    "springer": Springer,
}
"""What a person calls each of them."""


def _elsevier(name: str, web: OnlineTransport, key: str, policy: ServicePolicy | None) -> ScholarlyService:
    headers = {"X-ELS-APIKey": key, "Accept": "application/json"}
    return ScholarlyService(name, ELSEVIER, web, policy or ServicePolicy(INTERVAL_S), headers)


def _dates(query: BooleanQuery) -> dict[str, str]:
    years = query.years
    return {} if years == ALL_YEARS else {"date": f"{years.first or 1900}-{years.last or 2100}"}


def _list_texts(value: object) -> list[str]:
    return [str(part) for part in (value if isinstance(value, list) else [value]) if part]


def _make_paper(
    source: str,
    named: tuple[str | None, str, str],
    said: tuple[str | None, str | None, Sequence[str]],
    published: tuple[str | None, str | None, str | None],
) -> Paper | None:
    """A paper: its DOI, or the publisher's own kind and number; title, abstract, authors; date, venue, count."""
    doi, kind, number = named
    digits = "".join(sign for sign in number if sign.isalnum())  # “S0004-3702(98)00023-X”
    own = paper_key(f"{kind}:{digits}") if kind and digits else None
    candidates = (doi_key(doi or ""), own)
    title, abstract, authors = said
    date, venue, count = published
    if not title or not any(candidates):
        return None
    values: dict[str, Any] = {
        "title": title,
        "abstract": abstract or "",
        "authors": authors,
        "year": int(date[:4]) if date and date[:4].isdigit() else None,
        "venue": venue or "",
        "citations": int(count) if count and str(count).isdigit() else None,
    }
    return note_source(values, candidates, source)
