"""Customer managed KMS keys that a cluster makes; keys of AWS and of the user are not its cost.

Sources:
    https://docs.aws.amazon.com/kms/latest/developerguide/concepts.html (kinds of keys)
    https://docs.aws.amazon.com/kms/latest/developerguide/rotate-keys.html (what rotations add)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.layout.alert_endpoints import arn_region
from trnkit.layout.cost.billing import Billed
from trnkit.layout.tags import budget_region

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.layout.cost.billing import Billing
    from trnkit.layout.cost.lines import CostLine


def key_lines(billing: Billing) -> Iterator[CostLine]:
    """A line for each key."""
    cluster = billing.cluster
    if cluster.compute.volume_key == "customer-managed":
        volumes = _billed("key of the nodes' volumes", ("compute", "volume_key"), cluster.region)
        yield _line(billing, volumes)
    budget = cluster.budget
    if budget.topic_arn is None:
        where = budget_region(cluster)
        yield _line(billing, _billed("key of the alert topic", ("budget",), where))
    where = arn_region(budget.topic_arn) if budget.topic_arn else budget_region(cluster)
    # The guard shares a topic of its own Region to which the addresses subscribe.
    shares = budget.delivery == "topic" and where == cluster.region
    if budget.watchdog is not None and not shares:
        own = _billed("key of the spend guard's topic", ("budget", "watchdog"), cluster.region)
        yield _line(billing, own)


def _line(billing: Billing, key: Billed) -> CostLine:
    """Every key that a cluster makes is rotated each year."""
    note = "in its first year: each of the first two yearly rotations adds as much"
    return billing.by_month(key, 1, "1 key", assumption=note)


def _billed(name: str, path: tuple[str, ...], region: str) -> Billed:
    return Billed(
        key=f"keys/{name}",
        component="keys",
        name=name,
        path=path,
        item="kms-key-month",
        unit="key-month",
        region=region,
    )
