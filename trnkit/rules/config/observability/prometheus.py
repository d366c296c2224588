"""TRN601: metrics for Prometheus are served where Prometheus comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import node_facts
from trnkit.findings import Severity
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig

_PATH = ("observability", "prometheus")


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    served = cluster.observability.prometheus
    if served is None:
        return
    if served.port == node_facts().rendezvous_port:
        yield Violation(
            message=f"observability.prometheus.port is {served.port}, where the ranks of a job "
            "find each other",
            hint="use another port, such as 9400",
            path=(*_PATH, "port"),
        )
    if served.listen == "loopback" and served.allowed_cidrs:
        yield Violation(
            message="observability.prometheus.allowed_cidrs admit others to a port that only "
            "programs on the node itself reach",
            hint="let listen be private, or leave allowed_cidrs out",
            path=(*_PATH, "allowed_cidrs"),
        )
    if served.listen == "private" and not served.allowed_cidrs and not _further_groups(cluster):
        yield Violation(
            message="observability.prometheus.listen is private, and the nodes' security group "
            "admits the nodes alone",
            hint="name the blocks that Prometheus comes from in allowed_cidrs, unless it runs on "
            "the nodes",
            path=(*_PATH, "listen"),
            severity=Severity.WARNING,
        )


def _further_groups(cluster: ClusterConfig) -> bool:
    """Groups that are not ours may admit anybody."""
    existing = cluster.network.existing
    theirs = existing is not None and existing.security_group_id is not None
    return theirs or any(group.additional_security_group_ids for _, group in node_groups(cluster))


_NODES = "compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1}]}\n"

RULE = ConfigRule(
    id="TRN601",
    title="metrics for Prometheus are served where Prometheus comes from",
    severity=Severity.ERROR,
    why="A port that nobody is admitted to gives an empty dashboard and no error; the port of a "
    "job's rendezvous, once taken, gives jobs that do not start.",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/security-group-rules.html",
    good=f"{_NODES}observability: {{prometheus: {{listen: private, allowed_cidrs: "
    "[10.0.0.0/16]}}\n",
    bad=f"{_NODES}observability: {{prometheus: {{port: 46820}}}}\n",
    check=_check,
)
