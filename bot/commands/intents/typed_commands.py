"""Commands that begin with words of their own, and so mean nothing else however they go on. Pure."""

from __future__ import annotations

import re

_VERBATIM = re.compile(
    r"/?quick\b(?! (?:question|note|one|fix|update|reminder|check|heads)\b)|follow(?:[- ]?up)? \d|"
    r"(?:write (?:a |the )?)?full survey|show (?:papers|keywords|outline)\b|"
    r"(?:references|tree|why (?:table|figure)) \d|search for \d|budget (?:person|workspace|survey)\b|"
    r'survey [^"]*[a-z]="|/?survey (?:list(?: all)?|help|status|stop)$',
    re.I,
)
"""A survey's options in quotation marks are among them."""
_ASK = re.compile(r"ask\s+(?=\S+\s)", re.I)
_SEARCH = re.compile(r"search (?!(?:for \d|with|again|online|now|using|by)\b)", re.I)


def begins_as_typed(text: str, phase: str, *, among_people: bool) -> bool:
    """Whether the text begins as a command that is read as it stands.

    People who talk to one another ask each other, so that there "ask" begins none.
    """
    if phase == "topic" and _SEARCH.match(text):
        return True
    if phase == "discussion" and not among_people and _ASK.match(text):
        return True
    return bool(_VERBATIM.match(text))


def take_ask_off(text: str) -> str:
    """The question behind the word "ask"."""
    return _ASK.sub("", text, count=1)
