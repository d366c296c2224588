"""TRN263: a Capacity Reservation has an end, or says that it has none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import find_instance_type
from trnkit.findings import Severity
from trnkit.rules.reading.capacity_resources import RESERVATION
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for resource in stack_set.resources(RESERVATION):
        properties = properties_of(resource)
        name = properties["InstanceType"].text()
        end, kind = properties["EndDate"], properties["EndDateType"]
        if not name or find_instance_type(name) is None or end.is_unknown or kind.is_unknown:
            continue
        if end.is_absent and kind.is_absent:
            fault, hint = "has no EndDate", "write EndDate, or EndDateType: unlimited if meant"
        elif end.is_absent and kind.text() == "limited":
            fault, hint = "has EndDateType limited and no EndDate", "write EndDate"
        elif not end.is_absent and kind.text() == "unlimited":
            fault, hint = "has EndDateType unlimited and an EndDate", "keep one of them"
        else:
            continue
        yield Violation(
            message=f"{resource.logical_id}: {fault}; it bills {name} at the On-Demand price, used "
            "or not, until it ends",
            hint=hint,
            resource=resource,
            path=end.path if kind.is_absent else kind.path,
        )


_HEAD = """\
Resources:
  Reservation:
    Type: AWS::EC2::CapacityReservation
    Properties:
      InstanceType: trn2.48xlarge
      InstanceCount: 4
      InstancePlatform: Linux/UNIX
      AvailabilityZoneId: use2-az3
"""

RULE = TemplateRule(
    id="TRN263",
    title="a Capacity Reservation has an end, or says that it has none",
    severity=Severity.ERROR,
    why="Without an end a reservation bills until somebody remembers it.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-reservations-pricing-billing.html",
    good=_HEAD + "      EndDateType: limited\n      EndDate: '2027-03-31T18:00:00Z'\n",
    bad=_HEAD,
    check=_check,
)
