"""Wrong arguments: refused at once, with the name, what it must be and what was got."""

from __future__ import annotations

import pytest
from aws_cdk import App, Environment, RemovalPolicy, Stack, Token
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_sns as sns

from constructs_lib import arguments
from constructs_lib.compute import (
    CapacityReservation,
    HomeMount,
    LustreMount,
    MachineImage,
    NodeAutoScalingGroup,
    NodeBoot,
    NodeCapacity,
    NodeRole,
    NodeVolume,
    TrainiumLaunchTemplate,
)
from constructs_lib.cost import BudgetAlarm, BudgetNotification, CostAnomalyMonitor, CostTag
from constructs_lib.network import (
    ClusterVpc,
    EfaSecurityGroup,
    ImportedNetwork,
    InterfaceEndpoints,
    VpcFlowLog,
)
from constructs_lib.storage import (
    CheckpointBucket,
    CheckpointLifecycle,
    DataRepositoryAssociation,
    ExistingLustreFileSystem,
    HomeFileSystem,
    LustreFileSystem,
    LustreOptions,
)
from trnkit.errors import ConstructError

EMAILS = ["ml-platform@example.com"]
REGION = "us-east-2"


@pytest.fixture
def stack():
    return Stack(App(), "Test", env=Environment(region=REGION))


def vpc(stack):
    return ec2.Vpc.from_vpc_attributes(
        stack, "Vpc", vpc_id="vpc-0123456789abcdef0", availability_zones=["us-east-2c"]
    )


def subnet(stack):
    return ec2.Subnet.from_subnet_attributes(
        stack, "Subnet", subnet_id="subnet-0123456789abcdef0", availability_zone="us-east-2c"
    )


def group(stack, name="Group", group_id="sg-0123456789abcdef0"):
    return ec2.SecurityGroup.from_security_group_id(stack, name, group_id)


def budget(stack, **keys):
    return BudgetAlarm(stack, "Made", **({"limit_usd": 100, "emails": EMAILS} | keys))


def anomalies(stack, **keys):
    right = {"watch": "services", "threshold_usd": 5, "emails": EMAILS}
    return CostAnomalyMonitor(stack, "Made", **(right | keys))


def network(stack, **keys):
    return ClusterVpc(stack, "Made", **({"availability_zone_id": "use2-az3"} | keys))


def template(stack, **keys):
    right = {
        "instance_type": "trn1.32xlarge",
        "image": MachineImage(image_id="ami-0123456789abcdef0"),
        "security_groups": [group(stack)],
        "instance_profile": None,
    }
    return TrainiumLaunchTemplate(stack, "Made", **(right | keys))


def nodes(stack, desired_capacity, **keys):
    right = {"launch_template": template(stack), "subnet": subnet(stack)}
    return NodeAutoScalingGroup(stack, "Nodes", desired_capacity=desired_capacity, **(right | keys))


def lustre(stack, **keys):
    right = {"vpc": vpc(stack), "subnet": subnet(stack), "storage_capacity_gib": 1200}
    return LustreFileSystem(stack, "Made", **(right | keys))


def homes(stack, **keys):
    return HomeFileSystem(stack, "Made", **({"vpc": vpc(stack), "subnet": subnet(stack)} | keys))


def link(stack, **keys):
    right = {
        "file_system_id": "fs-0123456789abcdef0",
        "file_system_path": "/data",
        "data_repository_path": "s3://example-bucket/corpus",
    }
    return DataRepositoryAssociation(stack, "Made", **(right | keys))


def reservation(stack, **keys):
    right = {
        "instance_type": "trn1.32xlarge",
        "instance_count": 1,
        "availability_zone_id": "usw2-az4",
        "unlimited": True,
    }
    return CapacityReservation(stack, "Made", **(right | keys))


def endpoints(stack, **keys):
    right = {"services": ["ssm"], "clients": [group(stack)]}
    return InterfaceEndpoints(stack, "Made", vpc=vpc(stack), subnet=subnet(stack), **(right | keys))


def bucket(stack, **keys):
    return CheckpointBucket(stack, "Made", **keys)


def imported(stack, **keys):
    right = {"vpc_id": "vpc-0123456789abcdef0", "compute_subnet_id": "subnet-0123456789abcdef0"}
    return ImportedNetwork(stack, "Made", **(right | keys))


def flow_log(stack, **keys):
    return VpcFlowLog(stack, "Made", vpc=vpc(stack), **keys)


