"""moto's EC2 and Auto Scaling in this process, with a network and an image to launch in."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest
from botocore.exceptions import ClientError

from trnkit.emulation.clients import clients_of
from trnkit.emulation.resources.resource import Place
from trnkit.emulation.server import moto_bridge
from trnkit.emulation.services.auto_scaling import auto_scaling
from trnkit.emulation.services.ec2 import (
    capacity_reservation_api,
    images,
    instance_profiles,
    launch_templates,
    launching,
    placement_groups,
    subnets,
)

ACCOUNT = "111122223333"
IMAGE = "ami-0123456789abcdef0"
PROFILE = f"arn:aws:iam::{ACCOUNT}:instance-profile/nodes"
TYPE = "trn2.48xlarge"


@dataclass(frozen=True)
class Ground:
    """A VPC with a subnet in a zone, and a security group."""

    place: Place
    vpc: str
    subnet: str
    group: str

    @property
    def ec2(self) -> Any:
        return self.place.clients("ec2")

    @property
    def scaling(self) -> Any:
        return self.place.clients("autoscaling")

    def add_subnet(self, zone_id: str, block: str = "10.0.32.0/20") -> str:
        made = self.ec2.create_subnet(VpcId=self.vpc, CidrBlock=block, AvailabilityZoneId=zone_id)
        return made["Subnet"]["SubnetId"]

    def interfaces(self, *, subnet: bool = True, cards: int = 16) -> list[dict[str, Any]]:
        """One ENA interface and an EFA-only one on each card."""
        places = [(0, 0, "interface"), (0, 1, "efa-only")]
        places += [(card, 0, "efa-only") for card in range(1, cards)]
        return [
            {
                "NetworkCardIndex": card,
                "DeviceIndex": device,
                "InterfaceType": kind,
                "Groups": [self.group],
                "Description": f"card {card} device {device}",
                "DeleteOnTermination": True,
                **({"SubnetId": self.subnet} if subnet else {}),
            }
            for card, device, kind in places
        ]

    def data(self, *, subnet: bool = True, **changes: Any) -> dict[str, Any]:
        """Data of a launch template that launches."""
        data = {
            "ImageId": IMAGE,
            "InstanceType": TYPE,
            "NetworkInterfaces": self.interfaces(subnet=subnet),
            **changes,
        }
        return {name: value for name, value in data.items() if value is not None}

    def template(self, data: dict[str, Any], name: str = "nodes") -> str:
        made = self.ec2.create_launch_template(LaunchTemplateName=name, LaunchTemplateData=data)
        return made["LaunchTemplate"]["LaunchTemplateId"]

    def run(self, data: dict[str, Any], count: int = 1, **request: Any) -> list[dict[str, Any]]:
        """Instances that RunInstances makes of a template, as DescribeInstances tells them."""
        template = {"LaunchTemplateId": self.template(data, f"run-{uuid4()}")}
        answer = self.ec2.run_instances(
            LaunchTemplate=template, MinCount=count, MaxCount=count, **request
        )
        ids = {instance["InstanceId"] for instance in answer["Instances"]}
        return [instance for instance in self.instances() if instance["InstanceId"] in ids]

    def instances(self) -> list[dict[str, Any]]:
        reservations = self.ec2.describe_instances()["Reservations"]
        return [instance for r in reservations for instance in r["Instances"]]

    def running(self) -> list[dict[str, Any]]:
        return [i for i in self.instances() if i["State"]["Name"] == "running"]

    def group_of(self, data: dict[str, Any], size: int = 1, **changes: Any) -> str:
        """An Auto Scaling group of a template."""
        request = {
            "AutoScalingGroupName": "nodes",
            "MinSize": 0,
            "MaxSize": 4,
            "DesiredCapacity": size,
            "VPCZoneIdentifier": self.subnet,
            **changes,
        }
        if not {"LaunchTemplate", "MixedInstancesPolicy"} & set(request):
            request["LaunchTemplate"] = {"LaunchTemplateId": self.template(data), "Version": "1"}
        self.scaling.create_auto_scaling_group(**request)
        return str(request["AutoScalingGroupName"])

    def activities(self, status: str) -> list[dict[str, Any]]:
        answer = self.scaling.describe_scaling_activities()
        return [a for a in answer["Activities"] if a["StatusCode"] == status]


@contextmanager
def launch_ground(region: str = "us-east-2", zone_id: str = "use2-az3") -> Iterator[Ground]:
    """Services that hold nothing but the ground, and nothing afterwards."""
    environment = pytest.MonkeyPatch()
    # moto's own images take a second a region to load.
    environment.setenv("MOTO_EC2_LOAD_DEFAULT_AMIS", "false")
    environment.setenv("MOTO_ACCOUNT_ID", os.environ.get("MOTO_ACCOUNT_ID", ACCOUNT))
    moto_bridge.start(ACCOUNT)
    from moto.core.base_backend import BackendDict
    from moto.core.models import botocore_stubber

    for module in (
        placement_groups,
        capacity_reservation_api,
        launch_templates,
        launching,
        auto_scaling,
        subnets,
    ):
        module.install()
    BackendDict.reset()
    instance_profiles.set_profile_reader(_profile)
    images.set_parameter_reader(lambda account, region, name: None if "none" in name else IMAGE)
    try:
        place = Place(ACCOUNT, region, "stack", "Logical", clients_of(None, region))
        images.seed_image(IMAGE, region, "/dev/sda1", 45)
        ec2 = place.clients("ec2")
        vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
        subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.0.0/20", AvailabilityZoneId=zone_id)[
            "Subnet"
        ]["SubnetId"]
        group = ec2.create_security_group(GroupName="efa", Description="efa", VpcId=vpc)
        yield Ground(place, vpc, subnet, group["GroupId"])
    finally:
        BackendDict.reset()
        botocore_stubber.enabled = False
        environment.undo()


def _profile(account: str, name: str) -> dict[str, str] | None:
    if name != "nodes":
        return None
    return {"Arn": f"arn:aws:iam::{account}:instance-profile/{name}", "Id": "AIPA0123456789ABCDEF0"}


def refusal(call: Any) -> tuple[str, str]:
    """Code and message with which AWS refuses a call."""
    with pytest.raises(ClientError) as caught:
        call()
    error = caught.value.response["Error"]
    return error["Code"], error["Message"]
