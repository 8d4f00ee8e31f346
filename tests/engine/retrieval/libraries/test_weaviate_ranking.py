"""The order of a survey's papers that is made from a part of a library is that of all of it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from engine.retrieval.libraries.library import TopicCounts
from engine.retrieval.topic_words import read_topic
from engine.retrieval.weaviate.weaviate_search import TopicPapers, rank_fetched, read_rows
from engine.values import PaperKey, Query, YearRange

SIZE = 1_500
SUBJECTS = ("graph", "vision", "speech", "protein", "market")
COMMON = ("model", "learn", "data", "network", "train")


def stored(number: int) -> Any:
    """A paper as Weaviate gives it: the words and the vector of a subject, the same each time."""
    chance = np.random.default_rng(number)
    subject = number % len(SUBJECTS)
    vector = np.eye(16)[subject] + 0.3 * chance.standard_normal(16)
    said = [*chance.choice(COMMON, 12), *[SUBJECTS[subject]] * int(chance.integers(0, 4))]
    title = [str(word) for word in chance.choice(said, 3)]
    return SimpleNamespace(
        properties={
            "key": f"arxiv:{number}",
            "title": " ".join(title),
            "words": " ".join([*title, *(str(word) for word in said)]),
            "year": int(chance.integers(2000, 2025)),
            "citations": None if number % 50 == 0 else int(chance.pareto(1.0) * 10),
        },
        vector={"abstract": (vector / np.linalg.norm(vector)).tolist()},
    )


EVERYONE = [stored(number) for number in range(SIZE)]


def rank(
    named: list[Any], sample: list[Any], popular: list[Any], near: list[Any], query: Query
) -> tuple[list[Any], list[float]]:
    stems = read_topic(query.text)
    there = [sum(s in o.properties["words"].split() for o in EVERYONE) for s in stems.stems]
    found = TopicPapers(stems, TopicCounts(query.text, SIZE, tuple(there)), read_rows(named), read_rows(sample))
    best = rank_fetched(found, [read_rows(popular), read_rows(near)], found.seeds(), query)
    return list(best), list(best.values())


def best_of(count: int, value: Any) -> list[Any]:
    return sorted(EVERYONE, key=value, reverse=True)[:count]


def test_a_part_of_a_library_tells_its_order() -> None:
    query = Query("graph networks", 50)
    naming = [o for o in EVERYONE if {"graph", "network"} & set(o.properties["words"].split())]
    whole, _ = rank(naming, EVERYONE, [], [], query)
    named = best_of(250, lambda o: o.properties["words"].split().count("graph"))
    popular = best_of(100, lambda o: o.properties["citations"] or 0)
    near = best_of(150, lambda o: o.vector["abstract"][0])
    sample = [EVERYONE[i] for i in np.random.default_rng(0).choice(SIZE, 200, replace=False)]
    part, scores = rank(named, sample, popular, near, query)
    assert scores == sorted(scores, reverse=True)
    assert len(set(whole) & set(part)) >= 45


def test_only_what_the_query_takes_is_ranked() -> None:
    taken = Query("graph", 2_000, years=YearRange(2010, 2012), exclude=frozenset({PaperKey("arxiv:5")}))
    found, _ = rank(EVERYONE, EVERYONE, [], [], taken)
    assert found
    for number in found:
        facts = EVERYONE[int(number.partition(":")[2])].properties
        assert 2010 <= facts["year"] <= 2012 and facts["key"] != "arxiv:5"


def test_papers_that_are_fetched_twice_are_one() -> None:
    naming = [o for o in EVERYONE if "graph" in o.properties["words"].split()][:5]
    found, _ = rank(naming[:3], naming[1:], naming[2:4], [], Query("graph", 9))
    assert sorted(found) == sorted(o.properties["key"] for o in naming)
