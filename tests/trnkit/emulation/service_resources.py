"""Resources of the types that MiniStack makes, with all properties that their readers tell."""

from __future__ import annotations

import json
from typing import Any

from tests.trnkit.emulation.stacks import ACCOUNT, REGION

TAGS = [{"Key": "team", "Value": "pretrain"}]


def policy(action: Any = "s3:*", **more: Any) -> dict[str, Any]:
    statement = {"Effect": "Allow", "Action": action, "Resource": "*"} | more
    return {"Version": "2012-10-17", "Statement": [statement]}


def trust(service: str) -> dict[str, Any]:
    statement = {
        "Effect": "Allow",
        "Principal": {"Service": service},
        "Action": "sts:AssumeRole",
        "Condition": {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}},
    }
    return {"Version": "2012-10-17", "Statement": [statement]}


def of(kind: str, **properties: Any) -> dict[str, Any]:
    return {"Type": kind, "Properties": properties}


ROLE = of(
    "AWS::IAM::Role",
    AssumeRolePolicyDocument=trust("ec2.amazonaws.com"),
    Description="nodes",
    MaxSessionDuration=7200,
    Path="/nodes/",
    PermissionsBoundary={"Ref": "Managed"},
    ManagedPolicyArns=["arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore"],
    Policies=[{"PolicyName": "own", "PolicyDocument": policy(["s3:Get*", "s3:List*"])}],
    Tags=TAGS,
)
IDENTITY = {
    "Role": ROLE,
    "Profile": of("AWS::IAM::InstanceProfile", Roles=[{"Ref": "Role"}], Path="/nodes/"),
    "Policy": of(
        "AWS::IAM::Policy",
        PolicyName="added",
        PolicyDocument=policy("ec2:Describe*"),
        Roles=[{"Ref": "Role"}],
    ),
    "Managed": of(
        "AWS::IAM::ManagedPolicy",
        ManagedPolicyName="boundary",
        Description="the most there may be",
        Path="/nodes/",
        PolicyDocument=policy("*"),
    ),
}
KEY = of(
    "AWS::KMS::Key",
    Description="for everything",
    EnableKeyRotation=True,
    RotationPeriodInDays="180",
    KeyPolicy=policy("kms:*", Principal={"AWS": {"Ref": "AWS::AccountId"}}),
    Tags=TAGS,
)
KEYS = {
    "Key": KEY,
    "ById": of("AWS::KMS::Alias", AliasName="alias/by-id", TargetKeyId={"Ref": "Key"}),
    "ByArn": of(
        "AWS::KMS::Alias", AliasName="alias/by-arn", TargetKeyId={"Fn::GetAtt": ["Key", "Arn"]}
    ),
}
MESSAGES = {
    "Key": KEY,
    "Topic": of("AWS::SNS::Topic", DisplayName="Spend", KmsMasterKeyId={"Ref": "Key"}, Tags=TAGS),
    "Plain": of("AWS::SNS::Topic"),
    "TopicPolicy": of(
        "AWS::SNS::TopicPolicy",
        Topics=[{"Ref": "Topic"}],
        PolicyDocument=policy(
            "sns:Publish",
            Resource={"Ref": "Topic"},
            Principal={"Service": "budgets.amazonaws.com"},
        ),
    ),
    "Mail": of(
        "AWS::SNS::Subscription",
        TopicArn={"Ref": "Topic"},
        Protocol="email",
        Endpoint="ops@example.com",
    ),
    "Filtered": of(
        "AWS::SNS::Subscription",
        TopicArn={"Ref": "Topic"},
        Protocol="sqs",
        Endpoint=f"arn:aws:sqs:{REGION}:{ACCOUNT}:queue",
        RawMessageDelivery=True,
        FilterPolicy={"kind": ["budget"]},
    ),
}
BUCKET = of(
    "AWS::S3::Bucket",
    BucketEncryption={
        "ServerSideEncryptionConfiguration": [
            {
                "BucketKeyEnabled": True,
                "ServerSideEncryptionByDefault": {
                    "SSEAlgorithm": "aws:kms",
                    "KMSMasterKeyID": {"Fn::GetAtt": ["Key", "Arn"]},
                },
            }
        ]
    },
    LifecycleConfiguration={
        "Rules": [
            {
                "Id": "logs",
                "Status": "Enabled",
                "Prefix": "logs/",
                "ExpirationInDays": "90",
                "Transitions": [{"StorageClass": "STANDARD_IA", "TransitionInDays": 30}],
            },
            {
                "Id": "old",
                "Status": "Enabled",
                "ExpiredObjectDeleteMarker": True,
                "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 7},
                "NoncurrentVersionExpiration": {
                    "NoncurrentDays": 30,
                    "NewerNoncurrentVersions": 3,
                },
                "NoncurrentVersionTransitions": [
                    {"StorageClass": "GLACIER", "TransitionInDays": 10}
                ],
            },
            {
                "Id": "tagged",
                "Status": "Disabled",
                "Prefix": "tmp/",
                "TagFilters": [{"Key": "a", "Value": "b"}],
                "ObjectSizeGreaterThan": "1024",
                "ExpirationInDays": 1,
            },
        ]
    },
    OwnershipControls={"Rules": [{"ObjectOwnership": "BucketOwnerPreferred"}]},
    PublicAccessBlockConfiguration={
        "BlockPublicAcls": True,
        "BlockPublicPolicy": True,
        "IgnorePublicAcls": True,
        "RestrictPublicBuckets": True,
    },
    VersioningConfiguration={"Status": "Enabled"},
    Tags=TAGS,
)
OBJECTS = {
    "Key": KEY,
    "Bucket": BUCKET,
    "BucketPolicy": of(
        "AWS::S3::BucketPolicy",
        Bucket={"Ref": "Bucket"},
        PolicyDocument=policy(
            Effect="Deny",
            Principal={"AWS": "*"},
            Resource=[{"Fn::GetAtt": ["Bucket", "Arn"]}, {"Fn::Sub": "${Bucket.Arn}/*"}],
            Condition={"Bool": {"aws:SecureTransport": "false"}},
        ),
    ),
}
RULES = {
    "rules": [
        {
            "rulePriority": 1,
            "selection": {
                "tagStatus": "untagged",
                "countType": "sinceImagePushed",
                "countUnit": "days",
                "countNumber": 365,
            },
            "action": {"type": "expire"},
        }
    ]
}
OTHERS = {
    "Group": of(
        "AWS::Logs::LogGroup", LogGroupName="/aws/fsx/lustre", RetentionInDays=30, Tags=TAGS
    ),
    "Unnamed": of("AWS::Logs::LogGroup", RetentionInDays="7"),
    "Parameter": of(
        "AWS::SSM::Parameter",
        Name="/trn/image",
        Type="String",
        Value="ami-0123456789abcdef0",
        Description="the image",
        AllowedPattern="ami-.*",
        Tier="Standard",
        Tags={"team": "pretrain"},
    ),
    "Repository": of(
        "AWS::ECR::Repository",
        RepositoryName="trainers",
        ImageTagMutability="IMMUTABLE",
        ImageScanningConfiguration={"ScanOnPush": True},
        EncryptionConfiguration={"EncryptionType": "KMS"},
        LifecyclePolicy={"LifecyclePolicyText": json.dumps(RULES, indent=2)},
        RepositoryPolicyText={
            "Version": "2012-10-17",
            "Statement": [
                {
                    "Sid": "Pull",
                    "Effect": "Allow",
                    "Principal": {"Service": "lambda.amazonaws.com"},
                    "Action": ["ecr:BatchGetImage"],
                }
            ],
        },
        Tags=TAGS,
    ),
}

