"""Several stacks: exports, stacks that go, come or move; parameters and what is read at deploy."""

from __future__ import annotations

import copy

import pytest

from tests.trnkit.operations.changes.comparing import by_id, compare, stacks
from trnkit.operations.changes import normal_form
from trnkit.operations.changes.comparison import compare_stacks

SUBNET = {"Type": "AWS::EC2::Subnet", "Properties": {"VpcId": "vpc-1", "CidrBlock": "10.0.0.0/24"}}
NETWORK = {
    "Resources": {"Subnet": SUBNET},
    "Outputs": {"Out": {"Value": {"Ref": "Subnet"}, "Export": {"Name": "subnet"}}},
}
LUSTRE = {
    "Type": "AWS::FSx::FileSystem",
    "Properties": {"FileSystemType": "LUSTRE", "SubnetIds": [{"Fn::ImportValue": "subnet"}]},
}
STORAGE = {"Resources": {"Fsx": LUSTRE}}
KEY = {"Resources": {"Key": {"Type": "AWS::KMS::Key", "Properties": {}}}}
NODES = {"Resources": {"Group": {"Type": "AWS::AutoScaling::AutoScalingGroup", "Properties": {}}}}


def compared(tmp_path, old, new, **places):
    """Stacks by name on both sides; `places` are attributes of the new ones."""
    sides = []
    for name, bodies in (("old", old), ("new", new)):
        folder = tmp_path / name
        folder.mkdir()
        sides.append(stacks(folder, **bodies))
    for stack in sides[1]:
        for key, value in places.items():
            setattr(stack, key, value)
    return compare_stacks(*sides)


def test_cdk_01_an_export_in_use_cannot_be_taken_away(tmp_path):
    less = {"Resources": NETWORK["Resources"]}
    free = copy.deepcopy(STORAGE)
    free["Resources"]["Fsx"]["Properties"]["SubnetIds"] = ["subnet-1"]
    found = by_id(compared(tmp_path, {"a": NETWORK, "b": STORAGE}, {"a": less, "b": free}))
    assert (found["Out"].verdict, found["Out"].kind) == ("refused", "removed")
    assert "b imported it" in found["Out"].effects[0].message
    assert "cdk deploy --exclusively b" in found["Out"].effects[0].hint


def test_an_export_of_what_is_replaced_cannot_be_updated(tmp_path):
    new = copy.deepcopy(NETWORK)
    new["Resources"]["Subnet"]["Properties"]["CidrBlock"] = "10.0.9.0/24"
    found = by_id(compared(tmp_path, {"a": NETWORK, "b": STORAGE}, {"a": new, "b": STORAGE}))
    assert found["Subnet"].verdict == "replaces"
    assert found["Out"].verdict == "refused"
    assert "another value" in found["Out"].effects[0].message
    assert "Fsx" not in found


@pytest.mark.parametrize(
    ("name", "verdict"), [("subnet", "cannot-be-told"), ("a:ExportsOutputRefSubnet", "safe")]
)
def test_who_else_imports_an_export_is_known_only_of_the_cdks_own(tmp_path, name, verdict):
    old = copy.deepcopy(NETWORK)
    old["Outputs"]["Out"]["Export"]["Name"] = name
    less = {"Resources": NETWORK["Resources"]}
    assert by_id(compared(tmp_path, {"a": old}, {"a": less}))["Out"].verdict == verdict


def test_an_export_that_comes_and_an_output_for_readers_are_safe(tmp_path):
    less = {"Resources": NETWORK["Resources"], "Outputs": {"Id": {"Value": "a"}}}
    more = NETWORK | {"Outputs": NETWORK["Outputs"] | {"Id": {"Value": "b"}}}
    found = by_id(compared(tmp_path, {"a": less}, {"a": more}))
    assert (found["Out"].verdict, found["Id"].verdict) == ("safe", "safe")


