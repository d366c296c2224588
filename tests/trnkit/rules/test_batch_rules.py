"""AWS Batch: environments, queues and job definitions that went wrong, beside the nearest right."""

# One case a line, however long.
# ruff: noqa: E501

from __future__ import annotations

from typing import Any

import pytest

from tests.trnkit.rules.judging import judge_template, of_rule, severities
from tests.trnkit.rules.templates import Body, interface, nodes, older, subnet, template

E, W, I = ["error"], ["warning"], ["info"]  # noqa: E741
Row = tuple[str, Body, list[str]]
TRN1, TRN2, SMALL = "trn1.32xlarge", "trn2.48xlarge", "trn2.3xlarge"
OPEN = {"Ref": "Open"}
UNKNOWN = {"Fn::If": ["Sometimes", "a", {"Ref": "AWS::NoValue"}]}
EFA = [interface(0, 0, "efa")]
ROLE = {"Type": "AWS::IAM::Role", "Properties": {"AssumeRolePolicyDocument": {}}}
PROFILE = {"Type": "AWS::IAM::InstanceProfile", "Properties": {"Roles": [{"Ref": "Role"}]}}


def environment(kind: Any = "EC2", managed: Any = "MANAGED", **computing: Any) -> Body:
    base = {"Type": kind, "MaxvCpus": 192, "Subnets": ["subnet-1"]}
    resources = {**base, **computing}
    return {
        "Type": "AWS::Batch::ComputeEnvironment",
        "Properties": {"Type": managed, "ComputeResources": resources},
    }


NAMED = {"LaunchTemplate": {"LaunchTemplateId": {"Ref": "Nodes"}, "Version": "1"}}


def profiled(value: Any, **resources: Any) -> Body:
    return template(Role=ROLE, Profile=PROFILE, Env=environment(InstanceRole=value), **resources)


def role_arn(separator: str = "") -> Body:
    return {
        "Fn::Join": [
            separator,
            ["arn:", {"Ref": "AWS::Partition"}, ":iam::", {"Ref": "AWS::AccountId"}, ":role/ecs"],
        ]
    }


CALLED = {"Type": "AWS::IAM::Role", "Properties": {"RoleName": "ecsInstanceRole"}}
PROFILES: list[Row] = [
    ("the profile's ARN", profiled({"Fn::GetAtt": ["Profile", "Arn"]}), []),
    ("the profile", profiled({"Ref": "Profile"}), []),
    ("a short name", profiled("ecsInstanceRole"), []),
    (
        "the ARN of somebody's profile",
        profiled("arn:aws:iam::111122223333:instance-profile/ecsInstanceRole"),
        [],
    ),
    ("the role's ARN", profiled({"Fn::GetAtt": ["Role", "Arn"]}), E),
    ("the role's ARN in short", profiled({"Fn::GetAtt": "Role.Arn"}), E),
    ("the role", profiled({"Ref": "Role"}), E),
    ("a role whose name a profile may have", profiled({"Ref": "Called"}, Called=CALLED), []),
    ("the ARN of somebody's role", profiled("arn:aws:iam::111122223333:role/ecsInstanceRole"), E),
    (
        "the ARN of a role of the account",
        profiled({"Fn::Sub": "arn:aws:iam::${AWS::AccountId}:role/ecs"}),
        E,
    ),
    ("the ARN of a role in parts", profiled(role_arn()), E),
    (
        "a path that looks like a role's",
        profiled({"Fn::Sub": "arn:aws:iam::${AWS::AccountId}:instance-profile/role/ecs"}),
        [],
    ),
    ("an import", profiled({"Fn::ImportValue": "role-arn"}), []),
    ("a parameter", profiled(OPEN), []),
    (
        "a launch template's ARN of a role",
        template(
            Role=ROLE,
            Nodes=nodes(TRN1, IamInstanceProfile={"Arn": {"Fn::GetAtt": ["Role", "Arn"]}}),
        ),
        E,
    ),
    (
        "a launch template's role for a name",
        template(Role=ROLE, Nodes=nodes(TRN1, IamInstanceProfile={"Name": {"Ref": "Role"}})),
        E,
    ),
    (
        "a launch template's profile",
        template(
            Role=ROLE,
            Profile=PROFILE,
            Nodes=nodes(TRN1, IamInstanceProfile={"Name": {"Ref": "Profile"}}),
        ),
        [],
    ),
    (
        "a single instance's role",
        template(Role=ROLE, Box=("AWS::EC2::Instance", {"IamInstanceProfile": {"Ref": "Role"}})),
        E,
    ),
    (
        "AWS PCS's role",
        template(
            Role=ROLE,
            Group=(
                "AWS::PCS::ComputeNodeGroup",
                {"IamInstanceProfileArn": {"Fn::GetAtt": ["Role", "Arn"]}},
            ),
        ),
        E,
    ),
]


