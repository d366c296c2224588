"""A node's IPv6 address: one, on the primary interface, in every layout of every type."""

from __future__ import annotations

import pytest
from aws_cdk import App, Stack, assertions
from aws_cdk import aws_ec2 as ec2

from constructs_lib.compute import MachineImage, TrainiumLaunchTemplate
from tests.synthesis import cdk_context
from trnkit.catalog import instance_type_names
from trnkit.errors import ConstructError

IPV6 = {"Ipv6AddressCount", "Ipv6Addresses", "Ipv6PrefixCount", "Ipv6Prefixes", "PrimaryIpv6"}


def data(**options):
    app = App(context=cdk_context(), builtin_cloud_formation_validation=False)
    stack = Stack(app, "Test")
    group = ec2.SecurityGroup.from_security_group_id(stack, "Group", "sg-0123456789abcdef0")
    TrainiumLaunchTemplate(
        stack,
        "Nodes",
        image=MachineImage(image_id="ami-0123456789abcdef0"),
        security_groups=[group],
        instance_profile=None,
        **options,
    )
    (template,) = assertions.Template.from_stack(stack).to_json()["Resources"].values()
    return template["Properties"]["LaunchTemplateData"]


@pytest.mark.parametrize("layout", ["ena-primary", "efa-primary", "all-efa"])
@pytest.mark.parametrize("name", instance_type_names())
def test_the_primary_interface_asks_for_one_address_and_no_other_does(name, layout):
    interfaces = data(instance_type=name, efa_layout=layout, ip_address_type="dualstack")[
        "NetworkInterfaces"
    ]
    primary, *others = interfaces
    assert (primary["NetworkCardIndex"], primary["DeviceIndex"]) == (0, 0)
    assert primary["InterfaceType"] != "efa-only"
    assert primary["Ipv6AddressCount"] == 1
    assert not any(IPV6 & set(other) for other in others)
    assert IPV6 & set(primary) == {"Ipv6AddressCount"}


def test_without_the_option_nothing_asks():
    for interface in data(instance_type="trn2.48xlarge")["NetworkInterfaces"]:
        assert not IPV6 & set(interface)


def test_the_metadata_service_stays_on_ipv4():
    options = data(instance_type="trn2.48xlarge", ip_address_type="dualstack")["MetadataOptions"]
    assert options.get("HttpProtocolIpv6", "disabled") == "disabled"


def test_nothing_else_of_the_template_changes():
    plain = data(instance_type="trn2.48xlarge")
    dual = data(instance_type="trn2.48xlarge", ip_address_type="dualstack")
    del dual["NetworkInterfaces"][0]["Ipv6AddressCount"]
    assert dual == plain


@pytest.mark.parametrize("kind", ["dual-stack", "ipv6", None])
def test_there_are_two_kinds(kind):
    with pytest.raises(ConstructError, match="ip_address_type must be ipv4 or dualstack"):
        data(instance_type="trn2.48xlarge", ip_address_type=kind)
