"""What Slack refuses in messages and views, written from its documentation and from what people reported of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

Json = dict[str, Any]

TOGETHER = 13_200
_PING = re.compile(r"<(?:![a-z]|!subteam|@[UW])")


class No(Exception):
    """The name of Slack's error."""


def texts(node: Any) -> Iterator[str]:
    """Every text in blocks."""
    if isinstance(node, dict):
        for name, value in node.items():
            if name == "text" and isinstance(value, str):
                yield value
            elif name not in {"value", "action_id", "block_id", "url", "private_metadata"}:
                yield from texts(value)
    elif isinstance(node, list):
        for item in node:
            yield from texts(item)


def render_block(node: Json) -> str:
    """A block as it is read: what is inline stands side by side."""
    items = node.get("elements")
    if items is None:
        return f"@{node['user_id']}" if node["type"] == "user" else "\n".join(texts(node))
    inline = node["type"] in {"rich_text_section", "rich_text_quote", "rich_text_preformatted"}
    return ("" if inline else "\n").join(render_block(item) for item in items)


def check_message(body: Json) -> None:
    text, blocks = body.get("text") or "", body.get("blocks") or []
    need(bool(text.strip() or blocks), "no_text")
    need(len(text) <= 40_000, "msg_too_long")
    need(len(blocks) <= 50, "invalid_blocks")
    need(sum(len(t) for t in texts(blocks)) <= TOGETHER, "msg_blocks_too_long")
    need(sum(b["type"] == "table" for b in blocks) <= 1, "invalid_blocks")
    ids = [b["block_id"] for b in blocks if "block_id" in b]
    need(len(set(ids)) == len(ids), "invalid_blocks")
    for block in blocks:
        check_block(block)


def check_view(view: Json) -> None:
    need(view["type"] in {"modal", "home"}, "invalid_arguments")
    need(1 <= len(view["blocks"]) <= 100, "invalid_arguments")
    need(len(view.get("private_metadata", "")) <= 3_000, "invalid_arguments")
    if view["type"] == "modal":
        for name in ("title", "submit"):
            check_plain(view[name], 24)
    for block in view["blocks"]:
        check_block(block)


def check_block(block: Json) -> None:
    need(len(block.get("block_id", "")) <= 255, "invalid_blocks")
    check = _CHECKS.get(block["type"])
    need(check is not None, "invalid_blocks")
    check(block)  # type: ignore[misc]


def check_context(block: Json) -> None:
    need(1 <= len(block["elements"]) <= 10, "invalid_blocks")
    for element in block["elements"]:
        check_text(element, 2_000)


def check_actions(block: Json) -> None:
    elements = block["elements"]
    need(1 <= len(elements) <= 25, "invalid_blocks")
    need(len({e["action_id"] for e in elements}) == len(elements), "invalid_blocks")
    for element in elements:
        check_button(element)


def check_rating(block: Json) -> None:
    need(1 <= len(block["elements"]) <= 5, "invalid_blocks")
    for element in block["elements"]:
        need(element["type"] == "feedback_buttons" and 1 <= len(element["action_id"]) <= 255, "invalid_blocks")
        for button in (element["positive_button"], element["negative_button"]):
            check_plain(button["text"], 75)
            need(1 <= len(button["value"]) <= 2_000, "invalid_blocks")


def check_rich_text(block: Json) -> None:
    need(bool(block["elements"]), "invalid_blocks")
    for element in block["elements"]:
        check_rich(element)


def check_input_block(block: Json) -> None:
    check_plain(block["label"], 2_000)
    check_input(block["element"])


def check_text(text: Json, limit: int) -> None:
    need(text["type"] in {"plain_text", "mrkdwn"} and 1 <= len(text["text"]) <= limit, "invalid_blocks")


def check_plain(text: Json, limit: int) -> None:
    need(text["type"] == "plain_text", "invalid_blocks")
    check_text(text, limit)


def check_button(button: Json) -> None:
    need(button["type"] == "button" and 1 <= len(button["action_id"]) <= 255, "invalid_blocks")
    check_plain(button["text"], 75)
    need(len(button.get("value", "")) <= 2_000 and len(button.get("url", "")) <= 3_000, "invalid_blocks")
    need(button.get("style", "primary") in {"primary", "danger"}, "invalid_blocks")


def check_input(element: Json) -> None:
    if element["type"] == "plain_text_input":
        need(element.get("max_length", 3_000) <= 3_000, "invalid_arguments")
        need(len(element.get("initial_value", "")) <= element.get("max_length", 3_000), "invalid_arguments")
        need("initial_value" not in element or element["initial_value"] != "", "invalid_arguments")
        if "placeholder" in element:
            check_plain(element["placeholder"], 150)
        return
    need(element["type"] == "static_select" and 1 <= len(element["options"]) <= 100, "invalid_arguments")
    for option in element["options"]:
        check_plain(option["text"], 75)
        need(1 <= len(option["value"]) <= 150, "invalid_arguments")
    need("initial_option" not in element or element["initial_option"] in element["options"], "invalid_arguments")


def check_rich(element: Json) -> None:
    match element["type"]:
        case "rich_text_list":
            need(element["style"] in {"bullet", "ordered"} and 0 <= element.get("indent", 0) <= 8, "invalid_blocks")
            for item in element["elements"]:
                need(item["type"] == "rich_text_section", "invalid_blocks")
                check_rich(item)
        case "rich_text_section" | "rich_text_quote" | "rich_text_preformatted":
            need(bool(element["elements"]), "invalid_blocks")
            for item in element["elements"]:
                check_inline(item)
        case _:
            raise No("invalid_blocks")


def check_inline(item: Json) -> None:
    match item["type"]:
        case "text":
            need(len(item["text"]) >= 1, "invalid_blocks")
            need(set(item.get("style", {})) <= {"bold", "italic", "strike", "code"}, "invalid_blocks")
        case "link":
            need(item["url"].startswith(("http://", "https://")), "invalid_blocks")
        case "user":
            need(bool(re.fullmatch(r"[UW][A-Z0-9]+", item["user_id"])), "invalid_blocks")
        case _:
            raise No("invalid_blocks")


def check_table(block: Json) -> None:
    rows = block["rows"]
    need(1 <= len(rows) <= 100 and all(1 <= len(row) <= 20 for row in rows), "invalid_blocks")
    cells = [cell["text"] for row in rows for cell in row]
    need(all(cells) and sum(map(len, cells)) <= 10_000, "invalid_blocks")


def pings(body: Json) -> list[str]:
    """What would notify a channel, a group or a person although it is only text."""
    marked = [body.get("text") or ""]
    for block in body.get("blocks") or []:
        if block["type"] in {"section", "context"}:
            marked += [t["text"] for t in (block.get("elements") or [block["text"]]) if t["type"] == "mrkdwn"]
    found = [text for text in marked if _PING.search(text)]
    return [*found, *(["parse"] if body.get("parse") == "full" or body.get("link_names") else [])]


def need(holds: bool, error: str) -> None:  # noqa: FBT001
    if not holds:
        raise No(error)


_CHECKS: dict[str, Callable[[Json], None]] = {
    "header": lambda block: check_plain(block["text"], 150),
    "section": lambda block: check_text(block["text"], 3_000),
    "context": check_context,
    "actions": check_actions,
    "context_actions": check_rating,
    "rich_text": check_rich_text,
    "table": lambda block: check_table(block),
    "input": check_input_block,
    "divider": lambda _: None,
}
