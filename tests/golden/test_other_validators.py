"""Our templates before other judges: cfn-lint, CDK's validator, cdk-nag, botocore, moto."""

from __future__ import annotations

import base64
import contextlib
import copy
import json
import os
import re
import subprocess
import sys
from typing import Any

import boto3
import botocore.session
import pytest
from botocore.exceptions import ParamValidationError
from botocore.validate import validate_parameters
from moto import mock_aws

from tests.golden.api_translation import literal
from tests.synthesis import EXAMPLES, ROOT, cdk_context, run_app
from trnkit.catalog import instance_type, regions_offering, zone_ids_offering
from trnkit.config import load_cluster, read_cluster

UNKNOWN_TO_CFN_LINT = {"trn2.3xlarge", "trn2u.48xlarge", "trn3-example.48xlarge"}
"""Types missing in cfn-lint's per-region data (rule E3628); AWS offers the first two."""


def cfn_lint(template: dict[str, Any], region: str) -> list[Any]:
    from cfnlint.api import lint
    from cfnlint.config import ManualArgs

    return lint(json.dumps(template), config=ManualArgs(regions=[region]))


def test_cfn_lint_finds_nothing(assembly):
    found = []
    for stack, template in assembly.templates.items():
        for match in cfn_lint(template, assembly.regions[stack]):
            known = match.rule.id == "E3628" and any(
                f"'{name}'" in match.message[:40] for name in UNKNOWN_TO_CFN_LINT
            )
            if not known:
                found.append((stack, match.rule.id, match.message[:200]))
    assert found == []


def test_cfn_lint_would_find_something(default_assembly):
    broken = copy.deepcopy(default_assembly.templates["Network"])
    broken["Resources"]["ClusterVpcA8CFF6E7"]["Properties"]["CidrBlok"] = "10.0.0.0/16"
    assert [m.rule.id for m in cfn_lint(broken, "us-east-2")] == ["E3002"]


def test_native_cloudformation_validate_finds_nothing(assembly):
    from cloudformation_validate import CompositeEngine

    engine = CompositeEngine()
    for stack, path in assembly.paths.items():
        metadata = engine.validate_template(path.read_bytes()).metadata
        counts = metadata.counts
        assert metadata.resources_scanned == len(assembly.templates[stack]["Resources"])
        assert (counts.fatal, counts.errors, counts.warnings) == (0, 0, 0), stack


def test_cdks_own_validator_and_our_rules_find_nothing(tmp_path):
    """With `validateAgainstDefaultRules` on (cdk.json), every finding of CDK's is an error."""
    assert cdk_context()["@aws-cdk/core:validateAgainstDefaultRules"] is True
    run = run_app(EXAMPLES, tmp_path / "out", validate=True)
    assert run.returncode == 0, run.stderr
    report = json.loads((tmp_path / "out" / "validation-report.json").read_text())
    found = [v for plugin in report["pluginReports"] for v in plugin["violations"]]
    assert found == []
    assert {plugin["pluginName"] for plugin in report["pluginReports"]} == {"AwsSolutions"}, (
        "what is acknowledged is in the report; plugins that find nothing are not"
    )


MISSPELT = """
import json, sys
from aws_cdk import App, Stack, aws_ec2 as ec2
app = App(context=json.loads(sys.argv[1]), outdir=sys.argv[2])
vpc = ec2.CfnVPC(Stack(app, "S"), "Vpc", cidr_block="10.0.0.0/16")
vpc.add_property_override("CidrBlok", "10.0.0.0/16")
app.synth()
"""


