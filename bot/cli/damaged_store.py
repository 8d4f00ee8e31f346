"""The way back from a damaged store: the last backup is noted in the home folder, and named where it is wanted."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from bot.settings import Settings

NOTE = "last-backup.txt"


def note_backup(home: Path, backup: Path) -> None:
    """Remember where the last backup was written. Raises `OSError` where the home folder cannot be written."""
    home.mkdir(parents=True, exist_ok=True)
    (home / NOTE).write_text(f"{backup.resolve()}\n", encoding="utf-8")


def word_way_back(settings: Settings) -> str:
    """What whoever runs Scholium does now, with the file and the command."""
    if settings.database_url:
        first = "Stop Scholium, set SCHOLIUM_DATABASE_URL to an empty database, and run"
    else:
        first = f"Stop Scholium, move store.sqlite*, jobs.sqlite* out of {settings.home}, and run"
    backup = _find_backup(settings.home)
    if backup is not None:
        written = datetime.fromtimestamp(backup.stat().st_mtime, UTC).strftime("%Y-%m-%d %H:%M")
        return f"{first}: scholium restore {backup} (the last backup, of {written} UTC). Libraries stay as they are."
    recover = (
        ""
        if settings.database_url
        else (
            " Without one, SQLite's own program saves what can be read: sqlite3 MOVED/store.sqlite .recover | "
            f"sqlite3 {settings.home / 'store.sqlite'}"
        )
    )
    return f"{first}: scholium restore FILE, with a file that “scholium backup” wrote; none is noted here.{recover}"


def word_new_queue(settings: Settings) -> str:
    """What whoever runs Scholium does about a damaged queue of jobs: sessions say which jobs they wait for."""
    if settings.database_url:
        return word_way_back(settings)
    return (
        f"Stop Scholium, move jobs.sqlite* out of {settings.home}, and start it again. Nothing is lost: jobs that "
        "conversations wait for begin again, and no finished call is paid for twice."
    )


def _find_backup(home: Path) -> Path | None:
    """The last backup; ``None`` where none was noted, or it is not there any more."""
    try:
        backup = Path((home / NOTE).read_text(encoding="utf-8").strip())
    except FileNotFoundError:
        return None
    return backup if backup.is_file() else None
