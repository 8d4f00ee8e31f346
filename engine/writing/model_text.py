"""A model's answer as plain paragraphs: what is not prose taken out, what is not ours unwrapped.

Citations in it are read by `engine.checking.citation_forms`; `read_draft` does both.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.checking.citation_forms import ReadAs, read_citations
from engine.text import fold, sentences
from engine.values import Paper
from engine.writing.model_headings import bare_heading, remove_emphasis
from engine.writing.model_wrapping import unwrap_answer

HEADING_WORDS = 12
"""A line of its own with so few words, without an end of a sentence, is a heading."""

_PLACE_LEFT_OPEN = re.compile(
    r"\s*[\[(](?:(?:insert|add|please add|todo:?|your)\s(?:a\s|the\s)?)?"
    r"(?:citations?|references?|cite|refs?|sources?|todo|tbd)"
    r"(?:\s(?:needed|required|here|missing|to be added))?[\])](?!\()|"
    r"\s*[\[(]authors?(?: et al\.?)?,?\s(?:year|yyyy|n\.d\.)[\])]",
    re.I,
)
"""Where a model meant to cite something, and did not."""

_LINK = re.compile(r"\s*\(?\[(?:link|source|paper|pdf|here|url|web|doi|arxiv)\]\(\s*https?:[^)\s]*\s*\)\)?", re.I)
"""An address under a word that says nothing."""

_SOURCES_BELOW = re.compile(
    r"^(?P<said>[^\n\[\]]+?)(?P<stop>[.!?])\n+"
    r"\W{0,3}(?:sources?|references?|citations?|cited papers?)\W{0,4}:\W{0,3}[ \t]*"
    r"(?P<keys>\[@[^\[\]\n]+\])[ \t.]*$",
    re.I | re.M,
)
"""The only citation of a paragraph, on a line of its own below it."""

_FOOTNOTE = re.compile(r"^[ \t]*\[\^(\w{1,8})\]:[ \t]*(.+)$", re.M)
_REFERENCES = re.compile(
    r"^\W{0,6}(?:\d+\.?\s*)?(?:references?|bibliography|works cited|literature cited|"
    r"cited (?:papers|works)|sources(?: cited)?|"
    r"citations|footnotes)\W{0,4}(?:$|:\s*\S.*$)",
    re.I,
)
_RULE = re.compile(r"^\s*(?:[-*_=~]\s*){3,}$")
_MARKED_HEADING = re.compile(r"^\s{0,3}(?:#{1,6}\s*.*|\*\*[^*]+\*\*:?|__[^_]+__:?|<h\d>.*)$")
_NUMBERED_HEADING = re.compile(
    r"^\s*(?:(?:section|chapter|part)\s+)?(?:\d{1,2}(?:\.\d{1,2})*|[IVX]{1,4}|[A-H])[.):]?\s+[^.!?]{2,90}$", re.I
)
_ONE_KEY = r"[\[(【]\s*@[^\])】\n]+[\])】]"
_KEYS = rf"(?<![.!?\])])(?<![.!?\])]\s){_ONE_KEY}(?:\s?{_ONE_KEY})*"
_ENDS_IN_KEY = re.compile(rf"{_KEYS}\s*$")
_OPENING = re.compile(r"\s*[“\"]?[A-Z][a-z]+\b")
_GOES_ON = re.compile(
    rf"({_KEYS}) (?=(?:They|These|This|It|However|Moreover|Furthermore|Similarly|Likewise|Others|(?:In|By) contrast)\b)"
)
"""Keys without a full stop, before what can only be another sentence."""
_ITEM = re.compile(r"^\s*(?:[-*•‣◦–—+]|\(?\d{1,2}[.)]|\(?[a-h][.)])\s+(?=\S)")
_ROW = re.compile(r"^\s*\|.*\|\s*$|^\s*[^|]+(?:\|[^|]+){2,}$")
_RUN_IN_HEADING = re.compile(
    r"^\s*(?P<mark>\*{1,3}|_{2})(?=\S)(?:[^*_\s[]+\s?){1,8}(?:[.:](?P=mark)|(?P=mark)[.:])\s+(?=[A-Z“\"])"
)
"""A heading in bold at the head of its paragraph: "**Prompting.** Some models …"."""

_NAME_OF_PART = re.compile(
    r"^\s*(?i:abstract|introduction|conclusions?|concluding remarks|summary)(?:\s?[:.]|\s[—–-])\s+(?=[A-Z“\"])"
)
"""The name of a survey's part before its first sentence: "Abstract: Retrieval can be …"."""

