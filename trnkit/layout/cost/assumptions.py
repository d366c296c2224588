"""What a cluster file cannot say of its use, and an estimate needs.

Nothing is guessed: a use that nobody told is None, is counted as none, and the line says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.layout.cost.lines import HOURS_PER_MONTH

if TYPE_CHECKING:
    from trnkit.catalog.price_book import UnitPrice


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumptions:
    """How a cluster is used. Amounts are of a month; None: not told.

    Attributes:
        hours_per_month: Hours in which nodes run that no Capacity Block limits.
        spot_prices: What Spot nodes cost, where it was told: before the price book's.
        nat_gb: Data through the NAT gateway, both ways together.
        endpoint_gb: Data through interface endpoints, both ways together.
        internet_gb: Data sent to the internet.
        cross_zone_gb: Data between nodes and file systems in another zone, both ways together.
        s3_gb: Stored in the checkpoint bucket, old versions too.
        s3_writes: PUT, COPY, POST and LIST requests to it.
        s3_reads: GET requests to it.
        home_gb: Stored in the home file system.
        home_read_gb: Read from it.
        home_write_gb: Written to it.
        home_backup_gb: Stored in its backups.
        tiering_gb: Stored in each Intelligent-Tiering file system.
        tiering_reads: Requests that its read cache does not answer, of each.
        tiering_writes: Requests that write, of each.
        lustre_backup_gb: Stored in backups of each Lustre file system.
        log_gb: Logs of nodes and file systems that are sent to CloudWatch.
        flow_log_gb: Flow logs.
        image_build_hours: Hours of instances that bake and test images.
        image_gb: Stored in snapshots of baked images, in all Regions together.
        guard_seconds: Seconds that one run of a function of the spend guard takes.
    """

    hours_per_month: float = HOURS_PER_MONTH
    spot_prices: tuple[UnitPrice, ...] = ()
    nat_gb: float | None = None
    endpoint_gb: float | None = None
    internet_gb: float | None = None
    cross_zone_gb: float | None = None
    s3_gb: float | None = None
    s3_writes: float | None = None
    s3_reads: float | None = None
    home_gb: float | None = None
    home_read_gb: float | None = None
    home_write_gb: float | None = None
    home_backup_gb: float | None = None
    tiering_gb: float | None = None
    tiering_reads: float | None = None
    tiering_writes: float | None = None
    lustre_backup_gb: float | None = None
    log_gb: float | None = None
    flow_log_gb: float | None = None
    image_build_hours: float | None = None
    image_gb: float | None = None
    guard_seconds: float = 5.0

    def told_price(self, item: str) -> UnitPrice | None:
        """What a kind of node was told to cost.

        Args:
            item: As in the price book: `trn1.32xlarge spot`.
        """
        return next((price for price in self.spot_prices if price.item == item), None)
