"""What node groups of each capacity kind become, alone and together."""

from __future__ import annotations

import pytest

from tests.synthesis import ROOT, example_assembly
from trnkit.config import read_cluster

ID = "cr-0123456789abcdef0"
ARN = "arn:aws:ec2:us-east-2:111122223333:placement-group/theirs"
ODCR = f"type: on-demand-reservation, capacity_reservation_id: {ID}"
BLOCK = (
    f"type: capacity-block, capacity_reservation_id: {ID}, start: 2027-03-01T11:30:00Z, "
    "end: 2027-03-08T11:30:00Z"
)
NEW = "type: on-demand-reservation, create: {end_date: 2027-03-31T18:00:00Z}"


def cluster(keys, kind="trn2.48xlarge", more=""):
    group = f"{{name: train, instance_type: {kind}, count: 4, {keys}}}"
    return read_cluster(
        "name: pretrain\nregion: us-east-2\nnetwork: {availability_zone_id: use2-az3}\n"
        f"compute: {{node_groups: [{group}]{more}}}\n"
        "budget: {limit_usd: 5000, emails: [ml-platform@example.com]}\n",
        "cluster.yaml",
    ).config


def launch_data(built):
    return built.only("Compute", "AWS::EC2::LaunchTemplate")["LaunchTemplateData"]


@pytest.mark.parametrize(
    ("capacity", "market", "groups"),
    [
        pytest.param("type: on-demand", None, 1, id="on-demand"),
        pytest.param("type: spot", "spot", 1, id="spot"),
        pytest.param(BLOCK, "capacity-block", 0, id="CAP-02 block"),
        pytest.param(ODCR, None, 0, id="CAP-03 reservation"),
        pytest.param(NEW, None, 0, id="CAP-03 new reservation"),
    ],
)
def test_cap_04_market_type_and_placement_of_each_kind(synthesize, capacity, market, groups):
    built = synthesize(cluster(f"capacity: {{{capacity}}}"))
    data = launch_data(built)
    assert data.get("InstanceMarketOptions", {}).get("MarketType") == market
    assert len(built.resources("Compute", "AWS::EC2::PlacementGroup")) == groups
    assert bool(groups) is ("Placement" in data)
    group = built.only("Compute", "AWS::AutoScaling::AutoScalingGroup")
    assert "MixedInstancesPolicy" not in group, "CAP-05"
    preference = data.get("CapacityReservationSpecification", {})
    assert preference.get("CapacityReservationPreference") != "none", "CAP-17"
    reserved = built.resources("Compute", "AWS::EC2::CapacityReservation")
    assert len(reserved) == (capacity is NEW)


@pytest.mark.parametrize("given", ["theirs", ARN])
@pytest.mark.parametrize("efa", ["", ", efa: {interfaces: 0}"], ids=["EFA", "no EFA"])
def test_cap_03_04_the_reservations_own_placement_group_is_used(synthesize, given, efa):
    keys = f"capacity: {{{ODCR}}}, placement: {{group_name: '{given}'}}{efa}"
    built = synthesize(cluster(keys))
    assert launch_data(built)["Placement"] == {"GroupName": "theirs"}
    assert not built.resources("Compute", "AWS::EC2::PlacementGroup")


@pytest.mark.parametrize(
    ("placement", "arn"),
    [
        ("", None),
        (f", placement: {{group_name: '{ARN}'}}", ARN),
        (", placement: {group_name: theirs}", ":placement-group/theirs"),
    ],
)
def test_a_new_reservation_is_made_in_the_given_group(synthesize, placement, arn):
    built = synthesize(cluster(f"capacity: {{{NEW}}}{placement}"))
    found = built.only("Compute", "AWS::EC2::CapacityReservation").get("PlacementGroupArn")
    text = "".join(str(p) for p in found["Fn::Join"][1]) if isinstance(found, dict) else found
    assert text == arn or (text or "").endswith(arn or "nothing")


def test_an_open_new_reservation_is_not_targeted(synthesize):
    text = NEW.replace("create: {", "create: {instance_match_criteria: open, ")
    built = synthesize(cluster(f"capacity: {{{text}}}"))
    specification = launch_data(built)["CapacityReservationSpecification"]
    assert specification == {"CapacityReservationPreference": "open"}


