"""Cluster files that went wrong for real people, each beside the nearest one that is right."""

# One case a line, however long.
# ruff: noqa: E501

from __future__ import annotations

from pathlib import Path

import pytest

from tests.trnkit.rules.judging import judge_cluster, of_rule, severities
from trnkit.config import load_cluster
from trnkit.rules import check_cluster

EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*.yaml"))
USE2 = "network: {availability_zone_id: use2-az3}"
FSX = "storage: {lustre_file_systems: [{name: fsx, %s}]}"


def group(text: str, region: str = "us-east-2") -> str:
    return f"region: {region}\ncompute: {{node_groups: [{{name: train, {text}}}]}}"


def zone(name: str, region: str, *types: str) -> str:
    groups = ", ".join(
        f"{{name: group{n}, instance_type: {t}, count: 1}}" for n, t in enumerate(types)
    )
    where = f"network: {{availability_zone_id: {name}}}" if name else ""
    return f"region: {region}\ncompute: {{node_groups: [{groups}]}}\n{where}"


def linked(*pairs: tuple[str, str], more: str = "") -> str:
    links = ", ".join(f"{{file_system_path: '{a}', data_repository_path: '{b}'}}" for a, b in pairs)
    return FSX % f"storage_capacity_gib: 4800, {more}data_repository_associations: [{links}]"


def mounted(*paths: str) -> str:
    entries = [
        f"{{name: fsx-{n}, storage_capacity_gib: 1200, mount_path: {path}}}"
        for n, path in enumerate(paths)
    ]
    return f"storage: {{lustre_file_systems: [{', '.join(entries)}]}}"


def emails(number: int) -> str:
    return f"budget: {{emails: [{', '.join(f'a{n}@example.com' for n in range(number))}]}}"


def thresholds(*percents: int) -> str:
    return f"budget: {{thresholds: [{', '.join(f'{{percent: {p}}}' for p in percents)}]}}"


def image(parameter: str) -> str:
    return group(f"instance_type: trn2.48xlarge, count: 1, image: {{ssm_parameter: '{parameter}'}}")


AZ = "network: {availability_zone_id: use2-az3}\n"
EXISTING_SUBNET = (
    "network: {existing: {vpc_id: vpc-0123456789abcdef0, "
    "compute_subnet_id: subnet-0123456789abcdef0, availability_zone_id: use2-az3}}\n"
)
ID, OTHER = "cr-0123456789abcdef0", "cr-00000000000000001"
GROUP_ARN = "'arn:aws:resource-groups:us-east-2:111122223333:group/g'"
TIMES = "start: 2027-03-01T11:30:00Z, end: 2027-03-08T11:30:00Z"


def capacity(text: str, kind: str = "trn2.48xlarge", count: int = 4, more: str = "") -> str:
    rest = f"count: {count}, capacity: {{{text}}}{more}"
    return AZ + group(f"instance_type: {kind}, {rest}")


def block(
    times: str = TIMES,
    kind: str = "trn2.48xlarge",
    count: int = 4,
    target: str = f"capacity_reservation_id: {ID}",
    more: str = "",
) -> str:
    return capacity(f"type: capacity-block, {target}, {times}", kind, count, more)


def block_in(region: str, kind: str) -> str:
    return block(kind=kind).replace("us-east-2\ncompute", f"{region}\ncompute")


def blocked(end: str, start: str = "2027-03-01T11:30:00Z", more: str = "") -> str:
    return block(f"start: {start}, end: {end}{more}")


def reserved(text: str = f"capacity_reservation_id: {ID}", count: int = 4, more: str = "") -> str:
    return capacity(f"type: on-demand-reservation, {text}", count=count, more=more)


def two(first: str, second: str, types: tuple[str, str] = ("trn2.48xlarge",) * 2) -> str:
    pair = zip(("one", "two"), types, (first, second), strict=True)
    groups = [f"{{name: {n}, instance_type: {t}, count: 1, capacity: {{{c}}}}}" for n, t, c in pair]
    return AZ + f"compute: {{node_groups: [{', '.join(groups)}]}}"


def volumes(*devices: str, image: str = "") -> str:
    entries = ", ".join(f"{{device_name: {device}, size_gib: 100}}" for device in devices)
    return group(f"instance_type: trn2.48xlarge, count: 1, additional_volumes: [{entries}]{image}")


ULTRA = f"capacity_reservation_resource_group_arn: {GROUP_ARN}"
ODCR = f"type: on-demand-reservation, capacity_reservation_id: {ID}"
KEY = "'arn:aws:kms:%s:111122223333:key/12345678-1234-1234-1234-123456789012'"
NEURON = "/aws/service/neuron/dlami"
E, W, I = ["error"], ["warning"], ["info"]  # noqa: E741

