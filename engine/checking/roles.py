"""Whether a claim says of a thing what its source says of another: who does what, and whether the paper or others do.

Three signs. The sides of a verb stand the other way round. What the source says of one subject is said of another
thing that it names elsewhere. What the source says of earlier work, before or beside its own, is said of the paper's
own method, or the other way round.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from engine.checking.clauses import Clause, Deed, find_deeds, split_clause
from engine.checking.lexicon import NEGATION, split_terms
from engine.text import fold, terms

RETOLD = 0.7
"""Share of the terms behind a claim's verb that a sentence has to hold to be the one that it retells."""

CLEARLY = 0.25
"""By how much that share has to be greater than in what is said of the right one."""

FEWEST_TERMS = 3
"""Terms behind the verb that a claim needs for that sentence to be found."""

_WORK = (
    r"(?:methods?|approach(?:es)?|works?|models?|techniques?|algorithms?|systems?|solutions?|strateg(?:y|ies)|"
    r"frameworks?|networks?|architectures?|schemes?|procedures?|pipelines?|controllers?|planners?|trackers?|"
    r"detectors?|classifiers?|estimators?|formulations?|analys[ei]s|proofs?|papers?|authors?|stud(?:y|ies)|articles?|"
    r"sensors?|robots?|devices?|designs?|simulators?|modules?|layers?|loss(?:es)?|tools?|agents?|learners?|policy|"
    r"policies|results?|theory|theorems?)"
)
_OF_OTHERS = (
    r"existing|prior|previous(?:ly)?|earlier|past|traditional(?:ly)?|conventional(?:ly)?|classical|classic|"
    r"other|state[- ]of[- ]the[- ]art|latest|today[’']s|former|competing|alternative|related|baselines?|standard|"
    r"most|many|several|recent"
)
_OTHERS = (
    r"(?:(?:existing|prior|previous|earlier|traditional|conventional|classical)\s|"
    rf"(?:{_OF_OTHERS})\s+(?:[\w’'-]+\s+){{0,4}}?"
    r"(?:methods|approaches|works?|models|techniques|algorithms|systems|solutions|strategies|frameworks|networks|"
    r"papers|studies|research|literature)\b)"
)
_OTHERS_AHEAD = re.compile(rf"^(?:[\w’'-]+,?\s+){{0,6}}?{_OTHERS}", re.I)
_OTHERS_TOLD = re.compile(rf"\b(?:that|how|why|whether) {_OTHERS}", re.I)
_OTHERS_SUBJECT = re.compile(rf"^(?:the|most|many|some|several|all|of)?(?:\s*the)?\s*{_OTHERS}", re.I)
_SO_FAR = re.compile(r"\b(?:so far|thus far|until now|up to now|hitherto)\b", re.I)
_THESE = re.compile(rf"^(?:[\w’'-]+,?\s+){{0,7}}?(?:these|those|such)\s+(?:[\w’'-]+\s+){{0,2}}?{_WORK}\b", re.I)
_OTHERS_INSIDE = re.compile(
    rf"\b(?:(?:existing|prior|previous|earlier|traditional|conventional|classical)\s+(?:[\w’'-]+\s+){{0,3}}?"
    rf"{_WORK},?\s+)(?:that|which|where|who)\s(?P<said>[^;.]*)",
    re.I,
)
_OWN = re.compile(
    r"\b(?:we|our|ours|us|(?:this|the) (?:paper|work|article|study|letter|thesis|report|survey)|the authors?|"
    r"(?:the|a) (?:proposed|presented|introduced|developed|new|novel)|"
    r"(?:is|are) (?:proposed|presented|introduced|described|developed|reported))\b",
    re.I,
)
_SET_APART = re.compile(
    r"\b(?:unlike|in contrast to|contrary to|instead of|rather than|as opposed to|compared (?:to|with)|than|"
    r"different(?:ly)? from)\b[^,;.]*",
    re.I,
)
_AHEAD = re.compile(r"^(?:unlike|in contrast to|contrary to|as opposed to)\b[^,;.]*(?:et al\.[^,;.]*)?, ", re.I)
"""What a claim sets itself apart from, ahead of its subject."""

