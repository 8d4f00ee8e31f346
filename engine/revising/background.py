"""Background of a topic from Wikipedia (Jarvis' steps) for the introduction, each sentence with the article's words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pydantic import Field

from engine.checking.doubts import Source, find_doubts
from engine.citations import cite, with_references
from engine.errors import UserError
from engine.llm.model import LanguageModel, PlainText, Request, TypedAnswer
from engine.llm.prompting import data, fill
from engine.retrieval.online.wikipedia import is_encyclopedia
from engine.run import Progress, RunContext
from engine.survey import Citation, Claim, Section, Survey, walk
from engine.text import clean, inert, sentences, terms
from engine.values import Brief, Paper, PaperSelection
from engine.writing.notices import with_notice

EXCERPT_CHARACTERS = 24_000
MOST_EXCERPTS = 4
INTRODUCTION_CHARACTERS = 600
QUOTED_SENTENCES = 2
SUBJECT_CHARACTERS = 120
MOST_TITLES = 40
TEMPERATURE = 0.2


class TopicAnswer(TypedAnswer):
    """What an encyclopedia is searched for."""

    topic: PlainText


class PageAnswer(TypedAnswer):
    """The number of the article, 0 for none."""

    reason: PlainText
    number: int = Field(ge=0)


class Statement(TypedAnswer):
    """A sentence and the article's words behind it."""

    sentence: PlainText
    quote: str


class SummaryAnswer(TypedAnswer):
    """Whether the article helps, why, and what was collected."""

    reason: PlainText
    relevant: bool
    statements: list[Statement]


async def add_background(brief: Brief, selection: PaperSelection, survey: Survey, context: RunContext) -> Survey:
    """The survey with a paragraph of background. Raises `UserError` where no article helps, or `RetrievalError`."""
    if any(is_encyclopedia(paper) for paper in survey.references):
        raise UserError("This survey has its background from Wikipedia already.")
    if (wikipedia := context.wikipedia) is None:
        raise UserError("There is no Wikipedia here.")
    await context.progress(Progress("background", detail=brief.topic))
    if context.model is None:
        article = await wikipedia.article(_choose_by_title(brief.topic, await wikipedia.search(brief.topic)))
        claims = [_quote_article(article)]
    else:
        hits = await wikipedia.search(await _name_subject(brief, context.model))
        article = await wikipedia.article(await _choose_article(brief.topic, hits, context.model))
        claims = await _collect_background(brief.topic, survey.sections, article, context.model)
    first, *rest = survey.sections
    paragraph = " ".join(claim.text for claim in claims)
    opened = replace(first, text=f"{first.text}\n\n{paragraph}", claims=(*first.claims, *claims))
    papers = {p.key: p for p in (*selection.list_included(), replace(article, body=()))}
    return with_notice(with_references(replace(survey, sections=(opened, *rest)), papers))


def _choose_by_title(topic: str, hits: Sequence[tuple[str, str]]) -> str:
    """The article whose title has no word but the topic's."""
    wanted = set(terms(topic))
    for title, _ in hits:
        if set(terms(title)) and set(terms(title)) <= wanted:
            return title
    raise UserError(f"Wikipedia has no article that is clearly about “{topic[:80]}”.")


def _quote_article(article: Paper) -> Claim:
    """The first sentences of the article, word for word."""
    quotes = [inert(s) for s in sentences(article.abstract)[:QUOTED_SENTENCES]]
    if not quotes:
        raise UserError(f"Wikipedia's article “{article.title}” has no introduction that could be quoted.")
    bare = "; ".join(f"“{quote.removesuffix('.')}”" for quote in quotes)
    text = f"As background, Wikipedia says {bare} {cite([article.key])}."
    return Claim(text, tuple(Citation(article.key, quote, "quoted") for quote in quotes))


async def _name_subject(brief: Brief, model: LanguageModel) -> str:
    """What to search for: of a question in free words the subject as an encyclopedia names it (Jarvis' “TOPIC: …”)."""
    if not brief.quick:
        return brief.topic
    prompt = fill("background/topic", request=data(brief.topic))
    answer = await model.answer_typed(Request("reading", "background/topic", prompt, 128, TEMPERATURE), TopicAnswer)
    return clean(answer.topic)[:SUBJECT_CHARACTERS] or brief.topic


async def _choose_article(topic: str, hits: Sequence[tuple[str, str]], model: LanguageModel) -> str:
    shown = "\n".join(
        f'<article number="{n}">\n{data(title)}\n{data(intro[:INTRODUCTION_CHARACTERS])}\n</article>'
        for n, (title, intro) in enumerate(hits, start=1)
    )
    prompt = fill("background/page", topic=data(topic), articles=shown)
    answer = await model.answer_typed(Request("reading", "background/page", prompt, 512, TEMPERATURE), PageAnswer)
    if not 1 <= answer.number <= len(hits):
        raise UserError(f"No article of Wikipedia helps here: {clean(answer.reason)[:300]}")
    return hits[answer.number - 1][0]


async def _collect_background(
    topic: str, sections: tuple[Section, ...], article: Paper, model: LanguageModel
) -> list[Claim]:
    """What the article says that helps the survey, collected excerpt by excerpt; raises `UserError` where nothing."""
    whole = "\n".join(passage.text for passage in article.body)
    starts = range(0, min(len(whole), MOST_EXCERPTS * EXCERPT_CHARACTERS), EXCERPT_CHARACTERS)
    kept, why = list[Statement](), "the article is empty"
    for number, start in enumerate(starts):
        prompt = fill(
            "background/summary",
            topic=data(topic),
            sections=data("; ".join([section.title for _, section in walk(sections)][:MOST_TITLES])),
            title=data(article.title),
            draft=data("\n".join(s.sentence for s in kept) or "(nothing yet)"),
            excerpt=data(whole[start : start + EXCERPT_CHARACTERS]),
        )
        request = Request("reading", f"background/{number}", prompt, 2_048, TEMPERATURE)
        answer = await model.answer_typed(request, SummaryAnswer)
        why = clean(answer.reason)[:300]
        if answer.relevant:
            kept = [s for s in answer.statements if s.quote and s.quote in whole] or kept
    kept = [s for s in kept if not find_doubts(s.sentence, Source(s.quote, (article,), topic))]
    if not kept:
        raise UserError(f"Wikipedia's article “{article.title}” does not help: {why}")
    said = [inert(clean(s.sentence)).rstrip().rstrip(".!?") for s in kept]
    return [
        Claim(f"{text} {cite([article.key])}.", (Citation(article.key, s.quote, "supported"),))
        for text, s in zip(said, kept, strict=True)
    ]
