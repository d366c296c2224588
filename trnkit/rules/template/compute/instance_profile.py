"""TRN293: where an instance profile is wanted, a role does not stand."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.batch_jobs import COMPUTE_ENVIRONMENT
from trnkit.rules.reading.fleets import INSTANCE
from trnkit.rules.reading.known_values import Reference
from trnkit.rules.reading.launch_templates import LAUNCH_TEMPLATE
from trnkit.rules.reading.pcs_resources import PCS_NODE_GROUP
from trnkit.rules.reading.role_policies import INSTANCE_PROFILE, ROLE
from trnkit.rules.reading.template_value import as_list, function_of, properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import Resource, StackSet

_ROLE_ARN = re.compile(r":iam::[^:/]*:role/")


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for value in _profiles(stack_set):
        what = _role_in(value, stack_set)
        if what is not None:
            yield Violation(
                message=f"{value.resource.logical_id}: {value.path[-1]} is {what}; it is to be an "
                "instance profile",
                hint="make an AWS::IAM::InstanceProfile of the role, and refer to that",
                resource=value.resource,
                path=value.path,
            )


def _profiles(stack_set: StackSet) -> Iterator[TemplateValue]:
    """Every value that names an instance profile."""
    for resource in stack_set.resources(LAUNCH_TEMPLATE):
        profile = properties_of(resource)["LaunchTemplateData"]["IamInstanceProfile"]
        yield from (profile["Arn"], profile["Name"])
    for resource in stack_set.resources(INSTANCE, "AWS::AutoScaling::LaunchConfiguration"):
        yield properties_of(resource)["IamInstanceProfile"]
    for resource in stack_set.resources(COMPUTE_ENVIRONMENT):
        computing = properties_of(resource)["ComputeResources"]
        yield computing["InstanceRole"]
        managed = computing["ManagedInstancesProvider"]["InstanceLaunchTemplate"]
        yield managed["Ec2InstanceProfileArn"]
    for resource in stack_set.resources(PCS_NODE_GROUP):
        yield properties_of(resource)["IamInstanceProfileArn"]


def _role_in(value: TemplateValue, stack_set: StackSet) -> str | None:
    """What of a role it is; None when it may well be a profile."""
    role = value.referred(ROLE)
    if role is not None and isinstance(value.value, Reference):
        if value.value.attribute == "Arn":
            return f"the ARN of the role {role.logical_id}"
        if value.value.attribute is None and not _has_namesake(role, stack_set):
            return f"the name of the role {role.logical_id}"
        return None
    return "the ARN of a role" if _ROLE_ARN.search(_known_text(value)) else None


def _has_namesake(role: Resource, stack_set: StackSet) -> bool:
    """Whether a profile may have the role's name, as those that the console makes have."""
    name = properties_of(role)["RoleName"]
    if name.is_absent:
        return any(
            properties_of(profile)["InstanceProfileName"].referred(ROLE) is role
            for profile in stack_set.resources(INSTANCE_PROFILE)
        )
    return True


def _known_text(value: TemplateValue) -> str:
    """What is known of it, also between parts that are not."""
    function, arguments = function_of(value.raw)
    if function == "Fn::Sub" and arguments and isinstance(arguments[0], str):
        return arguments[0].replace("${AWS::AccountId}", "")
    pieces = as_list(arguments[-1]) if function == "Fn::Join" and arguments else None
    known = [piece for piece in pieces or () if isinstance(piece, str)]
    return value.text() or "".join(known)


_HEAD = """\
Resources:
  Role:
    Type: AWS::IAM::Role
    Properties:
      AssumeRolePolicyDocument:
        Version: "2012-10-17"
        Statement:
          - {Effect: Allow, Principal: {Service: ec2.amazonaws.com}, Action: sts:AssumeRole}
  Profile: {Type: AWS::IAM::InstanceProfile, Properties: {Roles: [{Ref: Role}]}}
  Environment:
    Type: AWS::Batch::ComputeEnvironment
    Properties:
      Type: MANAGED
      ComputeResources:
        Type: EC2
        MaxvCpus: 192
        InstanceTypes: [trn2.48xlarge]
        Subnets: [subnet-1]
        SecurityGroupIds: [sg-1]
        InstanceRole: {Fn::GetAtt: [%s, Arn]}
"""

RULE = TemplateRule(
    id="TRN293",
    title="where an instance profile is wanted, a role does not stand",
    severity=Severity.ERROR,
    why="EC2 knows no such profile: launches fail, and a compute environment of AWS Batch becomes "
    "INVALID, whatever InstanceRole is called.",
    source="https://docs.aws.amazon.com/batch/latest/userguide/instance_IAM_role.html",
    good=_HEAD % "Profile",
    bad=_HEAD % "Role",
    check=_check,
)
