"""TRN563: nodes do not announce more pods than they have addresses for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.wording import from_catalogue
from trnkit.rules.reading.eks_add_ons import add_ons, configuration, configured, is_on, may_serve
from trnkit.rules.reading.eks_groups import eks_groups
from trnkit.rules.reading.node_config import has_unknown_lines, kubelet_setting, setting
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.catalog import InstanceType
    from trnkit.rules.reading.eks_groups import EksGroup
    from trnkit.rules.reading.launch_templates import LaunchTemplate
    from trnkit.rules.stack_set import Resource, StackSet

_WITHOUT_ADDRESS = 2
"""Pods of every node on the host's network: the CNI's and kube-proxy."""
_WRITTEN = re.compile(r"(?<!use-)max-pods[\"']?\s*(?:=|:|\s)\s*[\"']?(\S+)")
_CUSTOM_NETWORK = "AWS_VPC_K8S_CNI_CUSTOM_NETWORK_CFG"
_PREFIXES = "ENABLE_PREFIX_DELEGATION"


def _check(stack_set: StackSet) -> Iterator[Violation]:
    told: set[Resource] = set()
    for group in eks_groups(stack_set):
        template = group.template
        if template is None or template.resource in told:
            continue
        severity = _severity(group, stack_set)
        for kind in group.neuron_types if severity else ():
            found = _shortage(group, kind, template)
            if found is not None:
                told.add(template.resource)
                announced, room = found
                yield Violation(
                    message=f"{template.resource.logical_id}: every slot of card 0 is taken, so "
                    f"{kind.name} has addresses for {room} pods, and the node announces "
                    f"{announced}",
                    hint=f"set maxPods to {room} in the NodeConfig, turn on prefix delegation in "
                    "the VPC CNI, or put efa in place of interface and efa-only on card 0",
                    resource=template.resource,
                    path=(*template.data.path, "NetworkInterfaces"),
                    severity=severity,
                    evidence=from_catalogue(
                        kind, f"{kind.ipv4_per_interface} IPv4 addresses an interface"
                    ),
                )
                break


def _severity(group: EksGroup, stack_set: StackSet) -> Severity | None:
    """How sure it is that pods get their addresses one by one; None when they do not."""
    cluster = group.cluster() if group.is_managed else None
    served = [add_on for add_on in add_ons(stack_set, "vpc-cni") if may_serve(add_on, cluster)]
    if cluster is not None:
        settings = properties_of(cluster)
        without_cni = settings["BootstrapSelfManagedAddons"].boolean() is False and not served
        if without_cni or settings["KubernetesNetworkConfig"]["IpFamily"].text() == "ipv6":
            return None
    severity = Severity.INFO
    for add_on in served:
        values = configuration(add_on)
        if values is None or any(
            is_on(configured(values, "env", key)) for key in (_PREFIXES, _CUSTOM_NETWORK)
        ):
            return None
        severity = Severity.WARNING
    return severity


def _shortage(
    group: EksGroup, kind: InstanceType, template: LaunchTemplate
) -> tuple[int, int] | None:
    """The pods that a node announces and those that it has addresses for, when these are fewer."""
    card = next(iter(kind.network_cards), None)
    interfaces = template.interfaces
    if card is None or kind.ipv4_per_interface is None or not interfaces:
        return None
    if any(interface.card is None for interface in interfaces):
        return None
    first = [interface for interface in interfaces if interface.card == card.index]
    others = [interface for interface in first if interface.device != 0]
    if len(first) != card.maximum_network_interfaces or not others:
        return None
    if any(interface.kind != "efa-only" for interface in others):
        return None
    each = kind.ipv4_per_interface - 1
    room = each + _WITHOUT_ADDRESS
    announced = _written(group)
    if announced is None:
        return each * card.maximum_network_interfaces + _WITHOUT_ADDRESS, room
    return (announced, room) if announced > room else None


def _written(group: EksGroup) -> int | None:
    """The pods that user data allows; None when it says nothing, 0 when that is not known."""
    text = kubelet_setting(group.node_configs, "maxPods", "--max-pods")
    if setting(group.node_configs, "kubelet", "maxPodsExpression") is not None:
        return 0
    if text is None:
        found = _WRITTEN.search(group.text or "")
        text = found[1].strip("\"'") if found else None
    if text is None:
        given = group.user_data is not None and not group.user_data.is_absent
        return 0 if given and (group.text is None or has_unknown_lines(group.text)) else None
    return int(text) if text.isdecimal() and len(text) < 6 else 0


_HEAD = """\
Resources:
  Group:
    Type: AWS::EKS::Nodegroup
    Properties:
      ClusterName: training
      NodeRole: arn:aws:iam::111122223333:role/nodes
      Subnets: [subnet-1]
      AmiType: AL2023_x86_64_NEURON
      LaunchTemplate: {Id: {Ref: Nodes}, Version: {Fn::GetAtt: [Nodes, LatestVersionNumber]}}
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: trn2.3xlarge
        NetworkInterfaces:
"""

RULE = TemplateRule(
    id="TRN563",
    title="nodes do not announce more pods than they have addresses for",
    severity=Severity.WARNING,
    why="Pods get addresses from the interfaces of card 0. When EFA takes its second slot, the CNI "
    "can attach none, and pods above the number hang in ContainerCreating.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/choosing-instance-type.html",
    good=_HEAD + "          - {DeviceIndex: 0, InterfaceType: efa, Groups: [sg-1]}\n",
    bad=_HEAD
    + "          - {DeviceIndex: 0, InterfaceType: interface, Groups: [sg-1]}\n"
    + "          - {DeviceIndex: 1, InterfaceType: efa-only, Groups: [sg-1]}\n",
    check=_check,
)
