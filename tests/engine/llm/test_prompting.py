"""What of a paper an outline is planned from: the sentence that says what the paper contributes."""

from __future__ import annotations

import pytest

from engine.llm.prompting import GIST_TOKENS, paper_block
from tests.fakes import paper


@pytest.mark.parametrize(
    ("abstract", "contribution"),
    [
        ("We study how birds sing. Songs differ. We propose SongNet, which hears them.", "We propose SongNet"),
        ("Birds sing. We perform a large evaluation of hearing. We release our code and data.", "We perform a large"),
        ("Many hear birds. SongNet1 adds a second ear to hearing. It outperforms the proposed ones.", "SongNet1 adds"),
        ("We examine how birds sing with carefully designed experiments. They sing.", "We examine how birds sing"),
        ("Birds sing at dawn. A new microphone is presented. We show that it hears.", "A new microphone is presented"),
        ("Our three main contributions are as follows. We prove that dawn comes first.", "We prove that dawn"),
    ],
)
def test_the_sentence_that_states_the_contribution_is_shown(abstract: str, contribution: str) -> None:
    shown = paper_block([paper(1, title="SongNet1: Hearing with Ears", abstract=abstract)], GIST_TOKENS)
    assert shown.splitlines()[2].startswith(contribution)
