"""AWS ParallelCluster 3: the Slurm queues and the Lustre file systems of a cluster.

Keys are those of https://docs.aws.amazon.com/parallelcluster/latest/ug/cluster-configuration-file-v3.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.rules.reading_documents.file_systems import DocumentFileSystem
from trnkit.rules.reading_documents.node_pools import (
    Efa,
    Market,
    NamedType,
    NodePool,
    Placement,
    PoolCapacity,
    PoolImage,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading_documents.document_value import DocumentValue
    from trnkit.rules.reading_documents.node_pools import NodeClasses

_MARKETS: dict[str, Market] = {
    "ONDEMAND": "on-demand",
    "SPOT": "spot",
    "CAPACITY_BLOCK": "capacity-block",
}
_OLD_LINKS = ("ImportPath", "ExportPath", "AutoImportPolicy", "ImportedFileChunkSize")
_ACTIONS = ("OnNodeStart", "OnNodeConfigured")
_DEFAULT_DEPLOYMENT = "SCRATCH_2"


def recognises(root: DocumentValue) -> bool:
    """Whether a document is a cluster configuration of version 3."""
    sections = (root["HeadNode"], root["Scheduling"])
    return root["Resources"].is_absent and all(part.mapping() is not None for part in sections)


def read_pools(root: DocumentValue, _classes: NodeClasses) -> Iterator[NodePool]:
    """Every compute resource of every Slurm queue."""
    for number, queue in enumerate(root["Scheduling"]["SlurmQueues"].items()):
        for index, resource in enumerate(queue["ComputeResources"].items()):
            yield _pool(root, queue, resource, (number, index))


def _pool(
    root: DocumentValue, queue: DocumentValue, resource: DocumentValue, place: tuple[int, int]
) -> NodePool:
    network = queue["Networking"]
    name = f"queue {queue['Name'].text() or place[0]}, compute resource"
    return NodePool(
        tool="ParallelCluster",
        name=f"{name} {resource['Name'].text() or place[1]}",
        value=resource,
        types=_types(resource),
        region=root["Region"].text() or root.document.region,
        zones=(),
        subnets=network["SubnetIds"].items(),
        efa=_efa(resource),
        placement=_placement(resource["Networking"]["PlacementGroup"], network["PlacementGroup"]),
        capacity=_capacity(queue, resource),
        image=_image(root, queue),
        public_address=network["AssignPublicIp"],
        is_public=network["AssignPublicIp"].boolean() is True,
        http_tokens=root.nothing(),
        hop_limit=root.nothing(),
        most_pods=resource.nothing(),
        prefixes=resource.nothing(),
        minimum=resource["MinCount"],
        maximum=resource["MaxCount"],
    )


def _types(resource: DocumentValue) -> tuple[NamedType, ...]:
    values = [resource["InstanceType"]]
    values += [entry["InstanceType"] for entry in resource["Instances"].items()]
    return tuple(NamedType(value.text() or "", value) for value in values if not value.is_absent)


def _efa(resource: DocumentValue) -> Efa:
    switch = resource["Efa"]["Enabled"]
    absent = None if resource["Efa"].is_placeholder else False
    return Efa(switch=switch, asked=absent if switch.is_absent else switch.boolean())


def _placement(own: DocumentValue, inherited: DocumentValue) -> Placement:
    """The group of the compute resource, else that of its queue."""
    group = inherited if own.is_absent else own
    for key in ("Name", "Id"):
        if not group[key].is_absent:
            return Placement(value=group[key], state="named")
    enabled = group["Enabled"].boolean() is True
    return Placement(value=group["Enabled"], state="new" if enabled else "none")


def _capacity(queue: DocumentValue, resource: DocumentValue) -> PoolCapacity:
    kind, own = queue["CapacityType"], resource["CapacityReservationTarget"]
    target = queue["CapacityReservationTarget"] if own.is_absent else own
    market = "on-demand" if kind.is_absent else _MARKETS.get(kind.text() or "")
    named = [
        target[key]
        for key in ("CapacityReservationId", "CapacityReservationResourceGroupArn")
        if not target[key].is_absent
    ]
    several = resource["Instances"]
    return PoolCapacity(
        market=kind,
        markets=frozenset() if market is None else frozenset((market,)),
        kind_is_named=not kind.is_absent,
        targets=tuple(named),
        preference=queue.nothing(),
        targets_are_known=not target.is_placeholder,
        mixed=several if len(several.items()) > 1 else None,
    )


def _image(root: DocumentValue, queue: DocumentValue) -> PoolImage:
    own, inherited = queue["Image"]["CustomAmi"], root["Image"]["CustomAmi"]
    image = inherited if own.is_absent else own
    scripts = [queue["CustomActions"][key] for key in _ACTIONS]
    return PoolImage(
        family=root["Image"]["Os"],
        names=(),
        value=image,
        is_own=not image.is_absent,
        scripts=tuple(script for script in scripts if not script.is_absent),
    )


def read_file_systems(root: DocumentValue) -> Iterator[DocumentFileSystem]:
    """The Lustre file systems that the cluster makes itself."""
    for index, entry in enumerate(root["SharedStorage"].items()):
        settings = entry["FsxLustreSettings"]
        if entry["StorageType"].text() != "FsxLustre" or settings.mapping() is None:
            continue
        if not settings["FileSystemId"].is_absent:
            continue  # It exists; ParallelCluster ignores the other settings.
        yield DocumentFileSystem(
            name=f"shared storage {entry['Name'].text() or index}",
            value=settings,
            region=root["Region"].text() or root.document.region,
            deployment=settings["DeploymentType"],
            default_deployment=_DEFAULT_DEPLOYMENT,
            storage=settings["StorageType"],
            capacity=settings["StorageCapacity"],
            throughput=settings["PerUnitStorageThroughput"],
            drive_cache=settings["DriveCacheType"],
            retention=settings["AutomaticBackupRetentionDays"],
            version=settings.nothing(),
            efa=settings.nothing(),
            metadata=settings.nothing(),
            is_restored=not settings["BackupId"].is_absent,
            associations=settings["DataRepositoryAssociations"].items(),
            old_links={key: settings[key] for key in _OLD_LINKS if not settings[key].is_absent},
        )
