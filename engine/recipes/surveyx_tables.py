"""SurveyX's tables and figures (3.2.3) as data: templates filled with values of attribute trees."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from engine.checking.doubts import Source as Evidence
from engine.checking.doubts import carries, find_doubts, is_negated, list_missing_terms
from engine.citations import cite
from engine.errors import LanguageModelError, LimitExceeded
from engine.llm.model import LanguageModel, PlainText, Request, TypedAnswer, WrittenKey
from engine.llm.prompting import fill
from engine.reading.trees.attribute_trees import AttributeValue, TreeKind
from engine.recipes.surveyx_material import Material, author_and_year
from engine.survey import Branch, CellEvidence, Citation, Section, Survey, SurveyWarning, Table, Taxonomy, Verdict, walk
from engine.text import clean, fold, shorten
from engine.values import Outline, Paper, PaperKey

LEAST_ROWS = 3
"""A comparison of fewer papers is no table (SurveyX's code)."""

MOST_ROWS = 12
BENCHMARK_ROWS = 8
"""Fewest benchmarks for a table of their own (SurveyX's code)."""

CELL_CHARACTERS = 90
MOST_COLUMNS = 4
COLUMN_SHARE = 0.5
"""A column that fewer of the papers have is left out."""

LARGE_SECTION = 3
"""A section with so many subsections gets a taxonomy of its own."""

WORKS_EACH = 3
"""Papers shown at each branch of a taxonomy."""

COLUMNS: Mapping[TreeKind, Mapping[str, str]] = {
    "method": {
        "method.description": "Approach",
        "idea.innovation": "What is new",
        "experiments.setting": "Evaluated on",
        "conclusion": "Finding",
        "discussion.limitation": "Limitation",
    },
    "benchmark": {
        "dataset.desc": "Size and form",
        "dataset.content": "Content",
        "metrics.aspect": "What it measures",
        "experiments.model": "Systems tested",
        "experiments.result": "Result",
    },
    "theory": {
        "theory.perspective": "Perspective",
        "theory.opinion": "Assumption",
        "theory.proof": "Argument",
        "conclusion": "Finding",
        "discussion.limitation": "Limitation",
    },
    "survey": {
        "background.scope": "Scope",
        "architecture.perspective": "Perspective",
        "architecture.fields/stages": "Divides the field into",
        "conclusion.results": "Main finding",
        "discussion.gaps": "Gaps",
    },
}
"""Fields that compare well, for each kind of paper, the likeliest first, and what their columns are called."""

BENCHMARK_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "Size": ("dataset.desc", "dataset.source"),
    "Domain": ("dataset.content", "problem.definition"),
    "Task": ("metrics.aspect", "problem.definition"),
    "Metric": ("metrics.procedure", "metrics.principle"),
}
"""The columns of a table of benchmarks, and the fields that may fill each, the likeliest first."""

_NAMES: Mapping[TreeKind, str] = {
    "method": "methods", "benchmark": "benchmarks", "theory": "theoretical works", "survey": "surveys",
}  # fmt: skip


class Cell(TypedAnswer):
    """One cell of a table."""

    key: WrittenKey
    column: str
    text: PlainText


class CellsAnswer(TypedAnswer):
    """The cells that the notes fill."""

    cells: list[Cell]


@dataclass(frozen=True, slots=True)
class TablePlan:
    """A table to be filled: its rows, and the fields that its columns, by their names, may be made of."""

    place: str
    caption: str
    introduction: str
    keys: tuple[PaperKey, ...]
    columns: Mapping[str, tuple[str, ...]]
    first: str = "Work"


