"""Sentences that begin by referring to what stands before them, and whether that is what they speak of."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.citations import list_cited_keys

_IMPERSONAL = (
    r"(?!it (?:is|was|has been|remains|seems|becomes) (?:[\w-]+ )?(?:[\w-]+ that|(?:hard|difficult|easy|easier|harder|"
    r"(?:im)?possible|feasible|common|customary|usual|natural|tempting|important|necessary|essential|crucial|vital|"
    r"critical|useful|helpful|beneficial|better|best|desirable|worthwhile|sensible|reasonable|enough|sufficient|"
    r"challenging|costly|expensive|interesting|instructive|impractical|infeasible|unclear how|unclear whether) to)\b)"
)
"""Before "it": a word that stands for what follows, not for what came before."""

_REFERRING = re.compile(
    rf"^{_IMPERSONAL}(?:this|these|that|those|"
    r"it|they|its|their|such|he|she|both(?!(?: [\w-]+){1,6} and\b)|the (?:former|latter|same|resulting|approach|method|"
    r"model|authors?|work|paper|system|technique|framework|study))\b",
    re.I,
)
_PRONOUN = re.compile(rf"^{_IMPERSONAL}(?:it|its|they|their|he|she)\b", re.I)
_OF_ONE_WORK = re.compile(
    rf"^{_IMPERSONAL}(?:it|its|they|their|he|she|"
    r"the (?:approach|method|model|authors?|work|paper|system|technique|framework|study)"
    r"(?! (?:of|by|in|with|called)\b))\b",
    re.I,
)
_TAKEN_UP = re.compile(
    r"\b(?:extend|follow|improv|adopt|replac|generali[sz]|adapt|outperform|surpass|us|appli|compar|complement|refin|"
    r"combin|build|built|criticis|criticiz|question)\w*\b.*\b(?:by|with|to|on|in)\b",
    re.I,
)
"""What another paper may do with what the sentence before speaks of: "It is extended by …"."""


_LIKENED = re.compile(
    r"\b(?:similar|same|opposite|like) (?:views?|conclusions?|results?|findings?|observations?|ideas?|approach(?:es)?|"
    r"problems?|questions?|goals?|aims?|ends?|paths?|lines?|ways?|strategy|direction|effects?|picture|patterns?|reasons?)"
    r"\b(?! (?:to|as|of|that|in which|for)\b)|\bthe other (?:way|direction|side)\b",
    re.I,
)
"""What likens a work to one that was spoken of before: "they come to a similar view"."""

_CONNECTIVES = (
    r"therefore|thus|hence|consequently|accordingly|as a (?:result|consequence)|however|nevertheless|nonetheless|"
    r"in addition|additionally|moreover|furthermore|besides|similarly|likewise|instead|in contrast|by contrast|"
    r"on the (?:other hand|contrary)|conversely|in turn|meanwhile|then|next|also|too|again|for (?:example|instance)|"
    r"second(?:ly)?|third(?:ly)?|finally|lastly|still|yet|beyond (?:this|that)|building on (?:this|that)|to this end"
)
_CONNECTED = (
    re.compile(rf"^(?:{_CONNECTIVES}), (?=\S)", re.I),
    re.compile(r"^(?:therefore|thus|hence) (?=\S)", re.I),
    re.compile(
        rf"(?P<kept>^[^,;:]{{3,60}}), (?:{_CONNECTIVES})(?=, (?:as|and|but|while|whereas|which|so|nor|or)\b)", re.I
    ),
    re.compile(rf"(?P<kept>^[^,;:]{{3,60}}), (?:{_CONNECTIVES}),(?= )", re.I),
    re.compile(
        r"(?P<kept>^[^,;:]{3,60}(?<!and)(?<!but)(?<!not)) (?:therefore|hence|consequently|accordingly|nevertheless|"
        r"likewise|moreover|furthermore|instead(?! of)|thus(?! \w+ing)|also)(?= )",
        re.I,
    ),
)
"""Words that take up the sentence before: at the start, or behind the subject."""


def remove_connective(sentence: str) -> str:
    """The sentence without a word that takes up the one before it, for where that one is gone."""
    for pattern in _CONNECTED:
        bare = pattern.sub(lambda m: m.groupdict().get("kept") or "", sentence, count=1)
        if bare != sentence:
            return bare[:1].upper() + bare[1:]
    return sentence


def begins_with_reference(sentence: str) -> bool:
    """Whether it cannot be understood without the sentence before."""
    return bool(_REFERRING.match(sentence))


def is_dangling(sentence: str, before: Sequence[str | None], *, is_first: bool = False) -> bool:
    """Whether what it refers to is gone, is another paper's, or was never named.

    ``before`` are the sentences before it in its paragraph, in order, ``None`` for each that was taken out;
    ``is_first`` says that the paragraph is the text's first.
    """
    if not _REFERRING.match(sentence):
        return bool(before) and before[-1] is None and bool(_LIKENED.search(sentence))
    if not before:
        return is_first and bool(_PRONOUN.match(sentence))
    if before[-1] is None:
        return True
    own = set(list_cited_keys(sentence))
    known = next((keys for line in reversed(before) if line and (keys := set(list_cited_keys(line)))), set())
    of_another = bool(own) and bool(known) and not own & known
    return of_another and bool(_OF_ONE_WORK.match(sentence)) and not _TAKEN_UP.search(sentence)
