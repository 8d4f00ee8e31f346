"""What Semantic Scholar and OpenAlex refuse, from their documentation and from answers that others recorded.

Semantic Scholar: the Graph and Recommendations pages of api.semanticscholar.org/api-docs, and the recordings in the
tests of the package `semanticscholar`: paths, most papers of a page, fields of each path, kinds and fields of study,
and its own words. OpenAlex: developers.openalex.org.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any


def _words(text: str) -> list[str]:
    return text.split()


BASE = frozenset(
    _words(
        """paperId corpusId externalIds url title abstract venue publicationVenue year referenceCount citationCount
        influentialCitationCount isOpenAccess openAccessPdf fieldsOfStudy s2FieldsOfStudy publicationTypes
        publicationDate journal citationStyles authors"""
    )
)
"""Fields of a paper in any list."""

AUTHOR = frozenset(f"authors.{name}" for name in ["authorId", "name", "url", "affiliations", "paperCount", "hIndex"])
LINKED = frozenset(f"{where}.{name}" for where in ("references", "citations") for name in BASE)
LOOKUP = BASE | AUTHOR | LINKED | {"references", "citations", "tldr", "embedding", "embedding.specter_v2"}
CITATION = BASE | {"contexts", "intents", "contextsWithIntent", "isInfluential"}

KINDS = frozenset(
    _words(
        """Review JournalArticle CaseReport ClinicalTrial Conference Dataset Editorial LettersAndComments MetaAnalysis
        News Study Book BookSection"""
    )
)
FIELDS_OF_STUDY = frozenset(
    name.replace("_", " ")
    for name in _words(
        """Computer_Science Medicine Chemistry Biology Materials_Science Physics Geology Psychology Art History
        Geography Sociology Business Political_Science Economics Philosophy Mathematics Engineering
        Environmental_Science Agricultural_and_Food_Sciences Education Law Linguistics"""
    )
)
LINKS = {"fields", "offset", "limit", "publicationDateOrYear"}
FILTERED = LINKS | {"query", "year", "publicationTypes", "fieldsOfStudy", "venue", "minCitationCount", "openAccessPdf"}
BULK = FILTERED | {"sort", "token"}
"""Its reference names no limit and no offset, but recordings show that it takes them, and heeds neither."""

_NAME = re.compile(r"[0-9a-f]{40}|(?:DOI|ARXIV|ACL|PMID|CorpusId):\S+", re.I)


def refusal(path: str, query: Mapping[str, str], body: Any) -> tuple[int, str] | None:
    """Status and reason where the service refuses the question as it stands; ``None`` where it answers."""
    match path:
        case "/graph/v1/paper/search" | "/graph/v1/paper/search/match":
            return _refused(query, FILTERED, BASE, 100) or _too_deep(query)
        case "/graph/v1/paper/search/bulk":
            return _refused(query, BULK, BASE, 1_000)
        case "/graph/v1/paper/batch":
            return _refused(query, {"fields"}, LOOKUP, None) or _refused_ids(body)
        case "/recommendations/v1/papers" | "/recommendations/v1/papers/":
            return _refused(query, {"fields", "limit"}, BASE, 500) or _refused_examples(body)
    if re.fullmatch(r"/graph/v1/paper/.+/(citations|references)", path):
        return _refused(query, LINKS, CITATION, 1_000)
    return 404, "Not Found"


def _refused(
    query: Mapping[str, str], known: set[str], fields: frozenset[str], most: int | None
) -> tuple[int, str] | None:
    bad = [f"{name}={query[name]}" for name in query if name not in known]
    if "year" in query and not re.fullmatch(r"(\d{4})?-?(\d{4})?", query["year"]):
        bad.append(f"year={query['year']}")
    bad += [f"publicationTypes={k}" for k in _listed(query, "publicationTypes") if k not in KINDS]
    bad += [f"fieldsOfStudy={f}" for f in _listed(query, "fieldsOfStudy") if f not in FIELDS_OF_STUDY]
    if most and not 1 <= int(query.get("limit", 100)) <= most:
        return 400, f"'limit' must be <= {most}"
    if bad:
        return 400, f"Unacceptable query params: [{', '.join(bad)}]"
    if "query" in known and not query.get("query", "").strip():
        return 400, "Missing required parameter: 'query'"
    unknown = [name for name in _listed(query, "fields") if name not in fields]
    return (400, f"Unrecognized or unsupported fields: [{', '.join(unknown)}]") if unknown else None


def _too_deep(query: Mapping[str, str]) -> tuple[int, str] | None:
    deep = int(query.get("offset", 0)) + int(query.get("limit", 100)) > 1_000
    return (400, "Requested data for this limit and/or offset is not available") if deep else None


def _refused_ids(body: Any) -> tuple[int, str] | None:
    names: Sequence[str] = body.get("ids", ()) if isinstance(body, dict) else ()
    if not names or any(not _NAME.fullmatch(name) for name in names):
        return 400, "No valid paper ids given"
    return (400, "Max number of ids is 500") if len(names) > 500 else None


def _refused_examples(body: Any) -> tuple[int, str] | None:
    return (
        None if isinstance(body, dict) and body.get("positivePaperIds") else (400, "No positive paper examples given")
    )


def _listed(query: Mapping[str, str], name: str) -> list[str]:
    return [part for part in query.get(name, "").split(",") if part]


WORK = frozenset(
    _words(
        """id doi ids title display_name authorships publication_year primary_location locations cited_by_count
        abstract_inverted_index best_oa_location is_retracted referenced_works type"""
    )
)
WORK_FILTERS = frozenset(_words("doi openalex cites title.search publication_year type"))
WORK_PARAMS = frozenset(_words("search filter sort page per_page select"))


def open_alex_refusal(path: str, query: Mapping[str, str]) -> str | None:
    """Why OpenAlex refuses a list (developers.openalex.org: paging, filtering, selecting fields); ``None`` if not."""
    if path != "/works":
        return f"{path} is no endpoint"
    for filtered in filter(None, re.split(r",(?=[a-z_.]+:)", query.get("filter", ""))):
        name, _, value = filtered.partition(":")
        if name not in WORK_FILTERS:
            return f"{name} is not a valid field"
        if value.count("|") >= 100:
            return f"Maximum number of values exceeded for {name}"
    if unknown := [n for n in query if n not in WORK_PARAMS] + [n for n in _listed(query, "select") if n not in WORK]:
        return f"{unknown[0]} is not a valid parameter or field"
    deep = int(query.get("page", 1)) * int(query.get("per_page", 25)) > 10_000
    return "per_page must be between 1 and 100" if deep or int(query.get("per_page", 25)) > 100 else None
