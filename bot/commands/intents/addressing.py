"""Whether words among people are meant for the bot. Silence is the default there."""

from __future__ import annotations

import re
from functools import cache

from bot.commands.intents.phrases import normalise
from bot.commands.intents.vocabulary import any_of, table, words

_MENTION = re.compile(r"<@[^>]+>|(?:^|\s)@(?!scholium)\w+", re.I)
_VOCATIVE = re.compile(r"^([A-Z]?[a-z]+) ?, |, ?([A-Z][a-z]+) ?[?!.]*$")
_TECHNICAL = re.compile(r"\b(?:[A-Z]{2,}[A-Za-z0-9-]*|[A-Z][a-z]+[A-Z]\w*|\w+-\w+-\w+)\b")
_PLAIN_CAPITALS = frozenset(["OK", "LOL", "PI", "GPU", "TV", "PM", "AM", "HR", "IT", "NSF", "USB"])
_REFERENCE = re.compile(r"\[\d+\]")
_NUMBER = re.compile(r"#?\d+(?:-\d+)?|#last")
_LONGEST_TERM = 7
_CALLED = re.compile(
    r"\s*(?:(?:ok|okay|hey|hi|hello|yes|no|please|thanks|so)[\s,]+)?(?:@scholium\b[\s,:]*|scholium\s*[,:]\s*)", re.I
)
_SALUTATION = re.compile(r"\s*dear \w+\s*[,:!]\s*", re.I)
_SIGNATURE = re.compile(
    r"[\s,.;!]+(?:(?i:(?:with )?(?:best|kind|warm|kindest|warmest) (?:regards|wishes)|regards|(?:yours )?sincerely)"
    r"[\s,]*(?:[A-Z][\w.]*\s*){0,2}|"
    r"(?i:cheers|best|(?:many )?(?:thanks|thank you|thx)(?: a lot| so much| very much| in advance)?),\s*[A-Z]\w*)\s*$"
)

_OWN_PLAN = re.compile(
    r"\s*(?:(?:i['’]d|i would|i['’]ll|i will|i could|i might|i must|i have to|i can)\b(?! (?:like|love|prefer|want)\b)|"
    r"(?:(?:i (?:think|guess|believe|feel|suggest)(?: that)?|maybe|perhaps|probably),? )?"
    r"(?:we|you) (?:should|could|might|must|ought to)\b)",
    re.I,
)
"""“I'd invite Petra”, “I think we should drop the course”, said among people, tell what somebody would do."""
_ANOTHER_TIME = re.compile(
    r"\b(?:next time|tomorrow|tonight|yesterday|last (?:night|week|year)|(?:on|next|until|by) (?:mon|tues|wednes|thurs|"
    r"fri|satur|sun)day)\b",
    re.I,
)
"""Nothing of a survey is changed then: “add more cheese next time”."""
_DOING = re.compile(
    r"do (?:it|this|that|so|them|the same)\b|(?:could|should|would|can|must) (?:(?:this|that|it) )?be\b"
)
"""Begins as a question does, and asks for something to be done: “do it again”, “could be longer”."""
_AMOUNTS = frozenset({"more", "few", "several", "many", "couple"})
_NAMES_A_CLASS = re.compile(r"(?:everything|anything|all|whatever|what)(?: \w+)? ")
"""“everything about images” is no keyword."""
_PRONOUN = re.compile(r"\b(?:it|them)\b")
"""“mull it over” is no keyword, “IT security” is one."""
_SAYS_WHO = re.compile(r"\b(?:i|you|we|he|she|they) ")
"""“the one I just deleted” is no keyword."""
_NEEDED_AMONG_PEOPLE = {
    "status": re.compile(
        r"^(?!\W*(?:so )?are we (?:all )?(?:done|finished|ready)\b).*"
        r"(?:\b(?:status|progress|eta|update|survey|ready|done|finished|far|long|scholium|bot|writing|written|write|step|"
        r"papers|sections?|keywords|outline|left|when|now)\b.*[?]|\b(?:status|progress|eta|update)\b)",
        re.I | re.S,
    ),
    "no": re.compile(
        r"^\W*no(?:pe)?\W*$|\b(?:regenerate|again|(?:an)?other|others|different|new|propose|suggest|none|these|those|this|"
        r"keywords|papers|outline|reject)\b",
        re.I,
    ),
}
"""What words have to hold to be taken for a command among people: “ok, done” asks for no status."""


def is_called(text: str) -> bool:
    """Whether words begin with our name, as “@Scholium …” or “Scholium, …” does."""
    return bool(_CALLED.match(text))


