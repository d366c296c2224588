"""The role of the function: what it calls is allowed, what would do harm is not.

moto, which is not ours, judges the actions with the role's own credentials. It looks at neither
resources nor conditions: those are judged by what the preflight judges policies with.
"""

from __future__ import annotations

import json

import boto3
import pytest
from botocore.exceptions import ClientError
from moto.core import set_initial_no_auth_action_count

from constructs_lib.cost import SpendWatchdog
from constructs_lib.cost.alert_topic import create_alert_topic
from tests.constructs_lib.cost.test_spend_watchdog import PLAN
from tests.constructs_lib.cost.watchdog.account import (
    ACCOUNT,
    REGION,
    TABLE,
    GuardTable,
    minutes,
    settings,
    watch,
)
from trnkit.operations.preflight.policy_judgement import (
    PolicyRequest,
    Requester,
    Verdict,
    judge_policy,
)

ARNS = {
    "AWS::DynamoDB::Table": f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{TABLE}",
    "AWS::Logs::LogGroup": f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:watchdog:*",
    "AWS::SQS::Queue": f"arn:aws:sqs:{REGION}:{ACCOUNT}:letters",
}
TABLE_ARN = ARNS["AWS::DynamoDB::Table"]
OTHER_TABLE = f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/other"
PERMISSION_OF = {"monitoring": "cloudwatch"}


@pytest.fixture
def policy(stack, resources):
    """The policy of the synthesized role, with the names that it will have."""
    topic, key = create_alert_topic(stack, None)
    SpendWatchdog(stack, "SpendWatchdog", plan=PLAN, topic=topic, key=key)
    everything = resources()
    (made,) = (one for one in everything.values() if one["Type"] == "AWS::IAM::Policy")

    def named(value):
        if isinstance(value, dict) and set(value) == {"Fn::GetAtt"}:
            return ARNS[everything[value["Fn::GetAtt"][0]]["Type"]]
        if isinstance(value, dict):
            return {name: named(item) for name, item in value.items()}
        return [named(item) for item in value] if isinstance(value, list) else value

    return named(made["Properties"]["PolicyDocument"])


@pytest.fixture
def role(account, policy):
    """Clients with the credentials of that role, and of nobody else."""
    iam = boto3.client("iam", region_name=REGION)
    trust = {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"Service": "lambda.amazonaws.com"},
                "Action": "sts:AssumeRole",
            }
        ],
    }
    arn = iam.create_role(RoleName="watchdog", AssumeRolePolicyDocument=json.dumps(trust))
    # moto knows no resource of a request but `*`, and calls CloudWatch after its endpoint.
    statements = [
        {
            **one,
            "Resource": "*",
            "Action": [a.replace("cloudwatch:", "monitoring:") for a in _listed(one["Action"])],
        }
        for one in policy["Statement"]
    ]
    document = json.dumps({**policy, "Statement": statements})
    iam.put_role_policy(RoleName="watchdog", PolicyName="own", PolicyDocument=document)
    told = boto3.client("sts", region_name=REGION).assume_role(
        RoleArn=arn["Role"]["Arn"], RoleSessionName="poll"
    )["Credentials"]

    def client(service):
        return boto3.client(
            service,
            region_name=REGION,
            aws_access_key_id=told["AccessKeyId"],
            aws_secret_access_key=told["SecretAccessKey"],
            aws_session_token=told["SessionToken"],
        )

    return client


judged = set_initial_no_auth_action_count(0)
"""Makes a function one in which moto judges each call."""


def whole_life(account, clients):
    """Everything that the function does, in a few polls."""
    first, second = account.launch(2, ago=60)
    account.use(first, 0, last=15)
    account.reserve(1)
    told = settings(node_metrics_namespace="trnkit")
    poll, note_end = judged(watch.poll), judged(watch.note_end)
    poll(told, clients, ACCOUNT, account.clock)
    account.terminate(first, ago=-3)
    poll(told, clients, ACCOUNT, account.clock + minutes(5))
    event = {
        "time": "2026-11-18T12:04:00Z",
        "detail": {"instance-id": second, "state": "stopping"},
    }
    assert note_end(event, clients.table, account.clock + minutes(6))["ended"]
    poll(told, clients, ACCOUNT, account.clock + minutes(10))


def test_all_that_the_function_calls_is_allowed(account, role, policy):
    ec2, cloudwatch, dynamodb = role("ec2"), role("cloudwatch"), role("dynamodb")
    called = set()

    def before(model, params, **_):
        service = model.service_model.signing_name
        called.add(f"{PERMISSION_OF.get(service, service)}:{model.name}")
        return account._before(model, params)

    for client in (ec2, cloudwatch, dynamodb):
        client.meta.events.register("before-call", before)
    clients = watch.Clients(ec2=ec2, cloudwatch=cloudwatch, table=GuardTable(dynamodb, TABLE))
    whole_life(account, clients)
    allowed = {
        action
        for statement in policy["Statement"]
        for action in _listed(statement["Action"])
        if action.partition(":")[0] not in ("logs", "sqs")
    }
    assert called == allowed, "neither more nor less than what it calls"


