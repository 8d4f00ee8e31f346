"""Names found in titles and abstracts: methods, data sets, metrics and tasks, each with the papers that use it.

A name is capitalised in a way no ordinary word is. What it names is decided by the words beside it in all papers
together ("the X benchmark", "models such as X", "we propose X"); where they disagree, it is left out.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from engine.naming.abbreviations import find_abbreviations, find_long_form, strip_plural
from engine.naming.longer_names import LongerNames, find_longer_names
from engine.overview import Name, NameKind
from engine.text import sentences
from engine.values import Paper, PaperKey
from engine.wordlists import read_wordlist

SHARE = 0.75
"""Share of the votes that one kind needs."""

FEWEST_VOTES = 2

_TOKEN = re.compile(r"[A-Za-z0-9]+(?:[-@.+][A-Za-z0-9]+)*\+{0,2}")
_CAPITALISED = r"[A-Z][\w-]*"
_COMMON = read_wordlist("naming/wordlists/common_names.txt")
"""Capitalised words that name no method, data set or metric of anybody."""
_ORDINARY_PART = re.compile(r"-(?:to|as|in|of|the|a|and|by|[a-z]{4,}s?)(?:-|$)")
_VERSION = re.compile(r"^([A-Za-z]*[A-Z][A-Za-z]*[A-Z][A-Za-z]*)\d\.\d$")
"""A release of a data set is that data set: ``MultiWOZ2.1``."""
_JOINED = re.compile(r"(?:,? and |,? or |, | & |/)(?:the )?")

_DATA = (
    r"(?:data ?sets?|benchmarks?|corpus|corpora|test ?sets?|dev(?:elopment)? sets?|leaderboard|test ?bed|test suite)"
)
_ENDS_IN_DATA = re.compile(rf"{_DATA}$", re.I)
_METHOD = (
    r"(?:models?|methods?|frameworks?|algorithms?|architectures?|networks?|systems?|layers?|modules?|approach(?:es)?|"
    r"encoders?|decoders?|transformers?|optimi[sz]ers?|pipelines?|parsers?|retrievers?|baselines?|LLMs|agents?)"
)
_METRIC = r"(?:metrics?|scores?|measures?)"
_SUCH_AS = (
    r"(?:,? ?(?:such as|including|like|namely|called|e\.g\.,?|i\.e\.,?)|:| ?\((?:e\.g\.,?|i\.e\.,?)?|,) ?(?:the )?$"
)
_NO_PREPOSITION = r"(?!on |for |of |with |in |to |and |by |from |than |as |is |are |that |which )"
_AFTER = {
    "data set": re.compile(rf"(?:['’]s)? (?:{_NO_PREPOSITION}[\w-]+ )?{_DATA}\b", re.I),
    "method": re.compile(rf"[ -]{_METHOD}\b"),
    "metric": re.compile(rf" {_METRIC}\b"),
}
_BEFORE = {
    "data set": re.compile(rf"\b{_DATA}{_SUCH_AS}", re.I),
    "method": re.compile(rf"\b{_METHOD}{_SUCH_AS}", re.I),
    "metric": re.compile(rf"\b{_METRIC}{_SUCH_AS}", re.I),
}
_SUBJECT = re.compile(r" (?:outperforms|achieves|improves|surpasses|consists|leverages|learns|employs|combines)\b")
_TESTED_ON = re.compile(r"\b(?:on|over) (?:the |both |all )?$")
_TESTING = re.compile(
    r"\b(?:experiments?|evaluat\w+|results?|achiev\w+|outperform\w*|accuracy|tested|state[- ]of)", re.I
)
_PROPOSING = (
    r"\b(?:propos|introduc|present|develop|design|releas|construct|creat|build|built|describ)(?:e|es|ed|ing|s)?"
    rf"(?: {_NO_PREPOSITION}[\w-]+,?){{0,4}}"
)
_PROPOSED = re.compile(rf"{_PROPOSING} ?,? ?$", re.I)
_CALLED = re.compile(r"\b(?:called|named|dubbed|termed|coined|namely) (?:the )?[\"“']?$", re.I)
_BEFORE_CALLED = {
    kind: re.compile(rf"\b{words}\b", re.I)
    for kind, words in (("data set", _DATA), ("metric", _METRIC), ("method", _METHOD))
}
_ITEMS = (
    r"(?:sets?|collections?|suites?) of (?:[\w,-]+ ){0,4}?(?:questions|examples|images|documents|articles|dialogues|"
    r"videos|pairs|sentences|problems|queries|clips|recordings|utterances|annotations|conversations|tables|scans)"
)
_APPOSITION = re.compile(
    rf"^[)”\"']?,? (?:which is |is )?(?:an?|the|our) (?:[\w()-]+,? ){{0,6}}?(?:{_DATA}|{_ITEMS})\b", re.I
)
_TITLE = re.compile(r"([^\s:]+(?: [^\s:]+)?)\s*:\s+(.+)")

_TASK_HEADS = re.compile(
    r" (?:classification|segmentation|detection|recognition|prediction|answering|generation|translation|parsing|"
    r"summarization|retrieval|captioning|estimation|tracking|completion|extraction|linking|inference|matching|"
    r"grounding|"
    r"navigation|forecasting|synthesis|localization|verification|disambiguation|resolution|recommendation|"
    r"reconstruction|"
    r"annotation|labeling|tagging|paraphrasing|simplification|editing|understanding|identification)$"
)
TASKS = tuple(
    sorted(
        (t for t in read_wordlist("naming/wordlists/topics.txt") if _TASK_HEADS.search(t)), key=lambda t: (-len(t), t)
    )
)
"""Tasks that many titles of a large library name, the longest first."""

METRICS: Mapping[str, re.Pattern[str]] = {
    name: re.compile(rf"(?<![\w-])(?:{pattern})(?![\w-])")
    for name, pattern in (
        ("accuracy", r"[Aa]ccuracy|[Aa]ccuracies"),
        ("AUC", r"(?:ROC[- ])?AUC|AUROC|AUPRC"),
        ("BERTScore", r"BERTScore|BERTscore"),
        ("BLEU", r"BLEU(?:-\d)?"),
        ("CIDEr", r"CIDEr(?:-D)?"),
        ("CLIPScore", r"CLIP-?[Ss]core"),
        ("COMET", r"COMET"),
        ("exact match", r"[Ee]xact[- ][Mm]atch"),
        ("endpoint error", r"[Ee]nd-?[Pp]oint[- ][Ee]rror|A?EPE"),
        ("execution accuracy", r"[Ee]xecution accuracy"),
        ("F1", r"(?!F1 and F2)(?:[Mm]acro-|[Mm]icro-)?F-?1(?:[- ][Ss]cores?)?|F-measure"),
        ("FID", r"FID|Fr[eé]chet [Ii]nception [Dd]istance"),
        ("Hits@k", r"[Hh]its?@\d+"),
        ("IoU", r"(?:[Mm]ean )?m?IoU|(?:[Mm]ean )?[Ii]ntersection[- ]over[- ][Uu]nion"),
        ("LPIPS", r"LPIPS"),
        ("mAP", r"mAP(?:@\d+(?:\.\d+)?)?|[Mm]ean [Aa]verage [Pp]recision"),
        ("METEOR", r"METEOR"),
        ("MRR", r"MRR(?:@\d+)?|[Mm]ean [Rr]eciprocal [Rr]ank"),
        ("NDCG", r"[nN]DCG(?:@\d+)?"),
        ("pass@k", r"[Pp]ass@[k\d]+"),
        ("perplexity", r"[Pp]erplexity"),
        ("PSNR", r"PSNR"),
        ("recall", r"[Rr]ecall@[k\d]+|[Pp]recision and recall"),
        ("RMSE", r"RMSE|[Rr]oot [Mm]ean [Ss]quared? [Ee]rror"),
        ("ROUGE", r"ROUGE(?:-[L\d])?"),
        ("SPICE", r"SPICE"),
        ("SSIM", r"SSIM"),
        ("WER", r"WER|[Ww]ord [Ee]rror [Rr]ate"),
    )
}

BESIDE = 60
"""Characters between *accuracy* or *perplexity* and what shows that it was measured, at most."""

_MEASURED_BESIDE: Mapping[str, re.Pattern[str]] = {
    "accuracy": re.compile(r"\d\s?\\?%|\bpercent\b|\b0\.\d"),
    "perplexity": re.compile(r"\d|\b(?:lower|reduc|improv|decreas|increas|better|higher)", re.I),
}
_MEASURES = re.compile(
    r"\b(?:accuracy|agreement|correlation|curve|deviation|distance|errors?|evaluation|gain|index|match|measures?|"
    r"metric|"
    r"ordering|perplexity|precision|quality|rank|rates?|ratio|recall|scores?|similarity|understudy|union)$",
    re.I,
)
"""How the long form of a metric's abbreviation ends: "interpolation decoding (FID)" is none."""


