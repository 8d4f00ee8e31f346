"""A survey as LaTeX: an article with its bibliography and figures, in one archive.

Every text is escaped; the source asks for no shell and reads no file but its own.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator, Sequence

from engine.citations import numbers
from engine.overview import Overview
from engine.rendering.bibliography import bibtex, entry_keys
from engine.rendering.document import (
    Block,
    NumberedFigure,
    NumberedSection,
    Run,
    group_titles,
    index_of_names,
    number_sections,
    parse_blocks,
    parse_runs,
)
from engine.rendering.figures.pictures import pdf_picture
from engine.rendering.latex_escape import declare_characters, escape_latex
from engine.rendering.markdown import describe_search
from engine.survey import Survey, Table, introduce
from engine.values import Paper, PaperKey

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
    for item in number_sections(survey):
        for numbered in item.figures:
            files[_picture_name(numbered)] = pdf_picture(numbered.figure, groups)
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
        self.numbers = numbers(survey)
        self.keys = dict(zip(range(1, len(survey.references) + 1), entry_keys(survey.references), strict=True))

    def parts(self) -> Iterator[str]:
        survey = self.survey
        yield f"\\title{{{escape_latex(survey.title)}}}\n\\author{{}}\n\\date{{}}\n\n\\begin{{document}}\n\\maketitle"
        if survey.notice:
            yield f"\\notice{{{escape_latex(survey.notice)}}}"
        if survey.abstract:
            yield f"\\begin{{abstract}}\n{self._text(survey.abstract)}\n\\end{{abstract}}"
        if survey.overview:
            yield from self._overview(survey.overview)
        if len(survey.sections) > 3:
            yield r"\tableofcontents"
        for item in number_sections(survey):
            yield from self._section(item)
        if names := index_of_names(survey, self.numbers):
            yield r"\section*{Index of Names}"
            yield self._table(names, "")
        if survey.not_covered:
            yield r"\section*{What This Survey Does Not Cover}"
            yield _render_list(
                f"\\textbf{{{escape_latex(g.title)}}} ({g.papers}): {escape_latex('; '.join(g.examples))}"
                for g in survey.not_covered
            )
        yield f"\\bibliographystyle{{unsrtnat}}\n\\nocite{{*}}\n\\bibliography{{{BIBLIOGRAPHY.removesuffix('.bib')}}}"
        yield from self._search()
        yield r"\end{document}"

    def _section(self, item: NumberedSection) -> Iterator[str]:
        level = _LEVELS[min(item.depth, len(_LEVELS)) - 1]
        yield f"\\{level}{{{escape_latex(item.section.title)}}}\\label{{section-{item.number}}}"
        yield from map(self._block, parse_blocks(item.section.text, self.numbers))
        for numbered in item.figures:
            yield escape_latex(introduce(numbered.figure, numbered.number))
            yield (
                f"\\begin{{figure}}[tbp]\n\\centering\n\\includegraphics[width=\\linewidth]{{{_picture_name(numbered)}}}\n"
                f"\\caption{{{escape_latex(numbered.figure.caption)}}}\n\\end{{figure}}"
            )
        for table in item.tables:
            yield escape_latex(introduce(table.table, table.number))
            yield self._table(table.table, f"\\caption{{{self._text(table.table.caption)}}}\\\\\n")

    def _overview(self, overview: Overview) -> Iterator[str]:
        yield r"\section*{At a Glance}"
        yield from map(self._block, parse_blocks(overview.text, self.numbers))
        if overview.lines:
            yield r"\subsection*{Lines of Work}"
            yield _render_list(
                f"\\textbf{{\\hyperref[section-{line.number}]{{{line.number} {escape_latex(line.title)}}}}} "
                f"({line.papers}{_years(line.first, line.last)}). {self._text(line.text)}"
                for line in overview.lines
            )
        if overview.start:
            yield r"\subsection*{Where to Start Reading}"
            known = [start for start in overview.start if start.key in self.numbers]
            yield _render_list(
                (
                    f"\\emph{{{escape_latex(self._paper(start.key).title)}}}~{self._cite((self.numbers[start.key],))}: "
                    f"{escape_latex(start.reason)}"
                    for start in known
                ),
                "enumerate",
            )

    def _search(self) -> Iterator[str]:
        survey = self.survey
        yield r"\section*{How This Survey Was Searched}"
        if survey.searches:
            rows = tuple((s.source, s.query, s.date, describe_search(s)) for s in survey.searches)
            yield self._table(
                Table("", ("Source", "Query", "Date", "Papers found"), rows, (2, 5, 2, 3)), "", plain=True
            )
        if survey.facts:
            yield _render_list(f"{escape_latex(name)}: {escape_latex(value)}" for name, value in survey.facts)
        if survey.left_out:
            out = tuple((f"{o.paper.title} ({o.paper.key})", str(o.why), o.reason) for o in survey.left_out)
            yield self._table(Table("", ("Left out", "Why", "Reason"), out, (5, 2, 5)), "", plain=True)
        if survey.warnings:
            yield _render_list(escape_latex(f"{w.kind}, {w.place}: {w.detail}") for w in survey.warnings)

    def _table(self, table: Table, caption: str, *, plain: bool = False) -> str:
        widths = table.widths if len(table.widths) == len(table.header) else (1,) * len(table.header)
        columns = "".join(
            f">{{\\raggedright\\arraybackslash}}p{{\\dimexpr {width / sum(widths):.4f}\\linewidth-2\\tabcolsep\\relax}}"
            for width in widths
        )
        cell = escape_latex if plain else self._text
        head = " & ".join(f"\\textbf{{{escape_latex(name)}}}" for name in table.header)
        # A group, since a cell may begin with a bracket, which \\ would take for its option.
        rows = "\n".join(
            f"{' & '.join(f'{{}}{cell(value)}' for value in row)} \\\\ \\addlinespace" for row in table.rows
        )
        return (
            f"{{\\footnotesize\n\\begin{{longtable}}{{{columns}}}\n{caption}"
            f"\\toprule\n{head} \\\\ \\midrule\n\\endhead\n"
            f"\\bottomrule\n\\endfoot\n{rows}\n\\end{{longtable}}}}"
        )

    def _block(self, block: Block) -> str:
        if block.is_list:
            return _render_list(self._runs(item) for item in block.items)
        return self._runs(block.items[0])

    def _text(self, text: str) -> str:
        return self._runs(parse_runs(text, self.numbers))

    def _runs(self, runs: Sequence[Run]) -> str:
        return "".join(self._cite(run.cited) if run.cited else _keep_spaces(run.text) for run in runs)

    def _cite(self, cited: Sequence[int]) -> str:
        return f"\\citep{{{','.join(self.keys[number] for number in cited)}}}"

    def _paper(self, key: PaperKey) -> Paper:
        return self.survey.references[self.numbers[key] - 1]


def _keep_spaces(text: str) -> str:
    """Escaped text with the spaces at its ends, which divide it from citations."""
    before = " " if text[:1].isspace() else ""
    after = " " if text[-1:].isspace() and text.strip() else ""
    return f"{before}{escape_latex(text)}{after}"


def _render_list(items: Iterable[str], kind: str = "itemize") -> str:
    lines = "\n".join(f"\\item {{}}{item}" for item in items)
    return f"\\begin{{{kind}}}\n{lines}\n\\end{{{kind}}}"


def _years(first: int | None, last: int | None) -> str:
    span = "--".join(str(year) for year in dict.fromkeys((first, last)) if year)
    return f", {span}" if span else ""
