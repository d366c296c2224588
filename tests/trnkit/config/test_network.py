"""The network section: shapes of ids and blocks, each at its edge."""

import pytest

from trnkit.config import ExistingNetworkConfig, NetworkConfig

REQUIRED = {
    "vpc_id": "vpc-0123456789abcdef0",
    "compute_subnet_id": "subnet-0123456789abcdef0",
    "availability_zone_id": "use2-az3",
}


def existing(**keys):
    values = {**REQUIRED, **keys}
    return "{" + ", ".join(f"{key}: {value}" for key, value in values.items() if value) + "}"


RIGHT = [
    ("network.secondary_cidr", ["null", "100.64.0.0/16", "100.127.255.0/24", "10.1.0.0/20"]),
    ("network.nat_gateway", ["true", "false"]),
    ("network.interface_endpoints", ["[]", "[ecr.api, ecr.dkr]"]),
    ("network.control_plane_zone_ids", ["[]", "[use2-az1, use2-az2]"]),
    ("network.flow_logs", ["null", "{}", "{retention_days: 3653}", "{traffic_type: REJECT}"]),
    ("network.existing", ["null", existing(), existing(vpc_id="vpc-01234567")]),
    ("network.existing", [existing(compute_subnet_cidr="10.0.0.0/28", vpc_cidr="198.51.0.0/16")]),
    ("network.existing", [existing(route_table_ids="[rtb-01234567]", shared="true")]),
]

WRONG = [
    ("network.secondary_cidr", ["100.64.0.0/15", "100.64.0.0/25", "100.128.0.0/16", "8.8.0.0/16"]),
    ("network.nat_gateway", ["no", "0", "null"]),
    ("network.interface_endpoints", ["ecr.api", "['']"]),
    ("network.control_plane_zone_ids", ["[" + ", ".join(f"z{i}" for i in range(7)) + "]"]),
    ("network.flow_logs", ["true", "{retention_days: 10}", "{destination: s3}", "{days: 1}"]),
    ("network.existing", ["{}", "true", existing(vpc_id=""), existing(availability_zone_id="")]),
    ("network.existing", [existing(vpc_id="vpc-0123456789ABCDEF0"), existing(vpc_id="vpc-1")]),
    ("network.existing", [existing(vpc_id="subnet-0123456789abcdef0")]),
    ("network.existing", [existing(compute_subnet_id="vpc-0123456789abcdef0")]),
    ("network.existing", [existing(storage_subnet_id="subnet-012345678")]),
    ("network.existing", [existing(control_plane_subnet_ids="[sg-01234567]")]),
    ("network.existing", [existing(route_table_ids="[rtb-xyz]"), existing(security_group_id="x")]),
    ("network.existing", [existing(compute_subnet_cidr="10.0.0.0/29"), existing(nat="true")]),
]


def cases(table):
    return [
        pytest.param(path, value, id=f"{path}: {value}"[:90])
        for path, values in table
        for value in values
    ]


@pytest.mark.parametrize(("path", "value"), cases(RIGHT))
def test_right(problems, with_value, path, value):
    assert problems(with_value(path, value)) == ()


@pytest.mark.parametrize(("path", "value"), cases(WRONG))
def test_wrong(problems, with_value, path, value):
    found = problems(with_value(path, value))
    assert found
    assert all(finding.path.startswith(path) for finding in found)


def test_an_id_of_another_kind_is_told_its_shape(problems, with_value):
    (found,) = problems(with_value("network.existing", existing(vpc_id="subnet-01234567")))
    assert found.message == (
        "network.existing.vpc_id must be vpc- and 17 hex digits, got 'subnet-01234567'"
    )


def test_the_default_network_is_the_cluster_s_own_with_nat():
    network = NetworkConfig()
    assert network.existing is None
    assert network.nat_gateway is True
    assert not network.interface_endpoints
    assert network.flow_logs is None


def test_nothing_is_made_in_an_existing_vpc_unasked():
    assert ExistingNetworkConfig(**REQUIRED).create_s3_gateway_endpoint is False
