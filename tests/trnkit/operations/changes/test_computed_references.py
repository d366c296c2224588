"""References whose name is itself computed, as AWS::LanguageExtensions allows."""

from __future__ import annotations

import pytest
import yaml

from tests.trnkit.operations.changes.comparing import by_id, compare

SUB = {"Fn::Sub": "Subnet"}
PARAMETERS = {"Known": {"Type": "String", "Default": "Subnet"}, "Unknown": {"Type": "String"}}


def template(zone, reference):
    subnet = {"VpcId": "vpc-1", "AvailabilityZone": zone, "CidrBlock": f"10.0.{ord(zone)}.0/24"}
    files = {"FileSystemType": "LUSTRE", "StorageCapacity": 1200, "SubnetIds": [reference]}
    return yaml.safe_dump(
        {
            "Transform": "AWS::LanguageExtensions",
            "Parameters": PARAMETERS,
            "Resources": {
                "Subnet": {"Type": "AWS::EC2::Subnet", "Properties": subnet},
                "Files": {"Type": "AWS::FSx::FileSystem", "Properties": files},
            },
        }
    )


@pytest.mark.parametrize(
    ("reference", "verdict"),
    [
        ({"Ref": "Subnet"}, "destroys-data"),
        ({"Ref": SUB}, "destroys-data"),
        ({"Ref": {"Fn::Sub": "${Known}"}}, "destroys-data"),
        ({"Ref": {"Ref": "Known"}}, "destroys-data"),
        ({"Ref": {"Fn::Join": ["", ["Sub", "net"]]}}, "destroys-data"),
        ({"Fn::GetAtt": ["Subnet", {"Fn::Sub": "SubnetId"}]}, "destroys-data"),
        ({"Fn::GetAtt": [SUB, "SubnetId"]}, "destroys-data"),
        ({"Fn::GetAtt": ["Subnet", {"Fn::Sub": "${Unknown}"}]}, "destroys-data"),
        ({"Fn::Sub": ["${It}", {"It": {"Ref": SUB}}]}, "destroys-data"),
        ({"Ref": {"Fn::Sub": "${Unknown}"}}, "cannot-be-told"),
        ({"Ref": {"Ref": "Unknown"}}, "cannot-be-told"),
        ({"Fn::GetAtt": [{"Ref": "Unknown"}, "SubnetId"]}, "cannot-be-told"),
        ({"Fn::GetAtt": {"Fn::Sub": "${Unknown}"}}, "cannot-be-told"),
    ],
)
def test_a_computed_reference_is_followed_or_cannot_be_told(tmp_path, reference, verdict):
    found = by_id(compare(tmp_path, template("a", reference), template("b", reference)))
    assert found["Subnet"].kind == "replaced"
    assert found["Files"].verdict == verdict
    same = template("a", reference)
    assert compare(tmp_path, same, same).changes == ()


def test_a_computed_name_is_the_same_as_a_written_one(tmp_path):
    old, new = template("a", {"Ref": "Subnet"}), template("a", {"Ref": SUB})
    assert compare(tmp_path, old, new).changes == ()


def test_another_unknown_name_is_a_change(tmp_path):
    old = template("a", {"Ref": {"Fn::Sub": "${Unknown}"}})
    new = template("a", {"Ref": {"Fn::Sub": "${Unknown}2"}})
    assert by_id(compare(tmp_path, old, new))["Files"].verdict == "destroys-data"
