"""What models say that is not so, to be planted on purpose: falsehoods made from true sentences."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from engine.retrieval.identity import surname
from engine.text import fold
from engine.values import Paper


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence without its citation, and the paper that says it; ``cited`` is the key it is written with."""

    text: str
    paper: Paper
    cited: str


@dataclass(frozen=True, slots=True)
class Falsehood:
    """A kind of falsehood: ``make`` turns a true statement into a false one, or gives ``None`` where it cannot.

    ``seen`` says that a program can see it, whatever the checker says; ``other`` is a paper about something else.
    ``verdict`` is what the checker does with it every time: give no verdict, or name words that the paper lacks.
    """

    name: str
    seen: bool
    make: Callable[[Statement, Paper], Statement | None]
    verdict: Literal["", "missing", "invented words"] = ""


def _change(text: str, pattern: str, into: str | Callable[[re.Match[str]], str]) -> str | None:
    changed = re.sub(pattern, into, text, count=1, flags=re.I)
    return changed if changed != text else None


def _swap(pattern: str, into: str | Callable[[re.Match[str]], str]) -> Callable[[Statement, Paper], Statement | None]:
    """The statement with the first thing the pattern finds changed."""

    def make(true: Statement, _: Paper) -> Statement | None:
        text = _change(true.text, pattern, into)
        return Statement(text, true.paper, true.cited) if text else None

    return make


def _with(addition: str) -> Callable[[Statement, Paper], Statement | None]:
    """The statement with words put before its end."""
    return lambda true, _: Statement(f"{true.text.rstrip('.')}{addition}.", true.paper, true.cited)


def _before(words: str) -> Callable[[Statement, Paper], Statement | None]:
    """The statement as part of a longer one."""
    return lambda true, _: Statement(f"{words} {true.text[:1].lower()}{true.text[1:]}", true.paper, true.cited)


def _about(text: str) -> Callable[[Statement, Paper], Statement | None]:
    """A sentence of its own, cited to the paper."""
    return lambda true, _: Statement(text.format(topic=_topic(true.paper)), true.paper, true.cited)


def _topic(paper: Paper) -> str:
    return " ".join(re.findall(r"[A-Za-z-]+", paper.title.rpartition(":")[2])[:5]).lower() or "the task"


def _in_all_cases(true: Statement, _: Paper) -> Statement | None:
    if re.search(r"\b(?:all|every|each|any|always|universal\w*|regardless)\b", true.paper.content, re.I):
        return None
    return Statement(f"In all domains {true.text[:1].lower()}{true.text[1:]}", true.paper, true.cited)


def _unless_better(text: str) -> Callable[[Statement, Paper], Statement | None]:
    """A sentence of its own, where the paper says of nothing that it is better."""

    def make(true: Statement, _: Paper) -> Statement | None:
        if re.search(
            r"\b(?:better|best|improv\w+|outperform\w*|surpass\w*|superior|gains?)\b", true.paper.content, re.I
        ):
            return None
        return Statement(text.format(topic=_topic(true.paper)), true.paper, true.cited)

    return make


def _bigger(match: re.Match[str]) -> str:
    return f"{float(match[0].replace(',', '')) * 3 + 11:g}"


def _cite_another(true: Statement, other: Paper) -> Statement:
    return Statement(true.text, true.paper, other.key)


def _two_papers(true: Statement, other: Paper) -> Statement | None:
    said = re.split(r"(?<=[.!?]) ", other.content)[0].rstrip(".")
    return Statement(f"{true.text.rstrip('.')}, while {said[:1].lower()}{said[1:]}.", true.paper, true.cited)


def _sides(match: re.Match[str]) -> str:
    return f"{match[3]} {match[2]} {match[1]}"


def _another_author(true: Statement, _: Paper) -> Statement | None:
    """Attributed to the paper's last author as if it were the first."""
    if len(true.paper.authors) < 2 or surname(true.paper.authors[-1]) in fold(true.paper.authors[0]):
        return None
    name = true.paper.authors[-1].split()[-1]
    return Statement(f"{name} et al. report that {_lower_first(true.text)}", true.paper, true.cited)


