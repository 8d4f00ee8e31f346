"""The parts of a topic as a person writes it: what it is about, where, by what means, for what; two topics in one."""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.gathering.synonyms import say_otherwise
from engine.text import terms, words

_JOINED = re.compile(r"\s+(?:and|versus|vs\.?|&)\s+", re.I)
_COMPARED = re.compile(r"\s+(?:versus|vs\.?)\s+", re.I)
_INTO_PLACE = re.compile(r"\s+(?:in|on|from)\s+", re.I)
_INTO_USE = re.compile(r"\s+for\s+", re.I)
_INTO_MEANS = re.compile(r"\s+(?:with|using|via|by|under|based on)\s+", re.I)
_CONDITION = re.compile(r"\b(?:environment|condition|setting|scenario|regime|circumstance)s?$", re.I)
"""What stands in such is not merely in a place: "SLAM in dynamic environments". A paper must say so."""

_INTO_CONTEXT = re.compile(r"\s+(?:in|on|from|for|with|using|via|by|under|based on)\s+", re.I)
_ACTION = re.compile(r"(?:ing|[ts]ion|ment|ance|ence|sis|ity|ness|al)$", re.I)


@dataclass(frozen=True, slots=True)
class TopicParts:
    """What a topic is about (``head``), in which place, for which use, by which means; empty where it is not said.

    A paper need not say the place ("3D object detection in autonomous driving"). It must say the means, the conditions
    and the use ("image captioning with attention", "vision transformers for image recognition").
    """

    head: str
    place: str = ""
    use: str = ""
    means: str = ""


def read_parts(topic: str) -> TopicParts:
    """The parts of a topic; all of it is head where it has no preposition."""
    before, means = _cut(_INTO_MEANS, topic)
    before, use = _cut(_INTO_USE, before)
    head, place = _cut(_INTO_PLACE, before)
    if _CONDITION.search(place):
        return TopicParts(head, "", use, f"{place} {means}".strip())
    return TopicParts(head, place, use, means)


def is_task(head: str) -> bool:
    """Whether the head of a topic names what is done ("lane detection"), and no thing ("vision transformers")."""
    return bool(_ACTION.search(head))


def _cut(where: re.Pattern[str], text: str) -> tuple[str, str]:
    before, *after = where.split(text, maxsplit=1)
    return before, " ".join(after)


def split_topic(topic: str, least: int = 2) -> list[str]:
    """The topic, and the two topics that it joins, each with what both share.

    "Bias and fairness in language models" joins "bias in language models" and "fairness in language models", and
    "object detection and tracking" joins "object detection" and "object tracking". A single word joined by "and" is no
    topic of its own ("precision and recall"), unless ``least`` is 1; one that is compared is ("transformers versus
    convolutional networks").
    """
    parts = _JOINED.split(topic)
    if len(parts) != 2:
        return [topic]
    left, right = parts
    context = _INTO_CONTEXT.search(right)
    own, shared = (right[: context.start()], right[context.start() :]) if context else (right, "")
    if len(words(own)) == 1 and len(words(left)) > 1 and _ACTION.search(left) and _ACTION.search(own):
        own = f"{left.rsplit(maxsplit=1)[0]} {own}"
    if not _INTO_CONTEXT.search(left):
        left += shared
    both = [left, own + shared]
    least = 1 if _COMPARED.search(topic) else least
    return [topic, *both] if all(len(terms(part)) >= least for part in both) else [topic]


def name_parts(topic: str) -> list[str]:
    """What is searched besides a topic: the two topics that it joins, or what it is about without its context.

    Also the topic by other names.
    """
    joined = split_topic(topic)[1:]
    head = read_parts(topic).head
    return [*(joined or ([head] if head != topic and len(terms(head)) > 1 else [])), *say_otherwise(topic)]
