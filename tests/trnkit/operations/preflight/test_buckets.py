"""Buckets of links and mounts: whether they are there, where, and whom they let in."""

from __future__ import annotations

import pytest

from tests.trnkit.operations.preflight.conftest import make_cluster
from tests.trnkit.operations.preflight.fake_account import ACCOUNT, Refusal
from tests.trnkit.operations.preflight.situations.buckets import (
    BUCKET_KEY,
    FOR_FSX,
    KEY_ID,
    TLS_ONLY,
    bucket_policy,
    denial,
    encrypted,
    linked,
    mounted,
)
from tests.trnkit.operations.preflight.situations.kms_keys import DELEGATED, metadata
from trnkit.config import NodeRoleConfig

FAR = {"HeadBucket": {"BucketRegion": "us-west-2"}}
FORBIDDEN = Refusal("403", "Forbidden", 403)
NO_EVENTS = {"auto_import_events": []}


@pytest.mark.parametrize(
    ("cluster", "answer", "status", "words"),
    [
        (linked(), {}, "ok", "bucket our-corpus is in us-east-2, and denies FSx nothing"),
        (mounted(), {}, "ok", "denies the nodes nothing"),
        (linked(), FAR, "fail", "FSx imports by itself from buckets of its own Region only"),
        (linked(**NO_EVENTS), FAR, "warning", "all data crosses Regions"),
        (mounted(), FAR, "fail", "the nodes ask for it in us-east-2, and do not mount it"),
        (linked(), {"HeadBucket": {}}, "unknown", "does not say in which Region"),
        (linked(), {"HeadBucket": Refusal("NoSuchBucket")}, "fail", "there is no bucket"),
        (mounted(), {"HeadBucket": Refusal("404", "Not Found", 404)}, "fail", "there is no bucket"),
        (linked(), {"HeadBucket": FORBIDDEN}, "unknown", "is not allowed (403: Forbidden)"),
        (linked(), {"HeadBucket": Refusal("301", "Moved", 301)}, "unknown", "another Region"),
        (linked(), {"HeadBucket": Refusal("400", "Bad Request", 400)}, "unknown", "was refused"),
    ],
)
def test_where_a_bucket_is(cluster, answer, status, words, ask):
    done = ask("buckets", cluster, **answer)
    assert (done.status, len(done.results)) == (status, 1)
    assert words in done.results[0].message


def test_a_bucket_that_is_far_is_told_at_its_own_line(ask):
    # `auto_import_events` has a default: where the file has none, there is no line of it.
    for events in ({}, NO_EVENTS):
        (result,) = ask("buckets", linked(**events), **FAR).results
        assert result.path[-1] == "data_repository_path"


def test_the_command_makes_a_bucket_in_any_region(ask):
    # `s3api create-bucket` wants the Region twice everywhere but in us-east-1.
    (result,) = ask("buckets", linked(), HeadBucket=Refusal("NoSuchBucket")).results
    assert result.command.startswith("aws s3 mb s3://")
    assert result.command.endswith(" --region us-east-2")


def test_the_region_of_a_bucket_is_told_also_to_whom_may_not_use_it(ask):
    forbidden = Refusal("403", "Forbidden", 403, x_amz_bucket_region="us-west-2")
    done = ask("buckets", mounted(), HeadBucket=forbidden)
    assert [result.status for result in done.results] == ["fail", "unknown"]
    assert "is in us-west-2" in done.results[0].message
    near = Refusal("403", "Forbidden", 403, x_amz_bucket_region="us-east-2")
    assert ask("buckets", mounted(), HeadBucket=near).status == "unknown"


def test_a_bucket_is_asked_about_in_its_own_region(ask):
    ask("buckets", linked(**NO_EVENTS), **FAR)
    asked = {name: region for _, name, region in ask.sessions[0].asked}
    assert (asked["HeadBucket"], asked["GetBucketPolicy"]) == ("us-east-2", "us-west-2")


VPC_ONLY = {"StringNotEquals": {"aws:SourceVpce": "vpce-0123456789abcdef0"}}
OTHERS = {"StringNotEquals": {"aws:PrincipalAccount": ACCOUNT}}
FSX_ROLE = (
    f"arn:aws:iam::{ACCOUNT}:role/aws-service-role/s3.data-source.lustre.fsx.amazonaws.com/"
    "AWSServiceRoleForFSxS3Access_fs-0123456789abcdef0"
)


def but(*roles):
    arns = [f"arn:aws:iam::{ACCOUNT}:role/{role}" for role in roles]
    return {"ArnNotLike": {"aws:PrincipalArn": arns}}


def older_than(version):
    return {"NumericLessThan": {"s3:TlsVersion": version}}


