"""Work on files that others made, in a process of its own that may use so much memory and time and no more.

Run as ``python -I -m engine.bounded_process MODULE MEMORY_BYTES CPU_S ARGUMENT…``: it limits itself, then calls
``MODULE.serve(arguments, input, output)``, which may raise `UserError` before it answers anything. Whatever a hostile
file does to it, this process goes on.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass

from engine.errors import LimitExceeded, UserError

TOO_MUCH = "takes too much time or memory to read, as damaged and hostile files do"
REFUSED = 3
"""Exit status of a process that answers with what is wrong."""


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """``memory_bytes`` of address space; ``cpu_s`` in all, 0 for no limit; ``silence_s`` without an answer."""

    memory_bytes: int
    cpu_s: int
    silence_s: float


def call_bounded(module: str, content: bytes, limits: ProcessLimits, failed: str, *arguments: str) -> bytes:
    """What the module answers to the content; blocks for up to ``silence_s``, so call it in a thread.

    Raises `UserError`: what the module raised, or ``failed`` where it took too much, or broke down.
    """
    try:
        done = subprocess.run(
            _command(module, limits, arguments),
            input=content,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # a hostile file can be warned of without end
            timeout=limits.silence_s,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise UserError(failed) from error
    if done.returncode != 0:
        raise UserError(done.stdout.decode() if done.returncode == REFUSED else failed)
    return done.stdout


def stream_bounded(module: str, limits: ProcessLimits, *arguments: str) -> Iterator[bytes]:
    """The lines that the module answers, as they come; blocks for up to ``silence_s`` for each.

    The process waits while nobody reads, and is ended where nobody reads on. Raises `LimitExceeded` where it took
    too much, or broke down, after the lines that it finished.
    """
    command = _command(module, limits, arguments)
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        if process.stdout is None:
            raise ValueError("the process was started without a pipe")
        try:
            while True:
                watch = threading.Timer(limits.silence_s, process.kill)
                watch.start()
                try:
                    line = process.stdout.readline()
                    ended = not line.endswith(b"\n") and process.wait()
                finally:
                    watch.cancel()
                if line.endswith(b"\n"):
                    yield line
                elif ended:
                    raise LimitExceeded(f"It {TOO_MUCH}.")
                else:
                    return
        finally:
            process.kill()


def _command(module: str, limits: ProcessLimits, arguments: tuple[str, ...]) -> list[str]:
    bounds = (str(limits.memory_bytes), str(limits.cpu_s))
    return [sys.executable, "-I", "-m", "engine.bounded_process", module, *bounds, *arguments]


def main() -> None:
    """Limit this process, then let the module answer."""
    module, memory_bytes, cpu_s, *arguments = sys.argv[1:]
    # The memory that mathematical libraries set aside for each processor would count as used.
    os.putenv("OPENBLAS_NUM_THREADS", "1")
    _limit_resources(int(memory_bytes), int(cpu_s))
    try:
        importlib.import_module(module).serve(arguments, sys.stdin.buffer, sys.stdout.buffer)
    except UserError as error:
        sys.stdout.buffer.write(str(error).encode())
        sys.exit(REFUSED)
    sys.stdout.buffer.flush()


def _limit_resources(memory_bytes: int, cpu_s: int) -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limits; the parent's time limit still holds
        return
    if cpu_s:
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s))
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main()
