"""What the first page says is counted from the sections."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.citations import cite
from engine.llm.prompting import prompt_digests
from engine.survey import Citation, Claim, ClaimTally, Section, Survey
from engine.values import Brief
from engine.writing.notices import (
    DISCLAIMER,
    name_contents,
    record_prompts,
    state_length,
    with_notice,
    word_quoted_length,
)
from tests.fakes import paper


def survey(*sections: Section) -> Survey:
    return with_notice(Survey("T", "", sections, (), method="Written by a model."))


def claims(count: int, verdict: str, words: str = "words") -> tuple[Claim, ...]:
    key = paper(1).key
    return tuple(
        Claim(f"Fact {i} {cite([key])}.", (Citation(key, f"{words} {i}", verdict),))  # type: ignore[arg-type]
        for i in range(count)
    )


def test_checked_reworded_and_removed_claims_are_counted_over_all_sections() -> None:
    one = Section("A", "", claims(5, "supported"), tally=ClaimTally(claims=8, kept=4, reworded=1, removed=3))
    two = Section("B", "", claims(2, "supported"), tally=ClaimTally(claims=2, kept=1, cited_anew=1, on_full_texts=1))
    assert survey(one, two).notice == (
        "Written by a model. 10 of 10 claims were checked against abstracts (6) and full texts (1). "
        f"Of these, 1 was cited anew, 1 reworded and 3 removed. {DISCLAIMER}"
    )


def test_what_was_judged_twice_and_what_it_gave_no_verdict_for_is_said() -> None:
    tally = ClaimTally(claims=9, kept=5, removed=4, insisted=2, unanswered=1, ours=2, judged=8, agreed=5, asked_twice=3)
    notice = survey(Section("A", "", claims(5, "supported"), tally=tally)).notice
    assert "Model and program agreed on 5 of 8; of 3 asked about twice, 2 stood." in notice
    assert "2 claims are the survey’s own" in notice
    assert "8 of 9 claims were checked against the papers' abstracts. Of these, 3 were removed." in notice
    assert "The model gave no verdict for 1 claim, so it was removed." in notice
    silent = Section("A", "", tally=ClaimTally(claims=4, removed=4, unanswered=4))
    assert "The model gave no verdict for 4 claims, so they were removed." in survey(silent).notice


def test_common_knowledge_is_counted_apart_from_what_was_checked() -> None:
    known = Claim("A drone flies.", (), common=True)
    found = survey(Section("A", "", (*claims(2, "supported"), known), tally=ClaimTally(claims=2, kept=2)))
    assert "2 of 2 claims were checked" in found.notice
    assert "1 sentence explains a term as common knowledge, without a citation." in found.notice


def test_claims_that_nobody_could_check_are_named_as_such() -> None:
    tally = ClaimTally(claims=3, kept=2, unchecked=1)
    one = Section("A", "", (*claims(2, "supported"), *claims(1, "unchecked")), tally=tally)
    assert "2 of 3 claims were checked against the papers' abstracts. " in survey(one).notice
    assert "1 claim was not checked against the papers it cites." in survey(one).notice
    assert "None of its claims was checked" in survey(Section("A", "", claims(2, "unchecked"))).notice


def test_what_a_survey_was_written_from_is_named_as_what_it_is() -> None:
    whole, told = paper(1), replace(paper(2), abstract="", summary="It is told.")
    assert name_contents([whole, replace(whole, abstract="")]) == "abstracts"
    assert name_contents([told]) == "summaries"
    assert name_contents([told, whole]) == "abstracts or summaries"


def test_quotations_and_summaries_are_told_apart() -> None:
    notice = survey(Section("A", "", (*claims(2, "quoted", "said"), *claims(1, "summarised")))).notice
    assert "2 passages are quoted word for word from the papers' abstracts. " in notice
    assert "counts, headings and linking words were added by the program." in notice
    assert "1 statement is told in the words of summaries" in notice
    assert "not the authors' words" in notice


def test_titles_and_terms_in_quotation_marks_and_words_left_out_are_said() -> None:
    (quoted,) = claims(1, "quoted")
    cut = Claim(f"“… words 0” {cite([paper(1).key])}.", quoted.citations)
    notice = survey(Section("A", f"Its terms are “trees”. {cut.text}", (cut, cut))).notice
    assert "1 passage is quoted word for word from the papers' abstracts, with … where words are left out. " in notice
    assert "Other words in quotation marks are the papers' titles and terms; counts, headings" in notice


def test_what_a_model_wrote_is_not_called_the_programs() -> None:
    checked = ClaimTally(claims=3, kept=3)
    notice = survey(Section("A", "", (*claims(1, "quoted"), *claims(2, "supported")), tally=checked)).notice
    assert "1 passage is quoted" in notice
    assert "the program" not in notice


def test_a_survey_stored_before_keeps_the_notice_it_has() -> None:
    old = Survey("T", "", (), (), "As it was.")
    assert with_notice(old) == old


def test_a_survey_of_another_length_class_than_asked_for_says_so_once() -> None:
    long = Survey("T", "", (Section("Part", "word " * 9_000),), ())
    asked = Brief("t", length="16k")
    told = state_length(asked, state_length(asked, long))
    assert [w.detail for w in told.warnings] == ["16k was asked for; this survey has 11,253 tokens, which is 8k"]
    assert [value for name, value in told.facts if name == "Length"] == ["11,253 tokens (8k)"]
    assert state_length(Brief("t", length="8k"), long).warnings == ()
    assert state_length(Brief("t", length="16k", subsection_words=100), long).warnings == ()


@pytest.mark.parametrize(
    ("words", "removed", "said"),
    [
        ((60, 40, 49), 1, "1.2 and 2 have less than half of the 100 words asked for: what did not hold was removed"),
        ((60, 49, 50), 1, "1.2 has less than half of the 100 words asked for: what did not hold was removed"),
        ((60, 49, 50), 0, "1.2 has less than half of the 100 words asked for"),
        ((60, 50, 50), 1, ""),
    ],
)
def test_parts_that_stay_short_are_named(words: tuple[int, int, int], removed: int, said: str) -> None:
    tally = ClaimTally(claims=2, kept=2 - removed, removed=removed)
    first, second, third = (Section("Part", "word " * count, tally=tally) for count in words)
    survey = Survey("T", "", (Section("Whole", "It is divided.", sections=(first, second)), third), ())
    told = state_length(Brief("t", subsection_words=100), survey)
    assert [w.detail for w in told.warnings] == ([said] if said else [])


def test_a_survey_of_quotations_says_its_length_and_warns_of_a_class_that_was_chosen() -> None:
    short = Survey("T", "", (Section("Part", "word " * 900),), ())
    usual = state_length(Brief("t"), short, is_quoted=True)
    assert dict(usual.facts)["Length"] == "1,128 tokens (under 8k)"
    assert usual.warnings == ()
    for brief, asked in (
        (Brief("t", length="32k"), "32k was"),
        (Brief("t", subsection_words=300), "300 words a subsection were"),
    ):
        (warning,) = state_length(brief, short, is_quoted=True).warnings
        said = f"{asked} asked for: without a language model a survey is as long as what it quotes"
        assert warning.detail == word_quoted_length(brief) == said


def test_the_versions_of_all_prompts_are_recorded() -> None:
    recorded = record_prompts(record_prompts(Survey("T", "", (), ())))
    assert dict(recorded.prompts) == prompt_digests()
    assert {"autosurvey/draft", "common/check", "surveyx/trees"} <= dict(recorded.prompts).keys()
