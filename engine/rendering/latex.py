"""A survey as LaTeX: an article with its bibliography and figures, in one archive.

Every text is escaped; the source asks for no shell and reads no file but its own.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from typing import assert_never

from engine.citations import numbers
from engine.rendering.bibliography import bibtex, declare_characters, entry_keys, escape_latex
from engine.rendering.document import (
    Block,
    FigureGroup,
    Heading,
    NumberedFigure,
    NumberedTable,
    Part,
    ReferenceList,
    Runs,
    group_titles,
    list_parts,
    list_section_parts,
    parse_runs,
)
from engine.rendering.figures.pictures import compile_figure
from engine.survey import Survey

SOURCE = "survey.tex"
BIBLIOGRAPHY = "references.bib"

_LEVELS = ("section", "subsection", "subsubsection", "paragraph", "subparagraph")
_PREAMBLE = r"""\documentclass[11pt,a4paper]{article}
\usepackage{iftex}
\ifPDFTeX
  \usepackage[T1]{fontenc}
  \usepackage{lmodern}
%(declarations)s
\else
  \usepackage{fontspec}
\fi
\usepackage{textcomp,amssymb}
\usepackage[margin=2.5cm]{geometry}
\usepackage{array,booktabs,longtable,graphicx}
\usepackage[numbers,sort&compress]{natbib}
\usepackage{url}
\usepackage[hidelinks]{hyperref}
\setcounter{secnumdepth}{4}
\setlength{\emergencystretch}{3em}
\setlength{\tabcolsep}{4pt}
\newcommand{\notice}[1]{\begin{quote}\small #1\end{quote}}
"""


def latex_archive(survey: Survey) -> bytes:
    """A ZIP archive: `SOURCE`, `BIBLIOGRAPHY` and a PDF of each figure. The same survey gives the same bytes."""
    references = bibtex(survey.references)
    groups = group_titles(survey)
    files = {SOURCE: latex(survey, references).encode(), BIBLIOGRAPHY: references.encode()}
    for part in list_section_parts(survey):
        for numbered in part.items if isinstance(part, FigureGroup) else ():
            files[_picture_name(numbered)] = compile_figure(numbered.figure, "pdf", groups)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def latex(survey: Survey, references: str) -> str:
    """The source; ``references`` is the text of its bibliography, whose characters it declares."""
    writer = _Writer(survey)
    body = "\n\n".join(filter(None, writer.parts()))
    preamble = _PREAMBLE % {"declarations": "\n".join(f"  {d}" for d in declare_characters(body + references))}
    return f"{preamble}\n{body}\n"


def _picture_name(numbered: NumberedFigure) -> str:
    return f"figure-{numbered.number}.pdf"


class _Writer:
    """The parts of one survey's source."""

    def __init__(self, survey: Survey) -> None:
        self.survey = survey
        self.keys = dict(zip(range(1, len(survey.references) + 1), entry_keys(survey.references), strict=True))

    def parts(self) -> Iterator[str]:
        survey = self.survey
        yield f"\\title{{{escape_latex(survey.title)}}}\n\\author{{}}\n\\date{{}}\n\n\\begin{{document}}\n\\maketitle"
        if survey.notice:
            yield f"\\notice{{{escape_latex(survey.notice)}}}"
        if survey.abstract:
            yield f"\\begin{{abstract}}\n{self._runs(parse_runs(survey.abstract, numbers(survey)))}\n\\end{{abstract}}"
        for part in list_parts(survey):
            if isinstance(part, Heading) and part.number == "1" and len(survey.sections) > 3:
                yield r"\tableofcontents"
            yield from self._part(part)
        yield r"\end{document}"

    def _part(self, part: Part) -> Iterator[str]:
        match part:
            case Heading(text, depth, number):
                level = _LEVELS[min(depth, len(_LEVELS)) - 1]
                label = f"\\label{{section-{number}}}" if number else ""
                yield f"\\{level}{'' if number else '*'}{{{escape_latex(text)}}}{label}"
            case Block():
                yield self._block(part)
            case NumberedTable():
                yield self._table(part)
            case ReferenceList():
                name = BIBLIOGRAPHY.removesuffix(".bib")
                yield f"\\bibliographystyle{{unsrtnat}}\n\\nocite{{*}}\n\\bibliography{{{name}}}"
            case FigureGroup():
                for numbered in part.items:
                    yield escape_latex(numbered.introduction)
                    yield (
                        "\\begin{figure}[tbp]\n\\centering\n"
                        f"\\includegraphics[width=\\linewidth]{{{_picture_name(numbered)}}}\n"
                        f"\\caption{{{escape_latex(numbered.caption)}}}\n\\end{{figure}}"
                    )
            case _:
                assert_never(part)

    def _table(self, table: NumberedTable) -> str:
        caption = f"\\caption{{{self._runs(table.caption)}}}\\\\\n" if table.number else ""
        shares = [width / sum(table.widths) for width in table.widths]
        columns = "".join(
            f">{{\\raggedright\\arraybackslash}}p{{\\dimexpr {share:.4f}\\linewidth-2\\tabcolsep\\relax}}"
            for share in shares
        )
        head = " & ".join(f"\\textbf{{{escape_latex(name)}}}" for name in table.header)
        # A group, since a cell may begin with a bracket, which \\ would take for its option.
        rows = "\n".join(
            f"{' & '.join(f'{{}}{self._runs(cell)}' for cell in row)} \\\\ \\addlinespace" for row in table.rows
        )
        return (
            f"{{\\footnotesize\n\\begin{{longtable}}{{{columns}}}\n{caption}"
            f"\\toprule\n{head} \\\\ \\midrule\n\\endhead\n"
            f"\\bottomrule\n\\endfoot\n{rows}\n\\end{{longtable}}}}"
        )

    def _block(self, block: Block) -> str:
        if block.kind == "paragraph":
            return self._runs(block.items[0])
        kind = "enumerate" if block.kind == "numbered list" else "itemize"
        lines = "\n".join(f"\\item {{}}{self._runs(item)}" for item in block.items)
        return f"\\begin{{{kind}}}\n{lines}\n\\end{{{kind}}}"

    def _runs(self, runs: Runs) -> str:
        written = []
        for run in runs:
            # The spaces at its ends divide it from citations.
            before = " " if run.text[:1].isspace() else ""
            after = " " if run.text[-1:].isspace() and run.text.strip() else ""
            text = f"{before}{escape_latex(run.text)}{after}"
            if run.cited:
                text = f"\\citep{{{','.join(self.keys[number] for number in run.cited)}}}"
            if run.section:
                text = f"\\hyperref[section-{run.section}]{{{text}}}"
            written.append(f"\\textbf{{{text}}}" if run.strong else text)
        return "".join(written)
