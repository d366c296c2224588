"""The bounds of every field: the last value that is right and the first that is not."""

import pytest

GROUP = "compute.node_groups.0"
CAPACITY, VOLUME = f"{GROUP}.capacity", f"{GROUP}.additional_volumes.0"
FSX = "storage.lustre_file_systems.0"
DRA = f"{FSX}.data_repository_associations.0"
ARN, KEY = "arn:aws:ec2:us-east-2:111122223333", "arn:aws:kms:us-east-2:111122223333"


def entries(count, entry):
    return "[" + ", ".join(entry.format(i) for i in range(count)) + "]"


GROUP_TEXT = "{{name: train-{}, instance_type: trn1.2xlarge, count: 1}}"
FSX_TEXT = "{{name: fsx-{}, storage_capacity_gib: 1200}}"
DRA_TEXT = "{{file_system_path: /{}, data_repository_path: s3://b}}"

RIGHT = [
    ("version", ["1"]),
    ("name", ["ab", "a1", "a-b", "a" * 30]),
    ("account", ["000000000000", "'000000000000'", "null"]),
    ("region", ["x", "x" * 512, "us-gov-west-1"]),
    ("tags", ["{}", "{a: ''}", "{'a b': 'é.:/=+-@_'}", "{" + "k" * 128 + ": x}"]),
    ("tags", ["{a: " + "v" * 256 + "}", "{awsx: y}", "{a: ''}"]),
    ("tags", ["{" + ", ".join(f"k{i}: v" for i in range(40)) + "}"]),
    ("network.vpc_cidr", ["10.0.0.0/16", "10.255.252.0/22", "172.16.0.0/16", "172.31.0.0/18"]),
    ("network.vpc_cidr", ["192.168.0.0/16", "192.168.252.0/22"]),
    ("network.availability_zone_id", ["use2-az3", "null"]),
    ("compute.node_groups", [entries(1, GROUP_TEXT), entries(40, GROUP_TEXT)]),
    (f"{GROUP}.name", ["abc", "a-1", "a" * 25]),
    (f"{GROUP}.count", ["0", "1", "1024"]),
    (f"{GROUP}.capacity.type", ["spot", "capacity-block", "on-demand-reservation"]),
    (f"{CAPACITY}.capacity_reservation_id", ["cr-0123456789abcdef0", "null"]),
    (f"{CAPACITY}.start", ["2027-03-01T11:30:00Z", "'2028-02-29T00:00:00Z'"]),
    (f"{CAPACITY}.scale_in_margin_minutes", ["1", "1440", "null"]),
    (f"{CAPACITY}.max_price_usd", ["0.001", "10000", "7.5"]),
    (f"{CAPACITY}.create", ["{}", "{unlimited: true}", "{end_date: 2027-03-01T11:30:00Z}"]),
    (f"{GROUP}.placement.group_name", ["a b", "null", f"{ARN}:placement-group/train"]),
    (f"{GROUP}.root_volume.kms_key_arn", [f"{KEY}:key/mrk-1", f"{KEY}:alias/a/b"]),
    (f"{VOLUME}.device_name", ["/dev/sdf", "/dev/xvdba"]),
    (f"{VOLUME}.size_gib", ["1", "65536"]),
    (f"{GROUP}.additional_security_group_ids", ["[]", entries(15, "sg-012345{:02}")]),
    (f"{GROUP}.threads_per_core", ["1", "2", "null"]),
    ("compute.volume_key", ["customer-managed"]),
    (f"{GROUP}.efa.layout", ["ena-primary", "efa-primary", "all-efa"]),
    (f"{GROUP}.efa.interfaces", ["0", "512", "null"]),
    (f"{GROUP}.logical_neuroncore_size", ["1", "8", "null"]),
    (f"{GROUP}.root_volume_size_gib", ["8", "16384"]),
    (f"{GROUP}.image.ami_id", ["ami-01234567", "ami-0123456789abcdef0", "null"]),
    (f"{GROUP}.image.operating_system", ["ubuntu-22.04", "amazon-linux-2023", "null"]),
    ("storage.lustre_file_systems", ["[]", entries(10, FSX_TEXT)]),
    (f"{FSX}.name", ["abc", "a" * 25]),
    (f"{FSX}.deployment_type", ["SCRATCH_1", "SCRATCH_2", "PERSISTENT_1", "PERSISTENT_2"]),
    (f"{FSX}.storage_capacity_gib", ["1", "10000000"]),
    (f"{FSX}.per_unit_storage_throughput", ["125", "null"]),
    (f"{FSX}.automatic_backup_retention_days", ["1", "90", "null"]),
    (f"{FSX}.data_compression_type", ["NONE", "LZ4"]),
    (f"{FSX}.mount_path", ["/a", "/fsx/a.b_c-d", "/1/2/3/4/5/6"]),
    (f"{FSX}.data_repository_associations", ["[]", entries(8, DRA_TEXT)]),
    (f"{DRA}.batch_import_meta_data_on_create", ["true", "false"]),
    (f"{DRA}.auto_import_events", ["[]", "[NEW, CHANGED, DELETED]"]),
    ("budget.limit_usd", ["0.01", "1", "2.10", "1000000000"]),
    ("budget.services", ["[]", entries(20, "s{}")]),
    ("budget.thresholds", ["[{percent: 0.1}]", "[{percent: 1000}]"]),
    (
        "budget.emails",
        ["[a@example.com]", "[" + "a" * 64 + "@example.com]", "[a+b_c@sub.example.com]"],
    ),
    ("suppress", ["[]", "[{rule_id: TRN212, reason: 0123456789}]"]),
]

