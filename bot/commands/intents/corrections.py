"""Self-corrections: “drop 3, sorry, I mean 4” is “drop 4”."""

from __future__ import annotations

import re

from bot.commands.intents.vocabulary import table

_ORDINALS = "|".join((*table("ordinals"), *table("cardinals"), "last"))
_PLACE = (
    r"(?:(?:the |number |no\. ?|nr\.? ?|paper |section |keyword |chapter |#)*"
    rf"(?:\d+(?:\.\d+)*(?:st|nd|rd|th)?|(?:{_ORDINALS})\b)(?: (?:one|paper|section|keyword|chapter)\b)?)"
)
_MARK = (
    r"(?:(?:oh |ah |uh |er+ |no )*(?:i (?:mean|meant)|sorry|pardon|oops|ups|whoops|wait|correction|make (?:that|it)|"
    r"or rather|scratch that|my mistake|my bad|wrong|that(?:'|’)?s wrong)(?: no| not)?|no(?=\s*[,.!:;–—-]))"
)
_CORRECTED = re.compile(rf"({_PLACE})[\s,.;:!…–—()-]+(?:{_MARK}[\s,.;:!…–—()-]+)+({_PLACE})(?![\w.]*\d)", re.I)
_NEGATED = re.compile(r"\b(?:not|never|keep)\b|n['’]t\b", re.I)


def take_correction(text: str) -> str:
    """The words with the second of two places where the first was a slip; as they are where none was."""
    match = _CORRECTED.search(text)
    if not match or _NEGATED.search(text[: match.start()]):
        return text
    return f"{text[: match.start()]}{match[2]}{text[match.end() :]}"
