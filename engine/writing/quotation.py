"""Which words of an abstract say what a paper contributes and finds, shortened for a table."""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.reading.roles import Statement
from engine.survey import Citation
from engine.text import inert, terms
from engine.values import Paper
from engine.writing.extractive import ELSEWHERE, LONGEST_QUOTE, AbstractSentence, read_abstract

LONGEST_CELL = 30
"""Words from which a quotation in a table is shortened."""

SHORTEST_PART = 6
"""Words that a part of a sentence needs to say something by itself."""

_PROPOSES = re.compile(
    r"\b(?:we|they|this (?:paper|work|article|study|survey|tutorial|report)|the authors?)\b.{0,40}?\b(?:propos|"
    r"introduc|present|develop|describ|design|stud(?:y|ies)|investigat|analy[sz]|review|survey|examin|explor|"
    r"formulat|releas|"
    r"show how|provid|extend|address|build|creat|collect|construct|summari[sz]|categori[sz]|classif|deriv|"
    r"formali[sz]|puts? forth|generali[sz]|unif(?:y|ies)|devis|establish|find\b)|"
    r"\b(?:is|are) (?:proposed|presented|introduced|developed)\b",
    re.I,
)
_FINDS = re.compile(
    r"\b(?:outperform|surpass|achiev|results? (?:show|demonstrate|indicate|suggest|reveal)|experiments?|"
    r"we (?:find|show|observe|found|demonstrate)|improv\w+ .*\b(?:by|over|upon)|state[- ]of[- ]the[- ]art|"
    r"evaluations?|reveals?)",
    re.I,
)
_NUMBER = re.compile(r"(?<![\w-])\d+(?:[.,]\d+)?\s?(?:%|\\%|points?|times|×|x\b|BLEU|F1|percent)|\b\d+\.\d+\b")
_USELESS = re.compile(
    rf"{ELSEWHERE}|www\.|\b(?:we|our)\b.{{0,40}}\brelease[ds]?\b.{{0,20}}\b(?:codes?|models?|data ?sets?)\b|"
    r"(?:code|data|models?|datasets?) (?:is|are|and \w+ are|will be) (?:\w+ )?(?:available|released)|"
    r"publicly available|\badvances? the state of the art in this\b|^\(?(?:\d|i+|[a-e])\)|"
    r"\b(?:following|two|three|four|several|main|principal|key) (?:\w+ ){0,2}contributions\b(?! to\b)|"
    r"^(?:currently|recently)\b",
    re.I,
)
_NO_CONTRIBUTION = re.compile(
    r"^(?:it|they|this|these|both|such|two|three|in this way|in turn)\b(?! (?:propose|introduce|present|paper|work|"
    r"article|study|survey|report|thesis|"
    r"tutorial|letter|research|project|demo)\b)|"
    r"\bwe (?:\w+ly )?(?:argue|believe|question|refer|hope|note|observe|accomplish|obtain|assume|conjecture|"
    r"benchmarked our|"
    r"conduct|carry out|achieve|outperform)\b(?!.{0,80}\b(?:propose|present|introduce)\b)|"
    r"\b(?:we|authors) (?:have )?(?:previously|earlier)\b|\b(?:our|in) (?:previous|prior|earlier) \w+|"
    r"\bthe (?:previous|prior) work\b|"
    r"\b(?:introduce|present|describe|propose)s? (?:our|the|an?) (?:\w+ )?(?:methods?|approach|results|work|study) and "
    r"(?:show|present|discuss|report|give)\b",
    re.I,
)
"""What argues, points back, tells what came out or was done before, or only that something is presented."""

_PRESENT = (
    r"(?:propose|present|introduce|develop|describe|study|investigate|explore|review|survey|design|build|create|"
    r"generali[sz]e|extend|formulate|analy[sz]e|examine|compare)"
)
_ANNOUNCES = re.compile(
    rf"(?:\bwe|\bthis (?:paper|work|article|study|survey|report)|\bthe authors?|\band) (?:\w+ly |"
    rf"first )?{_PRESENT}s?\b|"
    r"\bby (?:proposing|introducing|presenting|developing)\b|\bwe address [^,]{0,40} (?:with|by) |"
    r"\b(?:is|are) (?:proposed|presented|introduced)\b",
    re.I,
)
"""What says in so many words that the paper presents something."""

