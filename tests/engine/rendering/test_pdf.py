"""The PDF as an article: what is on its pages, and that none of them is torn."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pypdfium2
import pytest

from engine.citations import with_references
from engine.overview import TimeLane, TimeLine
from engine.rendering.pdf import pdf
from engine.survey import FieldMap, MapPoint, Section, Survey, Table
from tests.engine.rendering.surveys import HEADER, full_survey
from tests.fakes import papers


def long_survey() -> Survey:
    """Twelve sections whose tables and figures fall on pages as they happen to."""
    found = papers(30)
    sections = []
    for number in range(12):
        rows = tuple(
            (f"Author [@{p.key}]", "2020", "It learns. " * (1 + number % 5), "", "9 %") for p in found[: 3 + number]
        )
        figure = FieldMap(
            f"Map {number}.", tuple(MapPoint(i % 5, i % 7, f"G{i % 3}", p.key) for i, p in enumerate(found))
        )
        table = Table(f"Papers of line {number}.", HEADER, rows, (2, 1, 5, 2, 2))
        figures = (figure,) if number % 3 == 0 else ()
        sections.append(
            Section(f"Line {number}", "Words of the text. " * (40 + 25 * number), (), (), (table,), figures)
        )
    return with_references(Survey("A Long One", "", tuple(sections), ()), {p.key: p for p in found})


@pytest.fixture(scope="module")
def long_document() -> Iterator[pypdfium2.PdfDocument]:
    document = pypdfium2.PdfDocument(pdf(long_survey()))
    yield document
    document.close()


def lines_of(page: pypdfium2.PdfPage) -> list[str]:
    text = page.get_textpage().get_text_range()
    return [line.strip() for line in text.splitlines() if line.strip()]


def test_no_page_ends_with_a_caption_or_a_heading(long_document: pypdfium2.PdfDocument) -> None:
    for page in long_document:
        *body, number = lines_of(page)
        assert number.isdigit()
        assert not body[-1].startswith(("Table ", "1 Line", "Line "))


def test_no_page_is_half_empty(long_document: pypdfium2.PdfDocument) -> None:
    last = len(long_document) - 1
    for index, page in enumerate(long_document):
        ink = np.asarray(page.render(scale=0.5).to_pil().convert("L")) < 250
        above_the_number = ink[: int(ink.shape[0] * 0.93)]
        lowest = np.flatnonzero(above_the_number.any(axis=1)).max() / ink.shape[0]
        assert lowest > 0.6 or index == last, f"page {index + 1} ends at {lowest:.0%}"


def test_no_figure_stands_among_the_contents() -> None:
    found = papers(30)
    points = tuple(MapPoint(i % 5, i % 7, f"G{i % 3}", p.key) for i, p in enumerate(found))
    opening = Section("Line 0", "Few words.", (), (), (), (FieldMap("Map.", points),))
    later = [Section(f"Line {number}", "Words of the text. " * 30) for number in range(1, 16)]
    survey = Survey("Contents on Two Pages", "It says what was found. " * 170, (opening, *later), ())
    document = pypdfium2.PdfDocument(pdf(with_references(survey, {p.key: p for p in found})))
    where = {words: height_of(document, words) for words in ("1 Line 0", "16 Line 15", "Figure 1.")}
    document.close()
    assert where["1 Line 0"][0] == 0  # the contents begin on the first page and end on the second
    assert where["16 Line 15"][0] == where["Figure 1."][0] == 1
    assert where["Figure 1."][1] < where["16 Line 15"][1]


@pytest.mark.parametrize("words", [10, 120, 240, 360, 480, 600])
def test_no_figure_stands_inside_the_table_that_follows_it(words: int) -> None:
    found = papers(30)
    lanes = tuple(TimeLane(f"G{i}", tuple((year, i) for year in range(2010, 2022)), ()) for i in range(8))
    points = tuple(MapPoint(i % 5, i % 7, f"G{i % 3}", p.key) for i, p in enumerate(found))
    opening = Section("Opening", "Words. " * words, figures=(TimeLine("Years.", lanes), FieldMap("Map.", points)))
    rows = tuple((f"Row {i} [@{p.key}]", "2020", "It learns. " * 5, "", "9 %") for i, p in enumerate(found))
    line = Section("Line", "Few words.", tables=(Table("Papers.", HEADER, rows, (2, 1, 5, 2, 2)),))
    document = pypdfium2.PdfDocument(
        pdf(with_references(Survey("T", "", (opening, line), ()), {p.key: p for p in found}))
    )
    places = [height_of(document, said) for said in ("Figure 1.", "Figure 2.", "Table 1.")]
    document.close()
    assert places == sorted(places, key=lambda place: (place[0], -place[1]))


def height_of(document: pypdfium2.PdfDocument, words: str) -> tuple[int, float]:
    """The first page (from 0) with these words, and how far above its foot they stand, in points."""
    for number, page in enumerate(document):
        text = page.get_textpage()
        if found := text.search(words).get_next():
            return number, text.get_charbox(found[0])[1]
    raise AssertionError(words)


def test_the_first_page_is_the_field_at_a_glance() -> None:
    document = pypdfium2.PdfDocument(pdf(full_survey()))
    first = " ".join(lines_of(document[0]))
    document.close()
    for words in ("How Machines Read", "At a Glance", "Lines of Work", "6 papers, 2019–2021", "Where to Start Reading"):
        assert words in first


def test_what_is_not_there_leaves_no_heading() -> None:
    bare = replace(full_survey(), overview=None, not_covered=(), left_out=(), warnings=())
    document = pypdfium2.PdfDocument(pdf(bare))
    text = " ".join(line for page in document for line in lines_of(page))
    document.close()
    for words in ("At a Glance", "Does Not Cover", "Left Out", "Warnings"):
        assert words not in text


def test_what_a_document_was_set_with_goes_with_its_process() -> None:
    code = (
        "import sys; from engine.rendering.pdf import pdf; from engine.survey import Section, Survey; "
        "assert pdf(Survey('A', '', (Section('B', 'C.'),), ())).startswith(b'%PDF'); assert 'typst' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
