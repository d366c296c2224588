"""Launch templates and Auto Scaling groups with which no node would ever start."""

from __future__ import annotations

import base64
from functools import partial
from typing import Any

from tests.rehearsal.mutant import Mutant, all_of, drop, find, put

_nodes = partial(Mutant, stack="Compute")

_TEMPLATE, _GROUP = "AWS::EC2::LaunchTemplate", "AWS::AutoScaling::AutoScalingGroup"
_EC2 = "https://docs.aws.amazon.com/AWSEC2/latest"
_INTERFACE = f"{_EC2}/APIReference/API_InstanceNetworkInterfaceSpecificationRequest.html"
_CARDS = f"{_EC2}/UserGuide/using-eni.html#network-cards"
_EFA = f"{_EC2}/UserGuide/efa.html"
_RUN = f"{_EC2}/APIReference/API_RunInstances.html"
_ERRORS = f"{_EC2}/APIReference/errors-overview.html"
_BLOCKS = f"{_EC2}/UserGuide/capacity-blocks-launch.html"
_SCALING = (
    "https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_CreateAutoScalingGroup.html"
)
_UNFIT = "You must use a valid fully-formed launch template."


def _data(path: str, value: Any, **more: Any) -> Any:
    return put(_TEMPLATE, f"LaunchTemplateData.{path}", value, **more)


def _second_efa_on_card_one(template: dict[str, Any]) -> None:
    interfaces = find(template, _TEMPLATE)["Properties"]["LaunchTemplateData"]["NetworkInterfaces"]
    interfaces.append({**interfaces[2], "DeviceIndex": 1})


def _one_interface_twice(template: dict[str, Any]) -> None:
    interfaces = find(template, _TEMPLATE)["Properties"]["LaunchTemplateData"]["NetworkInterfaces"]
    interfaces.append({**interfaces[-1]})


