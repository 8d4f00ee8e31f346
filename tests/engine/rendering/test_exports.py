"""Exports for other programs, each opened by one: LaTeX, BibTeX, Word, CSL-JSON."""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
import warnings
import zipfile
from dataclasses import replace
from pathlib import Path

import docx
import pypdfium2
import pytest

from engine.citations import with_references
from engine.rendering.bibliography import bibtex, csl_json, declare_characters, escape_latex
from engine.rendering.files import FORMATS, write_files
from engine.rendering.latex import latex
from engine.survey import Section, Survey
from tests.engine.rendering.surveys import full_survey
from tests.engine.rendering.test_rendering import HOSTILE, survey_about
from tests.fakes import paper
from tests.stand_ins.changes import PATIENCE_S

STRANGE = "Å ø ß ł ığ α→β ≤ ∞ ℝ² x₁ x̂ “q” — … 中文 Привет ʒ ̈ -- ''"
TITLES = (*HOSTILE, STRANGE)


def run(folder: Path, *command: str) -> str:
    """A program's output; where it is not installed, the test is skipped and that is said."""
    if shutil.which(command[0]) is None:
        name = {"soffice": "LibreOffice"}.get(command[0], "LaTeX")
        warnings.warn(f"{name} is not here: {command[0]} opened no export", stacklevel=2)
        pytest.skip(f"{command[0]} is not installed")
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE_S, errors="replace", check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    return done.stdout


def compiled(survey: Survey, folder: Path) -> str:
    """The log of pdfLaTeX, which stops at the first error."""
    with zipfile.ZipFile(io.BytesIO(FORMATS["tex"](survey))) as archive:
        archive.extractall(folder)
    once = ("pdflatex", "-halt-on-error", "-interaction=nonstopmode", "-no-shell-escape", "survey.tex")
    run(folder, *once)
    run(folder, "bibtex", "survey")
    run(folder, *once)
    return run(folder, *once)


def test_latex_compiles_with_its_bibliography(tmp_path: Path) -> None:
    log = compiled(full_survey(), tmp_path)
    assert "undefined" not in log
    assert (tmp_path / "survey.pdf").stat().st_size > 10_000
    assert "Error" not in (tmp_path / "survey.blg").read_text()


def test_latex_of_hostile_titles_compiles(tmp_path: Path) -> None:
    found = [
        paper(i, title=title[:400], authors=(title[:60], "Łukasz Ünal")) for i, title in enumerate(TITLES, start=1)
    ]
    sections = tuple(
        Section(p.title, f"{p.title.replace('[@', '[ @')} [@{p.key}]\n\n- {p.title.replace('[@', '[ @')} [@{p.key}]")
        for p in found
    )
    survey = with_references(Survey(STRANGE, "", sections, ()), {p.key: p for p in found})
    compiled(survey, tmp_path)


@pytest.mark.parametrize("title", HOSTILE)
def test_latex_holds_no_command_of_a_title(title: str) -> None:
    survey = survey_about(title)
    ours = set(re.findall(r"\\[A-Za-z@]+", latex(survey_about("Plain"), "")))
    theirs = set(re.findall(r"\\[A-Za-z@]+", latex(survey, ""))) - ours
    assert not {c for c in theirs if not c.startswith("\\text") and c != "\\DeclareUnicodeCharacter"}
    assert "write18" not in latex(survey, "").replace(r"\textbackslash{}write18", "")


def test_every_character_that_is_written_as_a_command_compiles(tmp_path: Path) -> None:
    ranges = [(0xA0, 0x250), (0x370, 0x400), (0x2010, 0x2100), (0x2100, 0x2400), (0x25A0, 0x2600)]
    body = "\n".join(escape_latex(chr(c)) for first, last in ranges for c in range(first, last) if chr(c).isprintable())
    lines = "\n".join(declare_characters(body))
    (tmp_path / "all.tex").write_text(
        f"\\documentclass{{article}}\\usepackage[T1]{{fontenc}}\\usepackage{{textcomp,amssymb}}\n{lines}\n"
        f"\\begin{{document}}\n{body}\n\\end{{document}}\n",
        encoding="utf-8",
    )
    run(tmp_path, "pdflatex", "-halt-on-error", "-interaction=nonstopmode", "-no-shell-escape", "all.tex")


