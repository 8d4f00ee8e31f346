"""Semantic Scholar's Graph and Recommendations services, through the package `semanticscholar`.

The package knows the paths, the pages and the parameters, and asks through our own transport: left to itself it pastes
queries unescaped, sends no key with citations, reads some outages as "no papers" and retries for minutes in silence.
What an answer holds is translated here and known nowhere else.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote

from engine.errors import RetrievalError
from engine.options import PaperKind
from engine.retrieval.online.queries import BooleanQuery, plain_phrase
from engine.retrieval.online.transport import OnlineTransport, ScholarlyService, ServicePolicy, ServiceRequest
from engine.retrieval.paper_keys import find_key
from engine.retrieval.records.record_fields import make_found_paper
from engine.values import ALL_YEARS, Paper, PaperKey, YearRange

if TYPE_CHECKING:  # it brings HTTP clients of its own, which take time to load
    from semanticscholar import AsyncSemanticScholar

ADDRESS = "https://api.semanticscholar.org"
NAME = "Semantic Scholar"
PAGE = 100
"""Most papers in one answer of the relevance search, whose last place is 1,000."""
LAST_PLACE = 1_000
BATCH = 500
"""Most papers in one lookup."""
EXAMPLES = 100
"""Papers that a recommendation is asked for by, liked and disliked each."""
RECOMMENDED = 100
NOBODY_KNOWN = "no valid paper ids"
"""What the service says, with 400, to a lookup in which it knows none of the papers."""
WITH_KEY_S = 1.05
WITHOUT_KEY_S = 3.0
"""Seconds between calls: one a second is allowed with a key; without one all the world shares a pool."""

FIELDS = [
    "title",
    "abstract",
    "authors",  # citations and recommendations refuse “authors.name”
    "year",
    "venue",
    "publicationVenue",
    "citationCount",
    "externalIds",
    "openAccessPdf",
    "publicationTypes",
]

_KINDS: dict[PaperKind, str] = {
    "review": "Review",
    "meta-analysis": "MetaAnalysis",
    "clinical trial": "ClinicalTrial",
    "case report": "CaseReport",
    "dataset": "Dataset",
    "conference paper": "Conference",
}


class _Requester:
    """Asks in place of the package's `ApiRequester`, of which it calls ``get_data_async`` alone, for one question."""

    def __init__(self, service: ScholarlyService, url: str) -> None:
        self._service = service
        self._url = url
        self.age_s = 0.0
        """The age of the oldest answer."""

    async def get_data_async(
        self, url: str, parameters: str, _: object, payload: Mapping[str, Any] | None = None
    ) -> Any:
        """The answer as JSON; one about a paper that the service does not know lists nothing."""
        path = url.removeprefix(self._url)
        params = dict(parse_qsl(parameters, keep_blank_values=True))
        may_be_absent = path.endswith(("/match", "/citations"))
        part = "recommendedPapers" if path.startswith("/recommendations/") else "data"
        answer, age_s = await self._service.ask(
            ServiceRequest(path, params, payload, may_be_absent), partial(_read_list, part)
        )
        self.age_s = max(self.age_s, age_s)
        # An empty answer without its list would be asked for again and again by the package.
        return {part: [], **(answer or {})}


def _read_list(part: str, text: str) -> Any:
    """An answer that has the list of that name: an outage is not "nothing found"."""
    answer = json.loads(text)
    if not isinstance(answer.get(part), list) and answer.get("total") != 0:
        raise ValueError(f"gave an answer without “{part}”")
    return answer


def _read_lookup(papers: int, text: str) -> list[Any]:
    answer = json.loads(text)
    if not isinstance(answer, list) or len(answer) != papers or not all(isinstance(a or {}, dict) for a in answer):
        raise ValueError("gave an answer that is no list of the papers")
    return answer


