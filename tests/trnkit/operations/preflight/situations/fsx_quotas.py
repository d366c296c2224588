"""What check fsx-quotas is asked with."""

from __future__ import annotations

from tests.trnkit.operations.preflight.clusters import make_cluster
from tests.trnkit.operations.preflight.fake_account import Refusal
from tests.trnkit.operations.preflight.situations import Situation

LUSTRE = {"name": "data", "mount_path": "/fsx", "storage_capacity_gib": 4800}


def no_file_system(told, region):
    """All of none, and a refusal for one that is asked for by its id, as FSx does it."""
    return Refusal("FileSystemNotFound") if told.get("FileSystemIds") else {"FileSystems": []}


SITUATION = Situation(
    empty=(
        "unknown",
        "the cluster takes 1 file system of PERSISTENT_2, and Service Quotas in us-east-2 knows",
    ),
    cluster=make_cluster(storage={"lustre_file_systems": [LUSTRE]}),
    whole={
        "fsx.DescribeFileSystems": no_file_system,
        "GetServiceQuota": Refusal("NoSuchResourceException"),
        "GetAWSDefaultServiceQuota": {"Quota": {"Value": 100_800.0}},
    },
    # Without the service, so that another check's own file systems go before.
    well={"DescribeFileSystems": no_file_system},
    nothing={"fsx.DescribeFileSystems": no_file_system},
)
