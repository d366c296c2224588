"""What is wrong with a Lustre file system, said once for the cluster file and for templates.

Each function gets plain values and returns what is wrong with them, or None. The caller puts the
place in front of the text. What constructs judge as well is in `trnkit.layout.lustre_judgement`.
"""

from __future__ import annotations

import re
from itertools import combinations
from typing import TYPE_CHECKING

from trnkit.catalog import lustre_versions, recommended_lustre_version
from trnkit.layout.lustre_judgement import Objection, evidence_of
from trnkit.rules.judging.wording import alternatives

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trnkit.catalog import LustreTier

_BUCKET_PATH = re.compile(r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/.*)?", re.DOTALL)


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


def judge_file_system_path(path: str) -> Objection | None:
    """Judge an association's folder. The API takes a trailing slash, so this does too."""
    right = "/" + re.sub("/+", "/", path).strip("/")
    if path.startswith("/") and "//" not in path:
        return None
    wrong = "holds an empty folder name" if path.startswith("/") else "does not begin with a slash"
    return Objection(f"is {path}, which {wrong}", f"write {right}")


def judge_repository_path(path: str) -> Objection | None:
    """Judge an association's bucket or prefix."""
    bucket, _, prefix = path.partition("://")[2].partition("/")
    if _BUCKET_PATH.fullmatch(path):
        return None
    text = f"is {path}; must be s3://bucket or s3://bucket/prefix"
    clean = re.sub("/+", "/", prefix).strip("/")
    right = "/".join(filter(None, [bucket, clean]))
    if "://" not in path:
        right = re.sub("/+", "/", path.removeprefix("arn:aws:s3:::")).strip("/")
    possible = f"s3://{right}"
    fits = _BUCKET_PATH.fullmatch(possible) is not None
    return Objection(text, f"write {possible}" if fits else "write s3:// and the bucket's name")


def overlapping(paths: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Pairs of positions whose folders are the same, or one inside the other."""
    folders = [path.rstrip("/") + "/" for path in paths]
    for first, second in combinations(range(len(folders)), 2):
        one, other = folders[first], folders[second]
        if one.startswith(other) or other.startswith(one):
            yield first, second
