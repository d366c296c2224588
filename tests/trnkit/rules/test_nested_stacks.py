"""Nested stacks, loops and macros: what is seen through, and what silences a rule."""

# One case a line, however long.
# ruff: noqa: E501

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
import yaml

from tests.trnkit.rules.judging import judge_template, of_rule, severities
from tests.trnkit.rules.templates import (
    Body,
    interface,
    nodes,
    older,
    rule,
    security_group,
    template,
)
from trnkit.rules import StackSet, Template, TemplateRule, check_templates, list_rules

A = {"Fn::GetAtt": ["A", "GroupId"]}
GROUP = {"Ref": "Group"}
IN, OUT = rule("Ingress", A, A), rule("Egress", A, A)


def stack(url: str, metadata: str | None = None, **parameters: Any) -> Body:
    entry = {
        "Type": "AWS::CloudFormation::Stack",
        "Properties": {"TemplateURL": url, "Parameters": parameters},
    }
    return {**entry, "Metadata": {"aws:asset:path": metadata}} if metadata else entry


def judged(**bodies: Body) -> tuple[Any, ...]:
    files = {name: f"infra/{name.replace('_', '/')}.yaml" for name in bodies}
    return check_templates(StackSet([Template(n, files[n], b) for n, b in bodies.items()]))


PARENT = template(A=security_group(), In=IN, Nodes=stack("./child.yaml", Group=A))
CHILD = {
    **template(Nodes=nodes(None, [interface(0, 0, "efa", Groups=[GROUP])])),
    "Parameters": {"Group": {"Type": "AWS::EC2::SecurityGroup::Id"}},
}
RULES_OF_CHILD = {
    **template(Out=rule("Egress", GROUP, GROUP)),
    "Parameters": {"Group": {"Type": "String"}},
}


def test_a_nested_stack_is_judged_with_what_its_parent_gives_it():
    found = of_rule("TRN151", judged(parent=PARENT, child=CHILD))
    assert [(f.file, f.logical_id) for f in found] == [("infra/child.yaml", "Nodes")]
    assert "lacks the rule out to itself" in found[0].message
    whole = deepcopy(PARENT)
    whole["Resources"]["Out"] = OUT
    assert severities("TRN151", judged(parent=whole, child=CHILD)) == []


def test_rules_made_in_a_nested_stack_count():
    parent = deepcopy(PARENT)
    parent["Resources"]["Rules"] = stack("rules.yaml", Group=A)
    assert severities("TRN151", judged(parent=parent, child=CHILD, rules=RULES_OF_CHILD)) == []


def test_a_group_given_to_a_nested_stack_that_is_not_there_may_have_rules():
    parent = deepcopy(PARENT)
    parent["Resources"]["Rules"] = stack("https://example.com/rules.yaml", Group=A)
    assert severities("TRN151", judged(parent=parent, child=CHILD)) == []


@pytest.mark.parametrize(
    "kind",
    [
        "Custom::SelfRule",
        "AWS::CloudFormation::CustomResource",
        "My::Efa::Group::MODULE",
        "Third::Party::Rule",
    ],
)
def test_a_group_given_to_what_we_cannot_see_into_may_have_rules(kind: str):
    body = template(
        A=security_group(),
        In=IN,
        Nodes=nodes(None, [interface(0, 0, "efa", Groups=[A])]),
        Other=(kind, {"GroupId": A}),
    )
    assert severities("TRN151", judge_template(body)) == []
    del body["Resources"]["Other"]["Properties"]["GroupId"]
    assert severities("TRN151", judge_template(body)) == ["error"]


def test_an_output_of_a_nested_stack_is_its_value():
    parent = template(
        Group=stack("child.yaml"),
        Nodes=nodes(
            None, [interface(0, 0, "efa", Groups=[{"Fn::GetAtt": ["Group", "Outputs.Id"]}])]
        ),
    )
    child = {**template(A=security_group(), In=IN), "Outputs": {"Id": {"Value": A}}}
    assert severities("TRN151", judged(parent=parent, child=child)) == ["error"]
    child["Resources"]["Out"] = OUT
    assert severities("TRN151", judged(parent=parent, child=child)) == []


def test_a_nested_stack_of_the_cdk_is_named_by_its_metadata():
    url = {"Fn::Sub": "https://s3.${AWS::Region}.example.com/x.json"}
    parent = template(A=security_group(), In=IN, Nodes=stack("x", metadata="child.yaml", Group=A))
    parent["Resources"]["Nodes"]["Properties"]["TemplateURL"] = url
    assert severities("TRN151", judged(parent=parent, child=CHILD)) == ["error"]


