"""The proof, from inventories and readers made for the purpose, and once from a running server."""

from __future__ import annotations

import copy
import json
import time
from typing import Any

import pytest

from trnkit.emulation.borrowed import errors
from trnkit.emulation.process import EmulatedAws, EmulationError, emulated_aws
from trnkit.emulation.resources.resource import Proof
from trnkit.operations.rehearsal import proof
from trnkit.operations.rehearsal.proof import Outcome, ProofOfStacks, proof_of, prove

REGION = "us-east-2"
TYPE = "AWS::Test::Thing"


class Reader:
    """A type whose service tells what the test says."""

    proof = Proof.SERVICE

    def __init__(self, told: Any, name: str = TYPE) -> None:
        self.name, self._told = name, told
        self.asked: list[tuple[Any, str, Any]] = []

    def read(self, clients, physical_id, properties):
        self.asked.append((clients, physical_id, properties))
        if isinstance(self._told, Exception):
            raise self._told
        return self._told


def clients(region: str) -> Any:
    return lambda service: f"{service} in {region}"


def stack(written: Any, resolved: Any = None, **more: Any) -> dict[str, Any]:
    """An inventory's stack with one resource ``Thing``."""
    record = {
        "type": TYPE,
        "physical_id": "thing-1",
        "properties": written if resolved is None else resolved,
        "attributes": {"Arn": "arn:thing"},
        "proof": "service state",
    }
    return {
        "name": "pretrain-Network",
        "region": REGION,
        "status": "CREATE_COMPLETE",
        "template": {"Resources": {"Thing": {"Type": TYPE, "Properties": written}}},
        "resources": {"Thing": record},
    } | more


def of(told: Any, *stacks: dict[str, Any]) -> ProofOfStacks:
    return proof_of(stacks, clients, [Reader(told)])


def test_a_resource_that_its_service_tells_so_is_proved():
    found = of({"Size": 3, "Extra": "x"}, stack({"Size": "3"}))
    (resource,) = found.resources
    assert resource.outcome is Outcome.PROVED
    assert resource.equal == ("Size",)
    assert (resource.stack, resource.region) == ("pretrain-Network", REGION)
    assert (resource.logical_id, resource.physical_id) == ("Thing", "thing-1")
    assert found.holds


def test_the_service_of_the_stacks_region_is_asked():
    reader = Reader({})
    proof_of([stack({"A": "b"})], clients, [reader])
    ((given, physical_id, properties),) = reader.asked
    assert given("ec2") == f"ec2 in {REGION}"
    assert (physical_id, properties) == ("thing-1", {"A": "b"})


def test_what_the_service_does_not_tell_is_named_and_is_no_failure():
    found = of({"Size": 3}, stack({"Size": 3, "Password": "x"}))
    assert found.resources[0].not_told == ("Password",)
    assert found.holds


def test_another_answer_differs_with_its_path():
    found = of({"Rules": [{"Port": 989}]}, stack({"Rules": [{"Port": 988}]}))
    (resource,) = found.failures
    assert resource.outcome is Outcome.DIFFERS
    (difference,) = resource.differences
    assert (difference.path, difference.expected, difference.found) == ("Rules[0].Port", 988, 989)
    assert not found.holds


def test_what_the_service_does_not_know_is_missing():
    (resource,) = of(None, stack({})).failures
    assert resource.outcome is Outcome.MISSING


def test_a_resource_that_the_stack_does_not_have_is_missing():
    one = stack({})
    one["resources"] = {}
    (resource,) = of({}, one).failures
    assert (resource.outcome, resource.logical_id) == (Outcome.MISSING, "Thing")


def test_a_resource_that_a_condition_left_out_is_not_missing():
    one = stack({})
    one["template"]["Resources"]["Other"] = {"Type": TYPE, "Condition": "No"}
    assert of({}, one).holds


def test_an_error_of_the_service_is_no_proof():
    of_service, of_parameters = errors()
    denied = of_service({"Error": {"Code": "AccessDenied", "Message": "no"}}, "GetThing")
    for error in (denied, of_parameters(report="bad")):
        (resource,) = of(error, stack({})).failures
        assert resource.outcome is Outcome.UNREADABLE
        assert resource.reason == str(error)


