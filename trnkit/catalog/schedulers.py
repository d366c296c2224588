"""What AWS Batch, AWS PCS and SageMaker HyperPod take, beyond the shape of their resources."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from trnkit.catalog.tables import table


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchFacts:
    """What AWS Batch takes.

    Attributes:
        maximum_environments_per_queue: Compute environments of one job queue at most.
        maximum_instance_types_per_node_range: Instance types of one node range at most.
        types_without_multinode: Values of `ComputeResources.Type` whose environments run no
            multi-node parallel jobs.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    maximum_environments_per_queue: int
    maximum_instance_types_per_node_range: int
    types_without_multinode: tuple[str, ...]
    source: tuple[str, ...]
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PcsFacts:
    """What AWS PCS wants of the nodes' role.

    Attributes:
        role_name_prefix: How the role's name begins, unless its path tells.
        role_path_part: What the role's path contains, unless its name tells.
        role_action: What the role must be allowed.
        managed_policies_without_role_action: Policies of AWS that often stand beside it and do not
            allow it.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    role_name_prefix: str
    role_path_part: str
    role_action: str
    managed_policies_without_role_action: tuple[str, ...]
    source: tuple[str, ...]
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PcsSettings:
    """The Slurm settings that AWS PCS lists as supported.

    Attributes:
        cluster: Those of a cluster.
        compute_node_group: Those of a compute node group.
        queue: Those of a queue.
        gres_attributes: Keys of a record of `gres.conf`.
        shared_gres: Names of resources whose counts are not compared.
        minimum_versions: The first Slurm version in which a setting is supported, where told.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    cluster: tuple[str, ...]
    compute_node_group: tuple[str, ...]
    queue: tuple[str, ...]
    gres_attributes: tuple[str, ...]
    shared_gres: tuple[str, ...]
    minimum_versions: dict[str, str]
    source: tuple[str, ...]
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HyperPodFacts:
    """What SageMaker HyperPod wants of scripts, and what training plans are sold for.

    Attributes:
        bucket_prefix: How the name of the bucket of lifecycle scripts begins, under the managed
            policy.
        instance_role_policy: The name of that policy.
        training_plan_types: The Neuron types of which training plans are sold.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    bucket_prefix: str
    instance_role_policy: str
    training_plan_types: tuple[str, ...]
    source: tuple[str, ...]
    date: str


@cache
def batch_facts() -> BatchFacts:
    """Return what AWS Batch takes."""
    return BatchFacts(**_entry("batch"))


@cache
def pcs_facts() -> PcsFacts:
    """Return what AWS PCS wants of the nodes' role."""
    return PcsFacts(**_entry("pcs"))


@cache
def pcs_settings() -> PcsSettings:
    """Return the Slurm settings that AWS PCS lists as supported."""
    return PcsSettings(**_entry("pcs_settings"))


@cache
def hyperpod_facts() -> HyperPodFacts:
    """Return what SageMaker HyperPod wants of scripts, and what training plans are sold for."""
    return HyperPodFacts(**_entry("hyperpod"))


def _entry(name: str) -> dict[str, Any]:
    return cast("dict[str, Any]", table("schedulers")[name])