def test_a_parameter_that_the_parent_does_not_give_has_its_default_for_certain():
    child = {
        **template(Nodes=nodes({"Ref": "Kind"}, older(9))),
        "Parameters": {"Kind": {"Type": "String", "Default": "trn1.32xlarge"}},
    }
    assert severities("TRN251", judged(child=child)) == ["warning"]
    assert severities(
        "TRN251", judged(parent=template(Nodes=stack("child.yaml")), child=child)
    ) == ["error"]
    other = template(
        Nodes=stack("child.yaml", Kind="trn1.2xlarge"), More=stack("child.yaml", Kind="p5.48xlarge")
    )
    (found,) = of_rule("TRN251", judged(parent=other, child=child))
    assert "trn1.2xlarge has none" in found.message


def test_a_condition_of_a_nested_stack_follows_the_parent():
    child = {
        **template(Nodes=nodes({"Fn::If": ["Large", "trn2.48xlarge", "trn1.32xlarge"]}, older(16))),
        "Parameters": {"Size": {"Type": "String"}},
        "Conditions": {"Large": {"Fn::Equals": [{"Ref": "Size"}, "large"]}},
    }
    assert (
        severities(
            "TRN251", judged(parent=template(S=stack("child.yaml", Size="large")), child=child)
        )
        == []
    )
    assert severities(
        "TRN251", judged(parent=template(S=stack("child.yaml", Size="small")), child=child)
    ) == ["error"]
    parent = {
        **template(S=stack("child.yaml", Size={"Ref": "Size"})),
        "Parameters": {"Size": {"Type": "String", "AllowedValues": ["large", "small"]}},
    }
    (found,) = of_rule("TRN251", judged(parent=parent, child=child))
    assert found.message.endswith("(when Large does not hold)")


def test_what_a_nested_stack_makes_is_made_when_it_is():
    rules = {**stack("rules.yaml", Group=A), "Condition": "Ruled"}
    parent = {
        **template(
            A=security_group(),
            In=IN,
            Rules=rules,
            Nodes=nodes(None, [interface(0, 0, "efa", Groups=[A])]),
        ),
        "Parameters": {"P": {"Type": "String"}},
        "Conditions": {"Ruled": {"Fn::Equals": [{"Ref": "P"}, "yes"]}},
    }
    (found,) = of_rule("TRN151", judged(parent=parent, rules=RULES_OF_CHILD))
    assert found.message.endswith("(when Ruled does not hold)")
    parent["Conditions"]["Ruled"] = {"Fn::Equals": ["yes", "yes"]}
    assert severities("TRN151", judged(parent=parent, rules=RULES_OF_CHILD)) == []


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_nested_stacks_in_circles_end(depth: int):
    names = [f"s{number}" for number in range(depth)]
    bodies = {
        name: template(
            Next=stack(f"s{(number + 1) % depth}.yaml", P={"Fn::GetAtt": ["Next", "Outputs.O"]})
        )
        for number, name in enumerate(names)
    }
    for body in bodies.values():
        body["Parameters"] = {"P": {"Type": "String"}}
        body["Outputs"] = {"O": {"Value": {"Ref": "P"}}}
        body["Resources"]["Nodes"] = nodes({"Ref": "P"}, older(16))
    assert severities("TRN251", judged(**bodies)) == []


LOOP = """
Transform: AWS::LanguageExtensions
Parameters: {Names: {Type: CommaDelimitedList, Default: "c,d"}}
Resources:
  Fn::ForEach::Groups:
    - Kind
    - COLLECTION
    - "Nodes${Kind}":
        Type: AWS::EC2::LaunchTemplate
        Properties:
          LaunchTemplateData:
            InstanceType: {Fn::FindInMap: [Types, {Ref: Kind}, Type]}
            NetworkInterfaces:
              - {DeviceIndex: 0, NetworkCardIndex: 0, InterfaceType: efa, Groups: [{"Fn::GetAtt": ["Sg${Kind}", GroupId]}]}
      "Sg${Kind}": {Type: AWS::EC2::SecurityGroup, Properties: {GroupDescription: "${Kind}", VpcId: vpc-1}}
      "In${Kind}":
        Type: AWS::EC2::SecurityGroupIngress
        Properties: {GroupId: {Ref: "Sg${Kind}"}, IpProtocol: "-1", SourceSecurityGroupId: {Ref: "Sg${Kind}"}}
Mappings: {Types: {a: {Type: trn1.32xlarge}, b: {Type: trn2.48xlarge}, c: {Type: trn2.48xlarge}, d: {Type: trn2.48xlarge}}}
"""


def test_a_loop_is_written_out_and_its_place_is_told():
    found = of_rule("TRN251", judge_template(LOOP.replace("COLLECTION", "[a, b]")))
    assert [(f.logical_id, f.path) for f in found] == [
        (
            f"Nodes{kind}",
            "/Resources/Fn::ForEach::Groups/2/Nodes${Kind}/Properties/LaunchTemplateData/NetworkInterfaces",
        )
        for kind in ("a", "b")
    ]
    assert severities("TRN151", judge_template(LOOP.replace("COLLECTION", "[a, b]"))) == [
        "error",
        "error",
    ]


