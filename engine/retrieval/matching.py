"""Which paper a line of a list, or the first page of a file, is: found by identifier or title, never guessed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from rapidfuzz import fuzz

from engine.errors import RetrievalError, UserError
from engine.retrieval.libraries.library import Library
from engine.retrieval.merging.titles import compare_titles
from engine.retrieval.online.sources import Online
from engine.retrieval.paper_keys import arxiv_key, doi_key, identifiers_in, is_identifier, is_key, read_key
from engine.text import clean, fold
from engine.values import ListedPaper, Paper, Query

SURE = 0.93
"""From this similarity of titles (letters and digits only) on, a line is that paper."""

LIKELY = 0.8
"""From here on it may be; it is shown, and left out until the person takes it in."""

LEAST_TITLE = 12
"""A shorter title (letters and digits) stands in many lines by chance."""

MOST_LINES = 500
_BETWEEN_IDENTIFIERS = re.compile(r"[,\s]+(?:and\s+|&\s+)?")
_BULLET = re.compile(r"^\s*(?:[-*•–]|\[\d{1,3}\]|\(?\d{1,3}[.)])\s+")


@dataclass(frozen=True, slots=True)
class MatchedLine:
    """A line with the paper it was matched to."""

    listed: ListedPaper
    paper: Paper | None = None


def lines_of(text: str) -> tuple[str, ...]:
    """The entries of a pasted list without bullets; a line of identifiers alone holds several. Raises `UserError`."""
    lines = [entry for line in text.splitlines() for entry in _split_identifiers(clean(_BULLET.sub("", line)))]
    if len([line for line in lines if line]) == 1 and ";" in text:
        lines = [clean(part) for part in text.split(";")]
    kept = [line for line in dict.fromkeys(lines) if len(fold(line)) >= 5]
    if not kept:
        raise UserError("There is no paper in that list. Write one title, DOI or arXiv id on each line.")
    if len(kept) > MOST_LINES:
        raise UserError(f"The list has {len(kept):,} lines; at most {MOST_LINES} are read.")
    return tuple(kept)


def _split_identifiers(line: str) -> Sequence[str]:
    """The DOIs, arXiv ids and keys of a line that has nothing else; any other line whole."""
    parts = [part for part in _BETWEEN_IDENTIFIERS.split(line) if part]
    return parts if len(parts) > 1 and all(map(is_identifier, parts)) else (line,)


async def match_line(line: str, library: Library, online: Online | None) -> MatchedLine:
    """The paper of one line, looked for in the library, then online.

    Raises `RetrievalError` where the library cannot answer; that online sources could not is said in the line.
    """
    for paper in await library.get([read_key(line)]) if is_key(line) else ():
        return _by_identifier(paper.title, paper)
    named = identifiers_in(line) or [k for k in (arxiv_key(line), doi_key(line)) if k]
    best = MatchedLine(ListedPaper(line))
    for paper in [*await library.get(named)] if named else []:
        return _by_identifier(line, paper)
    for item in await library.search(Query(_title_in(line)[:300], 5, "title")):
        best = max(best, _by_title(line, item.paper), key=lambda found: found.listed.certainty)
    if best.listed.certainty >= SURE or online is None:
        return best
    try:
        if named:
            for paper in (await online.get(named)).values():
                return _by_identifier(line, paper)
        closest = await online.find_by_title(_title_in(line))
    except RetrievalError as error:
        why = f"{best.listed.note} online sources could not be asked: {error}".strip()
        return MatchedLine(ListedPaper(line, best.listed.key, best.listed.certainty, why), best.paper)
    return max(best, _by_title(line, closest), key=lambda f: f.listed.certainty) if closest else best


async def recognise_document(
    first_page: str, title_page: str, titles: Sequence[str], library: Library, online: Online | None
) -> Paper | None:
    """The paper that a file is, by an identifier on its first page or by its title; ``None`` where that is not sure.

    Whatever is found must have its title there as the title: a paper that is only mentioned is not it. Without an
    identifier the title must stand in ``title_page``, what of the page may hold it.
    """
    named = identifiers_in(first_page)
    candidates: list[Paper] = list(await library.get(named))
    identified = {paper.key for paper in candidates}

    def is_it(paper: Paper) -> bool:
        return stands_as_title(paper.title, first_page if paper.key in identified else title_page)

    for title in titles:
        candidates += [item.paper for item in await library.search(Query(title[:300], 3, "title"))]
    if online is not None and not any(map(is_it, candidates)):
        known = list((await online.get(named[:10])).values()) if named else []
        identified |= {paper.key for paper in known}
        candidates += known
        for title in titles:
            closest = await online.find_by_title(title) if len(fold(title)) >= LEAST_TITLE else None
            candidates += [closest] if closest else []
    return next(filter(is_it, candidates), None)


_ABOVE_TEXT = re.compile(r"^[^\w\n]*+(?:abstract|summary|(?:1|I)?\.?\s*introduction)\b", re.I | re.M)
_MENTION = re.compile(r"(?:\b(?:on|to|of|by|see|from|in|and|with|against|beyond|versus|vs\.?)|[:“\"‘'(,])\s*$", re.I)
TITLE_LINES = 40
"""Lines of a page above its abstract among which the title is looked for."""


def stands_as_title(title: str, page: str) -> bool:
    """Whether a title is the page's own: whole lines above the abstract, and not what “A reply to” stands before."""
    name = fold(title)
    if len(name) < LEAST_TITLE:
        return False
    start = _ABOVE_TEXT.search(page)
    lines = [line.strip() for line in page[: start.start() if start else len(page)].splitlines() if line.strip()]
    lines = lines[: TITLE_LINES if start else 12]
    for first in range(len(lines)):
        for last in range(first + 1, min(first + 5, len(lines)) + 1):
            joined = " ".join(lines[first:last])
            if abs(len(fold(joined)) - len(name)) <= 3 and compare_titles(joined, title) in {"same", "near"}:
                return first == 0 or not _MENTION.search(lines[first - 1])
    return False


