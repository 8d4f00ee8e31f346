"""A linear intent classifier for words that no pattern fits; `training.py` trains it.

It reads only what is said to us, never what people say among themselves; what it is not sure of is asked back.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from bot.commands.intents.features import describe, find_subjects, name_kinds
from bot.commands.intents.filling import NUMBER_WORD, fill_command
from bot.commands.intents.linear_model import load_model
from bot.commands.intents.phrases import normalise
from bot.commands.intents.vocabulary import words

_PLACE = r"(?:\d+(?:\.\d+)*|last|introduction|conclusion|abstract)"
_TEMPLATES = (
    (
        re.compile(rf"(show|why|drop|split|shorten|expand|open|archive|search for|tree|choose candidate) {_PLACE}"),
        r"\1 {place}",
    ),
    (re.compile(r"(exclude|include|drop) [\d\s.-]+|(exclude|include|drop) last-\d+"), r"\1\2 {numbers}"),
    (re.compile(r"more \d+"), "more {place}"),
    (re.compile(r"why \[\d+\]"), "why [{reference}]"),
    (re.compile(r"export \w.*"), "export {formats}"),
    (re.compile(rf"translate {_PLACE} to .+"), "translate {place} to {language}"),
    (re.compile(rf"merge {_PLACE} {_PLACE}"), "merge {place} {other}"),
    (re.compile(rf"move {_PLACE} (?:before|after) {_PLACE}"), "move {place} {where} {other}"),
    (re.compile(r"(ask|survey|quick) .+", re.S), r"\1 {text}"),
    (
        re.compile(
            r"(papers:|add section|add|drop|rename|rewrite(?! all)|cite|remove|name|invite|undo|move|budget|"
            r"describe) .+"
        ),
        r"\1 {said}",
    ),
)
"""Commands with what a person named in them → the class of such commands; ``{said}`` is filled by `_fill_words`."""

_SURE_MARGIN = 0.25
"""Least lead over the second class, on the scale of the decision function, at which a command is carried out.

Where the class's own score is below zero the lead has to be larger by as much: cross-validated, commands that are
carried out are then right in more than four of five cases in every range of scores, and below it in about half.
"""
_SURE_MARGIN_OF_A_DECISION = 0.45
"""The same where the command ends or undoes a step."""
_CONTRADICTING_LEAD = 1.0
"""Lead over the class of a pattern's reading at which that reading is no longer carried out."""
_DOUBTING_LEAD, _DOUBTING_SCORE = 0.5, 0.2
"""The same where the words are asked back according to the examples, and the least score of that class."""
_DECISIONS = frozenset({"ok", "no", "back", "stop", "start over", "forget", "undo", "redo"})
_DOUBTFUL_WHEN_NEGATED = frozenset({"ok", "back", "stop", "start over", "forget", "undo", "export", "export {formats}"})
"""What a “not” anywhere in the words makes doubtful."""
_NEGATED_EDIT = re.compile(
    r"\b(?:not|never) (?:drop|remove|delete|exclude|shorten|cut(?! it$)|split|merge|move|expand|translate)\b"
)
_INTERJECTION = re.compile(r"^(?:(?:oh|ah|argh|ups|oops|damn|ouch) )*no(?: no)* ,? ?(?=\w+ )")
"""“oh no, I deleted the wrong one” negates nothing."""
_ASKS_WHETHER = re.compile(r"(?:do (?:we|i)|does|are|is (?!(?:it|not|there (?:no|not))\b))\b")
_LITOTES = re.compile(r"\bnot (?=(?:(?:look|seem|sound) )?(?:(?:too|half|so|that) )*bad\b)|\bnot (?=complain\b)")
"""“not bad” and “can't complain” say yes."""
_TAKEN_FROM = re.compile(r"\btake\b.* from\b")
"""“take 2 and 5 from the list”."""
_REGRET = re.compile(
    r"\b(?:did|was) not (?:want|mean|meant|intend|intended|supposed)\b|\bdo not (?:want|need) (?:it|this|that)\b"
)
"""What is said of a change that is to be undone: “I didn't mean to remove that”."""
_MERE_NAME = re.compile(r"what about [\w-]+(?: [\w-]+){0,2}")
"""“what about hard negatives?” may ask for them, or why they are not there."""
_ASKS_A_FACT = re.compile(
    r"(?:does|did|how|which|why|when|where|who)\b|(?:is|are|was|were|has|have)\b(?!.*\b(?:on|about|for)\b)"
)
"""A question that papers answer, rather than one for papers: “does any paper study …?”."""
_LATER = re.compile(
    r"\b(?:later|soon|in a (?:minute|moment|second)|(?:not|no) (?:yet|idea|topic)|do not (?:know|have))\b"
)
"""That the topic comes another time."""
_WHATEVER = re.compile(r"\bwhatever (?=(?:there|is|you|exists|has)\b)")
"""“dig up whatever there is on …” doubts nothing."""
_CHANGING = frozenset({"change", "replace", "edit", "modify", "other", "others", "different", "instead", "without"})
"""Words beside which an approval is doubtful."""
_EDITS = ("drop", "exclude", "include", "merge", "move", "split", "shorten", "expand")
_TAKING_OUT = frozenset({"TO_DROP", "TO_NO", "TO_BLAME", "NEGATION", "OPINION", "out", "off", "too", "TO_UNDO"})
"""Kinds of words of which one is said where something is to go."""
_KEEPING = frozenset({"TO_KEEP", "TO_OK", "TO_YES", "TO_PRAISE", "OPINION"})
"""The same where it is to come back."""
_UNSURE = re.compile(
    r"\bnot (?:know|sure)\b|\b(?:unsure|undecided|maybe|perhaps|might|wonder|idea|hm+|should (?:i|we))\b"
)


