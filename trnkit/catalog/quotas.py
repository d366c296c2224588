"""Which service quota limits vCPUs, by code. Codes that circulate and are wrong are kept too."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from typing import TYPE_CHECKING, Literal

from trnkit.catalog.tables import table

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """One quota of the Service Quotas service.

    Attributes:
        id: The catalogue's own name, for example `trn-on-demand`.
        name: The quota's name in the console.
        service_code: For example `ec2`.
        quota_code: For example `L-2C3B7624`.
        unit: What is counted: `vCPU`.
        families: Instance families that count, as the letters before the generation (`trn`).
        purchase: `on-demand`, `spot`, or None when it does not depend on it.
        documented_default: Default in the documentation; None is unknown. Real accounts differ,
            so ask the account.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    id: str
    name: str
    service_code: str
    quota_code: str
    unit: str
    families: tuple[str, ...]
    purchase: str | None
    documented_default: int | None
    source: tuple[str, ...]
    date: str


@cache
def service_quotas() -> tuple[Quota, ...]:
    """Return every quota in the catalogue."""
    return tuple(Quota(**entry) for entry in table("quotas")["quotas"])


def quota_for(
    instance_type: str, purchase: Literal["on-demand", "spot"] = "on-demand"
) -> Quota | None:
    """Return the quota whose vCPUs an instance type counts against.

    Args:
        instance_type: The EC2 name of any type, in the catalogue or not: `trn9.48xlarge` counts
            as Trn.
        purchase: How the instances are bought. Capacity Blocks count against neither quota.

    Returns:
        The quota, or None when the catalogue knows none for this family and purchase.
    """
    family = "".join(takewhile(str.isalpha, instance_type))
    return _first(
        quota
        for quota in service_quotas()
        if family in quota.families and quota.purchase == purchase
    )


def find_quota(quota_code: str) -> Quota | None:
    """Return the quota with this code, or None when the catalogue does not know it."""
    return _first(quota for quota in service_quotas() if quota.quota_code == quota_code)


def wrong_quota_codes() -> tuple[str, ...]:
    """Return codes that are passed around as Trn quotas and are not."""
    return table("quotas")["wrong_codes"]["codes"]


def _first(found: Iterable[Quota]) -> Quota | None:
    return next(iter(found), None)
