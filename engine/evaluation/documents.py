"""Anybody's survey as a `Document`: our own, or Markdown or HTML with headings, citations and a list of references."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Literal

from markdown_it import MarkdownIt

from engine.citations import list_cited_keys, number_ranges, numbers, read_ranges, reference_text, replace_citations
from engine.errors import UserError
from engine.evaluation.html_lines import IMAGE, NUMBERED, read_lines, round_brackets
from engine.reading import page_layout
from engine.reading.full_text import titles_of
from engine.reading.pdf_text import read_pdf
from engine.reading.section_headings import divide
from engine.rendering.files import from_json
from engine.survey import Survey, walk
from engine.text import bound_runs, fold, sentences
from engine.values import PaperKey

Style = Literal["numbered", "author and year", "none"]

LARGEST_BYTES = 50 * 2**20
SURVEY_ENDINGS = frozenset((".md", ".markdown", ".html", ".htm", ".json", ".pdf"))


@dataclass(frozen=True, slots=True)
class Reference:
    """An entry of the list of references: the name it is cited by, its text, and its title where that is known."""

    name: str
    text: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """A heading with the text below it, up to the next heading; ``level`` 1 is a section."""

    title: str
    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Document:
    """A survey as a reader has it. ``parts`` are in reading order, without the list of references."""

    title: str
    parts: tuple[Part, ...]
    references: tuple[Reference, ...]
    style: Style
    figures: int = 0
    tables: int = 0
    problems: tuple[str, ...] = ()
    in_tables: frozenset[str] = frozenset()
    """Names of the references that tables cite; ``parts`` hold no tables."""

    def text(self) -> str:
        """All text without headings, references and markers of citations."""
        return "\n\n".join(text for text in self.part_texts() if text)

    def part_texts(self) -> tuple[str, ...]:
        """The text of each part without markers of citations, whose length differs from style to style."""
        return tuple(_extract_markers(part.text, self.style)[1] for part in self.parts)

    def headings(self) -> tuple[str, ...]:
        """All headings, without the title and without their numbers."""
        return tuple(_bare(part.title) for part in self.parts if part.title)


@dataclass(frozen=True, slots=True)
class CitedClaim:
    """A sentence with at least one citation (AutoSurvey: claim), without its markers; ``part`` counts from 0."""

    text: str
    names: tuple[str, ...]
    part: int


LEAST_WORDS = 50
"""Words under headings from which a text is taken for a survey."""
_REFERENCES = re.compile(
    r"^(?:\d+[.)]?\s*)?(?:references?|bibliography|works cited|literature cited|sources)\s*:?$", re.I
)
_ENTRY = re.compile(r"\[(\d{1,4})\](?=\s|$)")
_LISTED_ENTRY = re.compile(r"^[ \t]*(\d{1,4})[.)](?=\s)", re.M)
_XML_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_YEAR = r"(?:19|20)\d{2}[a-z]?"
_IN_BRACKETS = re.compile(rf"\(([^()]*?\b{_YEAR}\b[^()]*)\)")
_ONE_WORK = re.compile(rf"([A-ZÀ-Þ][\w'’-]+)(?:\s+et\s+al\.?|(?:\s*(?:,|&|and)\s*[A-ZÀ-Þ][\w'’.-]*)*)?,?\s+({_YEAR})")
_NARRATIVE = re.compile(rf"\b([A-ZÀ-Þ][\w'’-]+)(?:\s+et\s+al\.?|\s+(?:and|&)\s+[A-ZÀ-Þ][\w'’-]+)?\s*\(({_YEAR})\)")
_TABLE = re.compile(r"<table>.*?</table>", re.S)
_NOISE = re.compile(rf"{_TABLE.pattern}|{re.escape(IMAGE)}|\$\$.*?\$\$", re.S)
_ESCAPED_BRACKETS = re.compile(r"\\\[([^\[\]\\]*)\\\]")
_MARKDOWN = MarkdownIt("commonmark", {"breaks": True}).enable("table").disable(["reference", "code", "lheading"])

FEWEST_READ = 5
"""A survey in which fewer citations can be read has no readable citations."""


def from_survey(survey: Survey) -> Document:
    """Our own survey, cited by numbers as in its files; brackets with numbers that cite nothing become round."""
    known, sections = numbers(survey), list(walk(survey.sections))

    def number(keys: Sequence[PaperKey]) -> str:
        return f"[{number_ranges(known[key] for key in keys if key in known)}]"

    parts = tuple(
        Part(f"{place} {s.title}", place.count(".") + 1, replace_citations(s.text, number, round_brackets))
        for place, s in sections
    )
    references = tuple(
        Reference(str(known[p.key]), " ".join(f"{reference_text(p)} {p.url} {p.key}".split()), p.title)
        for p in survey.references
    )
    tables, figures = [table for _, s in sections for table in s.tables], sum(len(s.figures) for _, s in sections)
    cells = (cell for table in tables for row in table.rows for cell in row)
    in_tables = frozenset(str(known[key]) for cell in cells for key in list_cited_keys(cell) if key in known)
    return Document(survey.title, parts, references, "numbered", figures, len(tables), in_tables=in_tables)


def from_markdown(text: str) -> Document:
    """A survey in Markdown, where escaped brackets cite nothing. Raises `UserError` without text under a heading."""
    return from_html("<main>" + _MARKDOWN.render(_ESCAPED_BRACKETS.sub(r"(\1)", text)) + "</main>")


def from_html(page: str) -> Document:
    """A survey as an HTML page, its references a list or numbered like [1]; else as `from_markdown`."""
    lines = read_lines(unicodedata.normalize("NFC", _XML_DECLARATION.sub("", page)))
    title, parts, listed = _divide_document([(level, bound_runs(line)) for level, line in lines])
    if sum(len(part.text.split()) for part in parts) < LEAST_WORDS:
        raise UserError(
            f"This is no survey I can read: it has fewer than {LEAST_WORDS} words under headings (in Markdown # …, in "
            "HTML <h2>)."
        )
    body = "\n\n".join(part.text for part in parts)
    style = _find_style(body)
    tables = _TABLE.findall(body)
    in_tables = frozenset(_extract_markers(" ".join(tables), style)[0])
    references = _entries(listed, style)
    document = Document(title, parts, references, style, body.count(IMAGE), len(tables), in_tables=in_tables)
    cited = {name for claim in claims(document) for name in claim.names}
    unknown = cited - {r.name for r in references}
    if style == "author and year" and len(unknown) > len(cited) / 2:
        # Years in brackets that have nothing to do with the list of references.
        document, unknown = replace(document, style="none"), set()
    return replace(document, problems=tuple(_problems(document, listed, unknown)))


def _problems(document: Document, listed: str, unknown: set[str]) -> Iterator[str]:
    if not listed:
        yield "There is no list of references under a heading such as “References”."
    elif not document.references:
        yield "The list of references could not be divided into entries; none is numbered like [1] or 1."
    if document.style == "none":
        yield (
            "No citations could be read: there is no [1] or (Author, 2020) that belongs to the list of "
            "references; bare numbers are not taken for citations."
        )
    if unknown:
        shown = ", ".join(sorted(unknown)[:5])
        yield f"{len(unknown)} cited names have no entry in the list of references, for example {shown}."


def _divide_document(lines: Sequence[tuple[int, str]]) -> tuple[str, tuple[Part, ...], str]:
    """Title, parts, and the text of the list of references."""
    title, listed = "", ""
    rows: list[tuple[str, int, list[str]]] = [("", 1, [])]
    in_references = False
    for level, line in lines:
        if level:
            in_references = bool(_REFERENCES.match(line))
            if in_references:
                listed = ""  # the last list counts
            elif not title and len(rows) == 1:
                title = line
            else:
                rows.append((line, level, []))
        elif in_references:
            listed += line + "\n"
        else:
            rows[-1][2].append(line)
    levels = sorted(level for name, level, _ in rows if name)
    # A second title above all sections is no section.
    top = next((level for level in dict.fromkeys(levels) if levels.count(level) > 1), levels[0] if levels else 1)
    parts = tuple(
        Part(name, max(1, level - top + 1), "\n".join(lines).strip())
        for name, level, lines in rows
        if name or "\n".join(lines).strip()
    )
    return title, parts, listed


def _find_style(body: str) -> Style:
    counts: dict[int, Style] = {
        sum(1 for _ in _works(body)): "author and year",
        len(NUMBERED.findall(body)): "numbered",  # where both are alike
    }
    return counts[max(counts)] if max(counts) >= FEWEST_READ else "none"


def _entries(listed: str, style: Style) -> tuple[Reference, ...]:
    if style != "author and year":
        _, *entries = (_ENTRY if _ENTRY.search(listed) else _LISTED_ENTRY).split(listed)
        texts = {name: " ".join(text.split()) for name, text in zip(entries[::2], entries[1::2], strict=True)}
        if texts:
            return tuple(Reference(name, text, _title_of(text)) for name, text in texts.items() if text)
    works: dict[str, Reference] = {}
    for line in listed.splitlines():
        year = re.search(rf"\b({_YEAR})\b", line)
        if year and re.match(r"\W*[A-ZÀ-Þ][\w'’-]", line) and (surname := _first_surname(line)):
            key = f"{fold(surname)} {year[1]}"
            works.setdefault(key, Reference(key, " ".join(line.split()), _title_of(line)))
    return tuple(works.values())


def _first_surname(line: str) -> str:
    """``Zhang`` of "Yue Zhang, Yafu Li, …", of "Zhang, Y., Li, Z." and of "Y. Zhang. 2022."."""
    first = re.split(rf",|\band\b|&|\(?{_YEAR}", line.strip(" -*"))[0]
    words = [word.strip(".") for word in first.split() if len(word.strip(".")) > 1]
    return words[-1] if words and len(words) <= 5 else ""


def _title_of(text: str) -> str:
    """The title in a reference: what is quoted, or stands behind the year or the authors; without a year, all of it."""
    bare = re.sub(r"\[(https?://[^\]]+)\]\([^)]*\)|https?://\S+|<[^>]*>", " ", text)
    bare = " ".join(bare.split()).strip(" .")
    if quoted := re.search(r"[“\"]([^”\"]{15,})[”\"]", bare):
        return quoted[1].strip(" .,")
    pieces = re.split(r"(?<=[^A-Z\s][.?!])\s+", bare)
    if len(pieces) < 2 or not re.search(_YEAR, text):
        return bare
    after_year = next((b for a, b in pairwise(pieces) if re.fullmatch(rf"\(?{_YEAR}\)?\.?", a)), "")
    # No authors are named where the venue comes second.
    return (after_year or pieces[0 if re.search(_YEAR, pieces[1]) else 1]).strip(" .")


def claims(document: Document) -> tuple[CitedClaim, ...]:
    """Every sentence with at least one citation, in reading order."""
    found = []
    for at, part in enumerate(document.parts):
        prose = _NOISE.sub(" ", part.text)
        for block in re.split(r"\n\s*\n", prose):
            for sentence in _sentences(" ".join(block.split()), document.style):
                names, bare = _extract_markers(sentence, document.style)
                if names and len(bare.split()) > 2:
                    found.append(CitedClaim(bare, names, at))
    return tuple(found)


def _sentences(block: str, style: Style) -> list[str]:
    """Sentences; a marker that stands after the full stop belongs to the sentence before it."""
    if style == "numbered":
        block = re.sub(r"([.!?])\s*((?:\[\d[\d\s,;–—-]*\]\s*)+)(?=[A-Z]|$)", r" \2\1 ", block)
    return sentences(block)


def _extract_markers(sentence: str, style: Style) -> tuple[tuple[str, ...], str]:
    """Names cited in a sentence, each once, and the sentence without its markers."""
    match style:
        case "numbered":
            names = dict.fromkeys(str(n) for m in NUMBERED.finditer(sentence) for n in read_ranges(m[1]))
            bare = NUMBERED.sub("", sentence)
        case "author and year":
            names = dict.fromkeys(_works(sentence))
            bare = _IN_BRACKETS.sub(lambda m: "" if _ONE_WORK.search(m[1]) else m[0], sentence)
        case "none":
            return (), sentence
    return tuple(names), re.sub(r"\s+([.,;:!?])", r"\1", " ".join(bare.split()))


def _works(text: str) -> Iterator[str]:
    in_brackets = (work for match in _IN_BRACKETS.finditer(text) for work in _ONE_WORK.finditer(match[1]))
    for work in (*in_brackets, *_NARRATIVE.finditer(text)):
        yield f"{fold(work[1])} {work[2]}"


def _bare(heading: str) -> str:
    return re.sub(r"^(?:\d+(?:\.\d+)*\.?|[A-Z]\.|[IVX]+\.)\s+", "", heading).strip(" *")


def list_surveys(folder: Path) -> list[Path]:
    """The surveys of one system, by topic; raises `UserError` where there is no such folder."""
    if not folder.is_dir():
        raise UserError(f"{folder} is no folder. To compare, name folders with one file for each topic.")
    return sorted(p for p in folder.iterdir() if p.suffix.lower() in SURVEY_ENDINGS)


def list_systems(folders: Iterable[Path]) -> dict[str, list[Path]]:
    """The surveys of each folder by its name, which is a system's.

    Raises `UserError` where two folders are called the same, and where none has a survey.
    """
    systems: dict[str, list[Path]] = {}
    for folder in folders:
        if folder.name in systems:
            raise UserError(f"Two folders are called “{folder.name}”, which names a system here. Rename one of them.")
        systems[folder.name] = list_surveys(folder)
    if not any(systems.values()):
        raise UserError("There is no survey (.md, .html, .json or .pdf) in these folders.")
    return systems


def read_document(path: Path) -> Document:
    """A survey from our own ``.json``, from Markdown or HTML, or from the text of a PDF; raises `UserError`."""
    try:
        if path.stat().st_size > LARGEST_BYTES:
            raise UserError(f"{path.name} is larger than {LARGEST_BYTES // 2**20} MB.")
        content = path.read_bytes()
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror or error}.") from error
    if path.suffix.lower() == ".json":
        return from_survey(from_json(content))
    if path.suffix.lower() == ".pdf":
        return from_markdown(_text_of_pdf(path.name, content))
    read = from_html if path.suffix.lower() in {".html", ".htm"} else from_markdown
    try:
        return read(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise UserError(f"{path.name} is not text in UTF-8.") from error


def _text_of_pdf(name: str, content: bytes) -> str:
    """The text of a PDF with its headings marked; a scanned or encrypted one is refused."""
    pdf = read_pdf(name, content)
    lines = page_layout.read_lines(pdf)
    read = [f"# {next(iter(titles_of(pdf)), name)}"]
    for heading, said in divide(lines, page_layout.measure_text(lines)):
        read += [f"\n## {heading}\n" if heading else "", *(line.text for line in said)]
    return "\n".join(read)
