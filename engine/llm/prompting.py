"""Loads and fills prompts strictly.

A prompt is a Markdown file of three parts, divided by lines ``--- shared`` and ``--- question``. Placeholders are
``{{name}}``; they are filled in one pass, so that what is filled in can never be a placeholder itself.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from functools import cache
from importlib import resources

from engine.limits import CHARACTERS_PER_TOKEN
from engine.llm.model import Prompt, tokens_of
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


def paper_block(papers: Sequence[Paper], tokens_each: int) -> str:
    """Papers as quoted data with what was read of their texts: nothing in them can close the fence or open another."""
    return "\n".join(_entry(paper, tokens_each) for paper in papers)


def data(text: str) -> str:
    """Text from outside in which no tag can be opened or closed."""
    return html.escape(text, quote=False)


def paper_tokens(paper: Paper, tokens_each: int) -> int:
    """Estimated tokens of a paper's entry in `paper_block`."""
    return tokens_of(_entry(paper, tokens_each))


def _entry(paper: Paper, tokens_each: int) -> str:
    abstract = paper.abstract[: tokens_each * CHARACTERS_PER_TOKEN]
    body = "".join(f"\n{data(passage.text)}" for passage in paper.body)
    return f'<paper key="{paper.key}">\n{data(paper.title)}\n{data(abstract)}{body}\n</paper>'


@cache
def _template(name: str) -> str:
    return resources.files("engine").joinpath(f"prompts/{name}.md").read_text(encoding="utf-8")
