"""Work on files that others made, in a process of its own that may use so much memory and time and no more.

Run as ``python -I -m engine.bounded_process MODULE FUNCTION MEMORY_BYTES CPU_S ARGUMENT…``: it limits itself, calls the
function with its input and the arguments, and writes what that gives, or each that it yields, as a line of JSON, by the
type that the function says it gives. Whatever a hostile file does to it, this process goes on.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter, ValidationError

from engine.errors import LimitExceeded, UserError

TOO_MUCH = "takes too much time or memory to read, as damaged and hostile files do"
REFUSED = 3
"""Exit status of a process that ends its answer with what is wrong."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """``memory_bytes`` of address space; ``cpu_s`` in all, 0 for no limit; ``silence_s`` without an answer."""

    memory_bytes: int
    cpu_s: int
    silence_s: float


def call_bounded(function: Callable[..., T], content: bytes, limits: ProcessLimits, failed: str, *arguments: str) -> T:
    """What the function makes of the content; blocks for up to ``silence_s``, so call it in a thread.

    Raises `UserError`: what the function raised, or ``failed`` where it took too much, or broke down.
    """
    try:
        done = subprocess.run(
            _command(function, limits, arguments),
            input=content,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # a hostile file can be warned of without end
            timeout=limits.silence_s,
            check=False,
        )
        if done.returncode == 0:
            answer: T = _answers_of(function).validate_json(done.stdout)
            return answer
    except (subprocess.TimeoutExpired, ValidationError) as error:
        raise UserError(failed) from error
    raise UserError(json.loads(done.stdout) if done.returncode == REFUSED else failed)


def stream_bounded(function: Callable[..., Iterator[T]], limits: ProcessLimits, *arguments: str) -> Iterator[T]:
    """What the function yields, without content, as it comes; blocks for up to ``silence_s`` for each.

    The process waits while nobody reads, and is ended where nobody reads on. Raises, after what came before, the
    `UserError` that the function raised, or `LimitExceeded` where it took too much, or broke down.
    """
    command = _command(function, limits, arguments)
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
                    yield _answers_of(function).validate_json(line)
                elif ended == REFUSED:
                    raise UserError(json.loads(line))
                elif ended:
                    raise LimitExceeded(f"It {TOO_MUCH}.")
                else:
                    return
        finally:
            process.kill()


def _command(function: Callable[..., Any], limits: ProcessLimits, arguments: tuple[str, ...]) -> list[str]:
    called = function.__module__, function.__name__, str(limits.memory_bytes), str(limits.cpu_s)
    return [sys.executable, "-I", "-m", "engine.bounded_process", *called, *arguments]


@cache
def _answers_of(function: Callable[..., Any]) -> TypeAdapter[Any]:
    answer = get_type_hints(function, include_extras=True)["return"]
    return TypeAdapter(get_args(answer)[0] if get_origin(answer) is Iterator else answer)


def main() -> None:
    """Limit this process, then let the function answer."""
    module, name, memory_bytes, cpu_s, *arguments = sys.argv[1:]
    # The memory that mathematical libraries set aside for each processor would count as used.
    os.putenv("OPENBLAS_NUM_THREADS", "1")
    _limit_resources(int(memory_bytes), int(cpu_s))
    function = getattr(importlib.import_module(module), name)
    try:
        answer = function(sys.stdin.buffer.read(), *arguments)
        for one in answer if isinstance(answer, Iterator) else [answer]:
            sys.stdout.buffer.write(_answers_of(function).dump_json(one) + b"\n")
            sys.stdout.buffer.flush()
    except UserError as error:
        sys.stdout.write(json.dumps(str(error)))
        sys.exit(REFUSED)


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
