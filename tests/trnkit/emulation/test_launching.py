"""Instances carry what their launch asked for, and leave nothing behind."""

from __future__ import annotations

import pytest

from tests.trnkit.emulation.launch_ground import IMAGE, PROFILE, TYPE, launch_ground


@pytest.fixture
def ground():
    with launch_ground() as ground:
        yield ground


def tags(*pairs):
    return [{"Key": key, "Value": value} for key, value in pairs]


def test_an_instance_has_exactly_the_interfaces_of_its_template(ground):
    asked = ground.interfaces()
    (instance,) = ground.run(ground.data())
    answered = ground.ec2.describe_network_interfaces(
        Filters=[{"Name": "attachment.instance-id", "Values": [instance["InstanceId"]]}]
    )["NetworkInterfaces"]
    for interfaces in (instance["NetworkInterfaces"], answered):
        told = [
            {
                "NetworkCardIndex": i["Attachment"]["NetworkCardIndex"],
                "DeviceIndex": i["Attachment"]["DeviceIndex"],
                "InterfaceType": i["InterfaceType"],
                "Groups": [group["GroupId"] for group in i["Groups"]],
                "Description": i["Description"],
                "DeleteOnTermination": i["Attachment"]["DeleteOnTermination"],
                "SubnetId": i["SubnetId"],
            }
            for i in interfaces
        ]
        assert told == asked


def test_only_interfaces_with_addresses_take_addresses_of_the_subnet(ground):
    (instance,) = ground.run(ground.data())
    addresses = [i.get("PrivateIpAddress") for i in instance["NetworkInterfaces"]]
    assert addresses == [instance["PrivateIpAddress"]] + [None] * 16


def test_an_interface_gets_the_ipv6_addresses_that_it_names(ground):
    interface = {
        "DeviceIndex": 0,
        "SubnetId": ground.subnet,
        "Ipv6Addresses": [{"Ipv6Address": "2001:db8::1"}],
    }
    (instance,) = ground.run(ground.data(NetworkInterfaces=[interface]))
    (told,) = instance["NetworkInterfaces"]
    assert [a["Ipv6Address"] for a in told["Ipv6Addresses"]] == ["2001:db8::1"]


def test_two_efa_interfaces_on_the_same_device_index_of_two_cards_both_exist(ground):
    asked = [
        {**interface, "InterfaceType": "efa", "DeviceIndex": 0 if card == 0 else 1}
        for card, interface in enumerate(ground.interfaces()[:1] + ground.interfaces()[2:])
    ]
    (instance,) = ground.run(ground.data(NetworkInterfaces=asked))
    kinds = {i["InterfaceType"] for i in instance["NetworkInterfaces"]}
    assert (len(instance["NetworkInterfaces"]), kinds) == (16, {"efa"})


def test_termination_takes_interfaces_and_volumes_along(ground):
    made = ground.run(ground.data(), count=2)
    assert len(ground.ec2.describe_network_interfaces()["NetworkInterfaces"]) == 34
    ground.ec2.terminate_instances(InstanceIds=[i["InstanceId"] for i in made])
    assert ground.ec2.describe_network_interfaces()["NetworkInterfaces"] == []
    assert ground.ec2.describe_volumes()["Volumes"] == []
    assert {i["State"]["Name"] for i in ground.instances()} == {"terminated"}
    assert all(i["NetworkInterfaces"] == [] for i in ground.instances())


def test_an_interface_that_is_to_stay_is_free_after_termination(ground):
    kept = ground.interfaces()[0] | {"DeleteOnTermination": False}
    (made,) = ground.run(ground.data(NetworkInterfaces=[kept]))
    ground.ec2.terminate_instances(InstanceIds=[made["InstanceId"]])
    (interface,) = ground.ec2.describe_network_interfaces()["NetworkInterfaces"]
    assert interface["Status"] == "available"
    assert "Attachment" not in interface


def test_volumes_are_as_the_template_maps_them(ground):
    ebs = {
        "VolumeSize": 512,
        "VolumeType": "gp3",
        "Iops": 6000,
        "Throughput": 500,
        "Encrypted": True,
        "KmsKeyId": "arn:aws:kms:us-east-2:111122223333:key/nodes",
        "DeleteOnTermination": True,
    }
    data = ground.data(BlockDeviceMappings=[{"DeviceName": "/dev/sdf", "Ebs": ebs}])
    (instance,) = ground.run(data)
    assert [m["DeviceName"] for m in instance["BlockDeviceMappings"]] == ["/dev/sdf", "/dev/sda1"]
    by_size = {v["Size"]: v for v in ground.ec2.describe_volumes()["Volumes"]}
    # The root volume is as large as the image's snapshot.
    assert set(by_size) == {45, 512}
    told = by_size[512]
    assert {name: told[name] for name in ("Iops", "Throughput", "KmsKeyId", "Encrypted")} == {
        name: ebs[name] for name in ("Iops", "Throughput", "KmsKeyId", "Encrypted")
    }