def started(interfaces: Any, subnets: Any = ("subnet-1",), **computing: Any) -> Body:
    parts = {"Subnets": list(subnets), **NAMED, **computing}
    return template(
        Nodes=nodes(None, interfaces), Env=environment(**parts), One=subnet(), Two=subnet()
    )


SG = {"SecurityGroupIds": ["sg-1"]}
IN_ONE = [interface(0, 0, "efa", SubnetId={"Ref": "One"})]
ENVIRONMENTS: list[Row] = [
    ("groups on the interfaces", started(EFA), []),
    ("groups on the environment", started(None, **SG), []),
    ("groups in both places", started(EFA, **SG), E),
    ("groups in both places, by parameter", started(EFA, SecurityGroupIds=[OPEN]), E),
    (
        "groups in both places, by attribute",
        started(EFA, SecurityGroupIds=[{"Fn::GetAtt": ["Group", "GroupId"]}]),
        E,
    ),
    ("a group that may not be there", started(EFA, SecurityGroupIds=[UNKNOWN]), []),
    ("interfaces that may not be there", started(UNKNOWN, **SG), []),
    ("no groups", started(EFA, SecurityGroupIds=[]), []),
    ("an interface in the environment's subnet", started(IN_ONE, [{"Ref": "One"}]), []),
    (
        "an interface in one of the environment's subnets",
        started(IN_ONE, [{"Ref": "Two"}, {"Ref": "One"}]),
        [],
    ),
    ("an interface in another subnet", started(IN_ONE, [{"Ref": "Two"}]), I),
    (
        "an interface in another subnet, by id",
        started([interface(0, 0, "efa", SubnetId="subnet-2")]),
        I,
    ),
    ("an environment in any subnets", started(IN_ONE, [OPEN]), []),
]


def in_zones(*zones: Any, interfaces: Any = EFA, **more: Any) -> Body:
    subnets = {f"Subnet{n}": subnet(AvailabilityZoneId=zone) for n, zone in enumerate(zones)}
    computing = {"Subnets": [{"Ref": name} for name in subnets], **NAMED, **more}
    return template(Nodes=nodes(None, interfaces), Env=environment(**computing), **subnets)


TOGETHER = ("AWS::EC2::PlacementGroup", {"Strategy": "cluster"})
ZONES: list[Row] = [
    ("one zone", in_zones("use2-az1"), []),
    ("two subnets of one zone", in_zones("use2-az1", "use2-az1"), []),
    ("two zones", in_zones("use2-az1", "use2-az3"), W),
    (
        "two zones without EFA",
        in_zones("use2-az1", "use2-az3", interfaces=[interface(0, 0, None)]),
        [],
    ),
    ("zones that are not known", in_zones(OPEN, "use2-az3"), []),
]
PLACED: list[Row] = [
    (
        "in one zone",
        template(
            Together=TOGETHER,
            **in_zones("use2-az1", PlacementGroup={"Ref": "Together"})["Resources"],
        ),
        [],
    ),
    (
        "in two zones",
        template(
            Together=TOGETHER,
            **in_zones("use2-az1", "use2-az3", PlacementGroup={"Ref": "Together"})["Resources"],
        ),
        E,
    ),
]
BLOCK = {
    "InstanceMarketOptions": {"MarketType": "capacity-block"},
    "CapacityReservationSpecification": {
        "CapacityReservationTarget": {"CapacityReservationId": "cr-1"}
    },
}
OF_BLOCKS: list[Row] = [
    ("placed by the block", template(Nodes=nodes(TRN2, **BLOCK), Env=environment(**NAMED)), []),
    (
        "placed by the environment too",
        template(Nodes=nodes(TRN2, **BLOCK), Env=environment(PlacementGroup="together", **NAMED)),
        E,
    ),
    (
        "placed On-Demand",
        template(Nodes=nodes(TRN2), Env=environment(PlacementGroup="together", **NAMED)),
        [],
    ),
]


