"""Names of authors as files of references write them → given name first, as people read them."""

from __future__ import annotations

import re

from engine.retrieval.paper_text import clean_name
from engine.text import ET_AL

_SUFFIX = re.compile(r"(?:jr|sr|ii|iii|iv)\.?", re.I)
_OTHERS = frozenset({"others", "et al", "et al.", "and others"})
_NOBODY = frozenset({"[no author name available]", "[anonymous]", "anonymous", "[no author id available]"})
_CUT_OFF = re.compile(r"[\s,]+(?:et\.? al\b\.?|and others)\s*$", re.I)
_AND = re.compile(r"\s+and\s+(?![^{}]*})", re.I)


def read_names(names: list[str]) -> tuple[str, ...]:
    """The authors in order; those whom the list leaves out with “and others” stay as `ET_AL` at its end."""
    found: dict[str, None] = {}
    others = False
    for name in names:
        is_person = not re.fullmatch(r"\s*\{.*\}\s*", name, re.S)
        if is_person and (cut := _CUT_OFF.search(name)):  # “Lewis et al.” as one name
            others, name = True, name[: cut.start()]
        bare = name.strip().strip("{}").strip().lower()
        if bare in _OTHERS:
            others = True
        elif bare and bare not in _NOBODY and (read := _read_name(name)):
            found[read] = None
    return (*found, ET_AL) if others else tuple(found)


def split_names(text: str) -> list[str]:
    """Names divided by “and” outside braces, or by semicolons."""
    return [name for name in (text.split(";") if ";" in text else _AND.split(text)) if name.strip()]


def _read_name(name: str) -> str:
    """``King, Jr., Martin Luther`` and ``King, Martin Luther, Jr.`` → ``Martin Luther King Jr.``.

    A name in braces is a body's own, whatever is in it.
    """
    text = name.strip()
    if re.fullmatch(r"\{.*\}", text, re.S):
        return clean_name(text[1:-1])
    family, *rest = [part.strip() for part in text.split(",")]
    suffix = next((part for part in rest if _SUFFIX.fullmatch(part)), "")
    given = " ".join(part for part in rest if part and part != suffix)
    return clean_name(" ".join(part for part in (given, family, suffix) if part))
