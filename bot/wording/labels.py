"""Labels of buttons, forms and lists, and what adapters say by themselves; each is said here only."""

from __future__ import annotations

from collections.abc import Iterable

from adapters.chat import AdapterTexts, Button, FieldKind, Outgoing, SurveyList
from bot.store.surveys import StoredSurvey
from bot.views.actions import NEW_SURVEY, Action
from engine.rendering.markdown import escape_markdown
from engine.session.state import Phase, SurveySession
from engine.survey import Way
from engine.text import shorten

NEW_SURVEY_TITLE, BEGIN, SAVE = "New survey", "Begin", "Save"
LENGTHS, ANSWERS = "{} tokens", (("yes", "Yes"), ("no", "No"))
NO_OPTION = "“{}” is no option; write one of these and its value: {}."
PLACE_WANTED = "Write the number of the section, for example 3.2"
FIELDS: dict[str, tuple[str, str, FieldKind]] = {
    "topic": ("Topic", "retrieval-augmented generation", "line"),
    "recipe": ("Method", "", "choice"),
    "library": ("Papers from the library", "", "choice"),
    "length": ("Length", "", "choice"),
    "sections": ("Number of sections", "8", "line"),
    "years": ("Years of publication", "2018..2025", "line"),
    "language": ("Language", "en", "choice"),
    "online": ("Search online too", "yes or no", "choice"),
    "budget": ("Most it may cost, in dollars", "2.50", "line"),
    "keywords": ("One keyword a line", "", "text"),
    "excluded": ("Numbers of papers to leave out", "3 7 12-15", "line"),
    "outline": ("One section a line; a new one has no number", "", "text"),
    "place": ("Section", "3.2", "line"),
    "way": ("What to do", "", "choice"),
    "wish": ("How", "focus on evaluation · a paper's number · German", "line"),
}
"""Label, hint and kind of each field of a form."""
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

THREAD_LOCKED = "The thread is locked, so I cannot write there."
_NO_SLACK_PLACE = "I cannot write in that channel any more ({}), so the survey cannot go on there."
REFUSALS = {
    "slack token": "Slack does not accept the token in {}. Copy it again from the settings of the app.",
    "discord token": "Discord does not accept the token in DISCORD_TOKEN. "
    "Copy it again from the developer portal (Bot).",
    "discord intent": "Discord does not let this bot read messages. "
    "Switch on “Message Content Intent” in the developer portal (Bot), or set SCHOLIUM_DISCORD_MESSAGES=false.",
    "file gone": "The files are not on my disk any more. Export them again.",
    # What Slack calls its refusals.
    "is_archived": _NO_SLACK_PLACE.format("it is archived"),
    "not_in_channel": _NO_SLACK_PLACE.format("I am not a member: `/invite @Scholium`"),
    "channel_not_found": _NO_SLACK_PLACE.format("it is gone, or I was removed: `/invite @Scholium`"),
    "thread_not_found": _NO_SLACK_PLACE.format("the thread was deleted"),
    "cannot_reply_to_message": _NO_SLACK_PLACE.format("replies in this thread are not allowed"),
    "restricted_action": _NO_SLACK_PLACE.format("posting there is restricted"),
    "restricted_action_read_only_channel": _NO_SLACK_PLACE.format("it is read-only"),
    "restricted_action_thread_locked": _NO_SLACK_PLACE.format("the thread is locked"),
    "missing_scope": "This app was not given a right that it needs{}. "
    "An administrator of the workspace has to install it again (deploy/slack-manifest.yaml names its rights).",
    "not_allowed": "This workspace does not allow that.",
    "file_upload_size_restricted": "The workspace does not allow files of this size. Export fewer formats.",
    "file_uploads_disabled": "This workspace does not allow uploads. An administrator can allow them.",
    "storage_limit_reached": "The workspace has no room left for files.",
    # Discord's numbers.
    "10003": "The thread or its channel was deleted, so the survey cannot go on there.",
    "40005": "The server does not take files of this size. Export fewer formats.",
    "50007": "I may not write to you directly. Allow direct messages from me, or add me to your apps.",
    "160005": THREAD_LOCKED,
}

