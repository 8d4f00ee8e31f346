"""What a survey says it leaves out: groups named by what their papers say, none of them one of its own lines."""

from __future__ import annotations

from engine.quoting.field_overview import group_nearby
from tests.fakes import WordEmbedder, paper

SOUP = [
    paper(n, title=f"Onion Soup in Kitchen {n}", abstract="Onion soup is cooked in a kitchen.", citations=n)
    for n in range(1, 6)
]
CHESS = [
    paper(n, title=f"Chess Openings of Year {n}", abstract="Chess openings are played on a board.", citations=n)
    for n in range(6, 11)
]


def test_a_group_counts_and_names_only_papers_that_say_its_name() -> None:
    stray = paper(11, title="A Six-Legged Robot", abstract="A robot walks in a kitchen and cooks.", citations=900)
    groups = group_nearby([*SOUP, *CHESS, stray], "games", WordEmbedder(), 0)
    assert groups
    assert all("Robot" not in title for group in groups for title in group.examples)
    assert sum(group.papers for group in groups) <= 10


def test_no_group_is_named_as_a_line_of_the_survey() -> None:
    named = {group.title for group in group_nearby([*SOUP, *CHESS], "games", WordEmbedder(), 0)}
    assert named
    covered = {f"{name} Estimation" for name in named}
    left = group_nearby([*SOUP, *CHESS], "games", WordEmbedder(), 0, lines=tuple(covered))
    assert not named & {group.title for group in left}
