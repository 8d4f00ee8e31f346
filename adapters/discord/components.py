"""Discord's buttons and forms: buttons that work after any restart, modals, and what was filled in."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any, Self

import discord

from adapters.chat import Button, Form, FormField, FormPlace

ROWS, IN_A_ROW = 5, 5
LABEL, TITLE, FIELD_LABEL, PLACEHOLDER, VALUE = 80, 45, 45, 100, 4_000
FIELDS = 5
OPTIONS = 25
FORM_S = 900.0
REST = "rest"
"""The field that stands for several."""
_FIELD = re.compile(r"(?P<name>[^\s:=]+)(?:\s*[:=](?P<empty>)|\s*[:=]?\s*(?P<value>\S.*)|)")
"""“years: 2018..”, “sections 4”; what stands alone is passed on, to be refused; “budget:” was left empty."""

Press = Callable[[discord.Interaction, str, bool], Awaitable[None]]


class ActionButton(discord.ui.DynamicItem[discord.ui.Button[Any]], template=r"(act|ask)\d*:(?P<action>.+)"):
    """A button that carries only what it means; whoever runs finds the rest in the store."""

    press: Press
    """Set by the adapter."""

    def __init__(self, item: discord.ui.Button[Any], action: str, *, asks: bool) -> None:
        super().__init__(item)
        self.action = action
        self.asks = asks

    @classmethod
    async def from_custom_id(cls, _: discord.Interaction, item: discord.ui.Item[Any], match: re.Match[str], /) -> Self:
        """The button that was pressed."""
        assert isinstance(item, discord.ui.Button)
        return cls(item, match["action"], asks=match[1] == "ask")

    async def callback(self, interaction: discord.Interaction) -> None:
        """Take it."""
        await type(self).press(interaction, self.action, self.asks)


def view(buttons: Sequence[Button]) -> discord.ui.View | None:
    """The buttons under a message; ``None`` for none."""
    if not buttons:
        return None
    made = discord.ui.View(timeout=None)
    for button in _make_buttons(buttons):
        made.add_item(button)
    return made


def card(text: str, buttons: Sequence[Button]) -> discord.ui.LayoutView:
    """A text with its buttons in a box, twice as long as other messages may be; it can become no other kind again."""
    made = discord.ui.LayoutView(timeout=None)
    drawn: list[discord.ui.Item[Any]] = list(_make_buttons(buttons))
    rows = (drawn[at : at + IN_A_ROW] for at in range(0, len(drawn), IN_A_ROW))
    boxed = (discord.ui.ActionRow[discord.ui.LayoutView](*row) for row in rows)
    made.add_item(discord.ui.Container(discord.ui.TextDisplay(text), *boxed))
    return made


def _make_buttons(buttons: Sequence[Button]) -> Iterator[ActionButton]:
    for number, button in enumerate(buttons[: ROWS * IN_A_ROW]):
        styles = {"ok": discord.ButtonStyle.primary, "stop": discord.ButtonStyle.danger}
        style = styles.get(button.typed, discord.ButtonStyle.secondary)
        name = f"{'ask' if button.asks else 'act'}{number}:{button.action}"
        item: discord.ui.Button[Any] = discord.ui.Button(label=button.label[:LABEL], style=style, custom_id=name)
        yield ActionButton(item, button.action, asks=button.asks)


def _compact(form: Form, rest_label: str) -> tuple[FormField, ...]:
    """At most `FIELDS` fields: what is optional and too much stands in one text, a line for each, ``name: value``."""
    if len(form.fields) <= FIELDS:
        return form.fields
    first = sorted(form.fields, key=lambda field: field.optional)[: FIELDS - 1]
    rest = [field for field in form.fields if field not in first]
    lines = "\n".join(f"{field.name}: {field.value}" for field in rest)
    hint = " · ".join(f"{field.name}: {field.hint}" for field in rest if field.hint)
    return (*first, FormField(REST, rest_label, lines, hint, kind="text", optional=True))


def modal(form: Form, place: FormPlace, rest_label: str) -> discord.ui.Modal:
    """The form as a modal; ``rest_label`` names the field in which optional ones stand that are too many."""
    made = discord.ui.Modal(title=form.title[:TITLE], custom_id=place.pack(), timeout=FORM_S)
    for field in _compact(form, rest_label):
        component: discord.ui.Item[Any]
        if field.kind == "choice":
            options = [
                discord.SelectOption(label=label[:100], value=value[:100], default=value == field.value)
                for value, label in field.choices[:OPTIONS]
            ]
            component = discord.ui.Select(custom_id=field.name, options=options, required=not field.optional)
        else:
            component = discord.ui.TextInput(
                custom_id=field.name,
                style=discord.TextStyle.paragraph if field.kind == "text" else discord.TextStyle.short,
                default=field.value or None,
                placeholder=field.hint[:PLACEHOLDER] or None,
                required=not field.optional,
                max_length=VALUE,
            )
        made.add_item(discord.ui.Label(text=field.label[:FIELD_LABEL], component=component))
    return made


def read_filled_form(data: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Names and values of a form that was handed in."""
    values = []
    for field in (label["component"] for label in data["components"]):
        name, value = str(field["custom_id"]), str(field.get("value") or next(iter(field.get("values") or ()), ""))
        values += _lines(value) if name == REST else [(name, value)]
    return tuple(values)


def _lines(text: str) -> list[tuple[str, str]]:
    """The fields that stand in one text."""
    pairs = (_FIELD.fullmatch(line.strip()) for line in text.splitlines() if line.strip())
    return [(pair["name"].lower(), pair["value"] or pair["name"]) for pair in pairs if pair and pair["empty"] is None]
