"""What identifiers say about two records: that they are one paper, that they are two, or nothing."""

from __future__ import annotations

import re

from engine.values import Paper, PaperKey

_REPOSITORY = re.compile(
    r"doi:10\.(?:48550|2139|31234|31235|31219|31223|31224|35542|21203|20944|36227|26434|5281|6084|13140|22541|32388|"
    r"33774|14293|17605|31222|55458|5555)/|doi:10\.1101/(?=\d)"
)
"""DOIs of preprints and of repositories: a publication has another one beside it. 10.5555 is the ACM's for what has no
DOI there."""

_VOLUME = re.compile(
    r"doi:(?:10\.\d{4,9}/(?:b?97[89][-\d]{10,14}|[a-z]*\d{6,8})|10\.18653/v1/[\d.]*[a-z]\w*-[a-z]\w*|10\.18653/v1/[a-z]\d\d-\d"
    r"|10\.1109/[a-z]+\d*(?:\.\d{4})?|10\.4230/lipics\.[a-z]+\.\d{4})$"
)
"""DOIs of whole volumes: a book by its ISBN, proceedings by their number or acronym."""

_VERSION = re.compile(r"(?<=[\d\w])(?:[/_.]v\d+|(?<=\d)v\d+)$")
_NUMBERED_VERSION = re.compile(r"(doi:10\.(?:12688|12659|7554|3310)/.+?\d)\.\d{1,2}$")


def find_shared_identifiers(one: Paper, other: Paper) -> frozenset[PaperKey]:
    """Identifiers of both that one paper alone can have; that of a volume is none, nor one made from a title."""
    first, second = (
        {i for i in (p.key, *p.identifiers) if not i.startswith("title:") and not is_volume(i)} for p in (one, other)
    )
    return frozenset(first & second)


def are_in_conflict(one: Paper, other: Paper) -> bool:
    """Whether both have an identifier of one kind of which a paper has one only, and they differ.

    A preprint's DOI beside its publication's is no conflict, nor are two versions of one DOI.
    """
    for kind in ("arxiv", "acl", "pmid", "pmcid"):
        first, second = ({i for i in _keys(p) if i.startswith(f"{kind}:")} for p in (one, other))
        if first and second and not first & second:
            return True
    mine, others = ([_remove_version(i) for i in _keys(p) if i.startswith("doi:")] for p in (one, other))
    published = [[i for i in dois if not _REPOSITORY.match(i)] for dois in (mine, others)]
    if _differ(*published):
        return True
    return any(
        _differ(
            [i for i in mine if i.startswith(prefix)],
            [i for i in others if i.startswith(prefix)],
        )
        for prefix in {i.partition("/")[0] + "/" for i in mine if i not in published[0]}
    )


def is_volume(identifier: str) -> bool:
    """Whether an identifier is that of a whole book or of proceedings, which all papers in it share."""
    return bool(_VOLUME.match(identifier))


def _keys(paper: Paper) -> tuple[PaperKey, ...]:
    return (paper.key, *paper.identifiers)


def _differ(one: list[str], other: list[str]) -> bool:
    """Whether both have some and none in common; a chapter's DOI agrees with that of its own volume."""
    if not one or not other or set(one) & set(other):
        return False
    return not any(_is_within(a, b) or _is_within(b, a) for a in one for b in other)


def _is_within(part: str, volume: str) -> bool:
    return is_volume(volume) and part.startswith(volume) and part != volume


def _remove_version(doi: str) -> str:
    numbered = _NUMBERED_VERSION.fullmatch(doi)
    return numbered[1] if numbered else _VERSION.sub("", doi)
