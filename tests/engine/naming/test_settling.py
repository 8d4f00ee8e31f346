"""A heading is what its papers say: groups that nothing names are given up, papers go where they belong."""

from __future__ import annotations

import numpy as np

from bot.bench.simulation import simulate_answer
from engine.naming.clustering import OTHER_WORK, clusters
from engine.naming.phrases import GroupedPhrases
from engine.naming.settling import NOISE, leave_out_unnamed, settle
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


def test_papers_of_a_group_that_nothing_names_are_other_work() -> None:
    papers = [*about("crop rotation", 0), *about("drip irrigation", 100), *unrelated(200)]
    vectors = WordEmbedder().embed([p.content for p in papers])
    found = leave_out_unnamed(GroupedPhrases([papers]), vectors, np.repeat([0, 1, 2], 8), "farming")
    assert np.sum(found == NOISE) == 8
    named = clusters(papers, found, "farming")
    assert [c.name for c in named] == ["Crop Rotation", "Drip Irrigation", OTHER_WORK]
    assert [c.cover for c in named] == [1.0, 1.0, 0.0]


async def test_random_groups_are_not_made_to_fit_their_headings(library: LocalLibrary) -> None:
    papers = [*about("crop rotation", 0), *about("drip irrigation", 100), *unrelated(200)]
    selection = PaperSelection(tuple(FoundPaper(p, 1.0) for p in papers))
    context = RunContext(library, WordEmbedder())

    async def titles(recipe: ClusterRecipe) -> set[str]:
        return {node.title for node in (await recipe.outline(Brief("farming"), selection, context)).nodes}

    assert OTHER_WORK in await titles(ClusterRecipe())
    assert OTHER_WORK not in await titles(ClusterRecipe(random_groups=True))


async def test_parts_need_names_only_where_no_model_gives_them(library: LocalLibrary) -> None:
    mixed = [*unrelated(0), *unrelated(100), *unrelated(200)]
    selection = PaperSelection(tuple(FoundPaper(p, 1.0) for p in mixed))
    brief = Brief("farming", sections=3)

    async def parts(model: FakeModel | None) -> int:
        context = RunContext(library, WordEmbedder(), model=model)
        (section,) = [n for n in (await ClusterRecipe().outline(brief, selection, context)).nodes if n.role == "body"]
        return len(section.children)

    assert await parts(None) == 0
    assert 2 <= await parts(FakeModel(simulate_answer)) <= 4


def test_nothing_is_given_up_where_most_papers_would_be() -> None:
    papers = [*about("crop rotation", 0), *unrelated(100), *unrelated(200)]
    found = leave_out_unnamed(
        GroupedPhrases([papers]), WordEmbedder().embed([p.content for p in papers]), np.repeat([0, 1, 2], 8), "farming"
    )
    assert NOISE not in found


def test_a_paper_goes_to_the_group_whose_heading_its_title_says() -> None:
    papers = [*about("crop rotation", 0), *about("drip irrigation", 100)]
    groups = np.repeat([0, 1], 8)
    groups[0] = 1
    found = settle(GroupedPhrases([papers]), WordEmbedder().embed([p.content for p in papers]), groups, "farming")
    assert len(set(found[:8])) == 1
    assert set(found[:8]).isdisjoint(found[8:])
