"""The list of references: does it exist, is it about the topic, how much does it share with a human survey's."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence, Set
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal, get_args

from rapidfuzz import fuzz

from engine.errors import RetrievalError
from engine.evaluation.documents import CitedClaim, Document, Reference
from engine.evaluation.scores import Score
from engine.llm.model import LanguageModel, Request, TypedAnswer
from engine.llm.prompting import data, fill
from engine.retrieval.embedding import Embedder, embed_papers
from engine.retrieval.libraries.library import Library
from engine.retrieval.online.sources import Online
from engine.retrieval.paper_keys import identifiers_in, surname
from engine.text import fold, list_words
from engine.values import Paper, PaperKey, Query

Finding = Literal["real", "real with wrong metadata", "not found"]

SAME_TITLE, LIKE_TITLE = 93.0, 80.0
"""From this similarity (0 to 100) two titles are the same, or one was written wrongly, if its first author is named."""

SHORTEST_TITLE, LONGEST_TITLE = 8, 300
"""Letters and digits of a title that can be looked up, and how many characters of it are."""

SHORTEST_CERTAIN = 20
"""Letters and digits from which on a title that stands in a reference is no coincidence."""

YEARS_APART = 3
"""Years between a preprint and the last of its publications that are no fault."""

MOST_NAMED = 3
"""Authors that the evidence names."""

AT_ONCE, TOLD_EACH = 4, 10
"""References that are looked up online at the same time, and after how many it is told again."""

HERE, ONLINE, NO_TITLE = "in this library", "online", "no title could be read"
"""Where a reference was looked up, and why it could not be."""

_YEAR = re.compile(r"\b(?:19|20)\d{2}\b")
_IDENTIFIER = re.compile(r"https?://\S+|\b10\.\d{4,9}/\S+|\barxiv[:\s.]*\S+|\d+\s*[-–—]\s*\d+", re.I)
"""What of a reference has digits that are no year: links, identifiers and pages."""
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class ResolvedReference:
    """A reference looked up in a library: the paper that it is, and whether what it says of it is right."""

    reference: Reference
    finding: Finding = "not found"
    paper: Paper | None = None
    why: str = ""


def similarity(one: str, other: str) -> float:
    """How alike two titles are, 0 to 100, case and punctuation aside."""
    return float(fuzz.ratio(fold(one), fold(other)))


async def resolve_references(references: Sequence[Reference], library: Library) -> tuple[ResolvedReference, ...]:
    """Each reference by its identifiers, else by its title. Only what the library holds can be found."""
    return tuple(await asyncio.gather(*(_resolve_reference(reference, library) for reference in references)))


async def _resolve_reference(reference: Reference, library: Library) -> ResolvedReference:
    named = identifiers_in(f"{reference.name} {reference.text}")
    if by_name := await library.get(named) if named else ():
        return judge_identified(reference, by_name[0], HERE)
    if not (title := _sought_title(reference)):
        return ResolvedReference(reference, why=NO_TITLE)
    return judge_titles(reference, [item.paper for item in await library.search(Query(title, 5, "title"))], HERE)


def _sought_title(reference: Reference) -> str:
    """What its title is looked up by; empty where it has none."""
    title = (reference.title or reference.text)[:LONGEST_TITLE]
    return title if len(fold(title)) >= SHORTEST_TITLE else ""


def judge_identified(reference: Reference, paper: Paper, where: str) -> ResolvedReference:
    """The verdict on a reference whose identifier is the paper's."""
    if _has_title(reference, paper):
        return _judge_details(reference, paper, where)
    why = f"{paper.key}, which it names, is “{paper.title}” {where}"
    return ResolvedReference(reference, "real with wrong metadata", paper, why)


def judge_titles(reference: Reference, candidates: Sequence[Paper], where: str) -> ResolvedReference:
    """The verdict by titles, the same before similar ones, which count only where their first author is named."""
    title = reference.title or reference.text
    ranked = sorted(candidates, key=lambda paper: -similarity(title, paper.title))
    same = [_judge_details(reference, paper, where) for paper in ranked if _has_title(reference, paper)]
    if same:
        return min(same, key=lambda verdict: verdict.finding != "real")
    like = [paper for paper in ranked if similarity(title, paper.title) >= LIKE_TITLE]
    for paper in like:
        if _is_by(paper.authors[:1], _people_in(reference, paper)):
            why = f"the title {where} is “{paper.title}” ({paper.key})"
            return ResolvedReference(reference, "real with wrong metadata", paper, why)
    nearest = f", where the nearest title is “{like[0].title}” ({like[0].key})" if like else ""
    return ResolvedReference(reference, why=f"not {where}{nearest}")


def _has_title(reference: Reference, paper: Paper) -> bool:
    """Whether its title is the paper's, or the paper's stands in it between signs: never as a part of a longer one."""
    if similarity(reference.title or reference.text, paper.title) >= SAME_TITLE:
        return True
    place = _find_folded(paper.title, reference.text) if len(fold(paper.title)) > SHORTEST_CERTAIN else None
    if place is None:
        return False
    before, after = reference.text[: place[0]].rstrip()[-1:], reference.text[place[1] :].lstrip()[:1]
    return not before.isalpha() and not after.isalnum()


