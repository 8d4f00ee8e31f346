"""Sentences of abstracts that say what something is or does: "Entity linking maps mentions to entries"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from engine.text import STOP_WORDS, stem, terms, words
from engine.values import Paper
from engine.writing.extractive import AbstractSentence, read_abstract
from engine.writing.quotation import SHORTEST_PART, Quotation, shorten_quotation

FIRST_SENTENCES = 3
"""Sentences of an abstract, from its start, among which definitions stand."""

LONGEST_DEFINITION = 40
"""Words."""

_LEAD = (
    r"(?:(?!however|while|although|though|despite|unlike|recent|given|when|since|because|compared|in contrast|"
    r"as opposed|instead|if\b|here)[^,;.]{2,60}, )?"
)
_BRACKETS = r"(?: ?\([^)]{1,30}\))?"
_DEFINES = re.compile(
    rf"{_LEAD}(?P<subject>[^,;.:()]{{3,90}}?){_BRACKETS},? (?:"
    r"(?:(?:mainly|primarily|usually|typically|generally|also|often) )?"
    r"(?:aims? (?:to|at)|refers? to|seeks? to|attempts? to|tr(?:ies|y) to|consists? (?:of|in)|deals? with|is to|"
    r"focus(?:es)? on|is concerned with|is defined as|denotes?)|"
    r"(?:is|are) (?:the (?!most\b|main\b|first\b|key\b|core\b|basis\b|state)[\w -]{0,40}?(?:of|that|which|to)|"
    r"an? (?:\w+[ -]){0,4}?(?:task|problem|process|method|technique|approach|framework|procedure|paradigm|setting|"
    r"form|type|"
    r"class|family|kind|way|model|scenario|strategy|area|field|branch|discipline|topic|tool|algorithm|scheme|"
    r"mechanism)s?\b"
    r"[^,]{0,40}?(?: of | that | which | to | for | in which | where | aiming | used | based | whose )))",
    re.I,
)
"""What is said to be something, or to aim at something."""

_DOES = re.compile(
    rf"{_LEAD}(?P<subject>[^,;.:()]{{3,90}}?){_BRACKETS} (?:(?:is|are) (?:\w+ly )?(?:used|applied|employed|designed|"
    rf"intended) "
    r"(?:to|for|as)|(?:can |could |may )?(?:allow|enable|use|exploit|leverage|transfer|assign|estimate|identif|extract|"
    r"combine|find|map|predict|generate|detect|learn|translate|recover|infer|determine|retriev|rank|classif|segment|"
    r"train|"
    r"adapt|reconstruct|synthesi[sz]e|incorporate|integrate|capture|represent|encode|propagate|optimi[sz]e|minimi[sz]e|"
    r"achieve|improve|reduce|select|search|align|link|describe|measure|quantif|localiz|track|compress|enhanc|restor|"
    r"transform|convert|produc|match|separat|remov|fus|answer|"
    r"summari[sz]|simulat|comput|partition|group|label|pars|split|filter)(?:s|es|ies|"
    r"y)?\b(?! to\b))",
    re.I,
)
"""What is said to do something."""

_AROUND = frozenset(
    terms(
        "task problem method approach technique model algorithm system research work field area study process goal aim "
        "objective purpose idea automatic automated unsupervised neural deep visual based framework paradigm most many "
        "modern typical standard general network learning"
    )
) | {stem(word) for word in STOP_WORDS}
"""Words that may stand beside the subject's own without making it something else."""

_METHODS = frozenset(terms("method approach technique neural unsupervised"))
"""Those that may where the subject is said to do something."""

_TURN = re.compile(
    r",? (?:but|yet|whereas|although|while)\b|, (?:and|which) (?:is|are|has|have|plays?|serves?|"
    r"benefits?)\b(?! (?:an?|the) )"
)
"""Where a sentence turns from what the subject is to what is wrong with it, or why it matters."""

_AFTER_EXPLANATION = re.compile(
    r", (?:and )?(?:has|have|is|are|was|were|plays?|remains?|serves?|can|we|where|but|using|by (?:first|using))\b"
)
"""Where a sentence goes on after it has explained a subject."""