_OWN_SUBJECT = re.compile(rf"^(?:the|their|its)\b(?:[\s-]+[\w’'-]+){{0,4}}?\s+{_WORK}$", re.I)
_OTHER_SUBJECT = re.compile(rf"\b(?:{_OF_OTHERS}|baseline)\b", re.I)
_COMPARING = re.compile(
    rf"{NEGATION.pattern}|\b(?:instead|rather|unlike|contrast\w*|than|beyond|existing|previous|prior|earlier|other|others|"
    r"address\w*|tackl\w*|overc[ao]m\w*|avoid\w*|solv\w*|mitigat\w*|alleviat\w*|reduc\w*|eliminat\w*|replac\w*|"
    r"remov\w*|generali[sz]\w*|extend\w*|improv\w*|problem\w*|challeng\w*|limit\w*|traditional\w*|conventional\w*|"
    r"question\w*|critici[sz]\w*|argu\w*|note\w*|observ\w*|motivat\w*)\b",
    re.I,
)
_INSTRUMENT = re.compile(r"\b(?:with|by|using|use|via|through|on|from|in|of|called|named|termed|dubbed)\s*$", re.I)
_CHANGES_ITSELF = re.compile(r"\s+(?:into|to|from)\b", re.I)
"""Behind a verb that says what becomes of its subject: "drift turns into error"."""

_PLAIN_WORDS = re.compile(r"(?:\b(?!with|by|using|via|through|from|of|called|named)[\w-]+\s+){1,3}$")
_VAGUE = frozenset(
    terms(
        "method approach model system framework algorithm work paper author study technique result network it they we"
    )
)

Bearer = Literal["own", "others", "before"]
"""Of whom a sentence speaks: the paper's own work, that of others, or the state of things before its own is named."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A sentence of the source, or what a sentence says of others; with its terms and of whom it speaks."""

    text: str
    said: frozenset[str]
    bearer: Bearer


def find_wrong_roles(claim: str, sentences: Sequence[str], title: str, authors: Sequence[str]) -> list[str]:
    """The claim's words that the source says of another; ``sentences`` are the source's without its title."""
    found = [*_find_turned_round(claim, sentences)]
    clause = split_clause(_AHEAD.sub("", claim))
    if clause:
        lines = _lines(tuple(sentences), title)
        found += [*_of_another_subject(clause, claim, lines, title), *_of_others(clause, claim, lines, title, authors)]
        found += [
            *_of_another_place(clause, claim, lines, title),
            *_find_made_worse(clause, claim, lines, title, authors),
        ]
    return list(dict.fromkeys(found))


def _find_turned_round(claim: str, sentences: Sequence[str]) -> list[str]:
    """Subjects and objects that changed places around a verb that both have."""
    found = []
    for ours in find_deeds(claim):
        said = ours.before | ours.after
        if NEGATION.search(claim) or not ours.before or not ours.after or _CHANGES_ITSELF.match(ours.behind):
            continue
        same = [deed for text in sentences for deed in find_deeds(text) if deed.verb == ours.verb]
        near = [deed for deed in same if len((deed.before | deed.after) & said) >= RETOLD * len(said)]
        if near and all(_are_sides_exchanged(ours, deed) for deed in near):
            found.append(ours.verb)
    return found


def _are_sides_exchanged(ours: Deed, theirs: Deed) -> bool:
    back = (ours.before & theirs.after) - theirs.before - ours.after
    ahead = (ours.after & theirs.before) - theirs.after - ours.before
    if back and ahead:
        return True
    # Only the doer is another: the source has it behind the verb, with a doer of its own before it.
    kept = ours.after & theirs.after
    stays = ours.before & theirs.before - theirs.after
    named = theirs.near - _VAGUE - ours.before
    is_means = any(_INSTRUMENT.search(theirs.behind[:at]) for at in _places_of(back, theirs.behind))
    return bool(back and named and not stays and not is_means and len(kept) >= max(2, RETOLD * len(ours.after)))


def _places_of(wanted: frozenset[str], text: str) -> list[int]:
    """Where the phrases begin in which these terms stand: before an article or an adjective."""
    found = []
    for match in re.finditer(r"[\w-]+", text):
        if split_terms(match[0]) & wanted:
            ahead = re.sub(
                r"(?:\b(?!with|by|using|via|through|from|of|called|named)[\w-]+\s+){1,3}$", "", text[: match.start()]
            )
            found.append(len(ahead))
    return found


def _of_another_subject(clause: Clause, claim: str, lines: Sequence[_Line], title: str) -> list[str]:
    """A subject of which the sentence retold says nothing, and which the source names elsewhere."""
    subject, rest = split_terms(clause.subject) - _VAGUE, split_terms(clause.rest)
    if not subject or len(rest) < FEWEST_TERMS - 1 or subject & split_terms(title) or _COMPARING.search(claim):
        return []
    if not any(subject <= line.said for line in lines):
        return []
    least = len(rest) if len(rest) < FEWEST_TERMS else RETOLD * len(rest)
    deeds = [
        (line, before, deed)
        for before, line in pairwise([_Line("", frozenset(), "own"), *lines])
        for deed in find_deeds(line.text)
        if deed.verb == clause.verb and deed.after & rest and len(rest & line.said) >= least
    ]
    wrong = [deed for line, before, deed in deeds if not subject & _list_known(line, before) and deed.near - _VAGUE]
    return [clause.subject] if deeds and len(wrong) == len(deeds) else []


