"""The network of a cluster in all its shapes: its own, isolated, divided, somebody else's."""

from __future__ import annotations

import json
import re

import pytest

from tests.synthesis import ROOT, cdk_context, example_assembly
from trnkit.config import read_cluster

SMALLEST = """
name: pretrain
region: us-east-2
compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 4}]}
storage: {lustre_file_systems: [{name: fsx, storage_capacity_gib: 1200}]}
budget: {limit_usd: 5000, emails: [ml-platform@example.com]}
"""
ZONE = "availability_zone_id: use2-az3"
IDS = "vpc_id: vpc-0123456789abcdef0, compute_subnet_id: subnet-0123456789abcdef0"
OWN_GROUP = "security_group_id: sg-0123456789abcdef0"
NODES = {
    *("ec2", "sts", "logs", "monitoring", "ecr.api", "ecr.dkr", "fsx"),
    *("ssm", "ssmmessages", "ec2messages", "autoscaling"),
}


@pytest.fixture
def network(synthesize):
    """Synthesize the smallest cluster with a network section of one's own."""

    def make(text, base=SMALLEST):
        return synthesize(read_cluster(f"{base}network: {{{text}}}\n", "cluster.yaml").config)

    return make


def existing(*more):
    return f"existing: {{{', '.join((IDS, ZONE, *more))}}}"


def stateful(assembly):
    resources = assembly.templates["Network"]["Resources"]
    kinds = ("AWS::EC2::VPC", "AWS::EC2::Subnet", "AWS::EC2::SecurityGroup")
    own = {key: r for key, r in resources.items() if r["Type"] in kinds}
    return {key: r for key, r in own.items() if not key.startswith("InterfaceEndpoints")}


def exports(assembly):
    outputs = assembly.templates["Network"]["Outputs"].values()
    return {output["Export"]["Name"] for output in outputs if "Export" in output}


def services(assembly):
    endpoints = assembly.resources("Network", "AWS::EC2::VPCEndpoint").values()
    return {
        e["Properties"]["ServiceName"].removeprefix("com.amazonaws.us-east-2."): e["Properties"]
        for e in endpoints
    }


TOGGLES = {
    "flow logs": "flow_logs: {retention_days: 30}",
    "endpoints": "interface_endpoints: [ecr.api, ecr.dkr]",
    "control plane": "control_plane_zone_ids: [use2-az1, use2-az2]",
}


@pytest.mark.parametrize("option", [*TOGGLES.values(), ", ".join(TOGGLES.values())])
def test_what_is_switched_on_later_leaves_the_network_and_the_rest_alone(network, option):
    before, after = network(ZONE), network(f"{ZONE}, {option}")
    kept = stateful(after)
    assert {key: kept[key] for key in stateful(before)} == stateful(before)
    assert exports(before) <= exports(after), "CDK-01"
    for stack in ("Storage", "Compute", "Cost"):
        assert after.templates[stack] == before.templates[stack]


def test_going_isolated_keeps_vpc_compute_and_storage_subnets(network):
    before, after = stateful(network(ZONE)), stateful(network(f"{ZONE}, nat_gateway: false"))
    gone = set(before) - set(after)
    assert [key for key in gone if "PublicSubnet" not in key] == []
    assert {key: after[key] for key in set(before) - gone} == {
        key: before[key] for key in set(before) - gone
    }


def test_net_11_isolated_nodes_have_an_endpoint_for_all_they_call(network):
    assembly = network(f"{ZONE}, nat_gateway: false")
    found = services(assembly)
    assert set(found) == {*NODES, "s3"}
    assert found.pop("s3")["VpcEndpointType"] == "Gateway"
    for endpoint in found.values():
        assert endpoint["PrivateDnsEnabled"] is True
        assert endpoint["SecurityGroupIds"]
    rules = assembly.resources("Network", "AWS::EC2::SecurityGroupIngress")
    (nodes,) = (r["Properties"] for k, r in rules.items() if k.startswith("InterfaceEndpoints"))
    assert nodes["SourceSecurityGroupId"]["Fn::GetAtt"][0].startswith("EfaSecurityGroup")
    assert (nodes["FromPort"], nodes["ToPort"]) == (443, 443)