def test_the_sentence_that_introduces_a_table_stands_before_it() -> None:
    survey = full_survey()
    first, second, *others = survey.sections
    named = replace(second, tables=(replace(second.tables[0], introduction="{} compares the papers."),))
    survey = replace(survey, sections=(first, named, *others))
    told = "Table 1 compares the papers."
    assert told in latex(survey, "")
    document = docx.Document(io.BytesIO(FORMATS["docx"](survey)))
    assert told in [paragraph.text for paragraph in document.paragraphs]
    pages = pypdfium2.PdfDocument(FORMATS["pdf"](survey))
    assert any(told in page.get_textpage().get_text_range() for page in pages)
    pages.close()


def test_the_archive_is_the_same_each_time() -> None:
    assert FORMATS["tex"](full_survey()) == FORMATS["tex"](full_survey())


def test_bibtex_is_valid_for_biber(tmp_path: Path) -> None:
    people = ("Rosa Bonheur and Sons", "Jan van den Berg", "Łukasz Ünal")
    items = [paper(i, title=title[:400], authors=people) for i, title in enumerate(TITLES, start=1)]
    (tmp_path / "x.bib").write_text(bibtex(items), encoding="utf-8")
    told = run(tmp_path, "biber", "--tool", "--validate-datamodel", "x.bib")
    assert "ERROR" not in told
    assert "WARN" not in told


def test_word_holds_headings_tables_pictures_and_linked_references() -> None:
    document = docx.Document(io.BytesIO(FORMATS["docx"](full_survey())))
    headings = [p.text for p in document.paragraphs if p.style.name.startswith("Heading")]
    assert headings[:3] == ["At a Glance", "Lines of Work", "Where to Start Reading"]
    assert "2.1 Agreement" in headings
    assert headings[-4:] == ["References", "How This Survey Was Searched", "Left Out", "Warnings"]
    assert len(document.tables) == 4
    assert document.tables[0].rows[0].cells[0].text == "Work"
    assert document.tables[0].rows[1].cells[0].text == "Author 0 [1]"
    assert len(document.inline_shapes) == 3
    xml = document.element.xml
    anchors, names = set(re.findall(r'w:anchor="(ref_\d+)"', xml)), set(re.findall(r'w:name="(ref_\d+)"', xml))
    assert anchors
    assert anchors <= names
    assert xml.count("descr=") == 3


@pytest.mark.parametrize("title", HOSTILE)
def test_word_opens_with_hostile_titles(title: str) -> None:
    document = docx.Document(io.BytesIO(FORMATS["docx"](survey_about(title))))
    assert document.paragraphs[0].style.name == "Title"


def test_another_word_processor_opens_the_document(tmp_path: Path) -> None:
    (path,) = write_files(full_survey(), tmp_path, ("docx",))
    own = f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}"
    run(tmp_path, "soffice", own, "--headless", "--convert-to", "txt:Text", str(path))
    text = path.with_suffix(".txt").read_text(encoding="utf-8-sig")
    assert "Where to Start Reading" in text
    assert "What This Survey Does Not Cover" in text


@pytest.mark.parametrize("title", HOSTILE)
def test_csl_json_has_what_citation_processors_need(title: str) -> None:
    one, two = json.loads(csl_json([paper(1, title=title, authors=("Plato", "Jan van den Berg")), paper(2)]))
    assert one["author"] == [{"literal": "Plato"}, {"family": "van den Berg", "given": "Jan"}]
    assert one["type"] in {"paper-conference", "article-journal", "article"}
    assert isinstance(one["issued"]["date-parts"][0][0], int)
    assert one["id"] != two["id"]


def test_a_citation_processor_reads_csl_json(tmp_path: Path) -> None:
    (path,) = write_files(full_survey(), tmp_path, ("csl",))
    assert path.name.endswith(".csl.json")
    if shutil.which("pandoc") is None:
        warnings.warn("Pandoc is not here: it opened no export", stacklevel=1)
        pytest.skip("pandoc is not installed")
    text = run(tmp_path, "pandoc", "--from=csljson", "--to=bibtex", str(path))
    assert len(re.findall(r"^@", text, re.M)) == 12
