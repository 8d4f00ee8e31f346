"""A model's answer as plain paragraphs: its Markdown is parsed, and what is no prose in it is left out."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import Annotated

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode
from pydantic import AfterValidator

from engine.text import bound_runs, clean, fold, remove_bare_numbers, sentences

HEADING_WORDS = 12
"""A block of its own with so few words, without an end of a sentence, is a heading."""

_MARKDOWN = MarkdownIt("commonmark").enable("table").disable(["reference", "lheading", "code", "html_block"])
_THOUGHTS = re.compile(
    r"^.*</(?:think|thinking|reasoning)\s*>|^\s*<(?:think|thinking|reasoning)>.*$|^.*<\|message\|>", re.S | re.I
)
"""What a model thinks before it answers, and the channels before the one for whoever asked."""

_MARKS = re.compile(r"<\|[^|<>\s]{1,40}\|>|</?s>|^\s*(?:```|~~~).*$|\\(?=[\[\]])", re.M)
"""Tokens of the chat, the fence around an answer, escapes of brackets."""

_PAPER_TAG = re.compile(r"\s*<(?:paper|cite|source)\s+\w+=[\"']?@?([^\"'<>\s]+)[\"']?\s*/?>", re.I)
"""A citation in the form in which prompts show papers."""

_CITATION = re.compile(r"\[+\s*(@[^\[\]]*)\]+(?:\(\s*https?:[^)\s]*\))?")
_HELD = re.compile("\ue000(\\d+)\ue001")
"""A citation while the Markdown around it is parsed: a key may have underscores."""

_REFERENCES = re.compile(r"\W*(?:\d+\W+)?(?:references?|bibliography|works cited|sources|footnotes)\W*", re.I)
_NUMBER = re.compile(
    r"^(?:(?:section|chapter|part)\s+)?(?:\d{1,2}(?:\.\d{1,2})*|[IVX]{1,4}(?=[.:]))\s*[.):–—-]?\s+(?=\S)", re.I
)
_LABEL = re.compile(r"(?:abstract|introduction|conclusions?|assistant)(?:[:.]|\s[—–-])\s+", re.I)
"""The name of a part before its first sentence: "Abstract: Retrieval can be …"."""


def read_prose(answer: str, title: str = "") -> str:
    """Plain paragraphs divided by blank lines: no thoughts, headings, tables, references; lists as sentences."""
    cited: list[str] = []

    def hold(citation: re.Match[str]) -> str:
        cited.append(f"[{citation[1]}]")
        return f"\ue000{len(cited) - 1}\ue001"

    lines = "\n".join(clean(line).replace("\ue000", "") for line in bound_runs(answer).splitlines())
    text = _PAPER_TAG.sub(r" [@\1]", _MARKS.sub("", _THOUGHTS.sub("", lines)))
    parsed = SyntaxTreeNode(_MARKDOWN.parse(_CITATION.sub(hold, text)))
    blocks = takewhile(lambda said: not _REFERENCES.fullmatch(said), _read_blocks(parsed))
    prose = [said for said in blocks if said and not (_is_heading(said) or fold(said) == fold(title))]
    if len(prose) > 1 and prose[0].endswith(":") and not _HELD.search(prose[0]):
        prose = prose[1:]  # it announces the text
    if prose and (label := _LABEL.match(prose[0])):
        prose[0] = prose[0][label.end() :]
    return _HELD.sub(lambda held: cited[int(held[1])], "\n\n".join(prose))


def _read_blocks(node: SyntaxTreeNode) -> list[str]:
    """The text of each block; of a list its items as sentences, at the end of a paragraph that announces it."""
    found: list[str] = []
    for block in node.children:
        match block.type:
            case "paragraph" | "heading":
                said = _read_inline(block.children[0])
                found.append(said if block.type == "paragraph" or _REFERENCES.fullmatch(said) else "")
            case "bullet_list" | "ordered_list":
                items = [" ".join(_read_blocks(item)) for item in block.children]
                said = items[0] if len(items) == 1 else " ".join(map(_end_sentence, items))
                if found and found[-1].endswith(":"):
                    found[-1] = f"{_end_sentence(found[-1])} {_end_sentence(said)}"
                else:
                    found.append(said)
            case "blockquote":
                found += _read_blocks(block)
    return found


def _read_inline(node: SyntaxTreeNode) -> str:
    """The words without marks and tags, and without a heading in bold before the first sentence."""
    parts = [_read_words(part) for part in node.children]
    kinds = [part.type for part, words in zip(node.children, parts, strict=True) if words]
    first, *rest = list(filter(None, parts)) or [""]
    if kinds[:2] == ["strong", "text"] and (first.endswith((".", ":")) or rest[0].startswith((".", ":"))):
        first, rest[0] = "", rest[0].lstrip(".: ")
    return " ".join("".join((first, *rest)).split())


def _read_words(node: SyntaxTreeNode) -> str:
    match node.type:
        case "text" | "code_inline":
            return node.content
        case "softbreak" | "hardbreak":
            return " "
        case "html_inline" | "image":
            return ""
        case _:
            return "".join(map(_read_words, node.children))


def _end_sentence(text: str) -> str:
    bare = text.rstrip(" :;,")
    return bare if bare.rstrip("\"”')").endswith((".", "!", "?")) else f"{bare}."


def _is_heading(said: str) -> bool:
    is_short = len(said.split()) <= HEADING_WORDS and not _HELD.search(said)
    return is_short and not said.rstrip("\"”')]").endswith((".", "!", "?", ":", ";", ","))


def bare_heading(text: str) -> str:
    """The first sentence of a heading without number, markup, citations, quotation marks or full stop."""
    bare = _CITATION.sub("", _NUMBER.sub("", clean(text).lstrip("#*_ ")))
    words = _read_words(SyntaxTreeNode(_MARKDOWN.parse(bare)))
    line = " ".join(remove_bare_numbers(_NUMBER.sub("", words)).split())
    first = next(iter(sentences(line)), "")
    return first.strip(" \"“”'*_").rstrip(".:") or clean(text)


HeadingText = Annotated[str, AfterValidator(bare_heading)]
"""A heading in a typed answer, as `bare_heading` reads it."""
