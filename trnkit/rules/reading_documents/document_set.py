"""Documents of other tools as rules see them: pools, file systems and pods, whatever the format.

Documents of one folder are judged together, since a NodePool names an EC2NodeClass that usually
stands beside it.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from trnkit.rules.reading_documents import (
    eksctl,
    karpenter,
    parallelcluster,
    storage_classes,
    workloads,
)
from trnkit.rules.reading_documents.manifests import kind_of, manifests

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trnkit.rules.reading_documents.document_value import Document, DocumentValue
    from trnkit.rules.reading_documents.file_systems import DocumentFileSystem
    from trnkit.rules.reading_documents.node_pools import NodePool
    from trnkit.rules.reading_documents.workloads import PodSpec

_POOL_FORMATS = (karpenter, eksctl, parallelcluster)
_MENTIONS = re.compile(
    r"(?:^|[^a-z0-9])(?:ml\.)?(?:trn|inf)[0-9][a-z0-9]*\.[0-9a-z]|aws\.amazon\.com/neuron"
)


class DocumentSet:
    """Some documents, read together.

    Attributes:
        documents: In the order given.
    """

    def __init__(self, documents: Iterable[Document]) -> None:
        """Keep the documents; they are read when a rule first asks."""
        self.documents = tuple(documents)

    @cached_property
    def manifests(self) -> tuple[DocumentValue, ...]:
        """Every object of the documents."""
        return tuple(found for document in self.documents for found in manifests(document))

    @cached_property
    def all_pools(self) -> tuple[NodePool, ...]:
        """Every group of nodes."""
        classes = karpenter.node_classes(self.manifests)
        return tuple(
            pool
            for manifest in self.manifests
            for reader in _POOL_FORMATS
            if reader.recognises(manifest)
            for pool in reader.read_pools(manifest, classes)
        )

    @cached_property
    def pools(self) -> tuple[NodePool, ...]:
        """The groups whose nodes are all Trainium or Inferentia."""
        return tuple(pool for pool in self.all_pools if pool.is_neuron)

    @cached_property
    def eksctl_clusters(self) -> tuple[DocumentValue, ...]:
        """The clusters that eksctl makes."""
        return tuple(found for found in self.manifests if eksctl.recognises(found))

    @cached_property
    def file_systems(self) -> tuple[DocumentFileSystem, ...]:
        """Every Lustre file system that is made for Neuron nodes or beside them."""
        clusters = {id(pool.value.document) for pool in self.pools}
        found: list[DocumentFileSystem] = []
        for manifest in self.manifests:
            if id(manifest.document) in clusters and parallelcluster.recognises(manifest):
                found += parallelcluster.read_file_systems(manifest)
            elif (self.pools or self.pods) and storage_classes.recognises(manifest):
                found += storage_classes.read_file_systems(manifest)
        return tuple(found)

    @cached_property
    def all_pods(self) -> tuple[PodSpec, ...]:
        """Every pod template."""
        return tuple(
            pod
            for manifest in self.manifests
            if workloads.recognises(manifest)
            for pod in workloads.read_pod_specs(manifest)
        )

    @cached_property
    def pods(self) -> tuple[PodSpec, ...]:
        """The pod templates that need Neuron nodes."""
        return tuple(pod for pod in self.all_pods if pod.is_neuron)

    @cached_property
    def types_in_use(self) -> frozenset[str]:
        """Instance types that pools start, or that workloads run on and on no other."""
        used = {named.name for pool in self.pools for named in pool.types}
        alone = [pod for pod in self.pods if pod.kind != "DaemonSet" and len(pod.node_types) == 1]
        return frozenset(used | {pod.node_types[0].name for pod in alone})

    @cached_property
    def may_have_other_efa(self) -> bool:
        """Whether nodes that are not Neuron's, or their pods, may have EFA too."""
        pools = (pool for pool in self.all_pools if not pool.is_neuron)
        pods = (pod for pod in self.all_pods if not pod.is_neuron)
        return any(pool.efa.asked is not False for pool in pools) or any(
            not container.asked(workloads.EFA).is_absent
            for pod in pods
            for container in pod.containers
        )

    @cached_property
    def not_understood(self) -> tuple[DocumentValue, ...]:
        """Objects of kinds that no reader knows."""
        return tuple(found for found in self.manifests if not is_understood(found))


def is_understood(manifest: DocumentValue) -> bool:
    """Whether some reader knows this kind of object."""
    readers = (*_POOL_FORMATS, storage_classes, workloads)
    return any(reader.recognises(manifest) for reader in readers)


def kind_in_words(manifest: DocumentValue) -> str | None:
    """The kind as messages name it; None for what names none."""
    kind = kind_of(manifest)
    return kind if re.fullmatch(r"[A-Za-z0-9]{1,60}", kind) else None


def neuron_mention(value: DocumentValue) -> DocumentValue | None:
    """The first key or text of a value that names a Neuron type or resource."""
    return next(_mentions(value), None)


def _mentions(value: DocumentValue) -> Iterator[DocumentValue]:
    # By hand and not by recursion: aliases may lead to the same values over and over.
    seen: set[int] = set()
    waiting = [value]
    while waiting:
        current = waiting.pop()
        raw: Any = current.raw
        if isinstance(raw, str):
            if len(raw) <= _LONGEST_TEXT and _MENTIONS.search(raw):
                yield current
        elif isinstance(raw, dict | list) and id(cast("Any", raw)) not in seen:
            seen.add(id(cast("Any", raw)))
            inside = current.fields() if isinstance(raw, dict) else current.items()
            for part in inside:
                if isinstance(part.path[-1], str) and _MENTIONS.search(part.path[-1]):
                    yield part
            waiting += reversed(inside)


_LONGEST_TEXT = 200
