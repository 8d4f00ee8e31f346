from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import UserError
from engine.session import outline_edits as edit
from engine.values import Outline, OutlineNode, PaperKey, walk_outline


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
        (lambda: edit.split("2", OUTLINE.nodes[1].children), "1 Intro|2 A1|3 A2|4 B|5 C|6 End"),
        (lambda: edit.add("New", "3"), "1 Intro|2 A|2.1 A1|2.2 A2|3 B|4 New|5 C|6 End"),
        (lambda: edit.add("New", "5", after=False), "1 Intro|2 A|2.1 A1|2.2 A2|3 B|4 C|5 New|6 End"),
    ],
)
def test_each_edit(change: Callable[[], edit.Change], expected: str) -> None:
    assert "|".join(titles(change()(OUTLINE))) == expected


def test_describing_keeps_title_and_papers() -> None:
    described = edit.describe("2.1", "What owls eat")(OUTLINE)
    part = described.nodes[1].children[0]
    assert (part.title, part.description, part.papers) == ("A1", "What owls eat", leaf("A1").papers)
    assert titles(described) == titles(OUTLINE)
    with pytest.raises(UserError, match="tell of the other sections"):
        edit.describe("1", "Anything")(OUTLINE)
    with pytest.raises(UserError, match="at most 1,000 characters"):
        edit.describe("3", "x" * 1_001)


def test_merging_keeps_every_paper() -> None:
    assert set(edit.merge("2", "4")(OUTLINE).nodes[1].all_papers()) == {"t:A1", "t:A2", "t:C"}


def test_merging_joins_what_is_said_of_both() -> None:
    said = ("Set apart by: owls, mice", "Set apart by: mice, hens", "Barns", "Barns")
    outline = Outline("T", tuple(OutlineNode(text, text, (PaperKey("t:1"),)) for text in said))
    assert edit.merge("1", "2")(outline).nodes[0].description == "Set apart by: owls, mice, hens"
    assert edit.merge("3", "4")(outline).nodes[2].description == "Barns"
    assert edit.merge("2", "3")(outline).nodes[1].description == "Set apart by: mice, hens; Barns"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda: edit.rename("9", "X"), "no section 9"),
        (lambda: edit.drop("2.7"), "no section 2.7"),
        (lambda: edit.move("2", "2.1", after=True), "into itself"),
        (lambda: edit.merge("3", "3"), "with itself"),
        (lambda: edit.merge("1", "3"), "cannot be merged"),
        (lambda: edit.add("X", "5"), "comes last"),
        (lambda: edit.add("X", "1", after=False), "comes first"),
    ],
)
def test_what_cannot_be_done_says_why(change: Callable[[], edit.Change], why: str) -> None:
    with pytest.raises(UserError, match=why):
        change()(OUTLINE)


def test_the_last_section_about_the_topic_stays() -> None:
    only = Outline("T", (OUTLINE.nodes[0], leaf("B"), OUTLINE.nodes[4]))
    with pytest.raises(UserError, match="last section"):
        edit.drop("2")(only)


@given(st.sampled_from(["2", "2.1", "2.2", "3", "4"]), st.sampled_from(["2", "2.1", "2.2", "3", "4"]), st.booleans())
def test_moving_loses_and_doubles_nothing(place: str, target: str, after: bool) -> None:  # noqa: FBT001
    try:
        moved = edit.move(place, target, after=after)(OUTLINE)
    except UserError:
        assert target.startswith(place)
        return

    def names(outline: Outline) -> list[str]:
        return sorted(n.title for _, n in walk_outline(outline.nodes))

    assert names(moved) == names(OUTLINE)


def test_an_outline_can_be_changed_as_a_text() -> None:
    text = edit.as_lines(OUTLINE)
    assert text.splitlines()[1:3] == ["2 A", "  2.1 A1"]
    assert edit.from_lines(text)(OUTLINE) == OUTLINE
    changed = edit.from_lines("1 Intro\n\n4. C renamed\n  2.2 A2\n  A part\nNew one\n3) B\n5 End")(OUTLINE)
    assert titles(changed) == ["1 Intro", "2 C renamed", "2.1 A2", "2.2 A part", "3 New one", "4 B", "5 End"]
    assert changed.nodes[1].papers == leaf("C").papers
    assert changed.nodes[1].children[0] == leaf("A2")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "has to stay"),
        ("1 Intro\n5 End", "has to stay"),
        ("3 B\n1 Intro", "introduction comes first"),
        ("5 End\n3 B", "conclusion comes last"),
        ("3 B\n3 C", "twice"),
        ("9 B", "no section 9"),
        ("  2.1 A1\n3 B", "stand before"),
        ("3", "no title"),
        ("1 Intro\n  2.1 A1\n3 B", "have no parts"),
    ],
)
def test_an_outline_as_a_text_that_makes_no_sense_is_refused(text: str, why: str) -> None:
    with pytest.raises(UserError, match=why):
        edit.from_lines(text)(OUTLINE)


@given(st.text())
def test_any_text_is_an_outline_or_a_sentence(text: str) -> None:
    try:
        changed = edit.from_lines(text)(OUTLINE)
    except UserError as error:
        assert str(error).endswith(".")
    else:
        assert any(node.role == "body" for node in changed.nodes)
