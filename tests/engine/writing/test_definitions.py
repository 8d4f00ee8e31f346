"""Which sentences say what something is or does, and how much of them is quoted."""

from __future__ import annotations

import pytest

from engine.evidence import is_quoted
from engine.writing.definitions import find_definition
from tests.fakes import paper

PROPOSES = "In this paper, we propose TreeParse, a parser that reads the schema before the question."


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (
            "Semantic parsing aims to map text to queries but suffers from noise.",
            "“Semantic parsing aims to map text to queries …”",
        ),
        (
            "Semantic parsing aims to map text to queries, which is crucial today.",
            "“Semantic parsing aims to map text to queries …”",
        ),
        (
            "Semantic parsing, which aims to map text to queries, has attracted many people.",
            "“Semantic parsing, which aims to map text to queries …”",
        ),
        (
            "Many of them tackle semantic parsing, which attempts to map text to queries of databases.",
            "“… semantic parsing, which attempts to map text to queries of databases”",
        ),
        (
            "Semantic parsing maps text to queries of large databases.",
            "“Semantic parsing maps text to queries of large databases”",
        ),
    ],
)
def test_a_definition_ends_where_the_sentence_turns(said: str, shown: str) -> None:
    found = find_definition("Semantic Parsing", [paper(1, abstract=f"{said} {PROPOSES}")])
    assert found is not None
    assert found.cell == shown
    assert is_quoted(found.words, found.paper)


@pytest.mark.parametrize(
    "words",
    [
        "Semantic parsing is an important task and it will benefit many applications.",
        "Cross-domain semantic parsing aims to map text to queries of unseen databases.",
        "Semantic parsing is the main solution to the problem of asking databases.",
        "Semantic parsing is a core problem of many applications, among them search.",
        "Semantic parsing is an extension of this task to whole documents.",
    ],
)
def test_what_says_only_that_a_subject_matters_defines_nothing(words: str) -> None:
    assert find_definition("Semantic Parsing", [paper(1, abstract=f"{words} {PROPOSES}")]) is None
