"""A quick review from the request to the report, with a model in memory and the services on loopback."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from engine.citations import list_cited_keys
from engine.errors import RetrievalError, UserError
from engine.limits import Limits
from engine.llm.model import A, Request
from engine.options import QuickOptions
from engine.reading.full_text import FullText
from engine.recipes.quick import QuickRecipe
from engine.retrieval.libraries.library import EmptyLibrary
from engine.retrieval.libraries.local import LocalLibrary
from engine.reviews.studies import add_text
from engine.run import ReviewDraft, RunContext
from engine.session.events import Review
from engine.survey import walk
from engine.values import Brief, FoundPaper, Paper, PaperKey, Passage
from tests.fakes import FakeModel, WordEmbedder, paper, papers, whole
from tests.stand_ins.changes import PATIENCE_S
from tests.stand_ins.simulation import simulate_answer

ASKED = "How does dense retrieval use a passage index?"


def context(library: LocalLibrary, model: Any = None, **changes: Any) -> RunContext:
    return RunContext(library, WordEmbedder(), model=model, **changes)


def brief(request: str = ASKED, **options: Any) -> Brief:
    return Brief(request, "quick", "main", quick=QuickOptions(**options))


def thinking(**answers: Callable[[str], str]) -> FakeModel:
    """The simulated model, but for the answers of the types that are named."""
    return FakeModel(lambda prompt, schema: answers.get(schema, lambda p: simulate_answer(p, schema))(prompt))


def read_in(model: FakeModel) -> list[str]:
    """The papers that were read, in the order in which they were asked about."""
    return [key for request in model.asked("study/") for key in re.findall(r'<paper key="([^"]+)">', whole(request))]


async def review(library: LocalLibrary, model: Any = None, **options: Any) -> Review:
    return await QuickRecipe().review(brief(**options), (), context(library, model))


def support_all(prompt: str) -> str:
    """Every claim is supported by its first sentence."""
    return json.dumps({"supported": [f"{n}a" for n in re.findall(r'<claim number="(\d+)"', prompt)], "others": []})


async def test_the_report_has_all_that_was_asked_searched_and_found(library: LocalLibrary) -> None:
    found = await review(library, thinking())
    survey = found.survey
    assert survey.title.startswith("How does dense retrieval")
    titles = [section.title for section in survey.sections]
    assert titles == [
        "Question and Search",
        "Studies",
        "Findings",
        "Conclusions",
        "Limits of This Review",
        "Follow-up Questions",
    ]
    asked = survey.sections[0].text
    assert ASKED in asked
    assert asked.count("\n- ") == 6  # three questions, three queries
    assert len(survey.follow_up) == 3
    table = survey.sections[1].tables[0]
    assert len(table.rows) == len(found.papers.list_included()) == len(survey.references)
    assert all(row[2] == "experiment" for row in table.rows)
    assert [section.title for section in survey.sections[2].sections] == [
        "What do studies find about dense retrieval passage index?",
        "Which methods do studies of dense use?",
        "What remains open about index?",
    ]


async def test_only_papers_that_were_read_are_cited_and_every_claim_was_checked(library: LocalLibrary) -> None:
    def invented(prompt: str) -> str:
        return f"{simulate_answer(prompt, '')} Everything was solved before [@arxiv:9999.99999]."

    model = FakeModel(lambda prompt, schema: simulate_answer(prompt, schema) if schema else invented(prompt))
    found = await review(library, model)
    known = {p.key for p in found.papers.list_included()}
    cited = {key for _, section in walk(found.survey.sections) for key in list_cited_keys(section.text)}
    assert cited <= known
    claims = [claim for _, section in walk(found.survey.sections) for claim in section.claims]
    assert claims
    assert {c.verdict for claim in claims for c in claim.citations} == {"supported"}


async def test_a_cell_of_the_table_may_call_its_study_it(library: LocalLibrary) -> None:
    def study(prompt: str) -> str:
        studies = json.loads(simulate_answer(prompt, "StudiesAnswer"))["studies"]
        for answer in studies:
            said = answer["argument"]
            answer["argument"] = f"It says: {said[0].lower()}{said[1:]}" if said else ""
        return json.dumps({"studies": studies})

    found = await review(library, thinking(StudiesAnswer=study))
    table = found.survey.sections[1].tables[0]
    assert [row[3][:9] for row in table.rows] == ["It says: "] * len(table.rows)


async def test_a_conclusion_says_how_many_studies_support_it_as_checked(library: LocalLibrary) -> None:
    found = await review(library, thinking(CheckAnswer=support_all))
    conclusions = next(s for s in found.survey.sections if s.title == "Conclusions")
    total = len(found.papers.list_included())
    for claim in conclusions.claims:
        assert f"(1 of {total} studies)" in claim.text
        assert claim.text in conclusions.text
    assert {len(claim.citations) for claim in conclusions.claims} == {1}


async def test_a_paper_that_does_not_help_is_left_out_with_the_reason(library: LocalLibrary) -> None:
    def study(prompt: str) -> str:
        studies = json.loads(simulate_answer(prompt, "StudiesAnswer"))["studies"]
        titles = dict(re.findall(r'<paper key="([^"]+)">\n(.*)', prompt))
        for answer in studies:
            no = "Graph Attention" in titles[answer["key"]]
            answer |= {"relevant": not no, "reason": "It is about graphs." if no else "It helps."}
        return json.dumps({"studies": studies})

    found = await QuickRecipe().review(
        brief("dense retrieval or graph attention"), (), context(library, thinking(StudiesAnswer=study))
    )
    out = [item for item in found.survey.left_out if item.why != "no room"]
    assert out
    assert {(item.why, item.reason) for item in out} == {("not relevant", "It is about graphs.")}
    assert all("Graph Attention" in item.paper.title for item in out)
    assert not {item.paper.key for item in out} & {p.key for p in found.papers.list_included()}
    assert all(f.judgement == "It helps." for f in found.papers.found)


async def test_papers_without_a_doi_do_not_become_one(library: LocalLibrary) -> None:
    model = thinking()
    found = await review(library, model)
    read = read_in(model)
    assert len(read) == len(set(read))
    assert len(found.papers.list_included()) >= 5


async def test_reading_stops_at_the_quota(library: LocalLibrary) -> None:
    wide, narrow = thinking(), thinking()
    limits = Limits(review_tokens=2_000)
    large = await QuickRecipe().review(brief(share=90), (), context(library, wide, limits=limits))
    small = await QuickRecipe().review(brief(share=30), (), context(library, narrow, limits=limits))
    assert len(small.papers.list_included()) < len(large.papers.list_included())
    assert len(narrow.asked("study/")) < len(wide.asked("study/"))
    without_room = [item for item in small.survey.left_out if item.why == "no room"]
    assert without_room, "relevant papers that were read are not among those that were not"
    assert len(read_in(narrow)) == len(small.papers.list_included()) + len(small.survey.left_out)
    assert f"Relevant, but beyond the share of tokens: {len(without_room)}." in small.survey.sections[1].text
    assert f"Not read: {small.papers.beyond}." in small.survey.sections[1].text
    whole = len(large.papers.list_included()) + len(large.survey.left_out) + large.papers.beyond
    assert whole == len(small.papers.list_included()) + len(small.survey.left_out) + small.papers.beyond


async def test_at_most_five_readings_run_at_once_and_papers_keep_their_order(library: LocalLibrary) -> None:
    at_once = [0, 0]

    @dataclass
    class Slow(FakeModel):
        async def answer_typed(self, request: Request, kind: type[A]) -> A:
            if not request.step.startswith("study/"):
                return await super().answer_typed(request, kind)
            at_once[0] += 1
            at_once[1] = max(at_once)
            for _ in range(9 + sum(map(ord, request.step)) * 7 % 11):  # the first need not answer first
                await asyncio.sleep(0)
            at_once[0] -= 1
            return await super().answer_typed(request, kind)

    slow = await review(library, Slow(simulate_answer))
    assert at_once[0] == 0 and 1 < at_once[1] <= 5
    quick = await review(library, thinking())
    assert [p.key for p in slow.papers.list_included()] == [p.key for p in quick.papers.list_included()]


async def test_random_sampling_is_repeatable(library: LocalLibrary) -> None:
    async def keys(seed: int) -> list[PaperKey]:
        found = await QuickRecipe().review(brief(sampling="random"), (), context(library, thinking(), seed=seed))
        return [p.key for p in found.papers.list_included()]

    assert await keys(1) == await keys(1)
    assert await keys(1) != await keys(2)


async def test_too_few_papers_are_looked_for_twice_more_with_other_words(library: LocalLibrary) -> None:
    def scope(prompt: str) -> str:
        plan = json.loads(simulate_answer(prompt, "ScopeAnswer"))
        return json.dumps({**plan, "queries": [{"groups": [["zebra stripes"]]}] * 3})

    model = thinking(ScopeAnswer=scope)
    await library_of(library, model)
    asked = model.asked("queries/")
    assert 1 <= len(asked) <= 2
    assert '"zebra stripes"' in asked[0].prompt.question


async def library_of(library: LocalLibrary, model: FakeModel) -> None:
    small = replace_search(library)
    await QuickRecipe().review(brief(), (), replace(context(library, model), library=small))


def replace_search(library: LocalLibrary) -> Any:
    """The library, but for queries about zebras, for which it has two papers."""

    class Small(EmptyLibrary):
        name = "main"

        async def search(self, query: Any) -> Sequence[FoundPaper]:
            found = await library.search(query)
            return found[:2] if "zebra" in query.text else found

    return Small()


async def test_nothing_relevant_says_what_to_change(library: LocalLibrary) -> None:
    def study(prompt: str) -> str:
        studies = json.loads(simulate_answer(prompt, "StudiesAnswer"))["studies"]
        return json.dumps({"studies": [answer | {"relevant": False, "reason": "Off topic."} for answer in studies]})

    with pytest.raises(UserError, match=r"No relevant paper was found\. .*papers=100.*online=yes(?s:.*)Off topic"):
        await review(library, thinking(StudiesAnswer=study))


async def test_references_appear_as_they_are_found_and_the_review_grows(library: LocalLibrary) -> None:
    seen: list[ReviewDraft] = []

    async def reviewing(draft: ReviewDraft) -> None:
        seen.append(draft)

    found = await QuickRecipe().review(brief(), (), context(library, thinking(), reviewing=reviewing))
    counts = [len(draft.studies) for draft in seen]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1] == len(found.papers.list_included())
    assert [len(draft.findings) for draft in seen][-3:] == [1, 2, 3]


async def test_only_search_shows_a_table_and_writes_no_review(library: LocalLibrary) -> None:
    model = thinking()
    found = await review(library, model, only_search=True, space=12)
    assert [section.title for section in found.survey.sections] == ["Question and Search", "Studies"]
    assert not model.asked("answer/")
    read = len(read_in(model))
    assert read == len(found.papers.list_included()) + len(found.survey.left_out)  # no limit of tokens


async def test_only_search_needs_no_model(library: LocalLibrary) -> None:
    found = await review(library, None, only_search=True)
    table = found.survey.sections[1].tables[0]
    assert table.header[0] == "Study"
    assert len(table.rows) == len(found.papers.list_included())
    assert all(row[-1].startswith("“") for row in table.rows)


async def test_without_a_model_the_answer_is_quotations(library: LocalLibrary) -> None:
    found = await review(library)
    findings = next(s for s in found.survey.sections if s.title == "Findings")
    quotes = [c for s in findings.sections for claim in s.claims for c in claim.citations]
    abstracts = {p.key: p.abstract for p in found.papers.list_included()}
    assert quotes
    assert "Which methods and data do the studies use?" in found.survey.sections[0].text
    assert "Which methods and data do the studies use?" in {s.title for s in findings.sections}
    assert all(c.verdict == "quoted" and c.quote.rstrip(".") in abstracts[c.key] for c in quotes)
    assert "No language model took part" in found.survey.notice


async def test_the_papers_of_the_review_before_are_carried_over(library: LocalLibrary) -> None:
    old = paper(900, "vision", title="Carried over from before", citations=100_000)
    wide = context(library, thinking(), limits=Limits(review_tokens=100_000))
    found = await QuickRecipe().review(brief(), [old], wide)
    assert old.key in {p.key for p in found.papers.list_included()} | {o.paper.key for o in found.survey.left_out}


@dataclass
class Texts:
    """Full texts that come at once, late, or not at all."""

    found: dict[PaperKey, FullText] = field(default_factory=dict)
    hang: bool = False
    asked: list[PaperKey] = field(default_factory=list)

    async def read(
        self, wanted: Sequence[Paper], most: int, on_read: Callable[[int, int], Awaitable[None]]
    ) -> dict[PaperKey, FullText]:
        self.asked += [p.key for p in wanted]
        if self.hang:
            await asyncio.Event().wait()
        return {p.key: self.found[p.key] for p in wanted if p.key in self.found}


async def test_the_discussion_of_an_open_text_is_read(library: LocalLibrary) -> None:
    whole = FullText(
        "T",
        "",
        (
            Passage("We begin with an introduction.", "Introduction"),
            Passage("In the discussion we say why.", "4 Discussion", 7),
        ),
    )
    texts = Texts({p.key: whole for p in papers(12)})
    model = thinking()
    found = await QuickRecipe().review(brief(), (), context(library, model, texts=texts))
    prompts = [request.prompt.question for request in model.asked("study/")]
    assert any("In the discussion we say why." in prompt for prompt in prompts)
    assert not any("We begin with an introduction." in prompt for prompt in prompts)
    assert "the discussion or the text was read" in next(s.text for s in found.survey.sections if "Limits" in s.title)
    assert all(not p.body for p in found.papers.list_included())  # never stored with the paper


async def test_a_text_that_does_not_come_in_time_is_done_without(
    library: LocalLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.reviews.studies.TEXT_S", 0.01)
    texts = Texts(hang=True)
    found = await QuickRecipe().review(brief(), (), context(library, thinking(), texts=texts))
    assert texts.asked
    assert found.papers.list_included()


@pytest.fixture
async def waiting() -> AsyncIterator[tuple[FakeModel, asyncio.Event, list[str]]]:
    """A model that never answers a study, when it was asked, and which calls were ended."""
    asked, started, ended = asyncio.Event(), [], []

    @dataclass
    class Waiting(FakeModel):
        async def answer_typed(self, request: Request, kind: type[A]) -> A:
            if not request.step.startswith("study/"):
                return await super().answer_typed(request, kind)
            started.append(request.step)
            if len(started) == 2:
                asked.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.append(request.step)
            raise AssertionError

    yield Waiting(simulate_answer), asked, ended


async def test_stopping_ends_every_running_call(
    library: LocalLibrary, waiting: tuple[FakeModel, asyncio.Event, list[str]]
) -> None:
    model, asked, ended = waiting
    task = asyncio.create_task(QuickRecipe().review(brief(), (), context(library, model)))
    async with asyncio.timeout(PATIENCE_S):
        await asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert len(ended) >= 2


class Unreachable:
    name = "Nowhere"

    async def find(self, query: object, limit: int) -> tuple[Sequence[Paper], float]:
        raise RetrievalError("Nowhere could not be reached.", retryable=True)


async def test_a_place_that_fails_is_named_and_the_others_are_used(library: LocalLibrary) -> None:
    from engine.retrieval.online.sources import Online

    online = Online(others=(Unreachable(),))  # type: ignore[arg-type]
    found = await QuickRecipe().review(
        replace(brief(), online=True), (), replace(context(library, thinking()), online=online)
    )
    notes = {s.source: s.note for s in found.survey.searches if s.note}
    assert notes == {"Nowhere": "left out: Nowhere could not be reached."}
    assert "Not every place answered: Nowhere" in next(s.text for s in found.survey.sections if "Limits" in s.title)


async def test_a_paper_known_by_a_summary_alone_is_read() -> None:
    source = paper(1, abstract="", summary="The paper gains 7 points.")
    assert (await add_text(source, RunContext(EmptyLibrary(), WordEmbedder()))).content == source.summary