def queue(*environments: Body) -> Body:
    named = {f"Env{n}": e for n, e in enumerate(environments)}
    order = [{"Order": n, "ComputeEnvironment": {"Ref": name}} for n, name in enumerate(named)]
    return template(
        Queue=("AWS::Batch::JobQueue", {"Priority": 1, "ComputeEnvironmentOrder": order}), **named
    )


def queue_of_arns(number: int, **more: Any) -> Body:
    order = [{"Order": n, "ComputeEnvironment": f"arn:{n}"} for n in range(number)]
    return template(Queue=("AWS::Batch::JobQueue", {"ComputeEnvironmentOrder": order, **more}))


QUEUES: list[Row] = [
    ("one environment", queue(environment()), []),
    ("On-Demand before Spot", queue(environment(), environment("SPOT")), []),
    ("small letters", queue(environment("ec2"), environment("spot")), []),
    ("EC2 beside Fargate", queue(environment(), environment("FARGATE")), E),
    ("Spot beside Fargate Spot", queue(environment("SPOT"), environment("FARGATE_SPOT")), E),
    ("Fargate beside Fargate Spot", queue(environment("FARGATE"), environment("FARGATE_SPOT")), []),
    ("EC2 beside what is not known", queue(environment(), environment(OPEN)), []),
    ("three environments of others", queue_of_arns(3), []),
    ("four environments of others", queue_of_arns(4), E),
    ("environments that are not known", queue_of_arns(0, ComputeEnvironmentOrder=UNKNOWN), []),
]


def job(*ranges: Any, number: Any = 4, main: Any = 0, kind: Any = "multinode", **more: Any) -> Body:
    parts = [
        r if isinstance(r, dict) else {"TargetNodes": r, "Container": {"Image": "i"}}
        for r in ranges
    ]
    properties = {"NumNodes": number, "MainNode": main, "NodeRangeProperties": parts}
    return template(
        Job=("AWS::Batch::JobDefinition", {"Type": kind, "NodeProperties": properties, **more})
    )


def job_in(*environments: Body) -> Body:
    named = {f"Env{n}": e for n, e in enumerate(environments)}
    return template(**job("0:")["Resources"], **named)


EKS = {
    "Type": "AWS::Batch::ComputeEnvironment",
    "Properties": {
        "Type": "MANAGED",
        "EksConfiguration": {"EksClusterArn": "arn"},
        "ComputeResources": {"Type": "EC2"},
    },
}
FITTING: list[Row] = [
    ("on EC2", job_in(environment()), []),
    ("on EKS, which AWS Batch does too", job_in(EKS), []),
    ("on EC2 or Spot", job_in(environment(), environment("SPOT")), []),
    ("on Spot", job_in(environment("SPOT")), W),
    ("on Fargate", job_in(environment("FARGATE")), W),
    ("on instances that ECS manages", job_in(environment("ECS_MANAGED_INSTANCES")), W),
    ("on an environment of one's own", job_in(environment(managed="UNMANAGED")), W),
    ("on what is not known", job_in(environment(OPEN)), []),
    ("on another stack's", job("0:"), []),
    (
        "a job of one node on Spot",
        template(Job=("AWS::Batch::JobDefinition", {"Type": "container"}), Env=environment("SPOT")),
        [],
    ),
]


def of_type(kind: str, nodes: str) -> Body:
    return {"TargetNodes": nodes, "Container": {"Image": "i", "InstanceType": kind}}


