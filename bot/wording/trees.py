"""An attribute tree as a person reads it: field by field, with the paper's words behind each."""

from __future__ import annotations

from engine.errors import UserError
from engine.reading.attribute_trees import AttributeTree, AttributeValue
from engine.rendering.markdown import escape_markdown
from engine.session.state import State
from engine.text import clean, shorten
from engine.values import Paper

QUOTE_CHARACTERS = 240


def find_paper(state: State, number: str) -> Paper:
    """The paper of that number: among the references of a survey, before that in the list of papers.

    Raises `UserError` where there is none.
    """
    place = int(number)
    papers = (
        state.survey.references if state.survey else tuple(f.paper for f in state.papers.found) if state.papers else ()
    )
    if not papers:
        raise UserError("There are no papers yet. Name a topic first.")
    if not 1 <= place <= len(papers):
        what = "references are" if state.survey else "papers are"
        raise UserError(f"There is no paper {place}; the {what} numbered 1 to {len(papers)}.")
    return papers[place - 1]


def show_tree(paper: Paper, tree: AttributeTree | None) -> str:
    """The paper's attributes; a field that it says nothing about is named at the end."""
    title = escape_markdown(clean(paper.title))
    if tree is None:
        return f"No attribute tree of “{title}” was made: `recipe=surveyx` makes those of the full texts that it reads."
    known = list(tree.list_known())
    lines = [f"- **{name}**: {escape_markdown(value.text)}\n  {_place(value)}" for name, value in known]
    missing = [name for name, value in tree.values if value is None]
    silent = f"\n\nNot said in its {tree.level}: {', '.join(missing)}." if missing else ""
    head = f"**{title}** is a {tree.kind} paper. This was read from its {tree.level}:"
    return "\n".join([head, "", *lines]) + silent


def _place(value: AttributeValue) -> str:
    """The sentence behind a value, and where it stands."""
    where = ", ".join(part for part in (value.section, f"page {value.page}" if value.page else "") if part)
    words = escape_markdown(shorten(value.quote, QUOTE_CHARACTERS))
    # A summary is not the authors' words.
    said = f"Summary: {words}" if value.level == "summary" else f"“{words}”"
    return f"{said} ({escape_markdown(where)})" if where else said
