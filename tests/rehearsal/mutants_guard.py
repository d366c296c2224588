"""Functions, tables, rules, queues, alarms, schedules and budget actions that are refused."""

from __future__ import annotations

from functools import partial

from tests.rehearsal.mutant import CREATE, UPDATE, Mutant, drop, put

_guard = partial(Mutant, example="guarded-spend", stack="Guard")
_cost = partial(Mutant, example="guarded-spend", stack="Cost")
_block = partial(Mutant, example="trn2-capacity-block", stack="Compute", by=UPDATE)

_TABLE, _FUNCTION = "AWS::DynamoDB::Table", "AWS::Lambda::Function"
_PERMISSION, _ALARM = "AWS::Lambda::Permission", "AWS::CloudWatch::Alarm"
_QUEUE, _QUEUE_POLICY = "AWS::SQS::Queue", "AWS::SQS::QueuePolicy"
_ACTION, _POLICY = "AWS::Budgets::BudgetsAction", "AWS::IAM::ManagedPolicy"
_SCHEDULE, _POLL = "AWS::Scheduler::Schedule", "SpendWatchdogPollD"
_ROLE = "SpendWatchdogRole816"

_DYNAMODB = "https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_CreateTable.html"
_LAMBDA = "https://docs.aws.amazon.com/lambda/latest/api"
_LIMITS = "https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html"
_CLOUDWATCH = (
    "https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html"
)
_EVENTS = "https://docs.aws.amazon.com/eventbridge/latest"
_SQS = "https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference"
_BUDGETS = "https://docs.aws.amazon.com/aws-cost-management/latest/APIReference"
_IAM = "https://docs.aws.amazon.com/IAM/latest"
_SCHEDULER = "https://docs.aws.amazon.com/scheduler/latest"

