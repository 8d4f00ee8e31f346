"""What a person typed, with the defaults: the brief, or a sentence that says what to write instead."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from pydantic import SecretStr

from bot.app import App
from bot.commands.briefs import brief_of
from bot.commands.commands import StartSurvey
from bot.commands.grammar import parse
from bot.settings import Settings
from engine.errors import UserError
from engine.options import QuickOptions
from engine.values import Brief, YearRange

USUAL = Brief("bee navigation", "cluster", "main")
MODEL: dict[str, Any] = {"openai_api_key": SecretStr("key")}
QUICK = replace(USUAL, topic="does it help?", recipe="quick")


def read_brief(
    line: str, libraries: tuple[str, ...] = ("main", "lab"), library: str = "main", **settings: Any
) -> Brief:
    """The brief of a line, where there are two libraries and no language model unless the settings say otherwise."""
    chosen = Settings(online="never").model_copy(update=settings)
    defaults = replace(App(chosen).defaults(), libraries=lambda: libraries, library=lambda: library)
    command = parse(line)
    assert isinstance(command, StartSurvey)
    return brief_of(command, defaults)


@pytest.mark.parametrize(
    ("line", "brief"),
    [
        ("survey bee navigation", USUAL),
        ("survey “bee navigation”,", USUAL),
        ("survey bee navigation recipe=AUTO length=16K language=EN", replace(USUAL, length="16k")),
        ("survey bee navigation library=lab online=Yes", replace(USUAL, library="lab", online=True)),
        ("survey bee navigation library=online", replace(USUAL, library="", online=True)),
        ("survey bee navigation years=2019..2021", replace(USUAL, years=YearRange(2019, 2021))),
        (
            "survey bee navigation sections=3 words=3000",
            replace(USUAL, sections=3, subsection_words=3_000),
        ),
        ("survey bee navigation sections=20 words=50", replace(USUAL, sections=20, subsection_words=50)),
        ("survey bee navigation budget=$2.50", replace(USUAL, budget=2.5)),
        ("survey bee navigation budget=9999", replace(USUAL, budget=9_999.0)),
        ("survey bee navigation budget=500k", replace(USUAL, budget_tokens=500_000)),
        ("survey bee navigation budget=1.5M", replace(USUAL, budget_tokens=1_500_000)),
        (
            "survey bee navigation without=10.1145/3397271,surveys,arxiv:2005.11401,10.1145/3397271",
            replace(USUAL, without=("doi:10.1145/3397271", "surveys", "arxiv:2005.11401")),
        ),
        ("quick does it help?", replace(QUICK, quick=QuickOptions())),
        ("quick does it help? online=yes", replace(QUICK, online=True, quick=QuickOptions(background=True))),
        (
            'quick does it help? papers=10 share=90 sampling=Random places="Library, arXiv" background=yes',
            replace(
                QUICK, online=True, places=("library", "arxiv"), quick=QuickOptions(10, 90, "random", background=True)
            ),
        ),
        (
            "survey bee navigation types=reviews,trial places=OpenAlex,pubmed",
            replace(
                USUAL,
                library="",
                online=True,
                kinds=("review", "clinical trial"),
                places=("openalex", "pubmed"),
            ),
        ),
        ("survey bee navigation places=library", replace(USUAL, places=("library",))),
        ("quick does it help? review=no", replace(QUICK, quick=QuickOptions(only_search=True))),
        ("quick does it help? review=yes background=no", replace(QUICK, quick=QuickOptions())),
    ],
)
def test_a_line_with_options_is_a_brief(line: str, brief: Brief) -> None:
    assert read_brief(line) == brief


def test_where_a_language_model_is_configured_it_writes_and_for_an_audience() -> None:
    brief = read_brief("survey bee navigation audience=beekeepers budget=1", **MODEL)
    assert (brief.recipe, brief.audience, brief.budget) == ("autosurvey", "beekeepers", 1.0)
    assert read_brief("survey bee navigation recipe=SurveyX", **MODEL).recipe == "surveyx"
    with pytest.raises(UserError, match="what the model mystery-2 costs"):
        read_brief("survey bee navigation budget=1", **MODEL, model="mystery-2")
    with pytest.raises(UserError, match="what the model mystery-3 costs"):
        read_brief("survey bee navigation budget=1", **MODEL, judges=("mystery-3",))


def test_a_library_of_the_settings_and_online_sources_are_taken_where_nothing_else_is_said() -> None:
    assert read_brief("survey bee navigation", online="always").online
    assert not read_brief("survey bee navigation online=no", online="always").online
    assert read_brief("survey bee navigation", library="online") == replace(USUAL, library="", online=True)
    assert read_brief("survey bee navigation", recipe="naive", **MODEL).recipe == "naive"
    assert read_brief("survey bee navigation", length="64k").length == "64k"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("survey x", "The topic is too short. Name it in a few words, for example: survey graph neural networks"),
        ("survey the of years=2020", "“the of” names no subject. Say what the survey is about, and the years apart"),
        (
            f"survey bees {'and wasps ' * 30}",
            "The topic has 304 characters; 300 are enough. Name it in a few words, and",
        ),
        ("survey bees library=other", "There is no library “other”; there are: main, lab. Name one of them, or write"),
        ("survey bees library=online online=no", "library=online searches online; leave online=no out, or name"),
        ("survey bees online=perhaps", "online=perhaps is not possible; write one of: yes, no."),
        ("survey bees recipe=soup", "recipe=soup is not possible; write one of: "),
        ("survey bees recipe=autosurvey", "The recipe autosurvey needs a language model. Set OPENAI_API_KEY, OPENAI_"),
        ("survey bees length=9k", "length=9k is not possible; write one of: 8k, 16k, 32k, 64k."),
        ("survey bees language=de", "language=de is not possible; write one of: en."),
        ("survey bees sections=2", "sections=2 is not possible; write a number from 3 to 20."),
        ("survey bees sections=21", "sections=21 is not possible; write a number from 3 to 20."),
        ("survey bees words=many", "words=many is not possible; write a number from 50 to 3000."),
        ("survey bees words=３００", "words=３００ is not possible"),
        ("survey bees budget=0", "budget=0 is not an amount. Write dollars, budget=2.50, or tokens, budget=500k"),
        ("survey bees budget=10000", "budget=10000 is not an amount."),
        ("survey bees budget=much", "budget=much is not an amount."),
        ("survey bees without=this", "“this” is no identifier of a paper. Write DOIs or arXiv ids, without=10.1145/"),
        (
            "survey bees audience=beekeepers",
            "Without a language model the recipe cluster takes its sentences",
        ),
        (f"survey bees audience={'x' * 201}", "audience= takes at most 200 characters; this has 201."),
        ("quick bees papers=9", "papers=9 is not possible; write a number from 10 to 500."),
        ("quick bees share=91", "share=91 is not possible; write a number from 10 to 90."),
        ("quick bees sampling=best", "sampling=best is not possible; write one of: weighted, random."),
        (
            "quick bees places=library,moon",
            "places=moon is not possible; write one of: library, semantic",
        ),
        ("quick bees review=maybe", "review=maybe is not possible; write one of: yes, no."),
        ("quick bees background=maybe", "background=maybe is not possible; write one of: yes, no."),
    ],
)
def test_what_cannot_be_is_said_with_what_to_write_instead(line: str, said: str) -> None:
    with pytest.raises(UserError) as refused:
        read_brief(line)
    assert said in str(refused.value)


def test_what_has_no_library_yet_is_said() -> None:
    with pytest.raises(UserError, match=r"there are: none yet\. Name one"):
        read_brief("survey bees", libraries=())