@dataclass(slots=True)
class _Candidate:
    votes: Counter[NameKind] = field(default_factory=Counter)
    papers: dict[PaperKey, None] = field(default_factory=dict)

    def kind(self) -> NameKind | None:
        """What most of its mentions say it is; `None` where they say too little or disagree."""
        if not self.votes:
            return None
        (kind, count), total = self.votes.most_common(1)[0], self.votes.total()
        return kind if total >= FEWEST_VOTES and count >= SHARE * total else None


@dataclass(frozen=True, slots=True)
class _Mentions:
    """Names listed side by side, and the words of their sentence before and after the list."""

    names: tuple[str, ...]
    before: str
    after: str


def find_names(papers: Sequence[Paper], topic: str) -> tuple[Name, ...]:
    """Names that the papers' titles and abstracts use, those of most papers first."""
    found: defaultdict[str, _Candidate] = defaultdict(_Candidate)
    longer = find_longer_names(papers, is_name, _call_data)
    for paper in papers:
        for name, kind, votes in _votes(paper, longer):
            candidate = found[name]
            candidate.papers[paper.key] = None
            if kind:
                candidate.votes[kind] += votes
    names: defaultdict[tuple[NameKind, str], dict[PaperKey, None]] = defaultdict(dict)
    for name, kind in _choose_kinds(found, papers, longer):
        names[kind, name].update(found[name].papers)
    for paper in papers:
        for kind, name in _find_known_names(paper):
            names[kind, name][paper.key] = None
    listed = (
        Name(name, kind, tuple(keys))
        for (kind, name), keys in _join_spellings(names).items()
        if name.casefold() not in topic.casefold()
    )
    return tuple(sorted(listed, key=lambda n: (-len(n.papers), n.kind, n.name.casefold())))


