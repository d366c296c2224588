"""A Lustre file system's type, capacity, throughput, EFA and version, judged together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from trnkit.catalog import find_region
from trnkit.layout.lustre_judgement import Objection, judge_efa
from trnkit.rules.judging.lustre_judgement import (
    judge_capacity,
    judge_throughput,
    judge_version,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.catalog import LustreTier

    Part = Literal["deployment_type", "throughput", "capacity", "efa", "version"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreSettings:
    """What is known of a file system; None is always what is not known or not given.

    Attributes:
        region: Its Region.
        deployment_type: As written.
        tier: What the catalogue says of deployment and storage type together.
        throughput: MB/s per TiB.
        lacks_throughput: Whether no throughput is certainly given anywhere.
        capacity_gib: Its size.
        efa_enabled: Whether it serves clients over EFA.
        version: Lustre version.
        has_associations: Whether it is linked to S3.
        has_metadata: Whether it has a metadata configuration.
    """

    region: str | None
    deployment_type: str | None
    tier: LustreTier | None
    throughput: int | None
    lacks_throughput: bool
    capacity_gib: int | None
    efa_enabled: bool | None = False
    version: str | None = None
    has_associations: bool = False
    has_metadata: bool = False


def judge_settings(given: LustreSettings) -> Iterator[tuple[Part, Objection]]:
    """What is wrong, each with the part at fault."""
    region = find_region(given.region or "")
    lacks_it = region is not None and region.persistent_2 is False
    if region is not None and lacks_it and given.deployment_type == "PERSISTENT_2":
        text = f"is PERSISTENT_2, which {region.name} does not offer"
        evidence = f"catalogue, {region.name}: no PERSISTENT_2 ({region.date})"
        yield "deployment_type", Objection(text, "take SCRATCH_2 or another region", evidence)
    if given.tier is not None:
        yield from _judge_tier(given, given.tier)


def _judge_tier(given: LustreSettings, tier: LustreTier) -> Iterator[tuple[Part, Objection]]:
    number = given.throughput
    wrong = None
    if number is not None or given.lacks_throughput:
        wrong = judge_throughput(tier, number)
    if wrong is not None:
        yield "throughput", wrong
    if given.capacity_gib is not None and given.efa_enabled is not None:
        enabled = given.efa_enabled and bool(tier.efa_capacity_multiple_gib)
        # A throughput that is not possible is another finding.
        known = number if number in (tier.allowed_throughputs or ()) else None
        wrong = judge_capacity(tier, given.capacity_gib, known, efa_enabled=enabled)
        if wrong is not None:
            yield "capacity", wrong
    wrong = judge_efa(tier) if given.efa_enabled else None
    if wrong is not None:
        yield "efa", wrong
    if given.version is not None:
        wrong = judge_version(
            tier,
            given.version,
            has_associations=given.has_associations,
            has_metadata=given.has_metadata,
        )
        if wrong is not None:
            yield "version", wrong