def _find_folded(title: str, text: str) -> tuple[int, int] | None:
    """Where a title begins and ends in a text, case, accents and signs aside; ``None`` where it is not in it."""
    letters = [(letter, at) for at, character in enumerate(text) for letter in fold(character)]
    start = "".join(letter for letter, _ in letters).find(sought := fold(title))
    if start < 0 or not sought:
        return None
    return letters[start][1], letters[start + len(sought) - 1][1] + 1


def _judge_details(reference: Reference, paper: Paper, where: str) -> ResolvedReference:
    """The verdict on a reference whose title is the paper's: by what it says of authors and year."""
    wrong, named = [], _people_in(reference, paper)
    if named and paper.authors and not _is_by(paper.authors, named):
        wrong.append(f"the authors are {list_words(paper.authors[:MOST_NAMED])}")
    years = [int(year) for year in _YEAR.findall(_IDENTIFIER.sub(" ", reference.text))]
    if paper.year and years and min(abs(year - paper.year) for year in years) > YEARS_APART:
        wrong.append(f"the year is {paper.year}")
    if wrong:
        why = f"{' and '.join(wrong)} {where} ({paper.key})"
        return ResolvedReference(reference, "real with wrong metadata", paper, why)
    return ResolvedReference(reference, "real", paper, f"{where}: {paper.key}")


def _people_in(reference: Reference, paper: Paper) -> frozenset[str]:
    """The words before the title, folded: the authors' names among them; none where the title comes first."""
    places = (_find_folded(title, reference.text) for title in (reference.title, paper.title))
    begins = next((place[0] for place in places if place), 0)
    return frozenset(fold(word) for word in _WORD.findall(reference.text[:begins]) if word[0].isalpha())


def _is_by(authors: Iterable[str], named: Set[str]) -> bool:
    return any(fold(surname(author).split()[-1]) in named for author in authors if surname(author))


async def resolve_online(
    found: Sequence[ResolvedReference], online: Online, progress: Callable[[str], Awaitable[None]] | None = None
) -> tuple[ResolvedReference, ...]:
    """The references that the library does not have, looked up online: by identifier, then by title.

    Each source is asked for what the one before does not know. Where none answers, the verdict stays "not found", and
    the reason says that it could not be looked up.
    """
    missing = [item.reference for item in found if item.finding == "not found"]
    named = {item.name: identifiers_in(f"{item.name} {item.text}") for item in missing}
    known: Mapping[PaperKey, Paper] = {}
    with suppress(RetrievalError):  # the titles are asked for next, and say it
        if wanted := list(dict.fromkeys(chain.from_iterable(named.values()))):
            known = await online.get(wanted)
    identified = {name: known[key] for name, keys in named.items() for key in reversed(keys) if key in known}
    titles = {item.name: _sought_title(item) for item in missing if item.name not in identified}
    sought = list(dict.fromkeys(filter(None, titles.values())))
    alike = await online.find_by_titles(sought) if sought else []
    gate, done = asyncio.Semaphore(AT_ONCE), 0

    async def look_up(reference: Reference) -> ResolvedReference:
        nonlocal done
        async with gate:
            if paper := identified.get(reference.name):
                verdict = judge_identified(reference, paper, ONLINE)
            else:
                same = [p for p in alike if similarity(titles[reference.name], p.title) >= SAME_TITLE]
                verdict = await _look_up_title(reference, titles[reference.name], same, online)
        done += 1
        if progress and (done % TOLD_EACH == 0 or done == len(missing)):
            await progress(f"references online: {done} of {len(missing)}")
        return verdict

    verdicts = iter(await asyncio.gather(*map(look_up, missing)))
    return tuple(next(verdicts) if item.finding == "not found" else item for item in found)


async def _look_up_title(reference: Reference, title: str, alike: Sequence[Paper], online: Online) -> ResolvedReference:
    """One reference online: a paper of the same title, or else the closest of each source."""
    if not title:
        return ResolvedReference(reference, why=NO_TITLE)
    candidates = list(alike)
    if candidates and (verdict := judge_titles(reference, candidates, ONLINE)).finding == "real":
        return verdict
    try:
        async with aclosing(online.match_in_each(title)) as answers:
            async for closest in answers:
                candidates += [closest] if closest else []
                if any(_has_title(reference, paper) for paper in candidates):
                    break
    except RetrievalError as error:
        if not candidates:
            reasons = " ".join(dict.fromkeys((*online.failed.values(), str(error))))
            return ResolvedReference(reference, why=f"could not be looked up online: {reasons}")
    verdict = judge_titles(reference, candidates, ONLINE)
    if verdict.finding == "not found" and online.failed:
        return replace(verdict, why=f"{verdict.why}; {' '.join(online.failed.values())}")
    return verdict


