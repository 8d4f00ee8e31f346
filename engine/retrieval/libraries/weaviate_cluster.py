"""The servers of a Weaviate cluster, and which of them are away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.retrieval.libraries.weaviate_schema import translate_failures

HEALTHY = "HEALTHY"


@dataclass(frozen=True, slots=True)
class Cluster:
    """The names of all servers, and of those that do not answer or are not well."""

    servers: tuple[str, ...]
    away: tuple[str, ...]


async def read_cluster(client: Any) -> Cluster:
    """What the connected server knows of its cluster. Raises `RetrievalError`.

    A server that died leaves Weaviate's list of nodes within seconds; the configuration of its consensus keeps it.
    """
    async with translate_failures("to list its servers"):
        told = (await client.cluster.statistics()).statistics
    members = {member.node_id for one in told for member in one.raft.latest_configuration}
    servers = sorted(members | {one.name for one in told})
    well = {one.name for one in told if one.status == HEALTHY}
    return Cluster(tuple(servers), tuple(name for name in servers if name not in well))
