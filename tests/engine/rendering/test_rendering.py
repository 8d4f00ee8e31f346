"""Files people open: structure, and hostile titles that must stay text."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pypdfium2
import pytest
import rispy
from bibtexparser.entrypoint import parse_string
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from engine.citations import with_references
from engine.errors import UserError
from engine.rendering.bibliography import bibtex, entry_keys, ris
from engine.rendering.figures.pictures import svg
from engine.rendering.files import FORMATS, as_json, file_stem, from_json, parse_formats, write_files
from engine.rendering.html import html
from engine.rendering.markdown import escape_markdown, render_markdown
from engine.survey import (
    BarChart,
    FieldMap,
    MapPoint,
    Section,
    Survey,
    Table,
)
from engine.text import clean
from engine.values import SearchRecord
from tests.fakes import claim, paper, papers

HOSTILE = (
    "<script>alert(1)</script> & <img src=x onerror=alert(2)>",
    "100% of _all_ {braces, *stars*, `ticks`, #hash, ~tilde, ^hat, $x_1$ and \\input{secret}",
    "unbalanced } and } and { braces",
    "right-to-left \u202eevil\u202c and zero\u200bwidth and null \x00 byte",
    "[link](javascript:alert(1)) ![img](http://x/y) [@doi:10.1/fake] [[1]]",
    '</style></title>{{ 7*7 }}{% raw %} #include "/etc/passwd" #read("x") @cite',
    "long " * 2_000,
    "1. list\n# heading\n- bullet\n> quote | cell",
)


def survey_about(title: str) -> Survey:
    one, two = paper(1, title=title, authors=(title[:60] or "A", "Ben Buddy")), paper(2)
    text = f"First [@{one.key}]. {title.replace('[@', '[ @')}\n\n- an item [@{one.key}; @{two.key}]\n- another"
    figures = (
        BarChart("Years.", "Year", "Papers", (("2001", 1), ("2002", 3))),
        FieldMap("Map.", (MapPoint(0, 0, title[:80]), MapPoint(1, 1, "B"), MapPoint(2, 0, "B"))),
    )
    table = Table("A table.", ("Group", "Cited"), ((title.replace("[@", "[ @"), f"[@{two.key}]"),))
    section = Section(title, text, (claim(one, "x"),), (Section("Part", f"Below [@{two.key}]."),), (table,), figures)
    survey = Survey(
        title, f"About [@{two.key}].", (section,), (), "Notice.", (SearchRecord("main", title, "2026-01-01", 3),)
    )
    return with_references(survey, {p.key: p for p in (one, two)})


@pytest.mark.parametrize("title", HOSTILE)
@pytest.mark.parametrize("name", FORMATS)
def test_hostile_titles_are_text_in_every_format(name: str, title: str) -> None:
    content = FORMATS[name](survey_about(title))
    assert content
    assert name in {"pdf", "docx", "tex"} or b"\x00" not in content


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


@pytest.mark.parametrize("title", HOSTILE)
def test_html_has_no_tag_and_no_address_from_a_title(title: str) -> None:
    tags = Tags()
    tags.feed(html(survey_about(title)))
    names = {tag for tag, _ in tags.found}
    assert not names & {"img", "iframe", "object", "link", "base"}
    assert [tag for tag, _ in tags.found].count("script") == 1
    for tag, attributes in tags.found:
        assert not any(name.startswith("on") for name in attributes)
        if tag == "a":
            assert re.match(r"#|https?://arxiv\.org/", attributes["href"] or "")


def test_html_links_citations_to_references() -> None:
    document = html(survey_about("A Plain Title"))
    assert 'href="#ref-1"' in document
    assert 'id="ref-1"' in document
    assert document.count("<svg") == 2
    assert 'href="#section-1.1"' in document


def test_markdown_has_the_structure() -> None:
    text = render_markdown(survey_about("A Plain Title"))
    assert text.startswith("# A Plain Title\n")
    assert "## 1 A Plain Title" in text
    assert "### 1.1 Part" in text
    assert "- an item [1, 2]" in text
    assert re.search(r"^\[1\] Ada|^\[1\] ", text, re.M)
    assert "| A Plain Title | [1] |" in text


@pytest.mark.parametrize("title", ["a | b", "a \\| b", "x\n| y |", "|", "P(a|b) || c"])
def test_a_cell_of_a_markdown_table_stays_one_cell(title: str) -> None:
    reader = MarkdownIt().enable("table")
    tokens = reader.parse(render_markdown(survey_about(title)).partition("**Table 1.**")[2])
    start = next(i for i, token in enumerate(tokens) if token.type == "table_open")
    end = next(i for i, token in enumerate(tokens) if token.type == "table_close")
    cells = [token.children for token in tokens[start:end] if token.type == "inline"]
    texts = ["".join(part.content for part in parts or () if part.type in {"text", "text_special"}) for parts in cells]
    assert texts == ["Group", "Cited", " ".join(title.split()), "[1]"]


@given(st.text(max_size=60))
def test_escaped_markdown_reads_back_as_the_same_words(text: str) -> None:
    line = clean(text)
    assert re.sub(r"\\([\\`*_\[\]<&#>+=.)-])", r"\1", escape_markdown(line)) == line


def test_the_pdf_holds_the_text_and_its_pages() -> None:
    document = pypdfium2.PdfDocument(FORMATS["pdf"](survey_about("100% _plain_ {title} #x $y$")))
    text = "".join(page.get_textpage().get_text_range() for page in document)
    assert "100% _plain_ {title} #x $y$" in text
    assert "References" in text
    document.close()


@pytest.mark.parametrize("title", HOSTILE)
def test_bibtex_can_be_read_back(title: str) -> None:
    items = [paper(1, title=title, authors=("Rosa Bonheur and Sons", "Jan van den Berg")), paper(2)]
    library = parse_string(bibtex(items))
    assert library.failed_blocks == []
    assert len(library.entries) == 2
    assert "{and}" in library.entries[0]["author"]


def test_bibtex_kinds_and_keys() -> None:
    items = [
        paper(1, venue="NeurIPS"),
        paper(2, venue="Nature Medicine", authors=("Jan van den Berg",), year=2020, title="The Test"),
        paper(3, venue="arXiv"),
        paper(2, venue="Nature Medicine", authors=("Jan van den Berg",), year=2020, title="The Test"),
    ]
    kinds = [entry.entry_type for entry in parse_string(bibtex(items[:3])).entries]
    assert kinds == ["inproceedings", "article", "misc"]
    assert entry_keys(items)[1::2] == ["vandenberg2020test", "vandenberg2020testa"]


@pytest.mark.parametrize("title", HOSTILE)
def test_ris_can_be_read_back(title: str) -> None:
    (one, two) = rispy.loads(ris([paper(1, title=title), paper(2)]))
    assert one["title"] == clean(title)
    assert two["authors"][-1] == "van der Clue, Cleo"


def test_json_is_the_whole_survey() -> None:
    survey = survey_about("A Title")
    assert from_json(as_json(survey)) == survey
    with pytest.raises(UserError, match="not a survey"):
        from_json(b"{}")


@pytest.mark.parametrize("label", ["$unclosed", "a & <b>", "\\frac{", "100%"])
def test_labels_of_figures_are_no_formulas(label: str) -> None:
    assert svg(FieldMap("c", (MapPoint(0, 0, label),))).startswith("<svg")


def test_files_are_written_whole_and_named_after_the_title(tmp_path: Path) -> None:
    paths = write_files(survey_about("Graph Neural Networks: A Survey"), tmp_path / "out", ("md", "bibtex"))
    assert [p.name for p in paths] == ["graph-neural-networks-a-survey.md", "graph-neural-networks-a-survey.bib"]
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == sorted(p.name for p in paths)
    assert file_stem("../../etc/passwd") == "etc-passwd"
    assert file_stem("…") == "survey"


def test_a_format_or_folder_that_cannot_be_says_so(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="I can make: md"):
        parse_formats(("odt",))
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="could not be written") as told:
        write_files(survey_about("T"), tmp_path / "file", ("md",))
    assert str(tmp_path) not in str(told.value)


def test_a_reference_without_facts_is_still_rendered() -> None:
    bare = replace(papers(1)[0], authors=(), year=None, venue="", url="", abstract="")
    survey = with_references(Survey("T", "", (Section("S", f"x [@{bare.key}]"),), ()), {bare.key: bare})
    for made in FORMATS.values():
        assert made(survey)
