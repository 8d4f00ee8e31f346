"""PubMed by the Entrez Programming Utilities: ESearch for the numbers, EFetch for the records.

Documentation: Sayers, "A General Introduction to the E-utilities" and "The E-utilities In-Depth" (NCBI, NBK25497 and
NBK25499): three calls a second without a key and ten with one, ``tool`` and ``email`` with every call, about 10,000
numbers of one search, at most about 200 numbers in the address of one fetch. What it does beside the documentation: a
search gives 9,999 numbers at most; what it says of an error has line breaks that JSON does not allow; a fetch that a
server behind it did not answer is refused with status 400.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from engine.options import PaperKind
from engine.retrieval.online.queries import BooleanQuery, plain_phrase
from engine.retrieval.online.transport import OnlineTransport, ScholarlyService, ServicePolicy, ServiceRequest, read_xml
from engine.retrieval.records.record_fields import make_found_paper
from engine.text import clean
from engine.values import ALL_YEARS, Paper, PaperKey

ADDRESS = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils"
NAME = "PubMed"
TOOL = "scholium"
LAST_PLACE = 9_999
"""ESearch gives no number beyond this place."""
FETCHED_AT_ONCE = 100
"""Records of one fetch; the documentation wants a POST for more than about 200."""
AWAY = ("proxy_stream()", "pubone")
"""What EFetch says with status 400 where a server behind it did not answer."""

WITH_KEY_S, WITHOUT_KEY_S = 0.11, 0.35
"""Seconds between calls: ten a second are allowed with a key, three without."""

_KINDS: dict[PaperKind, str] = {
    "review": "review[Publication Type]",
    "meta-analysis": "meta-analysis[Publication Type]",
    "clinical trial": "clinical trial[Publication Type]",
    "case report": "case reports[Publication Type]",
    "dataset": "dataset[Publication Type]",
}


class PubMed:
    """A client of the service; each method raises `RetrievalError` where it cannot answer."""

    name = NAME

    def __init__(self, web: OnlineTransport, key: str, url: str, policy: ServicePolicy) -> None:
        policy = replace(policy.with_interval(WITH_KEY_S if key else WITHOUT_KEY_S), away=AWAY)
        self._service = ScholarlyService(NAME, url, web, policy, secret_params={"api_key": key} if key else {})
        self._common = {"db": "pubmed", "tool": TOOL, **({"email": web.contact} if web.contact else {})}

    async def find(self, query: BooleanQuery, limit: int) -> tuple[Sequence[Paper], float]:
        """At most ``limit`` papers by Best Match, and the oldest answer's age; fields are not restricted."""
        if not query.groups:
            return [], 0.0
        kinds, years = [_KINDS[kind] for kind in query.kinds if kind in _KINDS], query.years
        term = plain_phrase(query.text) or query.render()
        term += f" AND ({' OR '.join(kinds)})" if kinds else ""
        wanted = min(limit, LAST_PLACE)
        params = {**self._common, "term": term, "retmode": "json", "retmax": str(wanted), "sort": "relevance"}
        if years != ALL_YEARS:  # both ends are wanted together
            params |= {"datetype": "pdat", "mindate": str(years.first or 1800), "maxdate": str(years.last or 3000)}
        numbers, age = await self._service.ask(ServiceRequest("/esearch.fcgi", params), read_numbers)
        papers, fetched_s = await self._fetch(numbers[:wanted])
        order = (PaperKey(f"pmid:{number}") for number in numbers[:wanted])
        return [papers[key] for key in order if key in papers], max(age, fetched_s)

    async def lookup(self, keys: Sequence[PaperKey]) -> dict[PaperKey, Paper]:
        """The papers that exist among the keys that are PubMed numbers."""
        numbers = [key.removeprefix("pmid:") for key in dict.fromkeys(keys) if re.fullmatch(r"pmid:[1-9]\d{0,8}", key)]
        return (await self._fetch(numbers))[0]

    async def _fetch(self, numbers: Sequence[str]) -> tuple[dict[PaperKey, Paper], float]:
        found: dict[PaperKey, Paper] = {}
        age = 0.0
        for start in range(0, len(numbers), FETCHED_AT_ONCE):
            part = ",".join(numbers[start : start + FETCHED_AT_ONCE])
            params = {**self._common, "id": part, "retmode": "xml"}
            papers, answered = await self._service.ask(ServiceRequest("/efetch.fcgi", params), read_records)
            found |= {key: paper for paper in papers for key in paper.identifiers if key.startswith("pmid:")}
            age = max(age, answered)
        return found, age


