"""What is known of further types beyond the registry's schemas: storage, keys, alerts, permissions.

Each function judges one differing property; None leaves it to the schema.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trnkit.operations.changes.normal_form import Form, children
from trnkit.operations.changes.pairs import number_at, value_at
from trnkit.report.change_results import Effect, Verdict

if TYPE_CHECKING:
    from trnkit.operations.changes.differences import Difference
    from trnkit.operations.changes.pairs import ResourcePair

_REFERENCE = "https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-"
_KEY_FIXED = frozenset({"KeySpec", "KeyUsage", "MultiRegion", "Origin"})
_VOLUME_FIXED = frozenset({"AvailabilityZone", "Encrypted", "KmsKeyId", "OutpostArn", "SnapshotId"})
_EXPIRING = (
    "ExpirationInDays",
    "ExpirationDate",
    "NoncurrentVersionExpirationInDays",
    "NoncurrentVersionExpiration",
    "NoncurrentDays",
    "NewerNoncurrentVersions",
)
_EXPIRING_NOTHING = ("Transition", "NoncurrentVersionTransition", "AbortIncomplete", "Id")
_RULE_DEPTH = 3
"""`LifecycleConfiguration`, `Rules`, and the place of a rule."""
_ASSET = re.compile(r"\b[0-9a-f]{64}\b")


def judge_bucket(pair: ResourcePair, difference: Difference) -> Effect | None:
    """A lifecycle rule that expires objects deletes those that are old enough already."""
    if difference.top != "LifecycleConfiguration":
        return None
    if not (_expires(difference.new) or difference.name in _EXPIRING or _widens(pair, difference)):
        return None
    old, new = number_at(difference.old), number_at(difference.new)
    is_gone = difference.new is None and not _widens(pair, difference)
    if is_gone or (old is not None and new is not None and new > old):
        return Effect(verdict=Verdict.SAFE, message="objects are kept longer")
    return Effect(
        verdict=Verdict.DESTROYS_DATA,
        message="objects that are old enough for the rule are deleted within days, those that are "
        "in the bucket already too",
        hint="look what the rule meets: aws s3api list-objects-v2",
        source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/"
        "lifecycle-expire-general-considerations.html",
        data="lost",
    )


def _widens(pair: ResourcePair, difference: Difference) -> bool:
    """Whether a rule that expires may meet more: it is switched on, or filters otherwise."""
    inside = difference.path[_RULE_DEPTH:]
    if not inside or difference.name in _EXPIRING or str(inside[0]).startswith(_EXPIRING_NOTHING):
        return False
    return _expires(value_at(dict(pair.new_form), *difference.path[:_RULE_DEPTH]))


def _expires(form: Form) -> bool:
    if isinstance(form, dict):
        if any(name in form for name in _EXPIRING) and form.get("Status") != "Disabled":
            return True
        return any(_expires(value) for _, value in children(form))
    return isinstance(form, list) and any(_expires(value) for _, value in children(form))


def judge_volume(pair: ResourcePair, difference: Difference) -> Effect | None:
    """A volume changes its size and kind in place, and nothing else."""
    top = difference.top
    old, new = (number_at(form, "Size") for form in (pair.old_form, pair.new_form))
    shrinks = top == "Size" and old is not None and new is not None and new < old
    if top in _VOLUME_FIXED or shrinks:
        return Effect(
            verdict=Verdict.REFUSED,
            message=f"EC2 refuses to change {top} of a volume" + (" to less" if shrinks else ""),
            hint="make a second volume, from a snapshot of this one",
            source=f"{_REFERENCE}ec2-volume.html",
        )
    return None


def judge_key(pair: ResourcePair, difference: Difference) -> Effect | None:
    """A key's kind cannot be changed, and a disabled key reads nothing."""
    if difference.top in _KEY_FIXED:
        return Effect(
            verdict=Verdict.REFUSED,
            message=f"CloudFormation refuses to change {difference.top} of a key",
            hint="make a second key beside it",
            source=f"{_REFERENCE}kms-key.html",
        )
    if difference.top == "Enabled" and difference.new == "false":
        return Effect(
            verdict=Verdict.INTERRUPTS,
            message="nobody can read what the key encrypts while it is disabled",
            source=f"{_REFERENCE}kms-key.html",
        )
    if difference.top == "KeyPolicy":
        return _permissions()
    return None