def _another_year(true: Statement, _: Paper) -> Statement | None:
    """Attributed to the first author with the year of another paper."""
    if not true.paper.authors or not true.paper.year:
        return None
    name, year = true.paper.authors[0].split()[-1], true.paper.year - 3
    return Statement(f"{name} et al. ({year}) report that {_lower_first(true.text)}", true.paper, true.cited)


def _lower_first(text: str) -> str:
    return f"{text[:1].lower()}{text[1:]}"


def _exchange_measures(true: Statement, _: Paper) -> Statement | None:
    """Two measures of one sentence in each other's place."""
    found = re.findall(r"(?<![\w.,-])\d+\.\d+(?![\w.])", true.text)
    if len(set(found)) != 2 or len(found) != 2:
        return None
    text = true.text.replace(found[0], "#").replace(found[1], found[0]).replace("#", found[1])
    return Statement(text, true.paper, true.cited)


def _reverse(match: re.Match[str]) -> str:
    return {"increas": "decreas", "decreas": "increas", "reduc": "increas", "high": "low", "low": "high"}[
        match[1].lower()
    ] + match[2].lower()


_UNITS = {
    "ms": "s", "seconds": "minutes", "minutes": "hours", "hours": "days", "mm": "cm", "cm": "m",
    "MB": "GB", "GB": "TB", "Hz": "kHz", "million": "billion",
}  # fmt: skip
_OPPOSITES = {
    "higher": "lower", "lower": "higher", "faster": "slower", "slower": "faster", "better": "worse", "worse": "better",
    "larger": "smaller", "smaller": "larger", "fewer": "more",
}  # fmt: skip
_COUNTS = {"two": "three", "three": "five", "four": "six", "five": "three", "six": "four", "seven": "nine"}


def _exchange(
    words: dict[str, str], before: str = "", behind: str = ""
) -> Callable[[Statement, Paper], Statement | None]:
    """The statement with the first of these words changed into its counterpart."""

    def make(true: Statement, _: Paper) -> Statement | None:
        text = re.sub(rf"{before}\b({'|'.join(words)})\b{behind}", lambda m: words[m[1]], true.text, count=1)
        return Statement(text, true.paper, true.cited) if text != true.text else None

    return make


def _nearby(match: re.Match[str]) -> str:
    places = len(match[0].partition(".")[2])
    return f"{float(match[0]) * 1.11 + 10.0**-places:.{places}f}"


def _unless_said(pattern: str, addition: str) -> Callable[[Statement, Paper], Statement | None]:
    """The statement with words put before its end, where the paper says nothing of the kind."""

    def make(true: Statement, _: Paper) -> Statement | None:
        if re.search(pattern, f"{true.paper.title} {true.paper.content}", re.I):
            return None
        return Statement(f"{true.text.rstrip('.')}{addition}.", true.paper, true.cited)

    return make


_FIELD = "field|sea|ocean|water|real|deploy|road|driv|trial|live|daily|farm|mine|flight|fly|situ|industr|produc|comm"
_SLOW = (
    "slow|time|cost|expens|fast|speed|long|heavy|complex|burden|delay|day|hour|week|minute|effic|quadr|bottle|accel|"
    "laten|intens|overhead|prohib|expon"
)
_PEOPLE = "human|expert|people|person|crowd|annotat|participant|manual|physician|doctor|clinician|surgeon|professional"


def _on_data_of_another(true: Statement, other: Paper) -> Statement | None:
    """Tested on what another paper names."""
    own = true.paper.content
    named = [n for n in re.findall(_NAMED, other.content) if n.partition("-")[0] not in own and len(n) > 3]
    return Statement(f"{true.text.rstrip('.')} on {named[0]}.", true.paper, true.cited) if named else None


