"""Edits of the proposals before writing."""

from __future__ import annotations

import pytest

from engine.errors import UserError
from engine.session.proposal_edits import edit_keywords, move_paper
from engine.values import FoundPaper, Keyword, KeywordPool, Outline, OutlineNode, PaperSelection
from tests.fakes import papers

SELECTION = PaperSelection(tuple(FoundPaper(p, 1.0) for p in papers(3)))
KEYS = [item.paper.key for item in SELECTION.found]
OUTLINE = Outline("A Survey", (OutlineNode("One", papers=tuple(KEYS[1:])), OutlineNode("Two", papers=(KEYS[0],))))
POOL = KeywordPool((Keyword("dense retrieval", "topic"), Keyword("query encoder", "library", 3)))


def test_a_paper_of_the_list_is_moved_by_its_number() -> None:
    assert [node.papers for node in move_paper(OUTLINE, SELECTION, 3, "2").nodes] == [(KEYS[1],), (KEYS[0], KEYS[2])]
    for number in (0, 4):
        with pytest.raises(UserError) as refused:
            move_paper(OUTLINE, SELECTION, number, "2")
        assert str(refused.value) == f"There is no paper {number}; the list has 1 to 3."


@pytest.mark.parametrize(
    ("add", "drop", "said"),
    [
        (("x" * 201,), (), "A keyword has at most 200 characters; this one has 201."),
        ((), ("Dense Retrieval",), "The topic itself stays a keyword. To change it, say: start over"),
        ((), ("bees",), "“bees” is not among the keywords."),
    ],
)
def test_keywords_that_cannot_be_changed_so(add: tuple[str, ...], drop: tuple[str, ...], said: str) -> None:
    with pytest.raises(UserError) as refused:
        edit_keywords(POOL, add, drop)
    assert str(refused.value) == said


def test_a_keyword_that_is_asked_for_is_the_persons_from_then_on() -> None:
    pool = edit_keywords(POOL, ("Query Encoder", "x" * 200, "bees", "bees"), ())
    assert [(k.text, k.origin) for k in pool.keywords[1:]] == [
        ("query encoder", "person"),
        ("x" * 200, "person"),
        ("bees", "person"),
    ]
    assert [k.text for k in edit_keywords(pool, (), ("BEES",)).keywords][-1] == "x" * 200
