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
from importlib import resources

from engine.addresses import NumberedSentence, number_sentences, sentences_at
from engine.limits import CHARACTERS_PER_TOKEN
from engine.llm.model import Prompt, tokens_of
from engine.retrieval.identity import surname
from engine.text import says_where, sentences, shorten, terms
from engine.values import Paper

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
    parts = (_PLACEHOLDER.sub(lambda match: values[match[1]], part).strip() for part in (system, shared, question))
    return Prompt(*parts)


ABSTRACT_TOKENS = 600
"""Longest abstract that is sent whole; of a longer one whole sentences are, its contribution and its results first."""

LATEST_ENTRIES = 2_048
"""Papers whose entries are kept: estimates and prompts need those of a survey's papers dozens of times."""

GIST_TOKENS = 60
"""What of an abstract is sent for an outline: the sentence that says what the paper contributes."""


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
    return _fence(paper, _number_lines((*_abridge(own, paper.title, tokens_each), *text)))


def _number_lines(numbered: Iterable[NumberedSentence]) -> list[str]:
    return [f"{said.number}. {data(' '.join(said.text.split()))}" for said in numbered]


def _fence(paper: Paper, lines: Sequence[str]) -> str:
    published = ", ".join(part for part in (_first_author(paper), paper.venue, str(paper.year or "")) if part)
    title = f"{paper.title} ({published})" if published else paper.title
    return "\n".join((f'<paper key="{paper.key}">', data(title), *lines, "</paper>"))


def _first_author(paper: Paper) -> str:
    return surname(paper.authors[0]) + (" et al." if len(paper.authors) > 1 else "") if paper.authors else ""


def _abridge(said: Sequence[NumberedSentence], title: str, tokens: int) -> Sequence[NumberedSentence]:
    """All of an abstract, or of a longer one what it contributes, its last sentence, which tells the results, and more.

    The sentences keep their numbers; one that only says where the code is tells no results.
    """
    room = tokens * CHARACTERS_PER_TOKEN
    if sum(len(sentence.text) + 1 for sentence in said) <= room:
        return said
    telling = [sentence for sentence in said if not says_where(sentence.text)] or list(said)
    contribution = _contribution([sentence.text for sentence in telling], title)
    first = next(sentence for sentence in telling if sentence.text == contribution)
    chosen: dict[int, NumberedSentence] = {}
    for sentence in (first, telling[-1], *telling):
        if sentence.number in chosen:
            continue
        if len(sentence.text) + 3 > room:
            break
        chosen[sentence.number] = sentence
        room -= len(sentence.text) + 3
    return [chosen[number] for number in sorted(chosen)] or [replace(first, text=shorten(first.text, room))]


_AUTHORS = (
    r"\b(?:we|our (?:method|approach|model|work|framework)|(?:this|the) (?:paper|work|article|study|survey|monograph)|"
    r"the authors?)\b.{0,80}?\b"
)
_CONTRIBUTIONS = (
    re.compile(
        rf"{_AUTHORS}(?<!the )(?<!our )(?<!ly )(?:propos|introduc|present|develop|describ|design|contribut|devis|"
        r"construct|reports? (?:on|our)\b)\w*|\b(?:is|are|was) (?:proposed|presented|introduced|developed)\b",
        re.I,
    ),
    re.compile(
        rf"{_AUTHORS}(?:show|stud|investigat|review|survey|analy[sz]|examin|explor|evaluat|assess|perform|conduct|"
        r"compar|establish|provid|prove[sd]?\b|deriv|characteri[sz]|demonstrat|build|extend|formulat|train|releas|creat|"
        r"find|aim|address|argu|ask)\w*",
        re.I,
    ),
)
"""Sentences that present something, and those in which the authors say what else they did."""


_ANNOUNCEMENT = re.compile(
    r"\b(?:following|main|principal|key|major|several|two|three|four|five)\b[^.]{0,40}\bcontributions?\s*[:.]?$|"
    r"\bcontributions? (?:is|are) (?:as follows|the following|\w+-?fold)|\bthe following\b[^.]{0,40}:?$",
    re.I,
)
"""A sentence that says only that contributions follow."""


def _gist(paper: Paper) -> str:
    """The sentence that states the paper's contribution, or else its first."""
    found = sentences(paper.content)
    return shorten(_contribution(found, paper.title) if found else "", GIST_TOKENS * CHARACTERS_PER_TOKEN)


def _contribution(said: Sequence[str], title: str) -> str:
    """Of these sentences the one that states a contribution, or else says most of the title."""
    stating = [s for s in said if not _ANNOUNCEMENT.search(s.rstrip(". ")) and not says_where(s)] or said
    for stated in _CONTRIBUTIONS:
        if found := next((s for s in stating if stated.search(s)), ""):
            return found
    named = set(terms(title))
    return max(stating, key=lambda s: len(named & set(terms(s))))


@cache
def prompt_digests() -> Mapping[str, str]:
    """The version of every prompt: its name → the first twelve digits of its file's SHA-256."""
    folders = [folder for folder in resources.files("engine").joinpath("prompts").iterdir() if folder.is_dir()]
    files = {f"{folder.name}/{file.name}": file for folder in folders for file in folder.iterdir()}
    return {
        name.removesuffix(".md"): hashlib.sha256(file.read_bytes()).hexdigest()[:12]
        for name, file in sorted(files.items())
        if name.endswith(".md")
    }


@cache
def _template(name: str) -> str:
    return resources.files("engine").joinpath(f"prompts/{name}.md").read_text(encoding="utf-8")
