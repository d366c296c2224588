"""Our constructs among other people's: their L2s, Aspects, Mixins, tags and boundaries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jsii
import pytest
from aws_cdk import (
    App,
    Aspects,
    CfnResource,
    Environment,
    IAspect,
    Mixin,
    Mixins,
    RemovalPolicies,
    Stack,
    Tags,
    assertions,
)
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_sns_subscriptions as subscriptions
from constructs import Construct

from constructs_lib.compute import (
    ClusterPlacementGroup,
    LustreMount,
    MachineImage,
    NodeAutoScalingGroup,
    NodeBoot,
    NodeRole,
    TrainiumLaunchTemplate,
)
from constructs_lib.cost import BudgetAlarm
from constructs_lib.network import ClusterVpc, EfaSecurityGroup
from constructs_lib.storage import LustreFileSystem
from stacks import build
from tests.synthesis import cdk_context
from trnkit.config import (
    BudgetConfig,
    ClusterConfig,
    ComputeConfig,
    LustreConfig,
    NodeGroupConfig,
    StorageConfig,
)

if TYPE_CHECKING:
    from collections.abc import Callable

KEY = "arn:aws:kms:us-east-2:111122223333:key/01234567-89ab-cdef-0123-456789abcdef"
BOUNDARY = "arn:aws:iam::111122223333:policy/boundary"
ROLE = "arn:aws:iam::111122223333:role/existing-nodes"
IMAGE = MachineImage(image_id="ami-0123456789abcdef0")

Resources = dict[str, dict[str, Any]]


@pytest.fixture
def app() -> App:
    """Their app, with the flags of our cdk.json."""
    return App(context=cdk_context(), builtin_cloud_formation_validation=False)


@pytest.fixture
def stack(app: App) -> Stack:
    """Their stack."""
    return Stack(app, "Theirs", env=Environment(region="us-east-2"))


@pytest.fixture
def resources(stack: Stack) -> Callable[[str], Resources]:
    """The stack's resources of one type; ends what can be added to it."""
    template: dict[str, Any] = {}

    def of(kind: str) -> Resources:
        template.update(template or assertions.Template.from_stack(stack).to_json())
        return {k: v for k, v in template["Resources"].items() if v["Type"] == kind}

    return of


def nodes(
    scope: Construct, vpc: ec2.IVpc, subnet: ec2.ISubnet, role: iam.IRole | None = None
) -> LustreFileSystem:
    """Everything that nodes with a file system need, directly in a scope."""
    fabric = EfaSecurityGroup(scope, "Fabric", vpc=vpc)
    files = LustreFileSystem(
        scope,
        "Files",
        vpc=vpc,
        subnet=subnet,
        storage_capacity_gib=4800,
        kms_key=kms.Key.from_key_arn(scope, "TheirKey", KEY),
    )
    files.allow_clients("Nodes", fabric.security_group)
    mount = LustreMount(dns_name=files.dns_name, mount_name=files.mount_name, mount_path="/fsx")
    template = TrainiumLaunchTemplate(
        scope,
        "LaunchTemplate",
        instance_type="trn2.48xlarge",
        image=IMAGE,
        security_groups=[fabric.security_group],
        instance_profile=NodeRole(scope, "NodeRole", role=role).instance_profile,
        boot=NodeBoot(lustre_mounts=(mount,)),
        placement_group=ClusterPlacementGroup(scope, "Placement").placement_group,
    )
    NodeAutoScalingGroup(
        scope, "Nodes", launch_template=template, subnet=subnet, desired_capacity=2
    )
    return files


@pytest.fixture
def in_their_vpc(stack: Stack) -> ec2.Vpc:
    """Our constructs in a VPC of CDK's own L2, in the same stack."""
    vpc = ec2.Vpc(stack, "TheirVpc", max_azs=1)
    nodes(stack, vpc, vpc.private_subnets[0])
    return vpc


def launch_template_tags(resource: dict[str, Any]) -> dict[str, dict[str, str]]:
    """Resource type -> tags that its launch template puts on it."""
    found = resource["Properties"]["LaunchTemplateData"]["TagSpecifications"]
    return {s["ResourceType"]: {t["Key"]: t["Value"] for t in s["Tags"]} for s in found}


def test_a_vpc_of_cdk_s_own_in_the_same_stack(stack, in_their_vpc, resources):
    vpc = {"Ref": stack.get_logical_id(in_their_vpc.node.default_child)}
    subnet = {"Ref": stack.get_logical_id(in_their_vpc.private_subnets[0].node.default_child)}
    groups = resources("AWS::EC2::SecurityGroup").values()
    assert [group["Properties"]["VpcId"] for group in groups] == [vpc, vpc]
    (files,) = resources("AWS::FSx::FileSystem").values()
    (group,) = resources("AWS::AutoScaling::AutoScalingGroup").values()
    assert files["Properties"]["SubnetIds"] == [subnet]
    assert group["Properties"]["VPCZoneIdentifier"] == [subnet]


