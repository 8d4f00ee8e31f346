"""The command grammar: what a person types → what is meant. Pure; knows no session.

Written for people: upper and lower case, `please`, and a final full stop do not matter.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import cast

from bot.commands import commands
from bot.commands.commands import BudgetScope, Command, Continuation, FreeText, RaiseBudget, Show, StartSurvey
from engine.errors import UserError
from engine.retrieval.matching import lines_of
from engine.session import events
from engine.session import outline_edits as outline
from engine.session.events import Control, EditKeywords, EditPapers, Job, MorePapers
from engine.survey import SectionChange, Way
from engine.values import YearRange

OPTIONS = (
    *("recipe", "length", "years", "audience", "style", "template", "language", "sections", "words", "library"),
    *("online", "budget", "without", "types", "places"),
)
QUICK_OPTIONS = ("papers", "share", "sampling", "background", "review")
_OPTION = re.compile(
    rf"\b({'|'.join((*OPTIONS, *QUICK_OPTIONS))})\s*(?:=|:(?=\s*(?:\d|yes\b|no\b)))\s*(\"[^\"]*\"|\S+)", re.I
)
_COUNTED = re.compile(
    r"(.+?)\s*[,;(]\s*(?:(\d{1,4})\s+(sections|words)|(\d{4}\s*(?:\.\.|-|–|to)\s*(?:\d{4})?))[\s).]*", re.I | re.S
)
"""What follows a topic after a comma or in brackets: “, 6 sections”, “(2018 to 2024)”."""
_LIST = re.compile(r"(?:use )?(?:these |my )?(?:papers|reading list|list of papers)\s*:\s*(.+)", re.I | re.S)
LIST_WORDS = frozenset({"papers", "use these papers", "reading list"})
"""Said with a file of papers: they are the survey's papers, and no others."""

_ABOUT = r"\s+(?:on|of|about)"
_ASKING = r"(?:i (?:need|want)|write|make|start)\s+(?:me\s+)?an?\s+(?:literature\s+)?(?:survey|review|overview)"
_PLACE = r"(?:(?:section|chapter)\s+)?(\d{1,4}(?:\.\d{1,4}){0,5})"


def parse(text: str) -> Command:
    """What the words mean. Raises `UserError` where a number or a year cannot be read."""
    if listed := _LIST.fullmatch(text.strip()):
        return Job("list", lines=lines_of(listed[1]))
    said = " ".join(text.split())
    bare = _take_end_off(re.sub(r"^(?:please|pls)\s+|\s+(?:please|pls)$", "", said, flags=re.I))
    for rule in RULES:
        if match := rule.pattern.fullmatch(bare):
            return rule.make(*match.groups())
    return FreeText(said)


def find_usage(text: str) -> str:
    """How the command is written that is called by the first word; empty where none is."""
    verb = text.partition(" ")[0].lower()
    return next((rule.usage for rule in RULES if " " in rule.usage and rule.usage.split()[0] == verb), "")


def is_list(text: str) -> bool:
    """Whether it is a list of papers, which may be longer than other messages."""
    return _LIST.fullmatch(text) is not None


def _take_end_off(said: str) -> str:
    """Without what ends a sentence; the dots of ``years=2018..`` belong to the command."""
    open_years = re.search(r"=\d{4}\.\.(?=[ .!]*$)", said)
    return said[: open_years.end()] if open_years else said.rstrip(" .!")


def parse_years(text: str) -> YearRange:
    """``2018..2025``, ``2018-2025``, ``2018..``, ``..2025`` or one year."""
    match = re.fullmatch(r"(\d{4})?\s*(?:\.\.|-|–|to)\s*(\d{4})?", text.strip())
    first, last = match.groups() if match else (text.strip(), text.strip())
    try:
        years = YearRange(int(first) if first else None, int(last) if last else None)
    except ValueError as error:
        raise UserError(f"“{text}” is not a range of years. Write for example years=2018..2025") from error
    if years.first and years.last and years.first > years.last:
        raise UserError(f"The years {text} run backwards. Write for example years={years.last}..{years.first}")
    return years


def read_tokens(text: str) -> int | None:
    """``500k`` or ``2M``; ``None`` for what is no number of tokens."""
    match = re.fullmatch(r"(\d{1,6}(?:\.\d+)?)\s*([km])(?:\s*tokens)?", text, re.I)
    return round(float(match[1]) * (1_000 if match[2] in "kK" else 1_000_000)) if match else None


