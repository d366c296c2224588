"""Amazon EKS: the scaling configuration of managed node groups; the largest size is at least 1.

Sources:
    https://docs.aws.amazon.com/eks/latest/APIReference/API_NodegroupScalingConfig.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .standing import Target
from .tags import CLUSTER_TAG

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .enforcement_plan import Group

_LEAST_MAX = 1  # EKS takes no largest size of 0; what keeps nodes away then is a desired size of 0.


class EksDriver:
    """A resource is `CLUSTER/NODEGROUP`."""

    def __init__(self, client: Any, cluster: str) -> None:
        self._client, self._cluster = client, cluster

    def read(self, groups: Sequence[Group]) -> dict[str, Target]:
        """How groups stand now."""
        return {group.name: self._target(group.resource or "") for group in groups}

    def _target(self, resource: str) -> Target:
        try:
            told = self._client.describe_nodegroup(**_names(resource))["nodegroup"]
        except self._client.exceptions.ResourceNotFoundException:
            return Target(status="gone", driver="eks")
        if told.get("tags", {}).get(CLUSTER_TAG) != self._cluster:
            return Target(status="foreign", driver="eks")
        config = told["scalingConfig"]
        least, most, desired = config["minSize"], config["maxSize"], config["desiredSize"]
        return Target(
            status="ok",
            driver="eks",
            resource=resource,
            sizes={"min": least, "max": most, "desired": desired},
            launches_denied=most <= max(desired, _LEAST_MAX),
        )

    def deny_launches(self, resource: str, target: Target) -> None:
        """Set the largest size to what is there, so that no autoscaler can add to it."""
        most = max(target.sizes["desired"], _LEAST_MAX)
        if target.sizes["max"] != most:
            self._set(resource, maxSize=most)

    def scale_in(self, resource: str, target: Target) -> None:
        """Set least and desired size to zero."""
        self._set(resource, minSize=0, desiredSize=0, maxSize=_LEAST_MAX)

    def restore(self, resource: str, target: Target, before: dict[str, Any]) -> str | None:
        """Set the sizes of before; where somebody has set others, only the largest."""
        now, remark = target.sizes, None
        wanted = {"minSize": now["min"], "desiredSize": now["desired"]}
        if before["scaled_in"] and now["desired"] == 0:
            wanted = {"minSize": before["min"], "desiredSize": before["desired"]}
        elif before["scaled_in"] and now["desired"] != before["desired"]:
            remark = f"somebody has set its size to {now['desired']}, which is left so"
        most = max(before["max"], wanted["desiredSize"])
        if (now["min"], now["desired"], now["max"]) != (*wanted.values(), most):
            self._set(resource, **wanted, maxSize=most)
        return remark

    def _set(self, resource: str, **sizes: int) -> None:
        self._client.update_nodegroup_config(**_names(resource), scalingConfig=sizes)


def _names(resource: str) -> dict[str, str]:
    cluster, _, group = resource.partition("/")
    return {"clusterName": cluster, "nodegroupName": group}
