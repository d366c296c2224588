"""Bundles, hooks, log groups and what else nodes boot with: made, proved, changed and deleted."""

from __future__ import annotations

import copy
import io
import json
import time
import zipfile

import pytest

from tests.rehearsal.booting_app import HOOK, LOG_GROUP, REGION, STACK, synthesize, write_bundle
from trnkit.emulation.process import emulated_aws
from trnkit.operations.rehearsal.node_boot import check_boots
from trnkit.operations.rehearsal.waiting_nodes import let_nodes_in
from trnkit.testing.fixture import ACCOUNT, RehearsalFixture

IMAGE = {
    "kind": "image",
    "id": "ami-0123456789abcdef0",
    "root_device": "/dev/sda1",
    "snapshot_gib": 8,
    "region": REGION,
}


@pytest.fixture(scope="module")
def rehearsal():
    with emulated_aws(ACCOUNT, seeds=[IMAGE]) as aws:
        yield RehearsalFixture(aws)


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    return write_bundle(tmp_path_factory.mktemp("bundle") / "node")


@pytest.fixture(scope="module")
def clients(rehearsal):
    return rehearsal.clients(REGION)


@pytest.fixture(scope="module")
def deployed(rehearsal, bundle, tmp_path_factory):
    """The app, as the real command line deployed it."""
    assembly = synthesize(tmp_path_factory.mktemp("good") / "cdk.out", bundle)
    deployment = rehearsal.deploy(assembly)
    assert deployment.succeeded, deployment.output
    return assembly


@pytest.fixture(scope="module")
def group(clients, deployed):
    (told,) = clients("autoscaling").describe_auto_scaling_groups()["AutoScalingGroups"]
    return told["AutoScalingGroupName"]


def boot(clients):
    (check,) = check_boots(clients, ACCOUNT, REGION)
    return check


def data_of(clients):
    (template,) = clients("ec2").describe_launch_templates()["LaunchTemplates"]
    answer = clients("ec2").describe_launch_template_versions(
        LaunchTemplateId=template["LaunchTemplateId"], Versions=["$Latest"]
    )
    return answer["LaunchTemplateVersions"][0]["LaunchTemplateData"]


def test_every_resource_is_what_the_template_says(rehearsal, deployed):
    proof = rehearsal.prove()
    assert proof.failures == ()
    assert proof.schema_only == ()
    (nodes,) = [r for r in proof.resources if r.type_name == "AWS::AutoScaling::AutoScalingGroup"]
    assert "LifecycleHookSpecificationList" in nodes.equal
    (logs,) = [r for r in proof.resources if r.type_name == "AWS::Logs::LogGroup"]
    assert {"LogGroupName", "RetentionInDays"} <= {*logs.equal}
    (role,) = [r for r in proof.resources if r.type_name == "AWS::IAM::Role"]
    assert "Policies" in role.equal
    endpoints = [r for r in proof.resources if r.type_name == "AWS::EC2::VPCEndpoint"]
    assert len(endpoints) == 4
    for endpoint in endpoints:
        assert {"PrivateDnsEnabled", "ServiceName", "SubnetIds"} <= {*endpoint.equal}


def test_nodes_could_boot_and_it_is_said_with_what(clients, deployed):
    check = boot(clients)
    assert check.problems == []
    size, bundle, report, tag, logs = check.words
    assert size.endswith("of 16384 bytes of user data")
    assert bundle.startswith(f"s3://cdk-hnb659fds-assets-{ACCOUNT}-{REGION}/")
    assert bundle.endswith(
        "its 2 files have the checksums of the user data, and the role may read it"
    )
    assert report == f"nodes report to {HOOK} within 1800 s, else ABANDON"
    assert tag == "they may tag themselves with trnkit-node-state"
    assert logs == f"they log to {LOG_GROUP}, kept for 30 days"


def test_instances_wait_for_the_hook_until_the_rehearsal_reports_in_their_place(clients, group):
    (first,) = let_nodes_in(clients)
    assert (first.group, first.hooks, first.waited, first.outside) == (group, (HOOK,), 2, ())
    (again,) = let_nodes_in(clients)
    assert (again.waited, again.outside) == (0, ())


def test_another_bundle_and_other_settings_are_deployed_and_proved(
    rehearsal, clients, deployed, group, tmp_path
):
    before = data_of(clients)
    other = write_bundle(tmp_path / "other", "another boot")
    changed = synthesize(
        tmp_path / "cdk.out", other, retention=90, hook={"heartbeat_timeout": 600}, nodes=3
    )
    deployment = rehearsal.deploy(changed)
    assert deployment.succeeded, deployment.output
    assert rehearsal.prove().failures == ()
    assert data_of(clients)["UserData"] != before["UserData"]
    check = boot(clients)
    assert check.problems == []
    assert check.words[2].endswith("within 600 s, else ABANDON")
    assert check.words[-1].endswith("kept for 90 days")
    (told,) = let_nodes_in(clients)
    assert (told.waited, told.outside) == (1, ())  # the node that was added, and no other
    back = rehearsal.deploy(deployed)
    assert back.succeeded, back.output


