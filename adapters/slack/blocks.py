"""What is shown in Slack: our Markdown as rich text, proposals with buttons, forms as modals, the home page. Pure.

Rich text holds literal text: nothing in it can mention, link or format, whoever wrote it. The plain ``text`` beside
it (for notifications, and where Slack refuses the rich one) is escaped here, which in Slack's own markup is done as in
HTML: no mention, no link. Limits: `slack.dev`, November 2026.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from html import escape, unescape
from typing import Any, Literal

from adapters.chat import (
    Attachment,
    Button,
    Conversation,
    Form,
    FormField,
    FormPlace,
    Incoming,
    Outgoing,
    SurveyList,
)
from adapters.markup import Block, Span, blocks, pages, plain, split

MESSAGE_CHARACTERS = 9_000
"""Of all blocks of a message together: about 13,200 are refused, 11,341 were seen refused."""

RICH_TEXT_CHARACTERS = 3_000
HOME_SURVEYS = 20
"""In 100 blocks; each takes up to four."""

MESSAGE_BLOCKS = 40
"""Of 50 in a message, where buttons, facts and tables need some."""

NOTIFICATION_CHARACTERS = 300
PLAIN_CHARACTERS = 3_500
"""Of the text that is sent where rich text is refused; longer ones are split by Slack itself, through anything."""

TABLE_ROWS, TABLE_COLUMNS = 100, 20
LABEL, TITLE, HEADER, VALUE = 75, 24, 150, 2_000
ACTIONS = 25

SOMEBODY = "a colleague"
FORM = "form"
RATING, GOOD, BAD = "rating", "good", "bad"
FIELD_CHARACTERS = 3_000

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Rendered:
    """One message: blocks, and the text that stands for them in full; it ends with the words that are ``typed``."""

    blocks: tuple[Json, ...]
    text: str
    typed: str = ""

    @property
    def notification(self) -> str:
        """The text beside the blocks: its beginning, and the words that do what the buttons do."""
        is_short = len(self.text) <= NOTIFICATION_CHARACTERS
        return escape(self.text if is_short else f"{self.text[:299]}…\n{self.typed}".rstrip(), quote=False)

    @property
    def content(self) -> Json:
        """What Slack is told of it."""
        return {"text": self.notification, "blocks": list(self.blocks)}

    def plainly(self) -> list[str]:
        """The whole message as plain text, in parts."""
        return [escape(part, quote=False) for part in split(self.text, PLAIN_CHARACTERS)]


def messages(outgoing: Outgoing, say: str) -> list[Rendered]:
    """The text in as many messages as it takes; facts, buttons and what can be typed (``say``) under the last."""
    found = pages(blocks(outgoing.text, outgoing.people), MESSAGE_CHARACTERS, MESSAGE_BLOCKS)
    rendered = [_page(page, outgoing.people) for page in found or [[]]]
    last, at = rendered[-1], outgoing.conversation
    # What is pressed in a message for one person comes back without the thread it stands in.
    place = FormPlace(at.channel, at.thread).pack() if outgoing.only_for else ""
    words = () if outgoing.closes else (*(b.typed for b in outgoing.buttons), *outgoing.hints)
    typed = _list_typed_words(words, say)
    labels = {button.label.lower() for button in outgoing.buttons}  # a button that is labelled so says it itself
    hints = _list_typed_words([word for word in words if word not in labels], say)
    facts = " · ".join(outgoing.facts)
    shown_facts, shown_hints = _context("plain_text", facts), _context("mrkdwn", escape(hints, quote=False))
    below = (*shown_facts, *_actions(outgoing.buttons, place), *_rating(outgoing.rating), *shown_hints)
    text = "\n".join(part for part in (last.text, facts, typed) if part)
    return [*rendered[:-1], Rendered((*last.blocks, *below), text.strip() or "…", typed)]


def _page(page: Sequence[Block], people: Collection[str] = ()) -> Rendered:
    made: list[Json] = []
    size = 0
    for block in page:
        if block.kind == "table" and len(block.rows) <= TABLE_ROWS and len(block.rows[0]) <= TABLE_COLUMNS:
            made.append(_table(block))
            continue
        size += len(block.text())
        if not made or made[-1]["type"] != "rich_text" or size > RICH_TEXT_CHARACTERS:
            made.append({"type": "rich_text", "elements": []})
            size = len(block.text())
        _append(made[-1]["elements"], block)
    return Rendered(tuple(made), _remove_ids("\n".join(_plain(block) for block in page), people))


def _remove_ids(text: str, people: Collection[str]) -> str:
    """Plain text names nobody: an id tells nothing, and a mention there would notify."""
    for person in people:
        text = re.sub(rf"^@{re.escape(person)}\b", SOMEBODY.capitalize(), text, flags=re.M)
        text = re.sub(rf"@{re.escape(person)}\b", SOMEBODY, text)
    return text


def _plain(block: Block) -> str:
    if block.kind == "item":
        marker = "•" if block.number is None else f"{block.number}."
        return f"{'    ' * block.depth}{marker} {block.text()}"
    return block.text()


def _append(elements: list[Json], block: Block) -> None:
    """Add a block to rich text; items of one list and depth are one list."""
    content = [_element(span) for span in block.line]
    match block.kind:
        case "item":
            section = {"type": "rich_text_section", "elements": content}
            style = "bullet" if block.number is None else "ordered"
            last = elements[-1] if elements else {}
            if (last.get("style"), last.get("indent")) == (style, block.depth):
                last["elements"].append(section)
                return
            made: Json = {"type": "rich_text_list", "style": style, "indent": block.depth, "elements": [section]}
            elements.append(made | ({"offset": block.number - 1} if block.number and block.number > 1 else {}))
        case "code" | "table":
            text = {"type": "text", "text": block.text()}
            elements.append({"type": "rich_text_preformatted", "elements": [text]})
        case "quote":
            elements.append({"type": "rich_text_quote", "elements": content})
        case _:
            if block.kind == "heading":
                content = [item | {"style": item.get("style", {}) | {"bold": True}} for item in content]
            gap = [{"type": "text", "text": "\n"}] if elements else []
            elements.append({"type": "rich_text_section", "elements": [*gap, *content, {"type": "text", "text": "\n"}]})


def _element(span: Span) -> Json:
    if span.person:
        return {"type": "user", "user_id": span.person}
    style = {name: True for name in ("bold", "italic", "code") if getattr(span, name)}
    made: Json = {"type": "text", "text": span.text} | ({"style": style} if style else {})
    return made | ({"type": "link", "url": span.link.replace("|", "%7C").replace(">", "%3E")} if span.link else {})


def _table(block: Block) -> Json:
    # Slack refuses a table with an empty cell.
    rows = [[{"type": "raw_text", "text": plain(cell).strip() or "–"} for cell in row] for row in block.rows]
    return {"type": "table", "rows": rows, "column_settings": [{"is_wrapped": True}] * len(block.rows[0])}


def _label(text: str, most: int = LABEL) -> Json:
    return {"type": "plain_text", "text": text[:most]}


def _context(kind: Literal["plain_text", "mrkdwn"], text: str) -> tuple[Json, ...]:
    return ({"type": "context", "elements": [{"type": kind, "text": text[:VALUE]}]},) if text else ()


def _actions(buttons: Sequence[Button], place: str = "") -> tuple[Json, ...]:
    if not buttons:
        return ()
    actions: Json = {"type": "actions", "elements": [_button(b, n) for n, b in enumerate(buttons[:ACTIONS])]}
    return (actions | ({"block_id": place} if place else {}),)


def _rating(labels: Sequence[str]) -> tuple[Json, ...]:
    """Slack's own buttons for what people think of an answer."""
    if not labels:
        return ()
    good, bad = (_option(value, label) for value, label in zip((GOOD, BAD), labels, strict=True))
    pair = {"type": "feedback_buttons", "action_id": RATING, "positive_button": good, "negative_button": bad}
    return ({"type": "context_actions", "elements": [pair]},)


