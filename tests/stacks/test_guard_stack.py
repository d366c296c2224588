"""The guard's stack: where it speaks, what it keeps, and what its roles may and may not do."""

from __future__ import annotations

import json

import botocore.session
import pytest

from tests.stacks.iam_policies import may, plain, statements_of
from tests.synthesis import ROOT, example_assembly
from trnkit.config import read_cluster

TOPIC = "arn:aws:sns:us-west-2:111122223333:cost-alerts"
GROUP = "arn:aws:autoscaling:us-west-2:111122223333:autoScalingGroup:u-u-i-d:autoScalingGroupName/"
INSTANCE = "arn:aws:ec2:us-west-2:111122223333:instance/i-0123456789abcdef0"
HERE = {"aws_RequestedRegion": "us-west-2"}
BLOCK = (
    ", capacity: {type: capacity-block, capacity_reservation_id: cr-0123456789abcdef0, "
    "start: '2027-03-01T11:30:00Z', end: '2027-03-08T11:30:00Z'}"
)


def cluster(budget="", group="", region="us-west-2"):
    return read_cluster(
        f"name: pretrain\nregion: {region}\naccount: '111122223333'\n"
        "compute: {node_groups: [{name: train, instance_type: trn1.32xlarge, count: 2"
        f"{group}}}]}}\n"
        f"budget: {{limit_usd: 5000, emails: [a@example.com, b@example.com]{budget}}}\n",
        "cluster.yaml",
    ).config


@pytest.fixture
def guard(synthesize):
    def built(budget, group="", region="us-west-2"):
        return synthesize(cluster(budget, group, region))

    return built


@pytest.fixture
def example():
    return example_assembly(ROOT / "examples" / "guarded-spend.yaml")


def role(assembly, name):
    (role_id,) = (key for key in assembly.resources("Guard", "AWS::IAM::Role") if name in key)
    return statements_of(assembly.templates["Guard"], role_id)


def of(assembly, stack, kind, part):
    (found,) = (key for key in assembly.resources(stack, kind) if part in key)
    return f"<{found}>"


@pytest.fixture
def watchdog(example):
    return role(example, "SpendWatchdog")


@pytest.fixture
def enforcer(example):
    return role(example, "SpendEnforcer")


def test_without_a_watchdog_there_is_no_such_stack(guard):
    assert "Guard" not in guard("").templates


def test_it_is_where_the_nodes_are_and_speaks_through_the_budgets_topic(example):
    assert example.regions["Guard"] == example.regions["Compute"] == "us-west-2"
    assert example.resources("Guard", "AWS::SNS::Topic") == {}
    alarms = example.resources("Guard", "AWS::CloudWatch::Alarm").values()
    told = {json.dumps(alarm["Properties"]["AlarmActions"]) for alarm in alarms}
    assert len(told) == 1
    assert "guarded-Cost:ExportsOutputRefBudgetAlarmTopic" in told.pop()


def test_bud_05_06_the_budgets_topic_and_key_let_alarms_in(example):
    policy = example.only("Cost", "AWS::SNS::TopicPolicy")["PolicyDocument"]["Statement"]
    key = example.only("Cost", "AWS::KMS::Key")["KeyPolicy"]["Statement"]
    for statements, action in ((policy, "sns:Publish"), (key, "kms:Decrypt")):
        let_in = [
            s
            for s in statements
            if s.get("Principal") == {"Service": "cloudwatch.amazonaws.com"}
            and action in s["Action"]
        ]
        assert [s["Effect"] for s in let_in] == ["Allow"]
        account = let_in[0]["Condition"]["StringEquals"]["aws:SourceAccount"]
        assert account == "111122223333"