@pytest.fixture
def repaired(clients, deployed):
    """What a test damages is as it was afterwards."""
    s3, logs = clients("s3"), clients("logs")
    scaling, iam = clients("autoscaling"), clients("iam")
    place = boot(clients).words[1].split()[0].removeprefix("s3://")
    bucket, _, key = place.partition("/")
    body = s3.get_object(Bucket=bucket, Key=key)["Body"].read()
    (logged,) = logs.describe_log_groups(logGroupNamePrefix=LOG_GROUP)["logGroups"]
    tags = logs.list_tags_for_resource(resourceArn=logged["arn"].removesuffix(":*"))["tags"]
    (told,) = scaling.describe_auto_scaling_groups()["AutoScalingGroups"]
    named = {"AutoScalingGroupName": told["AutoScalingGroupName"]}
    (hook,) = scaling.describe_lifecycle_hooks(**named)["LifecycleHooks"]
    profile = data_of(clients)["IamInstanceProfile"]["Arn"].rpartition("/")[2]
    (role,) = iam.get_instance_profile(InstanceProfileName=profile)["InstanceProfile"]["Roles"]
    name = role["RoleName"]
    policies = {
        policy: iam.get_role_policy(RoleName=name, PolicyName=policy)["PolicyDocument"]
        for policy in iam.list_role_policies(RoleName=name)["PolicyNames"]
    }
    yield {"bucket": bucket, "key": key, "group": named, "role": name, "policies": policies}
    s3.put_object(Bucket=bucket, Key=key, Body=body)
    if not logs.describe_log_groups(logGroupNamePrefix=LOG_GROUP)["logGroups"]:
        logs.create_log_group(logGroupName=LOG_GROUP, tags=tags)
    logs.put_retention_policy(logGroupName=LOG_GROUP, retentionInDays=30)
    del hook["GlobalTimeout"]
    scaling.put_lifecycle_hook(**hook)
    for policy, document in policies.items():
        iam.put_role_policy(RoleName=name, PolicyName=policy, PolicyDocument=json.dumps(document))
    ids = [one["InstanceId"] for one in told["Instances"]]
    mine = {"Key": "trnkit-cluster", "Value": "booting"}
    clients("ec2").create_tags(Resources=ids, Tags=[mine])
    assert boot(clients).problems == []


def delete_object(clients, found):
    clients("s3").delete_object(Bucket=found["bucket"], Key=found["key"])


def spoil_object(clients, found):
    clients("s3").put_object(Bucket=found["bucket"], Key=found["key"], Body=b"no archive")


def other_object(clients, found):
    """A bundle with other content, under the same key."""
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w") as archive:
        archive.writestr("boot", "#!/bin/bash\necho other\n")
        archive.writestr("further", "")
    clients("s3").put_object(Bucket=found["bucket"], Key=found["key"], Body=body.getvalue())


def delete_hook(clients, found):
    clients("autoscaling").delete_lifecycle_hook(**found["group"], LifecycleHookName=HOOK)


def delete_log_group(clients, found):
    clients("logs").delete_log_group(logGroupName=LOG_GROUP)


def keep_for_ever(clients, found):
    clients("logs").delete_retention_policy(logGroupName=LOG_GROUP)


def take_policy(part):
    def take(clients, found):
        (name,) = [policy for policy in found["policies"] if part in policy]
        clients("iam").delete_role_policy(RoleName=found["role"], PolicyName=name)

    return take


def untag(clients, found):
    """The node's instances belong to another cluster then, whose tags its role may not change."""
    (told,) = clients("autoscaling").describe_auto_scaling_groups()["AutoScalingGroups"]
    ids = [one["InstanceId"] for one in told["Instances"]]
    clients("ec2").create_tags(Resources=ids, Tags=[{"Key": "trnkit-cluster", "Value": "other"}])


def other_namespace(clients, found):
    document = json.dumps(found["policies"]["Metrics"]).replace('"trnkit"', '"other"')
    clients("iam").put_role_policy(
        RoleName=found["role"], PolicyName="Metrics", PolicyDocument=document
    )