_DIGITS = r"(?<![\w.,-])\d[\d,]*(?:\.\d+)?(?![\w%-]|\.\d|,\d)"
_NAMED = r"(?<=[a-z,] )[A-Z][a-z]*[A-Z0-9][\w-]*"

_SLOWNESS = (
    "slow|time|hour|day|minute|expens|cost|intens|overhead|exponential|fast|speed|accelerat|delay|latenc|effici|heavy|"
    "prohibitive|bottleneck|long|complex|burden|quadratic"
)
_WEAKNESS = (
    "fail|no|never|poor|un|effective|feasible|open|yet|limit|lack|struggl|suffer|stab|effici|degrad|brittle|practical"
)
_PEOPLE = (
    "user|human|particip|subject|volunteer|person|people|patient|student|child|adult|operator|expert|crowd|worker|annotat|"
    "rater|judg|prefer|clinic|reader|perceptual|player|speaker|viewer|teacher|respondent|evaluat"
)

FALSEHOODS: tuple[Falsehood, ...] = (
    Falsehood("another number", seen=True, make=_swap(_DIGITS, _bigger)),
    Falsehood("another percentage", seen=True, make=_swap(r"\d[\d.]*(?= ?%)", _bigger)),
    Falsehood("an added percentage", seen=True, make=_with(" by 37.5%")),
    Falsehood("an added multiple", seen=True, make=_with(", which is four times as fast")),
    Falsehood("an added count in words", seen=True, make=_with(" on seventeen data sets")),
    Falsehood("an added order of magnitude", seen=True, make=_with(" with 640 billion parameters")),
    Falsehood("a wrong year", seen=True, make=_before("As early as 1987 it was known that")),
    Falsehood("an invented method", seen=True, make=_with(" and replaces QuantaFormer-9")),
    Falsehood("another method's name", seen=True, make=_swap(_NAMED, "ZetaRanker")),
    Falsehood("an invented data set", seen=True, make=_with(" on the OmniBench corpus")),
    Falsehood("an invented author", seen=True, make=_before("Wolpertinger et al. show that")),
    Falsehood("an invented venue", seen=True, make=_with(", as presented at the Zurich Symposium")),
    Falsehood("first", seen=True, make=_about("This was the first work ever to study {topic}.")),
    Falsehood("always", seen=True, make=_about("Work on {topic} always succeeds without exception.")),
    Falsehood("fully", seen=True, make=_about("The difficulties of {topic} are fully and perfectly solved.")),
    Falsehood("all", seen=True, make=_in_all_cases),
    Falsehood(
        "outperforms",
        seen=True,
        make=_unless_better("The approach to {topic} outperforms and surpasses earlier systems."),
    ),
    Falsehood("proved", seen=True, make=_about("It is mathematically proven and guaranteed that {topic} converges.")),
    Falsehood("eliminates", seen=True, make=_about("Errors of {topic} are eliminated and eradicated by it.")),
    Falsehood("never", seen=True, make=_about("Nobody ever criticised {topic}, and it never fails.")),
    Falsehood("a negation taken out", seen=True, make=_swap(r" (?:do|does|did|is|are|was|were|can)(?: not|not)\b", "")),
    Falsehood("a negation put in", seen=True, make=_swap(r"\b(is|are|was|were|can) (?!not)", r"\1 not ")),
    Falsehood("the opposite", seen=True, make=_swap(r"\bimprov(es|ed|ing|e)\b", r"degrad\1")),
    Falsehood("a hedge taken out", seen=True, make=_swap(r"\b(?:may|might|could|sometimes|often) ", "")),
    Falsehood(
        "sides of a comparison",
        seen=True,
        make=_swap(r"^(.+?) (outperforms?|surpass(?:es)?) (.+?)(?= (?:on|in|by|at|with|across)\b|[.,])", _sides),
    ),
    Falsehood("numbers exchanged", seen=True, make=_exchange_measures),
    Falsehood("points for percent", seen=True, make=_swap(r"(\d) ?%(?! ?points?| ?absolute)", r"\1 percentage points")),
    Falsehood("percent for times", seen=True, make=_swap(r"(\d)(?:x|×| times)\b", r"\1%")),
    Falsehood("a direction turned", seen=True, make=_swap(r"\b(increas|decreas|reduc)(es?|ing|ed)\b", _reverse)),
    Falsehood("another first author", seen=True, make=_another_author),
    Falsehood("another year beside the authors", seen=True, make=_another_year),
    Falsehood(
        "state of the art", seen=True, make=_unless_better("The approach to {topic} sets a new state of the art.")
    ),
    Falsehood("orders of magnitude", seen=True, make=_with(" and is orders of magnitude cheaper")),
    Falsehood("a widened scope", seen=True, make=_with(", and so it does in all languages")),
    Falsehood("another unit", seen=True, make=_exchange(_UNITS, r"(?<=\d )")),
    Falsehood("a number nearby", seen=True, make=_swap(r"(?<![\w.,-])\d+\.\d+(?![\w.])", _nearby)),
    Falsehood("another count", seen=True, make=_exchange(_COUNTS, behind=r"(?= \w+s\b)")),
    Falsehood("an opposite adjective", seen=True, make=_exchange(_OPPOSITES, behind=r"(?! bound)")),
    Falsehood("with for without", seen=False, make=_exchange({"without": "with"})),
    Falsehood(
        "another task", seen=True, make=_unless_said("speech|audio|voice|spoken|acoust", " for speech recognition")
    ),
    Falsehood(
        "another domain",
        seen=True,
        make=_unless_said("medic|clinic|patient|hospital|health|surg", " in medical diagnosis"),
    ),
    Falsehood("another metric", seen=True, make=_unless_said("BLEU", ", as measured by BLEU")),
    Falsehood("another paper's data set", seen=True, make=_on_data_of_another),
    Falsehood(
        "a superlative",
        seen=True,
        make=_unless_better("The approach to {topic} is the fastest and the most accurate of all."),
    ),
    Falsehood(
        "human level", seen=True, make=_unless_said("human|people|person|expert", ", on a par with human experts")
    ),
    Falsehood("no labels", seen=True, make=_unless_said("label|annot|supervis", " without any labelled data")),
    Falsehood("no training", seen=True, make=_unless_said("train|learn|fine-tun", " without any training")),
    Falsehood(
        "real time", seen=True, make=_unless_said("real|time|fast|speed|effici|onlin|frame|rapid", " in real time")
    ),
    Falsehood(
        "everyday use",
        seen=True,
        make=_unless_said(
            "deploy|product|industr|commerc|practic|user|clinic|daily", " and is used in commercial products"
        ),
    ),
    Falsehood(
        "a trial",
        seen=True,
        make=_unless_said("medic|clinic|patient|health|surg|trial", ", as a trial with patients has shown"),
    ),
    Falsehood(
        "significance",
        seen=True,
        make=_unless_said("signific|statistic", ", and the difference is statistically significant"),
    ),
    Falsehood(
        "robustness", seen=True, make=_unless_said("robust|nois|perturb|advers|attack", " and is robust to attacks")
    ),
    Falsehood(
        "a proof",
        seen=True,
        make=_unless_said("theor|proo|prov|guarant|bound|converg", ", with a proof of convergence"),
    ),
    Falsehood("slowness", seen=True, make=_unless_said(_SLOWNESS, ", but it is slow")),
    Falsehood(
        "another language",
        seen=True,
        make=_unless_said("chinese|lingual|language", " on texts in Chinese"),
    ),
    Falsehood(
        "a study with people",
        seen=True,
        make=_unless_said(_PEOPLE, ", as a user study with forty participants confirms"),
    ),
    Falsehood("a power of ten", seen=True, make=_with(" with a learning rate of 3e-7")),
    Falsehood("another order of magnitude", seen=True, make=_swap(r"(?<![\w.,-])(\d{2,3})(?= (?!%)[a-z])", r"\g<1>00")),
    Falsehood("a fraction", seen=True, make=_with(" in two fifths of the cases")),
    Falsehood("a range", seen=True, make=_with(", with gains between 13 and 17 points")),
    Falsehood(
        "a real machine",
        seen=True,
        make=_unless_said(
            "real|physical|hardware|experiment|test|deploy|demonstrat|implement|empiric|built|prototyp|trial",
            " on a real robot",
        ),
    ),
    Falsehood(
        "a contest won", seen=True, make=_unless_said(r"\bw[io]n|first|1st|champion|victor", ", and won the challenge")
    ),
    Falsehood(
        "work by hand",
        seen=True,
        make=_unless_said(
            "hand|manual|human|expert|annot|person|people|user|operator|engineer|label|supervis|heuristic|automatic",
            ", with rules set by hand",
        ),
    ),
    Falsehood(
        "a limitation",
        seen=True,
        make=_unless_said(
            "restrict|limit|confin|only|tied|specific|constrain|must|assum|requir|special|just|single|unable|not|narrow|"
            "tailored",
            ", and is restricted to short inputs",
        ),
    ),
    Falsehood("the skill of people", seen=True, make=_unless_said(_PEOPLE, ", as fluently as a human expert")),
    Falsehood("the accuracy of people", seen=True, make=_unless_said(_PEOPLE, ", and reaches human accuracy")),
    Falsehood("a trial at sea", seen=True, make=_unless_said(_FIELD, " at sea")),
    Falsehood("simulation alone", seen=True, make=_with(", in simulation only")),
    Falsehood("a part told in words", seen=True, make=_with(" at a seventh of the cost and a fifth of the size")),
    Falsehood("a part of a million", seen=True, make=_with(" from three quarters of a million examples")),
    Falsehood("slower training", seen=True, make=_unless_said(_SLOW, ", but training is slower")),
    Falsehood("turns a minute", seen=True, make=_with(" at 730 revolutions per minute")),
    Falsehood("an invented weakness", seen=True, make=_unless_said(_WEAKNESS, ", and the results are unreliable")),
    Falsehood("an invented dependence", seen=False, make=_with(", which depends on the choice of the optimizer")),
    Falsehood("an invented date", seen=True, make=_with(", a result that was published in March 2031")),
    Falsehood("rarely", seen=False, make=_about("Researchers rarely and seldom compare {topic} with anything.")),
    Falsehood(
        "another field",
        seen=True,
        make=_about("Bridges of steel corrode faster under salt water and heavy traffic loads."),
    ),
    Falsehood(
        "no citation",
        seen=True,
        make=lambda t, _: Statement(f"Practitioners of {_topic(t.paper)} tend to prefer small teams.", t.paper, ""),
    ),
    Falsehood(
        "an unknown key",
        seen=True,
        make=lambda t, _: Statement(
            f"Practitioners of {_topic(t.paper)} work in small teams.", t.paper, "arxiv:9912.99999"
        ),
    ),
    Falsehood(
        "words the paper lacks",
        seen=True,
        make=_about("Researchers on {topic} were paid by the sentence."),
        verdict="invented words",
    ),
    Falsehood("no verdict", seen=True, make=_about("Researchers on {topic} met in small rooms."), verdict="missing"),
    Falsehood("another paper's claim", seen=False, make=_cite_another),
    Falsehood("two papers in one", seen=False, make=_two_papers),
    Falsehood("an invented cause", seen=False, make=_with(" because its authors used smaller batches")),
    Falsehood(
        "an invented finding", seen=False, make=_about("Work on {topic} finds that its quality depends on its input.")
    ),
    Falsehood("an invented limit", seen=False, make=_with(", although training remains slow")),
)
"""Those not ``seen`` are left to the checker, and survive as often as it errs."""