def test_none_only_on_request_cap_17(synthesize):
    built = synthesize(cluster("capacity: {capacity_reservation_preference: none}"))
    specification = launch_data(built)["CapacityReservationSpecification"]
    assert specification == {"CapacityReservationPreference": "none"}


@pytest.mark.parametrize(
    ("kind", "lnc", "devices", "cores"),
    [
        ("trn2.48xlarge", "", 16, 64),
        ("trn2.48xlarge", ", logical_neuroncore_size: 1", 16, 128),
        ("trn1.32xlarge", "", 16, 32),
    ],
)
def test_host_10_outputs_count_logical_cores(synthesize, kind, lnc, devices, cores):
    built = synthesize(cluster(f"capacity: {{}}{lnc}", kind))
    outputs = built.templates["Compute"]["Outputs"]
    assert outputs["NeuronDevicesPerNodetrain"]["Value"] == str(devices)
    assert outputs["NeuronCoresPerNodetrain"]["Value"] == str(cores)
    size = 2 if cores == 64 else 1
    assert f"TRNKIT_LNC={size}\n" in str(launch_data(built)["UserData"]).replace("\\n", "\n")


def test_further_groups_are_on_every_interface(synthesize):
    built = synthesize(cluster("additional_security_group_ids: [sg-0123456789abcdef0]"))
    data = launch_data(built)
    assert "SecurityGroupIds" not in data, "EFA-07"
    for interface in data["NetworkInterfaces"]:
        own, further = interface["Groups"]
        assert "Fn::ImportValue" in own
        assert further == "sg-0123456789abcdef0"


def test_host_01_one_key_for_all_volumes_but_those_with_their_own(synthesize):
    key = "arn:aws:kms:us-east-2:111122223333:key/12345678-1234-1234-1234-123456789012"
    volumes = (
        "additional_volumes: [{device_name: /dev/sdf, size_gib: 100}, "
        f"{{device_name: /dev/sdg, size_gib: 100, kms_key_arn: '{key}'}}]"
    )
    built = synthesize(cluster(volumes, more=", volume_key: customer-managed"))
    (logical_id,) = built.resources("Compute", "AWS::KMS::Key")
    assert logical_id == "NodeVolumeKeyB89E5992", "a key that is retained never moves"
    used = [m["Ebs"]["KmsKeyId"] for m in launch_data(built)["BlockDeviceMappings"]]
    own = {"Fn::GetAtt": [logical_id, "Arn"]}
    assert used == [own, own, key]


def test_ultraserver_outputs():
    built = example_assembly(ROOT / "examples" / "trn2u-ultraserver.yaml")
    outputs = built.templates["Compute"]["Outputs"]
    assert outputs["UltraServerstrain"]["Value"] == "1 x u-trn2x64 (4 nodes each)"
    command = "".join(map(str, outputs["UltraServerTopologyCommandtrain"]["Value"]["Fn::Join"][1]))
    assert "describe-instance-topology --region us-east-2" in command
    assert "CapacityBlockId" in command


def test_groups_of_every_kind_live_together():
    built = example_assembly(ROOT / "examples" / "mixed-groups.yaml")
    templates = built.resources("Compute", "AWS::EC2::LaunchTemplate").values()
    kinds = {
        (data["InstanceType"], data.get("InstanceMarketOptions", {}).get("MarketType"))
        for data in (entry["Properties"]["LaunchTemplateData"] for entry in templates)
    }
    assert kinds == {
        ("trn2.48xlarge", None),
        ("trn1.32xlarge", None),
        ("trn2.48xlarge", "spot"),
    }
    assert len(built.resources("Compute", "AWS::AutoScaling::AutoScalingGroup")) == 3
    reservation = built.only("Compute", "AWS::EC2::CapacityReservation")
    (train,) = (
        entry["Properties"]["LaunchTemplateData"]
        for name, entry in built.resources("Compute", "AWS::EC2::LaunchTemplate").items()
        if "train" in name
    )
    assert train["Placement"]["GroupName"] in reservation["PlacementGroupArn"]["Fn::Join"][1]
