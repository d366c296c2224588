"""EC2: Capacity Blocks for ML that can be bought. Nothing here buys one.

Sources:
    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeCapacityBlockOfferings.html
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-purchase.html
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trnkit.aws.failures import AwsFailure
from trnkit.aws.gateway import Gateway
from trnkit.aws.read_operation import ReadOperation

if TYPE_CHECKING:
    from datetime import datetime

DESCRIBE_CAPACITY_BLOCK_OFFERINGS = ReadOperation(
    service="ec2",
    name="DescribeCapacityBlockOfferings",
    permission="ec2:DescribeCapacityBlockOfferings",
    purpose="Capacity Blocks on sale: zone, start, end and fee",
)

# What EC2 says of a type without Capacity Blocks. The second code is of wrong dates and counts too,
# so that the words count.
_NOT_SOLD_CODES = {"Unsupported", "UnsupportedOperation"}
_NOT_SOLD = ("InvalidParameterValue", "not supported for capacity blocks")


@dataclass(frozen=True, slots=True, kw_only=True)
class CapacityBlockOffering:
    """A Capacity Block that can be bought; None where EC2 says nothing.

    Nothing here is compared with what was asked.

    Attributes:
        offering_id: `cb-...`, which the purchase names.
        zone_name: Its zone's name in the account.
        start: When it begins.
        end: When it ends.
        hours: How long it is, in whole hours, as EC2 says or as its start and end do.
        instance_type: Of its instances.
        instance_count: Instances in it.
        upfront_fee: The whole fee, as EC2 writes it.
        currency: Of the fee, for example `USD`.
        ultraserver_type: The UltraServers that it consists of.
        ultraserver_count: How many.
    """

    offering_id: str | None
    zone_name: str | None
    start: datetime | None
    end: datetime | None
    hours: int | None
    instance_type: str | None
    instance_count: int | None
    upfront_fee: str | None
    currency: str | None
    ultraserver_type: str | None
    ultraserver_count: int | None


class Ec2BlockGateway(Gateway):
    """Tells what Capacity Blocks one Region sells."""

    service = "ec2"
    operations = (DESCRIBE_CAPACITY_BLOCK_OFFERINGS,)

    def offerings(
        self,
        instance_type: str,
        count: int,
        hours: int,
        *,
        earliest: datetime | None = None,
        latest_end: datetime | None = None,
    ) -> tuple[CapacityBlockOffering, ...]:
        """Capacity Blocks of instances.

        Args:
            instance_type: The type.
            count: Instances in the block.
            hours: How long it is to be; all blocks end at one time of day, so that EC2 offers some
                that are a little shorter or longer.
            earliest: When it begins at the earliest.
            latest_end: When it ends at the latest.

        Returns:
            By start, last what has none; () also for a type that EC2 does not sell in blocks there.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        wanted = {"InstanceType": instance_type, "InstanceCount": count}
        return self._offerings(wanted, instance_type, hours, earliest, latest_end)

    def ultraserver_offerings(
        self,
        ultraserver_type: str,
        count: int,
        hours: int,
        *,
        earliest: datetime | None = None,
        latest_end: datetime | None = None,
    ) -> tuple[CapacityBlockOffering, ...]:
        """Capacity Blocks of UltraServers.

        Args:
            ultraserver_type: For example `u-trn2x64`.
            count: UltraServers in the block.
            hours: As for `offerings`.
            earliest: As for `offerings`.
            latest_end: As for `offerings`.

        Returns:
            As for `offerings`.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        wanted = {"UltraserverType": ultraserver_type, "UltraserverCount": count}
        return self._offerings(wanted, ultraserver_type, hours, earliest, latest_end)

    def _offerings(
        self,
        wanted: dict[str, Any],
        about: str,
        hours: int,
        earliest: datetime | None,
        latest_end: datetime | None,
    ) -> tuple[CapacityBlockOffering, ...]:
        dates = {"StartDateRange": earliest, "EndDateRange": latest_end}
        wanted |= {name: date for name, date in dates.items() if date is not None}
        try:
            told = self._ask_all(
                DESCRIBE_CAPACITY_BLOCK_OFFERINGS,
                "CapacityBlockOfferings",
                about=about,
                CapacityDurationHours=hours,
                **wanted,
            )
        except AwsFailure as failure:
            if not _says_not_sold(failure):
                raise
            return ()
        shared = [entry for entry in told if entry.get("Tenancy", "default") == "default"]
        return tuple(sorted(map(_offering, shared), key=_order))


def _says_not_sold(failure: AwsFailure) -> bool:
    code, words = _NOT_SOLD
    return failure.code in _NOT_SOLD_CODES or (
        failure.code == code and words in str(failure).lower()
    )


def _order(offering: CapacityBlockOffering) -> tuple[bool, float, str]:
    start = offering.start
    return start is None, start.timestamp() if start else 0.0, offering.offering_id or ""


def _offering(told: dict[str, Any]) -> CapacityBlockOffering:
    start, end = told.get("StartDate"), told.get("EndDate")
    lasts = int((end - start).total_seconds() // 3600) if start and end else None
    return CapacityBlockOffering(
        offering_id=told.get("CapacityBlockOfferingId"),
        zone_name=told.get("AvailabilityZone"),
        start=start,
        end=end,
        hours=told.get("CapacityBlockDurationHours") or lasts,
        instance_type=told.get("InstanceType"),
        instance_count=told.get("InstanceCount"),
        upfront_fee=told.get("UpfrontFee"),
        currency=told.get("CurrencyCode"),
        ultraserver_type=told.get("UltraserverType"),
        ultraserver_count=told.get("UltraserverCount"),
    )
