"""Which papers name a topic and mean by it what it means: all its words, in any writing, in one sense."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from engine.gathering.topic_papers import Subject, measure_relevance
from engine.gathering.topic_parts import read_parts, split_topic
from engine.retrieval.embedding import Vectors
from engine.retrieval.libraries.library import TopicCounts
from engine.retrieval.topic_words import read_topic
from engine.text import terms
from engine.values import Paper
from tests.fakes import paper

DETAILS = (
    *("sparse", "dense", "linear", "convex", "robust", "causal", "neural", "visual", "spatial", "temporal", "online"),
    *("offline", "hidden", "latent", "convolution", "attention", "margin", "kernel", "gradient", "entropy", "corpus"),
    *("benchmark", "annotator", "crowd", "budget", "privacy", "fairness", "speed", "memory", "noise"),
)


class ByBeginnings:
    """Takes words for the same that begin with the same five letters."""

    name = "beginnings"

    def embed(self, texts: Sequence[str]) -> Vectors:
        vectors = np.zeros((len(texts), 512), np.float32)
        for row, text in enumerate(texts):
            for word in set(terms(text)):
                vectors[row, sum(ord(ch) * 31**i for i, ch in enumerate(word[:5])) % 512] = 1.0
        return vectors / np.maximum(1e-9, np.linalg.norm(vectors, axis=1, keepdims=True))


def written(number: int, title: str, abstract: str) -> Paper:
    """A paper with details of its own, as papers of one topic have."""
    own = " ".join(DETAILS[(number * 7 + 11 * k) % len(DETAILS)] for k in range(8))
    return replace(paper(number), title=title, abstract=f"{abstract} We look at {own}.")


def papers_on(title: str, abstract: str, first: int = 0, count: int = 12) -> list[Paper]:
    """Papers of one kind, with numbered titles."""
    return [written(first + n, f"{title} {n}", f"{abstract} Case {n}.") for n in range(count)]


def about(topic: str, stored: Sequence[Paper], rare: Sequence[int]) -> list[str]:
    """Titles of the papers about a topic in a library of 50,000, where ``rare`` papers have each word of it."""
    assert len(read_topic(topic).stems) == len(rare)
    relevance = measure_relevance([Subject(topic, TopicCounts(50_000, tuple(rare)))], stored, ByBeginnings())
    return [p.title for p, is_about in zip(stored, relevance.about, strict=True) if is_about]


EXPLAINED = papers_on(
    "Explainable Recommendation with Reviews",
    "Users ask why an item is recommended. We study explainable recommendation, which explains items to users. "
    "Our explainable recommendation model writes explanations from reviews.",
)
RECOMMENDED = papers_on("Sequential Recommendation", "We recommend items to users by their sequences.", first=100)
EXPLAINING = papers_on("Explaining Image Classifiers", "We explain what a classifier sees in images.", first=200)


def test_one_word_of_two_is_not_the_topic() -> None:
    found = about("explainable recommendation", [*EXPLAINED, *RECOMMENDED, *EXPLAINING], [1_000, 500])
    assert sorted(found) == sorted(p.title for p in EXPLAINED)


def test_a_word_that_differs_from_its_stem_names_it() -> None:
    text = "We track each fruit fly in a cage. The behaviour of a fruit fly depends on light. One fruit fly sings."
    flies = papers_on("Tracking of Drosophila", text)
    found = about("fruit flies", [*flies, *EXPLAINED], [300, 300])
    assert len(found) > len(flies) / 2
    assert {*found} <= {p.title for p in flies}


def test_another_form_of_a_word_names_it() -> None:
    text = (
        "Users ask why an item is recommended. We give explanations of recommendations. Reviews explain items to users."
    )
    other = written(300, "Generating Explanations for Recommendations from Reviews", text)
    assert other.title in about("explainable recommendation", [*EXPLAINED, *RECOMMENDED, other], [300, 500])


def test_where_code_is_found_is_not_what_a_paper_is_about() -> None:
    topic, rare = "code generation", [3_000, 9_000]
    own = papers_on("Code Generation from Tests", "We study code generation. Programs and tests.")
    text = "We study image generation. Our code for generation is available at https://example.org."
    images = papers_on("Image Generation", text, first=100)
    assert sorted(about(topic, [*own, *images], rare)) == sorted(p.title for p in own)


def test_the_same_words_in_another_sense_are_not_the_topic() -> None:
    own = papers_on(
        "Stance Detection in Tweets",
        "Stance detection finds whether a tweet agrees with its target. Social media users and political opinions. "
        "We improve stance detection of tweets.",
        count=16,
    )
    robot = written(
        300,
        "Detecting the Stance Phase of a Legged Robot",
        "The leg of a walking robot has a swing phase and a stance phase. Foot force and gait control of the leg.",
    )
    walking = papers_on("Gait Control", "A walking robot moves its leg by gait control of the foot.", first=400)
    assert robot.title not in about("stance detection", [*own, robot, *walking], [270, 9_000])


@pytest.mark.parametrize("title", ["Watermarking LLMs by Green Lists", "A Watermark for Large Language Models"])
def test_an_abbreviation_of_a_kind_names_the_kind(title: str) -> None:
    own = papers_on(
        "Watermarking Language Models",
        "Large language models (LLMs) write text. We watermark a language model by its tokens.",
    )
    other = written(300, title, "LLMs write text. We watermark LLMs by their tokens and detect the watermark.")
    images = papers_on("Image Watermarking", "We watermark images in their pixels.", first=400)
    found = about("watermarking language models", [*own, *images, other], [40, 5_000, 40_000])
    assert sorted(found) == sorted([*(p.title for p in own), title])


def test_a_word_that_goes_without_saying_may_be_missing() -> None:
    own = papers_on("Machine Unlearning of Samples", "Machine unlearning removes samples from a model.")
    short = written(300, "Unlearning Samples Exactly", "We remove samples from a trained model. Unlearning is exact.")
    assert short.title in about("machine unlearning", [*own, short, *RECOMMENDED], [3_000, 30])


DRIVING = [
    written(
        n,
        f"Object Detection for Autonomous Driving {n}",
        (
            "Maps tell lorries of signals, crossings, tunnels, bridges, ferries, borders, weather and markets. "
            if n >= 9
            else "Cars see objects by lidar sweeps of roads. "
        )
        + "We study object detection in autonomous driving. Object detection for autonomous driving becomes quick. "
        f"Case {n}.",
    )
    for n in range(12)
]
BY_LIDAR = written(
    4,
    "Object Detection by Lidar",
    "Cars see objects by lidar sweeps of roads. Object detection by lidar becomes quick. Case 4.",
)
IN_KITCHENS = written(
    21, "Object Detection of Crockery", "Plates and cups are found in kitchens by a camera on a shelf."
)


def test_where_a_method_is_used_may_go_unsaid_by_papers_that_are_close() -> None:
    stored = [*DRIVING, BY_LIDAR, IN_KITCHENS]
    chosen = about("object detection in autonomous driving", stored, (900, 900, 300, 300))
    assert chosen == [p.title for p in (*DRIVING, BY_LIDAR)]
    assert BY_LIDAR.title not in about("object detection autonomous driving", stored, (900, 900, 300, 300))


def test_a_place_that_few_papers_on_the_subject_say_must_be_said() -> None:
    elsewhere = [replace(IN_KITCHENS, title=f"Object Detection of Crockery {n}") for n in range(60)]
    chosen = about("object detection in autonomous driving", [*DRIVING, BY_LIDAR, *elsewhere], (900, 900, 300, 300))
    assert chosen == [p.title for p in DRIVING]


def test_a_phrase_that_an_abbreviation_in_the_topic_stands_for_names_it() -> None:
    agents = papers_on("LLM Agents at Work", "Large language model (LLM) agents plan. LLM agents act.")
    other = written(50, "Large Language Model Agents at Work", "Large language model agents plan and act. They work.")
    assert other.title in about("LLM agents", [*agents, other, *EXPLAINED], [900, 1_500])


def test_what_any_method_does_need_not_be_said() -> None:
    deep = papers_on("Organ Segmentation with Deep Learning", "Deep learning for organ segmentation.")
    plain = written(50, "Organ Segmentation in Scans", "We segment organs in scans. Organ segmentation helps.")
    assert plain.title in about(
        "organ segmentation using deep learning", [*deep, plain, *EXPLAINED], [300, 2_000, 8_000, 20_000]
    )


def test_what_a_topic_is_used_for_must_be_said() -> None:
    both = papers_on("Language Agents for Recommendation", "Language agents recommend items to users.")
    one = written(50, "Language Agents at Play", "Language agents play games. Language agents act in them.")
    found = about("language agents for recommendation", [*both, one, *EXPLAINED], [3_000, 1_500, 1_000])
    assert one.title not in found and both[0].title in found


@pytest.mark.parametrize(
    ("topic", "joined"),
    [
        ("bias and fairness in language models", ["bias in language models", "fairness in language models"]),
        ("object detection and tracking", ["object detection", "object tracking"]),
        ("graph networks versus transformers for traffic", ["graph networks for traffic", "transformers for traffic"]),
        ("face recognition vs. speech recognition", ["face recognition", "speech recognition"]),
        ("transformers versus convolutional networks", ["transformers", "convolutional networks"]),
        ("bias and fairness", []),
        ("language models and robots", []),
    ],
)
def test_a_topic_that_joins_two_is_split_with_what_both_share(topic: str, joined: list[str]) -> None:
    assert split_topic(topic) == [topic, *joined]


def test_a_condition_must_be_said_and_a_place_need_not() -> None:
    assert read_parts("SLAM in dynamic environments").means == "dynamic environments"
    assert read_parts("object detection in autonomous driving").place == "autonomous driving"
    assert read_parts("causal discovery from observational data").place == "observational data"


def test_a_describing_word_alone_does_not_name_the_subject() -> None:
    own = papers_on("Open-Vocabulary Object Detection", "Open-vocabulary object detection finds boxes.")
    other = written(50, "Open-Vocabulary Speech", "Open-vocabulary recognition writes speech of an object down.")
    found = about("open-vocabulary object detection", [*own, other, *EXPLAINED], [20, 6_000, 5_000])
    assert found == [p.title for p in own]


def test_a_paper_that_evaluates_its_method_is_not_about_evaluation() -> None:
    own = papers_on("Evaluation of Poem Translation", "We study evaluation of poem translation.")
    other = written(50, "Poem Translation by Rhyme", "We evaluate poem translation by rhymes. Poem translation wins.")
    found = about("evaluation of poem translation", [*own, other, *EXPLAINED], [9_000, 200, 1_500])
    assert found == [p.title for p in own]


def test_what_is_rare_in_machine_learning_need_not_say_machine() -> None:
    own = papers_on("Privacy-Preserving Learning", "Privacy-preserving machine learning hides records.")
    plain = written(50, "Privacy-Preserving Learning of Trees", "Privacy-preserving learning hides records of trees.")
    assert plain.title in about("privacy-preserving machine learning", [*own, plain, *EXPLAINED], [60, 3_400, 18_000])


def test_a_task_that_is_listed_among_others_is_not_what_a_method_is_for() -> None:
    own = papers_on("Distillation for Object Detection", "Distillation for object detection makes detectors small.")
    meant = written(3, "Distillation by Boxes", "Distillation for object detection makes detectors small. Case 3.")
    text = "Distillation makes networks small. Results on image classification and object detection rise. Case 3."
    listed = written(3, "Distillation by Layers", text)
    found = about("distillation for object detection", [*own, listed, meant, *EXPLAINED], [500, 9_000, 8_000])
    assert meant.title in found and listed.title not in found


def test_common_words_name_a_topic_side_by_side() -> None:
    own = papers_on("Neural Code Search", "Code search finds functions of programs for questions of developers.")
    hashing = papers_on("Binary Codes for Fast Search", "Hashing images to bits makes nearest neighbours quick.", 100)
    found = about("code search", [*own, *hashing], [3_000, 2_500])
    assert found == [p.title for p in own]


def test_the_same_words_apart_are_the_topic_where_they_mean_the_same() -> None:
    text = "Robots find ways through rooms and corridors by their maps."
    own = papers_on("Robot Navigation by Maps", text)
    apart = papers_on("Navigation in Rooms by Wheeled Robots", text, first=100)
    assert len(about("robot navigation", [*own, *apart], [4_000, 2_000])) == 24


def test_what_is_made_of_something_is_not_what_it_is_made_of() -> None:
    own = papers_on("Music Generation by Bars", "Music generation composes songs with chords and melodies.")
    dances = papers_on("Music-to-Dance Generation", "Dancers move arms and legs on a stage by beats.", first=100)
    assert about("music generation", [*own, *dances], [300, 5_000]) == [p.title for p in own]


@pytest.mark.parametrize("title", ["Sim2Real Grasping", "Sim-to-Real Grasping"])
def test_a_number_may_stand_for_to(title: str) -> None:
    own = papers_on("Sim-to-Real Grasping by Hands", "Sim-to-real grasping moves policies to the robots.")
    other = written(50, title, "Policies grasp in the simulator and then on the robots.")
    assert other.title in about("sim-to-real grasping", [*own, other, *EXPLAINED], [200, 900])


def test_the_most_cited_paper_that_says_the_topic_is_its_origin_whatever_its_title() -> None:
    own = papers_on("Federated Learning of Phones", "Federated learning keeps data on phones and averages models.")
    text = "Phones keep their data. We call this federated learning. Federated learning averages models."
    origin = written(50, "Training from Decentralised Data", text)
    found = about("federated learning", [*own, replace(origin, citations=20_000), *EXPLAINED], [500, 20_000])
    assert origin.title in found


def test_a_rare_compound_names_a_topic_without_the_word_behind_it() -> None:
    """Papers that fit by every concept are a proposal: a "multi-task network" learns several tasks."""
    phrased = papers_on("Balanced Multi-Task Learning", "Multi-task learning trains one model. We balance its losses.")
    driving = papers_on(
        "A Multi-Task Network for Autonomous Driving",
        "One multi-task network sees the road in autonomous driving. It finds lanes and cars.",
        first=100,
        count=3,
    )
    found = about("multi-task learning for autonomous driving", [*phrased, *driving], [500, 20_000, 3_000, 1_500])
    assert sorted(found) == [p.title for p in driving]


def test_a_low_rank_matrix_ranks_nothing() -> None:
    ranking = papers_on("Fair Ranking of Items", "We study fair ranking. A fair ranking shows all groups of items.")
    text = "We study fair low-rank factors. A fair low-rank matrix shows all groups of items."
    other = written(300, "Fair Low-Rank Factors of Items", text)
    found = about("fair ranking", [*ranking, other], [400, 1_000])
    assert sorted(found) == sorted(p.title for p in ranking)


def test_versus_is_no_word_of_a_topic() -> None:
    said = tuple(terms("transformers convolutional networks"))
    assert read_topic("transformers versus convolutional networks").stems == said
    assert read_topic("transformers vs. convolutional networks").stems == said


def test_what_something_is_steered_by_is_not_what_it_is_done_to() -> None:
    text = "We change the style of a text. Text style transfer keeps its content."
    own = papers_on("Text Style Transfer of Letters", text)
    images = papers_on(
        "Text-Guided Style Transfer of Pictures", "A picture takes a style. Style transfer of pixels.", 100
    )
    found = about("text style transfer", [*own, *images], [2_000, 500, 2_500])
    assert sorted(found) == sorted(p.title for p in own)


def test_a_paper_that_explores_something_is_about_no_exploration() -> None:
    text = "Exploration in reinforcement learning finds rewards. Agents do exploration by reinforcement learning."
    own = papers_on("Exploration in Reinforcement Learning by Bonuses", text)
    other = written(
        300,
        "Exploring Features in Reinforcement Learning",
        "We explore reinforcement learning for rewards. Exploring features of agents by reinforcement learning.",
    )
    found = about("exploration in reinforcement learning", [*own, other, *EXPLAINED], [1_000, 1_500, 20_000])
    assert sorted(found) == sorted(p.title for p in own)


def test_words_that_stand_apart_do_not_name_what_one_of_them_describes() -> None:
    text = "Graph anomaly detection finds nodes with odd edges in networks of users. Graph anomalies are rare."
    own = papers_on("Graph Anomaly Detection by Edges", text)
    turned = written(50, "Anomaly Detection in Large Graphs", "Nodes with odd edges are anomalies in a graph of users.")
    video = papers_on(
        "Anomaly Detection in Video by a Network over a Graph",
        "Frames of cameras show falls and fights as anomalies. The network learns a graph.",
        first=100,
        count=4,
    )
    found = about("graph anomaly detection", [*own, turned, *video], [3_000, 300, 6_000])
    assert sorted(found) == sorted([*(p.title for p in own), turned.title])


def test_a_well_cited_paper_need_not_say_the_method_that_its_kind_is_called_by() -> None:
    text = "Graph neural networks pass messages between nodes of a graph. A graph neural network sums its neighbours."
    own = papers_on("Graph Neural Networks for Nodes", text)
    plain = written(3, "Graph Networks of Nodes", f"{text.replace('neural ', '')} Case 3.")
    famous = replace(plain, citations=9_000)
    unknown = replace(plain, title="Graph Networks of Edges", citations=3)
    found = about("graph neural networks", [*own, famous, unknown, *EXPLAINED], [3_000, 12_000, 12_000])
    assert famous.title in found and unknown.title not in found


def test_a_method_that_is_said_once_beside_others_is_not_what_a_paper_does_it_with() -> None:
    text = "Federated learning with differential privacy adds noise. Differential privacy hides each record."
    own = papers_on("Federated Learning with Differential Privacy of Records", text)
    once = "Federated learning keeps data on phones. Noise or differential privacy could be added. Case 3."
    other = written(3, "Federated Learning in Rounds", once)
    found = about("federated learning with differential privacy", [*own, other, *EXPLAINED], [500, 20_000, 600, 900])
    assert sorted(found) == sorted(p.title for p in own)


def test_a_use_that_most_papers_on_a_task_say_need_not_be_said_where_few_titles_have_it() -> None:
    text = "A camera of a car finds lanes on roads. Lane detection finds markings of lanes. "
    own = papers_on("Lane Detection by Curves", f"{text} It is for autonomous driving.")
    plain = written(3, "Lane Detection by Splines", f"{text} Case 3.")
    found = about("lane detection for autonomous driving", [*own, plain, *EXPLAINED], [100, 9_000, 900, 900])
    assert sorted(found) == sorted(p.title for p in (*own, plain))


def test_a_title_that_says_the_topic_word_for_word_is_about_it_however_far_it_is() -> None:
    own = papers_on("Crowd Counting by Density", "Crowd counting sums a density map of people in an image.")
    text = "Pigs wander through corridors of a farm, and a fence tells the farmer how they feel."
    far, apart = written(60, "Crowd Counting of Pigs", text), written(60, "Counting Pigs Before a Crowd", text)
    found = about("crowd counting", [*own, far, apart, *EXPLAINED], [300, 1_500])
    assert far.title in found and apart.title not in found


def test_an_abbreviation_at_the_end_of_a_name_names_the_topic() -> None:
    text = "Visual question answering (VQA) answers questions about an image. A VQA model looks."
    own = papers_on("Visual Question Answering by Looking", text)
    named = written(3, "RobotVQA: Seeing Cups", "RobotVQA answers questions about an image. A model looks. Case 3.")
    found = about("visual question answering", [*own, named, *EXPLAINED], [5_000, 3_000, 2_000])
    assert named.title in found
