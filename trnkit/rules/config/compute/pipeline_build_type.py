"""TRN247: images are built on a machine that can run them, and that costs what it must."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import find_instance_type
from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.image_pipeline import build_type_fault
from trnkit.layout.price_book import price_book
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig

_PLACE = ("compute", "image_pipeline", "instance_type")


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    pipeline = cluster.compute.image_pipeline
    if pipeline is None:
        return
    named = pipeline.instance_type
    fault, known = build_type_fault(named), find_instance_type(named)
    if fault is not None:
        yield Violation(
            message=f"{format_path(_PLACE)} is {named}; it {fault}",
            hint="write m7i.2xlarge, or remove the line",
            path=_PLACE,
        )
    elif known is not None and (known.maximum_efa_interfaces or 0) > 0:
        price = price_book(cluster).instance(named, cluster.region, "on-demand")
        if price is not None and price.basis == "other regions":
            price = None
        costs = f", and a build pays {price.low:,.2f} USD an hour for it" if price else ""
        whence = "budget.prices_file" if price and price.basis == "file" else "catalogue"
        yield Violation(
            message=f"{format_path(_PLACE)} is {named}; an image needs no accelerator to be built "
            f"or tested{costs}",
            hint="write m7i.2xlarge, or remove the line: a small x86_64 type suffices",
            path=_PLACE,
            evidence=f"{whence}, price of {named} ({price.date})" if price else None,
            severity=Severity.WARNING,
        )


_FILE = (
    "compute: {image_pipeline: {instance_type: %s}, node_groups: [{name: train, "
    "instance_type: trn2.48xlarge, count: 1}]}\n"
)

RULE = ConfigRule(
    id="TRN247",
    title="images are built on a machine that can run them",
    severity=Severity.ERROR,
    why="Neuron images are of x86_64: they do not start on Graviton. A Trainium node is scarce and "
    "dear, and the build does not use its chips.",
    source="https://docs.aws.amazon.com/imagebuilder/latest/userguide/manage-infra-config.html",
    good=_FILE % "m7i.2xlarge",
    bad=_FILE % "m7g.2xlarge",
    check=_check,
)
