"""LanceDB is imported here, and with less than it imports by itself."""

from __future__ import annotations

import sys
from importlib.util import find_spec, module_from_spec
from typing import Any

CLIENT = "lance_namespace_urllib3_client"
"""The client of LanceDB's service; of it a folder on this machine needs the ``models`` only."""


def import_lancedb() -> Any:
    """LanceDB without the clients of its service, whose validation takes half of the time of its import."""
    if CLIENT not in sys.modules and (spec := find_spec(CLIENT)) is not None:
        sys.modules[CLIENT] = module_from_spec(spec)  # not executed: it would import every client
    import lancedb

    return lancedb
