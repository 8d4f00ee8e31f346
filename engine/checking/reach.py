"""Whether a claim reaches further than its source: all of what, better or only equal, for what reason, by whom."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.checking.lexicon import NEGATION, split_terms
from engine.text import fold, terms
from engine.values import Paper

_ALL = re.compile(
    r"\b(?:(?<!\bat )all|"
    r"every|each|any|whatever|arbitrary|(?:entire|whole|full|complete)(?:\s+(?:set|range|number|collection))?)\b(?:\s+of)?(?:\s+(?:the|these|those|its|their|our|other))*\s+"
    r"(?P<what>(?:[\w-]+\s*){1,4})(?=(?P<rest>[^.;]*))",
    re.I,
)
_LIMITED = re.compile(
    r"\b(?:tested|tried|evaluated|considered|examined|studied|investigated|analy[sz]ed|compared|reported|selected|used|"
    r"available|such|three|four|five|six|seven|eight|nine|ten|twelve|\d+)\b",
    re.I,
)
_DENIED_ANY = re.compile(rf"(?:{NEGATION.pattern})\s(?:[\w-]+\s){{0,3}}?any\b", re.I)
HEAD_WORDS = 3
"""Words behind "all" of which the last may limit it: "all data sets of"."""

_ON_ALL = re.compile(r"\b(?:in|on|of|from|under|among|across|for)\s+(?:all|every|any|each)\b", re.I)
_LIMITING = re.compile(r"^\s*(?:that|which|who|using|with|without|in|on|of|from|under|among|we|they)\b", re.I)
_CLAUSE = re.compile(r"\b(?:that|which|who|they|we)\b", re.I)
_ON = re.compile(r"\b(?:on|in|for|at)\s+((?:the\s+)?[\w-]+(?:\s+[\w-]+){0,2})", re.I)
_CLAUSES = re.compile(r";|,?\s(?:and|but|while|whereas)\s")
_SUPERIOR = re.compile(
    r"\b(?:(?:achiev|set|reach|attain|obtain)\w*\s(?:\w+\s){0,2}state[- ]of[- ]the[- ]art|"
    r"more (?:accurate|precise|robust|reliable|effective)(?= than)|"
    r"outperform\w*|surpass\w*|exceed\w*|beats?|beating|superior(?:ity)?(?: to)?|better|wins? over)\b",
    re.I,
)
_EQUAL = re.compile(
    r"\b(?:comparabl[ey]|compares? favou?rably|similar(?:ly)?|on (?:a )?par|parity|"
    r"competitive(?:ly)?|equivalent|equals?|match(?:es|ed|ing)?|"
    r"same|close to|rivals?|no (?:significant |statistically significant )?(?:difference|"
    r"improvement|gain)s?|as (?:well|good|accurate) as)\b",
    re.I,
)
_BETTER = re.compile(
    rf"{_SUPERIOR.pattern}|\b(?:improv\w+|best|higher|lower|faster|fewer|less|smaller|more|"
    rf"gains?|greater|reduc\w+|advantage\w*|stronger|"
    r"larger|state[- ]of[- ]the[- ]art|exceptional|excel\w*|speed\w*)\b",
    re.I,
)
_INFERIOR = re.compile(
    r"\b(?:worse|inferior|underperform\w*|lags? behind|falls? short|poorer|less (?:accurate|precise|effective))\b", re.I
)
_RIVAL = re.compile(
    r"\b(?:with|to|than|of|over|against) (?:\w+ )?(?:the )?(?:state[- ]of[- ]the[- ]art|sota|best)", re.I
)
"""What something is compared with: "on par with state-of-the-art methods" calls nothing better."""

_CAUSE = re.compile(
    r"\b(?:because(?: of)?|due to|owing to|thanks to|caused by|as a (?:result|consequence) of|"
    r"attribut\w+ to|stems? from|"
    r"on account of|since|driven by|explained by|results? from|so that)\b(?P<reason>[^,;.]*)",
    re.I,
)
_PART = re.compile(
    r";|,?\s(?:although|though|while|whereas|even though|despite|but)\s|,\s(?:and|so|which|with|yet)\s", re.I
)
_CONCEDED = re.compile(r",\s(?:although|though|even though|despite)\s", re.I)
"""Behind which a limit of the work is told."""

_PURPOSE = re.compile(
    r"\b(?:(?:is|are|was|were|be|been) (?:\w+ly )?(?:designed|intended|meant|used|developed|built|made|devised|"
    r"created|evaluated|"
    r"tested|validated|trained|applied|demonstrated|deployed) (?:for|to|on|in|with|at|by))\s(?P<reason>[^,;.]*)",
    re.I,
)
_MEANS = re.compile(
    r"\b(?:by|using|via|through|by means of)\s(?P<reason>[^,;.:]*?)(?=$|[,;.:]|\s(?:on|in|for|with|to|from|at)\b)", re.I
)
FEWEST_MEANS = 2
"""Terms of a means of which the source has to hold one."""

FEWEST_TERMS = 3
"""Terms of a reason or a part of a claim from which it says something of its own."""

LEAST_SHARED = 0.33
"""Share of them that the source has to hold."""

LEAST_CONCEDED = 0.4
"""The same of a limit: "although training remains slow"."""

_ET_AL = re.compile(r"([A-ZÀ-Þ][\w’'-]+)(?:\s+et al\b|\s+and (?:colleagues|co-?workers|others)\b)")
_AUTHORS = re.compile(
    r"(?:[A-ZÀ-Þ][\w’'-]+(?:\s+et al\.?|\s+and\s+[A-ZÀ-Þ][\w’'-]+)?)\s+\((?:19|20)\d\d\)|[A-ZÀ-Þ][\w’'-]+\s+et al\b\.?"
)
"""Who wrote a paper, which is no part of what it says."""

_AUTHOR_YEAR = re.compile(r"et al\.?,?\s*[(\[]?((?:19|20)\d\d)\b")


def find_overreach(claim: str, speaking: Sequence[str], whole: str, topic: str) -> list[str]:
    """Words that say more than the source: ``speaking`` are its sentences about the same thing, ``whole`` its text."""
    return [
        *_find_widened(claim, speaking),
        *_find_made_better(claim, speaking),
        *_find_made_worse(claim, speaking),
        *_find_other_uses(claim, whole, topic),
    ]


def find_wrong_authors(claim: str, papers: Sequence[Paper]) -> list[str]:
    """Names before "et al." that are no cited paper's first author, and years beside them that are not theirs."""
    firsts = [fold(f"{a} {spell_out_umlauts(a)}") for paper in papers if paper.authors for a in paper.authors[:1]]
    if len(firsts) < len(papers):
        return []  # a record without authors contradicts nobody
    said = "\n".join(f"{paper.title} {paper.content}" for paper in papers)
    names = (m[1] for m in _ET_AL.finditer(claim))
    wrong = [name for name in names if name not in said and not any(fold(name) in first for first in firsts)]
    years = {str(paper.year) for paper in papers}
    return wrong + [
        m[1] for m in _AUTHOR_YEAR.finditer(claim) if "None" not in years and m[1] not in years and m[1] not in said
    ]


