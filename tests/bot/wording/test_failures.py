from __future__ import annotations

import pytest

from bot.wording.sentences import failure
from bot.wording.survey_text import word_survey
from engine.errors import LanguageModelError
from engine.llm.model import CallFailed, Unreachable, failure_of_status
from engine.survey import UNCHECKED, UNJUDGED, UNWRITTEN, Section, Survey, SurveyWarning


@pytest.mark.parametrize(
    "error",
    [
        failure_of_status(401, "", None, reason="Incorrect API key provided"),
        Unreachable("APIConnectionError"),
        Unreachable("APITimeoutError"),
    ],
)
def test_a_model_that_is_away_names_key_address_and_the_way_without_it(error: CallFailed) -> None:
    said = failure(error)
    assert str(error) in said and "ConnectionError" not in said and "TimeoutError" not in said
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "SCHOLIUM_MODEL", "scholium doctor", "recipe=cluster"):
        assert name in said
    assert ("Trying again may help." in said) == error.retryable


def test_an_answer_that_cannot_be_used_blames_no_key() -> None:
    assert "API_KEY" not in failure(LanguageModelError("No paper gave a hint for the outline.", retryable=True))


def test_a_survey_that_the_budget_ended_says_why_and_how_to_go_on() -> None:
    used_up = "The budget of $0.06 for this survey is used up."
    ended = (("Beta", used_up), ("2.3 Delta", UNWRITTEN), ("Delta", used_up))
    warnings = tuple(SurveyWarning("unfinished", place, detail) for place, detail in ended)
    said = word_survey(Survey("T", "A.", (Section("Alpha", "Text."),), (), warnings=warnings))
    assert f"⚠ Not finished: Beta, 2.3 Delta ({used_up})" in said
    assert "`back`, then `ok`, writes and checks what is missing; what is finished stays." in said
    several = (*warnings, SurveyWarning("unfinished", "Epsilon", "no claim of it holds"))
    assert used_up not in word_survey(Survey("T", "A.", (), (), warnings=several))


def test_claims_that_got_no_verdict_are_no_unfinished_part() -> None:
    details = (("Abstract", f"{UNJUDGED} for 1 claim, which was removed"), ("Methods", f"{UNJUDGED} for 3 claims"))
    warnings = tuple(SurveyWarning("unfinished", place, detail) for place, detail in details)
    told = word_survey(Survey("T", "A.", (Section("Alpha", "Text."),), (), warnings=warnings))
    assert "⚠ Claims removed because the model gave no verdict on them: Abstract, Methods" in told
    assert "Not finished" not in told
    unchecked = SurveyWarning("unfinished", "Methods", f"{UNCHECKED}: no answer came")
    told = word_survey(Survey("T", "A.", (Section("Alpha", "Text."),), (), warnings=(unchecked,)))
    assert "⚠ Claims not checked: Methods (no answer came)" in told


def test_a_survey_whose_model_died_names_few_places_and_the_way_without_it() -> None:
    gone = str(Unreachable("APIConnectionError"))
    places = [f"{number} Part" for number in range(2, 9)]
    warnings = tuple(SurveyWarning("unfinished", place, detail) for place in places for detail in (gone, UNWRITTEN))
    told = word_survey(Survey("T", "A.", (Section("Alpha", "Text."),), (), warnings=warnings))
    assert f"⚠ Not finished: 2 Part, 3 Part, 4 Part, and 4 more ({gone})\n\n`back`" in told
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "recipe=cluster"):
        assert name in told


def test_one_citation_that_was_removed_is_one() -> None:
    warnings = (SurveyWarning("unsupported claim", "Alpha", "x"),)
    told = word_survey(Survey("T", "A.", (Section("Alpha", "Text."),), (), warnings=warnings))
    assert "⚠ 1 citation was removed, because the paper does not say so (the files list it)." in told


def test_an_answer_that_cannot_be_used_is_no_failure_of_a_service() -> None:
    said = failure(LanguageModelError("the model's text cited none of the papers", retryable=True))
    assert said == "The model's text cited none of the papers. Trying again may help."