def _of_another_place(clause: Clause, claim: str, lines: Sequence[_Line], title: str) -> list[str]:
    """A subject that the source names, and never where it says what the claim says of it, whatever the verbs."""
    subject = split_terms(clause.subject) - _VAGUE
    rest = split_terms(f"{clause.verb} {clause.rest}") - subject - _VAGUE
    if not subject or subject <= split_terms(title) or len(rest) < FEWEST_TERMS or _COMPARING.search(claim):
        return []
    naming = [line for line in lines if subject <= line.said]
    if not naming or any(_PRESENTING.search(line.text) for line in naming):
        return []
    retold = [
        (share, line, before)
        for before, line in pairwise([_Line("", frozenset(), "own"), *lines])
        if (share := _share(rest, line)) >= RETOLD
    ]
    most = max((share for share, _, _ in retold), default=0.0)
    nearest = [(line, before) for share, line, before in retold if share >= most - CLEARLY]
    return [clause.subject] if nearest and not any(subject & _list_known(*both) for both in nearest) else []


def _find_made_worse(
    clause: Clause, claim: str, lines: Sequence[_Line], title: str, authors: Sequence[str]
) -> list[str]:
    """A weakness of the paper's own work where the paper says no bad thing of it."""
    own = [line.text for line in lines if line.bearer == "own"]
    weak = _WEAKNESS.search(claim)
    if not (weak and own and _speaks_of_own(clause.subject, lines, title, authors)) or _DEALING.search(claim):
        return []
    return [] if any(_BAD.search(text) for text in own) else [weak[0]]


_PRESENTING = re.compile(
    r"\b(?:present|propos|introduc|develop|design|describ|call|nam|dub|term|report)(?:s|es|e|ed|ing)?\b", re.I
)
"""What a sentence says of the paper's own work, which other sentences call "it" or "our method"."""

_WEAKNESS = re.compile(
    r"\b(?:(?:is|are|becomes?|remains?|runs?|performs?|perform) (?:\w+ly )?(?:worse|slower|poorer|harder|inferior|"
    r"slow|weak|expensive|costly|inaccurate|unstable|sensitive|limited)|fails?|struggles?|suffers?|degrades?|deteriorates?|"
    r"underperforms?|falls? short|lags?|drops?|"
    r"does not (?:reach|improve|outperform|scale|generali[sz]e|converge|work|match)|cannot)\b",
    re.I,
)
_BAD = re.compile(
    r"\b(?:not|cannot|unable|lack\w*|worse|slow\w*|poor\w*|hard\w*|inferior|weak\w*|expensive|cost\w*|unstable|sensitiv\w*|"
    r"limit\w*|fail\w*|struggl\w*|suffer\w*|degrad\w*|deteriorat\w*|drop\w*|less|lower|decreas\w*|but|however|although|"
    r"though|while|only|difficult\w*|challeng\w*|trade-?offs?|expense|price|loss|drawback\w*|error\w*|un\w+able|\w+less)\b",
    re.I,
)
_DEALING = re.compile(
    r"\b(?:where|when|although|though|while|whereas|despite|even|unlike|than|others?|existing|previous|reduc\w*|avoid\w*|"
    r"prevent\w*|address\w*|handl\w*|recover\w*|detect\w*|no longer|problem\w*)\b",
    re.I,
)


def _list_known(line: _Line, before: _Line) -> frozenset[str]:
    """What a sentence speaks of, and where it begins with a pronoun what the sentence before it speaks of."""
    return line.said | before.said if _PRONOUN.match(line.text) else line.said


def _of_others(clause: Clause, claim: str, lines: Sequence[_Line], title: str, authors: Sequence[str]) -> list[str]:
    """What the source says of others' work and the claim of the paper's own, or the other way round."""
    rest = split_terms(f"{clause.verb} {clause.rest}")
    if len(rest) < FEWEST_TERMS or not any(line.bearer == "own" for line in lines):
        return []
    own = _best(rest, [line for line in lines if line.bearer == "own"])
    others = _best(rest, [line for line in lines if line.bearer == "others"])
    if _speaks_of_own(clause.subject, lines, title, authors):
        before = _best(rest, [line for line in lines if line.bearer == "before" and clause.verb in line.said])
        bare = split_terms(clause.subject) - _VAGUE
        most = max(others, before)
        if bare and any(bare <= line.said for line in lines if line.bearer != "own" and _share(rest, line) >= most):
            return []  # the source says it of that very thing
        held = frozenset().union(*(line.said for line in lines if line.bearer != "own"))
        denied = any(
            NEGATION.search(line.text) for line in lines if line.bearer != "own" and _share(rest, line) >= most
        )
        dealing = [
            m[0]
            for m in _COMPARING.finditer(claim)
            if not (split_terms(m[0]) & held or (denied and NEGATION.match(m[0])))
        ]
        return [clause.subject] if most >= RETOLD and own <= most - CLEARLY and not dealing else []
    if _speaks_of_others(clause.subject, title, authors):
        most = max(others, _best(rest, [line for line in lines if line.bearer == "before"]))
        own = _best(
            rest,
            [
                line
                for line in lines
                if line.bearer == "own" and not (_OTHERS_AHEAD.match(line.text) or _OTHERS_TOLD.search(line.text))
            ],
        )
        return [clause.subject] if own >= RETOLD and most <= own - CLEARLY else []
    return []


