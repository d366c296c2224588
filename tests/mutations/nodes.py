"""Mistakes in launch templates, Auto Scaling groups and reservations."""

from __future__ import annotations

from functools import partial
from typing import Any

from tests.mutations.kind import (
    AUTO_SCALING_GROUP,
    LAUNCH_TEMPLATE,
    Kind,
    Properties,
    Template,
    data,
    drop,
    each,
    interfaces,
    put,
    resources,
    several_nodes,
    with_efa,
    with_tag_budgets_alone,
)

_nodes = partial(Kind, stack="Compute")
_RESERVATION = "AWS::EC2::CapacityReservation"


def _last_interface_gone(listed: list[dict[str, Any]]) -> None:
    listed.pop()


def _half_of_the_interfaces(listed: list[dict[str, Any]]) -> bool:
    efa = [one for one in listed if one["InterfaceType"] == "efa-only"]
    for one in efa[len(efa) // 2 :]:
        listed.remove(one)
    return len(efa) > 1


def _all_plain(listed: list[dict[str, Any]]) -> None:
    for one in listed:
        one["InterfaceType"] = "interface"


def _device_counts_up(listed: list[dict[str, Any]]) -> bool:
    for index, one in enumerate(listed):
        one["DeviceIndex"] = index
    return len(listed) > 2


def _same_slot(listed: list[dict[str, Any]]) -> None:
    listed[-1] |= {key: listed[-2][key] for key in ("NetworkCardIndex", "DeviceIndex")}


def _card_beyond(listed: list[dict[str, Any]]) -> None:
    listed[-1]["NetworkCardIndex"] = 40


def _no_primary(listed: list[dict[str, Any]]) -> None:
    del listed[0]


def _two_primaries(listed: list[dict[str, Any]]) -> None:
    listed.append(dict(listed[0]))


def _primary_efa_only(listed: list[dict[str, Any]]) -> None:
    listed[0]["InterfaceType"] = "efa-only"
    listed[0].pop("AssociatePublicIpAddress", None)


def _public(listed: list[dict[str, Any]]) -> None:
    listed[0]["AssociatePublicIpAddress"] = True


def _address_on_efa_only(listed: list[dict[str, Any]]) -> bool:
    only = [one for one in listed if one["InterfaceType"] == "efa-only"]
    for one in only[:1]:
        one["SecondaryPrivateIpAddressCount"] = 1
    return bool(only)


def _misspelt_kind(listed: list[dict[str, Any]]) -> None:
    listed[-1]["InterfaceType"] = "efa_only"


def _no_groups(listed: list[dict[str, Any]]) -> None:
    del listed[-1]["Groups"]


def _groups_above(properties: Properties) -> bool:
    launch = properties["LaunchTemplateData"]
    launch["SecurityGroupIds"] = launch["NetworkInterfaces"][0]["Groups"]
    return True


def _no_interfaces(properties: Properties) -> bool:
    launch = properties["LaunchTemplateData"]
    several = len(launch["NetworkInterfaces"]) > 1
    if several:
        launch["SecurityGroupIds"] = launch.pop("NetworkInterfaces")[0]["Groups"]
    return several


def _snake_case(properties: Properties) -> bool:
    launch = properties["LaunchTemplateData"]
    launch["network_interfaces"] = launch.pop("NetworkInterfaces")
    return True


def _empty(properties: Properties) -> bool:
    properties["LaunchTemplateData"] = {}
    return True


def _long_user_data(properties: Properties) -> bool:
    properties["LaunchTemplateData"]["UserData"] = {"Fn::Base64": "#!/bin/bash\n" + "#é" * 6000}
    return True


def _is_block(properties: Properties) -> bool:
    market = properties["LaunchTemplateData"].get("InstanceMarketOptions", {})
    return market.get("MarketType") == "capacity-block"


def _block(change: Any) -> Any:
    def of_block(properties: Properties) -> bool:
        if _is_block(properties):
            change(properties["LaunchTemplateData"])
            return True
        return False

    return each(LAUNCH_TEMPLATE, of_block)


def _no_market(launch: dict[str, Any]) -> None:
    del launch["InstanceMarketOptions"]


def _no_target(launch: dict[str, Any]) -> None:
    del launch["CapacityReservationSpecification"]


def _block_and_group(launch: dict[str, Any]) -> None:
    launch["Placement"] = {"GroupName": "together"}


def _reservation_idle(launch: dict[str, Any]) -> None:
    launch["CapacityReservationSpecification"]["CapacityReservationPreference"] = "none"


def _reservation_as_block(properties: Properties) -> bool:
    """The id of an On-Demand reservation of this template, with the switch of blocks."""
    launch = properties["LaunchTemplateData"]
    target = launch.get("CapacityReservationSpecification", {}).get("CapacityReservationTarget")
    if not target or _is_block(properties) or "Ref" not in str(target):
        return False
    launch["InstanceMarketOptions"] = {"MarketType": "capacity-block"}
    launch.pop("Placement", None)
    return True


def _block_with_mixed_instances(template: Template) -> bool:
    blocks = [r for r in resources(template, LAUNCH_TEMPLATE) if _is_block(r["Properties"])]
    groups = [r["Properties"] for r in resources(template, AUTO_SCALING_GROUP)] if blocks else []
    for group in groups:
        group["MixedInstancesPolicy"] = {
            "LaunchTemplate": {"LaunchTemplateSpecification": group.pop("LaunchTemplate")}
        }
    return bool(groups)


def _several_subnets(template: Template) -> bool:
    """A second subnet, of another zone, for groups whose template has a cluster placement group."""
    if not any(resources(template, "AWS::EC2::PlacementGroup")):
        return False
    groups = [r["Properties"] for r in resources(template, AUTO_SCALING_GROUP)]
    template["Resources"]["ElsewhereVpc"] = {
        "Type": "AWS::EC2::VPC",
        "Properties": {"CidrBlock": "10.99.0.0/16"},
    }
    for index, zone in enumerate(("a", "b")):
        template["Resources"][f"Elsewhere{zone}"] = {
            "Type": "AWS::EC2::Subnet",
            "Properties": {
                "VpcId": {"Ref": "ElsewhereVpc"},
                "CidrBlock": f"10.99.{index}.0/24",
                "AvailabilityZone": {"Fn::Sub": f"${{AWS::Region}}{zone}"},
            },
        }
    for group in groups:
        group["VPCZoneIdentifier"] = [{"Ref": "Elsewherea"}, {"Ref": "Elsewhereb"}]
    return True


def _scheduled_group_sized(template: Template) -> bool:
    """The sizes that a schedule changes, set by every deployment."""
    scheduled = list(resources(template, "AWS::AutoScaling::ScheduledAction"))
    for action in scheduled:
        group = action["Properties"]["AutoScalingGroupName"]["Ref"]
        template["Resources"][group].pop("UpdatePolicy", None)
    return bool(scheduled)


def _key_of_nobody(properties: Properties) -> None:
    """The key policy names no service-linked role any more."""
    policy = properties["KeyPolicy"]
    policy["Statement"] = [one for one in policy["Statement"] if "kms:*" in str(one["Action"])]


def _other_tags(template: Template) -> bool:
    """The tag that budgets count under another key, on the groups too."""
    for group in resources(template, AUTO_SCALING_GROUP):
        _renamed(group["Properties"]["Tags"])
    for launch in resources(template, LAUNCH_TEMPLATE):
        for specification in launch["Properties"]["LaunchTemplateData"]["TagSpecifications"]:
            _renamed(specification["Tags"])
    return True


def _volumes_alone(template: Template) -> bool:
    """The tag on volumes and interfaces, and on no instance."""
    for group in resources(template, AUTO_SCALING_GROUP):
        for tag in group["Properties"]["Tags"]:
            tag["PropagateAtLaunch"] = False
    for launch in resources(template, LAUNCH_TEMPLATE):
        for specification in launch["Properties"]["LaunchTemplateData"]["TagSpecifications"]:
            if specification["ResourceType"] == "instance":
                specification["Tags"] = [{"Key": "Name", "Value": "node"}]
    return True


def _renamed(tags: list[dict[str, Any]]) -> None:
    for tag in tags:
        tag["Key"] = f"old-{tag['Key']}"


def _objects_of_the_bucket_itself(properties: Properties) -> bool:
    """Object actions on the bucket's own ARN, and none on what is in it."""
    statements = [
        one for one in properties["PolicyDocument"]["Statement"] if "s3:GetObject" in str(one)
    ]
    for statement in statements:
        resource = statement["Resource"]
        first = resource[0] if isinstance(resource, list) else resource
        joined = first.get("Fn::Join") if isinstance(first, dict) else None
        if joined is None:
            return False
        statement["Resource"] = joined[1][0]
    return bool(statements)


def _script(text: str) -> Any:
    """Another boot script."""
    return data("UserData", {"Fn::Base64": f"#!/bin/bash\n{text}\n"})


def _placeholder(template: Template) -> bool:
    template.setdefault("Parameters", {})["ClusterName"] = {"Type": "String"}
    return _script('echo "${ClusterName}" > /etc/cluster')(template)


def _role_for_profile(template: Template) -> bool:
    roles = [n for n, r in template["Resources"].items() if r["Type"] == "AWS::IAM::Role"]
    if not roles:
        return False
    arn = {"Fn::GetAtt": [roles[0], "Arn"]}
    return data("IamInstanceProfile.Arn", arn, only_over=True)(template)


def _gpu_image(properties: Properties) -> bool:
    launch = properties["LaunchTemplateData"]
    if "neuron" not in str(launch["ImageId"]):
        return False
    launch["ImageId"] = (
        "resolve:ssm:/aws/service/eks/optimized-ami/1.33/amazon-linux-2023/x86_64/"
        "nvidia/recommended/image_id"
    )
    del launch["UserData"]  # which might install what the image lacks
    return True


def _from_parameter(change: Any) -> Any:
    """Templates whose image is a parameter of AWS, which tells its system."""

    def of_parameter(properties: Properties) -> bool | None:
        launch = properties["LaunchTemplateData"]
        if not str(launch["ImageId"]).startswith("resolve:ssm:/aws/service/neuron"):
            return False
        return change(launch)

    return each(LAUNCH_TEMPLATE, of_parameter)


def _invented(launch: dict[str, Any]) -> None:
    launch["ImageId"] = "resolve:ssm:/aws/service/neuron/dlami/pytorch-2.5/latest/ami-id"


def _other_device(launch: dict[str, Any]) -> None:
    root = launch["BlockDeviceMappings"][0]
    root["DeviceName"] = "/dev/xvda" if root["DeviceName"] == "/dev/sda1" else "/dev/sda1"


def _over(properties: Properties) -> None:
    properties["StartTime"] = "2027-03-08T10:50:00Z"
    properties["EndTime"] = "2027-03-01T10:50:00Z"
    properties["Recurrence"] = "0 8 * * *"


NODES = (
    _nodes(
        id="the last interface left out",
        change=interfaces(_last_interface_gone),
        rule="TRN251",
        needs=several_nodes,
    ),
    _nodes(
        id="half of the EFA interfaces", change=interfaces(_half_of_the_interfaces), rule="TRN251"
    ),
    _nodes(
        id="every interface a plain one",
        change=interfaces(_all_plain),
        rule="TRN251",
        needs=several_nodes,
    ),
    _nodes(
        id="no interfaces at all",
        change=each(LAUNCH_TEMPLATE, _no_interfaces),
        rule="TRN251",
        needs=several_nodes,
    ),
    _nodes(id="the device index counts up", change=interfaces(_device_counts_up), rule="TRN252"),
    _nodes(id="two interfaces in one slot", change=interfaces(_same_slot), rule="TRN252"),
    _nodes(id="a card that is not there", change=interfaces(_card_beyond), rule="TRN252"),
    _nodes(id="no primary interface", change=interfaces(_no_primary), rule="TRN252"),
    _nodes(id="two primary interfaces", change=interfaces(_two_primaries), rule="TRN252"),
    _nodes(id="an EFA-only primary", change=interfaces(_primary_efa_only), rule="TRN252"),
    _nodes(id="a public address", change=interfaces(_public), rule="TRN152"),
    _nodes(id="an address on EFA-only", change=interfaces(_address_on_efa_only), rule="TRN259"),
    _nodes(id="a misspelt interface type", change=interfaces(_misspelt_kind), rule="TRN259"),
    _nodes(id="groups in both places", change=each(LAUNCH_TEMPLATE, _groups_above), rule="TRN253"),
    _nodes(id="an interface without groups", change=interfaces(_no_groups), rule="TRN253"),
    _nodes(
        id="IMDSv1 allowed",
        change=data("MetadataOptions.HttpTokens", "optional"),
        rule="TRN254",
    ),
    _nodes(
        id="one hop to the metadata",
        change=data("MetadataOptions.HttpPutResponseHopLimit", 1),
        rule="TRN254",
    ),
    _nodes(
        id="no metadata options",
        change=drop(LAUNCH_TEMPLATE, "LaunchTemplateData.MetadataOptions"),
        rule="TRN254",
    ),
    _nodes(id="user data too long", change=each(LAUNCH_TEMPLATE, _long_user_data), rule="TRN255"),
    _nodes(
        id="data with snake_case keys", change=each(LAUNCH_TEMPLATE, _snake_case), rule="TRN256"
    ),
    _nodes(id="data that came out empty", change=each(LAUNCH_TEMPLATE, _empty), rule="TRN256"),
    _nodes(
        id="the version $Latest",
        change=put(AUTO_SCALING_GROUP, "LaunchTemplate.Version", "$Latest"),
        rule="TRN257",
    ),
    _nodes(
        id="the version $Default",
        change=put(AUTO_SCALING_GROUP, "LaunchTemplate.Version", "$Default"),
        rule="TRN257",
    ),
    _nodes(
        id="a volume in the clear",
        change=data("BlockDeviceMappings.0.Ebs.Encrypted", False),
        rule="TRN258",
    ),
    _nodes(
        id="a type that nobody knows",
        change=data("InstanceType", "trn2.96xlarge"),
        rule="TRN268",
    ),
    _nodes(
        id="a template without a type",
        change=drop(LAUNCH_TEMPLATE, "LaunchTemplateData.InstanceType"),
        rule="TRN267",
        needs=with_efa,
    ),
    _nodes(
        id="a template without an image",
        change=drop(LAUNCH_TEMPLATE, "LaunchTemplateData.ImageId"),
        rule="TRN267",
    ),
    _nodes(
        id="a type that the zone does not have",
        change=data("InstanceType", "trn2.3xlarge"),
        rule="TRN153",
        needs=lambda templates: "sae1-az" not in str(templates["Network"]),
    ),
    _nodes(id="a placement group over two zones", change=_several_subnets, rule="TRN154"),
    _nodes(id="a block without its market", change=_block(_no_market), rule="TRN260"),
    _nodes(id="a block without its target", change=_block(_no_target), rule="TRN260"),
    _nodes(
        id="an On-Demand reservation as a block",
        change=each(LAUNCH_TEMPLATE, _reservation_as_block),
        rule="TRN260",
    ),
    _nodes(id="a block in a placement group", change=_block(_block_and_group), rule="TRN261"),
    _nodes(id="a block with mixed instances", change=_block_with_mixed_instances, rule="TRN262"),
    _nodes(
        id="a reservation without an end",
        change=put(_RESERVATION, "EndDateType", "unlimited"),
        rule="TRN263",
    ),
    _nodes(
        id="a deployment that undoes the schedule", change=_scheduled_group_sized, rule="TRN264"
    ),
    _nodes(id="a block left idle", change=_block(_reservation_idle), rule="TRN265"),
    _nodes(
        id="a volume key that Auto Scaling may not use",
        change=each("AWS::KMS::Key", _key_of_nobody),
        rule="TRN266",
    ),
    _nodes(
        id="nodes under another tag",
        change=_other_tags,
        rule="TRN452",
        needs=with_tag_budgets_alone,
    ),
    _nodes(
        id="the tag on volumes alone",
        change=_volumes_alone,
        rule="TRN452",
        needs=with_tag_budgets_alone,
    ),
    _nodes(
        id="objects asked of the bucket itself",
        change=each("AWS::IAM::Policy", _objects_of_the_bucket_itself),
        rule="TRN370",
    ),
    _nodes(id="an image parameter invented", change=_from_parameter(_invented), rule="TRN269"),
    _nodes(id="an image for GPUs", change=each(LAUNCH_TEMPLATE, _gpu_image), rule="TRN270"),
    _nodes(id="the root device of others", change=_from_parameter(_other_device), rule="TRN272"),
    _nodes(id="a placeholder left over", change=_placeholder, rule="TRN273"),
    _nodes(
        id="the latest EFA installer",
        change=_script(
            "curl -O https://efa-installer.amazonaws.com/aws-efa-installer-latest.tar.gz"
        ),
        rule="TRN274",
    ),
    _nodes(
        id="more nodes wanted than allowed",
        change=put(AUTO_SCALING_GROUP, "DesiredCapacity", "400", only_over=True),
        rule="TRN275",
    ),
    _nodes(
        id="nodes that live for an hour",
        change=put(AUTO_SCALING_GROUP, "MaxInstanceLifetime", 3600),
        rule="TRN276",
    ),
    _nodes(
        id="a schedule that ends before it starts",
        change=each("AWS::AutoScaling::ScheduledAction", _over),
        rule="TRN277",
    ),
    _nodes(
        id="more throughput than the IOPS give",
        change=put(
            LAUNCH_TEMPLATE,
            "LaunchTemplateData.BlockDeviceMappings.0.Ebs.Throughput",
            1000,
        ),
        rule="TRN278",
    ),
    _nodes(
        id="a price that is a word",
        change=data(
            "InstanceMarketOptions", {"MarketType": "spot", "SpotOptions": {"MaxPrice": "low"}}
        ),
        rule="TRN285",
    ),
    _nodes(
        id="65 hops to the metadata",
        change=data("MetadataOptions.HttpPutResponseHopLimit", 65),
        rule="TRN286",
    ),
    _nodes(
        id="partitions of a cluster group",
        change=put("AWS::EC2::PlacementGroup", "PartitionCount", 3),
        rule="TRN287",
    ),
    _nodes(id="user data in the clear", change=data("UserData", "#!/bin/bash"), rule="TRN289"),
    _nodes(
        id="a reservation of nothing",
        change=put(_RESERVATION, "InstanceCount", 0),
        rule="TRN292",
    ),
    _nodes(id="a role for a profile", change=_role_for_profile, rule="TRN293"),
    _nodes(
        id="metrics of every second",
        change=put(AUTO_SCALING_GROUP, "MetricsCollection", [{"Granularity": "1Second"}]),
        rule="TRN294",
    ),
)
