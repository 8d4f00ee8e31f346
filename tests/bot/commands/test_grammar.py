from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.commands.commands import Export, FreeText, RaiseBudget, Show, StartSurvey
from bot.commands.grammar import RULES, find_usage, parse, parse_years
from bot.wording.sentences import HELP
from engine.errors import UserError
from engine.rendering.files import FORMATS
from engine.session.events import (
    Approve,
    Control,
    EditKeywords,
    EditOutline,
    EditPapers,
    Job,
    MorePapers,
    Regenerate,
    Undo,
)
from engine.survey import SectionChange
from engine.values import YearRange

ROOT = Path(__file__).parents[3]


def test_each_command_is_read_by_its_own_rule() -> None:
    taken = [
        rule.usage for rule in RULES if rule.usage and next(r for r in RULES if r.pattern.fullmatch(rule.usage)) != rule
    ]
    assert taken == []
    assert [rule.usage for rule in RULES if rule.usage and isinstance(parse(rule.usage), FreeText)] == []


@pytest.mark.parametrize("page", ["README.md", "help"])
def test_each_command_stands_where_commands_are_shown(page: str) -> None:
    text = HELP if page == "help" else (ROOT / page).read_text(encoding="utf-8")
    # “rename 2 to TITLE” begins with “rename”: numbers and words are examples.
    begins = {re.split(r" ?(?:[A-Z]{4,}|\d|\[)", rule.usage)[0] for rule in RULES if rule.usage}
    assert {said for said in begins if not re.search(rf"`{re.escape(said)}\b", text)} == set()


@pytest.mark.parametrize("page", ["README.md", "help"])
def test_each_format_stands_where_files_are_asked_for(page: str) -> None:
    text = HELP if page == "help" else (ROOT / page).read_text(encoding="utf-8")
    assert f"`export pdf bib` ({', '.join(FORMATS)})" in text


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("survey graph neural networks", StartSurvey("graph neural networks")),
        ("Survey RAG length=16k years=2018..2025", StartSurvey("RAG", {"length": "16k", "years": "2018..2025"})),
        ("survey swarm robots years=2019..", StartSurvey("swarm robots", {"years": "2019.."})),
        ("survey swarm robots years=2019.. please", StartSurvey("swarm robots", {"years": "2019.."})),
        ("survey swarm robots years=2019.", StartSurvey("swarm robots", {"years": "2019"})),
        ("survey sleep sections=4, words=80", StartSurvey("sleep", {"sections": "4", "words": "80"})),
        ("survey sleep length: 16k", StartSurvey("sleep", {"length": "16k"})),
        (
            "survey sleep, mood and 2 diets, 6 sections, 2018 to 2024",
            StartSurvey("sleep, mood and 2 diets", {"sections": "6", "years": "2018 to 2024"}),
        ),
        ("survey sleep (2020-)", StartSurvey("sleep", {"years": "2020-"})),
        ("budget survey 100k", RaiseBudget("survey", 0.0, tokens=100_000)),
        ("budget survey +1.5M tokens", RaiseBudget("survey", 0.0, tokens=1_500_000)),
        ('survey RAG audience="first-year students"', StartSurvey("RAG", {"audience": "first-year students"})),
        ("ok", Approve()),
        ("OK.", Approve()),
        ("looks good", Approve()),
        ("no", Regenerate()),
        ("add dense retrieval, reranking", EditKeywords(add=("dense retrieval", "reranking"))),
        ("drop transformers", EditKeywords(drop=("transformers",))),
        ("exclude 3 7", EditPapers(exclude=(3, 7))),
        ("exclude 3, 7 and 9-11", EditPapers(exclude=(3, 7, 9, 10, 11))),
        ("include 12", EditPapers(include=(12,))),
        ("more", MorePapers()),
        ("more 50", MorePapers(50)),
        ("rewrite 3.2: focus on evaluation", Job("revise", SectionChange("3.2", "rewrite", "focus on evaluation"))),
        ("gaps", Job("gaps")),
        ("expand 2", Job("revise", SectionChange("2", "expand"))),
        ("shorten 2.1", Job("revise", SectionChange("2.1", "shorten"))),
        ("translate 2.1 to German", Job("revise", SectionChange("2.1", "translate", "German"))),
        ("add a paragraph on index size to 2.1", Job("revise", SectionChange("2.1", "paragraph", "index size"))),
        ("cite [12] in 3.2", Job("revise", SectionChange("3.2", "cite", "[12]"))),
        ("cite arxiv:2005.11401 in 3", Job("revise", SectionChange("3", "cite", "arxiv:2005.11401"))),
        ("remove the claim about cost from 3.2.", Job("revise", SectionChange("3.2", "remove", "cost"))),
        ("why 3.2", Show("why section", "3.2")),
        ("why [12]?", Show("why reference", "12")),
        ("sources", Show("sources")),
        ("status", Show("status")),
        ("history", Show("history")),
        ("show", Show("show")),
        ("show section 2.1", Show("show", "2.1")),
        ("help", Show("help")),
        ("undo", Undo(1)),
        ("undo 4", Undo(4)),
        ("go back", Control.GO_BACK),
        ("start over", Control.START_OVER),
        ("please stop", Control.STOP),
        ("export", Export(())),
        ("export pdf, bib", Export(("pdf", "bib"))),
        ("ask what is new?", Job("answer", question="what is new?")),
        ("split 3", Job("divide", section="3")),
        ("which papers use graphs?", FreeText("which papers use graphs?")),
    ],
)
def test_what_is_said_and_what_is_meant(said: str, meant: object) -> None:
    assert parse(said) == meant


@pytest.mark.parametrize(
    "said",
    [
        "rename 2 to Dense Retrieval",
        "drop 3",
        "drop section 3.1",
        "drop 2 6",
        "drop 2, 3.1 and 6",
        "drop 2-4",
        "move 4 before 2",
        "merge 3 4",
        "merge 3 and 4",
        "add section Safety after 2",
    ],
)
def test_outline_edits_are_recognised(said: str) -> None:
    assert isinstance(parse(said), EditOutline)


@pytest.mark.parametrize("said", ["rename", "move 4", "merge 3", "rewrite 3.2"])
def test_a_command_begun_but_not_readable_is_shown_as_it_is_written(said: str) -> None:
    assert parse(said) == FreeText(said)
    assert find_usage(said).startswith(said.split()[0])


def test_what_is_no_number_gets_an_example() -> None:
    with pytest.raises(UserError, match="for example"):
        parse("exclude some")


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("2018..2025", YearRange(2018, 2025)),
        ("2018-2025", YearRange(2018, 2025)),
        ("2018..", YearRange(2018, None)),
        ("..2020", YearRange(None, 2020)),
        ("2020", YearRange(2020, 2020)),
    ],
)
def test_years(text: str, years: YearRange) -> None:
    assert parse_years(text) == years


@pytest.mark.parametrize("text", ["soon", "2025..2018", "20x8..2020"])
def test_years_that_cannot_be(text: str) -> None:
    with pytest.raises(UserError):
        parse_years(text)


@given(st.text(max_size=200))
def test_any_text_is_a_command_or_a_clear_refusal(text: str) -> None:
    try:
        parse(text)
    except UserError as error:
        assert "for example" in str(error) or "thousand" in str(error)
