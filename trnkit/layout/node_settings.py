"""What the boot scripts of a node are told beside what to mount: `/etc/trnkit/settings.sh`.

Sources:
    https://docs.aws.amazon.com/autoscaling/ec2/userguide/lifecycle-hooks.html
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from trnkit.catalog import node_facts

if TYPE_CHECKING:
    from trnkit.config import ClusterConfig, NodeGroupConfig

BOOT_HOOK = "trnkit-node-ready"
"""Name of the lifecycle hook by which a node reports, unique within its group."""

STATE_TAG = "trnkit-node-state"
"""Key of the tag that a node puts on itself: `booting`, `ready` or `failed`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSettings:
    """What a node is and how it behaves; the defaults are those of a node on its own.

    Attributes:
        cluster: Name of the cluster, for its metrics.
        node_group: Name of the node group, for its metrics.
        region: Region of the node.
        instance_store_path: Where the instance store is mounted; None leaves its disks alone.
        hold_packages: Whether kernel and Neuron packages stay as they are.
        huge_pages: Huge pages of 2 MiB; None leaves what the EFA driver reserves.
        compile_cache: A folder or an `s3://` address; None is the SDK's default.
        report: `lifecycle NAME`, `signal STACK LOGICAL-ID`, or None for no report.
        failure: What becomes of a node whose boot fails.
        node_check: Whether `trn-node-check` judges the node at the end of its boot.
        cloudwatch_agent: Whether metrics and logs go to CloudWatch.
        metrics_namespace: Namespace of the metrics.
        log_group_name: Where logs go.
        prometheus: `loopback PORT` or `private PORT`; None serves nobody outside the node.
    """

    cluster: str | None = None
    node_group: str | None = None
    region: str | None = None
    instance_store_path: str | None = None
    hold_packages: bool = True
    huge_pages: int | None = None
    compile_cache: str | None = None
    report: str | None = None
    failure: Literal["replace", "keep"] = "replace"
    node_check: bool = True
    cloudwatch_agent: bool = False
    metrics_namespace: str | None = None
    log_group_name: str | None = None
    prometheus: str | None = None

    def lines(self, *, whole_bundle: bool) -> list[str]:
        """Shell assignments; what is off or unknown has no line.

        Args:
            whole_bundle: Whether the node has the check and the monitoring, too.
        """
        watched = whole_bundle and self.cloudwatch_agent
        huge_pages = None if self.huge_pages is None else str(self.huge_pages)
        values = {
            "CLUSTER": self.cluster if watched else None,
            "NODE_GROUP": self.node_group if watched else None,
            "REGION": self.region,
            "INSTANCE_STORE": self.instance_store_path,
            "HOLD_PACKAGES": _switch(self.hold_packages),
            "HUGE_PAGES": huge_pages,
            "RENDEZVOUS_PORT": str(node_facts().rendezvous_port),
            "COMPILE_CACHE": self.compile_cache,
            "REPORT": self.report,
            "TAG_STATE": _switch(self.report is not None),
            "BOOT_FAILURE": self.failure if self.report else None,
            "CHECK": _switch(whole_bundle and self.node_check),
            "CLOUDWATCH": _switch(watched),
            "METRICS_NAMESPACE": self.metrics_namespace if watched else None,
            "LOG_GROUP": self.log_group_name if watched else None,
            "PROMETHEUS": self.prometheus if whole_bundle else None,
        }
        return [f"TRNKIT_{key}={shlex.quote(value)}" for key, value in values.items() if value]


def _switch(on: bool) -> str | None:
    return "1" if on else None


def node_settings(
    cluster: ClusterConfig, group: NodeGroupConfig, *, log_group_name: str | None = None
) -> NodeSettings:
    """The settings of a group's nodes.

    Args:
        cluster: The cluster.
        group: One of its node groups.
        log_group_name: Where the nodes' logs go; None without a log group.
    """
    boot, observed = cluster.compute.boot, cluster.observability
    served = observed.prometheus
    return NodeSettings(
        cluster=cluster.name,
        node_group=group.name,
        region=cluster.region,
        instance_store_path=boot.instance_store_path,
        hold_packages=boot.hold_packages,
        huge_pages=boot.huge_pages,
        compile_cache=boot.compile_cache,
        report=f"lifecycle {BOOT_HOOK}",
        failure=boot.failure,
        node_check=boot.node_check,
        cloudwatch_agent=observed.cloudwatch_agent and log_group_name is not None,
        metrics_namespace=observed.metrics_namespace,
        log_group_name=log_group_name,
        prometheus=f"{served.listen} {served.port}" if served else None,
    )
