"""What templates say of capacity: market, reservation, and the sizes that schedules set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.rules.reading.fleets import AUTO_SCALING_GROUP
from trnkit.rules.reading.template_value import TemplateValue, properties_of

if TYPE_CHECKING:
    from trnkit.rules.reading.fleets import Fleet
    from trnkit.rules.reading.launch_templates import LaunchTemplate
    from trnkit.rules.stack_set import Resource, StackSet

RESERVATION = "AWS::EC2::CapacityReservation"


@dataclass(frozen=True, slots=True)
class Capacity:
    """The market and reservation options of a launch template.

    Attributes:
        market_type: `InstanceMarketOptions.MarketType`.
        preference: `CapacityReservationSpecification.CapacityReservationPreference`.
        target: `CapacityReservationSpecification.CapacityReservationTarget`.
    """

    market_type: TemplateValue
    preference: TemplateValue
    target: TemplateValue

    @property
    def is_block(self) -> bool:
        """Whether it certainly is a Capacity Block."""
        return self.market_type.text() == "capacity-block"

    @property
    def names_a_target(self) -> bool | None:
        """Whether a reservation or a group of them is named; None when that is not known."""
        named = (
            self.target["CapacityReservationId"],
            self.target["CapacityReservationResourceGroupArn"],
        )
        if any(value.is_unknown for value in named) and self.target.mapping() is None:
            return None
        return any(not value.is_absent for value in named)

    def reservation(self) -> Resource | None:
        """The targeted reservation, when a template here makes it."""
        return self.target["CapacityReservationId"].referred(RESERVATION)


def capacity_of(template: LaunchTemplate) -> Capacity:
    """Read the capacity options of a launch template."""
    specification = template.data["CapacityReservationSpecification"]
    return Capacity(
        template.data["InstanceMarketOptions"]["MarketType"],
        specification["CapacityReservationPreference"],
        specification["CapacityReservationTarget"],
    )


def scheduled_actions(stack_set: StackSet, fleet: Fleet) -> list[Resource]:
    """The scheduled actions of an Auto Scaling group."""
    return stack_set.derive(_actions_by_group).get(fleet.resource, [])


def _actions_by_group(stack_set: StackSet) -> dict[Resource, list[Resource]]:
    found: dict[Resource, list[Resource]] = {}
    for action in stack_set.resources("AWS::AutoScaling::ScheduledAction"):
        group = properties_of(action)["AutoScalingGroupName"].referred(AUTO_SCALING_GROUP)
        if group is not None:
            found.setdefault(group, []).append(action)
    return found
