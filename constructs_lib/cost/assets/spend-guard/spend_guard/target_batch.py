"""AWS Batch: a compute environment is disabled, and its least size set to zero.

Batch refuses a desired size below the present one: instances go when their jobs end. Nothing here
ends a job.

Sources:
    https://docs.aws.amazon.com/batch/latest/userguide/error-desired-vcpus-update.html
    https://docs.aws.amazon.com/batch/latest/APIReference/API_UpdateComputeEnvironment.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .standing import Target
from .tags import CLUSTER_TAG

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .enforcement_plan import Group


class BatchDriver:
    """A resource is the name of a compute environment."""

    def __init__(self, client: Any, cluster: str) -> None:
        self._client, self._cluster = client, cluster

    def read(self, groups: Sequence[Group]) -> dict[str, Target]:
        """How groups stand now."""
        return {group.name: self._target(group.resource or "") for group in groups}

    def _target(self, resource: str) -> Target:
        answer = self._client.describe_compute_environments(computeEnvironments=[resource])
        there = [one for one in answer["computeEnvironments"] if one.get("status") != "DELETED"]
        if not there:
            return Target(status="gone", driver="batch")
        told = there[0]
        if told.get("tags", {}).get(CLUSTER_TAG) != self._cluster:
            return Target(status="foreign", driver="batch")
        sizes = told.get("computeResources", {})
        return Target(
            status="ok",
            driver="batch",
            resource=resource,
            sizes={
                "min": sizes.get("minvCpus", 0),
                "max": sizes.get("maxvCpus", 0),
                "desired": 0 if told["state"] == "DISABLED" else sizes.get("desiredvCpus", 0),
            },
            launches_denied=told["state"] == "DISABLED",
        )

    def deny_launches(self, resource: str, target: Target) -> None:
        """Disable it: running jobs go on, and nothing is scaled out."""
        self._client.update_compute_environment(computeEnvironment=resource, state="DISABLED")

    def scale_in(self, resource: str, target: Target) -> None:
        """Set the least size to zero; instances end when their jobs have."""
        if target.sizes["min"]:
            self._client.update_compute_environment(
                computeEnvironment=resource, computeResources={"minvCpus": 0}
            )

    def restore(self, resource: str, target: Target, before: dict[str, Any]) -> str | None:
        """Set the least size of before, and enable it unless it was disabled before."""
        remark, least = None, target.sizes["min"]
        if before["scaled_in"] and least != before["min"]:
            if least == 0:
                self._client.update_compute_environment(
                    computeEnvironment=resource, computeResources={"minvCpus": before["min"]}
                )
            else:
                remark = f"somebody has set its least size to {least} vCPUs, which is left so"
        if not before["launches_denied"]:
            self._client.update_compute_environment(computeEnvironment=resource, state="ENABLED")
        return remark
