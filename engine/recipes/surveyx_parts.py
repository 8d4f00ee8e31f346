"""The subsections of SurveyX's main body as they are being made, and what prompts show of them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.citations import list_cited_keys, remove_citations
from engine.llm.prompting import data
from engine.survey import Section, walk
from engine.text import split_sentences
from engine.values import OutlineNode, PaperKey


@dataclass(frozen=True, slots=True)
class Subsection:
    """A subsection as it is being made: its place, its text with citations as keys, the papers it may cite.

    ``fields`` are those of their notes that it was drafted from.
    """

    number: str
    node: OutlineNode
    text: str
    keys: tuple[PaperKey, ...]
    fields: frozenset[str] = frozenset()


def remove_all_citations(text: str) -> str:
    """The paragraphs without their citations."""
    return "\n\n".join(map(remove_citations, text.split("\n\n")))


def keep_subsection(number: str, node: OutlineNode, section: Section) -> Subsection:
    """A part that stays as it was written: those after it read it as they read a draft."""
    return Subsection(number, node, section.text, list_cited_keys(section.text))


def digest_sections(sections: Mapping[int, Section]) -> tuple[str, tuple[PaperKey, ...]]:
    """How every part begins and ends, with its number and title, and the papers cited there.

    Where neither sentence cites, the first that does stands between them.
    """
    lines: list[str] = []
    for position, section in sections.items():
        for number, part in walk((section,), ""):
            place = f"{position + 1}{number[1:]}"
            own = [sentence for paragraph in split_sentences(part.text) for sentence in paragraph]
            ends = [*own[:1], *own[1:][-1:]]
            if not list_cited_keys(" ".join(ends)):
                ends[1:1] = [sentence for sentence in own if list_cited_keys(sentence)][:1]
            lines.append(" ".join((f"{place} {part.title}:", *ends)))
    gist = "\n".join(lines)
    return gist, list_cited_keys(gist)


def number_sentences(text: str) -> str:
    """The sentences numbered through, paragraphs divided by an empty line."""
    blocks: list[str] = []
    number = 0
    for paragraph in split_sentences(text):
        lines = []
        for sentence in paragraph:
            number += 1
            lines.append(f"{number}. {data(sentence)}")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def take_last(part: Subsection | None) -> str:
    """Its last sentence; empty where there is none."""
    return split_sentences(part.text)[-1][-1] if part and part.text else ""


def take_first(part: Subsection | None) -> str:
    """Its first sentence; empty where there is none."""
    return split_sentences(part.text)[0][0] if part and part.text else ""