def test_bud_07_with_direct_mail_it_has_a_topic_of_its_own_that_the_addresses_hear(guard):
    built = guard(", watchdog: {}, topic_subscribers: ['https://alerts.example.com/x']")
    heard = built.resources("Guard", "AWS::SNS::Subscription").values()
    assert sorted(s["Properties"]["Endpoint"] for s in heard) == [
        "a@example.com",
        "b@example.com",
        "https://alerts.example.com/x",
    ]
    assert built.only("Guard", "AWS::SNS::Topic")["TopicName"] == "pretrain-guard-alerts"
    assert "ConfirmSubscriptions" in built.templates["Guard"]["Outputs"]
    # Nothing of it needs the budget's stack.
    assert "Fn::ImportValue" not in json.dumps(built.templates["Guard"])


def test_bud_13_a_budget_in_another_region_shares_nothing(guard):
    built = guard(", watchdog: {}, delivery: topic, region: us-east-1")
    assert built.regions["Cost"] == "us-east-1"
    assert built.regions["Guard"] == "us-west-2"
    assert "Fn::ImportValue" not in json.dumps(built.templates["Guard"])
    assert len(built.resources("Guard", "AWS::SNS::Subscription")) == 2


def test_a_chat_channel_shows_both_topics_wherever_they_are(guard):
    chat = "chat: {slack: {workspace_id: T0123ABCD, channel_id: C0123ABCD}}"
    built = guard(f", watchdog: {{}}, region: us-east-1, {chat}")
    shown = built.only("Cost", "AWS::Chatbot::SlackChannelConfiguration")["SnsTopicArns"]
    (cost,) = built.resources("Cost", "AWS::SNS::Topic")
    guards = "arn:aws:sns:us-west-2:111122223333:pretrain-guard-alerts"
    assert [plain(arn) for arn in shown] == [f"<{cost}>", guards]
    manifest = json.loads((built.directory / "assembly-pretrain" / "manifest.json").read_text())
    artifacts = manifest["artifacts"]
    ids = {a.get("displayName", "").rpartition("/")[2]: key for key, a in artifacts.items()}
    # Amazon Q Developer subscribes when it is told: the topic must be there.
    assert ids["Guard"] in artifacts[ids["Cost"]]["dependencies"]
    shared = guard(f", watchdog: {{}}, delivery: topic, {chat}")
    assert len(shared.only("Cost", "AWS::Chatbot::SlackChannelConfiguration")["SnsTopicArns"]) == 1


def test_a_topic_of_the_files_may_have_a_key_that_is_used_through_sns_alone(guard):
    built = guard(
        f", watchdog: {{enforcement: {{mode: approval}}}}, delivery: topic, topic_arn: '{TOPIC}'"
    )
    statements = role(built, "SpendEnforcer")
    key = "arn:aws:kms:us-west-2:111122223333:key/k"
    through = {"kms_ViaService": "sns.us-west-2.amazonaws.com"}
    context = {"kms_EncryptionContext:aws:sns:topicArn": TOPIC}
    assert may(statements, "sns:Publish", TOPIC)
    assert may(statements, "kms:GenerateDataKey", key, **through, **context)
    assert not may(statements, "kms:GenerateDataKey", key, **context)
    assert not may(statements, "kms:GenerateDataKey", key, **through)
    other = {"kms_EncryptionContext:aws:sns:topicArn": f"{TOPIC}-of-others"}
    assert not may(statements, "kms:Decrypt", key, **through, **other)


@pytest.mark.parametrize(
    ("capacity", "ids"),
    [
        ("", None),
        (BLOCK, ["cr-0123456789abcdef0"]),
        (
            BLOCK.replace(
                "capacity_reservation_id: cr-0123456789abcdef0",
                "capacity_reservation_resource_group_arn: "
                "'arn:aws:resource-groups:us-west-2:111122223333:group/blocks'",
            ),
            [],
        ),
    ],
    ids=["no block", "a block", "a group of blocks"],
)
def test_people_hear_what_ec2_says_of_the_files_blocks(guard, capacity, ids):
    built = guard(", watchdog: {}, delivery: topic", capacity)
    rules = [
        rule["Properties"]["EventPattern"]
        for key, rule in built.resources("Guard", "AWS::Events::Rule").items()
        if key.startswith("CapacityBlockEvents")
    ]
    if ids is None:
        assert rules == []
        return
    (pattern,) = rules
    assert pattern.get("detail", {}).get("capacity-reservation-id", []) == ids