def judge_permissions(pair: ResourcePair, difference: Difference) -> Effect | None:
    """Permissions act at once on what runs."""
    schema = pair.schema
    if schema is not None and schema.is_create_only(difference.path):
        return None
    return None if difference.top == "Tags" else _permissions()


def _permissions() -> Effect:
    return Effect(
        verdict=Verdict.SAFE, message="permissions change in place, at once for what runs"
    )


def judge_budget(pair: ResourcePair, difference: Difference) -> Effect | None:
    """A budget's alerts cannot be changed: every change of them makes another budget."""
    schema = pair.schema
    if schema is None or not schema.is_create_only(difference.path):
        return None
    named = value_at(dict(pair.new_form), "Budget", "BudgetName") is not None
    return Effect(
        verdict=Verdict.REPLACES,
        message="another budget takes its place: thresholds that were passed already alert again",
        hint="leave BudgetName out, so that both can exist for a moment" if named else None,
        source=f"{_REFERENCE}budgets-budget.html",
        replaces=True,
    )


def judge_subscription(pair: ResourcePair, difference: Difference) -> Effect | None:
    """A new subscription of an address has to be confirmed by whoever reads it."""
    schema = pair.schema
    if schema is None or not schema.is_create_only(difference.path):
        return None
    return Effect(
        verdict=Verdict.INTERRUPTS,
        message="another subscription takes its place: an e-mail address gets nothing until its "
        "owner confirms again",
        hint="tell the owner to expect the confirmation",
        source=f"{_REFERENCE}sns-subscription.html",
        replaces=True,
    )


def judge_schedule(pair: ResourcePair, difference: Difference) -> Effect | None:
    """A one-time schedule is changed as a whole, which is taken before its moment alone."""
    schema = pair.schema
    if schema is not None and schema.is_create_only(difference.path):
        return None
    moment = value_at(dict(pair.new_form), "ScheduleExpression")
    if not isinstance(moment, str) or not moment.startswith("at("):
        return None
    return Effect(
        verdict=Verdict.SAFE,
        message=f"it is changed in place, if {moment} still lies ahead when you deploy: a moment "
        "that has passed is refused",
        hint="after it, write the next block's times, or take out what makes the schedule",
        source="https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html",
    )


def judge_cluster(pair: ResourcePair, difference: Difference) -> Effect | None:
    """An EKS cluster's version goes up, one by one, and never down."""
    if difference.top != "Version":
        return None
    return Effect(
        verdict=Verdict.INTERRUPTS,
        message="the control plane is upgraded, which cannot be undone; nodes keep their version",
        source="https://docs.aws.amazon.com/eks/latest/userguide/update-cluster.html",
    )


def judge_nested_stack(pair: ResourcePair, difference: Difference) -> Effect | None:
    """What is in another template of a nested stack this template does not say."""
    if difference.top == "Tags":
        return None
    return Effect(
        verdict=Verdict.CANNOT_BE_TOLD,
        message="what changes inside the nested stack is not in this template",
        hint="compare the nested templates too",
        source=f"{_REFERENCE}cloudformation-stack.html",
    )


def judge_custom_resource(pair: ResourcePair, difference: Difference) -> Effect | None:
    """A custom resource's own code decides what an update does."""
    if difference.top == "ServiceToken":
        return Effect(
            verdict=Verdict.REFUSED,
            message="CloudFormation refuses to change the ServiceToken of a custom resource",
            hint="give the one with the other ServiceToken a logical id of its own",
            source=f"{_REFERENCE}cloudformation-customresource.html",
        )
    return Effect(
        verdict=Verdict.CANNOT_BE_TOLD,
        message="the custom resource's own code decides what an update does",
        hint="read the code behind its ServiceToken",
        source=f"{_REFERENCE}cloudformation-customresource.html",
    )


def is_asset(difference: Difference) -> bool:
    """Whether only the hash in the name of an uploaded file differs (CDK-05)."""
    old, new = difference.old, difference.new
    if not isinstance(old, str) or not isinstance(new, str):
        return False
    return bool(_ASSET.search(old)) and _ASSET.sub("#", old) == _ASSET.sub("#", new)
