"""References as BibTeX, RIS and CSL-JSON; and text made literal for BibTeX and LaTeX: no character is a command."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from itertools import chain, count, product
from string import ascii_lowercase

import rispy
from bibtexparser.entrypoint import write_string
from bibtexparser.library import Library
from bibtexparser.model import Entry, Field
from pylatexenc.latexencode import unicode_to_latex

from engine.retrieval.online.wikipedia import is_encyclopedia
from engine.retrieval.paper_keys import doi_key, read_doi, surname
from engine.text import ET_AL, STOP_WORDS, clean, fold, words
from engine.values import Paper

_MEETING = re.compile(r"\b(proceedings|conference|workshop|symposium|meeting|[A-Z]{3,8}|NeurIPS|3DV|CoRL|CoNLL)\b")
_AND = re.compile(r"\band\b")
_PREPRINT = re.compile(r"arxiv|corr\b|preprint|biorxiv", re.I)


def bibtex(papers: Sequence[Paper]) -> str:
    """One entry for each paper; a field that is not known is left out."""
    library = Library()
    for key, paper in zip(entry_keys(papers), papers, strict=True):
        kind, fields = _fields(paper)
        library.add(Entry(kind, key, [Field(name, value) for name, value in fields if value]))
    return str(write_string(library))


def entry_keys(papers: Sequence[Paper]) -> list[str]:
    """``lewis2020retrieval``; a letter is added where two would be alike."""
    keys: dict[str, None] = {}
    for paper in papers:
        family = fold(surname(paper.authors[0])) if paper.authors else ""
        first = next((w for w in words(paper.title) if w not in STOP_WORDS), "")
        base = re.sub(r"[^a-z0-9]", "", f"{family}{paper.year or ''}{fold(first)}")[:60] or "paper"
        letters = chain.from_iterable(product(ascii_lowercase, repeat=length) for length in count())
        keys[next(key for some in letters if (key := base + "".join(some)) not in keys)] = None
    return list(keys)


def ris(papers: Sequence[Paper]) -> str:
    """One record for each paper."""
    written = rispy.dumps([_ris_record(paper) for paper in papers])
    # rispy numbers records on a line before each, which other readers do not expect.
    return re.sub(r"^\d+\.\n", "", written, flags=re.M)


def csl_json(papers: Sequence[Paper]) -> str:
    """The papers as items of CSL-JSON, which Zotero, pandoc and citation processors read."""
    items = [_csl_item(key, paper) for key, paper in zip(entry_keys(papers), papers, strict=True)]
    return json.dumps(items, ensure_ascii=False, indent=1) + "\n"


def _csl_item(key: str, paper: Paper) -> dict[str, object]:
    kind, _ = _fields(paper)
    types = {"inproceedings": "paper-conference", "article": "article-journal"}
    item: dict[str, object] = {
        "id": key,
        "type": "entry-encyclopedia" if is_encyclopedia(paper) else types.get(kind, "article"),
        "title": clean(paper.title),
        "author": [_csl_name(clean(author)) for author in paper.authors if author != ET_AL],
        "issued": {"date-parts": [[paper.year]]} if paper.year else {},
        "container-title": clean(paper.venue) if kind != "misc" else "",
        "publisher": clean(paper.venue) if kind == "misc" else "",
        "DOI": doi_of(paper),
        "number": f"arXiv:{arxiv}" if (arxiv := _identifier(paper, "arxiv")) else "",
        "URL": paper.url,
        "abstract": clean(paper.abstract),
    }
    return {name: value for name, value in item.items() if value}


def _csl_name(author: str) -> dict[str, str]:
    """Family and given name; a name of one word is taken as it is."""
    family, comma, given = _family_first(author).partition(",")
    return {"family": family.strip(), "given": given.strip()} if comma else {"literal": author}


def _fields(paper: Paper) -> tuple[str, list[tuple[str, str]]]:
    venue = clean(paper.venue)
    kind, place = "misc", "howpublished"
    if is_encyclopedia(paper):
        venue = "Wikipedia, the free encyclopedia (CC BY-SA)"
    elif venue and not _PREPRINT.search(venue):
        kind, place = ("inproceedings", "booktitle") if _MEETING.search(venue) else ("article", "journal")
    return kind, [
        ("title", f"{{{escape_latex(paper.title)}}}"),
        ("author", " and ".join(map(_bibtex_name, paper.authors))),
        ("year", str(paper.year or "")),
        (place, escape_latex(venue)),
        ("doi", _DOI_SPECIAL.sub(r"\\\g<0>", doi_of(paper))),
        ("eprint", _identifier(paper, "arxiv")),
        ("archiveprefix", "arXiv" if _identifier(paper, "arxiv") else ""),
        # Raw, as \url wants it; only braces would end the field.
        ("url", paper.url.replace("{", "%7B").replace("}", "%7D")),
    ]


def _bibtex_name(author: str) -> str:
    """A name as BibTeX divides it; one with more commas than BibTeX knows is kept whole by braces."""
    if author == ET_AL:
        return "others"
    name = _AND.sub("{and}", escape_latex(_family_first(author)))
    return f"{{{name}}}" if name.count(",") > 2 else name


def _family_first(author: str) -> str:
    """``van der Berg, Jan``: the comma form keeps particles with the family name."""
    if "," in author:
        return author
    family = surname(author)
    given = (author.removesuffix(family) if author.endswith(family) else author.removeprefix(family)).strip()
    return f"{family}, {given}" if given else family


def _identifier(paper: Paper, namespace: str) -> str:
    return next((i.split(":", 1)[1] for i in paper.identifiers if i.startswith(f"{namespace}:")), "")


_DOI_SPECIAL = re.compile(r"[%&#_]")


def doi_of(paper: Paper) -> str:
    """The DOI as its record wrote it, where the paper's address has it, else as its key has it."""
    key = next((i for i in paper.identifiers if i.startswith("doi:")), "")
    written = read_doi(paper.url) if key and doi_key(paper.url) == key else ""
    return written or read_doi(key)


