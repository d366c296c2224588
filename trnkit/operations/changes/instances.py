"""What a change of a stand-alone instance, a reservation or a placement group does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.operations.changes.fleets import only_comments
from trnkit.operations.changes.pairs import number_at
from trnkit.report.change_results import Effect, Verdict

if TYPE_CHECKING:
    from trnkit.operations.changes.differences import Difference
    from trnkit.operations.changes.pairs import ResourcePair

_INSTANCE_PAGE = (
    "https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/"
    "aws-resource-ec2-instance.html"
)
_STOPPED_FOR = frozenset(
    {"AdditionalInfo", "Affinity", "EbsOptimized", "HostId", "InstanceType", "KernelId", "Tenancy"}
    | {"RamdiskId", "UserData"}
)
_STOP = (
    "the instance is stopped and started (replaced, when its root is an instance store): jobs end, "
    "instance store is emptied, and the capacity may not be free at the start"
)


def judge_instance(pair: ResourcePair, difference: Difference) -> Effect | None:
    """An instance is replaced for most things, and stopped and started for others."""
    top = difference.top
    if top in _STOPPED_FOR:
        comments = "although only comments differ, " if only_comments(difference) else ""
        again = ", and user data does not run again by itself" if top == "UserData" else ""
        return Effect(
            verdict=Verdict.INTERRUPTS,
            message=f"{comments}{_STOP}{again}",
            hint="start nodes from a launch template and an Auto Scaling group, where it would "
            "concern new nodes only",
            source=_INSTANCE_PAGE,
        )
    if top in ("SecurityGroupIds", "PrivateDnsNameOptions"):
        return Effect(verdict=Verdict.SAFE, message="it is changed in place")
    return None


def judge_reservation(pair: ResourcePair, difference: Difference) -> Effect | None:
    """A reservation that shrinks gives capacity back."""
    if difference.top == "InstanceCount":
        old, new = (number_at(form, "InstanceCount") for form in (pair.old_form, pair.new_form))
        if old is None or new is None or new < old:
            return Effect(
                verdict=Verdict.INTERRUPTS,
                message="capacity goes back to AWS and may not be had again",
                hint="keep the number for as long as the nodes are wanted",
            )
    if difference.top in ("EndDate", "EndDateType"):
        return Effect(
            verdict=Verdict.INTERRUPTS,
            message="the reservation ends at another time; at its end the capacity is gone for "
            "nodes that start afterwards",
        )
    return None


def judge_placement_group(pair: ResourcePair, difference: Difference) -> Effect | None:
    """A placement group cannot be changed at all, and not deleted while nodes are in it."""
    schema = pair.schema
    if schema is None or not schema.is_create_only(difference.path):
        return None
    return Effect(
        verdict=Verdict.REPLACES,
        message="nodes that run stay in the old group, which cannot be deleted while they do; "
        "others start in the new one, apart from them",
        hint="change it together with all the nodes",
        replaces=True,
    )