MUTANTS = (
    _nodes(
        id="interface-on-a-card-that-is-not-there",
        change=_data("NetworkInterfaces.1.NetworkCardIndex", 40),
        says="Network card index 40",
        source=_CARDS,
    ),
    _nodes(
        id="device-index-beyond-the-card",
        change=_data("NetworkInterfaces.2.DeviceIndex", 9),
        says="Device index 9 exceeds the limit",
        source=_CARDS,
    ),
    _nodes(
        id="two-interfaces-on-one-index",
        change=_one_interface_twice,
        says="is used more than once on network card",
        source=_INTERFACE,
    ),
    _nodes(
        id="no-primary-interface",
        change=_data("NetworkInterfaces.0.DeviceIndex", 2),
        says="The primary network interface must have device index 0 on network card 0",
        source=_CARDS,
    ),
    _nodes(
        id="efa-only-as-primary-interface",
        change=_data("NetworkInterfaces.0.InterfaceType", "efa-only"),
        says="An EFA-only network interface can't be the primary network interface",
        source=_EFA,
    ),
    _nodes(
        id="two-efa-on-one-card",
        change=_second_efa_on_card_one,
        says="EFA interface count",
        source=_EFA,
    ),
    _nodes(
        id="address-on-an-efa-only-interface",
        change=_data("NetworkInterfaces.2.SecondaryPrivateIpAddressCount", 1),
        says="IP addresses can't be assigned to an EFA-only network interface",
        source=_INTERFACE,
    ),
    _nodes(
        id="efa-on-a-type-without-it",
        example="trn1-spot",
        change=_data("NetworkInterfaces.0.InterfaceType", "efa"),
        says="EFA interfaces are not supported on trn1.2xlarge",
        source=f"{_EC2}/UserGuide/efa-acc-inst-types.html",
    ),
    _nodes(
        id="interface-of-an-unknown-kind",
        change=_data("NetworkInterfaces.1.InterfaceType", "efa-fast"),
        says="Value (efa-fast) for parameter InterfaceType is invalid",
        source=_INTERFACE,
    ),
    _nodes(
        id="public-address-with-many-interfaces",
        change=_data("NetworkInterfaces.0.AssociatePublicIpAddress", True),
        says="cannot be specified when launching with multiple network interfaces",
        source=f"{_EC2}/UserGuide/using-instance-addressing.html",
    ),
    _nodes(
        id="groups-beside-the-interfaces",
        change=_data("SecurityGroupIds", ["sg-0123456789abcdef0"]),
        says="When a network interface is provided, the security groups must be a part of it",
        source=_RUN,
    ),
    _nodes(
        id="interface-in-an-unknown-group",
        change=_data("NetworkInterfaces.0.Groups", ["sg-0123456789abcdef0"]),
        says="The security group 'sg-0123456789abcdef0' does not exist",
        source=_ERRORS,
    ),
    _nodes(
        id="user-data-larger-than-16-kib",
        change=_data("UserData", base64.b64encode(b"#" * 16385).decode()),
        says="User data is limited to 16384 bytes",
        source=f"{_EC2}/UserGuide/user-data.html",
    ),
    _nodes(
        id="user-data-that-is-not-base64",
        change=_data("UserData", "#!/bin/sh"),
        says="Invalid BASE64 encoding of user data",
        source=f"{_EC2}/UserGuide/user-data.html",
    ),
    _nodes(
        id="type-that-does-not-exist",
        change=_data("InstanceType", "trn9.48xlarge"),
        says="Invalid value 'trn9.48xlarge' for InstanceType",
        source=_RUN,
    ),
    _nodes(
        id="type-of-another-architecture",
        example="trn1-spot",
        change=_data("InstanceType", "c7g.2xlarge"),
        says="does not match the architecture 'x86_64' of the specified AMI",
        source=f"{_EC2}/UserGuide/ComponentsAMIs.html",
    ),
    _nodes(
        id="image-that-does-not-exist",
        change=_data("ImageId", "ami-0fedcba9876543210"),
        says="The image id '[ami-0fedcba9876543210]' does not exist",
        source=_ERRORS,
    ),
    _nodes(
        id="parameter-of-an-image-that-does-not-exist",
        change=_data("ImageId", "resolve:ssm:/aws/service/neuron/no/such/image_id"),
        says="/aws/service/neuron/no/such/image_id",
        source=f"{_EC2}/UserGuide/create-launch-template.html",
    ),
    _nodes(
        id="metadata-answers-over-65-hops",
        change=_data("MetadataOptions.HttpPutResponseHopLimit", 65),
        says="Value (65) for parameter HttpPutResponseHopLimit is invalid",
        source=f"{_EC2}/APIReference/API_InstanceMetadataOptionsRequest.html",
    ),
    _nodes(
        id="metadata-tokens-of-an-unknown-kind",
        change=_data("MetadataOptions.HttpTokens", "mandatory"),
        says="'mandatory' is not one of",
        source=f"{_EC2}/APIReference/API_InstanceMetadataOptionsRequest.html",
    ),
    _nodes(
        id="volume-smaller-than-its-snapshot",
        change=_data("BlockDeviceMappings.0.Ebs.VolumeSize", 1),
        says="smaller than snapshot",
        source=f"{_EC2}/APIReference/API_EbsBlockDevice.html",
    ),
    _nodes(
        id="one-device-twice",
        change=_data(
            "BlockDeviceMappings.+", {"DeviceName": "/dev/sda1", "Ebs": {"VolumeSize": 100}}
        ),
        says="is used in more than one block-device mapping",
        source=f"{_EC2}/APIReference/API_EbsBlockDevice.html",
    ),
    _nodes(
        id="volume-with-too-little-iops-for-its-throughput",
        change=_data("BlockDeviceMappings.0.Ebs.Throughput", 1000),
        says="Throughput to iops ratio exceeds 0.25",
        source="https://docs.aws.amazon.com/ebs/latest/userguide/general-purpose.html",
    ),
    _nodes(
        id="volume-with-a-key-and-unencrypted",
        change=all_of(
            _data("BlockDeviceMappings.0.Ebs.Encrypted", False),
            _data("BlockDeviceMappings.0.Ebs.KmsKeyId", "alias/aws/ebs"),
        ),
        says="The parameter KmsKeyId requires the parameter Encrypted to be set",
        source=f"{_EC2}/APIReference/API_EbsBlockDevice.html",
    ),
    _nodes(
        id="volume-of-io2-without-iops",
        change=_data("BlockDeviceMappings.0.Ebs.VolumeType", "io2"),
        says="The parameter iops must be specified for io2 volumes",
        source=f"{_EC2}/APIReference/API_EbsBlockDevice.html",
    ),
    _nodes(
        id="volume-larger-than-its-kind-can-be",
        change=all_of(
            _data("BlockDeviceMappings.0.Ebs.VolumeType", "gp2"),
            _data("BlockDeviceMappings.0.Ebs.VolumeSize", 20000),
        ),
        says="Volume of 20000GiB is too large",
        source=f"{_EC2}/APIReference/API_EbsBlockDevice.html",
    ),
    _nodes(
        id="placement-group-that-does-not-exist",
        change=_data("Placement.GroupName", "nowhere"),
        says="The Placement Group 'nowhere' is unknown",
        source=f"{_EC2}/UserGuide/placement-strategies.html",
    ),
    _nodes(
        id="placement-group-of-an-unknown-strategy",
        change=put("AWS::EC2::PlacementGroup", "Strategy", "clustered"),
        says="'clustered' is not one of",
        source=f"{_EC2}/APIReference/API_CreatePlacementGroup.html",
    ),
    _nodes(
        id="partitions-of-a-cluster-placement-group",
        change=put("AWS::EC2::PlacementGroup", "PartitionCount", 2),
        says="InvalidParameterCombination",
        source=f"{_EC2}/APIReference/API_CreatePlacementGroup.html",
    ),
    _nodes(
        id="role-of-nodes-that-does-not-exist",
        change=_data(
            "IamInstanceProfile",
            {"Arn": "arn:aws:iam::111122223333:instance-profile/nobody"},
        ),
        says="Invalid IAM Instance Profile ARN",
        source=f"{_EC2}/APIReference/API_IamInstanceProfileSpecification.html",
    ),
    _nodes(
        id="capacity-block-bought-on-demand",
        example="trn2-capacity-block",
        change=drop(_TEMPLATE, "LaunchTemplateData.InstanceMarketOptions"),
        says="The market type (purchasing) option is not valid",
        source=_BLOCKS,
    ),
    _nodes(
        id="capacity-block-without-a-reservation",
        example="trn2-capacity-block",
        change=drop(_TEMPLATE, "LaunchTemplateData.CapacityReservationSpecification"),
        says="A Capacity Reservation target must be specified",
        source=_BLOCKS,
    ),
    _nodes(
        id="reservation-named-and-unwanted",
        example="trn2-capacity-block",
        change=_data("CapacityReservationSpecification.CapacityReservationPreference", "none"),
        says="You can't specify a Capacity Reservation target",
        source=f"{_EC2}/APIReference/API_CapacityReservationSpecification.html",
    ),
    _nodes(
        id="reservation-on-the-spot-market",
        example="trn1-spot",
        change=_data(
            "CapacityReservationSpecification.CapacityReservationTarget",
            {"CapacityReservationId": "cr-0123456789abcdef0"},
        ),
        says="Spot Instances can't be launched into a Capacity Reservation",
        source=f"{_EC2}/UserGuide/capacity-reservations-launch.html",
    ),
    _nodes(
        id="market-that-does-not-exist",
        example="trn1-spot",
        change=_data("InstanceMarketOptions.MarketType", "auction"),
        says="#/LaunchTemplateData/InstanceMarketOptions/MarketType: 'auction' is not one of",
        source=f"{_EC2}/APIReference/API_InstanceMarketOptionsRequest.html",
    ),
    _nodes(
        id="spot-options-without-the-spot-market",
        example="trn1-spot",
        change=_data("InstanceMarketOptions.MarketType", "capacity-block"),
        says="Spot options can be specified only when the market type is spot",
        source=f"{_EC2}/APIReference/API_InstanceMarketOptionsRequest.html",
    ),
    _nodes(
        id="spot-price-of-nothing",
        example="trn1-spot",
        change=_data("InstanceMarketOptions.SpotOptions.MaxPrice", "free"),
        says="Value (free) for parameter MaxPrice is invalid",
        source=f"{_EC2}/APIReference/API_SpotMarketOptions.html",
    ),
    _nodes(
        id="reservation-of-nothing",
        example="mixed-groups",
        change=put("AWS::EC2::CapacityReservation", "InstanceCount", 0),
        says="Value (0) for parameter InstanceCount is invalid",
        source=f"{_EC2}/APIReference/API_CreateCapacityReservation.html",
    ),
    _nodes(
        id="reservation-of-a-type-that-does-not-exist",
        example="mixed-groups",
        change=put("AWS::EC2::CapacityReservation", "InstanceType", "trn9.48xlarge"),
        says="Invalid value 'trn9.48xlarge' for InstanceType",
        source=f"{_EC2}/APIReference/API_CreateCapacityReservation.html",
    ),
    _nodes(
        id="group-with-more-at-least-than-at-most",
        change=put(_GROUP, "MinSize", "9"),
        says="must be greater than or equal to min bound",
        source=_SCALING,
    ),
    _nodes(
        id="group-that-wants-more-than-it-may-have",
        change=put(_GROUP, "DesiredCapacity", "9"),
        says="Desired capacity:9 must be between",
        source=_SCALING,
    ),
    _nodes(
        id="group-in-no-subnet",
        change=put(_GROUP, "VPCZoneIdentifier", ["subnet-0123456789abcdef0"]),
        says="The subnet ID 'subnet-0123456789abcdef0' does not exist",
        source=_SCALING,
    ),
    _nodes(
        id="group-of-a-version-that-does-not-exist",
        change=put(_GROUP, "LaunchTemplate.Version", "99"),
        says="Could not find the specified version 99",
        source=_SCALING,
    ),
    _nodes(
        id="group-with-an-unknown-health-check",
        change=put(_GROUP, "HealthCheckType", "NEURON"),
        says="#/HealthCheckType",
        source=_SCALING,
    ),
    _nodes(
        id="group-with-metrics-of-every-second",
        change=put(_GROUP, "MetricsCollection.0.Granularity", "1Second"),
        says="The only valid granularity is 1Minute",
        source="https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_EnableMetricsCollection.html",
    ),
    _nodes(
        id="group-whose-nodes-live-for-an-hour",
        change=put(_GROUP, "MaxInstanceLifetime", 3600),
        says="Maximum instance lifetime must be 0 or between 86400 and 31536000",
        source="https://docs.aws.amazon.com/autoscaling/ec2/userguide/asg-max-instance-lifetime.html",
    ),
    _nodes(
        id="schedule-that-ends-before-it-starts",
        example="trn2-capacity-block",
        change=put("AWS::AutoScaling::ScheduledAction", "EndTime", "2020-01-01T00:00:00Z"),
        says="Given end time is before or equal to the start time",
        source="https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_PutScheduledUpdateGroupAction.html",
    ),
    _nodes(
        id="schedule-that-is-no-cron",
        example="trn2-capacity-block",
        change=put("AWS::AutoScaling::ScheduledAction", "Recurrence", "every day"),
        says="Given recurrence string: every day is invalid",
        source="https://docs.aws.amazon.com/autoscaling/ec2/userguide/scheduled-scaling-cron-expressions.html",
    ),
)