def test_a_loop_over_a_parameter_is_known_with_its_default_only():
    found = of_rule("TRN251", judge_template(LOOP.replace("COLLECTION", "{Ref: Names}")))
    assert [f.logical_id for f in found] == ["Nodesc", "Nodesd"]
    assert all(f.message.endswith("(with the parameters' defaults)") for f in found)


def test_a_loop_over_what_is_not_known_is_left_alone():
    assert judge_template(LOOP.replace("COLLECTION", "{Ref: Nobody}")) == ()


def test_loops_in_loops_and_in_properties_are_written_out():
    body = yaml.safe_load("""
    Transform: [AWS::LanguageExtensions]
    Resources:
      Fn::ForEach::Outer:
        - A
        - [x, y]
        - Fn::ForEach::Inner:
            - B
            - ["1", "2.5"]
            - "Topic${A}&{B}":
                Type: AWS::SNS::Topic
                Properties:
                  TopicName: {Fn::Sub: "${A}-${B}"}
                  Fn::ForEach::More: [P, [DisplayName], {"${P}": "${B}"}]
    """)
    stack_set = StackSet([Template("one", "one", body)])
    topics = {
        r.logical_id: (r.get("TopicName"), r.get("DisplayName")) for r in stack_set.resources()
    }
    assert topics == {
        "Topicx1": ("x-1", "1"),
        "Topicx25": ("x-2.5", "2.5"),
        "Topicy1": ("y-1", "1"),
        "Topicy25": ("y-2.5", "2.5"),
    }


def test_loops_that_never_end_come_to_an_end():
    inner: Any = {"T${A}": {"Type": "AWS::SNS::Topic"}}
    for number in range(12):
        inner = {f"Fn::ForEach::L{number}": ["A", [str(n) for n in range(40)], inner]}
    body = {"Transform": "AWS::LanguageExtensions", "Resources": inner}
    assert judge_template(body) == ()


MISSING = template(
    A=security_group(),
    In=IN,
    Nodes=nodes("trn1.2xlarge", [interface(0, 0, "efa", Groups=[A])], ImageId="ami-1"),
)


@pytest.mark.parametrize(
    ("more", "is_told"),
    [
        ({}, True),
        ({"Transform": "AWS::LanguageExtensions"}, True),
        ({"Transform": "AWS::Serverless-2016-10-31"}, True),
        ({"Transform": ["AWS::Serverless-2016-10-31", "AWS::LanguageExtensions"]}, True),
        ({"Transform": "MyMacro"}, False),
        ({"Transform": ["AWS::LanguageExtensions", "MyMacro"]}, False),
        ({"Transform": [{"Name": "MyMacro", "Parameters": {}}]}, False),
        ({"Transform": {"Name": "AWS::Include", "Parameters": {"Location": "s3://b/x"}}}, False),
        ({"Fn::Transform": {"Name": "AWS::Include"}}, False),
        ({"Outputs": {"Fn::Transform": {"Name": "AWS::Include"}}}, False),
        ({"Transform": 7}, False),
    ],
)
def test_nothing_is_missing_where_a_macro_may_make_it(more: Body, is_told: bool):
    body = {**deepcopy(MISSING), **more}
    assert bool(severities("TRN151", judge_template(body))) is is_told


def test_resources_of_an_include_may_be_there():
    body = deepcopy(MISSING)
    body["Resources"]["Fn::Transform"] = {"Name": "AWS::Include", "Parameters": {"Location": "x"}}
    assert severities("TRN151", judge_template(body)) == []


def test_a_macro_may_add_properties_but_what_is_written_is_judged():
    bare = template(Nodes=nodes("trn1.32xlarge", older(8)))
    assert severities("TRN254", judge_template(bare))
    assert not severities("TRN254", judge_template({**bare, "Transform": "MyMacro"}))
    wrong = {**template(Nodes=nodes("trn1.32xlarge", older(9))), "Transform": "MyMacro"}
    assert severities("TRN251", judge_template(wrong)) == ["error"]


def test_properties_of_an_include_may_be_there():
    body = template(Nodes=nodes("trn1.32xlarge", older(8)))
    data = body["Resources"]["Nodes"]["Properties"]["LaunchTemplateData"]
    data["Fn::Transform"] = {"Name": "AWS::Include"}
    assert judge_template(body) == ()


@pytest.mark.parametrize("judged_rule", list_rules("template"), ids=lambda r: r.id)
def test_a_rule_that_fires_when_a_resource_is_missing_says_so(judged_rule: TemplateRule):
    """So that it is not asked where a macro may make the resource."""
    good = yaml.safe_load(judged_rule.good)
    for name in good["Resources"]:
        cut = deepcopy(good)
        del cut["Resources"][name]
        region, is_named, _ = judged_rule.good.partition("\n")
        text = (region + is_named if region.startswith("#") else "") + yaml.safe_dump(cut)
        if of_rule(judged_rule.id, judge_template(text)):
            assert judged_rule.judges_absence, f"without {name}"
