"""The part of docs/catalog.md about prices: of services, of instances, and what is said of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scripts.doc_pages.markdown import shown, table, wrap
from trnkit.catalog import (
    free_items,
    gpu_instances,
    gpu_prices,
    instance_prices,
    price_claims,
    service_items,
)
from trnkit.catalog.service_prices import EVERY_REGION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.catalog import Disagreement, GpuInstance, InstancePrice, ServiceItem, ServicePrice

_UNKNOWN = "unknown"


def price_blocks() -> list[str]:
    """Headings and tables, in the order of the page."""
    return [*_services(), *_free(), *_instances(), *_gpus(), *_claims()]


def price_disagreements() -> list[tuple[str, Disagreement]]:
    """What the prices are of, and where their sources differ."""
    return [
        *(
            (f"`{item.key}`", entry)
            for item in service_items()
            for price in item.prices
            for entry in price.disagreements
        ),
        *(
            (f"{price.instance_type} {price.purchase}", entry)
            for price in (*instance_prices(), *gpu_prices())
            for entry in price.disagreements
        ),
        *((kind.name, entry) for kind in gpu_instances() for entry in kind.disagreements),
    ]


def _services() -> list[str]:
    return [
        "## Prices of services",
        wrap(
            "List prices in US dollars, of the first tier, without taxes, without what an account "
            "has free and without what an organization has negotiated. A Region stands here when "
            "a source shows its price. For another Region trnkit takes the range over those that "
            "are known, and says so; an item without any price stays unknown. A GB is what the "
            "service counts as one. Own prices in a file count before all of these."
        ),
        table(
            ["Item", "Service", "What is counted", "Unit", "USD for a unit", "Sources", "As of"],
            [_item_row(item) for item in service_items()],
        ),
    ]


def _free() -> list[str]:
    return [
        "### What costs nothing",
        table(
            ["Item", "Service", "What"],
            [(f"`{item.key}`", item.service, item.meaning) for item in free_items()],
        ),
    ]


def _instances() -> list[str]:
    return [
        "## Prices of instances",
        wrap(
            "US dollars for an instance and hour, with Linux. A Capacity Block is paid in whole "
            "when it is bought. Spot prices change all the time and are not kept. Unknown: AWS "
            "publishes none that a source shows."
        ),
        table(
            ["Type", "Bought as", "USD an hour", "Regions", "Sources", "As of"],
            [_price_row(price) for price in instance_prices()],
        ),
    ]


def _gpus() -> list[str]:
    return [
        "## Instances with GPUs",
        wrap(
            "To compare prices with; no cluster here can have them. Peaks are dense ones of one "
            "accelerator: figures with sparsity are twice as high, and training reaches neither."
        ),
        table(
            [
                "Type",
                "Accelerators",
                "GiB each",
                "BF16 TFLOP/s each",
                "FP8 TFLOP/s each",
                "Network (Gbit/s)",
                "Sources",
                "As of",
            ],
            [_gpu_row(kind) for kind in gpu_instances()],
        ),
        table(
            ["Type", "Bought as", "USD an hour", "Regions", "Sources", "As of"],
            [_price_row(price) for price in gpu_prices()],
        ),
    ]


def _claims() -> list[str]:
    return [
        "## Figures that circulate",
        table(
            ["Claim", "Of what it is said", "Why figures here differ", "Sources"],
            [
                (claim.words, claim.conditions, claim.explanation, ", ".join(claim.source))
                for claim in price_claims()
            ],
        ),
    ]


def _item_row(item: ServiceItem) -> list[object]:
    return [
        f"`{item.key}`",
        item.service,
        item.meaning,
        item.unit,
        "; ".join(_service_prices(item)) or _UNKNOWN,
        ", ".join(item.source),
        item.date,
    ]


def _service_prices(item: ServiceItem) -> Iterator[str]:
    for price in item.prices:
        yield f"{plain(price.usd_per_unit)} ({_regions(price)})"


def _regions(price: ServicePrice) -> str:
    return "every Region" if price.regions == (EVERY_REGION,) else ", ".join(price.regions)


def _price_row(price: InstancePrice) -> list[object]:
    usd = price.usd_per_hour
    return [
        f"`{price.instance_type}`",
        price.purchase,
        _UNKNOWN if usd is None else plain(usd),
        ", ".join(price.regions) or "none",
        ", ".join(price.source),
        price.date,
    ]


def _gpu_row(kind: GpuInstance) -> list[object]:
    return [
        f"`{kind.name}`",
        f"{kind.accelerators} {kind.accelerator}",
        plain(kind.memory_gib_per_accelerator),
        shown(kind.dense_bf16_tflops),
        "none" if kind.dense_fp8_tflops is None else shown(kind.dense_fp8_tflops),
        plain(kind.network_gbps),
        ", ".join(kind.source),
        kind.date,
    ]


def plain(number: float) -> str:
    """A number without an exponent and without zeros at its end: `0.0000004`, `21.5`."""
    text = f"{number:.12f}".rstrip("0").rstrip(".")
    return text or "0"
