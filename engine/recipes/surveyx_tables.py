"""SurveyX's tables and figures (3.2.3) as data: templates filled with values of attribute trees.

A model shortens values to cells, each is held against the words it comes from, and our renderers draw: nothing that a
model wrote is ever run.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from engine.checking.doubts import Source as Evidence
from engine.checking.doubts import carries, find_doubts, is_negated
from engine.checking.terms_held import list_missing_terms
from engine.citations import cite, list_cited_keys
from engine.errors import LanguageModelError, LimitExceeded
from engine.llm.model import LanguageModel, PlainText, Request, TypedAnswer
from engine.llm.prompting import fill
from engine.reading.trees.attribute_trees import AttributeTree, AttributeValue, TreeKind
from engine.recipes.surveyx_material import Material, author_and_year
from engine.survey import Branch, CellEvidence, Citation, Section, Survey, SurveyWarning, Table, Taxonomy, Verdict, walk
from engine.text import clean, fold, list_words, shorten
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

PHRASES: Mapping[str, str] = {
    "Approach": "their approach",
    "What is new": "what is new in them",
    "Evaluated on": "how they were evaluated",
    "Finding": "what was found",
    "Limitation": "where they fall short",
    "Size and form": "their size and form",
    "Content": "their content",
    "What it measures": "what they measure",
    "Systems tested": "the systems tested",
    "Result": "the results",
    "Perspective": "their perspective",
    "Assumption": "what they assume",
    "Argument": "how they argue",
    "Scope": "their scope",
    "Divides the field into": "how they divide the field",
    "Main finding": "their main findings",
    "Gaps": "the gaps they see",
}
"""Columns in a sentence: “Table 2 compares 5 methods of this section: their approach and what was found.”"""

BENCHMARK_COLUMNS: Mapping[str, Sequence[str]] = {
    "Size": ("dataset.desc", "dataset.source"),
    "Domain": ("dataset.content", "problem.definition"),
    "Task": ("metrics.aspect", "problem.definition"),
    "Metric": ("metrics.procedure", "metrics.principle"),
}
"""The columns of a table of benchmarks, and the fields that may fill each."""

_NAMES: Mapping[TreeKind, str] = {
    "method": "methods", "benchmark": "benchmarks", "theory": "theoretical works", "survey": "surveys",
}  # fmt: skip


class Cell(TypedAnswer):
    """One cell of a table."""

    key: str
    column: str
    text: PlainText


class CellsAnswer(TypedAnswer):
    """The cells that the notes fill."""

    cells: list[Cell]


@dataclass(frozen=True, slots=True)
class TablePlan:
    """A table to be filled: its rows, and for each column the values a cell may be made of."""

    place: str
    caption: str
    introduction: str
    first: str
    keys: tuple[PaperKey, ...]
    columns: tuple[tuple[str, tuple[str, ...]], ...]


def plan_comparison(section: Section, number: str, material: Material) -> TablePlan | None:
    """A comparison of the papers that a section cites most, of the kind that most of them are; ``None`` where too few.

    Its columns are the fields that most of them have.
    """
    counts = Counter(
        key for _, part in walk((section,)) for claim in part.claims for c in claim.citations for key in [c.key]
    )
    trees = {key: material.trees[key] for key, _ in counts.most_common() if key in material.trees}
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
    by = list_words(PHRASES[COLUMNS[kind][name]] for name in chosen)
    return TablePlan(
        number,
        f"{_NAMES[kind].capitalize()} discussed in “{section.title}”.",
        f"{{}} compares {len(keys)} {_NAMES[kind]} of this section: {by}.",
        "Work",
        keys,
        tuple((COLUMNS[kind][name], (name,)) for name in chosen),
    )


def plan_benchmarks(sections: Sequence[Section], material: Material) -> TablePlan | None:
    """The benchmarks that the survey cites, in the section that cites most of them; ``None`` under `BENCHMARK_ROWS`."""
    found: Counter[PaperKey] = Counter()
    places: Counter[str] = Counter()
    for number, part in walk(tuple(sections)):
        for key in list_cited_keys(part.text):
            tree = material.trees.get(key)
            if tree and tree.kind == "benchmark":
                found[key] += 1
                places[number.partition(".")[0]] += 1
    if len(found) < BENCHMARK_ROWS:
        return None
    keys = tuple(key for key, _ in found.most_common(2 * MOST_ROWS))
    return TablePlan(
        places.most_common(1)[0][0],
        "Benchmarks cited in this survey.",
        f"{{}} lists the {len(keys)} benchmarks that this survey draws on, with their size, domain, task and metric.",
        "Benchmark",
        keys,
        tuple((name, tuple(fields)) for name, fields in BENCHMARK_COLUMNS.items()),
    )


async def add_figures_and_tables(
    survey: Survey, outline: Outline, material: Material, model: LanguageModel, warnings: list[SurveyWarning]
) -> Survey:
    """The survey with a taxonomy of the field and of each large section, comparisons, and a table of benchmarks."""
    body = {node.title for node in outline.nodes if node.role == "body"}
    plans = [
        plan_comparison(section, str(i), material)
        for i, section in enumerate(survey.sections, start=1)
        if section.title in body
    ]
    plans.append(plan_benchmarks(survey.sections, material))
    async with asyncio.TaskGroup() as tasks:
        made = [tasks.create_task(fill_table(model, plan, material, warnings)) for plan in plans if plan]
    tables: dict[str, list[Table]] = {}
    for plan, task in zip((plan for plan in plans if plan), made, strict=True):
        tables.setdefault(plan.place, []).append(task.result())
    field_tree = field_taxonomy(survey.title, survey.sections)
    sections = []
    for i, section in enumerate(survey.sections, start=1):
        figures = [field_tree] if i == 1 else [section_taxonomy(section, material.papers)]
        sections.append(
            replace(
                section,
                tables=(*section.tables, *tables.get(str(i), ())),
                figures=(*(figure for figure in figures if figure), *section.figures),
            )
        )
    return replace(survey, sections=tuple(sections))


async def fill_table(model: LanguageModel, plan: TablePlan, material: Material, warnings: list[SurveyWarning]) -> Table:
    """The table with every cell traced to its paper.

    A cell that the notes do not bear is the value, cut short; where a program sees in either what the paper does not
    say, it is the paper's own words.
    """
    fields = {name for _, names in plan.columns for name in names}
    prompt = fill(
        "surveyx/cells",
        columns="\n".join(f"- {name} (from {', '.join(names)})" for name, names in plan.columns),
        papers=material.notes(plan.keys, fields),
    )
    cells: dict[tuple[str, str], str] = {}
    try:
        request = Request(
            "extraction", f"cells/{plan.place}/{plan.first}", prompt, 40 * len(plan.keys) * len(plan.columns) + 512, 0.0
        )
        answer = await model.answer_typed(request, CellsAnswer)
        cells = {(cell.key, cell.column.strip()): clean(cell.text).rstrip(".") for cell in answer.cells}
    except (LanguageModelError, LimitExceeded) as error:
        warnings.append(SurveyWarning("unfinished", plan.caption, f"cells not shortened: {error}"))
    rows: list[tuple[str, ...]] = []
    evidence: list[CellEvidence] = []
    for at, key in enumerate(plan.keys):
        row = [f"{work_name(material.papers[key])} {cite([key])}"]
        for column, (name, names) in enumerate(plan.columns, start=1):
            value = _value(material.trees[key], names)
            if not value:
                row.append("–")
                continue
            text = _cell(cells.get((key, name), ""), value)
            verdict: Verdict = "supported"
            if _is_doubted(text, value, material.papers[key]):
                text, verdict = _quote(value), "summarised" if value.level == "summary" else "quoted"
            row.append(text)
            evidence.append(CellEvidence(at, column, Citation(key, value.quote, verdict, value.level, value.page)))
        rows.append(tuple(row))
    header = (plan.first, *(name for name, _ in plan.columns))
    return Table(plan.caption, header, tuple(rows), introduction=plan.introduction, evidence=tuple(evidence))


def _value(tree: AttributeTree, names: Sequence[str]) -> AttributeValue | None:
    return next((value for name in names if (value := tree.get(name))), None)


def _cell(said: str, value: AttributeValue) -> str:
    """What the model made of the value, with a figure only in the value's own words; else the value, cut at a word."""
    is_own = fold(said) in fold(value.text) or not any(map(str.isdigit, said))
    if said and len(said) <= CELL_CHARACTERS and is_own and carries(said, value.quote, value.text):
        return said
    return shorten(value.text, CELL_CHARACTERS).rstrip(".")


