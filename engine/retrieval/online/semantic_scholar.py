"""Semantic Scholar's Graph and Recommendations services, through the package `semanticscholar`.

The package knows the paths, the pages and the parameters, and asks through our own transport: left to itself it pastes
queries unescaped, sends no key with citations, reads some outages as "no papers" and retries for minutes in silence.
What an answer holds is translated here and known nowhere else.
"""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote

from engine.errors import RetrievalError, UserError
from engine.options import PaperKind
from engine.retrieval.online.queries import BooleanQuery
from engine.retrieval.online.transport import OWN_PACE, OnlineTransport, ScholarlyService, ServicePolicy, ServiceRequest
from engine.retrieval.paper_keys import arxiv_key, choose_key, doi_key, paper_key
from engine.retrieval.paper_text import clean_abstract, clean_name, clean_title
from engine.retrieval.records.record_fields import link_of
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
ASKED_FOR = "askedFor"
"""Added to each paper of a lookup: the package drops unknown papers, so that places say nothing."""
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
    """Asks in place of the package's own `ApiRequester`, for one question.

    The package calls ``get_data_async`` and nothing else of it (a test fails where that moves).
    """

    def __init__(self, service: ScholarlyService, url: str) -> None:
        self._service = service
        self._url = url
        self.age_s = 0.0
        """The age of the oldest answer."""

    async def get_data_async(
        self, url: str, parameters: str, _: object, payload: Mapping[str, Any] | None = None
    ) -> Any:
        """The answer as JSON. Raises `ObjectNotFoundException` for a paper that the service does not know."""
        from semanticscholar.SemanticScholarException import ObjectNotFoundException

        path = url.removeprefix(self._url)
        params = dict(parse_qsl(parameters, keep_blank_values=True))
        batch = path.endswith("/batch")
        one_paper = not path.endswith(("/search", "/bulk", "/batch"))
        check = partial(_check, path)
        reply = await self._service.ask(
            ServiceRequest(path, params, payload, one_paper, NOBODY_KNOWN if batch else "", check)
        )
        if not reply.there and not batch:
            raise ObjectNotFoundException("Semantic Scholar does not know the paper.")
        self.age_s = max(self.age_s, reply.age_s)
        answer: Any = reply.json() or []
        if batch:
            asked = zip((payload or {}).get("ids", ()), answer, strict=reply.there)
            return [item and {**item, ASKED_FOR: name} for name, item in asked]
        # An empty answer without its list would be asked for again and again by the package.
        return {"data": [], **answer} if answer.get("total") == 0 else answer


def _check(path: str, text: str) -> None:
    """Whether an answer holds what the path promises: an outage is not "nothing found"."""
    answer = json.loads(text)
    if path.endswith("/batch"):
        if not isinstance(answer, list):
            raise ValueError("gave an answer that is no list of papers")
        return
    name = "recommendedPapers" if path.startswith("/recommendations/") else "data"
    found = answer.get(name) if isinstance(answer, dict) else None
    nothing = found is None and isinstance(answer, dict) and answer.get("total") == 0
    if not (isinstance(found, list) or nothing):
        raise ValueError(f"gave an answer without “{name}”")