def test_types_without_a_service_are_listed_as_such():
    found = proof_of([stack({"A": 1})], clients, [])
    assert found.schema_only == (TYPE,)
    assert found.counts.schema_only == 1
    assert found.holds
    kept = Reader({})
    kept.proof = Proof.SCHEMA
    assert proof_of([stack({"A": 1})], clients, [kept]).schema_only == (TYPE,)
    assert kept.asked == []


def test_the_bootstrap_stack_and_deleted_stacks_are_left_out():
    bootstrap = stack({}, name=proof.BOOTSTRAP)
    gone = stack({}, status="DELETE_COMPLETE")
    found = of({}, bootstrap, gone)
    assert found.resources == ()
    assert not found.holds


@pytest.mark.parametrize(
    "status", ["ROLLBACK_COMPLETE", "CREATE_FAILED", "UPDATE_IN_PROGRESS", "REVIEW_IN_PROGRESS"]
)
def test_a_stack_that_was_not_made_fails_although_it_has_no_resources(status):
    empty = stack({}, status=status, template={}, resources={}, name="pretrain-Storage")
    found = of({}, stack({}), empty)
    assert [one.name for one in found.fallen] == ["pretrain-Storage"]
    assert found.failures == ()
    assert not found.holds


@pytest.mark.parametrize(
    ("written", "place"),
    [
        ({"A": {"Ref": "Nothing"}}, "A: Ref Nothing"),
        ({"A": [{"B": {"Ref": "Nothing"}}]}, "A[0].B: Ref Nothing"),
        ({"A": {"Fn::GetAtt": ["Nothing", "Arn"]}}, "A: Fn::GetAtt Nothing.Arn"),
        ({"A": {"Fn::GetAtt": ["Thing", "Colour"]}}, "A: Fn::GetAtt Thing.Colour"),
        ({"A": {"Fn::GetAtt": "Nothing.Arn"}}, "A: Fn::GetAtt Nothing.Arn"),
        ({"A": {"Fn::Sub": "x ${Nothing}"}}, "A: Fn::Sub Nothing"),
        ({"A": {"Fn::Sub": ["${B}", {"B": {"Ref": "Nothing"}}]}}, "A.B: Ref Nothing"),
        ({"A": {"Fn::Join": ["", ["a", {"Ref": "Nothing"}]]}}, "A.Fn::Join[1][1]: Ref Nothing"),
    ],
)
def test_a_reference_to_nothing_fails_although_the_service_agrees(written, place):
    (resource,) = of({"A": "Nothing"}, stack(written, {"A": "Nothing"})).failures
    assert resource.outcome is Outcome.UNRESOLVED
    assert resource.unresolved == (place,)


@pytest.mark.parametrize(
    "written",
    [
        {"Ref": "Thing"},
        {"Ref": "Size"},
        {"Ref": "AWS::Region"},
        {"Fn::GetAtt": ["Thing", "Arn"]},
        {"Fn::Sub": "${Thing} ${Thing.Arn} ${AWS::Region} ${Size} ${!Literal}"},
        {"Fn::Sub": ["${Mine}", {"Mine": {"Ref": "Size"}}]},
        {"Fn::GetAtt": ["LeftOut", "Arn"]},
    ],
)
def test_references_that_lead_somewhere_are_fine(written):
    one = stack({"A": written}, {"A": "x"})
    one["template"]["Parameters"] = {"Size": {"Type": "String"}}
    one["template"]["Resources"]["LeftOut"] = {"Type": TYPE, "Condition": "No"}
    assert of({"A": "x"}, one).holds


@pytest.mark.parametrize("left", [{"Ref": "X"}, {"Fn::GetAtt": ["X", "Y"]}, [{"Fn::If": []}]])
def test_a_function_left_in_resolved_properties_fails(left):
    found = of({"A": left}, stack({"A": "text"}, {"A": left}))
    assert found.failures[0].outcome is Outcome.UNRESOLVED


def test_a_property_that_the_engine_lost_fails():
    found = of({"A": 1}, stack({"A": 1, "B": 2}, {"A": 1}))
    assert found.failures[0].unresolved == ("B",)


