"""Papers of a library that are in doubt are judged once more, on either side of the floor; others cost nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest

from engine.errors import UserError
from engine.gathering.relevance import JUDGED_AT_ONCE, Judgement, RelevanceAnswer
from engine.gathering.search import gather
from engine.limits import Limits
from engine.retrieval.libraries.local import LocalLibrary, create_library
from engine.retrieval.topic_words import Scores
from engine.run import Judging, RunContext
from engine.values import Brief, Keyword, KeywordPool, Paper, PaperSelection
from tests.fakes import FakeModel, paper, papers

TOPIC = "watermarking language models"
NAMED = "We watermark language models for {0}. A watermark of a language model marks tokens of {0} with green lists."
USES = ("code", "speech", "news", "mail", "law", "medicine", "music", "proofs", "poems", "essays", "chess", "maps")
ONCE = (
    "A watermark of a language model marks tokens of code, speech and news with green lists. Green lists mark tokens."
)
APART = "A photograph has a watermark that names a language model in its corner. Trees grow behind it."


def stored() -> list[Paper]:
    """Twelve papers that name the topic in their titles, eight with its words in their texts, and others."""
    marked = [NAMED.format(use) for use in USES]
    named = [paper(800 + n, title=f"Watermarking Language Models {n}", abstract=marked[n]) for n in range(12)]
    once = [paper(820 + n, title=f"Watermarks and Green Tokens {n}", abstract=ONCE) for n in range(4)]
    apart = [paper(840 + n, title=f"Photographs with Marks {n}", abstract=APART) for n in range(4)]
    marks = "A green list marks tokens of code and speech. A language model has {0}."
    lists = [paper(860 + n, title=f"Green Lists {n}", abstract=marks.format(n)) for n in range(4)]
    return [*named, *once, *apart, *lists, *papers(30, "graph", 401), *papers(30, "vision", 501)]


@pytest.fixture
async def green(tmp_path: Path) -> LocalLibrary:
    library = await create_library(tmp_path / "green")
    await library.add(stored())
    await library.index(lambda _: None)
    return library


async def run(library: LocalLibrary, judge: Judging = "unsure", **more: object) -> PaperSelection:
    context = RunContext(library, await library.embedder(), judge=judge)
    pool = KeywordPool((Keyword(TOPIC, "topic"),))
    return await gather(Brief(TOPIC, library="green"), pool, 60, replace(context, **more))  # type: ignore[arg-type]


def keys_in(prompt: str) -> list[str]:
    return [part.split('"')[0] for part in prompt.split('<paper key="')[1:]]


def titles(selection: PaperSelection) -> list[str]:
    return [item.paper.title for item in selection.found]


def judged_by(is_relevant: Callable[[str], bool]) -> FakeModel:
    """A model that decides by a paper's key."""

    def judge(prompt: str, _: str) -> str:
        said = [Judgement(key=k, reason=f"because of {k}", relevant=is_relevant(k)) for k in keys_in(prompt)]
        return RelevanceAnswer(judgements=said).model_dump_json()

    return FakeModel(judge)


def key_of(number: int) -> str:
    return paper(number).key


CORE = {key_of(n) for n in range(800, 812)}


async def test_the_core_costs_no_call_and_what_is_near_is_judged(green: LocalLibrary) -> None:
    before = await run(green, "none")
    near = {item.paper.key for item in before.found if item.tier == "near"}
    assert {item.paper.key for item in before.found if item.tier == "core"} == CORE and near
    unwanted = min(near)
    model = judged_by(lambda key: key != unwanted)
    selection = await run(green, model=model)
    asked = {key for request in model.requests for key in keys_in(request.prompt.question)}
    assert near <= asked and not asked & CORE
    assert [(out.paper.key, out.reason) for out in selection.left_out] == [(unwanted, f"because of {unwanted}")]
    assert {item.paper.key for item in selection.found if item.judgement} <= asked - {unwanted}
    unheard = await run(green, model=FakeModel(lambda *_: RelevanceAnswer(judgements=[]).model_dump_json()))
    assert titles(unheard) == titles(before)


async def test_what_says_a_topics_rarest_word_in_another_sense_is_no_core(tmp_path: Path) -> None:
    said = "We detect the stance of posts towards a target in tweets {0}."
    walks = "In the stance phase {0} the leg of a walking robot carries its weight while the other leg swings."
    meant = [paper(700 + n, title=f"Stance Detection {n}", abstract=said.format(n)) for n in range(12)]
    legs = [paper(720 + n, title=f"The Stance of Legs {n}", abstract=walks.format(n)) for n in range(8)]
    library = await create_library(tmp_path / "green")
    await library.add([*meant, *legs, *papers(20, "vision", 501), *papers(60, "graph", 401)])
    await library.index(lambda _: None)
    pool = KeywordPool((Keyword("stance detection", "topic"),))
    context = RunContext(library, await library.embedder())
    selection = await gather(Brief("stance detection", library="green"), pool, 60, context)
    assert {item.paper.key for item in selection.found if item.tier == "core"} == {one.key for one in meant}


async def test_the_calls_for_a_library_are_bounded_too(green: LocalLibrary) -> None:
    model = judged_by(lambda _: True)
    await run(green, "all", model=model, limits=Limits(judging_calls=1))
    assert [len(keys_in(request.prompt.question)) for request in model.requests] == [JUDGED_AT_ONCE]


async def test_where_nothing_is_judged_relevant_that_is_said_before_anything_is_written(green: LocalLibrary) -> None:
    with pytest.raises(UserError, match="The nearest are"):
        await run(green, "all", model=judged_by(lambda _: False))


@dataclass
class StandInEncoder:
    """A cross-encoder for which texts with some words are near every query, and others are far from it."""

    telling: str
    name: str = "the stand-in"
    texts: list[str] = field(default_factory=list)

    def score(self, query: str, texts: Sequence[str]) -> Scores:
        self.texts += texts
        return np.array([float(self.telling in text) for text in texts])


async def test_without_a_model_a_cross_encoder_judges_what_is_near_by_the_core(green: LocalLibrary) -> None:
    encoder = StandInEncoder("atermark")
    selection = await run(green, cross_encoder=encoder)
    assert all("atermark" in text for text in encoder.texts[: len(CORE)])
    assert {item.paper.key for item in selection.found if item.tier == "core"} == CORE
    reasons = {(item.why, item.reason) for item in selection.left_out}
    assert reasons == {("not relevant", "further from the topic than papers that name it, by the stand-in")}
    assert all("atermark" in f"{item.paper.title} {item.paper.abstract}" for item in selection.found)


async def test_a_model_judges_before_a_cross_encoder_and_never_means_neither(green: LocalLibrary) -> None:
    encoder, model = StandInEncoder("green"), judged_by(lambda _: True)
    await run(green, model=model, cross_encoder=encoder)
    await run(green, "none", cross_encoder=encoder)
    assert model.requests
    assert not encoder.texts
