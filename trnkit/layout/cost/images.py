"""The image pipeline: the instances that bake and test, and what the images take.

Sources:
    https://docs.aws.amazon.com/imagebuilder/latest/userguide/what-is-image-builder.html (pricing)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.layout.cost.billing import Billed, price_words, times
from trnkit.layout.cost.lines import HOURS_PER_MONTH, CostLine

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.layout.cost.billing import Billing

_PATH = ("compute", "image_pipeline")


def image_lines(billing: Billing) -> Iterator[CostLine]:
    """What baking and keeping images costs; by use alone."""
    pipeline = billing.cluster.compute.image_pipeline
    if pipeline is None:
        return
    yield _building_line(billing, pipeline.instance_type)
    kept = Billed(
        key="images/kept",
        component="images",
        name="images kept",
        path=_PATH,
        item="ebs-snapshot-storage",
        unit="GB-month",
    )
    yield billing.by_use(kept, "image_gb", note="all Regions at the cluster's price")


def _building_line(billing: Billing, instance_type: str) -> CostLine:
    told = billing.assumptions.image_build_hours
    hours = told or 0.0
    price = billing.book.instance(instance_type, billing.cluster.region, "on-demand")
    monthly = times(price, hours)
    return CostLine(
        key="images/baked",
        component="images",
        name=f"images baked on {instance_type}",
        path=_PATH,
        item=f"{instance_type} on-demand",
        quantity=hours,
        unit="hour",
        price=price,
        hourly=monthly * (1 / HOURS_PER_MONTH),
        monthly=monthly,
        course="use",
        formula=f"{hours:,g} hours x {price_words(price)}",
        assumption="nobody told how much: counted as none" if told is None else None,
        use="image_build_hours",
        not_told=told is None,
    )
