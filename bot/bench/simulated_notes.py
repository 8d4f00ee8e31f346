"""What the simulated service answers where notes are taken, and where a whole text is read once more."""

from __future__ import annotations

import html
import re
from typing import Any

from bot.bench.simulated_surveyx import read_papers, take_words


def take_notes(prompt: str) -> dict[str, Any]:
    """Of the first papers one note each, of their last sentence; every seventh has a figure that no sentence has."""
    most = int(re.findall(r"at most (\d+) of these papers", prompt)[-1])
    notes = []
    for key, title, rest in read_papers(prompt)[:most]:
        lines = [int(number) for number in re.findall(r"^(\d+)\. ", rest, re.M)] or [1]
        said = dict(re.findall(r"^(\d+)\. (.+)$", rest, re.M)).get(str(lines[-1]), title)
        invented = " by 99999 points" if (len(title) + len(key)) % 7 == 0 else ""
        notes.append(
            {
                "key": key,
                "sentences": sorted({lines[0], lines[len(lines) // 2], lines[-1]}),
                "how": "data",
                "task": re.sub(r"\d", "", take_words(title, 6)),
                "method": re.sub(r"\d", "", take_words(title, 4)),
                "shown": " ".join(said.split()[:12]) + invented,
                "limit": "",
            }
        )
    return {"notes": notes}


def criticise(prompt: str) -> dict[str, Any]:
    """Of every fiftieth sentence that it goes, or reads otherwise, by turns."""
    lines = re.findall(r"^([\d.]+:\d+) (.+)$", prompt.split("<draft>")[-1].split("</draft>")[0], re.M)[24::50]
    return {
        "edits": [
            {"address": address, "reason": "It repeats another.", "text": html.unescape(line) if at % 2 else ""}
            for at, (address, line) in enumerate(lines)
        ]
    }
