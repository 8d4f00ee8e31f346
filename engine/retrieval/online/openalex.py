"""OpenAlex: searched where Semantic Scholar is away, for its citation graph too, and asked which papers were retracted.

It gives a daily allowance, larger with a free key, of which a search costs ten times a list
(developers.openalex.org, "Authentication & Pricing"). So pages are few and large, and fewer where
little is left.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from textwrap import shorten
from typing import Any

from engine.errors import RetrievalError
from engine.options import PaperKind
from engine.retrieval.online.queries import BooleanQuery, plain_phrase
from engine.retrieval.online.transport import OnlineTransport, ScholarlyService, ServicePolicy, ServiceRequest
from engine.retrieval.records.record_fields import make_found_paper
from engine.text import clean
from engine.values import ALL_YEARS, Paper, PaperKey, YearRange

ADDRESS = "https://api.openalex.org"
NAME = "OpenAlex"
PAGE = 100
"""Most works in one answer."""
MOST_PAGES = 3
SCARCE = 0.2
"""Share of a day's allowance below which only what matters most is asked."""
INTERVAL_S = 0.15
NAMED_AT_ONCE = 50
"""Most identifiers in one filter."""
TITLES_AT_ONCE, LONGEST_TITLE = 10, 150
"""Most titles in one filter, and characters of each: an address may have about 4,000 bytes, escaped."""

FIELDS = (
    "id,doi,ids,title,authorships,publication_year,primary_location,cited_by_count,abstract_inverted_index,"
    "best_oa_location,is_retracted,type"
)

_KINDS: dict[PaperKind, str] = {"review": "review", "dataset": "dataset"}


