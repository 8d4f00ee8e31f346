"""What is said where a library says nothing of a topic."""

from __future__ import annotations

import pytest

from engine.errors import NoPapers
from engine.gathering.search import propose_keywords
from engine.retrieval.libraries.local import LocalLibrary
from engine.run import RunContext
from engine.values import Brief


@pytest.mark.parametrize(
    ("topic", "said", "meant"),
    [
        ("coral reef bleaching", "`search online`", ""),
        ("глубокое обучение", "in the language of the papers", ""),
        ("dence retreival of pasages", "Did you mean", "dense retrieval of passages"),
        ("apprentissage de retreival", "in the language of the papers", ""),
    ],
)
async def test_a_topic_without_papers_brings_another_way_to_say_it_or_what_is_there(
    library: LocalLibrary, topic: str, said: str, meant: str
) -> None:
    with pytest.raises(NoPapers, match=said) as refused:
        await propose_keywords(Brief(topic, library="lib"), RunContext(library, await library.embedder()))
    assert refused.value.meant in (meant, meant.removesuffix("s"))
