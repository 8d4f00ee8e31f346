"""Loads and fills prompts strictly.

A prompt is a Markdown file of three parts, divided by lines ``--- shared`` and ``--- question``. Placeholders are
``{{name}}``; they are filled in one pass, so that what is filled in can never be a placeholder itself.
"""

from __future__ import annotations

import hashlib
import html
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path

from engine.addresses import NumberedSentence, number_sentences, sentences_at
from engine.limits import CHARACTERS_PER_TOKEN
from engine.llm.model import Prompt, tokens_of
from engine.retrieval.paper_keys import surname
from engine.text import sentences, shorten
from engine.values import Paper

PROMPTS = Path(__file__).parent.parent / "prompts"
_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")


def fill(name: str, **values: str) -> Prompt:
    """The prompt ``<recipe>/<step>`` with its placeholders filled.

    Raises `KeyError` for a missing and `ValueError` for an unused value: both are faults of the caller.
    """
    template = _template(name)
    used = set(_PLACEHOLDER.findall(template))
    if unused := set(values) - used:
        raise ValueError(f"the prompt {name} has no place for {', '.join(sorted(unused))}")
    system, _, rest = template.partition("--- shared\n")
    shared, _, question = rest.partition("--- question\n")
    system, shared, question = (
        _PLACEHOLDER.sub(lambda match: values[match[1]], part).strip() for part in (system, shared, question)
    )
    return Prompt(system, shared, question)


ABSTRACT_TOKENS = 600
"""Longest abstract that is sent whole; of a longer one its last sentences are."""

LATEST_ENTRIES = 2_048
"""Papers whose entries are kept: estimates and prompts need those of a survey's papers dozens of times."""

GIST_TOKENS = 60
"""What of an abstract is sent for an outline: one sentence."""


def paper_block(papers: Sequence[Paper], tokens_each: int = ABSTRACT_TOKENS) -> str:
    """Papers as quoted data with what was read of their texts: nothing in them can close the fence or open another.

    Each has its title with first author, venue and year, then the sentences of its abstract (or summary) and of its
    text, a line each, with the numbers by which a draft cites them (`engine.addresses`). A gist has no numbers.
    """
    return "\n".join(_entry(paper, tokens_each) for paper in papers)


def sentence_block(paper: Paper, numbers: Collection[int]) -> str:
    """The sentences with these numbers alone, below the paper's title, in the form of `paper_block`."""
    return _fence(paper, _number_lines(sentences_at(paper, numbers)))


def data(text: str) -> str:
    """Text from outside in which no tag can be opened or closed."""
    return html.escape(text, quote=False)


def paper_tokens(paper: Paper, tokens_each: int = ABSTRACT_TOKENS) -> int:
    """Estimated tokens of a paper's entry in `paper_block`."""
    return tokens_of(_entry(paper, tokens_each))


@lru_cache(maxsize=LATEST_ENTRIES)
def _entry(paper: Paper, tokens_each: int) -> str:
    if tokens_each <= GIST_TOKENS:
        return _fence(paper, [data(_gist(paper))])
    own = [said for said in number_sentences(paper) if said.source != "full text"]
    text = (said for said in number_sentences(paper) if said.source == "full text")
    return _fence(paper, _number_lines((*_abridge(own, tokens_each), *text)))


def _number_lines(numbered: Iterable[NumberedSentence]) -> list[str]:
    return [f"{said.number}. {data(' '.join(said.text.split()))}" for said in numbered]


def _fence(paper: Paper, lines: Sequence[str]) -> str:
    published = ", ".join(part for part in (first_author(paper), paper.venue, str(paper.year or "")) if part)
    title = f"{paper.title} ({published})" if published else paper.title
    return "\n".join((f'<paper key="{paper.key}">', data(title), *lines, "</paper>"))


def first_author(paper: Paper) -> str:
    """“Lewis” or “Lewis et al.”; empty where no author is known."""
    return surname(paper.authors[0]) + (" et al." if len(paper.authors) > 1 else "") if paper.authors else ""


def _abridge(said: Sequence[NumberedSentence], tokens: int) -> Sequence[NumberedSentence]:
    """All of an abstract, or of a longer one the last sentences that fit: the results stand at its end."""
    room = tokens * CHARACTERS_PER_TOKEN
    chosen: list[NumberedSentence] = []
    for sentence in reversed(said):
        room -= len(sentence.text) + 3
        if room < 0:
            break
        chosen.append(sentence)
    return chosen[::-1] or [replace(one, text=shorten(one.text, tokens * CHARACTERS_PER_TOKEN)) for one in said[:1]]


def _gist(paper: Paper) -> str:
    """Its first sentence: of a paper reduced to what it contributes, that (`with_contribution`)."""
    return shorten(next(iter(sentences(paper.content)), ""), GIST_TOKENS * CHARACTERS_PER_TOKEN)


@cache
def prompt_digests() -> Mapping[str, str]:
    """The version of every prompt: its name → the first twelve digits of its file's SHA-256."""
    files = {f"{file.parent.name}/{file.stem}": file for file in PROMPTS.glob("*/*.md")}
    return {name: hashlib.sha256(file.read_bytes()).hexdigest()[:12] for name, file in sorted(files.items())}


@cache
def _template(name: str) -> str:
    return (PROMPTS / f"{name}.md").read_text(encoding="utf-8")