def plan_comparison(section: Section, number: str, material: Material) -> TablePlan | None:
    """A comparison of the papers that a section cites most, of the commonest kind; ``None`` where they are too few."""
    cited = _count_cited(section)
    trees = {key: material.trees[key] for key, _ in cited.most_common() if key in material.trees}
    kinds = Counter(tree.kind for tree in trees.values())
    if not kinds:
        return None
    kind, _ = kinds.most_common(1)[0]
    keys = tuple(key for key, tree in trees.items() if tree.kind == kind)[:MOST_ROWS]
    having = {name: sum(trees[key].get(name) is not None for key in keys) for name in COLUMNS[kind]}
    chosen = [name for name, count in having.items() if count >= COLUMN_SHARE * len(keys)][:MOST_COLUMNS]
    keys = tuple(key for key in keys if any(trees[key].get(name) for name in chosen))
    if len(keys) < LEAST_ROWS or len(chosen) < 2:
        return None
    caption = f"{_NAMES[kind].capitalize()} discussed in “{section.title}”."
    said = f"{{}} compares {len(keys)} {_NAMES[kind]} of this section."
    return TablePlan(number, caption, said, keys, {COLUMNS[kind][name]: (name,) for name in chosen})


def plan_benchmarks(sections: Sequence[Section], material: Material) -> TablePlan | None:
    """The benchmarks that the survey cites, in the section that cites most of them; ``None`` under `BENCHMARK_ROWS`."""
    benchmarks = {key for key, tree in material.trees.items() if tree.kind == "benchmark"}
    counts = [Counter({key: n for key, n in _count_cited(s).items() if key in benchmarks}) for s in sections]
    keys = tuple(key for key, _ in sum(counts, Counter[PaperKey]()).most_common(2 * MOST_ROWS))
    if len(keys) < BENCHMARK_ROWS:
        return None
    place = 1 + max(range(len(counts)), key=lambda at: counts[at].total())
    said = f"{{}} lists the {len(keys)} benchmarks that this survey draws on, with their size, domain, task and metric."
    return TablePlan(str(place), "Benchmarks cited in this survey.", said, keys, BENCHMARK_COLUMNS, "Benchmark")


async def add_figures_and_tables(
    survey: Survey, outline: Outline, material: Material, model: LanguageModel, warnings: list[SurveyWarning]
) -> Survey:
    """The survey with a taxonomy of the field and of each large section, comparisons, and a table of benchmarks."""
    body = {node.title for node in outline.nodes if node.role == "body"}
    numbered = [(str(i), section) for i, section in enumerate(survey.sections, start=1)]
    plans = [plan_comparison(section, number, material) for number, section in numbered if section.title in body]
    async with asyncio.TaskGroup() as tasks:
        made = [
            (plan.place, tasks.create_task(fill_table(model, plan, material, warnings)))
            for plan in (*plans, plan_benchmarks(survey.sections, material))
            if plan
        ]
    sections = []
    for number, section in numbered:
        own = [task.result() for place, task in made if place == number]
        drawn = field_taxonomy(survey) if number == "1" else section_taxonomy(section, material.papers)
        figures = ((drawn,) if drawn else ()) + section.figures
        sections.append(replace(section, tables=(*section.tables, *own), figures=figures))
    return replace(survey, sections=tuple(sections))


