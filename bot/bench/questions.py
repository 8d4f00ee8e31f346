"""The command `bench questions`: multiple-choice questions for the knowledge test, from the papers of a library."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from pydantic import TypeAdapter
from rich.console import Console

from bot.app import open_app
from engine.errors import UserError
from engine.evaluation.knowledge import Question, make_questions
from engine.limits import Limits
from engine.values import Query

LISTS = TypeAdapter(list[Question])


async def write_questions(
    console: Console, topics: Sequence[str], library_name: str, count: int, seed: int, output: Path
) -> int:
    """``count`` questions for each topic into one file; raises `UserError` where a topic gives none."""
    made: list[Question] = []
    async with open_app() as app:
        library = await app.open_library(library_name)
        for topic in topics:
            found = await library.search(Query(topic, Limits().survey_papers))
            own = make_questions([item.paper for item in found], topic, count, seed)
            if not own:
                raise UserError(
                    f"No title of the library's papers on “{topic}” begins with the name of what it proposes."
                )
            console.print(f"{topic}: {len(own)} of {count} questions", markup=False, highlight=False)
            made += own
    try:
        await asyncio.to_thread(output.write_bytes, LISTS.dump_json(made, indent=1))
    except OSError as error:
        raise UserError(f"{output} cannot be written: {error.strerror or error}.") from error
    console.print(f"Written: {output}", markup=False, highlight=False)
    return 0
