"""The command `bench write`: a whole `scholium write` against a simulated service, beside AutoSurvey's own code."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

from rich.console import Console
from rich.table import Table

from tests.stand_ins.simulation import Fault, SimulatedService, run_simulated_service

PUBLISHED_SIZE = (8, 700)
"""Sections, and words of each subsection, of the run that ours is compared with."""

AUTOSURVEY = {
    "papers": 1_200,
    "subsections": 35,
    "words": 27_747,
    "calls": 127,
    "read": 2_120_000,
    "written": 170_000,
    "seconds": 170.0,
}
"""AutoSurvey's public code on the same service, a whole process over 87,320 papers, measured 23 November 2026."""

TARGETS = {"words": 0.95, "read": 0.45, "written": 0.60, "seconds": 0.40}
"""At least so much of the words that were asked for; at most so much of what that code takes."""

FIRST_REQUEST_S = 4.0
"""Seconds from the start of the process to its first request, at most."""

FAULTY_EVERY = 7
_PROSE = re.compile(r"^(?![#>|!\-*]|\d+\.|\[\d+\]|\s*$).+", re.M)


@dataclass(frozen=True, slots=True)
class MeasuredProcess:
    """What one process took and delivered; ``read`` and ``written`` are tokens."""

    papers: int
    """Papers of the outline's requests, each once."""
    subsections: int
    words: int
    calls: int
    read: int
    written: int
    seconds: float
    before_first_s: float
    waiting_s: float
    """From the first request to the last answer."""
    code: int
    said: str


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be written: ``size`` is sections and words of each subsection."""

    library: str
    topic: str
    recipe: str = "autosurvey"
    size: tuple[int, int] = PUBLISHED_SIZE


async def write(console: Console, task: Task, pace: float, *, faults: bool) -> int:
    """Measure one process, and with ``faults`` one more for each kind."""
    run = await measure_process(SimulatedService(pace=pace), task)
    _report(console, run, task, pace)
    if run.code:
        console.print(run.said[-2_000:], markup=False, highlight=False)
    if faults:
        await _measure_faults(console, replace(task, size=(4, 200)))
    return run.code


async def measure_process(service: SimulatedService, task: Task) -> MeasuredProcess:
    """Run `scholium write` with this service as its language model, and read what it delivered."""
    sections, words = map(str, task.size)
    options = ("--recipe", task.recipe, "--sections", sections, "--subsection-words", words)
    with tempfile.TemporaryDirectory() as folder:
        named = ("--library", task.library) if task.library else ()
        command = (sys.executable, "-m", "bot", "write", task.topic, *options, *named, "--output", folder, "--yes")
        async with run_simulated_service(service):
            environment = {**os.environ, "OPENAI_API_KEY": "simulated", "OPENAI_BASE_URL": f"{service.url}/v1"}
            begun, began = time.perf_counter(), time.perf_counter() - service.began
            process = await asyncio.create_subprocess_exec(
                *command, env=environment, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
            )
            said, _ = await process.communicate()
            seconds = time.perf_counter() - begun
        files = await asyncio.to_thread(_read_files, Path(folder))
    calls = service.calls
    first = min((call.start for call in calls), default=began)
    outlined = {key for call in calls if call.kind == "OutlineAnswer[Plan]" for key in _keys(str(call.body))}
    return MeasuredProcess(
        papers=len(outlined),
        subsections=len(re.findall(r"^### ", _body_of(files[0]), re.M)) if files else 0,
        words=sum(len(line.split()) for line in _PROSE.findall(_body_of(files[0]))) if files else 0,
        calls=len(calls),
        read=sum(call.input_tokens for call in calls),
        written=sum(call.output_tokens for call in calls),
        seconds=seconds,
        before_first_s=first - began,
        waiting_s=max((call.end for call in calls), default=began) - first,
        code=process.returncode or 0,
        said=said.decode(errors="replace"),
    )


def _read_files(folder: Path) -> list[str]:
    return [path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.md"))]


def _keys(body: str) -> list[str]:
    return re.findall(r'<paper key=\\*"([^"\\]+)', body)


def _body_of(text: str) -> str:
    """The survey's sections, without what stands before them and the references."""
    inside = text[match.start() :] if (match := re.search(r"^## (?:1\.? |Introduction)", text, re.M)) else text
    return re.split(r"^## References", inside, flags=re.M)[0]


def _report(console: Console, run: MeasuredProcess, task: Task, pace: float) -> None:
    compared = task.size == PUBLISHED_SIZE and pace == 1 and task.recipe == "autosurvey"
    table = Table("", "Scholium", "AutoSurvey's code", "Ratio", "Target", title="A survey on the simulated service")
    for name, theirs in AUTOSURVEY.items():
        ours = getattr(run, name)
        ratio = f"{ours / theirs:.2f}" if compared else ""
        most = TARGETS.get(name)
        target = f"≤ {most:.2f}" if most and name != "words" else ""
        if name == "words" and run.subsections:
            asked = run.subsections * task.size[1]
            ratio, target = f"{ours / asked:.2f} of {asked:,}", f"≥ {TARGETS['words']:.2f}"
        table.add_row(name.capitalize(), f"{ours:,.0f}", f"{theirs:,.0f}" if compared else "", ratio, target)
    table.add_row("Before the first request", f"{run.before_first_s:.1f} s", "", "", f"≤ {FIRST_REQUEST_S:.0f} s")
    table.add_row("First request to last answer", f"{run.waiting_s:.1f} s", "", "", "")
    console.print(table)


def _fail_often(fault: Fault) -> Callable[[int], Fault | None]:
    return lambda number: fault if number % FAULTY_EVERY == FAULTY_EVERY - 1 else None


async def _measure_faults(console: Console, task: Task) -> None:
    """Every seventh call fails in one way; and services that allow few calls at once."""
    table = Table("Fault", "Exit code", "Calls", "Words", "Seconds", title=f"Every {FAULTY_EVERY}th call fails")
    services = {str(fault): SimulatedService(pace=0.02, fault=_fail_often(fault)) for fault in get_args(Fault)}
    services |= {f"at most {n} at once": SimulatedService(pace=0.02, concurrent=n) for n in (10, 20)}
    services["at most 60 a minute"] = SimulatedService(pace=0.02, per_minute=60)
    for name, service in services.items():
        run = await measure_process(service, task)
        table.add_row(name, f"{run.code}", f"{run.calls}", f"{run.words:,}", f"{run.seconds:.1f}")
    console.print(table)
