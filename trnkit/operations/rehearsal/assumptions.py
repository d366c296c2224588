"""What a cluster file takes to exist already: it is made in the emulated AWS first, and told."""

from __future__ import annotations

import hashlib
import ipaddress
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
    else:
        # In another VPC, as they must be: the cluster's does not exist yet.
        found += [{"kind": "security-group", "id": group} for group in _named_groups(config)]
    found += [*_published_images(), *_node_seeds(config)]
    detection = config.budget.anomaly_detection
    if detection is not None and detection.monitor_arn is not None:
        found.append({"kind": "anomaly-monitor", "arn": detection.monitor_arn})
    return [seed | {"region": config.region} for seed in found]


def _network_seeds(
    config: ClusterConfig, existing: ExistingNetworkConfig
) -> Iterator[dict[str, Any]]:
    vpc_id = existing.vpc_id
    ipv6 = config.network.ip_address_type == "dualstack"
    block = existing.vpc_cidr or existing.compute_subnet_cidr or UNKNOWN_VPC_BLOCK
    yield {"kind": "vpc", "id": vpc_id, "cidr": _at_least_16(block), "ipv6": ipv6}
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
            "ipv6": ipv6,
        }
    for table in existing.route_table_ids:
        yield {"kind": "route-table", "id": table, "vpc_id": vpc_id}
    own = [existing.security_group_id] if existing.security_group_id else []
    for group_id in dict.fromkeys([*own, *_named_groups(config)]):
        yield {"kind": "security-group", "id": group_id, "vpc_id": vpc_id}


def _at_least_16(block: str) -> str:
    """The block of a VPC around one of its subnets, as large as a VPC may be."""
    network = ipaddress.ip_network(block)
    return str(network.supernet(new_prefix=16) if network.prefixlen > 16 else network)


def _named_groups(config: ClusterConfig) -> tuple[str, ...]:
    named = [i for g in config.compute.node_groups for i in g.additional_security_group_ids]
    named += [one.security_group_id for one in config.storage.existing_lustre_file_systems]
    return tuple(dict.fromkeys(named))


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
        if group.capacity.capacity_reservation_resource_group_arn is not None:
            yield {
                "kind": "reservation-group",
                "arn": group.capacity.capacity_reservation_resource_group_arn,
                "instance_type": group.instance_type,
                "count": group.count,
                "zone_id": _zone_of(config),
                "block": group.capacity.type == "capacity-block",
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
    """Make what is named and not numbered: buckets, roles, parameters, log groups, and so on.

    Args:
        aws: The emulated AWS.
        config: What the cluster file asks for.
    """
    clients = aws.clients(config.region)
    for bucket in buckets_of(config):
        elsewhere = {"LocationConstraint": config.region}
        placed = {"CreateBucketConfiguration": elsewhere} if config.region != US_EAST_1 else {}
        clients("s3").create_bucket(Bucket=bucket, **placed)
    for parameter in parameters_of(config):
        if not parameter.startswith(PUBLIC):
            value = image_behind(parameter)
            clients("ssm").put_parameter(Name=parameter, Value=value, Type="String")
    for arn in log_groups_of(config):
        clients("logs").create_log_group(logGroupName=arn.split(":")[6])
    for arn in policies_of(config):
        path, _, name = arn.split(":", 5)[5].removeprefix("policy").rpartition("/")
        clients("iam").create_policy(
            PolicyName=name, Path=f"{path}/", PolicyDocument=json.dumps(_A_POLICY)
        )
    for role in roles_of(config):
        clients("iam").create_role(RoleName=role, AssumeRolePolicyDocument=json.dumps(_A_TRUST))
    if config.budget.topic_arn is not None:
        _make_topic(aws, config.budget.topic_arn)


US_EAST_1 = "us-east-1"
"""The region that a bucket must not name as its place."""

_A_POLICY = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Action": "s3:ListAllMyBuckets", "Resource": "*"}],
}

_A_TRUST = {
    "Version": "2012-10-17",
    "Statement": [
        {
            "Effect": "Allow",
            "Principal": {"Service": "ec2.amazonaws.com"},
            "Action": "sts:AssumeRole",
        }
    ],
}


def _make_topic(aws: EmulatedAws, arn: str) -> None:
    """A topic that AWS's alerts may come through, as `trnkit check` asks of its owner."""
    _, _, _, region, _, name = arn.split(":")
    policy = {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"Service": ["budgets.amazonaws.com", "costalerts.amazonaws.com"]},
                "Action": "sns:Publish",
                "Resource": arn,
            }
        ],
    }
    attributes = {"Policy": json.dumps(policy)}
    aws.clients(region)("sns").create_topic(Name=name, Attributes=attributes)


def buckets_of(config: ClusterConfig) -> tuple[str, ...]:
    """Buckets that file systems are linked to or nodes mount, which are the user's."""
    paths = [
        link.data_repository_path
        for number in range(len(config.storage.lustre_file_systems))
        for link in links_of(config, number)
        if isinstance(link.data_repository_path, str)
    ]
    named = [path.removeprefix("s3://").partition("/")[0] for path in paths]
    named += [mountpoint.bucket_name for mountpoint in config.storage.s3_mountpoints]
    return tuple(dict.fromkeys(named))


def parameters_of(config: ClusterConfig) -> tuple[str, ...]:
    """Parameters that hold the images of the nodes."""
    images = [image_of(group).ssm_parameter for group in config.compute.node_groups]
    return tuple(dict.fromkeys(filter(None, images)))


def log_groups_of(config: ClusterConfig) -> tuple[str, ...]:
    """Log groups that exist already, by ARN."""
    logs = [one.log_configuration for one in config.storage.lustre_file_systems]
    return tuple(dict.fromkeys(one.log_group_arn for one in logs if one and one.log_group_arn))


def policies_of(config: ClusterConfig) -> tuple[str, ...]:
    """Managed policies of the account's own, by ARN."""
    arns = config.compute.node_role.managed_policy_arns
    return tuple(arn for arn in dict.fromkeys(arns) if arn.split(":")[4] != "aws")


def roles_of(config: ClusterConfig) -> tuple[str, ...]:
    """Roles of people and pipelines that shall launch nothing while a budget is passed, by name."""
    watchdog = config.budget.watchdog
    enforcement = watchdog.enforcement if watchdog else None
    return tuple(enforcement.deny_role_names) if enforcement else ()


def told(cluster: ClusterFile) -> tuple[str, ...]:
    """What is taken to exist, in the words of the report."""
    config = cluster.config
    lines: list[str] = []
    for seed in seeds_of(cluster):
        if seed["kind"] in {"image", "instance-types", "public-parameter"}:
            continue
        name = seed.get("id") or seed.get("name") or seed.get("arn")
        lines.append(f"{seed['kind'].replace('-', ' ')} {name}")
    lines += [
        f"Lustre file system {one.file_system_id}, of which only the security group is asked for"
        for one in config.storage.existing_lustre_file_systems
    ]
    lines += [f"log group {arn}" for arn in log_groups_of(config)]
    lines += [f"managed policy {arn}" for arn in policies_of(config)]
    lines += [f"role {name}" for name in roles_of(config)]
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
