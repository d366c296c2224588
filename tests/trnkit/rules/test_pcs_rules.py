"""AWS PCS: roles, blocks, sizes and Slurm settings that went wrong, beside the nearest right."""

# One case a line, however long.
# ruff: noqa: E501

from __future__ import annotations

from typing import Any

import pytest

from tests.trnkit.rules.judging import judge_template, of_rule, severities
from tests.trnkit.rules.templates import Body, interface, nodes, recommended, rule, subnet, template

E, W, I = ["error"], ["warning"], ["info"]  # noqa: E741
Row = tuple[str, Body, list[str]]
TRN1, TRN2, SMALL = "trn1.32xlarge", "trn2.48xlarge", "trn2.3xlarge"
OPEN = {"Ref": "Open"}
UNKNOWN = {"Fn::If": ["Sometimes", "a", {"Ref": "AWS::NoValue"}]}
LATEST = {"Fn::GetAtt": ["Nodes", "LatestVersionNumber"]}
REGISTER = "pcs:RegisterComputeNodeGroupInstance"


def node_group(kinds: Any = (TRN2,), least: Any = 0, most: Any = 4, **properties: Any) -> Body:
    base = {
        "ClusterId": "pcs_0123456789",
        "IamInstanceProfileArn": "arn:aws:iam::111122223333:instance-profile/AWSPCS-nodes",
        "InstanceConfigs": [{"InstanceType": kind} for kind in kinds],
        "ScalingConfiguration": {"MinInstanceCount": least, "MaxInstanceCount": most},
        "SubnetIds": ["subnet-1"],
    }
    return {"Type": "AWS::PCS::ComputeNodeGroup", "Properties": {**base, **properties}}


def statement(action: Any = REGISTER, **more: Any) -> Body:
    return {"Statement": [{"Effect": "Allow", "Action": action, "Resource": "*", **more}]}


def inline(*documents: Body) -> list[Body]:
    return [{"PolicyName": f"p{n}", "PolicyDocument": d} for n, d in enumerate(documents)]


def by_role(*extra: Body, **properties: Any) -> Body:
    base = {"Path": "/aws-pcs/", "AssumeRolePolicyDocument": {}, "Policies": inline(statement())}
    role = {k: v for k, v in {**base, **properties}.items() if v is not None}
    policies = {f"Extra{n}": policy for n, policy in enumerate(extra)}
    return template(
        Role=("AWS::IAM::Role", role),
        Profile=("AWS::IAM::InstanceProfile", {"Roles": [{"Ref": "Role"}]}),
        Group=node_group(IamInstanceProfileArn={"Fn::GetAtt": ["Profile", "Arn"]}),
        **policies,
    )


def policy(kind: str = "AWS::IAM::Policy", role: Any = None, **document: Any) -> Body:
    named = {"Ref": "Role"} if role is None else role
    key = {"RoleName": named} if kind.endswith("RolePolicy") else {"Roles": [named]}
    return {"Type": kind, "Properties": {"PolicyDocument": statement(**document), **key}}


def of_aws(name: str) -> Body:
    return {"Fn::Sub": f"arn:${{AWS::Partition}}:iam::aws:policy/{name}"}