_UMLAUTS = {ord(one): f"{plain}e" for one, plain in zip("äöüÄÖÜ", "aouAOU", strict=True)}


def spell_out_umlauts(name: str) -> str:
    """The name as it is written without accents in German: Sünderhauf, Suenderhauf."""
    return name.translate(_UMLAUTS)


def _find_widened(claim: str, speaking: Sequence[str]) -> list[str]:
    """An "all" of the claim that the source does not say of these things, or says only of some of them."""
    text = "\n".join(speaking)
    theirs = list(_ALL.finditer(text))
    if not theirs:
        return []  # whether the source says "all" at all is a matter of strength
    found = []
    for ours in _ALL.finditer(claim):
        if ours[0].lower().startswith("each") or is_denied_any(claim, ours.start()):
            continue
        heads = frozenset(terms(ours["what"]))
        same = [m for m in theirs if heads & frozenset(terms(m["what"]))]
        if same and min(_limit(m) for m in same) > _limit(ours):
            found.append(" ".join(ours[0].split()[:3]))
    return found


def is_denied_any(claim: str, start: int) -> bool:
    """Whether what begins there is the "any" of a negation: "does not fit any of them"."""
    return any(m.end() == start + len("any") for m in _DENIED_ANY.finditer(claim))


def _limit(match: re.Match[str]) -> int:
    """How an "all" is limited: 2 to what was looked at ("all tested"), 1 by what follows it, 0 not at all."""
    behind = f"{match['what']} {match['rest'][:30]}"
    if _LIMITED.search(behind) or _CLAUSE.search(behind):
        return 2
    behind = _ON_ALL.sub(" ", f"{match['what']}{match['rest']}")
    return int(any(_LIMITING.match(word) for word in behind.split()[:HEAD_WORDS]))