def test_a_stack_that_goes_stays_deployed_with_its_data(tmp_path):
    found = compared(tmp_path, {"a": NETWORK, "b": STORAGE}, {"a": NETWORK})
    (change,) = found.changes
    assert (change.stack, change.kind, change.verdict) == ("b", "removed", "destroys-data")
    assert "stays, and is charged for" in change.effects[0].message
    assert change.effects[0].data == "lost"


def test_a_stack_that_goes_with_a_kept_file_system_loses_nothing(tmp_path):
    kept = copy.deepcopy(STORAGE)
    kept["Resources"]["Fsx"]["DeletionPolicy"] = "Retain"
    (change,) = compared(tmp_path, {"a": NETWORK, "b": kept}, {"a": NETWORK}).changes
    assert (change.verdict, change.effects[0].data) == ("interrupts", "stays behind")


def test_a_new_stack_is_safe(tmp_path):
    (change,) = compared(tmp_path, {"a": NETWORK}, {"a": NETWORK, "b": STORAGE}).changes
    assert (change.stack, change.kind, change.verdict) == ("b", "added", "safe")


@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        (STORAGE, "destroys-data"),
        (NODES, "replaces-nodes"),
        (NETWORK, "replaces"),
        (KEY, "replaces"),
    ],
)
def test_a_renamed_stack_is_another_one(tmp_path, body, verdict):
    (change,) = compared(tmp_path, {"one-x": body}, {"two-x": body}).changes
    assert (change.kind, change.verdict, change.stack) == ("moved", verdict, "one-x")
    assert "from one-x to two-x" in change.effects[0].message


@pytest.mark.parametrize("place", [{"region": "us-west-2"}, {"account": "123456789012"}])
def test_another_region_or_account_makes_all_of_it_again(tmp_path, place):
    (tmp_path / "old").mkdir()
    (tmp_path / "new").mkdir()
    old, new = stacks(tmp_path / "old", a=STORAGE), stacks(tmp_path / "new", a=STORAGE)
    old[0].region, old[0].account = "us-east-2", "111122223333"
    new[0].region, new[0].account = "us-east-2", "111122223333"
    for key, value in place.items():
        setattr(new[0], key, value)
    (change,) = compare_stacks(old, new).changes
    assert (change.kind, change.verdict) == ("moved", "destroys-data")
    assert next(iter(place.values())) in change.effects[0].message


def test_a_file_system_that_moves_to_another_stack_is_a_move(tmp_path):
    other = {"Resources": {"Topic": {"Type": "AWS::SNS::Topic"}}}
    both = {"Resources": other["Resources"] | STORAGE["Resources"]}
    old = {"a": both, "b": NETWORK}
    new = {"a": other, "b": NETWORK | {"Resources": NETWORK["Resources"] | STORAGE["Resources"]}}
    (change,) = compared(tmp_path, old, new).changes
    assert (change.kind, change.verdict) == ("moved", "destroys-data")
    assert "of stack b" in change.effects[0].message


def test_termination_protection_that_is_switched_off_is_said(tmp_path):
    (tmp_path / "old").mkdir()
    (tmp_path / "new").mkdir()
    old, new = stacks(tmp_path / "old", a=NETWORK), stacks(tmp_path / "new", a=NETWORK)
    old[0].protected, new[0].protected = True, False
    (change,) = compare_stacks(old, new).changes
    assert change.effects[0].message.startswith("weaker protection")


PARAMETER = """
Parameters:
  Subnet: {Type: 'AWS::EC2::Subnet::Id', Default: subnet-1}
  Image: {Type: 'AWS::SSM::Parameter::Value<AWS::EC2::Image::Id>', Default: /image}
Resources:
  Node:
    Type: AWS::EC2::Instance
    Properties: {ImageId: !Ref Image, SubnetId: !Ref Subnet}
"""


def test_another_default_is_judged_as_if_it_were_taken(tmp_path):
    found = by_id(compare(tmp_path, PARAMETER, PARAMETER.replace("subnet-1", "subnet-2")))
    assert found["Node"].verdict == "replaces-nodes"
    assert found["Subnet"].verdict == "safe"
    assert "leaves the deployed stack with the old one" in found["Subnet"].effects[0].message


