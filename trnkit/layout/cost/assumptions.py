"""What a cluster file cannot say of its use, and an estimate needs.

Nothing is guessed: a use that nobody told is None, is counted as none, and the line says so.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from trnkit.layout.cost.lines import HOURS_PER_MONTH


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumptions:
    """How a cluster is used. Amounts are of a month; None: not told.

    Attributes:
        hours_per_month: Hours in which On-Demand and Spot nodes run.
        spot_prices: Instance type and US dollars an hour of Spot nodes.
        nat_gb: Data through the NAT gateway, both ways together.
        endpoint_gb: Data through interface endpoints.
        internet_gb: Data sent to the internet.
        cross_zone_gb: Data between nodes and file systems in another zone, both ways together.
        s3_gb: Stored in the checkpoint bucket, old versions included.
        s3_writes: PUT, COPY, POST and LIST requests to it.
        s3_reads: GET requests to it.
        home_gb: Stored in the home file system.
        home_backup_gb: Stored in its backups.
        tiering_gb: Stored in an Intelligent-Tiering file system, each.
        lustre_backup_gb: Stored in backups of a Lustre file system, each.
        log_gb: Sent by nodes to CloudWatch Logs.
        flow_log_gb: Sent by VPC flow logs.
        image_build_hours: Hours of the instances that bake and test images.
        image_gb: Stored in snapshots of baked images.
    """

    hours_per_month: float = HOURS_PER_MONTH
    spot_prices: tuple[tuple[str, float], ...] = ()
    nat_gb: float | None = None
    endpoint_gb: float | None = None
    internet_gb: float | None = None
    cross_zone_gb: float | None = None
    s3_gb: float | None = None
    s3_writes: float | None = None
    s3_reads: float | None = None
    home_gb: float | None = None
    home_backup_gb: float | None = None
    tiering_gb: float | None = None
    lustre_backup_gb: float | None = None
    log_gb: float | None = None
    flow_log_gb: float | None = None
    image_build_hours: float | None = None
    image_gb: float | None = None

    def spot_price(self, instance_type: str) -> float | None:
        """What a Spot node was told to cost in an hour."""
        return dict(self.spot_prices).get(instance_type)

    @classmethod
    def uses(cls) -> tuple[str, ...]:
        """Names of the uses that can be told."""
        return tuple(
            field.name
            for field in fields(cls)
            if field.name not in ("hours_per_month", "spot_prices")
        )
