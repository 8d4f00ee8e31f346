"""What is offered where words were not understood: the two likeliest commands at this step."""

from __future__ import annotations

import re
from collections import Counter

from bot.commands.intents.classifier import guess_command
from bot.commands.intents.clauses import divide_wishes
from bot.commands.intents.cues import load_cues
from bot.commands.intents.linear_model import load_model
from bot.commands.intents.phrases import normalise
from bot.commands.intents.spans import find_span
from bot.commands.intents.vocabulary import command_words, words

_NUMBER = re.compile(r"#?(\d+(?:\.\d+)*)")
_LONGEST = 60
"""Characters of a command that still fits on a button."""
_LEAST_MARGIN = 0.1
"""Of the classifier's likeliest command over the next."""

_USUAL = {
    "topic": ("help", "list"),
    "keywords": ("ok", "no"),
    "papers": ("ok", "more"),
    "outline": ("ok", "no"),
    "writing": ("status", "stop"),
    "discussion": ("export", "help"),
}
_WITH_NUMBER = {
    "papers": ("exclude {}", "show {}"),
    "outline": ("drop {}", "split {}"),
    "discussion": ("show {}", "why {}"),
}
_WITH_WORDS = {"topic": "survey {}", "keywords": "add {}", "outline": "add section {}", "discussion": "ask {}"}


def suggest_commands(text: str, phase: str, there: int) -> tuple[str, str]:
    """The likeliest first: those whose words were used, those that take a number or the words said, the usual ones.

    Numbers beyond what is ``there``, as in “lunch at 12?”, name nothing.
    """
    phrase = normalise(text, lexicon=command_words())
    said = phrase.norm.split()
    numbers = [
        match[1] for word in said if (match := _NUMBER.fullmatch(word)) and int(match[1].partition(".")[0]) <= there
    ]
    numbered = [way.format(numbers[0]) for way in _WITH_NUMBER.get(phase, ()) if numbers]
    content = _content(text)
    likely = _answer_commands(text, phase, numbers, content) if text.rstrip().endswith("?") else []
    guesses = [guess_command(wish, phase) for wish in divide_wishes(normalise(text)) if wish]
    likely += [g.said for g in guesses if g.said and (g.margin > _LEAST_MARGIN or g.score > 0)]
    likely += [*_by_words(said, phase, numbers), *numbered]
    if content and phase in _WITH_WORDS:
        likely.append(_WITH_WORDS[phase].format(content))
    fitting = [command for command in dict.fromkeys((*likely, *_USUAL[phase])) if len(command) <= _LONGEST]
    return fitting[0], fitting[1]


def _answer_commands(text: str, phase: str, numbers: list[str], content: str) -> list[str]:
    """What answers a question at a step that answers none by itself."""
    match phase:
        case "topic":
            topic = find_span("survey", normalise(text), load_model().spans) or content
            return [f"quick {text.strip()}", f"survey {topic}"] if content else []
        case "outline":
            return [*(f"show {number}" for number in numbers[:1]), "show papers"]
        case _:
            return []


def _by_words(said: list[str], phase: str, numbers: list[str]) -> list[str]:
    """Commands by how many of their own words were said."""
    weighed: Counter[str] = Counter()
    for cue in load_cues():
        shared = len(cue.words.intersection(said))
        needed = cue.command.count("{")
        if phase in cue.phases and shared and not cue.negated and len(numbers) >= needed:
            weighed[cue.write(numbers)] = shared
    return [command for command, _ in weighed.most_common(2)]


def _content(text: str) -> str:
    """The words from the first to the last that carry a meaning of their own."""
    said = text.split()
    lists = ("function", "nouns", "frame", "opinion", "hesitation", "commanding")
    empty = frozenset({"add"}).union(*map(words, lists))
    meant = [i for i, word in enumerate(said) if re.sub(r"\W+", "", word.lower()) not in empty | {""}]
    return " ".join(said[meant[0] : meant[-1] + 1]).strip(" \"'“”,;:.!?") if meant else ""