def _list_typed_words(words: Sequence[str], say: str) -> str:
    """The words that can be typed; they stand beside the buttons, because slash commands do not work in threads."""
    typed = " · ".join(dict.fromkeys(f"`{word}`" for word in words if word))
    return say.format(typed) if typed else ""


def _button(button: Button, number: int) -> Json:
    name = f"{'ask' if button.asks else 'act'}_{number}"
    primary = {"style": "primary"} if number == 0 and button.typed == "ok" else {}
    danger = {"style": "danger"} if button.typed == "stop" else {}
    made: Json = {"type": "button", "action_id": name, "text": _label(button.label), "value": button.action[:VALUE]}
    return made | primary | danger


# Forms.


def modal(form: Form, place: FormPlace) -> Json:
    """The form as a modal view."""
    return {
        "type": "modal",
        "callback_id": FORM,
        "private_metadata": place.pack(),
        "title": _label(form.title, TITLE),
        "submit": _label(form.submit, TITLE),
        "blocks": [_input(field) for field in form.fields],
    }


def _input(field: FormField) -> Json:
    element: Json = {"action_id": "value"}
    if field.kind == "choice":
        options = [_option(value, label) for value, label in field.choices]
        element |= {"type": "static_select", "options": options}
        chosen = [option for option in options if option["value"] == field.value]
        element |= {"initial_option": chosen[0]} if chosen else {}
    else:
        element |= {"type": "plain_text_input", "multiline": field.kind == "text", "max_length": FIELD_CHARACTERS}
        element |= {"initial_value": field.value} if field.value else {}
        element |= {"placeholder": _label(field.hint, HEADER)} if field.hint else {}
    label = _label(field.label, VALUE)
    named = {"type": "input", "block_id": field.name, "label": label, "element": element}
    return named | {"optional": field.optional}


