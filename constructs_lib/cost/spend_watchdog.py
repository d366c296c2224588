"""A function that counts what a cluster costs, every few minutes, and alarms on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from aws_cdk import Duration, RemovalPolicy, Stack
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from constructs_lib.arguments import one_of, resource, same_region
from constructs_lib.arguments import removal_policy as check_removal_policy
from constructs_lib.cost.alert_topic import let_publish
from constructs_lib.cost.guard_function import create_guard_function, settings_json
from constructs_lib.cost.plan_arguments import check_watchdog_plan
from constructs_lib.cost.watchdog_alarms import create_alarms, hears_within
from trnkit.catalog import storage_limits
from trnkit.layout.guard_settings import watchdog_settings
from trnkit.layout.spend_guard import WatchdogPlan

if TYPE_CHECKING:
    from aws_cdk import aws_kms as kms
    from aws_cdk import aws_sns as sns

_ENDS = ["stopping", "stopped", "shutting-down", "terminated"]
_TIMEOUT_SECONDS = 120
_MEMORY_MIB = 512


class SpendWatchdog(Construct):
    """Counts running instances times their prices every few minutes, and alarms within minutes.

    Creates `AWS::Lambda::Function` with `AWS::IAM::Role` and `AWS::Logs::LogGroup` of its own,
    `AWS::DynamoDB::Table`, two `AWS::Events::Rule`, `AWS::SQS::Queue` for what could not be
    handled, and `AWS::CloudWatch::Alarm`. The function reads EC2 and CloudWatch and writes its
    table and its metrics: it can change no instance.

    Spend is counted from intervals in a ledger, so what comes twice, late or out of order changes
    nothing, and a restart loses nothing. It is never under-counted by more than what runs between
    two whole polls; EC2 must still show it then, which it does for about an hour after its end. It
    is over-counted where EC2 does not say when something ended: until the poll that notices.

    Worst case from a launch to the alarm's message: the polling interval, plus a minute of the
    schedule, two of the function, two until CloudWatch has the metric, and one until it looks at
    the alarm; `hears_within_minutes` has the sum. It is a count from list prices or one's own, not
    the bill.

    Sources:
        https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-instance-lifecycle.html
        https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-evaluation.html
        https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/iam-cw-condition-keys-namespace.html
        https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html

    Example:
        >>> from aws_cdk import App, Stack
        >>> from aws_cdk import aws_sns as sns
        >>> from constructs_lib.cost import SpendWatchdog
        >>> from trnkit.layout.spend_guard import GuardedGroup, NodeRate, WatchdogPlan
        >>> stack = Stack(App(), "Guard")
        >>> plan = WatchdogPlan(
        ...     cluster="pretrain", poll_minutes=5, month_limit_usd=50_000,
        ...     alert_percent=(50, 80, 100), spend_rate_usd_per_hour=100, fixed_usd_per_hour=1.5,
        ...     rates=(NodeRate(
        ...         instance_type="trn1.32xlarge", purchase="on-demand", usd_per_hour=21.5),),
        ...     groups=(GuardedGroup(
        ...         name="train", instance_type="trn1.32xlarge", purchase="on-demand", count=4,
        ...         capacity_reservation_id=None, block_start=None, block_scale_in=None),),
        ...     unused_block_minutes=30, idle_alert_minutes=60, idle_below_percent=1,
        ...     node_metrics_namespace="trnkit", namespace="trnkit/spend")
        >>> watchdog = SpendWatchdog(
        ...     stack, "SpendWatchdog", plan=plan, topic=sns.Topic(stack, "Alerts"))
    """

    table: dynamodb.ITable
    """The ledger, the latest observation, and what the enforcer keeps."""

    function: lambda_.IFunction
    """The function."""

    dead_letters: sqs.IQueue
    """What could not be handled, for who looks for a reason."""

    hears_within_minutes: int
    """Worst case from a launch that passes the spend rate to the alarm's message."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        plan: WatchdogPlan,
        topic: sns.ITopic,
        key: kms.IKey | None = None,
        log_retention_days: int = 30,
        removal_policy: RemovalPolicy = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    ) -> None:
        """Create the watchdog.

        Args:
            scope: Parent; its stack must be in the cluster's Region.
            construct_id: Id within the parent.
            plan: What is counted, and when people hear of it.
            topic: Whom the alarms tell; of the same Region. One that is imported by its ARN must
                let CloudWatch publish already; the policy of one of this app is extended.
            key: The topic's key. An imported one must let CloudWatch use it already.
            log_retention_days: Days that the function's log is kept.
            removal_policy: What happens to the table on delete and on replacement. By default both
                keep it.

        Raises:
            ConstructError: A plan that cannot be carried out, settings that are too long for a
                function, a topic of another region, or a value of another kind.
        """
        super().__init__(scope, construct_id)
        check_watchdog_plan("plan", plan)
        one_of("log_retention_days", log_retention_days, storage_limits().log_retention_days)
        check_removal_policy("removal_policy", removal_policy)
        resource("topic", topic)
        same_region(self, topic=topic, key=key)
        settings = settings_json(watchdog_settings(plan))
        table = self._table(removal_policy)
        letters = sqs.Queue(
            self,
            "DeadLetters",
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            enforce_ssl=True,
            retention_period=Duration.days(14),
        )
        function = create_guard_function(
            self,
            handler="spend_guard.watch.handler",
            description=f"Counts what the cluster {plan.cluster} costs",
            environment={"TRNKIT_SETTINGS": settings, "TRNKIT_TABLE": table.table_name},
            statements=_statements(Stack.of(self), table.table_arn, plan.namespace),
            timeout=Duration.seconds(_TIMEOUT_SECONDS),
            memory_mib=_MEMORY_MIB,
            log_retention_days=log_retention_days,
            dead_letters=letters,
        )
        self._rules(plan, function, letters)
        let_publish(self, "alarms", topic, key)
        create_alarms(self, plan, topic, letters)
        self.table = cast("dynamodb.ITable", table)
        self.function = cast("lambda_.IFunction", function)
        self.dead_letters = cast("sqs.IQueue", letters)
        self.hears_within_minutes = hears_within(plan, _TIMEOUT_SECONDS)

    def _table(self, removal_policy: RemovalPolicy) -> dynamodb.Table:
        return dynamodb.Table(
            self,
            "Table",
            partition_key=dynamodb.Attribute(name="pk", type=dynamodb.AttributeType.STRING),
            sort_key=dynamodb.Attribute(name="sk", type=dynamodb.AttributeType.STRING),
            billing_mode=dynamodb.BillingMode.PAY_PER_REQUEST,
            point_in_time_recovery_specification=dynamodb.PointInTimeRecoverySpecification(
                point_in_time_recovery_enabled=True
            ),
            time_to_live_attribute="expires",
            removal_policy=removal_policy,
        )

    def _rules(self, plan: WatchdogPlan, function: lambda_.Function, letters: sqs.Queue) -> None:
        """The poll, and the end of any instance: such events carry no tags."""
        events.Rule(
            self,
            "Poll",
            description=f"Counts what the cluster {plan.cluster} costs",
            schedule=events.Schedule.rate(Duration.minutes(plan.poll_minutes)),
            # A poll that comes too late is not needed: the next one counts the same.
            targets=[_target(function, letters, Duration.minutes(plan.poll_minutes))],
        )
        events.Rule(
            self,
            "InstanceEnds",
            description="Tells when instances stop running",
            event_pattern=events.EventPattern(
                source=["aws.ec2"],
                detail_type=["EC2 Instance State-change Notification"],
                detail={"state": _ENDS},
            ),
            targets=[_target(function, letters, Duration.hours(24))],
        )


