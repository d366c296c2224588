"""A book of round prices, which knows nothing beside them."""

from __future__ import annotations

from trnkit.catalog.price_book import PriceBook, UnitPrice

# US dollars for a unit; where two stand, the price is somewhere between.
PRICES: dict[str, tuple[str, float, float]] = {
    "trn1.32xlarge on-demand": ("hour", 21.5, 21.5),
    "trn1.2xlarge on-demand": ("hour", 1.5, 2.0),
    "trn2.48xlarge capacity-block": ("hour", 35.0, 35.0),
    "m7i.2xlarge on-demand": ("hour", 0.4, 0.4),
    "ebs-gp3-storage": ("GB-month", 0.08, 0.08),
    "ebs-gp3-iops": ("IOPS-month", 0.005, 0.005),
    "ebs-gp3-throughput": ("MiBps-month", 0.04, 0.04),
    "ebs-snapshot-storage": ("GB-month", 0.05, 0.05),
    "fsx-lustre-scratch-2": ("GB-month", 0.14, 0.14),
    "fsx-lustre-persistent-1-ssd-50": ("GB-month", 0.13, 0.13),
    "fsx-lustre-persistent-1-hdd-12": ("GB-month", 0.025, 0.025),
    "fsx-lustre-persistent-1-hdd-40-ssd-cache": ("GB-month", 0.1, 0.1),
    "fsx-lustre-persistent-2-ssd-125": ("GB-month", 0.145, 0.145),
    "fsx-lustre-persistent-2-ssd-500": ("GB-month", 0.34, 0.34),
    "fsx-lustre-metadata-iops": ("IOPS-month", 0.055, 0.055),
    "fsx-lustre-backup-storage": ("GB-month", 0.05, 0.05),
    "fsx-lustre-intelligent-tiering-throughput": ("MBps-month", 0.5, 0.5),
    "fsx-lustre-intelligent-tiering-metadata-iops": ("IOPS-month", 0.05, 0.05),
    "fsx-lustre-intelligent-tiering-read-cache": ("GB-month", 0.1, 0.1),
    "fsx-lustre-intelligent-tiering-frequent": ("GB-month", 0.02, 0.02),
    "fsx-lustre-intelligent-tiering-monitoring": ("GB-month", 0.001, 0.001),
    "fsx-lustre-intelligent-tiering-read-requests": ("request", 4e-07, 4e-07),
    "fsx-lustre-intelligent-tiering-write-requests": ("request", 5e-06, 5e-06),
    "efs-standard-storage": ("GB-month", 0.3, 0.3),
    "efs-elastic-read": ("GB", 0.03, 0.03),
    "efs-elastic-write": ("GB", 0.06, 0.06),
    "efs-backup-storage": ("GB-month", 0.05, 0.05),
    "s3-standard-storage": ("GB-month", 0.023, 0.023),
    "s3-put-requests": ("request", 5e-06, 5e-06),
    "s3-get-requests": ("request", 4e-07, 4e-07),
    "nat-gateway-hour": ("hour", 0.045, 0.045),
    "nat-gateway-data": ("GB", 0.045, 0.045),
    "interface-endpoint-hour": ("hour", 0.01, 0.01),
    "interface-endpoint-data": ("GB", 0.01, 0.01),
    "public-ipv4-hour": ("hour", 0.005, 0.005),
    "data-transfer-cross-zone": ("GB", 0.01, 0.01),
    "data-transfer-out": ("GB", 0.09, 0.09),
    "cloudwatch-metric-month": ("metric-month", 0.3, 0.3),
    "cloudwatch-alarm-month": ("metric-month", 0.1, 0.1),
    "cloudwatch-put-metric-requests": ("request", 1e-05, 1e-05),
    "cloudwatch-get-metric-data": ("metric", 1e-05, 1e-05),
    "cloudwatch-logs-ingestion": ("GB", 0.5, 0.5),
    "cloudwatch-logs-vended-ingestion": ("GB", 0.5, 0.5),
    "cloudwatch-logs-storage": ("GB-month", 0.03, 0.03),
    "kms-key-month": ("key-month", 1.0, 1.0),
    "lambda-requests": ("request", 2e-07, 2e-07),
    "lambda-gb-second-arm": ("GB-second", 1.33334e-05, 1.33334e-05),
    "dynamodb-write-requests": ("request", 6.25e-07, 6.25e-07),
    "dynamodb-read-requests": ("request", 1.25e-07, 1.25e-07),
    "budgets-action-day": ("day", 0.1, 0.1),
}


class RoundPrices(PriceBook):
    """`PRICES` in every Region, and nothing else."""

    date = "2026-11-30"

    def __init__(self, lacking=()):
        """Take the prices.

        Args:
            lacking: Items that nobody shows a price of.
        """
        super().__init__()
        self._lacking = set(lacking)

    def instance(self, instance_type, region, purchase):
        """The price of an instance."""
        return self.service(f"{instance_type} {purchase}", region)

    def service(self, item, region):
        """The price of anything else."""
        if item not in PRICES or item in self._lacking:
            return None
        unit, low, high = PRICES[item]
        return UnitPrice(
            item=item,
            unit=unit,
            low=low,
            high=high,
            basis="region" if low == high else "other regions",
            source=("round-prices",),
            date=self.date,
        )
