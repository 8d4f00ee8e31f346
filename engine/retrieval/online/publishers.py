"""Searches of publishers that want a key: Scopus and ScienceDirect (Elsevier), and Springer Nature.

Documentation: Elsevier's "Scopus Search API" and "ScienceDirect Search V2" (dev.elsevier.com), Springer Nature's "Meta
API v2" (dev.springernature.com). Scopus gives 25 records a page with abstracts, at most 5,000 in all; ScienceDirect is
asked by PUT and gives no abstracts; Springer gives 25 a page to keys of its free plan.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from engine.retrieval.online.queries import BooleanQuery
from engine.retrieval.online.transport import OnlineTransport, ScholarlyService, ServicePolicy, ServiceRequest
from engine.retrieval.paper_keys import find_key
from engine.retrieval.records.record_fields import make_found_paper
from engine.values import ALL_YEARS, Paper, YearRange

ELSEVIER, SPRINGER_NATURE = "https://api.elsevier.com", "https://api.springernature.com"
PAGE = 25
LAST_PLACE = 5_000
SCOPUS_ORDER = "-relevancy,-citedby-count,-pubyear"
"""As Jarvis asks: by relevance, then citations, then year."""
INTERVAL_S = 0.35
"""Seconds between calls: Elsevier allows nine a second for searches of Scopus and two of ScienceDirect."""

FIELDS = ("title", "abstract", "year", "venue", "citations", "doi")

Item = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Publisher:
    """How one publisher is asked for the page that begins at a place (from 0), and what its answers say."""

    name: str
    url: str
    ask: Callable[[BooleanQuery, int], ServiceRequest]
    read_page: Callable[[Any], Sequence[Item]]
    """The items of an answer; raises what a wrong shape raises."""
    names: Mapping[str, str]
    """Field of a paper → its name in an item, where that is another."""
    list_authors: Callable[[Item], list[Any]]
    number: tuple[str, str] = ("", "")
    """Namespace and field of the publisher's own number of a paper."""

    def to_paper(self, item: Item) -> Paper | None:
        """``None`` for an item without a title or an identifier."""
        fields = {field: item.get(self.names.get(field, field)) for field in FIELDS}
        kind, name = self.number
        own = "".join(filter(str.isalnum, str(item.get(name) or "").removeprefix("2-s2.0-")))  # “S0004-3702(98)00023-X”
        return make_found_paper({**fields, "authors": self.list_authors(item)}, (find_key(kind, own),), self.name)


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


def _read_scopus(answer: Any) -> Sequence[Item]:
    # An empty result is an entry with an error.
    return [entry for entry in answer["search-results"]["entry"] if "error" not in entry]


SCOPUS = Publisher(
    "Scopus",
    ELSEVIER,
    _ask_scopus,
    _read_scopus,
    {
        "title": "dc:title",
        "abstract": "dc:description",
        "year": "prism:coverDate",
        "venue": "prism:publicationName",
        "citations": "citedby-count",
        "doi": "prism:doi",
    },
    # Complete in the view that has abstracts, else the first alone.
    lambda item: [a.get("authname") for a in item.get("author") or ()] or [item.get("dc:creator")],
    ("scopus", "eid"),
)


def _ask_science_direct(query: BooleanQuery, start: int) -> ServiceRequest:
    shown = {"offset": start, "show": PAGE, "sortBy": "relevance"}
    body = {"qs": query.render(), "display": shown, **_dates(query.years)}
    return ServiceRequest("/content/search/sciencedirect", body=body, method="PUT")


SCIENCE_DIRECT = Publisher(
    "ScienceDirect",
    ELSEVIER,
    _ask_science_direct,
    lambda answer: answer.get("results", ()) if answer["resultsFound"] else (),
    {"year": "publicationDate", "venue": "sourceTitle"},
    lambda item: list(item.get("authors") or ()),
    ("pii", "pii"),
)


def _ask_springer(query: BooleanQuery, start: int) -> ServiceRequest:
    dates = [f"datefrom:{query.years.first}-01-01"] if query.years.first else []
    dates += [f"dateto:{query.years.last}-12-31"] if query.years.last else []
    asked = " ".join((f"({query.render()})", *dates))
    return ServiceRequest("/meta/v2/json", {"q": asked, "s": str(start + 1), "p": str(PAGE)})


def _read_springer(answer: Any) -> Sequence[Item]:
    is_any = int(answer["result"][0]["total"])
    return [{**record, "abstract": _join(record.get("abstract"))} for record in answer["records"]] if is_any else []


def _join(abstract: Any) -> str:
    """An abstract that is a text, or paragraphs below a heading."""
    paragraphs = abstract.get("p") if isinstance(abstract, dict) else abstract
    return " ".join(map(str, paragraphs)) if isinstance(paragraphs, list) else paragraphs or ""


SPRINGER = Publisher(
    "Springer",
    SPRINGER_NATURE,
    _ask_springer,
    _read_springer,
    {"year": "publicationDate", "venue": "publicationName"},
    lambda item: [person.get("creator") for person in item.get("creators") or ()],
)


def _dates(years: YearRange) -> dict[str, str]:
    return {} if years == ALL_YEARS else {"date": f"{years.first or 1900}-{years.last or 2100}"}
