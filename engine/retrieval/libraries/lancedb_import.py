"""LanceDB is imported here, and with less than it imports by itself."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from typing import Any

from pydantic import BaseModel, ConfigDict

CLIENT = "lance_namespace_urllib3_client"
"""The client of LanceDB's service; of it a folder on this machine needs the ``models`` only."""


def import_lancedb() -> Any:
    """LanceDB without the clients of its service, whose validation takes most of the time of its import."""
    if CLIENT not in sys.modules and (spec := find_spec(CLIENT)) is not None:
        sys.modules[CLIENT] = module_from_spec(spec)  # not executed: it would import every client
        built_at_once = BaseModel.model_config
        BaseModel.model_config = ConfigDict(defer_build=True)  # the models' validators too are built when used
        try:
            import_module(f"{CLIENT}.models")
        finally:
            BaseModel.model_config = built_at_once
    import lancedb

    return lancedb
