from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import UserError
from engine.session import outline_edits as edit
from engine.session.events import EditOutline
from engine.values import FoundPaper, Outline, OutlineNode, Paper, PaperKey, PaperSelection, walk_outline
from tests.fakes import papers


def leaf(title: str) -> OutlineNode:
    return OutlineNode(title, papers=(PaperKey(f"t:{title}"),))


OUTLINE = Outline(
    "T",
    (
        OutlineNode("Intro", role="introduction"),
        OutlineNode("A", children=(leaf("A1"), leaf("A2"))),
        leaf("B"),
        leaf("C"),
        OutlineNode("End", role="conclusion"),
    ),
)


MERGED_FRAME = "The introduction and the conclusion cannot be merged with another section."
MERGED_WITH_ITSELF = "A section cannot be merged with itself or with its own parts."
NO_BODY = "At least one section about the topic has to stay."


def titles(outline: Outline) -> list[str]:
    return [f"{number} {node.title}" for number, node in walk_outline(outline.nodes)]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda: edit.rename("2.1", "First"), "1 Intro|2 A|2.1 First|2.2 A2|3 B|4 C|5 End"),
        (lambda: edit.drop("2.1", "4", "3"), "1 Intro|2 A|2.1 A2|3 End"),
        (lambda: edit.drop("3"), "1 Intro|2 A|2.1 A1|2.2 A2|3 C|4 End"),
        (lambda: edit.move("4", "2", after=False), "1 Intro|2 C|3 A|3.1 A1|3.2 A2|4 B|5 End"),
        (lambda: edit.move("2.2", "4", after=True), "1 Intro|2 A|2.1 A1|3 B|4 C|5 A2|6 End"),
        (lambda: edit.move("3", "2.1", after=True), "1 Intro|2 A|2.1 A1|2.2 B|2.3 A2|3 C|4 End"),
        (lambda: edit.merge("3", "4"), "1 Intro|2 A|2.1 A1|2.2 A2|3 B; C|4 End"),
        (lambda: edit.merge("2", "3"), "1 Intro|2 A; B|2.1 A1|2.2 A2|2.3 B|3 C|4 End"),
        (lambda: edit.add("New", "3"), "1 Intro|2 A|2.1 A1|2.2 A2|3 B|4 New|5 C|6 End"),
        (lambda: edit.add("New"), "1 Intro|2 A|2.1 A1|2.2 A2|3 B|4 C|5 New|6 End"),
        (lambda: edit.add("New", "2.1", after=False), "1 Intro|2 A|2.1 New|2.2 A1|2.3 A2|3 B|4 C|5 End"),
        (lambda: edit.rename("3", "x" * 300), f"1 Intro|2 A|2.1 A1|2.2 A2|3 {'x' * 300}|4 C|5 End"),
        (lambda: edit.drop("2.1", "2.2"), "1 Intro|2 A|3 B|4 C|5 End"),
        (lambda: edit.add("New", "5", after=False), "1 Intro|2 A|2.1 A1|2.2 A2|3 B|4 C|5 New|6 End"),
    ],
)
def test_each_edit(change: Callable[[], EditOutline], expected: str) -> None:
    assert "|".join(titles(change().apply(OUTLINE))) == expected


def test_describing_keeps_title_and_papers() -> None:
    described = edit.describe("2.1", "What owls eat").apply(OUTLINE)
    part = described.nodes[1].children[0]
    assert (part.title, part.description, part.papers) == ("A1", "What owls eat", leaf("A1").papers)
    assert titles(described) == titles(OUTLINE)
    with pytest.raises(UserError, match="tell of the other sections"):
        edit.describe("1", "Anything").apply(OUTLINE)
    with pytest.raises(UserError, match="at most 1,000 characters"):
        edit.describe("3", "x" * 1_001).apply(OUTLINE)


def test_merging_keeps_every_paper() -> None:
    assert set(edit.merge("2", "4").apply(OUTLINE).nodes[1].all_papers()) == {"t:A1", "t:A2", "t:C"}


