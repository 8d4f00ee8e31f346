"""How people name a topic, and the options that stand in the same sentence."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import cache

from bot.commands.intents.phrases import Phrase, ends_sentence
from bot.commands.intents.vocabulary import compile_pattern, data, table, words

_NAMED = re.compile(
    r"\b(?:recipe|length|years|audience|language|sections|words|library|online|budget)\s*=\s*(?:\"[^\"]*\"|\S+)", re.I
)
_NO_BEGINNING = frozenset({"among", "for", "with", "at", "by", "from", "of", "before", "after", "to"})
"""“a survey among the students” is not one of papers."""
_STATING = frozenset(
    ("is", "are", "was", "were", "has", "have", "had", "got", "gets", "went", "will", "closes", "ends")
)
"""“our survey of alumni got 40 answers” asks for none."""
_AROUND = " \"'“”,;:.!?"


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(data("topics")[name], re.I)


@cache
def _options() -> tuple[tuple[re.Pattern[str], str, re.Pattern[str]], ...]:
    """How people say each option, how it is written, and the words beside which it belongs to the topic."""
    return tuple(
        (re.compile(row["way"], re.I), row["writes"], re.compile(row.get("unless", "(?!)"), re.I))
        for row in data("topics")["option"]
    )


def write_survey(said: str) -> str:
    """``image captioning, 6 sections`` → ``survey image captioning sections=6``; empty where no topic is left."""
    rest, named = take_options_out(said)
    topic = " ".join(rest.split()).strip(_AROUND + "()")
    while (tail := _pattern("tail").search(topic)) and tail.start():
        topic = topic[: tail.start()].strip(_AROUND)
    while head := _pattern("head").match(topic):
        topic = topic[head.end() :]
    topic = topic.strip(_AROUND)
    return " ".join(("survey", topic, *named)) if topic else ""


def take_options_out(said: str) -> tuple[str, list[str]]:
    """What was said without the options in it, and these as the grammar writes them."""
    named = _NAMED.findall(said)
    rest = _with_digits(_NAMED.sub(" ", said))
    for pattern, option, unless in _options():
        name = option.partition("=")[0]
        if any(n.lower().startswith(name) for n in named) or unless.search(rest):
            continue
        if match := pattern.search(rest):
            named.append(_write_option(option, match.groups()))
            rest = f"{rest[: match.start()].rstrip(' ,;(')} {rest[match.end() :]}"
    return rest, named


def _write_option(option: str, values: tuple[str, ...]) -> str:
    """The option with its values; “after 2018” begins with the year after, “the last 5 years” five years ago."""
    if "{ago}" in option:
        return option.format(ago=datetime.now(UTC).year - int(values[0]))
    if "{after}" in option or "{before}" in option:
        return option.format(after=int(values[0]) + 1, before=int(values[0]) - 1)
    if option.startswith("language"):
        return option.format(values[0].capitalize())
    return option.format(*values)


def _with_digits(said: str) -> str:
    numbers = table("cardinals")
    named = rf"\b({'|'.join(numbers)})(?=\s+(?:sections|chapters|years)\b)"
    return re.sub(named, lambda match: str(numbers[match[1].lower()]), said, flags=re.I)


def read_survey(phrase: Phrase, *, loosely: bool, among_people: bool) -> str:
    """The command that starts the survey somebody asks for; empty where nobody does.

    Read ``loosely`` where nothing else can be meant, “I work on memristors” asks for one too.
    ``among_people``, “the survey link is in the mail” asks for none.
    """
    for kind in ("explicit", "loose") if loosely else ("explicit",):
        for way in data("topics")[kind]:
            match = compile_pattern(way).fullmatch(phrase.norm)
            if match and kind == "loose" and ends_sentence(phrase.source_of(*match.span("text__1"))):
                continue  # the next sentence is no part of the topic
            if match and not _names_nothing(_remove_wishes(match["text__1"]), kind, among_people=among_people):
                return write_survey(phrase.source_of(*match.span("text__1")))
    return ""


def _remove_wishes(norm: str) -> str:
    """Without what is asked for behind the topic: “…, can you make me an overview”."""
    while (tail := _pattern("tail").search(norm)) and tail.start():
        norm = norm[: tail.start()].rstrip(" ,")
    return norm


def _names_nothing(norm: str, kind: str, *, among_people: bool) -> bool:
    """“a survey of mine” has no topic; loosely read, what speaks of people has none either."""
    if among_people and set(norm.split()) & (words("social") - words("social_but_studied")):
        return True
    said = set(norm.split())
    if among_people and said & _STATING:
        return True
    if norm.partition(" ")[0] in _NO_BEGINNING:
        return True
    if (
        said <= words("pronouns") | words("opinion") | words("function")
        or norm in {"the topic", "my topic", "our topic", "a topic"}
        or norm.partition(" ")[0] in words("commanding")
    ):
        return True
    return (kind == "loose" or among_people) and _is_about_people(norm)


def _is_about_people(norm: str) -> bool:
    return bool(set(norm.split()) & (words("pronouns") - words("neutral_pronouns")))


def names_topic(text: str, norm: str) -> bool:
    """Whether a few words without a verb for us are a topic by themselves."""
    said = norm.split()
    if not 2 <= len(said) <= 25 or "?" in text or text.rstrip().endswith("!") or said[0] in words("commanding"):
        return False
    if next((word for word in said if word not in words("adverbs")), "") in words("negation") | {
        "idk",
        "dunno",
        "sorry",
        "ups",
        "oops",
    }:
        return False
    if set(said) <= words("function") | words("frame") | words("hesitation") | words("negation") | words("opinion"):
        return False
    if len(set(said) & words("foreign")) > 1:
        return False
    return not _is_about_people(norm) and not set(said) & (words("social") - words("social_but_studied"))
