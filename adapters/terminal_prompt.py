"""The line that a person types in a terminal: editing, history, completion, lists of several lines."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from pathlib import Path

_LIST_BEGUN = re.compile(r"(?:.*\s)?(?:papers|articles|list)\s*:\s*", re.I)


async def read_edited_lines(prompt: str, history: Path, words: Sequence[str]) -> AsyncIterator[str]:
    """Lines from a real terminal until the person leaves by Ctrl-D, or by Ctrl-C on an empty line.

    Ctrl-C clears what was typed; Tab completes ``words``; a paste of several lines is one, and after a line such as
    “papers:” the lines up to an empty one belong to it.
    """
    # Imported here, because commands that ask nobody anything start faster without it.
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import WordCompleter
    from prompt_toolkit.history import FileHistory, InMemoryHistory

    history.parent.mkdir(parents=True, exist_ok=True)
    remembers = FileHistory(str(history)) if _is_writable(history) else InMemoryHistory()
    session: PromptSession[str] = PromptSession(
        history=remembers,
        completer=WordCompleter(list(words), ignore_case=True, sentence=True),
        complete_while_typing=False,
        enable_history_search=True,
    )

    async def ask(text: str) -> str | None:
        """One line; ``None`` where the person leaves."""
        while True:
            try:
                return await session.prompt_async(text, handle_sigint=False)
            except KeyboardInterrupt:
                if not session.default_buffer.text:
                    return None
            except EOFError:
                return None

    while (line := await ask(prompt)) is not None:
        lines = [line]
        while _LIST_BEGUN.fullmatch(lines[0]) and (more := await ask("    … ")):
            lines.append(more)
        yield "\n".join(lines)


def _is_writable(file: Path) -> bool:
    with suppress(OSError), file.open("a"):
        return True
    return False