def _target(function: lambda_.Function, letters: sqs.Queue, age: Duration) -> events.IRuleTarget:
    target = targets.LambdaFunction(
        cast("lambda_.IFunction", function),
        dead_letter_queue=cast("sqs.IQueue", letters),
        max_event_age=age,
    )
    return cast("events.IRuleTarget", target)


def _statements(stack: Stack, table_arn: str, namespace: str) -> list[iam.PolicyStatement]:
    """What the function may: look, write its rows, send its metrics."""
    here = {"StringEquals": {"aws:RequestedRegion": stack.region}}
    own_rows = {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["guard", "ledger#*"]}}
    return [
        # None of these has resource-level permissions.
        iam.PolicyStatement(
            actions=["ec2:DescribeInstances", "ec2:DescribeCapacityReservations"],
            resources=["*"],
            conditions=here,
        ),
        iam.PolicyStatement(actions=["cloudwatch:GetMetricData"], resources=["*"], conditions=here),
        iam.PolicyStatement(
            actions=["cloudwatch:PutMetricData"],
            resources=["*"],
            conditions={"StringEquals": {"cloudwatch:namespace": namespace}},
        ),
        iam.PolicyStatement(
            actions=[
                "dynamodb:GetItem",
                "dynamodb:PutItem",
                "dynamodb:Query",
                "dynamodb:UpdateItem",
            ],
            resources=[table_arn],
            conditions=own_rows,
        ),
    ]
