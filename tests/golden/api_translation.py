"""CloudFormation properties as the AWS API call they become, for botocore to judge.

CloudFormation's handlers do the same with more cases; what matters here is that a key or a value of
ours which the API does not know is found.
"""

from __future__ import annotations

import base64
import functools
import ipaddress
import itertools
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import botocore.session
from botocore.exceptions import ParamValidationError
from botocore.validate import validate_parameters

Properties = dict[str, Any]


@dataclass(frozen=True)
class Call:
    """How one resource type becomes a call.

    Attributes:
        service: botocore's name of the service.
        operation: The API's name of the operation.
        renames: Property -> parameter, where they differ.
        elsewhere: Properties that other calls or CloudFormation itself take.
        change: Last changes to the parameters.
    """

    service: str
    operation: str
    renames: Mapping[str, str] = field(default_factory=dict)
    elsewhere: frozenset[str] = frozenset()
    change: Callable[[Properties], Properties] = lambda parameters: parameters


def _ec2(operation: str, *elsewhere: str, **renames: str) -> Call:
    return Call("ec2", operation, renames, frozenset({"Tags", *elsewhere}))


def _rule(operation: str) -> Call:
    def permission(p: Properties) -> Properties:
        described = {"Description": p["Description"]} if "Description" in p else {}
        peer = p.get("SourceSecurityGroupId") or p.get("DestinationSecurityGroupId")
        entry = {k: p[k] for k in ("IpProtocol", "FromPort", "ToPort") if k in p}
        if peer:
            entry["UserIdGroupPairs"] = [{"GroupId": peer} | described]
        if "CidrIp" in p:
            entry["IpRanges"] = [{"CidrIp": p["CidrIp"]} | described]
        return {"GroupId": p["GroupId"], "IpPermissions": [entry]}

    return Call("ec2", operation, change=permission)


def _as_text(*keys: str) -> Callable[[Properties], Properties]:
    def change(p: Properties) -> Properties:
        return p | {key: json.dumps(p[key]) for key in keys if key in p}

    return change


def _from_text(*keys: str) -> Callable[[Properties], Properties]:
    def change(p: Properties) -> Properties:
        return p | {key: json.loads(p[key]) for key in keys if key in p}

    return change


def _budget(p: Properties) -> Properties:
    budget = p["Budget"] | {"BudgetName": "made-by-cloudformation"}
    amount = budget["BudgetLimit"]["Amount"]
    budget["BudgetLimit"] = budget["BudgetLimit"] | {"Amount": str(amount)}
    return p | {"AccountId": "111122223333", "Budget": budget}


_QUEUE_ATTRIBUTES = {"MessageRetentionPeriod", "SqsManagedSseEnabled"}


def _queue(p: Properties) -> Properties:
    """Attributes are a mapping of text."""
    attributes = {key: str(p[key]).lower() for key in _QUEUE_ATTRIBUTES if key in p}
    others = {key: value for key, value in p.items() if key not in _QUEUE_ATTRIBUTES}
    return others | {"QueueName": "made", "Attributes": attributes}


def _budget_action(p: Properties) -> Properties:
    threshold = p["ActionThreshold"]
    return p | {
        "AccountId": "111122223333",
        "ActionThreshold": {
            "ActionThresholdValue": threshold["Value"],
            "ActionThresholdType": threshold["Type"],
        },
        "Subscribers": [
            {"SubscriptionType": s["Type"], "Address": s["Address"]} for s in p["Subscribers"]
        ],
    }


def _chat(p: Properties) -> Properties:
    renames = {
        "SlackWorkspaceId": "SlackTeamId",
        "GuardrailPolicies": "GuardrailPolicyArns",
        "UserRoleRequired": "UserAuthorizationRequired",
    }
    return {renames.get(key, key): value for key, value in p.items()}


def _camel(value: Any, key: str = "") -> Any:
    """Keys as Image Builder has them; those of tags are the user's own."""
    if isinstance(value, dict) and not key.lower().endswith("tags"):
        return {k[:1].lower() + k[1:]: _camel(v, k) for k, v in value.items()}
    if isinstance(value, list):
        return [_camel(item, key) for item in value]
    return value


def _image_builder(operation: str, **renames: str) -> Call:
    return Call(
        "imagebuilder",
        operation,
        renames,
        change=lambda p: _camel(p) | {"clientToken": "made"},
    )


