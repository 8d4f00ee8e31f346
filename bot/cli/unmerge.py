"""The command `unmerge`: a paper that was merged from several records is taken apart again."""

from __future__ import annotations

from rich.console import Console

from bot.app import open_app
from bot.wording import ingesting
from engine.errors import UserError
from engine.retrieval.identity import read_key
from engine.retrieval.libraries.library import IndexProgress


async def unmerge(
    console: Console, identifier: str, library_name: str, workspace: str, number: int | None, *, show: bool
) -> int:
    """Take a paper of a library, or of what a workspace added, apart, or only list its records."""
    key = read_key(identifier)
    async with open_app() as app:
        if workspace and not await app.libraries.has_papers(workspace):
            raise UserError(ingesting.no_papers_of(workspace))
        library = await (
            app.libraries.workspace_library(workspace)
            if workspace
            else app.libraries.library(library_name or app.settings.library)
        )
        found = await library.get([key])
        if not found:
            raise UserError(f"The library “{library.name}” has no paper {key}.")
        records = await library.records_of(found[0].key)
        if show or (number is None and len(records) > 2):
            console.print(
                ingesting.list_merged_records(found[0], records), markup=False, highlight=False, soft_wrap=True
            )
            return 0
        parts = await library.unmerge(found[0].key, number)

        def silent(_: IndexProgress) -> None:
            pass

        await library.index(silent)
    console.print(ingesting.word_unmerged(parts), markup=False, highlight=False, soft_wrap=True)
    return 0
