"""What models say that is not so, to be planted on purpose: falsehoods made from true sentences."""

from __future__ import annotations

from bot.bench.measured_falsehoods import MEASURED_FALSEHOODS
from bot.bench.planting import (
    NAMED,
    Falsehood,
    Statement,
    add_data_of_another,
    add_unless_said,
    add_words,
    change_slightly,
    change_year,
    cite_another,
    enlarge,
    exchange_measures,
    exchange_words,
    join_papers,
    name_last_author,
    name_topic,
    put_before,
    reverse_direction,
    swap_words,
    turn_sides,
    widen_to_all,
    write_about,
    write_unless_better,
)
from bot.bench.retold_falsehoods import RETOLD_FALSEHOODS

_UNITS = {
    "ms": "s", "seconds": "minutes", "minutes": "hours", "hours": "days", "mm": "cm", "cm": "m",
    "MB": "GB", "GB": "TB", "Hz": "kHz", "million": "billion",
}  # fmt: skip
_OPPOSITES = {
    "higher": "lower", "lower": "higher", "faster": "slower", "slower": "faster", "better": "worse", "worse": "better",
    "larger": "smaller", "smaller": "larger", "fewer": "more",
}  # fmt: skip
_COUNTS = {"two": "three", "three": "five", "four": "six", "five": "three", "six": "four", "seven": "nine"}


_FIELD = "field|sea|ocean|water|real|deploy|road|driv|trial|live|daily|farm|mine|flight|fly|situ|industr|produc|comm"
_SLOW = (
    "slow|time|cost|expens|fast|speed|long|heavy|complex|burden|delay|day|hour|week|minute|effic|quadr|bottle|accel|"
    "laten|intens|overhead|prohib|expon"
)
_PEOPLE = "human|expert|people|person|crowd|annotat|participant|manual|physician|doctor|clinician|surgeon|professional"