def test_net_11_without_file_systems_fsx_has_none(network):
    base = re.sub("storage:.*\n", "", SMALLEST)
    assert "fsx" not in services(network(f"{ZONE}, nat_gateway: false", base))


def test_net_13_control_plane_subnets_reach_other_stacks_and_people(network):
    plain, made = network(ZONE), network(f"{ZONE}, {TOGGLES['control plane']}")
    assert len(exports(made)) == len(exports(plain)) + 2
    value = json.dumps(made.templates["Network"]["Outputs"]["ControlPlaneSubnetIds"])
    assert value.count("ClusterVpcControlPlaneSubnetAz") == 2
    group = made.only("Compute", "AWS::AutoScaling::AutoScalingGroup")
    assert len(group["VPCZoneIdentifier"]) == 1, "the nodes stay in one zone"


def test_an_imported_network_makes_a_security_group_alone(network):
    assembly = network(existing())
    kinds = {r["Type"] for r in assembly.templates["Network"]["Resources"].values()}
    assert kinds == {
        "AWS::EC2::SecurityGroup",
        "AWS::EC2::SecurityGroupIngress",
        "AWS::EC2::SecurityGroupEgress",
    }
    group = assembly.only("Network", "AWS::EC2::SecurityGroup")
    assert group["VpcId"] == "vpc-0123456789abcdef0"


def test_fsx_14_file_system_and_nodes_are_where_the_file_says(network):
    assembly = network(existing("storage_subnet_id: subnet-0fedcba9876543210"))
    group = assembly.only("Compute", "AWS::AutoScaling::AutoScalingGroup")
    assert group["VPCZoneIdentifier"] == ["subnet-0123456789abcdef0"]
    files = assembly.only("Storage", "AWS::FSx::FileSystem")
    assert files["SubnetIds"] == ["subnet-0fedcba9876543210"]
    (same,) = network(existing()).only("Storage", "AWS::FSx::FileSystem")["SubnetIds"]
    assert same == "subnet-0123456789abcdef0"


def test_cdk_02_nothing_of_an_existing_vpc_is_looked_up(network):
    assembly = network(existing(OWN_GROUP))
    for manifest in assembly.directory.rglob("manifest.json"):
        assert '"missing"' not in manifest.read_text()
        assert "aws:cdk:warning" not in manifest.read_text()


def test_the_same_outputs_whoever_made_the_vpc(network):
    wanted = {"VpcId", "ComputeSubnetId", "StorageSubnetId", "NodeSecurityGroupId"}
    for assembly in (network(ZONE), network(existing()), network(existing(OWN_GROUP))):
        assert wanted <= set(assembly.templates["Network"]["Outputs"])


def test_cdk_01_exports_do_not_follow_the_consumers(network):
    text = existing("create_s3_gateway_endpoint: true", "route_table_ids: [rtb-0123456789abcdef0]")
    base = re.sub("storage:.*\n", "", SMALLEST)
    assert network(text).templates["Network"] == network(text, base).templates["Network"]


def test_nodes_wait_for_the_endpoints_of_a_vpc_without_references(network):
    assembly = network(f"interface_endpoints: [ssm], {existing(OWN_GROUP)}")
    assert "Fn::ImportValue" not in json.dumps(
        assembly.templates["Compute"]["Resources"][
            next(iter(assembly.resources("Compute", "AWS::AutoScaling::AutoScalingGroup")))
        ]
    )
    manifest = json.loads((assembly.directory / "assembly-pretrain" / "manifest.json").read_text())[
        "artifacts"
    ]
    by_name = {
        artifact.get("displayName", "").rpartition("/")[2]: (key, artifact)
        for key, artifact in manifest.items()
    }
    assert by_name["Network"][0] in by_name["Compute"][1]["dependencies"]


def test_an_own_group_is_on_every_interface_and_admitted_to_endpoints(network):
    assembly = network(
        f"interface_endpoints: [ssm], {existing(OWN_GROUP, 'vpc_cidr: 10.0.0.0/16')}"
    )
    data = assembly.only("Compute", "AWS::EC2::LaunchTemplate")["LaunchTemplateData"]
    groups = [interface["Groups"] for interface in data["NetworkInterfaces"]]
    assert groups == [["sg-0123456789abcdef0"]] * 17
    client = assembly.only("Network", "AWS::EC2::SecurityGroupIngress")
    assert client["SourceSecurityGroupId"] == "sg-0123456789abcdef0"
    (block,) = assembly.only("Network", "AWS::EC2::SecurityGroup")["SecurityGroupIngress"]
    assert block["CidrIp"] == "10.0.0.0/16"


