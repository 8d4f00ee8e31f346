"""A real Postgres, started for the tests where the program is there, or found by a setting."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.stand_ins.changes import PATIENCE_S

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
        subprocess.run(command, user=user, cwd=folder, check=True, capture_output=True, timeout=PATIENCE_S)

    run(f"{binaries}/initdb", "-D", str(data), "-A", "trust", "-U", "scholium", "--no-sync", "-E", "UTF8")
    options = f"-p {port} -h 127.0.0.1 -k {folder} -c fsync=off -c max_connections=200"
    run(f"{binaries}/pg_ctl", "-D", str(data), "-l", str(log), "-o", options, "-w", "start")
    try:
        yield f"postgresql://scholium@127.0.0.1:{port}/postgres"
    finally:
        run(f"{binaries}/pg_ctl", "-D", str(data), "-m", "immediate", "-w", "stop")
        shutil.rmtree(folder, ignore_errors=True)


WEAVIATE_URL = os.environ.get("SCHOLIUM_TEST_WEAVIATE", "")
"""Never the product's own WEAVIATE_URL: the tests delete collections."""
WEAVIATE_GRPC_PORT = os.environ.get("SCHOLIUM_TEST_WEAVIATE_GRPC_PORT", "50051")
WITHOUT_WEAVIATE = "Weaviate is not here (no SCHOLIUM_TEST_WEAVIATE, no program “weaviate”): its tests are SKIPPED."
MARK = "TestsOfScholium"
"""A collection in a server that the tests have taken: they take an empty one only, and no lab's."""


@dataclass(frozen=True)
class WeaviateAt:
    """Where a server for tests is; ``process`` is ours to stop."""

    url: str
    grpc_port: int
    process: subprocess.Popen[bytes] | None = None

    def take(self) -> None:
        """Mark the server as the tests' own. Raises `RuntimeError` where somebody keeps something there."""
        names = self._collections()
        if MARK in names:
            return
        if names:
            raise RuntimeError(
                f"The Weaviate at {self.url} holds {', '.join(names[:3])}: tests delete collections, so they only use "
                "a server that was empty when they first came. Set SCHOLIUM_TEST_WEAVIATE to one."
            )
        made = json.dumps({"class": MARK, "vectorizer": "none"}).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.url}/v1/schema", made, headers, method="POST")
        urllib.request.urlopen(request, timeout=PATIENCE_S).close()

    def empty(self) -> None:
        """Delete what the tests made, in a server that is theirs."""
        self.take()
        for name in self._collections():
            if name.startswith("Scholium_"):
                request = urllib.request.Request(f"{self.url}/v1/schema/{name}", method="DELETE")
                urllib.request.urlopen(request, timeout=PATIENCE_S).close()

    def _collections(self) -> list[str]:
        with urllib.request.urlopen(f"{self.url}/v1/schema", timeout=PATIENCE_S) as answer:
            return [made["class"] for made in json.load(answer)["classes"]]


@contextmanager
def weaviate() -> Iterator[WeaviateAt | None]:
    """A server whose collections the tests may make and drop; ``None``, and a warning, without one."""
    program = shutil.which("weaviate")
    if WEAVIATE_URL:
        yield WeaviateAt(WEAVIATE_URL, int(WEAVIATE_GRPC_PORT))
        return
    if program is None:
        warnings.warn(WITHOUT_WEAVIATE, stacklevel=2)
        yield None
        return
    http, grpc, gossip, data, raft, rpc = free_ports(6)
    folder = tempfile.mkdtemp(prefix="scholium-weaviate-")
    settings = {
        "PERSISTENCE_DATA_PATH": folder,
        "AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED": "true",
        "DEFAULT_VECTORIZER_MODULE": "none",
        "DISABLE_TELEMETRY": "true",
        "CLUSTER_HOSTNAME": "node1",
        "CLUSTER_ADVERTISE_ADDR": "127.0.0.1",
        "GRPC_PORT": str(grpc),
        "CLUSTER_GOSSIP_BIND_PORT": str(gossip),
        "CLUSTER_DATA_BIND_PORT": str(data),
        "RAFT_PORT": str(raft),
        "RAFT_INTERNAL_RPC_PORT": str(rpc),
        "RAFT_BOOTSTRAP_EXPECT": "1",
        "RAFT_JOIN": f"node1:{raft}",
        "LOG_LEVEL": "panic",
    }
    command = [program, "--host", "127.0.0.1", "--port", str(http), "--scheme", "http"]
    with open(Path(folder) / "log", "wb") as log:
        process = subprocess.Popen(command, env={**os.environ, **settings}, stdout=log, stderr=log)
    try:
        _until_ready(f"http://127.0.0.1:{http}/v1/.well-known/ready", process)
        yield WeaviateAt(f"http://127.0.0.1:{http}", grpc, process)
    finally:
        process.terminate()
        process.wait(PATIENCE_S)
        shutil.rmtree(folder, ignore_errors=True)


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def _until_ready(url: str, process: subprocess.Popen[bytes]) -> None:
    ends = time.monotonic() + PATIENCE_S
    while time.monotonic() < ends:
        if process.poll() is not None:
            raise RuntimeError("Weaviate ended at once; see its log.")
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"Weaviate was not ready in {PATIENCE_S:.0f} s.")
