"""TRN580: AWS PCS accepts the role of its nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import pcs_facts
from trnkit.findings import Severity
from trnkit.rules.reading.pcs_resources import pcs_node_groups
from trnkit.rules.reading.role_policies import may_do, role_of_profile
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import Resource, StackSet

_HINT = "set Path to /aws-pcs/ on the role and on its instance profile"


def _check(stack_set: StackSet) -> Iterator[Violation]:
    facts = pcs_facts()
    told: set[Resource] = set()
    for group in pcs_node_groups(stack_set):
        role = role_of_profile(group.properties["IamInstanceProfileArn"])
        if role is None or role in told:
            continue
        told.add(role)
        yield from _called_otherwise(role, group.resource.logical_id)
        without = facts.managed_policies_without_role_action
        if may_do(role, facts.role_action, without, stack_set) is False:
            yield Violation(
                message=f"{role.logical_id}: may not {facts.role_action}, and is the role of the "
                f"nodes of {group.resource.logical_id}",
                hint=f"allow {facts.role_action} on *",
                resource=role,
                path=("Properties",),
            )


def _called_otherwise(role: Resource, group: str) -> Iterator[Violation]:
    facts, properties = pcs_facts(), properties_of(role)
    name, path = properties["RoleName"], properties["Path"]
    wanted, prefix = facts.role_path_part, facts.role_name_prefix
    if not path.is_absent and (path.text() is None or wanted in (path.text() or "")):
        return
    if name.is_absent:
        yield Violation(
            message=f"{role.logical_id}: gets a name that begins like its stack's, and is the role "
            f"of the nodes of {group}; AWS PCS takes those whose name begins with {prefix}, or "
            f"whose path contains {wanted}",
            hint=_HINT,
            resource=role,
            path=("Properties",),
            # A stack may be called so.
            severity=Severity.WARNING,
        )
    elif (head := name.head() or "") and not head.startswith(prefix[: len(head)]):
        yield Violation(
            message=f"{role.logical_id}: is called {head}{'' if name.text() else '...'}, and is "
            f"the role of the nodes of {group}; AWS PCS takes those whose name begins with "
            f"{prefix}, or whose path contains {wanted}",
            hint=_HINT,
            resource=role,
            path=name.path,
        )


_HEAD = """\
Resources:
  Role:
    Type: AWS::IAM::Role
    Properties:
      Path: %s
      RoleName: cluster-nodes
      AssumeRolePolicyDocument:
        Version: "2012-10-17"
        Statement:
          - {Effect: Allow, Principal: {Service: ec2.amazonaws.com}, Action: sts:AssumeRole}
      Policies:
        - PolicyName: Register
          PolicyDocument:
            Version: "2012-10-17"
            Statement:
              - {Effect: Allow, Action: pcs:RegisterComputeNodeGroupInstance, Resource: "*"}
  Profile: {Type: AWS::IAM::InstanceProfile, Properties: {Roles: [{Ref: Role}]}}
  Group:
    Type: AWS::PCS::ComputeNodeGroup
    Properties:
      ClusterId: pcs_0123456789
      IamInstanceProfileArn: {Fn::GetAtt: [Profile, Arn]}
      InstanceConfigs: [{InstanceType: trn2.3xlarge}]
      ScalingConfiguration: {MinInstanceCount: 0, MaxInstanceCount: 4}
      SubnetIds: [subnet-1]
"""

RULE = TemplateRule(
    id="TRN580",
    title="AWS PCS accepts the role of its nodes",
    severity=Severity.ERROR,
    why="AWS PCS refuses a node group whose role has neither the name nor the path it asks for, "
    "and nodes without the permission never register.",
    source="https://docs.aws.amazon.com/pcs/latest/userguide/security-instance-profiles.html",
    good=_HEAD % "/aws-pcs/",
    bad=_HEAD % "/",
    check=_check,
)