def _is_doubted(cell: str, value: AttributeValue, paper: Paper) -> bool:
    """Whether the cell has a figure, a name or a term that the sentences behind it lack, or denies otherwise."""
    said, words = cell.rstrip("…"), f"{paper.title}. {value.quote}"
    source = Evidence(value.quote, (replace(paper, abstract=value.quote, summary="", body=()),))
    is_turned = is_negated(said) != is_negated(value.quote)
    return is_turned or bool(list_missing_terms(said, words) or find_doubts(said, source))


def _quote(value: AttributeValue) -> str:
    """The paper's words behind the value, cut short; those of a summary are nobody's."""
    words = shorten(value.quote, CELL_CHARACTERS).rstrip(".")
    return words if value.level == "summary" else f"“{words}”"


def field_taxonomy(title: str, sections: Sequence[Section]) -> Taxonomy | None:
    """The survey's sections and subsections as a tree; ``None`` where nothing is divided."""
    branches = tuple(
        Branch(section.title, children=tuple(Branch(part.title) for part in section.sections))
        for section in sections
        if section.sections
    )
    if len(branches) < 2:
        return None
    return Taxonomy(
        "How this survey divides the field.",
        Branch(title, children=branches),
        "{} shows how this survey divides the field.",
    )


def section_taxonomy(section: Section, papers: Mapping[PaperKey, Paper]) -> Taxonomy | None:
    """The subsections of a large section with the works that each cites most; ``None`` for a small one."""
    if len(section.sections) < LARGE_SECTION:
        return None
    branches = tuple(Branch(part.title, children=_works(part, papers)) for part in section.sections)
    return Taxonomy(
        f"Lines of work in “{section.title}”, with the works discussed most.",
        Branch(section.title, children=branches),
        "{} gives an overview of the lines of work in this section.",
    )


def _works(part: Section, papers: Mapping[PaperKey, Paper]) -> tuple[Branch, ...]:
    counts = Counter(c.key for claim in part.claims for c in claim.citations if c.key in papers)
    best = sorted(counts, key=lambda key: (-counts[key], -(papers[key].citations or 0)))[:WORKS_EACH]
    return tuple(Branch(work_name(papers[key]), key) for key in best)


def work_name(paper: Paper) -> str:
    """What a work is called in a table: the name before its title's colon, else first author and year."""
    head, colon, _ = clean(paper.title).partition(":")
    is_name = bool(colon) and len(head.split()) <= 3 and any(ch.isupper() for ch in head)
    return head if is_name else author_and_year(paper)
