"""One paper or one planned section, looked at before there is a text."""

from __future__ import annotations

from bot.wording.proposals import name_paper, paper_line
from bot.wording.sentences import pluralize
from bot.wording.survey import link
from engine.errors import UserError
from engine.rendering.markdown import escape_markdown
from engine.session.outline_edits import node_at
from engine.text import clean, shorten
from engine.values import Outline, PaperSelection

ABSTRACT_CHARACTERS = 1_200
SHOWN_PAPERS = 15


def word_paper(selection: PaperSelection, number: int) -> str:
    """A paper of the list, with why it was found and its abstract. Raises `UserError` where there is none."""
    if not 1 <= number <= len(selection.found):
        raise UserError(f"There is no paper {number}; the list has 1 to {len(selection.found)}.")
    item = selection.found[number - 1]
    text = clean(item.paper.abstract or item.paper.summary)
    told = escape_markdown(shorten(text, ABSTRACT_CHARACTERS)) if text else "No abstract of it is known."
    return f"{paper_line(number, item, selection)}\n\n{told}"


def word_planned_section(outline: Outline, selection: PaperSelection | None, place: str) -> str:
    """A section of the outline: what it is about, its parts, its papers. Raises `UserError` where there is none."""
    node = node_at(outline, place)
    found = {item.paper.key: item.paper for item in selection.found} if selection else {}
    papers = [found[key] for key in node.all_papers() if key in found]
    lines = [f"**{place} {escape_markdown(node.title)}**"]
    lines += [escape_markdown(node.description)] if node.description else []
    lines += ["", *(f"- **{place}.{n}** {escape_markdown(c.title)}" for n, c in enumerate(node.children, start=1))]
    if papers:
        lines += ["", f"{pluralize(len(papers), 'paper')}:", ""]
        lines += [
            f"- {link(shorten(clean(p.title), 80), p)} · {escape_markdown(name_paper(p))}"
            for p in papers[:SHOWN_PAPERS]
        ]
        lines += ["", f"… and {len(papers) - SHOWN_PAPERS} more."] if len(papers) > SHOWN_PAPERS else []
    elif node.role == "body":
        lines += ["", "Its papers are chosen when it is written."]
    else:
        lines += ["", "It is written last, from the other sections."]
    return "\n".join(lines)