class SemanticScholar:
    """A client of the service; each method raises `RetrievalError` where it cannot answer."""

    name = NAME

    def __init__(self, web: OnlineTransport, key: str, url: str, policy: ServicePolicy) -> None:
        self._url = url.rstrip("/")
        policy = policy.with_interval(WITH_KEY_S if key else WITHOUT_KEY_S)
        self._service = ScholarlyService(NAME, url, web, policy, {"x-api-key": key} if key else {})

    async def find(self, query: BooleanQuery, limit: int) -> tuple[Sequence[Paper], float]:
        """At most ``limit`` papers, and never more than 1,000, by relevance to the words; the oldest answer's age."""
        filters = {
            "year": _years(query.years),
            "publication_types": [_KINDS[kind] for kind in query.kinds if kind in _KINDS] or None,
            "fields_of_study": [field.title() for field in query.fields] or None,
        }
        wanted = max(1, min(limit, LAST_PLACE))
        found: list[Paper] = []
        with self._open_client() as (client, requester):
            page = min(PAGE, wanted)
            async for item in await client.search_paper(_words(query.words()), fields=FIELDS, limit=page, **filters):
                found += [paper] if (paper := to_paper(item.raw_data)) else []
                if len(found) == wanted:
                    break
        return found, requester.age_s

    async def most_cited(self, text: str, limit: int, years: YearRange = ALL_YEARS) -> tuple[Sequence[Paper], float]:
        """The most cited papers that hold all the words, at most 1,000, in one call (bulk search)."""
        with self._open_client() as (client, requester):
            words = _words(plain_phrase(text).replace("+", " "))  # its AND
            order = "citationCount:desc"
            found = await client.search_paper(words, fields=FIELDS, bulk=True, sort=order, year=_years(years))
            papers = [paper for item in found.items if (paper := to_paper(item.raw_data))]
        return papers[:limit], requester.age_s

    async def lookup(self, keys: Sequence[PaperKey]) -> dict[PaperKey, Paper]:
        """The papers that exist among the keys."""
        return {key: paper async for key, item in self._batches(keys, FIELDS) if (paper := to_paper(item))}

    async def match(self, title: str) -> Paper | None:
        """The paper whose title is closest to the words; ``None`` where the service finds none."""
        with self._open_client() as (client, _), suppress(IndexError):
            found = await client.search_paper(_words(title), fields=FIELDS, match_title=True)
            return to_paper(found.raw_data)
        return None

    async def references(self, keys: Sequence[PaperKey]) -> dict[PaperKey, tuple[PaperKey, ...]]:
        """For each of the papers that exist the keys (``s2:…``) of the papers it cites."""
        cited: dict[PaperKey, tuple[PaperKey, ...]] = {}
        async for key, item in self._batches(keys, ["references.paperId"]):
            ids = (r["paperId"] for r in item.get("references") or () if r and r.get("paperId"))
            cited[key] = tuple(PaperKey(f"s2:{own}") for own in ids)
        return cited

    async def citations(self, key: PaperKey) -> Sequence[Paper]:
        """Papers that cite this one, the newest first, at most 1,000."""
        name = _name(key)
        if name is None:
            return []
        with self._open_client() as (client, _):
            found = await client.get_paper_citations(quote(name, safe=":/"), fields=FIELDS, limit=LAST_PLACE)
            items = [item.raw_data.get("citingPaper") or {} for item in found.items]
        return [paper for item in items if (paper := to_paper(item))]

    async def recommendations(self, liked: Sequence[PaperKey], disliked: Sequence[PaperKey] = ()) -> Sequence[Paper]:
        """Papers like the first and unlike the second, 100 of each; unknown ones would fail the whole question."""
        foreign = [key for key in (*liked, *disliked) if _foreign(key)]
        known = {key async for key, _ in self._batches(foreign, ["paperId"])}
        positive, negative = (
            [name for key in dict.fromkeys(keys) if (key in known or not _foreign(key)) and (name := _name(key))]
            for keys in (liked, disliked)
        )
        if not positive:
            return []
        with self._open_client() as (client, _):
            examples = positive[:EXAMPLES], negative[:EXAMPLES]
            found = await client.get_recommended_papers_from_lists(*examples, fields=FIELDS, limit=RECOMMENDED)
            return [paper for item in found if (paper := to_paper(item.raw_data))]

    async def vectors(self, keys: Sequence[PaperKey]) -> dict[PaperKey, list[float]]:
        """SPECTER2 vectors (768 numbers) of the papers that have one."""
        found: dict[PaperKey, list[float]] = {}
        async for key, item in self._batches(keys, ["embedding.specter_v2"]):
            vector = (item.get("embedding") or {}).get("vector")
            if isinstance(vector, list) and vector:
                found[key] = [float(x) for x in vector]
        return found

    async def _batches(
        self, keys: Sequence[PaperKey], fields: list[str]
    ) -> AsyncIterator[tuple[PaperKey, Mapping[str, Any]]]:
        """What the service has of each paper that it knows; the package loses the places of unknown ones."""
        named = {name: key for key in dict.fromkeys(keys) if (name := _name(key))}
        names = list(named)
        for ids in (names[start : start + BATCH] for start in range(0, len(names), BATCH)):
            asked = ServiceRequest(
                "/graph/v1/paper/batch", {"fields": ",".join(fields)}, {"ids": ids}, absent_words=NOBODY_KNOWN
            )
            items, _ = await self._service.ask(asked, partial(_read_lookup, len(ids)))
            for name, item in zip(ids, items or (), strict=False):
                if item:
                    yield named[name], item

    def names_of(self, papers: Iterable[Paper]) -> list[PaperKey]:
        """For each paper one of its identifiers that this service reads, its own first; others are left out."""
        readable = ([key for key in (*paper.identifiers, paper.key) if _name(key)] for paper in papers)
        return [min(keys, key=_foreign) for keys in readable if keys]

    @contextmanager
    def _open_client(self) -> Iterator[tuple[AsyncSemanticScholar, _Requester]]:
        """The package's client for one question, with the requester that knows how old the answers are."""
        from semanticscholar import AsyncSemanticScholar

        class QuietClient(AsyncSemanticScholar):  # type: ignore[misc]  # the package has no types
            """The package's client, whose property of this name sets up everybody's logging."""

            debug = False

        client = QuietClient(api_url=self._url)
        client._requester = requester = _Requester(self._service, self._url)
        try:
            yield client, requester
        except (TypeError, KeyError, AttributeError, IndexError) as error:  # the package reads an answer unlooked at
            raise RetrievalError(f"{NAME} gave an answer that cannot be read.", retryable=True) from error