def test_a_property_without_a_value_may_be_gone():
    written = {"A": 1, "B": {"Ref": "AWS::NoValue"}, "C": {"Fn::If": ["No", 1, 2]}}
    assert of({"A": 1}, stack(written, {"A": 1})).holds


def test_a_difference_is_not_hidden_by_a_reference_to_nothing():
    found = of({"A": 2}, stack({"A": {"Ref": "Nothing"}}, {"A": 1}))
    assert found.failures[0].outcome is Outcome.DIFFERS
    assert found.failures[0].unresolved


def test_counts_of_stacks_and_types_add_up():
    good, bad = stack({"A": 1}), stack({"A": 2}, name="pretrain-Compute")
    other = stack({"A": 1, "B": 1}, region="us-east-1")
    other["resources"]["Thing"]["type"] = "AWS::Test::Unknown"
    found = of({"A": 1}, good, bad, other)
    assert found.counts.resources == 3
    assert list(found.by_stack()) == [
        "us-east-1/pretrain-Network",
        "us-east-2/pretrain-Compute",
        "us-east-2/pretrain-Network",
    ]
    compute = found.by_stack()["us-east-2/pretrain-Compute"]
    assert (compute.proved, compute.failed, compute.differing) == (0, 1, 1)
    kinds = found.by_type()
    assert (kinds[TYPE].proved, kinds[TYPE].failed, kinds[TYPE].equal) == (1, 1, 1)
    assert kinds["AWS::Test::Unknown"].schema_only == 1
    for groups in (found.by_stack(), kinds):
        assert sum(counts.resources for counts in groups.values()) == found.counts.resources


def test_results_do_not_change():
    found = of({}, stack({}))
    with pytest.raises(AttributeError):
        found.resources[0].outcome = Outcome.PROVED
    assert copy.copy(found) == found


TEMPLATE = {
    "Resources": {
        "Vpc": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.0.0.0/16"}},
        "Group": {
            "Type": "AWS::EC2::SecurityGroup",
            "Properties": {"GroupDescription": "nodes", "VpcId": {"Ref": "Vpc"}},
        },
        "Role": {
            "Type": "AWS::IAM::Role",
            "Properties": {
                "AssumeRolePolicyDocument": {
                    "Version": "2012-10-17",
                    "Statement": [
                        {
                            "Effect": "Allow",
                            "Principal": {"Service": "ec2.amazonaws.com"},
                            "Action": "sts:AssumeRole",
                        }
                    ],
                }
            },
        },
    }
}


def test_a_running_server_is_asked_and_a_change_by_hand_is_found():
    with emulated_aws("111122223333") as aws:
        cloudformation = aws.clients(REGION)("cloudformation")
        cloudformation.create_stack(
            StackName="x", TemplateBody=json.dumps(TEMPLATE), Capabilities=["CAPABILITY_IAM"]
        )
        end = time.monotonic() + 20
        while time.monotonic() < end:
            (told,) = cloudformation.describe_stacks(StackName="x")["Stacks"]
            if told["StackStatus"] != "CREATE_IN_PROGRESS":
                break
            time.sleep(0.05)
        found = prove(aws)
        assert found.failures == ()
        assert {resource.logical_id for resource in found.resources} == set(TEMPLATE["Resources"])
        assert found.holds
        role = cloudformation.describe_stack_resource(StackName="x", LogicalResourceId="Role")
        name = role["StackResourceDetail"]["PhysicalResourceId"]
        other = json.dumps(TEMPLATE["Resources"]["Role"]["Properties"]["AssumeRolePolicyDocument"])
        iam = aws.clients(REGION)("iam")
        iam.update_assume_role_policy(RoleName=name, PolicyDocument=other.replace("ec2", "fsx"))
        (changed,) = prove(aws).failures
        (difference,) = changed.differences
        assert difference.path.startswith("AssumeRolePolicyDocument.Statement[0].Principal.Service")
        assert (difference.expected, difference.found) == ("ec2.amazonaws.com", "fsx.amazonaws.com")


def test_a_server_that_is_gone_is_an_error_of_ours(tmp_path):
    aws = EmulatedAws("http://127.0.0.1:9", "111122223333", tmp_path, None)  # type: ignore[arg-type]
    with pytest.raises(EmulationError, match="does not answer: Connection refused"):
        prove(aws)
