"""What is written otherwise and is the same is no change."""

from __future__ import annotations

import pytest

from tests.trnkit.operations.changes.comparing import compare
from trnkit.errors import UnreadableInputError

HEAD = """
Parameters:
  Size: {Type: Number, Default: 4}
  Team: {Type: String, Default: ml}
  Image: {Type: 'AWS::SSM::Parameter::Value<AWS::EC2::Image::Id>', Default: /a}
Mappings:
  Zones: {us-east-2: {zone: use2-az3}, other: {zone: x}}
Conditions:
  Big: !Equals [!Ref Size, 9]
  Large: !Equals [9, !Ref Size]
Resources:
  Vpc: {Type: 'AWS::EC2::VPC', Properties: {CidrBlock: 10.0.0.0/16}}
  Group:
    Type: AWS::EC2::SecurityGroup
    Properties:
      GroupDescription: nodes
      VpcId: !Ref Vpc
      Tags:
        - {Key: a, Value: VALUE}
"""


def head(value):
    return HEAD.replace("VALUE", value)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("4", "'4'"),
        ("true", "'true'"),
        ("!Ref Vpc", "{Ref: Vpc}"),
        ("!Ref Vpc", "!Sub '${Vpc}'"),
        ("!GetAtt Vpc.CidrBlock", "{'Fn::GetAtt': [Vpc, CidrBlock]}"),
        ("!GetAtt Vpc.CidrBlock", "!Sub '${Vpc.CidrBlock}'"),
        ("!Join ['/', [a, !Ref Vpc, b]]", "!Sub 'a/${Vpc}/b'"),
        ("!Join ['', [a, b]]", "ab"),
        ("!Join ['', [a, !Join ['-', [b, !Ref Vpc]]]]", "!Sub 'ab-${Vpc}'"),
        ("!Sub ['${x}!', {x: !Ref Vpc}]", "!Sub '${Vpc}!'"),
        ("!Sub '${!literal}'", "'${literal}'"),
        ("!Ref Size", "4"),
        ("!Sub '${Team}-${Size}'", "ml-4"),
        ("!FindInMap [Zones, us-east-2, zone]", "use2-az3"),
        ("!If [Big, same, same]", "same"),
        ("!Ref 'AWS::Region'", "!Sub '${AWS::Region}'"),
    ],
)
def test_two_spellings_of_one_value_are_no_change(tmp_path, old, new):
    assert compare(tmp_path, head(old), head(new)).changes == ()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("!Ref Vpc", "!GetAtt Vpc.CidrBlock"),
        ("!Sub 'a${Vpc}'", "!Sub 'b${Vpc}'"),
        ("!Ref Size", "5"),
        ("!FindInMap [Zones, !Ref 'AWS::Region', zone]", "use2-az3"),
        ("!If [Big, a, b]", "!If [Large, a, b]"),
        ("!If [Big, a, b]", "a"),
        ("!Ref Image", "/a"),
        ("!ImportValue x", "x"),
        ("'{{resolve:ssm:/x:1}}'", "'{{resolve:ssm:/x:2}}'"),
    ],
)
def test_two_values_that_may_differ_are_a_change(tmp_path, old, new):
    (change,) = compare(tmp_path, head(old), head(new)).changes
    assert change.logical_id == "Group"
    assert change.properties[0].path == "Tags[0].Value"


def test_a_condition_with_another_definition_is_another_condition(tmp_path):
    old = head("!If [Big, a, b]")
    found = compare(tmp_path, old, old.replace("[!Ref Size, 9]", "[!Ref Size, 10]")).changes
    assert [change.logical_id for change in found] == ["Group"]


def test_nothing_differs_in_a_value_that_is_absent_in_two_ways(tmp_path):
    old = head("x")
    new = old + "      GroupName: !Ref 'AWS::NoValue'\n"
    assert compare(tmp_path, old, new).changes == ()


def test_values_are_shown_as_a_reader_writes_them(tmp_path):
    (change,) = compare(tmp_path, head("!Ref Vpc"), head("!Sub '${Vpc.CidrBlock}-x'")).changes
    assert (change.properties[0].old, change.properties[0].new) == ("Vpc", "${Vpc.CidrBlock}-x")


def test_a_change_stands_where_the_key_stands(tmp_path):
    (change,) = compare(tmp_path, head("a"), head("b")).changes
    line = next(n for n, text in enumerate(("x" + head("b")).split("\n"), 1) if "Value: b" in text)
    # The file has one line more at its top.
    assert (change.line, change.column) == (line + 1, 20)
    assert change.file == str(tmp_path / "new.yaml")


def test_conditions_that_contain_each_other_end(tmp_path):
    loop = head("!If [Big, a, b]").replace(
        "Big: !Equals [!Ref Size, 9]", "Big: !Not [{Condition: Big}]"
    )
    assert compare(tmp_path, loop, loop).changes == ()


def _chain(last, length=200):
    """Conditions of which each names the next twice."""
    links = [
        f"  C{n}: !And [{{Condition: C{n + 1}}}, {{Condition: C{n + 1}}}]" for n in range(length)
    ]
    defined = "\n".join([*links, f"  C{length}: !Equals [!Ref Size, {last}]"])
    return head("!If [C0, a, b]").replace("Conditions:", f"Conditions:\n{defined}")


def test_conditions_that_double_with_each_step_are_compared_all_the_same(tmp_path):
    assert compare(tmp_path, _chain(9), _chain(9)).changes == ()
    (change,) = compare(tmp_path, _chain(9), _chain(10)).changes
    assert (change.logical_id, change.properties[0].path) == ("Group", "Tags[0].Value")


def test_a_condition_by_another_name_is_the_same(tmp_path):
    renamed = head("!If [Other, a, b]").replace("Big:", "Other:")
    assert compare(tmp_path, head("!If [Big, a, b]"), renamed).changes == ()


def test_a_mapping_that_stands_for_too_many_values_is_refused_in_words_that_fit(tmp_path):
    row = "{" + ", ".join(f"k{n}: v" for n in range(190)) + "}"
    rows = "\n".join(f"    r{n}: {row}" for n in range(190))
    looked_up = "!FindInMap [Large, !Ref Missing, x]"
    text = head(f"[{', '.join([looked_up] * 30)}]")
    text = text.replace("Mappings:", f"Mappings:\n  Large:\n{rows}")
    with pytest.raises(UnreadableInputError, match="written out it has more than 1,000,000 values"):
        compare(tmp_path, text, text)


def test_nesting_without_end_is_told_and_not_taken_for_the_same(tmp_path):
    deep = "{a: " * 120 + "x" + "}" * 120
    text = head("x") + f"      SecurityGroupIngress: [{deep}]\n"
    (change,) = compare(tmp_path, text, text).changes
    assert change.verdict == "cannot-be-told"
