"""Amazon EKS: AMI types of managed node groups, huge pages of EFA nodes, Container Insights."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from trnkit.catalog.tables import table


@dataclass(frozen=True, slots=True, kw_only=True)
class EksAmiType:
    """One `amiType` of a managed node group: an image that EKS chooses.

    Attributes:
        name: The value of `AmiType`.
        os: `amazon-linux-2023`, `amazon-linux-2`, `bottlerocket` or `windows`.
        architecture: CPU architecture.
        drivers: Accelerator drivers on the image: `neuron`, `nvidia`, both or none.
        last_kubernetes_version: The last version with such an image; None while there are new ones.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    name: str
    os: str
    architecture: str
    drivers: tuple[str, ...]
    last_kubernetes_version: str | None
    source: tuple[str, ...]
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EfaHugePages:
    """The huge pages that the EFA driver reserves on a node.

    Attributes:
        page_size_mib: Size of a page in MiB.
        pages: Pages it reserves.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    page_size_mib: int
    pages: int
    source: tuple[str, ...]
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerInsightsFacts:
    """Who collects Neuron metrics on EKS, and where they appear.

    Attributes:
        add_on_name: The add-on that collects them.
        metric_namespace: Their namespace in CloudWatch.
        policy_name: The managed policy with which the add-on may send them.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    add_on_name: str
    metric_namespace: str
    policy_name: str
    source: tuple[str, ...]
    date: str

    def dimensions_of(self, metric: str) -> tuple[tuple[str, ...], ...] | None:
        """Return the sets of dimensions with which the add-on sends a Neuron metric of nodes.

        Args:
            metric: Name of the metric.

        Returns:
            None when it is no such metric.
        """
        facts = table("eks")["neuron_metrics"]
        if metric not in facts["names"] or not metric.startswith("node_"):
            return None
        # The first that fits: longer prefixes stand before shorter ones.
        entries = facts["node_dimensions"]
        finest = next(e["finest"] for e in entries if metric.startswith(e["prefix"]))
        return tuple(dict.fromkeys((*facts["node_dimensions_of_all"], finest)))


@cache
def eks_ami_types() -> tuple[EksAmiType, ...]:
    """Return the AMI types of managed node groups, without `CUSTOM`."""
    entries = table("eks")["ami_types"]
    return tuple(EksAmiType(name=name, **entry) for name, entry in entries.items())


def find_eks_ami_type(name: str) -> EksAmiType | None:
    """Return an AMI type; None for one that the catalogue does not know, and for `CUSTOM`."""
    return next((found for found in eks_ami_types() if found.name == name), None)


@cache
def efa_huge_pages() -> EfaHugePages:
    """Return the huge pages that the EFA driver reserves."""
    return EfaHugePages(**table("eks")["efa_huge_pages"])


@cache
def container_insights_facts() -> ContainerInsightsFacts:
    """Return who collects Neuron metrics on EKS."""
    return ContainerInsightsFacts(**table("eks")["container_insights"])


@cache
def neuron_metric_names() -> tuple[str, ...]:
    """Return the names of the Neuron metrics that the add-on sends."""
    return tuple(table("eks")["neuron_metrics"]["names"])
