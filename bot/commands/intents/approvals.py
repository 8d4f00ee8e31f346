"""Yes to a proposal: in any of its words, and among people only where it is plainly said to us."""

from __future__ import annotations

import re
from functools import cache

from bot.commands.intents.vocabulary import step_words, table

_PLAIN_YES = re.compile(
    r"(?:(?:ok|yes|go|lgtm|sure|(?:looks?|sounds?) (?:good|fine|great|ok|right|perfect)|approve|accept|continue|"
    r"ship it|proceed|write|search|all good|make|next|start|keep|carry|resume|perfect)\b|👍).*"
)
_GOES_ON = re.compile(
    r"(?:\b|(?<= ))(?:continue|go on|go ahead|proceed|carry on|write it|, go)(?: please| scholium| bot)?$"
)
_TOO_SHORT_AMONG_PEOPLE = frozenset({"perfect", "next", "start", "sure", "go"})


def thanks_while_writing(norm: str, phase: str) -> bool:
    """“ok thanks” said while it works asks for nothing."""
    goes_on = re.search("go|continue|keep|resume", norm)
    return phase == "writing" and norm.endswith(("thanks", "thank you")) and not goes_on


def is_plain_yes(norm: str, phase: str) -> bool:
    """Whether a yes among people is meant for the proposal, rather than for what a colleague said."""
    named = any(re.fullmatch(rf"(?:please )?{step_words(phase)}(?: please)?", part) for part in norm.split(" , "))
    plain = _PLAIN_YES.fullmatch(norm) or _GOES_ON.search(norm)
    return bool(named or (plain and norm not in _TOO_SHORT_AMONG_PEOPLE))


def approves_step(norm: str, phase: str) -> bool:
    """Whether words approve the proposal of this step and say nothing else."""
    return bool(_approval(phase).fullmatch(norm))


@cache
def _approval(phase: str) -> re.Pattern[str]:
    """Yes, go on, the next step by its name, and any few of them together."""
    classes = table("classes")
    yes = "|".join((*classes["yes"], *classes["go"], step_words(phase)))
    filler = "thanks|thank you|please|so|and|now|then|you can|you may|i think|let us|just"
    after = (
        r"(?: (?:please|thanks|thank you|then|now|with (?:it|this|that|these|them)|for (?:it|me|us|now)|so|just|"
        r"like (?:this|that)|as (?:it is|they are)|already|all|indeed|very much|a lot|the next step|"
        r"to the next(?: step| one)?|do it|scholium|bot|👍|🙂|with the next step|mate|here))*"
    )
    one = f"(?:{yes}|{filler}){after}"
    return re.compile(rf"(?=.*(?:{yes})){one}(?: ?(?:,|and|-|so|then|:)* ?{one}){{0,4}}")
