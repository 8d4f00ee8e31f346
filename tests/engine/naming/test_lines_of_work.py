"""A heading is what its papers say; papers that say none of the headings are other work."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bot.bench.simulation import simulate_answer
from engine.naming.clustering import OTHER_WORK
from engine.naming.lines_of_work import FURTHER, Field, find_lines_of_work
from engine.naming.phrases import GroupedPhrases
from engine.recipes.cluster import ClusterRecipe
from engine.retrieval.libraries.local import LocalLibrary
from engine.run import RunContext
from engine.values import Brief, FoundPaper, Paper, PaperSelection
from tests.fakes import FakeModel, WordEmbedder, paper

SAYING = {
    "crop rotation": ("Crop Rotation in {}", "Crop rotation keeps the soil of {} fertile."),
    "drip irrigation": ("Drip Irrigation in {}", "Drip irrigation saves the water of {}."),
}
PLACES = ("Spain", "Kenya", "Peru", "Norway", "Chile", "Ghana", "Nepal", "Cuba")
OTHERS = (
    "Maize Prices of Lagos",
    "Owls at Night",
    "Granite Bridges",
    "Clocks and Bells",
    "Sailing Routes",
    "Tin Mines",
    "Paper Mills",
    "Lost Alphabets",
)


def about(subject: str, first: int) -> list[Paper]:
    title, text = SAYING[subject]
    return [paper(first + i, title=title.format(place), abstract=text.format(place)) for i, place in enumerate(PLACES)]


def unrelated(first: int) -> list[Paper]:
    return [paper(first + i, title=title, abstract=f"{title} are described.") for i, title in enumerate(OTHERS)]


def divide(papers: list[Paper], clusters: list[int], most: int = 8) -> dict[str, set[str]]:
    """The titles under each heading."""
    vectors = WordEmbedder().embed([p.content for p in papers])
    field = Field(GroupedPhrases([papers]), vectors, "farming", least=3)
    lines = find_lines_of_work(field, np.array(clusters), most)
    return {line.name: {p.title for p in line.papers} for line in lines}


def titles_of(papers: list[Paper]) -> set[str]:
    return {p.title for p in papers}


def test_papers_of_a_cluster_that_nothing_names_are_other_work() -> None:
    rotation, irrigation, others = about("crop rotation", 0), about("drip irrigation", 100), unrelated(200)
    assert divide([*rotation, *irrigation, *others], [0] * 8 + [1] * 8 + [2] * 8) == {
        "Crop Rotation": titles_of(rotation),
        "Drip Irrigation": titles_of(irrigation),
        OTHER_WORK: titles_of(others),
    }


def test_a_paper_that_does_not_say_the_heading_of_its_cluster_is_not_under_it() -> None:
    rotation, irrigation, others = about("crop rotation", 0), about("drip irrigation", 100), unrelated(200)[:3]
    found = divide([*rotation, *others, *irrigation], [0] * 8 + [0, 0, 0] + [1] * 8)
    assert found["Crop Rotation"] == titles_of(rotation)
    assert found[OTHER_WORK] == titles_of(others)


def test_a_paper_goes_under_the_heading_that_its_title_says() -> None:
    rotation, irrigation = about("crop rotation", 0), about("drip irrigation", 100)
    found = divide([*rotation, *irrigation], [1] + [0] * 7 + [1] * 8)
    assert found == {"Crop Rotation": titles_of(rotation), "Drip Irrigation": titles_of(irrigation)}


def test_one_cluster_of_two_subjects_becomes_two_lines_of_work() -> None:
    rotation, irrigation = about("crop rotation", 0), about("drip irrigation", 100)
    found = divide([*rotation, *irrigation], [0] * 16)
    assert found == {"Crop Rotation": titles_of(rotation), "Drip Irrigation": titles_of(irrigation)}


def test_there_are_no_more_lines_of_work_than_asked_for() -> None:
    papers = [*about("crop rotation", 0), *about("drip irrigation", 100)]
    (_, other) = divide(papers, [0] * 8 + [1] * 8, most=1)
    assert other == OTHER_WORK


def test_what_abstracts_mention_and_titles_do_not_name_is_no_line_of_work() -> None:
    rotation = about("crop rotation", 0)
    mills = [
        paper(100 + i, title=title, abstract=f"{title} are described. Field trials were made.")
        for i, title in enumerate(OTHERS)
    ]
    assert divide([*rotation, *mills], [0] * 8 + [1] * 8).keys() == {"Crop Rotation", OTHER_WORK}


def test_papers_that_say_nothing_in_common_have_no_lines_of_work() -> None:
    assert divide([*unrelated(0)], [0] * 8) == {}


def test_an_abbreviation_counts_as_what_it_stands_for() -> None:
    rotation = about("crop rotation", 0)
    abstract = "We study crop rotation (CR). {} has long winters."
    short = [
        paper(50 + i, title=f"CR on Farms of {place}", abstract=abstract.format(place))
        for i, place in enumerate(PLACES)
    ]
    assert divide([*rotation, *short, *unrelated(200)], [0] * 16 + [1] * 8)["Crop Rotation"] == titles_of(
        [*rotation, *short]
    )


def test_data_sets_evaluations_and_surveys_that_say_no_heading_stand_together() -> None:
    crops = ("Barley", "Rye", "Oats", "Spelt")
    data = [
        paper(300 + i, title=f"{crop}Bench: A Benchmark of Prices", abstract=f"{crop}.") for i, crop in enumerate(crops)
    ]
    reviews = [paper(400 + i, title=f"{crop}: A Survey", abstract=f"{crop} again.") for i, crop in enumerate(crops)]
    rotation, others = about("crop rotation", 0), unrelated(200)
    rotation[0] = replace(rotation[0], title="A Data Set of Crop Rotation")
    found = divide([*rotation, *data, *reviews, *others], [0] * 8 + [1] * 16)
    assert found == {
        "Crop Rotation": titles_of(rotation),
        "Data Sets and Evaluation": titles_of(data),
        "Surveys": titles_of(reviews),
        OTHER_WORK: titles_of(others),
    }


def test_attention_that_a_subject_finds_is_not_the_mechanism() -> None:
    rotation = about("crop rotation", 0)
    said = "An attention mechanism weighs the fields of {}. Attention mechanisms are learned."
    focus = [
        paper(100 + i, title=f"Attention Mechanisms in {p}", abstract=said.format(p)) for i, p in enumerate(PLACES)
    ]
    praised = [
        replace(p, abstract=f"{p.abstract} Its mechanism has attracted increasing attention.") for p in unrelated(200)
    ]
    found = divide([*rotation, *focus, *praised], [0] * 8 + [1] * 8 + [2] * 8)
    assert found == {
        "Crop Rotation": titles_of(rotation),
        "Attention Mechanisms": titles_of(focus),
        OTHER_WORK: titles_of(praised),
    }


async def test_the_sections_asked_for_are_made(library: LocalLibrary) -> None:
    papers = [*about("crop rotation", 0), *about("drip irrigation", 100), *unrelated(200)]
    selection = PaperSelection(tuple(FoundPaper(p, 1.0) for p in papers))
    for sections, rest in ((4, FURTHER), (5, OTHER_WORK)):
        outline = await ClusterRecipe().outline(
            Brief("farming", sections=sections), selection, RunContext(library, WordEmbedder())
        )
        *lines, other = [node.title for node in outline.nodes if node.role == "body"]
        assert len(lines) == sections - 3
        assert {*lines} <= {"Crop Rotation", "Drip Irrigation"}
        assert other == rest


async def test_many_papers_of_no_line_of_work_are_divided_by_years_where_a_part_of_them_has_no_name(
    library: LocalLibrary,
) -> None:
    shared = ("granite cools under pressure", "basalt flows from fissures", "marble grows out of limestone")
    rest = [
        replace(
            paper(200 + i, title=f"{letter * 5} Notes", abstract=f"{letter * 5} tells that {shared[i % 3]}."),
            year=2018 + i // 7,
        )
        for i, letter in enumerate("ABCDEFGHIJKLMNOPQRSTUVWX")
    ]
    papers = [*about("crop rotation", 0), *about("drip irrigation", 100), *rest]
    selection = PaperSelection(tuple(FoundPaper(p, 1.0) for p in papers))
    outline = await ClusterRecipe().outline(Brief("farming"), selection, RunContext(library, WordEmbedder()))
    other = next(node for node in outline.nodes if node.title == OTHER_WORK)
    assert [child.title for child in other.children] == ["Work of 2018", "Work of 2019", "Work since 2020"]
    assert {key for child in other.children for key in child.papers} == {p.key for p in rest}


@pytest.mark.parametrize(
    ("title", "sentence", "name"),
    [
        ("Joint Seed and Weed Detection in {}", "Joint seed and weed detection feeds {}.", "Weed Detection"),
        ("Weakly Supervised Weed Detection in {}", "{} counts weeds so.", "Weakly Supervised Weed Detection"),
        ("Document-Level Inference of {}", "Document-level inference of {} is new.", "Document-Level Inference"),
    ],
)
def test_a_heading_is_no_piece_of_what_the_papers_say(title: str, sentence: str, name: str) -> None:
    papers = [paper(i, title=title.format(p), abstract=sentence.format(p)) for i, p in enumerate(PLACES)]
    assert {*divide([*papers, *unrelated(200)], [0] * 8 + [1] * 8)} == {name, OTHER_WORK}


async def test_a_cluster_that_half_of_its_papers_do_not_name_is_work_close_to_one(library: LocalLibrary) -> None:
    papers = unrelated(0)
    papers[2] = replace(papers[2], citations=900)
    selection = PaperSelection(tuple(FoundPaper(p, 1.0) for p in papers))
    brief = Brief("farming", sections=4)
    outline = await ClusterRecipe().outline(brief, selection, RunContext(library, WordEmbedder()))
    assert all(node.title.startswith("Work Close to ") for node in outline.nodes if node.role == "body")


async def test_papers_that_nothing_names_are_divided_by_their_years(library: LocalLibrary) -> None:
    years = (2011, 2012, 2012, 2015, 2015, 2019, 2020, None)
    papers = [replace(p, year=year) for p, year in zip(unrelated(0), years, strict=True)]
    selection = PaperSelection(tuple(FoundPaper(p, 1.0) for p in papers))
    brief = Brief("farming", subsection_words=300)
    outline = await ClusterRecipe().outline(brief, selection, RunContext(library, WordEmbedder()))
    body = {
        node.title: [p.year for p in papers if p.key in node.papers] for node in outline.nodes if node.role == "body"
    }
    assert body == {"Work up to 2012": [2011, 2012, 2012], "Work since 2015": [2015, 2015, 2019, 2020, None]}
    assert outline.method.startswith("By years: no line of work was found in clusters by ")
    assert "300 words a subsection were asked for: without a language model" in outline.notes[-1]


async def test_random_groups_are_not_made_to_fit_their_headings(library: LocalLibrary) -> None:
    papers = [*about("crop rotation", 0), *about("drip irrigation", 100), *unrelated(200)]
    selection = PaperSelection(tuple(FoundPaper(p, 1.0) for p in papers))
    context = RunContext(library, WordEmbedder())

    async def titles(recipe: ClusterRecipe) -> set[str]:
        return {node.title for node in (await recipe.outline(Brief("farming"), selection, context)).nodes}

    assert OTHER_WORK in await titles(ClusterRecipe())
    assert OTHER_WORK not in await titles(ClusterRecipe(random_groups=True))


async def test_parts_need_names_only_where_no_model_gives_them(library: LocalLibrary) -> None:
    shared = ("granite cools under pressure", "basalt flows from fissures", "marble grows out of limestone")
    mixed = [
        paper(i, title=f"{letter * 5} Notes", abstract=f"{letter * 5} tells that {shared[i % 3]}.")
        for i, letter in enumerate("ABCDEFGHIJKLMNOPQRSTUVWX")
    ]
    selection = PaperSelection(tuple(FoundPaper(p, 1.0) for p in mixed))
    brief = Brief("farming", sections=3)

    async def parts(model: FakeModel | None) -> int:
        context = RunContext(library, WordEmbedder(), model=model)
        (section,) = [n for n in (await ClusterRecipe().outline(brief, selection, context)).nodes if n.role == "body"]
        return len(section.children)

    assert await parts(None) == 0
    assert 2 <= await parts(FakeModel(simulate_answer)) <= 4


def test_headings_are_not_told_apart_by_an_ending() -> None:
    texts = {"Weed Detection in {}": "Weed detection saves {}.", "Weed Detectors of {}": "Weed detectors see {}."}
    papers = [
        paper(i * 50 + k, title=title.format(place), abstract=text.format(place))
        for i, (title, text) in enumerate(texts.items())
        for k, place in enumerate(PLACES)
    ]
    found = divide([*papers, *about("crop rotation", 200)], [0] * 8 + [1] * 8 + [2] * 8)
    assert len([name for name in found if name.startswith("Weed")]) == 1


def test_a_further_heading_is_tried_where_the_best_gathers_too_few() -> None:
    rotation = about("crop rotation", 0)
    seeds = [paper(100 + i, title=f"Seed Banks for Crop Rotation {p}", abstract="Seeds.") for i, p in enumerate(PLACES)]
    mills = [paper(200 + i, title=f"Water Mills of {p}", abstract=f"Water mills of {p}.") for i, p in enumerate(PLACES)]
    found = divide([*rotation, *seeds, *mills], [0] * 16 + [0] * 8)
    assert titles_of(mills) in found.values()


@pytest.mark.parametrize(
    ("topic", "title"),
    [
        ("multi-agent farming", "Multiagent Farming in {}"),
        ("multiagent farming", "Multi-Agent Farming in {}"),
        ("crop retrieval", "Crop Search in {}"),
        ("weed detection", "Weed Detectors in {}"),
        ("seed optimization", "Seed Optimisation in {}"),
        ("privacy of farming", "Private Learning in {}"),
    ],
)
def test_the_topic_in_other_words_is_no_line_of_work(topic: str, title: str) -> None:
    named = [paper(i, title=title.format(p), abstract=f"{title.format(p)}.") for i, p in enumerate(PLACES)]
    irrigation = about("drip irrigation", 100)
    vectors = WordEmbedder().embed([p.content for p in (*named, *irrigation)])
    field = Field(GroupedPhrases([[*named, *irrigation]]), vectors, topic, least=3)
    lines = find_lines_of_work(field, np.array([0] * 8 + [1] * 8), 8)
    assert [line.name for line in lines] == ["Drip Irrigation", OTHER_WORK]


def test_a_heading_that_no_list_knows_stands_as_it_is_in_two_titles() -> None:
    rotation = about("crop rotation", 0)
    weeds = [
        paper(100 + i, title=f"Rows of {p} and Their Furrows", abstract="Furrow rows are long.")
        for i, p in enumerate(PLACES)
    ]
    weeds[0] = replace(weeds[0], title="Furrow Rows")
    assert divide([*rotation, *weeds], [0] * 8 + [1] * 8).keys() == {"Crop Rotation", OTHER_WORK}


def test_papers_that_prove_something_stand_together() -> None:
    proofs = [
        paper(300 + i, title=f"{crop}: {kind}", abstract=f"{crop}.")
        for i, (crop, kind) in enumerate(
            [("Barley", "Lower Bounds"), ("Rye", "Sample Complexity"), ("Oats", "Theoretical Guarantees")]
        )
    ]
    found = divide([*about("crop rotation", 0), *proofs, *unrelated(200)], [0] * 8 + [1] * 11)
    assert found["Theory"] == titles_of(proofs)


def test_what_always_goes_on_with_to_is_no_heading() -> None:
    papers = [
        paper(i, title=f"Untold Seed to Shelf {p}", abstract=f"We study untold seed to shelf chains of {p}.")
        for i, p in enumerate(PLACES)
    ]
    assert "Untold Seed" not in divide([*papers, *about("crop rotation", 100)], [0] * 8 + [1] * 8)
