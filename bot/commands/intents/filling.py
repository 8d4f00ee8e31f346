"""The command of a class, with what the words name in its slots: places, numbers, titles, topics."""

from __future__ import annotations

import re

from bot.commands.intents.addressing import names_subject
from bot.commands.intents.intents import write_numbers, write_place, write_terms
from bot.commands.intents.linear_model import Spans
from bot.commands.intents.phrases import Phrase, normalise
from bot.commands.intents.spans import find_span
from bot.commands.intents.topics import read_survey, take_options_out, write_survey
from bot.commands.intents.vocabulary import compile_pattern, table, words

NUMBER_WORD = re.compile(r"#?(?!(?:19|20)\d\d$)\d{1,4}(?:\.\d+)*|#last")
"""A number in normalised words, but for a year."""
_BESIDE = re.compile(r"\b(after|behind|following|below|before) ")
_NAMED_PERSON = re.compile(
    r"(?<!^)(?<![.!?] )\b(?!I\b|Scholium\b)[A-Z][\w-]*[a-z](?: [A-Z][\w-]*[a-z])?|<?@!?[\w.-]+>?"
)
"""A name inside a sentence, or a handle."""
_REFERENCE = re.compile(r"\[(\d{1,4})\]")
_CITED = re.compile(r"\b(?:references?|citations?|sources?|cited?) (?:number )?#?\d")
_SENTENCE_OF = re.compile(r"(?:sentence|claim|paragraph|statement|line) (?:of|in) (?:section |chapter )?(#?[\d.]+)")
_ORDER = re.compile(r"(#?[\d.]+|#last)\b.* (before|after) .*?(#?[\d.]+|#last)\b")


def fill_command(template: str, phrase: Phrase, text: str, spans: Spans) -> str:
    """The command; empty where what it needs was not said, or more than it needs."""
    slots = re.findall(r"{(\w+)}", template)
    if template == "?" or ("other" in slots and re.search(r"#last \d", phrase.norm)):
        return ""  # “the last two” are no section and its number
    if template.startswith("ask"):
        return template.format(text=text.strip()) if " " in phrase.norm else ""
    if {"said", "text"} & set(slots):
        return _fill_words(template.partition(" {")[0], phrase, text, spans)
    if slots == ["numbers"]:
        listed = compile_pattern(r"[^\d#]*?<numbers>[^\d#]*").fullmatch(phrase.norm)
        return template.format(numbers=write_numbers(listed["numbers__1"])) if listed else ""
    said = phrase.norm.split()
    places = [write_place(word) for word in said if NUMBER_WORD.fullmatch(word)]
    if "where" in slots:
        order = _ORDER.search(phrase.norm) if len(places) == 2 else None
        if not order:
            return ""
        return template.format(place=write_place(order[1]), where=order[2], other=write_place(order[3]))
    if template == "why {place}" and len(places) > 1 and (within := _SENTENCE_OF.search(phrase.norm)):
        places = [write_place(within[1])]  # “where does the second sentence of 3.2 come from?”
    references = _REFERENCE.findall(phrase.norm)
    if slots == ["reference"] and not references and places and _CITED.search(phrase.norm):
        places, references = [], places  # “what is reference 8 doing here?”
    return _fill_named(template, slots, said, places, references)


def _fill_words(command: str, phrase: Phrase, text: str, spans: Spans) -> str:
    """The command with the topic, keywords or title among the words; empty where they cannot be told from the rest."""
    if command == "survey":
        return _fill_topic(text, spans)
    if command == "invite":
        named = _NAMED_PERSON.findall(" ".join(text.split()))
        return f"invite {named[0]}" if len(named) == 1 else ""
    places = [write_place(word) for word in phrase.norm.split() if NUMBER_WORD.fullmatch(word)]
    if command == "rewrite":
        return _fill_wish(phrase, places)
    found = find_span(command, phrase, spans)
    match command, places:
        case (("add" | "drop"), []):
            terms = write_terms(found)
            return f"{command} {terms}" if names_subject(terms) else ""
        case (("add section" | "name"), []) if found:
            return f"{command} {found}"
        case "add section", [place] if found and (where := _BESIDE.search(phrase.norm)):
            return f"add section {found} {'before' if where[1] == 'before' else 'after'} {place}"
        case "rename", [place] if found:
            return f"rename {place} to {found}"
        case "remove", [place] if found:
            return f"remove the claim about {found} from {place}"
        case _:
            return ""


def _fill_topic(text: str, spans: Spans) -> str:
    rest, options = take_options_out(text)
    if said := read_survey(normalise(rest), loosely=True, among_people=False):
        return " ".join((said, *(option for option in options if option not in said)))
    topic = find_span("survey", normalise(rest), spans)
    if set(normalise(topic).norm.split()) <= words("function") | words("nouns") | words("frame"):
        return ""  # “do you have ideas for a topic?”
    before = frozenset(normalise(rest).norm.partition(normalise(topic).norm)[0].split())
    if before and not before & (words("frame") | words("function") | words("nouns")):
        topic = rest  # “named” asks for nothing: it belongs to “named entity recognition”
    return write_survey(" ".join((topic, *options)))


def _fill_wish(phrase: Phrase, places: list[str]) -> str:
    """A rewrite: the wish is what was said but for where; “rewrite 3.2” alone wishes for nothing."""
    wish = _take_place_out(phrase)
    says_how = set(normalise(wish).norm.split()) - words("function") - words("nouns")
    if len(places) == 1 and wish.casefold() == "simplify":
        return f"rewrite {places[0]}: simpler"
    return f"rewrite {places[0]}: {wish}" if len(places) == 1 and len(says_how) > 1 else ""


def _take_place_out(phrase: Phrase) -> str:
    """What is wished for, without where: “make the tone in section 3 more neutral” → “make the tone more neutral”."""
    place = compile_pattern(r"(?:(?:in|of|for|from|at) )?<place>(?: ?[,:])?").search(phrase.norm)
    if not place:
        return phrase.source.strip()
    around = (phrase.surface(0, place.start()), phrase.surface(place.end(), len(phrase.norm)))
    return " ".join(filter(None, around))


def _fill_named(template: str, slots: list[str], said: list[str], places: list[str], references: list[str]) -> str:
    """The command with the places, references, formats and languages that were said, each slot with its own."""
    formats = [table("formats")[word] for word in said if word in table("formats")]
    languages = [word.capitalize() for word in said if word in words("languages")]
    named = {
        "place": places[:1],
        "other": places[1:2],
        "reference": references,
        "formats": formats,
        "language": languages,
    }
    has_all_places = len(places) == sum(slot in {"place", "other"} for slot in slots)
    has_all_references = len(references) == ("reference" in slots)
    only_formats_repeat = all(len(named[slot]) == 1 for slot in slots if slot != "formats")
    if not (has_all_places and has_all_references and only_formats_repeat and all(named[slot] for slot in slots)):
        return ""
    return template.format(**{slot: " ".join(dict.fromkeys(named[slot])) for slot in slots})
