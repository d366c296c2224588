"""InterfaceEndpoints: under the usual names, open to their clients."""

from __future__ import annotations

import pytest

from constructs_lib.network import InterfaceEndpoints
from trnkit.errors import ConstructError


@pytest.fixture
def endpoints(stack, vpc, subnet, security_group):
    return InterfaceEndpoints(
        stack,
        "Endpoints",
        vpc=vpc,
        subnet=subnet,
        services=["ecr.api", "ssm"],
        clients=[security_group],
        client_cidrs=["10.0.0.0/16"],
    )


def test_each_service_has_an_endpoint_with_private_dns(endpoints, resources):
    made = [r["Properties"] for r in resources("AWS::EC2::VPCEndpoint").values()]
    assert [e["ServiceName"] for e in made] == [
        "com.amazonaws.us-east-2.ecr.api",
        "com.amazonaws.us-east-2.ssm",
    ]
    for endpoint in made:
        assert endpoint["VpcEndpointType"] == "Interface"
        assert endpoint["PrivateDnsEnabled"] is True
        assert endpoint["SubnetIds"] == ["subnet-0123456789abcdef0"]
    assert list(endpoints.endpoint_ids) == ["ecr.api", "ssm"]


def test_net_11_the_group_admits_https_from_nodes_and_vpc_and_nothing_else(endpoints, resources):
    everything = resources()
    (group,) = (r for r in everything.values() if r["Type"] == "AWS::EC2::SecurityGroup")
    (block,) = group["Properties"]["SecurityGroupIngress"]
    (client,) = (r for r in everything.values() if r["Type"] == "AWS::EC2::SecurityGroupIngress")
    assert block["CidrIp"] == "10.0.0.0/16"
    assert client["Properties"]["SourceSecurityGroupId"] == "sg-0123456789abcdef0"
    for rule in (block, client["Properties"]):
        assert (rule["IpProtocol"], rule["FromPort"], rule["ToPort"]) == ("tcp", 443, 443)
    (egress,) = group["Properties"]["SecurityGroupEgress"]
    assert egress["CidrIp"] == "255.255.255.255/32"


def test_another_service_later_leaves_the_first_ones_alone(stack, vpc, subnet, security_group):
    from aws_cdk import assertions

    for name, services in (("A", ["ssm"]), ("B", ["ecr.api", "ssm"])):
        InterfaceEndpoints(
            stack, name, vpc=vpc, subnet=subnet, services=services, clients=[security_group]
        )
    resources = assertions.Template.from_stack(stack).to_json()["Resources"]
    ids = [key[1:-8] for key, r in resources.items() if r["Type"] == "AWS::EC2::VPCEndpoint"]
    assert ids == ["Ssm", "EcrApi", "Ssm"]


@pytest.mark.parametrize(
    ("services", "message"),
    [
        ([], "one or more, each once"),
        (["ssm", "ssm"], "one or more, each once"),
        (["com.amazonaws.us-east-2.ssm", "SSM"], "like ecr.api, got 'SSM'"),
        (["ecr api"], "like ecr.api"),
    ],
)
def test_wrong_services_fail(stack, vpc, subnet, security_group, services, message):
    with pytest.raises(ConstructError, match=message):
        InterfaceEndpoints(
            stack, "E", vpc=vpc, subnet=subnet, services=services, clients=[security_group]
        )


def test_net_11_endpoints_that_admit_nobody_fail(stack, vpc, subnet):
    with pytest.raises(ConstructError, match="must let somebody in"):
        InterfaceEndpoints(stack, "E", vpc=vpc, subnet=subnet, services=["ssm"], clients=[])
