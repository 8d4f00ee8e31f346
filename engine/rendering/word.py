"""A survey as a Word document: headings, tables, pictures and numbered references that citations lead to."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from engine.citations import numbers, reference_text
from engine.overview import Overview
from engine.rendering.document import (
    NumberedSection,
    Run,
    group_titles,
    index_of_names,
    number_sections,
    parse_blocks,
    parse_runs,
)
from engine.rendering.figures.pictures import png
from engine.rendering.markdown import describe_search
from engine.survey import Survey, Table, introduce
from engine.text import clean, shorten

PICTURE_WIDTH_CM = 16.0
CELL = "Table Text"
"""The style of paragraphs in tables."""


def word_document(survey: Survey) -> bytes:
    """The document as DOCX bytes."""
    writer = _Writer(survey)
    writer.write()
    buffer = io.BytesIO()
    writer.document.save(buffer)
    return buffer.getvalue()


class _Writer:
    """One survey on its way into a document of python-docx."""

    def __init__(self, survey: Survey) -> None:
        # Imported here because only this export needs it.
        import docx
        from docx.enum.style import WD_STYLE_TYPE
        from docx.shared import Pt

        self.survey = survey
        self.numbers = numbers(survey)
        self.groups = group_titles(survey)
        self.bookmarks = 0
        self.document: Any = docx.Document()
        self.document.core_properties.title = shorten(clean(survey.title), 255)  # no more is allowed
        self.document.core_properties.author = ""
        self.styles = {style.name: style for style in self.document.styles}
        self.styles["Normal"].font.name = "Georgia"
        self.styles["Normal"].font.size = Pt(10.5)
        in_table = self.styles[CELL] = self.document.styles.add_style(CELL, WD_STYLE_TYPE.PARAGRAPH)
        in_table.font.size = Pt(8)
        in_table.paragraph_format.space_after = Pt(0)

    def write(self) -> None:
        survey = self.survey
        self.document.add_heading(clean(survey.title), level=0)
        if survey.notice:
            self._paragraph((Run(clean(survey.notice)),), "Intense Quote")
        if survey.abstract:
            self._paragraph((Run("Abstract. "), *parse_runs(survey.abstract, self.numbers)))
        if survey.overview:
            self._overview(survey.overview)
        for item in number_sections(survey):
            self._section(item)
        if names := index_of_names(survey, self.numbers):
            self._add_heading("Index of Names", 1)
            self._table(names, "")
        if survey.not_covered:
            self._add_heading("What This Survey Does Not Cover", 1)
            for group in survey.not_covered:
                told = f"{group.title} ({group.papers}): {'; '.join(group.examples)}"
                self._paragraph((Run(clean(told)),), "List Bullet")
        self._references()
        self._search()

    def _overview(self, overview: Overview) -> None:
        self._add_heading("At a Glance", 1)
        self._blocks(overview.text)
        if overview.lines:
            self._add_heading("Lines of Work", 2)
        for line in overview.lines:
            years = "–".join(str(year) for year in dict.fromkeys((line.first, line.last)) if year)
            told = f"{line.number} {clean(line.title)} ({line.papers} papers{', ' if years else ''}{years}). "
            self._paragraph((Run(told), *parse_runs(line.text, self.numbers)), "List Bullet")
        if overview.start:
            self._add_heading("Where to Start Reading", 2)
        for start in overview.start:
            if start.key in self.numbers:
                number = self.numbers[start.key]
                title = clean(self.survey.references[number - 1].title)
                runs = (Run(f"{title} "), Run(cited=(number,)), Run(f": {clean(start.reason)}"))
                self._paragraph(runs, "List Number")

    def _section(self, item: NumberedSection) -> None:
        from docx.shared import Cm

        self._add_heading(f"{item.number} {item.section.title}", item.depth)
        self._blocks(item.section.text)
        for numbered in item.figures:
            self._blocks(introduce(numbered.figure, numbered.number))
            caption = f"Figure {numbered.number}. {clean(numbered.figure.caption)}"
            self.document.add_picture(io.BytesIO(png(numbered.figure, self.groups)), width=Cm(PICTURE_WIDTH_CM))
            picture = self.document.paragraphs[-1]
            picture.paragraph_format.keep_with_next = True
            picture._p.xpath(".//wp:docPr")[0].set("descr", caption)  # what a screen reader says
            self._paragraph((Run(caption),), "Caption")
        for table in item.tables:
            self._blocks(introduce(table.table, table.number))
            self._table(table.table, f"Table {table.number}. ")

    def _table(self, table: Table, name: str) -> None:
        from docx.shared import Cm

        caption = self._paragraph((Run(name), *parse_runs(table.caption, self.numbers)), "Caption")
        caption.paragraph_format.keep_with_next = True
        made = self.document.add_table(rows=1, cols=len(table.header), style="Light List Accent 1")
        made.autofit = False
        widths = table.widths if len(table.widths) == len(table.header) else (1,) * len(table.header)
        shares = [Cm(PICTURE_WIDTH_CM * width / sum(widths)) for width in widths]
        for column, share in zip(made.columns, shares, strict=True):
            column.width = share
        rows: list[tuple[tuple[Run, ...], ...]] = [tuple((Run(clean(cell)),) for cell in table.header)]
        rows += [tuple(parse_runs(cell, self.numbers) for cell in row) for row in table.rows]
        for index, row in enumerate(rows):
            cells = made.rows[0].cells if index == 0 else made.add_row().cells
            for cell, runs, share in zip(cells, row, shares, strict=True):
                cell.width = share
                paragraph = cell.paragraphs[0]
                paragraph._p.style = self.styles[CELL].style_id
                self._fill(paragraph, runs)
        _repeat_header(made.rows[0])
        self.document.add_paragraph()

    def _references(self) -> None:
        self._add_heading("References", 1)
        for number, paper in enumerate(self.survey.references, start=1):
            text = f"[{number}] {clean(reference_text(paper))}{f' {paper.url}' if paper.url else ''}"
            self._bookmark(self._paragraph((Run(text),)), f"ref_{number}")

    def _search(self) -> None:
        survey = self.survey
        self._add_heading("How This Survey Was Searched", 1)
        for name, value in survey.facts:
            self._paragraph((Run(clean(f"{name}: {value}")),), "List Bullet")
        for search in survey.searches:
            told = f"{search.source}, {search.date}: “{search.query}”, {describe_search(search)}"
            self._paragraph((Run(clean(told)),), "List Bullet")
        for out in survey.left_out:
            told = f"Left out, {out.why}: {out.paper.title} ({out.paper.key}): {out.reason}"
            self._paragraph((Run(clean(told)),), "List Bullet")
        for warning in survey.warnings:
            self._paragraph((Run(clean(f"{warning.kind}, {warning.place}: {warning.detail}")),), "List Bullet")

    def _add_heading(self, text: str, level: int) -> None:
        self._paragraph((Run(clean(text)),), f"Heading {min(level, 9)}")

    def _blocks(self, text: str) -> None:
        for block in parse_blocks(text, self.numbers):
            for item in block.items:
                self._paragraph(item, "List Bullet" if block.is_list else None)

    def _paragraph(self, runs: Sequence[Run], style: str | None = None) -> Any:
        paragraph = self.document.add_paragraph()
        if style:
            paragraph._p.style = self.styles[style].style_id  # `paragraph.style` looks through all styles each time
        self._fill(paragraph, runs)
        return paragraph

    def _fill(self, paragraph: Any, runs: Sequence[Run]) -> None:
        for run in runs:
            if run.text:
                paragraph.add_run(run.text)
            for position, number in enumerate(run.cited):
                paragraph.add_run("[" if position == 0 else ", ")
                _link(paragraph, str(number), f"ref_{number}")
            if run.cited:
                paragraph.add_run("]")

    def _bookmark(self, paragraph: Any, name: str) -> None:
        self.bookmarks += 1
        start = _element("w:bookmarkStart", {"w:id": str(self.bookmarks), "w:name": name})
        paragraph._p.insert(0, start)
        paragraph._p.append(_element("w:bookmarkEnd", {"w:id": str(self.bookmarks)}))


def _link(paragraph: Any, text: str, anchor: str) -> None:
    """A run that leads to a bookmark; python-docx has no function for it."""
    run = paragraph.add_run(text)
    link = _element("w:hyperlink", {"w:anchor": anchor, "w:history": "1"})
    paragraph._p.append(link)
    link.append(run._r)


def _repeat_header(row: Any) -> None:
    """The row stands again on every page that the table goes on to."""
    row._tr.get_or_add_trPr().append(_element("w:tblHeader", {"w:val": "true"}))


def _element(name: str, attributes: dict[str, str]) -> Any:
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    element = OxmlElement(name)
    for key, value in attributes.items():
        element.set(qn(key), value)
    return element
