"""Keys of volumes, file systems and buckets: their state, and who may use them."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from tests.trnkit.operations.preflight.conftest import make_cluster
from tests.trnkit.operations.preflight.fake_account import ACCOUNT, Refusal
from tests.trnkit.operations.preflight.situations.kms_keys import (
    GRANTED,
    KEY,
    KEY_ID,
    OPERATIONS,
    ROLE,
    USE,
    key_policy,
    metadata,
    statement,
)
from trnkit.config import ImagePipelineConfig

VOLUME = make_cluster({"root_volume": {"kms_key_arn": KEY}})
NO_GRANTS = {"Grants": []}
FOR_AWS = {"Condition": {"Bool": {"kms:GrantIsForAWSResource": "true"}}}
BOTH = (statement(ROLE, USE), statement(ROLE, "kms:CreateGrant", **FOR_AWS))
EBS_DEFAULT = statement(
    "*",
    ["kms:Encrypt", "kms:Decrypt", "kms:ReEncrypt*", "kms:GenerateDataKey*", "kms:CreateGrant",
     "kms:DescribeKey"],
    Condition={
        "StringEquals": {
            "kms:ViaService": "ec2.us-east-2.amazonaws.com",
            "kms:CallerAccount": ACCOUNT,
        }
    },
)  # fmt: skip


def when(operator, key, value):
    return {"Condition": {operator: {key: value}}}


def denial(**more):
    return statement("*", "kms:*", **more) | {"Effect": "Deny"}


def operations(*names, **more):
    return {"Grants": [{"GranteePrincipal": ROLE, "Operations": list(names), **more}]}


@pytest.mark.parametrize(
    ("changes", "status", "words"),
    [
        ({"KeyState": "Disabled"}, "fail", f"key {KEY_ID} is disabled"),
        (
            {"KeyState": "PendingDeletion", "DeletionDate": datetime(2027, 2, 9, tzinfo=UTC)},
            "fail",
            "is going to be deleted, on 2027-02-09",
        ),
        ({"KeyState": "PendingDeletion"}, "fail", "is going to be deleted"),
        ({"KeyState": "PendingImport"}, "fail", "is PendingImport"),
        ({"KeyState": "Unavailable"}, "fail", "is Unavailable"),
        ({"KeyUsage": "SIGN_VERIFY", "KeySpec": "RSA_2048"}, "fail", "is for SIGN_VERIFY with RSA"),
        ({"KeySpec": "RSA_4096"}, "fail", "with RSA_4096"),
        ({"KeyUsage": "GENERATE_VERIFY_MAC", "KeySpec": "HMAC_256"}, "fail", "GENERATE_VERIFY_MAC"),
        ({}, "ok", "is enabled, and AWSServiceRoleForAutoScaling may use it"),
    ],
)
def test_a_key_that_encrypts(changes, status, words, ask):
    done = ask("kms-keys", VOLUME, DescribeKey={"KeyMetadata": metadata(**changes)})
    assert (done.status, len(done.results)) == (status, 1)
    assert words in done.results[0].message


@pytest.mark.parametrize("missing", ["KeyState", "KeyUsage", "KeySpec"])
def test_what_kms_does_not_say_is_not_well(missing, ask):
    told = {name: value for name, value in metadata().items() if name != missing}
    done = ask("kms-keys", VOLUME, DescribeKey={"KeyMetadata": told})
    assert done.status == "unknown"


@pytest.mark.parametrize(
    ("statements", "grants", "status", "words"),
    [
        (BOTH, NO_GRANTS, "ok", "may use it"),
        # Two statements with all in one, as many write it.
        ((statement([ROLE], "kms:*"),), NO_GRANTS, "ok", "may use it"),
        ((statement("*", "kms:*"),), NO_GRANTS, "ok", "may use it"),
        ((EBS_DEFAULT,), NO_GRANTS, "ok", "may use it"),
        ((statement(ROLE, "kms:*", Resource=KEY),), NO_GRANTS, "ok", "may use it"),
        ((statement(ROLE, "kms:*", Resource=f"{KEY}0"),), NO_GRANTS, "fail", "kms:CreateGrant"),
        # What the console makes: the account's IAM policies decide, and the role has none.
        (
            (),
            NO_GRANTS,
            "fail",
            "does not let AWSServiceRoleForAutoScaling call kms:CreateGrant, kms:D",
        ),
        ((statement(ACCOUNT, "kms:*"),), NO_GRANTS, "fail", "kms:CreateGrant"),
        ((BOTH[0],), NO_GRANTS, "fail", "let AWSServiceRoleForAutoScaling call kms:CreateGrant"),
        ((BOTH[1],), NO_GRANTS, "fail", "let AWSServiceRoleForAutoScaling call kms:Decrypt"),
        (
            (
                statement(
                    ROLE, "kms:CreateGrant", **when("Bool", "kms:GrantIsForAWSResource", False)
                ),
                BOTH[0],
            ),
            NO_GRANTS,
            "fail",
            "kms:CreateGrant",
        ),
        # The service itself is not the role that calls.
        (
            (statement("*", "kms:*") | {"Principal": {"Service": "autoscaling.amazonaws.com"}},),
            NO_GRANTS,
            "fail",
            "kms:CreateGrant",
        ),
        # Of a role with a suffix another group makes use.
        ((statement(f"{ROLE}_team", "kms:*"),), NO_GRANTS, "fail", "kms:CreateGrant"),
        # The role of another account.
        ((statement(ROLE.replace(ACCOUNT, "123456789012"), "kms:*"),), NO_GRANTS, "fail", "kms"),
        (
            (
                statement(
                    ROLE,
                    [
                        "kms:Decrypt",
                        "kms:ReEncrypt*",
                        "kms:DescribeKey",
                        "kms:GenerateDataKeyWithoutPlaintext",
                    ],
                ),
                BOTH[1],
            ),
            NO_GRANTS,
            "warning",
            "and not kms:Encrypt, kms:GenerateDataKey",
        ),
        ((), GRANTED, "ok", "may use it"),
        ((BOTH[0],), operations("CreateGrant"), "ok", "may use it"),
        ((), operations(*[o for o in OPERATIONS if o != "CreateGrant"]), "fail", "CreateGrant"),
        (
            (),
            operations(*OPERATIONS, Constraints={"EncryptionContextSubset": {"a": "b"}}),
            "unknown",
            "does not tell: whether",
        ),
        # A grant lifts no denial.
        ((denial(),), GRANTED, "fail", "kms:CreateGrant"),
        ((denial(**when("Bool", "aws:SecureTransport", "false")),), GRANTED, "ok", "may use"),
        (
            (denial(**when("StringNotEquals", "aws:PrincipalAccount", ACCOUNT)),),
            GRANTED,
            "ok",
            "may use",
        ),
        (
            (denial(**when("StringNotEquals", "aws:PrincipalOrgID", "o-example")),),
            GRANTED,
            "unknown",
            "does not tell",
        ),
        (
            (
                statement(
                    "*",
                    "kms:*",
                    **when("StringLike", "aws:PrincipalArn", "*/AWSServiceRoleForAutoScaling"),
                ),
            ),
            NO_GRANTS,
            "ok",
            "may use",
        ),
        (
            (statement("*", "kms:*", **when("StringEquals", "aws:PrincipalOrgID", "o-example")),),
            NO_GRANTS,
            "unknown",
            "does not tell",
        ),
        (
            (
                statement(
                    "*",
                    "kms:*",
                    **when("StringEquals", "kms:ViaService", "fsx.us-east-2.amazonaws.com"),
                ),
            ),
            NO_GRANTS,
            "fail",
            "kms:CreateGrant",
        ),
    ],
)
def test_who_may_use_the_key_of_a_volume(statements, grants, status, words, ask):
    done = ask("kms-keys", VOLUME, GetKeyPolicy=key_policy(*statements), ListGrants=grants)
    assert done.status == status, done.results
    assert words in done.results[0].message
    # Neither ARNs nor accounts that AWS told.
    assert ACCOUNT not in f"{done.results[0].message} {done.results[0].command}"


def test_the_statement_that_decides_is_told(ask):
    statements = (*BOTH, denial(Sid="Locked"))
    done = ask("kms-keys", VOLUME, GetKeyPolicy=key_policy(*statements), ListGrants=NO_GRANTS)
    assert done.results[0].evidence == "statement Locked denies it"


def test_the_remedy_names_all_that_is_needed(ask):
    done = ask("kms-keys", VOLUME, GetKeyPolicy=key_policy(), ListGrants=NO_GRANTS)
    (result,) = done.results
    assert "kms:CreateGrant where kms:GrantIsForAWSResource is true" in result.remedy
    assert result.look.startswith("aws kms get-key-policy --region us-east-2 --key-id")
    assert result.path == ("compute", "node_groups", 0, "root_volume", "kms_key_arn")


def test_grants_are_not_asked_for_where_the_policy_is_enough(ask):
    ask("kms-keys", VOLUME, GetKeyPolicy=key_policy(*BOTH))
    assert "ListGrants" not in [name for _, name, _ in ask.sessions[0].asked]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"Statement": ["x"]}'])
def test_a_policy_that_cannot_be_read_is_unknown(text, ask):
    done = ask("kms-keys", VOLUME, GetKeyPolicy={"Policy": text}, ListGrants=NO_GRANTS)
    assert done.status == "unknown"


OTHER = {"DescribeKey": {"KeyMetadata": metadata(AWSAccountId="123456789012")}}


@pytest.mark.parametrize(
    ("grants", "status", "words"),
    [
        (GRANTED, "ok", "may use it"),
        (NO_GRANTS, "unknown", "is of another account, whose key policy is told only there"),
        (operations("CreateGrant"), "unknown", "may call kms:Decrypt"),
    ],
)
def test_a_key_of_another_account(grants, status, words, ask):
    done = ask("kms-keys", VOLUME, ListGrants=grants, **OTHER)
    assert done.status == status
    assert words in done.results[0].message
    assert "GetKeyPolicy" not in [name for _, name, _ in ask.sessions[0].asked]


def test_a_key_of_another_region_is_told_without_asking(ask):
    far = KEY.replace("us-east-2", "us-west-2")
    done = ask("kms-keys", make_cluster({"root_volume": {"kms_key_arn": far}}))
    assert (done.status, ask.sessions[0].asked) == ("fail", [])
    told = f"key {KEY_ID} is of us-west-2, and what it encrypts is in us-east-2"
    assert done.results[0].message == told


@pytest.mark.parametrize(
    ("default", "policy", "status", "words"),
    [
        ("alias/aws/ebs", (), "ok", "is AWS's own"),
        (f"arn:aws:kms:us-east-2:{ACCOUNT}:alias/aws/ebs", (), "ok", "is AWS's own"),
        (None, (), "unknown", "names no default key"),
        # Somebody has chosen a key of the account's for all volumes.
        (KEY, (), "fail", "default key of volumes does not let AWSServiceRoleForAutoScaling call"),
        (KEY, BOTH, "ok", "default key of volumes is enabled"),
        (KEY_ID, BOTH, "ok", "default key of volumes is enabled"),
    ],
)
def test_volumes_without_a_key_have_the_account_s_default_one(default, policy, status, words, ask):
    told = {
        "GetEbsDefaultKmsKeyId": {"KmsKeyId": default} if default else {},
        "GetKeyPolicy": key_policy(*policy),
        "ListGrants": NO_GRANTS,
    }
    done = ask("kms-keys", make_cluster(), **told)
    assert (done.status, len(done.results)) == (status, 1)
    assert words in done.results[0].message
    assert done.results[0].path == ("compute", "volume_key")


def test_the_default_key_is_asked_for_where_a_volume_has_no_other(ask):
    both = {
        "root_volume": {"kms_key_arn": KEY},
        "additional_volumes": [{"device_name": "/dev/sdf", "size_gib": 100}],
    }
    ask("kms-keys", make_cluster(both))
    assert "GetEbsDefaultKmsKeyId" in [name for _, name, _ in ask.sessions[0].asked]
    both["additional_volumes"][0]["kms_key_arn"] = KEY
    ask("kms-keys", make_cluster(both))
    assert "GetEbsDefaultKmsKeyId" not in [name for _, name, _ in ask.sessions[1].asked]


def test_a_cluster_that_makes_its_own_key_asks_nothing(ask):
    cluster = make_cluster()
    compute = cluster.compute.model_copy(update={"volume_key": "customer-managed"})
    assert ask("kms-keys", cluster.model_copy(update={"compute": compute})).status == "ok"
    assert ask.sessions[0].asked == []


def test_a_role_that_kms_does_not_know_is_no_answer(ask):
    told = {"ListGrants": Refusal("InvalidArnException"), "GetKeyPolicy": key_policy()}
    assert ask("kms-keys", VOLUME, **told).status == "unknown"


LUSTRE = {"name": "fsx", "storage_capacity_gib": 4800, "deployment_type": "PERSISTENT_2"}
STORED = make_cluster(
    storage={
        "lustre_file_systems": [LUSTRE | {"kms_key_arn": KEY}],
        "home_file_system": {"kms_key_arn": KEY},
        "checkpoint_bucket": {"kms_key_arn": KEY},
        "s3_mountpoints": [
            {"bucket_name": "our-corpus", "mount_path": "/data/corpus", "kms_key_arn": KEY},
        ],
    },
)


def test_every_use_of_a_key_is_judged_and_the_key_described_once(ask):
    done = ask("kms-keys", STORED)
    assert [result.path[1] for result in done.results if result.path[0] == "storage"] == [
        "lustre_file_systems",
        "s3_mountpoints",
        "checkpoint_bucket",
        "home_file_system",
    ]
    assert done.status == "ok"
    asked = [name for _, name, _ in ask.sessions[0].asked]
    assert sorted(asked) == [
        "DescribeKey",
        "GetCallerIdentity",
        "GetEbsDefaultKmsKeyId",
        "GetKeyPolicy",
    ]


@pytest.mark.parametrize(
    ("document", "status"),
    [
        ([statement(f"arn:aws:iam::{ACCOUNT}:role/admin", "kms:*")], "unknown"),
        ([statement("arn:aws:iam::123456789012:root", "kms:*")], "fail"),
        ([statement(f"arn:aws:iam::{ACCOUNT}:root", "kms:List*")], "fail"),
        ([statement(f"arn:aws:iam::{ACCOUNT}:root", "kms:*")], "ok"),
    ],
)
def test_keys_of_storage_need_a_policy_that_leaves_them_to_the_account(document, status, ask):
    told = {"Policy": json.dumps({"Statement": document})}
    done = ask("kms-keys", STORED, GetKeyPolicy=told)
    stored = [result for result in done.results if result.path[0] == "storage"]
    assert [result.status for result in stored] == [status] * 4


LINKED = make_cluster(
    {"root_volume": {"kms_key_arn": KEY}},
    storage={
        "lustre_file_systems": [LUSTRE],
        "checkpoint_bucket": {
            "kms_key_arn": KEY,
            "data_repository_association": {"file_system": "fsx"},
        },
    },
)
THROUGH_S3 = {"kms:ViaService": "s3.us-east-2.amazonaws.com", "kms:CallerAccount": ACCOUNT}
OF_ONE_BUCKET = {"kms:EncryptionContext:aws:s3:arn": "arn:aws:s3:::our-runs/*"}


@pytest.mark.parametrize(
    ("statements", "status"),
    [
        # FSx's role has no policy of its own that the account could leave it to.
        ((), "fail"),
        ((statement("*", USE, Condition={"StringEquals": THROUGH_S3}),), "ok"),
        # The bucket has no name yet that a condition could be compared with.
        (
            (
                statement(
                    "*",
                    USE,
                    Condition={"StringEquals": THROUGH_S3, "StringLike": OF_ONE_BUCKET},
                ),
            ),
            "unknown",
        ),
    ],
)
def test_fsx_uses_the_key_of_a_linked_checkpoint_bucket(statements, status, ask):
    done = ask("kms-keys", LINKED, GetKeyPolicy=key_policy(*BOTH, *statements))
    stored = [result for result in done.results if result.path[0] == "storage"]
    assert [result.status for result in stored] == ["ok", status]
    assert "FSx" in stored[1].message


ALIAS = f"arn:aws:kms:us-east-2:{ACCOUNT}:alias/aws/ebs"


@pytest.mark.parametrize(
    ("service", "status"), [("ec2", "ok"), ("s3", "fail"), ("ec2.us-west-2", "fail")]
)
def test_a_key_that_aws_manages_is_for_its_own_service(service, status, ask):
    host = service if "." in service else f"{service}.us-east-2"
    told = dict(EBS_DEFAULT)
    told["Condition"] = {
        "StringEquals": {"kms:ViaService": f"{host}.amazonaws.com", "kms:CallerAccount": ACCOUNT}
    }
    reading = statement(f"arn:aws:iam::{ACCOUNT}:root", ["kms:Describe*", "kms:List*"])
    policy = {"Policy": json.dumps({"Statement": [told, reading]})}
    cluster = make_cluster({"root_volume": {"kms_key_arn": ALIAS}})
    answer = {"DescribeKey": {"KeyMetadata": metadata(KeyManager="AWS")}}
    done = ask("kms-keys", cluster, GetKeyPolicy=policy, ListGrants=NO_GRANTS, **answer)
    assert done.status == status
    assert "alias aws/ebs" in done.results[0].message


def with_pipeline(*groups):
    """The cluster, and a pipeline of images with a key of its own."""
    cluster = make_cluster(*groups)
    pipeline = ImagePipelineConfig(kms_key_arn=KEY)
    compute = cluster.compute.model_copy(update={"image_pipeline": pipeline})
    return cluster.model_copy(update={"compute": compute})


@pytest.mark.parametrize(
    ("image", "told"),
    [
        (None, {"AWSServiceRoleForImageBuilder": "ok"}),
        (
            {"ssm_parameter": "/imagebuilder/trnkit/pretrain"},
            {"AWSServiceRoleForImageBuilder": "ok", "AWSServiceRoleForAutoScaling": "fail"},
        ),
    ],
)
def test_the_key_of_baked_images_is_for_image_builder_and_for_whoever_boots_them(image, told, ask):
    cluster = with_pipeline({"image": image} if image else {})
    done = ask("kms-keys", cluster, GetKeyPolicy=key_policy(), ListGrants=NO_GRANTS)
    found = {
        role: result.status
        for result in done.results
        for role in ("AWSServiceRoleForImageBuilder", "AWSServiceRoleForAutoScaling")
        if role in result.message
    }
    assert found == told


def test_a_key_whose_deletion_is_cancelled_is_disabled_and_enabled_by_the_same_line(ask):
    changed = {"KeyMetadata": metadata(KeyState="PendingDeletion")}
    (result,) = ask("kms-keys", VOLUME, DescribeKey=changed).results
    first, second = result.command.split(" && ")
    assert first.startswith("aws kms cancel-key-deletion --region us-east-2 --key-id ")
    assert second == first.replace("cancel-key-deletion", "enable-key")
