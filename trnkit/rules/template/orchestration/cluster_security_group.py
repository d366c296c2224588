"""TRN559: nodes with security groups of their own reach the cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.reading.eks_groups import managed_groups, names_cluster_group
from trnkit.rules.reading.security_groups import known_groups, rules_of
from trnkit.rules.reading.template_value import TemplateValue, properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.launch_templates import LaunchTemplate
    from trnkit.rules.stack_set import Resource, StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    told: set[Resource] = set()
    for group in managed_groups(stack_set):
        template = group.template
        cluster = group.cluster()
        if template is None or cluster is None or template.resource in told:
            continue
        place = _place(template)
        groups = known_groups(place.entries()) if place is not None else None
        if place is None or not groups or _is_connected(groups, cluster, stack_set):
            continue
        told.add(template.resource)
        names = alternatives(dict.fromkeys(g.logical_id for g in groups), "and")
        yield Violation(
            message=f"{template.resource.logical_id}: nodes carry {names}, and not the security "
            f"group of {cluster.logical_id}, which EKS adds only where no group is named",
            hint=f"add Fn::GetAtt: [{cluster.logical_id}, ClusterSecurityGroupId] to the groups of "
            "the primary interface",
            resource=template.resource,
            path=place.path,
        )


def _place(template: LaunchTemplate) -> TemplateValue | None:
    """Where the groups of the primary interface are named; None when nowhere, or not known."""
    if template.interfaces:
        first = [i for i in template.interfaces if i.device == 0 and i.card == 0]
        groups = first[0].value["Groups"] if len(first) == 1 else None
    else:
        groups = template.data["SecurityGroupIds"]
    return groups if groups is not None and not groups.is_absent else None


def _is_connected(groups: tuple[Resource, ...], cluster: Resource, stack_set: StackSet) -> bool:
    """Whether rules may let nodes and control plane reach each other all the same."""
    if stack_set.derive(_opens_cluster_group):
        return True
    further = properties_of(cluster)["ResourcesVpcConfig"]["SecurityGroupIds"].entries()
    if further == ():
        return False
    of_cluster = known_groups(further)
    return of_cluster is None or any(
        owner in groups or _admits(owner, groups, stack_set) for owner in of_cluster
    )


def _opens_cluster_group(stack_set: StackSet) -> bool:
    """Whether any rule may be one of the group that EKS makes for a cluster."""
    rules = stack_set.resources("AWS::EC2::SecurityGroupIngress")
    owners = (properties_of(resource)["GroupId"] for resource in rules)
    return any(owner.is_unknown or names_cluster_group(owner) for owner in owners)


def _admits(owner: Resource, groups: tuple[Resource, ...], stack_set: StackSet) -> bool:
    found = rules_of(owner, "Ingress", stack_set)
    may = (rule.is_by_address or rule.peers_with(groups) is not False for rule in found.rules)
    return not found.is_complete or any(may)


_HEAD = """\
Resources:
  Cluster:
    Type: AWS::EKS::Cluster
    Properties:
      RoleArn: arn:aws:iam::111122223333:role/cluster
      ResourcesVpcConfig: {SubnetIds: [subnet-1, subnet-2]}
  Efa: {Type: AWS::EC2::SecurityGroup, Properties: {GroupDescription: efa, VpcId: vpc-1}}
  Group:
    Type: AWS::EKS::Nodegroup
    Properties:
      ClusterName: {Ref: Cluster}
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
          - DeviceIndex: 0
            InterfaceType: efa
            Groups:
              - {Fn::GetAtt: [Efa, GroupId]}
"""

RULE = TemplateRule(
    id="TRN559",
    title="nodes with security groups of their own reach the cluster",
    severity=Severity.WARNING,
    why="A group for EFA in the launch template takes the place of the cluster's. Nodes then do "
    "not join, or join and cannot be reached for logs, metrics and webhooks.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html",
    good=_HEAD + "              - {Fn::GetAtt: [Cluster, ClusterSecurityGroupId]}\n",
    bad=_HEAD,
    check=_check,
)