WRONG = [
    ("name", ["a", "a" * 31, "1a", "a-", "-a", "Ab", "a_b", "a.b", "é1", '"ab\\n"']),
    ("account", ["1", "11112222333", "1111222233334", "-11122223333", "x" * 12]),
    ("region", ["''", "' '", "x" * 513, '"a\\nb"', '"a\\x7f"']),
    (
        "tags",
        [
            "{aws:x: y}",
            "{AWS:x: y}",
            "{Aws:x: y}",
            "{'': x}",
            "{" + "k" * 129 + ": x}",
            "{a: " + "v" * 257 + "}",
        ],
    ),
    (
        "tags",
        ["{'a;b': x}", "{a: 'b*'}", "[a]", "{" + ", ".join(f"k{i}: v" for i in range(41)) + "}"],
    ),
    ("network.vpc_cidr", ["10.0.0.0/15", "10.0.0.0/23", "10.0.0.0", "10.0.0.1/16", "10.0/16"]),
    ("network.vpc_cidr", ["8.8.0.0/16", "172.15.0.0/16", "172.32.0.0/16", "100.64.0.0/16"]),
    ("network.vpc_cidr", ["127.0.0.0/16", "169.254.0.0/16", "198.18.0.0/16", "0.0.0.0/16"]),
    ("network.vpc_cidr", ["10.0.0.0/255.255.0.0", "10.0.0.0/0.0.255.255", "10.0.0.0/016"]),
    ("network.vpc_cidr", ["'fd00::/16'", "167772160", "10.00.0.0/16", "' 10.0.0.0/16'"]),
    ("compute.node_groups", ["[]", entries(41, GROUP_TEXT), "{}"]),
    (f"{GROUP}.name", ["ab", "a" * 26, "a_b", "Train"]),
    (f"{GROUP}.instance_type", ["''", "null"]),
    (f"{GROUP}.count", ["-1", "1025", "99999999999999999999"]),
    (f"{GROUP}.capacity.type", ["reserved", "ON-DEMAND"]),
    (f"{CAPACITY}.capacity_reservation_id", ["cr-0123", f"cr-{'0' * 18}", f"CR-{'0' * 17}"]),
    (f"{CAPACITY}.capacity_reservation_resource_group_arn", ["group", "arn:aws:ec2:::group/a"]),
    (f"{CAPACITY}.start", ["2027-03-01", "2027-03-01T11:30:00", "2027-03-01T11:30:00+01:00"]),
    (f"{CAPACITY}.start", ["2027-02-30T11:30:00Z", "2027-03-01T25:00:00Z", "1_000", "1772364600"]),
    (f"{CAPACITY}.launch", ["now", "null"]),
    (f"{CAPACITY}.scale_in_margin_minutes", ["0", "1441"]),
    (f"{CAPACITY}.max_price_usd", ["0", "10001", "'1'"]),
    (f"{CAPACITY}.instance_interruption_behavior", ["pause"]),
    (f"{CAPACITY}.capacity_reservation_preference", ["capacity-reservations-only"]),
    (f"{CAPACITY}.create", ["true", "[]"]),
    (f"{GROUP}.placement.group_name", ["''", "a/b", "arn:aws:ec2:us-east-2:1:placement-group/a"]),
    (f"{GROUP}.placement.cluster", ["yes", "1"]),
    (f"{GROUP}.root_volume.kms_key_arn", ["alias/mine", "12345678", "arn:aws:kms:::key/a"]),
    (f"{VOLUME}.device_name", ["sdf", "/dev/nvme1n1", "/dev/sd"]),
    (f"{VOLUME}.size_gib", ["0", "65537"]),
    (f"{GROUP}.additional_security_group_ids", ["[sg-0]", entries(16, "sg-012345{:02}")]),
    (f"{GROUP}.threads_per_core", ["0", "3"]),
    ("compute.volume_key", ["mine", "null"]),
    (f"{GROUP}.efa.layout", ["efa-only", "null"]),
    (f"{GROUP}.efa.interfaces", ["-1", "513", "all"]),
    (f"{GROUP}.logical_neuroncore_size", ["0", "9", "-2"]),
    (f"{GROUP}.root_volume_size_gib", ["7", "16385", "512GiB"]),
    (f"{GROUP}.image.ami_id", ["ami-0123456", "ami-0123456789ABCDEF0", "ami-xyz", "i-01234567"]),
    (f"{GROUP}.image.operating_system", ["ubuntu-20.04", "al2023"]),
    ("orchestrator.type", ["slurm2", "null"]),
    ("storage.lustre_file_systems", [entries(11, FSX_TEXT), "{}"]),
    (f"{FSX}.name", ["ab", "a" * 26]),
    (f"{FSX}.deployment_type", ["SCRATCH_3", "persistent_2"]),
    (f"{FSX}.storage_capacity_gib", ["0", "-1200", "10000001", "1.2TiB"]),
    (f"{FSX}.per_unit_storage_throughput", ["125.0", "'125'"]),
    (f"{FSX}.automatic_backup_retention_days", ["0", "91"]),
    (f"{FSX}.data_compression_type", ["lz4", "ZSTD"]),
    (
        f"{FSX}.mount_path",
        ["/", "fsx", "/fsx/", "//fsx", "/a b", "/..", "/a/../b", "/1/2/3/4/5/6/7"],
    ),
    (f"{FSX}.mount_path", ['"/a\'b"', '"/a\\n"', "/$HOME", "/é"]),
    (f"{FSX}.data_repository_associations", [entries(9, DRA_TEXT)]),
    (f"{DRA}.batch_import_meta_data_on_create", ["no", "yes", "1", "'true'", "null"]),
    (f"{DRA}.auto_import_events", ["[new]", "NEW", "null"]),
    ("budget.limit_usd", ["0", "-1", "1000000001", "1e999"]),
    ("budget.time_unit", ["WEEKLY", "null"]),
    ("budget.services", [entries(21, "s{}"), "['']"]),
    ("budget.thresholds", ["[]", "[{percent: 0.09}]", "[{percent: 1000.1}]", "[{percent: '80'}]"]),
    (
        "budget.emails",
        [
            "[]",
            "[a@b]",
            "[a@@example.com]",
            "['a b@example.com']",
            "[" + "a" * 65 + "@example.com]",
        ],
    ),
    (
        "budget.emails",
        [
            "['a@example.com, c@example.org']",
            "['<a@example.com>']",
            '["a@example.com\\n"]',
            '["\\e@example.com"]',
        ],
    ),
    ("suppress", ["[{rule_id: TRN212, reason: 012345678}]", "[{rule_id: TRN212}]", "{}"]),
]


