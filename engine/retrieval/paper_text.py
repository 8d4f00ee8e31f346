"""The text of records made fit to read and to quote: done once, when a paper comes in.

Nothing is reworded. What a broken conversion did to the text is undone (split words, ligatures, wrong encodings),
markup becomes the characters it stands for, and what is not the authors' text (publishers' copyright lines) goes.
Each function is idempotent.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence

from engine.retrieval.records.latex_text import unicode_text
from engine.text import clean, read_list, shorten, strip_quotes

_PASSES = 8
"""Times that markup inside markup is read; each pass removes some, and two are nearly always enough."""

_NO_ENDS = frozenset(
    "and or to nor versus vs as the this that these we which it is are was our with from".split()  # noqa: SIM905
)
_COMPOUND_ENDS = frozenset(read_list("retrieval/compound_ends.txt"))  # they mostly follow a hyphen (``-based``)
# OT1, the encoding of Computer Modern: the glyphs that a PDF's text lost.
_GLYPHS = {"11": "ff", "12": "fi", "13": "fl", "14": "ffi", "15": "ffl", "147": "“", "148": "”", "96": "-"}
_LIGATURES = dict(zip("ﬀﬁﬂﬃﬄﬅﬆ", ("ff", "fi", "fl", "ffi", "ffl", "st", "st"), strict=True))

_GLYPH = re.compile(r"\(cid:(\d+)\)")
_SPLIT_WORD = re.compile(r"(?<![^\W_])(?P<left>[A-Za-z]*[a-z])(?:\(cid:173\)|\u00ad|-) +(?P<right>[a-z]+)(?![^\W_])")
_SOFT_HYPHEN = re.compile(r"(?<=\w)(?:\u00ad|\(cid:173\)) *(?=\w)")
_LIGATURE = re.compile("[ﬀ-ﬆ] ?(?=[a-z])|[ﬀ-ﬆ]")
# UTF-8 read as Latin-1: a leading Ã, Â, Å, Ä or â and the bytes that must follow it.
_MISREAD = re.compile(r"[ÂÃÄÅ][\x80-\xbf]|â[\x80-\xbf€™œžŸ][\x80-\xbf\u2010-\u2122œŸ]")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
_TAG_NAMES = (
    r"i|b|u|em|strong|sup|sub|inf|p|br|span|div|tt|scp|italic|bold|sc|title|section|sec|a|ul|ol|li|math|m(?:row|i|n|o|sub|sup|"
    r"subsup|frac|sqrt|text|space|style)|inline-formula|tex-math|alternatives|abstract|list|list-item|label|ext-link|xref"
)
_TAG = re.compile(rf"<(?P<close>/?)(?:jats:|mml:)?(?P<name>{_TAG_NAMES})(?:\s[^<>]*)?/?>", re.I)
_SCRIPT = re.compile(r"<(?P<name>sub|sup|inf)>(?P<inner>[^<>]{1,40})</(?P=name)>", re.I)
_BOLD = re.compile(r"(?<!\*)\*\*(?=[^\s*])([^*]*[^\s*])\*\*(?!\*)")
_ITALIC = re.compile(
    r"(?<![\w*])\*(?=\w)([^*]{0,120}[^\W_])\*(?![\w*])|(?<![\w_])_(?=[^\W_])([^_]{0,120}[^\W_])_(?![\w_])"
)
_LINK = re.compile(r"\[([^\[\]@]{1,200})\]\((https?://[^\s()]+)\)")
_DASH = re.compile(r"(?<=\w)---?(?=[^\W\d_])|(?<=[\w.,)”’]) ---? (?=\S)|(?<=\w) ?--- ?(?=\w)")
_LEAD = re.compile(
    r"^(?i:abstract|summary)\s*(?:[:.]|—|–|-(?=\s))\s*|"
    r"^Abstract\s+(?=(?:This|In|We|The|An?|Our|Given|Recent|Recently|Many|It|For|To|While|With|Despite|Although)\s)",
)
_RIGHTS = ("©", "opyright", "(c)", "(C)", "ights reserved")
_COPYRIGHT = re.compile(
    r"(?:^|(?<=[.!?\]])|(?<=\s))\s*(?:(?:Copyright\s*)?(?:©|\([cC]\))|Copyright)\s*,?\s*(?:19|20)\d\d"
    r"(?:[^.]{0,120}\.?)"
    r"(?:\s*(?:All rights reserved|Published by|Ltd|Inc|B\.V|This is an open access)[^.]{0,120}\.?)*\s*$"
    r"|\s*All rights reserved\.?\s*$",
    re.I,
)
_LEADING_COPYRIGHT = re.compile(
    r"^(?:Copyright\s*)?(?:©|\([cC]\))\s*(?:19|20)\d\d[^.]{0,80}\.\s*(?:All rights reserved\.\s*)?", re.I
)
_PLAIN_NAME = re.compile(r"(?:[^\W\d_⁰¹²³⁴⁵⁶⁷⁸⁹]|\.? (?=[^\W\d_])|[.'’-](?=[^\W\d_ ])|\.$)*")
_ORDINAL = re.compile(r"\b(?:Iii?|Iv)$")
_NAME_MARKS = re.compile(r"(?:\s*[*†‡§¶‖∗⋆★✉#¹²³⁴⁵⁶⁷⁸⁹⁰]++(?:,(?=\S))?|\s+\d{4}|(?<=[a-z]) ?\d(?:,\d)*)++$")


TITLE_CHARACTERS, ABSTRACT_CHARACTERS, NAME_CHARACTERS = 1_000, 20_000, 200
"""None is longer; what claims to be, hostile files among it, is read so far and ends with an ellipsis."""

INITIALS = 3
"""Letters of a word that may be initials (``J.R.``) or a suffix (``III``)."""


def clean_title(text: str) -> str:
    """A title or a venue in Unicode, on one line."""
    return _repeat_until_stable(shorten(text, TITLE_CHARACTERS), (_legible, strip_quotes))


def clean_abstract(text: str) -> str:
    """An abstract in Unicode, without its heading and its publisher's copyright line."""
    steps = (_legible, _whole_words, strip_quotes, _remove_frame)
    return _repeat_until_stable(shorten(text, ABSTRACT_CHARACTERS), steps)


