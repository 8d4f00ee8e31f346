"""What a note rests on."""

from __future__ import annotations

from dataclasses import replace

from engine.notes.taking import ground
from engine.survey import Note
from tests.fakes import paper

TRIAL = paper(1, abstract="We randomised 27 clinics. It was used in 6% of visits. Rates were 39% versus 43%.")
NOTE = Note(TRIAL.key, (3,), "unclear", "27 clinics", "", "39% versus 43%", "used in 6% of visits")


def test_a_note_rests_on_every_sentence_that_its_figures_stand_in() -> None:
    """It named the result alone: the whole paper was lost to the draft, in 10 notes of 22 written by hand."""
    assert ground(NOTE, [TRIAL]) == replace(NOTE, sentences=(3, 1, 2))
    whole = replace(NOTE, sentences=(1, 2, 3))
    assert ground(whole, [paper(2), TRIAL]) == whole


def test_a_part_with_a_figure_that_its_paper_does_not_have_is_left_out_and_the_rest_is_kept() -> None:
    """“140 practices” of “One hundred and forty”, or a sum, is no reason to lose the paper."""
    note = replace(NOTE, task="140 clinics", method="randomised")
    assert ground(note, [TRIAL]) == replace(note, task="", sentences=(3, 2))
    assert ground(replace(NOTE, shown="39% versus 34%"), [TRIAL]) is None
    lancet = paper(4, abstract="The rate was 126·98 and 131·25.")
    assert ground(Note(lancet.key, (1,), "clinical", "", "", "126.98", ""), [lancet])


def test_a_note_of_a_sentence_or_paper_that_is_not_there_is_none() -> None:
    wrong = (
        replace(NOTE, sentences=()),
        replace(NOTE, sentences=(3, 9)),
        replace(NOTE, shown=""),
        replace(NOTE, key=paper(2).key),
    )
    assert [ground(note, [TRIAL, paper(3)]) for note in wrong] == [None] * 4


def test_how_a_finding_was_shown_is_kept_where_a_sentence_says_so() -> None:
    note = replace(NOTE, how="clinical", shown="fewer rates", limit="", task="")
    assert ground(note, [TRIAL], 1) == replace(note, sentences=(3, 1))
    for nowhere in (0, 9):
        assert ground(note, [TRIAL], nowhere) == replace(note, how="unclear")
