"""A real Postgres, started for the tests where the program is there, or found by a setting."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FOUND_URL = os.environ.get("SCHOLIUM_TEST_POSTGRES", "")
WITHOUT = "Postgres is not here (no SCHOLIUM_TEST_POSTGRES, no initdb): its tests are SKIPPED."


def programs() -> Path | None:
    """The folder of Postgres's programs: on the PATH, or where Debian puts them."""
    on_path = shutil.which("initdb")
    if on_path:
        return Path(on_path).resolve().parent
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


@contextmanager
def postgres() -> Iterator[str | None]:
    """The address of a server whose databases the tests may make and drop; ``None``, and a warning, without one."""
    if FOUND_URL:
        yield FOUND_URL
        return
    binaries = programs()
    # Postgres refuses to run as root; Debian's package makes a user for it.
    user = "postgres" if os.geteuid() == 0 else None
    if binaries is None:
        warnings.warn(WITHOUT, stacklevel=2)
        yield None
        return
    folder = Path(tempfile.mkdtemp(prefix="scholium-postgres-"))
    if user:
        shutil.chown(folder, user)
    data, log = folder / "data", folder / "log"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def run(*command: str) -> None:
        subprocess.run(command, user=user, cwd=folder, check=True, capture_output=True, timeout=60)

    run(f"{binaries}/initdb", "-D", str(data), "-A", "trust", "-U", "scholium", "--no-sync", "-E", "UTF8")
    options = f"-p {port} -h 127.0.0.1 -k {folder} -c fsync=off -c max_connections=200"
    run(f"{binaries}/pg_ctl", "-D", str(data), "-l", str(log), "-o", options, "-w", "start")
    try:
        yield f"postgresql://scholium@127.0.0.1:{port}/postgres"
    finally:
        run(f"{binaries}/pg_ctl", "-D", str(data), "-m", "immediate", "-w", "stop")
        shutil.rmtree(folder, ignore_errors=True)
