"""What carries a model's answer, taken off: thoughts, tokens of the chat, calls of tools, JSON, tags, escapes."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator

from engine.text import bound_runs

SHORTEST_STRING = 30
"""Characters from which a string of a JSON answer may be prose; shorter ones are names and labels."""

_THINKING = "think|thinking|thought|reasoning|scratchpad|analysis|reflection"
_CALLING = "tool_calls?|tool_use|tool_result|function_calls?|function_results?|invoke|search_query"
_DROPPED = re.compile(rf"<({_THINKING}|{_CALLING})\b[^>]*>.*?</\1\s*>", re.S | re.I)
_THOUGHT_END = re.compile(rf"^.*</(?:{_THINKING})\s*>", re.S | re.I)
_THOUGHT_OPEN = re.compile(rf"<(?!analysis)(?:{_THINKING})\b[^>]*>.*$", re.S | re.I)
_LAST_CHANNEL = re.compile(r"^.*<\|channel\|>\s*final\b[^<]*<\|message\|>", re.S)
"""Before what a model with channels says to the one who asked."""

_ROLE = re.compile(r"<\|(?:start_header_id|im_start|start)\|>\s*\w*\s*(?:<\|end_header_id\|>)?")
_TOKEN = re.compile(r"<\|/?[\w-]{1,40}\|>|</?s>|\[/?INST\]|<(?:bos|eos|pad|start_of_turn|end_of_turn)>")
_CALL = re.compile(r"^[ \t]*\{[^\n]*\"(?:name|tool|function|action)\"\s*:[^\n]*\}[ \t]*$", re.M)
"""A line that asks for a tool: ``{"name": "search", "arguments": {…}}``."""

_FENCE = re.compile(r"^\s*(?:```+|~~~+)[\w-]*\s*$", re.M)
_CITE_TAG = re.compile(
    r"<(?:paper|cite|citation|ref|source)\s+(?:key|id|ref)\s*=\s*[\"“'”]?@?([^\"”'>\s]+)[\"”']?\s*/?>"
    r"(?:\s*</(?:paper|cite|citation|ref|source)>)?|<(?:cite|ref)>\s*@?([^<>\s]{3,100})\s*</(?:cite|ref)>|"
    r"<@([^<>\s]{3,100})>",
    re.I,
)
"""A citation written as a tag, with the key as an attribute or inside."""

_NAMED_PART = re.compile(r"<(title|heading|header|h[1-6])\b[^>]*>[^<]{0,200}</\1\s*>", re.I)
_OUR_TAGS = re.compile(
    r"</?(?:draft|subsection|section|text|answer|response|output|article|body|html|content|prose|p|br|hr|b|i|em|strong|"
    r"u|a|sup|sub|ul|ol|li|div|span|h[1-6]|cite)\b[^>]*>",
    re.I,
)
_PAIRED_TAG = re.compile(r"(?m)^[ \t]*</?([A-Za-z][\w-]{1,30})>[ \t]*$")
"""A tag of the model's own that has a line for itself."""

_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\ufe0e\ufe0f"))
_WIDE_DIGITS = {0xFF10 + digit: str(digit) for digit in range(10)} | {0xFF0E: ".", 0xFF05: "%"}
_PICTURE = re.compile(r"[\U0001F000-\U0001FAFF\u2600-\u26FF\u2700-\u27BF\u2B50]\s?")

_LATEX_HEADING = re.compile(r"\\(?:sub)*(?:section|paragraph|chapter)\*?\{([^{}]*)\}")
_LATEX_STYLE = re.compile(r"\\(?:text(?:bf|it|tt|sc|sf|rm|sl|up|md)?|emph|underline|mbox)\{([^{}]*)\}")
_LATEX_BLOCK = re.compile(r"\\(?:begin|end)\{[^{}]*\}(?:\[[^\]]*\])?|\\(?:label|noindent|par)\b(?:\{[^{}]*\})?")
_LATEX_ITEM = re.compile(r"(?m)^\s*\\item\b\s*")
_LATEX_SPACE = re.compile(r"~(?=\\cite|\[@|\(@)")
_ESCAPED = re.compile(r"\\([_%&#])|\\(\[)(?=\s*@?\w[^\[\]\n]{0,300}?\\?\])|(?<=[\w.])\\(\])")
_WRITTEN_BREAK = re.compile(r"(?:\\r)?\\n(?![a-z])")
"""A line break as a JSON string has it."""

