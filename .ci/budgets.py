"""The budget of each room: lines of Python, files but for `__init__.py`, and uses of regular expressions.

python .ci/budgets.py              fail where a room has more than its budget, or the budgets' sum has risen
python .ci/budgets.py --tighten    write what there is as the new budgets; a room may rise only if the sum does not
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLE = Path(".ci/budgets.toml")
PACKAGES = ("adapters", "bot", "engine")
MEASURES = ("lines", "files", "patterns")
LOOK_BACK = 60
"""Changes of the table, about a round of work, over which its sums may only fall; a feature may come before what makes
room."""

PATTERN_USE = re.compile(r"\bre\.(?:compile|search|match|fullmatch|findall|finditer|sub|subn|split)\(")

Budgets = Mapping[str, Mapping[str, int]]


def count_rooms() -> dict[str, dict[str, int]]:
    """What each room has: a folder right below a package with all that is in it, or the package's own files."""
    rooms: dict[str, dict[str, int]] = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).parts
            room = rooms.setdefault("/".join(parts[:2]) if len(parts) > 2 else package, dict.fromkeys(MEASURES, 0))
            text = path.read_text(encoding="utf-8")
            room["lines"] += text.count("\n")
            room["files"] += path.name != "__init__.py"
            room["patterns"] += len(PATTERN_USE.findall(text))
    return rooms


def find_excesses(counted: Budgets, budgets: Budgets) -> list[str]:
    """A sentence for each room that has more than its budget, or none."""
    return [
        f"{room} has {found[measure]:,} {measure}, {budgets.get(room, {}).get(measure, 0):,} are its budget."
        for room, found in counted.items()
        for measure in MEASURES
        if found[measure] > budgets.get(room, {}).get(measure, 0)
    ]


def find_rises(budgets: Budgets, before: Budgets) -> list[str]:
    """A sentence for each measure of which all rooms together may now have more than before."""
    sums = {measure: (add_up(before, measure), add_up(budgets, measure)) for measure in MEASURES}
    return [f"The budgets of {name} rose from {was:,} to {now:,}." for name, (was, now) in sums.items() if now > was]


def add_up(budgets: Budgets, measure: str) -> int:
    """What all rooms have together."""
    return sum(room[measure] for room in budgets.values())


def read_earlier_table() -> Budgets | None:
    """The table as it was `LOOK_BACK` changes ago, or at first; ``None`` where no history has another than today's."""
    log = ["git", "log", "--format=%h", f"-{LOOK_BACK}", "--", str(TABLE)]
    commits = subprocess.run(log, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    if len(commits) < 2:
        return None
    show = ["git", "show", f"{commits[-1]}:{TABLE}"]
    return tomllib.loads(subprocess.run(show, cwd=ROOT, capture_output=True, text=True, check=True).stdout)


def write_table(counted: Budgets) -> None:
    """One line a room."""
    rows = [
        f'"{room}" = {{ ' + ", ".join(f"{m} = {has[m]}" for m in MEASURES) + " }\n" for room, has in counted.items()
    ]
    head = "# Lowered by `python .ci/budgets.py --tighten`; the sums may only fall.\n"
    (ROOT / TABLE).write_text(head + "".join(rows), encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Print what is wrong; 1 if anything is."""
    counted = count_rooms()
    earlier = read_earlier_table()
    if arguments == ["--tighten"]:
        wrong = find_rises(counted, earlier) if earlier else []
        if not wrong:
            write_table(counted)
    else:
        budgets = tomllib.loads((ROOT / TABLE).read_text(encoding="utf-8"))
        wrong = find_excesses(counted, budgets) + (find_rises(budgets, earlier) if earlier else [])
    tests = sum(path.read_text(encoding="utf-8").count("\n") for path in (ROOT / "tests").rglob("*.py"))
    lines, patterns = add_up(counted, "lines"), add_up(counted, "patterns")
    sys.stdout.write("".join(f"{line}\n" for line in wrong))
    sys.stdout.write(f"{lines:,} lines, {patterns} patterns; tests are {tests / lines:.2f} of the source\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
