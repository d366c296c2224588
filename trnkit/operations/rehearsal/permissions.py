"""What a role may do, by the policies that IAM tells of it."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trnkit.emulation.resources.resource import Clients

Statement = Mapping[str, Any]
Context = Mapping[str, Sequence[str]]
"""Values of condition keys, by the key."""

RESOURCE_TAG = "aws:ResourceTag/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """A role with all its statements.

    Attributes:
        name: Its name.
        statements: Those of all its policies, its own and attached ones.
    """

    name: str
    statements: tuple[Statement, ...]

    def may(self, action: str, resource: str, known: Context | None = None) -> bool:
        """Whether it is allowed to do something.

        A condition about what is not known here is taken to hold, of a denial too.

        Args:
            action: Such as ``s3:GetObject``.
            resource: The ARN, or ``*`` for actions that know no resources.
            known: Condition keys with their values; with any tag of the resource, all its tags.
        """
        about = [
            one
            for one in self.statements
            if _is_about(one, action, resource) and _may_apply(one, known or {})
        ]
        effects = {str(one.get("Effect")) for one in about}
        return effects == {"Allow"}


def role_of_profile(clients: Clients, profile: Mapping[str, str]) -> Role:
    """The role of an instance profile.

    Args:
        clients: Gives boto3 clients.
        profile: ``Arn`` or ``Name``, as a launch template has it.
    """
    name = profile.get("Name") or profile["Arn"].rpartition("/")[2]
    held = clients("iam").get_instance_profile(InstanceProfileName=name)["InstanceProfile"]
    (role,) = held["Roles"]
    return role_named(clients, role["RoleName"])


def trusts(clients: Clients, arn: str, service: str) -> bool:
    """Whether a role lets a service assume it; conditions are taken to hold.

    Args:
        clients: Gives boto3 clients.
        arn: The role's ARN.
        service: Such as ``lambda.amazonaws.com``.
    """
    role = clients("iam").get_role(RoleName=arn.rpartition("/")[2])["Role"]
    for statement in _listed(role["AssumeRolePolicyDocument"]["Statement"]):
        principal = statement.get("Principal", {})
        named = _listed(principal.get("Service", [])) if isinstance(principal, dict) else []
        assumes = "sts:AssumeRole" in _listed(statement.get("Action", []))
        if statement.get("Effect") == "Allow" and service in named and assumes:
            return True
    return False


def role_named(clients: Clients, name: str) -> Role:
    """A role by its name, or by its ARN.

    Args:
        clients: Gives boto3 clients.
        name: The name or the ARN.
    """
    iam = clients("iam")
    name = name.rpartition("/")[2]
    documents: list[Any] = []
    for page in iam.get_paginator("list_role_policies").paginate(RoleName=name):
        for policy in page["PolicyNames"]:
            answer = iam.get_role_policy(RoleName=name, PolicyName=policy)
            documents.append(answer["PolicyDocument"])
    for page in iam.get_paginator("list_attached_role_policies").paginate(RoleName=name):
        for policy in page["AttachedPolicies"]:
            arn = policy["PolicyArn"]
            version = iam.get_policy(PolicyArn=arn)["Policy"]["DefaultVersionId"]
            answer = iam.get_policy_version(PolicyArn=arn, VersionId=version)
            documents.append(answer["PolicyVersion"]["Document"])
    statements = [one for document in documents for one in _listed(document["Statement"])]
    return Role(name=name, statements=tuple(statements))


def _is_about(statement: Statement, action: str, resource: str) -> bool:
    # Names of actions are the same in capitals.
    actions = [str(one).lower() for one in _elements(statement, "Action")]
    resources = [str(one) for one in _elements(statement, "Resource")]
    meant = any(_matches(action.lower(), one) for one in actions)
    reached = any(_matches(resource, one) for one in resources)
    return meant != ("NotAction" in statement) and reached != ("NotResource" in statement)


def _elements(statement: Statement, element: str) -> list[Any]:
    return _listed(statement.get(element, statement.get(f"Not{element}", ())))


def _may_apply(statement: Statement, known: Context) -> bool:
    """Whether its conditions hold, as far as their keys are known.

    Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html
    """
    all_tags = any(key.startswith(RESOURCE_TAG) for key in known)
    for operator, keys in statement.get("Condition", {}).items():
        quantifier, _, kind = operator.rpartition(":")
        if kind not in ("StringEquals", "StringLike"):
            continue
        for key, wanted in keys.items():
            if key not in known and not (all_tags and key.startswith(RESOURCE_TAG)):
                continue
            same = [
                any(_fits(value, str(one), kind) for one in _listed(wanted))
                for value in known.get(key, ())
            ]
            if not (all(same) if quantifier == "ForAllValues" else any(same)):
                return False
    return True


def _fits(value: str, wanted: str, kind: str) -> bool:
    return value == wanted if kind == "StringEquals" else _matches(value, wanted)


def _matches(value: str, pattern: str) -> bool:
    """IAM knows ``*`` and ``?``, and no sets of characters."""
    translated = fnmatch.translate(pattern.replace("[", "[[]"))
    return re.match(translated, value) is not None


def _listed(value: Any) -> list[Any]:
    return [*value] if isinstance(value, list | tuple) else [value]