WRONG = [
    # Text where a list is wanted: each letter would be an entry.
    (budget, {"emails": "ml-platform@example.com"}, "emails must be a list, got 'ml-platform"),
    (budget, {"emails": None}, "emails must be a list, got None"),
    (budget, {"services": "Amazon FSx"}, "services must be a list"),
    (budget, {"linked_accounts": "111122223333"}, "linked_accounts must be a list"),
    (budget, {"notifications": BudgetNotification(80)}, "notifications must be a list"),
    (anomalies, {"emails": "ml-platform@example.com"}, "emails must be a list"),
    (link, {"auto_import_events": "NEW"}, "auto_import_events must be a list, got 'NEW'"),
    (template, {"security_groups": "sg-1"}, "security_groups must be a list"),
    (template, {"security_groups": ["sg-1"]}, "each of security_groups must be an ec2"),
    (endpoints, {"services": "ssm"}, "services must be a list"),
    (endpoints, {"client_cidrs": "10.0.0.0/16"}, "client_cidrs must be a list"),
    (network, {"control_plane_zone_ids": "use2-az1"}, "control_plane_zone_ids must be a list"),
    (imported, {"control_plane_subnet_ids": "subnet-1"}, "control_plane_subnet_ids must be a list"),
    (bucket, {"lifecycle": "runs/"}, "lifecycle must be a list"),
    # Choices.
    (budget, {"time_unit": "WEEKLY"}, "time_unit must be DAILY, MONTHLY, QUARTERLY or ANNUALLY"),
    (budget, {"delivery": "mail"}, "delivery must be direct or topic, got 'mail'"),
    (anomalies, {"frequency": "HOURLY"}, "frequency must be IMMEDIATE, DAILY or WEEKLY"),
    (template, {"efa_layout": "bogus"}, "efa_layout must be ena-primary, .* got 'bogus'"),
    (template, {"efa_layout": None}, "efa_layout must be .* got None"),
    (lustre, {"data_compression_type": "ZIP"}, "data_compression_type must be NONE or LZ4"),
    (lustre, {"removal_policy": RemovalPolicy.SNAPSHOT}, "removal_policy must be .*got SNAPSHOT"),
    (homes, {"removal_policy": RemovalPolicy.SNAPSHOT}, "removal_policy must be .*got SNAPSHOT"),
    (bucket, {"removal_policy": RemovalPolicy.SNAPSHOT}, "removal_policy must be .*got SNAPSHOT"),
    (homes, {"encryption_in_transit": "always"}, "encryption_in_transit must be preferred or"),
    (homes, {"transition_to_ia_days": 30.0}, "transition_to_ia_days must be 7, .* got 30.0"),
    (link, {"auto_export_events": ["RENAMED"]}, "each of auto_export_events must be NEW, CHANGED"),
    (link, {"auto_import_events": ["NEW", "NEW"]}, "auto_import_events must not name NEW twice"),
    (flow_log, {"retention_days": 42}, "retention_days must be 1, 3, 5"),
    (flow_log, {"traffic_type": "SOME"}, "traffic_type must be ALL, ACCEPT or REJECT"),
    (reservation, {"instance_match_criteria": "any"}, "instance_match_criteria must be targeted"),
    # Numbers.
    (budget, {"limit_usd": float("inf")}, "limit_usd must be a number .*got inf"),
    (budget, {"limit_usd": "10"}, "limit_usd must be a number .*got '10'"),
    (budget, {"limit_usd": None}, "limit_usd must be a number .*got None"),
    (budget, {"limit_usd": 1e-9}, "limit_usd must be 0.01 to 1000000000, got 1e-09"),
    (anomalies, {"threshold_usd": float("inf")}, "threshold_usd must be a number"),
    (template, {"root_volume_size_gib": 0}, "root_volume_size_gib must be 1 or more, got 0"),
    (template, {"root_volume_size_gib": -5}, "root_volume_size_gib must be 1 or more, got -5"),
    (template, {"root_volume_size_gib": None}, "root_volume_size_gib must be a whole number"),
    (template, {"efa_interfaces": True}, "efa_interfaces must be a whole number .*got True"),
    (template, {"threads_per_core": "1"}, "threads_per_core must be a whole number, got '1'"),
    (nodes, {"desired_capacity": 2.5}, "desired_capacity must be a whole number .*got 2.5"),
    (nodes, {"desired_capacity": "4"}, "desired_capacity must be a whole number .*got '4'"),
    (lustre, {"storage_capacity_gib": "1200"}, "storage_capacity_gib must be a whole number"),
    (lustre, {"automatic_backup_retention_days": 7.5}, "automatic_backup_retention_days must be a"),
    (network, {"compute_addresses": -1}, "compute_addresses must be 0 or more, got -1"),
    (reservation, {"instance_count": 0}, "instance_count must be 1 or more, got 0"),
    (bucket, {"noncurrent_version_expiration_days": 2.5}, "must be a whole number"),
    # Shapes, as the cluster file judges them.
    (budget, {"emails": ["nobody"]}, "emails must be one e-mail address, got 'nobody'"),
    (budget, {"linked_accounts": ["1"]}, "linked_accounts must be 12 digits"),
    (budget, {"currency": "dollars"}, "currency must be three capital letters"),
    (budget, {"cost_tag": "team"}, "cost_tag must be a CostTag, got 'team'"),
    (budget, {"cost_tag": CostTag("a$b", "c")}, r"cost_tag key must be .* without \$.*got 'a\$b'"),
    (budget, {"cost_tag": CostTag("aws:createdBy", "c")}, "cost_tag key must be"),
    (anomalies, {"watch": CostTag("a$b", "c")}, "cost_tag key must be"),
    (anomalies, {"watch": "arn:aws:sns:x"}, "watch must be the ARN of a Cost Anomaly"),
    (network, {"availability_zone_id": "-az"}, "availability_zone_id must be a zone id"),
    (network, {"availability_zone_id": 'x-az\n"'}, "availability_zone_id must be a zone id"),
    (network, {"vpc_cidr": "10.0.0.1/16"}, "vpc_cidr must be an IPv4 block with its host bits"),
    (network, {"vpc_cidr": "bogus"}, "vpc_cidr must be an IPv4 block"),
    (network, {"vpc_cidr": "10.0.0.0/28"}, "vpc_cidr must be between /16"),
    (network, {"vpc_cidr": "10.0.0.0/8"}, "vpc_cidr must be between /16"),
    (network, {"vpc_cidr": "fd00::/56"}, "vpc_cidr must be an IPv4 block"),
    (network, {"vpc_cidr": "8.8.0.0/16"}, "vpc_cidr must be private addresses"),
    (network, {"secondary_cidr": "8.8.0.0/16"}, "secondary_cidr must be private addresses"),
    (endpoints, {"client_cidrs": ["bogus"]}, "each of client_cidrs must be an IPv4 block"),
    (imported, {"vpc_id": "vpc"}, "vpc_id must be vpc- and 17 hex digits"),
    (link, {"file_system_id": "fs-1"}, "file_system_id must be fs- and 8 or 17 hex digits"),
    (link, {"file_system_path": "/a/../b"}, "file_system_path must be .*which holds . or .. as"),
    (link, {"data_repository_path": "s3://a..b"}, "data_repository_path must be like s3://"),
    (link, {"data_repository_path": "s3://192.168.0.1"}, "data_repository_path must be like"),
    (lustre, {"file_system_type_version": 2.15}, "file_system_type_version must be text, got 2.15"),
    (lustre, {"options": {"efa_enabled": True}}, "options must be a LustreOptions"),
    (reservation, {"availability_zone_id": "us-west-2a"}, "availability_zone_id must be a zone id"),
    (template, {"image": "ami-0123456789abcdef0"}, "image must be a MachineImage"),
    (template, {"boot": "#!/bin/sh"}, "boot must be a NodeBoot"),
]