def read_start(given: str) -> StartSurvey:
    """A topic with its options, as they follow the command's word."""
    options = {name.lower(): value.strip('"').rstrip(",;") for name, value in _OPTION.findall(given)}
    topic = " ".join(_OPTION.sub(" ", given).split())
    while counted := _COUNTED.fullmatch(topic):
        topic, number, name, years = counted.groups()
        options.setdefault(*((name.lower(), number) if name else ("years", years)))
    return StartSurvey(topic.rstrip(" ,;"), options)


def _quick(said: str | None, **options: str) -> Command:
    """A quick review of what is named, or, where nothing is, of the topic at hand."""
    start = read_start(said or "")
    return StartSurvey(start.topic, {**start.options, **options, "recipe": "quick"})


def numbers_in(text: str) -> tuple[int, ...]:
    """``3 7``, ``3, 7`` and ``3-7``."""
    found: list[int] = []
    for part in re.split(r"[\s,;]+|\band\b", text.strip()):
        span = re.fullmatch(r"(\d{1,5})\s*[-–]\s*(\d{1,5})", part)
        if span:
            first, last = int(span.group(1)), int(span.group(2))
            if last - first > 1_000:
                raise UserError(f"{part} is more than a thousand numbers.")
            found += range(first, last + 1)
        elif part.isdecimal() and len(part) <= 5:
            found.append(int(part))
        elif part:
            raise UserError(f"“{part}” is not a number. Write for example: exclude 3 7")
    return tuple(dict.fromkeys(found))


def _unquote(said: str) -> str:
    """Words out of quotation marks; a title, which may end in quoted words, loses double ones only."""
    return said.strip(" \"'“”")


def _words(text: str) -> tuple[str, ...]:
    return tuple(filter(None, map(_unquote, re.split(r"[,;]", text))))


def _drop(what: str) -> Command:
    if not re.fullmatch(rf"{_PLACE}(?:(?:\s*,\s*|\s+)(?:and\s+)?{_PLACE}|-\d+)*", what):
        return EditKeywords(drop=_words(what))
    return outline.drop(*(map(str, numbers_in(what)) if "-" in what else re.findall(_PLACE, what)))


def _person(said: str) -> str:
    """A person as a platform names them: ``<@U123>``, ``<@!123>`` and ``@mara`` are the same as without."""
    return re.sub(r"^<?@?!?|(?:\|[^>]*)?>?$", "", said)


def _raise(scope: str, to: str | None, amount: str, person: str = "") -> Command:
    tokens = read_tokens(amount)
    money = float(amount) if tokens is None else 0.0
    return RaiseBudget(cast(BudgetScope, scope.lower()), money, _person(person), tokens or 0, in_all=bool(to))


def _revise(way: Way, place: str, wish: str = "") -> Command:
    return Job("revise", SectionChange(place, way, _unquote(wish)))


