"""TRN225: Auto Scaling may use the key of the nodes' volumes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig

_ROLE = "AWSServiceRoleForAutoScaling"
_NEEDED = (
    "kms:Encrypt, Decrypt, ReEncrypt*, GenerateDataKey*, DescribeKey, and CreateGrant where "
    "kms:GrantIsForAWSResource is true"
)


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    if cluster.compute.volume_key == "customer-managed":
        yield Violation(
            message=f"compute.volume_key is customer-managed: its policy names {_ROLE}, which must "
            "exist before",
            hint="in an account that never had an Auto Scaling group, run `aws iam "
            "create-service-linked-role --aws-service-name autoscaling.amazonaws.com` once",
            path=("compute", "volume_key"),
            severity=Severity.INFO,
        )
    told: set[str] = set()
    for path, group in node_groups(cluster):
        keys = [((*path, "root_volume", "kms_key_arn"), group.root_volume.kms_key_arn)]
        keys += [
            ((*path, "additional_volumes", index, "kms_key_arn"), volume.kms_key_arn)
            for index, volume in enumerate(group.additional_volumes)
        ]
        for place, key in keys:
            if key is None or key in told:
                continue
            told.add(key)
            yield Violation(
                message=f"{format_path(place)} is a key from outside; {_ROLE} must be allowed to "
                "use it, or nodes end as soon as they start",
                hint=f"allow the role {_NEEDED} in the key's policy, and suppress this",
                path=place,
            )
            home = key.split(":")[3]
            if home != cluster.region:
                yield Violation(
                    message=f"{format_path(place)} is a key of {home}; the cluster's region is "
                    f"{cluster.region}",
                    hint=f"write a key of {cluster.region}",
                    path=place,
                    severity=Severity.ERROR,
                )


_GROUP = "compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1"
_KEY = "arn:aws:kms:us-east-2:111122223333:key/12345678-1234-1234-1234-123456789012"

RULE = ConfigRule(
    id="TRN225",
    title="Auto Scaling may use the key of the nodes' volumes",
    severity=Severity.WARNING,
    why="Instances whose volumes Auto Scaling cannot encrypt are terminated at once, with "
    "Client.InternalError as the only trace.",
    source="https://docs.aws.amazon.com/autoscaling/ec2/userguide/key-policy-requirements-EBS-encryption.html",
    good=_GROUP + "}], volume_key: aws-managed}\n",
    bad=_GROUP + f", root_volume: {{kms_key_arn: '{_KEY}'}}}}]}}\n",
    check=_check,
)