RANGES: list[Row] = [
    ("all nodes", job("0:3"), []),
    ("all nodes, open at the end", job("0:"), []),
    ("all nodes, open at the start", job(":3"), []),
    ("all nodes, open at both ends", job(":"), []),
    ("the main node and the others", job("0:0", "1:3"), []),
    ("the main node by itself", job("0", "1:"), []),
    ("a range in a range", job("0:3", "1:2"), []),
    ("in any order", job("2:3", "0:1"), []),
    ("the last are left out", job("0:1"), E),
    ("the first are left out", job("1:3"), E),
    ("one in the middle is left out", job("0:1", "3:3"), E),
    ("more nodes than there are", job("0:4"), E),
    ("from the last to the first", job("3:0"), E),
    ("a range that is none", job("all"), E),
    ("the main node is the last", job("0:", main=3), []),
    ("the main node is after the last", job("0:", main=4), E),
    ("a number that is not known", job("0:1", number=OPEN), []),
    ("a range that is not known", job("0:1", OPEN), []),
    (
        "ranges that are not known",
        template(
            Job=(
                "AWS::Batch::JobDefinition",
                {
                    "Type": "multinode",
                    "NodeProperties": {
                        "NumNodes": 4,
                        "MainNode": 0,
                        "NodeRangeProperties": UNKNOWN,
                    },
                },
            )
        ),
        [],
    ),
    ("a million nodes", job("0:", number=10**12), []),
    ("no nodes", job("0:", number=0), E),
    ("one type", job({"TargetNodes": "0:", "InstanceTypes": [TRN2]}), []),
    ("two types for a range", job({"TargetNodes": "0:", "InstanceTypes": [TRN1, TRN2]}), E),
    ("one type for all ranges", job(of_type(TRN1, "0:0"), of_type(TRN1, "1:")), []),
    ("another type for the main node", job(of_type("m5.large", "0:0"), of_type(TRN1, "1:")), E),
    ("the other kind", job("0:", kind="container"), E),
    (
        "nodes of nothing",
        template(
            Job=("AWS::Batch::JobDefinition", {"Type": "multinode", "ContainerProperties": {}})
        ),
        E,
    ),
    (
        "a container",
        template(
            Job=("AWS::Batch::JobDefinition", {"Type": "container", "ContainerProperties": {}})
        ),
        [],
    ),
    ("for EC2", job("0:", PlatformCapabilities=["EC2"]), []),
    ("for Fargate", job("0:", PlatformCapabilities=["FARGATE"]), E),
    ("pods of EKS", job({"TargetNodes": "0:", "EksProperties": {"PodProperties": {}}}), []),
]


def devices(neuron: int = 0, efa: int = 0, **more: Any) -> Body:
    listed = [{"HostPath": f"/dev/neuron{n}"} for n in range(neuron)]
    listed += [{"HostPath": f"/dev/infiniband/uverbs{n}"} for n in range(efa)]
    limits = [{"Name": "memlock", "HardLimit": -1, "SoftLimit": -1}]
    return {"Image": "i", "LinuxParameters": {"Devices": listed}, "Ulimits": limits, **more}


def seeing(container: Body, kind: Any = TRN2) -> Body:
    return job({"TargetNodes": "0:", "InstanceTypes": [kind], "Container": container})


def alone(container: Body) -> Body:
    return template(
        Job=("AWS::Batch::JobDefinition", {"Type": "container", "ContainerProperties": container})
    )


def tasks(container: Body) -> Body:
    part = {"TargetNodes": "0:", "InstanceTypes": [TRN2]}
    return job({**part, "EcsProperties": {"TaskProperties": [{"Containers": [container]}]}})


def task_of(*containers: Body) -> Body:
    part = {"TargetNodes": "0:", "InstanceTypes": [TRN2]}
    return job({**part, "EcsProperties": {"TaskProperties": [{"Containers": list(containers)}]}})


def limited(*limits: Body) -> Body:
    return seeing({**devices(16, 16), "Ulimits": list(limits)})


