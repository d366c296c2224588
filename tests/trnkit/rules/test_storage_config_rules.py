"""Storage sections that went wrong for real people, each beside the nearest one that is right."""

# One case a line, however long.
# ruff: noqa: E501

from __future__ import annotations

import pytest

from tests.trnkit.rules.judging import judge_cluster, of_rule, severities

E, W, I = ["error"], ["warning"], ["info"]  # noqa: E741
KEY = "arn:aws:kms:%s:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab"
LOG = "arn:aws:logs:us-east-2:111122223333:log-group:%s"
TRN1 = "region: us-west-2\ncompute: {node_groups: [{name: one, instance_type: trn1.32xlarge, count: 1}]}\n"
MIXED = "compute: {node_groups: [{name: one, instance_type: trn1.32xlarge, count: 1}, {name: two, instance_type: trn2.48xlarge, count: 1}]}\n"
UNSURE = "compute: {node_groups: [{name: one, instance_type: trn9.48xlarge, count: 1}]}\n"
NO_EFA = "compute: {node_groups: [{name: one, instance_type: trn1.32xlarge, count: 1, efa: {interfaces: 0}}]}\n"
AL2023 = "compute: {node_groups: [{name: one, instance_type: trn2.48xlarge, count: 1, image: {ami_id: ami-0123456789abcdef0, operating_system: amazon-linux-2023}}]}\n"
AUTO = "metadata_configuration: {mode: AUTOMATIC}"
OWN = "metadata_configuration: {mode: USER_PROVISIONED, iops: %s}"
LINK = "data_repository_associations: [{file_system_path: /data, data_repository_path: 's3://example-bucket'}]"


def fsx(text: str, more: str = "") -> str:
    return f"storage: {{lustre_file_systems: [{{name: fsx, {text}}}]{more}}}"


def tiering(mbps: object = 4000, more: str = "") -> str:
    return fsx(
        f"storage_type: INTELLIGENT_TIERING, throughput_capacity_mbps: {mbps}, {OWN % 6000}{more}"
    )


def efa(gib: int, mbps: int, metadata: str = AUTO) -> str:
    return fsx(
        f"storage_capacity_gib: {gib}, per_unit_storage_throughput: {mbps}, efa_enabled: true, {metadata}"
    )


def hdd(gib: int, mbps: int, more: str = "") -> str:
    return fsx(
        f"deployment_type: PERSISTENT_1, storage_type: HDD, storage_capacity_gib: {gib}, per_unit_storage_throughput: {mbps}{more}"
    )


def linked(
    path: str = "/checkpoints", name: str = "fsx", more: str = "storage_capacity_gib: 4800"
) -> str:
    return fsx(
        more,
        f", checkpoint_bucket: {{data_repository_association: {{file_system: {name}, file_system_path: {path}}}}}",
    )


def lifecycle(*entries: str) -> str:
    return (
        f"storage: {{checkpoint_bucket: {{lifecycle: [{', '.join(f'{{{e}}}' for e in entries)}]}}}}"
    )


def eight_links(bucket: bool) -> str:
    links = ", ".join(
        f"{{file_system_path: /d{n}, data_repository_path: 's3://example-bucket/d{n}'}}"
        for n in range(8)
    )
    more = (
        ", checkpoint_bucket: {data_repository_association: {file_system: fsx}}" if bucket else ""
    )
    return fsx(f"storage_capacity_gib: 4800, data_repository_associations: [{links}]", more)


def existing(name: str, path: str) -> str:
    return f"{{name: {name}, file_system_id: fs-0123456789abcdef0, mount_name: abcd, mount_path: {path}, security_group_id: sg-0123456789abcdef0}}"


