"""What a cluster file takes to exist already: it is made in the emulated AWS first, and told."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trnkit.catalog import neuron_images, root_device_name
from trnkit.layout.nodes import image_of
from trnkit.layout.storage import links_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig, ClusterFile, ExistingNetworkConfig
    from trnkit.emulation.process import EmulatedAws

UNKNOWN_VPC_BLOCK = "10.0.0.0/16"
"""The block of an existing VPC whose file does not say it."""


def seeds_of(cluster: ClusterFile) -> list[dict[str, Any]]:
    """Seeds for things that are named by id, in the order in which they must be made."""
    config = cluster.config
    found: list[dict[str, Any]] = []
    if cluster.described_types:
        described = Path(cluster.file).parent / str(config.instance_types_file)
        answer = json.loads(described.read_text(encoding="utf-8"))
        found.append({"kind": "instance-types", "answer": answer})
    if config.network.existing is not None:
        found += _network_seeds(config, config.network.existing)
    found += [*_published_images(), *_node_seeds(config)]
    for existing in config.storage.existing_lustre_file_systems:
        found.append(
            {
                "kind": "lustre-file-system",
                "id": existing.file_system_id,
                "mount_name": existing.mount_name,
                "security_group_id": existing.security_group_id,
            }
        )
    return [seed | {"region": config.region} for seed in found]


def _network_seeds(
    config: ClusterConfig, existing: ExistingNetworkConfig
) -> Iterator[dict[str, Any]]:
    vpc_id = existing.vpc_id
    yield {"kind": "vpc", "id": vpc_id, "cidr": existing.vpc_cidr or UNKNOWN_VPC_BLOCK}
    zone = existing.availability_zone_id
    subnets = {existing.compute_subnet_id: (zone, existing.compute_subnet_cidr)}
    if existing.storage_subnet_id is not None:
        storage_zone = existing.storage_availability_zone_id or zone
        subnets.setdefault(existing.storage_subnet_id, (storage_zone, None))
    for subnet_id in existing.control_plane_subnet_ids:
        subnets.setdefault(subnet_id, (zone, None))
    for subnet_id, (zone_id, block) in subnets.items():
        yield {
            "kind": "subnet",
            "id": subnet_id,
            "vpc_id": vpc_id,
            "zone_id": zone_id,
            "cidr": block,
        }
    for table in existing.route_table_ids:
        yield {"kind": "route-table", "id": table, "vpc_id": vpc_id}
    groups = dict.fromkeys([existing.security_group_id, *_named_groups(config)])
    for group_id in filter(None, groups):
        yield {"kind": "security-group", "id": group_id, "vpc_id": vpc_id}


def _named_groups(config: ClusterConfig) -> Iterator[str]:
    for group in config.compute.node_groups:
        yield from group.additional_security_group_ids
    for existing in config.storage.existing_lustre_file_systems:
        yield existing.security_group_id


def _published_images() -> Iterator[dict[str, Any]]:
    """The Neuron images that AWS publishes in every region, one of which an update may take."""
    for image in neuron_images():
        if image.status == "current":
            name = image.parameter_name
            device = root_device_name(image.os) or "/dev/sda1"
            yield {"kind": "public-parameter", "name": name, "value": image_behind(name)}
            yield _image_seed(image_behind(name), device, SNAPSHOT_GIB)


def _image_seed(image_id: str, root_device: str, snapshot_gib: int) -> dict[str, Any]:
    return {
        "kind": "image",
        "id": image_id,
        "root_device": root_device,
        "snapshot_gib": snapshot_gib,
    }


def _node_seeds(config: ClusterConfig) -> Iterator[dict[str, Any]]:
    for group in config.compute.node_groups:
        image = image_of(group)
        image_id = image.ami_id or image_behind(str(image.ssm_parameter))
        size = min(SNAPSHOT_GIB, group.root_volume_size_gib)
        yield _image_seed(image_id, image.root_device_name, size)
        if image.ssm_parameter is not None and image.ssm_parameter.startswith(PUBLIC):
            yield {
                "kind": "public-parameter",
                "name": image.ssm_parameter,
                "value": image_behind(image.ssm_parameter),
            }
        if group.capacity.capacity_reservation_id is not None:
            yield {
                "kind": "capacity-reservation",
                "id": group.capacity.capacity_reservation_id,
                "instance_type": group.instance_type,
                "count": group.count,
                "zone_id": _zone_of(config),
                "block": group.capacity.type == "capacity-block",
                "start": group.capacity.start,
                "end": group.capacity.end,
            }
        if group.placement.group_name is not None:
            yield {"kind": "placement-group", "name": group.placement.group_name}


PUBLIC = "/aws/"
"""How the names of AWS's own parameters begin, which nobody else can make."""

SNAPSHOT_GIB = 8
"""Size of the snapshot behind an image of which nothing is known; the smallest root volume."""


def _zone_of(config: ClusterConfig) -> str | None:
    existing = config.network.existing
    return existing.availability_zone_id if existing else config.network.availability_zone_id


def image_behind(parameter: str) -> str:
    """The made-up image id that a parameter holds in the emulated AWS."""
    return f"ami-{hashlib.sha256(parameter.encode()).hexdigest()[:17]}"


def make_named(aws: EmulatedAws, config: ClusterConfig) -> None:
    """Make what is named and not numbered: buckets, parameters of images, topics.

    Args:
        aws: The emulated AWS.
        config: What the cluster file asks for.
    """
    clients = aws.clients(config.region)
    for bucket in buckets_of(config):
        placed = (
            {}
            if config.region == "us-east-1"
            else {"CreateBucketConfiguration": {"LocationConstraint": config.region}}
        )
        clients("s3").create_bucket(Bucket=bucket, **placed)
    for parameter in parameters_of(config):
        if not parameter.startswith(PUBLIC):
            clients("ssm").put_parameter(
                Name=parameter, Value=image_behind(parameter), Type="String"
            )
    if config.budget.topic_arn is not None:
        region, name = config.budget.topic_arn.split(":")[3], config.budget.topic_arn.split(":")[5]
        aws.clients(region)("sns").create_topic(Name=name)


def buckets_of(config: ClusterConfig) -> tuple[str, ...]:
    """Buckets of the repositories of the file systems, which are the user's."""
    paths = [
        link.data_repository_path
        for number in range(len(config.storage.lustre_file_systems))
        for link in links_of(config, number)
        if isinstance(link.data_repository_path, str)
    ]
    return tuple(dict.fromkeys(path.removeprefix("s3://").partition("/")[0] for path in paths))


def parameters_of(config: ClusterConfig) -> tuple[str, ...]:
    """Parameters that hold the images of the nodes."""
    images = [image_of(group).ssm_parameter for group in config.compute.node_groups]
    return tuple(dict.fromkeys(filter(None, images)))


def told(cluster: ClusterFile) -> tuple[str, ...]:
    """What is taken to exist, in the words of the report."""
    config = cluster.config
    lines: list[str] = []
    for seed in seeds_of(cluster):
        if seed["kind"] in {"image", "instance-types", "public-parameter"}:
            continue
        lines.append(f"{seed['kind'].replace('-', ' ')} {seed.get('id') or seed.get('name')}")
    lines += [f"bucket {bucket}" for bucket in buckets_of(config)]
    lines += [f"image of {parameter}" for parameter in parameters_of(config)]
    lines += [
        f"image {group.image.ami_id}"
        for group in config.compute.node_groups
        if group.image and group.image.ami_id
    ]
    if config.budget.topic_arn is not None:
        lines.append(f"topic {config.budget.topic_arn}")
    return tuple(dict.fromkeys(lines))