@pytest.mark.parametrize(("make", "keys", "message"), WRONG)
def test_a_wrong_argument_is_refused_before_any_child(stack, make, keys, message):
    with pytest.raises(ConstructError, match=message) as caught:
        make(stack, **keys)
    assert not str(caught.value).endswith(".")
    made = stack.node.try_find_child("Made")
    half_built = stack.node.try_find_child("Nodes") or made
    assert half_built is None or not half_built.node.children


VALUES = [
    (MachineImage, {"image_id": "resolve:ssm:/my own"}, "must be the name of an SSM parameter"),
    (MachineImage, {"image_id": "resolve:ssm:/{{x}}"}, "must be the name of an SSM parameter"),
    (MachineImage, {"image_id": "ssm:/x"}, "image_id must be ami- and 17"),
    (MachineImage, {"image_id": None}, "image_id must be ami- and 17"),
    (MachineImage, {"image_id": "ami-01234567", "root_device_name": "sda1"}, "root_device_name"),
    (NodeBoot, {"logical_neuroncore_size": "1; touch broken"}, "must be a whole number 1 to 8"),
    (NodeBoot, {"logical_neuroncore_size": 0}, "must be 1 to 8, got 0"),
    (NodeBoot, {"efa": "yes"}, "efa must be True or False, got 'yes'"),
    (NodeBoot, {"lustre_mounts": "/fsx"}, "lustre_mounts must be a list"),
    (NodeBoot, {"lustre_mounts": ("/fsx",)}, "each of lustre_mounts must be a LustreMount"),
    (NodeBoot, {"home": "/home"}, "home must be a HomeMount"),
    (
        LustreMount,
        {"dns_name": "host", "mount_name": "abc", "mount_path": "/etc"},
        "mount_path must be a folder of its own such as /fsx, got '/etc'",
    ),
    (
        LustreMount,
        {"dns_name": "host", "mount_name": "abc", "mount_path": f"/{'x' * 256}"},
        "mount_path must be an absolute path",
    ),
    (
        HomeMount,
        {"file_system_id": "fs-1", "dns_name": "h", "mount_path": "/h", "encryption_in_transit": 1},
        "encryption_in_transit must be preferred or required, got 1",
    ),
    (NodeCapacity, {"market_type": "reserved"}, "market_type must be capacity-block or spot"),
    (NodeCapacity, {"preference": "always"}, "preference must be open, none or"),
    (NodeCapacity, {"market_type": "spot", "max_price_usd": float("inf")}, "must be a number"),
    (NodeVolume, {"device_name": "sdf", "size_gib": 1}, "device_name must be a device name"),
    (NodeVolume, {"device_name": "/dev/sdf", "size_gib": None}, "size_gib of /dev/sdf must be a"),
    (NodeVolume, {"device_name": "/dev/sdf", "size_gib": 1, "kms_key_arn": "k"}, "kms_key_arn"),
    (BudgetNotification, {"percent": "80"}, "percent must be a number, got '80'"),
    (BudgetNotification, {"percent": 80, "notification_type": "SPENT"}, "notification_type must"),
    (BudgetNotification, {"percent": 80, "emails": "a@example.com"}, "emails must be a list"),
    (LustreOptions, {"efa_enabled": "yes"}, "efa_enabled must be True or False"),
    (LustreOptions, {"metadata_iops": "6000"}, "metadata_iops must be a whole number"),
    (LustreOptions, {"log_group_arn": "shared"}, "log_group_arn must be the ARN of a log group"),
    (LustreOptions, {"metadata_mode": "MANUAL"}, "metadata_mode must be AUTOMATIC or"),
]