HOOK = [{"Name": "AWS_NEURON_VISIBLE_DEVICES", "Value": "ALL"}]
DEVICES: list[Row] = [
    ("all of both", seeing(devices(16, 16)), []),
    ("all of both on trn1", seeing(devices(16, 8), TRN1), []),
    ("all of both on the small one", seeing(devices(1, 1), SMALL), []),
    ("all of both, as ECS has it", tasks(devices(16, 16)), []),
    ("the second list in place of the first", seeing(devices(0, 16)), E),
    ("the second list in place of the first, as ECS has it", tasks(devices(0, 16)), E),
    (
        "the second list in a Neuron image",
        alone(devices(0, 16, Image="public.ecr.aws/neuron/pytorch-training-neuronx:2.9")),
        W,
    ),
    ("EFA alone, on something else", alone(devices(0, 4)), []),
    ("Neuron alone over several nodes", seeing(devices(16)), W),
    ("Neuron alone on one node", alone(devices(16)), []),
    ("no devices at all", seeing(devices()), []),
    ("half of both in each of two containers", task_of(devices(8, 8), devices(8, 8)), []),
    ("each kind in a container of its own", task_of(devices(16), devices(0, 16)), []),
    ("more than there are, in one of two containers", task_of(devices(17), devices(0, 16)), E),
    ("half of EFA", seeing(devices(16, 8)), W),
    ("half of Neuron", seeing(devices(8, 16)), W),
    ("more Neuron devices than there are", seeing(devices(17, 16)), E),
    ("more EFA devices than there are", seeing(devices(16, 16), TRN1), E),
    ("some devices on one node", alone(devices(4)), []),
    ("all devices, since it is privileged", seeing(devices(0, 16, Privileged=True)), []),
    ("perhaps all devices", seeing(devices(0, 16, Privileged=OPEN)), []),
    ("devices that the image's hook adds", seeing(devices(0, 16, Environment=HOOK)), []),
    (
        "a device that is not known",
        seeing({**devices(0, 16), "LinuxParameters": {"Devices": [{"HostPath": OPEN}]}}),
        [],
    ),
    (
        "devices that are not known",
        seeing({**devices(0, 16), "LinuxParameters": {"Devices": UNKNOWN}}),
        [],
    ),
    ("EFA and memory as it comes", limited(), W),
    ("EFA and another limit", limited({"Name": "nofile", "HardLimit": 1, "SoftLimit": 1}), W),
    (
        "EFA and little memory",
        limited({"Name": "memlock", "HardLimit": 65536, "SoftLimit": 65536}),
        W,
    ),
    (
        "EFA and a limit that is not known",
        limited({"Name": "memlock", "HardLimit": OPEN, "SoftLimit": OPEN}),
        [],
    ),
    (
        "a pod of EKS, which lists none",
        job(
            {
                "TargetNodes": "0:",
                "InstanceTypes": [TRN2],
                "EksProperties": {"PodProperties": {"Containers": [{"Image": "i"}]}},
            }
        ),
        [],
    ),
]


def asking(*requirements: tuple[str, Any], kind: str = TRN2, **more: Any) -> Body:
    listed = [{"Type": name, "Value": value} for name, value in requirements]
    return seeing({"Image": "i", "ResourceRequirements": listed, **more}, kind)


def pod_of(name: str, value: Any) -> Body:
    container = {"Image": "i", "Resources": {"Limits": {name: value}}}
    part = {"TargetNodes": "0:", "InstanceTypes": [TRN2]}
    return job({**part, "EksProperties": {"PodProperties": {"Containers": [container]}}})


