"""A paper is proposed because it is about the topic, not to reach a number; what is said where few are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from bot.wording.proposals import paper_line, proposal
from engine.errors import UserError
from engine.gathering.search import gather
from engine.gathering.topic_papers import Relevance, select_foundations
from engine.retrieval.libraries.local import create_library
from engine.run import RunContext
from engine.session.state import State
from engine.values import Brief, FoundPaper, Keyword, KeywordPool, Paper, PaperSelection
from tests.fakes import paper, papers

ABOUT = "Watermarking Language Models"


def watermarks(count: int) -> list[Paper]:
    """Papers about watermarking language models."""
    text = "We watermark language models. A watermark of a language model marks its tokens with green lists. Case {}."
    named = [replace(paper(800 + n), title=f"Watermarking Language Models {n}") for n in range(count)]
    return [replace(p, abstract=text.format(n), citations=n) for n, p in enumerate(named)]


async def gathered(folder: Path, topic: str, stored: Sequence[Paper], *keywords: Keyword) -> PaperSelection:
    library = await create_library(folder / "lib")
    await library.add(stored)
    await library.index(lambda _: None)
    pool = KeywordPool((Keyword(topic, "topic"), *keywords))
    return await gather(Brief(topic, library="lib"), pool, 60, RunContext(library, await library.embedder()))


def relevance(about: NDArray[np.bool_], founding: NDArray[np.bool_]) -> Relevance:
    return Relevance(about, about, np.ones(len(about)), founding, about, np.zeros_like(about))


FAMOUS = [replace(p, citations=50_000) for p in papers(20, "vision", 301)]
OTHERS = [*FAMOUS, *papers(60, "graph", 401), *papers(60, "retrieval", 501)]


async def test_only_papers_about_the_topic_are_proposed_however_famous_others_are(tmp_path: Path) -> None:
    selection = await gathered(tmp_path, ABOUT, [*watermarks(30), *OTHERS])
    assert len(selection.found) == 30
    assert all("Watermarking" in item.paper.title for item in selection.found)
    assert selection.coverage is not None
    assert (selection.coverage.about, selection.coverage.nearest) == (30, ())


async def test_where_few_are_there_that_is_said_with_what_comes_next_and_the_choices(tmp_path: Path) -> None:
    selection = await gathered(tmp_path, ABOUT, [*watermarks(9), *OTHERS])
    text = proposal(State(phase="papers", papers=selection))
    assert "Only 9 papers are about your topic" in text
    assert selection.coverage is not None
    assert selection.coverage.nearest[0] in text
    assert "search online" in text and "stop" in text


async def test_where_none_is_there_nothing_is_written_and_other_ways_are_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"No paper here is about “watermarking coral reefs”.*search online"):
        await gathered(tmp_path, "watermarking coral reefs", [*watermarks(9), *OTHERS])


async def test_a_word_that_only_looks_alike_does_not_make_a_paper_one_of_the_topic(tmp_path: Path) -> None:
    text = "Continual learning without forgetting. A continual learner learns task {} after the others."
    alike = "Continuous control is learned. The learner's actions are continuous in task {} and learning is deep."
    stored = [paper(600 + n, title=f"Continual Learning {n}", abstract=text.format(n)) for n in range(12)]
    stored += [paper(700 + n, title=f"Learning Continuous Control {n}", abstract=alike.format(n)) for n in range(12)]
    selection = await gathered(tmp_path, "continual learning", [*stored, *OTHERS])
    assert {item.paper.title.split(" Learning")[0] for item in selection.found} == {"Continual"}


async def test_a_misspelt_topic_is_spelt_as_the_library_spells_it(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Did you mean “watermarking language models”"):
        await gathered(tmp_path, "watermraking language models", [*watermarks(9), *OTHERS])


async def test_a_misspelt_ending_is_the_commoner_word_that_ends_so(tmp_path: Path) -> None:
    detectors = [paper(400 + n, title=f"Detectors of Falls {n}", abstract="A detector for falls.") for n in range(5)]
    detection = [paper(500 + n, title=f"Detection of Smoke {n}", abstract="Detection of smoke.") for n in range(9)]
    with pytest.raises(UserError, match="Did you mean “smoke detection”"):
        await gathered(tmp_path, "smoke detecton", [*detectors, *detection])


async def test_two_topics_joined_by_and_bring_the_papers_of_both(tmp_path: Path) -> None:
    topic = "watermarking language models and graph attention"
    selection = await gathered(tmp_path, topic, [*watermarks(12), *OTHERS])
    titles = [item.paper.title for item in selection.found]
    assert sum("Watermarking" in title for title in titles) == 12
    assert any("Graph Attention" in title for title in titles)


async def test_a_rare_word_alone_is_one_of_two_topics_joined_by_and(tmp_path: Path) -> None:
    wool = "Knitting makes sleeves of wool."
    knitting = [paper(300 + n, title=f"Knitting {n} Sleeves", abstract=wool) for n in range(5)]
    selection = await gathered(tmp_path, "watermarking language models and knitting", [*watermarks(12), *knitting])
    titles = [item.paper.title for item in selection.found]
    assert [sum(word in title for title in titles) for word in ("Watermarking", "Knitting")] == [12, 5]


async def test_a_keyword_that_a_person_adds_brings_its_papers(tmp_path: Path) -> None:
    stored = [*watermarks(12), *OTHERS]
    selection = await gathered(tmp_path, ABOUT, stored, Keyword("graph attention", "person"))
    assert any("Graph Attention" in item.paper.title for item in selection.found)
    proposed = await gathered(tmp_path, ABOUT, stored, Keyword("graph attention", "library"))
    assert all("Watermarking" in item.paper.title for item in proposed.found)


def test_a_paper_without_authors_is_not_called_by_its_title_twice() -> None:
    found = (FoundPaper(paper(1, title="Atlas", authors=(), year=2022, citations=None), 1.0),)
    shown = proposal(State("papers", papers=PaperSelection(found)))
    assert shown.count("Atlas") == 1
    assert "· 2022" in shown


@pytest.mark.parametrize(("naming", "foundations"), [(2, 0), (6, 1)])
def test_what_few_of_many_papers_name_is_no_foundation(naming: int, foundations: int) -> None:
    own = [replace(p, abstract="We build on GreenBERT." if n < naming else "") for n, p in enumerate(watermarks(120))]
    built_on = replace(paper(900), title="GreenBERT: Tokens of Language Models")
    about = np.array([True] * len(own) + [False])
    found = [FoundPaper(p, 1.0) for p in (*own, built_on)]
    chosen = select_foundations(found, relevance(about, np.zeros_like(about)), 20)
    assert [item.paper.title for item in chosen] == [built_on.title] * foundations


def test_what_is_close_and_much_cited_is_a_foundation_behind_many_papers() -> None:
    own, close = watermarks(80), [replace(paper(900 + n), title=f"Tokens {n}", citations=9_000) for n in range(4)]
    about = np.array([True] * 80 + [False] * 4)
    found = [FoundPaper(p, 1.0) for p in (*own, *close)]
    chosen = select_foundations(found, relevance(about, ~about), 20)
    assert [item.paper.title for item in chosen] == ["Tokens 0", "Tokens 1"]
    line = paper_line(1, chosen[0], PaperSelection(tuple(chosen)))
    assert "*foundation*: close to the papers on the topic, and cited 9,000 times" in line


async def test_a_foundation_is_marked_and_stands_behind_the_topics_own_papers(tmp_path: Path) -> None:
    own = [replace(p, abstract=f"{p.abstract} We build on GreenBERT and on Lists.") for p in watermarks(30)]
    built_on = replace(paper(900), title="GreenBERT: Tokens of Language Models")
    other = replace(paper(901), title="Lists: Tokens of Language Models", citations=9_000)
    selection = await gathered(tmp_path, ABOUT, [*own, built_on, other, *OTHERS])
    assert [item.paper.title for item in selection.found[30:]] == [built_on.title]
    marked = [any(r.by == "foundation" for r in item.reasons) for item in selection.found]
    assert marked == sorted(marked)
    assert sum(marked) * 6 <= len(marked)
    for place, item in enumerate(selection.found, start=1):
        assert ("*foundation*" in paper_line(place, item, selection)) == marked[place - 1]


async def test_what_all_papers_of_a_small_library_say_is_still_what_they_are_about(tmp_path: Path) -> None:
    words = ["trees", "drafts", "caches", "heads", "layers", "retrieval", "phones", "batches", "tokens", "exits"]
    said = ("Large language models decode {} slowly. We draft for large language models.", "LLMs decode {} slowly.")
    own = [
        paper(100 + n, title=f"Speculative Decoding with {word.title()}", abstract=said[n % 2].format(word))
        for n, word in enumerate(words)
    ]
    close = paper(300, title="Serving Trees", abstract="Large language models decode trees slowly. We serve LLMs.")
    library = await create_library(tmp_path / "small")
    await library.add([*own, close, *papers(3, "vision", 501)])
    await library.index(lambda _: None)
    topic = "speculative decoding of large language models"
    brief, pool = Brief(topic, library="small"), KeywordPool((Keyword(topic, "topic"),))
    found = await gather(brief, pool, 60, RunContext(library, await library.embedder()))
    assert sorted(p.title for p in found.list_included()) == sorted(p.title for p in own)
