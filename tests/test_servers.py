"""The tests delete what they make, and never what a lab keeps."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.servers import MARK, WeaviateAt


@contextmanager
def schema_server(names: list[str]) -> Iterator[str]:
    """As much of Weaviate as is asked before anything is deleted; ``names`` are its collections."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.answer({"classes": [{"class": name} for name in names]})

        def do_POST(self) -> None:
            names.append(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["class"])
            self.answer({})

        def do_DELETE(self) -> None:
            names.remove(self.path.rsplit("/", 1)[1])
            self.answer({})

        def answer(self, value: object) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(value).encode())

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    serving = threading.Thread(target=server.serve_forever)
    serving.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        serving.join()
        server.server_close()


def test_a_lab_s_weaviate_is_refused_and_keeps_everything() -> None:
    names = ["Scholium_main_Papers", "Scholium_catalogue"]
    with schema_server(names) as url, pytest.raises(RuntimeError, match="holds Scholium_main_Papers"):
        WeaviateAt(url, 1).empty()
    assert names == ["Scholium_main_Papers", "Scholium_catalogue"]


def test_an_empty_server_is_taken_and_only_our_collections_go() -> None:
    names: list[str] = []
    with schema_server(names) as url:
        WeaviateAt(url, 1).empty()
        names += ["Scholium_main_Papers", "Other"]
        WeaviateAt(url, 1).empty()
    assert names == [MARK, "Other"]
