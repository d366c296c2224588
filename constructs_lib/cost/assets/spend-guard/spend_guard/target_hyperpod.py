"""SageMaker HyperPod: the instance count of an instance group.

`UpdateCluster` takes the whole description of a group, as `DescribeCluster` gives it. A controller
group is never scaled in: a cluster is not without one. Nor is a group of several instance types,
whose description does not say all that an update wants.

Sources:
    https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_UpdateCluster.html
    https://docs.aws.amazon.com/sagemaker/latest/dg/smcluster-scale-down.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .standing import Target
from .tags import CLUSTER_TAG

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .enforcement_plan import Group

_SAME = (
    "InstanceGroupName",
    "InstanceType",
    "LifeCycleConfig",
    "ExecutionRole",
    "ThreadsPerCore",
    "InstanceStorageConfigs",
    "OnStartDeepHealthChecks",
    "TrainingPlanArn",
    "OverrideVpcConfig",
    "ScheduledUpdateConfig",
    "SlurmConfig",
    "CapacityRequirements",
    "NetworkInterface",
)
"""Members that are called the same in the description and in the update."""


class HyperPodDriver:
    """A resource is `CLUSTER/INSTANCE-GROUP`.

    Nothing but `UpdateCluster` changes the size of a group without HyperPod's autoscaler, so there
    are no launches to deny.
    """

    def __init__(self, client: Any, cluster: str) -> None:
        self._client, self._cluster = client, cluster

    def read(self, groups: Sequence[Group]) -> dict[str, Target]:
        """How groups stand now."""
        return {group.name: self._target(group.resource or "") for group in groups}

    def _target(self, resource: str) -> Target:
        found = self._describe(resource)
        if found is None:
            return Target(status="gone", driver="sagemaker")
        cluster, group = found
        tags = self._client.list_tags(ResourceArn=cluster["ClusterArn"]).get("Tags", ())
        if {"Key": CLUSTER_TAG, "Value": self._cluster} not in tags:
            return Target(status="foreign", driver="sagemaker")
        if _is_controller(group) or "InstanceRequirements" in group:
            return Target(status="unable", driver="sagemaker")
        count = group.get("TargetCount", group.get("CurrentCount", 0))
        return Target(
            status="ok",
            driver="sagemaker",
            resource=resource,
            sizes={"min": group.get("MinCount", 0), "max": count, "desired": count},
            launches_denied=True,
        )

    def _describe(self, resource: str) -> tuple[dict[str, Any], dict[str, Any]] | None:
        name, _, wanted = resource.partition("/")
        try:
            cluster = self._client.describe_cluster(ClusterName=name)
        except self._client.exceptions.ResourceNotFound:
            return None
        groups = cluster.get("InstanceGroups", ())
        found = next((group for group in groups if group["InstanceGroupName"] == wanted), None)
        return None if found is None else (cluster, found)

    def deny_launches(self, resource: str, target: Target) -> None:
        """There is nothing to deny: a group keeps the count that it was given."""

    def scale_in(self, resource: str, target: Target) -> None:
        """Set the instance count to zero."""
        self._set(resource, 0, 0)

    def restore(self, resource: str, target: Target, before: dict[str, Any]) -> str | None:
        """Set the count of before."""
        now = target.sizes["desired"]
        if not before["scaled_in"] or now == before["desired"]:
            return None
        if now != 0:
            return f"somebody has set its count to {now}, which is left so"
        self._set(resource, before["desired"], before["min"])
        return None

    def _set(self, resource: str, count: int, least: int) -> None:
        found = self._describe(resource)
        if found is None:
            return  # Gone since it was read, which the next poll says.
        cluster, group = found
        wanted = {name: group[name] for name in _SAME if name in group}
        wanted["InstanceCount"] = count
        if "MinCount" in group:
            wanted["MinInstanceCount"] = least
        if labels := _kubernetes(group):
            wanted["KubernetesConfig"] = labels
        self._client.update_cluster(ClusterName=cluster["ClusterName"], InstanceGroups=[wanted])


def _is_controller(group: dict[str, Any]) -> bool:
    return group.get("SlurmConfig", {}).get("NodeType") == "Controller"


def _kubernetes(group: dict[str, Any]) -> dict[str, Any]:
    """Labels and taints as they are to be; without them an update would take them away."""
    told = group.get("KubernetesConfig", {})
    wanted = {"Labels": told.get("DesiredLabels"), "Taints": told.get("DesiredTaints")}
    return {name: value for name, value in wanted.items() if value}
