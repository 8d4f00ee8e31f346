"""Labels of forms and lists, and what adapters say by themselves; see `bot.wording.sentences`."""

from __future__ import annotations

from adapters.chat import AdapterTexts, Button, Outgoing, SurveyList
from bot.store.surveys import StoredSurvey
from engine.rendering.markdown import escape_markdown
from engine.session.state import Phase
from engine.survey import Way

NEW_SURVEY, BEGIN, SAVE = "New survey", "Begin", "Save"
TOPIC, TOPIC_HINT = "Topic", "retrieval-augmented generation"
RECIPE, LENGTH, LENGTHS = "Method", "Length", "{} tokens"
YEARS, YEARS_HINT = "Years of publication", "2018..2025"
BUDGET, BUDGET_HINT = "Most it may cost, in dollars", "2.50"
ONE_PER_LINE = "One keyword a line"
LEFT_OUT, LEFT_OUT_HINT = "Numbers of papers to leave out", "3 7 12-15"
OUTLINE_LINES = "One section a line; a new one has no number"
PLACE, PLACE_HINT, PLACE_WANTED = "Section", "3.2", "Write the number of the section, for example 3.2"
WAY, WISH, WISH_HINT = "What to do", "How", "focus on evaluation · a paper's number · German"
EDIT_TITLES: dict[Phase, str] = {
    "keywords": "Keywords",
    "papers": "Papers",
    "outline": "Outline",
    "discussion": "Change a section",
}
WAYS: dict[Way, str] = {
    "rewrite": "Rewrite it",
    "expand": "Make it longer",
    "shorten": "Make it shorter",
    "paragraph": "Add a paragraph",
    "cite": "Cite a paper",
    "remove": "Remove a claim",
    "translate": "Translate it",
}

WORDS = AdapterTexts(
    not_here="I cannot write in that channel, so the survey is here. To have it there, invite me: `/invite @Scholium`",
    too_long="This is too long for a form. Change it by words in the thread, for example `rename 2 to …`; see `help`.",
    begun="I open a thread for it.",
    noted="The answer is in the thread.",
    missing="I may not do that here. An administrator of this server has to give me: {}.",
    failed="That could not be stored. Please do it again in a moment.",
    too_large="Too large for this place, so they stay on my machine: {}. Ask whoever runs me for them.",
    nothing_here="There is no survey here. `/survey start` begins one, `/survey list` shows yours.",
)


def overview(surveys: tuple[Outgoing, ...]) -> SurveyList:
    """A person's surveys, and a button for a new one."""
    nothing = "You have no survey yet."
    return SurveyList("Your surveys", Button(NEW_SURVEY, "start", "", asks=True), "Open", nothing, surveys)


def survey_line(survey: StoredSurvey) -> str:
    """One of a person's surveys: topic, state, cost."""
    doing = "at work" if survey.is_running else "your turn"
    money = f", ${survey.money:.2f}" if survey.money >= 0.005 else ""
    return f"**{escape_markdown(survey.title or 'No topic yet')}** ({survey.phase}, {doing}{money})"


def survey_buttons(survey: StoredSurvey) -> tuple[Button, ...]:
    """What can be done with a survey from a list of them."""
    export = Button("Export", f"export:{survey.session_id}", "export")
    go_on = Button("Continue", f"show:{survey.session_id}", "show")
    return (go_on, export) if survey.phase in {"writing", "discussion"} else (go_on,)
