"""What kind of work a paper says it is: a survey of others, a data set, benchmark or evaluation, or theory."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from engine.values import Paper

_SURVEY = re.compile(
    r"\b(?:an?|the|this|systematic|literature|critical|comprehensive|brief|short|selective|structured|scoping|comparative|"
    r"recent|historical|empirical|technical|state-of-the-art)[ -](?:[\w-]+ ){0,2}?(?:surveys?|reviews?|overviews?)\b"
    r"(?! data)|"
    r"\b(?:surveys?|reviews?|overviews?|tutorial) (?:of|on|and|for|to)\b|"
    r"(?:^|[:—–-] )(?:surveys?|surveying|reviewing|overview|tutorial|reviews?(?= (?:of|on)\b|,|$))\b|"
    r"\b(?:survey|(?<!for )review|overview|tutorial)$|(?:^|: )(?:the )?state[- ]of[- ]the[- ]art in\b|"
    r": (?:a )?(?:[\w-]+ )?(?:taxonomy (?:of|and)\b|roadmap\b(?! \w+ing\b))",
    re.I,
)
_ABOUT_REVIEWS = re.compile(
    r"\b(?:peer|product|movie|film|hotel|restaurant|book|customer|consumer|user|online|app|code|expert|paper)"
    r"[- ]reviews?\b|"
    r"\breviews?[- ](?:generation|summari[sz]ation|mining|classification|scores?|helpfulness)\b|,? and reviews?\b(?!:)|"
    r"\btaxonomy (?:expansion|induction|learning|construction|completion|enrichment)\b|"
    r"\bsurvey (?:data|propagation|vessel)\b",
    re.I,
)

_DATA = r"(?:data ?set|corpus|benchmarks?|test ?suite|leaderboard|challenge set)"
_EVALUATION = re.compile(
    r"\b(?:benchmarking|automat(?:ic|ed) evaluation|evaluation (?:framework|protocol|suite)|shared tasks?)\b|"
    r"(?:^|: )(?:re-?)?evaluating\b|"
    rf"(?<![\w-])(?:[\w-]+[ -])?{_DATA}"
    r"(?=$|[:?!.,)]| (?:for|of|with|on|to|from|in|and|towards?|that|based|2\d{3}|v\d)\b)",
    re.I,
)
_ABOUT_DATA = re.compile(
    r"\b(?:data ?sets?|corpus|corpora|benchmarks?)[- ](?:distillation|condensation|pruning|bias(?:es)?|shift)\b|"
    r"\b(?:across|between|over) (?:[\w-]+ ){0,2}(?:data ?sets?|corpora)\b|"
    rf"\bfrom an? (?:[\w-]+ ){{0,3}}?{_DATA}\b|"
    rf"\b(?:on|from|with|using|without|via|in|current|existing|for) (?:(?!an? )[\w-]+ ){{0,4}}?{_DATA}\b|\bcross-",
    re.I,
)

_THEORY = re.compile(
    r"\b(?:lower|upper|regret|risk|error|generali[sz]ation|minimax|excess|complexity|convergence|approximation) "
    r"bounds?\b|\bbounds (?:for|on)\b|\b(?:sample|label|query|communication|oracle|iteration) complexity\b|"
    r"\bconvergence (?:rates?|analysis|guarantees?|of)\b|\bprovabl[ey]\b|\bidentifiability\b|\bexpressive power\b|"
    r"\b(?:performance|recovery|theoretical|optimality) guarantees?\b|\b(?:hardness|impossibility|negative) results?\b|"
    r"\btheoretical\b(?! and (?:experiment|practic))|\b(?:minimax|near|asymptotic(?:ally)?)[ -]optimal(?:ity)?\b|"
    r"\bminimax rates?\b|\bgenerali[sz]ation error\b",
    re.I,
)


def is_survey(paper: Paper) -> bool:
    """Whether the title says that the paper surveys others."""
    return bool(_SURVEY.search(_ABOUT_REVIEWS.sub(" ", paper.title)))


def is_evaluation(paper: Paper) -> bool:
    """Whether the title says that the paper presents a data set or a benchmark, or evaluates the work of others."""
    return bool(_EVALUATION.search(paper.title) and not _ABOUT_DATA.search(paper.title))


def is_theory(paper: Paper) -> bool:
    """Whether the title says that the paper proves something: bounds, rates, guarantees, hardness."""
    return bool(_THEORY.search(paper.title))


KINDS: Mapping[str, Callable[[Paper], bool]] = {
    "Data Sets and Evaluation": is_evaluation,
    "Surveys": is_survey,
    "Theory": is_theory,
}
"""Headings of papers that belong together by what they are, not by what they are about."""