_SECONDARY = re.compile(
    r"(?:in addition|additionally|accompanying (?:this|these)|"
    r"furthermore|moreover|besides|following this|based on (?:this|these)|finally|"
    r"meanwhile|"
    r"also|second(?:ly)?|third(?:ly)?|then|next|further|with respect to|in particular)\b",
    re.I,
)
"""How a part or an afterthought of the contribution begins."""

_POINTS_BACK = re.compile(
    r"\b(?:this|these|those|such|both|the (?:above|two|three|former|latter|aforementioned)) "
    r"(?!(?:paper|work|article|study|survey|report|letter) )(?:\w+ )?(?:issues?|problems?|gaps?|"
    r"challenges?|limitations?|ideas?|difficult(?:y|ies)|methods|approaches|tasks?|weakness(?:es)?|observations?|"
    r"questions?|end|goals?|needs?|insights?|analys[ie]s|findings?|worlds|models|understanding|properties|cases?|"
    r"settings?|relationships?|phenomen(?:on|a)|aspects?|estimators?|aims?)\b|"
    r"\b(?:this|these|those) (?:\w+ and )\w+ \w+s\b|\bthe (?:suggested|aforementioned|above(?:-mentioned)?|former|"
    r"latter) |"
    r"\bsuch (?!as\b|an?\b|that\b)\w+|\b(?:address|tackle|solve|alleviate|overcome|handle|mitigate)\w* (?:them|it|"
    r"these|this|both(?: of (?:them|these|those))?)\b",
    re.I,
)
"""What means something only with the sentence before."""

TITLE_WEIGHT = 0.5
"""Weight of the share of the title's words that a sentence says: what a paper is called after is its contribution."""

LEAST_OF_TITLE = 0.3
"""Share of the title's words that a sentence says which announces nothing, to be the contribution."""

BEGINNING = 45
"""Characters of a contribution in which something may point back only where it is said after that how."""

_SAYS_HOW = re.compile(
    r"\b(?:propos|introduc|present|develop|devis|combin)\w*|\b(?:by \w+ing|as an?|through|with|via|using)\b", re.I
)

FIRST = 0.3
"""Weight of being the first that announces something."""

_NO_FINDING = re.compile(
    r"\b(?:is|are|were|was) (?:also )?(?:discussed|outlined|named as)\b|"
    r"\b(?:future|promising) (?:work|directions?|research)\b|"
    r"\b(?:code|models?|data(?: ?sets?)?|weights|implementation|videos?|details)\b[^.;]{0,30}"
    r"\b(?:is|are|was|were|will be) (?:made |publicly |freely )*(?:released|available|published)\b|"
    r"\bopen-?sourc|\bhope\b|\b(?:will|may|might|can|could) (?:\w+ )?(?:inspire|stimulate|foster|spur)\b|"
    r"\b(?:clear|new|useful|valuable|key|novel|important|interesting|deep(?:er)?|rich) insights?\b|"
    r"\b(?:insights?|findings?|results?) \w+ the (?:\w+ )?(?:need|importance)\b|"
    r"\bwe (?:\w+ly )?(?:think|hypothesi[sz]e)\b|"
    r"\b(?:experiments?|evaluations?) introduce\b|"
    r"^to (?:demonstrate|show|evaluate|test|verify)\b[^,]*, we (?:also )?(?!show|demonstrate|find)|"
    r"\b(?:provid|offer|gain|giv|yield)\w* (?:\w+ ){0,2}insights?\b|"
    r"\bto (?:the best of )?our knowledge\b|\b(?:remains?|is) (?:still )?an? \w*\s?limitation\b|"
    r"^examples? of\b|\bopens? the door\b|\bpaves? the way\b|\bsheds? (?:\w+ )?lights?\b|"
    r"\bthis (?:study|work|paper) (?:also )?encourages\b|\bwe (?:also |further )?(?:define|describe|accomplish|"
    r"quantify|contribute|release|provide|present an?)\b|"
    r"\bfavou?red for\b|"
    r"^this contributes\b|"
    r"^(?:it|they|this|these|both|such) (?:also|does so|do so|then|further|in turn)\b",
    re.I,
)
"""What is no result, or none without the sentence before: outlook, release, being first, limitations, “It also …”."""

