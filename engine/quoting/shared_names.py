"""Names that several papers share: what they write with capitals or digits inside a word, such as BERT or 5-HT1B."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from engine.naming.phrases import strip_plural
from engine.overview import Name
from engine.text import STOP_WORDS
from engine.values import Paper, PaperKey

LEAST_PAPERS = 2
MOST_SHARE = 0.5
"""Papers that write a name, and share of all from which it is what the survey is about."""

LONGEST_CAPITALS = 6
"""Letters of a word in capitals; a longer one is a heading or shouted."""

_TOKEN = re.compile(r"[^\W_][\w-]*[^\W_]")
_ROMAN = re.compile(r"[IVXLC]+")


def find_shared_names(papers: Sequence[Paper], topic: str) -> tuple[Name, ...]:
    """The names that stand in a title and that two papers or more write, with those papers; none of the topic's."""
    written: defaultdict[str, dict[PaperKey, None]] = defaultdict(dict)
    titled: set[str] = set()
    for paper in papers:
        titled.update(_names_in(paper.title))
        for name in _names_in(f"{paper.title}\n{paper.content}"):
            written[name][paper.key] = None
    about = topic.casefold()
    return tuple(
        Name(name, tuple(keys))
        for name, keys in sorted(written.items(), key=lambda item: (item[0].casefold(), item[0]))
        if name in titled and LEAST_PAPERS <= len(keys) <= MOST_SHARE * len(papers) and name.casefold() not in about
    )


def _names_in(text: str) -> list[str]:
    """The words written as names are; none of a title that is all in capitals."""
    tokens = [strip_plural(token) for token in _TOKEN.findall(text)]
    capitals = sum(token.isupper() for token in tokens)
    return [] if capitals > len(tokens) / 2 else [token for token in tokens if _is_written_as_name(token)]


def _is_written_as_name(token: str) -> bool:
    """Whether one part of the word has two capitals, one within it, or letters beside a digit."""
    if token.casefold() in STOP_WORDS or _ROMAN.fullmatch(token) or token[0].isdigit():
        return False
    if token.isalpha() and token.isupper():
        return 2 < len(token) <= LONGEST_CAPITALS
    parts = token.split("-")
    return any(any(ch.isupper() for ch in part[1:]) and len(part) > 2 for part in parts)
