"""Names of authors as files of references write them → given name first, as people read them."""

from __future__ import annotations

import re

from bibtexparser.middlewares.names import split_multiple_persons_names

from engine.retrieval.paper_text import clean_name
from engine.retrieval.records.latex_text import unicode_text
from engine.text import ET_AL, shorten

_SUFFIX = re.compile(r"(?:jr|sr|ii|iii|iv)\.?", re.I)
_SUFFIX_BEHIND_GIVEN = re.compile(r"(.+\S)\s+((?:jr|sr)\.?|2nd|3rd|II|III)", re.I)
"""“Brown, James Jr”, as PubMed writes it."""
_OTHERS = frozenset({"others", "et al", "et al.", "and others"})
_NOBODY = frozenset({"[no author name available]", "[anonymous]", "anonymous", "[no author id available]"})
_CUT_OFF = re.compile(r"[\s,]+(?:et\.? al\b\.?|and others)\s*$", re.I)

MOST_AUTHORS, AUTHORS_CHARACTERS = 10_000, 100_000
"""No paper has more; what claims to is read so far."""


def read_names(names: list[str]) -> tuple[str, ...]:
    """The authors in order; those left out with “and others” are `ET_AL` at the end; an e-mail address is nobody's."""
    found: dict[str, None] = {}
    others = len(names) > MOST_AUTHORS
    for name in names[:MOST_AUTHORS]:
        is_person = not re.fullmatch(r"\s*\{.*\}\s*", name, re.S)
        if is_person and (cut := _CUT_OFF.search(name)):  # “Lewis et al.” as one name
            others, name = True, name[: cut.start()]
        bare = name.strip().strip("{}").strip().lower()
        if bare in _OTHERS:
            others = True
        elif bare and bare not in _NOBODY and "@" not in bare and (read := _read_name(name)):
            found[read] = None
    return (*found, ET_AL) if others else tuple(found)


_LEFT_OUT = re.compile(r"\s*,?\s*(?:…|\.{3,})\s*,?\s*(?:(?:and|&)\s+)?", re.I)
"""The dots that stand for authors left out, with what joins them to the names around."""

_INITIALS_FIRST = re.compile(r"(?:[A-Z]\.[-\s]?)+\s?[^\W\d_][\w'’-]+")


def split_bibtex_names(text: str) -> list[str]:
    """Names divided by “and” outside braces, as BibTeX has them, else by semicolons; after initials by commas too."""
    text = _LEFT_OUT.sub(" and ", shorten(text, AUTHORS_CHARACTERS))
    names = [one for name in split_multiple_persons_names(text) for one in _split_given_first(name)]
    return names if len(names) > 1 or text.strip().startswith("{") else [n for n in text.split(";") if n.strip()]


def _split_given_first(name: str) -> list[str]:
    """Several names with their initials first, divided by commas; any other text as it is."""
    parts = [part.strip() for part in name.split(",") if part.strip()]
    return parts if len(parts) > 1 and all(map(_INITIALS_FIRST.fullmatch, parts)) else [name]


def split_names(text: str) -> list[str]:
    """Names that somebody wrote into one field: divided by semicolons, “and”, “&” or commas."""
    text = _LEFT_OUT.sub(" and ", shorten(text, AUTHORS_CHARACTERS))
    if ";" in text:
        return [name for name in text.split(";") if name.strip()]
    parts = split_multiple_persons_names(re.sub(r",?\s+(?:and|&)\s+", " and ", text, flags=re.I))
    return [name for part in parts for name in _split_commas(part)]


_INITIALS = re.compile(r"(?:[A-Z]\.?[-\s]?){1,4}")


def _split_commas(text: str) -> list[str]:
    """``Ada Lovelace, Alan Turing`` and ``Lovelace, A., Turing, A. M.`` are two; ``Lovelace, Ada`` is one."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if text.lstrip().startswith("{") or len(parts) < 2 or any(_SUFFIX.fullmatch(part) for part in parts):
        return [text]
    pairs = list(zip(parts[::2], parts[1::2], strict=False))
    if len(parts) % 2 == 0 and all(_INITIALS.fullmatch(given) for _, given in pairs):
        return [f"{family}, {given}" for family, given in pairs]
    if all(len(part.split()) > 1 for part in parts):
        return parts
    if len(parts) % 2 == 0 and len(parts) > 2:
        return [f"{family}, {given}" for family, given in pairs]
    return [text]


def write_name(name: object) -> str:
    """A name of a JSON list: text, or an object with the whole name or its parts, as exports have them."""
    if not isinstance(name, dict):
        return name if isinstance(name, str) else ""
    if isinstance(author := name.get("author"), dict):  # OpenAlex
        return write_name(author)
    known = {re.sub("[_-]", "", key.lower()): v for key, v in name.items() if isinstance(v, str) and v}

    def read(*keys: str) -> str:
        return next((known[key] for key in keys if key in known), "")

    family = read("family", "lastname", "last", "surname", "familyname")
    if family:
        whole = " ".join(filter(None, (read("droppingparticle"), read("nondroppingparticle"), family)))
        given = read("given", "firstname", "first", "forename", "givenname")
        return ", ".join(filter(None, (whole, read("suffix"), given)))
    body = read("literal", "collective", "organization")
    return f"{{{body}}}" if body else read("name", "fullname", "displayname", "authorname")


def _read_name(name: str) -> str:
    """``King, Jr., Martin Luther`` and ``King, Martin Luther, Jr.`` → ``Martin Luther King Jr.``; {…} as it is."""
    text = unicode_text(name.strip()).replace("~", " ")
    bare = re.sub(r"[{}]", "", text)  # Ming{-}Wei, as DBLP protects it
    if re.fullmatch(r"\{.*\}", text, re.S):
        return clean_name(bare)
    parts = [part.strip() for part in bare.split(",")]
    family, *rest = parts
    suffix = next((part for part in rest if _SUFFIX.fullmatch(part)), "")
    given = " ".join(part for part in rest if part and part != suffix)
    if not suffix and (behind := _SUFFIX_BEHIND_GIVEN.fullmatch(given)):
        given, suffix = behind.groups()
    return clean_name(" ".join(part for part in (given, family, suffix) if part))
