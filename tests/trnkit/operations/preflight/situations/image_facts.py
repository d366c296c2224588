"""What check image-facts is asked with."""

from __future__ import annotations

from typing import Any

from tests.trnkit.operations.preflight.clusters import make_cluster
from tests.trnkit.operations.preflight.fake_account import ACCOUNT, IMAGE
from tests.trnkit.operations.preflight.situations import Situation
from trnkit.config import ClusterConfig, LockedImage

PARAMETER = "/aws/service/neuron/dlami/base/ubuntu-24.04/latest/image_id"
SNAPSHOT = "snap-0123456789abcdef0"
KEY = f"arn:aws:kms:us-east-2:{ACCOUNT}:key/2222abcd-12ab-34cd-56ef-1234567890ab"


def locked(parameter: str = PARAMETER, **changes: Any) -> ClusterConfig:
    """A cluster whose image is in a lock."""
    entry = {
        "ssm_parameter": parameter,
        "region": "us-east-2",
        "ami_id": IMAGE,
        "resolved": "2027-01-02",
    } | changes
    image = {"lock_file": "images.lock", "ssm_parameter": parameter}
    cluster = make_cluster({"image": image})
    group = cluster.compute.node_groups[0]
    with_lock = group.image.with_lock({parameter: LockedImage.model_validate(entry)})
    groups = (group.model_copy(update={"image": with_lock}),)
    compute = cluster.compute.model_copy(update={"node_groups": groups})
    return cluster.model_copy(update={"compute": compute})


def described(**changes: Any) -> dict[str, Any]:
    """What EC2 says of the image."""
    ebs = {"VolumeSize": 105, "SnapshotId": SNAPSHOT, "Encrypted": changes.pop("encrypted", False)}
    entry = {
        "ImageId": IMAGE,
        "Architecture": "x86_64",
        "RootDeviceName": "/dev/sda1",
        "State": "available",
        "EnaSupport": True,
        "BlockDeviceMappings": [{"DeviceName": "/dev/sda1", "Ebs": ebs}],
    }
    return {"Images": [entry | changes]}


SITUATION = Situation(
    empty=("warning", f"us-east-2 has no parameter {PARAMETER} any more"),
    cluster=locked(),
    whole={"DescribeImages": described(encrypted=True)},
    well={"DescribeSnapshots": {"Snapshots": [{"SnapshotId": SNAPSHOT, "KmsKeyId": KEY}]}},
)