_EVALUATED = re.compile(
    r"^we (?:\w+ )?(?:evaluate|validate|test|assess)\b|"
    r"\b(?:experiments?|evaluations?|studies) (?:(?:in|on|with) [^,;]{3,60} )?(?:are|were|is|was|have been) (?:\w+ )?"
    r"(?:conducted|carried out|performed|done)\b|"
    r"\b(?:algorithms?|methods?|approach(?:es)?|models?|frameworks?|systems?)\b[^,;]{0,40}\b(?:is|are|was|were) "
    r"(?:also )?(?:tested|evaluated|validated|verified)\b",
    re.I,
)
_TELLS = re.compile(r"\b(?:show|demonstrat|achiev|outperform|find|found|improv|reach|reduc|surpass)\w*|\bthan\b", re.I)
"""That it was evaluated is a result where the sentence tells what came out."""

_PRAISE = re.compile(
    r"\b(?:effectiveness|efficacy|usefulness|feasibility|validity|applicability|practicality|"
    r"is (?:very |highly )?effective|performs? well|promising results?|competitive performance)\b",
    re.I,
)
_MEASURED = re.compile(
    r"\b(?:outperform\w*|surpass\w*|exceed\w*|better|improv\w+|faster|fewer|higher|lower|less|smaller|achiev\w+|"
    r"reduc\w+|"
    r"increas\w+|compar\w+ (?:to|with)|than)\b",
    re.I,
)
"""What a result says beside that the method is good."""

_OUTCOME = re.compile(
    r"\b(?:outperform|surpass|exceed|bett?er|best|improv|fast|few|high|low|less|more|small|achiev|attain|reach|"
    r"obtain|reduc|"
    r"increas|compar(?:able|ed|es|ing|ison\w* (?:shows?|to|with))|favou?rabl|than|state[- ]of|sota|superior|"
    r"competitive|significan|effective|robust|gain|boost|perform|"
    r"correlat|"
    r"generali[sz]|accurate|records?|rank|win|won|beat|able|can|help|benefit|"
    r"not|no|above|below|stab|flexib|quality|enabl|fail|similar|equal|consistent|succe|good|strong|"
    r"useful|yield|save|saving|cut|within|up to|only|"
    r"robustly|feasib|validat|verif|advantage|possible|important|transfer|simple|easily|provid|agree|match|depend|"
    r"remain)",
    re.I,
)
"""A word that tells what came out; a finding is never cut before the first."""

_REPORTS = re.compile(r"\b(?:suggest|indicate|reveal|find|found|shows? that|lead)", re.I)
"""A word that says that something came out, which follows it."""

_LEANS = re.compile(
    r"(?:it also|both|these|those|such|another|one|first(?:ly)?|second(?:ly)?|third(?:ly)?|then|"
    r"we (?:also|then|further|additionally|next|finally)|(?:most )?importantly)\b",
    re.I,
)
"""A sentence that begins so goes on from the one before: another that says as much is better."""

_LEAD = re.compile(
    r"(?:in this (?:paper|work|article|study|survey|report|letter)|here|to this end|therefore|thus|hence|specifically|"
    r"furthermore|moreover|additionally|in particular|finally|as a result|consequently|"
    r"extensive experiments[^,]{0,60} (?:show|demonstrate) that),? (?!\()|"
    r"(?:technically|instead|thereby|meanwhile|accordingly|(?:most )?importantly|at first|to do so|"
    r"towards? (?:this|that) (?:end|goal|aim)|for (?:this|that) (?:purpose|reason)|in response),? "
    r"(?=(?:in this \w+,? )?(?:we|this|our|the)\b)|"
    r"(?:to (?:address|tackle|overcome|solve|alleviate|mitigate|remedy|handle|fill|bridge|achieve)|motivated by|"
    r"inspired by|based on|in response to|building (?:up)?on|"
    r"(?!we |this |these |our )[^,]{2,60}\b(?:this|these|those|such)\b(?! paper)) [^,]{3,90}, "
    r"(?=(?:in this \w+,? )?(?:we|this|these|our|the|an?|it)\b)|"
    r"to (?:address|tackle|overcome|solve|alleviate|mitigate|remedy|meet) (?:this|these|that|those|such) [\w-]+,? "
    r"(?=(?:in this \w+,? )?(?:we|this|these|our|the|an?|it)\b)",
    re.I,
)
_CLAUSE = re.compile(
    r"[;:]|,(?= (?:which|that|where|while|and|but|by|with|without|as|using|thus|thereby|leading|resulting|enabling|"
    r"including|such as|even|when|so|allowing|making|outperforming)\b)"
)


