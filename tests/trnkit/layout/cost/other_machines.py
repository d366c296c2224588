"""Instance types of round figures and prices that nobody has, to compute with by hand."""

from __future__ import annotations

from trnkit.catalog.price_book import OwnPrice, PriceBook, UnitPrice
from trnkit.layout.cost.alternatives import GroupWork, compare
from trnkit.layout.cost.lines import Money
from trnkit.layout.cost.machines import Machine, Utilisation

REGION = "us-east-2"


def a_machine(name, accelerators=8, tflops=1000.0, memory=80.0, network=3200.0, **changes):
    """A type with eight accelerators of 1,000 TFLOP/s and 80 GiB."""
    values = {
        "instance_type": name,
        "accelerator": "NVIDIA H100",
        "accelerators": accelerators,
        "bf16_tflops": tflops,
        "memory_gib": memory,
        "network_gbps": network,
        "offered": True,
        "not_sold": (),
        "block_step": 1,
        "block_maximum": 64,
        "disputed": (),
        "source": ("neuron-arch",),
        "date": "2026-11-30",
        **changes,
    }
    return Machine(**values)


TRN2 = a_machine("trn2.48xlarge", 16, 600.0, 100.0, accelerator="Trainium2")
"""9,600 TFLOP/s, 1,600 GiB, 200 Gbit/s each."""
P5 = a_machine("p5.48xlarge")
"""8,000 TFLOP/s, 640 GiB, 400 Gbit/s each."""
P4D = a_machine("p4d.24xlarge", 8, 300.0, 40.0, 400.0, accelerator="NVIDIA A100")
"""2,400 TFLOP/s, 320 GiB, 50 Gbit/s each."""


def a_price(item, low, high=None, **changes):
    """A price of a source for this Region, in dollars an hour."""
    values = {
        "item": item,
        "unit": "hour",
        "low": low,
        "high": low if high is None else high,
        "basis": "region",
        "source": ("block-prices",),
        "date": "2026-11-30",
        **changes,
    }
    return UnitPrice(**values)


class OtherPrices(PriceBook):
    """A book with these prices of instances alone; of services it has what the catalogue has."""

    def __init__(self, *prices):
        super().__init__(OwnPrice(item=price.item, region=None, price=price) for price in prices)
        self._told = {price.item: price for price in prices}

    def instance(self, instance_type, region, purchase):
        del region
        return self._told.get(f"{instance_type} {purchase}")


PRICES = (
    a_price("trn2.48xlarge capacity-block", 48.0),
    a_price("p5.48xlarge on-demand", 80.0),
    a_price("p5.48xlarge capacity-block", 40.0, 60.0, basis="other regions"),
)
"""5 dollars for 1,000 TFLOP-hours of trn2's peak; 10, and 5 to 7.50, of p5's."""


def a_comparison(
    *groups,
    machines=(TRN2, P5, P4D),
    prices=PRICES,
    utilisation=None,
    node_hours=None,
    spot_prices=(),
):
    """Five trn2.48xlarge in a Capacity Block, 240 dollars an hour, beside the others."""
    return compare(
        groups or (GroupWork("train", "trn2.48xlarge", 5),),
        node_hours or {"train": Money(240.0, 240.0)},
        machines,
        OtherPrices(*prices),
        REGION,
        utilisation or Utilisation(),
        spot_prices,
    )


def ways_of(comparison):
    """Its ways by type and purchase."""
    return {(way.machine.instance_type, way.purchase): way for way in comparison.ways}
