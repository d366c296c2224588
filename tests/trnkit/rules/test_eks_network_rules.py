"""Rules about EKS: zones and security groups of its nodes, and addresses of its pods."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.trnkit.rules.eks_templates import (
    CLUSTER_GROUP,
    HEAD,
    NODE_CONFIG,
    cluster,
    config,
    managed,
    plain,
    subbed,
    with_template,
)
from tests.trnkit.rules.judging import judge_template, of_rule, severities
from tests.trnkit.rules.templates import (
    Body,
    group,
    interface,
    nodes,
    older,
    recommended,
    rule,
    security_group,
    subnet,
    template,
)

E, W, I = ["error"], ["warning"], ["info"]  # noqa: E741
SOMETIMES = {"Fn::If": ["Sometimes", "a", {"Ref": "AWS::NoValue"}]}
PARAMETER = {"Ref": "Given"}
TRN2 = "trn2.48xlarge"
SMALL = "trn2.3xlarge"
Row = tuple[str, str, Body, list[str]]


def other(body: Body, **more: Any) -> Body:
    """A template with further top-level sections or resources."""
    resources = {**body["Resources"], **more.pop("Resources", {})}
    return {**body, **more, "Resources": resources}


A, B = subnet(AvailabilityZone="us-west-2a"), subnet(AvailabilityZone="us-west-2b")
FIRST, SECOND = (subnet(AvailabilityZone={"Fn::Select": [n, {"Fn::GetAZs": ""}]}) for n in (0, 1))
ONE, TWO = {"Ref": "One"}, {"Ref": "Two"}


def control_plane(subnets: Any, **resources: Body) -> Body:
    return template(Cluster=cluster(ResourcesVpcConfig={"SubnetIds": subnets}), **resources)


def spread(subnets: Any, first: Body = A, second: Body = B, **more: Any) -> Body:
    data = {"interfaces": older(16), **more.pop("data", {})}
    found = with_template(managed(Subnets=subnets, **more), **data)
    return other(found, Resources={"One": first, "Two": second})


EFA_GROUP = {"Fn::GetAtt": ["Efa", "GroupId"]}


def joined_by(groups: Any, *, plane: Body | None = None, **resources: Body) -> Body:
    found = with_template(
        managed(ClusterName={"Ref": "Cluster"}), interfaces=[interface(0, 0, "efa", Groups=groups)]
    )
    return other(
        found, Resources={"Cluster": plane or cluster(), "Efa": security_group(), **resources}
    )


FURTHER = cluster(
    ResourcesVpcConfig={
        "SubnetIds": ["subnet-1", "subnet-2"],
        "SecurityGroupIds": [{"Ref": "Plane"}],
    }
)
NETWORK: list[Row] = [
    ("NET-13 one subnet", "TRN557", control_plane([ONE], One=A), E),
    ("NET-13 one subnet by id", "TRN557", control_plane(["subnet-1"]), E),
    ("NET-13 one subnet twice", "TRN557", control_plane([ONE, ONE], One=A), E),
    ("NET-13 two subnets, one zone", "TRN557", control_plane([ONE, TWO], One=A, Two=A), E),
    (
        "NET-13 two subnets, one zone by number",
        "TRN557",
        control_plane([ONE, TWO], One=FIRST, Two=FIRST),
        E,
    ),
    (
        "NET-13 on an Outpost",
        "TRN557",
        template(
            Cluster=cluster(
                ResourcesVpcConfig={"SubnetIds": ["subnet-1"]},
                OutpostConfig={"ControlPlaneInstanceType": "m5.large", "OutpostArns": ["o"]},
            )
        ),
        [],
    ),
    ("NET-13 two zones", "TRN557", control_plane([ONE, TWO], One=A, Two=B), []),
    ("NET-13 two zones by number", "TRN557", control_plane([ONE, TWO], One=FIRST, Two=SECOND), []),
    (
        "NET-13 zones in other terms",
        "TRN557",
        control_plane([ONE, TWO], One=A, Two=subnet(AvailabilityZoneId="usw2-az1")),
        [],
    ),
    ("NET-13 two ids", "TRN557", control_plane(["subnet-1", "subnet-2"]), []),
    ("NET-13 a list to come", "TRN557", control_plane(PARAMETER), []),
    ("NET-13 a list to come, in a list", "TRN557", control_plane([PARAMETER]), []),
    ("NET-13 an import", "TRN557", control_plane([{"Fn::ImportValue": "s"}]), []),
    (
        "NET-13 the zone is not known",
        "TRN557",
        control_plane([ONE, TWO], One=subnet(), Two=subnet()),
        [],
    ),
    ("NET-13 nodes in two zones", "TRN558", spread([ONE, TWO]), W),
    ("NET-13 nodes in two zones by number", "TRN558", spread([ONE, TWO], FIRST, SECOND), W),
    ("NET-13 nodes in one zone", "TRN558", spread([ONE, TWO], A, A), []),
    ("NET-13 nodes in one subnet", "TRN558", spread([ONE]), []),
    ("NET-13 nodes without EFA", "TRN558", spread([ONE, TWO], data={"interfaces": None}), []),
    (
        "NET-13 nodes of a placement group",
        "TRN558",
        spread([ONE, TWO], data={"Placement": {"GroupName": "g"}}),
        [],
    ),
    (
        "NET-13 a single node",
        "TRN558",
        spread([ONE, TWO], ScalingConfig={"MinSize": 0, "MaxSize": 1, "DesiredSize": 1}),
        [],
    ),
    (
        "NET-13 a Capacity Block in two zones",
        "TRN558",
        spread([ONE, TWO], CapacityType="CAPACITY_BLOCK", data={"interfaces": None}),
        W,
    ),
    ("EFA-09 the EFA group alone", "TRN559", joined_by([EFA_GROUP]), W),
    ("EFA-09 both groups", "TRN559", joined_by([EFA_GROUP, CLUSTER_GROUP]), []),
    ("EFA-09 a group to come", "TRN559", joined_by([EFA_GROUP, PARAMETER]), []),
    (
        "EFA-09 no groups named",
        "TRN559",
        other(
            with_template(managed(ClusterName={"Ref": "Cluster"})), Resources={"Cluster": cluster()}
        ),
        [],
    ),
    (
        "EFA-09 groups of the template",
        "TRN559",
        other(
            with_template(managed(ClusterName={"Ref": "Cluster"}), SecurityGroupIds=[EFA_GROUP]),
            Resources={"Cluster": cluster(), "Efa": security_group()},
        ),
        W,
    ),
    (
        "EFA-09 a cluster elsewhere",
        "TRN559",
        other(
            with_template(managed(), SecurityGroupIds=[EFA_GROUP]),
            Resources={"Efa": security_group()},
        ),
        [],
    ),
    (
        "EFA-09 the cluster by its name",
        "TRN559",
        other(
            with_template(managed(), SecurityGroupIds=[EFA_GROUP]),
            Resources={"Efa": security_group(), "Cluster": cluster(Name="training")},
        ),
        W,
    ),
    (
        "EFA-09 a rule of the cluster's group",
        "TRN559",
        joined_by([EFA_GROUP], In=rule("Ingress", CLUSTER_GROUP, EFA_GROUP)),
        [],
    ),
    (
        "EFA-09 a rule of a group to come",
        "TRN559",
        joined_by([EFA_GROUP], In=rule("Ingress", PARAMETER, EFA_GROUP)),
        [],
    ),
    (
        "EFA-09 a rule of another group",
        "TRN559",
        joined_by([EFA_GROUP], In=rule("Ingress", EFA_GROUP, EFA_GROUP)),
        W,
    ),
    (
        "EFA-09 a further group of the cluster that admits",
        "TRN559",
        joined_by(
            [EFA_GROUP],
            plane=FURTHER,
            Plane=security_group(),
            In=rule("Ingress", {"Ref": "Plane"}, EFA_GROUP),
        ),
        [],
    ),
    (
        "EFA-09 a further group that admits addresses",
        "TRN559",
        joined_by(
            [EFA_GROUP],
            plane=FURTHER,
            Plane=security_group(
                SecurityGroupIngress=[
                    {"IpProtocol": "tcp", "FromPort": 443, "ToPort": 443, "CidrIp": "10.0.0.0/16"}
                ]
            ),
        ),
        [],
    ),
    (
        "EFA-09 a further group that admits nobody",
        "TRN559",
        joined_by([EFA_GROUP], plane=FURTHER, Plane=security_group()),
        W,
    ),
]


def cni(values: Any = None, name: Any = "training") -> Body:
    properties = {"ClusterName": name, "AddonName": "vpc-cni", "ConfigurationValues": values}
    return {
        "Type": "AWS::EKS::Addon",
        "Properties": {k: v for k, v in properties.items() if v is not None},
    }


PODS = HEAD + "spec: {kubelet: {%s}}\n"
BOTH_SLOTS = {"interfaces": recommended(16)}


def pods(text: Any = None, add_on: Body | None = None, **more: Any) -> Body:
    data = {**BOTH_SLOTS, **({} if text is None else {"UserData": text}), **more}
    found = with_template(managed(), **data)
    return other(found, Resources={"Cni": add_on}) if add_on else found


DELEGATED = cni(json.dumps({"env": {"ENABLE_PREFIX_DELEGATION": "true"}}))
ADDRESSES: list[Row] = [
    ("EFA-11 both slots", "TRN563", pods(), I),
    ("EFA-11 both slots, the CNI known", "TRN563", pods(add_on=cni()), W),
    (
        "EFA-11 both slots, the CNI set otherwise",
        "TRN563",
        pods(add_on=cni('{"env": {"WARM_IP_TARGET": "5"}}')),
        W,
    ),
    (
        "EFA-11 both slots, the CNI as YAML",
        "TRN563",
        pods(add_on=cni("env:\n  ENABLE_PREFIX_DELEGATION: 'true'\n")),
        [],
    ),
    ("EFA-11 both slots, prefixes", "TRN563", pods(add_on=DELEGATED), []),
    ("EFA-11 both slots, the CNI to come", "TRN563", pods(add_on=cni(PARAMETER)), []),
    (
        "EFA-11 both slots, the CNI of another cluster",
        "TRN563",
        other(
            with_template(managed(ClusterName={"Ref": "Cluster"}), **BOTH_SLOTS),
            Resources={"Cluster": cluster(), "Other": cluster(), "Cni": cni(name={"Ref": "Other"})},
        ),
        I,
    ),
    (
        "EFA-11 both slots, IPv6",
        "TRN563",
        other(
            with_template(managed(ClusterName={"Ref": "Cluster"}), **BOTH_SLOTS),
            Resources={"Cluster": cluster(KubernetesNetworkConfig={"IpFamily": "ipv6"})},
        ),
        [],
    ),
    (
        "EFA-11 both slots, no CNI of AWS",
        "TRN563",
        other(
            with_template(managed(ClusterName={"Ref": "Cluster"}), **BOTH_SLOTS),
            Resources={"Cluster": cluster(BootstrapSelfManagedAddons=False)},
        ),
        [],
    ),
    (
        "EFA-11 as many pods as addresses",
        "TRN563",
        pods(plain(config(PODS % "config: {maxPods: 51}")), cni()),
        [],
    ),
    (
        "EFA-11 one pod more",
        "TRN563",
        pods(plain(config(PODS % "config: {maxPods: 52}")), cni()),
        W,
    ),
    (
        "EFA-11 by a flag",
        "TRN563",
        pods(plain(config(PODS % 'flags: ["--max-pods=49"]')), cni()),
        [],
    ),
    (
        "EFA-11 pods to come",
        "TRN563",
        pods(subbed(config(PODS % "config: {maxPods: ${Pods}}")), cni()),
        [],
    ),
    (
        "EFA-11 pods by an expression",
        "TRN563",
        pods(plain(config(PODS % 'maxPodsExpression: "40"')), cni()),
        [],
    ),
    (
        "EFA-11 other settings",
        "TRN563",
        pods(plain(config(PODS % "config: {shutdownGracePeriod: 30s}")), cni()),
        W,
    ),
    ("EFA-11 user data to come", "TRN563", pods({"Fn::Base64": PARAMETER}, cni()), []),
    ("EFA-11 efa on card 0", "TRN563", pods(interfaces=older(16), add_on=cni()), []),
    (
        "EFA-11 small node, both slots",
        "TRN563",
        with_template(managed(), SMALL, interfaces=recommended(1)),
        I,
    ),
    (
        "EFA-11 small node, one slot",
        "TRN563",
        with_template(managed(), SMALL, interfaces=older(1)),
        [],
    ),
    (
        "EFA-11 trn1 has slots left",
        "TRN563",
        with_template(managed(), "trn1.32xlarge", interfaces=recommended(8)),
        [],
    ),
    (
        "EFA-11 nodes of no cluster",
        "TRN563",
        template(Nodes=nodes(TRN2, recommended(16)), Group=group(["subnet-1"])),
        [],
    ),
    (
        "EFA-11 self-managed",
        "TRN563",
        template(
            Nodes=nodes(TRN2, recommended(16), UserData=plain(NODE_CONFIG)),
            Group=group(["subnet-1"]),
        ),
        I,
    ),
    (
        "EFA-11 self-managed by bootstrap.sh",
        "TRN563",
        template(
            Nodes=nodes(
                TRN2,
                recommended(16),
                UserData=plain(
                    "/etc/eks/bootstrap.sh t --use-max-pods false "
                    "--kubelet-extra-args '--max-pods=40'"
                ),
            ),
            Group=group(["subnet-1"]),
        ),
        [],
    ),
    (
        "EFA-11 Bottlerocket",
        "TRN563",
        other(
            with_template(
                managed(AmiType="BOTTLEROCKET_x86_64"),
                **BOTH_SLOTS,
                UserData=plain("[settings.kubernetes]\nmax-pods = 40\n"),
            )
        ),
        [],
    ),
]


def placed(own: Any, subnets: Any) -> Body:
    entries = [interface(0, 0, "efa", SubnetId=own)]
    return template(Nodes=nodes(SMALL, entries), Group=group(subnets), One=A, Two=B)


PLACES: list[Row] = [
    ("EFA-08 another subnet", "TRN566", placed(TWO, [ONE]), I),
    ("EFA-08 another subnet by id", "TRN566", placed("subnet-2", ["subnet-1"]), I),
    ("EFA-08 one of the group's", "TRN566", placed(TWO, [ONE, TWO]), []),
    ("EFA-08 a subnet to come", "TRN566", placed(PARAMETER, [ONE]), []),
    ("EFA-08 subnets to come", "TRN566", placed(TWO, PARAMETER), []),
    ("EFA-08 one subnet to come", "TRN566", placed(TWO, [ONE, PARAMETER]), []),
    ("EFA-08 a text of several", "TRN566", placed(TWO, "subnet-1,subnet-2"), []),
    ("EFA-08 no subnets", "TRN566", placed(TWO, []), []),
]
ADDRESSES.append(
    (
        "EFA-11 started elsewhere",
        "TRN563",
        template(Nodes=nodes(TRN2, recommended(16), UserData=plain(NODE_CONFIG))),
        I,
    )
)

ROWS = [*PLACES, *NETWORK, *ADDRESSES]


@pytest.mark.parametrize(
    ("rule_id", "body", "expected"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_a_template_is_judged(rule_id: str, body: Body, expected: list[str]):
    assert severities(rule_id, judge_template(body)) == expected


def exported(zone: str, name: str) -> Body:
    outputs = {"Id": {"Value": {"Ref": "Subnet"}, "Export": {"Name": name}}}
    return {**template(Subnet=subnet(AvailabilityZone=zone)), "Outputs": outputs}


@pytest.mark.parametrize(("zone", "expected"), [("us-west-2b", []), ("us-west-2a", E)])
def test_subnets_of_two_stacks_are_two_also_under_one_name(zone: str, expected: list[str]):
    imported = [{"Fn::ImportValue": name} for name in ("one", "two")]
    stacks = exported("us-west-2a", "one"), exported(zone, "two"), control_plane(imported)
    assert severities("TRN557", judge_template(*stacks)) == expected


def test_the_addresses_of_pods_are_counted():
    (found,) = of_rule("TRN563", judge_template(pods()))
    assert "trn2.48xlarge has addresses for 51 pods, and the node announces 100" in found.message
    assert "50 IPv4 addresses an interface" in (found.evidence or "")