@pytest.mark.parametrize(
    ("keep", "policy"), [("", "RetainExceptOnCreate"), ("retain_ledger: false", "Delete")]
)
def test_what_was_counted_is_kept_unless_the_file_says_otherwise(guard, keep, policy):
    built = guard(f", watchdog: {{{keep}}}")
    (table,) = built.resources("Guard", "AWS::DynamoDB::Table").values()
    assert table["DeletionPolicy"] == policy


def test_nodes_come_and_go_without_it(guard):
    image = ", image: {ami_id: ami-0123456789abcde%s}"
    one = guard(", watchdog: {spend_rate_usd_per_hour: 900}", image % "f0")
    other = guard(", watchdog: {spend_rate_usd_per_hour: 900}", image % "f1")
    assert one.templates["Compute"] != other.templates["Compute"]
    assert one.templates["Guard"]["Resources"] == other.templates["Guard"]["Resources"]


def test_larger_volumes_change_the_rate_of_a_node_and_nothing_else(guard):
    """A new rate is an update of the function's settings; nothing is replaced."""
    built = [
        guard(", watchdog: {spend_rate_usd_per_hour: 900}", f", root_volume_size_gib: {size}")
        for size in (600, 900)
    ]
    small, large = (dict(one.templates["Guard"]["Resources"]) for one in built)
    changed = {name for name in small if small[name] != large.get(name)}
    assert set(small) == set(large)
    (name,) = changed
    one, other = small[name]["Properties"], large[name]["Properties"]
    assert name.startswith("SpendWatchdogFunction")
    assert {key for key in one if one[key] != other[key]} == {"Environment"}


def test_groups_are_found_by_tags_that_they_carry(example):
    groups = example.resources("Compute", "AWS::AutoScaling::AutoScalingGroup").values()
    tags = [{t["Key"]: t["Value"] for t in g["Properties"]["Tags"]} for g in groups]
    assert sorted(t["trnkit-node-group"] for t in tags) == ["serve", "train"]
    assert {t["trnkit-cluster"] for t in tags} == {"guarded"}


@pytest.mark.parametrize("mode", ["dry-run", "approval", "automatic"])
def test_roles_lose_the_right_to_launch_where_the_mode_is_not_dry(guard, mode):
    stages = f"enforcement: {{mode: {mode}, deny_role_names: [ml-engineers]}}"
    actions = guard(f", watchdog: {{{stages}}}").resources("Cost", "AWS::Budgets::BudgetsAction")
    approvals = [a["Properties"]["ApprovalModel"] for a in actions.values()]
    assert approvals == {"dry-run": [], "approval": ["MANUAL"], "automatic": ["AUTOMATIC"]}[mode]


def test_with_direct_mail_the_addresses_hear_of_the_denial(guard):
    stages = "enforcement: {mode: automatic, deny_role_names: [ml-engineers]}"
    built = guard(f", watchdog: {{{stages}}}")
    told = built.only("Cost", "AWS::Budgets::BudgetsAction")["Subscribers"]
    addresses = [s["Address"] for s in told if s["Type"] == "EMAIL"]
    assert addresses == ["a@example.com", "b@example.com"]
    assert [s["Type"] for s in told].count("SNS") == 1


def test_settings_are_read_by_the_function_that_gets_them(example):
    functions = example.resources("Guard", "AWS::Lambda::Function")
    said = {
        key: json.loads(f["Properties"]["Environment"]["Variables"]["TRNKIT_SETTINGS"])
        for key, f in functions.items()
    }
    (watch,) = (v for key, v in said.items() if "Watchdog" in key)
    (enforce,) = (v for key, v in said.items() if "Enforcer" in key)
    rates = {(r["instance_type"], r["purchase"]): r["usd_per_hour"] for r in watch["rates"]}
    assert 21.5 < rates["trn1.32xlarge", "on-demand"] < 21.6  # With its volume and its metrics.
    assert watch["fixed_usd_per_hour"] > 0
    assert enforce["at_usd"] == 66_000
    assert enforce["protected_node_groups"] == ["serve"]
    assert {g["name"] for g in enforce["groups"]} == {"train", "serve"}


