"""AWS PCS: the scaling configuration of compute node groups; its least and largest size may be 0.

Sources:
    https://docs.aws.amazon.com/pcs/latest/APIReference/API_UpdateComputeNodeGroup.html
    https://docs.aws.amazon.com/pcs/latest/APIReference/API_ScalingConfiguration.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .standing import Target
from .tags import CLUSTER_TAG

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .enforcement_plan import Group


class PcsDriver:
    """A resource is `CLUSTER/GROUP`, both names or ids.

    PCS does not say how many nodes it wants: the largest size stands for it. It can deny launches
    only by it, so a group that is not full may start the nodes that it is short of.
    """

    def __init__(self, client: Any, cluster: str) -> None:
        self._client, self._cluster = client, cluster

    def read(self, groups: Sequence[Group]) -> dict[str, Target]:
        """How groups stand now."""
        return {group.name: self._target(group.resource or "") for group in groups}

    def _target(self, resource: str) -> Target:
        try:
            told = self._client.get_compute_node_group(**_names(resource))["computeNodeGroup"]
        except self._client.exceptions.ResourceNotFoundException:
            return Target(status="gone", driver="pcs")
        tags = self._client.list_tags_for_resource(resourceArn=told["arn"]).get("tags", {})
        if tags.get(CLUSTER_TAG) != self._cluster:
            return Target(status="foreign", driver="pcs")
        sizes = told["scalingConfiguration"]
        least, most = sizes["minInstanceCount"], sizes["maxInstanceCount"]
        return Target(
            status="ok",
            driver="pcs",
            resource=resource,
            sizes={"min": least, "max": most, "desired": most},
            launches_denied=most == least,
        )

    def deny_launches(self, resource: str, target: Target) -> None:
        """Nodes beyond the static ones are started by Slurm; none may be from now on.

        The largest size becomes the least one only when the group is scaled in: PCS would end
        dynamic nodes above it at once. Until then there is nothing that PCS could be told.
        """

    def scale_in(self, resource: str, target: Target) -> None:
        """Set least and largest size to zero."""
        self._set(resource, 0, 0)

    def restore(self, resource: str, target: Target, before: dict[str, Any]) -> str | None:
        """Set the sizes of before."""
        now = (target.sizes["min"], target.sizes["max"])
        if not before["scaled_in"] or now == (before["min"], before["max"]):
            return None
        if now != (0, 0):
            return f"somebody has set its size to {now[0]} to {now[1]}, which is left so"
        self._set(resource, before["min"], before["max"])
        return None

    def _set(self, resource: str, least: int, most: int) -> None:
        self._client.update_compute_node_group(
            **_names(resource),
            scalingConfiguration={"minInstanceCount": least, "maxInstanceCount": most},
        )


def _names(resource: str) -> dict[str, str]:
    cluster, _, group = resource.partition("/")
    return {"clusterIdentifier": cluster, "computeNodeGroupIdentifier": group}
