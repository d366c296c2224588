"""TRN292: a Capacity Reservation reserves something."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.capacity_resources import RESERVATION
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for reservation in stack_set.resources(RESERVATION):
        instances = properties_of(reservation)["InstanceCount"]
        number = instances.integer()
        if number is not None and number < 1:
            yield Violation(
                message=f"{reservation.logical_id}: reserves {number} instances; EC2 takes 1 or "
                "more",
                hint="remove the reservation, or write how many to reserve",
                resource=reservation,
                path=instances.path,
            )


_HEAD = """\
Resources:
  Reservation:
    Type: AWS::EC2::CapacityReservation
    Properties:
      InstanceType: trn1.32xlarge
      InstancePlatform: Linux/UNIX
      AvailabilityZoneId: usw2-az4
      InstanceCount: """

RULE = TemplateRule(
    id="TRN292",
    title="a Capacity Reservation reserves something",
    severity=Severity.ERROR,
    why="EC2 refuses to make a reservation of no instances; an empty Auto Scaling group is what "
    "costs nothing and stays.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateCapacityReservation.html",
    good=_HEAD + "1\n",
    bad=_HEAD + "0\n",
    check=_check,
)
