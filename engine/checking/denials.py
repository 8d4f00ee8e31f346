"""What a claim denies and its source states, and a gain that the source calls a loss."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.checking.lexicon import NEGATION, split_terms
from engine.checking.quantities import quantities, spread_ranges
from engine.text import terms

_HAS_NONE = re.compile(
    r"\b(?:(?:comes?|works?|does|do|runs?|is|are|was|were|built|trained|made|learn(?:s|ed)?|achieved|done|obtained)\s"
    r"(?:\w+ly\s)?without|without(?: any)?|(?:needs?|requires?|uses?|has|have|makes?|contains?|includes?)\sno|"
    r"does not (?:need|require|use|have|contain|include)|lacks?)\s"
    r"(?:an?\s|any\s|the\s)?(?P<what>(?:(?!(?:of|in|on|for|to|and|or|that|which|with|by|from|at|as|is|are)\b)[\w-]+\s?){1,3})",
    re.I,
)
_PUT_ASIDE = re.compile(
    rf"{NEGATION.pattern}|\b(?:avoid\w*|eliminat\w*|dispens\w*|free|instead|rather|unlike|obviat\w*|bypass\w*|"
    r"remov\w*|little|hardly|few|fewer|less|previous\w*|"
    r"prior(?! (?:knowledge|structural|information|distribution))|earlier|existing|other|others|most|"
    r"conventional\w*|traditional\w*|contrast|oppos\w*|zero|skip\w*|replac\w*|spar(?:e[sd]?|ing)|un(?!der\b|til\b|it|ion|i|less\b)\w+|non\w*|self|reduc\w*|minimi[sz]\w*|"
    r"difficult\w*|hard|challeng\w*|neglect\w*|ignor\w*|problem\w*|issue\w*|limit\w*|only|weak\w*|however|recent\w*|"
    r"cost\w*|expensive|loss|lose\w*|whether|compar\w*|than|many|current\w*|typical\w*|often|usual\w*|common\w*|"
    r"task|aim\w*|goal|can|overc[ao]m\w*|tackl\w*|address\w*|alleviat\w*|mitigat\w*)\b",
    re.I,
)
"""Words of a sentence that may itself do without what it names, or speak of others, or of what was there before."""

_GAIN = re.compile(
    r"\b(?:gains?|gained|brings?|brought|adds?|added|improv\w+|increas\w+|rais\w+|ris(?:es?|en|ing)|higher|better|boost\w*)\b",
    re.I,
)
_LOSS = re.compile(
    r"\b(?:loss(?:es)?|los(?:es?|t|ing)|drop\w*|decreas\w*|degrad\w*|declin\w*|lower\w*|worse|fall\w*|fell|sacrific\w*|"
    r"deteriorat\w*)\b",
    re.I,
)
_FALL = re.compile(
    r"\b(?:drops?|dropped|falls?|fell|decreases?|decreased|degrades?|degraded|declines?|declined|deteriorates?|cuts?)\s"
    r"(?:(?:the|its|their)\s)?(?:\w+\s)?(?:from|to|by)\s[\d.]+",
    re.I,
)
"""What the source must call a loss in some way."""

_GOOD = re.compile(
    r"\b(?:accura\w+|performance|precision|recall|quality|bleu|rouge|f1|f-score|map|scores?|success)\b", re.I
)
"""Measures of which more is better."""


def find_denied(claim: str, sources: Sequence[str]) -> list[str]:
    """What the claim says that its subject does without, where the source's own work has it."""
    found = []
    for match in _HAS_NONE.finditer(claim):
        denied = split_terms(match["what"])
        holding = [text for text in sources if denied and all(_has(term, split_terms(text)) for term in denied)]
        if holding and not all(_PUT_ASIDE.search(text) for text in holding):
            found.append(match[0].strip())
    return found


SAME_START = 5
"""Letters with which two words begin that may be of one family: theory, theoretical."""


def _has(term: str, held: frozenset[str]) -> bool:
    """Whether the term, or a long one of its family, is among these."""
    return term in held or (len(term) >= SAME_START and any(other.startswith(term[:SAME_START]) for other in held))


def find_gains_for_losses(claim: str, sources: Sequence[str]) -> list[str]:
    """Numbers by which the claim calls something better and each sentence of the source worse, or the reverse."""
    if not _GOOD.search(claim):
        return []
    found = []
    for ours, theirs in ((_GAIN, _LOSS), (_LOSS, _GAIN)):
        if not ours.search(claim) or theirs.search(claim) or NEGATION.search(claim):
            continue
        for number in quantities(claim):
            if not spread_ranges(claim)[number.start : number.end][:1].isdigit():
                continue
            same = [text for text in sources if any(number.equals(other) for other in quantities(text))]
            turned = [text for text in same if theirs.search(text) and _GOOD.search(text) and not ours.search(text)]
            if same and len(turned) == len(same):
                found.append(number.words)
    if (fall := _FALL.search(claim)) and not NEGATION.search(claim) and not _LOSS.search(" ".join(sources)):
        found.append(fall[0])
    return found


_PAIR = re.compile(r"(?P<what>[a-z][a-z-]{3,})\s(?:on|in|for|with|over)\s(?:the\s)?(?P<name>[\w-]*[A-Z][\w-]*)")
_PARTS = re.compile(r"[,;]|\s(?:and|while|whereas|but)\s", re.I)


def find_crossed_pairs(claim: str, sources: Sequence[str]) -> list[str]:
    """Two things on two data sets, "A on X and B on Y", that the source has the other way round."""
    pairs = [(frozenset(terms(m["what"])), m["name"]) for m in _PAIR.finditer(claim)]
    if len(pairs) != 2 or pairs[0][1] == pairs[1][1] or pairs[0][0] == pairs[1][0]:
        return []
    (one, here), (other, there) = pairs
    parts = [part for text in sources for part in _PARTS.split(text)]

    def together(what: frozenset[str], name: str) -> bool:
        return any(what <= split_terms(part) and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", part) for part in parts)

    straight = together(one, here) or together(other, there)
    return [here] if not straight and together(one, there) and together(other, here) else []
