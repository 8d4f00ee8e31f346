"""Markdown as blocks, cut to size, and as Slack shows it: nothing is lost, and nothing from outside has any power."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.chat import Button, Conversation, Outgoing
from adapters.markup import Block, Span, blocks, divide_block, pages, split
from adapters.slack.blocks import messages
from bot.wording.labels import WORDS
from bot.wording.sentences import HELP
from engine.rendering.markdown import escape_markdown
from engine.text import clean
from tests.stand_ins.slack_rules import check_message, pings, render_block

AT = Conversation("slack", "T1", "C1", "1.1")

HOSTILE = (
    "<!channel> and <!here|here>",
    "<@U1> <!subteam^S1> @everyone @U1",
    "[masked](https://evil.example) <https://evil.example|bank>",
    "https://evil.example",
    "``` fence *bold* _it_ `code`",
    "| a | b |\n|---|---|",
    "> quote\n# heading\n- list\n1. one",
    "a\x00b\u202ec\u200bd\x1b[31m",
    "&lt;!channel&gt; &amp;",
    "x" * 30_000,
)


def test_our_markdown_as_blocks() -> None:
    text = "# Head\n\nOne **two** *three* `four`\nfive <https://x.org/a>\n\n- a\n    - b\n\n3. c\n4. d\n\n"
    text += "```\ncode\n```\n\n| h |\n|---|\n| 1 |"
    kinds = [(b.kind, b.depth, b.number, b.text()) for b in blocks(text)]
    assert kinds == [
        ("heading", 0, None, "Head"),
        ("paragraph", 0, None, "One two three four\nfive https://x.org/a"),
        ("item", 0, None, "a"),
        ("item", 1, None, "b"),
        ("item", 0, 3, "c"),
        ("item", 0, 4, "d"),
        ("code", 0, None, "code"),
        ("table", 0, None, "h\n1"),
    ]


@given(st.text())
def test_escaped_text_is_literal_text(text: str) -> None:
    found = blocks(f"**Title** {escape_markdown(clean(text))}")
    assert "".join(b.text() for b in found).split() == f"Title {clean(text)}".split()
    assert {(s.italic, s.code, s.link) for b in found for s in b.line} == {(False, False, "")}


@given(st.lists(st.text("ab[] ,1-", min_size=1, max_size=80), min_size=1), st.integers(20, 60))
def test_division_loses_nothing_and_cuts_no_word_or_citation(texts: list[str], limit: int) -> None:
    block = Block("paragraph", tuple(Span(t, bold=i % 2 == 0) for i, t in enumerate(texts)))
    parts = divide_block(block, limit)
    assert all(len(part.text()) <= limit for part in parts)
    assert "".join("".join(p.text() for p in parts).split()) == "".join("".join(texts).split())


def test_a_citation_stays_in_one_part_and_a_table_keeps_its_head() -> None:
    words = " ".join(f"word{i} [Author et al. {i}; Other {i}]." for i in range(100))
    for part in divide_block(Block("paragraph", (Span(words),)), 90):
        assert part.text().count("[") == part.text().count("]")
    rows = tuple(((Span(f"name {i}"),), (Span(f"value {i}"),)) for i in range(50))
    parts = divide_block(Block("table", rows=rows), 100)
    assert all(part.rows[0] == rows[0] and len(part.text()) <= 100 for part in parts)
    assert [row for part in parts for row in part.rows[1:]] == list(rows[1:])
    code = Block("code", (Span("\n".join(f"line {i}" for i in range(100))),))
    assert "\n".join(part.text() for part in divide_block(code, 80)) == code.text()


def test_pages_hold_so_much_and_tables_stand_alone() -> None:
    found = blocks("one\n\ntwo\n\n| a |\n|---|\n| 1 |\n\nthree\n\n| b |\n|---|\n| 2 |")
    assert [[b.kind for b in page] for page in pages(found, 1_000, 10)] == [
        ["paragraph", "paragraph"],
        ["table"],
        ["paragraph"],
        ["table"],
    ]
    assert [len(page) for page in pages(found[:2] * 3, 1_000, 4)] == [4, 2]


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_from_a_paper_has_any_power_in_slack(text: str) -> None:
    outgoing = Outgoing(AT, f"**Found** {escape_markdown(clean(text))}", people=("U1",))
    for rendered in messages(outgoing, WORDS.say):
        body = {"text": rendered.notification, "blocks": list(rendered.blocks)}
        check_message(body)
        assert pings(body) == []
        links = json.dumps(body["blocks"])
        assert '"type": "link"' not in links
        assert '"broadcast"' not in links
        for part in rendered.plainly():
            assert pings({"text": part}) == []


@given(st.text(), st.integers(0, 30))
def test_whatever_is_shown_keeps_slacks_rules_and_every_word(text: str, count: int) -> None:
    buttons = tuple(Button(f"B{i}", f"b:{i}", f"say {i}") for i in range(min(count, 5)))
    body = "\n\n".join([f"- {escape_markdown(clean(text))} x"] * count) or "x"
    made = messages(Outgoing(AT, body, buttons=buttons, facts=("3 of 4",)), WORDS.say)
    for rendered in made:
        check_message({"text": rendered.notification, "blocks": list(rendered.blocks)})
    seen = "".join(render_block(block) for rendered in made for block in rendered.blocks)
    for word in set(clean(text).split()):
        assert not count or word in seen


def test_the_help_is_a_table_in_slack() -> None:
    made = messages(Outgoing(AT, HELP), WORDS.say)
    (table,) = [block for rendered in made for block in rendered.blocks if block["type"] == "table"]
    assert len(table["rows"]) == HELP.count("\n| ") - 1
    for rendered in made:
        check_message({"text": rendered.notification, "blocks": list(rendered.blocks)})


def test_split_is_by_paragraphs_first() -> None:
    assert split("one two\n\nthree four", 12) == ["one two", "three four"]