def test_a_merged_section_has_what_both_had() -> None:
    shared, own, other = (PaperKey(f"t:{name}") for name in ("shared", "own", "other"))
    first = OutlineNode("One", papers=(shared, own), hint_papers=(own,))
    second = OutlineNode("Two", papers=(shared, other), hint_papers=(other,))
    outline = Outline("T", (first, second, replace(second, title="Three"), leaf("B")))
    (both, *_) = edit.merge("1", "2").apply(outline).nodes
    assert (both.papers, both.hint_papers, both.is_thin) == ((shared, own, other), (own, other), False)
    assert edit.merge("2", "3").apply(outline).nodes[1].is_thin
    into = edit.merge("2", "3").apply(OUTLINE).nodes[1]
    assert into.papers == () and [part.papers for part in into.children] == [
        leaf(name).papers for name in ("A1", "A2", "B")
    ]


def test_a_paper_belongs_to_one_section_alone() -> None:
    paper = Paper(PaperKey("t:A1"), "What A2 Says")
    for place, home in (
        ("2.2", "2.2"),
        ("3", "3"),
        ("2", "2.2"),
    ):  # what a section with parts has itself is not written
        placed = edit.place_paper(OUTLINE, paper, place)
        holding = [number for number, node in walk_outline(placed.nodes) if paper.key in node.papers]
        assert holding == [home]
        assert titles(placed) == titles(OUTLINE)
        assert edit.node_at(placed, home).papers[0] != paper.key  # what was there stays before it


@pytest.mark.parametrize("place", ["2.1", "2"])
def test_a_paper_that_is_in_the_section_already_stays_where_it_is(place: str) -> None:
    """Behind the others it would have the section written anew, and paid for."""
    first = Paper(PaperKey("t:B1"), "What A1 Says")
    outline = edit.place_paper(OUTLINE, first, "2.1")
    outline = edit.place_paper(outline, Paper(PaperKey("t:B2"), "What A1 Says"), "2.1")
    assert edit.place_paper(outline, first, place) == outline


def test_what_a_section_is_split_into() -> None:
    own = papers(6)
    selection = PaperSelection(tuple(FoundPaper(p, 1.0) for p in own))
    many, few = (OutlineNode(name, papers=tuple(p.key for p in own[:n])) for name, n in (("Many", 6), ("Few", 5)))
    outline = Outline("T", (OUTLINE.nodes[0], few, many, OUTLINE.nodes[1]))
    assert edit.find_parts(outline, "3", selection) == ()
    assert edit.find_parts(outline, "4", selection) == OUTLINE.nodes[1].children
    assert edit.papers_of(few, PaperSelection(selection.found, (own[0].key,))) == own[1:5]
    said = "Section 2 has 5 papers, too few to split: it takes 6. To begin another section: add section TITLE after 2"
    for place, why in (("1", "The introduction and the conclusion cannot be split."), ("2", said)):
        with pytest.raises(UserError) as refused:
            edit.find_parts(outline, place, selection)
        assert str(refused.value) == why
    with pytest.raises(UserError, match="Section 1 has 1 paper, too few"):
        edit.find_parts(Outline("T", (replace(few, papers=(own[0].key,)),)), "1", selection)


def test_merging_joins_what_is_said_of_both() -> None:
    said = ("Set apart by: owls, mice", "Set apart by: mice, hens", "Barns", "Barns")
    outline = Outline("T", tuple(OutlineNode(text, text, (PaperKey("t:1"),)) for text in said))
    assert edit.merge("1", "2").apply(outline).nodes[0].description == "Set apart by: owls, mice, hens"
    assert edit.merge("3", "4").apply(outline).nodes[2].description == "Barns"
    assert edit.merge("2", "3").apply(outline).nodes[1].description == "Set apart by: mice, hens; Barns"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda: edit.rename("9", "X"), "There is no section 9 in the outline; it has sections 1 to 5."),
        (lambda: edit.drop("2.7"), "There is no section 2.7 in the outline; it has sections 1 to 5."),
        (lambda: edit.move("2", "2.1", after=True), "Section 2 cannot be moved into itself."),
        (lambda: edit.merge("3", "3"), MERGED_WITH_ITSELF),
        (lambda: edit.merge("2.1", "2"), MERGED_WITH_ITSELF),
        (lambda: edit.merge("2", "2.1"), MERGED_WITH_ITSELF),
        (lambda: edit.move("1", "5", after=True), "The introduction comes first."),
        (lambda: edit.move("5", "2.1", after=True), "The conclusion comes last."),
        (lambda: edit.move("3", "1", after=False), "The introduction comes first."),
        (lambda: edit.merge("1", "3"), MERGED_FRAME),
        (lambda: edit.merge("3", "5"), MERGED_FRAME),
        (lambda: edit.rename("0", "X"), "There is no section 0 in the outline; it has sections 1 to 5."),
        (lambda: edit.rename("3", "x" * 301), "A title has at most 300 characters; this one has 301."),
        (lambda: edit.add("x" * 1_301, "3"), "A title has at most 300 characters; this one has 1,301."),
        (lambda: edit.add("X", "5"), "The conclusion comes last; name a section before it."),
        (lambda: edit.add("X", "1", after=False), "The introduction comes first; name a section after it."),
    ],
)
def test_what_cannot_be_done_says_why(change: Callable[[], EditOutline], why: str) -> None:
    with pytest.raises(UserError) as refused:
        change().apply(OUTLINE)
    assert str(refused.value) == why