_COUNT = re.compile(
    r"[\[(]?\s*(?:approx(?:imate(?:ly)?|\.)?\s+|about\s+|total\s+|final\s+)*(?:word\s*count|"
    r"words?\s+(?:total|written)|length|total words?|~?\d[\d,]*\s+words?)\s*"
    r"(?:[:=≈~]?\s*~?(?:about\s+|approximately\s+)?\d[\d,]*(?:\s*words?)?)?\s*[\])]?\.?",
    re.I,
)
_PREAMBLE = re.compile(
    r"^(?:certainly|sure(?: thing)?|of course|absolutely|okay|ok|great|understood|here(?:'s| is| are)|below (?:is|you)|"
    r"(?:i|we)(?:'ll| will| have|'ve| can| am|'m) (?:\w+ )?(?:writ|draft|prepar|provid|revis|"
    r"compos|present|happy|glad|now write)\w*|"
    r"(?:the following|this) (?:is|are) (?:the|a|my|your) (?:\w+ )?(?:subsection|section|draft|text|revised|requested)|"
    r"as requested|title|subsection|draft|revised (?:text|subsection)|"
    r"(?:assistant|ai|bot|response|answer|output|final(?: answer| version)?)(?=\s*:))\b",
    re.I,
)
_CLOSING = re.compile(
    r"^(?:i hope|let me know|please (?:let|feel|note that i)|feel free|if you(?:'d|"
    r" would) like|would you like|note(?: that i)?:|"
    r"this (?:subsection|section|text|draft|response) (?:contains|has|is|comprises|meets|uses)\b.*\bwords?\b|"
    r"(?:end of|\[end)|i(?:'ve| have) (?:used|cited|kept|ensured|followed|avoided|written)|all citations|"
    r"(?:the|these) citations (?:above|follow|use)|disclaimer)",
    re.I,
)
_ABOUT_ITSELF = re.compile(
    r"\bas an? (?:ai|large language)\b|\bmy training (?:data|cut-?off)\b|\bi (?:cannot|can't|"
    r"do not|don't) (?:access|browse|verify)\b|\bthe (?:provided|given|supplied) (?:papers|"
    r"abstracts|context|sources) (?:do|does) not\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class ReadDraft:
    """A draft as it was read: paragraphs with ``[@key]``, how each unusual citation was read, what was no paper's."""

    text: str
    repairs: tuple[ReadAs, ...] = ()
    unknown: tuple[str, ...] = ()


def read_draft(answer: str, papers: Sequence[Paper], title: str = "") -> ReadDraft:
    """The prose of an answer with its citations, each of them one of the papers given (in the order of the prompt)."""
    read = read_citations(read_prose(answer, title), papers)
    return ReadDraft(read.text, read.repairs, read.unknown)


def read_prose(answer: str, title: str = "") -> str:
    """Plain paragraphs divided by blank lines: no thoughts, fences, headings, lists, tables, counts, references."""
    bare = _with_footnotes(unwrap_answer(answer))
    bare = _PLACE_LEFT_OPEN.sub("", _LINK.sub("", bare))
    bare = _SOURCES_BELOW.sub(r"\g<said> \g<keys>\g<stop>", bare)
    bare = re.sub(r"\[+([^\[\]]+)\]+\(\s*(?:https?:|#)[^)\s]*\s*\)", r"[\1]", bare)  # a link around a citation
    paragraphs = _paragraphs(bare.replace("\r\n", "\n").split("\n"), title)
    paragraphs = [_NAME_OF_PART.sub("", _RUN_IN_HEADING.sub("", text)) for text in paragraphs]
    paragraphs = [_GOES_ON.sub(r"\1. ", " ".join(remove_emphasis(text).split())) for text in paragraphs]
    return "\n\n".join(text for text in _remove_chat(paragraphs) if text)


def _with_footnotes(text: str) -> str:
    """The text with what its footnotes hold in their marks' places: models put keys there."""
    notes = {match[1]: match[2].strip() for match in _FOOTNOTE.finditer(text)}
    said = {
        mark: "" if re.match(r"(?:see|as|ibid|emphasis)\b", note, re.I) else f"[{note}]" for mark, note in notes.items()
    }
    return re.sub(r"\[\^(\w{1,8})\]", lambda match: said.get(match[1], f"[{match[1]}]"), _FOOTNOTE.sub("", text))


def _paragraphs(lines: Sequence[str], title: str) -> list[str]:
    """The lines put together; list items as sentences of a paragraph; headings, tables and references left out."""
    blocks: list[list[str]] = [[]]
    in_list = False
    for at, line in enumerate(lines):
        if _REFERENCES.match(line) and (not re.search(r"[a-z]{3,} [a-z]{2,} [a-z]{2,}", line) or ":" in line[:24]):
            break
        if not line.strip():
            if not (in_list and _next_is_item(lines, at)):
                blocks.append([])
                in_list = False
            continue
        if _RULE.match(line) or _ROW.match(line) or _is_heading(line, lines, at, title):
            blocks.append([])
            continue
        item = _ITEM.match(line)
        if item:
            if not in_list:
                blocks[-1][-1:] = [_end_sentence(part) for part in blocks[-1][-1:]]
            in_list = True
            blocks[-1].append(_end_sentence(line[item.end() :]))
        elif in_list and line.startswith((" ", "\t")) and blocks[-1]:
            blocks[-1][-1] = _end_sentence(f"{blocks[-1][-1].rstrip('.')} {line.strip()}")
        else:
            in_list = False
            if blocks[-1] and _ENDS_IN_KEY.search(blocks[-1][-1]) and _OPENING.match(line):
                blocks[-1][-1] = _end_sentence(blocks[-1][-1])
            blocks[-1].append(line.strip().lstrip("> "))
    return [" ".join(block) for block in blocks if block]


def _next_is_item(lines: Sequence[str], at: int) -> bool:
    following = next((line for line in lines[at + 1 :] if line.strip()), "")
    return bool(_ITEM.match(following))


def _end_sentence(text: str) -> str:
    """The text with a full stop at its end; a colon before a list becomes one."""
    bare = text.strip()
    bare = bare[:-1].rstrip() if bare.endswith((":", ";", ",")) else bare
    return bare if re.search(r"[.!?][\"”')\]]*$", bare) else f"{bare}."


def _is_heading(line: str, lines: Sequence[str], at: int, title: str) -> bool:
    if _MARKED_HEADING.match(line):
        return True
    bare = line.strip()
    if title and "@" not in bare and fold(bare_heading(bare)) == fold(title):
        return True
    alone = (at == 0 or not lines[at - 1].strip()) and (at + 1 == len(lines) or not lines[at + 1].strip())
    following = next((other for other in lines[at + 1 :] if other.strip()), "")
    if _ITEM.match(bare) and not (alone and not _ITEM.match(following) and _NUMBERED_HEADING.match(bare)):
        return False
    short = len(bare.split()) <= HEADING_WORDS and not re.search(r"[.!?:;,][\"”')\]]*$|@|\]$", bare)
    return short and (
        alone or bool(_NUMBERED_HEADING.match(bare)) or bool(re.match(r"^\s*(?:={3,}|-{3,})\s*$", following))
    )


def _remove_chat(paragraphs: list[str]) -> list[str]:
    """Without what is said to the person who asked: at the beginning, at the end, and about the model itself."""
    kept = [p for p in paragraphs if not _COUNT.fullmatch(p.strip())]
    while kept and (first := _cut_first(kept[0])) != kept[0]:
        kept = [first, *kept[1:]] if first else kept[1:]
    while kept and (last := _cut_last(kept[-1])) != kept[-1]:
        kept = [*kept[:-1], last] if last else kept[:-1]
    return [
        " ".join(s for s in sentences(p) if not _ABOUT_ITSELF.search(s)) if _ABOUT_ITSELF.search(p) else p for p in kept
    ]


def _cut_first(paragraph: str) -> str:
    lines = sentences(paragraph) or [""]
    lead = re.match(r"^[^.!?:\[]{2,90}:\s+(?=\S)", paragraph)
    if lead and _PREAMBLE.match(paragraph) and len(lead[0].split()) <= 15:
        return paragraph[lead.end() :]
    if _CLOSING.match(paragraph) and "[" not in lines[0]:
        return " ".join(lines[1:])
    whole = re.match(r"^[^.!?]{0,160}:\s*$", paragraph)
    if _PREAMBLE.match(paragraph) and "[" not in lines[0] and (whole or len(lines[0].split()) <= 40):
        head, colon, rest = lines[0].partition(":")
        kept = [rest.strip()] if colon and rest.strip() and len(head.split()) <= 25 else []
        return " ".join([*kept, *lines[1:]])
    return paragraph


def _cut_last(paragraph: str) -> str:
    lines = sentences(paragraph)
    if lines and "[@" not in lines[-1] and (_CLOSING.match(lines[-1]) or _COUNT.fullmatch(lines[-1].strip())):
        return " ".join(lines[:-1])
    return re.sub(rf"\s*[\[(]\s*{_COUNT.pattern}\s*[\])]\s*$", "", paragraph, flags=re.I)
