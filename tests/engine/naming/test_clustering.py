"""Clusters, their names and keyword expansion, with numbers worked out by hand."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import LanguageModelError
from engine.gathering.keywords import Selector, expand_keywords, select
from engine.limits import Limits
from engine.naming.clustering import (
    ALGORITHMS,
    NOISE,
    Algorithm,
    Reduction,
    best_cluster_count,
    clusters,
    dissolve_small,
    divide_by_means,
    draw_cluster_count,
    is_degenerate,
    labels,
    reassign_noise,
    reduce_dimensions,
    split_in_two,
)
from engine.naming.grouping import GroupingOptions
from engine.naming.headings import name_groups
from engine.naming.phrases import GroupedPhrases, c_tf_idf
from engine.retrieval.libraries.library import EmptyLibrary
from engine.run import RunContext
from engine.values import Keyword, KeywordPool, Paper
from tests.fakes import FakeModel, WordEmbedder, paper, papers


def test_c_tf_idf_by_hand() -> None:
    # Two clusters of 6 and 4 terms: A = 5. Term 0 occurs 4 + 0, term 1 occurs 2 + 4 times.
    counts = np.array([[4.0, 2.0], [0.0, 4.0]])
    published = c_tf_idf(counts, "published")
    assert published == pytest.approx(np.array([[4 * np.log(5 / 4), 2 * np.log(5 / 6)], [0, 4 * np.log(5 / 6)]]))
    assert published[1, 1] < 0  # the published formula is negative for a frequent term
    bounded = c_tf_idf(counts, "bounded")
    assert bounded == pytest.approx(
        np.array([[4 * np.log(1 + 5 / 4), 2 * np.log(1 + 5 / 6)], [0, 4 * np.log(1 + 5 / 6)]])
    )
    assert (bounded >= 0).all()


def test_the_published_rule_for_k_is_seeded_and_defined_below_fifty() -> None:
    assert {draw_cluster_count(200, seed) for seed in range(200)} == set(range(5, 21))
    assert draw_cluster_count(200, 7) == draw_cluster_count(200, 7)
    assert [draw_cluster_count(n, 0) for n in (0, 3, 9, 49)] == [1, 1, 3, 5]


def test_means_divide_what_lies_apart_the_same_way_each_time() -> None:
    near = np.random.default_rng(0).normal(scale=0.1, size=(30, 4))
    apart = (near + np.repeat(np.eye(4)[:3] * 5, 10, axis=0)).astype(np.float32)
    found = divide_by_means(apart, 3)
    assert [len(set(found[i : i + 10])) for i in (0, 10, 20)] == [1, 1, 1]
    assert set(found) == {0, 1, 2}
    assert np.array_equal(found, divide_by_means(apart, 3))
    twice = np.repeat(np.eye(4, dtype=np.float32), 6, axis=0)
    assert sorted(np.bincount(divide_by_means(twice, 4))) == [6, 6, 6, 6]
    assert set(divide_by_means(np.zeros((5, 2), np.float32), 3)) == {0}


@given(st.lists(st.integers(0, 9), min_size=2, max_size=40), st.integers(1, 10))
def test_means_leave_no_cluster_empty(places: list[int], k: int) -> None:
    points = np.array([[place, place**2] for place in places], np.float32)
    k = min(k, len(set(places)))
    found = divide_by_means(points, k)
    assert len(found) == len(places)
    assert set(found) == set(range(max(found) + 1)) <= set(range(k))


def test_the_algorithm_is_picked_by_the_seed() -> None:
    assert {GroupingOptions(None).choose_algorithm(seed, 0) for seed in range(30)} == set(ALGORITHMS)


def blobs() -> np.ndarray:
    rng = np.random.default_rng(0)
    return np.vstack([rng.normal(centre, 0.05, (20, 3)) for centre in (0.0, 1.0, 2.0)]).astype(np.float32)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_each_algorithm_finds_what_is_there(algorithm: Algorithm) -> None:
    points = blobs()
    assert best_cluster_count(points, (2, 8), 0) == 3
    found = reassign_noise(points, labels(points, algorithm, 3, 0))
    assert [len(set(found[i : i + 20])) for i in (0, 20, 40)] == [1, 1, 1]
    assert len(set(found)) == 3


def test_noise_is_given_a_home() -> None:
    points = np.vstack([blobs(), [[1.4, 1.4, 1.4]]]).astype(np.float32)
    found = np.array([0] * 20 + [1] * 20 + [2] * 20 + [NOISE])
    assert reassign_noise(points, found)[-1] == 1
    assert set(reassign_noise(points[:3], np.array([NOISE] * 3))) == {0}


def test_groups_of_unlike_density_are_told_apart_by_dbscan_and_one_crowd_is_degenerate() -> None:
    rng = np.random.default_rng(3)
    dense, loose = rng.normal(0.0, 0.02, (30, 3)), rng.normal(1.0, 0.1, (20, 3))
    found = labels(np.vstack([dense, loose]).astype(np.float32), "dbscan", 2, 0)
    assert not is_degenerate(found)
    assert not set(found[:30]) & set(found[30:]) - {NOISE}
    assert is_degenerate(np.zeros(50, np.int64))
    assert is_degenerate(np.array([0] * 6 + [1] * 6 + [NOISE] * 20))


def test_the_published_terms_count_occurrences_not_papers() -> None:
    often = [
        paper(n, title="Sparse retrieval", abstract="Hard negatives help. Hard negatives. Hard negatives.")
        for n in (1, 2)
    ]
    spread = [paper(n, title="Dense retrieval", abstract="Query expansion helps.") for n in (3, 4, 5)]
    phrases = GroupedPhrases([often, spread])
    assert max(phrases.papers[0].values()) == 2  # papers of the group
    assert max(phrases.occurrences[0].values()) >= 6  # what is said three times in each


def test_clusters_of_too_few_papers_join_their_nearest() -> None:
    points = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2], [4.0]], np.float32)
    assert dissolve_small(points, np.array([0, 0, 0, 1, 1, 1, 2]), 3).tolist() == [0, 0, 0, 1, 1, 1, 1]
    assert dissolve_small(points, np.array([0, 0, 1, 2, 2, 3, 4]), 3).tolist() == [0] * 7  # none is large enough
    assert dissolve_small(points, np.array([0, 0, 0, 1, 1, 1, 2]), 1).tolist() == [0, 0, 0, 1, 1, 1, 2]


def test_points_without_clusters_are_cut_in_the_middle() -> None:
    points = np.array([[9.0], [0.0], [0.1], [0.2], [0.3], [1.0], [1.1], [1.2]], np.float32)
    parts = split_in_two(points, 3)
    assert {tuple(np.flatnonzero(parts == part)) for part in (0, 1)} == {(0, 5, 6, 7), (1, 2, 3, 4)}
    assert split_in_two(points[:5], 3).tolist() == [0] * 5


@pytest.mark.parametrize("reduction", ["spectral", pytest.param("umap", marks=pytest.mark.slow)])
def test_groups_that_share_nothing_stay_apart_in_five_dimensions(reduction: Reduction) -> None:
    chance = np.random.default_rng(0)
    vectors = np.zeros((60, 30), np.float32)
    for i in range(60):
        group = i % 3
        vectors[i, group * 10 : group * 10 + 10] = chance.random(10)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    points = reduce_dimensions(vectors, 0, reduction)
    assert points.shape == (60, 5)
    found = labels(points, "k-means", 3, 0)
    assert all(len(set(found[group::3])) == 1 for group in range(3))
    assert len(set(found)) == 3


@pytest.mark.parametrize("count", [1, 2, 3, 16])
def test_few_papers_are_reduced_too(count: int) -> None:
    vectors = WordEmbedder().embed([p.abstract for p in papers(count)])
    assert len(reduce_dimensions(vectors, 0)) == count


def test_names_tell_groups_apart_and_read_like_headings() -> None:
    groups = [papers(8), papers(8, "graph", 100), papers(8, "vision", 200)]
    names = [n.name for n in name_groups(groups, "machine learning")]
    assert len(set(names)) == 3
    assert names[0] == "Dense Retrieval"
    assert names[1] in {"Message Passing", "Graph Attention"}
    assert names[2] in {"Object Detection", "Image Segmentation"}
    assert name_groups([[]], "x")[0].name == "Group 1"


def unit(*rows: tuple[float, float]) -> np.ndarray:
    array = np.array(rows, np.float32)
    return array / np.linalg.norm(array, axis=1, keepdims=True)


def test_terms_are_written_as_the_papers_write_them_though_a_list_knows_them() -> None:
    said = "We use Bayesian optimization. The Bayesian optimization of soils is quick."
    group = [paper(i, title=f"Bayesian Optimization of Soil {i}", abstract=said) for i in range(6)]
    assert "Bayesian optimization" in name_groups([group, papers(6, start=100)], "soils")[0].terms


def test_headings_name_neither_what_authors_do_nor_what_everything_has() -> None:
    summary = "The authors construct a bridge inspection robot. Models hold a spatial resolution of one metre."
    bridges = [paper(n, title=f"Bridge Inspection Part {n}", abstract=summary) for n in range(1, 6)]
    others = [paper(n, title=f"Tunnel Boring Part {n}", abstract="Machines bore.") for n in range(6, 11)]
    first = name_groups([bridges, others], "civil engineering")[0]
    assert first.name == "Bridge Inspection"
    assert not {term for term in first.terms if {"construct", "hold"} & set(term.split())}


def test_selectors_disagree_as_the_sources_do() -> None:
    topic = unit((1, 0))[0]
    near, middle, far = (1, 0.3), (1, 1), (0, 1)
    candidates = unit(near, middle, far)
    none = np.zeros((0, 2), np.float32)
    # With the topic alone, mean and largest distance are the same number, so that ranks cancel or add up.
    assert select(candidates, topic, none, "formula") == 0
    pool = unit((1, -0.2))
    assert select(candidates, topic, pool, "prose") == 0
    assert select(candidates, topic, pool, "surveyx") == 0
    assert select(candidates, topic, pool, "farthest") == 1  # the far one is not about the topic
    assert select(unit(far), topic, pool, "farthest") is None
    assert select(unit(far), topic, pool, "surveyx") == 0
    assert select(none, topic, pool, "prose") is None


def context(**limits: int) -> RunContext:
    return RunContext(EmptyLibrary(), WordEmbedder(), limits=Limits(**limits))


TOPIC = Keyword("dense retrieval", "topic")


def known_papers(count: int) -> list[Paper]:
    """Papers in two groups that phrases of their titles tell apart."""
    subjects: list[tuple[str, str]] = [("retrieval", "question answering"), ("vision", "image search")]
    return [paper(n, subject, title=f"Dense {use} {n}") for n in range(count) for subject, use in [subjects[n % 2]]]


async def run_expansion(known: int, brings: int, selector: Selector = "surveyx", **limits: int) -> list[Keyword]:
    searched: list[str] = []

    async def search(text: str) -> list[Paper]:
        searched.append(text)
        return papers(brings, start=1_000 * len(searched))

    keywords = (await expand_keywords(TOPIC, known_papers(known), search, context(**limits), selector)).keywords
    assert [k.text for k in keywords[1:]] == searched[: len(keywords) - 1] or not brings
    return list(keywords)


async def test_expansion_ends_at_theta() -> None:
    assert [k.found for k in await run_expansion(20, 20, candidate_papers=50)] == [0, 20, 20]


async def test_a_keyword_that_brings_nothing_is_not_proposed() -> None:
    assert await run_expansion(20, 0) == [TOPIC]
    assert len(await run_expansion(20, 1)) > 1


@pytest.mark.parametrize("count", [0, 1, 2, 3])
async def test_expansion_survives_fewer_papers_than_clusters(count: int) -> None:
    assert (await run_expansion(count, 5))[0] == TOPIC


async def test_the_model_names_clusters_and_terms_stand_in_where_it_gives_nothing() -> None:
    def reply(prompt: str, _: str) -> str:
        assert "<papers>\nCluster 1:\n- " in prompt
        return json.dumps({"keywords": [{"cluster": 1, "keyword": "passage index"}, {"cluster": 7, "keyword": "no"}]})

    async def search(_: str) -> list[Paper]:
        return papers(20, start=500)

    async def expand(model: FakeModel) -> KeywordPool:
        asking = replace(context(keyword_rounds=2), model=model)
        return await expand_keywords(TOPIC, known_papers(20), search, asking, "surveyx")

    assert Keyword("passage index", "model", 20) in (await expand(FakeModel(reply))).keywords

    def fail(_: str, __: str) -> str:
        raise LanguageModelError("away")

    found = await expand(FakeModel(fail))
    assert {keyword.origin for keyword in found.keywords} == {"topic", "library"}
    assert "away" in found.note


@given(st.integers(0, 12), st.integers(1, 4), st.sampled_from(ALGORITHMS))
def test_every_paper_lands_in_exactly_one_cluster(count: int, k: int, algorithm: Algorithm) -> None:
    chosen = papers(count)
    if not chosen:
        return
    points = reduce_dimensions(WordEmbedder().embed([p.abstract for p in chosen]), 0)
    made = clusters(chosen, reassign_noise(points, labels(points, algorithm, k, 0)), "t")
    assert sorted(p.key for c in made for p in c.papers) == sorted(p.key for p in chosen)
