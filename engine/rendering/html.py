"""A survey as one HTML file that needs nothing else: a reading map of its field, readable without scripts."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from importlib import resources

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from engine.citations import numbers
from engine.rendering.document import (
    Run,
    describe_search,
    find_citing_sections,
    group_titles,
    list_section_parts,
    parse_blocks,
    parse_runs,
    quotes_by_paper,
)
from engine.rendering.figures.drawing import PaperLink
from engine.rendering.figures.pictures import svg
from engine.survey import Survey
from engine.text import clean

QUOTES_SHOWN = 3
"""Quotations on a paper's card; more of them are in the text."""

SORTABLE_ROWS = 4
"""Rows from which a table is sorted and filtered."""


def html(survey: Survey) -> str:
    """The document; text from papers is escaped by the template engine and cannot become markup."""
    known = numbers(survey)
    links = {
        p.key: PaperLink(f"#ref-{known[p.key]}", f"{clean(p.title)} ({p.year or 'no year'})") for p in survey.references
    }
    environment = Environment(
        loader=PackageLoader("engine.rendering"), autoescape=True, undefined=StrictUndefined, finalize=_clean_value,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    # A style attribute would be refused by the page's own policy, so widths are classes.
    style = _asset("page.css") + "".join(f".w{n}{{width:{n}%}}" for n in range(1, 101))
    script = _asset("page.js")
    titles = group_titles(survey)
    return environment.get_template("page.html.j2").render(
        survey=survey,
        style=Markup(style),
        script=Markup(script),
        style_hash=_hash(style),
        script_hash=_hash(script),
        parts=list(list_section_parts(survey)),
        reasons={start.key: start.reason for start in survey.overview.start} if survey.overview else {},
        places=find_citing_sections(survey),
        quotes=quotes_by_paper(survey),
        most_quotes=QUOTES_SHOWN,
        numbers=known,
        sortable=SORTABLE_ROWS,
        parse_blocks=lambda text: parse_blocks(text, known),
        parse_runs=lambda text: parse_runs(text, known),
        inline=_inline,
        describe_search=describe_search,
        draw=lambda figure: Markup(svg(figure, links, titles)),  # drawn by us; its labels are escaped
    )


def _inline(runs: Sequence[Run]) -> Markup:
    """Text escaped, citations as links to the references."""
    return Markup("").join(_citation(run.cited) if run.cited else escape(run.text) for run in runs)


def _citation(cited: Sequence[int]) -> Markup:
    links = Markup(", ").join(Markup('<a class="cite" href="#ref-{0}">{0}</a>').format(number) for number in cited)
    return Markup('<span class="cites">[{}]</span>').format(links)


def _clean_value(value: object) -> object:
    """Text without control characters; what is markup already stays."""
    return clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _asset(name: str) -> str:
    return resources.files("engine.rendering").joinpath(f"templates/{name}").read_text(encoding="utf-8")


def _hash(content: str) -> str:
    """As the content security policy names the one style and the one script that may take effect."""
    return base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