def _find_made_better(claim: str, speaking: Sequence[str]) -> list[str]:
    """A claim that one thing is better where the source says of the same comparison that both are alike."""
    match = _SUPERIOR.search(claim)
    if not match or not speaking or _EQUAL.search(claim):
        return []
    said = split_terms(claim)
    shares = [len(said & split_terms(text)) for text in speaking]
    nearest = [text for text, share in zip(speaking, shares, strict=True) if share >= max(shares) - 1]
    equal = any(_EQUAL.search(text) for text in nearest)
    better = (_BETTER.search(_RIVAL.sub("", _EQUAL.sub("", text))) for text in nearest)
    if equal and not any(better):
        return [match[0]]
    return [match[0]] if _is_only_equal_there(claim, nearest) else []


def _find_made_worse(claim: str, speaking: Sequence[str]) -> list[str]:
    """A claim that one thing is worse where the source says of the same comparison only that both are alike."""
    match = _INFERIOR.search(claim)
    if not match or not speaking or _INFERIOR.search("\n".join(speaking)):
        return []
    nearest = max(speaking, key=lambda text: len(split_terms(claim) & split_terms(text)))
    return [match[0]] if _EQUAL.search(nearest) and not NEGATION.search(nearest) else []


def _is_only_equal_there(claim: str, nearest: Sequence[str]) -> bool:
    """Whether the source calls it better elsewhere, and only equal on what the claim names ("on segmentation")."""
    places = [split_terms(match[1]) for match in _ON.finditer(claim)]
    clauses = [clause for text in nearest for clause in _CLAUSES.split(text) if clause]
    for place in filter(None, places):
        there = [clause for clause in clauses if place & split_terms(clause)]
        better = (_BETTER.search(_RIVAL.sub("", _EQUAL.sub("", clause))) for clause in there)
        if any(_EQUAL.search(clause) for clause in there) and not any(better):
            return True
    return False


def _find_other_uses(claim: str, whole: str, topic: str) -> list[str]:
    """Means, uses and limits in a claim of which the source says nothing."""
    claim = _AUTHORS.sub(" ", claim)
    held = split_terms(f"{whole} {topic}")
    means = [match for match in _MEANS.finditer(claim) if len(split_terms(match["reason"])) >= FEWEST_MEANS]
    strange = [match[0] for match in means if not split_terms(match["reason"]) & held]
    strange += [match["reason"] for match in _PURPOSE.finditer(claim) if _is_strange(match["reason"], held)]
    strange += [limit for limit in _CONCEDED.split(claim)[1:] if _is_strange(limit, held, LEAST_CONCEDED)]
    return [_first_words(text) for text in strange]


def find_additions(claim: str, whole: str, topic: str) -> list[str]:
    """Reasons and further clauses of a claim of which the source, whose text is ``whole``, says nothing."""
    claim = _AUTHORS.sub(" ", claim)
    held = split_terms(f"{whole} {topic}")
    pieces = [*(match["reason"] for match in _CAUSE.finditer(claim)), *_PART.split(claim)[1:]]
    return list(dict.fromkeys(_first_words(piece) for piece in pieces if _is_strange(piece, held)))


def _is_strange(piece: str, held: frozenset[str], least: float = LEAST_SHARED) -> bool:
    """Whether the source holds less than that share of the terms of a piece that says something of its own."""
    own = split_terms(piece)
    return len(own) >= FEWEST_TERMS and len(own & held) / len(own) < least


def _first_words(text: str) -> str:
    return " ".join(text.split()[:6])