CALLS: dict[str, Call] = {
    "AWS::ImageBuilder::Component": _image_builder("CreateComponent", Version="SemanticVersion"),
    "AWS::ImageBuilder::ImageRecipe": _image_builder(
        "CreateImageRecipe", Version="SemanticVersion"
    ),
    "AWS::ImageBuilder::InfrastructureConfiguration": _image_builder(
        "CreateInfrastructureConfiguration"
    ),
    "AWS::ImageBuilder::DistributionConfiguration": _image_builder(
        "CreateDistributionConfiguration"
    ),
    "AWS::ImageBuilder::ImagePipeline": _image_builder("CreateImagePipeline"),
    "AWS::ImageBuilder::LifecyclePolicy": _image_builder("CreateLifecyclePolicy"),
    "AWS::EC2::VPC": _ec2("CreateVpc", "EnableDnsHostnames", "EnableDnsSupport"),
    "AWS::EC2::Subnet": _ec2("CreateSubnet", "MapPublicIpOnLaunch", "AssignIpv6AddressOnCreation"),
    "AWS::EC2::VPCCidrBlock": _ec2("AssociateVpcCidrBlock"),
    "AWS::EC2::EgressOnlyInternetGateway": _ec2("CreateEgressOnlyInternetGateway"),
    "AWS::EC2::RouteTable": _ec2("CreateRouteTable"),
    "AWS::EC2::SubnetRouteTableAssociation": _ec2("AssociateRouteTable"),
    "AWS::EC2::InternetGateway": _ec2("CreateInternetGateway"),
    "AWS::EC2::VPCGatewayAttachment": _ec2("AttachInternetGateway"),
    "AWS::EC2::Route": _ec2("CreateRoute"),
    "AWS::EC2::EIP": _ec2("AllocateAddress"),
    "AWS::EC2::NatGateway": _ec2("CreateNatGateway"),
    "AWS::EC2::VPCEndpoint": _ec2("CreateVpcEndpoint"),
    "AWS::EC2::SecurityGroup": Call(
        "ec2",
        "CreateSecurityGroup",
        {"GroupDescription": "Description"},
        frozenset({"SecurityGroupEgress", "SecurityGroupIngress", "Tags"}),
        lambda p: p | {"GroupName": "made"},
    ),
    "AWS::EC2::SecurityGroupIngress": _rule("AuthorizeSecurityGroupIngress"),
    "AWS::EC2::SecurityGroupEgress": _rule("AuthorizeSecurityGroupEgress"),
    "AWS::EC2::PlacementGroup": _ec2("CreatePlacementGroup"),
    "AWS::EC2::LaunchTemplate": Call(
        "ec2", "CreateLaunchTemplate", change=lambda p: p | {"LaunchTemplateName": "made"}
    ),
    "AWS::AutoScaling::AutoScalingGroup": Call(
        "autoscaling",
        "CreateAutoScalingGroup",
        elsewhere=frozenset({"MetricsCollection", "Tags"}),
        change=lambda p: (
            p
            | {
                "AutoScalingGroupName": "made",
                "VPCZoneIdentifier": ",".join(p["VPCZoneIdentifier"]),
            }
        ),
    ),
    "AWS::IAM::Role": Call(
        "iam",
        "CreateRole",
        elsewhere=frozenset({"ManagedPolicyArns", "Policies"}),
        change=lambda p: _as_text("AssumeRolePolicyDocument")(p | {"RoleName": "made"}),
    ),
    "AWS::IAM::InstanceProfile": Call(
        "iam",
        "CreateInstanceProfile",
        elsewhere=frozenset({"Roles"}),
        change=lambda p: p | {"InstanceProfileName": "made"},
    ),
    "AWS::KMS::Key": Call(
        "kms",
        "CreateKey",
        {"KeyPolicy": "Policy"},
        frozenset({"EnableKeyRotation", "Tags"}),
        _as_text("Policy"),
    ),
    "AWS::SNS::Topic": Call(
        "sns",
        "CreateTopic",
        elsewhere=frozenset({"KmsMasterKeyId"}),
        change=lambda p: p | {"Name": "made"},
    ),
    "AWS::SNS::TopicPolicy": Call(
        "sns",
        "SetTopicAttributes",
        change=lambda p: {
            "TopicArn": p["Topics"][0],
            "AttributeName": "Policy",
            "AttributeValue": json.dumps(p["PolicyDocument"]),
        },
    ),
    "AWS::Budgets::Budget": Call("budgets", "CreateBudget", change=_budget),
    "AWS::AutoScaling::ScheduledAction": Call(
        "autoscaling",
        "PutScheduledUpdateGroupAction",
        change=lambda p: p | {"ScheduledActionName": "made"},
    ),
    "AWS::CE::AnomalyMonitor": Call(
        "ce",
        "CreateAnomalyMonitor",
        elsewhere=frozenset({"ResourceTags"}),
        change=lambda p: {"AnomalyMonitor": _from_text("MonitorSpecification")(p)},
    ),
    "AWS::CE::AnomalySubscription": Call(
        "ce",
        "CreateAnomalySubscription",
        elsewhere=frozenset({"ResourceTags"}),
        change=lambda p: {"AnomalySubscription": _from_text("ThresholdExpression")(p)},
    ),
    "AWS::EC2::CapacityReservation": _ec2("CreateCapacityReservation"),
    "AWS::EC2::FlowLog": Call(
        "ec2",
        "CreateFlowLogs",
        elsewhere=frozenset({"Tags"}),
        change=lambda p: (
            {k: v for k, v in p.items() if k != "ResourceId"} | {"ResourceIds": [p["ResourceId"]]}
        ),
    ),
    "AWS::Logs::LogGroup": Call(
        "logs",
        "CreateLogGroup",
        {"LogGroupName": "logGroupName"},
        elsewhere=frozenset({"RetentionInDays", "Tags"}),
        change=lambda p: {"logGroupName": "/made"} | p,
    ),
    "AWS::SNS::Subscription": Call("sns", "Subscribe"),
    "AWS::EFS::FileSystem": Call(
        "efs",
        "CreateFileSystem",
        {"FileSystemTags": "Tags"},
        frozenset({"BackupPolicy", "LifecyclePolicies"}),
        lambda p: p | {"CreationToken": "made"},
    ),
    "AWS::EFS::MountTarget": Call("efs", "CreateMountTarget"),
    "AWS::S3::Bucket": Call(
        "s3",
        "CreateBucket",
        # Each is a call of its own, in other words than CloudFormation's.
        elsewhere=frozenset(
            {
                "BucketEncryption",
                "LifecycleConfiguration",
                "OwnershipControls",
                "PublicAccessBlockConfiguration",
                "Tags",
                "VersioningConfiguration",
            }
        ),
        change=lambda p: p | {"Bucket": "made"},
    ),
    "AWS::S3::BucketPolicy": Call(
        "s3", "PutBucketPolicy", {"PolicyDocument": "Policy"}, change=_as_text("Policy")
    ),
    "AWS::IAM::Policy": Call(
        "iam",
        "PutRolePolicy",
        {"Roles": "RoleName"},
        change=lambda p: _as_text("PolicyDocument")(p | {"RoleName": p["RoleName"][0]}),
    ),
    "AWS::IAM::ManagedPolicy": Call(
        "iam",
        "CreatePolicy",
        change=lambda p: _as_text("PolicyDocument")(
            {k: v for k, v in p.items() if k not in ("Path", "Roles")} | {"PolicyName": "made"}
        ),
    ),
    "AWS::Lambda::Function": Call(
        "lambda",
        "CreateFunction",
        # Here a list of pairs, there a mapping.
        elsewhere=frozenset({"Tags"}),
        change=lambda p: p | {"FunctionName": "made"},
    ),
    "AWS::Lambda::Permission": Call(
        "lambda", "AddPermission", change=lambda p: p | {"StatementId": "made"}
    ),
    "AWS::Lambda::EventInvokeConfig": Call("lambda", "PutFunctionEventInvokeConfig"),
    "AWS::Events::Rule": Call(
        "events",
        "PutRule",
        elsewhere=frozenset({"Targets"}),
        change=lambda p: _as_text("EventPattern")(p | {"Name": "made"}),
    ),
    "AWS::DynamoDB::Table": Call(
        "dynamodb",
        "CreateTable",
        # Each is a call of its own.
        elsewhere=frozenset({"PointInTimeRecoverySpecification", "TimeToLiveSpecification"}),
        change=lambda p: p | {"TableName": "made"},
    ),
    "AWS::SQS::Queue": Call("sqs", "CreateQueue", elsewhere=frozenset({"Tags"}), change=_queue),
    "AWS::SQS::QueuePolicy": Call(
        "sqs",
        "SetQueueAttributes",
        change=lambda p: {
            "QueueUrl": p["Queues"][0],
            "Attributes": {"Policy": json.dumps(p["PolicyDocument"])},
        },
    ),
    "AWS::CloudWatch::Alarm": Call(
        "cloudwatch", "PutMetricAlarm", change=lambda p: p | {"AlarmName": "made"}
    ),
    "AWS::Budgets::BudgetsAction": Call("budgets", "CreateBudgetAction", change=_budget_action),
    "AWS::Chatbot::SlackChannelConfiguration": Call(
        "chatbot",
        "CreateSlackChannelConfiguration",
        elsewhere=frozenset({"Tags"}),
        change=_chat,
    ),
    "AWS::Scheduler::Schedule": Call(
        "scheduler", "CreateSchedule", change=lambda p: p | {"Name": "made"}
    ),
    "AWS::FSx::FileSystem": Call("fsx", "CreateFileSystem"),
    "AWS::FSx::DataRepositoryAssociation": Call("fsx", "CreateDataRepositoryAssociation"),
}


