"""A survey as a Word document: headings, tables, pictures and numbered references that citations lead to."""

from __future__ import annotations

import io
from collections.abc import Sequence
from copy import deepcopy
from typing import Any, assert_never

from engine.citations import numbers, reference_text
from engine.rendering.document import (
    Block,
    Heading,
    NumberedFigure,
    NumberedTable,
    Part,
    ReferenceList,
    Run,
    group_titles,
    list_parts,
    parse_runs,
)
from engine.rendering.figures.pictures import png
from engine.survey import Survey
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
        for part in list_parts(survey):
            self._part(part)

    def _part(self, part: Part) -> None:
        match part:
            case Heading(text, depth, number):
                self._paragraph((Run(f"{number} {text}" if number else text),), f"Heading {min(depth, 9)}")
            case Block(items, kind):
                style = {"paragraph": None, "list": "List Bullet", "numbered list": "List Number"}[kind]
                for item in items:
                    self._paragraph(item, style)
            case NumberedTable():
                self._table(part)
            case ReferenceList():
                self._references()
            case tuple():
                for numbered in part:
                    self._figure(numbered)
            case _:
                assert_never(part)

    def _figure(self, numbered: NumberedFigure) -> None:
        from docx.shared import Cm

        if numbered.introduction:
            self._paragraph((Run(numbered.introduction),))
        caption = f"Figure {numbered.number}. {clean(numbered.figure.caption)}"
        self.document.add_picture(io.BytesIO(png(numbered.figure, self.groups)), width=Cm(PICTURE_WIDTH_CM))
        picture = self.document.paragraphs[-1]
        picture.paragraph_format.keep_with_next = True
        picture._p.xpath(".//wp:docPr")[0].set("descr", caption)  # what a screen reader says
        self._paragraph((Run(caption),), "Caption")

    def _table(self, numbered: NumberedTable) -> None:
        from docx.shared import Cm

        table = numbered.table
        if table.caption:
            name = Run(f"Table {numbered.number}. " if numbered.number else "")
            caption = self._paragraph((name, *parse_runs(table.caption, self.numbers)), "Caption")
            caption.paragraph_format.keep_with_next = True
        made = self.document.add_table(rows=1, cols=len(table.header), style="Light List Accent 1")
        made.autofit = False
        shares = [Cm(PICTURE_WIDTH_CM * width / sum(numbered.widths)) for width in numbered.widths]
        for column, cell, share in zip(made.columns, made.rows[0].cells, shares, strict=True):
            column.width = cell.width = share
            cell.paragraphs[0]._p.style = self.styles[CELL].style_id
        head = made.rows[0]._tr
        blank = deepcopy(head)
        self._fill_row(head, [(Run(clean(cell)),) for cell in table.header])
        _repeat_header(made.rows[0])
        for row in table.rows:
            added = deepcopy(blank)
            made._tbl.append(added)
            self._fill_row(added, [parse_runs(cell, self.numbers) for cell in row])
        self.document.add_paragraph()

    def _fill_row(self, row: Any, cells: Sequence[Sequence[Run]]) -> None:
        for cell, runs in zip(row.tc_lst, cells, strict=True):
            self._fill(cell.p_lst[0], runs)

    def _references(self) -> None:
        self._part(Heading("References"))
        for number, paper in enumerate(self.survey.references, start=1):
            text = f"[{number}] {clean(reference_text(paper))}{f' {paper.url}' if paper.url else ''}"
            self._bookmark(self._paragraph((Run(text),)), f"ref_{number}")

    def _paragraph(self, runs: Sequence[Run], style: str | None = None) -> Any:
        paragraph = self.document.add_paragraph()
        if style:
            paragraph._p.style = self.styles[style].style_id  # `paragraph.style` looks through all styles each time
        self._fill(paragraph._p, runs)
        return paragraph

    def _fill(self, paragraph: Any, runs: Sequence[Run]) -> None:
        """Add runs to a paragraph's XML element: python-docx takes five times as long."""
        for run in runs:
            if run.text:
                paragraph.append(_make_run(run.text, strong=run.strong))
            for position, number in enumerate(run.cited):
                paragraph.append(_make_run("[" if position == 0 else ", "))
                # A link to a bookmark; python-docx has no function for it.
                link = _element("w:hyperlink", {"w:anchor": f"ref_{number}", "w:history": "1"})
                link.append(_make_run(str(number)))
                paragraph.append(link)
            if run.cited:
                paragraph.append(_make_run("]"))

    def _bookmark(self, paragraph: Any, name: str) -> None:
        self.bookmarks += 1
        start = _element("w:bookmarkStart", {"w:id": str(self.bookmarks), "w:name": name})
        paragraph._p.insert(0, start)
        paragraph._p.append(_element("w:bookmarkEnd", {"w:id": str(self.bookmarks)}))


def _make_run(text: str, *, strong: bool = False) -> Any:
    """Text in the size of its paragraph; its line breaks and tabs are kept."""
    run = _element("w:r", {})
    if strong:
        run.get_or_add_rPr().append(_element("w:b", {}))
    if any(mark in text for mark in "\t\r\n"):
        run.text = text
    else:
        run.append(words := _element("w:t", {"xml:space": "preserve"}))
        words.text = text
    return run


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
