"""What the linters do not check: the length of files, and secrets, hosts and machine paths in the tree."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCES = [p for folder in ("bot", "engine", "adapters", "tests") for p in (ROOT / folder).rglob("*.py")]


def test_no_file_is_longer_than_400_lines() -> None:
    long = {str(p.relative_to(ROOT)): n for p in SOURCES if (n := len(p.read_text().splitlines())) > 400}
    assert long == {}


def test_packages_do_not_re_export() -> None:
    for path in SOURCES:
        if path.name == "__init__.py":
            assert "import" not in re.sub(r'""".*?"""', "", path.read_text(), flags=re.S)


def test_modules_are_not_called_helpers() -> None:
    assert not [p for p in SOURCES if p.stem in {"utils", "helpers", "manager", "common", "misc"}]


def test_migrations_follow_one_another() -> None:
    files = sorted((ROOT / "bot" / "store" / "migrations" / "versions").glob("v0*.py"))
    numbers = [
        (file.stem[1:5], *re.findall(r'^(?:down_)?revision = (?:"(\d+)"|None)$', file.read_text(), re.M))
        for file in files
    ]
    expected = [f"{n:04}" for n in range(1, len(files) + 1)]
    assert numbers == [(own, own, before) for own, before in zip(expected, ["", *expected], strict=False)]


def test_every_dependency_is_pinned() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    pinned = re.findall(r"^([a-z0-9-]+)==", (ROOT / "requirements.txt").read_text(), re.M)
    names = {re.match(r"[A-Za-z0-9_.-]+", line)[0].lower().replace(".", "-").replace("_", "-") for line in declared}  # type: ignore[index]
    assert names <= set(pinned), "uv pip compile pyproject.toml --universal --python-version 3.11 -o requirements.txt"
