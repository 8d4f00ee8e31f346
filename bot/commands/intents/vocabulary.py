"""The words people use, read once from `vocabulary.toml`, and templates with ``<classes of words>`` as patterns."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

NUMBER = r"(?:#?\d{1,5}(?:\.\d+)*|#last)"
"""A number in normalised words: ``3``, ``3.2``, ``#3`` (the third), ``#last``."""

_SECTION = (
    r"(?:the |this |that |our |your )*(?:(?:(?:sub)?sections?|chapters?|parts?|heading|paragraph|point) )?"
    r"(?:number |: )?"
)
_AFTER_SECTION = r"(?: (?:(?:sub)?sections?|chapters?|parts?|ones?|heading|paragraph))?"
_NAMED = "introduction|intro|conclusions?|abstract"
_ITEM = (
    r"(?:(?:the|a|with|also|from|everything|those|these|papers?|articles?|numbers?|entry|entries|items?|results?|"
    r"references?|keywords?|\[) )*"
    rf"(?:\d+-\d+|#(?:1|last) \d+|{NUMBER})(?: (?:ones?|papers?|articles?|entries|entry|papers too|keywords?|terms?))?"
)
_BETWEEN_ITEMS = "(?:,|and|or|nor|as well as|plus|to|until|till|through|-|up to|also|oh)"
_WHOLE = (
    "the|this|that|these|those|my|our|your|its|a|an|some|any|all|of|new|another|other|few|also|whole|entire|full|complete|"
    "current|please|us|me|me the|finished"
)
_BEFORE_A_NEW_ONE = "(?= (?:also |in )*(?:a|an|another|one|1|new|the) )"


@cache
def data(name: str) -> Mapping[str, Any]:
    """One of the TOML files beside this module."""
    return tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text(encoding="utf-8"))


@cache
def words(name: str) -> frozenset[str]:
    """A list of words of the vocabulary."""
    return frozenset(data("vocabulary")[name].split())


@cache
def table(name: str) -> Mapping[str, Any]:
    """A table of the vocabulary: what stands for what."""
    found: Mapping[str, Any] = data("vocabulary")[name]
    return found


@cache
def any_of(name: str) -> str:
    """The alternatives of a list of the vocabulary, as a group of a regular expression."""
    return f"(?:{'|'.join(data('vocabulary')[name])})"


@cache
def step_words(phase: str) -> str:
    """How people ask for the step after this phase by its name; a pattern that fits nothing where there is none."""
    return f"(?:{'|'.join(table('steps').get(phase, ['(?!)']))})"


@cache
def command_words() -> frozenset[str]:
    """Every word that a slip of the finger may have meant."""
    classes = " ".join(way for ways in table("classes").values() for way in ways)
    return frozenset(re.findall(r"[a-z]{4,}", classes)) | words("lexicon")


@cache
def _macros() -> Mapping[str, str]:
    formats = "|".join(table("formats"))
    after = r"(?: (?:files?|sources?|code|version|format|document|export|page|output|copy))?"
    more = rf"(?: ?(?:,|and|or|plus|as well as)? ?(?:the |a |as )*(?:{formats})(?: files?)?)*"
    drop, colleagues = "|".join(table("classes")["drop"]), "|".join(sorted(words("colleagues")))
    return {
        "number": NUMBER,
        "place": rf"{_SECTION}(?P<place>{NUMBER}|{_NAMED}){_AFTER_SECTION}",
        "other": rf"{_SECTION}(?P<other>{NUMBER}|{_NAMED}){_AFTER_SECTION}",
        # One way to read each list, and a bound: a run of digits is one number, however long.
        "numbers": rf"(?P<numbers>{_ITEM}(?:(?: ?{_BETWEEN_ITEMS})* ?(?<!\d){_ITEM}){{0,12}})",
        "formats": rf"(?P<formats>(?:{formats})(?: files?| version| format| document)?{more}){after}",
        "text": r"(?P<text>.+?)",
        "title": r"(?P<title>.+?)",
        "the": rf"(?:(?:{_WHOLE}) )*",
        "add_one": f"(?:(?:also )?{any_of('wanting')}{_BEFORE_A_NEW_ONE})",
        "so_drop": rf"(?:(?: ,)?(?: (?:so|and|please|just|therefore))* (?:{drop}|take|get|"
        r"put|leave) (?:it|them|this|that|these|those)(?: one)?(?: (?:out|away|off))?)?",
        "wishing": f"(?:{'|'.join(sorted(words('wishing')))})",
        "languages": f"(?:{'|'.join(sorted(words('languages')))})",
        "role": colleagues,
        "colleague": rf"(?:(?:my|our|the) (?:new )?(?:{colleagues}) )?",
        **{name: f"(?:{'|'.join(ways)})" for name, ways in table("classes").items()},
    }


@cache
def compile_pattern(template: str) -> re.Pattern[str]:
    """A template as a regular expression for normalised words; its groups are numbered: ``place__1``."""
    filled = re.sub(r"(?<!\?P)<(\w+)>", lambda found: _macros()[found[1]], template)
    seen: Counter[str] = Counter()

    def number(match: re.Match[str]) -> str:
        seen[match[1]] += 1
        return f"(?P<{match[1]}__{seen[match[1]]}>"

    return re.compile(re.sub(r"\(\?P<(\w+)>", number, filled), re.S)
