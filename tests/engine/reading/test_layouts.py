"""What is read of papers in the layouts that papers have: each sentence whole, the headings, the references."""

from __future__ import annotations

import pytest
import typst

from engine.reading.full_text import FullText, from_pdf
from engine.reading.pdf_text import read_pdf
from engine.text import fold
from tests.engine.reading.layouts import LAYOUTS, Content, Layout, make_content, to_typst

LEAST_F1 = 0.95


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_a_layout_loses_no_sentence_and_no_heading(layout: Layout) -> None:
    content = make_content()
    text = from_pdf(read_pdf("a.pdf", typst.compile(to_typst(layout, content).encode())), "a.pdf")
    passages = [fold(passage.text) for passage in text.passages]
    assert [s for s in content.said() if not any(fold(s) in passage for passage in passages)] == []
    assert measure_headings(content, text) >= LEAST_F1
    assert text.title == content.title
    body = fold(" ".join(passage.text for passage in text.body()))
    assert [entry for entry in content.references if fold(entry) in body] == []


def test_a_title_that_is_no_larger_than_the_text_is_known_by_its_bold_type() -> None:
    title = "SPECTRAL BOUNDS FOR RANDOM WALKS ON SPARSE HYPERGRAPHS WITH HEAVY TAILS AND LONG MEMORY"
    said = "The walk mixes quickly wherever its degrees are bounded from above. " * 12
    page = f"#set page(width: 12cm)\n*{title}*\n\nADA LOVELACE AND BEN TURING\n\nAbstract. {said}\n\n{said}"
    text = from_pdf(read_pdf("a.pdf", typst.compile(page.encode())), "a.pdf")
    assert text.title == title


def measure_headings(content: Content, text: FullText) -> float:
    """F1 of the names of the sections."""
    true = {*(fold(heading) for heading, _, _ in content.sections), "abstract", "references"}
    found = {fold(passage.section) for passage in text.passages} - {""}
    return 2 * len(true & found) / (len(true) + len(found))
