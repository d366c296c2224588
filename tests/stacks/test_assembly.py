"""What the stacks of a cluster are, and what they hand to each other."""

from __future__ import annotations

import json
import re

import pytest

from tests.synthesis import EXAMPLES, ROOT, example_assembly
from trnkit.config import load_cluster, read_cluster
from trnkit.layout.zones import named_zone_id

SMALLEST = """
name: pretrain
region: us-east-2
compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 4}]}
budget: {limit_usd: 5000, emails: [ml-platform@example.com]}
"""


def cluster(extra=""):
    return read_cluster(SMALLEST + extra, "cluster.yaml").config


def test_default_example_has_its_four_stacks(default_assembly):
    assert list(default_assembly.regions.items()) == [
        ("Network", "us-east-2"),
        ("Storage", "us-east-2"),
        ("Compute", "us-east-2"),
        ("Cost", "us-east-2"),
    ]


def test_without_file_systems_there_is_no_storage_stack(synthesize):
    assert "Storage" not in synthesize(cluster()).templates


def test_cdk_01_the_network_exports_the_same_with_and_without_consumers(synthesize):
    storage = "storage: {lustre_file_systems: [{name: fsx, storage_capacity_gib: 1200}]}"
    with_it, without = synthesize(cluster(storage)), synthesize(cluster())
    assert with_it.templates["Network"] == without.templates["Network"]


@pytest.mark.parametrize(
    ("region", "instance_type", "expected"),
    [
        ("ap-south-2", "trn2.48xlarge", "us-east-1"),
        ("ap-southeast-4", "trn2.3xlarge", "us-east-1"),
        ("sa-east-1", "trn2.3xlarge", "sa-east-1"),
        ("us-west-2", "trn1.32xlarge", "us-west-2"),
    ],
)
def test_bud_13_cdk_07_the_budget_goes_where_budgets_exist(
    synthesize, region, instance_type, expected
):
    text = SMALLEST.replace("us-east-2", region).replace("trn2.48xlarge", instance_type)
    built = synthesize(read_cluster(text, "f").config)
    assert built.regions["Cost"] == expected
    assert built.resources("Cost", "AWS::Budgets::Budget")
    for stack in ("Network", "Compute"):
        assert not built.resources(stack, "AWS::Budgets::Budget")
    cost = json.dumps(built.templates["Cost"])
    assert "Fn::ImportValue" not in cost
    assert "Custom::CrossRegion" not in json.dumps(built.templates)


def test_net_07_no_invented_zone_anywhere(assembly):
    assert "dummy" not in json.dumps(assembly.templates)
    assert "GetAZs" not in json.dumps(assembly.templates)


def test_cdk_04_template_size_does_not_grow_with_nodes(synthesize):
    few, many = (synthesize(cluster_of(count)) for count in (1, 1000))
    sizes = [len(json.dumps(built.templates["Compute"])) for built in (few, many)]
    assert sizes[1] - sizes[0] < 20
    for template in many.templates.values():
        assert len(template["Resources"]) < 100


def cluster_of(count):
    return read_cluster(SMALLEST.replace("count: 4", f"count: {count}"), "f").config


def test_bud_11_the_budgets_tag_is_on_machines_volumes_interfaces_and_file_systems(
    default_assembly,
):
    (entry,) = default_assembly.only("Cost", "AWS::Budgets::Budget")["Budget"]["CostFilters"][
        "TagKeyValue"
    ]
    assert entry == "user:trnkit-cluster$pretrain"
    tag = {"Key": "trnkit-cluster", "Value": "pretrain"}
    launch = default_assembly.only("Compute", "AWS::EC2::LaunchTemplate")["LaunchTemplateData"]
    for specification in launch["TagSpecifications"]:
        assert tag in specification["Tags"]
    assert tag in default_assembly.only("Storage", "AWS::FSx::FileSystem")["Tags"]
    nat = default_assembly.only("Network", "AWS::EC2::NatGateway")
    assert tag in nat["Tags"]


def test_the_users_tags_are_everywhere_too(default_assembly):
    tag = {"Key": "team", "Value": "ml-platform"}
    launch = default_assembly.only("Compute", "AWS::EC2::LaunchTemplate")["LaunchTemplateData"]
    assert tag in launch["TagSpecifications"][0]["Tags"]
    assert tag in default_assembly.only("Network", "AWS::EC2::VPC")["Tags"]


def test_node_groups_are_told_apart(default_assembly):
    launch = default_assembly.only("Compute", "AWS::EC2::LaunchTemplate")["LaunchTemplateData"]
    tags = {t["Key"]: t["Value"] for t in launch["TagSpecifications"][0]["Tags"]}
    assert tags["Name"] == "pretrain-train"
    assert tags["trnkit-node-group"] == "train"


