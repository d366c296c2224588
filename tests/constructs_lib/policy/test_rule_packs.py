"""cdk-nag's packs judge what they were added to, and acknowledgements say why."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from aws_cdk import App, Stack, Stage
from aws_cdk import aws_s3 as s3

from constructs_lib.policy import add_rule_packs
from constructs_lib.policy.nag_acknowledgements import FALSE_ALARMS
from stacks import build
from tests.synthesis import EXAMPLES, ROOT, cdk_context
from trnkit.config import PACK_NAMES, load_cluster
from trnkit.errors import ConstructError

COMPLIANCE = [pack for pack in PACK_NAMES if pack != "aws-solutions"]
LEFT_TO_THE_USER = {
    "CloudWatchLogGroupEncrypted",
    "DynamoDBInBackupPlan",
    "EFSInBackupPlan",
    "IAMNoInlinePolicy",
    "LambdaConcurrency",
    "LambdaDLQ",
    "LambdaInsideVPC",
    "S3BucketDefaultLockEnabled",
    "S3BucketLoggingEnabled",
    "S3BucketReplicationEnabled",
    "S3DefaultEncryptionKMS",
    "VPCDefaultSecurityGroupClosed",
    "VPCFlowLogsEnabled",
}
"""Each has a row in docs/policy-packs.md."""


@pytest.fixture
def app(tmp_path):
    return App(
        context=cdk_context(), outdir=str(tmp_path), builtin_cloud_formation_validation=False
    )


def open_bucket(app, name):
    stage = Stage(app, name)
    s3.CfnBucket(Stack(stage, "Storage"), "Bucket")
    return stage


def reported(app):
    """By pack: the rules that fire, each with the constructs, and those that are acknowledged."""
    try:
        app.synth()
    except RuntimeError as error:
        assert "ValidationFailed" in str(error)  # noqa: PT017 - both ends are looked at
    path = Path(app.outdir) / "validation-report.json"
    report = json.loads(path.read_text())["pluginReports"] if path.exists() else []
    fired = {
        violation["ruleName"]: [c["constructPath"] for c in violation["violatingConstructs"]]
        for plugin in report
        for violation in plugin["violations"]
    }
    kept = {
        violation["ruleName"]: violation["reason"]
        for plugin in report
        for violation in plugin.get("suppressedViolations") or []
    }
    return fired, kept


def test_a_pack_judges_its_own_stage_only(app):
    add_rule_packs(open_bucket(app, "judged"), ["nist-800-53-r5"])
    open_bucket(app, "left-alone")
    fired, _ = reported(app)
    assert fired["NIST.800.53.R5-S3BucketLoggingEnabled"] == ["judged/Storage/Bucket"]


def test_two_stages_have_packs_of_their_own(app):
    add_rule_packs(open_bucket(app, "one"), ["hipaa-security"])
    add_rule_packs(open_bucket(app, "two"), ["pci-dss-321"])
    fired, _ = reported(app)
    assert fired["HIPAA.Security-S3BucketLoggingEnabled"] == ["one/Storage/Bucket"]
    assert fired["PCI.DSS.321-S3BucketLoggingEnabled"] == ["two/Storage/Bucket"]


def test_a_reason_acknowledges_a_rule_of_its_stage(app):
    reasons = {"AwsSolutions-S1": "the account logs all its buckets"}
    add_rule_packs(open_bucket(app, "one"), ["aws-solutions"], reasons)
    add_rule_packs(open_bucket(app, "two"), ["aws-solutions"])
    fired, kept = reported(app)
    assert fired["AwsSolutions-S1"] == ["two/Storage/Bucket"]
    assert kept == reasons


def test_a_reason_without_brackets_is_for_all_findings_of_a_rule(app):
    stage = Stage(app, "one")
    stack = Stack(stage, "Compute")
    from aws_cdk import aws_iam as iam

    role = iam.Role(stack, "Role", assumed_by=iam.ServicePrincipal("ec2.amazonaws.com"))
    role.add_to_policy(iam.PolicyStatement(actions=["s3:Get*"], resources=["*"]))
    reasons = {"AwsSolutions-IAM5": "it reads whatever is named to it"}
    add_rule_packs(stage, ["aws-solutions"], reasons)
    fired, kept = reported(app)
    assert fired == {}
    assert set(kept) == {"AwsSolutions-IAM5[Action::s3:Get*]", "AwsSolutions-IAM5[Resource::*]"}


@pytest.mark.parametrize(
    ("packs", "said"),
    [
        (["nist"], "each of packs must be aws-solutions, "),
        (["pci-dss-321", "pci-dss-321"], "packs must not name pci-dss-321 twice"),
    ],
)
def test_packs_that_are_none_are_refused(app, packs, said):
    with pytest.raises(ConstructError, match=said):
        add_rule_packs(Stage(app, "one"), packs)


@pytest.fixture(scope="module")
def examples_under_every_pack(tmp_path_factory):
    out = tmp_path_factory.mktemp("packs")
    app = App(context=cdk_context(), outdir=str(out), builtin_cloud_formation_validation=False)
    for path in EXAMPLES:
        cluster = load_cluster(path).config
        cluster = cluster.model_copy(
            update={"policy": cluster.policy.model_copy(update={"packs": tuple(COMPLIANCE)})}
        )
        add_rule_packs(build(app, cluster), COMPLIANCE)
    return reported(app)


def test_compliance_packs_find_what_the_page_tells_of(examples_under_every_pack):
    fired, _ = examples_under_every_pack
    names = {rule.rpartition("-")[2] for rule in fired}
    assert names == LEFT_TO_THE_USER
    page = (ROOT / "docs" / "policy-packs.md").read_text()
    assert [name for name in names if f"`{name}`" not in page] == []


@pytest.mark.parametrize("pack", COMPLIANCE)
def test_each_false_alarm_is_one(pack, examples_under_every_pack):
    _, kept = examples_under_every_pack
    known = {reason for rule, reason in kept.items() if rule.startswith(PACK_NAMES[pack])}
    reasons = {rule: reason for (rule, _), reason in FALSE_ALARMS.items()}
    if pack == "nist-800-53-r4":
        del reasons["VPCNoUnrestrictedRouteToIGW"]  # not in that pack
    assert known <= set(FALSE_ALARMS.values())
    assert {rule.rpartition("-")[2] for rule in kept if rule.startswith(PACK_NAMES[pack])} == set(
        reasons
    )


def synth(path, tmp_path, *options):
    command = [sys.executable, "-m", "trnkit.cli.main", "synth", str(path), *options]
    command += ["--out", str(tmp_path / "out"), "--format", "json"]
    run = subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False, cwd=ROOT
    )
    return run.returncode, json.loads(run.stdout)


def test_the_cluster_file_selects_the_packs(tmp_path):
    data = yaml.safe_load((ROOT / "examples" / "trn1-spot.yaml").read_text())
    file = tmp_path / "cluster.yaml"
    file.write_text(yaml.safe_dump(data | {"policy": {"packs": ["nist-800-53-r5"]}}))
    code, answer = synth(file, tmp_path)
    failing = {f["rule_id"] for f in answer["findings"] if f["severity"] == "error"}
    assert (code, "NIST.800.53.R5-VPCFlowLogsEnabled" in failing) == (1, True)

    reason = "the account's own control answers for it"
    accepted = [{"rule_id": rule, "reason": reason} for rule in sorted(failing)]
    policy = {"policy": {"packs": ["nist-800-53-r5"]}, "suppress": accepted}
    file.write_text(yaml.safe_dump(data | policy))
    code, answer = synth(file, tmp_path)
    assert code == 0, answer["findings"]
    told = {f["rule_id"]: f["suppression"] for f in answer["findings"] if f["suppression"]}
    assert set(told) == failing
    assert all(entry["reason"] == reason for entry in told.values())


def test_a_suppression_that_no_pack_needs_is_a_warning(tmp_path):
    data = yaml.safe_load((ROOT / "examples" / "trn1-spot.yaml").read_text())
    reason = "a rule that is not asked, or finds nothing"
    idle = ["AwsSolutions-NoSuchRule", "PCI.DSS.321-VPCFlowLogsEnabled"]
    entries = [{"rule_id": rule, "reason": reason} for rule in [*idle, "AwsSolutions-VPC7"]]
    file = tmp_path / "cluster.yaml"
    file.write_text(yaml.safe_dump(data | {"suppress": entries}))
    code, answer = synth(file, tmp_path)
    warned = [(f["message"], f["line"] > 0) for f in answer["findings"] if f["rule_id"] == "TRN006"]
    assert code == 0
    assert warned == [
        (f"suppress[0] suppresses nothing: no template breaks {idle[0]}", True),
        ("suppress[1] suppresses nothing: policy.packs does not name pci-dss-321", True),
    ]
    assert "AwsSolutions-VPC7" in {f["rule_id"] for f in answer["findings"]}
