"""What the simulated service answers where notes are taken, and where a whole text is read once more."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from typing import Any

from tests.stand_ins.simulated_surveyx import read_papers, take_words


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
                "how_at": lines[0],
                "task": re.sub(r"\d", "", take_words(title, 6)),
                "method": "" if invented else re.sub(r"\d", "", take_words(title, 4)),
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
            {"address": address, "text": html.unescape(line) if at % 2 else ""}
            for at, (address, line) in enumerate(lines)
        ]
    }


def outline_questions(prompt: str) -> dict[str, Any]:
    """As many sections as asked for; the questions go to the subsections between the first and the last by turns."""
    count = int(re.findall(r"exactly (\d+) sections", prompt)[-1])
    asked = re.findall(r"^(\d+)\. (.+)$", prompt, re.M)
    body = max(1, count - 2)

    def parts(at: int) -> list[dict[str, Any]]:
        own = asked[at::body]
        return [
            {"title": take_words(html.unescape(said), 6), "description": "It answers that.", "questions": [int(n)]}
            for n, said in own[:3]
        ]

    inner = [parts(at - 1) if 0 < at < count - 1 else [] for at in range(count)]
    sections = [
        {
            "title": f"Section {at}",
            "description": "It says so.",
            "subsections": inner[at],
        }
        for at in range(count)
    ]
    return {"title": "A Survey of What Was Asked", "sections": sections}


def ask(prompt: str) -> dict[str, Any]:
    """Three questions of the reader's own, which name what was heard."""
    role = html.unescape(re.findall(r"You are: ([^.\n]+)", prompt)[-1])
    heard = [take_words(html.unescape(title), 5) for _, title, _ in read_papers(prompt)] or ["the field"]
    return {"questions": [f"What does {role} learn of {heard[at % len(heard)]} at step {at}?" for at in range(3)]}


ANSWERS: dict[str, Callable[[str], dict[str, Any]]] = {
    "NotesAnswer": take_notes,
    "CritiqueAnswer": criticise,
    "PerspectivesAnswer": lambda _: {
        "people": [{"role": role, "concern": "They ask why."} for role in ("builder", "user", "critic", "payer")]
    },
    "QuestionsAnswer": ask,
    "OutlineAnswer[DividedPlan[AnsweringPart]]": outline_questions,
}
"""By the name of the answer's schema."""