def _choose_kinds(
    found: Mapping[str, _Candidate], papers: Sequence[Paper], longer: LongerNames
) -> Iterator[tuple[str, NameKind]]:
    """The candidates that are names, with their kind; no abbreviated concept, ordinary word or metric is one."""
    spelt_out = find_abbreviations(papers, least=0.0)
    ordinary = {word for paper in papers for word in re.findall(r"\b[a-z]{4,}\b", f"{paper.title} {paper.content}")}
    titled = {word.lower() for paper in papers for word in re.findall(r"\b[A-Z][a-z]{3,}\b", paper.title)}
    for name, candidate in found.items():
        kind, long = candidate.kind(), spelt_out.get(name, "")
        if kind is None or _is_metric(name) or _is_concept(long):
            continue
        if name not in longer.titled and _is_ordinary(name, ordinary | titled if name[0].islower() else ordinary):
            continue
        if kind != "data set" or not long or _is_called_data(name, long, papers):
            yield name, kind


def _is_concept(long: str) -> bool:
    """Whether the long form of an abbreviation is written as words are, or names a task."""
    return bool(long) and (long[1:] == long[1:].lower() or bool(_TASK_HEADS.search(long.lower())))


def _is_called_data(name: str, long: str, papers: Sequence[Paper]) -> bool:
    """Whether the long form of an abbreviation, or a word behind it, says that it is data: ASL is a language."""
    behind = re.compile(rf"\({re.escape(name)}\) (?:[\w-]+ )?{_DATA}\b", re.I)
    return bool(_ENDS_IN_DATA.search(long)) or any(behind.search(paper.content) for paper in papers)


