from __future__ import annotations

from dataclasses import replace

import pytest

from bot.views.survey_pages import take_page
from bot.wording.survey_text import EVIDENCE_PER_PAGE, why_reference, why_section
from engine.evidence import evidence_of_reference, evidence_of_section
from engine.survey import Citation, Claim, Section, Survey
from engine.values import Paper, PaperKey

FIRST = "Dense retrieval finds passages by meaning."
SECOND = "We train the encoder on pairs of questions and passages."
LEAD = "Two papers belong here."


def paper(key: str, *, summarised: bool = False) -> Paper:
    text = f"{FIRST} {SECOND}"
    if summarised:
        return Paper(PaperKey(key), "Title", summary=text, year=2020, authors=("Ada Lee",))
    return Paper(PaperKey(key), "Title", text, year=2020, authors=("Ada Lee",))


def survey(cited: Paper, said: str, *citations: Citation) -> Survey:
    claim = Claim(f"Lee (2020): {said} [@{cited.key}].", citations)
    return Survey("T", "A", (Section("Methods", f"{LEAD} {claim.text}", (claim,)),), (cited,))


def why(found: Survey) -> str:
    return why_section(found, "1", take_page(evidence_of_section(found, "1"), 1, EVIDENCE_PER_PAGE, "it has"))


QUOTE = SECOND.removesuffix(".")


def test_common_knowledge_is_shown_as_such() -> None:
    cited = paper("x:1")
    known = Claim("An encoder maps text to vectors.", (), common=True)
    found = survey(cited, FIRST, Citation(cited.key, FIRST, "supported"))
    section = found.sections[0]
    section = replace(section, text=f"{section.text} {known.text}", claims=(*section.claims, known))
    shown = why(replace(found, sections=(section,)))
    assert "An encoder maps text to vectors. *(common knowledge" in shown and shown.count("An encoder") == 1


def test_words_that_the_sentence_quotes_are_shown_once_with_the_place_they_stand_in() -> None:
    cited = paper("x:1")
    found = survey(cited, f"“{QUOTE}”", Citation(cited.key, QUOTE, "quoted"))
    for shown in (why(found), why_reference(found, cited, 1, evidence_of_reference(found, 1)[1])):
        assert shown.count(QUOTE) == 1
        assert "quoted word for word, from the abstract, sentence 2" in shown


def test_several_quotations_of_a_paper_are_named_together() -> None:
    cited = paper("x:1")
    quotes = (FIRST.removesuffix("."), QUOTE)
    said = "; ".join(f"“{quote}”" for quote in quotes)
    shown = why(survey(cited, said, *(Citation(cited.key, quote, "quoted") for quote in quotes)))
    assert shown.endswith("\n- " + LEAD) and shown.count("from the abstract, sentences 1 and 2") == 1
    assert all(shown.count(quote) == 1 for quote in quotes)


def test_a_summary_is_never_quoted_word_for_word() -> None:
    cited = paper("x:1", summarised=True)
    shown = why(survey(cited, QUOTE, Citation(cited.key, QUOTE, "summarised", "summary")))
    assert shown.count("not in the authors' words") == 1 and ": from the summary, sentence 2" in shown
    assert shown.count(QUOTE) == 1 and "word for word" not in shown and "“" not in shown


def test_a_claim_that_stands_on_the_models_word_is_shown_as_one() -> None:
    cited = paper("x:1")
    found = survey(cited, "The encoder learns from pairs", Citation(cited.key, QUOTE, "supported"))
    claim = replace(found.sections[0].claims[0], insisted="learns from pairs")
    shown = why(replace(found, sections=(replace(found.sections[0], claims=(claim,)),)))
    assert "kept on the model's word: a program did not find “learns from pairs” in the source" in shown


def test_the_words_behind_a_claim_in_other_words_stand_beside_it() -> None:
    cited = paper("x:1")
    shown = why(survey(cited, "The encoder learns from pairs", Citation(cited.key, QUOTE, "supported")))
    assert f"“{QUOTE}”; checked: supported, from the abstract, sentence 2" in shown


def test_a_page_of_a_full_text_is_named_instead_of_a_sentence() -> None:
    cited = paper("x:1")
    shown = why(survey(cited, "It is small", Citation(cited.key, "The model is small", "supported", "full text", 4)))
    assert "checked: supported, from the full text, page 4" in shown and "sentence " not in shown


@pytest.mark.parametrize("count", [1, 6])
def test_connecting_sentences_are_told_apart_from_claims(count: int) -> None:
    cited = paper("x:1")
    claim = Claim(f"Lee: “{QUOTE}” [@x:1].", (Citation(cited.key, QUOTE, "quoted"),))
    leads = [f"Connecting sentence number {number} stands here." for number in range(count)]
    found = Survey("T", "A", (Section("M", " ".join([*leads, claim.text]), (claim,)),), (cited,))
    claims, _, connecting = why(found).partition("introduce, connect or count")
    assert "Connecting" not in claims and QUOTE not in connecting
    assert connecting.count("Connecting sentence") == min(count, 4)
    assert ("and 2 more" in connecting) == (count == 6)