def _option(value: str, label: str) -> Json:
    return {"text": _label(label), "value": value[:150]}


def read_filled_form(view: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Names and values of a form that was handed in."""
    values = []
    for name, block in view["state"]["values"].items():
        for element in block.values():
            chosen = (element.get("selected_option") or {}).get("value")
            values.append((str(name), str(chosen or element.get("value") or "")))
    return tuple(values)


def home(found: SurveyList, links: Mapping[Conversation, str]) -> Json:
    """A person's surveys, each with a link to its thread where one is known."""
    made: list[Json] = [
        {"type": "header", "text": _label(found.title, HEADER)},
        *_actions([found.start], FormPlace("", opens=True).pack()),
    ]
    for number, outgoing in enumerate(found.surveys[:HOME_SURVEYS]):
        made.append({"type": "divider"})
        made += _page(blocks(outgoing.text)).blocks
        at = outgoing.conversation
        # Slack refuses a view with two blocks of one name, and a thread may hold several surveys.
        (actions,) = _actions(outgoing.buttons, FormPlace(at.channel, at.thread, str(number)).pack())
        if link := links.get(at):
            opening = {"type": "button", "action_id": "open", "text": _label(found.open_label), "url": link}
            actions["elements"].append(opening)
        made.append(actions)
    if not found.surveys:
        made += _page(blocks(found.nothing)).blocks
    return {"type": "home", "blocks": made}


def to_incoming_press(body: Mapping[str, Any], tenant: str) -> Incoming:
    """A pressed button as `Incoming`."""
    action = body["actions"][0]
    try:  # on the home page, and in a message for one person
        place = FormPlace.read(action["block_id"])
    except ValueError:
        message, container = body.get("message") or {}, body.get("container") or {}
        place = FormPlace(body["channel"]["id"], message.get("thread_ts") or container.get("thread_ts") or "")
    person, at = body["user"]["id"], Conversation("slack", tenant, place.channel, place.thread)
    key = f"press:{person}:{action['action_ts']}"
    return Incoming(at, person, key, button=action["value"], opens=place.opens, alone=True)


def to_incoming(event: Mapping[str, Any], tenant: str, us: str) -> Incoming | None:
    """A message as `Incoming`; ``None`` for what nobody says to us: edits, bots, joins."""
    if event.get("subtype") not in {None, "file_share", "thread_broadcast"}:
        return None
    if event.get("bot_id") or not event.get("user") or event["user"] == us:
        return None
    thread = event.get("thread_ts") or event["ts"]  # in direct messages too, where each message roots a thread
    text = re.sub(rf"<@{re.escape(us)}(?:\|[^>]*)?>", " ", event.get("text") or "") if us else event.get("text") or ""
    text = re.sub(r"<(https?://[^|<>]+)(?:\|[^<>]*)?>", r"\1", text)
    files = tuple(
        Attachment(str(file.get("name") or "file"), source=str(file["url_private_download"]))
        for file in event.get("files") or ()
        if file.get("url_private_download")
    )
    at = Conversation("slack", tenant, event["channel"], thread)
    return Incoming(at, event["user"], f"said:{event['channel']}:{event['ts']}", unescape(text).strip(), "", files)
