"""What is wrong with a Lustre file system, said once for the cluster file and for templates.

Each function gets plain values and returns what is wrong with them, or None. The caller puts the
place in front of the text. What constructs judge as well is in `trnkit.layout.lustre_judgement`.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from trnkit.catalog import lustre_tiers, lustre_versions, recommended_lustre_version
from trnkit.layout.lustre_judgement import Objection, evidence_of
from trnkit.rules.judging.wording import alternatives

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trnkit.catalog import LustreTier


def judge_capacity(
    tier: LustreTier, gib: int, throughput: int | None = None, *, efa_enabled: bool = False
) -> Objection | None:
    """Judge a storage capacity. There is no upper bound, only steps."""
    valid = tier.capacity_is_valid(gib, throughput, efa_enabled=efa_enabled)
    near = tier.nearest_capacities(gib, throughput, efa_enabled=efa_enabled)
    if valid or not near:
        return None
    kind = f"{tier.deployment_type} {tier.storage_type}" + (" with EFA" if efa_enabled else "")
    sizes = alternatives([f"{size} GiB" for size in near])
    text = f"is {gib} GiB, which {kind} does not come in; nearest: {sizes}"
    return Objection(text, f"take {sizes}", evidence_of(tier))


def judge_throughput(tier: LustreTier, throughput: int | None) -> Objection | None:
    """Judge a throughput per unit of storage; None is one that is not given."""
    allowed, kind = tier.allowed_throughputs, f"{tier.deployment_type} {tier.storage_type}"
    if allowed is None:
        if throughput is None:
            return None
        text = f"is {throughput}, but {kind} takes none"
        return Objection(text, "leave it out", evidence_of(tier))
    if throughput in allowed:
        return None
    # At most four values are ever allowed, so the message may hold them all.
    values = f"{', '.join(map(str, allowed[:-1]))} or {allowed[-1]}"
    got = "is missing" if throughput is None else f"is {throughput}"
    return Objection(
        f"{got}; {kind} has {values} MB/s per TiB", f"take {values}", evidence_of(tier)
    )


def judge_storage_type(deployment_type: str | None, storage_type: str | None) -> Objection | None:
    """Judge a storage type; a deployment type that the catalogue does not know may have any."""
    known = {tier.storage_type for tier in lustre_tiers()}
    media = [t.storage_type for t in lustre_tiers() if t.deployment_type == deployment_type]
    if storage_type not in known or not media or storage_type in media:
        return None
    allowed = alternatives(media)
    text = f"is {storage_type}; {deployment_type} comes with {allowed}"
    return Objection(text, f"take {allowed}")


def judge_version(
    tier: LustreTier, version: str, *, has_associations: bool, has_metadata: bool = False
) -> Objection | None:
    """Judge a Lustre version."""
    best, known = recommended_lustre_version(), lustre_versions()
    hint = f'write "{best}"'
    if version not in known:
        return Objection(f"is {version}; Lustre comes as {alternatives(known)}", hint)
    if version not in tier.supported_versions:
        allowed = alternatives(tier.supported_versions)
        text = f"is {version}; {tier.deployment_type} {tier.storage_type} runs {allowed}"
        return Objection(text, hint, evidence_of(tier))
    if has_associations and version == "2.10":
        text = "is 2.10, which cannot be linked to S3; data repository associations need 2.12"
        return Objection(text, hint, evidence_of(tier))
    needed = tier.metadata.requires_version if tier.metadata else None
    if has_metadata and needed and version != needed:
        text = f"is {version}; a metadata configuration needs {needed}"
        return Objection(text, hint, evidence_of(tier))
    return None


def overlapping(paths: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Pairs of positions whose folders are the same, or one inside the other."""
    folders = [path.rstrip("/") + "/" for path in paths]
    for first, second in combinations(range(len(folders)), 2):
        one, other = folders[first], folders[second]
        if one.startswith(other) or other.startswith(one):
            yield first, second
