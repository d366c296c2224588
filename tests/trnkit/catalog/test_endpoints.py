"""Interface endpoints: names, what they need, and a price only where a source has one."""

import pytest

from trnkit.catalog import (
    endpoint_services,
    find_endpoint_service,
    find_package_bucket,
    operating_systems,
)


def test_every_service_is_there_once_and_needs_known_ones():
    names = [entry.service for entry in endpoint_services()]
    assert len(names) == len(set(names))
    for entry in endpoint_services():
        assert entry.purposes
        assert entry.used_for
        assert set(entry.needs) <= {*names, "s3"} - {entry.service}


def test_net_11_what_every_node_uses():
    nodes = {entry.service for entry in endpoint_services() if "nodes" in entry.purposes}
    assert nodes == {
        *("ec2", "sts", "logs", "monitoring", "ecr.api", "ecr.dkr", "autoscaling"),
        *("ssm", "ssmmessages", "ec2messages"),
    }


@pytest.mark.parametrize(
    ("service", "needs"),
    [("ecr.dkr", ("ecr.api", "s3")), ("ssmmessages", ("ssm",)), ("ssm", ()), ("ecr.api", ())],
)
def test_net_11_what_is_no_use_alone(service, needs):
    found = find_endpoint_service(service)
    assert found is not None
    assert found.needs == needs


def test_what_is_not_known_is_none():
    assert find_endpoint_service("no-such-service") is None


def test_packages_of_amazon_linux_are_in_a_bucket_of_the_region():
    found = find_package_bucket("amazon-linux-2023")
    assert found.operating_system in operating_systems()
    assert found.bucket.format(region="us-east-2") == "al2023-repos-us-east-2-de612dc2"
    assert find_package_bucket("ubuntu-24.04") is None
