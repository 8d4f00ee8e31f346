"""A survey as a Word document: headings, tables, pictures and numbered references that citations lead to."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any, assert_never

from engine.citations import numbers, reference_text
from engine.rendering.document import (
    Block,
    FigureGroup,
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
from engine.rendering.figures.pictures import compile_figure
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
        self.groups = group_titles(survey)
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
            self._paragraph((Run("Abstract. "), *parse_runs(survey.abstract, numbers(survey))))
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
            case FigureGroup():
                for numbered in part.items:
                    self._figure(numbered)
            case _:
                assert_never(part)

    def _figure(self, numbered: NumberedFigure) -> None:
        from docx.shared import Cm

        if numbered.introduction:
            self._paragraph((Run(numbered.introduction),))
        caption = f"Figure {numbered.number}. {numbered.caption}"
        png = compile_figure(numbered.figure, "png", self.groups)
        self.document.add_picture(io.BytesIO(png), width=Cm(PICTURE_WIDTH_CM))
        picture = self.document.paragraphs[-1]
        picture.paragraph_format.keep_with_next = True
        picture._p.xpath(".//wp:docPr")[0].set("descr", caption)  # what a screen reader says
        self._paragraph((Run(caption),), "Caption")

    def _table(self, table: NumberedTable) -> None:
        from docx.shared import Cm

        if table.number:
            caption = self._paragraph((Run(f"Table {table.number}. "), *table.caption), "Caption")
            caption.paragraph_format.keep_with_next = True
        made = self.document.add_table(rows=0, cols=len(table.header), style="Light List Accent 1")
        made.autofit = False
        for column, width in zip(made.columns, table.widths, strict=True):
            column.width = Cm(PICTURE_WIDTH_CM * width / sum(table.widths))
        for cells in (tuple((Run(name),) for name in table.header), *table.rows):
            for cell, runs in zip(made.add_row().cells, cells, strict=True):
                cell.paragraphs[0]._p.style = self.styles[CELL].style_id
                self._fill(cell.paragraphs[0], runs)
        # The header stands again on every page that the table goes on to.
        made.rows[0]._tr.get_or_add_trPr().append(_element("w:tblHeader", {"w:val": "true"}))
        self.document.add_paragraph()

    def _references(self) -> None:
        self._part(Heading("References"))
        for number, paper in enumerate(self.survey.references, start=1):
            text = f"[{number}] {clean(reference_text(paper))}{f' {paper.url}' if paper.url else ''}"
            entry = self._paragraph((Run(text),))._p
            entry.insert(0, _element("w:bookmarkStart", {"w:id": str(number), "w:name": f"ref_{number}"}))
            entry.append(_element("w:bookmarkEnd", {"w:id": str(number)}))

    def _paragraph(self, runs: Sequence[Run], style: str | None = None) -> Any:
        paragraph = self.document.add_paragraph()
        if style:
            paragraph._p.style = self.styles[style].style_id  # `paragraph.style` looks through all styles each time
        self._fill(paragraph, runs)
        return paragraph

    def _fill(self, paragraph: Any, runs: Sequence[Run]) -> None:
        for run in runs:
            if run.text:
                paragraph.add_run(run.text).bold = run.strong or None
            for position, number in enumerate(run.cited):
                paragraph.add_run("[" if position == 0 else ", ")
                # A link to a bookmark; python-docx has no function for it.
                link = _element("w:hyperlink", {"w:anchor": f"ref_{number}", "w:history": "1"})
                paragraph._p.append(link)
                link.append(paragraph.add_run(str(number))._r)
            if run.cited:
                paragraph.add_run("]")


def _element(name: str, attributes: dict[str, str]) -> Any:
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    return OxmlElement(name, {qn(key): value for key, value in attributes.items()})
