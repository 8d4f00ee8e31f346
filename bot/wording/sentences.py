"""Every sentence and button label the bot shows. Markdown; everything from outside is escaped here."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from adapters.chat import Incoming
from bot.commands.access import Act
from engine.errors import LanguageModelError, ScholiumError, ServiceError
from engine.evaluation.measures import Evaluation
from engine.evaluation.report import as_markdown, card
from engine.llm.model import CallFailed
from engine.rendering.markdown import escape_markdown
from engine.session.events import Job
from engine.text import clean, shorten

WELCOME = (
    "**Scholium** writes a literature survey together with you. Name a topic, for example:\n\n"
    "    survey retrieval-augmented generation\n\n"
    "Say `help` to see what else you can say."
)
GOODBYE = "Goodbye."


def phrase(template: str) -> Callable[..., str]:
    """What fills a sentence with values in their order: text, which comes from outside, is escaped."""
    return lambda *values: template.format(*(escape_markdown(v) if isinstance(v, str) else v for v in values))


PREPARING_BUNDLED = "Opening the library that comes with Scholium; the first time, this can take half a minute …"

HELP = """**What you can say**

| When | Say |
| --- | --- |
| to begin | `survey TOPIC` with `length=8k` `years=2018..2025` `sections=8` `words=300` `library=NAME` `online=yes` \
`types=review` `places=openalex` `budget=2.50` |
| a quick answer | `quick does caffeine impair sleep?` with `papers=100` `online=yes` · `search TOPIC` \
(no review) · then `follow 1` · `full survey` |
| few papers | `search online` (the same topic, with online sources) |
| at every proposal | `ok` · `no` (another one) · `back` · `undo` · `undo 3` · `redo` · `start over` |
| keywords proposed | `add dense retrieval` · `drop transformers` |
| papers proposed | `exclude 3 7` · `include 3` · `more` · `more 50` · `show papers` · \
`papers:` and your list, a title, DOI or arXiv id a line |
| outline | `rename 2 to …` · `describe 3.2: …` (what it says) · `drop 3` · `move 4 before 2` · `move 4 after 2` · \
`move 12 to 3` (paper 12 to section 3) · `merge 3 4` · `split 3` · \
`add section … after 2` (also later: only what it touches is written again) · \
`search for 3` (more papers for it) |
| the survey | `show 3.2` · `why 3.2` · `why [12]` · `why table 2` · `references` · `tree 12` · `ask …`, \
or simply ask a question |
| change it | `rewrite 3.2: …` · `expand 2.1` · `shorten 2.1` · `add a paragraph on … to 2.1` · `cite … in 2.1` · \
`remove the claim about … from 2.1` · `translate 2.1 to German` · `rewrite all` |
| files | `export` · `export pdf bib` (md, html, pdf, docx, tex, bib, ris, csl, json) |
| its quality | `evaluate` · `evaluate details` · `candidates` · \
`choose candidate 2` (where several surveys were written) |
| the field | `gaps` (which parts of it lack surveys) · `background` (from Wikipedia, into the introduction) |
| people | `invite NAME` (may change the survey too) |
| your surveys | `list` · `open 2` · `new` · `name this survey …` · `archive` (a new topic never replaces a survey) |
| any time | `status` · `cost` · `budget` · `budget survey 1` (a dollar more) \
 · `budget survey to 5` (for administrators `budget person NAME 5.00`) \
· `sources` · `history` · `stop` · `forget` · `help` · `help all` |"""


def pluralize(number: int, noun: str) -> str:
    """``1 paper``, ``2 papers``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def list_first(items: Sequence[str], most: int, more: str) -> list[str]:
    """The first items, then how many ``more`` there are, with ``{}`` for their number."""
    rest = len(items) - most
    return [*items[:most], more.format(rest)] if rest > 0 else [*items]


CHANGED_SINCE = "That was an earlier proposal; it has changed since. Say `show` to see it as it stands."
NOTHING_TO_EDIT = "There is nothing to edit here."
TOO_LONG_FOR_A_FORM = (
    "This is too long for a form. Change it by words in the thread, for example `rename 2 to …`; see `help`."
)


def not_saved(values: Sequence[tuple[str, str]]) -> str:
    """The proposal had changed when a form was handed in; what was written in it is not lost."""
    written = "\n".join(value for _, value in values if value).replace("```", "")
    return f"The proposal has changed meanwhile, so this was not saved:\n\n```\n{written}\n```"


def failure(error: ScholiumError) -> str:
    """What went wrong, whose fault it was, what to do."""
    said = escape_markdown(str(error))
    if not isinstance(error, ServiceError):
        return said
    again = " Trying again may help." if error.retryable else ""
    if isinstance(error, CallFailed) and error.is_away:
        return f"{said}{again}\n\n{MODEL_AWAY}"
    said = f"{said.rstrip('.')}."
    if isinstance(error, LanguageModelError) and not isinstance(error, CallFailed):
        return f"{said[:1].upper()}{said[1:]}{again}"  # it answered, and the answer could not be used
    return f"A service failed: {said}{again}"