@pytest.mark.usefixtures("in_their_vpc")
def test_an_imported_key_encrypts_the_file_system(resources):
    (files,) = resources("AWS::FSx::FileSystem").values()
    assert files["Properties"]["KmsKeyId"] == KEY
    assert not resources("AWS::KMS::Key")


def test_an_imported_role_gets_a_profile_and_no_second_role(stack, resources):
    NodeRole(stack, "Nodes", role=iam.Role.from_role_arn(stack, "TheirRole", ROLE))
    (profile,) = resources("AWS::IAM::InstanceProfile").values()
    assert profile["Properties"]["Roles"] == ["existing-nodes"]
    assert not resources("AWS::IAM::Role")


def test_a_role_of_theirs_keeps_its_boundary_and_takes_grants(stack, resources):
    boundary = iam.ManagedPolicy.from_managed_policy_arn(stack, "Boundary", BOUNDARY)
    theirs = iam.Role(
        stack,
        "TheirRole",
        assumed_by=iam.ServicePrincipal("ec2.amazonaws.com"),
        permissions_boundary=boundary,
    )
    role = NodeRole(stack, "Nodes", role=theirs).role
    kms.Key.from_key_arn(stack, "TheirKey", KEY).grant_decrypt(role)
    ((role_id, found),) = resources("AWS::IAM::Role").items()
    assert found["Properties"]["PermissionsBoundary"] == BOUNDARY
    (policy,) = resources("AWS::IAM::Policy").values()
    assert policy["Properties"]["Roles"] == [{"Ref": role_id}]


@pytest.mark.usefixtures("in_their_vpc")
def test_a_boundary_of_the_app_is_on_our_roles(app, stack, resources):
    boundary = iam.ManagedPolicy.from_managed_policy_arn(stack, "Boundary", BOUNDARY)
    iam.PermissionsBoundary.of(app).apply(boundary)
    (role,) = (role for key, role in resources("AWS::IAM::Role").items() if "NodeRole" in key)
    assert role["Properties"]["PermissionsBoundary"] == BOUNDARY


@pytest.mark.usefixtures("in_their_vpc")
def test_bud_11_tags_of_the_app_are_on_all_we_make_and_on_what_it_launches(app, resources):
    Tags.of(app).add("team", "ml-platform")
    for kind in ("AWS::EC2::SecurityGroup", "AWS::FSx::FileSystem", "AWS::IAM::Role"):
        ours = [v for k, v in resources(kind).items() if k.startswith(("Fabric", "Files", "Node"))]
        assert ours
        for resource in ours:
            assert {"Key": "team", "Value": "ml-platform"} in resource["Properties"]["Tags"]
    (template,) = resources("AWS::EC2::LaunchTemplate").values()
    tags = launch_template_tags(template)
    assert set(tags) == {"instance", "volume", "network-interface"}
    assert all(kind["team"] == "ml-platform" for kind in tags.values())


@pytest.mark.usefixtures("in_their_vpc")
def test_tags_can_be_kept_off_one_construct(app, stack, resources):
    Tags.of(app).add("team", "ml-platform")
    Tags.of(stack.node.find_child("LaunchTemplate")).remove("team")
    (template,) = resources("AWS::EC2::LaunchTemplate").values()
    assert "TagSpecifications" not in template["Properties"]["LaunchTemplateData"]


@jsii.implements(IAspect)
class _Protecting:
    """Their Aspect: no node may be terminated by mistake; remembers what it saw."""

    def __init__(self) -> None:
        self.seen: set[str] = set()

    def visit(self, node: Any) -> None:
        if isinstance(node, CfnResource):
            self.seen.add(node.cfn_resource_type)
        if isinstance(node, ec2.CfnLaunchTemplate):
            node.add_property_override("LaunchTemplateData.DisableApiTermination", True)


@pytest.mark.usefixtures("in_their_vpc")
def test_their_aspects_visit_and_change_our_resources(app, resources):
    aspect = _Protecting()
    Aspects.of(app).add(aspect)
    (template,) = resources("AWS::EC2::LaunchTemplate").values()
    data = template["Properties"]["LaunchTemplateData"]
    assert data["DisableApiTermination"] is True
    assert len(data["NetworkInterfaces"]) == 17
    assert {"AWS::FSx::FileSystem", "AWS::EC2::PlacementGroup", "AWS::IAM::Role"} <= aspect.seen


class _NoBurst(Mixin):
    """Their Mixin: standard metadata answers do not leave the machine."""

    def supports(self, construct: Any) -> bool:
        return isinstance(construct, ec2.CfnLaunchTemplate)

    def apply_to(self, construct: Any) -> None:
        path = "LaunchTemplateData.MetadataOptions.HttpPutResponseHopLimit"
        construct.add_property_override(path, 1)


