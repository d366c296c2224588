"""What the AWS of one Region said about one instance type: what the ranking is made of.

Whatever was not answered is the `AwsFailure` in the place of the answer, and never an empty answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date, datetime

    from trnkit.aws.ec2 import ZoneDescription
    from trnkit.aws.failures import AwsFailure

T = TypeVar("T")
Told: TypeAlias = "T | AwsFailure"
"""An answer, or why there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeNeed:
    """Instances of one type that are wanted at once.

    Attributes:
        instance_type: The type.
        count: How many.
        group: The node group of the cluster file that wants them; None without a file.
        max_price_usd: The most that the file pays for a Spot instance and hour; None is any price.
    """

    instance_type: str
    count: int
    group: str | None = None
    max_price_usd: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What an instance costs.

    Attributes:
        usd_per_hour: US dollars for an instance and hour, Linux, shared tenancy.
        source: `AWS Price List` or the catalogue's page.
        as_of: The date that the source gives, or of the answer.
    """

    usd_per_hour: float
    source: str
    as_of: date


@dataclass(frozen=True, slots=True, kw_only=True)
class SpotHistory:
    """Spot prices of one zone.

    Attributes:
        zone_id: The zone.
        current_usd: US dollars per instance hour now.
        lowest_usd: The lowest of the days asked for.
        highest_usd: The highest.
        days: How far back the prices go, 30 at most.
    """

    zone_id: str
    current_usd: float
    lowest_usd: float
    highest_usd: float
    days: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockOffering:
    """A Capacity Block that can be bought.

    Attributes:
        offering_id: What the purchase names; it is good for minutes.
        zone_id: Where.
        start: Its begin.
        end: Its end.
        hours: How long it is, in whole hours. Often a little less or more than asked, since all
            blocks end at one time of day.
        count: Instances in it.
        upfront_usd: The whole fee, paid at purchase; None when AWS told another currency, no number
            or zero.
        ultraserver_type: Of an UltraServer block.
    """

    offering_id: str
    zone_id: str
    start: datetime
    end: datetime
    hours: int
    count: int
    upfront_usd: float | None
    ultraserver_type: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaRoom:
    """A vCPU quota of a family.

    Attributes:
        quota_code: Its code.
        name: Its name.
        limit: vCPUs that the account may run.
        used: vCPUs taken already.
        needed: vCPUs of all instances wanted that count against it; None when the vCPUs of one of
            them, or of something that runs, are not known.
        own: vCPUs of those in use that the cluster's own nodes and reservations take.
    """

    quota_code: str
    name: str
    limit: float
    used: int
    needed: int | None
    own: int = 0

    @property
    def has_room(self) -> bool | None:
        """Whether the instances fit; None when that cannot be told."""
        return None if self.needed is None else self.used + self.needed <= self.limit


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeMarket:
    """One instance type in one Region.

    Attributes:
        need: What was asked for.
        offered: Ids of the zones that offer the type.
        on_demand: The On-Demand price; None when none is published, or it was not asked about.
        spot: Prices of zones; None when Spot was not asked about.
        placement_scores: Zone id -> 1 to 10, the likelihood of Spot capacity; None when not asked.
            AWS says that scores of a single type are always low: they compare zones, no more.
        blocks: Capacity Blocks on sale; None when not asked about.
        blocks_remark: Which offers of blocks cannot be meant and are left out; empty when all can,
            and when nothing else is left, which is a failure in `blocks`.
        on_demand_quota: Room for On-Demand instances and reservations; None when these were not
            asked about, the Region does not offer the type, or no quota of its family is known.
        spot_quota: The same for Spot instances.
    """

    need: NodeNeed
    offered: Told[frozenset[str]]
    on_demand: Told[Price | None]
    spot: Told[tuple[SpotHistory, ...]] | None
    placement_scores: Told[Mapping[str, int]] | None
    blocks: Told[tuple[BlockOffering, ...]] | None
    on_demand_quota: Told[QuotaRoom] | None
    spot_quota: Told[QuotaRoom] | None
    blocks_remark: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionMarket:
    """One Region.

    Attributes:
        region: The Region.
        zones: Its zones; a failure here, such as a Region that is off, leaves `types` empty.
        services: Services that the file needs, by the names of AWS's global infrastructure
            parameters (`fsx`, `efs`), and whether the Region has them.
        types: What was asked about each type.
        seconds: How long the answers took.
    """

    region: str
    zones: Told[tuple[ZoneDescription, ...]]
    services: Told[Mapping[str, bool]]
    types: tuple[TypeMarket, ...]
    seconds: float