MODEL_AWAY = (
    "Nothing that is finished is lost. Whoever runs Scholium can check the model's key (`OPENAI_API_KEY` or "
    "`ANTHROPIC_API_KEY`), its address (`OPENAI_BASE_URL` or `ANTHROPIC_BASE_URL`) and `SCHOLIUM_MODEL`; "
    "`scholium doctor` asks it. Without a model: `survey TOPIC recipe=cluster`."
)
CLOSED = "The thread of your survey was locked, so I stopped. Unlock it to go on."
SHOWN_BELOW = "↓ Shown again below."


def word_gone(why: str, topic: str, stopped: Job | None) -> str:
    """Nothing can be written in the survey's place any more; said to its owner alone. ``stopped`` was running there."""
    ended = " I have stopped what was running." if stopped else ""
    later = " Nothing is lost: when I can write there again, say something there, and it goes on."
    return f"This is about {_name_survey(topic)}. {escape_markdown(why)}{ended}{later}"


def word_not_delivered(why: str, topic: str) -> str:
    """The platform did not take something of a survey; said to its owner alone."""
    return f"For {_name_survey(topic)} something could not be sent. {escape_markdown(why)}"


def _name_survey(topic: str) -> str:
    return f"your survey on “{escape_markdown(topic)}”" if topic else "your survey"


BELONGS_INTO_A_THREAD = "That belongs in the thread of a survey. To begin one, name a topic after the command."


def word_opened(incoming: Incoming) -> str:
    """The first message of a survey's thread, or of one about what was said to us."""
    asked = dict(incoming.values)
    if "topic" not in asked:
        return escape_markdown(shorten(clean(incoming.text), 150))
    kind = "quick review" if asked.get("recipe") == "quick" else "literature survey"
    return f"A {kind} on **{escape_markdown(shorten(clean(asked['topic']), 150))}**, asked for by @{incoming.person}"


platform_failed = phrase("{} Nothing was done; please try again.")
"""The platform did not open a thread, or did not give a file: why."""

OUR_FAULT = "Something went wrong inside Scholium; nothing that you made is lost. Please try again."
ENDED_US = (
    "A message of yours could not be answered: Scholium crashed each of the three times it tried. The message was "
    "set aside for whoever runs Scholium to look at. Nothing that you made is lost; please put it another way."
)

ENDED_EACH_TIME = (
    "Scholium crashed each of the {} times it began this, so I have set it aside; perhaps it needs more memory than "
    "there is. Ask again to retry it, perhaps with fewer papers or sections."
)


def evaluation(found: Evaluation, *, details: bool) -> str:
    about = {"Judged by": "the survey's own model where one is configured, else by rules; see each figure"}
    return as_markdown(found, about, details=True) if details else card(found)


EXPORTED = "The survey as files:"
NOTHING_TO_EXPORT = "There is nothing to export yet. Once sections are written, `export` makes files of them."
NO_SURVEY_YET = "There is no text yet to look into. It comes after the outline is approved."
STILL_WORKING_CANNOT_EXPORT = "I am still writing; `stop` first to export what is finished, or wait."


word_bundled_library = phrase(
    "There is no library “{}” yet, so I use a small one that comes with Scholium: “{}”, well-known papers on "
    "retrieval-augmented generation. Add your own with `scholium ingest FILE`."
)
UNFINISHED = "This survey was stopped before it was finished; the sections that are missing are listed at the end."
word_invited = phrase("@{} may approve and change this survey now.")


def word_refusal(why: Act, owner: str) -> str:
    """A kind no, and who can help."""
    asker = f"@{escape_markdown(owner)}" if owner else "who started it"
    return {
        "start": "You may not start surveys here; an administrator of Scholium can allow it.",
        "read": f"This survey is {asker}'s, who can let you in with `invite`.",
        "ask": f"Only {asker} and those they `invite` can ask about this survey; you can read along.",
        "change": f"Only {asker} and those they `invite` can decide here; you can read along and ask questions.",
        "own": f"Only {asker} can do that.",
        "administer": "Only an administrator of Scholium can do that.",
    }[why]


FORGET = (
    "This would delete the survey with everything that belongs to it: proposals, texts, evidence, recorded answers of "
    "the language model, what was said here. It cannot be undone. Say `forget now` to do it."
)
FORGOTTEN_CARD = "✗ This survey was forgotten"
FORGOTTEN = "Forgotten. Files that were exported are not touched. Name a topic to begin anew."
WELCOME_BACK = "Welcome back. This is where we were:"


def read_as(said: Sequence[str], changes: str) -> str:
    """How a person's words were understood, before anything is done."""
    commands = "\n".join(f"- `{command}`" for command in said)
    shown = f"\n\nThat would change:\n\n```\n{changes}\n```" if changes else ""
    return f"I read that as:\n\n{commands}{shown}\n\n`ok` does it; anything else leaves all as it is."


ACCEPT_COST = "Say ok to accept this cost (or run the command with --yes)."