RESOURCES: list[Row] = [
    ("all vCPUs", asking(("VCPU", "192"), ("MEMORY", "1900000")), []),
    ("more vCPUs than there are", asking(("VCPU", "193")), E),
    ("trn2's vCPUs on the small one", asking(("VCPU", "192"), kind=SMALL), E),
    ("nearly all memory", asking(("MEMORY", "2000000")), []),
    ("all memory, of which ECS keeps some", asking(("MEMORY", "2097152")), E),
    ("more memory than there is", asking(("MEMORY", "4000000")), E),
    ("in the older place", asking(Vcpus=193, Memory=1), E),
    ("in the older place, right", asking(Vcpus=96, Memory=1024), []),
    ("GPUs on Trainium", asking(("GPU", "16")), E),
    ("no GPUs on Trainium", asking(("GPU", "0")), []),
    ("GPUs on a GPU type", asking(("GPU", "8"), kind="p5.48xlarge"), []),
    ("an amount that is not known", asking(("VCPU", OPEN)), []),
    (
        "a job of one node, on any type",
        alone({"Image": "i", "ResourceRequirements": [{"Type": "GPU", "Value": "1"}]}),
        [],
    ),
    ("a pod with all devices", pod_of("aws.amazon.com/neuron", 16), []),
    ("a pod with more devices than there are", pod_of("aws.amazon.com/neuron", 17), E),
    ("a pod with cores for devices", pod_of("aws.amazon.com/neuron", 64), E),
    ("a pod with all logical cores", pod_of("aws.amazon.com/neuroncore", 64), []),
    ("a pod with more cores than there are", pod_of("aws.amazon.com/neuroncore", 129), E),
    ("a pod with some memory", pod_of("memory", "512000Mi"), []),
    ("a pod with more memory than there is", pod_of("memory", "2100000Mi"), E),
    ("a pod with GPUs", pod_of("nvidia.com/gpu", 1), E),
]


def cores(kind: str = TRN2, **environment: Any) -> Body:
    return seeing(
        {"Image": "i", "Environment": [{"Name": k, "Value": v} for k, v in environment.items()]},
        kind,
    )


LNC, RUNTIME = "NEURON_LOGICAL_NC_CONFIG", "NEURON_RT_VIRTUAL_CORE_SIZE"
NUM, SEEN = "NEURON_RT_NUM_CORES", "NEURON_RT_VISIBLE_CORES"
CORES: list[Row] = [
    ("all logical cores", cores(**{NUM: "64"}), []),
    ("all of them, by number", cores(**{SEEN: "0-63"}), []),
    ("some of them", cores(**{SEEN: "0,1,8-15"}), []),
    ("physical cores, by default two to one", cores(**{NUM: "128"}), W),
    ("physical cores, two to one", cores(**{NUM: "128", LNC: "2"}), E),
    ("physical cores, one by one", cores(**{NUM: "128", LNC: "1"}), []),
    ("physical cores, one by one for the runtime", cores(**{NUM: "128", RUNTIME: "1"}), []),
    ("more than all", cores(**{NUM: "129", LNC: "1"}), E),
    ("the core after the last", cores(**{SEEN: "0-64", LNC: "2"}), E),
    ("trn1's cores on trn1", cores(TRN1, **{NUM: "32"}), []),
    ("trn2's cores on trn1", cores(TRN1, **{NUM: "64"}), E),
    ("pairs on trn1, which has none", cores(TRN1, **{LNC: "2"}), E),
    ("one by one on trn1", cores(TRN1, **{LNC: "1"}), []),
    ("threes", cores(**{LNC: "3"}), E),
    ("the small one", cores(SMALL, **{NUM: "4"}), []),
    ("the big one's cores on the small one", cores(SMALL, **{NUM: "64"}), E),
    ("a size that is not known", cores(**{NUM: "128", LNC: OPEN}), W),
    ("a number that is not known", cores(**{NUM: OPEN}), []),
    ("something else", cores(**{SEEN: "all"}), []),
    (
        "a job of one node, on any type",
        alone({"Image": "i", "Environment": [{"Name": NUM, "Value": "999"}]}),
        [],
    ),
]


def sizes(most: Any, least: Any = None, wanted: Any = None, types: Any = (TRN2,)) -> Body:
    counts = {"MaxvCpus": most, "MinvCpus": least, "DesiredvCpus": wanted}
    stated = {k: v for k, v in counts.items() if v is not None}
    return template(Env=environment(InstanceTypes=list(types), **stated))