def _ris_record(paper: Paper) -> dict[str, object]:
    kind, _ = _fields(paper)
    types = {"inproceedings": "CONF", "article": "JOUR"}
    record: dict[str, object] = {
        "type_of_reference": "ENCYC" if is_encyclopedia(paper) else types.get(kind, "GEN"),
        "title": clean(paper.title),
        "authors": [clean(_family_first(a)) for a in paper.authors if a != ET_AL],
        "year": str(paper.year or ""),
        "journal_name" if kind == "article" else "secondary_title": clean(paper.venue),
        "doi": doi_of(paper),
        "urls": [paper.url] if paper.url else [],
        "abstract": clean(paper.abstract),
    }
    return {name: value for name, value in record.items() if value}


# Braces become commands, since BibTeX counts even escaped ones; -- would become one dash.
_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\textbraceleft{}", "}": r"\textbraceright{}", "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", "`": r"\textasciigrave{}", "-": "-{}",
}  # fmt: skip
_MARKS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0306": "u", "\u0307": ".",
    "\u0308": '"', "\u030a": "r", "\u030b": "H", "\u030c": "v", "\u0323": "d", "\u0327": "c", "\u0328": "k",
}  # fmt: skip
# Where every command of pylatexenc's table is known to LaTeX with textcomp and amssymb, but for those in _UNKNOWN.
_RANGES = (
    (0xA0, 0x17F), (0x391, 0x3D1), (0x2010, 0x2044), (0x20AC, 0x20AC), (0x2102, 0x214F), (0x2190, 0x22FF),
    (0x25A0, 0x25FF),
)  # fmt: skip
_UNKNOWN = re.compile(
    r"\\(?:nument|nobreakdash|mathscr|arrowwave\w+|dblarrowupdown|DownArrowUpArrow|rightangle\w*|ii+nt|surfintegral|"
    r"volintegral|clwintegral|homothetic|lazysinv|approxnotequal|tildetrpl|allequal|estimates|starequal|not(?:less|greater)\w+|"
    r"truestate|forcesextra|VDash|original|image|hermitconjmatrix|verymuch\w+|precedesnotsimilar|udots)"
)


def escape_latex(text: str) -> str:
    """One line of literal text; a character beyond textcomp and amssymb stays itself: `declare_characters` finds it."""
    plain = clean(text)
    parts: list[str] = []
    for position, character in enumerate(plain):
        if character in _MARKS and parts:
            parts[-1] = f"\\{_MARKS[character]}{{{parts[-1]}}}"
        elif character == "-" and plain[position + 1 : position + 2] != "-":
            parts.append("-")
        elif character == "'" and plain[position + 1 : position + 2] == "'":
            parts.append("'{}")
        else:
            parts.append(_SPECIAL.get(character) or _command(character))
    return "".join(parts)


def declare_characters(text: str) -> list[str]:
    """Declarations by which pdfLaTeX prints the characters of LaTeX source that it does not know: ``[U+4E2D]``."""
    unknown = sorted({character for character in text if ord(character) > 0x7F})
    return [f"\\DeclareUnicodeCharacter{{{ord(c):04X}}}{{[U+{ord(c):04X}]}}" for c in unknown]


def _command(character: str) -> str:
    if character.isascii():
        return character
    kind, _, points = unicodedata.decomposition(character).partition(" ")
    if kind in {"<super>", "<sub>"}:
        base = "".join(chr(int(point, 16)) for point in points.split())
        return f"\\text{kind.strip('<>')}script{{{''.join(_SPECIAL.get(ch) or _command(ch) for ch in base)}}}"
    if any(first <= ord(character) <= last for first, last in _RANGES):
        written = str(unicode_to_latex(character, unknown_char_policy="keep", unknown_char_warning=False))
        if not _UNKNOWN.search(written):
            return f"{{{written}}}" if written != character else character
    return character