_THEIR_CITATION = re.compile(r"\[\d{1,3}(?: ?[,;–-] ?\d{1,3})*\]|\(CITATION\)")
"""A number of the paper's own list of references: beside ours it would be read as one of ours."""

_HANGING = re.compile(
    r"(?:\b(?:that|which|and|or|of|to|by|with|in|on|for|as|is|are|the|an?|between|namely|including|i\.e|e\.g|viz)\.?|"
    r"\bnot only\b(?!.*\bbut\b).*|\beither\b(?!.*\bor\b).*)$",
    re.I,
)
"""A cut behind such a word leaves a sentence hanging, as one within *not only … but*."""


_LIST = re.compile(r",[^,;:]{0,40}$")
"""A comma shortly before a cut at *and*: what is cut is the end of a list."""

_ENUMERATED = re.compile(r"\((?:ii|2|b)\)|(?<!\w)(?:ii|2|b)\) ")
"""The second of what is counted off: cut off, the first stands alone."""

_LIMITS = re.compile(
    r"\b(?:when|if|only|unless|provided|except|but|although|though|whereas|however|limited|restricted)\b|"
    r"\bat the (?:cost|expense)\b",
    re.I,
)
"""What says where a sentence does not hold: cut off, the rest says more than its paper."""


@dataclass(frozen=True, slots=True)
class Quotation:
    """Exact words of a paper, and the words as they are shown, with an ellipsis where some were left out."""

    paper: Paper
    words: str
    shown: str

    @property
    def citation(self) -> Citation:
        """The evidence that stands behind it."""
        if not self.paper.abstract:
            return Citation(self.paper.key, self.words, "summarised", "summary")
        return Citation(self.paper.key, self.words, "quoted")

    @property
    def cell(self) -> str:
        """In quotation marks, for a cell of a table; the words of a summary, which are not the authors', without."""
        return f"“{inert(self.shown)}”" if self.paper.abstract else inert(self.shown)


def quote_contribution(paper: Paper) -> Quotation | None:
    """What the abstract says that the paper contributes; ``None`` where no sentence surely says so by itself."""
    found = _list_usable(paper, "contribution", _PROPOSES)
    stated = [s for s in found if _is_announced(s) and not _NO_CONTRIBUTION.search(s.text)]
    announced = next((s for s in stated if _ANNOUNCES.search(s.text) and not _SECONDARY.match(s.text)), None)
    best = max(stated, key=lambda s: _rate_contribution(s) + FIRST * (s is announced), default=None)
    if best is None:
        return None
    quotation = shorten_quotation(best, _ANNOUNCES if _ANNOUNCES.search(best.text) else _PROPOSES)
    pointing = _POINTS_BACK.search(quotation.shown[:BEGINNING])
    return quotation if pointing is None or _SAYS_HOW.search(quotation.shown, pointing.end()) else None


def _share_title(sentence: AbstractSentence) -> float:
    """The share of the title's words that the sentence says."""
    title = set(terms(sentence.paper.title))
    return len(title & set(terms(sentence.text))) / max(1, len(title))


def _is_announced(sentence: AbstractSentence) -> bool:
    """Whether it says that something is presented, or speaks of what the paper is called after."""
    text = sentence.text
    return bool(_PROPOSES.search(text) or _ANNOUNCES.search(text)) or _share_title(sentence) >= LEAST_OF_TITLE


def _rate_contribution(sentence: AbstractSentence) -> float:
    """How plainly a sentence states what the paper as a whole contributes."""
    text = sentence.text
    return (
        sentence.probability
        + TITLE_WEIGHT * _share_title(sentence)
        + (0.4 if _PROPOSES.search(text) else 0.0)
        + (0.4 if _ANNOUNCES.search(text) else 0.0)
        - (0.3 if _LEANS.match(text) or _SECONDARY.match(text) else 0.0)
        - (0.3 if _POINTS_BACK.search(shorten_quotation(sentence, _PROPOSES).shown) else 0.0)
        - 0.02 * sentence.position
    )


