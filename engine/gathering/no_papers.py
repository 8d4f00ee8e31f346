"""What to say where a library says nothing of a topic: how it may be spelt, what is nearest, what can be done."""

from __future__ import annotations

from collections.abc import Sequence

from engine.errors import NoPapers
from engine.retrieval.merging.spelling import plain_letters
from engine.run import RunContext
from engine.text import shorten
from engine.values import Brief, Paper

TOPIC_CHARACTERS = 80
NEAREST = 3


async def explain_no_papers(brief: Brief, found: Sequence[Paper], context: RunContext) -> NoPapers:
    """The error for a topic of which nothing is said; ``found`` are the nearest papers, best first."""
    topic = brief.topic[:TOPIC_CHARACTERS]
    years = "" if brief.years.first is None and brief.years.last is None else f" from {brief.years}"
    if not brief.library:
        return NoPapers(f"No online source has a paper{years} about “{topic}”. Try other words or wider years.")
    counted = await context.library.count_topic(brief.topic)
    author = plain_letters(topic).casefold()
    if counted.is_author or any(plain_letters(name).casefold() == author for paper in found for name in paper.authors):
        return NoPapers(
            f"“{topic}” is an author of papers here. A survey needs a topic: say survey and what the papers are about."
        )
    if counted.spellings:
        meant = topic.lower()
        for word, other in counted.spellings:
            meant = meant.replace(word, other)
        return NoPapers(
            f"The library has no papers on “{topic}”. Did you mean “{meant}”? Then say: survey {meant}", meant
        )
    online = "" if brief.online else ", `search online`"
    choices = (
        f"You can say `survey` with other words, in the language of the papers{online}, or add papers of your own."
    )
    shown = "; ".join(f"“{shorten(paper.title, 100)}”" for paper in found[:NEAREST])
    nearest = f" The nearest are: {shown}." if shown else ""
    return NoPapers(f"The library has no papers{years} on “{topic}”, as far as its words tell.{nearest} {choices}")
