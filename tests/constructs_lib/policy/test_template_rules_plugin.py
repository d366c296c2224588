"""The plugin: our template rules fail a synth, across the stacks of a stage."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest
import yaml
from aws_cdk import App, Environment, Stack, Stage, Validations
from aws_cdk import aws_ec2 as ec2

from constructs_lib.policy import TemplateRulesPlugin, acknowledge_template_rules
from tests.synthesis import cdk_context
from trnkit.catalog import add_described_types, instance_type, refreshed_instance_type
from trnkit.rules import list_rules


@pytest.fixture
def app(tmp_path):
    app = App(context=cdk_context(), outdir=str(tmp_path), builtin_cloud_formation_validation=False)
    Validations.of(app).add_plugins(TemplateRulesPlugin())
    return app


def half_the_fabric(stack):
    """Interfaces with a public address, groups in both places, slots that do not exist."""
    data = ec2.CfnLaunchTemplate
    data(
        stack,
        "Nodes",
        launch_template_data=data.LaunchTemplateDataProperty(
            instance_type="trn2.48xlarge",
            image_id="ami-0123456789abcdef0",
            security_group_ids=["sg-0123456789abcdef0"],
            network_interfaces=[
                data.NetworkInterfaceProperty(
                    network_card_index=i,
                    device_index=i,
                    interface_type="efa",
                    groups=["sg-0123456789abcdef0"],
                )
                for i in range(8)
            ],
        ),
    )


def violations(tmp_path):
    report = json.loads((tmp_path / "validation-report.json").read_text())
    return {v["ruleName"]: v for r in report["pluginReports"] for v in r["violations"]}


def test_an_error_fails_the_synth_and_says_where(app, tmp_path):
    stage = Stage(app, "bad", env=Environment(region="us-east-2"))
    half_the_fabric(Stack(stage, "Compute"))
    with pytest.raises(RuntimeError, match="ValidationFailed"):
        app.synth()
    found = violations(tmp_path)
    assert {"TRN251", "TRN252", "TRN253"} <= set(found), "EFA-02, EFA-01, EFA-07"
    (place,) = found["TRN253"]["violatingConstructs"]
    assert place["constructPath"] == "bad/Compute/Nodes"


def test_an_acknowledged_rule_no_longer_fails(app, tmp_path):
    stage = Stage(app, "bad", env=Environment(region="us-east-2"))
    half_the_fabric(Stack(stage, "Compute"))
    with pytest.raises(RuntimeError):
        app.synth()
    reasons = dict.fromkeys(violations(tmp_path), "a test of acknowledgements")

    again = App(
        context=cdk_context(), outdir=str(tmp_path), builtin_cloud_formation_validation=False
    )
    Validations.of(again).add_plugins(TemplateRulesPlugin())
    stage = Stage(again, "bad", env=Environment(region="us-east-2"))
    half_the_fabric(Stack(stage, "Compute"))
    acknowledge_template_rules(stage, reasons | {"TRN101": "a config rule is left alone"})
    again.synth()


def test_stacks_of_a_stage_are_judged_together(app):
    """The group's self rules stand in another template than the interfaces that carry it."""
    stage = Stage(app, "apart", env=Environment(region="us-east-2"))
    network, compute = Stack(stage, "Network"), Stack(stage, "Compute")
    vpc = ec2.CfnVPC(network, "Vpc", cidr_block="10.0.0.0/16")
    group = ec2.CfnSecurityGroup(
        network, "Group", group_description="no self rules", vpc_id=vpc.ref
    )
    data = ec2.CfnLaunchTemplate
    data(
        compute,
        "Nodes",
        launch_template_data=data.LaunchTemplateDataProperty(
            instance_type="trn2.3xlarge",
            image_id="ami-0123456789abcdef0",
            network_interfaces=[
                data.NetworkInterfaceProperty(
                    network_card_index=0,
                    device_index=0,
                    interface_type="efa",
                    groups=[group.attr_group_id],
                )
            ],
        ),
    )
    with pytest.raises(RuntimeError, match="ValidationFailed"):
        app.synth()


