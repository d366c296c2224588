"""What the file says about suppressed rules, and what is said about it."""

from __future__ import annotations

import pytest

from tests.trnkit.cli.conftest import MINIMAL
from trnkit.config import read_cluster
from trnkit.findings import Severity
from trnkit.operations.explaining import READER_RULES
from trnkit.rules import check_cluster, list_rules
from trnkit.rules.suppressing import idle_template_suppressions, near_ids

REASON = "agreed with the owners"


def cluster(*rule_ids):
    entries = "".join(f"  - {{rule_id: {name}, reason: {REASON}}}\n" for name in rule_ids)
    return read_cluster(f"{MINIMAL}suppress:\n{entries}", "cluster.yaml")


def said(*rule_ids):
    """Severity, message and hint of what is said about the suppressions themselves."""
    found = check_cluster(cluster(*rule_ids))
    return [(f.severity, f.message, f.hint) for f in found if f.rule_id == "TRN006"]


def test_a_suppressed_finding_is_information_with_the_reason():
    (finding,) = [f for f in check_cluster(cluster("TRN204")) if f.rule_id == "TRN204"]
    assert finding.severity is Severity.INFO
    assert finding.message.startswith(f"suppressed ({REASON}): ")
    assert said("TRN204") == []


@pytest.mark.parametrize("rule", READER_RULES, ids=lambda rule: rule.id)
def test_rules_about_the_file_cannot_be_switched_off(rule):
    ((severity, message, hint),) = said(rule.id)
    assert severity is Severity.ERROR
    assert message == (
        "suppress[0].rule_id cannot be switched off, it is about the file itself: " + rule.id
    )
    assert hint == f"remove the suppression, and mend what {rule.id} finds"


@pytest.mark.parametrize(
    ("rule_id", "hint"),
    [
        ("TRN999", "`trnkit rules` lists them"),
        ("W3030", "`trnkit rules` lists them"),
        ("x" * 500, "`trnkit rules` lists them"),
        ("trn204", "did you mean TRN204?"),
        ("TRN-204", "did you mean TRN204?"),
        ("TRN2O4", "did you mean TRN204?"),
        ("204", "did you mean TRN204?"),
    ],
)
def test_an_unknown_id_gets_a_suggestion_only_when_one_is_near(rule_id, hint):
    assert said(rule_id) == [
        (Severity.ERROR, f"suppress[0].rule_id names no rule: {rule_id}", hint)
    ]


def test_a_wrong_digit_suggests_nothing_and_exchanged_ones_what_they_might_be():
    known = [rule.id for rule in list_rules("config")]
    assert "TRN299" not in known
    assert near_ids("TRN299", known) == near_ids("TRN20", known) == near_ids("", known) == ()
    assert near_ids("TRN240", ["TRN204", "TRN420", "TRN402"]) == ("TRN204", "TRN420")


@pytest.mark.parametrize("rule_id", ["TRN204", "TRN999", "TRN251", "TRN301"])
def test_the_second_of_two_is_one_warning(rule_id):
    once, twice = said(rule_id), said(rule_id, "TRN406", rule_id)
    text = f"suppress[2] repeats suppress[0]: {rule_id} is off already"
    assert (Severity.WARNING, text, "keep one of the two") in twice
    assert len([entry for entry in twice if rule_id in entry[1]]) == len(once) + 1


def test_a_config_rule_that_does_not_fire_is_a_warning():
    text = "suppress[0] suppresses nothing: TRN301 does not fire"
    assert said("TRN301") == [(Severity.WARNING, text, "remove it")]


def test_only_templates_can_tell_whether_a_template_rule_is_idle():
    file = cluster("TRN204", "TRN251", "TRN353", "TRN251")
    assert all("TRN353" not in entry[1] for entry in said("TRN353"))
    (finding,) = idle_template_suppressions(file, {"TRN353"})
    assert (finding.rule_id, finding.severity) == ("TRN006", Severity.WARNING)
    assert finding.message == "suppress[1] suppresses nothing: no template breaks TRN251"
    assert finding.line == 15


@pytest.mark.parametrize(
    "rule_id",
    [
        "AwsSolutions-IAM4[",
        "AwsSolutions-IAM4[]",
        "AwsSolutions-",
        "AwsSolutions-vpc7",
        "awssolutions-VPC7",
        "AwsSolutions VPC7",
        "NIST.800.53.R5VPCFlowLogsEnabled",
        "hipaa.security-VPCFlowLogsEnabled",
    ],
)
def test_an_id_that_no_rule_of_a_pack_can_have_is_an_error_before_the_synth(rule_id):
    ((severity, message, hint),) = said(f"'{rule_id}'")
    assert (severity, message) == (
        Severity.ERROR,
        f"suppress[0].rule_id names no rule of a pack: {rule_id}",
    )
    assert hint == "write it as the pack does: AwsSolutions-VPC7, AwsSolutions-IAM5[Resource::*]"


@pytest.mark.parametrize(
    "rule_id",
    [
        "AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/A]",
        "AwsSolutions-IAM5[Resource::<Bucket1.Arn>/*]",
        "NIST.800.53.R5-S3BucketReplicationEnabled",
        "PCI.DSS.321-EC2RestrictedCommonPorts",
        "HIPAA.Security-IAMNoInlinePolicy",
        "AwsSolutions-OneOfTomorrow2",
    ],
)
def test_what_a_rule_of_a_pack_may_be_called_is_left_to_the_synth(rule_id):
    assert said(f"'{rule_id}'") == []