@pytest.mark.parametrize(
    ("cluster", "statements", "status", "words"),
    [
        (linked(), [TLS_ONLY], "ok", "denies FSx nothing"),
        (linked(), [denial("s3:GetObject")], "fail", "denies FSx s3:GetObject"),
        (linked(), [denial(["s3:Get*", "s3:List*"])], "fail", "s3:ListBucket, s3:GetObject"),
        (mounted(), [denial("s3:GetObject")], "fail", "denies the nodes s3:GetObject"),
        # Who only reads is not kept from reading.
        (mounted(), [denial("s3:PutObject")], "ok", "nothing"),
        (mounted(read_only=False), [denial("s3:PutObject")], "fail", "s3:PutObject"),
        (linked(), [denial("s3:PutObject")], "ok", "nothing"),
        (linked(auto_export_events=["NEW"]), [denial("s3:Put*")], "fail", "s3:PutObject"),
        (linked(), [denial("s3:PutBucketNotification")], "fail", "s3:PutBucketNotification"),
        (linked(**NO_EVENTS), [denial("s3:PutBucketNotification")], "ok", "nothing"),
        (linked(), [denial("s3:DeleteObject")], "ok", "nothing"),
        (linked(), [denial("s3:*", Condition=OTHERS)], "ok", "nothing"),
        (linked(), [denial("s3:*", Condition=VPC_ONLY)], "unknown", "denies some s3:ListBucket"),
        (mounted(), [denial("s3:*", Condition=VPC_ONLY)], "unknown", "that of the nodes too"),
        # Part of the bucket: the linked one, another one, a part of the linked one.
        (linked(), [denial("s3:GetObject", "arn:aws:s3:::our-corpus/runs/*")], "fail", "GetObject"),
        (linked(), [denial("s3:GetObject", "arn:aws:s3:::our-corpus/old/*")], "ok", "nothing"),
        (linked(), [denial("s3:GetObject", "arn:aws:s3:::our-corpus/runs/a/*")], "ok", "nothing"),
        (
            linked(),
            [{"Effect": "Deny", "Principal": "*", "Resource": "*", "NotAction": "s3:List*"}],
            "fail",
            "denies FSx s3:GetObject",
        ),
        (
            linked(),
            [denial("s3:*", principal={"AWS": "arn:aws:iam::123456789012:root"})],
            "ok",
            "nothing",
        ),
        (linked(), [denial("s3:*", principal={"AWS": f"arn:aws:iam::{ACCOUNT}:root"})], "fail", ""),
        (
            linked(),
            [denial("s3:*", principal={"AWS": f"arn:aws:iam::{ACCOUNT}:role/intern"})],
            "ok",
            "nothing",
        ),
        # The role of one file system, which may be this cluster's.
        (linked(), [denial("s3:*", principal={"AWS": FSX_ROLE})], "unknown", "denies some"),
        (
            mounted(),
            [denial("s3:*", principal={"AWS": f"arn:aws:iam::{ACCOUNT}:role/pretrain-Compute-x"})],
            "unknown",
            "denies some",
        ),
        (linked(), [denial("s3:*", principal={"Service": "x.amazonaws.com"})], "ok", "nothing"),
        # Everybody but some roles, as buckets are locked.
        (mounted(), [denial("s3:*", Condition=but("intern"))], "fail", "denies the nodes"),
        (mounted(), [denial("s3:*", Condition=but("intern", "pretrain-*"))], "unknown", ""),
        (mounted(), [denial("s3:*", Condition=but("*"))], "ok", "nothing"),
        (linked(), [denial("s3:*", Condition=but("aws-service-role/*"))], "ok", "nothing"),
        # TLS 1.2 is what every client has; 1.3 some.
        (linked(), [denial("s3:*", Condition=older_than("1.2"))], "ok", "nothing"),
        (linked(), [denial("s3:*", Condition=older_than("1.3"))], "unknown", "denies some"),
        # An Allow denies nothing.
        (linked(), [denial("s3:*") | {"Effect": "Allow"}], "ok", "nothing"),
    ],
)
def test_what_a_policy_denies(cluster, statements, status, words, ask):
    done = ask("buckets", cluster, GetBucketPolicy=bucket_policy(*statements))
    assert (done.status, len(done.results)) == (status, 1), done.results
    assert words in done.results[0].message


def test_everybody_but_some_is_not_judged(ask):
    told = denial("s3:*") | {"NotPrincipal": {"AWS": f"arn:aws:iam::{ACCOUNT}:root"}}
    del told["Principal"]
    assert ask("buckets", linked(), GetBucketPolicy=bucket_policy(told)).status == "unknown"


def test_a_bucket_without_a_policy_denies_nothing(ask):
    done = ask("buckets", linked(), GetBucketPolicy=Refusal("NoSuchBucketPolicy", status=404))
    assert done.status == "ok"


def test_the_policy_of_another_account_s_bucket_is_unknown(ask):
    refusal = Refusal("MethodNotAllowed", "not against this resource", 405)
    done = ask("buckets", mounted(), GetBucketPolicy=refusal)
    assert done.status == "unknown"
    assert "is of another account" in done.results[0].message