SIZES: list[Row] = [
    ("one node", sizes(192), []),
    ("none, to switch it off", sizes(0, 0, 0), []),
    ("from none to all", sizes(768, 0, 192), []),
    ("more at least than at most", sizes(192, 384), E),
    ("more wanted than there may be", sizes(192, 0, 384), E),
    ("less wanted than there must be", sizes(768, 384, 192), E),
    ("less than a node has", sizes(96), W),
    ("less than the bigger of two nodes has", sizes(96, types=[TRN2, SMALL]), []),
    ("less than a node has, of a type that is not known", sizes(96, types=[TRN2, OPEN]), []),
    ("a family", sizes(1, types=["trn2"]), []),
    ("open", sizes(OPEN, 384), []),
]


def configured(*configurations: Any, types: Any = (TRN2,), **computing: Any) -> Body:
    parts = {"InstanceTypes": list(types), "Ec2Configuration": list(configurations), **computing}
    return template(Env=environment(**parts))


def booted(data: Body, **computing: Any) -> Body:
    return template(
        Nodes=nodes(None, **data), Env=environment(InstanceTypes=[TRN2], **NAMED, **computing)
    )


ON_EKS = {
    "Type": "MANAGED",
    "EksConfiguration": {"EksClusterArn": "arn"},
    "ComputeResources": {"Type": "EC2", "InstanceTypes": [TRN2]},
}
IMAGES: list[Row] = [
    (
        "an image of its own",
        configured({"ImageType": "ECS_AL2023", "ImageIdOverride": "ami-1"}),
        [],
    ),
    (
        "an image of its own, by a parameter",
        configured({"ImageType": "ECS_AL2023", "ImageIdOverride": OPEN}),
        [],
    ),
    ("an image of its own, in the older place", configured(ImageId="ami-1"), []),
    ("the plain image", configured({"ImageType": "ECS_AL2023"}), W),
    ("the image for NVIDIA", configured({"ImageType": "ECS_AL2023_NVIDIA"}), W),
    (
        "an image for Neuron, should there be one",
        configured({"ImageType": "ECS_AL2023_NEURON"}),
        [],
    ),
    ("nothing said", configured(), W),
    ("something that is not known", configured(UNKNOWN), []),
    ("another kind of instance", configured(types=["m5.large"]), []),
    ("on EKS", template(Env=("AWS::Batch::ComputeEnvironment", ON_EKS)), []),
    ("a launch template's image", booted({"ImageId": "ami-1"}), []),
    ("a launch template without an image", booted({}), W),
    (
        "a launch template whose script installs the driver",
        booted({"UserData": {"Fn::Base64": "dnf install aws-neuronx-dkms"}}),
        [],
    ),
    (
        "a launch template whose script mounts something",
        booted({"UserData": {"Fn::Base64": "mount /fsx"}}),
        W,
    ),
    ("somebody's launch template", configured(LaunchTemplate={"LaunchTemplateId": "lt-1"}), []),
]
TABLES = {
    "TRN578": SIZES,
    "TRN579": IMAGES,
    "TRN293": PROFILES,
    "TRN570": ENVIRONMENTS,
    "TRN571": ZONES,
    "TRN154": PLACED,
    "TRN261": OF_BLOCKS,
    "TRN572": QUEUES,
    "TRN573": FITTING,
    "TRN574": RANGES,
    "TRN575": DEVICES,
    "TRN576": RESOURCES,
    "TRN577": CORES,
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
    ("rule_id", "body", "said"),
    [
        ("TRN293", profiled({"Ref": "Role"}), "Env: InstanceRole is the name of the role Role; it is to be an instance profile"),
        ("TRN570", started(EFA, **SG), "Env: has SecurityGroupIds, and Nodes has NetworkInterfaces; AWS Batch takes one of the two"),
        ("TRN571", in_zones("use2-az1", "use2-az3"), "Env: starts nodes with EFA in 2 zones (subnets Subnet0 and Subnet1); a job over both has no EFA between them"),
        ("TRN573", job_in(environment("SPOT")), "Job: is a multi-node parallel job, which no compute environment here runs: Env0 is SPOT"),
        ("TRN574", job("0:1"), "Job: has 4 nodes, and no node range is about node 2"),
        ("TRN574", job("0:4"), "Job: has the node range 0:4, and 4 nodes, 0 to 3"),
        ("TRN575", seeing(devices(17, 16)), "Job: lists /dev/neuron16; trn2.48xlarge has /dev/neuron0 to 15"),
        ("TRN575", seeing(devices(16, 8)), "Job: lists 8 EFA devices of the 16 of trn2.48xlarge, and a node runs nothing else"),
        ("TRN576", asking(("VCPU", "193")), "Job: asks for 193 vCPUs on trn2.48xlarge, which has 192"),
        ("TRN577", cores(**{NUM: "128", LNC: "2"}), "Job: asks by NEURON_RT_NUM_CORES for 128 NeuronCores; trn2.48xlarge has 64, with 2 to a logical one"),
    ],
)  # fmt: skip
def test_a_finding_says_what_it_got_and_what_is_allowed(rule_id: str, body: Body, said: str):
    (finding,) = of_rule(rule_id, judge_template(body))
    assert finding.message == said