def test_several_groups_each_have_their_own_placement(synthesize):
    groups = (
        "{node_groups: [{name: one, instance_type: trn2.48xlarge, count: 2},"
        " {name: two, instance_type: trn1.32xlarge, count: 2},"
        " {name: head, instance_type: trn1.2xlarge, count: 1}]}"
    )
    text = re.sub(r"\{node_groups.*\}", groups, SMALLEST)
    built = synthesize(read_cluster(text, "f").config)
    assert len(built.resources("Compute", "AWS::EC2::LaunchTemplate")) == 3
    assert len(built.resources("Compute", "AWS::EC2::PlacementGroup")) == 2, (
        "NET-09: not for the group without EFA"
    )


def test_the_lustre_mounts_reach_the_nodes(default_assembly):
    launch = default_assembly.only("Compute", "AWS::EC2::LaunchTemplate")["LaunchTemplateData"]
    parts = launch["UserData"]["Fn::Base64"]["Fn::Join"][1]
    assert parts[0].endswith("\n      TRNKIT_LUSTRE_MOUNTS='")
    assert "Fn::ImportValue" in parts[1]
    assert " /fsx'\n" in parts[4]
    assert "      TRNKIT_LNC=2\n      TRNKIT_EFA=1\n" in parts[4]


def test_associations_of_a_file_system_wait_for_each_other(synthesize):
    links = ", ".join(
        f"{{file_system_path: /d{i}, data_repository_path: 's3://example-bucket/d{i}'}}"
        for i in range(3)
    )
    storage = (
        "storage: {lustre_file_systems: [{name: fsx, storage_capacity_gib: 1200, "
        f"data_repository_associations: [{links}]}}]}}"
    )
    built = synthesize(cluster(storage))
    chain = built.resources("Storage", "AWS::FSx::DataRepositoryAssociation")
    ids = list(chain)
    waits = [resource.get("DependsOn", []) for resource in chain.values()]
    assert waits == [[], [ids[0]], [ids[1]]]


def test_the_outputs_a_user_needs(default_assembly):
    wanted = {
        "Network": {"VpcId", "ComputeSubnetId", "StorageSubnetId", "NodeSecurityGroupId"},
        "Storage": {"FileSystemIdfsx", "MountCommandfsx"},
        "Compute": {"AutoScalingGroupNametrain", "LaunchTemplateIdtrain"},
        "Cost": {"AlertTopicArn"},
    }
    for stack, names in wanted.items():
        assert names <= set(default_assembly.templates[stack]["Outputs"])


def test_stateful_stacks_are_protected(default_assembly):
    manifest = default_assembly.directory / "assembly-pretrain" / "manifest.json"
    protected = {
        artifact["displayName"].rpartition("/")[2]
        for artifact in json.loads(manifest.read_text())["artifacts"].values()
        if artifact.get("properties", {}).get("terminationProtection")
    }
    assert protected == {"Network", "Storage"}


def test_an_account_is_pinned_when_the_file_names_one(synthesize):
    built = synthesize(cluster('account: "111122223333"'))
    manifest = json.loads((built.directory / "assembly-pretrain" / "manifest.json").read_text())
    environments = {a["environment"] for a in manifest["artifacts"].values() if "environment" in a}
    assert environments == {"aws://111122223333/us-east-2"}


def test_every_example_names_its_zone():
    for path in EXAMPLES:
        config = load_cluster(path).config
        named = named_zone_id(config)
        assert named is not None
        subnets = example_assembly(path).resources("Network", "AWS::EC2::Subnet")
        zones = {
            subnet["Properties"]["AvailabilityZoneId"]
            for key, subnet in subnets.items()
            if "ControlPlane" not in key
        }
        assert zones == (set() if config.network.existing else {named})


def test_examples_are_short():
    for path in EXAMPLES:
        assert len(path.read_text().splitlines()) <= 60, path.relative_to(ROOT)


def test_templates_need_no_bootstrap_stack(assembly):
    """Pipelines deploy them with plain CloudFormation: no parameter, no rule, no asset."""
    for template in assembly.templates.values():
        assert "Parameters" not in template
        assert "Rules" not in template


def test_templates_can_be_deployed_without_the_cdk(synthesize):
    """As docs/without-cdk.md says: no parameters, no bootstrap, exports under the stacks' names."""
    text = (ROOT / "examples" / "templates-only.yaml").read_text()
    built = synthesize(read_cluster(text, "f").config)
    whole = json.dumps(built.templates)
    assert "BootstrapVersion" not in whole
    assert "cdk-hnb659fds" not in whole
    for stack, template in built.templates.items():
        assert not template.get("Parameters"), stack
        assert not template.get("Rules"), stack
        assert len(json.dumps(template)) < 51_200
    imported = set(re.findall(r'"Fn::ImportValue": "handed-over-(\w+):', whole))
    assert imported == {"Network", "Storage"}
