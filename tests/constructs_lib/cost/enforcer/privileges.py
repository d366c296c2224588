"""IAM in small: whether statements of a synthesized role allow a call."""

from __future__ import annotations

from fnmatch import fnmatchcase

ACCOUNT, REGION = "111122223333", "us-east-2"
_PSEUDO = {
    "AWS::Partition": "aws",
    "AWS::AccountId": ACCOUNT,
    "AWS::Region": REGION,
}


def plain(value):
    """A value of a template with its references put in; of resources their logical ids."""
    if isinstance(value, dict):
        if "Ref" in value:
            return _PSEUDO.get(value["Ref"], value["Ref"])
        if "Fn::GetAtt" in value:
            return ".".join(value["Fn::GetAtt"])
        if "Fn::Join" in value:
            glue, parts = value["Fn::Join"]
            return glue.join(plain(part) for part in parts)
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


def _listed(value):
    return value if isinstance(value, list) else [value]


def _matches(pattern, value):
    return fnmatchcase(value, pattern.replace("[", "[[]"))


def _holds(operator, wanted, got):
    """Unknown operators fail the test instead of being passed over."""
    if operator.startswith("ForAllValues:"):
        values = _listed(got if got is not None else [])
        return all(_holds(operator.partition(":")[2], wanted, value) for value in values)
    if operator.endswith("IfExists"):
        return got is None or _holds(operator.removesuffix("IfExists"), wanted, got)
    if got is None:
        return False
    if operator == "NumericGreaterThan":
        return float(got) > float(wanted)
    if operator in ("StringEquals", "ArnEquals"):
        return got in _listed(wanted)
    assert operator in ("StringLike", "ArnLike"), operator
    return any(_matches(pattern, got) for pattern in _listed(wanted))


def _applies(statement, action, resource, context):
    return (
        any(_matches(p.lower(), action.lower()) for p in _listed(statement["Action"]))
        and any(_matches(pattern, resource) for pattern in _listed(statement["Resource"]))
        and all(
            _holds(operator, wanted, context.get(key))
            for operator, keys in statement.get("Condition", {}).items()
            for key, wanted in keys.items()
        )
    )


def denies(statements, action, resource="*", context=None):
    """Whether a statement denies it, whatever else allows it."""
    found = [s for s in statements if _applies(s, action, resource, context or {})]
    return any(statement["Effect"] == "Deny" for statement in found)


def allowed(statements, action, resource, context=None):
    """Whether a statement allows it and none denies it.

    Args:
        statements: Of all policies together, with plain values.
        action: For example `ec2:RunInstances`.
        resource: ARN.
        context: Condition keys of the call.
    """
    keys = {"aws:RequestedRegion": REGION, **(context or {})}
    found = [s["Effect"] for s in statements if _applies(s, action, resource, keys)]
    return "Allow" in found and "Deny" not in found
