"""How long `trnkit lint` parses and judges, beside what it takes to start.

    python benchmarks/lint_speed.py [RUNS]

All in one process, in processor time, and the smallest of each counts: what a machine adds by being
busy is never negative. The start is what a first template pays once: the parser's and the rules'
imports. To hold, in terms of it: parsing 500 resources at most 2, judging them at most 0.5, with 16
conditions at most 3; four times as many resources take at most 6 times as long to judge.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable
from typing import Any

Body = dict[str, Any]
HELD = {
    "parse 500": ("start", 2.0),
    "judge 500": ("start", 0.5),
    "judge 500, 1 condition": ("start", 1.5),
    "judge 500, 16 conditions": ("start", 3.0),
    "judge 2000": ("judge 500", 6.0),
    "refuse 10 MB": ("start", 0.5),
}


def node_group(number: int, condition: str | None) -> Body:
    """Five resources: a security group with its rules, a launch template, and a topic."""
    own = {"Fn::GetAtt": [f"Efa{number}", "GroupId"]}
    every = {"GroupId": own, "IpProtocol": "-1"}
    cards = [
        {
            "NetworkCardIndex": card,
            "DeviceIndex": int(card > 0),
            "InterfaceType": "efa",
            "Groups": [own],
        }
        for card in range(8)
    ]
    egress = {
        "Type": "AWS::EC2::SecurityGroupEgress",
        "Properties": {**every, "DestinationSecurityGroupId": own},
    }
    return {
        f"Efa{number}": {
            "Type": "AWS::EC2::SecurityGroup",
            "Properties": {"GroupDescription": "efa", "VpcId": "vpc-1"},
        },
        f"In{number}": {
            "Type": "AWS::EC2::SecurityGroupIngress",
            "Properties": {**every, "SourceSecurityGroupId": own},
        },
        f"Out{number}": {**egress, **({"Condition": condition} if condition else {})},
        f"Nodes{number}": {
            "Type": "AWS::EC2::LaunchTemplate",
            "Properties": {
                "LaunchTemplateData": {
                    "InstanceType": "trn1.32xlarge",
                    "NetworkInterfaces": cards,
                    "UserData": {"Fn::Base64": {"Fn::Sub": "#!/bin/sh\necho ${AWS::StackName}\n"}},
                }
            },
        },
        f"Topic{number}": {"Type": "AWS::SNS::Topic"},
    }


def template(resources: int, conditions: int = 0) -> Body:
    """A template of that many resources, a fifth of which are made under conditions."""
    names = [f"Is{number}" for number in range(conditions)]
    body: Body = {"Resources": {}}
    for number in range(resources // 5):
        body["Resources"] |= node_group(number, names[number % conditions] if names else None)
    if names:
        kind = {"Type": "String", "AllowedValues": ["yes", "no"]}
        body["Parameters"] = {f"P{name}": kind for name in names}
        body["Conditions"] = {name: {"Fn::Equals": [{"Ref": f"P{name}"}, "yes"]} for name in names}
    return body


def seconds(work: Callable[[], Any]) -> float:
    """Processor time of a piece of work."""
    gc.collect()
    begun = time.process_time()
    work()
    return time.process_time() - begun


def start() -> None:
    """What the first template pays: the imports of the parser and of every rule."""
    from trnkit.operations.template_files import read_template
    from trnkit.rules import list_rules

    list_rules("template")
    read_template("-", standard_input=json.dumps(template(5)).encode())


def main() -> None:
    """Measure and print a table; exit code 1 when a number is not held."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    best = {"start": seconds(start)}

    from trnkit.errors import UnreadableInputError
    from trnkit.operations.template_files import read_template
    from trnkit.rules import StackSet, Template, check_templates

    text = json.dumps(template(500), indent=1).encode()
    large = b"Resources:\n" + b"  T: {Type: AWS::SNS::Topic}\n" * 350_000

    def refuse() -> None:
        try:
            read_template("-", standard_input=large)
        except UnreadableInputError:
            return
        raise SystemExit("10 MB were not refused")

    def judging(body: Body) -> Callable[[], Any]:
        return lambda: check_templates(StackSet([Template("one", "one.json", body)]))

    work: dict[str, Callable[[], Any]] = {
        "parse 500": lambda: read_template("-", standard_input=text),
        "judge 500": judging(template(500)),
        "judge 500, 1 condition": judging(template(500, 1)),
        "judge 500, 16 conditions": judging(template(500, 16)),
        "judge 2000": judging(template(2000)),
        "refuse 10 MB": refuse,
    }
    for _ in range(runs):
        for name, one in work.items():
            best[name] = min(best.get(name, float("inf")), seconds(one))
    print(f"{'':26}{'seconds':>8}  {'ratio':>6}  to hold")
    failed = False
    for name, value in best.items():
        of, most = HELD.get(name, ("start", 0.0))
        ratio = value / best[of]
        failed = failed or (name in HELD and ratio > most)
        held = f"<= {most} x {of}" if name in HELD else ""
        print(f"{name:26}{value:8.3f}  {ratio:6.2f}  {held}")
    if failed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