ROLES: list[Row] = [
    ("the path that AWS PCS asks for", by_role(), []),
    ("a path below it", by_role(Path="/aws-pcs/trainium/"), []),
    ("the name that AWS PCS asks for", by_role(Path=None, RoleName="AWSPCS-nodes"), []),
    (
        "such a name in parts",
        by_role(Path=None, RoleName={"Fn::Sub": "AWSPCS-${AWS::StackName}"}),
        [],
    ),
    (
        "such a name in pieces",
        by_role(Path=None, RoleName={"Fn::Join": ["-", ["AWSPCS", {"Ref": "AWS::StackName"}]]}),
        [],
    ),
    ("another name", by_role(Path=None, RoleName="cluster-nodes"), E),
    ("another name and path", by_role(Path="/nodes/", RoleName="cluster-nodes"), E),
    (
        "another name in parts",
        by_role(Path=None, RoleName={"Fn::Sub": "nodes-${AWS::StackName}"}),
        E,
    ),
    ("a name that CloudFormation makes", by_role(Path=None), W),
    ("a name that CloudFormation makes, and another path", by_role(Path="/"), W),
    ("a name that is not known", by_role(Path=None, RoleName=OPEN), []),
    (
        "a name that begins with the stack's",
        by_role(Path=None, RoleName={"Fn::Sub": "${AWS::StackName}-nodes"}),
        [],
    ),
    ("a path that is not known", by_role(Path=OPEN), []),
    ("no permission", by_role(Policies=None), E),
    ("another permission", by_role(Policies=inline(statement("s3:GetObject"))), E),
    (
        "the permission among others",
        by_role(Policies=inline(statement(["s3:GetObject", REGISTER]))),
        [],
    ),
    ("all of AWS PCS", by_role(Policies=inline(statement("pcs:*"))), []),
    ("the permission denied", by_role(Policies=inline(statement(Effect="Deny"))), E),
    ("the permission by a policy", by_role(policy(), Policies=None), []),
    ("the permission by a role policy", by_role(policy("AWS::IAM::RolePolicy"), Policies=None), []),
    (
        "the permission by a managed policy",
        by_role(policy("AWS::IAM::ManagedPolicy"), Policies=None),
        [],
    ),
    (
        "the permission by a managed policy, named by the role",
        by_role(
            policy("AWS::IAM::ManagedPolicy", "other"),
            Policies=None,
            ManagedPolicyArns=[{"Ref": "Extra0"}],
        ),
        [],
    ),
    ("a policy of another permission", by_role(policy(action="s3:GetObject"), Policies=None), E),
    ("a policy of a role that is not known", by_role(policy(role=OPEN), Policies=None), []),
    (
        "AWS's own policy for it",
        by_role(Policies=None, ManagedPolicyArns=[of_aws("AWSPCSComputeNodePolicy")]),
        [],
    ),
    (
        "AWS's policies for other things",
        by_role(
            Policies=None,
            ManagedPolicyArns=[
                of_aws("AmazonSSMManagedInstanceCore"),
                "arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess",
            ],
        ),
        E,
    ),
    (
        "somebody's policy",
        by_role(Policies=None, ManagedPolicyArns=["arn:aws:iam::111122223333:policy/nodes"]),
        [],
    ),
    ("a policy that is there or not", by_role(Policies=None, ManagedPolicyArns=[UNKNOWN]), []),
    ("policies that are not known", by_role(Policies=UNKNOWN), []),
    ("an action that is not known", by_role(Policies=inline(statement(OPEN))), []),
    ("somebody's profile", template(Group=node_group()), []),
    (
        "an imported profile",
        template(Group=node_group(IamInstanceProfileArn={"Fn::ImportValue": "profile"})),
        [],
    ),
]
ON_BLOCK = {
    "InstanceMarketOptions": {"MarketType": "capacity-block"},
    "CapacityReservationSpecification": {
        "CapacityReservationTarget": {"CapacityReservationId": "cr-1"}
    },
}


def started(
    data: Body, option: Any = "CAPACITY_BLOCK", own: Any = TRN2, most: Any = 4, **more: Any
) -> Body:
    bought = {} if option is None else {"PurchaseOption": option}
    named = {"CustomLaunchTemplate": {"TemplateId": {"Ref": "Nodes"}, "Version": LATEST}}
    return template(
        Nodes=nodes(own, **data), Group=node_group(**bought, **named, most=most, **more)
    )


BLOCKS: list[Row] = [
    ("both say so", started(ON_BLOCK), []),
    ("only the launch template does", started(ON_BLOCK, None), E),
    ("the group is On-Demand", started(ON_BLOCK, "ONDEMAND"), E),
    ("the group's option is not known", started(ON_BLOCK, OPEN), []),
    ("only the group does", started({}), E),
    (
        "the launch template is for Spot",
        started({"InstanceMarketOptions": {"MarketType": "spot"}}),
        E,
    ),
    (
        "the launch template's market is not known",
        started({"InstanceMarketOptions": {"MarketType": OPEN}}),
        [],
    ),
    ("neither", started({}, None), []),
    ("On-Demand", started({}, "ONDEMAND"), []),
    ("the template leaves the type out", started(ON_BLOCK, own=None), W),
    ("the template names another type", started(ON_BLOCK, own=TRN1), E),
    ("as many as a block has", started(ON_BLOCK, most=64), []),
    ("more than a block has", started(ON_BLOCK, most=65), E),
    ("many On-Demand", started({}, None, most=500), []),
    ("no launch template", template(Group=node_group(PurchaseOption="CAPACITY_BLOCK")), E),
    (
        "somebody's launch template",
        template(
            Group=node_group(
                PurchaseOption="CAPACITY_BLOCK",
                CustomLaunchTemplate={"TemplateId": "lt-1", "Version": "1"},
            )
        ),
        [],
    ),
]
SIZES: list[Row] = [
    ("dynamic", template(Group=node_group(least=0, most=4)), []),
    ("static", template(Group=node_group(least=4, most=4)), []),
    ("nothing, to save money", template(Group=node_group(least=0, most=0)), []),
    ("text", template(Group=node_group(least="4", most="4")), []),
    ("static and dynamic at once", template(Group=node_group(least=1, most=4)), []),
    ("more at least than at most", template(Group=node_group(least=5, most=4)), E),
    ("a size that is not known", template(Group=node_group(least=1, most=OPEN)), []),
]