_MakeCommand = Callable[..., Command]


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to say a command; ``make`` is given the groups of the ``pattern``.

    ``usage`` is how help, README and the reading prompt show it; none for courtesies and for what buttons alone say.
    """

    usage: str
    pattern: re.Pattern[str]
    make: _MakeCommand


def _rule(usage: str, pattern: str, make: _MakeCommand) -> Rule:
    return Rule(usage, re.compile(pattern, re.I | re.S), make)


# The first rule that fits the whole text wins.
RULES: tuple[Rule, ...] = (
    _rule("", r"(?:/?survey\s+(?=(?:list(?: all)?(?: \d{1,3})?|help|status|stop)$)|/survey\s+(?=quick\s))(.+)", parse),
    _rule("survey TOPIC", rf"(?:/?survey(?:{_ABOUT})?|{_ASKING}{_ABOUT})\s+(.+)", read_start),
    _rule("quick QUESTION", r"/?quick(?:\s+review|\s+\w+(?=:))?(?:\s+(?:on|of|about))?:?(?:\s+(.+))?", _quick),
    _rule("search online", r"search online(?: too| as well)?", lambda: Continuation("search online")),
    _rule("search TOPIC", r"search\s+(?!for\s+\d)(?:for\s+)?(.+)", partial(_quick, review="no")),
    _rule("follow 1", r"follow(?:[- ]?up)?\s+(\d{1,2})", lambda number: Continuation("follow up", int(number))),
    _rule(
        "full survey",
        r"(?:write\s+(?:a\s+|the\s+)?)?full survey((?:\s+\S+=\S+)*)",
        lambda said: Continuation("full survey", options=read_start(said).options),
    ),
    _rule("ok", r"ok|okay|yes|y|approve|go|go on|continue|looks? good|fine|next", events.Approve),
    _rule("no", r"no|n|regenerate|again|try again|another", events.Regenerate),
    _rule("back", r"back|go back", lambda: Control.GO_BACK),
    _rule("undo", r"undo(?:\s+(\d{1,3}))?", lambda steps: events.Undo(int(steps or 1))),
    _rule("redo", r"redo", lambda: Control.REDO),
    _rule("start over", r"start over|restart", lambda: Control.START_OVER),
    _rule(
        "list",
        r"list( all)?(?: (\d{1,3}))?",
        lambda every, page: commands.SurveyCommand("list", int(page or 1), everything=bool(every)),
    ),
    _rule("open 2", r"open (?:(\d{1,4})|last)", lambda number: commands.SurveyCommand("open", int(number or 0))),
    _rule("new", r"new|new survey", partial(commands.SurveyCommand, "new")),
    _rule("name TITLE", r"name (.+)", lambda name: commands.SurveyCommand("name", name=_unquote(name))),
    _rule("archive", r"archive(?: (\d{1,4}))?", lambda number: commands.SurveyCommand("archive", int(number or 0))),
    _rule("stop", r"stop|cancel|abort|halt", lambda: Control.STOP),
    _rule("help", r"(?:help|\?|commands)( all)?", lambda every: Show("help", "all" if every else "")),
    _rule("", r"hello|hi", partial(Show, "hello")),
    _rule("", r"thanks|thank you", partial(Show, "thanks")),
    _rule("", r"choose ([1-5])", lambda number: commands.Choose(int(number))),
    _rule("status", r"status|progress", partial(Show, "status")),
    _rule("cost", r"costs?", partial(Show, "cost")),
    _rule("budget", r"budgets?", partial(Show, "budget")),
    _rule("budget survey 1", r"budget\s+(survey|workspace)\s+(to\s+)?\+?\$?(\d{1,5}(?:\.\d{1,2})?)", _raise),
    _rule("", r"budget\s+(survey)\s+(to\s+)?\+?(\d{1,5}(?:\.\d{1,3})?\s*[km](?:\s+tokens)?)", _raise),
    _rule(
        "budget person NAME 5.00",
        r"budget\s+person\s+(\S+)\s+\+?\$?(\d{1,5}(?:\.\d{1,2})?)",
        lambda who, amount: _raise("person", None, amount, who),
    ),
    _rule("invite NAME", r"invite\s+(\S+)", lambda who: commands.Invite(_person(who))),
    _rule("forget", r"forget( now)?", lambda now: commands.Forget(sure=bool(now))),
    _rule("history", r"history", partial(Show, "history")),
    _rule("sources", r"sources?|how (?:did you|was it) search(?:ed)?\??", partial(Show, "sources")),
    _rule(
        "show papers",
        r"show\s+(?:me\s+)?(?:the\s+|all\s+)?(papers(?:\s+\d{1,3})?|keywords|outline|survey)",
        partial(Show, "show"),
    ),
    _rule(
        "references",
        r"references((?:\s+\d{1,4})*(?: of \d{1,6})?(?: page \d{1,3})?)",
        lambda which: Show("references", which.strip()),
    ),
    _rule(
        "show 3.2",
        r"show(?:\s+(?:me\s+)?(?:section\s+)?(\S+(?: page \d{1,3})?))?",
        lambda place: Show("show", place or ""),
    ),
    _rule("", rf"why\s+{_PLACE}\s+page\s+(\d{{1,3}})", lambda place, page: Show("why section", f"{place} {page}")),
    _rule("why 3.2", rf"why\s+{_PLACE}\??", partial(Show, "why section")),
    _rule("tree 12", r"(?:attribute )?tree\s+(?:of\s+)?\[?(\d{1,5})\]?", partial(Show, "tree")),
    _rule("why table 2", r"why\s+((?:table|figure)\s+\d{1,3})\??", lambda which: Show("why float", which.lower())),
    _rule("why [12]", r"why\s+\[(\d+)\]\??", partial(Show, "why reference")),
    _rule(
        "export",
        r"export(?:\s+(?:as|to))?((?:\s+\S+)*)",
        lambda names: commands.Export(tuple(filter(None, re.split(r"[\s,]+", names.lower())))),
    ),
    _rule(
        "evaluate",
        r"(?:evaluate|judge(?: it)?|how good is it\??)( details?)?",
        lambda details: Job("evaluate", details=bool(details)),
    ),
    _rule("candidates", r"candidates?", partial(Show, "show", "candidates")),
    _rule(
        "choose candidate 2", r"choose\s+(?:candidate\s+)?(\d{1,2})", lambda number: events.TakeCandidate(int(number))
    ),
    _rule("gaps", r"gaps?|(?:find|show) (?:the )?gaps|field map", partial(Job, "gaps")),
    _rule("background", r"(?:add )?background(?: from wikipedia)?|wikipedia", partial(Job, "background")),
    _rule("more", r"more", MorePapers),
    _rule("more 50", r"more\s+(\d{1,4})(?:\s+papers)?", lambda count: MorePapers(int(count))),
    _rule("exclude 3 7", r"exclude\s+(.+)", lambda said: EditPapers(exclude=numbers_in(said))),
    _rule("include 3", r"include\s+(.+)", lambda said: EditPapers(include=numbers_in(said))),
    _rule(
        "add section TITLE after 2",
        rf"add section\s+(.+?)\s+(after|before)\s+{_PLACE}",
        lambda title, where, place: outline.add(title.strip('"“”'), place, after=where.lower() == "after"),
    ),
    _rule("add section TITLE", r"add section\s+(.+)", lambda title: outline.add(title.strip('"“”'))),
    _rule(
        "add a paragraph on WORDS to 2.1",
        rf"add\s+(?:a\s+)?paragraph\s+(?:on|about)\s+(.+?)\s+(?:to|in)\s+{_PLACE}",
        lambda words, place: _revise("paragraph", place, words),
    ),
    _rule("cite WORDS in 3.2", rf"cite\s+(.+?)\s+in\s+{_PLACE}", lambda words, place: _revise("cite", place, words)),
    _rule(
        "remove the claim about WORDS from 3.2",
        rf"(?:remove|drop|delete)\s+the\s+claim\s+(?:about|on|that)\s+(.+?)\s+from\s+{_PLACE}",
        lambda words, place: _revise("remove", place, words),
    ),
    _rule("add WORDS", r"(?:add|\+)\s+(.+)", lambda said: EditKeywords(add=_words(said))),
    _rule("drop WORDS", r"(?:drop|remove|delete)\s+(?:section\s+)?(.+)", _drop),
    _rule(
        "rename 2 to TITLE",
        rf"rename\s+{_PLACE}\s+(?:to\s+|:\s*)?(.+)",
        lambda place, title: outline.rename(place, title.strip('"“”')),
    ),
    _rule(
        "describe 3.2: WORDS",
        rf"describe\s+{_PLACE}\s*(?::|as\s)\s*(.+)",
        lambda place, words: outline.describe(place, words.strip('"“”')),
    ),
    _rule(
        "move 12 to 3",
        rf"(?:move|put)\s+(?:paper\s+)?(\d{{1,4}})\s+(?:in)?to\s+(?:group\s+)?{_PLACE}",
        lambda number, place: events.MovePaper(int(number), place),
    ),
    _rule(
        "move 4 before 2",
        rf"move\s+{_PLACE}\s+(before|after)\s+{_PLACE}",
        lambda place, where, target: outline.move(place, target, after=where.lower() == "after"),
    ),
    _rule("merge 3 4", rf"merge\s+{_PLACE}\s+(?:and\s+|with\s+)?{_PLACE}", outline.merge),
    _rule("search for 3", rf"search\s+for\s+{_PLACE}", lambda place: Job("papers", section=place)),
    _rule("split 3", rf"split\s+{_PLACE}", lambda place: Job("divide", section=place)),
    _rule("rewrite 3.2: WISH", rf"rewrite\s+{_PLACE}\s*(?::|about|on|with)\s*(.+)", partial(_revise, "rewrite")),
    _rule("expand 2.1", rf"expand\s+{_PLACE}", partial(_revise, "expand")),
    _rule("shorten 2.1", rf"shorten\s+{_PLACE}", partial(_revise, "shorten")),
    _rule(
        "translate 2.1 to German",
        rf"translate\s+{_PLACE}\s+(?:in)?to\s+([^\W\d_][\w ()-]{{1,40}})",
        partial(_revise, "translate"),
    ),
    _rule("rewrite all", r"rewrite (?:all|everything|the whole survey)", lambda: Control.REWRITE_ALL),
    _rule("ask QUESTION", r"ask\s+(.+)", lambda question: Job("answer", question=question)),
)