def test_a_parameter_without_default_is_the_same_whatever_it_is(tmp_path):
    text = PARAMETER.replace(", Default: subnet-1", "")
    assert compare(tmp_path, text, text).changes == ()


def test_ami_03_what_is_looked_up_at_every_deployment_is_noted(tmp_path):
    found = compare(tmp_path, PARAMETER, PARAMETER)
    assert found.changes == ()
    assert len(found.notes) == 1
    assert "Image is read from Systems Manager at every deployment" in found.notes[0]


def weak(stack="a", output="Out"):
    """A file system whose subnet is read from another stack's output when it is deployed."""
    ids = [{"Fn::GetStackOutput": {"StackName": stack, "OutputName": output}}]
    return {"Resources": {"Fsx": LUSTRE | {"Properties": {"SubnetIds": ids}}}}


def test_what_reads_another_stacks_output_follows_it(tmp_path):
    """Nothing refuses here, since there is no export: the data is lost at the next deployment."""
    network = {"Resources": {"Subnet": SUBNET}, "Outputs": {"Out": {"Value": {"Ref": "Subnet"}}}}
    passed_on = {
        "Resources": {"Topic": {"Type": "AWS::SNS::Topic"}},
        "Outputs": {
            "On": {"Value": {"Fn::GetStackOutput": {"StackName": "a", "OutputName": "Out"}}}
        },
    }
    new = copy.deepcopy(network)
    new["Resources"]["Subnet"]["Properties"]["CidrBlock"] = "10.0.9.0/24"
    others = {"b": weak(), "c": passed_on}
    found = compared(
        tmp_path, {"z": NODES, **others, "a": network}, {"z": NODES, **others, "a": new}
    )
    changes = by_id(found)
    assert changes["Fsx"].verdict == "destroys-data"
    assert changes["Fsx"].properties[0].indirect
    (tmp_path / "again").mkdir()
    chain = {"b": weak("c", "On"), "c": passed_on}
    found = compared(tmp_path / "again", {**chain, "a": network}, {**chain, "a": new})
    assert by_id(found)["Fsx"].verdict == "destroys-data"


def test_a_long_chain_of_stacks_looks_at_each_output_once(tmp_path, monkeypatch):
    monkeypatch.setattr(normal_form, "_MAX_VALUES", 60)
    chain = {"s00": {"Resources": {"Subnet": SUBNET}, "Outputs": {"Out": {"Value": "one"}}}}
    for number in range(1, 30):
        before = {"Fn::GetStackOutput": {"StackName": f"s{number - 1:02}", "OutputName": "Out"}}
        chain[f"s{number:02}"] = {
            "Resources": {"Topic": {"Type": "AWS::SNS::Topic"}},
            "Outputs": {"Out": {"Value": before}},
        }
    chain["end"] = weak("s29")
    new = copy.deepcopy(chain)
    new["s00"]["Outputs"]["Out"]["Value"] = "two"
    assert by_id(compared(tmp_path, chain, new))["Fsx"].verdict == "destroys-data"


def test_what_takes_a_value_from_a_nested_stack_that_changes_cannot_be_told(tmp_path):
    text = """
Resources:
  Inner: {Type: AWS::CloudFormation::Stack, Properties: {TemplateURL: one}}
  Fsx:
    Type: AWS::FSx::FileSystem
    Properties: {FileSystemType: LUSTRE, SubnetIds: [!GetAtt Inner.Outputs.Subnet]}
  Link:
    Type: AWS::FSx::DataRepositoryAssociation
    Properties: {FileSystemId: !Ref Fsx, FileSystemPath: /a, DataRepositoryPath: s3://example}
  Topic: {Type: AWS::SNS::Topic, Properties: {DisplayName: !GetAtt Inner.Outputs.Name}}
"""
    found = by_id(compare(tmp_path, text, text.replace("one", "two")))
    assert {key: change.verdict for key, change in found.items()} == {
        "Inner": "cannot-be-told",
        "Fsx": "cannot-be-told",
        "Link": "cannot-be-told",
    }
    assert "may have another value" in found["Fsx"].effects[0].message