def settings(*names: Any, kind: str = "ComputeNodeGroup", **more: Any) -> Body:
    listed = [{"ParameterName": name, "ParameterValue": "1"} for name in names]
    configuration = {"SlurmConfiguration": {"SlurmCustomSettings": listed, **more}}
    group = node_group(**configuration)
    if kind != "ComputeNodeGroup":
        group = {"Type": f"AWS::PCS::{kind}", "Properties": configuration}
    return template(Group=group)


def of_version(version: Any, *names: Any, **more: Any) -> Body:
    body = settings(*names, **more)
    body["Resources"]["Group"]["Properties"]["ClusterId"] = {"Fn::GetAtt": ["Cluster", "Id"]}
    scheduler = {"Scheduler": {"Type": "SLURM", "Version": version}}
    body["Resources"]["Cluster"] = {"Type": "AWS::PCS::Cluster", "Properties": scheduler}
    return body


SETTINGS: list[Row] = [
    ("a node group's", settings("Features", "RealMemory", "Weight"), []),
    ("a node group's, in small letters", settings("realmemory"), []),
    (
        "generic resources, which it may have by now",
        settings("Gres", GresCustomSettings=UNKNOWN),
        [],
    ),
    ("a cluster's", settings("Prolog", "SelectTypeParameters", kind="Cluster"), []),
    ("a queue's", settings("MaxTime", "Default", kind="Queue"), []),
    ("a cluster's, on a node group", settings("Prolog"), W),
    ("a node group's, on a queue", settings("Weight", kind="Queue"), W),
    ("a queue's, on a cluster", settings("MaxTime", kind="Cluster"), W),
    ("what nobody has", settings("NodeAddr"), W),
    ("two wrong ones", settings("NodeAddr", "State"), [*W, *W]),
    ("a name that is not known", settings(OPEN), []),
    ("settings that are not known", template(Group=node_group(SlurmConfiguration=UNKNOWN)), []),
    ("sockets, of a new cluster", of_version("25.11", "Sockets"), []),
    ("sockets, of an old cluster", of_version("25.05", "Sockets"), W),
    ("sockets, of a cluster that is a number", of_version(25.05, "Sockets"), W),
    ("sockets, of a cluster that is not known", of_version(OPEN, "Sockets"), []),
    ("sockets, of somebody's cluster", settings("Sockets"), []),
    (
        "a record of gres.conf",
        settings(GresCustomSettings=[{"Name": "neuron", "File": "/dev/neuron[0-15]"}]),
        [],
    ),
    (
        "a record with a node's name",
        settings(GresCustomSettings=[{"NodeName": "n", "Name": "neuron"}]),
        W,
    ),
    (
        "detection, of an old cluster",
        of_version("25.05", GresCustomSettings=[{"AutoDetect": "nvml"}]),
        W,
    ),
]


def gres(value: Any, *records: Any, kinds: Any = (TRN2,)) -> Body:
    listed = [{"ParameterName": "Gres", "ParameterValue": value}]
    configuration = {"SlurmCustomSettings": listed, "GresCustomSettings": list(records)}
    return template(Group=node_group(kinds, SlurmConfiguration=configuration))


def record(name: str = "neuron", file: Any = "/dev/neuron[0-15]", **more: Any) -> Body:
    return {"Name": name, **({} if file is None else {"File": file}), **more}


def counted(name: str, count: int) -> Body:
    return record(name, None, Count=str(count))


