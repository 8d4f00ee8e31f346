"""What `help` says: the few things that can be done now, with the rest behind a button."""

from __future__ import annotations

from bot.views.actions import Action
from bot.views.proposals import Topic, view_step
from bot.wording.buttons import draw_button, draw_buttons
from bot.wording.cards import Card
from bot.wording.hints import list_hints
from bot.wording.sentences import HELP
from engine.session.state import SurveySession

SHOWN = 5
_TO_BEGIN = (
    "`survey TOPIC` begins a literature survey",
    "`quick QUESTION` answers a question from its papers",
    "`search TOPIC` lists papers",
    "`list` shows your surveys",
    "or send a file with your papers (BibTeX, RIS, CSV, PDF)",
)


def make_help(session: SurveySession, *, everything: bool) -> Card:
    """The five things that are done most at this step, or all there are."""
    if everything:
        return Card(HELP, ())
    step = view_step(session.state)
    lines = list(_TO_BEGIN)
    if step.proposal != Topic():
        typed = [action for action in step.actions if action.typed and action.deed != "follow up"]
        hints = [f"`{hint}`" for hint in list_hints(session.state)[:2]]
        lines = [f"`{action.command}`: {draw_button(action).label}" for action in typed[: SHOWN - len(hints)]] + hints
    text = "\n".join(["**What you can say now**", "", *(f"- {line}" for line in lines)])
    return Card(text, draw_buttons(session, (Action("more commands", "help all"),)))
