"""What FSx for Lustre refuses because of a subnet and its security groups.

Source: https://docs.aws.amazon.com/fsx/latest/LustreGuide/limit-access-security-groups.html
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from typing import Any

from trnkit.emulation.services.json_refusal import refuse

PORTS = (988, *range(1018, 1024))
"""TCP ports by which Lustre's servers and clients speak."""

_CODE = "InvalidNetworkSettings"


def refuse_network(
    ec2: Any, subnet_id: str, group_ids: list[str], *, servers: int, efa: bool
) -> tuple[Any, list[str]]:
    """Refuse a network in which the file system could not work.

    Args:
        ec2: moto's EC2 of the region.
        subnet_id: The subnet.
        group_ids: The security groups; none: the default one of the VPC.
        servers: Network interfaces that are needed.
        efa: Whether the file system is EFA-enabled.

    Returns:
        moto's subnet, and the ids of the security groups in use.
    """
    subnet = _subnet(ec2, subnet_id)
    groups = _groups(ec2, subnet, group_ids)
    ids = [group.id for group in groups]
    for rules in _ways(groups):
        closed = [port for port in PORTS if not _is_open(rules, port, subnet)]
        if closed:
            refuse(
                _CODE,
                # AWS's words: https://github.com/aws/aws-parallelcluster/issues/6181
                "The file system cannot be created because the default security group in the "
                "subnet provided or the provided security groups do not permit Lustre LNET "
                f"network traffic on port {closed[0]}",
            )
    if efa and not all(_admits_all_of(rules, ids) for rules in _ways(groups)):
        refuse(
            _CODE,
            "The file system cannot be created because the provided security groups do not allow "
            "all traffic to and from themselves, which EFA requires; rules by CIDR do not count",
        )
    if subnet.available_ip_address_count < servers:
        refuse(
            _CODE,
            f"The subnet {subnet_id} has {subnet.available_ip_address_count} free IP addresses; "
            f"the file system needs {servers}",
        )
    return subnet, ids


def _subnet(ec2: Any, subnet_id: str) -> Any:
    from moto.ec2.exceptions import InvalidSubnetIdError

    try:
        return ec2.get_subnet(subnet_id)
    except InvalidSubnetIdError:
        refuse(_CODE, f"The subnet ID '{subnet_id}' does not exist")


def _groups(ec2: Any, subnet: Any, group_ids: list[str]) -> list[Any]:
    if not group_ids:
        return [ec2.get_default_security_group(vpc_id=subnet.vpc_id)]
    groups: list[Any] = []
    for group_id in group_ids:
        group = ec2.get_security_group_from_id(group_id)
        if group is None or group.vpc_id != subnet.vpc_id:
            refuse(_CODE, f"The security group '{group_id}' does not exist in the subnet's VPC")
        groups.append(group)
    return groups


def _ways(groups: Iterable[Any]) -> tuple[list[Any], list[Any]]:
    inbound = [rule for group in groups for rule in group.ingress_rules]
    outbound = [rule for group in groups for rule in group.egress_rules]
    return inbound, outbound


def _is_open(rules: Iterable[Any], port: int, subnet: Any) -> bool:
    """Whether a rule admits a port for a group, a prefix list or the subnet's own addresses."""
    return any(_covers(rule, port) and _is_near(rule, subnet) for rule in rules)


def _covers(rule: Any, port: int) -> bool:
    if rule.ip_protocol == "-1":
        return True
    return rule.ip_protocol == "tcp" and rule.from_port <= port <= rule.to_port


def _is_near(rule: Any, subnet: Any) -> bool:
    block = rule.ip_range.get("CidrIp")
    if block is None:
        return bool(rule.source_group or rule.prefix_list_id)
    return ipaddress.ip_network(block, strict=False).overlaps(
        ipaddress.ip_network(subnet.cidr_block)
    )


def _admits_all_of(rules: Iterable[Any], group_ids: list[str]) -> bool:
    return any(
        rule.ip_protocol == "-1" and rule.source_group.get("GroupId") in group_ids for rule in rules
    )
