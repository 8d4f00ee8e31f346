"""Keys of papers: arXiv ids, DOIs and others read, normalised and chosen."""

from __future__ import annotations

import hashlib
import re
from urllib.parse import quote, unquote

from engine.errors import UserError
from engine.text import fold
from engine.values import PaperKey

_KEY = re.compile(r"[a-z0-9][a-z0-9_+-]{0,30}:[^\s\[\]@;,\"'`|<>{}\\]{1,400}")
_ARXIV = re.compile(r"^(?:arxiv:)?(\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})(?:v\d+)?$", re.I)
_DOI = re.compile(r"^(?:doi:)?(10\.\d{1,9}(?:\.\d{1,9}){0,2}/\S+)$", re.I)

_PREFERRED = ("doi", "arxiv", "acl", "s2", "pmid", "openalex")


def paper_key(text: str) -> PaperKey:
    """Check and normalise a key; raises `UserError` where it is not ``namespace:rest``."""
    namespace, colon, rest = text.strip().partition(":")
    candidate = f"{namespace.lower()}{colon}{rest}"
    if not _KEY.fullmatch(candidate):
        raise UserError(f"“{text[:80]}” is not a paper's key; a key looks like arxiv:2406.10252.")
    return PaperKey(candidate)


def find_key(namespace: str, rest: object) -> PaperKey | None:
    """The key; ``None`` where there is no ``rest``, or one that cannot be written in a citation."""
    try:
        return paper_key(f"{namespace}:{rest}") if rest else None
    except UserError:
        return None


def arxiv_key(text: str) -> PaperKey | None:
    """``arxiv:2406.10252`` from an id, a link or an arXiv DOI, its version removed; ``None`` if it is none."""
    bare = re.sub(r"^https?://(?:www\.)?arxiv\.org/(?:abs|pdf)/", "", text.strip(), flags=re.I)
    bare = re.sub(r"^(?:https?://(?:dx\.)?doi\.org/)?(?:doi:)?10\.48550/arxiv\.", "", bare, flags=re.I)
    match = _ARXIV.match(bare.removesuffix(".pdf"))
    return PaperKey(f"arxiv:{match.group(1).lower()}") if match else None


def doi_key(text: str) -> PaperKey | None:
    """``doi:10.…`` in lower case from a DOI or its link; an arXiv DOI is given by `arxiv_key` instead.

    Characters that no key can hold, as the ``<`` and ``;`` of SICI DOIs, are percent-encoded, as in the DOI's link.
    """
    bare = re.sub(r"^(?:https?://(?:dx\.|www\.)?doi\.org/|doi(?:\s*:\s*|\s+))+", "", text.strip(), flags=re.I)
    match = _DOI.match(unquote(bare.replace("\\", "")))
    if not match or arxiv_key(bare):
        return None
    # The American Psychological Association registered both forms: 10.1037//0033-2909 and 10.1037/0033-2909.
    plain = match[1].lower().rstrip(".,;").replace("//", "/", 1)
    candidate = "doi:" + re.sub(r"[\[\]@;,\"'`|<>{}%]", lambda m: quote(m[0], safe=""), plain).lower()
    return PaperKey(candidate) if _KEY.fullmatch(candidate) else None


def write_doi_link(text: str) -> str:
    """The link of a DOI, or of another link of it, with its capitals; what no address can hold is percent-encoded."""
    return "https://doi.org/" + quote(read_doi(text), safe="/:()-._")


def read_doi(text: str) -> str:
    """A DOI as it is written, from itself, its link or its key; empty where there is none."""
    bare = re.sub(r"^(?:https?://(?:dx\.|www\.)?doi\.org/|doi(?:\s*:\s*|\s+))+", "", text.strip(), flags=re.I)
    return unquote(bare.replace("\\", "")) if doi_key(text) else ""


_MENTIONED = re.compile(
    r"(?:arxiv[:\s.]+|arxiv\.org/(?:abs|pdf|html)/|\babs/)(\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})|\b(10\.\d{4,9}/[^\s\]\)>,;\"']+)|((?:s2|acl|pmid):[^\s\]]+)",
    re.I,
)


def identifiers_in(text: str) -> list[PaperKey]:
    """Keys of the identifiers that a reference mentions: arXiv ids and links, DOIs, and keys as we write them."""
    found: dict[PaperKey, None] = {}
    for match in _MENTIONED.finditer(text):
        key = arxiv_key(match[1]) if match[1] else doi_key(match[2].rstrip(".")) if match[2] else PaperKey(match[3])
        key = key or arxiv_key(match[0])
        if key:
            found[key] = None
    return list(found)


def is_identifier(text: str) -> bool:
    """Whether a text is a DOI, an arXiv id, a link to either or a key as we write it, and nothing else."""
    return bool(arxiv_key(text) or doi_key(text) or is_key(text) or _MENTIONED.fullmatch(text.strip()))


def is_key(text: str) -> bool:
    """Whether a text is ``namespace:rest`` with a digit, as keys have and words around a colon have not."""
    return bool(_KEY.fullmatch(text.strip()) and re.search(r"\d", text))


def read_key(text: str) -> PaperKey:
    """The key that a DOI, an arXiv id, a link to either, or a key names. Raises `UserError` where it is none."""
    return arxiv_key(text) or doi_key(text) or paper_key(text)


def make_described_key(*words: str, year: int | None) -> PaperKey:
    """The key of a record without any identifier, made from what describes it."""
    described = "|".join((fold(words[0]), str(year), *(fold(word) for word in words[1:])))
    return PaperKey(f"title:{hashlib.sha256(described.encode()).hexdigest()[:16]}")


_PARTICLE = re.compile(r"van|von|der|den|de|del|della|di|da|dos|du|la|le|ten|ter|al|bin|ibn", re.I)


_INITIALS_LAST = re.compile(r"((?:[OÓ]\s++)?(?:[^\W\d_](?=[\w'’-]*[^\W\dA-Z_])[\w'’-]*+\s++)++)[A-Z]{1,3}")
"""Each word of a name matches in one way only, so that a long one ends."""


def surname(author: str) -> str:
    """The family name with its particles: ``Jan van den Berg`` and ``van den Berg, Jan`` give ``van den Berg``.

    Capitals at the end are initials, as PubMed writes them: ``Marhofer PA`` gives ``Marhofer``, and ``O Cuiv B``
    gives ``O Cuiv``.
    """
    if "," in author:
        return author.split(",", 1)[0].strip()
    if initials := _INITIALS_LAST.fullmatch(author.strip()):
        return initials[1].strip()
    parts = author.split()
    start = len(parts) - 1
    while start > 1 and _PARTICLE.fullmatch(parts[start - 1]):
        start -= 1
    return " ".join(parts[max(start, 0) :])


def choose_key(identifiers: tuple[PaperKey, ...]) -> PaperKey:
    """The most widely understood of a paper's identifiers; otherwise the first."""
    for namespace in _PREFERRED:
        for identifier in identifiers:
            if identifier.startswith(f"{namespace}:"):
                return identifier
    return identifiers[0]
