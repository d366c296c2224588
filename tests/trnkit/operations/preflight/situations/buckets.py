"""What check buckets is asked with."""

from __future__ import annotations

import json
from typing import Any

from tests.trnkit.operations.preflight.clusters import make_cluster
from tests.trnkit.operations.preflight.fake_account import ACCOUNT, Refusal
from tests.trnkit.operations.preflight.situations import Situation

KEY_ID = "0000abcd-12ab-34cd-56ef-1234567890ab"
BUCKET_KEY = f"arn:aws:kms:us-east-2:{ACCOUNT}:key/{KEY_ID}"
LUSTRE = {"name": "fsx", "storage_capacity_gib": 4800, "deployment_type": "PERSISTENT_2"}


def linked(**changes: Any) -> Any:
    """A cluster whose file system is linked to a bucket."""
    link = {"file_system_path": "/data", "data_repository_path": "s3://our-corpus/runs"} | changes
    system = LUSTRE | {"data_repository_associations": [link]}
    return make_cluster(storage={"lustre_file_systems": [system]})


def mounted(**changes: Any) -> Any:
    """A cluster whose nodes mount a bucket."""
    mount = {"bucket_name": "our-corpus", "mount_path": "/data/corpus"} | changes
    return make_cluster(storage={"s3_mountpoints": [mount]})


def encrypted(algorithm: str = "aws:kms", key: str | None = BUCKET_KEY, **more: Any) -> Any:
    default = {"SSEAlgorithm": algorithm} | ({"KMSMasterKeyID": key} if key else {})
    rule = {"ApplyServerSideEncryptionByDefault": default} | more
    return {"ServerSideEncryptionConfiguration": {"Rules": [rule]}}


def bucket_policy(*statements: dict[str, Any]) -> dict[str, Any]:
    told = {"Version": "2012-10-17", "Statement": list(statements)}
    return {"Policy": json.dumps(told)}


def denial(actions: Any, resource: Any = "*", principal: Any = "*", **more: Any) -> dict[str, Any]:
    head = {"Effect": "Deny", "Principal": principal, "Action": actions, "Resource": resource}
    return head | more


TLS_ONLY = denial("s3:*", Condition={"Bool": {"aws:SecureTransport": "false"}})
FOR_FSX = {
    "Effect": "Allow",
    "Principal": {"AWS": "*"},
    "Action": ["kms:Decrypt", "kms:GenerateDataKey*"],
    "Resource": "*",
    "Condition": {
        "StringEquals": {
            "kms:CallerAccount": ACCOUNT,
            "kms:ViaService": "s3.us-east-2.amazonaws.com",
        },
        "StringLike": {
            "aws:userid": "*:FSx",
            "kms:EncryptionContext:aws:s3:arn": "arn:aws:s3:::our-corpus/*",
        },
    },
}

SITUATION = Situation(
    empty=("fail", "there is no bucket our-corpus"),
    cluster=linked(),
    whole={
        "GetBucketEncryption": encrypted(),
        "GetKeyPolicy": bucket_policy(FOR_FSX),
    },
    well={
        "HeadBucket": {"BucketRegion": "us-east-2"},
        "GetBucketPolicy": bucket_policy(TLS_ONLY),
        "GetBucketEncryption": encrypted("AES256", None),
    },
    nothing={"HeadBucket": Refusal("404", "Not Found", 404)},
)
