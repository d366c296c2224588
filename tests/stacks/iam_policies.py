"""What a role of a synthesized stack may do, judged statement by statement as IAM does."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

Statement = dict[str, Any]

_PSEUDO = {"AWS::Partition": "aws", "AWS::URLSuffix": "amazonaws.com"}


def plain(value: Any) -> str:
    """A value as text: what is known at deployment only is named after what it refers to."""
    if isinstance(value, str):
        return value
    ((function, argument),) = value.items()
    if function == "Fn::Join":
        return argument[0].join(plain(part) for part in argument[1])
    if function == "Fn::GetAtt":
        return f"<{argument[0]}>"
    return _PSEUDO.get(argument, f"<{argument}>")


def statements_of(template: dict[str, Any], role_id: str) -> list[Statement]:
    """The statements of a role: inline, and of every policy that is attached to it."""
    resources = template["Resources"]
    found: list[Statement] = []
    for policy in resources[role_id]["Properties"].get("Policies", ()):
        found += policy["PolicyDocument"]["Statement"]
    for resource in resources.values():
        if resource["Type"] != "AWS::IAM::Policy":
            continue
        if {"Ref": role_id} in resource["Properties"]["Roles"]:
            found += resource["Properties"]["PolicyDocument"]["Statement"]
    return found


def may(statements: list[Statement], action: str, resource: str = "*", **context: str) -> bool:
    """Whether a call is allowed.

    Args:
        statements: Of the role.
        action: For example `ec2:DescribeInstances`.
        resource: The ARN, or `*` for what has none; `<LogicalId>` for what the stack makes.
        context: Condition keys as `aws_RequestedRegion`, with `__` for a slash.
    """
    keys = {key.replace("__", "/").replace("_", ":", 1): v for key, v in context.items()}
    verdicts = [
        statement["Effect"]
        for statement in statements
        if _covers(statement["Action"], action, str.lower)
        and _covers(statement.get("Resource", "*"), resource, str)
        and all(_holds(*condition, keys) for condition in statement.get("Condition", {}).items())
    ]
    return "Allow" in verdicts and "Deny" not in verdicts


def _covers(patterns: Any, text: str, fold: Any) -> bool:
    listed = patterns if isinstance(patterns, list) else [patterns]
    return any(fnmatchcase(fold(text), fold(plain(pattern))) for pattern in listed)


def _holds(operator: str, wanted: dict[str, Any], context: dict[str, str]) -> bool:
    """An unknown operator is an error of the test, never a pass."""
    every = operator.startswith("ForAllValues:")
    name = operator.removeprefix("ForAllValues:")
    assert name in ("StringEquals", "StringLike", "ArnLike", "ArnEquals"), operator
    for key, value in wanted.items():
        if key not in context:
            if every:
                continue
            return False
        allowed = [plain(v) for v in (value if isinstance(value, list) else [value])]
        given = context[key]
        if name == "StringEquals" and given not in allowed:
            return False
        if name != "StringEquals" and not any(fnmatchcase(given, text) for text in allowed):
            return False
    return True
