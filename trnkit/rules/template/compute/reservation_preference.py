"""TRN265: the reservation preference leaves no reservation of the template idle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.capacity_resources import RESERVATION, capacity_of
from trnkit.rules.reading.fleets import accelerated_templates
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import Resource, StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for template in accelerated_templates(stack_set):
        capacity, name = capacity_of(template), template.resource.logical_id
        preference = capacity.preference.text()
        if capacity.names_a_target and preference in ("none", "open"):
            yield Violation(
                message=f"{name}: has the preference {preference} beside a target, which EC2 "
                "refuses",
                hint="write capacity-reservations-only, or leave the preference out",
                resource=template.resource,
                path=capacity.preference.path,
            )
        elif preference == "none" and template.instance_type is not None:
            waiting = stack_set.derive(_open_ones)
            for reservation in waiting.get(template.instance_type.name, ()):
                yield Violation(
                    message=f"{name}: has the preference none and so leaves "
                    f"{reservation.logical_id}, an open reservation of its type, idle",
                    hint="remove CapacityReservationPreference",
                    resource=template.resource,
                    path=capacity.preference.path,
                    severity=Severity.WARNING,
                )


def _open_ones(stack_set: StackSet) -> dict[str | None, list[Resource]]:
    """The open reservations of each instance type."""
    found: dict[str | None, list[Resource]] = {}
    for resource in stack_set.resources(RESERVATION):
        properties = properties_of(resource)
        criteria = properties["InstanceMatchCriteria"]
        is_open = criteria.is_absent or criteria.text() == "open"
        if is_open:
            found.setdefault(properties["InstanceType"].text(), []).append(resource)
    return found


_HEAD = """\
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: trn2.48xlarge
        CapacityReservationSpecification:
          CapacityReservationTarget: {CapacityReservationId: cr-0123456789abcdef0}
"""

RULE = TemplateRule(
    id="TRN265",
    title="the reservation preference leaves no reservation of the template idle",
    severity=Severity.ERROR,
    why="A reservation bills whether it is used or not, and EC2 takes a target together with "
    "capacity-reservations-only alone.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CapacityReservationSpecification.html",
    good=_HEAD + "          CapacityReservationPreference: capacity-reservations-only\n",
    bad=_HEAD + "          CapacityReservationPreference: none\n",
    check=_check,
)
