"""EfaSecurityGroup: self rules both ways, which CDK's own group drops."""

from __future__ import annotations

import pytest

from constructs_lib.network import EfaSecurityGroup


@pytest.fixture
def group(stack, vpc):
    return EfaSecurityGroup(stack, "Efa", vpc=vpc)


@pytest.mark.parametrize(
    ("kind", "peer"),
    [
        pytest.param("AWS::EC2::SecurityGroupIngress", "SourceSecurityGroupId", id="in"),
        pytest.param("AWS::EC2::SecurityGroupEgress", "DestinationSecurityGroupId", id="out"),
    ],
)
def test_net_01_all_traffic_with_itself(group, resources, kind, peer):
    (rule,) = resources(kind).values()
    properties = rule["Properties"]
    assert properties["IpProtocol"] == "-1"
    assert properties["GroupId"] == properties[peer]
    assert "CidrIp" not in properties


def test_net_02_outbound_to_anywhere_is_web_ports_only(group, resources):
    (created,) = resources("AWS::EC2::SecurityGroup").values()
    rules = created["Properties"]["SecurityGroupEgress"]
    assert {(r["IpProtocol"], r["FromPort"], r["ToPort"]) for r in rules} == {
        ("tcp", 443, 443),
        ("tcp", 80, 80),
    }
    assert "SecurityGroupIngress" not in created["Properties"]


def test_more_rules_can_be_added_through_the_reference(group, resources):
    from aws_cdk import aws_ec2 as ec2

    group.security_group.add_ingress_rule(ec2.Peer.ipv4("10.1.0.0/16"), ec2.Port.tcp(22), "bastion")
    assert len(resources("AWS::EC2::SecurityGroupIngress")) == 2
