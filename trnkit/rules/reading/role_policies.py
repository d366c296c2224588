"""What a role of the templates may do, by all policies that are attached to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.rules.reading.policy_statements import covers
from trnkit.rules.reading.template_value import properties_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import Resource, StackSet

INSTANCE_PROFILE = "AWS::IAM::InstanceProfile"
ROLE = "AWS::IAM::Role"
_MANAGED_POLICY = "AWS::IAM::ManagedPolicy"
_POLICIES = ("AWS::IAM::Policy", _MANAGED_POLICY, "AWS::IAM::RolePolicy")


def role_of_profile(profile: TemplateValue) -> Resource | None:
    """The role of an instance profile that a value refers to, when the templates make both."""
    resource = profile.referred(INSTANCE_PROFILE)
    roles = properties_of(resource)["Roles"].entries() if resource is not None else None
    return roles[0].referred(ROLE) if roles and len(roles) == 1 else None


def managed_policy_names(role: Resource) -> list[str] | None:
    """Names of AWS's policies of a role; None when it may have others of somebody's."""
    arns = properties_of(role)["ManagedPolicyArns"].entries()
    if arns is None:
        return None
    names: list[str] = []
    for value in arns:
        if value.referred(_MANAGED_POLICY) is None:
            end, head = value.tail() or "", value.head() or ""
            if ":aws:policy/" not in end and not head.startswith("arn:aws:iam::aws:"):
                return None
            names.append(end.rpartition("/")[2])
    return names


def may_do(
    role: Resource, action: str, without: Collection[str], stack_set: StackSet
) -> bool | None:
    """Whether a role is allowed an action.

    Args:
        role: The role.
        action: For example `pcs:RegisterComputeNodeGroupInstance`.
        without: AWS's managed policies that are known not to allow it.
        stack_set: The templates.

    Returns:
        False when none of its policies certainly does; None when that is not known.
    """
    names, documents = managed_policy_names(role), own_documents(role, stack_set)
    if names is None or documents is None or any(name not in without for name in names):
        verdicts: list[bool | None] = [None]
    else:
        verdicts = [False]
    for document in documents or ():
        statements = document["Statement"].entries()
        if statements is None or document.mapping() is None:
            verdicts.append(None)
        for statement in statements or ():
            allows = statement["Effect"].text() == "Allow"
            verdicts.append(covers(statement, action) if allows else False)
    return True if True in verdicts else None if None in verdicts else False


def own_documents(role: Resource, stack_set: StackSet) -> list[TemplateValue] | None:
    """The policies that the templates attach to a role; None when there may be others."""
    properties = properties_of(role)
    inline, arns = properties["Policies"].entries(), properties["ManagedPolicyArns"].entries()
    if inline is None or arns is None:
        return None
    found = [policy["PolicyDocument"] for policy in inline]
    attached = {value.referred(_MANAGED_POLICY) for value in arns}
    for resource in stack_set.resources(*_POLICIES):
        policy = properties_of(resource)
        roles = policy["Roles"].entries()
        named = (*(roles or ()), policy["RoleName"])
        if resource in attached or any(value.referred(ROLE) is role for value in named):
            found.append(policy["PolicyDocument"])
        elif roles is None or any(_may_name(value, role) for value in named):
            return None
    return found


def _may_name(value: TemplateValue, role: Resource) -> bool:
    """Whether a policy's role that is not a reference may be this one."""
    if value.is_absent or value.referred(ROLE) is not None:
        return False
    own = properties_of(role)["RoleName"]
    return value.text() is None or own.is_unknown or value.text() == own.text()
