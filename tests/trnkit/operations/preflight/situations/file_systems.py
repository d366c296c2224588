"""What check file-systems is asked with."""

from __future__ import annotations

from typing import Any

from tests.trnkit.operations.preflight.clusters import IMPORTED, make_cluster
from tests.trnkit.operations.preflight.fake_account import ACCOUNT, SUBNET, VPC, Refusal
from tests.trnkit.operations.preflight.situations import Situation

ID = "fs-0123456789abcdef0"
EXISTING = {
    "name": "corpus",
    "file_system_id": ID,
    "mount_name": "abcdefgh",
    "mount_path": "/corpus",
    "security_group_id": "sg-0123456789abcdef0",
}
NEW = {"name": "fsx", "storage_capacity_gib": 4800, "deployment_type": "PERSISTENT_2"}


def described(lustre: dict[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
    """The file system that the file names, as it should be."""
    told = {
        "OwnerId": ACCOUNT,
        "FileSystemId": ID,
        "FileSystemType": "LUSTRE",
        "Lifecycle": "AVAILABLE",
        "VpcId": VPC,
        "SubnetIds": [SUBNET],
        "DNSName": f"{ID}.fsx.us-east-2.amazonaws.com",
        "FileSystemTypeVersion": "2.15",
        "LustreConfiguration": {"MountName": "abcdefgh"} | (lustre or {}),
    } | changes
    return {"FileSystems": [{key: value for key, value in told.items() if value is not None}]}


SITUATION = Situation(
    empty=("fail", "us-east-2 has no FSx, as AWS's own list of services says"),
    cluster=make_cluster(
        network=IMPORTED,
        storage={"lustre_file_systems": [NEW], "existing_lustre_file_systems": [EXISTING]},
    ),
    well={"fsx.DescribeFileSystems": described()},
    nothing={"fsx.DescribeFileSystems": Refusal("FileSystemNotFound")},
)