def read_numbers(text: str) -> list[str]:
    """The PubMed numbers of a search, best first. Raises `ValueError`, saying what came instead."""
    result = json.loads(text, strict=False)["esearchresult"]  # what it says of an error is not quite JSON
    if problem := result.get("ERROR"):  # with status 200, as are the outages behind it
        raise ValueError(f"did not accept the question: {clean(str(problem))[:200]}")
    return [str(number) for number in result["idlist"] if re.fullmatch(r"\d{1,9}", str(number))]


def read_records(text: str) -> list[Paper]:
    """The papers of a ``PubmedArticleSet``. Raises `ValueError`, saying what came instead."""
    records = read_xml(text, "PubmedArticleSet").iter("PubmedArticle")
    return [paper for record in records if (paper := to_paper(record))]


def to_paper(record: Any) -> Paper | None:
    """One ``PubmedArticle``; ``None`` for one without a number or a title."""
    number = _text(record.find("MedlineCitation/PMID"))
    article = record.find("MedlineCitation/Article")
    if article is None or not re.fullmatch(r"\d{1,9}", number):
        return None
    names = {e.get("IdType"): _text(e) for e in record.iterfind("PubmedData/ArticleIdList/ArticleId")}
    types = {_text(kind).lower() for kind in article.iterfind("PublicationTypeList/PublicationType")}
    notice = record.find("MedlineCitation/CommentsCorrectionsList/CommentsCorrections[@RefType='RetractionIn']")
    dates = "Journal/JournalIssue/PubDate/Year", "Journal/JournalIssue/PubDate/MedlineDate", "ArticleDate/Year"
    fields = {
        # The title of an article in another language is a translation, set in square brackets.
        "title": re.sub(r"^\[(.*)\]\.?$", r"\1", _text(article.find("ArticleTitle"))).removesuffix("."),
        "abstract": _abstract(article),
        "authors": [_author(author) for author in article.iterfind("AuthorList/Author")],
        # That of the issue may be given in words (``1998 Dec-1999 Jan``); else that of the electronic publication.
        "year": " ".join(_text(article.find(date)) for date in dates),
        "venue": _text(article.find("Journal/Title")) or _text(article.find("Journal/ISOAbbreviation")),
        "doi": names.get("doi") or _text(article.find("ELocationID[@EIdType='doi']")),
        "pmid": number,
        "url": f"https://pubmed.ncbi.nlm.nih.gov/{number}/",
        "retracted": "retracted publication" in types or notice is not None,
        "kinds": tuple(kind for kind, name in _KINDS.items() if name.partition("[")[0] in types),
    }
    return make_found_paper(fields, (), NAME)


def _abstract(article: Any) -> str:
    """All parts of a structured abstract, each after its label."""
    parts = []
    for part in article.iterfind("Abstract/AbstractText"):
        label, text = clean(part.get("Label") or ""), _text(part)
        parts.append(f"{label.capitalize()}: {text}" if label and text else text)
    return clean(" ".join(parts))


def _author(author: Any) -> str:
    """``Ada van der Author``, or the name of a group."""
    own = " ".join(part for tag in ("ForeName", "LastName") if (part := _text(author.find(tag))))
    return own or _text(author.find("CollectiveName"))


def _text(element: Any) -> str:
    """The text with that of italics, sub- and superscripts in it; empty where there is no such element."""
    return clean("".join(element.itertext())) if element is not None else ""