@pytest.mark.parametrize(
    ("service", "operation", "arguments"),
    [
        ("ec2", "terminate_instances", {"InstanceIds": ["i-0123456789abcdef0"]}),
        ("ec2", "stop_instances", {"InstanceIds": ["i-0123456789abcdef0"]}),
        ("ec2", "run_instances", {"MinCount": 1, "MaxCount": 1, "ImageId": "ami-12c6146b"}),
        ("ec2", "create_tags", {"Resources": ["i-0"], "Tags": [{"Key": "a", "Value": "b"}]}),
        ("ec2", "delete_volume", {"VolumeId": "vol-0123456789abcdef0"}),
        ("autoscaling", "update_auto_scaling_group", {"AutoScalingGroupName": "train"}),
        ("autoscaling", "suspend_processes", {"AutoScalingGroupName": "train"}),
        ("dynamodb", "delete_table", {"TableName": TABLE}),
        ("dynamodb", "scan", {"TableName": TABLE}),
        (
            "dynamodb",
            "delete_item",
            {"TableName": TABLE, "Key": {"pk": {"S": "guard"}, "sk": {"S": "observation"}}},
        ),
        ("ssm", "send_command", {"DocumentName": "AWS-RunShellScript"}),
        ("iam", "list_roles", {}),
        ("iam", "create_access_key", {}),
        ("cloudwatch", "delete_alarms", {"AlarmNames": ["silent"]}),
        ("events", "disable_rule", {"Name": "poll"}),
    ],
)
def test_what_would_do_harm_is_refused(role, service, operation, arguments):
    client = role(service)
    with pytest.raises(ClientError) as refusal:
        judged(getattr(client, operation))(**arguments)
    assert "not authorized to perform" in str(refusal.value)


@pytest.mark.parametrize(
    ("action", "resource", "context", "verdict"),
    [
        ("dynamodb:PutItem", TABLE_ARN, {"dynamodb:leadingkeys": "ledger#2026-11"}, "yes"),
        ("dynamodb:PutItem", OTHER_TABLE, {"dynamodb:leadingkeys": "guard"}, "no"),
        ("ec2:DescribeInstances", "*", {"aws:requestedregion": REGION}, "yes"),
        ("ec2:DescribeInstances", "*", {"aws:requestedregion": "us-west-2"}, "no"),
        ("cloudwatch:PutMetricData", "*", {"cloudwatch:namespace": "trnkit/spend"}, "yes"),
        ("cloudwatch:PutMetricData", "*", {"cloudwatch:namespace": "AWS/Billing"}, "no"),
        ("cloudwatch:PutMetricData", "*", {"cloudwatch:namespace": "trnkit"}, "no"),
        ("logs:PutLogEvents", ARNS["AWS::Logs::LogGroup"], {}, "yes"),
        ("logs:PutLogEvents", f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:other:*", {}, "no"),
        ("logs:CreateLogGroup", ARNS["AWS::Logs::LogGroup"], {}, "no"),
        ("sqs:SendMessage", ARNS["AWS::SQS::Queue"], {}, "yes"),
        ("sqs:ReceiveMessage", ARNS["AWS::SQS::Queue"], {}, "no"),
        ("sns:Publish", f"arn:aws:sns:{REGION}:{ACCOUNT}:alerts", {}, "no"),
    ],
)
def test_resources_and_conditions_are_the_clusters_own(policy, action, resource, context, verdict):
    # What is no condition that the judge knows is left to the test below.
    for statement in policy["Statement"]:
        statement["Principal"] = "*"
        if "ForAllValues:StringLike" in statement.get("Condition", {}):
            del statement["Condition"]
    role_arn = f"arn:aws:iam::{ACCOUNT}:role/watchdog"
    request = PolicyRequest(
        requester=Requester(account=ACCOUNT, role=role_arn, has_own_policy=False),
        action=action,
        resource=resource,
        context=context,
    )
    expected = Verdict.ALLOWED if verdict == "yes" else Verdict.DENIED
    assert judge_policy(json.dumps(policy), request).verdict is expected


def test_rows_of_the_audit_are_out_of_reach(policy):
    (rows,) = (
        statement
        for statement in policy["Statement"]
        if any(action.startswith("dynamodb:") for action in _listed(statement["Action"]))
    )
    assert rows["Resource"] == TABLE_ARN
    assert rows["Condition"] == {
        "ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["guard", "ledger#*"]}
    }


def _listed(value):
    return value if isinstance(value, list) else [value]