MUTANTS = (
    _guard(
        id="table-without-keys",
        change=drop(_TABLE, "KeySchema"),
        says="KeySchema",
        source=_DYNAMODB,
    ),
    _guard(
        id="table-with-a-key-that-nothing-defines",
        change=drop(_TABLE, "AttributeDefinitions.1"),
        says="Some index key attributes are not defined in AttributeDefinitions. Keys: [sk]",
        source=_DYNAMODB,
    ),
    _guard(
        id="table-with-an-attribute-of-no-key",
        change=put(
            _TABLE, "AttributeDefinitions.+", {"AttributeName": "expires", "AttributeType": "N"}
        ),
        says="Number of attributes in KeySchema does not exactly match number of attributes",
        source=_DYNAMODB,
    ),
    _guard(
        id="function-with-a-role-of-instances",
        change=put(
            _ROLE,
            "AssumeRolePolicyDocument.Statement.0.Principal",
            {"Service": "ec2.amazonaws.com"},
        ),
        says="The role defined for the function cannot be assumed by Lambda",
        source=f"{_LAMBDA}/API_CreateFunction.html",
        # A role may forget whom it served.
        by=CREATE,
    ),
    _guard(
        id="function-whose-code-is-nowhere",
        change=put(_FUNCTION, "Code.S3Key", "0000.zip"),
        says="Error occurred while GetObject. S3 Error Code: NoSuchKey",
        source=f"{_LAMBDA}/API_FunctionCode.html",
    ),
    _guard(
        id="function-with-five-kilobytes-of-settings",
        change=put(_FUNCTION, "Environment.Variables.TRNKIT_SETTINGS", "x" * 5000),
        says="exceeded the 4KB limit",
        source=_LIMITS,
    ),
    _guard(
        id="function-that-may-run-for-too-long",
        change=put(_FUNCTION, "Timeout", 901),
        says="Member must have value less than or equal to 900",
        source=f"{_LAMBDA}/API_CreateFunction.html",
    ),
    _guard(
        id="permission-for-a-function-that-is-not-there",
        change=put(_PERMISSION, "FunctionName", "watchdog"),
        says="Function not found: watchdog",
        source=f"{_LAMBDA}/API_AddPermission.html",
    ),
    _guard(
        id="alarm-of-an-unknown-comparison",
        change=put(_ALARM, "ComparisonOperator", "MoreThanThreshold"),
        says="MoreThanThreshold",
        source=_CLOUDWATCH,
    ),
    _guard(
        id="alarm-every-45-seconds",
        change=put(_ALARM, "Period", 45),
        says="Period must be 10, 20, 30 or a multiple of 60",
        source=_CLOUDWATCH,
    ),
    _guard(
        id="alarm-to-a-topic-of-another-region",
        change=put(_ALARM, "AlarmActions", ["arn:aws:sns:us-east-1:111122223333:alerts"]),
        says="Invalid region us-east-1 specified. Only us-west-2 is supported.",
        source=_CLOUDWATCH,
    ),
    _guard(
        id="rule-that-nothing-sets-off",
        change=drop(_POLL, "ScheduleExpression"),
        says="Parameter(s) EventPattern or ScheduleExpression must be specified",
        source=f"{_EVENTS}/APIReference/API_PutRule.html",
    ),
    _guard(
        id="rule-every-one-minutes",
        change=put(_POLL, "ScheduleExpression", "rate(1 minutes)"),
        says="Parameter ScheduleExpression is not valid",
        source=f"{_EVENTS}/userguide/eb-scheduled-rule-pattern.html",
    ),
    _guard(
        id="queue-that-keeps-for-twenty-days",
        change=put(_QUEUE, "MessageRetentionPeriod", 1_728_000),
        says="MessageRetentionPeriod",
        source=f"{_SQS}/API_SetQueueAttributes.html",
    ),
    _guard(
        id="queue-policy-for-nobody",
        change=drop(_QUEUE_POLICY, "PolicyDocument.Statement.1.Principal"),
        says="Invalid value for the parameter Policy",
        source=f"{_SQS}/API_SetQueueAttributes.html",
    ),
    _cost(
        id="action-on-a-budget-that-is-not-there",
        change=put(_ACTION, "BudgetName", "another"),
        says="the budget doesn't exist",
        source=f"{_BUDGETS}/API_budgets_CreateBudgetAction.html",
    ),
    _cost(
        id="action-that-is-defined-as-another",
        change=put(
            _ACTION,
            "Definition",
            {"ScpActionDefinition": {"PolicyId": "p-12345678", "TargetIds": ["111122223333"]}},
        ),
        says="An action of type APPLY_IAM_POLICY needs IamActionDefinition",
        source=f"{_BUDGETS}/API_budgets_Definition.html",
    ),
    _cost(
        id="managed-policy-of-seven-kilobytes",
        change=put(_POLICY, "PolicyDocument.Statement.0.Sid", "a" * 7000),
        says="Cannot exceed quota for PolicySize: 6144",
        source=f"{_IAM}/UserGuide/reference_iam-quotas.html",
    ),
    _cost(
        id="managed-policy-without-an-effect",
        change=drop(_POLICY, "PolicyDocument.Statement.0.Effect"),
        says="MalformedPolicyDocument",
        source=f"{_IAM}/APIReference/API_CreatePolicy.html",
    ),
    _block(
        id="schedule-at-a-moment-with-its-zone",
        change=put(_SCHEDULE, "ScheduleExpression", "at(2027-03-08T10:35:00Z)"),
        says="Invalid Schedule Expression at(2027-03-08T10:35:00Z)",
        source=f"{_SCHEDULER}/UserGuide/schedule-types.html",
    ),
    _block(
        id="schedule-in-a-zone-that-is-not-there",
        change=put(_SCHEDULE, "ScheduleExpressionTimezone", "Europe/Atlantis"),
        says="Europe/Atlantis",
        source=f"{_SCHEDULER}/APIReference/API_CreateSchedule.html",
    ),
    _block(
        id="schedule-with-a-role-of-instances",
        change=put(_SCHEDULE, "Target.RoleArn", {"Fn::GetAtt": ["NodeRoleEA880897", "Arn"]}),
        says="must allow AWS EventBridge Scheduler to assume the role",
        source=f"{_SCHEDULER}/UserGuide/setting-up.html",
    ),
)