def deny(clients, found):
    statement = {"Effect": "Deny", "Action": "s3:*", "Resource": "*"}
    clients("iam").put_role_policy(
        RoleName=found["role"],
        PolicyName="Report",
        PolicyDocument=json.dumps(
            {
                "Version": "2012-10-17",
                "Statement": [*found["policies"]["Report"]["Statement"], statement],
            }
        ),
    )


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (delete_object, ["is not there"]),
        (spoil_object, ["no zip file"]),
        (
            other_object,
            [
                "boot has another checksum than in the user data",
                "steps/lustre.sh has a checksum and is not in it",
                "further has no checksum in the user data",
            ],
        ),
        (delete_hook, [f"nodes report to the launch hook {HOOK}; the group has none"]),
        (delete_log_group, [f"log group {LOG_GROUP}, which is not there"]),
        (keep_for_ever, [f"the log group {LOG_GROUP} keeps everything for ever"]),
        (take_policy("DefaultPolicy"), ["may not s3:GetObject"]),
        (
            take_policy("Report"),
            [
                "may not autoscaling:CompleteLifecycleAction",
                "may not autoscaling:RecordLifecycleActionHeartbeat",
            ],
        ),
        (take_policy("Look"), ["may not autoscaling:DescribeAutoScalingInstances"]),
        (take_policy("Logs"), ["may not logs:CreateLogStream", "may not logs:PutLogEvents"]),
        (take_policy("Metrics"), ["may not cloudwatch:PutMetricData"]),
        (other_namespace, ["may not cloudwatch:PutMetricData"]),
        (take_policy("Tag"), ["may not ec2:CreateTags"]),
        (deny, ["may not s3:GetObject"]),
        (untag, ["may not ec2:CreateTags"]),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_is_missing_or_wrong_is_found(clients, repaired, damage, says):
    damage(clients, repaired)
    problems = boot(clients).problems
    assert len(problems) == len(says), problems
    for problem, words in zip(problems, says, strict=True):
        assert words in problem


def update(clients, template):
    """Deploy a changed template, and say what became of it."""
    cloudformation = clients("cloudformation")
    cloudformation.update_stack(
        StackName=STACK, TemplateBody=json.dumps(template), Capabilities=["CAPABILITY_IAM"]
    )
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        (told,) = cloudformation.describe_stacks(StackName=STACK)["Stacks"]
        if not told["StackStatus"].endswith("_IN_PROGRESS"):
            events = cloudformation.describe_stack_events(StackName=STACK)["StackEvents"]
            failed = (e for e in events if e["ResourceStatus"] == "UPDATE_FAILED")
            return told["StackStatus"], next(failed, {}).get("ResourceStatusReason", "")
        time.sleep(0.05)
    raise AssertionError("the update does not end")


@pytest.fixture
def template(deployed):
    return json.loads((deployed / f"{STACK}.template.json").read_text())


def properties(template, kind):
    (found,) = [r for r in template["Resources"].values() if r["Type"] == kind]
    return found["Properties"]


def test_a_hook_of_another_name_than_nodes_report_to_is_found(clients, template):
    good = copy.deepcopy(template)
    hooks = properties(template, "AWS::AutoScaling::AutoScalingGroup")
    hooks["LifecycleHookSpecificationList"][0]["LifecycleHookName"] = "another-hook"
    assert update(clients, template)[0] == "UPDATE_COMPLETE"
    (problem,) = boot(clients).problems
    assert problem == f"nodes report to the launch hook {HOOK}; the group has another-hook"
    assert update(clients, good)[0] == "UPDATE_COMPLETE"
    assert boot(clients).problems == []


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"HeartbeatTimeout": 7201}, "between 30 and 7200 seconds: 7201"),
        ({"HeartbeatTimeout": 29}, "between 30 and 7200 seconds: 29"),
        ({"DefaultResult": "STOP"}, "DefaultResult must be CONTINUE or ABANDON"),
        ({"LifecycleTransition": "launching"}, "Lifecycle transition must be one of"),
    ],
)
def test_a_wrong_hook_is_refused_and_rolled_back(rehearsal, clients, template, change, says):
    group = properties(template, "AWS::AutoScaling::AutoScalingGroup")
    group["LifecycleHookSpecificationList"][0] |= change
    status, reason = update(clients, template)
    assert (status, says in reason) == ("UPDATE_ROLLBACK_COMPLETE", True), reason
    assert rehearsal.prove().failures == ()


def test_days_of_retention_that_aws_does_not_have_are_refused(rehearsal, clients, template):
    properties(template, "AWS::Logs::LogGroup")["RetentionInDays"] = 31
    status, reason = update(clients, template)
    assert (status, "RetentionInDays" in reason) == ("UPDATE_ROLLBACK_COMPLETE", True), reason
    assert rehearsal.prove().failures == ()


def test_the_log_group_outlives_the_stack_and_stands_in_the_way_of_the_next(
    rehearsal, clients, deployed
):
    destroyed = rehearsal.destroy(deployed)
    assert destroyed.succeeded, destroyed.output
    assert clients("autoscaling").describe_auto_scaling_groups()["AutoScalingGroups"] == []
    logs = clients("logs")
    (kept,) = logs.describe_log_groups(logGroupNamePrefix=LOG_GROUP)["logGroups"]
    assert kept["retentionInDays"] == 30
    again = rehearsal.deploy(deployed)
    assert not again.succeeded
    assert f"'{LOG_GROUP}' already exists" in " ".join(again.reasons)
    logs.delete_log_group(logGroupName=LOG_GROUP)
    assert rehearsal.deploy(deployed).succeeded