def existence(found: Sequence[ResolvedReference], library: str, *, online: bool = False) -> tuple[Score, ...]:
    """Shares of real references, of those with wrong metadata, and of those not found."""
    if not found:
        return (Score("references real", None, "no references could be read"),)
    where = f"the library “{library}”" + (" and online" if online else "")
    how = f"looked up in {where}; not being there is no proof of being invented"
    scores = []
    for kind in get_args(Finding):
        those = [r for r in found if r.finding == kind]
        details = tuple(f"[{r.reference.name}] {r.reference.text[:120]}: {r.why}" for r in those if r.why)
        scores.append(Score(f"references {kind}", len(those) / len(found), how, details=details))
    return tuple(scores)


def overlap(own: Sequence[Reference], human: Sequence[Reference]) -> tuple[Score, ...]:
    """IoU = |A ∩ B| / |A ∪ B| (XE3) and coverage = |A ∩ B| / |B|, by titles."""
    if not own or not human:
        return tuple(Score(name, None, "a list of references is missing") for name in ("IoU", "reference coverage"))
    shared = count_shared_titles([r.title for r in own], [r.title for r in human])
    how = f"{shared} of {len(human)} references of the human survey, by title"
    iou = shared / (len(own) + len(human) - shared)
    return Score("IoU", iou, how), Score("reference coverage", shared / len(human), how)


def count_shared_titles(own: Sequence[str], human: Sequence[str]) -> int:
    """How many titles stand in both lists, each counted once; short ones letter for letter."""
    mine, theirs = ({fold(title): None for title in titles if fold(title)} for titles in (own, human))
    exact = mine.keys() & theirs.keys()
    left, count = [title for title in mine if title not in exact and len(title) > 15], len(exact)
    for title in theirs:
        if title in exact or len(title) <= 15:
            continue
        if best := next((m for m in left if fuzz.ratio(title, m, score_cutoff=SAME_TITLE)), None):
            left.remove(best)
            count += 1
    return count


def distinct(claims: Sequence[CitedClaim], document: Document) -> tuple[Score, ...]:
    """References in the list, and how many of them the text or a table cites."""
    references = document.references
    names = {name for claim in claims for name in claim.names} | document.in_tables
    cited = names & {r.name for r in references}
    return (
        Score("references", float(len(references)), "entries in the list"),
        Score("references cited", float(len(cited)), "different entries that the text or a table cites"),
        Score("citations", float(sum(len(c.names) for c in claims)), "markers in the text, each work counted"),
        Score("claims", float(len(claims)), "sentences with at least one citation"),
    )


NEAREST, LEAST_KNOWN = 20, 5
"""Papers that show how close to a topic a library's are; references, of so many, that must be known to judge."""


async def measure_closeness(
    papers: Sequence[Paper], listed: int, topic: str, library: Library, embedder: Embedder
) -> tuple[Score, Score]:
    """Mean cosine of a survey's known papers to the topic (XE4), and its share of what the library's nearest reach."""
    mean, share, how = "semantic relevance", "closeness to the topic", f"mean cosine to the topic, {embedder.name}"
    basis, least = f"{len(papers)} of its {listed} references are known here", min(LEAST_KNOWN, listed)
    if not papers:
        why = f"none of its {listed} references are known here" if listed else "no reference could be read"
        return Score(mean, None, "no reference was found in the library"), Score(share, None, why)
    at = embedder.embed([topic])[0]
    own = embed_papers(embedder, papers) @ at
    found = f"{how}, {len(papers)} references found in the library"
    relevance = Score(mean, float(own.mean()), found, float(own.std()))
    if len(papers) < least:
        return relevance, Score(share, None, f"only {basis}, and at least {least} must be")
    nearest = [item.paper for item in await library.search(Query(topic, NEAREST))]
    reached = float((embed_papers(embedder, nearest) @ at).mean()) if nearest else 0.0
    value = min(1.0, max(0.0, float(own.mean()) / reached)) if reached > 0 else 0.0
    how += f", as a share of what the {len(nearest)} nearest papers of the library “{library.name}” reach"
    return relevance, Score(share, value, how, details=(basis,))


class TopicAnswer(TypedAnswer):
    """Whether a paper belongs to the topic."""

    relevant: bool


async def judge_relevance(papers: Sequence[Paper], topic: str, judges: Mapping[str, LanguageModel]) -> Score:
    """Mean of yes and no over references and judges (XE5)."""
    if not papers or not judges:
        return Score("relevance by a model", None, "no judge, or no reference found")

    async def ask(paper: Paper, judge: LanguageModel) -> float:
        prompt = fill("evaluation/relevance", topic=data(topic), paper=data(f"{paper.title}\n{paper.content}"))
        answer = await judge.answer_typed(Request("judging", "relevance", prompt, 128, 0.0), TopicAnswer)
        return float(answer.relevant)

    answers = await asyncio.gather(*(ask(paper, judge) for paper in papers for judge in judges.values()))
    return Score("relevance by a model", sum(answers) / len(answers), f"judged by {', '.join(judges)}")
