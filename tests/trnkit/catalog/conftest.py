"""EC2's own answers, as moto bundles them: read from disk, no network, no credentials."""

import pytest


@pytest.fixture(scope="session")
def descriptions():
    """DescribeInstanceTypes entries by name, of every type EC2 had when moto was built."""
    from moto.ec2.models.instance_types import INSTANCE_TYPES

    return INSTANCE_TYPES


@pytest.fixture(scope="session")
def offerings():
    """Zone ids that offer a type: {region: {instance type: [zone ids]}}, and ids of all zones."""
    from moto.ec2.models.instance_types import INSTANCE_TYPE_OFFERINGS

    by_region = {}
    for region, entries in INSTANCE_TYPE_OFFERINGS["availability-zone-id"].items():
        for entry in entries:
            zones = by_region.setdefault(region, {}).setdefault(entry["InstanceType"], set())
            zones.add(entry["Location"])
    return by_region