def cases(table):
    params = []
    for path, values in table:
        for value in values:
            shown = value if len(value) <= 24 else f"{value[:20]}...{len(value)}"
            params.append(pytest.param(path, value, id=f"{path.rsplit('.', 1)[-1]} {shown!a}"))
    return params


@pytest.mark.parametrize(("path", "value"), cases(RIGHT))
def test_right(problems, with_value, path, value):
    assert problems(with_value(path, value)) == ()


@pytest.mark.parametrize(("path", "value"), cases(WRONG))
def test_wrong(problems, with_value, path, value):
    found = problems(with_value(path, value))
    assert len(found) == 1
    assert found[0].rule_id in ("TRN001", "TRN004", "TRN005")
    assert found[0].rule_id == "TRN001" or found[0].path.startswith(path.replace(".0", "[0]"))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (f"{GROUP}.count", "1025", f"{GROUP}.count must be at most 1024, got 1025"),
        (f"{GROUP}.count", "-1", f"{GROUP}.count must be at least 0, got -1"),
        ("budget.limit_usd", "0", "budget.limit_usd must be at least 0.01, got 0"),
        ("budget.limit_usd", "1e-9", "budget.limit_usd must be at least 0.01, got 1e-9"),
        ("budget.limit_usd", "2e9", "budget.limit_usd must be at most 1000000000, got 2e9"),
        (
            "budget.thresholds.0.percent",
            "0",
            "budget.thresholds.0.percent must be at least 0.1, got 0",
        ),
        ("budget.emails", "[]", "budget.emails must have at least one entry"),
        (
            "compute.node_groups",
            entries(41, GROUP_TEXT),
            "compute.node_groups must have at most 40 entries, got a list of 41",
        ),
        (
            "region",
            "x" * 513,
            f"region must have at most 512 characters, got '{'x' * 56}...",
        ),
        (
            "suppress.0.reason",
            "because",
            "suppress.0.reason must have at least 10 characters, got 'because'",
        ),
        (
            "network.vpc_cidr",
            "10.0.0.0/255.255.0.0",
            "network.vpc_cidr must be written as 10.0.0.0/16, got '10.0.0.0/255.255.0.0'",
        ),
    ],
)
def test_messages_say_what_is_allowed_and_what_was_got(problems, with_value, path, value, message):
    (finding,) = problems(with_value(path, value))
    assert finding.message == message.replace(path, path.replace(".0.", "[0]."))