def _best(said: frozenset[str], lines: Sequence[_Line]) -> float:
    return max((_share(said, line) for line in lines), default=0.0)


def _share(said: frozenset[str], line: _Line) -> float:
    return len(said & line.said) / len(said)


def _speaks_of_own(subject: str, lines: Sequence[_Line], title: str, authors: Sequence[str]) -> bool:
    """Whether a claim's subject is the paper's own method, or its authors."""
    if _OTHER_SUBJECT.search(subject) or _names_persons(subject, title, authors):
        return False
    name = re.split(r"[:?–—]", title)[0] if re.search(r"[:?–—]", title) else ""
    named = bool(name) and bool(split_terms(subject)) and split_terms(subject) <= split_terms(name)
    acronym = re.search(r"\b\w*[A-Z]\w*[A-Z]\w*\b", subject)
    return bool(
        named
        or _OWN_SUBJECT.match(subject.strip())
        or (acronym and (fold(acronym[0]) in fold(title) or _is_coined(acronym[0], lines)))
        or any(re.search(rf"\b{re.escape(author.split()[-1])}\b", subject) for author in authors[:1] if author.split())
    )


def _is_coined(name: str, lines: Sequence[_Line]) -> bool:
    """Whether the paper calls its own work by that name, and says nothing of it where it speaks of others."""
    named = [line for line in lines if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", line.text)]
    own = any(
        line.bearer == "own" and re.search(rf"{_NAMING}(?<!\w){re.escape(name)}(?!\w)", line.text) for line in named
    )
    return own and all(line.bearer == "own" for line in named)


_NAMING = r"\b(?:call|nam|term|dub|propos|introduc|present|develop)\w*\s(?:[\w-]+,?\s){0,8}?"


def _speaks_of_others(subject: str, title: str, authors: Sequence[str]) -> bool:
    if _CONCEDING.match(subject):
        return False
    return bool(_OTHERS_SUBJECT.match(f"{subject} ")) or _names_persons(subject, title, authors)


_PRONOUN = re.compile(r"(?:it|they|this|these|those|such|its|their|here|thereby|then)\b", re.I)
_CONCEDING = re.compile(r"(?:though|although|while|whereas|since|as|when|if)\b", re.I)
_ET_AL = re.compile(r"\b([A-ZÀ-Þ][a-zà-ÿ’'-]+)\s+et al\b")
_PAIR_OF_NAMES = re.compile(r"([A-ZÀ-Þ][a-zà-ÿ’'-]+)\s+and\s+(?:[A-ZÀ-Þ][\w’'-]+|colleagues|co-?workers)\b")


def _names_persons(subject: str, title: str, authors: Sequence[str]) -> bool:
    """Whether it names persons who did not write the paper."""
    known = fold(" ".join((title, *authors)))
    persons = [*_ET_AL.finditer(subject), *filter(None, [_PAIR_OF_NAMES.match(subject)])]
    return any(fold(match[1]) not in known for match in persons)


@lru_cache(maxsize=2_048)
def _lines(sentences: tuple[str, ...], title: str) -> tuple[_Line, ...]:
    """The source's sentences with whom they speak of; what a sentence says of others is a line of its own."""
    found: list[_Line] = []
    named = re.split(r"[:?]", title)[0] if re.search(r"[:?]", title) else ""
    bearer: Bearer = "before"
    last: Bearer = "before"
    for sentence in sentences:
        is_own = bool(_OWN.search(sentence)) or (bool(named) and fold(named) in fold(sentence))
        if is_own:
            bearer = "own"
        mine: Bearer = bearer
        if (not is_own and (_OTHERS_AHEAD.match(sentence) or _SO_FAR.search(sentence))) or (
            not is_own and last == "others" and _THESE.match(sentence)
        ):
            mine = "others"
        last = mine
        inside = _OTHERS_INSIDE.search(sentence) if is_own else None
        if inside:
            found.append(_Line(inside["said"], split_terms(inside["said"]), "others"))
            sentence = sentence[: inside.start()] + sentence[inside.end() :]
        found.append(_Line(sentence, split_terms(_SET_APART.sub(" ", sentence) if mine == "own" else sentence), mine))
    return tuple(found)