@pytest.mark.parametrize(("kind", "keys", "message"), VALUES)
def test_a_value_refuses_what_it_cannot_be(kind, keys, message):
    with pytest.raises(ConstructError, match=message):
        kind(**keys)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (CheckpointLifecycle("runs/", "90"), "expiration_days of 'runs/' must be a whole number"),
        (CheckpointLifecycle("runs/", 90, 30, "GLACIER"), "transition_storage_class of 'runs/'"),
        (("runs/", 90), "each of lifecycle must be a CheckpointLifecycle"),
    ],
)
def test_a_lifecycle_is_judged_entry_by_entry(stack, entry, message):
    with pytest.raises(ConstructError, match=message):
        bucket(stack, lifecycle=[entry])


# What is in another region.


@pytest.mark.parametrize(
    "make",
    [
        lambda there, here: lustre(here, subnet=subnet(there)),
        lambda there, here: lustre(here, vpc=vpc(there)),
        lambda there, here: homes(here, subnet=subnet(there)),
        lambda there, here: nodes(here, 1, subnet=subnet(there)),
        lambda there, here: EfaSecurityGroup(here, "Made", vpc=vpc(there)),
        lambda there, here: template(here, security_groups=[group(there)]),
        lambda there, here: flow_log_of(here, vpc(there)),
        lambda there, here: endpoints(here, clients=[group(there, "Clients")]),
        lambda there, here: lustre(here).allow_clients("Nodes", group(there)),
        lambda there, here: homes(here).allow_clients("Nodes", group(there)),
        lambda _, here: bucket(here, kms_key=key_of(here, "us-west-2")),
    ],
)
def test_what_is_in_another_region_is_refused(make):
    app = App()
    there = Stack(app, "There", env=Environment(region="us-west-2"))
    here = Stack(app, "Here", env=Environment(region=REGION))
    with pytest.raises(ConstructError, match="must be in us-east-2 like the stack, got one in us-"):
        make(there, here)