@pytest.mark.usefixtures("in_their_vpc")
def test_their_mixins_change_our_resources(stack, resources):
    Mixins.of(stack).apply(_NoBurst())
    (template,) = resources("AWS::EC2::LaunchTemplate").values()
    options = template["Properties"]["LaunchTemplateData"]["MetadataOptions"]
    assert (options["HttpPutResponseHopLimit"], options["HttpTokens"]) == (1, "required")


@pytest.mark.usefixtures("in_their_vpc")
def test_their_removal_policies_reach_what_we_made(stack, resources):
    RemovalPolicies.of(stack).destroy()
    (files,) = resources("AWS::FSx::FileSystem").values()
    assert files["DeletionPolicy"] == "Delete"


def test_further_rules_and_subscriptions_go_on_what_we_expose(stack, resources):
    network = ClusterVpc(stack, "Network", availability_zone_id="use2-az3")
    fabric = EfaSecurityGroup(stack, "Fabric", vpc=network.vpc).security_group
    bastion = ec2.SecurityGroup(stack, "Bastion", vpc=network.vpc)
    fabric.add_ingress_rule(bastion, ec2.Port.tcp(22), "SSH from the bastion")
    alarm = BudgetAlarm(stack, "Alarm", limit_usd=100, emails=["ml-platform@example.com"])
    alarm.topic.add_subscription(subscriptions.UrlSubscription("https://chat.example.com/hook"))
    ec2.InterfaceVpcEndpoint(
        stack, "Ssm", vpc=network.vpc, service=ec2.InterfaceVpcEndpointAwsService.SSM
    )
    ports = {
        rule["Properties"].get("FromPort")
        for rule in resources("AWS::EC2::SecurityGroupIngress").values()
    }
    assert ports == {None, 22}
    assert len(resources("AWS::SNS::Subscription")) == 1
    endpoints = resources("AWS::EC2::VPCEndpoint").values()
    (interface,) = (e for e in endpoints if e["Properties"]["VpcEndpointType"] == "Interface")
    (subnet,) = interface["Properties"]["SubnetIds"]
    assert "ComputeSubnet" in subnet["Ref"]


def test_two_clusters_in_one_stack(stack, resources):
    for name in ("Blue", "Green"):
        scope = Construct(stack, name)
        network = ClusterVpc(scope, "Network", availability_zone_id="use2-az3")
        nodes(scope, network.vpc, network.compute_subnet)
    for kind, number in {
        "AWS::EC2::VPC": 2,
        "AWS::EC2::LaunchTemplate": 2,
        "AWS::FSx::FileSystem": 2,
        "AWS::IAM::Role": 2,
    }.items():
        found = resources(kind)
        assert len(found) == number
        assert {key[:4] for key in found} == {"Blue", "Gree"}
    blue, green = resources("AWS::EC2::LaunchTemplate").values()
    groups = [
        template["Properties"]["LaunchTemplateData"]["NetworkInterfaces"][0]["Groups"]
        for template in (blue, green)
    ]
    assert groups[0] != groups[1]


def test_two_of_one_construct_side_by_side(stack, resources):
    for name in ("First", "Second"):
        ClusterVpc(stack, name, availability_zone_id="use2-az3", vpc_cidr="10.0.0.0/16")
    assert len(resources("AWS::EC2::Subnet")) == 6


def cluster(name: str) -> ClusterConfig:
    """A cluster without a file."""
    return ClusterConfig(
        name=name,
        region="us-east-2",
        compute=ComputeConfig(
            node_groups=(NodeGroupConfig(name="train", instance_type="trn2.48xlarge", count=2),)
        ),
        storage=StorageConfig(
            lustre_file_systems=(LustreConfig(name="fsx", storage_capacity_gib=4800),)
        ),
        budget=BudgetConfig(limit_usd=1000, emails=("ml-platform@example.com",)),
    )


def everything_named(assembly: Any) -> set[str]:
    """Property names of all templates that hold a physical name."""
    kinds = ("GroupName", "LaunchTemplateName", "AutoScalingGroupName", "RoleName", "BudgetName")
    text = [str(stack.template) for stack in assembly.stacks]
    return {kind for kind in kinds if any(f"'{kind}': '" in one for one in text)}


def test_two_clusters_of_one_type_in_one_app(app):
    stages = [build(app, cluster(name)) for name in ("blue", "green")]
    assemblies = [stage.synth() for stage in stages]
    names = [stack.stack_name for assembly in assemblies for stack in assembly.stacks]
    assert sorted(names) == sorted(
        f"{name}-{part}"
        for name in ("blue", "green")
        for part in ("Network", "Storage", "Compute", "Cost")
    )
    for assembly in assemblies:
        assert not everything_named(assembly), "a physical name would clash"