# What the roles may.


def test_the_watchdog_may_do_what_it_does(example, watchdog):
    table = of(example, "Guard", "AWS::DynamoDB::Table", "Table")
    queue = of(example, "Guard", "AWS::SQS::Queue", "SpendWatchdog")
    logs = of(example, "Guard", "AWS::Logs::LogGroup", "SpendWatchdog")
    for action in ("ec2:DescribeInstances", "ec2:DescribeCapacityReservations"):
        assert may(watchdog, action, **HERE)
    assert may(watchdog, "cloudwatch:GetMetricData", **HERE)
    assert may(watchdog, "cloudwatch:PutMetricData", cloudwatch_namespace="trnkit/spend")
    for row in ("guard", "ledger#2026-11"):
        for action in ("GetItem", "PutItem", "Query", "UpdateItem"):
            assert may(watchdog, f"dynamodb:{action}", table, dynamodb_LeadingKeys=row)
    assert may(watchdog, "sqs:SendMessage", queue)
    assert may(watchdog, "logs:PutLogEvents", logs)


def test_the_watchdog_may_do_nothing_else(example, watchdog):
    table = of(example, "Guard", "AWS::DynamoDB::Table", "Table")
    assert not may(watchdog, "ec2:DescribeInstances", aws_RequestedRegion="us-east-1")
    assert not may(watchdog, "cloudwatch:PutMetricData", cloudwatch_namespace="trnkit")
    assert not may(watchdog, "dynamodb:PutItem", table, dynamodb_LeadingKeys="audit")
    assert not may(watchdog, "dynamodb:PutItem", "arn:aws:dynamodb:us-west-2:111122223333:table/t")
    group = {"aws_ResourceTag__trnkit-cluster": "guarded"}
    group["aws_ResourceTag__trnkit-node-group"] = "train"
    assert not may(watchdog, "autoscaling:UpdateAutoScalingGroup", f"{GROUP}g", **group, **HERE)
    assert not may(watchdog, "ssm:SendCommand", INSTANCE, **HERE)


def scaling(enforcer, action, cluster="guarded", group="train"):
    tags = {"aws_ResourceTag__trnkit-cluster": cluster}
    tags["aws_ResourceTag__trnkit-node-group"] = group
    return may(enforcer, f"autoscaling:{action}", f"{GROUP}g", **tags, **HERE)


def test_the_enforcer_may_do_what_it_does(example, enforcer):
    assert may(enforcer, "autoscaling:DescribeAutoScalingGroups", **HERE)
    for action in ("UpdateAutoScalingGroup", "SuspendProcesses", "ResumeProcesses"):
        assert scaling(enforcer, action)
    topic = "<guarded-Cost:ExportsOutputRefBudgetAlarmTopic3345E28AC6F97B13>"
    assert may(enforcer, "sns:Publish", topic)
    document = "arn:aws:ssm:us-west-2::document/AWS-RunShellScript"
    tags = {"ssm_resourceTag__trnkit-cluster": "guarded"}
    tags["ssm_resourceTag__trnkit-node-group"] = "train"
    assert may(enforcer, "ssm:SendCommand", document)
    assert may(enforcer, "ssm:SendCommand", INSTANCE, **tags)
    table = of(example, "Guard", "AWS::DynamoDB::Table", "Table")
    for row in ("guard", "audit"):
        assert may(enforcer, "dynamodb:UpdateItem", table, dynamodb_LeadingKeys=row)