def _join_spellings(
    names: Mapping[tuple[NameKind, str], Mapping[PaperKey, None]],
) -> dict[tuple[NameKind, str], dict[PaperKey, None]]:
    """Names that differ in capitals, hyphens, spaces or a firm before them as one, in the spelling of most papers."""
    spellings: defaultdict[tuple[NameKind, str], list[str]] = defaultdict(list)
    for kind, name in names:
        spellings[kind, re.sub("[-/ ]", "", name).casefold()].append(name)
    for kind, bare in list(spellings):
        for firm in ("ms", "microsoft"):
            spellings[kind, bare] += spellings.pop((kind, firm + bare), [])
    joined: dict[tuple[NameKind, str], dict[PaperKey, None]] = {}
    for (kind, _), written in spellings.items():
        if written:
            usual = max(written, key=lambda name: len(names[kind, name]))
            joined[kind, usual] = {key: None for name in written for key in names[kind, name]}
    return joined


def _find_known_names(paper: Paper) -> Iterator[tuple[NameKind, str]]:
    text = f"{paper.title}. {paper.content}"
    for name, pattern in METRICS.items():
        if _uses_metric(name, pattern, text):
            yield "metric", name
    lower = f" {re.sub(r'[^a-z-]+', ' ', text.lower())} "
    for task in TASKS:
        if f" {task} " in lower:
            lower = lower.replace(f" {task} ", " | ")  # “entity recognition” is part of “named entity recognition”
            yield "task", task


def _uses_metric(metric: str, pattern: re.Pattern[str], text: str) -> bool:
    """Whether the text means the metric by its word, and does not spell it out as something else.

    *Accuracy* alone says that something is accurate; it is a metric where a percentage or share stands beside it, and
    perplexity where it rises or falls.
    """
    found = list(pattern.finditer(text))
    if metric in _MEASURED_BESIDE:
        beside = _MEASURED_BESIDE[metric]
        return any(beside.search(text[max(0, m.start() - BESIDE) : m.end() + BESIDE]) for m in found)
    spelt_out = (long for match in found if (long := _spell_out(match[0], text, match.start(), match.end())))
    return bool(found) and all(_MEASURES.search(long) for long in spelt_out)


def _spell_out(short: str, text: str, start: int, end: int) -> str:
    """The long form before an abbreviation in brackets, or in brackets behind it; empty where there is none."""
    if text[:start].endswith("(") and text[end : end + 1] == ")":
        return find_long_form(short, text[: start - 1])
    behind = re.match(r" \(([a-z][^)]{3,60})\)", text[end:])
    return behind[1] if behind and find_long_form(short, behind[1]) == behind[1] else ""


def _is_metric(name: str) -> bool:
    return any(pattern.fullmatch(name) for pattern in METRICS.values())


def _is_ordinary(name: str, ordinary: Collection[str]) -> bool:
    """Whether it is an ordinary word whose capitals only spell an abbreviation out (``TAilored``, ``gUidancE``)."""
    parts = [part.lower() for part in name.split("-") if len(part) > 3]
    return not name.isupper() and bool(parts) and all(part in ordinary for part in parts)


def is_name(token: str) -> bool:
    """Whether a word is written as only a name is: with capitals inside, or a capital and a digit."""
    core = strip_plural(token)
    capitals = sum(letter.isupper() for letter in core)
    if len(core) < 3 or not core[0].isalpha() or not capitals or core in _COMMON or token in _COMMON:
        return False
    if _ORDINARY_PART.search(core) or re.fullmatch(r"[A-Z][a-z]+(?:-[A-Z][a-z]+)+", core):
        return False
    if re.match(r"[a-z]{3}|(?:as|at|by|in|of|on|to)[A-Z][A-Za-z]", core):  # a word before it was joined to the name
        return False
    return capitals > 1 or any(letter.isdigit() for letter in core) or core[0].islower()


