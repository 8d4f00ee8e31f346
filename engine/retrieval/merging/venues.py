"""What kind of venue a name is of: a preprint's, a journal's, a conference's, a thesis's, a book's."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from engine.values import Paper

Kind = Literal["", "preprint", "journal", "conference", "workshop", "thesis", "book"]

_PREPRINT = re.compile(
    r"arxiv|\bcorr\b|biorxiv|medrxiv|chemrxiv|psyarxiv|ssrn|pre-?print|research square|openreview|technical report|"
    r"tech\.? rep|working paper|zenodo|osf\b",
    re.I,
)
_THESIS = re.compile(
    r"thesis|dissertation|habilitation|\beth z|institute of technology|hochschule|"
    r"\b(?:university|universit\w+|college|école|politecnico)\b(?!.*\bpress\b)",
    re.I,
)
_WORKSHOP = re.compile(r"\bworkshops?\b|\bshared task\b", re.I)
_PROCEEDINGS_JOURNAL = re.compile(
    r"\bproc(?:eedings|\.)? (?:of the )?(?:nat(?:iona)?l\.? acad|ieee$|r(?:oyal|\.)? soc|vldb endow|acm on|"
    r"(?:\w+\.? )?(?:math(?:ematical|\.)?|phys(?:ical|\.)?|zool(?:ogical|\.)?|philos(?:ophical|\.)?) soc|inst)|"
    r"\bpnas\b|\bpvldb\b",
    re.I,
)
_ACRONYM = re.compile(
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
_CONFERENCE = re.compile(
    r"\bconference\b|\bconf\b|\bproceedings\b|\bproc\b|\bsymposium\b|\bcongress\b|\bmeeting\b|advances in neural|"
    r"lecture notes|\blncs\b|\bpmlr\b|machine learning research, \d|annual meeting",
    re.I,
)
_JOURNAL = re.compile(
    r"\bjournal\b|\bj\.|\btransactions?\b|\btrans\b|\bletters\b|\blett\b|\breviews?\b|\bmagazine\b|\bannals\b|\bacta\b|"
    r"\barchives?\b|\bbulletin\b|\bquarterly\b|\bt?pami\b|\bjmlr\b|\btmlr\b|\btacl\b|\bijcv\b|\btkde\b|\btois\b|"
    r"\btnnls\b|\bjacm\b|\bnature\b|^science$|^cell$|\blancet\b|\bplos\b|^neural computation$|^machine learning$|"
    r"^artificial intelligence$|^computational linguistics$|communications of the acm|computing surveys|"
    r"^neurocomputing$|^neural networks$|^pattern recognition$|^bioinformatics$|^ieee access$|\bfrontiers in\b|"
    r"^information sciences$|^sensors$|zeitschrift|revue|revista|giornale",
    re.I,
)
_BOOK = re.compile(
    r"\bpress\b|\bpublish\w+|\bverlag\b|handbook|encyclop|^(?:springer|elsevier|wiley|o'reilly|routledge|pearson|mcgraw\W?"
    r"hill|morgan kaufmann|addison\W?wesley|prentice hall|crc|birkh[äa]user|de gruyter|sage|pocket)\b.*$|"
    r"synthesis lectures|foundations and trends",
    re.I,
)


@lru_cache(maxsize=50_000)
def venue_kind(venue: str) -> Kind:
    """The kind that a name shows; empty where it shows none."""
    if not venue.strip():
        return ""
    if _PREPRINT.search(venue):
        return "preprint"
    if _WORKSHOP.search(venue):
        return "workshop"
    if _PROCEEDINGS_JOURNAL.search(venue):
        return "journal"
    if conference_of(venue) or _CONFERENCE.search(venue):
        return "conference"
    if _BOOK.search(venue):
        return "book"
    if _JOURNAL.search(venue):
        return "journal"
    return "thesis" if _THESIS.search(venue) else ""


@lru_cache(maxsize=50_000)
def conference_of(venue: str) -> str:
    """A well-known conference by its acronym or full name; empty for any other."""
    lowered = venue.lower()
    for words, name in _ALIASES.items():
        if words in lowered:
            return name
    acronym = _ACRONYM.search(venue)
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
