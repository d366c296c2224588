"""What does not go together in a Lustre file system: one text for files, templates and constructs.

Each function gets plain values and returns what is wrong with them, or None. The caller puts the
place in front of the text, in its own spelling.

Sources:
    https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystemLustreConfiguration.html
    https://docs.aws.amazon.com/fsx/latest/LustreGuide/efa-file-systems.html
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trnkit.catalog import LustreTier

DEFAULT_READ_CACHE = "PROPORTIONAL_TO_THROUGHPUT_CAPACITY"
OWN_SIZE = "USER_PROVISIONED"
LOG_GROUP_PREFIX = "/aws/fsx"


@dataclass(frozen=True, slots=True)
class Objection:
    """What is wrong with a value.

    Attributes:
        text: Goes on after the name of the place: `is 3600 GiB; ...`.
        hint: What to do.
        evidence: The catalogue fact behind it.
    """

    text: str
    hint: str
    evidence: str | None = None


def kind_of(tier: LustreTier) -> str:
    """Deployment and storage type as one word, e.g. `PERSISTENT_2 SSD`."""
    return f"{tier.deployment_type} {tier.storage_type}"


def evidence_of(tier: LustreTier) -> str:
    """The catalogue entry of a tier, dated."""
    return f"catalogue, FSx for Lustre {kind_of(tier)} ({tier.date})"


def judge_capacity_given(tier: LustreTier, given: bool) -> Objection | None:
    """Judge whether a storage capacity is there; Intelligent-Tiering has none."""
    if given == bool(tier.capacity_rules):
        return None
    if given:
        text = f"is given, but {kind_of(tier)} is elastic and has none"
        return Objection(text, "leave it out", evidence_of(tier))
    text = f"is missing; {kind_of(tier)} comes in fixed sizes"
    return Objection(text, "add it", evidence_of(tier))


def judge_throughput_capacity(tier: LustreTier, mbps: int | None) -> Objection | None:
    """Judge the throughput of a whole file system; None is one that is not given."""
    rule = tier.throughput_capacity
    if rule is None:
        text = f"is {mbps}, but {kind_of(tier)} has none"
        hint = "leave it out; it is for INTELLIGENT_TIERING"
        return None if mbps is None else Objection(text, hint, evidence_of(tier))
    if mbps is not None and rule.allows(mbps):
        return None
    got = "is missing" if mbps is None else f"is {mbps}"
    below = (mbps or 0) // rule.step_mbps * rule.step_mbps
    near = {
        min(max(value, rule.minimum_mbps), rule.maximum_mbps)
        for value in (below, below + rule.step_mbps)
    }
    text = (
        f"{got}; {kind_of(tier)} has multiples of {rule.step_mbps} MB/s from {rule.minimum_mbps} "
        f"to {rule.maximum_mbps}"
    )
    return Objection(text, f"take {' or '.join(map(str, sorted(near)))}", evidence_of(tier))


def judge_read_cache(tier: LustreTier, given: bool) -> Objection | None:
    """Judge whether an SSD read cache may be there."""
    if tier.throughput_capacity is not None or not given:
        return None
    text = f"is given, but {kind_of(tier)} has no read cache"
    return Objection(text, "leave it out; it is for INTELLIGENT_TIERING", evidence_of(tier))


def judge_read_cache_size(
    tier: LustreTier, mode: str, gib: int | None, mbps: int | None
) -> Objection | None:
    """Judge the size of an SSD read cache, given its sizing mode and the throughput if known."""
    if mode != OWN_SIZE:
        text = f"is {gib}, but the sizing mode {mode} takes no size"
        return None if gib is None else Objection(text, f"leave it out, or take {OWN_SIZE}")
    rule = tier.throughput_capacity
    if gib is None:
        return Objection(f"is missing; {OWN_SIZE} needs it", "add it, or take another sizing mode")
    if rule is None or mbps is None or not rule.allows(mbps):
        return None
    smallest, largest = rule.read_cache_gib(mbps)
    if smallest <= gib <= largest:
        return None
    text = f"is {gib}; at {mbps} MB/s the read cache has {smallest} to {largest} GiB"
    return Objection(text, f"take {smallest if gib < smallest else largest}", evidence_of(tier))


def judge_drive_cache(tier: LustreTier, value: str | None) -> Objection | None:
    """Judge whether a drive cache may be there; None is one that is not given."""
    if tier.storage_type == "HDD" or value is None:
        return None
    text = f"is {value}, but {kind_of(tier)} has no drive cache"
    return Objection(text, "leave it out; it is for HDD", evidence_of(tier))


def judge_metadata(tier: LustreTier, given: bool) -> Objection | None:
    """Judge whether a metadata configuration is there."""
    if tier.metadata is None:
        text = f"is given, but {kind_of(tier)} has none"
        hint = "leave it out, or take PERSISTENT_2"
        return Objection(text, hint, evidence_of(tier)) if given else None
    if given or not tier.metadata.required:
        return None
    text = f"is missing; {kind_of(tier)} needs one"
    return Objection(
        text, f"add one with mode {OWN_SIZE} and 6000 or 12000 IOPS", evidence_of(tier)
    )


def judge_metadata_mode(tier: LustreTier, mode: str) -> Objection | None:
    """Judge the mode of a metadata configuration; where one is required, it has a fixed size."""
    if tier.metadata is None or not tier.metadata.required or mode == OWN_SIZE:
        return None
    text = f"is {mode}; {kind_of(tier)} needs {OWN_SIZE}"
    return Objection(text, f"write {OWN_SIZE} and 6000 or 12000 IOPS", evidence_of(tier))


def judge_metadata_iops(
    tier: LustreTier, mode: str, iops: int | None, capacity_gib: int | None = None
) -> Objection | None:
    """Judge the IOPS of a metadata configuration, given its mode and the capacity if known."""
    rule = tier.metadata
    if rule is None:
        return None
    if mode != OWN_SIZE:
        text = f"is {iops}, but the mode {mode} takes none"
        return None if iops is None else Objection(text, f"leave it out, or take {OWN_SIZE}")
    if iops is None:
        return Objection(f"is missing; {OWN_SIZE} needs it", "add it, or take AUTOMATIC")
    if iops not in rule.iops:
        at = bisect_left(rule.iops, iops)
        near = " or ".join(str(value) for value in rule.iops[max(at - 1, 0) : at + 1])
        text = f"is {iops}; nearest values: {near}"
        return Objection(text, f"take {near}", evidence_of(tier))
    least = None if capacity_gib is None else rule.automatic(capacity_gib)
    if least is not None and iops < least:
        text = f"is {iops}, fewer than the {least} that AUTOMATIC gives {capacity_gib} GiB"
        return Objection(text, f"take at least {least}, or AUTOMATIC", evidence_of(tier))
    return None


def judge_efa(tier: LustreTier) -> Objection | None:
    """Judge whether a file system may be EFA-enabled at all."""
    if tier.supports_efa:
        return None
    text = f"is true, but {kind_of(tier)} has no EFA"
    return Objection(text, "remove it, or take PERSISTENT_2", evidence_of(tier))


def judge_log_group_name(name: str) -> Objection | None:
    """Judge the name of the log group that FSx writes to."""
    if name.startswith(LOG_GROUP_PREFIX):
        return None
    text = f"names the log group {name}; FSx takes only names that begin with {LOG_GROUP_PREFIX}"
    return Objection(text, f"take a log group under {LOG_GROUP_PREFIX}/")
