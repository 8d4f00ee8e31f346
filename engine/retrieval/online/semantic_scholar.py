"""Semantic Scholar's Graph and Recommendations services, through the package `semanticscholar`.

The package knows the paths, the pages and the parameters, and asks through our own transport. What an answer holds is
translated here and known nowhere else.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from engine.errors import RetrievalError, UserError
from engine.options import PaperKind
from engine.retrieval.online.queries import BooleanQuery
from engine.retrieval.online.semantic_scholar_client import ASKED_FOR, PacedRequester, make_client
from engine.retrieval.online.transport import OnlineTransport, ScholarlyService, ServicePolicy
from engine.retrieval.paper_keys import arxiv_key, choose_key, doi_key, paper_key
from engine.retrieval.paper_text import clean_abstract, clean_name, clean_title
from engine.retrieval.records.record_fields import link_of
from engine.text import clean
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
        self._url = url.rstrip("/")
        self._service = ScholarlyService(NAME, url, web, policy or ServicePolicy(interval_s(key)), headers)

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
            words = quote(text.replace("-", " "), safe="")  # it finds nothing for words with hyphens
            page = min(PAGE, wanted)
            results = await client.search_paper(words, fields=FIELDS, limit=page, **filters)
            async for item in results:
                found += [paper] if (paper := to_paper(item.raw_data)) else []
                if len(found) == wanted:
                    break
        return found, requester.age_s

    async def most_cited(self, text: str, limit: int, years: YearRange = ALL_YEARS) -> tuple[Sequence[Paper], float]:
        """The most cited papers that hold all the words, at most 1,000, in one call (bulk search)."""
        with self._open_client() as (client, requester):
            words = quote(remove_operators(text), safe="")
            results = await client.search_paper(
                words, fields=FIELDS, bulk=True, sort="citationCount:desc", year=_years(years)
            )
            papers = [paper for item in results.items if (paper := to_paper(item.raw_data))]
        return papers[:limit], requester.age_s

    async def lookup(self, keys: Sequence[PaperKey]) -> dict[PaperKey, Paper]:
        """The papers that exist among the keys."""
        return {key: paper async for key, item in self._batches(keys, FIELDS) if (paper := to_paper(item))}

    async def match(self, title: str) -> Paper | None:
        """The paper whose title is closest to the words; ``None`` where the service finds none."""
        from semanticscholar.SemanticScholarException import ObjectNotFoundException

        with self._open_client() as (client, _):
            try:
                words = quote(title.replace("-", " "), safe="")
                found = await client.search_paper(words, fields=FIELDS, match_title=True)
            except ObjectNotFoundException:
                return None
        return to_paper(found.raw_data)

    async def references(self, keys: Sequence[PaperKey]) -> dict[PaperKey, tuple[PaperKey, ...]]:
        """For each of the papers that exist the keys (``s2:…``) of the papers it cites."""
        cited: dict[PaperKey, tuple[PaperKey, ...]] = {}
        async for key, item in self._batches(keys, ["references.paperId"]):
            cited[key] = tuple(_s2(r) for r in item.get("references") or () if r and r.get("paperId"))
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

        positive, negative = _names(liked), _names(disliked)
        if not positive:
            return []
        try:
            return await self._recommend(positive, negative)
        except ObjectNotFoundException:
            known = await self._find_known([*liked, *disliked])
        positive, negative = ([n for n in names if n in known] for names in (positive, negative))
        if not positive:
            return []
        try:
            return await self._recommend(positive, negative)
        except ObjectNotFoundException as error:
            raise RetrievalError(f"{NAME} has no recommendations: {error}") from error

    async def _recommend(self, positive: Sequence[str], negative: Sequence[str]) -> Sequence[Paper]:
        with self._open_client() as (client, _):
            found = await client.get_recommended_papers_from_lists(
                list(positive), list(negative), fields=FIELDS, limit=RECOMMENDED
            )
            return [paper for item in found if (paper := to_paper(item.raw_data))]

    async def _find_known(self, keys: Sequence[PaperKey]) -> set[str]:
        """The names of those papers that the service knows; its own ids are certain."""
        foreign = [key for key in keys if _foreign(key)]
        found = [key async for key, _ in self._batches(foreign, ["paperId"])]
        return {name for key in (*found, *(k for k in keys if not _foreign(k))) if (name := _name(key))}

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
    def _open_client(self) -> Iterator[tuple[AsyncSemanticScholar, PacedRequester]]:
        """The package's client for one question, with the requester that knows how old the answers are."""
        requester = PacedRequester(self._service, self._url)
        try:
            yield make_client(self._url, requester), requester
        except (TypeError, KeyError, AttributeError, IndexError) as error:  # the package reads an answer unlooked at
            raise RetrievalError(f"{NAME} gave an answer that cannot be read.", retryable=True) from error


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
    values: dict[str, Any] = {
        "title": title,
        "abstract": str(item.get("abstract") or ""),
        "authors": [str((a or {}).get("name") or "") for a in item.get("authors") or ()],
        "year": item.get("year"),
        "venue": str(item.get("venue") or (item.get("publicationVenue") or {}).get("name") or ""),
        "citations": item.get("citationCount"),
        "pdf": str((item.get("openAccessPdf") or {}).get("url") or ""),
        "kinds": tuple(kind for kind, name in _KINDS.items() if name in (item.get("publicationTypes") or ())),
    }
    return note_source(values, candidates, NAME, f"https://www.semanticscholar.org/paper/{own}")


