"""Headings in the text of a PDF: in the sequence of their numbers, and alone on their lines."""

from __future__ import annotations

from engine.reading.full_text import from_pdf
from engine.reading.pdf import PdfText

WRAPPED = """1 Introduction
Recent work of A. Radford, J. Wu and
D. Mitchell, S. Ermon and others
3. We then train the model on
all data. It is good and has
2 layers of
attention. It ends.
2 Related Work
2.1 Dense Retrieval
Text here ends.
3 Method
First we sample.
References
[1] A. One. Title. 2020.
[2] B. Two. Title. 2021.
[3] C. Three. Title. 2022."""


def test_wrapped_lines_that_begin_with_a_number_or_an_initial_are_no_headings() -> None:
    text = from_pdf(PdfText("", (WRAPPED,)), "x")
    assert [p.section for p in text.passages] == ["Introduction", "Dense Retrieval", "Method", "References"]
    assert "S. Ermon and others 3. We then train the model on all data. It is good and has 2 layers" in (
        text.passages[0].text
    )
    assert len(text.references) == 3
