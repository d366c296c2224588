"""Images that are there, and yet not the ones to use."""

from __future__ import annotations

import pytest

from tests.trnkit.operations.preflight.conftest import make_cluster
from tests.trnkit.operations.preflight.fake_account import ACCOUNT, DENIED, IMAGE, Refusal
from tests.trnkit.operations.preflight.situations.image_facts import (
    KEY,
    PARAMETER,
    SNAPSHOT,
    described,
    locked,
)
from tests.trnkit.operations.preflight.situations.kms_keys import key_policy, metadata

NEWER = "ami-0fedcba9876543210"
FIXED = make_cluster({"image": {"ami_id": IMAGE}})


def holds(image_id):
    return {"GetParameter": {"Parameter": {"Value": image_id, "Version": 2}}}


@pytest.mark.parametrize(
    ("cluster", "answer", "status", "words"),
    [
        (locked(), {}, "ok", f"{IMAGE} is the one to use, and what the lock of 2027-01-02 has"),
        (
            locked(),
            holds(NEWER),
            "warning",
            f"the lock has {IMAGE} of 2027-01-02, 30 days ago; {PARAMETER} holds {NEWER} by now",
        ),
        # The same image is the same, however long ago somebody looked.
        (locked(resolved="2025-01-02"), {}, "ok", "is the one to use"),
        (
            locked(),
            {"GetParameter": Refusal("ParameterNotFound")},
            "warning",
            "has no parameter",
        ),
        # A version or a label stays by intention.
        (locked("/ml/golden:3"), holds(NEWER), "ok", "is the one to use"),
        (locked("/ml/golden:stable"), holds(NEWER), "ok", "is the one to use"),
        # Without a lock it is always the newest.
        (make_cluster(), {}, "ok", f"{IMAGE} is the one to use"),
    ],
)
def test_a_lock_is_compared_with_today(cluster, answer, status, words, ask):
    done = ask("image-facts", cluster, **answer)
    assert (done.status, len(done.results)) == (status, 1)
    assert words in done.results[0].message


def test_a_stale_lock_is_told_with_what_refreshes_it_and_its_place(ask):
    (result,) = ask("image-facts", locked(), **holds(NEWER)).results
    assert result.command == "trnkit images refresh cluster.yaml"
    assert result.path == ("compute", "node_groups", 0, "image", "lock_file")


@pytest.mark.parametrize(
    ("changes", "status", "words"),
    [
        ({}, "ok", "is the one to use"),
        ({"EnaSupport": False}, "fail", "is not marked as able to use the Elastic Network Adapter"),
        # EC2 says nothing of it, and so does the check.
        ({"DeprecationTime": "2027-02-01T11:59:00.000Z"}, "warning", "is deprecated since 2027-02"),
        ({"DeprecationTime": "2027-02-01T12:01:00.000Z"}, "ok", "is the one to use"),
        ({"ImageAllowed": False}, "warning", "none of the account's Allowed AMIs"),
        ({"ImageAllowed": True}, "ok", "is the one to use"),
        (
            {"ProductCodes": [{"ProductCodeId": "abc", "ProductCodeType": "marketplace"}]},
            "unknown",
            "is a product of AWS Marketplace",
        ),
        ({"ProductCodes": [{"ProductCodeId": "abc", "ProductCodeType": "devpay"}]}, "ok", "is the"),
    ],
)
def test_what_ec2_says_of_an_image(changes, status, words, ask):
    done = ask("image-facts", FIXED, DescribeImages=described(**changes))
    assert (done.status, len(done.results)) == (status, 1)
    assert words in done.results[0].message


def test_ena_that_ec2_does_not_mention_is_not_missed(ask):
    told = described()
    del told["Images"][0]["EnaSupport"]
    assert ask("image-facts", FIXED, DescribeImages=told).status == "ok"


@pytest.mark.parametrize("gone", [Refusal("InvalidAMIID.NotFound"), {"Images": []}])
def test_an_image_that_is_not_there_is_told_by_the_other_check(gone, ask):
    assert ask("image-facts", FIXED, DescribeImages=gone).status == "ok"
    assert ask("image", FIXED, DescribeImages=gone).status == "fail"


ENCRYPTED = {"DescribeImages": described(encrypted=True)}
OTHERS = KEY.replace(ACCOUNT, "123456789012")


@pytest.mark.parametrize(
    ("answer", "status", "words"),
    [
        ({}, "ok", "is the one to use"),
        (
            {"ListGrants": {"Grants": []}, "GetKeyPolicy": key_policy()},
            "fail",
            f"the key of image {IMAGE} does not let AWSServiceRoleForAutoScaling call "
            "kms:CreateGrant",
        ),
        (
            {"DescribeKey": {"KeyMetadata": metadata(KeyState="Disabled")}},
            "fail",
            f"the key of image {IMAGE} is disabled",
        ),
        # The snapshot of a shared image is its owner's.
        (
            {"DescribeSnapshots": Refusal("InvalidSnapshot.NotFound")},
            "unknown",
            "is encrypted, and this account does not see with which key",
        ),
        ({"DescribeSnapshots": {"Snapshots": []}}, "unknown", "does not see with which key"),
        (
            {"DescribeSnapshots": {"Snapshots": [{"SnapshotId": SNAPSHOT}]}},
            "unknown",
            "does not see with which key",
        ),
        (
            {
                "DescribeSnapshots": {"Snapshots": [{"SnapshotId": SNAPSHOT, "KmsKeyId": OTHERS}]},
                "DescribeKey": {"KeyMetadata": metadata(AWSAccountId="123456789012")},
                "ListGrants": {"Grants": []},
            },
            "unknown",
            "is of another account",
        ),
    ],
)
def test_the_key_of_an_encrypted_image(answer, status, words, ask):
    done = ask("image-facts", FIXED, **ENCRYPTED | answer)
    assert (done.status, len(done.results)) == (status, 1), done.results
    assert words in done.results[0].message
    told = f"{done.results[0].message} {done.results[0].command} {done.results[0].evidence}"
    assert "arn:aws" not in told
    assert ACCOUNT not in told


def test_an_image_that_is_not_encrypted_asks_for_no_snapshot(ask):
    ask("image-facts", FIXED, DescribeImages=described())
    assert [name for _, name, _ in ask.sessions[0].asked] == ["DescribeImages"]


def test_a_lock_that_nobody_could_compare_hides_nothing_of_the_image(ask):
    told = {"GetParameter": DENIED, "DescribeImages": described(EnaSupport=False)}
    done = ask("image-facts", locked(), **told)
    assert [result.status for result in done.results] == ["unknown", "fail"]


def test_equal_images_of_several_groups_are_told_once(ask):
    group = {"image": {"ami_id": IMAGE}}
    done = ask("image-facts", make_cluster(group, group, {"image": {"ami_id": NEWER}}))
    assert len(done.results) == 1
    asked = [name for _, name, _ in ask.sessions[0].asked]
    assert asked == ["DescribeImages"] * 2
