"""Gateways of the account against moto, where moto has the operation."""

from __future__ import annotations

import boto3
import pytest
from moto import mock_aws

from trnkit.aws.ec2 import Ec2Gateway
from trnkit.aws.ec2_capacity import Ec2CapacityGateway
from trnkit.aws.ec2_network import Ec2NetworkGateway
from trnkit.aws.failures import AwsFailure, FailureKind
from trnkit.aws.instance_types import InstanceTypeGateway
from trnkit.aws.session import AwsSession
from trnkit.aws.sts import StsGateway
from trnkit.catalog import region_names, zone_ids_offering

REGION = "us-east-2"


@pytest.fixture(autouse=True)
def moto():
    with mock_aws():
        yield


@pytest.fixture
def client():
    return boto3.client("ec2", region_name=REGION)


def test_the_caller():
    caller = StsGateway(AwsSession(), REGION).caller()
    assert (caller.account, caller.partition) == ("123456789012", "aws")
    assert (caller.kind, caller.name) == ("user", "moto")


@pytest.mark.parametrize("region", ["us-east-2", "sa-east-1", "us-west-2"])
@pytest.mark.parametrize("kind", ["trn1.32xlarge", "trn2.48xlarge", "trn2.3xlarge"])
def test_offerings_of_aws_and_of_the_catalogue_agree(region, kind):
    assert region in region_names()
    offered = InstanceTypeGateway(AwsSession(), region).offerings([kind], "availability-zone-id")
    assert offered.get(kind, ()) == tuple(sorted(zone_ids_offering(kind, region)))


def test_zones_have_ids_and_names():
    zones = {zone.zone_id: zone for zone in Ec2Gateway(AwsSession(), REGION).zones()}
    assert zones["use2-az1"].zone_name == "us-east-2a"
    assert zones["use2-az1"].state == "available"


def test_types_with_their_vcpus_and_without_those_that_are_none():
    names = ["trn2.48xlarge", "trn9.48xlarge"]
    found = InstanceTypeGateway(AwsSession(), REGION).types(names)
    assert list(found) == ["trn2.48xlarge"]
    assert found["trn2.48xlarge"].vcpus == 192
    assert found["trn2.48xlarge"].architectures == ("x86_64",)


def test_what_runs_of_a_family_and_nothing_else(client):
    def launch(kind, **more):
        asked = {"ImageId": "ami-12c6146b", "InstanceType": kind, "MinCount": 1, "MaxCount": 1}
        return client.run_instances(**asked, **more)["Instances"][0]["InstanceId"]

    tags = [{"Key": "trnkit-cluster", "Value": "pretrain"}]
    launch("trn1.2xlarge", TagSpecifications=[{"ResourceType": "instance", "Tags": tags}])
    launch("trn2.48xlarge", InstanceMarketOptions={"MarketType": "spot"})
    launch("inf2.xlarge")
    launch("t3.micro")
    client.stop_instances(InstanceIds=[launch("trn1.32xlarge")])
    found = Ec2CapacityGateway(AwsSession(), REGION).running(["trn", "inf"])
    assert sorted(instance.instance_type for instance in found) == [
        "inf2.xlarge",
        "trn1.2xlarge",
        "trn2.48xlarge",
    ]
    (tagged,) = [instance for instance in found if instance.tags]
    assert (tagged.instance_type, tagged.tags["trnkit-cluster"]) == ("trn1.2xlarge", "pretrain")
    bought = {instance.instance_type: instance.purchase for instance in found}
    assert bought["trn2.48xlarge"] == "spot"
    assert bought["trn1.2xlarge"] == "on-demand"


def test_a_subnet_and_one_that_is_not_there(client):
    vpc_id = client.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    made = client.create_subnet(
        VpcId=vpc_id, CidrBlock="10.0.0.0/24", AvailabilityZone="us-east-2b"
    )
    gateway = Ec2NetworkGateway(AwsSession(), REGION)
    found = gateway.subnet(made["Subnet"]["SubnetId"])
    assert (found.vpc_id, found.zone_id, found.free_addresses) == (vpc_id, "use2-az2", 251)
    with pytest.raises(AwsFailure) as caught:
        gateway.subnet("subnet-0123456789abcdef0")
    assert caught.value.kind is FailureKind.NOT_FOUND


def test_routes_of_a_subnet_and_the_endpoints_of_its_vpc(client):
    vpc_id = client.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    subnet = client.create_subnet(VpcId=vpc_id, CidrBlock="10.0.0.0/24")["Subnet"]["SubnetId"]
    gateway = Ec2NetworkGateway(AwsSession(), REGION)
    main = gateway.route_table(subnet, vpc_id)
    assert [route.target for route in main.routes] == ["local"]
    own = client.create_route_table(VpcId=vpc_id)["RouteTable"]["RouteTableId"]
    client.associate_route_table(RouteTableId=own, SubnetId=subnet)
    internet = client.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    client.attach_internet_gateway(InternetGatewayId=internet, VpcId=vpc_id)
    client.create_route(RouteTableId=own, DestinationCidrBlock="0.0.0.0/0", GatewayId=internet)
    client.create_vpc_endpoint(
        VpcId=vpc_id,
        ServiceName=f"com.amazonaws.{REGION}.s3",
        RouteTableIds=[own],
        VpcEndpointType="Gateway",
    )
    found = gateway.route_table(subnet, vpc_id)
    assert found.route_table_id == own != main.route_table_id
    assert ("0.0.0.0/0", internet, True) in [
        (route.destination, route.target, route.is_active) for route in found.routes
    ]
    (endpoint,) = gateway.endpoints(vpc_id)
    assert (endpoint.service_name, endpoint.is_gateway) == (f"com.amazonaws.{REGION}.s3", True)
    assert (endpoint.route_table_ids, endpoint.state) == ((own,), "available")
