"""What Discord is given to show: every word, within its length, and nothing that has any power."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.chat import Conversation, Outgoing
from adapters.discord.discord_markup import MESSAGE_CHARACTERS, literal, messages
from bot.wording.sentences import HELP
from engine.rendering.markdown import escape_markdown
from engine.text import clean

AT = Conversation("discord", "100", "200", "300")

HOSTILE = (
    "@everyone @here <@&12> <@!1> <#200>",
    "[masked](https://evil.example) https://evil.example discord.gg/abc discordapp.com/invite/x",
    "``` fence *bold* __u__ ~~s~~ ||spoiler||",
    "> quote\n# heading\n- list\n1. one\n-# small",
    "a\x00b\u202ec\x1b[31m",
    "x" * 9_000,
)


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_from_a_paper_has_any_power(text: str) -> None:
    for message in messages(Outgoing(AT, f"**Found** {escape_markdown(clean(text))}", people=("1",))):
        assert len(message) <= MESSAGE_CHARACTERS
        for power in ("@everyone", "@here", "<@&", "<#", "://e", "discord.gg", "](", "```", "||", "~~", "__", "\x1b"):
            assert power not in message


@given(st.text(), st.integers(1, 30))
def test_every_word_is_shown_within_the_length(text: str, count: int) -> None:
    made = messages(Outgoing(AT, "\n\n".join([f"- {escape_markdown(clean(text))} x"] * count), facts=("3 of 4",)))
    assert all(1 <= len(message) <= MESSAGE_CHARACTERS for message in made)
    seen = "".join("".join(made).replace("\u200b", "").replace("\\", "").split())
    for word in clean(text).replace("\\", "").replace("\u200b", "").split():
        assert word in seen


def test_cells_of_a_wide_table_are_named_by_their_columns() -> None:
    table = "| Paper | Year | Data |\n| --- | --- | --- |\n| Guu | 2020 | MARCO |\n| Mao | 2021 | – |\n"
    assert messages(Outgoing(AT, table)) == ["- **Guu**: 2020 · Data: MARCO\n- **Mao**: 2021"]


def test_a_citation_is_not_broken_and_help_is_readable() -> None:
    words = " ".join(f"word{i} [Author et al. {i}; Other {i}]." for i in range(300))
    for message in messages(Outgoing(AT, escape_markdown(words))):
        assert message.count("\\[") == message.count("\\]")
    help_text = "\n".join(messages(Outgoing(AT, HELP)))
    assert "- **to begin**: `survey TOPIC`" in help_text
    assert literal("plain words, 3.5 and (x)") == "plain words, 3.5 and \\(x\\)"


@pytest.mark.parametrize("person", ["\\1", "\\g<0>", "a\\b", "(", "\\"])
def test_a_name_that_means_something_to_a_pattern_is_shown(person: str) -> None:
    (said,) = messages(Outgoing(AT, f"@{escape_markdown(person)} may approve this now.", people=(person,)))
    assert said.endswith("may approve this now.")
