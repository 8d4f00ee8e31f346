"""OpenAlex: searched where Semantic Scholar is away, and asked which papers were retracted."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from engine.errors import RetrievalError
from engine.retrieval.identity import arxiv_key, doi_key
from engine.retrieval.online.queries import BooleanQuery, PaperKind
from engine.retrieval.online.semantic_scholar import note_source
from engine.retrieval.online.transport import OnlineTransport, ScholarlyService, ServicePolicy, ServiceRequest
from engine.retrieval.paper_text import clean_title
from engine.retrieval.records import link_of
from engine.text import clean
from engine.values import ALL_YEARS, Paper, PaperKey, YearRange

ADDRESS = "https://api.openalex.org"
NAME = "OpenAlex"
PAGE = 100
NAMED_AT_ONCE = 50
"""Most identifiers in one filter."""

FIELDS = (
    "id,doi,ids,title,authorships,publication_year,primary_location,cited_by_count,abstract_inverted_index,"
    "best_oa_location,is_retracted"
)

_KINDS: dict[PaperKind, str] = {"review": "review", "dataset": "dataset"}


class OpenAlex:
    """A client of the service; each method raises `RetrievalError` where it cannot answer."""

    name = NAME

    def __init__(
        self, web: OnlineTransport, key: str = "", url: str = ADDRESS, policy: ServicePolicy | None = None
    ) -> None:
        headers = {"Authorization": f"Bearer {key}"} if key else None
        self._service = ScholarlyService(NAME, url, web, policy or ServicePolicy(0.15), headers)

    async def search(self, text: str, limit: int, years: YearRange = ALL_YEARS) -> tuple[Sequence[Paper], float]:
        """At most ``limit`` papers by relevance, and the age of the oldest answer in seconds."""
        return await self._relevant(_words(text), limit, _filters(years))

    async def find(self, query: BooleanQuery, limit: int) -> tuple[Sequence[Paper], float]:
        """Likewise for a query with operators and filters; fields are not restricted."""
        kinds = [_KINDS[kind] for kind in query.kinds if kind in _KINDS]
        filters = [*_filters(query.years), *([f"type:{'|'.join(kinds)}"] if kinds else [])]
        return await self._relevant(query.render(), limit, filters)

    async def _relevant(self, text: str, limit: int, filters: Sequence[str]) -> tuple[Sequence[Paper], float]:
        found: list[Paper] = []
        age = 0.0
        for page in range(1, -(-limit // PAGE) + 1):
            params = {"search": text, "per_page": str(PAGE), "page": str(page), "select": FIELDS}
            params |= {"filter": ",".join(filters)} if filters else {}
            items, answered = await self._works(params)
            found += [paper for item in items if (paper := to_paper(item))]
            age = max(age, answered)
            if len(items) < PAGE:
                break
        return found[:limit], age

    async def lookup(self, keys: Sequence[PaperKey]) -> dict[PaperKey, Paper]:
        """The papers that exist among the keys that are DOIs or arXiv ids, retractions marked."""
        named = {doi: key for key in dict.fromkeys(keys) if (doi := _doi(key))}
        dois = list(named)
        found: dict[PaperKey, Paper] = {}
        for start in range(0, len(dois), NAMED_AT_ONCE):
            part = dois[start : start + NAMED_AT_ONCE]
            params = {"filter": f"doi:{'|'.join(part)}", "per_page": str(PAGE), "select": FIELDS}
            for item in (await self._works(params))[0]:
                doi = re.sub(r"^https?://doi\.org/", "", str(item.get("doi") or "").lower())
                if doi in named and (paper := to_paper(item)):
                    found[named[doi]] = paper
        return found

    async def match(self, title: str) -> Paper | None:
        """The first paper found for the words as a title; ``None`` where there is none."""
        params = {"filter": f"title.search:{_words(title)}", "per_page": "5", "select": FIELDS}
        items, _ = await self._works(params)
        return next((paper for item in items if (paper := to_paper(item))), None)

    async def _works(self, params: Mapping[str, str]) -> tuple[list[Any], float]:
        reply = await self._service.ask(ServiceRequest("/works", params))
        answer = reply.json()
        items = answer.get("results") if isinstance(answer, dict) else None
        if not isinstance(items, list):
            raise RetrievalError(f"{NAME} gave an answer without “results”.", retryable=True)
        return [item for item in items if isinstance(item, dict)], reply.age_s


def to_paper(item: Mapping[str, Any]) -> Paper | None:
    """One work of an answer; ``None`` for one without a title."""
    title = clean_title(str(item.get("title") or ""))
    number = str(item.get("id") or "").rsplit("/", 1)[-1].lower()
    if not title or not number:
        return None
    where: Mapping[str, Any] = item.get("primary_location") or {}
    landing = str(where.get("landing_page_url") or "")
    candidates = (
        doi_key(str(item.get("doi") or "")),
        arxiv_key(str(item.get("doi") or "")),
        arxiv_key(landing),
        _pmid(item),
        PaperKey(f"openalex:{number}"),
    )
    identifiers = tuple(dict.fromkeys(key for key in candidates if key))
    people = ((a or {}).get("author") or {} for a in item.get("authorships") or ())
    pdf = str((item.get("best_oa_location") or {}).get("pdf_url") or "")
    values: dict[str, Any] = {
        "title": title,
        "abstract": abstract_of(item.get("abstract_inverted_index")),
        "authors": tuple(str(p.get("display_name") or "") for p in people),
        "year": item["publication_year"] if isinstance(item.get("publication_year"), int) else None,
        "venue": str((where.get("source") or {}).get("display_name") or ""),
        "citations": item["cited_by_count"] if isinstance(item.get("cited_by_count"), int) else None,
        "url": link_of("", identifiers) or f"https://openalex.org/{number.upper()}",
        "pdf": pdf if pdf.startswith("https://") else "",
        "retracted": item.get("is_retracted") is True,
    }
    return note_source(values, identifiers, NAME)


def abstract_of(index: object) -> str:
    """The abstract from its inverted index (word → places); empty where there is none."""
    if not isinstance(index, dict):
        return ""
    placed = [(at, str(word)) for word, places in index.items() if isinstance(places, list) for at in places]
    return clean(" ".join(word for _, word in sorted(p for p in placed if isinstance(p[0], int))))


def _doi(key: PaperKey) -> str | None:
    kind, _, rest = key.partition(":")
    # A comma or a bar in a DOI would be read as the filter's own.
    if kind == "doi" and not set(rest) & set(",|"):
        return rest
    return f"10.48550/arxiv.{rest}" if kind == "arxiv" else None


def _pmid(item: Mapping[str, Any]) -> PaperKey | None:
    match = re.search(r"(\d{4,9})/?$", str((item.get("ids") or {}).get("pmid") or ""))
    return PaperKey(f"pmid:{match[1]}") if match else None


def _filters(years: YearRange) -> list[str]:
    return [] if years == ALL_YEARS else [f"publication_year:{years.first or ''}-{years.last or ''}"]


def _words(text: str) -> str:
    """Words in which the service reads no operator."""
    bare = re.sub(r"[,|!:\"()*?~]", " ", text)
    return " ".join(w.lower() if w in {"AND", "OR", "NOT"} else w for w in bare.split())
