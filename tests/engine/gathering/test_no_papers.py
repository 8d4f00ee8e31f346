"""What is said where a library has no paper about a topic."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.errors import UserError
from engine.gathering.no_papers import find_title, translate
from engine.gathering.search import propose_keywords
from engine.retrieval.libraries.local import LocalLibrary
from engine.run import RunContext
from engine.values import Brief
from tests.fakes import paper


@pytest.mark.parametrize(
    ("topic", "said"),
    [
        ("generación aumentada por recuperación", r"In English it may be “retrieval-augmented generation”"),
        ("检索增强生成", r"say: survey retrieval-augmented generation"),
        ("глубокое обучение", r"say it in English"),
        ("coral reef bleaching", r"Its papers are about, for example: .*; .*`search online`"),
        ("making quokkas smaller", r"Papers may call it “quokka compression”\. Then say: survey quokka compression"),
        ("how to make quokkas more explainable", r"Papers may call it “quokka explainability”"),
        ("making quokkas purple", r"You can say `survey` with other words"),
        ("ben buddy", r"“ben buddy” is an author of papers here\. A survey needs a topic"),
        ("dence retreival of pasages", r"Did you mean “dense retrieval of passage"),
    ],
)
async def test_a_topic_without_papers_brings_another_way_to_say_it_or_what_is_there(
    library: LocalLibrary, topic: str, said: str
) -> None:
    with pytest.raises(UserError, match=said):
        await propose_keywords(Brief(topic, library="lib"), RunContext(library, await library.embedder()))


def test_a_topic_is_translated_whole_or_not_at_all() -> None:
    assert translate("Wissensgraphen und Sprachmodelle") == "knowledge graphs and language models"
    assert translate("l'apprentissage profond des baleines") == ""
    assert translate("graph neural networks") == "", "English stays"


def test_a_long_title_is_a_paper_and_a_short_one_a_topic() -> None:
    long = replace(paper(1), title="Teaching Old Networks New Tricks by Sparse Replay")
    short = replace(paper(2), title="Graph Neural Networks")
    assert find_title("teaching old networks new tricks by sparse replay", [short, long]) == long
    assert find_title("graph neural networks", [short, long]) is None
