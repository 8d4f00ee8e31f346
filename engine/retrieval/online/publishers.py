"""Searches of publishers that want a key: Scopus and ScienceDirect (Elsevier), and Springer Nature.

Documentation: Elsevier's "Scopus Search API" and "ScienceDirect Search V2" (dev.elsevier.com), Springer Nature's "Meta
API v2" (dev.springernature.com). Scopus gives 25 records a page with abstracts, at most 5,000 in all; ScienceDirect is
asked by PUT and gives no abstracts; Springer gives 25 a page to keys of its free plan.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from engine.retrieval.online.queries import BooleanQuery
from engine.retrieval.online.transport import OnlineTransport, ScholarlyService, ServicePolicy, ServiceRequest
from engine.retrieval.paper_keys import find_key
from engine.retrieval.records.record_fields import Fields, make_found_paper
from engine.values import ALL_YEARS, Paper, YearRange

ELSEVIER, SPRINGER_NATURE = "https://api.elsevier.com", "https://api.springernature.com"
PAGE = 25
LAST_PLACE = 5_000
SCOPUS_ORDER = "-relevancy,-citedby-count,-pubyear"
"""As Jarvis asks: by relevance, then citations, then year."""
INTERVAL_S = 0.35
"""Seconds between calls: Elsevier allows nine a second for searches of Scopus and two of ScienceDirect."""


@dataclass(frozen=True, slots=True)
class Publisher:
    """How one publisher is asked for the page that begins at a place (from 0), and what its answers say."""

    name: str
    url: str
    ask: Callable[[BooleanQuery, int], ServiceRequest]
    read_page: Callable[[Any], Sequence[Fields]]
    """The fields of each paper of an answer; raises what a wrong shape raises."""
    number: str = ""
    """Namespace, and field, of the publisher's own number of a paper."""

    def to_paper(self, fields: Fields) -> Paper | None:
        """``None`` for a record without a title or an identifier."""
        own = "".join(filter(str.isalnum, fields.get(self.number) or ""))  # “S0004-3702(98)00023-X”
        return make_found_paper(fields, (find_key(self.number, own),), self.name)


class PublisherSearch:
    """One publisher's search; each method raises `RetrievalError` where it cannot answer."""

    def __init__(self, publisher: Publisher, web: OnlineTransport, key: str, policy: ServicePolicy) -> None:
        self.name = publisher.name
        self._publisher = publisher
        headers = {"X-ELS-APIKey": key, "Accept": "application/json"} if publisher.url == ELSEVIER else {}
        secret = {} if headers else {"api_key": key}
        policy = policy.with_interval(INTERVAL_S)
        self._service = ScholarlyService(publisher.name, publisher.url, web, policy, headers, secret)

    async def find(self, query: BooleanQuery, limit: int) -> tuple[Sequence[Paper], float]:
        """At most ``limit`` papers by relevance, and the oldest answer's age; kinds and fields are not restricted."""
        if not query.groups:
            return [], 0.0
        asked = self._publisher

        def read(text: str) -> list[Paper | None]:
            return [asked.to_paper(item) for item in asked.read_page(json.loads(text))]

        return await self._service.read_pages(partial(asked.ask, query), read, PAGE, min(limit, LAST_PLACE))


def _ask_scopus(query: BooleanQuery, start: int) -> ServiceRequest:
    asked = {"query": f"TITLE-ABS-KEY({query.render()})", "start": str(start), "count": str(PAGE)}
    return ServiceRequest(
        "/content/search/scopus", {**asked, "sort": SCOPUS_ORDER, "view": "COMPLETE", **_dates(query.years)}
    )


def _read_scopus(answer: Any) -> list[Fields]:
    return [
        {
            "title": entry.get("dc:title"),
            "abstract": entry.get("dc:description"),
            # Complete in the view that has abstracts, else the first alone.
            "authors": [a.get("authname") for a in entry.get("author") or ()] or [entry.get("dc:creator")],
            "year": entry.get("prism:coverDate"),
            "venue": entry.get("prism:publicationName"),
            "citations": entry.get("citedby-count"),
            "doi": entry.get("prism:doi"),
            "scopus": str(entry.get("eid") or "").removeprefix("2-s2.0-"),
        }
        for entry in answer["search-results"]["entry"]
        if "error" not in entry  # an empty result is an entry with an error
    ]


SCOPUS = Publisher("Scopus", ELSEVIER, _ask_scopus, _read_scopus, "scopus")


def _ask_science_direct(query: BooleanQuery, start: int) -> ServiceRequest:
    shown = {"offset": start, "show": PAGE, "sortBy": "relevance"}
    body = {"qs": query.render(), "display": shown, **_dates(query.years)}
    return ServiceRequest("/content/search/sciencedirect", body=body, method="PUT")


def _read_science_direct(answer: Any) -> list[Fields]:
    items = answer.get("results", ()) if answer["resultsFound"] else ()
    return [{**item, "year": item.get("publicationDate"), "venue": item.get("sourceTitle")} for item in items]


SCIENCE_DIRECT = Publisher("ScienceDirect", ELSEVIER, _ask_science_direct, _read_science_direct, "pii")


def _ask_springer(query: BooleanQuery, start: int) -> ServiceRequest:
    dates = [f"datefrom:{query.years.first}-01-01"] if query.years.first else []
    dates += [f"dateto:{query.years.last}-12-31"] if query.years.last else []
    asked = " ".join((f"({query.render()})", *dates))
    return ServiceRequest("/meta/v2/json", {"q": asked, "s": str(start + 1), "p": str(PAGE)})


def _read_springer(answer: Any) -> list[Fields]:
    return [
        {
            "title": record.get("title"),
            "abstract": _join(record.get("abstract")),
            "authors": [person.get("creator") for person in record.get("creators") or ()],
            "year": record.get("publicationDate"),
            "venue": record.get("publicationName"),
            "doi": record.get("doi"),
        }
        for record in (answer["records"] if int(answer["result"][0]["total"]) else ())
    ]


def _join(abstract: Any) -> str:
    """An abstract that is a text, or paragraphs below a heading."""
    paragraphs = abstract.get("p") if isinstance(abstract, dict) else abstract
    return " ".join(map(str, paragraphs)) if isinstance(paragraphs, list) else paragraphs or ""


SPRINGER = Publisher("Springer", SPRINGER_NATURE, _ask_springer, _read_springer)


def _dates(years: YearRange) -> dict[str, str]:
    return {} if years == ALL_YEARS else {"date": f"{years.first or 1900}-{years.last or 2100}"}