EXPORTS = linked(auto_export_events=["NEW", "CHANGED"])
BY_BUCKET = FOR_FSX | {
    "Condition": {"StringLike": {"kms:EncryptionContext:aws:s3:arn": "arn:aws:s3:::our-corpus"}}
}


@pytest.mark.parametrize(
    ("cluster", "encryption", "statements", "status", "words"),
    [
        (linked(), encrypted("AES256", None), [DELEGATED], "ok", ""),
        # AWS's own key for S3.
        (linked(), encrypted(key=None), [DELEGATED], "ok", ""),
        (linked(), encrypted(), [FOR_FSX], "ok", ""),
        (EXPORTS, encrypted(), [FOR_FSX], "ok", ""),
        (linked(), encrypted("aws:kms:dsse"), [DELEGATED], "warning", "kms:Decrypt"),
        # The service-linked role has no policy of its own that the account could leave it to.
        (linked(), encrypted(), [DELEGATED], "warning", "does not let FSx call kms:Decrypt"),
        (EXPORTS, encrypted(), [DELEGATED], "fail", "kms:Decrypt, kms:GenerateDataKey"),
        (EXPORTS, encrypted(BucketKeyEnabled=True), [BY_BUCKET], "ok", ""),
        (EXPORTS, encrypted(BucketKeyEnabled=True), [FOR_FSX], "fail", "kms:GenerateDataKey"),
        (linked(), encrypted(key=KEY_ID), [FOR_FSX], "ok", ""),
    ],
)
def test_fsx_and_the_key_of_a_bucket(cluster, encryption, statements, status, words, ask):
    told = {"GetBucketEncryption": encryption, "GetKeyPolicy": bucket_policy(*statements)}
    done = ask("buckets", cluster, **told)
    assert (done.status, len(done.results)) == (status, 1), done.results
    assert words in done.results[0].message


@pytest.mark.parametrize(
    ("key", "encryption", "managed", "status"),
    [
        (None, encrypted("AES256", None), "CUSTOMER", "ok"),
        (None, encrypted(key=None), "CUSTOMER", "ok"),
        (None, encrypted(), "CUSTOMER", "warning"),
        (None, encrypted(), "AWS", "ok"),
        (BUCKET_KEY, encrypted(), "CUSTOMER", "ok"),
        (BUCKET_KEY, encrypted("AES256", None), "CUSTOMER", "ok"),
        (BUCKET_KEY.replace("0000abcd", "1111abcd"), encrypted(), "CUSTOMER", "warning"),
        # KMS tells the id behind an alias.
        (BUCKET_KEY, encrypted(key="alias/corpus"), "CUSTOMER", "ok"),
    ],
)
def test_the_key_of_a_mounted_bucket_is_the_file_s(key, encryption, managed, status, ask):
    described = {"KeyMetadata": metadata(KeyId=KEY_ID, KeyManager=managed)}
    told = {"GetBucketEncryption": encryption, "DescribeKey": described}
    done = ask("buckets", mounted(kms_key_arn=key), **told)
    assert done.status == status
    if status == "warning":
        assert done.results[0].path[-1] == "kms_key_arn"


def test_a_managed_policy_may_let_the_nodes_read_what_the_file_does_not(ask):
    cluster = mounted()
    role = NodeRoleConfig(managed_policy_arns=["arn:aws:iam::aws:policy/ReadOnlyAccess"])
    compute = cluster.compute.model_copy(update={"node_role": role})
    cluster = cluster.model_copy(update={"compute": compute})
    assert ask("buckets", cluster, GetBucketEncryption=encrypted()).status == "unknown"


def test_one_bucket_in_several_uses_is_asked_about_once(ask):
    link = {"file_system_path": "/data", "data_repository_path": "s3://our-corpus"}
    system = {"name": "fsx", "storage_capacity_gib": 4800, "deployment_type": "PERSISTENT_2"}
    storage = {
        "lustre_file_systems": [system | {"data_repository_associations": [link]}],
        "s3_mountpoints": [{"bucket_name": "our-corpus", "mount_path": "/corpus"}],
    }
    done = ask("buckets", make_cluster(storage=storage))
    assert [result.status for result in done.results] == ["ok", "ok"]
    asked = [name for _, name, _ in ask.sessions[0].asked]
    assert asked.count("HeadBucket") == asked.count("GetBucketPolicy") == 1


def test_one_answer_that_is_missing_hides_no_other(ask):
    told = {"GetBucketEncryption": FORBIDDEN, "GetBucketPolicy": bucket_policy(denial("s3:*"))}
    done = ask("buckets", linked(), **told)
    assert [result.status for result in done.results] == ["fail", "unknown"]


def test_a_cluster_without_buckets_asks_nothing(ask):
    assert ask("buckets").status == "ok"
    assert ask.sessions[0].asked == []