@dataclass(frozen=True, slots=True)
class Guess:
    """A command, empty where its slots are not filled, and how far its class is ahead of the next."""

    said: str
    template: str
    score: float
    margin: float

    @property
    def is_sure(self) -> bool:
        """Whether the command may be carried out without asking back."""
        if self.template in _DECISIONS:
            is_likely = self.margin >= _SURE_MARGIN_OF_A_DECISION and self.score >= 0
        else:
            is_likely = self.margin >= _SURE_MARGIN and self.score + self.margin >= _SURE_MARGIN
        return bool(self.said) and is_likely


def guess_command(text: str, phase: str) -> Guess:
    """The likeliest command at this step; what makes it doubtful leaves it no margin."""
    phrase = normalise(text)
    (template, score), (_, next_score), *_ = _score(phrase.norm, phase)
    is_doubtful = _is_doubtful(template, phrase.norm) or (
        (phase in {"topic", "discussion"} or template == "help")
        and "{" not in template
        and _asks_of_a_subject(phrase.norm)
    )
    margin = 0.0 if is_doubtful else score - next_score
    return Guess(fill_command(template, phrase, text, load_model().spans), template, score, margin)


def weigh_reading(said: str, text: str, phase: str, *, is_loose: bool) -> str:
    """A pattern's reading, or, where the examples speak clearly against it, theirs; empty where that one is unsure.

    A pattern with room for any words can fit what says something else: “these are way off, suggest others”.
    ``is_loose``: it was read from single words, and less speaks against it.
    """
    scores = _score(normalise(text).norm, phase)
    template = write_template(said)
    own_score = next((score for name, score in scores if name == template), -_CONTRADICTING_LEAD)
    likeliest, score = scores[0]
    least, contradicting = (_DOUBTING_SCORE, _DOUBTING_LEAD) if likeliest == "?" else (0.0, _CONTRADICTING_LEAD)
    allowed = _SURE_MARGIN if is_loose else contradicting
    if _NEGATED_EDIT.search(normalise(text).norm) and likeliest.startswith(_EDITS):
        return said  # “do not remove 5” has the words of an edit
    if likeliest == template or (score < least and not (is_loose and likeliest != "?")) or score - own_score < allowed:
        return said
    guess = guess_command(text, phase)
    return guess.said if guess.is_sure else ""


def is_unclear(text: str, phase: str) -> bool:
    """Whether the examples that were asked back are clearly the nearest."""
    template, score = _score(normalise(text).norm, phase)[0]
    return template == "?" and score > 0


@lru_cache(maxsize=64)  # words are weighed, guessed at and offered as suggestions one after the other
def _score(norm: str, phase: str) -> list[tuple[str, float]]:
    return load_model().classes.score(describe(norm, phase), phase)


def _is_doubtful(template: str, norm: str) -> bool:
    """Whether the words hold something that makes a command of this class doubtful, however close the examples are."""
    said = norm.split()
    if len(said) < 2:
        return True  # a lone word that no pattern knows
    is_question = said[0] in words("inverted") | words("asking")
    if template.startswith("survey") and (_LATER.search(norm) or words("doubt") & set(_WHATEVER.sub("", norm).split())):
        return True
    if template.startswith("survey") and _ASKS_A_FACT.match(norm):
        return True
    if template.startswith("add {") and _MERE_NAME.fullmatch(norm):
        return True
    if template == "ok" and (is_question or (words("social") | words("commanding") | _CHANGING) & set(said)):
        return True
    norm = _LITOTES.sub("", norm)
    negated = words("negation") & set(_REGRET.sub("", _INTERJECTION.sub("", norm)).split())
    if negated and (template in _DOUBTFUL_WHEN_NEGATED or _NEGATED_EDIT.search(norm)):
        return True
    kinds = set(name_kinds(norm))
    if template.startswith(("exclude", "drop")) and not (_TAKING_OUT & kinds or _TAKEN_FROM.search(norm)):
        return True  # “7 stays” and “newest first” hold numbers, and nothing against them
    named = {word for word in said if not NUMBER_WORD.fullmatch(word)} - words("nouns")
    verb = template.partition(" ")[0].upper()
    own_kinds = (
        _KEEPING if verb == "INCLUDE" else {f"TO_{verb}", *(_TAKING_OUT - {"NEGATION", "OPINION", "off", "too"})}
    )
    if template.startswith(_EDITS) and named <= words("function") - {"out"} and not own_kinds & kinds:
        return True  # “the last section?” says nothing of what is to become of it
    if template.startswith(_EDITS) and ((said[0] in words("asking") and said[1] != "about") or asks_whether(norm)):
        return True
    return template.startswith(_EDITS) and (bool(_UNSURE.search(norm)) or not re.search(r"[^\W\d_]", norm))


def asks_whether(norm: str) -> bool:
    """Whether it asks for an opinion: “do we need section 5?”."""
    return bool(_ASKS_WHETHER.match(norm))


def write_template(means: str) -> str:
    """The class of a command: what was named in it becomes a slot."""
    for pattern, template in _TEMPLATES:
        if match := pattern.fullmatch(means):
            return match.expand(template)
    return means


def _asks_of_a_subject(norm: str) -> bool:
    """Whether it is a question with a word that no command has: “what is the price of coffee?” asks no costs."""
    first = norm.partition(" ")[0]
    return first in words("inverted") | words("asking") and not load_model().known.issuperset(find_subjects(norm))
