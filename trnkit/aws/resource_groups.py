"""Resource Groups: what a group is for, and what is in it."""

from __future__ import annotations

from trnkit.aws.gateway import Gateway
from trnkit.aws.read_operation import ReadOperation

GET_GROUP_CONFIGURATION = ReadOperation(
    service="resource-groups",
    name="GetGroupConfiguration",
    permission="resource-groups:GetGroupConfiguration",
    purpose="whether instances can be launched into the reservations of a resource group",
)
LIST_GROUP_RESOURCES = ReadOperation(
    service="resource-groups",
    name="ListGroupResources",
    permission="resource-groups:ListGroupResources",
    # https://docs.aws.amazon.com/ARG/latest/APIReference/API_ListGroupResources.html
    also=("cloudformation:DescribeStacks", "cloudformation:ListStackResources", "tag:GetResources"),
    purpose="the reservations of a resource group",
)

RESERVATION_POOL = "AWS::EC2::CapacityReservationPool"
"""What a group must be configured as, so that a launch can name it."""

_RESERVATION = ":capacity-reservation/"


class ResourceGroupsGateway(Gateway):
    """Describes resource groups of one Region."""

    service = "resource-groups"
    operations = (GET_GROUP_CONFIGURATION, LIST_GROUP_RESOURCES)

    def configured_as(self, group: str) -> frozenset[str]:
        """The types that a group is configured as; none when it is made by a query.

        Args:
            group: Its ARN.

        Raises:
            AwsFailure: AWS gave no answer, or the account has no such group.
        """
        told = self._ask(GET_GROUP_CONFIGURATION, about=_name(group), Group=group)
        items = told.get("GroupConfiguration", {}).get("Configuration", ())
        return frozenset(item["Type"] for item in items)

    def reservation_ids(self, group: str) -> tuple[str, ...]:
        """The ids of the reservations in a group, in order.

        Args:
            group: Its ARN.

        Raises:
            AwsFailure: AWS gave no answer, or the account has no such group.
        """
        told = self._ask_all(LIST_GROUP_RESOURCES, "Resources", about=_name(group), Group=group)
        arns = [member.get("Identifier", {}).get("ResourceArn", "") for member in told]
        return tuple(
            sorted({arn.partition(_RESERVATION)[2] for arn in arns if _RESERVATION in arn})
        )


def _name(group: str) -> str:
    """The group without its account."""
    return f"resource group {group.rpartition(':group/')[2]}"
