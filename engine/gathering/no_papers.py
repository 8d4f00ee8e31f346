"""What to say where a library has no paper about a topic: how else it may be said, and what the library is about."""

from __future__ import annotations

import asyncio
import re
import unicodedata
from collections.abc import Sequence
from functools import cache

from engine.errors import NoPapers
from engine.gathering.keywords import PaperClusters
from engine.gathering.topic_parts import read_parts
from engine.retrieval.embedding import Embedder
from engine.retrieval.merging.spelling import plain_letters
from engine.run import RunContext
from engine.text import shorten, terms
from engine.values import Brief, Paper, Query
from engine.wordlists import read_lines

SAMPLED_PAPERS = 150
SUBJECTS = 6
"""Papers, and groups of them, that tell what a library is about."""

OF_ANY_PAPER = "study method results data model analysis learning"
"""Words by which any English library is searched for a sample."""

TITLE_WORDS = 4
"""A title with fewer words that carry meaning may be a topic as well."""

NOT_ENGLISH = 0.5
"""From this share of its letters on, a topic in another alphabet is said to be in another language."""

TOPIC_CHARACTERS = 80


_AIM = re.compile(r"(?:how to )?(?:make|making|get|getting) (?P<what>.+?) (?:to )?(?:be )?(?:more )?(?P<how>\w+)", re.I)

_TERMS = {
    **dict.fromkeys(("smaller", "lighter"), "compression"),
    **dict.fromkeys(("faster", "quicker"), "acceleration"),
    **dict.fromkeys(("cheaper", "efficient"), "efficiency"),
    **dict.fromkeys(("fair", "fairer"), "fairness"),
    **dict.fromkeys(("safe", "safer"), "safety"),
    "robust": "robustness",
    "explainable": "explainability",
    "interpretable": "interpretability",
    "private": "privacy",
    "forget": "unlearning",
}
"""What is wanted of something, in plain words → the field's term for it."""


def name_aim(topic: str) -> str:
    """The field's term for what is to be made of something ("making LLMs smaller"); empty where none is known."""
    aim = _AIM.fullmatch(topic.strip())
    term = _TERMS.get(aim["how"].lower(), "") if aim else ""
    return f"{re.sub(r'(?<=[^s])s$', '', aim['what'])} {term}" if aim and term else ""


async def explain_no_papers(
    brief: Brief, nearest: Sequence[str], papers: Sequence[Paper], context: RunContext
) -> NoPapers:
    """The error for a topic about which nothing is there; ``papers`` were found by its words."""
    topic = brief.topic[:TOPIC_CHARACTERS]
    english = translate(brief.topic)
    if english:
        return NoPapers(
            f"No paper here is about “{topic}”. In English it may be “{english}”. Then say: survey {english}", english
        )
    if _is_in_another_alphabet(brief.topic):
        return NoPapers(
            f"No paper here is about “{topic}”. Where the papers are in English, say it in English, for example: "
            "survey graph neural networks"
        )
    counted = await context.library.count_topic(brief.topic)
    author = plain_letters(topic).casefold()
    if counted.is_author or any(plain_letters(name).casefold() == author for paper in papers for name in paper.authors):
        return NoPapers(
            f"“{topic}” is an author of papers here. A survey needs a topic: say survey and what the papers are about."
        )
    if term := name_aim(brief.topic):
        return NoPapers(f"No paper here is about “{topic}”. Papers may call it “{term}”. Then say: survey {term}", term)
    if counted.spellings:
        meant = topic.lower()
        for word, other in counted.spellings:
            meant = meant.replace(word, other)
        return NoPapers(f"No paper here is about “{topic}”. Did you mean “{meant}”? Then say: survey {meant}", meant)
    years = "" if brief.years.first is None and brief.years.last is None else f" from {brief.years}"
    online = "" if brief.online else ", `search online`"
    choices = f"You can say `survey` with other words{online}, or add papers of your own."
    if not brief.library:
        return NoPapers(f"No online source has a paper{years} about “{topic}”. Try other words or wider years.")
    if nearest:
        shown = "; ".join(f"“{shorten(title, 100)}”" for title in nearest)
        return NoPapers(f"No paper here{years} is about “{topic}”. The nearest are: {shown}. {choices}")
    subjects = await describe_library(context)
    told = f" Its papers are about, for example: {'; '.join(subjects)}." if subjects else ""
    return NoPapers(f"The library has no paper{years} about “{topic}”.{told} {choices}")


def find_title(topic: str, about: Sequence[Paper]) -> Paper | None:
    """The paper whose title a topic is, where the title is too long to be a topic."""
    wanted = terms(topic)
    if len(wanted) < TITLE_WORDS:
        return None
    return next((paper for paper in about if terms(paper.title) == wanted), None)


def explain_title(paper: Paper) -> NoPapers:
    """That the topic is a paper's title, with the survey of what it is about."""
    _, colon, subtitle = paper.title.partition(": ")
    subject = read_parts(subtitle if colon else paper.title).head.lower()
    year = f" ({paper.year})" if paper.year else ""
    address = f" To read it: {paper.url}" if paper.url else ""
    return NoPapers(
        f"“{shorten(paper.title, 120)}”{year} is a paper here, not a topic. For a survey of what it is about, say: "
        f"survey {subject}. To ask about the paper itself, say: quick and your question.{address}",
        subject,
    )


async def describe_library(context: RunContext) -> list[str]:
    """A few phrases of what the library's papers are about; none where no sample of it is found."""
    found = await context.library.search(Query(OF_ANY_PAPER, SAMPLED_PAPERS, "words"))
    papers = [item.paper for item in found]
    return await asyncio.to_thread(_name_subjects, papers, context.embedder)


def _name_subjects(papers: Sequence[Paper], embedder: Embedder) -> list[str]:
    groups = min(SUBJECTS, len(papers) // 2)
    if groups < 2:
        return []
    terms = PaperClusters(papers, OF_ANY_PAPER, {}, embedder).choose_terms(groups, (), set())
    return [term for term in terms if term]


def translate(topic: str) -> str:
    """A topic in German, French, Spanish or Chinese in English; empty where a word of it is not in the dictionary."""
    for terms_of in _dictionary():
        left, english = topic.casefold(), []
        while left:
            term = next((term for term in terms_of if left.startswith(term) and _ends(left, term)), None)
            if term is None:
                break
            english.append(terms_of[term])
            left = left[len(term) :].lstrip(" ,的-")
        said = " ".join(english)
        if not left and terms(said) and said != topic.casefold():
            return said
    return ""


def _ends(text: str, term: str) -> bool:
    """Whether a term that begins a text ends with a word; Chinese has no spaces."""
    return (not term.isascii() and ord(term[0]) > 0x2E80) or not text[len(term) :][:1].isalnum()


@cache
def _dictionary() -> tuple[dict[str, str], ...]:
    """For each language the field's terms in it → in English, the longest first."""
    rows = [line.split("\t") for line in read_lines("gathering/field_terms.tsv")[1:]]
    languages = ({row[column]: row[0] for row in rows} for column in range(1, len(rows[0])))
    return tuple({term: own[term] for term in sorted(own, key=len, reverse=True)} for own in languages)


def _is_in_another_alphabet(topic: str) -> bool:
    letters = re.findall(r"[^\W\d_]", topic)
    foreign = [letter for letter in letters if not unicodedata.name(letter, "").startswith("LATIN")]
    return bool(letters) and len(foreign) >= NOT_ENGLISH * len(letters)