def test_every_rule_is_announced():
    ids = TemplateRulesPlugin().rule_ids
    assert ids == sorted(set(ids))
    assert len(ids) > 15


def suppressing(*entries):
    return {"suppress": [{"rule_id": name, "reason": reason} for name, reason in entries]}


def test_what_a_resource_suppresses_in_its_metadata_is_reported_and_does_not_fail(app, tmp_path):
    stack = Stack(Stage(app, "bad", env=Environment(region="us-east-2")), "Compute")
    half_the_fabric(stack)
    with pytest.raises(RuntimeError):
        app.synth()
    failed = violations(tmp_path)

    again = App(
        context=cdk_context(), outdir=str(tmp_path), builtin_cloud_formation_validation=False
    )
    Validations.of(again).add_plugins(TemplateRulesPlugin())
    stack = Stack(Stage(again, "bad", env=Environment(region="us-east-2")), "Compute")
    half_the_fabric(stack)
    errors = [name for name, found in failed.items() if found["severity"] == "error"]
    entries = suppressing(*((name, "a test of metadata") for name in errors))
    stack.node.find_child("Nodes").add_metadata("trnkit", entries)
    again.synth()
    found = violations(tmp_path)
    assert set(found) == set(failed), "nothing is hidden"
    assert errors
    for name in errors:
        assert found[name]["severity"] == "info"
        assert found[name]["description"].startswith("suppressed (a test of metadata): ")
        assert found[name]["ruleMetadata"] == {
            "suppression": "inSource", "reason": "a test of metadata",
        }  # fmt: skip


def test_an_entry_that_names_no_rule_fails_the_synth(app, tmp_path):
    stack = Stack(Stage(app, "bad", env=Environment(region="us-east-2")), "Network")
    ec2.CfnVPC(stack, "Vpc", cidr_block="10.0.0.0/16")
    stack.template_options.metadata = {"trnkit": suppressing(("TRN999", "a test of metadata"))}
    with pytest.raises(RuntimeError, match="TRN999"):
        app.synth()
    (found,) = violations(tmp_path).values()
    assert (found["ruleName"], found["severity"]) == ("TRN006", "error")
    assert found["ruleMetadata"] == {"path": "/Metadata/trnkit/suppress/0/rule_id"}


def test_a_rule_is_switched_off_for_a_whole_app_too(app, tmp_path):
    stage = Stage(app, "bad", env=Environment(region="us-east-2"))
    half_the_fabric(Stack(stage, "Compute"))
    with pytest.raises(RuntimeError):
        app.synth()
    reasons = dict.fromkeys(violations(tmp_path), "a test of acknowledgements")

    again = App(
        context=cdk_context(), outdir=str(tmp_path), builtin_cloud_formation_validation=False
    )
    Validations.of(again).add_plugins(TemplateRulesPlugin())
    half_the_fabric(Stack(Stage(again, "bad", env=Environment(region="us-east-2")), "Compute"))
    acknowledge_template_rules(again, reasons)
    again.synth()


@pytest.mark.usefixtures("no_added_types")
def test_a_stage_is_judged_with_the_types_of_its_own_file_only(tmp_path):
    bad = next(rule.bad for rule in list_rules("template") if rule.id == "TRN153")
    paths = [tmp_path / f"assembly-{name}" / "Compute.json" for name in ("new", "old", "other")]
    for path in paths:
        path.parent.mkdir()
        path.write_text(json.dumps(yaml.safe_load(bad)))
    offered = (("us-west-2", ("usw2-az2",)),)
    described = replace(
        instance_type("trn1.32xlarge"), date="2030-01-01", described_offerings=offered
    )
    types = (refreshed_instance_type(described),)
    add_described_types(types)
    plugin = TemplateRulesPlugin({"new": types, "old": ()})
    report = plugin.validate(SimpleNamespace(template_paths=list(map(str, paths))))
    found = [
        resource.template_path
        for violation in report.violations
        if violation.rule_name == "TRN153"
        for resource in violation.violating_resources
    ]
    assert [name.split("/")[-2] for name in found] == ["assembly-old"]