class OpenAlex:
    """A client of the service; each method raises `RetrievalError` where it cannot answer."""

    name = NAME

    def __init__(self, web: OnlineTransport, key: str, url: str, policy: ServicePolicy) -> None:
        # Its documentation says 403 for too many calls in a second, 429 for a day's allowance that is spent.
        policy = replace(policy.with_interval(INTERVAL_S), busy=policy.busy | {403})
        self._service = ScholarlyService(NAME, url, web, policy, {"Authorization": f"Bearer {key}"} if key else {})

    async def find(self, query: BooleanQuery, limit: int) -> tuple[Sequence[Paper], float]:
        """At most ``limit`` papers by relevance, and the age of the oldest answer; fields are not restricted."""
        kinds = [_KINDS[kind] for kind in query.kinds if kind in _KINDS]
        filters = [*_filters(query.years), *([f"type:{'|'.join(kinds)}"] if kinds else [])]
        asked = plain_phrase(query.text) if query.text else query.render()
        params = {"search": asked, "per_page": str(PAGE), "select": FIELDS}
        params |= {"filter": ",".join(filters)} if filters else {}

        def ask(start: int) -> ServiceRequest:
            return ServiceRequest("/works", {**params, "page": str(1 + start // PAGE)})

        def read(text: str) -> list[Paper | None]:
            return [to_paper(item) for item in read_works(text)]

        most = PAGE if await self._is_scarce() else MOST_PAGES * PAGE
        return await self._service.read_pages(ask, read, PAGE, min(limit, most))

    async def most_cited(self, text: str, limit: int, years: YearRange = ALL_YEARS) -> tuple[Sequence[Paper], float]:
        """The most cited papers that hold all the words, at most `PAGE`, in one call."""
        if await self._is_scarce():
            raise RetrievalError(f"{NAME} has little left of today's allowance, which is kept for searches.")
        filters = {"filter": filters[0]} if (filters := _filters(years)) else {}
        papers, age = await self._papers({"search": plain_phrase(text), "sort": "cited_by_count:desc", **filters})
        return papers[:limit], age

    async def lookup(self, keys: Sequence[PaperKey]) -> dict[PaperKey, Paper]:
        """The papers that exist among the keys that are DOIs, arXiv ids or the service's own; retractions marked."""
        found = await self._fetch_named(keys, FIELDS)
        return {key: paper for key, item in found.items() if (paper := to_paper(item))}

    async def find_retracted(self, keys: Sequence[PaperKey]) -> frozenset[PaperKey]:
        """Those of the papers that were retracted."""
        return frozenset(key for key, paper in (await self.lookup(keys)).items() if paper.retracted)

    async def references(self, keys: Sequence[PaperKey]) -> dict[PaperKey, tuple[PaperKey, ...]]:
        """For each of the papers that exist the keys (``openalex:…``) of the papers it cites."""
        found = await self._fetch_named(keys, "id,doi,referenced_works")
        return {key: tuple(map(_own, item.get("referenced_works") or ())) for key, item in found.items()}

    async def citations(self, key: PaperKey) -> Sequence[Paper]:
        """Papers that cite this one, the most cited first, at most `PAGE`."""
        found = {key: {"id": key}} if key.startswith("openalex:") else await self._fetch_named([key], "id,doi")
        if key not in found:
            return []
        number = _own(str(found[key]["id"])).removeprefix("openalex:").upper()
        return (await self._papers({"filter": f"cites:{number}", "sort": "cited_by_count:desc"}))[0]

    def names_of(self, papers: Iterable[Paper]) -> list[PaperKey]:
        """For each paper one of its identifiers that this service reads, its own first; others are left out."""
        readable = ([key for key in (*paper.identifiers, paper.key) if _read(key)] for paper in papers)
        return [min(keys, key=lambda key: not key.startswith("openalex:")) for keys in readable if keys]

    async def allowance(self) -> tuple[float, float] | None:
        """Dollars left of today's allowance, and all of it; ``None`` until an answer said so."""
        return await self._service.allowance()

    async def _is_scarce(self) -> bool:
        left, limit = await self.allowance() or (1.0, 1.0)
        return left < SCARCE * limit

    async def _fetch_named(self, keys: Sequence[PaperKey], fields: str) -> dict[PaperKey, Mapping[str, Any]]:
        named = {name: key for key in dict.fromkeys(keys) if (name := _read(key))}
        found: dict[PaperKey, Mapping[str, Any]] = {}
        for kind in ("doi", "openalex"):
            names = [name.removeprefix(f"{kind}:") for name in named if name.startswith(f"{kind}:")]
            for start in range(0, len(names), NAMED_AT_ONCE):
                part = "|".join(names[start : start + NAMED_AT_ONCE])
                params = {"filter": f"{kind}:{part}", "per_page": str(PAGE), "select": fields}
                for item in (await self._works(params))[0]:
                    doi = re.sub(r"^https?://doi\.org/", "", str(item.get("doi") or "").lower())
                    own = _own(str(item.get("id") or "")).removeprefix("openalex:").upper()
                    if key := named.get(f"doi:{doi}") or named.get(f"openalex:{own}"):
                        found[key] = item
        return found

    async def match(self, title: str) -> Paper | None:
        """The first paper found for the words as a title; ``None`` where there is none."""
        papers, _ = await self._papers({"filter": f"title.search:{plain_phrase(title)}", "per_page": "5"})
        return next(iter(papers), None)

    async def find_by_titles(self, titles: Sequence[str]) -> list[Paper]:
        """The papers whose title holds one of the titles, at most `PAGE` from each call, in which several are asked."""
        found: list[Paper] = []
        names = [shorten(plain_phrase(title), LONGEST_TITLE, placeholder="") for title in titles]
        for start in range(0, len(names), TITLES_AT_ONCE):
            phrases = " OR ".join(f'"{words}"' for words in names[start : start + TITLES_AT_ONCE])
            found += (await self._papers({"filter": f"title.search:{phrases}"}))[0]
        return found

    async def _papers(self, params: Mapping[str, str]) -> tuple[list[Paper], float]:
        items, age = await self._works({"per_page": str(PAGE), "select": FIELDS, **params})
        return [paper for item in items if (paper := to_paper(item))], age

    async def _works(self, params: Mapping[str, str]) -> tuple[list[Any], float]:
        found: tuple[list[Any], float] = await self._service.ask(ServiceRequest("/works", params), read_works)
        return found


def read_works(text: str) -> list[Any]:
    """The works of an answer; raises what a wrong shape raises."""
    return [item for item in json.loads(text)["results"] if isinstance(item, dict)]


def to_paper(item: Mapping[str, Any]) -> Paper | None:
    """One work of an answer; ``None`` for one without a title."""
    where: Mapping[str, Any] = item.get("primary_location") or {}
    own = _own(str(item.get("id") or ""))
    fields = {
        "title": item.get("title"),
        "abstract": abstract_of(item.get("abstract_inverted_index")),
        "authors": item.get("authorships") or (),
        "year": item.get("publication_year"),
        "venue": (where.get("source") or {}).get("display_name"),
        "citations": item.get("cited_by_count"),
        "doi": item.get("doi"),
        "arxiv": where.get("landing_page_url"),
        "pmid": str((item.get("ids") or {}).get("pmid") or "").rstrip("/").rpartition("/")[2],
        "pdf": (item.get("best_oa_location") or {}).get("pdf_url"),
        "retracted": item.get("is_retracted") is True,
        "kinds": tuple(kind for kind, name in _KINDS.items() if item.get("type") == name),
    }
    page = f"https://openalex.org/{own.removeprefix('openalex:').upper()}"
    return make_found_paper(fields, (own,), NAME, page) if item.get("id") else None


def abstract_of(index: object) -> str:
    """The abstract from its inverted index (word → places); empty where there is none."""
    if not isinstance(index, dict):
        return ""
    placed = [(at, str(word)) for word, places in index.items() if isinstance(places, list) for at in places]
    return clean(" ".join(word for _, word in sorted(p for p in placed if isinstance(p[0], int))))


def _read(key: PaperKey) -> str | None:
    """The key as this service reads it; ``None`` for one of a kind it does not know."""
    kind, _, rest = key.partition(":")
    # A comma or a bar in a DOI would be read as the filter's own.
    if kind == "doi" and not set(rest) & set(",|"):
        return f"doi:{rest.lower()}"
    if kind == "openalex":
        return f"openalex:{rest.upper()}"
    return f"doi:10.48550/arxiv.{rest}" if kind == "arxiv" else None


def _own(address: str) -> PaperKey:
    return PaperKey(f"openalex:{address.rsplit('/', 1)[-1].removeprefix('openalex:').lower()}")


def _filters(years: YearRange) -> list[str]:
    return [] if years == ALL_YEARS else [f"publication_year:{years.first or ''}-{years.last or ''}"]
