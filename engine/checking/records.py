"""Authors and years that a claim names, held against the records of the papers that it cites."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.retrieval.paper_keys import surname
from engine.text import fold
from engine.values import Paper

_PERSON = r"(?:(?:de|van|der|von|di|da|la|le|el|al|den)\s+)*[A-ZÀ-Þ][\w’'-]+"
_OTHERS = rf"(?:(?:\s+and\s+|\s*&\s*){_PERSON}|,?\s+et\s+al\.?|\s+and\s+(?:colleagues|co-?workers))"
_BY = re.compile(
    rf"\b(?P<first>{_PERSON})(?:{_OTHERS}?(?:[’']s)?\s+\((?P<year>(?:19|20)\d\d)[a-z]?\)"
    rf"|,?\s+et\s+al\b\.?(?:,?\s+\(?(?P<later>(?:19|20)\d\d)\b)?|\s+and\s+(?:colleagues|co-?workers)\b)"
)


def find_wrong_authors(claim: str, papers: Sequence[Paper], texts: Sequence[str] = ()) -> tuple[str, ...]:
    """“Smith et al. (2020)” where no paper is by Smith and of 2020, and no text names Smith.

    A paper without authors or without a year may be of anybody, and of any year.
    """
    wrong: dict[str, None] = {}
    for match in _BY.finditer(claim):
        name, year = _last_word(match["first"]), match["year"] or match["later"]
        own = [p for p in papers if not p.authors or name in {_last_word(surname(author)) for author in p.authors}]
        if own:
            is_right = not year or any(p.year is None or str(p.year) == year for p in own)
        else:
            is_right = any(name in fold(text) for text in texts)
        if not is_right:
            wrong[match[0]] = None
    return tuple(wrong)


def _last_word(name: str) -> str:
    """``berg`` of "van den Berg": particles are written or left out."""
    return fold((name.split() or [""])[-1])
