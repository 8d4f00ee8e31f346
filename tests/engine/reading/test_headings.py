"""Headings in the text of a PDF: in the sequence of their numbers, and alone on their lines."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import pytest

from engine.reading.full_text import from_pdf
from engine.reading.pdf_text import Line, LineStyle, PdfText, read_plain

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
    text = from_pdf(read_plain(WRAPPED), "x")
    assert [p.section for p in text.passages] == ["Introduction", "Dense Retrieval", "Method", "References"]
    assert "S. Ermon and others 3. We then train the model on all data. It is good and has 2 layers" in (
        text.passages[0].text
    )


RUN_IN = """1. Introduction
Much was written on retrieval before.
1.1. Dense retrieval. We embed passages.
2. Method
It has parts.
2.1. Data sets. We collect them."""
WITH_HYPHENS = """I. INTRODUCTION
Much was written on retrieval before.
II. METHOD
It has two parts.
II-A. Data Sets
We collect them.
II-B. Models
We train them."""


@pytest.mark.parametrize(
    ("page", "headings"),
    [
        (RUN_IN, ["Introduction", "Dense retrieval", "Method", "Data sets"]),
        (WITH_HYPHENS, ["INTRODUCTION", "METHOD", "Data Sets", "Models"]),
    ],
)
def test_headings_in_the_line_of_their_text_and_numbers_with_hyphens(page: str, headings: list[str]) -> None:
    text = from_pdf(read_plain(page), "x")
    assert [p.section for p in text.passages if p.section] == headings


PHYSICS = """I. INTRODUCTION
Much was written on retrieval before.
B. Data
We collect them.
1. Sampling
It is random.
2. Cleaning
It is thorough.
II. RESULTS
They are good.
Acknowledgments We thank the reviewers.
Appendix A: Proofs
Each follows from the one before.
[1] A. One, Title (2020).
[2] B. Two, Title (2021).
[3] C. Three, Title
(2022).
[4] D. Four, Title (2023).
[5] E. Five, Title (2024)."""


def test_third_levels_appendices_and_references_without_a_heading_as_physicists_set_them() -> None:
    text = from_pdf(read_plain(PHYSICS), "x")
    headings = ["INTRODUCTION", "Data", "Sampling", "Cleaning", "RESULTS", "Acknowledgments", "Proofs", "References"]
    assert [p.section for p in text.passages] == headings
    assert text.passages[5].text == "We thank the reviewers."


def test_a_sentence_after_an_unpaired_bracket_goes_on_on_the_next_page() -> None:
    first = "1 Introduction\n3) We sample (twice. It has parts.\nThe gripper consists of a"
    text = from_pdf(read_plain(first, "robot arm and a jaw. It holds."), "x")
    assert any("The gripper consists of a robot arm and a jaw." in p.text for p in text.passages)


def test_captions_in_bold_type_and_the_ends_of_run_in_headings_are_no_headings() -> None:
    said = [
        "Abstract",
        "We begin with what is known of it.",
        "It is much.",
        "Method",
        "We go on with what is new in it.",
        "It is more.",
        "Details in brief. We sample",
        "some of them at random.",
        "Figure 3 – Overview of it",
        "We say what was found in it.",
        "It is most.",
        "Conclusion",
        "We end with what is open in it.",
    ]
    apart = {"Abstract", "Method", "Details in brief. We sample", "Figure 3 – Overview of it", "Conclusion"}
    lines, baseline = list[Line](), 72.0
    for line in said:
        baseline += 30.0 if line in apart else 12.0
        large = line.startswith("Details")
        style = LineStyle(72, 300, baseline, 12.0 if large else 10.0, is_bold=line in apart and not large)
        lines.append(Line(line, 1, style))
    text = from_pdf(PdfText("", tuple(lines)), "x")
    assert list(dict.fromkeys(p.section for p in text.passages)) == ["Abstract", "Method", "Conclusion"]
    assert any("Details in brief. We sample some of them at random." in p.text for p in text.passages)


def set_lines(said: Sequence[str], headings: Collection[str]) -> PdfText:
    """One page: headings bold and apart, the rest as text."""
    lines, baseline = list[Line](), 72.0
    for line in said:
        baseline += 30.0 if line in headings else 12.0
        lines.append(Line(line, 1, LineStyle(72, 300, baseline, 10.0, is_bold=line in headings)))
    return PdfText("", tuple(lines))


@pytest.mark.parametrize("mark", ["{}. ", "[{}] "])
def test_a_list_of_references_without_a_heading_is_no_text(mark: str) -> None:
    entries = [f"{mark.format(n)}Name{n}, A. On it. Journal {n} ({2000 + n})" for n in range(1, 7)]
    said = ["Introduction", "We begin.", "Conclusion", "We end.", *entries]
    text = from_pdf(set_lines(said, {"Introduction", "Conclusion"}), "x")
    assert [passage.text for passage in text.body()] == ["We begin.", "We end."]


def test_the_steps_of_a_procedure_at_the_end_are_no_references() -> None:
    steps = [f"{n}. Put in part number {n}." for n in range(1, 7)]
    text = from_pdf(set_lines(["Introduction", "We begin.", "Conclusion", *steps], {"Introduction", "Conclusion"}), "x")
    assert "Put in part number 6." in " ".join(passage.text for passage in text.body())