GRES: list[Row] = [
    ("declared twice alike", gres("neuron:16", record()), []),
    ("fewer than there are", gres("neuron:8", record()), []),
    ("none to be had", gres("neuron:0", record()), []),
    ("declared once", gres("neuron:16"), E),
    ("declared under two names", gres("neurondevice:16", record()), E),
    ("more than the records have", gres("neuron:16", record(file="/dev/neuron[0-7]")), E),
    (
        "the records together",
        gres("neuron:16", record(file="/dev/neuron[0-7]"), record(file="/dev/neuron[8-15]")),
        [],
    ),
    ("with a type", gres("neuron:trainium2:16", record(Type="trainium2")), []),
    ("two resources", gres("neuron:16,neuroncore:64", record(), counted("neuroncore", 64)), []),
    ("two resources, one declared once", gres("neuron:16,neuroncore:64", record()), E),
    ("a shared resource", gres("shard:64", record("shard", None)), []),
    ("GPUs that Slurm finds", gres("gpu:8", {"AutoDetect": "nvml"}, kinds=["p5.48xlarge"]), []),
    (
        "GPUs that Slurm does not look for",
        gres("gpu:8", {"AutoDetect": "off"}, kinds=["p5.48xlarge"]),
        E,
    ),
    (
        "a file in a form that is not known",
        gres("neuron:16", record(file="/dev/neuron[0-7],/dev/neuron[8-15]")),
        [],
    ),
    (
        "records that are not known",
        template(
            Group=node_group(
                SlurmConfiguration={
                    "SlurmCustomSettings": [
                        {"ParameterName": "Gres", "ParameterValue": "neuron:16"}
                    ],
                    "GresCustomSettings": UNKNOWN,
                }
            )
        ),
        [],
    ),
    ("a record that may be of any name", gres("neuron:16", {"Name": OPEN}), []),
    ("a value that is not known", gres(OPEN), []),
    ("cores as devices", gres("neuron:64", counted("neuron", 64)), W),
    ("trn1's devices on the small one", gres("neuron:16", counted("neuron", 16), kinds=[SMALL]), W),
    ("the small one's device", gres("neuron:1", record(file="/dev/neuron0"), kinds=[SMALL]), []),
    ("files that are not there", gres("neuron:1", record(), kinds=[SMALL]), E),
    ("a file that is not there", gres("neuron:1", record(file="/dev/neuron16")), E),
    ("logical cores", gres("neuroncore:64", counted("neuroncore", 64)), []),
    (
        "physical cores, by default two to one",
        gres("neuroncore:128", counted("neuroncore", 128)),
        W,
    ),
    ("more cores than there are", gres("neuron_cores:256", counted("neuron_cores", 256)), W),
    ("trn1's cores", gres("neuroncore:32", counted("neuroncore", 32), kinds=[TRN1]), []),
    ("trn2's cores on trn1", gres("neuroncore:64", counted("neuroncore", 64), kinds=[TRN1]), W),
    (
        "cores on one of two types",
        gres("neuroncore:64", counted("neuroncore", 64), kinds=[TRN1, TRN2]),
        [],
    ),
]
NICS = [interface(0, 0, "efa")]


def in_zones(*zones: Any) -> Body:
    subnets = {f"Subnet{n}": subnet(AvailabilityZoneId=zone) for n, zone in enumerate(zones)}
    named = {"CustomLaunchTemplate": {"TemplateId": {"Ref": "Nodes"}, "Version": LATEST}}
    listed = [{"Ref": name} for name in subnets]
    return template(Nodes=nodes(None, NICS), Group=node_group(SubnetIds=listed, **named), **subnets)


ZONES: list[Row] = [
    ("one zone", in_zones("use2-az1"), []),
    ("two zones", in_zones("use2-az1", "use2-az3"), W),
]
OFFERED: list[Row] = [
    ("a zone that has the type", in_zones("use2-az3"), []),
    ("a zone that has it not", in_zones("usw2-az2"), E),
]
PREFIXES: list[Row] = [
    ("EC2's name", template(Group=node_group()), []),
    ("SageMaker's name", template(Group=node_group([f"ml.{TRN2}"])), E),
]
TABLES = {
    "TRN580": ROLES,
    "TRN581": BLOCKS,
    "TRN582": SIZES,
    "TRN583": SETTINGS,
    "TRN584": GRES,
    "TRN571": ZONES,
    "TRN153": OFFERED,
    "TRN590": PREFIXES,
}
ROWS = [(rule_id, *row) for rule_id, rows in TABLES.items() for row in rows]


@pytest.mark.parametrize(
    ("rule_id", "body", "expected"),
    [(rule_id, body, expected) for rule_id, _, body, expected in ROWS],
    ids=[f"{rule_id} {name}" for rule_id, name, _, _ in ROWS],
)
def test_a_rule_fires_on_what_is_wrong_and_on_nothing_else(
    rule_id: str, body: Body, expected: list[str]
):
    assert severities(rule_id, judge_template(body)) == expected


