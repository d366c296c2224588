"""Launched instances beside their launch template, with clients that answer as AWS documents."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from trnkit.operations.rehearsal.launched import (
    Interface,
    check_launches,
    differences,
    planned_interfaces,
)

GROUP, SUBNET, OTHER = "sg-1", "subnet-a", "subnet-b"
CARDS = 4


def template_data() -> dict[str, Any]:
    """A launch template with a plain interface and an EFA interface on each card."""
    plain = {"DeviceIndex": 0, "NetworkCardIndex": 0, "Groups": [GROUP], "SubnetId": SUBNET}
    efa = [
        {
            "DeviceIndex": 1,
            "NetworkCardIndex": card,
            "InterfaceType": "efa-only",
            "Groups": [GROUP],
            "SubnetId": SUBNET,
        }
        for card in range(CARDS)
    ]
    return {"InstanceType": "trn2.48xlarge", "NetworkInterfaces": [plain, *efa]}


def launched(instance: str) -> list[dict[str, Any]]:
    """The interfaces of one instance as DescribeNetworkInterfaces tells them."""
    return [
        {
            "NetworkInterfaceId": f"eni-{instance}-{number}",
            "InterfaceType": one.get("InterfaceType", "interface"),
            "SubnetId": SUBNET,
            "Groups": [{"GroupId": GROUP, "GroupName": "efa"}],
            "Attachment": {
                "InstanceId": instance,
                "DeviceIndex": one["DeviceIndex"],
                "NetworkCardIndex": one["NetworkCardIndex"],
            },
        }
        for number, one in enumerate(template_data()["NetworkInterfaces"])
    ]


class Aws:
    """Auto Scaling and EC2 with one group of two instances, which a test may change."""

    def __init__(self) -> None:
        self.data = template_data()
        self.named: dict[str, str] = {"LaunchTemplateId": "lt-1", "Version": "2"}
        self.states = {"i-1": "running", "i-2": "running"}
        self.interfaces = {name: launched(name) for name in self.states}
        self.group: dict[str, Any] = {
            "AutoScalingGroupName": "trn",
            "DesiredCapacity": 2,
            "VPCZoneIdentifier": SUBNET,
            "LaunchTemplate": self.named,
            "Instances": [{"InstanceId": name} for name in self.states],
        }
        self.asked: dict[str, Any] = {}

    def __call__(self, service: str) -> Aws:
        return self

    def get_paginator(self, operation: str) -> Any:
        return Pages(getattr(self, operation))

    def describe_auto_scaling_groups(self) -> list[Any]:
        return [{"AutoScalingGroups": []}, {"AutoScalingGroups": [self.group]}]

    def describe_launch_template_versions(self, **asked: Any) -> Any:
        self.asked = asked
        return {"LaunchTemplateVersions": [{"LaunchTemplateData": self.data}]}

    def describe_instances(self, InstanceIds: list[str]) -> list[Any]:
        instances = [
            {
                "InstanceId": name,
                "State": {"Name": self.states[name]},
                "NetworkInterfaces": [
                    {"NetworkInterfaceId": one["NetworkInterfaceId"]}
                    for one in self.interfaces[name]
                ],
            }
            for name in InstanceIds
        ]
        return [{"Reservations": [{"Instances": [one]}]} for one in instances]

    def describe_network_interfaces(self, Filters: list[Any]) -> list[Any]:
        ((wanted,),) = [one["Values"] for one in Filters]
        assert Filters[0]["Name"] == "attachment.instance-id"
        return [{"NetworkInterfaces": [one]} for one in self.interfaces[wanted]]


class Pages:
    """A paginator."""

    def __init__(self, pages: Any) -> None:
        self.paginate = pages


@pytest.fixture
def aws() -> Aws:
    return Aws()


def test_instances_as_planned_hold(aws):
    (check,) = check_launches(aws)
    assert check.holds
    assert (check.group, check.launch_template, check.desired) == ("trn", "lt-1:2", 2)
    assert [one.instance_id for one in check.instances] == ["i-1", "i-2"]
    assert all(one.interfaces == check.planned for one in check.instances)
    assert aws.asked == {"LaunchTemplateId": "lt-1", "Versions": ["2"]}


def with_a_plain_interface(one: dict[str, Any]) -> None:
    one["InterfaceType"] = "interface"


def at_another_card(one: dict[str, Any]) -> None:
    one["Attachment"]["NetworkCardIndex"] = 9


def at_another_device(one: dict[str, Any]) -> None:
    one["Attachment"]["DeviceIndex"] = 5


def with_another_group(one: dict[str, Any]) -> None:
    one["Groups"] = [{"GroupId": "sg-default"}]


def without_groups(one: dict[str, Any]) -> None:
    one["Groups"] = []


def in_another_subnet(one: dict[str, Any]) -> None:
    one["SubnetId"] = OTHER


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (with_a_plain_interface, "card 3 device 1: interface, planned efa-only"),
        (at_another_card, "card 3 device 1: no interface, planned efa-only"),
        (at_another_card, "card 9 device 1: efa-only, not planned"),
        (at_another_device, "card 3 device 1: no interface, planned efa-only"),
        (with_another_group, "card 3 device 1: security groups sg-default, planned sg-1"),
        (without_groups, "card 3 device 1: security groups none, planned sg-1"),
        (in_another_subnet, "card 3 device 1: subnet subnet-b, planned subnet-a"),
    ],
)
def test_one_wrong_interface_of_one_instance_is_told(aws, change, told):
    change(aws.interfaces["i-2"][-1])
    (check,) = check_launches(aws)
    assert not check.holds
    assert check.instances[0].problems == ()
    assert told in check.instances[1].problems


def test_an_interface_too_few_and_one_too_many_are_told(aws):
    aws.interfaces["i-1"].pop()
    more = copy.deepcopy(aws.interfaces["i-2"][-1])
    more["NetworkInterfaceId"] = "eni-more"
    aws.interfaces["i-2"].append(more)
    first, second = check_launches(aws)[0].instances
    assert "4 interfaces, planned 5" in first.problems
    assert "6 interfaces, planned 5" in second.problems
    assert "two interfaces at the same card and device" in second.problems


def test_an_interface_that_the_instance_does_not_tell_is_odd(aws):
    plain = aws.describe_instances

    def without_the_last(InstanceIds: list[str]) -> list[Any]:
        pages = plain(InstanceIds)
        pages[0]["Reservations"][0]["Instances"][0]["NetworkInterfaces"].pop()
        return pages

    aws.describe_instances = without_the_last
    (problem,) = check_launches(aws)[0].instances[0].problems
    assert problem.endswith("eni-i-1-4")


def test_instances_that_ended_do_not_count(aws):
    aws.states["i-2"] = "terminated"
    (check,) = check_launches(aws)
    assert [one.instance_id for one in check.instances] == ["i-1"]
    assert check.problems == ("1 instances, planned 2",)
    aws.group["DesiredCapacity"] = 1
    assert check_launches(aws)[0].holds


def test_a_group_without_instances_is_checked(aws):
    aws.group["Instances"] = []
    assert check_launches(aws)[0].problems == ("0 instances, planned 2",)
    aws.group["DesiredCapacity"] = 0
    assert check_launches(aws)[0].holds


def test_a_group_of_mixed_instances_names_its_template_elsewhere(aws):
    del aws.group["LaunchTemplate"]
    named = {"LaunchTemplateName": "trn"}
    aws.group["MixedInstancesPolicy"] = {"LaunchTemplate": {"LaunchTemplateSpecification": named}}
    (check,) = check_launches(aws)
    assert check.holds
    assert check.launch_template == "trn:$Default"
    assert aws.asked == {"LaunchTemplateName": "trn", "Versions": ["$Default"]}


def test_a_group_without_a_template_does_not_hold(aws):
    del aws.group["LaunchTemplate"]
    assert "it has no launch template" in check_launches(aws)[0].problems


def test_a_template_without_interfaces_gives_one():
    (plan,) = planned_interfaces({"SecurityGroupIds": ["sg-2", "sg-1"]})
    assert plan == Interface(card=0, device=0, kind="interface", groups=("sg-1", "sg-2"), subnet="")


def test_where_the_template_names_no_subnet_it_is_one_of_the_groups():
    (plan,) = planned_interfaces({})
    found = Interface(card=0, device=0, kind="interface", groups=("sg-default",), subnet=SUBNET)
    assert differences([plan], [found], [SUBNET, OTHER]) == ()
    assert differences([plan], [found], [OTHER]) == (
        "card 0 device 0: subnet subnet-a, which the group does not name",
    )