async def fill_table(model: LanguageModel, plan: TablePlan, material: Material, warnings: list[SurveyWarning]) -> Table:
    """The table with every cell traced to its paper."""
    listed = "\n".join(f"- {column} (from {', '.join(names)})" for column, names in plan.columns.items())
    fields = {name for names in plan.columns.values() for name in names}
    prompt = fill("surveyx/cells", columns=listed, papers=material.notes(plan.keys, fields))
    tokens = 40 * len(plan.keys) * len(plan.columns) + 512
    cells: dict[tuple[PaperKey, str], str] = {}
    try:
        request = Request("extraction", f"cells/{plan.place}/{plan.first}", prompt, tokens, 0.0)
        answer = await model.answer_typed(request, CellsAnswer)
        cells = {(cell.key, cell.column.strip()): clean(cell.text).rstrip(".") for cell in answer.cells}
    except (LanguageModelError, LimitExceeded) as error:
        warnings.append(SurveyWarning("unfinished", plan.caption, f"cells not shortened: {error}"))
    rows: list[tuple[str, ...]] = []
    evidence: list[CellEvidence] = []
    for at, key in enumerate(plan.keys):
        paper, tree = material.papers[key], material.trees[key]
        row = [f"{work_name(paper)} {cite([key])}"]
        for column, names in plan.columns.items():
            if not (value := next(filter(None, map(tree.get, names)), None)):
                row.append("–")
                continue
            text, verdict = _word_cell(cells.get((key, column), ""), value, paper)
            evidence.append(CellEvidence(at, len(row), Citation(key, value.quote, verdict, value.level, value.page)))
            row.append(text)
        rows.append(tuple(row))
    header = (plan.first, *plan.columns)
    return Table(plan.caption, header, tuple(rows), introduction=plan.introduction, evidence=tuple(evidence))


def _word_cell(said: str, value: AttributeValue, paper: Paper) -> tuple[str, Verdict]:
    """What the model made of the value, or else the value, cut at a word; the paper's words where those do not bear it.

    A figure stands in the value's own words only. Figures, names, terms and denials have to be in the sentences behind
    the value.
    """
    is_own = fold(said) in fold(value.text) or not any(map(str.isdigit, said))
    is_held = said and len(said) <= CELL_CHARACTERS and is_own and carries(said, value.quote, value.text)
    text = said if is_held else shorten(value.text, CELL_CHARACTERS).rstrip(".")
    bare = text.rstrip("…")
    source = Evidence(value.quote, (replace(paper, abstract=value.quote, summary="", body=()),))
    is_turned = is_negated(bare) != is_negated(value.quote)
    if not (is_turned or list_missing_terms(bare, f"{paper.title}. {value.quote}") or find_doubts(bare, source)):
        return text, "supported"
    words = shorten(value.quote, CELL_CHARACTERS).rstrip(".")
    return (words, "summarised") if value.level == "summary" else (f"“{words}”", "quoted")


def field_taxonomy(survey: Survey) -> Taxonomy | None:
    """The survey's sections and subsections as a tree; ``None`` where nothing is divided."""
    divided = [section for section in survey.sections if section.sections]
    if len(divided) < 2:
        return None
    branches = tuple(Branch(s.title, children=tuple(Branch(part.title) for part in s.sections)) for s in divided)
    caption, said = "How this survey divides the field.", "{} shows how this survey divides the field."
    return Taxonomy(caption, Branch(survey.title, children=branches), said)


def section_taxonomy(section: Section, papers: Mapping[PaperKey, Paper]) -> Taxonomy | None:
    """The subsections of a large section with the works that each cites most; ``None`` for a small one."""
    if len(section.sections) < LARGE_SECTION:
        return None
    branches = []
    for part in section.sections:
        counts = {key: count for key, count in _count_cited(part).items() if key in papers}
        best = sorted(counts, key=lambda key: (-counts[key], -(papers[key].citations or 0)))[:WORKS_EACH]
        branches.append(Branch(part.title, children=tuple(Branch(work_name(papers[key]), key) for key in best)))
    caption = f"Lines of work in “{section.title}”, with the works discussed most."
    root = Branch(section.title, children=tuple(branches))
    return Taxonomy(caption, root, "{} gives an overview of the lines of work in this section.")


def _count_cited(section: Section) -> Counter[PaperKey]:
    parts = (part for _, part in walk((section,)))
    return Counter(citation.key for part in parts for claim in part.claims for citation in claim.citations)


def work_name(paper: Paper) -> str:
    """What a work is called in a table: the name before its title's colon, else first author and year."""
    head, colon, _ = clean(paper.title).partition(":")
    is_name = bool(colon) and len(head.split()) <= 3 and any(ch.isupper() for ch in head)
    return head if is_name else author_and_year(paper)