TABLE: list[tuple[str, str, str, list[str]]] = [
    ("FSX-01 none given", "TRN301", fsx("deployment_type: PERSISTENT_2"), E),
    ("FSX-01 SCRATCH_1 3600", "TRN301", fsx("deployment_type: SCRATCH_1, storage_capacity_gib: 3600"), []),
    ("FSX-01 SCRATCH_1 4800", "TRN301", fsx("deployment_type: SCRATCH_1, storage_capacity_gib: 4800"), E),
    ("FSX-01 HDD 6000 at 12", "TRN301", hdd(6000, 12), []),
    ("FSX-01 HDD 1800 at 12", "TRN301", hdd(1800, 12), E),
    ("FSX-01 HDD 1800 at 40", "TRN301", hdd(1800, 40), []),
    ("FSX-01 HDD 6000 at 40", "TRN301", hdd(6000, 40), E),
    ("FSX-01 HDD default throughput", "TRN301", fsx("deployment_type: PERSISTENT_1, storage_type: HDD, storage_capacity_gib: 1800"), E),
    ("FSX-15 96000 at 250", "TRN301", fsx("storage_capacity_gib: 96000, per_unit_storage_throughput: 250"), []),
    ("6.2 elastic", "TRN301", tiering(), []),
    ("6.2 elastic with capacity", "TRN301", tiering(4000, ", storage_capacity_gib: 4800"), E),
    *[
        (f"FSX-12 {gib} at {mbps}", "TRN301", efa(gib, mbps), verdict)
        for gib, mbps, verdict in [
            *[(38400, 125, []), (19200, 250, []), (9600, 500, []), (4800, 1000, []), (14400, 1000, [])],
            *[(19200, 125, E), (9600, 250, E), (4800, 500, E), (2400, 1000, E), (1200, 125, E)],
        ]
    ],
    *[(f"FSX-02 P1 {mbps}", "TRN302", fsx(f"deployment_type: PERSISTENT_1, storage_capacity_gib: 2400, per_unit_storage_throughput: {mbps}"), verdict) for mbps, verdict in [(50, []), (100, []), (200, []), (125, E), (250, E), (12, E)]],
    *[(f"FSX-02 HDD {mbps}", "TRN302", hdd(18000, mbps), verdict) for mbps, verdict in [(12, []), (40, []), (50, E)]],
    ("FSX-02 SCRATCH_1", "TRN302", fsx("deployment_type: SCRATCH_1, storage_capacity_gib: 3600, per_unit_storage_throughput: 50"), E),
    ("FSX-02 elastic", "TRN302", tiering(4000, ", per_unit_storage_throughput: 250"), E),
    ("6.8 PERSISTENT_1", "TRN303", "region: sa-east-1\n" + hdd(6000, 12), []),
    ("FSX-16 2.12 and metadata", "TRN304", fsx(f"storage_capacity_gib: 4800, file_system_type_version: '2.12', {AUTO}"), E),
    ("FSX-16 elastic 2.12", "TRN304", tiering(4000, ", file_system_type_version: '2.12'"), E),
    ("FSX-08 checkpoint link", "TRN306", linked(more="storage_capacity_gib: 4800, automatic_backup_retention_days: 7"), E),
    ("FSX-08 link to another", "TRN306", linked(name="other", more="storage_capacity_gib: 4800, automatic_backup_retention_days: 7"), []),
    ("existing of the same name", "TRN307", fsx("storage_capacity_gib: 4800", f", existing_lustre_file_systems: [{existing('fsx', '/old')}]"), E),
    ("existing at the same place", "TRN307", fsx("storage_capacity_gib: 4800", f", existing_lustre_file_systems: [{existing('old', '/fsx')}]"), E),
    ("several existing", "TRN307", fsx("storage_capacity_gib: 4800", f", existing_lustre_file_systems: [{existing('old', '/old')}, {existing('older', '/older')}]"), []),
    ("home below Lustre", "TRN307", fsx("storage_capacity_gib: 4800, mount_path: /home/shared/fsx", ", home_file_system: {}"), E),
    ("home over the system's", "TRN307", "storage: {home_file_system: {mount_path: /home}}", E),
    ("home", "TRN307", "storage: {home_file_system: {}}", []),
    *[
        (f"6.1 {kind} {medium}", "TRN310", fsx(f"deployment_type: {kind}, storage_type: {medium}, storage_capacity_gib: 6000"), verdict)
        for kind, medium, verdict in [
            *[("PERSISTENT_1", "HDD", []), ("PERSISTENT_1", "SSD", []), ("PERSISTENT_2", "INTELLIGENT_TIERING", [])],
            *[("PERSISTENT_2", "HDD", E), ("SCRATCH_2", "HDD", E), ("SCRATCH_1", "INTELLIGENT_TIERING", E), ("PERSISTENT_1", "INTELLIGENT_TIERING", E)],
        ]
    ],
    *[(f"6.2 {mbps}", "TRN311", tiering(mbps), verdict) for mbps, verdict in [(4000, []), (8000, []), (2000000, []), (1000, E), (5000, E), (1996001, E)]],
    ("6.2 no throughput", "TRN311", fsx("storage_type: INTELLIGENT_TIERING"), E),
    ("6.2 throughput of SSD", "TRN311", fsx("storage_capacity_gib: 4800, throughput_capacity_mbps: 4000"), E),
    ("6.2 cache of SSD", "TRN311", fsx("storage_capacity_gib: 4800, data_read_cache: {}"), E),
    ("6.2 cache by default", "TRN311", tiering(4000, ", data_read_cache: {}"), []),
    ("6.2 no cache", "TRN311", tiering(4000, ", data_read_cache: {sizing_mode: NO_CACHE}"), []),
    ("6.2 no cache of a size", "TRN311", tiering(4000, ", data_read_cache: {sizing_mode: NO_CACHE, size_gib: 32}"), E),
    ("6.2 own cache without size", "TRN311", tiering(4000, ", data_read_cache: {sizing_mode: USER_PROVISIONED}"), E),
    *[(f"6.2 cache {gib}", "TRN311", tiering(4000, f", data_read_cache: {{sizing_mode: USER_PROVISIONED, size_gib: {gib}}}"), verdict) for gib, verdict in [(32, []), (131072, []), (31, E), (131073, E)]],
    *[(f"FSX-13 {iops}", "TRN312", fsx(f"storage_capacity_gib: 1200, {OWN % iops}"), verdict) for iops, verdict in [(1500, []), (3000, []), (6000, []), (12000, []), (24000, []), (192000, []), (4500, E), (18000, E), (191999, E)]],
    ("FSX-13 automatic", "TRN312", fsx(f"storage_capacity_gib: 1200, {AUTO}"), []),
    ("FSX-13 automatic with a number", "TRN312", fsx("storage_capacity_gib: 1200, metadata_configuration: {mode: AUTOMATIC, iops: 1500}"), E),
    ("FSX-13 no number", "TRN312", fsx("storage_capacity_gib: 1200, metadata_configuration: {mode: USER_PROVISIONED}"), E),
    ("FSX-13 fewer than automatic", "TRN312", fsx(f"storage_capacity_gib: 4800, {OWN % 3000}"), E),
    ("FSX-13 as many as automatic", "TRN312", fsx(f"storage_capacity_gib: 4800, {OWN % 6000}"), []),
    ("FSX-13 scratch", "TRN312", fsx(f"deployment_type: SCRATCH_2, storage_capacity_gib: 4800, {AUTO}"), E),
    ("FSX-13 PERSISTENT_1", "TRN312", fsx(f"deployment_type: PERSISTENT_1, storage_capacity_gib: 4800, {AUTO}"), E),
    ("6.2 elastic without", "TRN312", fsx("storage_type: INTELLIGENT_TIERING, throughput_capacity_mbps: 4000"), E),
    ("6.2 elastic automatic", "TRN312", fsx(f"storage_type: INTELLIGENT_TIERING, throughput_capacity_mbps: 4000, {AUTO}"), W),
    ("FSX-12 with metadata", "TRN313", efa(4800, 1000), []),
    ("FSX-12 without metadata", "TRN313", fsx("storage_capacity_gib: 4800, per_unit_storage_throughput: 1000, efa_enabled: true"), E),
    ("FSX-12 P1", "TRN313", fsx("deployment_type: PERSISTENT_1, storage_capacity_gib: 4800, efa_enabled: true"), E),
    ("FSX-12 scratch", "TRN313", fsx("deployment_type: SCRATCH_2, storage_capacity_gib: 4800, efa_enabled: true"), E),
    ("FSX-12 elastic, as the API has it", "TRN313", tiering(4000, ", efa_enabled: true"), []),
    ("FSX-12 switched off", "TRN313", fsx("deployment_type: SCRATCH_2, storage_capacity_gib: 4800, efa_enabled: false"), []),
    ("FSX-12 trn1", "TRN314", TRN1 + efa(4800, 1000), []),
    ("FSX-12 trn2 alone", "TRN314", efa(4800, 1000), W),
    ("FSX-12 mixed", "TRN314", MIXED + efa(4800, 1000), I),
    ("FSX-12 type not known", "TRN314", UNSURE + efa(4800, 1000), []),
    ("FSX-12 no EFA device", "TRN314", NO_EFA + efa(4800, 1000), W),
    ("FSX-12 not EFA-enabled", "TRN314", fsx("storage_capacity_gib: 4800"), []),
    ("6.1 READ for HDD", "TRN315", hdd(6000, 12, ", drive_cache_type: READ"), []),
    ("6.1 left out for HDD", "TRN315", hdd(6000, 12), []),
    ("6.1 READ for SSD", "TRN315", fsx("storage_capacity_gib: 4800, drive_cache_type: READ"), E),
    ("6.1 NONE for SSD", "TRN315", fsx("storage_capacity_gib: 4800, drive_cache_type: NONE"), E),
    ("checkpoint link", "TRN316", linked(), []),
    ("checkpoint link to nothing", "TRN316", linked(name="fxs"), E),
    ("FSX-05 checkpoint no slash", "TRN316", linked("checkpoints"), E),
    ("FSX-05 checkpoint slash at the end", "TRN316", linked("/checkpoints/"), E),
    ("6.5 checkpoint beside another", "TRN316", linked(more=f"storage_capacity_gib: 4800, {LINK}"), []),
    ("6.5 checkpoint inside another", "TRN316", linked("/data/checkpoints", more=f"storage_capacity_gib: 4800, {LINK}"), E),
    ("6.5 checkpoint at the root beside another", "TRN316", linked("/", more=f"storage_capacity_gib: 4800, {LINK}"), E),
    ("backup time and days", "TRN317", fsx("storage_capacity_gib: 4800, automatic_backup_retention_days: 7, daily_automatic_backup_start_time: '05:00'"), []),
    ("backup time alone", "TRN317", fsx("storage_capacity_gib: 4800, daily_automatic_backup_start_time: '05:00'"), W),
    ("key P2", "TRN318", fsx(f"storage_capacity_gib: 4800, kms_key_arn: '{KEY % 'us-east-2'}'"), []),
    ("key scratch", "TRN318", fsx(f"deployment_type: SCRATCH_2, storage_capacity_gib: 4800, kms_key_arn: '{KEY % 'us-east-2'}'"), E),
    ("key here", "TRN319", fsx(f"storage_capacity_gib: 4800, kms_key_arn: '{KEY % 'us-east-2'}'"), []),
    ("key elsewhere", "TRN319", fsx(f"storage_capacity_gib: 4800, kms_key_arn: '{KEY % 'us-west-2'}'"), E),
    ("bucket key elsewhere", "TRN319", f"storage: {{checkpoint_bucket: {{kms_key_arn: '{KEY % 'us-west-2'}'}}}}", E),
    ("home key elsewhere", "TRN319", f"storage: {{home_file_system: {{kms_key_arn: '{KEY % 'us-west-2'}'}}}}", E),
    ("log group here", "TRN319", "account: '111122223333'\n" + fsx(f"storage_capacity_gib: 4800, log_configuration: {{log_group_arn: '{LOG % '/aws/fsx/x'}'}}"), []),
    ("log group of another account", "TRN319", "account: '123456789012'\n" + fsx(f"storage_capacity_gib: 4800, log_configuration: {{log_group_arn: '{LOG % '/aws/fsx/x'}'}}"), E),
    ("log group elsewhere", "TRN319", "region: us-west-2\n" + fsx(f"storage_capacity_gib: 4800, log_configuration: {{log_group_arn: '{LOG % '/aws/fsx/x'}'}}"), E),
    ("log with a link", "TRN320", fsx(f"storage_capacity_gib: 4800, log_configuration: {{}}, {LINK}"), []),
    ("log with the checkpoint link", "TRN320", linked(more="storage_capacity_gib: 4800, log_configuration: {}"), []),
    ("log without a link", "TRN320", fsx("storage_capacity_gib: 4800, log_configuration: {}"), I),
    ("log under /aws/fsx", "TRN320", fsx(f"storage_capacity_gib: 4800, log_configuration: {{log_group_arn: '{LOG % '/aws/fsx/x'}'}}, {LINK}"), []),
    ("log elsewhere", "TRN320", fsx(f"storage_capacity_gib: 4800, log_configuration: {{log_group_arn: '{LOG % 'fsx'}'}}, {LINK}"), E),
    ("6.5 SCRATCH_2", "TRN321", fsx(f"deployment_type: SCRATCH_2, storage_capacity_gib: 4800, {LINK}"), []),
    ("6.5 SCRATCH_1", "TRN321", fsx(f"deployment_type: SCRATCH_1, storage_capacity_gib: 3600, {LINK}"), E),
    ("6.5 elastic", "TRN321", tiering(4000, f", {LINK}"), E),
    ("6.5 eight", "TRN321", eight_links(False), []),
    ("6.5 nine", "TRN321", eight_links(True), E),
    # A /22 leaves a storage subnet of /28: 11 addresses.
    ("6.4 ten servers and one", "TRN322", "network: {vpc_cidr: 10.0.0.0/22}\n" + fsx("storage_capacity_gib: 24000"), []),
    ("6.4 eleven servers and one", "TRN322", "network: {vpc_cidr: 10.0.0.0/22}\n" + fsx("storage_capacity_gib: 26400"), E),
    ("6.4 home takes one", "TRN322", "network: {vpc_cidr: 10.0.0.0/22}\n" + fsx("storage_capacity_gib: 24000", ", home_file_system: {}"), E),
    ("6.4 metadata takes more", "TRN322", "network: {vpc_cidr: 10.0.0.0/22}\n" + fsx(f"storage_capacity_gib: 24000, {OWN % 24000}"), E),
    ("6.4 default block", "TRN322", fsx("storage_capacity_gib: 960000"), []),
    ("lifecycle", "TRN323", lifecycle("prefix: runs/, expiration_days: 90", "prefix: tmp/, expiration_days: 1"), []),
    ("lifecycle twice", "TRN323", lifecycle("prefix: runs/, expiration_days: 90", "prefix: runs/, expiration_days: 9"), E),
    ("lifecycle of nothing", "TRN323", lifecycle("prefix: runs/"), W),
    ("lifecycle early IA", "TRN323", lifecycle("prefix: runs/, transition_days: 29, transition_storage_class: STANDARD_IA"), E),
    ("lifecycle IA", "TRN323", lifecycle("prefix: runs/, transition_days: 30, transition_storage_class: STANDARD_IA"), []),
    ("lifecycle ends first", "TRN323", lifecycle("prefix: runs/, transition_days: 30, expiration_days: 30"), E),
    ("home with TLS on Ubuntu", "TRN324", "storage: {home_file_system: {encryption_in_transit: required}}", I),
    ("home with TLS on Amazon Linux", "TRN324", AL2023 + "storage: {home_file_system: {encryption_in_transit: required}}", []),
    ("home without TLS", "TRN324", "storage: {home_file_system: {}}", []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rule_id", "overlay", "expected"),
    [row[1:] for row in TABLE],
    ids=[f"{row[1]} {row[0]}" for row in TABLE],
)
def test_a_storage_section_is_judged(rule_id: str, overlay: str, expected: list[str]):
    assert severities(rule_id, judge_cluster(overlay)) == expected


@pytest.mark.parametrize(
    ("rule_id", "overlay", "parts"),
    [
        ("TRN301", efa(4800, 500), ["4800", "with EFA", "take 9600 GiB"]),
        ("TRN301", fsx("deployment_type: PERSISTENT_2"), ["storage_capacity_gib is missing"]),
        (
            "TRN310",
            fsx("storage_type: HDD, storage_capacity_gib: 6000"),
            ["HDD", "SSD or INTELLIGENT_TIERING"],
        ),
        ("TRN311", tiering(5000), ["5000", "multiples of 4000", "take 4000 or 8000"]),
        ("TRN311", tiering(1000), ["take 4000"]),
        ("TRN312", fsx(f"storage_capacity_gib: 1200, {OWN % 7000}"), ["7000", "6000 or 12000"]),
        ("TRN314", efa(4800, 1000), ["every node group", "over TCP", "trn1.32xlarge"]),
        ("TRN314", MIXED + efa(4800, 1000), ["the nodes of two mount"]),
        ("TRN316", linked(name="fxs"), ["fxs", "did you mean fsx?"]),
        (
            "TRN322",
            "network: {vpc_cidr: 10.0.0.0/22}\n" + fsx("storage_capacity_gib: 26400"),
            ["11 addresses", "take 12"],
        ),
    ],
)
def test_the_finding_says_what_was_got_and_what_is_allowed(
    rule_id: str, overlay: str, parts: list[str]
):
    (finding,) = of_rule(rule_id, judge_cluster(overlay))
    said = f"{finding.message}; {finding.hint}"
    assert [part for part in parts if part not in said] == []


def test_a_storage_section_with_everything_gets_no_finding():
    """Everything at once, and nothing of the storage rules fires."""
    text = TRN1 + fsx(
        f"storage_capacity_gib: 9600, per_unit_storage_throughput: 500, efa_enabled: true, {OWN % 12000}, "
        f"log_configuration: {{}}, weekly_maintenance_start_time: '7:03:00', kms_key_arn: '{KEY % 'us-west-2'}', {LINK}",
        f", existing_lustre_file_systems: [{existing('old', '/old')}], home_file_system: {{}}, "
        "checkpoint_bucket: {data_repository_association: {file_system: fsx}, lifecycle: [{prefix: runs/, expiration_days: 9}]}",
    )
    assert [
        f.headline()
        for f in judge_cluster(text)
        if f.rule_id.startswith("TRN3") and f.rule_id != "TRN327"
    ] == []
