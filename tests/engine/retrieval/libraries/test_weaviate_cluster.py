from __future__ import annotations

from dataclasses import dataclass

from weaviate.cluster.models import ClusterStatistics

from bot.cli.doctor import judge_cluster
from engine.retrieval.weaviate.weaviate_state import read_cluster

MEMBERS = [{"id": f"node{i}", "address": f"127.0.0.1:1833{i}", "suffrage": 0} for i in (1, 2, 3)]
WELL: list[dict[str, object]] = [
    {"name": f"node{i}", "status": "HEALTHY", "raft": {"latestConfiguration": MEMBERS}} for i in (1, 2, 3)
]


@dataclass
class Told:
    """A connected client whose server answers so to GET /v1/cluster/statistics (recorded from three servers)."""

    nodes: list[dict[str, object]]

    @property
    def cluster(self) -> Told:
        return self

    async def statistics(self) -> ClusterStatistics:
        return ClusterStatistics._from_weaviate({"statistics": self.nodes, "synchronized": True})


async def test_a_whole_cluster_has_nobody_away() -> None:
    assert await read_cluster(Told(WELL)) == {"node1": True, "node2": True, "node3": True}
    assert judge_cluster("http://w", await read_cluster(Told(WELL))).what == "Weaviate at http://w, 3 servers"


async def test_a_server_that_has_just_died_is_named() -> None:
    found = await read_cluster(Told([*WELL[:2], {"name": "node3", "status": "UNAVAILABLE"}]))
    assert found == {"node1": True, "node2": True, "node3": False}


async def test_a_server_that_the_list_has_forgotten_is_named() -> None:
    finding = judge_cluster("http://w", await read_cluster(Told(WELL[:2])))
    assert finding.state == "broken"
    assert finding.what == "Weaviate at http://w: 1 of its 3 servers is away: node3"


async def test_one_server_is_not_called_a_cluster() -> None:
    assert judge_cluster("http://w", {"node1": True}).what == "Weaviate at http://w"