def flow_log_of(stack, one):
    return VpcFlowLog(stack, "Made", vpc=one)


def key_of(stack, region):
    arn = f"arn:aws:kms:{region}:111122223333:key/12345678-1234-1234-1234-123456789012"
    return kms.Key.from_key_arn(stack, "Key", arn)


def test_a_stack_without_a_region_takes_what_it_is_given():
    stack = Stack(App(), "Anywhere")
    assert lustre(stack).file_system_id


# The same thing twice.


def existing(stack):
    return ExistingLustreFileSystem(
        stack, "Made", file_system_id="fs-0123456789abcdef0", mount_name="abcdefgh"
    )


@pytest.mark.parametrize("make", [lustre, homes])
def test_clients_of_one_name_or_one_group_are_admitted_once(stack, make):
    files = make(stack)
    files.allow_clients("Nodes", group(stack))
    with pytest.raises(ConstructError, match="name must differ from call to call, got 'Nodes'"):
        files.allow_clients("Nodes", group(stack, "Other", "sg-0fedcba9876543210"))
    with pytest.raises(ConstructError, match="clients must be admitted once"):
        files.allow_clients("Others", group(stack, "Same"))
    with pytest.raises(ConstructError, match="name must be a noun in PascalCase"):
        files.allow_clients("log in/", group(stack, "Third", "sg-0fedcba9876543211"))


def test_clients_of_an_existing_file_system_are_admitted_once(stack):
    files, servers = existing(stack), group(stack, "Servers", "sg-0fedcba9876543210")
    files.allow_clients("Nodes", group(stack), servers=servers)
    with pytest.raises(ConstructError, match="name must differ"):
        files.allow_clients("Nodes", group(stack, "Other"), servers=servers)


def test_an_endpoint_subscribes_once(stack):
    alarm = budget(stack)
    alarm.subscribe("https://alerts.example.com/budget")
    with pytest.raises(ConstructError, match="endpoint must subscribe once"):
        alarm.subscribe("https://alerts.example.com/budget")


def test_policies_are_for_a_role_of_our_own(stack):
    role = iam.Role.from_role_arn(stack, "Theirs", "arn:aws:iam::111122223333:role/nodes")
    policy = iam.ManagedPolicy.from_aws_managed_policy_name("AmazonS3ReadOnlyAccess")
    with pytest.raises(ConstructError, match="managed_policies must be empty"):
        NodeRole(stack, "One", role=role, managed_policies=[policy])
    with pytest.raises(ConstructError, match="each of managed_policies must be an iam"):
        NodeRole(stack, "Two", managed_policies=["arn:aws:iam::aws:policy/ReadOnlyAccess"])
    assert NodeRole(stack, "Three", managed_policies=[policy]).role


# What the CDK fills in later.


def test_tokens_are_not_judged(stack):
    number, word = Token.as_number({"Ref": "Size"}), Token.as_string({"Ref": "Word"})
    assert arguments.is_unresolved(number)
    assert arguments.is_unresolved(word)
    arguments.whole_number("n", number, least=1, most=8)
    arguments.number("n", number, above=0)
    arguments.one_of("w", word, ("a",))
    arguments.text("w", word)
    arguments.text_list("w", [word])
    for later in ({"storage_capacity_gib": number}, {"per_unit_storage_throughput": number}):
        lustre(Stack(App(), "Later"), **later)
    budget(stack, limit_usd=number, emails=[word], cost_tag=CostTag(word, word))


def test_a_number_that_is_known_later_is_written_as_a_reference(stack):
    from aws_cdk.assertions import Template

    nodes(stack, Token.as_number({"Ref": "Size"}))
    (found,) = (
        Template.from_stack(stack).find_resources("AWS::AutoScaling::AutoScalingGroup").values()
    )
    assert found["Properties"]["MaxSize"] == {"Ref": "Size"}


@pytest.mark.parametrize("value", [0, 2.15, float("nan"), float("-inf"), "", "${HOME}", None, True])
def test_plain_values_are_no_tokens(value):
    assert not arguments.is_unresolved(value)


def test_a_topic_is_still_taken_from_elsewhere(stack):
    topic = sns.Topic.from_topic_arn(stack, "Topic", "arn:aws:sns:us-west-2:111122223333:alerts")
    assert budget(stack, topic=topic, emails=[]).topic
