"""What nodes lack without a service, as checks of a network say it."""

from __future__ import annotations

import pytest

from tests.trnkit.operations.preflight.clusters import make_cluster
from trnkit.config import ClusterConfig
from trnkit.operations.preflight.node_services import node_services

BLOCK = {
    "type": "capacity-block",
    "capacity_reservation_id": "cr-0123456789abcdef0",
    "start": "2027-03-01T11:30:00Z",
    "end": "2027-03-08T11:30:00Z",
}
UNTOLD = "Session Manager does not reach the nodes"
TOLD = f"{UNTOLD}, and nothing tells them to write a checkpoint"


def guarded(minutes: int) -> ClusterConfig:
    values = make_cluster().model_dump(exclude_unset=True)
    watchdog = {"enforcement": {"checkpoint_minutes": minutes}}
    return ClusterConfig(**values | {"budget": values["budget"] | {"watchdog": watchdog}})


@pytest.mark.parametrize(
    ("cluster", "lacks"),
    [
        (make_cluster(), UNTOLD),
        (make_cluster({"capacity": BLOCK}), UNTOLD),
        (make_cluster({"capacity": BLOCK | {"checkpoint_minutes": 15}}), TOLD),
        (make_cluster({}, {"capacity": BLOCK | {"checkpoint_minutes": 15}}), TOLD),
        (guarded(20), TOLD),
        (guarded(0), UNTOLD),
    ],
    ids=["none", "block", "told-block", "second-group", "guard", "guard-at-once"],
)
def test_without_systems_manager_no_node_is_told_to_write_a_checkpoint(cluster, lacks):
    services = node_services(cluster)
    assert {services[name].lacks for name in ("ssm", "ssmmessages")} == {lacks}
