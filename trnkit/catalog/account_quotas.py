"""Which service quota limits what a cluster makes beside vCPUs: networks, file systems, volumes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from trnkit.catalog.tables import table


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceQuota:
    """One quota of the Service Quotas service that counts resources or their size.

    Attributes:
        id: The catalogue's own name, for example `nat-gateways`.
        name: The quota's name in the console.
        service_code: For example `vpc`.
        quota_code: For example `L-FE5A380F`.
        unit: What is counted, as one of it: `NAT gateway`, `GiB`.
        documented_default: AWS's default in its documentation. Real accounts differ, so ask the
            account.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    id: str
    name: str
    service_code: str
    quota_code: str
    unit: str
    documented_default: int
    source: tuple[str, ...]
    date: str


@cache
def resource_quotas() -> tuple[ResourceQuota, ...]:
    """Return every quota of the catalogue that is not one of vCPUs."""
    return tuple(ResourceQuota(**entry) for entry in table("account_quotas")["quotas"])


def resource_quota(quota_id: str) -> ResourceQuota:
    """Return the quota of a name.

    Args:
        quota_id: The catalogue's own name, for example `nat-gateways`.

    Raises:
        KeyError: The catalogue has no such quota.
    """
    return {quota.id: quota for quota in resource_quotas()}[quota_id]