RATING = ("Good answer", "Not a good answer")
EXAMPLES = ("survey retrieval-augmented generation", "quick does caffeine impair sleep?", "help")

WORDS = AdapterTexts(
    not_here="I cannot write in that channel, so the survey is here. To have it there, invite me: `/invite @Scholium`",
    begun="I am beginning it.",
    noted="The answer is in the thread.",
    directly="It goes on in our direct messages.",
    missing="I may not do that here. An administrator of this server has to give me: {}.",
    failed="That could not be saved. Please try again in a moment.",
    too_large="Too large to send here, so they stay on my machine: {}. Ask whoever runs me for them.",
    nothing_here="There is no survey here. `/survey start` begins one, `/survey list` shows yours.",
    more_options="More options, one a line",
    document="The survey is [a canvas](<{}>), which changes as you change the survey. `export` makes files of it.",
    examples=EXAMPLES,
    say="or say {}",
    mention="or mention me and say {}",
    refusals=REFUSALS,
)


HOME_WELCOME = (
    "I write literature surveys together with you: I propose keywords, papers and an outline, and each waits for your "
    "word before I go on. Then I write the sections, with the source of each sentence, and answer questions about "
    "them. Where a language model writes, I say so.\n\nYou have no survey yet. Write to me with a topic, or mention me "
    f"in a channel:\n\n- `{EXAMPLES[0]}`\n- `@Scholium {EXAMPLES[1]}`"
)


def overview(surveys: tuple[Outgoing, ...]) -> SurveyList:
    title = "Your surveys" if surveys else "Welcome to Scholium"
    return SurveyList(title, draw_button(NEW_SURVEY), "Open", HOME_WELCOME, surveys)


def survey_line(survey: StoredSurvey) -> str:
    doing = "at work" if survey.is_running else "your turn"
    money = f", ${survey.money:.2f}" if survey.money >= 0.005 else ""
    step = "written" if survey.phase == "discussion" else survey.phase
    return f"**{escape_markdown(survey.title or 'No topic yet')}** ({step}, {doing}{money})"


def survey_buttons(survey: StoredSurvey) -> tuple[Button, ...]:
    export = (Action("export", "export"),) if survey.phase in {"writing", "discussion"} else ()
    return tuple(draw_button(action, survey.session_id) for action in (Action("continue", "show"), *export))


LABEL_CHARACTERS, SECTION_CHARACTERS = 60, 32
"""Of what a button names: Slack allows 75 in all, Discord 80; more of a heading is not shown on a phone."""

LABELS = {
    "choose": "Choose {}",
    "drop": "Drop {}",
    "earlier": "← Earlier",
    "follow up": "{}",
    "later": "More →",
    "merge": "Merge {}",
    "more commands": "Everything I can do",
    "search for section": "Search for {}",
    "show section": "{}",
    "survey meant": "Survey “{}”",
}
"""Of deeds whose label is another than their own words."""


def draw_buttons(session: SurveySession, actions: Iterable[Action]) -> tuple[Button, ...]:
    """Actions as buttons; each carries only its command, session and revision."""
    return tuple(draw_button(action, f"{session.id}:{session.revision}") for action in actions)


def draw_button(action: Action, session: str = "") -> Button:
    """One of them; ``session`` with its revision where they matter."""
    about = shorten(action.about, SECTION_CHARACTERS if action.deed == "show section" else LABEL_CHARACTERS)
    sent = f"{action.command}:{session}" if session else action.command
    label = LABELS.get(action.deed, action.deed.capitalize()).format(about)
    return Button(label, sent, action.command if action.typed else "", asks=action.asks)