_KEYS_FIELD = re.compile(r"^(?:citations?|cites?|keys?|sources?|references?|refs?|papers?)$", re.I)


def unwrap_answer(answer: str) -> str:
    """The text in an answer, with headings, lists and citations as Markdown; what was not meant to be read is gone."""
    text = bound_runs(answer).translate(_INVISIBLE).translate(_WIDE_DIGITS)
    text = _TOKEN.sub("", _ROLE.sub("", _LAST_CHANNEL.sub("", text)))
    text = _THOUGHT_OPEN.sub("", _THOUGHT_END.sub("", _DROPPED.sub("", text)))
    text = _CALL.sub("", text) if not _is_all_json(text) else text
    text = _FENCE.sub("", _take_from_json(text))
    text = _WRITTEN_BREAK.sub("\n", text) if text.strip().count("\n") == 0 else text
    text = _CITE_TAG.sub(lambda match: f" [@{match[1] or match[2] or match[3]}]", text)
    text = html.unescape(_OUR_TAGS.sub(" ", _PAIRED_TAG.sub("", _NAMED_PART.sub("\n\n", text))))
    return _PICTURE.sub("", _read_markup(text)).translate(_INVISIBLE)


def _read_markup(text: str) -> str:
    """The text with LaTeX and escaped Markdown as plain Markdown."""
    if "\\" in text:
        text = _LATEX_HEADING.sub(r"\n\n## \1\n\n", text)
        text = _LATEX_ITEM.sub("- ", _LATEX_BLOCK.sub("", _LATEX_STYLE.sub(r"\1", text)))
    text = _LATEX_SPACE.sub(" ", text)
    return _ESCAPED.sub(lambda match: match[1] or match[2] or match[3], text)


def _is_all_json(text: str) -> bool:
    try:
        return isinstance(json.loads(_FENCE.sub("", text).strip()), (dict, list))
    except ValueError:
        return False


def _take_from_json(text: str) -> str:
    """The prose of an answer that came as JSON; else the answer."""
    stripped = _FENCE.sub("", text).strip()
    if not stripped.startswith(("{", "[")):
        return text
    try:
        value = json.loads(stripped)
    except ValueError:
        return text
    return "\n".join(_list_prose(value)) or text


def _list_prose(value: object) -> Iterator[str]:
    """The longest string of each object, with the keys beside it, in the order of the answer."""
    if isinstance(value, list):
        for item in value:
            yield from _list_prose(item)
    elif isinstance(value, dict):
        own = {name: part for name, part in value.items() if isinstance(part, str) and not _KEYS_FIELD.match(name)}
        longest = max(own.values(), key=len, default="")
        if len(longest) >= SHORTEST_STRING:
            yield longest + "".join(f" [@{key}]" for key in _list_keys(value))
        for name, part in value.items():
            if not isinstance(part, str) and not _KEYS_FIELD.match(name):
                yield from _list_prose(part)
    elif isinstance(value, str) and len(value) >= SHORTEST_STRING:
        yield value


def _list_keys(value: dict[str, object]) -> list[str]:
    """What the fields of an object that hold keys name."""
    found: list[str] = []
    for name, part in value.items():
        if _KEYS_FIELD.match(name):
            named = part if isinstance(part, list) else [part]
            found += [key.strip("[]@ ") for key in named if isinstance(key, str) and " " not in key.strip("[]@ ")]
    return found
