"""What a sentence must have to answer a question of its kind: a number for "how many", a limit for "what limits"."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from engine.checking.lexicon import unify_spelling
from engine.checking.quantities import quantities
from engine.quoting.abstracts import AbstractSentence
from engine.reading.roles import Statement
from engine.text import fold, stem, terms
from engine.values import Paper

_DATA = re.compile(r"\b(?:data ?-?sets?|benchmarks?|corpus|corpora|test ?beds?)\b", re.I)
_NAMED_DATA = re.compile(
    r"\b[A-Za-z][\w-]*[A-Z\d][\w-]*(?:\s?\([^()]*\))?\s(?:(?:and|or)\s\S+\s)?(?:(?!(?:on|in|of|with|for|from|to|by)\s)[a-z-]+\s){0,2}?"
    r"(?:data ?-?sets?|benchmarks?|corpus|corpora|test ?beds?)\b|"
    r"\b(?:data ?-?sets?|benchmarks?|corpus|corpora|test ?beds?),?\s(?:[a-z]+,?\s){0,3}[A-Za-z][\w-]*[A-Z\d]|"
    r"\b(?:on|introduces?|presents?|collects?|called|dubbed|dataset,) ['‘“]?[A-Za-z][\w-]*[A-Z\d][\w-]*\b"
)
"""A data set with its name: "the MovieQA data set", "benchmarks such as FB15k"."""
_TESTED_ON = re.compile(
    r"\b(?:[Ee]xperiment\w*|[Ee]valuat\w*|[Rr]esults?|[Tt]ested|reported)\b[^.;]{0,40}?\bon (?:the |both |two |three )?"
    r"[\w-]*[A-Z][\w-]*[A-Z\d]"
)
_LIMIT = re.compile(
    r"\b(?:limit\w*|fail\w*|cannot|unable|suffer\w*|challeng\w*|difficult\w*|hard|problem\w*|risk\w*|vulnerab\w*|leak\w*|"
    r"drawback\w*|weak\w*|shortcoming\w*|however|but|lack\w*|poor\w*|degrad\w*|costly|expensive|bias\w*|threat\w*|attack\w*|"
    r"incompatible|compromis\w*|overlook\w*|insufficient\w*|not)\b",
    re.I,
)
_PROPOSING = re.compile(r"\b(?:propos|introduc|present|describ|develop|design|invent)\w*\b", re.I)
_BEST = re.compile(r"\b(?:best|highest|outperform\w*|surpass\w*|state[- ]of[- ]the[- ]art|achiev\w*|reach\w*)\b", re.I)


def _tells_best(text: str) -> bool:
    return bool(_BEST.search(text)) and any(q.words[:1].isdigit() for q in quantities(text))


_LIMITS_ASKED = re.compile(
    r"\b(?:limits|limitations?|drawbacks?|weakness\w*|shortcomings?|problems|issues|risks?|dangers?|challenges?|pitfalls?)\b",
    re.I,
)
GIVES_REASON = re.compile(
    r"\b(?:because|(?:due|owing) to|caus(?:es?|ed|ing)|(?:leads?|led|leading) to|result(?:s|ed|ing)? (?:from|in)|"
    r"(?:stem|aris|originat)\w* from|attribut\w+ to|explain(?:s|ed)?|reasons? (?:for|of|why|is|that)|driven by)\b",
    re.I,
)
"""What gives a reason for something."""

_REASON_ASKED = re.compile(r"^(?:and )?(?:why|how come|what (?:causes|explains|makes|leads to))\b", re.I)
_SPEED = re.compile(
    r"\d[\d.,+]*[ -]?(?:x|×|fps|frames?|ms|hz|milliseconds?|seconds?|minutes?|hours?)\b|real[- ]time|"
    r"\b(?:times|orders? of magnitude) (?:faster|quicker|slower)",
    re.I,
)
_EFFECT = re.compile(
    r"\b(?:outperform\w*|surpass\w*|improv\w*|better|best|higher|lower|fewer|faster|gains?|achiev\w*|reduc\w*|increas\w*|"
    r"effective\w*|superior\w*|robust\w*|state[- ]of[- ]the[- ]art|exceed\w*)\b",
    re.I,
)
_METRICS = (
    r"accurac(?:y|ies)|precision|recall|F-?\d?(?:\.5)?(?:[- ]scores?)?|F-measure|m?AP|AUC|AUROC|BLEU|COMET|"
    r"ROUGE(?:-\w)?|METEOR|CIDEr|nDCG|MRR|Hits?@\d+|recall@\d+|exact match|EM|EER|error rates?|WER|CER|perplexity|RMSE|"
    r"MAE|MSE|PSNR|SSIM|FID|m?IoU|Dice|latency|scores?"
)
_METRIC = re.compile(
    rf"\b(?:{_METRICS}|(?:evaluation|performance|quality) (?:metrics?|measures?)|measured (?:by|in|as)|"
    r"human (?:evaluation|judgements?|ratings?)|user study)\b"
)
_METRICS_ASKED = re.compile(r"\b(?:which|what)\s(?:\w+\s){0,2}?(?:metrics?|measures)\b", re.I)
_EVALUATION_ASKED = re.compile(
    r"\bhow\s(?:is|are|was|were|do|does|did)\b.*\b(?:evaluat|assess|benchmark|test)\w*",
    re.I,
)
_TESTS = re.compile(r"\b(?:experiment\w*|evaluat\w*|test\w*|results?|validat\w*|assess\w*|stud(?:y|ies))\b", re.I)
_SCORE_ASKED = re.compile(
    rf"(?!what (?:is|are) \S+\s*\?*$)\b(?:which|what)\s(?:[\w-]+\s){{0,3}}?(?:{_METRICS})\b", re.I
)
_JUDGEMENT_ASKED = re.compile(
    r"^(?:and )?(?:is|are|do|does|did|can|will)\b.*\b(?:(?:un)?necessary|needless|needed|obsolete|enough|sufficient|"
    r"useful|useless|worth\w*|superfluous|redundant|replace\w*|always|cheaper|better|worse|faster|slower|superior)\b",
    re.I,
)
_JUDGES = re.compile(
    r"\b(?:\w+n[’']t|not|no longer|need\w*|necess\w*|necessary|unnecessary|requir\w*|still|without|instead|replac\w*|"
    r"comparable|match\w*|obsolete|sufficien\w*|insufficient\w*|enough|only|even|\w+er than|than|outperform\w*|"
    r"surpass\w*|better|worse|fail\w*|cannot|crucial|essential|vital|indispensable|inferior|superior|help\w*|hurt\w*)\b",
    re.I,
)
"""What decides whether something is needed, or better than something else."""

_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_UNSOLVED = re.compile(
    r"\b(?:remain\w*|still (?:an?|open|difficult|challenging|far)|"
    r"unsolved|unresolved|open (?:problem|question|challenge|issue)s?|far from|yet to|"
    r"challenging (?:task|problem)|a challenge|not yet|little is known)\b",
    re.I,
)
_KINDS: tuple[tuple[re.Pattern[str], Callable[[str], bool]], ...] = (
    (
        re.compile(r"\bhow much\b|\bwhat (?:share|percentage|number|fraction)\b", re.I),
        lambda text: bool(quantities(text)),
    ),
    (
        re.compile(r"\b(?:which|what) (?:\w+ ){0,2}?(?:data ?sets?|benchmarks?|corpora|corpus|data)\b", re.I),
        lambda text: bool((_DATA.search(text) and _NAMED_DATA.search(text)) or _TESTED_ON.search(text)),
    ),
    (_METRICS_ASKED, lambda text: bool(_METRIC.search(text))),
    (_EVALUATION_ASKED, lambda text: bool(_METRIC.search(text) or (_DATA.search(text) and _TESTS.search(text)))),
    (_SCORE_ASKED, lambda text: bool(_METRIC.search(text) and quantities(text))),
    (_JUDGEMENT_ASKED, lambda text: bool(_JUDGES.search(text))),
    (re.compile(r"\b(?:best|highest|top) (?:\w+ )?(?:results?|accuracy|scores?|performance)\b", re.I), _tells_best),
    (_LIMITS_ASKED, lambda text: bool(_LIMIT.search(text))),
    (_REASON_ASKED, lambda text: bool(GIVES_REASON.search(text))),
    (
        re.compile(r"\bhow (?:fast|quick(?:ly)?|slow(?:ly)?)\b", re.I),
        lambda text: bool(_SPEED.search(text)),
    ),
    (re.compile(r"\bhow (?:large|big|small|accurate(?:ly)?|long)\b", re.I), lambda text: bool(quantities(text))),
    (
        re.compile(r"\b(?:improv\w*|better|effective|performs?|gains?)\b|\bhow (?:well|good)\b", re.I),
        lambda text: bool(_EFFECT.search(text)),
    ),
    (re.compile(r"^(?:and )?(?:when|(?:in|since) (?:which|what) year)\b", re.I), lambda text: bool(_YEAR.search(text))),
    (
        re.compile(r"^(?!(?:and )?how\b).*\b(?:un)?solved\b|\bstill open\b|\bopen (?:problems?|questions?)\b", re.I),
        lambda text: bool(_UNSOLVED.search(text)),
    ),
)
BEHIND = 3
"""Words behind a number in which what it counts is looked for."""

_HOW_MANY = re.compile(r"\bhow many (?P<thing>[\w-]+)", re.I)
_WHO = re.compile(r"^(?:and )?(?:who|which (?:authors?|group|team))\b", re.I)
_SYSTEM = re.compile(r"\b\w+[A-Z]\w*\b|\b[A-Z]\w*\d\w*\b")
"""The name of a system, by its capitals."""

_WHO_PROPOSED = re.compile(
    r"^(?:and )?(?:who|which (?:authors?|group|team))\s(?:first\s)?"
    r"(?:propos|introduc|present|describ|develop|design|invent)\w*\s"
    r"(?:the\s)?(?P<what>[^?]+?)\s*\?*$",
    re.I,
)
_WHAT_IS = re.compile(
    r"^(?:and )?(?:what(?:\s(?:is|are)|[’']s)(?: meant by)?|define|what does(?=.*\smean\b))\s(?:an?\s|the\s)?"
    r"(?P<what>[^?]+?)(?:\smean)?\s*\?*$",
    re.I,
)
_WHICH_PAPERS = re.compile(
    r"^(?:and )?(?:which|what|are there|list|any)\s(?:\w+\s)?(?:papers?|works?|studies|study|articles?)\b", re.I
)
_RELATION = re.compile(
    r"(?:effect|role|impact|influence|use|purpose|reason|relation\w*|advantage|benefit|disadvantage|cost|performance|size|"
    r"number|state|best|main|most)s?\b",
    re.I,
)
"""How something begins that is asked of a thing, which is no term."""

MOST_DEFINING = 3
"""Sentences that say what something is."""

_SECOND_QUESTION = re.compile(r",? and (?:who|how|why|when|where|what|which|is|does|do)\b.*$", re.I)

LONGEST_NAME = 6
"""Words of what somebody asks the meaning of; more are a question of another kind."""


PREFERRED = 0.15
"""Added to, or taken from, the closeness (a cosine) of sentences that state what is asked for, or something else."""


_WHETHER = re.compile(r"^(?:and )?(?:is|are|was|were|do|does|did|can|could|has|have|will|would|should)\b", re.I)


def asks_for_reason(question: str) -> bool:
    """Whether the question asks why."""
    return bool(_REASON_ASKED.match(question.strip()))


def asks_for_some(question: str) -> bool:
    """Whether the question asks which ones do something, so that one that does without it is none of them."""
    return bool(re.match(r"(?:and )?(?:which|what (?!(?:is|was|does|has)\b)\w+s)\b", question.strip(), re.I))


def asks_for_definition(question: str) -> bool:
    """Whether the question asks what something is."""
    return bool(name_to_define(question))


def name_to_define(question: str) -> str:
    """What the question asks the meaning of; empty for other questions."""
    asked = _WHAT_IS.match(question.strip())
    if not asked or has_kind(question) or _RELATION.match(asked["what"]):
        return ""
    name = _SECOND_QUESTION.sub("", asked["what"])
    return name if len(name.split()) <= LONGEST_NAME else ""


def has_kind(question: str) -> bool:
    """Whether the question asks for something of a kind: a data set, a limit, a number, a reason."""
    return bool(_HOW_MANY.search(question)) or any(asked.search(question) for asked, _ in _KINDS)


def rate_statements(question: str) -> dict[Statement, float]:
    """What is added to sentences by what they state: limits are problems, all else tells what was done or found."""
    if _LIMITS_ASKED.search(question) or asks_for_reason(question):
        return {}
    if _WHETHER.match(question.strip()):
        return {"problem": -2 * PREFERRED, "finding": PREFERRED}
    return {"problem": -PREFERRED}


def _is_counted(thing: str, text: str) -> bool:
    """Whether a number of the sentence counts such things: 113,000 pairs of questions."""
    return any(set(terms(thing)) & set(terms(" ".join(text[q.end :].split()[:BEHIND]))) for q in quantities(text))


def fits_question(question: str, text: str, title: str) -> bool:
    """Whether a sentence of the paper with that title is of the kind that the question asks for."""
    if _WHO.match(question) and _PROPOSING.search(question):
        wanted = set(terms(_PROPOSING.sub("", question))) - set(terms("who authors group team first"))
        return bool(_PROPOSING.search(text)) and wanted <= set(terms(f"{title} {text}"))
    if _LIMITS_ASKED.search(question) and not all(fold(name) in fold(text) for name in _SYSTEM.findall(question)):
        return False  # the limits of others, from which the work of that name set out
    if (counted := _HOW_MANY.search(question)) and not _is_counted(counted["thing"], text):
        return False
    return all(is_told(text) for asked, is_told in _KINDS if asked.search(question))


def find_named_work(question: str, papers: Sequence[Paper]) -> list[Paper]:
    """The papers whose title is, or begins with, what the question asks the authors of."""
    asked = _WHO_PROPOSED.match(question.strip())
    wanted = fold(asked["what"].strip(' “”"')) if asked else ""
    return [paper for paper in papers if wanted and wanted in {fold(paper.title), fold(paper.title.partition(":")[0])}]


def group_by_fit(question: str, sentences: Sequence[AbstractSentence]) -> list[list[AbstractSentence]]:
    """The sentences in groups, those that fit the question best first.

    A question for papers asks for what they did, so that a problem alone names none; a definition is one that says
    what the thing is.
    """
    if _WHICH_PAPERS.match(question.strip()):
        done = [s for s in sentences if s.statement != "problem"]
        return [done or list(sentences)]
    name = name_to_define(question)
    if not name:
        return [list(sentences)]
    stating = [s for s in sentences if any(_SAYS_WHAT.match(b) for a, b in _find_uses(name, s) if _is_subject(a))]
    explaining = [s for s in sentences if defines(name, s)]
    acting = [s for s in sentences if any(_is_subject(before) for before, _ in _find_uses(name, s))]
    naming = [s for s in sentences if s.statement != "problem" and _find_places(name, s.text)]
    rest = [s for s in sentences if s.statement != "problem"]
    return [*(group[:MOST_DEFINING] for group in (stating, explaining, acting, naming)), rest, list(sentences)]


def defines(name: str, sentence: AbstractSentence) -> bool:
    """Whether the sentence says what that is: "RAG is a …", "kNN-LMs, which …", also by its abbreviation."""
    return any(
        _EXPLAINS.match(behind) or (_SAYS_WHAT.match(behind) and _is_subject(before))
        for before, behind in _find_uses(name, sentence)
    )


def _is_subject(before: str) -> bool:
    """Whether what follows these words of a sentence is what it speaks of: it begins so, or says its aim."""
    return bool(_BEFORE_SUBJECT.match(before))


def _find_uses(name: str, sentence: AbstractSentence) -> list[tuple[str, str]]:
    """What stands before and behind the name in the sentence, also where it has the abbreviation of the name."""
    found = [_take_out_of_brackets(name, *place) for place in _find_places(name, sentence.text)]
    for _, behind in _find_places(name, sentence.paper.content):
        if short := _IN_BRACKETS.match(behind):
            found += _find_places(short["short"].rstrip("s"), sentence.text)
    return found


def _take_out_of_brackets(name: str, before: str, behind: str) -> tuple[str, str]:
    """What stands around a name and its long form, where it stands in brackets behind that: "Closest Point (CP) is"."""
    if not (before.endswith("(") and behind.startswith(")")):
        return before, behind
    long = before[:-1].split(" ")[:-1][-len(name) :]
    return before[:-1].rstrip().removesuffix(" ".join(long)), behind[1:]


def _find_places(name: str, text: str) -> list[tuple[str, str]]:
    """What stands before and behind each place where the text has the words of the name, in any form of them.

    One other word may stand among them: "simultaneous machine translation" is simultaneous translation.
    """
    wanted = [stem(unify_spelling(word)) for word in _WORDS.findall(name.lower())]
    found = [(stem(unify_spelling(match[0].lower())), match) for match in _WORDS.finditer(text)]
    size = len(wanted)
    places = []
    for at in range(len(found) - size + 1):
        for many in (size, size + 1) if size > 1 else (size,):
            window = [word for word, _ in found[at : at + many]]
            if size and window[:1] == wanted[:1] and window[-1] == wanted[-1] and _is_within(wanted, window):
                places.append((text[: found[at][1].start()], text[found[at + len(window) - 1][1].end() :]))
                break
    return places


def _is_within(wanted: Sequence[str], window: Sequence[str]) -> bool:
    """Whether the words stand in the window in their order."""
    left = iter(window)
    return all(word in left for word in wanted)


_WORDS = re.compile(r"[^\W_]+")
_IN_BRACKETS = re.compile(r"\s\((?P<short>[\w-]+)\)")
_KIND_OF_THING = (
    r"(?:systems?|methods?|models?|approach(?:es)?|techniques?|algorithms?|frameworks?|tasks?|problems?|tools?|"
    r"networks?|functions?|(?:data ?)?sets?|benchmarks?|processes|strateg(?:y|ies)|attacks?)"
)
_NOT_PRAISE = (
    r"(?!(?:an?|the|one)\s(?:\w+ly\s)?(?:critical|important|crucial|major|key|challeng\w+|difficult|hard|common|serious|"
    r"central|popular)\s(?:issue|problem|challenge|concern|topic|task|question|step|factor|part|role)\b"
    r"(?!,? (?:of|that|which|where|in which)\b))"
)
"""Not what only says how important something is."""

_SAYS_WHAT = re.compile(
    rf"(?:\s\([\w-]+\))?(?:\sand its variants|\s{_KIND_OF_THING})?"
    rf"(?:\s(?:(?:is|are)(?: now)?|has been|have been)\s{_NOT_PRAISE}(?:(?:an?|the|one)\b|"
    rf"(?:[\w-]+\s){{0,3}}?{_KIND_OF_THING}\b|defined\b|(?:[\w-]+\s){{1,4}}?(?:that|which|whose)\b)|"
    r"\s(?:refers?|means?|consists?|denotes?|describes?|aims?|seeks?|tries|focus(?:es)?|involves?|contains?|comprises?|"
    r"provides?|determines?|enables?|allows?|removes?|learns?|combines?)\b)"
)
_EXPLAINS = re.compile(
    rf"(?:\s\([\w-]+\))?(?:,\s(?:which|that is|i\.e\.|in which|where|an?)\b|:\s(?:an?|the)\b|\s\((?:i\.e\.|that is)|"
    rf"(?:\s{_KIND_OF_THING})?\s(?:refers?|means?|denotes?|aims?|seeks?)\b)"
)
_BEFORE_SUBJECT = re.compile(
    r"(?:[^,]{0,60},\s)?(?:(?:the|an?|one|current|traditional|recent|existing)\s)?"
    r"(?:(?:goal|aim|task|objective|purpose|problem|process|idea|concept)s?\sof\s)?(?:(?:the|an?)\s)?"
    r"(?:(?!(?:of|in|for|to|with|by|on|from|and|or|as|against|via|under|we|our)\s)[\w-]+\s)?[“‘\"']?$",
    re.I,
)
"""What may stand before the subject of a sentence: nothing, a phrase with its comma, an article, an adjective."""