@pytest.mark.parametrize(
    ("text", "is_empty"),
    [
        (existing(OWN_GROUP), True),
        (existing(), False),
        (f"interface_endpoints: [ssm], {existing(OWN_GROUP)}", False),
        (
            existing(
                OWN_GROUP,
                "create_s3_gateway_endpoint: true",
                "route_table_ids: [rtb-0123456789abcdef0]",
            ),
            False,
        ),
    ],
)
def test_cloudformation_never_gets_a_stack_without_resources(network, text, is_empty):
    assembly = network(text)
    kinds = {r["Type"] for r in assembly.templates["Network"]["Resources"].values()}
    assert kinds
    assert (kinds == {"AWS::CloudFormation::WaitConditionHandle"}) is is_empty


def test_the_second_block_holds_the_nodes(network):
    base = SMALLEST.replace("count: 4", "count: 600")
    assembly = network(f"{ZONE}, vpc_cidr: 10.0.0.0/22, secondary_cidr: 100.64.0.0/20", base)
    subnets = assembly.resources("Network", "AWS::EC2::Subnet")
    (compute,) = (r for key, r in subnets.items() if "Compute" in key)
    assert compute["Properties"]["CidrBlock"] == "100.64.0.0/20"


@pytest.mark.parametrize(
    ("option", "fires"),
    [("", True), (", flow_logs: {retention_days: 30}", False)],
    ids=["without", "with"],
)
def test_missing_flow_logs_are_acknowledged_only_when_they_are_missing(
    option, fires, tmp_path, monkeypatch
):
    """cdk-nag's VPC7 with the acknowledgement: nothing; the acknowledgement: only without logs."""
    from aws_cdk import App, Validations
    from cdk_nag import AwsSolutionsChecks

    import constructs_lib.policy.nag_acknowledgements as policy
    from stacks import build

    seen: list[str] = []

    class Spy:
        def __init__(self, validations):
            self._validations = validations

        def acknowledge(self, acknowledgment):
            seen.append(acknowledgment.id)
            self._validations.acknowledge(acknowledgment)

    class Spied:
        of = staticmethod(lambda scope: Spy(Validations.of(scope)))

    monkeypatch.setattr(policy, "Validations", Spied)
    app = App(context=cdk_context(), outdir=str(tmp_path), builtin_cloud_formation_validation=False)
    Validations.of(app).add_plugins(AwsSolutionsChecks(app))
    build(app, read_cluster(f"{SMALLEST}network: {{{ZONE}{option}}}\n", "f").config)
    app.synth()
    report = json.loads((tmp_path / "validation-report.json").read_text())
    (nag,) = (r for r in report["pluginReports"] if r["pluginName"] == "AwsSolutions")
    assert nag["conclusion"] == "success"
    assert ("AwsSolutions::AwsSolutions-VPC7" in seen) is fires


FROZEN = {
    "ClusterVpcA8CFF6E7": "AWS::EC2::VPC",
    "ClusterVpcComputeSubnet9BFD5E58": "AWS::EC2::Subnet",
    "ClusterVpcStorageSubnet9E9D754B": "AWS::EC2::Subnet",
    "ClusterVpcEndpointSubnet05534991": "AWS::EC2::Subnet",
    "ClusterVpcControlPlaneSubnetAz11376009B": "AWS::EC2::Subnet",
    "ClusterVpcControlPlaneSubnetAz2B2EF9FE9": "AWS::EC2::Subnet",
    "VpcFlowLogLogGroupD25E7AAC": "AWS::Logs::LogGroup",
}


def test_logical_ids_of_what_carries_or_keeps_something_never_move():
    template = example_assembly(ROOT / "examples" / "isolated-subnets.yaml").templates["Network"]
    found = {key: template["Resources"].get(key, {}).get("Type") for key in FROZEN}
    assert found == FROZEN