def test_the_enforcer_touches_no_protected_group_and_no_other_cluster(enforcer):
    for action in ("UpdateAutoScalingGroup", "SuspendProcesses"):
        assert not scaling(enforcer, action, group="serve")
        assert not scaling(enforcer, action, cluster="of-others")
    tags = {"ssm_resourceTag__trnkit-cluster": "guarded"}
    tags["ssm_resourceTag__trnkit-node-group"] = "serve"
    assert not may(enforcer, "ssm:SendCommand", INSTANCE, **tags)
    assert not may(enforcer, "ssm:SendCommand", INSTANCE)
    other = "arn:aws:ssm:us-west-2::document/AWS-RunRemoteScript"
    assert not may(enforcer, "ssm:SendCommand", other)


def test_the_enforcer_rewrites_no_ledger(example, enforcer):
    table = of(example, "Guard", "AWS::DynamoDB::Table", "Table")
    for action in ("PutItem", "UpdateItem", "Query"):
        allowed = may(enforcer, f"dynamodb:{action}", table, dynamodb_LeadingKeys="ledger#2026-11")
        assert not allowed


def test_in_a_dry_run_the_enforcer_may_change_nothing_of_the_cluster(guard):
    stages = "enforcement: {mode: dry-run}, idle_shutdown: {mode: dry-run}"
    statements = role(guard(f", watchdog: {{{stages}}}"), "SpendEnforcer")
    for action in ("UpdateAutoScalingGroup", "SuspendProcesses", "ResumeProcesses"):
        assert not scaling(statements, action, cluster="pretrain")
    assert not any("ssm:SendCommand" in s["Action"] for s in statements)


STORAGE = ("s3", "fsx", "elasticfilesystem", "backup")


@pytest.mark.parametrize("name", ["SpendWatchdog", "SpendEnforcer"])
def test_no_role_may_delete_anything_or_touch_storage_or_grant_itself_more(example, name):
    """Every operation of the services that matter, from botocore's own models."""
    statements = role(example, name)
    session = botocore.session.get_session()
    context = {
        **HERE,
        "aws_ResourceTag__trnkit-cluster": "guarded",
        "aws_ResourceTag__trnkit-node-group": "train",
        "ssm_resourceTag__trnkit-cluster": "guarded",
        "ssm_resourceTag__trnkit-node-group": "train",
        "cloudwatch_namespace": "trnkit/spend",
        "dynamodb_LeadingKeys": "guard",
    }
    table = of(example, "Guard", "AWS::DynamoDB::Table", "Table")
    targets = ("*", f"{GROUP}g", INSTANCE, table)
    services = {"efs": "elasticfilesystem"}
    allowed = set()
    for service in ("ec2", "autoscaling", "iam", "s3", "fsx", "efs", "kms", "lambda", "dynamodb"):
        prefix = services.get(service, service)
        for operation in session.get_service_model(service).operation_names:
            action = f"{prefix}:{operation}"
            if any(may(statements, action, target, **context) for target in targets):
                allowed.add(action)
    assert not {a for a in allowed if a.split(":")[0] in (*STORAGE, "iam", "lambda")}
    assert not {a for a in allowed if ":Delete" in a or ":Terminate" in a or ":Run" in a}
    writes = {a for a in allowed if not a.split(":")[1].startswith(("Describe", "Get", "Query"))}
    expected = {"dynamodb:PutItem", "dynamodb:UpdateItem"}
    if name == "SpendEnforcer":
        expected |= {
            "autoscaling:ResumeProcesses",
            "autoscaling:SuspendProcesses",
            "autoscaling:UpdateAutoScalingGroup",
        }
    assert writes == expected


def test_no_role_of_the_guard_can_be_taken_by_anybody_but_lambda(example):
    for made in example.resources("Guard", "AWS::IAM::Role").values():
        (trust,) = made["Properties"]["AssumeRolePolicyDocument"]["Statement"]
        assert trust["Principal"] == {"Service": "lambda.amazonaws.com"}
        assert "ManagedPolicyArns" not in made["Properties"]
