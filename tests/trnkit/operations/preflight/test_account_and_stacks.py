"""Identity, bootstrap, zone, offering and names, where something is wrong."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.trnkit.operations.preflight.conftest import make_cluster
from tests.trnkit.operations.preflight.fake_account import (
    ACCOUNT,
    OWN,
    ROLE,
    Refusal,
    offered_in,
)

NOT_ACCEPTED = Refusal("InvalidClientTokenId", status=403)


def identity(arn=ROLE, account=ACCOUNT):
    return {"GetCallerIdentity": {"Account": account, "Arn": arn, "UserId": "x"}}


def test_credentials_of_another_account(ask):
    done = ask("account", **identity(account="123456789012"))
    assert (done.status, done.results[0].path) == ("fail", ("account",))
    assert "for account 111122223333, and the credentials are of 123456789012" in (
        done.results[0].message
    )


def test_a_file_that_names_no_account_takes_any_and_does_not_tell_which(ask):
    done = ask("account", make_cluster(account=None), **identity(account="123456789012"))
    assert done.status == "ok"
    assert "123456789012" not in done.results[0].message


def test_a_region_that_is_off_is_told_from_wrong_keys(ask, monkeypatch):
    def answer(told, region):
        home = region == "us-east-1"
        return identity()["GetCallerIdentity"] if home else NOT_ACCEPTED

    cluster = make_cluster(region="ap-south-2", network={})
    done = ask("account", cluster, GetCallerIdentity=answer)
    assert [result.status for result in done.results] == ["fail", "ok"]
    assert done.results[0].command == ("aws account enable-region --region-name ap-south-2")
    assert (done.results[0].path, done.results[1].path) == (("region",), ("budget", "region"))
    # A Region that is on refuses tokens of the global endpoint in the same words.
    assert "or the credentials are of STS's global endpoint" in done.results[0].message
    assert "AWS_STS_REGIONAL_ENDPOINTS=regional" in done.results[0].remedy
    monkeypatch.delenv("AWS_SESSION_TOKEN")
    done = ask("account", cluster, GetCallerIdentity=answer)
    assert done.results[0].message.startswith("ap-south-2 is off for this account: it accepts")


def test_keys_that_no_region_accepts_are_unknown(ask):
    done = ask(
        "account", make_cluster(region="ap-south-2", network={}), GetCallerIdentity=NOT_ACCEPTED
    )
    assert [result.status for result in done.results] == ["unknown"]
    assert "us-east-1" in done.results[0].message
    assert not ask.sessions[0].answered


@pytest.mark.parametrize(
    ("arn", "status", "words"),
    [
        (f"arn:aws:iam::{ACCOUNT}:root", "warning", "the account's root user"),
        (f"arn:aws:sts::{ACCOUNT}:federated-user/ann", "warning", "a federated user"),
        (f"arn:aws:iam::{ACCOUNT}:user/teams/ann", "ok", "credentials of an IAM user"),
        (ROLE, "ok", "credentials of a role"),
    ],
)
def test_kinds_of_credentials(arn, status, words, ask):
    done = ask("credentials", **identity(arn))
    assert done.status == status
    assert words in done.results[0].message
    assert "found by botocore's env" in done.results[0].evidence


def test_long_term_and_temporary_credentials(ask, monkeypatch):
    assert ask("credentials").results[0].message.startswith("temporary")
    monkeypatch.delenv("AWS_SESSION_TOKEN")
    assert ask("credentials").results[0].message.startswith("long-term")


def version(value):
    return {"GetParameter": {"Parameter": {"Name": "x", "Value": value}}}


@pytest.mark.parametrize(
    ("value", "status", "words"),
    [
        ("6", "ok", "is bootstrapped, version 6"),
        ("5", "fail", "has version 5, and the cluster's stacks ask for 6 or later"),
        ("33", "ok", "version 33"),
        ("soon", "unknown", "holds 'soon'"),
    ],
)
def test_versions_of_the_bootstrap_stack(value, status, words, ask):
    done = ask("bootstrap", **version(value))
    assert done.status == status
    assert words in done.results[0].message


def test_the_budget_s_region_is_bootstrapped_apart(ask):
    def answer(told, region):
        there = region == "ap-south-2"
        return version("33")["GetParameter"] if there else Refusal("ParameterNotFound")

    cluster = make_cluster(region="ap-south-2", network={})
    done = ask("bootstrap", cluster, GetParameter=answer)
    assert [result.status for result in done.results] == ["ok", "fail"]
    assert done.results[1].command == f"cdk bootstrap aws://{ACCOUNT}/us-east-1"
    assert done.results[1].path == ("budget", "region")


def test_the_command_of_a_file_without_account_runs_as_it_is(ask):
    told = {"GetParameter": Refusal("ParameterNotFound")}
    done = ask("bootstrap", make_cluster(account=None), **told)
    assert "aws://$(aws sts get-caller-identity" in done.results[0].command


def test_a_zone_s_name_in_the_account(ask):
    assert ask("zone").results[0].message == "zone use2-az3 is us-east-2b in this account"


def test_a_zone_name_in_place_of_its_id(ask):
    done = ask("zone", make_cluster(network={"availability_zone_id": "us-east-2b"}))
    assert (done.status, done.results[0].remedy) == ("fail", "write the zone's id, use2-az3")


def test_a_zone_that_is_impaired(ask):
    zone = {"ZoneId": "use2-az3", "ZoneName": "us-east-2b", "State": "constrained"}
    done = ask("zone", DescribeAvailabilityZones={"AvailabilityZones": [zone]})
    assert done.status == "warning"


def offered(*zone_ids):
    return {"DescribeInstanceTypeOfferings": offered_in(*zone_ids)}


def test_a_zone_that_does_not_offer_the_type(ask):
    done = ask("offering", **offered("use2-az1", "use2-az2"))
    assert done.results[0].message == (
        "use2-az3 does not offer trn2.48xlarge; use2-az1, use2-az2 do"
    )
    assert done.status == "fail"


def test_the_one_zone_that_offers_the_type(ask):
    done = ask("offering", **offered("use2-az1"))
    assert done.results[0].message == "use2-az3 does not offer trn2.48xlarge; use2-az1 does"


@pytest.mark.parametrize(
    ("zone_ids", "status", "words"),
    [
        (("euw3-az1",), "unknown", "the file names no zone, and not every zone may offer"),
        ((), "fail", "the zone does not offer trn2.48xlarge; no zone of eu-west-3 does"),
    ],
)
def test_a_zone_that_nobody_knows_is_none_that_lacks_the_type(zone_ids, status, words, ask):
    done = ask("offering", make_cluster(region="eu-west-3", network={}), **offered(*zone_ids))
    assert done.status == status
    assert words in done.results[0].message


def test_for_another_region_the_plan_is_looked_at_and_not_the_region_that_has_been_asked(ask):
    (result,) = ask("offering", **offered()).results
    assert result.hint == "choose another Region; see: `trnkit plan cluster.yaml`"
    (result,) = ask("offering", **offered("use2-az1")).results
    assert result.hint.startswith("name a zone that offers it; see: `aws ec2 describe-instance-")


def test_for_capacity_blocks_alone_it_is_a_warning(ask):
    capacity = {"type": "capacity-block", "capacity_reservation_id": "cr-0123456789abcdef0"}
    cluster = make_cluster({"capacity": capacity})
    assert ask("offering", cluster, **offered()).status == "warning"
    both = make_cluster({"capacity": capacity}, {})
    assert ask("offering", both, **offered()).status == "fail"


def stack(status="CREATE_COMPLETE", tags=OWN, **more):
    def answer(told, region):
        if told["StackName"] != "pretrain-Compute":
            return Refusal("ValidationError", f"Stack with id {told['StackName']} does not exist")
        entry = {"StackName": told["StackName"], "StackStatus": status, "Tags": tags} | more
        return {"Stacks": [entry | {"CreationTime": datetime(2027, 1, 1, tzinfo=UTC)}]}

    return {"DescribeStacks": answer}


@pytest.mark.parametrize(
    ("answer", "status", "words"),
    [
        (stack(), "ok", "is this cluster's, CREATE_COMPLETE"),
        (stack(tags=[]), "fail", "has a stack pretrain-Compute that is not of a cluster"),
        (
            stack(tags=[{"Key": "trnkit-cluster", "Value": "other"}]),
            "fail",
            "that is of cluster other",
        ),
        (stack("UPDATE_ROLLBACK_FAILED"), "fail", "is UPDATE_ROLLBACK_FAILED and cannot"),
        (stack("CREATE_FAILED"), "fail", "is CREATE_FAILED and cannot be updated"),
        (stack("UPDATE_FAILED"), "fail", "is UPDATE_FAILED and cannot be updated"),
        (stack("ROLLBACK_FAILED"), "warning", "which may fail as its rollback did"),
        (stack("REVIEW_IN_PROGRESS", tags=[]), "ok", "nothing of it is made"),
        (
            stack("REVIEW_IN_PROGRESS", tags=[{"Key": "trnkit-cluster", "Value": "other"}]),
            "fail",
            "that is of cluster other",
        ),
        (stack("UPDATE_IN_PROGRESS"), "fail", "another deployment is under way"),
        (stack("ROLLBACK_COMPLETE"), "ok", "ROLLBACK_COMPLETE"),
        (stack("REVIEW_IN_PROGRESS"), "ok", "REVIEW_IN_PROGRESS"),
    ],
)
def test_a_stack_that_is_there(answer, status, words, ask):
    done = ask("stack-names", **answer)
    assert done.status == status
    assert any(words in result.message for result in done.results)


_UNPROTECT = (
    "aws cloudformation update-termination-protection --no-enable-termination-protection "
    "--region us-east-2 --stack-name pretrain-Compute"
)


@pytest.mark.parametrize(
    ("status", "then"),
    [
        ("ROLLBACK_COMPLETE", None),
        ("ROLLBACK_FAILED", "delete-stack"),
        ("DELETE_FAILED", "delete-stack"),
        ("CREATE_FAILED", "rollback-stack"),
    ],
)
def test_a_stack_that_must_be_deleted_and_is_protected(status, then, ask):
    done = ask("stack-names", **stack(status, EnableTerminationProtection=True))
    (result,) = [result for result in done.results if result.status != "ok"]
    assert (result.status, result.path) == ("fail", ("name",))
    assert f"is {status} and protected against deletion" in result.message
    assert result.remedy.startswith("take the protection off, and ")
    first, *rest = result.command.split(" && ")
    assert first == _UNPROTECT
    more = f"aws cloudformation {then} --region us-east-2 --stack-name pretrain-Compute"
    assert rest == ([more] if then else [])


@pytest.mark.parametrize(
    ("status", "whole"), [("CREATE_COMPLETE", "ok"), ("UPDATE_ROLLBACK_FAILED", "fail")]
)
def test_protection_alone_is_in_nobody_s_way(status, whole, ask):
    done = ask("stack-names", **stack(status, EnableTerminationProtection=True))
    assert done.status == whole
    assert not any("protect" in f"{result.message} {result.hint}" for result in done.results)


def test_exports_of_other_stacks(ask):
    def export(name, stack):
        arn = f"arn:aws:cloudformation:us-east-2:{ACCOUNT}:stack/{stack}/id"
        return {"Name": name, "ExportingStackId": arn, "Value": "x"}

    own = export("pretrain-Network:ExportsOutputX", "pretrain-Network")
    foreign = export("pretrain-Network:ExportsOutputY", "legacy")
    other = export("pretrain-Network-2:ExportsOutputZ", "another")
    assert ask("stack-names", ListExports={"Exports": [own, other]}).status == "ok"
    done = ask("stack-names", ListExports={"Exports": [own, foreign]})
    assert done.status == "fail"
    assert "stack legacy exports pretrain-Network:ExportsOutputY" in done.results[-1].message
