"""Other ways to write the same templates. None of them changes what is deployed.

Each rewriter takes the templates of a set, by name, and gives a set that means the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from copy import deepcopy
from typing import Any

Body = dict[str, Any]
Set = dict[str, Body]
Change = Callable[[Any, tuple[Any, ...]], Any]

NOTHING = {"Ref": "AWS::NoValue"}
GROUP = "AWS::EC2::SecurityGroup"
SHARED = ("Parameters", "Mappings", "Conditions")
_GROUP_ATTRIBUTES = ("GroupId", "Id")


def is_function(value: Any) -> bool:
    """Whether a value is an intrinsic function."""
    if not isinstance(value, dict) or len(value) != 1:
        return False
    name = str(next(iter(value)))
    return name in ("Ref", "Condition") or name.startswith("Fn::")


def changed(value: Any, change: Change, path: tuple[Any, ...] = (), *, inside: bool = False) -> Any:
    """A value with `change` applied to all that is in it, innermost first.

    Args:
        value: Some of a template.
        change: Gets each value and its path, and gives what is to stand there.
        path: Of the value.
        inside: Whether to change the arguments of functions, too.
    """
    if is_function(value) and not inside:
        return change(value, path)
    if isinstance(value, dict):
        value = {k: changed(v, change, (*path, k), inside=inside) for k, v in value.items()}
    elif isinstance(value, list):
        value = [changed(v, change, (*path, n), inside=inside) for n, v in enumerate(value)]
    return change(value, path)


def of_properties(templates: Set, change: Change, *, inside: bool = False) -> Set:
    """The set with a change below the properties of every resource."""
    result = deepcopy(templates)
    for body in result.values():
        for entry in body["Resources"].values():
            if isinstance(entry.get("Properties"), dict):
                entry["Properties"] = {
                    key: changed(value, change, (key,), inside=inside)
                    for key, value in entry["Properties"].items()
                }
    return result


def everywhere(templates: Set, change: Callable[[Body, Any], Any]) -> Set:
    """The set with a change of every value of resources and outputs, functions included."""
    result = deepcopy(templates)
    for body in result.values():
        for section in ("Resources", "Outputs"):
            if section in body:
                body[section] = changed(
                    body[section], lambda value, _, body=body: change(body, value), inside=True
                )
    return result


def in_another_order(templates: Set) -> Set:
    """All keys the other way round."""

    def turned(value: Any, _: tuple[Any, ...]) -> Any:
        return dict(reversed(value.items())) if isinstance(value, dict) else value

    return {name: changed(body, turned, inside=True) for name, body in reversed(templates.items())}


def numbers_as_text(templates: Set) -> Set:
    """Numbers and booleans as texts."""

    def as_text(value: Any, _: tuple[Any, ...]) -> Any:
        if isinstance(value, bool):
            return str(value).lower()
        return str(value) if isinstance(value, int | float) else value

    return of_properties(templates, as_text)


def single_values(templates: Set) -> Set:
    """A list of one plain value or function as that value."""

    def single(value: Any, _: tuple[Any, ...]) -> Any:
        if isinstance(value, list) and len(value) == 1:
            (item,) = value
            return item if is_function(item) or isinstance(item, str | int) else value
        return value

    return of_properties(templates, single)


def nothing_in_lists(templates: Set) -> Set:
    """`AWS::NoValue` before what is in a list, and behind it."""

    def padded(value: Any, _: tuple[Any, ...]) -> Any:
        return [NOTHING, *value, NOTHING] if isinstance(value, list) and value else value

    return of_properties(templates, padded)


def _type_of(body: Body, logical_id: Any) -> str | None:
    return (
        body["Resources"].get(logical_id, {}).get("Type") if isinstance(logical_id, str) else None
    )


def refs_to_groups(templates: Set) -> Set:
    """`Ref` in place of `Fn::GetAtt: [Group, GroupId]`."""

    def referring(body: Body, value: Any) -> Any:
        named = value.get("Fn::GetAtt") if isinstance(value, dict) else None
        if isinstance(named, list) and _type_of(body, named[0]) == GROUP:
            return {"Ref": named[0]} if named[1] in _GROUP_ATTRIBUTES else value
        return value

    return everywhere(templates, referring)


def attributes_of_groups(templates: Set) -> Set:
    """`Fn::GetAtt: Group.GroupId` in place of `Ref`."""

    def referring(body: Body, value: Any) -> Any:
        named = value.get("Ref") if isinstance(value, dict) and len(value) == 1 else None
        return {"Fn::GetAtt": f"{named}.GroupId"} if _type_of(body, named) == GROUP else value

    return everywhere(templates, referring)


def substituted_refs(templates: Set) -> Set:
    """`Fn::Sub: ${Name}` in place of `Ref`, and `${Name.Attribute}` of `Fn::GetAtt`."""

    def substituting(_: Body, value: Any) -> Any:
        if not isinstance(value, dict) or len(value) != 1:
            return value
        named = value.get("Ref") or value.get("Fn::GetAtt")
        if isinstance(named, list) and all(isinstance(part, str) for part in named):
            named = ".".join(named)
        return (
            {"Fn::Sub": f"${{{named}}}"}
            if isinstance(named, str) and named != "AWS::NoValue"
            else value
        )

    return everywhere(templates, substituting)


def joins_as_subs(templates: Set) -> Set:
    """`Fn::Sub` in place of `Fn::Join` with nothing between."""

    def substituting(_: Body, value: Any) -> Any:
        arguments = value.get("Fn::Join") if isinstance(value, dict) else None
        if (
            not isinstance(arguments, list)
            or arguments[0] != ""
            or not isinstance(arguments[1], list)
        ):
            return value
        texts, values = [], {}
        for number, part in enumerate(arguments[1]):
            if isinstance(part, str):
                texts.append(part.replace("${", "${!"))
            else:
                texts.append(f"${{Part{number}}}")
                values[f"Part{number}"] = part
        return {"Fn::Sub": ["".join(texts), values] if values else "".join(texts)}

    return everywhere(templates, substituting)


def with_conditions(templates: Set, conditions: Body, parameters: Body | None = None) -> Set:
    """The set with conditions, and parameters that they ask for, in each template."""
    for body in templates.values():
        body["Conditions"] = {**body.get("Conditions", {}), **deepcopy(conditions)}
        if parameters:
            body["Parameters"] = {**body.get("Parameters", {}), **deepcopy(parameters)}
    return templates


CERTAIN = {"RewrittenAlways": {"Fn::Equals": ["yes", "yes"]}}
ASKED = {"RewrittenAsked": {"Fn::Equals": [{"Ref": "RewrittenParameter"}, "yes"]}}
EITHER = {
    **ASKED,
    "RewrittenNot": {"Fn::Not": [{"Condition": "RewrittenAsked"}]},
    "RewrittenEither": {"Fn::Or": [{"Condition": "RewrittenAsked"}, {"Condition": "RewrittenNot"}]},
}
PARAMETER = {"RewrittenParameter": {"Type": "String"}}


def certainly(templates: Set) -> Set:
    """Every property under a condition that holds."""

    def under(value: Any, path: tuple[Any, ...]) -> Any:
        return {"Fn::If": ["RewrittenAlways", value, NOTHING]} if _may_be_if(path) else value

    return with_conditions(of_properties(templates, under), CERTAIN)


def either_way(templates: Set) -> Set:
    """Top properties, the same whichever way a condition goes."""

    def under(value: Any, path: tuple[Any, ...]) -> Any:
        return {"Fn::If": ["RewrittenAsked", value, deepcopy(value)]} if len(path) == 1 else value

    return with_conditions(of_properties(templates, under), ASKED, PARAMETER)


def resources_under_a_condition(templates: Set) -> Set:
    """Every resource under a condition that always holds, by a parameter that may be anything."""
    result = deepcopy(templates)
    for body in result.values():
        for entry in body["Resources"].values():
            entry.setdefault("Condition", "RewrittenEither")
    return with_conditions(result, EITHER, PARAMETER)


def all_or_nothing(templates: Set) -> Set:
    """Every resource, and every property, under one condition that may hold or not."""

    def under(value: Any, path: tuple[Any, ...]) -> Any:
        return {"Fn::If": ["RewrittenAsked", value, NOTHING]} if _may_be_if(path) else value

    result = of_properties(templates, under)
    for name, body in result.items():
        # What has a condition of its own would lose its properties in another case than itself.
        own = {k: v for k, v in templates[name]["Resources"].items() if "Condition" in v}
        body["Resources"] |= deepcopy(own)
        for entry in (*body["Resources"].values(), *body.get("Outputs", {}).values()):
            entry.setdefault("Condition", "RewrittenAsked")
    return with_conditions(result, ASKED, PARAMETER)


def _may_be_if(path: tuple[Any, ...]) -> bool:
    """Not inside a policy's statement or a map whose keys are the user's."""
    return len(path) <= 6


def texts_by_parameters(templates: Set) -> Set:
    """Plain texts of properties as parameters with one allowed value."""
    result = deepcopy(templates)
    for number, (name, body) in enumerate(result.items()):
        parameters: Body = {}

        def by_parameter(value: Any, _: Any, number: int = number, made: Body = parameters) -> Any:
            if not isinstance(value, str) or not value or "{{resolve:" in value:
                return value
            key = f"Rewritten{number}x{len(made)}"
            made[key] = {"Type": "String", "AllowedValues": [value]}
            return {"Ref": key}

        result[name] = of_properties({name: body}, by_parameter)[name]
        result[name]["Parameters"] = {**body.get("Parameters", {}), **parameters}
    return result


def texts_by_mapping(templates: Set) -> Set:
    """Plain texts of properties from a mapping whose value is the same in every Region."""
    result = deepcopy(templates)
    for name, body in result.items():
        values: list[str] = []

        def looked_up(value: Any, _: Any, values: list[str] = values) -> Any:
            if not isinstance(value, str) or "{{resolve:" in value:
                return value
            values.append(value)
            return {"Fn::FindInMap": ["Rewritten", {"Ref": "AWS::Region"}, f"V{len(values) - 1}"]}

        result[name] = of_properties({name: body}, looked_up)[name]
        found = {f"V{n}": value for n, value in enumerate(values)}
        regions = {region: dict(found) for region in ("us-east-2", "us-west-2", "us-east-1")}
        regions |= {region: dict(found) for region in ("sa-east-1", "ap-south-2", "eu-west-1")}
        result[name]["Mappings"] = {**body.get("Mappings", {}), "Rewritten": regions}
    return result


def in_loops(templates: Set) -> Set:
    """Every resource made by a loop of one round."""
    result = deepcopy(templates)
    for body in result.values():
        body["Transform"] = "AWS::LanguageExtensions"
        body["Resources"] = {
            f"Fn::ForEach::Loop{number}": ["RewrittenName", [key], {"${RewrittenName}": entry}]
            for number, (key, entry) in enumerate(body["Resources"].items())
        }
    return result


def in_nested_stacks(templates: Set) -> Set:
    """Every template nested in one parent."""
    result = deepcopy(templates)
    stacks = {
        f"Stack{number}": {
            "Type": "AWS::CloudFormation::Stack",
            "Properties": {"TemplateURL": f"./{name}"},
        }
        for number, name in enumerate(templates)
    }
    return {"parent": {"Resources": stacks}, **result}


def over_several_stacks(templates: Set) -> Set:
    """The security groups and their rules in stacks of their own, by exports and imports.

    What the groups refer to, such as their VPC, is in a third one: two would import in a circle.
    """
    result: Set = {}
    for name, body in deepcopy(templates).items():
        every = body["Resources"]
        groups = {k for k, v in every.items() if str(v.get("Type")).startswith(GROUP)}
        ground = _ground(every, groups)
        if not groups or len(groups) == len(every):
            result[name] = body
            continue
        parts = {
            "ground": [k for k in every if k in ground],
            "groups": [k for k in every if k in groups],
            "": [k for k in every if k not in groups | ground],
        }
        made: Set = {}
        for part, keys in parts.items():
            if keys:
                shared = {k: deepcopy(body[k]) for k in SHARED if k in body}
                rest = {} if part else {k: v for k, v in body.items() if k not in SHARED}
                made[part] = {**shared, **rest, "Resources": {k: every[k] for k in keys}}
        for here, there in (("groups", "ground"), ("", "ground"), ("", "groups")):
            if here in made and there in made:
                _import(made[here], made[there], f"{name}-{there}")
        result |= {f"{name}-{part}" if part else name: found for part, found in made.items()}
    return result


def _ground(every: Body, groups: set[str]) -> set[str]:
    """What the groups refer to and what that refers to, but for the groups themselves."""
    found, waiting = set[str](), [every[key] for key in groups]
    while waiting:
        named = set(re.findall(r"[A-Za-z0-9]+", json.dumps(waiting.pop())))
        new = {key for key in every if key in named} - groups - found
        found |= new
        waiting += [every[key] for key in new]
    return found


def _import(here: Body, there: Body, prefix: str) -> None:
    """Replace what refers to a resource of the other template by an import from there."""

    def importing(value: Any, _: tuple[Any, ...]) -> Any:
        if not isinstance(value, dict) or len(value) != 1:
            return value
        named = value.get("Fn::GetAtt", value.get("Ref"))
        parts = named.split(".", 1) if isinstance(named, str) else named
        if not isinstance(parts, list) or not parts or parts[0] not in there["Resources"]:
            return value
        export = f"{prefix}-{'-'.join(map(str, parts))}"
        there.setdefault("Outputs", {})[export.replace("-", "")] = {
            "Value": deepcopy(value),
            "Export": {"Name": export},
        }
        return {"Fn::ImportValue": export}

    for section in ("Resources", "Outputs"):
        if section in here:
            here[section] = changed(here[section], importing, inside=True)
    for entry in here["Resources"].values():
        depends = entry.get("DependsOn", [])
        listed = [depends] if isinstance(depends, str) else depends
        entry["DependsOn"] = [name for name in listed if name in here["Resources"]]


def ports_of_all_traffic(templates: Set) -> Set:
    """Ports beside protocol -1, which EC2 disregards."""

    def with_ports(value: Any, _: tuple[Any, ...]) -> Any:
        if isinstance(value, dict) and value.get("IpProtocol") in ("-1", -1):
            return {**value, "FromPort": -1, "ToPort": -1}
        return value

    result = of_properties(templates, with_ports)
    for body in result.values():
        for entry in body["Resources"].values():
            properties = entry.get("Properties")
            if isinstance(properties, dict):
                entry["Properties"] = with_ports(properties, ())
    return result


def prefix_lists_beside(templates: Set) -> Set:
    """In each security group a first rule that has nothing to do with the others."""
    result = deepcopy(templates)
    beside = {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "SourcePrefixListId": "pl-1"}
    for body in result.values():
        for entry in body["Resources"].values():
            rules = entry.get("Properties", {}).get("SecurityGroupIngress", [])
            if entry.get("Type") == GROUP and isinstance(rules, list):
                entry["Properties"] = {
                    **entry.get("Properties", {}),
                    "SecurityGroupIngress": [dict(beside), *rules],
                }
    return result


def split_statements(templates: Set) -> Set:
    """Policy statements with one action each."""

    def split(value: Any, path: tuple[Any, ...]) -> Any:
        if not path or path[-1] != "Statement" or not isinstance(value, list):
            return value
        found: list[Any] = []
        for statement in value:
            actions = statement.get("Action") if isinstance(statement, dict) else None
            plain = isinstance(actions, list) and statement.get("Effect") == "Allow"
            found += [{**statement, "Action": a} for a in actions] if plain else [statement]
        return found

    return of_properties(templates, split)


REWRITERS: tuple[Callable[[Set], Set], ...] = (
    in_another_order,
    numbers_as_text,
    single_values,
    nothing_in_lists,
    refs_to_groups,
    attributes_of_groups,
    substituted_refs,
    joins_as_subs,
    certainly,
    either_way,
    resources_under_a_condition,
    all_or_nothing,
    texts_by_parameters,
    texts_by_mapping,
    in_loops,
    in_nested_stacks,
    over_several_stacks,
    ports_of_all_traffic,
    prefix_lists_beside,
    split_statements,
)