def to_paper(item: Mapping[str, Any]) -> Paper | None:
    """One paper of an answer; ``None`` for one without a title or an id, which nobody could cite."""
    own, external = item.get("paperId"), item.get("externalIds") or {}
    fields = {
        "title": item.get("title"),
        "abstract": item.get("abstract"),
        "authors": item.get("authors") or (),
        "year": item.get("year"),
        "venue": item.get("venue") or item.get("publicationVenue"),
        "citations": item.get("citationCount"),
        "doi": external.get("DOI"),
        "arxiv": external.get("ArXiv"),
        "pmid": external.get("PubMed"),
        "pdf": (item.get("openAccessPdf") or {}).get("url"),
        "kinds": tuple(kind for kind, name in _KINDS.items() if name in (item.get("publicationTypes") or ())),
    }
    keys = find_key("acl", external.get("ACL")), find_key("s2", own)
    return make_found_paper(fields, keys, NAME, f"https://www.semanticscholar.org/paper/{own}") if own else None


def _words(text: str) -> str:
    """Escaped, as the package wants it; with hyphens one search finds nothing, and another reads them as NOT."""
    return quote(text.replace("-", " "), safe="")


def _years(years: YearRange) -> str | None:
    return None if years == ALL_YEARS else f"{years.first or ''}-{years.last or ''}"


_PREFIXES = {"doi": "DOI:", "arxiv": "ARXIV:", "acl": "ACL:", "pmid": "PMID:", "s2": ""}


def _name(key: PaperKey) -> str | None:
    """The key as this service writes it; ``None`` for one of a kind it does not know."""
    kind, _, rest = key.partition(":")
    return f"{_PREFIXES[kind]}{rest}" if kind in _PREFIXES else None


def _foreign(key: PaperKey) -> bool:
    return not key.startswith("s2:")
