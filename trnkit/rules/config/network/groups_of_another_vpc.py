"""TRN122: security groups named by id belong to a VPC that exists already."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig

_HINT = "name their VPC in network.existing, or leave them out until they can be reached"


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    if cluster.network.existing is not None:
        return
    for index, group in enumerate(cluster.compute.node_groups):
        if group.additional_security_group_ids:
            where = f"compute.node_groups[{index}].additional_security_group_ids"
            yield Violation(
                message=f"{where} names groups that exist already, and this file makes a VPC of "
                "its own; EC2 starts no instance with groups of another VPC",
                hint=_HINT,
                path=("compute", "node_groups", index, "additional_security_group_ids"),
                evidence=", ".join(group.additional_security_group_ids),
            )
    for index, system in enumerate(cluster.storage.existing_lustre_file_systems):
        yield Violation(
            message=f"storage.existing_lustre_file_systems[{index}] exists already, and this file "
            "makes a VPC of its own; the rules between its security group and the nodes' are "
            "refused unless the two VPCs are peered",
            hint=_HINT,
            path=("storage", "existing_lustre_file_systems", index),
            evidence=system.security_group_id,
        )


_NODES = """\
compute:
  node_groups:
    - {name: train, instance_type: trn1.2xlarge, count: 1,
       additional_security_group_ids: [sg-0123456789abcdef0]}
"""

RULE = ConfigRule(
    id="TRN122",
    title="security groups named by id are of the VPC that the nodes are in",
    severity=Severity.WARNING,
    why="A VPC that this file makes is new: nothing of another VPC can be associated or peered "
    "with it before it exists, so the first deployment fails, after everything before it was "
    "made. It is no error, because both can be arranged once the VPC is there.",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/security-group-assoc.html",
    good=_NODES + "network:\n"
    "  existing:\n"
    "    vpc_id: vpc-0123456789abcdef0\n"
    "    compute_subnet_id: subnet-0123456789abcdef0\n"
    "    availability_zone_id: use2-az3\n",
    bad=_NODES,
    check=_check,
)
