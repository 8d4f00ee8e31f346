"""What kind of venue a name is of: a preprint's, a journal's, a conference's, a thesis's."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Literal

from engine.values import Paper

Kind = Literal["", "preprint", "journal", "conference", "thesis"]

_CONFERENCES = re.compile(
    r"\b(?:NeurIPS|ICML|ICLR|CVPR|ICCV|ECCV|WACV|BMVC|ACL|EMNLP|NAACL|EACL|COLING|CoNLL|LREC|"
    r"AAAI|IJCAI|KDD|SIGIR|CIKM|WSDM|ECIR|RecSys|CHI|UIST|CSCW|ICSE|FSE|ASE|ISSTA|SOSP|"
    r"OSDI|NSDI|EuroSys|PLDI|POPL|OOPSLA|ICFP|STOC|FOCS|SODA|INTERSPEECH|ICASSP|ICRA|IROS|"
    r"MICCAI|CoRL|VLDB|SIGMOD|ICDE|PODS|UAI|AISTATS|COLT|NDSS|USENIX|INFOCOM|SIGCOMM|MobiCom|"
    r"ISCA|MICRO|ASPLOS|HPCA|DAC|SIGGRAPH|ISMIR|EMBC|GECCO"
    r")\b"
)
_ALIASES = {
    "nips": "neurips", "neural information processing systems": "neurips", "machine learning (icml)": "icml",
    "international conference on machine learning": "icml", "learning representations": "iclr",
    "computer vision and pattern recognition": "cvpr", "international conference on computer vision": "iccv",
    "european conference on computer vision": "eccv", "empirical methods in natural language": "emnlp",
    "association for the advancement of artificial": "aaai", "aaai conference": "aaai",
    "knowledge discovery and data mining": "kdd", "knowledge discovery & data mining": "kdd",
}  # fmt: skip
_KINDS: Mapping[Kind, re.Pattern[str]] = {
    "preprint": re.compile(
        r"\bcorr\b|rxiv|ssrn|pre-?print|research square|openreview|tech(?:nical|\.)? rep|working paper|zenodo|osf\b",
        re.I,
    ),
    "conference": re.compile(
        r"\bconf(?:erence)?\b|\bworkshops?\b|\bproc(?:eedings)?\b|\bsymposium\b|\bcongress\b", re.I
    ),
    "journal": re.compile(r"\bjournal\b|\bj\.|\btrans(?:actions?)?\b|\blett(?:ers)?\b|\breviews?\b|\bmagazine\b", re.I),
    "thesis": re.compile(r"thesis|dissertation|habilitation|\buniversit\w+\b(?!.*\bpress\b)", re.I),
}


@lru_cache(maxsize=50_000)
def venue_kind(venue: str) -> Kind:
    """The kind that a name shows; empty where it shows none."""
    named: Kind = "conference" if conference_of(venue) else ""
    return next((kind for kind, names in _KINDS.items() if names.search(venue) or kind == named), "")


@lru_cache(maxsize=50_000)
def conference_of(venue: str) -> str:
    """A well-known conference by its acronym or full name; empty for any other."""
    lowered = venue.lower()
    for words, name in _ALIASES.items():
        if words in lowered:
            return name
    acronym = _CONFERENCES.search(venue)
    return acronym[0].lower() if acronym else ""


def are_different_venues(one: str, other: str) -> bool:
    """Whether one publication cannot have appeared in both: a journal and a conference, two conferences, a thesis."""
    first, second = venue_kind(one), venue_kind(other)
    if not (one.strip() and other.strip()) or first == second == "":
        return False
    if "thesis" in {first, second}:
        return first != second
    if "preprint" in {first, second} or "" in {first, second}:
        return False
    conferences = {conference_of(one), conference_of(other)}
    return first != second or ("" not in conferences and len(conferences) == 2)


def is_published(paper: Paper) -> bool:
    """Whether the venue is one of publications, not of preprints."""
    return bool(paper.venue) and venue_kind(paper.venue) != "preprint"
