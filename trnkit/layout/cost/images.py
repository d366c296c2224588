"""The image pipeline: the instances that bake and test, and what the images take.

Sources:
    https://docs.aws.amazon.com/imagebuilder/latest/userguide/what-is-image-builder.html (pricing)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.layout.cost.billing import Billed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.layout.cost.billing import Billing
    from trnkit.layout.cost.lines import CostLine

_PATH = ("compute", "image_pipeline")


def image_lines(billing: Billing) -> Iterator[CostLine]:
    """What baking and keeping images costs; by use alone."""
    pipeline = billing.cluster.compute.image_pipeline
    if pipeline is None:
        return
    baked = Billed(
        key="images/baked",
        component="images",
        name=f"images baked on {pipeline.instance_type}",
        path=_PATH,
        item=f"{pipeline.instance_type} on-demand",
        unit="hour",
    )
    yield billing.by_use(baked, "image_build_hours")
    kept = Billed(
        key="images/kept",
        component="images",
        name="images kept",
        path=_PATH,
        item="ebs-snapshot-storage",
        unit="GB-month",
    )
    yield billing.by_use(kept, "image_gb", note="all Regions at the cluster's price")
