"""Semantic Scholar's Graph and Recommendations services.

Our own thin client: the package `semanticscholar` 0.12 pastes queries unescaped, reads outages as "nothing found",
ignores Retry-After and hangs for minutes. Its wire shapes are translated here and known nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from engine.errors import RetrievalError, UserError
from engine.retrieval.identity import arxiv_key, choose_key, doi_key, paper_key
from engine.retrieval.online.queries import BooleanQuery, PaperKind
from engine.retrieval.online.transport import (
    OnlineTransport,
    ScholarlyService,
    ServicePolicy,
    ServiceReply,
    ServiceRequest,
)
from engine.retrieval.paper_text import clean_abstract, clean_name, clean_title
from engine.retrieval.records import link_of
from engine.text import clean
from engine.values import ALL_YEARS, Paper, PaperKey, YearRange

ADDRESS = "https://api.semanticscholar.org"
NAME = "Semantic Scholar"
PAGE = 100
"""Most papers in one answer of the relevance search, whose last place is 1,000."""
LAST_PLACE = 1_000
BATCH = 500
"""Most papers in one lookup."""
WITH_KEY_S = 1.05
WITHOUT_KEY_S = 3.0
"""Seconds between calls: one a second is allowed with a key; without one all the world shares a pool."""

FIELDS = (
    "title,abstract,authors.name,year,venue,publicationVenue,citationCount,externalIds,openAccessPdf,publicationTypes"
)

_KINDS: dict[PaperKind, str] = {
    "review": "Review",
    "meta-analysis": "MetaAnalysis",
    "clinical trial": "ClinicalTrial",
    "case report": "CaseReport",
    "dataset": "Dataset",
    "conference paper": "Conference",
}


def interval_s(key: str) -> float:
    """Seconds between two calls, with or without a key."""
    return WITH_KEY_S if key else WITHOUT_KEY_S


class SemanticScholar:
    """A client of the service; each method raises `RetrievalError` where it cannot answer."""

    name = NAME

    def __init__(
        self, web: OnlineTransport, key: str = "", url: str = ADDRESS, policy: ServicePolicy | None = None
    ) -> None:
        headers = {"x-api-key": key} if key else None
        self._service = ScholarlyService(NAME, url, web, policy or ServicePolicy(interval_s(key)), headers)

    async def search(self, text: str, limit: int, years: YearRange = ALL_YEARS) -> tuple[Sequence[Paper], float]:
        """At most ``limit`` papers (and never more than 1,000) by relevance, and the age of the oldest answer."""
        return await self._relevant(text, limit, _years(years))

    async def find(self, query: BooleanQuery, limit: int) -> tuple[Sequence[Paper], float]:
        """Likewise for a query with filters; the relevance search knows no operators, so it is asked for the words."""
        filters = _years(query.years)
        kinds = [_KINDS[kind] for kind in query.kinds if kind in _KINDS]
        filters |= {"publicationTypes": ",".join(kinds)} if kinds else {}
        filters |= {"fieldsOfStudy": ",".join(field.title() for field in query.fields)} if query.fields else {}
        return await self._relevant(query.words(), limit, filters)

    async def _relevant(self, text: str, limit: int, filters: Mapping[str, str]) -> tuple[Sequence[Paper], float]:
        found: list[Paper] = []
        age = 0.0
        while len(found) < min(limit, LAST_PLACE):
            params = {
                "query": text.replace("-", " "),  # it finds nothing for words with hyphens
                "fields": FIELDS,
                "offset": str(len(found)),
                "limit": str(min(PAGE, limit - len(found), LAST_PLACE - len(found))),
                **filters,
            }
            reply = await self._service.ask(ServiceRequest("/graph/v1/paper/search", params))
            page = _list(reply, "data")
            found += [paper for item in page if (paper := to_paper(item))]
            age = max(age, reply.age_s)
            if not page or "next" not in (reply.json() or {}):
                break
        return found[:limit], age

    async def most_cited(self, text: str, limit: int, years: YearRange = ALL_YEARS) -> tuple[Sequence[Paper], float]:
        """The most cited papers that hold all the words, at most 1,000, in one call (bulk search)."""
        params = {"query": without_operators(text), "fields": FIELDS, "sort": "citationCount:desc", **_years(years)}
        reply = await self._service.ask(ServiceRequest("/graph/v1/paper/search/bulk", params))
        papers = [paper for item in _list(reply, "data") if (paper := to_paper(item))]
        return papers[:limit], reply.age_s

    async def lookup(self, keys: Sequence[PaperKey]) -> dict[PaperKey, Paper]:
        """The papers that exist among the keys."""
        found: dict[PaperKey, Paper] = {}
        async for key, item in self._batches(keys, FIELDS):
            if paper := to_paper(item):
                found[key] = paper
        return found

    async def match(self, title: str) -> Paper | None:
        """The paper whose title is closest to the words; ``None`` where the service finds none."""
        params = {"query": title.replace("-", " "), "fields": FIELDS}
        reply = await self._service.ask(ServiceRequest("/graph/v1/paper/search/match", params, may_be_absent=True))
        found = _list(reply, "data") if reply.there else []
        return to_paper(found[0]) if found else None

    async def references(self, keys: Sequence[PaperKey]) -> dict[PaperKey, tuple[PaperKey, ...]]:
        """For each of the papers that exist the keys (``s2:…``) of the papers it cites."""
        cited: dict[PaperKey, tuple[PaperKey, ...]] = {}
        async for key, item in self._batches(keys, "references.paperId"):
            cited[key] = tuple(_s2(r) for r in item.get("references") or () if r and r.get("paperId"))
        return cited

    async def citations(self, key: PaperKey, limit: int = LAST_PLACE) -> Sequence[Paper]:
        """Papers that cite this one, the newest first, at most 1,000."""
        name = _name(key)
        if name is None:
            return []
        params = {"fields": FIELDS, "limit": str(min(limit, LAST_PLACE))}
        reply = await self._service.ask(ServiceRequest(f"/graph/v1/paper/{name}/citations", params, may_be_absent=True))
        entries = _list(reply, "data") if reply.there else []
        items = (entry.get("citingPaper") or {} for entry in entries if isinstance(entry, dict))
        return [paper for item in items if (paper := to_paper(item))]

    async def recommendations(
        self, liked: Sequence[PaperKey], disliked: Sequence[PaperKey] = (), limit: int = 100
    ) -> Sequence[Paper]:
        """Papers like the first and unlike the second, at most 500; 100 of each are sent."""
        body = {
            "positivePaperIds": [n for k in liked if (n := _name(k))][:100],
            "negativePaperIds": [n for k in disliked if (n := _name(k))][:100],
        }
        if not body["positivePaperIds"]:
            return []
        params = {"fields": FIELDS, "limit": str(min(limit, BATCH))}
        reply = await self._service.ask(ServiceRequest("/recommendations/v1/papers", params, body))
        return [paper for item in _list(reply, "recommendedPapers") if (paper := to_paper(item))]

    async def vectors(self, keys: Sequence[PaperKey]) -> dict[PaperKey, list[float]]:
        """SPECTER2 vectors (768 numbers) of the papers that have one."""
        found: dict[PaperKey, list[float]] = {}
        async for key, item in self._batches(keys, "embedding.specter_v2"):
            vector = (item.get("embedding") or {}).get("vector")
            if isinstance(vector, list) and vector:
                found[key] = [float(x) for x in vector]
        return found

    async def _batches(self, keys: Sequence[PaperKey], fields: str) -> Any:
        names = [(key, name) for key in dict.fromkeys(keys) if (name := _name(key))]
        for start in range(0, len(names), BATCH):
            part = names[start : start + BATCH]
            ask = ServiceRequest("/graph/v1/paper/batch", {"fields": fields}, {"ids": [name for _, name in part]})
            items = (await self._service.ask(ask)).json()
            for (key, _), item in zip(part, items if isinstance(items, list) else (), strict=False):
                if isinstance(item, dict):  # an unknown id is answered with null
                    yield key, item


def to_paper(item: Mapping[str, Any]) -> Paper | None:
    """One paper of an answer; ``None`` for one without a title or an id, which nobody could cite."""
    title, own = clean(str(item.get("title") or "")), item.get("paperId")
    if not title or not own:
        return None
    external: Mapping[str, Any] = item.get("externalIds") or {}
    candidates = (
        doi_key(str(external.get("DOI") or "")),
        arxiv_key(str(external.get("ArXiv") or "")),
        arxiv_key(str(external.get("DOI") or "")),
        _key("acl", external.get("ACL")),
        _key("pmid", external.get("PubMed")),
        _key("s2", own),
    )
    identifiers = tuple(dict.fromkeys(key for key in candidates if key))
    authors = tuple(str((a or {}).get("name") or "") for a in item.get("authors") or ())
    pdf = str((item.get("openAccessPdf") or {}).get("url") or "")
    values: dict[str, Any] = {
        "title": title,
        "abstract": str(item.get("abstract") or ""),
        "authors": authors,
        "year": item["year"] if isinstance(item.get("year"), int) else None,
        "venue": str(item.get("venue") or (item.get("publicationVenue") or {}).get("name") or ""),
        "citations": item["citationCount"] if isinstance(item.get("citationCount"), int) else None,
        "url": link_of("", identifiers) or f"https://www.semanticscholar.org/paper/{own}",
        "pdf": pdf if pdf.startswith("https://") else "",
    }
    return note_source(values, identifiers, NAME)


def note_source(values: Mapping[str, Any], identifiers: tuple[PaperKey, ...], source: str) -> Paper:
    """A paper with its text cleaned, whose every known field remembers the source it came from."""
    values = {
        **values,
        "title": clean_title(values["title"]),
        "abstract": clean_abstract(values["abstract"]),
        "authors": tuple(name for given in values["authors"] if (name := clean_name(given))),
        "venue": clean_title(values["venue"]),
    }
    given = tuple((name, source) for name, value in values.items() if value not in ("", (), None))
    return Paper(key=choose_key(identifiers), identifiers=identifiers, origins=given, **values)


def without_operators(text: str) -> str:
    """Words in which the bulk search reads no operator (AND is ``+``, OR ``|``, NOT ``-`` and so on)."""
    return " ".join("".join(" " if ch in '"|~()*-+' else ch for ch in text).split()) or text


def _years(years: YearRange) -> dict[str, str]:
    return {} if years == ALL_YEARS else {"year": f"{years.first or ''}-{years.last or ''}"}


def _list(reply: ServiceReply, name: str) -> list[Any]:
    """The list of that name. Raises `RetrievalError` for an answer that is none: that is not "nothing found"."""
    answer = reply.json()
    if isinstance(answer, dict):
        found = answer.get(name)
        if isinstance(found, list):
            return found
        if found is None and answer.get("total") == 0:
            return []
    raise RetrievalError(f"{NAME} gave an answer without “{name}”.", retryable=True)


_PREFIXES = {"doi": "DOI:", "arxiv": "ARXIV:", "acl": "ACL:", "pmid": "PMID:", "s2": ""}


def _name(key: PaperKey) -> str | None:
    """The key as this service writes it; ``None`` for one of a kind it does not know."""
    kind, _, rest = key.partition(":")
    return f"{_PREFIXES[kind]}{rest}" if kind in _PREFIXES else None


def _s2(item: Mapping[str, Any]) -> PaperKey:
    return PaperKey(f"s2:{item['paperId']}")


def _key(kind: str, value: object) -> PaperKey | None:
    if not value:
        return None
    try:
        return paper_key(f"{kind}:{value}")
    except UserError:
        return None  # an id that cannot be written in a citation; the others identify the paper


def names_of(papers: Iterable[Paper]) -> list[PaperKey]:
    """For each paper one of its identifiers that this service knows; papers without one are left out."""
    found = (next((i for i in (*p.identifiers, p.key) if _name(i)), None) for p in papers)
    return [key for key in found if key]