def _votes(paper: Paper, longer: LongerNames) -> Iterator[tuple[str, NameKind | None, int]]:
    """Each name in the paper with the kind that a mention speaks for, and how strongly."""
    title = _TITLE.fullmatch(paper.title)
    if title and all(map(is_name, title[1].split())):
        data = re.search(rf"\b(?:{_DATA}|suite|benchmarking)\b", title[2], re.I)
        metric = title[1].endswith("Score")
        yield title[1], "data set" if data else "metric" if metric else "method", 2
    for sentence in (paper.title, *sentences(paper.content)):
        for mentions in _mentions(sentence, longer):
            kinds = list(_find_speaking(mentions))
            for name in mentions.names:
                yield name, None, 0
                for kind, votes in kinds:
                    yield name, kind, votes


def _mentions(sentence: str, longer: LongerNames) -> Iterator[_Mentions]:
    spans: list[tuple[int, int, list[str]]] = []
    for begin, end, joined in longer.join(sentence, list(_TOKEN.finditer(sentence))):
        written = sentence[begin:end]
        if not (joined or is_name(written) or (begin and written in longer.titled)):
            continue
        name = _VERSION.sub(r"\1", strip_plural(written))
        if spans and _continues(sentence, spans[-1], begin):
            start, _, names = spans.pop()
            spans.append((start, end, [*names, name]))
        else:
            spans.append((begin, end, [name]))
    for start, end, names in spans:
        yield _Mentions(tuple(names), sentence[:start], sentence[end:])


def _continues(sentence: str, span: tuple[int, int, list[str]], start: int) -> bool:
    """Whether a name goes on the list before it; what was joined by "and" has ended."""
    first, end, _ = span
    return bool(_JOINED.fullmatch(sentence, end, start)) and " and " not in sentence[first:end]


def _find_speaking(mentions: _Mentions) -> Iterator[tuple[NameKind, int]]:
    before, after = mentions.before, mentions.after
    if re.match(r" [A-Z]\w*[A-Z]", after):  # the first word of a longer name
        return
    kinds: tuple[NameKind, ...] = ("data set", "metric", "method")
    for kind in kinds:
        if _AFTER[kind].match(after) or _BEFORE[kind].search(before):
            yield kind, 2
            return
    if _TESTED_ON.search(before) and _TESTING.search(before + after):
        yield "data set", 1
    elif _SUBJECT.match(after):
        yield "method", 1
    if len(mentions.names) > 1:
        return
    if _CALLED.search(before):
        named = [kind for kind in kinds if _BEFORE_CALLED[kind].search(before[-80:])]
        yield from ((kind, 2) for kind in named[:1])
    elif _PROPOSED.search(before) or _follows_long_form(mentions):
        is_data = _APPOSITION.match(after) or _names_behind(_DATA, before)
        yield "data set" if is_data else "metric" if _names_behind(_METRIC, before) else "method", 2


def _follows_long_form(mentions: _Mentions) -> bool:
    """Whether it stands in brackets behind its long form, which was just proposed."""
    if not (mentions.before.endswith("(") and mentions.after.startswith(")")):
        return False
    long = find_long_form(mentions.names[0], mentions.before[:-1])
    return bool(long) and bool(_PROPOSED.search(mentions.before[:-1].rstrip().removesuffix(long)))


def _call_data(before: str, after: str) -> bool:
    """Whether the words around a name say in so many words that it is data."""
    return bool(_AFTER["data set"].match(after) or _BEFORE["data set"].search(before))


def _names_behind(word: str, before: str) -> bool:
    """Whether one of the words stands shortly before: "a new metric, tracking accuracy (TA)"."""
    return bool(re.search(rf"\b{word}\b,?[^,]{{0,40}}$", before[-60:], re.I))