def clean_passage(text: str) -> str:
    """Running text of a paper in Unicode, its words whole."""
    return _repeat_until_stable(text, (_legible, _whole_words))


def clean_name(text: str) -> str:
    """A person's name, not all in capitals, without footnote marks (``Bello*``) and numbers (``Wei Wang 0001``)."""
    short = shorten(text.strip(), NAME_CHARACTERS)
    if _PLAIN_NAME.fullmatch(short):
        return _in_usual_case(short)
    return _repeat_until_stable(short, (_legible, lambda name: _NAME_MARKS.sub("", name), _in_usual_case))


def _in_usual_case(name: str) -> str:
    """A name of several words all in capitals, of which one is longer than initials are."""
    words = name.split()
    in_capitals = len(words) > 1 and name.isupper() and any(len(word) > INITIALS for word in words)
    return _ORDINAL.sub(lambda match: match[0].upper(), name.title()) if in_capitals else name


def _repeat_until_stable(text: str, steps: Sequence[Callable[[str], str]]) -> str:
    current = text
    for _ in range(_PASSES):
        before = current
        current = clean(_decode(current))
        for step in steps:
            current = clean(step(current))
        if current == before:
            break
    return current


def _decode(text: str) -> str:
    if text.isascii():
        return text

    def again(match: re.Match[str]) -> str:
        raw = b"".join(c.encode("latin-1") if ord(c) < 256 else c.encode("cp1252", "replace") for c in match[0])
        try:
            return raw.decode()
        except UnicodeDecodeError:
            return match[0]

    return _MISREAD.sub(again, text)


def _legible(text: str) -> str:
    """Entities, tags, ligatures, LaTeX, Markdown and typewriter quotes as the characters they stand for."""
    if "&" in text:
        text = _ENTITY.sub(lambda m: html.unescape(m[0]), text)
    if "<" in text:
        text = _SCRIPT.sub(lambda m: f"{'^' if m['name'].lower() == 'sup' else '_'}{{{m['inner']}}}", text)
        text = _TAG.sub(lambda m: " " if m["name"].lower() in {"p", "br", "title", "li", "div", "sec"} else "", text)
    if not text.isascii():
        text = _LIGATURE.sub(lambda m: _LIGATURES[m[0][0]], text)
    written = unicode_text(text)
    if written != text:
        text = re.sub(r"\s+(?=[,.;:](?:\s|$))", "", written)
    if "*" in text or "_" in text or "](" in text:
        text = _LINK.sub(lambda m: m[2] if m[1] in m[2] else f"{m[1]} ({m[2]})", text)
        text = _ITALIC.sub(lambda m: m[1] or m[2], _BOLD.sub(r"\1", text))
    if "``" in text or "''" in text:
        text = re.sub(r"(?<![\w”])''(?=\w)", "“", text.replace("``", "“")).replace("''", "”")
        text = re.sub(r"(“[^“”\"]{1,200})\"\"?", r"\1”", text)
    if "--" in text:  # ``a---b`` is a long dash, ``a--b`` and ``a -- b`` are short ones
        text = _DASH.sub(lambda m: " – " if " " in m[0] else "—" if "---" in m[0] else "–", text)
    return text


def _whole_words(text: str) -> str:
    """Words that a line's end had split, put together; glyphs that were printed by their number."""
    if "- " in text or "\u00ad" in text or "(cid:" in text:
        text = _SPLIT_WORD.sub(_rejoin, text)
        text = _SOFT_HYPHEN.sub("", text)
        text = _GLYPH.sub(lambda m: _GLYPHS.get(m[1], ""), text)
    return text


def _rejoin(match: re.Match[str]) -> str:
    """``experi- ments`` is one word, ``image- guided`` a compound, ``pre- and`` is right as it is."""
    left, right = match["left"], match["right"]
    before = match.string[match.start() - 1 : match.start()]
    after = match.string[match.end() : match.end() + 1]
    if right in _NO_ENDS and "-" not in (before, after):
        return match[0]
    compound = right == "of" or (right in _COMPOUND_ENDS and len(left) > 2)
    return f"{left}-{right}" if compound or "-" in (before, after) else left + right


def _remove_frame(text: str) -> str:
    """Without the word “Abstract” before it and the copyright line around it; a text that is nothing else stays."""
    inner = _LEAD.sub("", text)
    if any(sign in inner for sign in _RIGHTS):
        inner = _LEADING_COPYRIGHT.sub("", _COPYRIGHT.sub("", inner))
    return inner if inner.strip() else text
