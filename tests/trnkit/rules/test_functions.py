"""What intrinsic functions stand for, as far as that is known before a deployment."""

# One case a line, however long.
# ruff: noqa: E501

from __future__ import annotations

from typing import Any

import pytest

from trnkit.rules import UNKNOWN, StackSet, Template

REGION = {"Ref": "AWS::Region"}
NOTHING = {"Ref": "AWS::NoValue"}
NOBODY = {"Ref": "Nobody"}
BODY: dict[str, Any] = {
    "Parameters": {"One": {"Type": "String", "AllowedValues": ["one"]}, "Any": {"Type": "String"}},
    "Conditions": {
        "Yes": {"Fn::Equals": ["a", "a"]},
        "No": {"Fn::Not": [{"Condition": "Yes"}]},
        "Maybe": {"Fn::Equals": [{"Ref": "Any"}, "x"]},
    },
    "Resources": {
        "Vpc": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.1.0.0/16"}},
        "Round": {
            "Type": "AWS::EC2::VPC",
            "Properties": {"CidrBlock": {"Fn::GetAtt": ["Round", "CidrBlock"]}},
        },
        "Pool": {"Type": "AWS::EC2::VPC", "Properties": {"Ipv4IpamPoolId": "pool"}},
    },
    "Mappings": {
        "Zones": {
            "us-east-2": {"zone": "use2-az3", "cards": "16", "list": ["a", "b"]},
            "us-west-2": {"zone": "usw2-az4", "cards": "16", "list": ["a", "b"]},
        },
    },
}
CASES: list[tuple[str, Any, Any]] = [
    ("If, true", {"Fn::If": ["Yes", "a", "b"]}, "a"),
    ("If, false", {"Fn::If": ["No", "a", "b"]}, "b"),
    ("If, false to nothing", {"Fn::If": ["No", "a", NOTHING]}, None),
    ("If in If", {"Fn::If": ["Yes", {"Fn::If": ["No", "a", "b"]}, "c"]}, "b"),
    ("If, not known", {"Fn::If": ["Maybe", "a", "b"]}, UNKNOWN),
    ("If, no such condition", {"Fn::If": ["Nobody", "a", "b"]}, UNKNOWN),
    ("If, too few", {"Fn::If": ["Yes", "a"]}, UNKNOWN),
    ("If, of a list", {"Fn::If": [["Yes"], "a", "b"]}, UNKNOWN),
    ("map", {"Fn::FindInMap": ["Zones", "us-east-2", "zone"]}, "use2-az3"),
    ("map by parameter", {"Fn::FindInMap": ["Zones", {"Fn::Sub": "us-east-2"}, "zone"]}, "use2-az3"),
    ("map by Region, all the same", {"Fn::FindInMap": ["Zones", REGION, "cards"]}, "16"),
    ("map by Region, all the same list", {"Fn::FindInMap": ["Zones", REGION, "list"]}, ["a", "b"]),
    ("map by Region, others", {"Fn::FindInMap": ["Zones", REGION, "zone"]}, UNKNOWN),
    ("map, no such key", {"Fn::FindInMap": ["Zones", "mars-1", "zone"]}, UNKNOWN),
    ("map by nobody", {"Fn::FindInMap": ["Zones", NOBODY, "zone"]}, UNKNOWN),
    ("map with default, there", {"Fn::FindInMap": ["Zones", "us-east-2", "zone", {"DefaultValue": "z"}]}, "use2-az3"),
    ("map with default, not there", {"Fn::FindInMap": ["Zones", "mars-1", "zone", {"DefaultValue": "z"}]}, "z"),
    ("map by Region with default", {"Fn::FindInMap": ["Zones", REGION, "cards", {"DefaultValue": "8"}]}, UNKNOWN),
    ("map by Region with the same default", {"Fn::FindInMap": ["Zones", REGION, "cards", {"DefaultValue": "16"}]}, "16"),
    ("map by Region, missing, with default", {"Fn::FindInMap": ["Zones", REGION, "no", {"DefaultValue": "8"}]}, "8"),
    ("select of split", {"Fn::Select": [1, {"Fn::Split": [",", "a,b,c"]}]}, "b"),
    ("select of split, not known", {"Fn::Select": [1, {"Fn::Split": [",", NOBODY]}]}, UNKNOWN),
    ("select of zones", {"Fn::Select": [0, {"Fn::GetAZs": ""}]}, UNKNOWN),
    ("select of nothing", {"Fn::Select": [0, [NOTHING]]}, UNKNOWN),
    ("split", {"Fn::Split": ["-", "a-b"]}, ["a", "b"]),
    ("split by nothing", {"Fn::Split": ["", "a-b"]}, UNKNOWN),
    ("join of split", {"Fn::Join": ["+", {"Fn::Split": [",", "a,b"]}]}, "a+b"),
    ("length", {"Fn::Length": ["a", "b"]}, 2),
    ("length of split", {"Fn::Length": {"Fn::Split": [",", "a,b,c"]}}, 3),
    ("length with a branch", {"Fn::Length": ["a", {"Fn::If": ["No", "b", NOTHING]}]}, 1),
    ("length with a branch not known", {"Fn::Length": ["a", {"Fn::If": ["Maybe", "b", NOTHING]}]}, UNKNOWN),
    ("length of nobody", {"Fn::Length": NOBODY}, UNKNOWN),
    ("JSON", {"Fn::ToJsonString": {"a": [1, {"Fn::Sub": "x"}], "b": NOTHING}}, '{"a":[1,"x"]}'),
    ("JSON, not known", {"Fn::ToJsonString": {"a": NOBODY}}, UNKNOWN),
    ("blocks", {"Fn::Cidr": ["10.0.0.0/16", 2, 8]}, ["10.0.0.0/24", "10.0.1.0/24"]),
    ("blocks of texts", {"Fn::Select": ["1", {"Fn::Cidr": ["10.0.0.0/16", "4", "12"]}]}, "10.0.16.0/20"),
    ("blocks of IPv6", {"Fn::Select": [1, {"Fn::Cidr": ["2001:db8::/56", 2, 64]}]}, "2001:db8:0:1::/64"),
    ("blocks of a VPC", {"Fn::Select": [1, {"Fn::Cidr": [{"Fn::GetAtt": ["Vpc", "CidrBlock"]}, 2, 8]}]}, "10.1.1.0/24"),
    ("blocks of a VPC of itself", {"Fn::Cidr": [{"Fn::GetAtt": "Round.CidrBlock"}, 2, 8]}, UNKNOWN),
    ("blocks of a VPC of a pool", {"Fn::Cidr": [{"Fn::GetAtt": "Pool.CidrBlock"}, 2, 8]}, UNKNOWN),
    ("too many blocks", {"Fn::Cidr": ["10.0.0.0/24", 2, 8]}, UNKNOWN),
    ("blocks of nobody", {"Fn::Cidr": [NOBODY, 2, 8]}, UNKNOWN),
    ("blocks beyond measure", {"Fn::Cidr": ["10.0.0.0/8", 999999, 0]}, UNKNOWN),
    ("Sub", {"Fn::Sub": "${One}-${!Two}"}, "one-${Two}"),
    ("Sub with values", {"Fn::Sub": ["${a}${One}", {"a": {"Ref": "One"}}]}, "oneone"),
    ("Sub, not known", {"Fn::Sub": "${Any}"}, UNKNOWN),
    ("Sub of an attribute", {"Fn::Sub": "${Nobody.Arn}"}, UNKNOWN),
    ("transform", {"Fn::Transform": {"Name": "X"}}, UNKNOWN),
]  # fmt: skip