def test_one_environment_and_one_template_are_named_once():
    overrides = [{"LaunchTemplateId": {"Ref": "Nodes"}, "TargetInstanceTypes": ["trn2.48xlarge"]}]
    named = {"LaunchTemplate": {**NAMED["LaunchTemplate"], "Overrides": overrides}, **SG}
    body = template(Nodes=nodes(None, older(2)), Env=environment(**named))
    assert severities("TRN570", judge_template(body)) == E


def whole() -> Body:
    """Training over two nodes with EFA, as AWS's guide for multi-node parallel jobs has it."""
    efa = {"Fn::GetAtt": ["Efa", "GroupId"]}
    cards = [{**entry, "Groups": [efa], "DeleteOnTermination": True} for entry in older(16)]
    data = {
        "ImageId": "ami-0123456789abcdef0",
        "MetadataOptions": {"HttpTokens": "required", "HttpPutResponseHopLimit": 2},
        "BlockDeviceMappings": [
            {
                "DeviceName": "/dev/xvda",
                "Ebs": {
                    "VolumeType": "gp3",
                    "VolumeSize": 500,
                    "Encrypted": True,
                    "Throughput": 500,
                    "Iops": 4000,
                },
            }
        ],
    }
    job_body = job(
        {
            "TargetNodes": "0:",
            "InstanceTypes": [TRN2],
            "Container": devices(
                16,
                16,
                ResourceRequirements=[
                    {"Type": "VCPU", "Value": "180"},
                    {"Type": "MEMORY", "Value": "1900000"},
                ],
                Environment=[{"Name": LNC, "Value": "2"}, {"Name": NUM, "Value": "64"}],
            ),
        },
        number=2,
    )
    ways = {
        way: {
            "Type": f"AWS::EC2::SecurityGroup{way}",
            "Properties": {"GroupId": efa, "IpProtocol": "-1", f"{peer}SecurityGroupId": efa},
        }
        for way, peer in (("Ingress", "Source"), ("Egress", "Destination"))
    }
    return template(
        Role=ROLE,
        Profile=PROFILE,
        Together=TOGETHER,
        Efa=("AWS::EC2::SecurityGroup", {"GroupDescription": "efa", "VpcId": "vpc-1"}),
        Subnet=subnet(AvailabilityZoneId="use2-az3"),
        Nodes=nodes(None, cards, **data),
        Env=environment(
            MinvCpus=0,
            MaxvCpus=384,
            InstanceTypes=[TRN2],
            InstanceRole={"Fn::GetAtt": ["Profile", "Arn"]},
            PlacementGroup={"Ref": "Together"},
            Subnets=[{"Ref": "Subnet"}],
            LaunchTemplate={"LaunchTemplateId": {"Ref": "Nodes"}, "Version": {"Fn::GetAtt": ["Nodes", "LatestVersionNumber"]}},
        ),
        Queue=("AWS::Batch::JobQueue", {"Priority": 1, "ComputeEnvironmentOrder": [{"Order": 1, "ComputeEnvironment": {"Ref": "Env"}}]}),
        **ways,
        **job_body["Resources"],
    )  # fmt: skip


def test_a_whole_right_template_has_no_finding():
    assert judge_template(whole(), region="us-east-2") == ()
