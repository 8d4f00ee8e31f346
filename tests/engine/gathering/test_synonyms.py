"""Other names of what a topic names."""

from __future__ import annotations

import pytest

from engine.gathering.synonyms import find_synonyms, say_otherwise
from engine.retrieval.topic_words import read_topic


@pytest.mark.parametrize(
    ("topic", "other"),
    [
        ("traffic forecasting with graphs", "traffic prediction with graphs"),
        ("navigation of drones", "navigation of UAV"),
        ("lifelong learning", "continual learning"),
        ("emotion recognition in conversations", "emotion recognition in dialogue"),
    ],
)
def test_a_topic_is_searched_by_another_name_too(topic: str, other: str) -> None:
    assert other in say_otherwise(topic)


def test_another_name_stands_for_all_words_of_the_name() -> None:
    topic = "text-to-speech synthesis for robots"
    writings = {writing.stems: writing.positions for writing in find_synonyms(topic, read_topic(topic))}
    assert writings[("tts",)] == (0, 1)


def test_another_name_may_have_a_hyphen() -> None:
    topic = "point cloud registration"
    assert ("point-set", "registr") in {writing.stems for writing in find_synonyms(topic, read_topic(topic))}


def test_a_topic_without_other_names_is_searched_as_it_is() -> None:
    assert say_otherwise("coral reef bleaching") == []