class SemanticScholar:
    """A client of the service; each method raises `RetrievalError` where it cannot answer."""

    name = NAME

    def __init__(
        self, web: OnlineTransport, key: str = "", url: str = ADDRESS, policy: ServicePolicy = OWN_PACE
    ) -> None:
        self._url = url.rstrip("/")
        policy = policy.with_interval(WITH_KEY_S if key else WITHOUT_KEY_S)
        self._service = ScholarlyService(NAME, url, web, policy, {"x-api-key": key} if key else {})

    async def search(self, text: str, limit: int, years: YearRange = ALL_YEARS) -> tuple[Sequence[Paper], float]:
        """At most ``limit`` papers (and never more than 1,000) by relevance, and the age of the oldest answer."""
        return await self._relevant(text, limit, {"year": _years(years)})

    async def find(self, query: BooleanQuery, limit: int) -> tuple[Sequence[Paper], float]:
        """Likewise for a query with filters; the relevance search knows no operators, so it is asked for the words."""
        filters = {
            "year": _years(query.years),
            "publication_types": [_KINDS[kind] for kind in query.kinds if kind in _KINDS] or None,
            "fields_of_study": [field.title() for field in query.fields] or None,
        }
        return await self._relevant(query.words(), limit, filters)

    async def _relevant(self, text: str, limit: int, filters: Mapping[str, Any]) -> tuple[Sequence[Paper], float]:
        wanted = max(1, min(limit, LAST_PLACE))
        found: list[Paper] = []
        with self._open_client() as (client, requester):
            page = min(PAGE, wanted)
            async for item in await client.search_paper(_words(text), fields=FIELDS, limit=page, **filters):
                found += [paper] if (paper := to_paper(item.raw_data)) else []
                if len(found) == wanted:
                    break
        return found, requester.age_s

    async def most_cited(self, text: str, limit: int, years: YearRange = ALL_YEARS) -> tuple[Sequence[Paper], float]:
        """The most cited papers that hold all the words, at most 1,000, in one call (bulk search)."""
        with self._open_client() as (client, requester):
            words, order = quote(remove_operators(text), safe=""), "citationCount:desc"
            found = await client.search_paper(words, fields=FIELDS, bulk=True, sort=order, year=_years(years))
            papers = [paper for item in found.items if (paper := to_paper(item.raw_data))]
        return papers[:limit], requester.age_s

    async def lookup(self, keys: Sequence[PaperKey]) -> dict[PaperKey, Paper]:
        """The papers that exist among the keys."""
        return {key: paper async for key, item in self._batches(keys, FIELDS) if (paper := to_paper(item))}

    async def match(self, title: str) -> Paper | None:
        """The paper whose title is closest to the words; ``None`` where the service finds none."""
        from semanticscholar.SemanticScholarException import ObjectNotFoundException

        with self._open_client() as (client, _):
            try:
                found = await client.search_paper(_words(title), fields=FIELDS, match_title=True)
            except ObjectNotFoundException:
                return None
        return to_paper(found.raw_data)

    async def references(self, keys: Sequence[PaperKey]) -> dict[PaperKey, tuple[PaperKey, ...]]:
        """For each of the papers that exist the keys (``s2:…``) of the papers it cites."""
        cited: dict[PaperKey, tuple[PaperKey, ...]] = {}
        async for key, item in self._batches(keys, ["references.paperId"]):
            ids = (r["paperId"] for r in item.get("references") or () if r and r.get("paperId"))
            cited[key] = tuple(PaperKey(f"s2:{own}") for own in ids)
        return cited

    async def citations(self, key: PaperKey) -> Sequence[Paper]:
        """Papers that cite this one, the newest first, at most 1,000."""
        from semanticscholar.SemanticScholarException import ObjectNotFoundException

        name = _name(key)
        if name is None:
            return []
        with self._open_client() as (client, _):
            try:
                found = await client.get_paper_citations(quote(name, safe=":/"), fields=FIELDS, limit=LAST_PLACE)
            except ObjectNotFoundException:
                return []
            items = [item.raw_data.get("citingPaper") or {} for item in found.items]
        return [paper for item in items if (paper := to_paper(item))]

    async def recommendations(self, liked: Sequence[PaperKey], disliked: Sequence[PaperKey] = ()) -> Sequence[Paper]:
        """Papers like the first and unlike the second; 100 of each are sent.

        One unknown paper fails the whole question there; then it is asked again with those that the service knows.
        """
        from semanticscholar.SemanticScholarException import ObjectNotFoundException

        try:
            return await self._recommend(liked, disliked)
        except ObjectNotFoundException:
            foreign = list(filter(_foreign, (*liked, *disliked)))
            found = {key async for key, _ in self._batches(foreign, ["paperId"])}
        liked, disliked = ([k for k in keys if k in found or not _foreign(k)] for keys in (liked, disliked))
        try:
            return await self._recommend(liked, disliked)
        except ObjectNotFoundException as error:
            raise RetrievalError(f"{NAME} has no recommendations: {error}") from error

    async def _recommend(self, liked: Sequence[PaperKey], disliked: Sequence[PaperKey]) -> Sequence[Paper]:
        positive, negative = (
            [name for key in dict.fromkeys(keys) if (name := _name(key))][:EXAMPLES] for keys in (liked, disliked)
        )
        if not positive:
            return []
        with self._open_client() as (client, _):
            found = await client.get_recommended_papers_from_lists(positive, negative, fields=FIELDS, limit=RECOMMENDED)
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
        """What the service has of each paper that it knows."""
        named = {name: key for key in dict.fromkeys(keys) if (name := _name(key))}
        names = list(named)
        for start in range(0, len(names), BATCH):
            with self._open_client() as (client, _):
                found = await client.get_papers(names[start : start + BATCH], fields=fields)
            for item in found:
                yield named[item.raw_data[ASKED_FOR]], item.raw_data

    def names_of(self, papers: Iterable[Paper]) -> list[PaperKey]:
        """For each paper one of its identifiers that this service reads, its own first; others are left out."""
        found = (min((i for i in (*p.identifiers, p.key) if _name(i)), key=_foreign, default=None) for p in papers)
        return [key for key in found if key]

    @contextmanager
    def _open_client(self) -> Iterator[tuple[AsyncSemanticScholar, _Requester]]:
        """The package's client for one question, with the requester that knows how old the answers are."""
        from semanticscholar import AsyncSemanticScholar

        class QuietClient(AsyncSemanticScholar):  # type: ignore[misc]  # the package has no types
            """The package's client, whose property of this name sets up everybody's logging."""

            debug = False

        logging.getLogger("semanticscholar").setLevel(logging.ERROR)  # it warns of each unknown paper
        client = QuietClient(api_url=self._url)
        client._requester = requester = _Requester(self._service, self._url)
        try:
            yield client, requester
        except (TypeError, KeyError, AttributeError, IndexError) as error:  # the package reads an answer unlooked at
            raise RetrievalError(f"{NAME} gave an answer that cannot be read.", retryable=True) from error


