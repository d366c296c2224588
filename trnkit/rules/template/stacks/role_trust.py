"""TRN860: a role trusts the service that takes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.policy_statements import ServiceUse, allows
from trnkit.rules.reading.template_value import TemplateValue, properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import Resource, StackSet

_ROLE = "AWS::IAM::Role"
_ASSUME = ("sts:AssumeRole",)
_TAKERS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("AWS::EC2::FlowLog", ("DeliverLogsPermissionArn",), "vpc-flow-logs"),
    ("AWS::EKS::Cluster", ("RoleArn",), "eks"),
    ("AWS::EKS::Nodegroup", ("NodeRole",), "ec2"),
    ("AWS::Batch::ComputeEnvironment", ("ServiceRole",), "batch"),
    ("AWS::Lambda::Function", ("Role",), "lambda"),
    ("AWS::Budgets::BudgetsAction", ("ExecutionRoleArn",), "budgets"),
    ("AWS::Scheduler::Schedule", ("Target", "RoleArn"), "scheduler"),
    ("AWS::Chatbot::SlackChannelConfiguration", ("IamRoleArn",), "chatbot"),
    ("AWS::Chatbot::MicrosoftTeamsChannelConfiguration", ("IamRoleArn",), "chatbot"),
    ("AWS::SageMaker::Cluster", ("InstanceGroups", "ExecutionRole"), "sagemaker"),
)

_LAUNCHERS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("AWS::EC2::LaunchTemplate", ("LaunchTemplateData", "IamInstanceProfile", "Arn")),
    ("AWS::EC2::LaunchTemplate", ("LaunchTemplateData", "IamInstanceProfile", "Name")),
    ("AWS::EC2::Instance", ("IamInstanceProfile",)),
    ("AWS::Batch::ComputeEnvironment", ("ComputeResources", "InstanceRole")),
    ("AWS::PCS::ComputeNodeGroup", ("IamInstanceProfileArn",)),
)
"""Who takes instance profiles. One that nobody takes may have any role."""


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for kind, way, service in _TAKERS:
        for resource in stack_set.resources(kind):
            for value in _values(properties_of(resource), way):
                yield from _judge(value, value.referred(_ROLE), service)
    for kind, way in _LAUNCHERS:
        for resource in stack_set.resources(kind):
            for value in _values(properties_of(resource), way):
                profile = value.referred("AWS::IAM::InstanceProfile")
                roles = properties_of(profile)["Roles"].entries() if profile is not None else ()
                for role in roles or ():
                    yield from _judge(value, role.referred(_ROLE), "ec2")


def _judge(value: TemplateValue, role: Resource | None, service: str) -> Iterator[Violation]:
    if role is not None and _trusts(role, service) is False:
        yield Violation(
            message=f"{value.resource.logical_id}: takes the role {role.logical_id}, whose trust "
            f"policy does not admit {service}.amazonaws.com",
            hint=f"allow sts:AssumeRole to the service {service}.amazonaws.com in its "
            "AssumeRolePolicyDocument",
            resource=value.resource,
            path=value.path,
        )


def _values(value: TemplateValue, way: tuple[str, ...]) -> Iterator[TemplateValue]:
    key, *rest = way
    for entry in value[key].entries() or ():
        if rest:
            yield from _values(entry, tuple(rest))
        else:
            yield entry


def _trusts(role: Resource, service: str) -> bool | None:
    document = properties_of(role)["AssumeRolePolicyDocument"]
    if document["Statement"].is_absent:
        return None  # No trust policy at all: schema checkers say so.
    for statement in document["Statement"].entries() or ():
        for principal in statement["Principal"]["Service"].entries() or ():
            # Other partitions, and Regions, have their own names of a service.
            name, _, domain = (principal.text() or "").partition(".")
            if name == service and domain != "amazonaws.com":
                return None
    return allows(document, ServiceUse(f"{service}.amazonaws.com", _ASSUME, role))


_HEAD = """\
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData: {IamInstanceProfile: {Arn: {Fn::GetAtt: [Profile, Arn]}}}
  Profile:
    Type: AWS::IAM::InstanceProfile
    Properties: {Roles: [{Ref: Role}]}
  Role:
    Type: AWS::IAM::Role
    Properties:
      AssumeRolePolicyDocument:
        Version: "2012-10-17"
        Statement:
          - Effect: Allow
            Action: sts:AssumeRole
            Principal: {Service: %s}
"""

RULE = TemplateRule(
    id="TRN860",
    title="a role trusts the service that takes it",
    severity=Severity.ERROR,
    why="The stack is made, and then nodes have no credentials, flow logs no destination and "
    "clusters no control plane: the service may not assume the role.",
    source="https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_create_for-service.html",
    good=_HEAD % "ec2.amazonaws.com",
    bad=_HEAD % "ecs-tasks.amazonaws.com",
    check=_check,
)