def note_source(values: Mapping[str, Any], candidates: Iterable[PaperKey | None], source: str, page: str = "") -> Paper:
    """A paper with its text cleaned, whose every known field remembers the source it came from.

    Those of the ``candidates`` that are keys identify it. Its link, where the values have none, is that of its DOI or
    arXiv id, else the source's ``page``. A year or count that is no number, and a PDF without https, is not known.
    """
    identifiers = tuple(dict.fromkeys(key for key in candidates if key))
    pdf = values.get("pdf", "")
    values = {
        **values,
        "title": clean_title(values["title"]),
        "abstract": clean_abstract(values["abstract"]),
        "authors": tuple(name for given in values["authors"] if (name := clean_name(given))),
        "venue": clean_title(values["venue"]),
        **{name: values[name] if isinstance(values.get(name), int) else None for name in ("year", "citations")},
        "url": values.get("url") or link_of("", identifiers) or page,
        "pdf": pdf if pdf.startswith("https://") else "",
    }
    given = tuple((name, source) for name, value in values.items() if value not in ("", (), None))
    return Paper(key=choose_key(identifiers), identifiers=identifiers, origins=given, **values)


def remove_operators(text: str) -> str:
    """Words in which the bulk search reads no operator (AND is ``+``, OR ``|``, NOT ``-`` and so on)."""
    return " ".join("".join(" " if ch in '"|~()*-+' else ch for ch in text).split()) or text


def _years(years: YearRange) -> str | None:
    return None if years == ALL_YEARS else f"{years.first or ''}-{years.last or ''}"


_PREFIXES = {"doi": "DOI:", "arxiv": "ARXIV:", "acl": "ACL:", "pmid": "PMID:", "s2": ""}


def _name(key: PaperKey) -> str | None:
    """The key as this service writes it; ``None`` for one of a kind it does not know."""
    kind, _, rest = key.partition(":")
    return f"{_PREFIXES[kind]}{rest}" if kind in _PREFIXES else None


def _names(keys: Iterable[PaperKey]) -> list[str]:
    return [name for key in dict.fromkeys(keys) if (name := _name(key))][:EXAMPLES]


def _s2(item: Mapping[str, Any]) -> PaperKey:
    return PaperKey(f"s2:{item['paperId']}")


def _key(kind: str, value: object) -> PaperKey | None:
    if not value:
        return None
    try:
        return paper_key(f"{kind}:{value}")
    except UserError:
        return None  # an id that cannot be written in a citation; the others identify the paper


def _foreign(key: PaperKey) -> bool:
    return not key.startswith("s2:")