@pytest.mark.parametrize(
    ("raw", "expected"), [(raw, value) for _, raw, value in CASES], ids=[n for n, *_ in CASES]
)
def test_a_function_stands_for_its_value(raw: Any, expected: Any):
    stack = Template("one", "one.yaml", BODY)
    StackSet([stack])
    assert stack.resolve(raw) == expected


def test_a_mapping_of_regions_is_exact_where_the_region_is_known():
    stack = Template("one", "one.yaml", BODY, "us-west-2")
    StackSet([stack])
    assert stack.resolve({"Fn::FindInMap": ["Zones", REGION, "zone"]}) == "usw2-az4"


def test_a_text_kept_in_systems_manager_by_one_template_is_read_by_another():
    made = {
        "Resources": {
            "Kept": {
                "Type": "AWS::SSM::Parameter",
                "Properties": {"Name": "/efa/type", "Type": "String", "Value": "trn2.48xlarge"},
            }
        }
    }
    one, two = Template("one", "one", made, "us-east-2"), Template("two", "two", {}, "us-east-2")
    StackSet([one, two])
    assert two.resolve("{{resolve:ssm:/efa/type}}") == "trn2.48xlarge"
    assert two.resolve("{{resolve:ssm:/efa/type:3}}") is UNKNOWN
    assert two.resolve("{{resolve:ssm-secure:/efa/type}}") is UNKNOWN
    twice = [Template(name, name, made, "us-east-2") for name in ("a", "b")]
    StackSet([*twice, three := Template("three", "three", {}, "us-east-2")])
    assert three.resolve("{{resolve:ssm:/efa/type}}") is UNKNOWN


def test_a_parameter_kept_in_systems_manager_in_a_circle_is_not_known():
    body = {
        "Resources": {
            "Kept": {
                "Type": "AWS::SSM::Parameter",
                "Properties": {"Name": "/a", "Value": "{{resolve:ssm:/a}}"},
            }
        }
    }
    one = Template("one", "one", body)
    StackSet([one])
    assert one.resolve("{{resolve:ssm:/a}}") is UNKNOWN