def literal(value: Any, name: str = "") -> Any:
    """A CloudFormation value as the API would see it, references replaced by ids of their shape."""
    if isinstance(value, list):
        return [literal(item, name) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        ((function, argument),) = value.items()
        if function == "Fn::Base64":
            return base64.b64encode(literal(argument).encode()).decode()
        if function == "Fn::Join":
            return argument[0].join(str(literal(part)) for part in argument[1])
        if function == "Fn::Select" and isinstance(known := literal(argument[1]), list):
            return known[argument[0]]
        if function == "Fn::Cidr":
            block, count, bits = literal(argument)
            parts = ipaddress.ip_network(block).subnets(new_prefix=128 - int(bits))
            return [str(part) for part in itertools.islice(parts, count)]
        if function == "Fn::GetAtt" and argument[1] == "Ipv6CidrBlocks":
            return ["2001:db8:0:ff00::/56"]
        if function in ("Ref", "Fn::GetAtt", "Fn::ImportValue"):
            return _SHAPES.get(name, "placeholder-name")
    return {key: literal(item, key) for key, item in value.items()}


_SHAPES = {
    "Groups": "sg-0123456789abcdef0",
    "SecurityGroupIds": "sg-0123456789abcdef0",
    "SubnetIds": "subnet-0123456789abcdef0",
    "ExecutionRoleArn": "arn:aws:iam::111122223333:role/budget-actions",
    "PolicyArn": "arn:aws:iam::111122223333:policy/deny-launches",
    "FileSystemId": "fs-0123456789abcdef0",
    "KmsKeyId": "arn:aws:kms:us-east-2:111122223333:key/00000000-0000-0000-0000-000000000000",
    "MonitorArnList": "arn:aws:ce::111122223333:anomalymonitor/0123456789",
    "TopicArn": "arn:aws:sns:us-east-2:111122223333:alerts",
    "Address": "arn:aws:sns:us-east-2:111122223333:alerts",
}


def problems(kind: str, properties: Properties) -> str | None:
    """What botocore would refuse of a resource's call, or None."""
    call = CALLS[kind]
    parameters = {
        call.renames.get(key, key): literal(value, key)
        for key, value in properties.items()
        if key not in call.elsewhere
    }
    shape = _shape(call.service, call.operation)
    parameters = _coerced(call.change(parameters), shape)
    try:
        validate_parameters(parameters, shape)
    except ParamValidationError as error:
        return f"{kind}: {error}"
    return None


@functools.cache
def _shape(service: str, operation: str) -> Any:
    model = botocore.session.get_session().get_service_model(service)
    return model.operation_model(operation).input_shape


def _coerced(value: Any, shape: Any) -> Any:
    """Numbers in text and text in numbers, which CloudFormation converts as the API wants them."""
    if shape is None:
        return value
    if shape.type_name == "structure" and isinstance(value, dict):
        return {k: _coerced(v, shape.members.get(k)) for k, v in value.items()}
    if shape.type_name == "list" and isinstance(value, list):
        return [_coerced(item, shape.member) for item in value]
    if shape.type_name in ("integer", "long") and isinstance(value, str) and value.isdigit():
        return int(value)
    return value