def test_cdks_own_validator_would_find_something(tmp_path):
    environment = os.environ | {"CDK_VALIDATION": "true"}
    run = subprocess.run(
        [sys.executable, "-c", MISSPELT, json.dumps(cdk_context()), str(tmp_path)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode != 0
    assert "CidrBlok" in run.stderr


def test_cdk_nag_finds_nothing_unacknowledged(example, tmp_path):
    from aws_cdk import App, Validations
    from cdk_nag import AwsSolutionsChecks

    from stacks import build

    app = App(context=cdk_context(), outdir=str(tmp_path), builtin_cloud_formation_validation=False)
    Validations.of(app).add_plugins(AwsSolutionsChecks(app))
    build(app, load_cluster(example).config)
    app.synth()
    report = json.loads((tmp_path / "validation-report.json").read_text())
    (nag,) = (r for r in report["pluginReports"] if r["pluginName"] == "AwsSolutions")
    assert nag["conclusion"] == "success"


@pytest.mark.parametrize(("acknowledged", "conclusion"), [(True, "success"), (False, "failure")])
def test_cdk_nag_finds_nothing_in_a_drain_and_a_chat_channel(tmp_path, acknowledged, conclusion):
    """And would find something there without what is acknowledged for both alone."""
    from aws_cdk import App, Validations
    from cdk_nag import AwsSolutionsChecks

    from constructs_lib.policy import nag_acknowledgements
    from stacks import build

    text = (ROOT / "examples" / "trn2-capacity-block.yaml").read_text()
    text += "  chat: {slack: {workspace_id: T0123ABCD, channel_id: C0123ABCD}}\n"
    app = App(context=cdk_context(), outdir=str(tmp_path), builtin_cloud_formation_validation=False)
    Validations.of(app).add_plugins(AwsSolutionsChecks(app))
    with pytest.MonkeyPatch.context() as patch:
        if not acknowledged:
            patch.setattr(nag_acknowledgements, "DRAIN_REASONS", {})
            patch.setattr(nag_acknowledgements, "CHAT_REASONS", {})
        build(app, read_cluster(text, "chat.yaml").config)
    with contextlib.nullcontext() if acknowledged else pytest.raises(RuntimeError):
        app.synth()
    report = json.loads((tmp_path / "validation-report.json").read_text())
    (nag,) = (r for r in report["pluginReports"] if r["pluginName"] == "AwsSolutions")
    assert nag["conclusion"] == conclusion
    places = {
        re.search("DrainSchedule|ChatAlerts", found["constructPath"])[0]
        for violation in nag["violations"]
        for found in violation["violatingConstructs"]
    }
    assert places == (set() if acknowledged else {"DrainSchedule", "ChatAlerts"})


def test_every_nag_acknowledgement_is_needed_and_reasoned(tmp_path):
    """Without them exactly these rules fire over the examples: none is left over."""
    from aws_cdk import App, Validations
    from cdk_nag import AwsSolutionsChecks

    import stacks.assembly as wiring
    from constructs_lib.policy.nag_acknowledgements import (
        CHAT_REASONS,
        DENIAL_REASONS,
        DRAIN_REASONS,
        GUARD_REASONS,
        NODE_ROLE_REASONS,
        REASONS,
    )

    app = App(context=cdk_context(), outdir=str(tmp_path), builtin_cloud_formation_validation=False)
    Validations.of(app).add_plugins(AwsSolutionsChecks(app))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wiring, "acknowledge_nag_rules", lambda *_, **__: None)
        for path in EXAMPLES:
            wiring.build(app, load_cluster(path).config)
    with pytest.raises(RuntimeError, match="ValidationFailed"):
        app.synth()
    report = json.loads((tmp_path / "validation-report.json").read_text())
    names = {v["ruleName"] for r in report["pluginReports"] for v in r["violations"]}
    fired = {re.sub(r"::[a-z0-9-]+-Storage:", "::<cluster>-Storage:", name) for name in names}
    fired = {re.sub(r"::arn:aws:s3:::example-[^*]+/\*", "::<mounted>*", name) for name in fired}
    # Where the role is: in any Region, of any account.
    place = r"::arn:aws:(autoscaling|ec2):[a-z0-9-]+:(?:[0-9]{12}|<AWS::AccountId>):"
    fired = {re.sub(place, r"::arn:<partition>:\1:<region>:<account>:", name) for name in fired}
    denied = r"::arn:aws:iam::[0-9]{12}:role/\*/ml-engineers"
    fired = {re.sub(denied, "::arn:<partition>:iam::<account>:role/*/<role>", n) for n in fired}
    reasons = REASONS | NODE_ROLE_REASONS | GUARD_REASONS | DRAIN_REASONS
    reasons |= CHAT_REASONS | DENIAL_REASONS
    # Of a topic that the file names, of which no example has one: tests/stacks covers it.
    assert fired == {name for name in reasons if not name.endswith("key/*]")}
    assert all(len(reason) > 60 for reason in reasons.values())


def launch_template_data(assembly) -> list[dict[str, Any]]:
    """The data of every launch template, one a node group."""
    templates = assembly.resources("Compute", "AWS::EC2::LaunchTemplate").values()
    return [literal(entry["Properties"]["LaunchTemplateData"]) for entry in templates]


def test_botocore_accepts_every_launch_template(assembly):
    model = botocore.session.get_session().get_service_model("ec2")
    shape = model.operation_model("CreateLaunchTemplate").input_shape
    for data in launch_template_data(assembly):
        validate_parameters({"LaunchTemplateName": "x", "LaunchTemplateData": data}, shape)
        decoded = base64.b64decode(data["UserData"])
        assert len(decoded) < 16_384


def test_botocore_accepts_schedules_and_reservations(assembly):
    calls = {
        "AWS::AutoScaling::ScheduledAction": ("autoscaling", "PutScheduledUpdateGroupAction"),
        "AWS::EC2::CapacityReservation": ("ec2", "CreateCapacityReservation"),
    }
    names = {"autoscaling": {"ScheduledActionName": "generated"}, "ec2": {}}
    refused: list[str] = []
    for kind, (service, operation) in calls.items():
        model = botocore.session.get_session().get_service_model(service)
        shape = model.operation_model(operation).input_shape
        for entry in assembly.resources("Compute", kind).values():
            try:
                validate_parameters(literal(entry["Properties"]) | names[service], shape)
            except ParamValidationError as error:
                refused.append(f"{kind}: {error}")
    assert refused == []


def test_botocore_would_refuse_a_wrong_one(default_assembly):
    (right,) = launch_template_data(default_assembly)
    data = right | {"NetworkInterface": []}
    model = botocore.session.get_session().get_service_model("ec2")
    shape = model.operation_model("CreateLaunchTemplate").input_shape
    with pytest.raises(Exception, match=r"Unknown parameter.*NetworkInterface"):
        validate_parameters({"LaunchTemplateName": "x", "LaunchTemplateData": data}, shape)


def test_moto_keeps_every_interface_as_planned(example, assembly):
    config = load_cluster(example).config
    for data in launch_template_data(assembly):
        kept, described = through_moto(data, config)
        for planned, read in zip(data["NetworkInterfaces"], kept["NetworkInterfaces"], strict=True):
            for key in ("NetworkCardIndex", "DeviceIndex", "InterfaceType", "DeleteOnTermination"):
                assert read[key] == planned[key]
            assert read["Groups"] == ["sg-0123456789abcdef0"]
        network = described["NetworkInfo"]
        efa = sum(i["InterfaceType"].startswith("efa") for i in kept["NetworkInterfaces"])
        assert efa == network.get("EfaInfo", {}).get("MaximumEfaInterfaces", 0)
        assert efa == instance_type(data["InstanceType"]).maximum_efa_interfaces
        cards = {
            c["NetworkCardIndex"]: c["MaximumNetworkInterfaces"] for c in network["NetworkCards"]
        }
        for interface in kept["NetworkInterfaces"]:
            assert interface["DeviceIndex"] < cards[interface["NetworkCardIndex"]]


def through_moto(data, config):
    """A launch template as moto keeps it, and its instance type as moto's EC2 describes it."""
    name = data["InstanceType"]
    offered = zone_ids_offering(name, config.region)
    with mock_aws():
        ec2 = boto3.client("ec2", region_name=config.region)
        ec2.create_launch_template(LaunchTemplateName="nodes", LaunchTemplateData=data)
        (version,) = ec2.describe_launch_template_versions(LaunchTemplateName="nodes")[
            "LaunchTemplateVersions"
        ]
        if config.instance_types_file is not None:
            answer = json.loads((ROOT / "examples" / config.instance_types_file).read_text())
            (described,) = (e for e in answer["InstanceTypes"] if e["InstanceType"] == name)
            return version["LaunchTemplateData"], described
        # Capacity Blocks are sold where the offerings do not list the type.
        where = config.region if offered else regions_offering(name)[0]
        there = boto3.client("ec2", region_name=where)
        (described,) = there.describe_instance_types(InstanceTypes=[name])["InstanceTypes"]
    return version["LaunchTemplateData"], described
