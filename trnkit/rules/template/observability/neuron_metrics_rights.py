"""TRN652: the observability add-on may send what it collects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import container_insights_facts
from trnkit.findings import Severity
from trnkit.rules.reading.eks_add_ons import add_ons, may_serve
from trnkit.rules.reading.eks_groups import managed_groups
from trnkit.rules.reading.template_value import TemplateValue, properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import Resource, StackSet

_ROLE = "AWS::IAM::Role"
_MAY_ADD = ("AWS::IAM::Policy", "AWS::IAM::ManagedPolicy", "AWS::IAM::RolePolicy")
_OF_THE_ADD_ON = ("ServiceAccountRoleArn", "PodIdentityAssociations")


def _check(stack_set: StackSet) -> Iterator[Violation]:
    facts = container_insights_facts()
    if any(stack_set.resources("AWS::EKS::PodIdentityAssociation")):
        return  # One of them may be that of the agent.
    groups = [group for group in managed_groups(stack_set) if group.neuron_types]
    for add_on in add_ons(stack_set, facts.add_on_name):
        if any(not add_on[key].is_absent for key in _OF_THE_ADD_ON):
            continue
        for group in groups:
            role = group.properties["NodeRole"].referred(_ROLE)
            if role is None or not may_serve(add_on, group.cluster()):
                continue
            if _lacks(role, facts.policy_name, stack_set):
                yield Violation(
                    message=f"{add_on.resource.logical_id}: has no role of its own, and the role "
                    f"of {group.resource.logical_id}, {role.logical_id}, is without "
                    f"{facts.policy_name}, so it may not send metrics",
                    hint=f"add {facts.policy_name} to {role.logical_id}, or "
                    "PodIdentityAssociations with such a role to the add-on",
                    resource=add_on.resource,
                    path=add_on.path,
                )
                break


def _lacks(role: Resource, policy: str, stack_set: StackSet) -> bool:
    """Whether a role certainly may not send metrics: all that it has are managed policies of AWS.

    Policies of one's own may allow it.
    """
    properties = properties_of(role)
    managed = properties["ManagedPolicyArns"].entries()
    if managed is None or not properties["Policies"].is_absent:
        return False
    names = [_name_of(value) for value in managed]
    if None in names or policy in names or "AdministratorAccess" in names:
        return False
    return not any(_may_name(resource, role) for resource in stack_set.resources(*_MAY_ADD))


def _name_of(value: TemplateValue) -> str | None:
    """The name of a managed policy of AWS; None for one's own, and when it is not known."""
    written = value.tail() or ""
    _, of_aws, name = written.rpartition(":iam::aws:policy/")
    return name.rpartition("/")[2] if of_aws else None


def _may_name(policy: Resource, role: Resource) -> bool:
    properties = properties_of(policy)
    named = (*(properties["Roles"].entries() or ()), properties["RoleName"])
    unknown = properties["Roles"].entries() is None
    return unknown or any(value.is_unknown or value.referred(_ROLE) is role for value in named)


_HEAD = """\
Resources:
  Group:
    Type: AWS::EKS::Nodegroup
    Properties:
      ClusterName: training
      NodeRole: {Fn::GetAtt: [Role, Arn]}
      Subnets: [subnet-1]
      InstanceTypes: [trn2.48xlarge]
      AmiType: AL2023_x86_64_NEURON
  Observability:
    Type: AWS::EKS::Addon
    Properties: {ClusterName: training, AddonName: amazon-cloudwatch-observability}
  Role:
    Type: AWS::IAM::Role
    Properties:
      AssumeRolePolicyDocument: {}
      ManagedPolicyArns:
        - arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy
"""

RULE = TemplateRule(
    id="TRN652",
    title="the observability add-on may send what it collects",
    severity=Severity.WARNING,
    why="The add-on uses the role of the nodes when it has none. Without the policy it runs, and "
    "no metric ever arrives.",
    source="https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/"
    "install-CloudWatch-Observability-EKS-addon.html",
    good=_HEAD + "        - arn:aws:iam::aws:policy/CloudWatchAgentServerPolicy\n",
    bad=_HEAD,
    check=_check,
)
