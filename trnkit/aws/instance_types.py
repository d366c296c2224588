"""EC2: instance types of a Region, and which of its zones offer them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from trnkit.aws.gateway import Gateway
from trnkit.aws.read_operation import ReadOperation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DESCRIBE_INSTANCE_TYPE_OFFERINGS = ReadOperation(
    service="ec2",
    name="DescribeInstanceTypeOfferings",
    permission="ec2:DescribeInstanceTypeOfferings",
    purpose="which zones offer an instance type",
)
DESCRIBE_INSTANCE_TYPES = ReadOperation(
    service="ec2",
    name="DescribeInstanceTypes",
    permission="ec2:DescribeInstanceTypes",
    purpose="types that the catalogue lacks, and what differs from it",
)

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


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeDescription:
    """What a quota and an image want to know of a type; None where EC2 says nothing.

    Attributes:
        instance_type: Its name.
        vcpus: Default virtual CPUs.
        architectures: For example `x86_64`.
    """

    instance_type: str
    vcpus: int | None
    architectures: tuple[str, ...]


class InstanceTypeGateway(Gateway):
    """Describes the instance types of one Region."""

    service = "ec2"
    operations = (DESCRIBE_INSTANCE_TYPE_OFFERINGS, DESCRIBE_INSTANCE_TYPES)

    def neuron_types(self) -> tuple[NeuronTypeDescription, ...]:
        """Describe every type of a Trn or Inf family, and every other one with Neuron chips.

        EC2 has no filter for Neuron chips, so all types are read, page by page.

        Returns:
            By name.

        Raises:
            AwsFailure: AWS gave no answer, or stopped in the middle.
        """
        told = self._ask_all(
            DESCRIBE_INSTANCE_TYPES, "InstanceTypes", PaginationConfig={"PageSize": _PAGE}
        )
        found = {
            name: NeuronTypeDescription(name, entry)
            for entry in told
            if (name := entry.get("InstanceType"))
            and (name.startswith(_FAMILIES) or entry.get("NeuronInfo"))
        }
        return tuple(found[name] for name in sorted(found))

    def types(self, names: Sequence[str]) -> dict[str, TypeDescription]:
        """Describe types by name; one that the Region does not know is left out.

        Args:
            names: Their names.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        told = self._ask_all(
            DESCRIBE_INSTANCE_TYPES,
            "InstanceTypes",
            about=", ".join(names),
            Filters=[{"Name": "instance-type", "Values": list(names)}],
        )
        return {entry["InstanceType"]: _description(entry) for entry in told}

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
            told = self._ask_all(
                DESCRIBE_INSTANCE_TYPE_OFFERINGS,
                "InstanceTypeOfferings",
                about=values[0] if len(names) == 1 else None,
                LocationType=location_type,
                Filters=[{"Name": "instance-type", "Values": values}],
                PaginationConfig={"PageSize": _PAGE},
            )
            for offering in told:
                places.setdefault(offering["InstanceType"], set()).add(offering["Location"])
        return {name: tuple(sorted(found)) for name, found in sorted(places.items())}


def _description(entry: Mapping[str, Any]) -> TypeDescription:
    return TypeDescription(
        instance_type=entry["InstanceType"],
        vcpus=entry.get("VCpuInfo", {}).get("DefaultVCpus"),
        architectures=tuple(entry.get("ProcessorInfo", {}).get("SupportedArchitectures", ())),
    )