def to_paper(item: Mapping[str, Any]) -> Paper | None:
    """One paper of an answer; ``None`` for one without a title or an id, which nobody could cite."""
    own, external = item.get("paperId"), item.get("externalIds") or {}
    candidates = (
        doi_key(str(external.get("DOI") or "")),
        arxiv_key(str(external.get("ArXiv") or "")),
        arxiv_key(str(external.get("DOI") or "")),
        _key("acl", external.get("ACL")),
        _key("pmid", external.get("PubMed")),
        _key("s2", own),
    )
    values = {
        "title": item.get("title"),
        "abstract": item.get("abstract"),
        "authors": [(a or {}).get("name") for a in item.get("authors") or ()],
        "year": item.get("year"),
        "venue": item.get("venue") or (item.get("publicationVenue") or {}).get("name"),
        "citations": item.get("citationCount"),
        "pdf": (item.get("openAccessPdf") or {}).get("url"),
        "kinds": tuple(kind for kind, name in _KINDS.items() if name in (item.get("publicationTypes") or ())),
    }
    return make_paper(values, candidates, NAME, f"https://www.semanticscholar.org/paper/{own}") if own else None


def make_paper(
    values: Mapping[str, Any], candidates: Iterable[PaperKey | None], source: str, page: str = ""
) -> Paper | None:
    """A paper from a service's values, cleaned, whose every known field remembers the source it came from.

    Those of the ``candidates`` that are keys identify it; ``None`` where none is, or where it has no title. Its link,
    where the values have none, is that of its DOI or arXiv id, else the source's ``page``. A year (that a date begins
    with) or count that is no number, and a PDF without https, is not known.
    """
    identifiers = tuple(dict.fromkeys(key for key in candidates if key))
    said = {name: str(values.get(name) or "") for name in ("title", "abstract", "venue", "url", "pdf", "year")}
    title = clean_title(said["title"])
    if not title or not identifiers:
        return None
    year, count = said["year"][:4], str(values.get("citations"))
    known: dict[str, Any] = {
        "title": title,
        "abstract": clean_abstract(said["abstract"]),
        "authors": tuple(name for given in values["authors"] if (name := clean_name(str(given or "")))),
        "year": int(year) if year.isdecimal() and len(year) == 4 else None,
        "venue": clean_title(said["venue"]),
        "citations": int(count) if count.isdecimal() else None,
        "url": said["url"] or link_of("", identifiers) or page,
        "pdf": said["pdf"] if said["pdf"].startswith("https://") else "",
        "retracted": bool(values.get("retracted")),
        "kinds": values.get("kinds", ()),
    }
    origins = tuple(
        (name, source) for name, value in known.items() if value is not False and value not in ("", (), None)
    )
    return Paper(key=choose_key(identifiers), identifiers=identifiers, origins=origins, **known)


def remove_operators(text: str) -> str:
    """Words in which the bulk search reads no operator (AND is ``+``, OR ``|``, NOT ``-`` and so on)."""
    return " ".join(text.translate(dict.fromkeys(map(ord, '"|~()*-+'), " ")).split()) or text


def _words(text: str) -> str:
    """Escaped, as the package wants it; the search finds nothing for words with hyphens."""
    return quote(text.replace("-", " "), safe="")


def _years(years: YearRange) -> str | None:
    return None if years == ALL_YEARS else f"{years.first or ''}-{years.last or ''}"


_PREFIXES = {"doi": "DOI:", "arxiv": "ARXIV:", "acl": "ACL:", "pmid": "PMID:", "s2": ""}


def _name(key: PaperKey) -> str | None:
    """The key as this service writes it; ``None`` for one of a kind it does not know."""
    kind, _, rest = key.partition(":")
    return f"{_PREFIXES[kind]}{rest}" if kind in _PREFIXES else None


def _key(kind: str, value: object) -> PaperKey | None:
    try:
        return paper_key(f"{kind}:{value}") if value else None
    except UserError:
        return None  # an id that cannot be written in a citation; the others identify the paper


def _foreign(key: PaperKey) -> bool:
    return not key.startswith("s2:")