_DIGITS = r"(?<![\w.,-])\d[\d,]*(?:\.\d+)?(?![\w%-]|\.\d|,\d)"

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
    Falsehood("another number", seen=True, make=swap_words(_DIGITS, enlarge)),
    Falsehood("another percentage", seen=True, make=swap_words(r"\d[\d.]*(?= ?%)", enlarge)),
    Falsehood("an added percentage", seen=True, make=add_words(" by 37.5%")),
    Falsehood("an added multiple", seen=True, make=add_words(", which is four times as fast")),
    Falsehood("an added count in words", seen=True, make=add_words(" on seventeen data sets")),
    Falsehood("an added order of magnitude", seen=True, make=add_words(" with 640 billion parameters")),
    Falsehood("a wrong year", seen=True, make=put_before("As early as 1987 it was known that")),
    Falsehood("an invented method", seen=True, make=add_words(" and replaces QuantaFormer-9")),
    Falsehood("another method's name", seen=True, make=swap_words(NAMED, "ZetaRanker")),
    Falsehood("an invented data set", seen=True, make=add_words(" on the OmniBench corpus")),
    Falsehood("an invented author", seen=True, make=put_before("Wolpertinger et al. show that")),
    Falsehood("an invented venue", seen=True, make=add_words(", as presented at the Zurich Symposium")),
    Falsehood("first", seen=True, make=write_about("This was the first work ever to study {topic}.")),
    Falsehood("always", seen=True, make=write_about("Work on {topic} always succeeds without exception.")),
    Falsehood("fully", seen=True, make=write_about("The difficulties of {topic} are fully and perfectly solved.")),
    Falsehood("all", seen=True, make=widen_to_all),
    Falsehood(
        "outperforms",
        seen=True,
        make=write_unless_better("The approach to {topic} outperforms and surpasses earlier systems."),
    ),
    Falsehood(
        "proved", seen=True, make=write_about("It is mathematically proven and guaranteed that {topic} converges.")
    ),
    Falsehood("eliminates", seen=True, make=write_about("Errors of {topic} are eliminated and eradicated by it.")),
    Falsehood("never", seen=True, make=write_about("Nobody ever criticised {topic}, and it never fails.")),
    Falsehood(
        "a negation taken out", seen=True, make=swap_words(r" (?:do|does|did|is|are|was|were|can)(?: not|not)\b", "")
    ),
    Falsehood("a negation put in", seen=True, make=swap_words(r"\b(is|are|was|were|can) (?!not)", r"\1 not ")),
    Falsehood("the opposite", seen=True, make=swap_words(r"\bimprov(es|ed|ing|e)\b", r"degrad\1")),
    Falsehood("a hedge taken out", seen=True, make=swap_words(r"\b(?:may|might|could|sometimes|often) ", "")),
    Falsehood(
        "sides of a comparison",
        seen=True,
        make=swap_words(
            r"^(.+?) (outperforms?|surpass(?:es)?) (.+?)(?= (?:on|in|by|at|with|across)\b|[.,])", turn_sides
        ),
    ),
    Falsehood("numbers exchanged", seen=True, make=exchange_measures),
    Falsehood(
        "points for percent", seen=True, make=swap_words(r"(\d) ?%(?! ?points?| ?absolute)", r"\1 percentage points")
    ),
    Falsehood("percent for times", seen=True, make=swap_words(r"(\d)(?:x|×| times)\b", r"\1%")),
    Falsehood(
        "a direction turned", seen=True, make=swap_words(r"\b(increas|decreas|reduc)(es?|ing|ed)\b", reverse_direction)
    ),
    Falsehood("another first author", seen=True, make=name_last_author),
    Falsehood("another year beside the authors", seen=True, make=change_year),
    Falsehood(
        "state of the art", seen=True, make=write_unless_better("The approach to {topic} sets a new state of the art.")
    ),
    Falsehood("orders of magnitude", seen=True, make=add_words(" and is orders of magnitude cheaper")),
    Falsehood("a widened scope", seen=True, make=add_words(", and so it does in all languages")),
    Falsehood("another unit", seen=True, make=exchange_words(_UNITS, r"(?<=\d )")),
    Falsehood("a number nearby", seen=True, make=swap_words(r"(?<![\w.,-])\d+\.\d+(?![\w.])", change_slightly)),
    Falsehood("another count", seen=True, make=exchange_words(_COUNTS, behind=r"(?= \w+s\b)")),
    Falsehood("an opposite adjective", seen=True, make=exchange_words(_OPPOSITES, behind=r"(?! bound)")),
    Falsehood("with for without", seen=False, make=exchange_words({"without": "with"})),
    Falsehood(
        "another task", seen=True, make=add_unless_said("speech|audio|voice|spoken|acoust", " for speech recognition")
    ),
    Falsehood(
        "another domain",
        seen=True,
        make=add_unless_said("medic|clinic|patient|hospital|health|surg", " in medical diagnosis"),
    ),
    Falsehood("another metric", seen=True, make=add_unless_said("BLEU", ", as measured by BLEU")),
    Falsehood("another paper's data set", seen=True, make=add_data_of_another),
    Falsehood(
        "a superlative",
        seen=True,
        make=write_unless_better("The approach to {topic} is the fastest and the most accurate of all."),
    ),
    Falsehood(
        "human level", seen=True, make=add_unless_said("human|people|person|expert", ", on a par with human experts")
    ),
    Falsehood(
        "no labels", seen=True, make=add_unless_said("label|annot|supervis|few|shot", " without any labelled data")
    ),
    Falsehood(
        "no training",
        seen=True,
        make=add_unless_said("train|learn|tun|off-the-shelf|as it is|zero", " without any training"),
    ),
    Falsehood(
        "real time", seen=True, make=add_unless_said("real|time|fast|speed|effici|onlin|frame|rapid", " in real time")
    ),
    Falsehood(
        "everyday use",
        seen=True,
        make=add_unless_said(
            "deploy|product|industr|commerc|practic|user|clinic|daily", " and is used in commercial products"
        ),
    ),
    Falsehood(
        "a trial",
        seen=True,
        make=add_unless_said("medic|clinic|patient|health|surg|trial", ", as a trial with patients has shown"),
    ),
    Falsehood(
        "significance",
        seen=True,
        make=add_unless_said("signific|statistic", ", and the difference is statistically significant"),
    ),
    Falsehood(
        "robustness", seen=True, make=add_unless_said("robust|nois|perturb|advers|attack", " and is robust to attacks")
    ),
    Falsehood(
        "a proof",
        seen=True,
        make=add_unless_said("theor|proo|prov|guarant|bound|converg", ", with a proof of convergence"),
    ),
    Falsehood("slowness", seen=True, make=add_unless_said(_SLOWNESS, ", but it is slow")),
    Falsehood(
        "another language",
        seen=True,
        make=add_unless_said("chinese|lingual|language", " on texts in Chinese"),
    ),
    Falsehood(
        "a study with people",
        seen=True,
        make=add_unless_said(_PEOPLE, ", as a user study with forty participants confirms"),
    ),
    Falsehood("a power of ten", seen=True, make=add_words(" with a learning rate of 3e-7")),
    Falsehood(
        "another order of magnitude", seen=True, make=swap_words(r"(?<![\w.,-])(\d{2,3})(?= (?!%)[a-z])", r"\g<1>00")
    ),
    Falsehood("a fraction", seen=True, make=add_words(" in one fifth of the cases")),
    Falsehood("a range", seen=True, make=add_words(", with gains between 13 and 17 points")),
    Falsehood(
        "a real machine",
        seen=True,
        make=add_unless_said(
            "real|physical|hardware|experiment|test|deploy|demonstrat|implement|empiric|built|prototyp|trial",
            " on a real robot",
        ),
    ),
    Falsehood(
        "a contest won",
        seen=True,
        make=add_unless_said(r"\bw[io]n|first|1st|champion|victor", ", and won the challenge"),
    ),
    Falsehood(
        "work by hand",
        seen=True,
        make=add_unless_said(
            "hand|manual|human|expert|annot|person|people|user|operator|engineer|label|supervis|heuristic|automatic",
            ", with rules set by hand",
        ),
    ),
    Falsehood(
        "a limitation",
        seen=True,
        make=add_unless_said(
            "restrict|limit|confin|only|tied|specific|constrain|must|assum|requir|special|just|single|unable|not|narrow|"
            "tailored",
            ", and is restricted to short inputs",
        ),
    ),
    Falsehood("the skill of people", seen=True, make=add_unless_said(_PEOPLE, ", as fluently as a human expert")),
    Falsehood("the accuracy of people", seen=True, make=add_unless_said(_PEOPLE, ", and reaches human accuracy")),
    Falsehood("a trial at sea", seen=True, make=add_unless_said(_FIELD, " at sea")),
    Falsehood("simulation alone", seen=True, make=add_words(", in simulation only")),
    Falsehood("a part told in words", seen=True, make=add_words(" at a seventh of the cost and a fifth of the size")),
    Falsehood("a part of a million", seen=True, make=add_words(" from three quarters of a million examples")),
    Falsehood("slower training", seen=True, make=add_unless_said(_SLOW, ", but training is slower")),
    Falsehood("turns a minute", seen=True, make=add_words(" at 730 revolutions per minute")),
    Falsehood("an invented weakness", seen=True, make=add_unless_said(_WEAKNESS, ", and the results are unreliable")),
    Falsehood("an invented dependence", seen=False, make=add_words(", which depends on the choice of the optimizer")),
    Falsehood("an invented date", seen=True, make=add_words(", a result that was published in March 2031")),
    Falsehood("rarely", seen=False, make=write_about("Researchers rarely and seldom compare {topic} with anything.")),
    Falsehood(
        "another field",
        seen=True,
        make=write_about("Bridges of steel corrode faster under salt water and heavy traffic loads."),
    ),
    Falsehood(
        "no citation",
        seen=True,
        make=lambda t, _: Statement(f"Practitioners of {name_topic(t.paper)} tend to prefer small teams.", t.paper, ""),
    ),
    Falsehood(
        "an unknown key",
        seen=True,
        make=lambda t, _: Statement(
            f"Practitioners of {name_topic(t.paper)} work in small teams.", t.paper, "arxiv:9912.99999"
        ),
    ),
    Falsehood(
        "words the paper lacks",
        seen=True,
        make=write_about("Researchers on {topic} were paid by the sentence."),
        verdict="invented words",
    ),
    Falsehood(
        "no verdict", seen=True, make=write_about("Researchers on {topic} met in small rooms."), verdict="missing"
    ),
    Falsehood("another paper's claim", seen=False, make=cite_another),
    Falsehood("two papers in one", seen=False, make=join_papers),
    Falsehood("an invented cause", seen=False, make=add_words(" because its authors used smaller batches")),
    Falsehood(
        "an invented finding",
        seen=False,
        make=write_about("Work on {topic} finds that its quality depends on its input."),
    ),
    Falsehood("an invented limit", seen=False, make=add_words(", although training remains slow")),
    *MEASURED_FALSEHOODS,
    *RETOLD_FALSEHOODS,
)
"""Those not ``seen`` are left to the checker, and survive as often as it errs."""
