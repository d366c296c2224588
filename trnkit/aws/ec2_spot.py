"""EC2: what Spot instances cost, and how likely there is capacity for them.

Sources:
    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeSpotPriceHistory.html
    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_GetSpotPlacementScores.html
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-placement-score.html
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.aws.failures import unusable_failure
from trnkit.aws.gateway import Gateway
from trnkit.aws.read_operation import ReadOperation
from trnkit.aws.told_numbers import told_number

if TYPE_CHECKING:
    from datetime import datetime

DESCRIBE_SPOT_PRICE_HISTORY = ReadOperation(
    service="ec2",
    name="DescribeSpotPriceHistory",
    permission="ec2:DescribeSpotPriceHistory",
    purpose="what Spot instances cost in each zone, now and in the last 30 days",
)
GET_SPOT_PLACEMENT_SCORES = ReadOperation(
    service="ec2",
    name="GetSpotPlacementScores",
    permission="ec2:GetSpotPlacementScores",
    purpose="how likely each zone has Spot capacity",
)

_PLATFORM = "Linux/UNIX"
_PAGE = 1000
_SCORES = range(1, 11)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpotPrice:
    """A price of one zone, from a moment on.

    Attributes:
        zone_name: The zone's name in the account.
        zone_id: Its id; None when EC2 does not say it.
        usd_per_hour: US dollars for an instance and hour.
        since: From when on.
    """

    zone_name: str | None
    zone_id: str | None
    usd_per_hour: float
    since: datetime


class Ec2SpotGateway(Gateway):
    """Tells prices and scores of Spot instances in one Region."""

    service = "ec2"
    operations = (DESCRIBE_SPOT_PRICE_HISTORY, GET_SPOT_PLACEMENT_SCORES)

    def prices(self, instance_type: str, since: datetime) -> tuple[SpotPrice, ...]:
        """Every price of Linux instances from a moment on, in no order.

        The price that was in effect at that moment is among them, and is older.

        Args:
            instance_type: The type.
            since: The moment; EC2 knows 90 days.

        Raises:
            AwsFailure: AWS gave no answer, or stopped in the middle, or told something that is no
                price.
        """
        told = self._ask_all(
            DESCRIBE_SPOT_PRICE_HISTORY,
            "SpotPriceHistory",
            about=instance_type,
            InstanceTypes=[instance_type],
            ProductDescriptions=[_PLATFORM],
            StartTime=since,
            PaginationConfig={"PageSize": _PAGE},
        )
        return tuple(
            SpotPrice(
                zone_name=entry.get("AvailabilityZone"),
                zone_id=entry.get("AvailabilityZoneId"),
                usd_per_hour=self._price(entry.get("SpotPrice"), instance_type),
                since=entry["Timestamp"],
            )
            for entry in told
            if entry.get("Timestamp")
        )

    def placement_scores(self, instance_type: str, count: int) -> dict[str, int]:
        """The likelihood of capacity for so many instances in one zone, from 1 to 10.

        Asked for the own Region alone: of several Regions EC2 scores the ten best zones only, and
        in China no other one. AWS calls scores of less than three types always low, so that
        those of one type compare zones and promise nothing.

        Args:
            instance_type: The type.
            count: How many at once.

        Returns:
            Scores by zone id.

        Raises:
            AwsFailure: AWS gave no answer, told something that is no score, or was asked too many
                different questions in 24 hours.
        """
        told = self._ask_all(
            GET_SPOT_PLACEMENT_SCORES,
            "SpotPlacementScores",
            about=f"{count} of {instance_type}",
            InstanceTypes=[instance_type],
            TargetCapacity=count,
            SingleAvailabilityZone=True,
            RegionNames=[self._region],
        )
        scores = {
            entry["AvailabilityZoneId"]: entry["Score"]
            for entry in told
            if entry.get("AvailabilityZoneId") and entry.get("Score") is not None
        }
        for zone_id, score in scores.items():
            if score not in _SCORES:
                raise unusable_failure(
                    self.service,
                    GET_SPOT_PLACEMENT_SCORES.name,
                    self._region,
                    f"{count} of {instance_type}",
                    lacking=f"the score of {zone_id} is {score!r}",
                )
        return scores

    def _price(self, told: str | None, instance_type: str) -> float:
        price = told_number(told)
        if not price:
            raise unusable_failure(
                self.service,
                DESCRIBE_SPOT_PRICE_HISTORY.name,
                self._region,
                instance_type,
                lacking=f"the price is {told!r}",
            )
        return price