def quote_finding(paper: Paper) -> Quotation | None:
    """What the abstract says came out, with its number where one is given; ``None`` where no sentence surely does."""
    told = [s for s in (*_list_usable(paper, "finding", _FINDS), *_list_measured(paper)) if _tells_result(s.text)]
    best = max(told, key=_rate_finding, default=None)
    if best is None:
        return None
    told_by = _TELLS if _EVALUATED.search(best.text) else _OUTCOME
    return shorten_quotation(best, _NUMBER if _NUMBER.search(best.text) else told_by)


def _rate_finding(sentence: AbstractSentence) -> float:
    text = sentence.text
    return (
        sentence.probability
        + (0.4 if _FINDS.search(text) else 0.0)
        + (0.5 if _NUMBER.search(text) else 0.0)
        - (0.3 if _LEANS.match(text) or _SECONDARY.match(text) or _POINTS_BACK.search(text) else 0.0)
    )


def _list_usable(paper: Paper, statement: Statement, cue: re.Pattern[str]) -> list[AbstractSentence]:
    """Sentences that surely make the statement, or say so in so many words once the contribution has begun."""
    read = read_abstract(paper)
    proposed = next((s.position for s in read if s.statement == "contribution"), 0)
    return [
        s
        for s in read
        if s.statement == statement and _is_usable(s) and (s.is_sure or (cue.search(s.text) and s.position >= proposed))
    ]


def _list_measured(paper: Paper) -> list[AbstractSentence]:
    """Sentences that tell a measured result in so many words, where what they state is not sure."""
    return [
        s
        for s in read_abstract(paper)
        if s.statement == "contribution"
        and not s.is_sure
        and _is_usable(s)
        and _FINDS.search(s.text)
        and _NUMBER.search(s.text)
        and not _PROPOSES.search(s.text)
    ]


def _tells_result(text: str) -> bool:
    """Whether a sentence says what came out: how good the method is or better than what, not only that it works."""
    if _NO_FINDING.search(text) or (_EVALUATED.search(text) and not _TELLS.search(text)):
        return False
    if not (_NUMBER.search(text) or _OUTCOME.search(text) or _REPORTS.search(text)):
        return False
    return bool(not _PRAISE.search(text) or _NUMBER.search(text) or _MEASURED.search(text))


def _is_usable(sentence: AbstractSentence) -> bool:
    is_short = SHORTEST_PART <= len(sentence.text.split()) <= LONGEST_QUOTE
    return is_short and sentence.is_whole and not _USELESS.search(sentence.text)


def shorten_quotation(
    sentence: AbstractSentence, keep: re.Pattern[str] | None = None, *, begun: bool = False
) -> Quotation:
    """The sentence without its opening formula, cut at a clause's end where it is long; ``keep`` is not cut away.

    A sentence that has ``begun`` lacks its beginning already.
    """
    text = sentence.text.strip(' "“”').removesuffix(".")
    start = 0
    while lead := _LEAD.match(text, start):
        start = lead.end()
    body = text[start:]
    if len(body.split()) < SHORTEST_PART:
        start, body = 0, text
    if len(body.split()) > LONGEST_CELL:
        body = _cut(body, keep)
    shown = f"{'… ' if start or begun else ''}{body}{'' if text.endswith(body) else ' …'}"
    return Quotation(sentence.paper, body, _THEIR_CITATION.sub("[…]", shown))


def _cut(text: str, keep: re.Pattern[str] | None) -> str:
    """The longest beginning that ends with a clause within the limit and holds what is to be kept; else all."""
    needed = keep.search(text) if keep else None
    ends = [m.start() for m in _CLAUSE.finditer(text)]
    fitting = [
        end
        for end in ends
        if SHORTEST_PART <= len(text[:end].split()) <= LONGEST_CELL
        and (needed is None or needed.end() <= end)
        and text[:end].count("(") == text[:end].count(")")
        and not _HANGING.search(text[:end])
        and not (text.startswith(", and", end) and _LIST.search(text[:end]))
        and not _LIMITS.search(text, end)
        and not _ENUMERATED.search(text, end)
    ]
    return text[: fitting[-1]] if fitting else text