# Case or number, rule, cluster, severities of that rule's findings.
TABLE: list[tuple[str, str, str, list[str]]] = [
    ("NET-06 region", "TRN101", "region: us-east-2", []),
    *[("NET-06 typo", "TRN101", f"region: '{name}'", E) for name in ("us-esat-1", "us-esat-2", "useast1", "us-east", "US-EAST-1", "us-east-2a", "a b")],
    *[("NET-06 could be one", "TRN101", f"region: {name}", W) for name in ("us-east-9", "mx-central-1", "ap-southeast-12", "us-gov-west-1", "eusc-de-east-1", "cn-northwest-1")],
    *[("NET-06 typo, zones", "TRN102", f"region: us-esat-1\nnetwork: {{{zones}}}", []) for zones in ("", "availability_zone_id: use2-az3", "availability_zone_id: us-east-2c")],
    ("NET-06 typo, no zones", "TRN102", "region: us-esat-1", []),
    *[("BUD-08 no region", "TRN404", f"budget: {{region: '{name}'}}", E) for name in ("bogus", "a b", "us-esat-1", "us-east-1a")],
    *[("BUD-08 another partition", "TRN404", f"budget: {{region: {name}}}", E) for name in ("cn-north-1", "us-gov-west-1", "eusc-de-east-1")],
    *[("BUD-08 a region", "TRN404", f"budget: {{region: {name}}}", []) for name in ("us-east-1", "eu-central-2", "mx-central-1")],
    ("BUD-08 China without a region", "TRN404", "region: cn-north-1", E),
    ("BUD-08 China", "TRN404", "region: cn-north-1\nbudget: {region: cn-northwest-1}", []),
    ("BUD-11 Name", "TRN405", "tags: {Name: x}", E),
    ("BUD-11 name", "TRN405", "tags: {name: x}", []),
    ("NET-06 region without Neuron", "TRN101", "region: eu-central-2", W),
    # Zones: trn1.32xlarge usw2-az1/az4, trn1n only usw2-az4, trn2.48xlarge all of us-east-2.
    ("NET-06 az4", "TRN102", zone("usw2-az4", "us-west-2", "trn1.32xlarge"), []),
    ("NET-06 az2", "TRN102", zone("usw2-az2", "us-west-2", "trn1.32xlarge"), E),
    ("NET-06 trn1n az1", "TRN102", zone("usw2-az1", "us-west-2", "trn1n.32xlarge"), E),
    ("NET-06 trn1 in use2", "TRN102", zone("use2-az1", "us-east-2", "trn1.32xlarge"), E),
    ("NET-06 trn2 in usw2", "TRN102", zone("usw2-az1", "us-west-2", "trn2.48xlarge"), E),
    ("NET-06 trn2 in use1, no zone", "TRN102", zone("", "us-east-1", "trn2.48xlarge"), E),
    ("NET-06 zone name", "TRN102", zone("us-east-2c", "us-east-2", "trn2.48xlarge"), E),
    ("NET-06 other region", "TRN102", zone("usw2-az4", "us-east-2", "trn2.48xlarge"), E),
    ("NET-06 no zone id", "TRN102", zone("c", "us-east-2", "trn2.48xlarge"), E),
    ("NET-08 no zone", "TRN102", zone("", "us-east-2", "trn2.48xlarge"), I),
    ("NET-06 common", "TRN102", zone("", "us-east-2", "trn2.48xlarge", "trn1.32xlarge"), I),
    (
        "NET-06 two types, one zone",
        "TRN102",
        zone("usw2-az4", "us-west-2", "trn1.32xlarge", "trn1n.32xlarge"),
        [],
    ),
    (
        "NET-06 no common zone",
        "TRN102",
        zone("", "ap-southeast-4", "trn1.32xlarge", "trn2.3xlarge"),
        E,
    ),
    ("unknown region with zone", "TRN102", zone("xy1-az1", "xy-north-1", "trn2.48xlarge"), []),
    ("unknown region, no zone", "TRN102", zone("", "xy-north-1", "trn2.48xlarge"), E),
    ("unknown type", "TRN102", zone("use2-az3", "us-east-2", "trn9.48xlarge"), []),
    ("unknown type, no zone", "TRN102", zone("", "us-east-2", "trn9.48xlarge"), []),
    ("507 of 507", "TRN103", f"network: {{vpc_cidr: 10.0.0.0/22}}\n{group('instance_type: trn2.48xlarge, count: 507')}", []),
    ("508 of 507", "TRN103", f"network: {{vpc_cidr: 10.0.0.0/22}}\n{group('instance_type: trn2.48xlarge, count: 508')}", E),
    ("all-efa 31 x 16", "TRN103", f"network: {{vpc_cidr: 10.0.0.0/22}}\n{group('instance_type: trn2.48xlarge, count: 31, efa: {layout: all-efa}')}", []),
    ("all-efa 32 x 16", "TRN103", f"network: {{vpc_cidr: 10.0.0.0/22}}\n{group('instance_type: trn2.48xlarge, count: 32, efa: {layout: all-efa}')}", E),
    ("HOST-14 trn2u", "TRN201", group("instance_type: trn2u.48xlarge, count: 1", "ap-south-2"), []),
    ("HOST-14 ml.trn2", "TRN201", group("instance_type: ml.trn2.48xlarge, count: 1"), E),
    ("trn3", "TRN201", group("instance_type: trn3.48xlarge, count: 1"), E),
    ("EFA-02 all", "TRN202", group("instance_type: trn2.48xlarge, count: 4"), []),
    ("EFA-02 16", "TRN202", group("instance_type: trn2.48xlarge, count: 4, efa: {interfaces: 16}"), []),
    ("EFA-02 8", "TRN202", group("instance_type: trn2.48xlarge, count: 4, efa: {interfaces: 8}"), W),
    ("EFA-02 none", "TRN202", group("instance_type: trn2.48xlarge, count: 4, efa: {interfaces: 0}"), W),
    ("EFA-02 none, one node", "TRN202", group("instance_type: trn2.48xlarge, count: 1, efa: {interfaces: 0}"), []),
    ("EFA-04 17", "TRN202", group("instance_type: trn2.48xlarge, count: 1, efa: {interfaces: 17}"), E),
    ("EFA-10 trn1.2xlarge", "TRN202", group("instance_type: trn1.2xlarge, count: 1, efa: {interfaces: 1}"), E),
    ("EFA-10 trn1.2xlarge 0", "TRN202", group("instance_type: trn1.2xlarge, count: 1, efa: {interfaces: 0}"), []),
    ("EFA-10 trn2.3xlarge 16", "TRN202", group("instance_type: trn2.3xlarge, count: 1, efa: {interfaces: 16}"), E),
    ("EFA-10 trn2.3xlarge 1", "TRN202", group("instance_type: trn2.3xlarge, count: 2, efa: {interfaces: 1}"), []),
    ("1.4 trn2.3xlarge 0", "TRN202", group("instance_type: trn2.3xlarge, count: 2, efa: {interfaces: 0}"), I),
    ("unknown type", "TRN202", group("instance_type: trn9.48xlarge, count: 4, efa: {interfaces: 3}"), []),
    ("HOST-10 trn2 LNC 1", "TRN203", group("instance_type: trn2.48xlarge, count: 1, logical_neuroncore_size: 1"), []),
    ("HOST-10 trn2 LNC 2", "TRN203", group("instance_type: trn2.48xlarge, count: 1, logical_neuroncore_size: 2"), []),
    ("HOST-10 trn2 LNC 4", "TRN203", group("instance_type: trn2.48xlarge, count: 1, logical_neuroncore_size: 4"), E),
    ("HOST-10 trn1 LNC 1", "TRN203", group("instance_type: trn1.32xlarge, count: 1, logical_neuroncore_size: 1"), []),
    ("HOST-10 trn1 LNC 2", "TRN203", group("instance_type: trn1.32xlarge, count: 1, logical_neuroncore_size: 2"), E),
    ("unknown type", "TRN203", group("instance_type: trn9.48xlarge, count: 1, logical_neuroncore_size: 8"), []),
    ("AMI-03 none", "TRN204", group("instance_type: trn2.48xlarge, count: 1"), W),
    ("AMI-03 empty", "TRN204", group("instance_type: trn2.48xlarge, count: 1, image: {}"), W),
    ("AMI-03 fixed", "TRN204", group("instance_type: trn2.48xlarge, count: 1, image: {ami_id: ami-0123456789abcdef0}"), []),
    ("AMI-03 both", "TRN204", group(f"instance_type: trn2.48xlarge, count: 1, image: {{ami_id: ami-0123456789abcdef0, ssm_parameter: {NEURON}/base/ubuntu-24.04/latest/image_id}}"), E),
    ("AMI-01 base", "TRN204", image(f"{NEURON}/base/ubuntu-24.04/latest/image_id"), []),
    ("AMI-01 invented", "TRN204", image(f"{NEURON}/pytorch-2.5/latest/ami-id"), E),
    ("AMI-01 at the root", "TRN204", image("my-image"), []),
    ("AMI-01 without aws", "TRN204", image("/service/neuron/dlami/base/ubuntu-24.04/latest/image_id"), E),
    ("AMI-01 version", "TRN204", image(f"{NEURON}/base/ubuntu-24.04/latest/image_id:3"), []),
    ("AMI-01 one's own", "TRN204", image("/my-team/neuron/image"), []),
    ("AMI-01 EKS", "TRN204", image("/aws/service/eks/optimized-ami/1.33/amazon-linux-2023/x86_64/neuron/recommended/image_id"), []),
    ("AMI-01 new kind and OS", "TRN204", image(f"{NEURON}/torch-neuronx-2.14/ubuntu-26.04/latest/image_id"), []),
    ("AMI-02 gone", "TRN204", image(f"{NEURON}/multi-framework/ubuntu-22.04/latest/image_id"), W),
    ("AMI-02 frozen", "TRN204", image(f"{NEURON}/pytorch-2.9/ubuntu-24.04/latest/image_id"), I),
    ("CAP-15 no parameters", "TRN204", group("instance_type: trn2.48xlarge, count: 1", "ap-south-2"), E),
    ("CAP-15 fixed", "TRN204", group("instance_type: trn2.48xlarge, count: 1, image: {ami_id: ami-0123456789abcdef0}", "ap-south-2"), []),
    ("CAP-15 one's own", "TRN204", group("instance_type: trn2.48xlarge, count: 1, image: {ssm_parameter: /mine}", "ap-south-2"), []),
    ("AMI-02 80", "TRN205", group("instance_type: trn2.48xlarge, count: 1, root_volume_size_gib: 80"), E),
    ("AMI-02 99", "TRN205", group("instance_type: trn2.48xlarge, count: 1, root_volume_size_gib: 99"), E),
    ("AMI-02 100", "TRN205", group("instance_type: trn2.48xlarge, count: 1, root_volume_size_gib: 100"), W),
    ("AMI-02 200", "TRN205", group("instance_type: trn2.48xlarge, count: 1, root_volume_size_gib: 200"), I),
    ("AMI-02 default", "TRN205", group("instance_type: trn2.48xlarge, count: 1"), []),
    ("AMI-02 one's own image", "TRN205", group("instance_type: trn2.48xlarge, count: 1, root_volume_size_gib: 40, image: {ami_id: ami-0123456789abcdef0}"), I),
    ("EFA-10 trn1.2xlarge x 2", "TRN207", group("instance_type: trn1.2xlarge, count: 2"), W),
    ("EFA-10 trn1.2xlarge x 1", "TRN207", group("instance_type: trn1.2xlarge, count: 1"), []),
    *[
        (f"FSX-01 {gib}", "TRN301", FSX % f"storage_capacity_gib: {gib}", verdict)
        for gib, verdict in [
            *[(1200, []), (2400, []), (3600, E), (4800, []), (7200, []), (1000, E), (3599, E)],
            *[(96000, []), (1199, E), (1201, E), (65536, E), (100800, [])],
        ]
    ],
    ("FSX-01 scratch 3600", "TRN301", FSX % "deployment_type: SCRATCH_2, storage_capacity_gib: 3600", E),
    *[
        (f"FSX-02 P2 {mbps}", "TRN302", FSX % f"storage_capacity_gib: 4800, per_unit_storage_throughput: {mbps}", verdict)
        for mbps, verdict in [
            *[(125, []), (250, []), (500, []), (1000, [])],
            *[(50, E), (100, E), (200, E), (12, E), (40, E), (126, E), (0, E)],
        ]
    ],
    ("FSX-02 scratch", "TRN302", FSX % "deployment_type: SCRATCH_2, storage_capacity_gib: 4800, per_unit_storage_throughput: 200", E),
    ("FSX-02 scratch without", "TRN302", FSX % "deployment_type: SCRATCH_2, storage_capacity_gib: 4800", []),
    ("FSX-03 default", "TRN302", FSX % "storage_capacity_gib: 4800", []),
    *[
        (f"6.8 {region}", "TRN303", f"region: {region}\n" + FSX % "storage_capacity_gib: 1200", verdict)
        for region, verdict in [
            *[("us-east-2", []), ("sa-east-1", E), ("ap-south-2", E), ("ap-southeast-4", E)],
            ("xy-north-1", []),
        ]
    ],
    ("6.8 scratch", "TRN303", "region: sa-east-1\n" + FSX % "deployment_type: SCRATCH_2, storage_capacity_gib: 1200", []),
    ("FSX-16 2.15", "TRN304", FSX % "storage_capacity_gib: 1200, file_system_type_version: 2.15", []),
    ("FSX-16 2.12", "TRN304", FSX % "storage_capacity_gib: 1200, file_system_type_version: 2.12", []),
    ("FSX-16 P2 2.10", "TRN304", FSX % "storage_capacity_gib: 1200, file_system_type_version: 2.10", E),
    ("FSX-16 2.14", "TRN304", FSX % "storage_capacity_gib: 1200, file_system_type_version: 2.14", E),
    ("FSX-16 scratch 2.10", "TRN304", FSX % "deployment_type: SCRATCH_2, storage_capacity_gib: 1200, file_system_type_version: '2.10'", []),
    ("FSX-16 2.10 and AL2023", "TRN304", image(f"{NEURON}/base/amazon-linux-2023/latest/image_id") + "\n" + FSX % "deployment_type: SCRATCH_2, storage_capacity_gib: 1200, file_system_type_version: '2.10'", E),
    ("FSX-16 2.10 and DRA", "TRN304", linked(("/a", "s3://example-bucket"), more="deployment_type: SCRATCH_2, file_system_type_version: '2.10', "), E),
    ("FSX-05 good", "TRN305", linked(("/a", "s3://example-bucket/a"), ("/b", "s3://example-bucket/b")), []),
    ("FSX-05 root alone", "TRN305", linked(("/", "s3://example-bucket")), []),
    ("FSX-05 nested folder", "TRN305", linked(("/a/b", "s3://example-bucket/a/b")), []),
    ("FSX-05 no slash", "TRN305", linked(("data", "s3://example-bucket")), E),
    ("FSX-05 double slash", "TRN305", linked(("/a//b", "s3://example-bucket")), E),
    ("FSX-05 trailing slash", "TRN305", linked(("/data/", "s3://example-bucket")), E),
    ("FSX-05 no scheme", "TRN305", linked(("/data", "example-bucket/a")), E),
    ("FSX-05 scheme", "TRN305", linked(("/data", "S3://example-bucket/a")), E),
    ("FSX-05 bucket", "TRN305", linked(("/data", "s3://Example_Bucket")), E),
    ("6.5 folders overlap", "TRN305", linked(("/a", "s3://example-bucket/a"), ("/a/b", "s3://example-bucket/b")), E),
    ("6.5 folders alike in part", "TRN305", linked(("/a", "s3://example-bucket/a"), ("/ab", "s3://example-bucket/ab")), []),
    ("6.5 prefixes overlap", "TRN305", linked(("/a", "s3://example-bucket"), ("/b", "s3://example-bucket/b")), E),
    ("6.5 root beside another", "TRN305", linked(("/", "s3://example-bucket/a"), ("/b", "s3://example-bucket/b")), E),
    ("6.5 the same twice", "TRN305", linked(("/a", "s3://example-bucket/a"), ("/a", "s3://example-bucket/a")), [*E, *E]),
    ("FSX-08 days and DRA", "TRN306", linked(("/a", "s3://example-bucket"), more="automatic_backup_retention_days: 7, "), E),
    ("FSX-08 DRA", "TRN306", linked(("/a", "s3://example-bucket")), []),
    ("FSX-08 90 days", "TRN306", FSX % "storage_capacity_gib: 1200, automatic_backup_retention_days: 90", []),
    ("FSX-08 scratch", "TRN306", FSX % "deployment_type: SCRATCH_2, storage_capacity_gib: 1200, automatic_backup_retention_days: 7", E),
    ("mount apart", "TRN307", mounted("/fsx", "/scratch"), []),
    ("mount below a shared parent", "TRN307", mounted("/mnt/a", "/mnt/ab"), []),
    ("mount the same", "TRN307", mounted("/fsx", "/fsx"), E),
    ("mount nested", "TRN307", mounted("/fsx", "/fsx/scratch"), E),
    *[(f"mount {path}", "TRN307", mounted(path), E) for path in ("/home", "/usr", "/etc", "/var", "/tmp", "/opt", "/usr/local", "/opt/aws/neuron", "/home/ubuntu")],
    *[(f"mount {path}", "TRN307", mounted(path), []) for path in ("/opt/data", "/var/data", "/home/shared", "/etcetera")],
    ("BUD-10 apart", "TRN401", thresholds(50, 80, 100), []),
    ("BUD-10 twice", "TRN401", thresholds(50, 80, 80), E),
    ("BUD-10 both kinds", "TRN401", "budget: {thresholds: [{percent: 80}, {percent: 80, notification_type: FORECASTED}]}", []),
    ("8.1 five", "TRN401", thresholds(*range(10, 60, 10)), []),
    ("8.1 six", "TRN401", thresholds(*range(10, 70, 10)), W),
    ("8.1 ten", "TRN401", thresholds(*range(10, 110, 10)), W),
    ("8.1 eleven", "TRN401", thresholds(*range(10, 120, 10)), E),
    ("BUD-04 10", "TRN402", emails(10), []),
    ("BUD-04 11", "TRN402", emails(11), E),
    ("BUD-04 twice", "TRN402", "budget: {emails: [a@example.com, A@example.com]}", W),
    ("BUD-02 billing name", "TRN403", "budget: {services: ['Amazon Elastic Compute Cloud - Compute', Amazon FSx]}", []),
    ("BUD-02 console name", "TRN403", "budget: {services: [EC2-Instances]}", E),
    ("BUD-02 case", "TRN403", "budget: {services: [amazon fsx]}", E),
    ("BUD-02 not in the catalogue", "TRN403", "budget: {services: [AWS Glue, AWS Config, Amazon DynamoDB]}", [*I, *I, *I]),
    *[
        (f"BUD-13 {region}", "TRN404", f"budget: {{region: {region}}}", verdict)
        for region, verdict in [
            *[("us-east-1", []), ("sa-east-1", []), ("us-east-2", []), ("xy-north-1", [])],
            *[("ap-south-2", E), ("ap-southeast-4", E), ("eu-north-1", E)],
        ]
    ],
    ("BUD-13 cluster there", "TRN404", "region: ap-south-2", []),
    ("BUD-11 other tags", "TRN405", "tags: {team: ml, Project: llm}", []),
    ("BUD-11 own tag", "TRN405", "tags: {trnkit-cluster: other}", E),
    ("BUD-11 own tag in capitals", "TRN405", "tags: {Trnkit-Cluster: other}", E),
    ("BUD-11 group tag", "TRN405", "tags: {trnkit-node-group: other}", E),
    ("BUD-11 two spellings", "TRN405", "tags: {Project: a, project: b}", W),
    ("BUD-10 cluster", "TRN406", "budget: {scope: cluster}", I),
    ("BUD-10 account", "TRN406", "budget: {scope: account}", []),
    ("CAP-04 block", "TRN210", block(), []),
    ("CAP-04 reservation", "TRN210", reserved(), []),
    ("CAP-04 resource group", "TRN210", reserved(ULTRA), []),
    ("CAP-04 neither", "TRN210", capacity("type: on-demand-reservation"), E),
    ("CAP-04 both", "TRN210", reserved(f"capacity_reservation_id: {ID}, {ULTRA}"), E),
    ("CAP-04 id and new", "TRN210", reserved(f"capacity_reservation_id: {ID}, create: {{unlimited: true}}"), E),
    ("CAP-04 id, kind not said", "TRN210", capacity(f"capacity_reservation_id: {ID}"), E),
    ("CAP-01 block without id", "TRN210", capacity(f"type: capacity-block, {TIMES}"), E),
    ("CAP-06 block without times", "TRN210", capacity(f"type: capacity-block, capacity_reservation_id: {ID}"), E),
    ("CAP-06 block without end", "TRN210", block("start: 2027-03-01T11:30:00Z"), E),
    ("CAP-09 spot and block", "TRN210", capacity(f"type: spot, capacity_reservation_id: {ID}"), E),
    ("CAP-09 block with a price", "TRN210", block(f"{TIMES}, max_price_usd: 5"), E),
    ("CAP-17 none with a reservation", "TRN210", reserved(f"capacity_reservation_id: {ID}, capacity_reservation_preference: none"), E),
    ("times of an on-demand group", "TRN210", capacity(TIMES), [*E, *E]),
    ("a written default", "TRN210", capacity("type: spot, launch: at-start"), []),
    ("4.4 spot", "TRN211", capacity("type: spot, max_price_usd: 20"), []),
    ("4.4 spot of trn2u, sources disagree", "TRN211", capacity("type: spot", "trn2u.48xlarge"), W),
    ("4.4 spot of an unknown type", "TRN211", capacity("type: spot", "trn9.48xlarge"), []),
    ("4.4 spot that stops", "TRN211", capacity("type: spot, instance_interruption_behavior: stop"), E),
    ("4.4 spot that ends", "TRN211", capacity("type: spot, instance_interruption_behavior: terminate"), []),
    ("4.2 sold", "TRN212", block(), []),
    ("4.2 trn1n has none", "TRN212", block(kind="trn1n.32xlarge"), E),
    ("4.2 trn1.2xlarge has none", "TRN212", block(kind="trn1.2xlarge"), E),
    ("CAP-15 not in this region", "TRN212", block(kind="trn2.3xlarge"), E),
    ("4.2 UltraServers in us-east-2", "TRN212", block(kind="trn2u.48xlarge", target=ULTRA), []),
    ("4.2 trn2u in ap-south-2, sources disagree", "TRN212", block_in("ap-south-2", "trn2u.48xlarge"), W),
    ("4.2 trn2 in ap-south-2", "TRN212", block_in("ap-south-2", "trn2.48xlarge"), []),
    ("4.2 trn1 in eu-north-1", "TRN212", block_in("eu-north-1", "trn1.32xlarge"), []),
    ("4.2 unknown region", "TRN212", block_in("xy-north-1", "trn2.48xlarge"), []),
    ("4.2 unknown type", "TRN212", block(kind="trn9.48xlarge"), []),
    ("NET-06 offered nowhere, sold in a block", "TRN102", block(kind="trn2u.48xlarge", target=ULTRA), []),
    ("NET-06 offered nowhere, on demand", "TRN102", AZ + group("instance_type: trn2u.48xlarge, count: 4"), E),
    ("4.2 a week", "TRN213", blocked("2027-03-08T11:30:00Z"), []),
    ("4.2 immediate start", "TRN213", blocked("2027-03-02T11:30:00Z", "2027-03-01T17:05:00Z"), []),
    ("4.2 ends at noon", "TRN213", blocked("2027-03-08T12:00:00Z"), E),
    ("4.2 ends at 11:30 and a second", "TRN213", blocked("2027-03-08T11:30:01Z"), E),
    ("4.2 ends before it starts", "TRN213", blocked("2027-02-28T11:30:00Z"), E),
    ("4.2 no time at all", "TRN213", blocked("2027-03-01T11:30:00Z"), E),
    ("4.2 182 days", "TRN213", blocked("2027-08-30T11:30:00Z"), []),
    ("4.2 183 days", "TRN213", blocked("2027-08-31T11:30:00Z"), E),
    ("4.2 emptied before it starts", "TRN213", blocked("2027-03-01T11:30:00Z", "2027-02-28T11:30:00Z", ", scale_in_margin_minutes: 1440"), E),
    ("4.2 64", "TRN214", block(count=64), []),
    ("4.2 65", "TRN214", block(count=65), E),
    ("4.2 128 in two blocks", "TRN214", block(count=128, target=ULTRA), []),
    ("4.2 65 on demand", "TRN214", AZ + group("instance_type: trn2.48xlarge, count: 65"), []),
    ("CAP-06 block, zone", "TRN215", block(), []),
    ("CAP-06 block, no zone", "TRN215", block().removeprefix(AZ), E),
    ("CAP-06 reservation, the zone of an existing subnet", "TRN215", EXISTING_SUBNET + reserved().removeprefix(AZ), []),
    ("CAP-06 reservation, no zone", "TRN215", reserved().removeprefix(AZ), E),
    ("CAP-06 new reservation, no zone", "TRN215", reserved("create: {unlimited: true}").removeprefix(AZ), []),
    ("CAP-06 no zone told once", "TRN102", block().removeprefix(AZ), []),
    ("CAP-02 block", "TRN216", block(), []),
    ("CAP-02 block and no group", "TRN216", block(more=", placement: {cluster: false}"), []),
    ("CAP-02 block and a new group", "TRN216", block(more=", placement: {cluster: true}"), E),
    ("CAP-02 block and theirs", "TRN216", block(more=", placement: {group_name: theirs}"), E),
    ("CAP-03 reservation", "TRN216", reserved(), []),
    ("CAP-03 reservation and a new group", "TRN216", reserved(more=", placement: {cluster: true}"), W),
    ("CAP-03 reservation and its own", "TRN216", reserved(more=", placement: {group_name: theirs}"), []),
    ("CAP-03 both made new", "TRN216", reserved("create: {unlimited: true}", more=", placement: {cluster: true}"), []),
    ("CAP-04 both groups", "TRN216", AZ + group("instance_type: trn2.48xlarge, count: 1, placement: {cluster: true, group_name: theirs}"), E),
    ("CAP-04 kind", "TRN217", reserved(), I),
    ("CAP-04 kind of a block", "TRN217", block(), []),
    ("CAP-04 kind of a group", "TRN217", reserved(ULTRA), []),
    ("1.6 four", "TRN218", block(kind="trn2u.48xlarge", target=ULTRA), []),
    ("1.6 six", "TRN218", block(kind="trn2u.48xlarge", count=6, target=ULTRA), E),
    ("1.6 six on demand", "TRN218", AZ + group("instance_type: trn2u.48xlarge, count: 6"), W),
    ("1.6 none", "TRN218", block(kind="trn2u.48xlarge", count=0, target=ULTRA), []),
    ("1.6 by id", "TRN218", block(kind="trn2u.48xlarge"), E),
    ("1.6 trn2 alone", "TRN218", block(count=3), []),
    ("CAP-16 end", "TRN219", reserved("create: {end_date: 2027-03-31T18:00:00Z}"), []),
    ("CAP-16 no end", "TRN219", reserved("create: {}"), E),
    ("CAP-16 unlimited", "TRN219", reserved("create: {unlimited: true}"), I),
    ("CAP-16 both", "TRN219", reserved("create: {unlimited: true, end_date: 2027-03-31T18:00:00Z}"), E),
    ("CAP-16 of nothing", "TRN219", reserved("create: {end_date: 2027-03-31T18:00:00Z}", count=0), E),
    ("BUD-12 tag", "TRN220", block(), W),
    ("BUD-12 account", "TRN220", block() + "\nbudget: {scope: account}", []),
    ("BUD-12 account beside it", "TRN220", block() + "\nbudget: {further_budgets: [{name: all, limit_usd: 9, scope: account}]}", []),
    ("BUD-12 account's FSx beside it", "TRN220", block() + "\nbudget: {further_budgets: [{name: all, limit_usd: 9, scope: account, services: [Amazon FSx]}]}", W),
    ("BUD-12 on demand", "TRN220", group("instance_type: trn2.48xlarge, count: 1"), []),
    ("CAP-04 shared", "TRN221", two(ODCR, ODCR), []),
    ("CAP-04 shared by types", "TRN221", two(ODCR, ODCR, ("trn2.48xlarge", "trn1.32xlarge")), E),
    ("CAP-04 shared by kinds", "TRN221", two(ODCR, f"type: capacity-block, capacity_reservation_id: {ID}, {TIMES}"), E),
    ("CAP-04 two", "TRN221", two(ODCR, ODCR.replace(ID, OTHER), ("trn2.48xlarge", "trn1.32xlarge")), []),
    ("CAP-17 default", "TRN222", capacity("type: on-demand"), []),
    ("CAP-17 none", "TRN222", capacity("capacity_reservation_preference: none"), I),
    ("CAP-17 none beside an open one", "TRN222", two("capacity_reservation_preference: none", "type: on-demand-reservation, create: {unlimited: true, instance_match_criteria: open}"), W),
    ("CAP-17 none beside another's", "TRN222", two("capacity_reservation_preference: none", "type: on-demand-reservation, create: {unlimited: true}"), I),
    *[
        (f"gp3 {text}", "TRN223", group(f"instance_type: trn2.48xlarge, count: 1, root_volume: {{{text}}}"), verdict)
        for text, verdict in [
            *[("iops: 3000", []), ("iops: 2999", E), ("iops: 80000", []), ("iops: 80001", E)],
            *[("throughput_mibps: 125", []), ("throughput_mibps: 124", E)],
            *[("throughput_mibps: 750", []), ("throughput_mibps: 751", E)],
            *[("iops: 8000, throughput_mibps: 2000", []), ("iops: 8000, throughput_mibps: 2001", E + E)],
        ]
    ],
    ("gp3 500 for each GiB", "TRN223", group("instance_type: trn2.48xlarge, count: 1, additional_volumes: [{device_name: /dev/sdf, size_gib: 10, iops: 5000}]"), []),
    ("gp3 501 for each GiB", "TRN223", group("instance_type: trn2.48xlarge, count: 1, additional_volumes: [{device_name: /dev/sdf, size_gib: 10, iops: 5001}]"), E),
    ("gp3 3000 of a small one", "TRN223", group("instance_type: trn2.48xlarge, count: 1, additional_volumes: [{device_name: /dev/sdf, size_gib: 1, iops: 3000}]"), []),
    ("AMI-02 root of Ubuntu", "TRN224", volumes("/dev/xvda"), E),
    ("AMI-02 root of Amazon Linux", "TRN224", volumes("/dev/sda1", image=f", image: {{ssm_parameter: {NEURON}/base/amazon-linux-2023/latest/image_id}}"), E),
    ("volumes apart", "TRN224", volumes("/dev/sdf", "/dev/sdg"), []),
    ("volumes twice", "TRN224", volumes("/dev/sdf", "/dev/xvdf"), E),
    ("HOST-01 default", "TRN225", group("instance_type: trn2.48xlarge, count: 1"), []),
    ("HOST-01 theirs", "TRN225", group(f"instance_type: trn2.48xlarge, count: 1, root_volume: {{kms_key_arn: {KEY % 'us-east-2'}}}"), W),
    ("HOST-01 of another region", "TRN225", group(f"instance_type: trn2.48xlarge, count: 1, root_volume: {{kms_key_arn: {KEY % 'us-west-2'}}}"), [*E, *W]),
    ("HOST-01 told once", "TRN225", group(f"instance_type: trn2.48xlarge, count: 1, root_volume: {{kms_key_arn: {KEY % 'us-east-2'}}}, additional_volumes: [{{device_name: /dev/sdf, size_gib: 9, kms_key_arn: {KEY % 'us-east-2'}}}]"), W),
    ("HOST-01 the cluster's own", "TRN225", "compute: {volume_key: customer-managed}", I),
    ("threads 1", "TRN226", group("instance_type: trn2.48xlarge, count: 1, threads_per_core: 1"), I),
    ("threads 2", "TRN226", group("instance_type: trn2.48xlarge, count: 1, threads_per_core: 2"), []),
    ("threads of an unknown type", "TRN226", group("instance_type: trn9.48xlarge, count: 1, threads_per_core: 1"), []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rule_id", "overlay", "expected"),
    [row[1:] for row in TABLE],
    ids=[f"{row[1]} {row[0]}" for row in TABLE],
)
def test_a_cluster_file_is_judged(rule_id: str, overlay: str, expected: list[str]):
    assert severities(rule_id, judge_cluster(overlay)) == expected


@pytest.mark.parametrize(
    ("rule_id", "overlay", "parts"),
    [
        ("TRN102", zone("use2-az1", "us-east-2", "trn1.32xlarge"), ["use2-az1", "use2-az3"]),
        ("TRN102", zone("us-east-2c", "us-east-2", "trn1.32xlarge"), ["us-east-2c", "use2-az3"]),
        (
            "TRN102",
            zone("", "us-west-2", "trn2.48xlarge"),
            ["us-west-2", "us-east-2", "ap-south-2"],
        ),
        (
            "TRN202",
            group("instance_type: trn2.48xlarge, count: 4, efa: {interfaces: 8}"),
            ["compute.node_groups[0].efa.interfaces", "8", "16"],
        ),
        ("TRN301", FSX % "storage_capacity_gib: 3600", ["3600", "2400", "4800"]),
        (
            "TRN302",
            FSX % "storage_capacity_gib: 4800, per_unit_storage_throughput: 200",
            ["200", "125, 250, 500 or 1000"],
        ),
        (
            "TRN204",
            image(f"{NEURON}/multi-framework/latest/ami-id"),
            [f"{NEURON}/multi-framework/ubuntu-24.04/latest/image_id"],
        ),
        ("TRN305", linked(("data/", "s3://example-bucket")), ["write /data"]),
        ("TRN305", linked(("/data", "example-bucket/a/")), ["write s3://example-bucket/a"]),
        (
            "TRN403",
            "budget: {services: [EC2-Instances]}",
            ["Amazon Elastic Compute Cloud - Compute"],
        ),
        ("TRN406", "", ["aws ce update-cost-allocation-tags-status", "TagKey=trnkit-cluster"]),
    ],
)
def test_the_finding_says_what_was_got_and_what_is_allowed(
    rule_id: str, overlay: str, parts: list[str]
):
    (finding,) = of_rule(rule_id, judge_cluster(overlay))
    said = f"{finding.message}; {finding.hint}"
    assert [part for part in parts if part not in said] == []


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_examples_are_free_of_errors_and_warnings(example: Path):
    found = check_cluster(load_cluster(example))
    assert [finding.headline() for finding in found if finding.severity != "info"] == []


def test_the_smallest_cluster_gets_no_error():
    assert not [f for f in judge_cluster("") if f.severity == "error"]


def test_net_06_no_hint_offers_a_zone_of_another_region():
    for region in ("mx-central-1", "us-west-2", "eu-central-2"):
        for zone in ("", "mx-central-1a", "az4", "use1-az4"):
            where = f"network: {{availability_zone_id: '{zone}'}}" if zone else ""
            for finding in of_rule("TRN102", judge_cluster(f"region: {region}\n{where}")):
                assert "-az" not in (finding.hint or ""), finding
    (finding,) = of_rule("TRN101", judge_cluster("region: us-esat-1"))
    assert "us-east-1" in (finding.hint or "")