def test_the_other_properties_of_a_template_are_the_instances(ground):
    ground.ec2.create_placement_group(GroupName="close", Strategy="cluster")
    metadata = {
        "HttpTokens": "required",
        "HttpPutResponseHopLimit": 2,
        "HttpEndpoint": "enabled",
        "InstanceMetadataTags": "disabled",
    }
    data = ground.data(
        Placement={"GroupName": "close"},
        MetadataOptions=metadata,
        CpuOptions={"CoreCount": 96, "ThreadsPerCore": 1},
        Monitoring={"Enabled": True},
        IamInstanceProfile={"Arn": PROFILE},
        UserData="aGVsbG8=",
    )
    (instance,) = ground.run(data)
    assert (instance["InstanceType"], instance["ImageId"]) == (TYPE, IMAGE)
    assert instance["Placement"]["GroupName"] == "close"
    assert instance["Placement"]["AvailabilityZoneId"] == "use2-az3"
    assert {name: instance["MetadataOptions"][name] for name in metadata} == metadata
    assert instance["CpuOptions"] == {"CoreCount": 96, "ThreadsPerCore": 1}
    assert instance["Monitoring"]["State"] == "enabled"
    assert instance["IamInstanceProfile"]["Arn"] == PROFILE
    answer = ground.ec2.describe_instance_attribute(
        InstanceId=instance["InstanceId"], Attribute="userData"
    )
    assert answer["UserData"]["Value"] == "aGVsbG8="


def test_tags_reach_instance_volume_and_interface_each_their_own(ground):
    data = ground.data(
        TagSpecifications=[
            {"ResourceType": kind, "Tags": tags(("kind", kind))}
            for kind in ("instance", "volume", "network-interface")
        ]
    )
    (instance,) = ground.run(data)
    (volume,) = ground.ec2.describe_volumes()["Volumes"]
    interface = ground.ec2.describe_network_interfaces()["NetworkInterfaces"][0]
    own = [t for t in instance["Tags"] if not t["Key"].startswith("aws:")]
    assert own == tags(("kind", "instance"))
    assert volume["Tags"] == tags(("kind", "volume"))
    assert interface["TagSet"] == tags(("kind", "network-interface"))


def test_a_request_goes_before_its_template(ground):
    ground.ec2.create_placement_group(GroupName="close", Strategy="cluster")
    data = ground.data(Placement={"GroupName": "close"}, MetadataOptions={"HttpTokens": "required"})
    (instance,) = ground.run(
        data, MetadataOptions={"HttpPutResponseHopLimit": 2}, Monitoring={"Enabled": True}
    )
    assert instance["Placement"]["GroupName"] == "close"
    assert instance["MetadataOptions"]["HttpTokens"] == "required"
    assert instance["MetadataOptions"]["HttpPutResponseHopLimit"] == 2
    assert instance["Monitoring"]["State"] == "enabled"


def test_without_interfaces_an_instance_has_one_with_the_groups_of_the_request(ground):
    ground.ec2.run_instances(
        ImageId=IMAGE,
        InstanceType="trn1.2xlarge",
        SubnetId=ground.subnet,
        SecurityGroupIds=[ground.group],
        MinCount=1,
        MaxCount=1,
    )
    (instance,) = ground.instances()
    (interface,) = instance["NetworkInterfaces"]
    assert [g["GroupId"] for g in interface["Groups"]] == [ground.group]
    assert [g["GroupId"] for g in instance["SecurityGroups"]] == [ground.group]


def test_an_image_can_be_named_by_a_parameter(ground):
    (instance,) = ground.run(ground.data(ImageId="resolve:ssm:/images/latest"))
    assert instance["ImageId"] == IMAGE


def test_a_spot_launch_is_one(ground):
    options = {"MarketType": "spot", "SpotOptions": {"MaxPrice": "1"}}
    (instance,) = ground.run(ground.data(InstanceMarketOptions=options))
    assert instance["InstanceLifecycle"] == "spot"


def test_a_failed_launch_leaves_nothing(ground):
    small = ground.ec2.create_subnet(
        VpcId=ground.vpc, CidrBlock="10.0.64.0/28", AvailabilityZoneId="use2-az3"
    )["Subnet"]["SubnetId"]
    interfaces = [i | {"SubnetId": small} for i in ground.interfaces()]
    with pytest.raises(Exception, match="InsufficientFreeAddressesInSubnet"):
        ground.run(ground.data(NetworkInterfaces=interfaces), count=14)
    assert ground.instances() == []
    assert ground.ec2.describe_network_interfaces()["NetworkInterfaces"] == []
    assert ground.ec2.describe_volumes()["Volumes"] == []


def test_a_dry_run_launches_nothing(ground):
    with pytest.raises(Exception, match="DryRunOperation"):
        ground.run(ground.data(), DryRun=True)
    assert ground.instances() == []