def _by_identifier(line: str, paper: Paper) -> MatchedLine:
    """Certain, unless the line has words of its own that are another paper's title."""
    words = re.sub(r"\S*(?:10\.\d{4,9}/|arxiv|doi|https?:|s2:|acl:)\S*|\b\d{4}\.\d{4,5}\b", " ", line, flags=re.I)
    is_bare = len(fold(words)) < LEAST_TITLE or fold(paper.title) in fold(line)
    if is_bare or _similarity(line, paper.title) >= LIKELY:
        return MatchedLine(ListedPaper(line, paper.key, 1.0), paper)
    return MatchedLine(ListedPaper(line, paper.key, 0.5, f"the identifier is that of “{paper.title}”"), paper)


def _by_title(line: str, paper: Paper) -> MatchedLine:
    alike = _similarity(line, paper.title)
    if alike < LIKELY:
        return MatchedLine(ListedPaper(line))
    note = "" if alike >= SURE else f"the nearest title is “{paper.title}”"
    return MatchedLine(ListedPaper(line, paper.key, round(alike, 2), note), paper)


def _similarity(line: str, title: str) -> float:
    """How alike a title is to the line or to the part of it that is most like a title; 0 to 1."""
    name = fold(title)
    if len(name) >= LEAST_TITLE and name in fold(line):
        return 1.0
    pieces = [line, *_pieces(line)]
    return float(max(fuzz.ratio(fold(piece), name) for piece in pieces)) / 100


def _title_in(line: str) -> str:
    """The part of a reference that is most likely its title: the longest of its sentences."""
    return max((line, *_pieces(line))[1:] or (line,), key=len)


def _pieces(line: str) -> Sequence[str]:
    """Sentences of a reference, alone and two by two: a title may hold a full stop or a question mark."""
    parts = [part.strip(" “”\"'") for part in re.split(r"(?<=[.?!])\s+|[“”\"]|\s+\(\d{4}\)", line) if part.strip()]
    return [*parts, *(f"{one} {two}" for one, two in pairwise(parts))]
