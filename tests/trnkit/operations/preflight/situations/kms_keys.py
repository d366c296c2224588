"""What check kms-keys is asked with."""

from __future__ import annotations

import json
from typing import Any

from tests.trnkit.operations.preflight.clusters import make_cluster
from tests.trnkit.operations.preflight.fake_account import ACCOUNT, Refusal
from tests.trnkit.operations.preflight.situations import Situation

KEY_ID = "1234abcd-12ab-34cd-56ef-1234567890ab"
KEY = f"arn:aws:kms:us-east-2:{ACCOUNT}:key/{KEY_ID}"
ROLE = (
    f"arn:aws:iam::{ACCOUNT}:role/aws-service-role/autoscaling.amazonaws.com/"
    "AWSServiceRoleForAutoScaling"
)
USE = ["kms:Encrypt", "kms:Decrypt", "kms:ReEncrypt*", "kms:GenerateDataKey*", "kms:DescribeKey"]
OPERATIONS = [
    "Encrypt",
    "Decrypt",
    "ReEncryptFrom",
    "ReEncryptTo",
    "GenerateDataKey",
    "GenerateDataKeyWithoutPlaintext",
    "DescribeKey",
    "CreateGrant",
]


def statement(principal: Any, actions: Any, **more: Any) -> dict[str, Any]:
    named = principal if principal == "*" else {"AWS": principal}
    head = {"Effect": "Allow", "Principal": named, "Action": actions, "Resource": "*"}
    return head | more


DELEGATED = statement(f"arn:aws:iam::{ACCOUNT}:root", "kms:*")


def key_policy(*statements: dict[str, Any]) -> dict[str, Any]:
    told = {"Version": "2012-10-17", "Statement": [DELEGATED, *statements]}
    return {"Policy": json.dumps(told)}


def described(told: dict[str, Any], region: str) -> dict[str, Any]:
    """Any key that is asked for, enabled, of the account."""
    name = told["KeyId"].rpartition("/")[2]
    return {"KeyMetadata": metadata(KeyId=name)}


def metadata(**changes: Any) -> dict[str, Any]:
    return {
        "KeyId": KEY_ID,
        "AWSAccountId": ACCOUNT,
        "KeyState": "Enabled",
        "KeyUsage": "ENCRYPT_DECRYPT",
        "KeySpec": "SYMMETRIC_DEFAULT",
        "KeyManager": "CUSTOMER",
    } | changes


GRANTED = {"Grants": [{"GranteePrincipal": ROLE, "Operations": OPERATIONS}]}

SITUATION = Situation(
    empty=("fail", f"us-east-2 has no key {KEY_ID}"),
    cluster=make_cluster({"root_volume": {"kms_key_arn": KEY}}, {}),
    well={
        "DescribeKey": described,
        "GetKeyPolicy": key_policy(),
        "ListGrants": GRANTED,
        "GetEbsDefaultKmsKeyId": {"KmsKeyId": "alias/aws/ebs"},
    },
    nothing={"DescribeKey": Refusal("NotFoundException")},
)
