"""One cluster file with every section, to change a value of, and one way to ask what is wrong."""

import copy

import pytest

from trnkit.config import ClusterFile, read_cluster
from trnkit.errors import ConfigurationError, UnreadableInputError

MINIMAL = """\
version: 1
name: pretrain
region: us-east-2
compute:
  node_groups:
    - name: train
      instance_type: trn2.48xlarge
      count: 4
budget:
  limit_usd: 50000
  emails: [ml-platform@example.com]
"""

# Scalars are YAML text, so that a test can write 2.10 or `no` exactly as a user would.
EVERYTHING = {
    "version": "1",
    "name": "pretrain",
    "account": "'111122223333'",
    "region": "us-east-2",
    "tags": {"team": "ml"},
    "network": {"vpc_cidr": "10.0.0.0/16", "availability_zone_id": "use2-az3"},
    "compute": {
        "volume_key": "aws-managed",
        "node_groups": [
            {
                "name": "train",
                "instance_type": "trn2.48xlarge",
                "count": "4",
                "capacity": {
                    "type": "capacity-block",
                    "capacity_reservation_id": "cr-0123456789abcdef0",
                    "start": "2027-03-01T11:30:00Z",
                    "end": "2027-03-08T11:30:00Z",
                    "launch": "at-start",
                    "scale_in_margin_minutes": "10",
                    "max_price_usd": "5.5",
                    "instance_interruption_behavior": "terminate",
                    "capacity_reservation_preference": "open",
                    "create": {"instance_match_criteria": "targeted"},
                },
                "placement": {"cluster": "false", "group_name": "theirs"},
                "efa": {"layout": "ena-primary", "interfaces": "16"},
                "logical_neuroncore_size": "2",
                "image": {"ami_id": "ami-0123456789abcdef0", "operating_system": "ubuntu-24.04"},
                "root_volume_size_gib": "512",
                "root_volume": {"iops": "6000", "throughput_mibps": "500"},
                "additional_volumes": [{"device_name": "/dev/sdf", "size_gib": "100"}],
                "additional_security_group_ids": ["sg-0123456789abcdef0"],
                "threads_per_core": "1",
            }
        ],
    },
    "orchestrator": {"type": "none"},
    "storage": {
        "lustre_file_systems": [
            {
                "name": "fsx",
                "deployment_type": "PERSISTENT_2",
                "storage_capacity_gib": "4800",
                "per_unit_storage_throughput": "250",
                "file_system_type_version": "'2.15'",
                "data_compression_type": "LZ4",
                "automatic_backup_retention_days": "7",
                "mount_path": "/fsx",
                "data_repository_associations": [
                    {
                        "file_system_path": "/data",
                        "data_repository_path": "s3://example-bucket/corpus",
                        "batch_import_meta_data_on_create": "true",
                        "auto_import_events": ["NEW"],
                        "auto_export_events": ["NEW"],
                    }
                ],
            }
        ]
    },
    "budget": {
        "limit_usd": "50000",
        "time_unit": "MONTHLY",
        "scope": "cluster",
        "region": "us-east-1",
        "services": ["Amazon FSx"],
        "thresholds": [{"notification_type": "ACTUAL", "percent": "80"}],
        "emails": ["ml-platform@example.com"],
    },
    "suppress": [{"rule_id": "TRN212", "reason": "Agreed with the owners"}],
}


def flow(value):
    """YAML text of nested dicts and lists whose scalars are YAML text already."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow(item) for item in value) + "]"
    return value


def as_finding(finding):
    """What holds for every finding about a cluster file, whatever is wrong with it."""
    assert finding.file == "cluster.yaml"
    assert finding.line is not None
    assert finding.column is not None
    assert min(finding.line, finding.column) >= 1
    text = finding.headline()
    for jargon in ("Input should", "should have", "validation error", "Traceback", "pydantic"):
        assert jargon not in text
    assert text.isprintable()
    assert len(text) < 700
    return finding


@pytest.fixture(scope="session")
def minimal():
    """The shortest cluster file, as text."""
    return MINIMAL


@pytest.fixture(scope="session")
def with_value():
    """Text of a file with every section and one value (`compute.node_groups.0.count`) replaced."""

    def write(path, text):
        root = copy.deepcopy(EVERYTHING)
        *parents, last = [int(p) if p.isdecimal() else p for p in path.split(".")]
        section = root
        for part in parents:
            section = section[part]
        section[last] = text
        return "".join(f"{key}: {flow(value)}\n" for key, value in root.items())

    return write


@pytest.fixture(scope="session")
def read():
    """Read a text that is a right cluster file; returns the model."""

    def config(text):
        return read_cluster(text, "cluster.yaml").config

    return config


@pytest.fixture(scope="session")
def problems():
    """The findings about a text: empty when it is right, and never another kind of answer."""

    def findings(text):
        try:
            answer = read_cluster(text, "cluster.yaml")
        except UnreadableInputError as error:
            found, known = [error.finding], {"TRN001"}
        except ConfigurationError as error:
            found, known = error.findings, {"TRN002", "TRN003", "TRN004", "TRN005"}
        else:
            assert isinstance(answer, ClusterFile)
            return ()
        assert found
        assert {finding.rule_id for finding in found} <= known
        return tuple(as_finding(finding) for finding in found)

    return findings
