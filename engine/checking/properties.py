"""What systems are said to be or to do without, which a source has to say in its own way: real time, no labels."""

from __future__ import annotations

import re

from engine.checking.strengths import Strength, match_words

_PEOPLE = r"(?:humans?|experts?|people|physicians?|doctors?|clinicians?|surgeons?|professionals?)"

_NOT_OVERCOME = "".join(
    rf"(?<!{before} )"
    for before in ("overcome the", "overcomes the", "overcoming the", "without", "no", "these", "such", "this", "not")
)
"""Before a limitation that is the work's own."""

PROPERTIES: tuple[Strength, ...] = (
    Strength(
        "parity with people",
        match_words(
            r"human[- ]level|superhuman",
            rf"(?:as [a-z]+ as|better than|surpass\w*|match\w*|rivals?|on (?:a )?par with|"
            rf"comparable to|at the level of) (?:\w+ )?{_PEOPLE}",
            rf"{_PEOPLE}[- ](?:accuracy|performance|parity)",
        ),
        match_words(
            rf"(?:than|to|with|by|over|like|as|of|and|against|versus|surpass\w*|exceed\w*|match\w*|outperform\w*|beat\w*)"
            rf" (?:[\w-]+ ){{0,3}}{_PEOPLE}",
            rf"{_PEOPLE}[- ](?:level|like|performance|baselines?|parity|accuracy|annotators?|raters?|judg\w+|quality|"
            r"evaluat\w+|experts?|capabilit\w+)",
            r"superhuman|crowd\w*|annotators?|participants?|radiologists?",
        ),
    ),
    Strength(
        "real time",
        match_words(r"real[- ]time|instantly|instantaneous\w*|at interactive rates?"),
        match_words(
            r"real[- ]time|on-?line|instant\w*|interactive\w*|milliseconds?|fast\w*|speed\w*|quick\w*|rapid\w*|latency|"
            r"efficient\w*|\d+ ?(?:ms|hz|khz|fps|frames)|frame[- ]rate"
        ),
        anywhere=True,
    ),
    Strength(
        "a study with people",
        match_words(
            r"(?:user|human|clinical|pilot|subject|participant) (?:stud(?:y|ies)|trials?|evaluations?|experiments?)|"
            r"participants|volunteers|human (?:subjects|raters|judges|evaluators|annotators)"
        ),
        match_words(
            r"users?|humans?|participants?|subjects?|volunteers?|persons?|people|patients?|students?|"
            r"children|adults?|operators?|surgeons?|experts?|crowd\w*|workers?|annotat\w+|raters?|judges?|prefer\w*|"
            r"clinic\w*|perceptual|drivers?|pilots?|novices?|pedestrians?|speakers?|players?|listen\w*|viewers?|"
            r"teachers?|readers?|men|women|evaluators?|respondents?"
        ),
        anywhere=True,
    ),
    Strength(
        "simulation",
        match_words(r"in simulation|simulations?|simulated|simulators?"),
        match_words(r"simulat\w*|virtual\w*|synthetic\w*|numeric\w*|computer|monte carlo|games?|render\w*"),
        anywhere=True,
    ),
    Strength(
        "a real machine",
        match_words(
            r"(?:real|physical|actual) (?:robots?|hardware|vehicles?|platforms?|systems?|arms?|cars?|drones?|"
            r"quadrotors?|machines?|devices?)|hardware (?:experiments?|tests?)|"
            r"experiments? (?:with|on|using) (?:an?|the|two|three|several) (?:\w+ ){0,3}(?:robots?|vehicles?|arms?|"
            r"manipulators?|drones?|hands?|platforms?|prototypes?)"
        ),
        match_words(
            r"real\w*|physical\w*|actual\w*|hardware|prototyp\w*|experiment\w*|implement\w*|built|deploy\w*|"
            r"flights?|in[- ]situ|field|test(?:s|ed|ing)?|trials?"
        ),
        anywhere=True,
    ),
    Strength(
        "everyday use",
        match_words(
            r"(?:commercial|industrial|consumer) (?:products?|use|services?|deployment)|in production|"
            r"in (?:daily|everyday|routine|clinical) (?:use|practice)|(?:has|have) been deployed|"
            r"(?:is|are|was|were) (?:already |now )?deployed"
        ),
        match_words(
            r"commerc\w*|products?|production|industr\w*|deploy\w*|daily|everyday|routine\w*|practic\w*|companies|company|"
            r"clinical\w*|in use|customers?|consumers?|users"
        ),
        anywhere=True,
    ),
    Strength(
        "no labels",
        match_words(
            r"without (?:(?!training\b)\w+ ){0,3}?(?:labels?|labell?ed|annotat\w*|supervision)|"
            r"label-free|annotation-free|needs? no (?:\w+ )?(?:labels?|annotat\w*|supervision)"
        ),
        match_words(
            r"unsupervis\w*|self-supervis\w*|unlabel\w*|unannotated|label-free|annotation-free|weak\w*|zero-shot|few-shot|"
            r"(?:without|no|not|never|avoid\w*|eliminat\w*|only|lack\w*|free|remov\w*) (?:[\w-]+ ){0,6}?"
            r"(?:labels?|labell\w*|labeled|labeling|annotat\w*|supervis\w*|ground[- ]truth)|"
            r"(?:labels?|annotations?|supervision) (?:\w+ ){0,3}?(?:not|unavailable|free)|raw|"
            r"automatic\w* (?:label|annotat)\w*"
        ),
        anywhere=True,
    ),
    Strength(
        "no training",
        match_words(
            r"without (?:\w+ ){0,2}?(?:re-?training|training|fine-?tuning)|training-free|needs? no (?:re)?training"
        ),
        match_words(
            r"training-free|tuning-free|zero-shot|off-the-shelf|plug-and-play|pre-?trained|plug-?ins?|model-free|"
            r"untrained|unsupervis\w*|"
            r"(?:without|no|not|never|avoid\w*|eliminat\w*|neither|nor|obviat\w*) (?:[\w-]+ ){0,6}?"
            r"(?:re-?train\w*|train\w*|fine-?tun\w*|learn\w*|optimi[sz]\w*|data)"
        ),
        anywhere=True,
    ),
    Strength(
        "statistical significance",
        match_words(r"statistical(?:ly)? significan\w+|significance tests?|p-values?"),
        match_words(r"statistic\w*|significan\w+|p-values?|p ?[<=] ?0?\.\d+|confidence"),
        anywhere=True,
    ),
    Strength(
        "slowness",
        match_words(
            r"(?:(?:is|are|was|were|but|and|yet|very|too|rather|training|inference|it) |^)slow(?:er)?|slower than|"
            r"sluggish\w*|time-consuming"
        ),
        match_words(
            r"slow\w*|sluggish|time|hours?|days?|weeks?|minutes?|expensive\w*|cost\w*|intensive\w*|overhead|exponential\w*|"
            r"faster|fastest|speed\w*|accelerat\w*|delay\w*|latenc\w+|inefficien\w+|heavy|prohibitive\w*|bottlenecks?|long\w*|"
            r"complexity|burden\w*|quadratic\w*"
        ),
        anywhere=True,
    ),
    Strength(
        "simulation alone",
        match_words(r"simulations? (?:only|alone)|only (?:tested |verified |evaluated |shown )?in simulations?"),
        re.compile(r"\A(?![\s\S]*\b(?:real|physical\w*|hardware|prototyp\w*|field|actual)\b)", re.I),
        anywhere=True,
    ),
    Strength(
        "work by hand",
        match_words(r"by hand|manual(?:ly)?|hand-?(?:crafted|designed|tuned|labell?ed|made)"),
        match_words(
            r"hand\w*|manual\w*|humans?|experts?|annotat\w*|persons?|people|users?|operators?|engineer\w*|"
            r"label\w*|supervis\w*|heuristic\w*|automatic\w*"
        ),
        anywhere=True,
    ),
    Strength(
        "a contest won",
        match_words(r"won (?:the|an?|first)|wins the|winners? of|(?<!in )first place|ranked first|victory"),
        match_words(r"won|wins?|winn\w+|first (?:place|prize)|rank\w* first|champion\w*|1st|victor\w*"),
        anywhere=True,
    ),
    Strength(
        "limitation",
        match_words(r"(?:is|are|remains?) (?:restricted|limited|confined|tied|bound) to|(?:applies|works) only"),
        match_words(
            rf"{_NOT_OVERCOME}(?:restrict|limit|confin)\w*|only|tied|specific\w*|constrain\w*|must|assum\w*|requir\w*|special\w*|just|"
            r"single|unable|cannot|not|narrow\w*|tailored"
        ),
        anywhere=True,
    ),
    Strength(
        "failure",
        match_words(
            r"useless|worthless|ineffective|"
            r"(?:is|are|was|were|remains?) (?:unproven|impractical|unusable|unreliable|unstable)"
        ),
        match_words(
            r"useless|worthless|ineffective\w*|fail\w*|not|cannot|no|never|poor\w*|un(?:able|proven|reliable|stable|usable|"
            r"known|clear)|impractical|infeasible|open|yet|limited|limitations?|lack\w*|struggl\w+|suffer\w*|instab\w+|"
            r"inefficient\w*|degrad\w*|brittle"
        ),
        anywhere=True,
    ),
    Strength(
        "no effect",
        match_words(
            r"(?:has|have|had|plays?|played|makes?|made|with) (?:no|little|hardly any) "
            r"(?:bearing|effect|influence|impact|role|difference|benefit|significance|importance)",
            r"(?:is|are|was|were) (?:irrelevant|negligible|immaterial|unaffected|unchanged|unrelated)|"
            r"do(?:es)? not matter|nothing (?:in common|to do) with",
        ),
        match_words(
            r"(?:no|not|never|little|neither|nor|hardly|without|minor|limited) [^,;.]{0,40}?(?:effect|affect|influence|"
            r"impact|role|differ|matter|depend|bearing|benefit|significan|importan|chang)\w*",
            r"independent\w*|irrespective|regardless|invarian\w*|irrelevant|insensitiv\w*|negligible|robust\w*|"
            r"unaffected|marginal\w*",
        ),
    ),
    Strength(
        "an inability",
        match_words(r"(?:cannot|can not|unable to|is not able to|fails? to|incapable of)"),
        match_words(
            r"no|not|never|none|cannot|without|neither|nor|fail\w*|unable|lack\w*|limit\w*|difficult\w*|struggl\w*|"
            r"challeng\w*|hard\w*|only|un(?!der\b|til\b|it|ion|i)\w+|in\w+(?:able|ible)|im\w+(?:able|ible)|in\w*capab\w+|"
            r"little|few|rare\w*|poor\w*|ignor\w*|neglect\w*|overlook\w*|avoid\w*|prevent\w*|"
            r"restrict\w*|insufficient\w*|inefficient\w*|weak\w*|miss\w*|instead|rather|unlike|overc[ao]m\w*"
        ),
        anywhere=True,
    ),
    Strength(
        "a pre-trained model",
        match_words(r"pre-?trained|(?:large |pre-?trained )(?:vision-)?language models?|LLMs?|foundation models?"),
        match_words(
            r"pre-?train\w*|language models?|LLMs?|V?LMs?|GPT\S*|\w*BERT\w*|LLaMA\S*|T5|CLIP|foundation|transfer\w*|"
            r"off-the-shelf|fine-?tun\w*|ImageNet|self-supervis\w*|prompt\w*|MLLMs?|ChatGPT|diffusion"
        ),
        anywhere=True,
    ),
    Strength(
        "derivation",
        match_words(
            r"(?:is|are|was|as) (?:an? |the )?(?:\w+ )?(?:variants?|extensions?|versions?|successors?|"
            r"generali[sz]ations?|special cases?|modifications?|descendants?|simplifications?) of"
        ),
        match_words(
            r"varia\w+|exten\w+|version\w*|generali[sz]\w+|success\w+|special cases?|modif\w+|descend\w*|simplif\w+|"
            r"bas(?:ed?|ing) on|buil\w+|inspired|adapt\w*|improv\w+"
        ),
    ),
    Strength(
        "objection",
        match_words(
            r"(?:warn|advis|caution|argu)\w* against|discourag\w+|refut\w+|criticiz\w+|dismiss(?:es|ed)?|disprov\w+|"
            r"(?:question|doubt)s? (?:whether|that|the use)"
        ),
        match_words(
            r"against|discourag\w*|refut\w*|reject\w*|critici\w*|critique\w*|dismiss\w*|question\w*|doubt\w*|"
            r"challeng\w*|caution\w*|warn\w*|disprov\w*|contrary|wrong\w*|flaw\w*|fail\w*|limitation\w*|unclear|"
            r"may not|pitfall\w*|myth\w*|contradict\w*|however|but"
        ),
        anywhere=True,
    ),
    Strength(
        "age",
        match_words(r"(?:decades?|centur(?:y|ies)|years) (?:old|ago)|for (?:decades|centuries|years)"),
        match_words(r"decades?|centur(?:y|ies)|years?|histor\w*|\d{4}s?"),
        anywhere=True,
    ),
    Strength(
        "a survey",
        match_words(
            r"(?:in their|this|the) (?:survey|review|tutorial|textbook|thesis) (?:of|by)|in their (?:survey|review)"
        ),
        match_words(r"survey\w*|review\w*|overview\w*|tutorial\w*|textbook|thesis|literature|summari[sz]\w*"),
        anywhere=True,
    ),
    Strength(
        "harm",
        match_words(r"worse|worsen\w*|harm(?:s|ed)?|hurts?|deteriorat\w+|degrad\w+|impair\w*"),
        match_words(
            r"worse\w*|harm\w*|hurt\w*|deteriorat\w*|degrad\w*|suffer\w*|impair\w*|drop\w*|loss\w*|los(?:es?|t|ing)|"
            r"decreas\w*|lower\w*|declin\w*|cost\w*|expense|adverse\w*|negativ\w*|poor\w*|fail\w*|limit\w*|"
            r"sacrific\w*|trade-?offs?|damag\w*|inferior\w*|weak\w*|reduc\w*|better|comparable|than|compromis\w*|"
            r"detriment\w*|insufficient\w*|outperform\w*|underperform\w*|bad\w*|errors?|drift\w*|struggl\w*"
        ),
        anywhere=True,
    ),
    Strength(
        "sufficiency",
        match_words(r"suffic(?:es?|ed|ient(?:ly)?)|(?:is|are|was|were) enough|good enough"),
        match_words(
            r"suffic\w+|enough|adequate\w*|already|alone|only|just|without|no need|as few as|"
            r"accommodat\w*|can be (?:achieved|reached|obtained|attained)|satisf\w*|merely|minimal\w*|solely"
        ),
        anywhere=True,
    ),
    Strength(
        "further training",
        match_words(
            r"(?:must|needs? to|ha(?:s|ve|d) to) be (?:fine-?tuned|re-?trained|trained again|adapted|calibrated)"
        ),
        match_words(r"fine-?tun\w*|finetun\w*|re-?train\w*|adapt\w*|calibrat\w*|re-?learn\w*"),
        anywhere=True,
    ),
    Strength(
        "thoroughness",
        match_words(
            r"(?:extensive(?:ly)?|comprehensive(?:ly)?|thorough(?:ly)?|large-scale|exhaustive(?:ly)?|rigorous(?:ly)?)"
        ),
        match_words(
            r"extensive\w*|comprehensive\w*|thorough\w*|large\w*|exhaustive\w*|rigorous\w*|intensive\w*|various|"
            r"numerous|many|wide\w*|broad\w*|systematic\w*|multiple|several|divers\w*|detail\w*|in-depth|all|every|"
            r"variety|range|careful\w*|full\w*|complete\w*|millions?|thousands?|\d{3,}\w*|formal\w*|prov\w+"
        ),
        anywhere=True,
    ),
)
"""Each is compared as those of `engine.checking.strengths` are."""