@pytest.mark.parametrize(
    ("rule_id", "body", "said", "hint"),
    [
        ("TRN580", by_role(Path=None, RoleName="cluster-nodes"), "Role: is called cluster-nodes, and is the role of the nodes of Group; AWS PCS takes those whose name begins with AWSPCS, or whose path contains /aws-pcs/", "set Path to /aws-pcs/ on the role and on its instance profile"),
        ("TRN581", started(ON_BLOCK, None), "Group: has no PurchaseOption, and Nodes the market type capacity-block", "set PurchaseOption to CAPACITY_BLOCK"),
        ("TRN582", template(Group=node_group(least=5, most=4)), "Group: MinInstanceCount is 5 and MaxInstanceCount is 4", "write MinInstanceCount not above MaxInstanceCount"),
        ("TRN583", settings("Prolog"), "Group: has the Slurm setting Prolog, which AWS PCS does not list for a compute node group", "move it to a cluster"),
        ("TRN583", settings("Feature"), "Group: has the Slurm setting Feature, which AWS PCS does not list for a compute node group", "did you mean Features?"),
        ("TRN584", gres("neuroncore:128", counted("neuroncore", 128)), "Group: Gres has 128 of neuroncore; trn2.48xlarge has 64 logical NeuronCores of 2", "write neuroncore:64, or set the logical NeuronCore size of the nodes to 1"),
        ("TRN584", gres("neuron:1", record(), kinds=[SMALL]), "Group: a record is about /dev/neuron[0-15]; trn2.3xlarge has /dev/neuron0, and nodes with fewer drain", "write a File of 1 device"),
    ],
)  # fmt: skip
def test_a_finding_says_what_it_got_and_what_to_do(rule_id: str, body: Body, said: str, hint: str):
    (finding,) = of_rule(rule_id, judge_template(body))
    assert (finding.message, finding.hint) == (said, hint)


def test_a_role_in_another_stack_is_found_by_its_export():
    role = template(
        Role=("AWS::IAM::Role", {"RoleName": "nodes", "AssumeRolePolicyDocument": {}}),
        Profile=("AWS::IAM::InstanceProfile", {"Roles": [{"Ref": "Role"}]}),
    )
    role["Outputs"] = {
        "Arn": {"Value": {"Fn::GetAtt": ["Profile", "Arn"]}, "Export": {"Name": "x"}}
    }
    group = template(Group=node_group(IamInstanceProfileArn={"Fn::ImportValue": "x"}))
    assert severities("TRN580", judge_template(role, group)) == [*E, *E]


def test_a_whole_right_template_has_no_finding():
    efa = {"Fn::GetAtt": ["Efa", "GroupId"]}
    cards = [{**entry, "Groups": [efa], "DeleteOnTermination": True} for entry in recommended(16)]
    data = {
        "ImageId": "ami-1",
        "MetadataOptions": {"HttpTokens": "required", "HttpPutResponseHopLimit": 2},
        **ON_BLOCK,
    }
    slurm = {
        "SlurmCustomSettings": [
            {"ParameterName": "Gres", "ParameterValue": "neuron:16,neuroncore:64"},
            {"ParameterName": "Features", "ParameterValue": "neuron"},
        ],
        "GresCustomSettings": [record(), counted("neuroncore", 64)],
    }
    body = by_role()
    body["Resources"] |= template(
        Efa=("AWS::EC2::SecurityGroup", {"GroupDescription": "efa", "VpcId": "vpc-1"}),
        In=rule("Ingress", efa, efa),
        Out=rule("Egress", efa, efa),
        Subnet=subnet(AvailabilityZoneId="use2-az3"),
        Nodes=nodes(TRN2, cards, **data),
        Cluster=(
            "AWS::PCS::Cluster",
            {
                "Size": "SMALL",
                "Scheduler": {"Type": "SLURM", "Version": "25.11"},
                "Networking": {"SubnetIds": [{"Ref": "Subnet"}], "SecurityGroupIds": [efa]},
                "SlurmConfiguration": {"SlurmCustomSettings": [{"ParameterName": "PrologFlags", "ParameterValue": "Alloc"}]},
            },
        ),
        Group=node_group(
            [TRN2],
            least=4,
            ClusterId={"Fn::GetAtt": ["Cluster", "Id"]},
            SubnetIds=[{"Ref": "Subnet"}],
            IamInstanceProfileArn={"Fn::GetAtt": ["Profile", "Arn"]},
            CustomLaunchTemplate={"TemplateId": {"Ref": "Nodes"}, "Version": LATEST},
            PurchaseOption="CAPACITY_BLOCK",
            SlurmConfiguration=slurm,
        ),
    )["Resources"]  # fmt: skip
    assert judge_template(body, region="us-east-2") == ()
