"""The list of references: does it exist, is it about the topic, how much does it share with a human survey's."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rapidfuzz import fuzz

from engine.errors import RetrievalError
from engine.evaluation.documents import CitedClaim, Reference
from engine.evaluation.scores import Score
from engine.llm.model import LanguageModel, Request, TypedAnswer
from engine.llm.prompting import data, fill
from engine.retrieval.embedding import Embedder, embed_papers
from engine.retrieval.identity import identifiers_in
from engine.retrieval.libraries.library import Library
from engine.retrieval.online.sources import Online
from engine.text import fold
from engine.values import Paper, PaperKey, Query

Finding = Literal["real", "real with wrong metadata", "not found"]

SAME_TITLE = 93.0
"""Two titles are the same from this similarity on (0 to 100, letters and digits only)."""

SHORTEST_TITLE = 8
"""Letters and digits of a title that can be looked up."""

HERE = "in this library"

LIKE_TITLE = 80.0
"""From here on a title is one that was written wrongly."""


@dataclass(frozen=True, slots=True)
class ResolvedReference:
    """A reference looked up in a library: the paper that it is, and whether what it says of it is right."""

    reference: Reference
    finding: Finding
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
    by_name = await library.get(named) if named else ()
    title = reference.title or reference.text
    if by_name:
        alike = similarity(title, by_name[0].title)
        if alike >= SAME_TITLE or fold(by_name[0].title) in fold(reference.text):
            return ResolvedReference(reference, "real", by_name[0])
        return ResolvedReference(
            reference, "real with wrong metadata", by_name[0], f"{named[0]} is “{by_name[0].title}”"
        )
    if len(fold(title)) < SHORTEST_TITLE:
        return ResolvedReference(reference, "not found", None, "no title could be read")
    candidates = [item.paper for item in await library.search(Query(title[:300], 5, "title"))]
    return judge_titles(reference, candidates, HERE)


def judge_titles(reference: Reference, candidates: Sequence[Paper], where: str) -> ResolvedReference:
    """The verdict by titles: one that is the same before one that is only similar, with what was found as evidence."""
    title = reference.title or reference.text
    ranked = sorted(candidates, key=lambda paper: -similarity(title, paper.title))
    for paper in ranked:
        inside = len(fold(paper.title)) > 20 and fold(paper.title) in fold(reference.text)
        if inside or similarity(title, paper.title) >= SAME_TITLE:
            return ResolvedReference(reference, "real", paper, f"{where}: {paper.key}" if where != HERE else "")
    if ranked and similarity(title, ranked[0].title) >= LIKE_TITLE:
        why = f"the title {where} is “{ranked[0].title}” ({ranked[0].key})"
        return ResolvedReference(reference, "real with wrong metadata", ranked[0], why)
    return ResolvedReference(reference, "not found", None, f"not {where}")


async def resolve_online(found: Sequence[ResolvedReference], online: Online) -> tuple[ResolvedReference, ...]:
    """The references that the library does not have, looked up online: by identifier, then by title.

    Where no service answers, the verdict stays "not found", and the reason says that it could not be looked up.
    """
    missing = [item.reference for item in found if item.finding == "not found"]
    named = {item.name: identifiers_in(f"{item.name} {item.text}") for item in missing}
    wanted = list(dict.fromkeys(key for keys in named.values() for key in keys))
    known: Mapping[PaperKey, Paper] = {}
    failure = ""
    try:
        known = await online.get(wanted) if wanted else {}
    except RetrievalError as error:
        failure = str(error)
    result = []
    for item in found:
        if item.finding != "not found":
            result.append(item)
            continue
        key = next((k for k in named[item.reference.name] if k in known), None)
        result.append(await _look_up(item.reference, (key, known.get(key) if key else None), online, failure))
    return tuple(result)


async def _look_up(
    reference: Reference, identified: tuple[PaperKey | None, Paper | None], online: Online, failure: str
) -> ResolvedReference:
    """One reference online: the paper of its identifier, or else the one whose title is closest."""
    key, paper = identified
    if paper is not None:
        verdict = judge_titles(reference, [paper], "online")
        if verdict.finding == "real":
            return verdict
        return ResolvedReference(reference, "real with wrong metadata", paper, f"{key} is “{paper.title}”, online")
    title = reference.title or reference.text
    if len(fold(title)) < SHORTEST_TITLE:
        return ResolvedReference(reference, "not found", None, "no title could be read")
    try:
        closest = await online.find_by_title(title[:300])
    except RetrievalError as error:
        return ResolvedReference(reference, "not found", None, f"could not be looked up online: {failure or error}")
    return judge_titles(reference, [closest] if closest else [], "online")


def existence(found: Sequence[ResolvedReference], library: str, *, online: bool = False) -> tuple[Score, ...]:
    """Shares of real references, of those with wrong metadata, and of those not found."""
    if not found:
        return (Score("references real", None, "no references could be read"),)
    scores = []
    kinds: tuple[Finding, ...] = ("real", "real with wrong metadata", "not found")
    for kind in kinds:
        those = [r for r in found if r.finding == kind]
        details = tuple(f"[{r.reference.name}] {r.reference.text[:120]}: {r.why}" for r in those if r.why)
        where = f"the library “{library}”" + (" and online" if online else "")
        how = f"looked up in {where}; not being there is no proof of being invented"
        scores.append(Score(f"references {kind}", len(those) / len(found), how, details=details))
    return tuple(scores)


def overlap(own: Sequence[Reference], human: Sequence[Reference]) -> tuple[Score, ...]:
    """IoU = |A ∩ B| / |A ∪ B| (XE3) and coverage = |A ∩ B| / |B|, by titles."""
    if not own or not human:
        return tuple(Score(name, None, "a list of references is missing") for name in ("IoU", "reference coverage"))
    shared = shared_titles([r.title for r in own], [r.title for r in human])
    how = f"{shared} of {len(human)} references of the human survey, by title"
    iou = shared / (len(own) + len(human) - shared)
    return Score("IoU", iou, how), Score("reference coverage", shared / len(human), how)


def shared_titles(own: Sequence[str], human: Sequence[str]) -> int:
    """How many titles stand in both lists, each counted once."""
    exact = {fold(t) for t in own} & {fold(t) for t in human}
    left = [t for t in dict.fromkeys(map(fold, human)) if t not in exact and len(t) > 15]
    mine = [t for t in dict.fromkeys(map(fold, own)) if t not in exact and len(t) > 15]
    count = len(exact - {""})
    for title in left:
        best = next((m for m in mine if fuzz.ratio(title, m, score_cutoff=SAME_TITLE)), None)
        if best:
            mine.remove(best)
            count += 1
    return count


def distinct(claims: Sequence[CitedClaim], references: Sequence[Reference]) -> tuple[Score, ...]:
    """References in the list, and how many of them the text cites."""
    names = {name for claim in claims for name in claim.names}
    cited = names & {r.name for r in references}
    return (
        Score("references", float(len(references)), "entries in the list"),
        Score("references cited", float(len(cited)), "different entries that the text cites"),
        Score("citations", float(sum(len(c.names) for c in claims)), "markers in the text, each work counted"),
        Score("claims", float(len(claims)), "sentences with at least one citation"),
    )


def semantic_relevance(papers: Sequence[Paper], topic: str, embedder: Embedder) -> Score:
    """Mean cosine of the references' embeddings to the topic's (XE4)."""
    if not papers:
        return Score("semantic relevance", None, "no reference was found in the library")
    closeness = embed_papers(embedder, papers) @ embedder.embed([topic])[0]
    how = f"mean cosine to the topic, {embedder.name}, {len(papers)} references found in the library"
    return Score("semantic relevance", float(closeness.mean()), how, float(closeness.std()))


NEAREST = 20
"""Papers of the library that show how close to a topic papers can be."""


LEAST_KNOWN = 5
"""References whose papers must be known for a topic to be judged by them, unless a survey has fewer altogether."""


async def topic_closeness(
    papers: Sequence[Paper], listed: int, topic: str, library: Library, embedder: Embedder
) -> Score:
    """Mean cosine of a survey's papers to the topic as a share of what the library's nearest papers reach, from 0 to 1.

    ``papers`` are those that are known of the ``listed`` references; below `LEAST_KNOWN` of them there is no figure.
    """
    name, basis = "closeness to the topic", _count_known(len(papers), listed)
    if not papers:
        return Score(name, None, basis)
    if len(papers) < min(LEAST_KNOWN, listed):
        return Score(name, None, f"only {basis}, and at least {min(LEAST_KNOWN, listed)} must be")
    nearest = [item.paper for item in await library.search(Query(topic, NEAREST))]
    at = embedder.embed([topic])[0]
    reached, own = (float((embed_papers(embedder, some) @ at).mean()) if some else 0.0 for some in (nearest, papers))
    if reached <= 0:
        return Score(name, 0.0, f"no paper of the library “{library.name}” is near this topic", details=(basis,))
    how = f"mean cosine, as a share of what the library's {len(nearest)} nearest papers reach, {embedder.name}"
    return Score(name, min(1.0, max(0.0, own / reached)), how, details=(basis,))


def _count_known(known: int, listed: int) -> str:
    if not listed:
        return "no reference could be read"
    references = "reference" if listed == 1 else f"{listed} references"
    return f"{known or 'none'} of its {references} {'is' if known == 1 else 'are'} known here"


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