CALLED = {
    "Role": of("AWS::IAM::Role", AssumeRolePolicyDocument=trust("lambda.amazonaws.com")),
    "Queue": of(
        "AWS::SQS::Queue",
        DelaySeconds="5",
        MessageRetentionPeriod=1_209_600,
        ReceiveMessageWaitTimeSeconds=10,
        RedriveAllowPolicy={"redrivePermission": "denyAll"},
        SqsManagedSseEnabled=True,
        VisibilityTimeout=60,
        Tags=TAGS,
    ),
    "QueuePolicy": of(
        "AWS::SQS::QueuePolicy",
        Queues=[{"Ref": "Queue"}],
        PolicyDocument=policy(
            "sqs:SendMessage",
            Resource={"Fn::GetAtt": ["Queue", "Arn"]},
            Principal={"Service": "events.amazonaws.com"},
        ),
    ),
    "Function": of(
        "AWS::Lambda::Function",
        Architectures=["arm64"],
        Code={"ZipFile": "def handler(event, context): return event"},
        DeadLetterConfig={"TargetArn": {"Fn::GetAtt": ["Queue", "Arn"]}},
        Description="counts",
        Environment={"Variables": {"TABLE": {"Ref": "Table"}}},
        EphemeralStorage={"Size": 1024},
        Handler="index.handler",
        MemorySize="256",
        Role={"Fn::GetAtt": ["Role", "Arn"]},
        Runtime="python3.13",
        Timeout=120,
        Tags=TAGS,
    ),
    "Config": of(
        "AWS::Lambda::EventInvokeConfig",
        FunctionName={"Ref": "Function"},
        Qualifier="$LATEST",
        MaximumEventAgeInSeconds=300,
        MaximumRetryAttempts=0,
        DestinationConfig={"OnFailure": {"Destination": {"Fn::GetAtt": ["Queue", "Arn"]}}},
    ),
    "Permission": of(
        "AWS::Lambda::Permission",
        Action="lambda:InvokeFunction",
        FunctionName={"Ref": "Function"},
        Principal="events.amazonaws.com",
        SourceAccount=ACCOUNT,
        SourceArn={"Fn::GetAtt": ["Rule", "Arn"]},
    ),
    "Rule": of(
        "AWS::Events::Rule",
        Description="often",
        ScheduleExpression="rate(5 minutes)",
        State="ENABLED",
        Targets=[{"Id": "one", "Arn": {"Fn::GetAtt": ["Function", "Arn"]}}],
        Tags=TAGS,
    ),
    "Pattern": of(
        "AWS::Events::Rule",
        EventPattern={"source": ["aws.ec2"], "detail": {"state": ["stopped"]}},
        State="DISABLED",
    ),
    "Table": of(
        "AWS::DynamoDB::Table",
        AttributeDefinitions=[
            {"AttributeName": "pk", "AttributeType": "S"},
            {"AttributeName": "sk", "AttributeType": "S"},
        ],
        BillingMode="PAY_PER_REQUEST",
        DeletionProtectionEnabled=False,
        KeySchema=[
            {"AttributeName": "pk", "KeyType": "HASH"},
            {"AttributeName": "sk", "KeyType": "RANGE"},
        ],
        PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": "true"},
        TimeToLiveSpecification={"AttributeName": "expires", "Enabled": True},
        Tags=TAGS,
    ),
    "Alarm": of(
        "AWS::CloudWatch::Alarm",
        ActionsEnabled=True,
        AlarmActions=[f"arn:aws:sns:{REGION}:{ACCOUNT}:alerts"],
        AlarmDescription="too much",
        AlarmName="spend",
        ComparisonOperator="GreaterThanThreshold",
        DatapointsToAlarm=2,
        Dimensions=[{"Name": "cluster", "Value": "pretrain"}],
        EvaluationPeriods="3",
        MetricName="rate",
        Namespace="trnkit/spend",
        Period=300,
        Statistic="Maximum",
        Threshold="12.5",
        TreatMissingData="breaching",
        Tags=TAGS,
    ),
}
