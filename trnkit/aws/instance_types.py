"""EC2: which instance types with Neuron chips a Region has, and which of its zones offer them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from botocore.exceptions import BotoCoreError, ClientError

from trnkit.aws.failures import failure_from

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from trnkit.aws.session import AwsSession

# How many answers EC2 puts on a page, and how many values it takes in one filter, at most.
# https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstanceTypes.html
# https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_Filter.html
_PAGE, _FILTER_VALUES = 100, 200
_FAMILIES = ("trn", "inf")

LocationType = Literal["availability-zone-id", "region"]


@dataclass(frozen=True, slots=True)
class NeuronTypeDescription:
    """An instance type as EC2 describes it.

    Attributes:
        name: Its name.
        entry: The member of `InstanceTypes`, with EC2's own keys; not to be changed.
    """

    name: str
    entry: Mapping[str, Any]


class InstanceTypeGateway:
    """Describes the instance types of one Region."""

    def __init__(self, session: AwsSession, region: str) -> None:
        """Ask nothing yet.

        Args:
            session: Where the client comes from.
            region: The Region to ask.
        """
        self._session, self._region = session, region

    def neuron_types(self) -> tuple[NeuronTypeDescription, ...]:
        """Describe every type of a Trn or Inf family, and every other one with Neuron chips.

        EC2 has no filter for Neuron chips, so all types are read, page by page.

        Returns:
            By name.

        Raises:
            AwsFailure: AWS gave no answer, or stopped in the middle.
        """
        pages = self._pages("describe_instance_types", "DescribeInstanceTypes", {})
        found = {
            name: NeuronTypeDescription(name, entry)
            for page in pages
            for entry in page.get("InstanceTypes", ())
            if (name := entry.get("InstanceType"))
            and (name.startswith(_FAMILIES) or entry.get("NeuronInfo"))
        }
        return tuple(found[name] for name in sorted(found))

    def offerings(
        self, names: Sequence[str], location_type: LocationType
    ) -> dict[str, tuple[str, ...]]:
        """Tell where types are offered.

        Args:
            names: The types.
            location_type: Which kind of place is meant.

        Returns:
            Places by type, sorted; a type that is offered nowhere is left out.

        Raises:
            AwsFailure: AWS gave no answer, or stopped in the middle.
        """
        places: dict[str, set[str]] = {}
        for start in range(0, len(names), _FILTER_VALUES):
            values = list(names[start : start + _FILTER_VALUES])
            asked = {
                "LocationType": location_type,
                "Filters": [{"Name": "instance-type", "Values": values}],
            }
            for page in self._pages(
                "describe_instance_type_offerings", "DescribeInstanceTypeOfferings", asked
            ):
                for offering in page.get("InstanceTypeOfferings", ()):
                    places.setdefault(offering["InstanceType"], set()).add(offering["Location"])
        return {name: tuple(sorted(found)) for name, found in sorted(places.items())}

    def _pages(
        self, method: str, operation: str, asked: dict[str, Any]
    ) -> Iterator[dict[str, Any]]:
        client = self._session.client("ec2", self._region)
        try:
            yield from client.get_paginator(method).paginate(
                **asked, PaginationConfig={"PageSize": _PAGE}
            )
        except (ClientError, BotoCoreError) as error:
            raise failure_from(
                error, service="ec2", operation=operation, region=self._region
            ) from None
