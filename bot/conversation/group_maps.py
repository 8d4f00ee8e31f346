"""The map of the groups that a person is asked to approve, as a picture."""

from __future__ import annotations

import asyncio
from pathlib import Path

from engine.rendering.files import write_figure
from engine.values import Outline
from engine.writing.clustered import draw_groups


async def write_group_map(outline: Outline | None, folder: Path) -> Path | None:
    """The picture of the groups as they are now; ``None`` where the outline is none of groups, or has no places."""
    figure = draw_groups(outline) if outline and outline.is_grouping else None
    return await asyncio.to_thread(write_figure, figure, folder, "groups") if figure else None