def test_a_template_keeps_its_own_order_while_its_sections_are_moved() -> None:
    outer = OutlineNode("Intro", role="introduction"), OutlineNode("End", role="conclusion")
    outline = Outline("T", (leaf("Summary"), outer[0], OutlineNode("A", children=(outer[1],)), leaf("B"), leaf("C")))
    moved = edit.move("5", "4", after=False).apply(outline)
    assert titles(moved) == ["1 Summary", "2 Intro", "3 A", "3.1 End", "4 C", "5 B"]
    assert edit.from_lines(edit.as_lines(outline)).apply(outline) == outline


def test_the_last_section_about_the_topic_stays() -> None:
    only = Outline("T", (OUTLINE.nodes[0], leaf("B"), OUTLINE.nodes[4]))
    with pytest.raises(UserError, match="last section"):
        edit.drop("2").apply(only)


@given(st.sampled_from(["2", "2.1", "2.2", "3", "4"]), st.sampled_from(["2", "2.1", "2.2", "3", "4"]), st.booleans())
def test_moving_loses_and_doubles_nothing(place: str, target: str, after: bool) -> None:  # noqa: FBT001
    try:
        moved = edit.move(place, target, after=after).apply(OUTLINE)
    except UserError:
        assert target.startswith(place)
        return

    def names(outline: Outline) -> list[str]:
        return sorted(n.title for _, n in walk_outline(outline.nodes))

    assert names(moved) == names(OUTLINE)


def test_an_outline_can_be_changed_as_a_text() -> None:
    text = edit.as_lines(OUTLINE)
    assert text.splitlines()[1:3] == ["2 A", "  2.1 A1"]
    assert edit.from_lines(text).apply(OUTLINE) == OUTLINE
    changed = edit.from_lines("1 Intro\n\n4. C renamed\n  2.2 A2\n  A part\nNew one\n3) B\n5 End").apply(OUTLINE)
    assert titles(changed) == ["1 Intro", "2 C renamed", "2.1 A2", "2.2 A part", "3 New one", "4 B", "5 End"]
    assert changed.nodes[1].papers == leaf("C").papers
    assert changed.nodes[1].children[0] == leaf("A2")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", NO_BODY),
        ("1 Intro\n5 End", NO_BODY),
        ("3 B\n1 Intro", "The introduction comes first."),
        ("5 End\n3 B", "The conclusion comes last."),
        ("3 B\n3 C", "Section 3 stands there twice. Give a new section no number."),
        ("9 B", "There is no section 9 in the outline; it has sections 1 to 5."),
        ("  2.1 A1\n3 B", "“A1” is a part; a section has to stand before it."),
        ("3", "Section 3 has no title."),
        ("1 Intro\n  2.1 A1\n3 B", "The introduction and the conclusion have no parts."),
    ],
)
def test_an_outline_as_a_text_that_makes_no_sense_is_refused(text: str, why: str) -> None:
    with pytest.raises(UserError) as refused:
        edit.from_lines(text).apply(OUTLINE)
    assert str(refused.value) == why


@given(st.text())
def test_any_text_is_an_outline_or_a_sentence(text: str) -> None:
    try:
        changed = edit.from_lines(text).apply(OUTLINE)
    except UserError as error:
        assert str(error).endswith(".")
    else:
        assert any(node.role == "body" for node in changed.nodes)