VACUOUS = re.compile(
    r"\b(?:this|these|those|such(?! as)|we|our|us|however|existing|previous|prior|suffers?|remains?|still|"
    r"nevertheless|yet|"
    r"recently|rapid(?:ly)?|advanc\w+|increasing(?:ly)?|growing|promising|popular|de[- ]facto|pre-?requisite|keys?|"
    r"main solution|cornerstones?|proven|issues?|attractive|interesting|emerging|effective|widely[- ]used|"
    r"well-suited|natural tool|success(?:ful)?|"
    r"prevalent|common|viable|"
    r"traditional|conventional|only|limit\w*|cannot|do(?:es)? not|can help|progress|attention|interest|"
    r"state[- ]of[- ]the[- ]art|decades|years)\b|"
    r"\b(?:is|are) (?:\w+ )?(?:limited|challenging|difficult|hard|expensive|costly|non-trivial|crucial|essential|"
    r"important|"
    r"vital)\b|"
    r"\b(?:important|crucial|critical|essential|vital|challenging|fundamental|hot|active|popular|great|major|"
    r"promising|key|significant|core|basic|central|long-standing|classic(?:al)?|useful)\b[^,]{0,30}?"
    r"\b(?:task|problem|topic|area|field|direction|step|part|role|challenge|component|technique)s?\b"
    r"(?!,? (?:of \w+ing|that|which|to (?!many|various|numerous)|aiming|where|whose)\b)",
    re.I,
)
"""What points at another sentence, tells history, or says only that the subject matters."""


def find_definition(title: str, papers: Sequence[Paper], topic: str = "") -> Quotation | None:
    """The words that say what the title's subject is or does, of the paper cited most; ``None`` where none says it.

    The subject of the sentence is the title's own; words of the ``topic`` may stand beside it.
    """
    wanted = frozenset(stem(word) for word in words(title))
    around = frozenset(stem(word) for word in words(topic))
    within = _explain_within(title)
    found: list[tuple[int, bool, int, Quotation]] = []
    for paper in papers:
        for place, sentence in enumerate(read_abstract(paper)):
            rank = _defines(sentence, wanted, around) if place < FIRST_SENTENCES else 0
            quotation = _quote_before_turn(sentence) if rank else _quote_from(sentence, within)
            if quotation:
                found.append((rank, sentence.is_sure, paper.citations or 0, quotation))
    return max(found, key=lambda f: f[:3], default=(0, False, 0, None))[3]


def _explain_within(title: str) -> re.Pattern[str]:
    """What explains the title's subject in the middle of a sentence: "tackle entity linking, which aims to …"."""
    subject = r"[ -]".join(f"{re.escape(word)}s?" for word in re.split(r"[ -]", title) if word)
    return re.compile(
        rf"(?:^|\b(?:of|for|in|on|as|to|the|address|tackle|study|studies|consider|investigate|addresses|tackles) )"
        rf"(?P<start>{subject})(?: (?:task|problem))?{_BRACKETS}(?:, (?:which (?:aims|attempts|seeks|tries|refers|"
        rf"consists|requires|"
        r"is (?:to|an?|the))\b|i\.e\.,?|that is,|the (?:task|problem|process|ability) of))",
        re.I,
    )


def _quote_before_turn(sentence: AbstractSentence) -> Quotation:
    said = _TURN.split(sentence.text)[0]
    quotation = shorten_quotation(replace(sentence, text=said))
    return quotation if said == sentence.text else _mark_cut(quotation)


def _quote_from(sentence: AbstractSentence, within: re.Pattern[str]) -> Quotation | None:
    """The sentence from the subject that it explains to the end of the explanation; ``None`` where it explains none."""
    match = within.search(sentence.text) if sentence.stands_alone else None
    if match is None:
        return None
    said = _AFTER_EXPLANATION.split(sentence.text[match.start("start") :])[0]
    if VACUOUS.search(said) or len(said.split()) < SHORTEST_PART:
        return None
    quotation = shorten_quotation(replace(sentence, text=said), begun=match.start("start") > 0)
    return quotation if sentence.text.endswith(said) else _mark_cut(quotation)


def _mark_cut(quotation: Quotation) -> Quotation:
    return replace(quotation, shown=f"{quotation.shown.removesuffix(' …')} …")


def _defines(sentence: AbstractSentence, wanted: frozenset[str], around: frozenset[str]) -> int:
    """2 where the sentence says what the subject is or aims at, 1 where it says what the subject does, else 0."""
    text = _TURN.split(sentence.text)[0]
    usable = sentence.stands_alone and sentence.statement == "problem" and len(text.split()) <= LONGEST_DEFINITION
    if not usable or VACUOUS.search(text):
        return 0
    for rank, pattern, beside in ((2, _DEFINES, around | _AROUND), (1, _DOES, around | _METHODS)):
        match = pattern.match(text)
        subject = {stem(word) for word in words(match["subject"])} if match else frozenset()
        if match and wanted <= subject and subject - wanted <= beside:
            return rank
    return 0