def take_letter_off(text: str) -> str:
    """Words without our name, “Dear Scholium,” and “Best regards, Mara” around them; all where nothing else is said."""
    said = text
    for around in (_SALUTATION, _CALLED):
        said = said[match.end() :] if (match := around.match(said)) else said
    return _SIGNATURE.sub("", said) or text


def tells_a_plan(text: str) -> bool:
    """Whether somebody tells what they, or all, will do themselves."""
    return bool(_OWN_PLAN.match(text))


def is_remark(said: str, text: str) -> bool:
    """Whether words that read as a command are one in form alone."""
    needed = _NEEDED_AMONG_PEOPLE.get(said)
    return bool((needed and not needed.search(text)) or _ANOTHER_TIME.search(text))


def addresses_others(text: str) -> bool:
    """Whether somebody else is named: ``@alice …``, ``Alice, …``, ``… , Tom?``."""
    if _MENTION.search(text):
        return True
    for match in _VOCATIVE.finditer(text.strip()):
        name = (match[1] or match[2]).lower()
        known = words("own_names") | (words("artefacts") | words("research") if match[1] else frozenset())
        if name not in known and not _begins_request(name):
            return True
    return False


@cache
def _begins_request(word: str) -> bool:
    return any(word in ways for ways in table("classes").values())


@cache
def _compile_asking() -> re.Pattern[str]:
    return re.compile(rf"(?:{any_of('question')}|{any_of('request')})\b")


def is_question(norm: str) -> bool:
    """Whether words begin as a question or a request for an answer does."""
    return bool(_compile_asking().match(norm)) and not _DOING.match(norm)


def asks_about_survey(norm: str, text: str, own: frozenset[str]) -> bool:
    """Whether it is a question about the survey or its field, rather than one among colleagues.

    ``own`` are the words of the survey: its topic, keywords and titles.
    """
    if not is_question(norm) or text.rstrip().endswith("!"):
        return False
    said = frozenset(re.findall(r"[^\W_][\w+-]*", norm))
    about_people = words("pronouns") - words("neutral_pronouns")
    if norm.startswith(("tell ", "give ")):
        about_people -= {"me", "us"}
    if said & about_people or said & (words("social") - own):
        return False
    technical = frozenset(_TECHNICAL.findall(text)) - _PLAIN_CAPITALS if not norm.startswith("who") else frozenset()
    return bool(technical or said & (words("artefacts") | words("research") | own) or _REFERENCE.search(text))


def is_subject(text: str, norm: str) -> bool:
    """Whether words without a verb name something that the survey may say something about."""
    said = frozenset(norm.split())
    if said & ((words("pronouns") - words("neutral_pronouns")) | words("social")):
        return False
    return len(said) > 2 or bool(said & (words("artefacts") | words("research")) or _TECHNICAL.search(text))


def is_term(text: str) -> bool:
    """Whether words that would become a keyword or a title look like one, rather than like talk."""
    said = re.findall(r"[^\W_][\w+-]*", normalise(text).norm)
    return 0 < len(said) <= _LONGEST_TERM and not set(said) & (words("pronouns") | words("social") | words("chatter"))


def names_subject(text: str) -> bool:
    """Whether words that would become a keyword name one: “it”, “some more” and “these keywords” name none."""
    norm = normalise(text).norm
    if _NAMES_A_CLASS.match(norm) or _SAYS_WHO.search(norm) or _PRONOUN.search(text):
        return False
    named = frozenset(norm.split()) - words("pronouns") - words("function") - words("opinion") - _AMOUNTS
    if not named - words("nouns") or named & {"these", "those"}:
        named -= {"these", "those"} | words("nouns")
    is_numbered = named & {"number", "numbers"} and all(
        word[-1].isdecimal() or word.startswith("number") for word in named
    )
    return not all(map(_NUMBER.fullmatch, named)) and not is_numbered


_TELL_ME = re.compile(
    r"\b(?:tell|show) (?:me|us) (?P<question>(?:what|how|why|who|which|whether|when|where)\b.+)", re.I | re.S
)
"""A question behind whatever else somebody says."""

_ASKS_ON = re.compile(
    r"(?:and |so |but |ok |then )*(?:(?:why(?: not)?|how so|since when|by whom)|"
    r"(?:which|what|how many|any|some|one) of (?:them|these|those)\b[^.;!]+|"
    r"and (?:who|what|which|why|how|when|where|is|are|do|does|did)\b[^.;!]+)\s*\?+",
    re.I,
)
"""A question that goes on from an answer: "why?", "and which of them are fast?"."""


def find_plain_question(text: str) -> str:
    """A question that is one by its form, without what is said around it; empty where there is none."""
    if told := _TELL_ME.search(text):
        return told["question"].strip()
    return text.strip() if _ASKS_ON.fullmatch(text.strip()) else ""
