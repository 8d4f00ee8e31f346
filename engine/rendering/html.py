"""A survey as one HTML file that needs nothing else: contents, linked citations, figures."""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from engine.citations import numbers, reference_text, replace_citations
from engine.rendering.figures import svg
from engine.rendering.markdown import describe_search
from engine.survey import Figure, Survey, walk
from engine.text import clean
from engine.values import PaperKey


def html(survey: Survey) -> str:
    """The document; text from papers is escaped by the template engine and cannot become markup."""
    known = numbers(survey)
    references = {paper.key: clean(reference_text(paper)) for paper in survey.references}

    def inline(text: str) -> Markup:
        def links(keys: tuple[PaperKey, ...]) -> str:
            ordered = sorted(keys, key=lambda k: known[k])
            anchors = [
                Markup('<a class="cite" href="#ref-{0}" data-reference="{1}">{0}</a>').format(known[k], references[k])
                for k in ordered
            ]
            return Markup("[{}]").format(Markup(", ").join(anchors))

        return Markup(replace_citations(clean(text), links, lambda plain: str(escape(plain))))

    def blocks(text: str) -> list[tuple[str, list[Markup]]]:
        found = []
        for block in text.split("\n\n"):
            lines = block.split("\n")
            if all(line.startswith("- ") for line in lines):
                found.append(("list", [inline(line[2:]) for line in lines]))
            else:
                found.append(("paragraph", [inline(block)]))
        return found

    environment = Environment(
        loader=PackageLoader("engine.rendering"), autoescape=True, undefined=StrictUndefined, finalize=_clean_value
    )
    return environment.get_template("survey.html.j2").render(
        survey=survey,
        sections=[(number, section, number.count(".")) for number, section in walk(survey.sections)],
        references=[(known[p.key], p, reference_text(p)) for p in survey.references],
        inline=inline,
        blocks=blocks,
        given=describe_search,
        drawn=_draw_inline,
    )


def _clean_value(value: object) -> object:
    """Text without control characters; what is markup already stays."""
    return clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _draw_inline(figure: Figure) -> Markup:
    return Markup(svg(figure))  # drawn by us; its labels are paths
