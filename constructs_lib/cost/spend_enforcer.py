"""A function that stops spending in stages, when it is told to."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

from aws_cdk import Duration, Stack
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_lambda_destinations as destinations
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from constructs_lib.arguments import one_of, resource, same_region
from constructs_lib.cost.alert_topic import let_publish, wait_for_policy
from constructs_lib.cost.enforcer_permissions import enforcer_statements
from constructs_lib.cost.guard_function import create_guard_function, settings_json
from constructs_lib.cost.plan_arguments import check_enforcement_plan, check_watchdog_plan
from constructs_lib.cost.watchdog_alarms import SILENT_POLLS
from trnkit.catalog import storage_limits
from trnkit.layout.guard_settings import enforcer_settings
from trnkit.layout.spend_guard import EnforcementPlan, WatchdogPlan

if TYPE_CHECKING:
    from aws_cdk import aws_dynamodb as dynamodb
    from aws_cdk import aws_kms as kms
    from aws_cdk import aws_sns as sns

_TIMEOUT_SECONDS = 120
_MEMORY_MIB = 256


class _Watched(NamedTuple):
    """What an alarm on the enforcer itself looks at."""

    name: str
    namespace: str
    metric: str
    comparison: str
    missing: str
    polls: int
    says: str


_REACHED, _BELOW = "GreaterThanOrEqualToThreshold", "LessThanThreshold"
_WATCHED = (
    # A single throttled call is tried again by the next poll.
    _Watched("Errors", "AWS/Lambda", "Errors", _REACHED, "notBreaching", 2, "has failed twice"),
    # What was sent, not what lies there: a failure stays in the queue for 14 days.
    _Watched(
        "Unhandled", "AWS/SQS", "NumberOfMessagesSent", _REACHED, "notBreaching", 2, "has failed"
    ),
    _Watched(
        "Silent", "AWS/Lambda", "Invocations", _BELOW, "breaching", SILENT_POLLS, "does not run"
    ),
)


class SpendEnforcer(Construct):
    """Stops node groups that cost too much or do nothing: warned first, in stages, never storage.

    Creates `AWS::Lambda::Function` with `AWS::IAM::Role` and `AWS::Logs::LogGroup` of its own,
    `AWS::Lambda::EventInvokeConfig`, `AWS::Events::Rule`, `AWS::SQS::Queue` for runs that failed,
    and three `AWS::CloudWatch::Alarm`: on errors, on that queue, and on its silence. It keeps its
    state and its audit trail in the watchdog's table, and acts on what the watchdog has seen.

    Its role may change only Auto Scaling groups with the tags of the cluster and of a group that is
    not protected. In a dry run it may change none.

    Sources:
        https://docs.aws.amazon.com/autoscaling/ec2/userguide/as-suspend-resume-processes.html
        https://docs.aws.amazon.com/autoscaling/ec2/userguide/control-access-using-iam.html
        https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html

    Example:
        >>> from aws_cdk import App, Stack
        >>> from aws_cdk import aws_dynamodb as dynamodb
        >>> from aws_cdk import aws_sns as sns
        >>> from constructs_lib.cost import SpendEnforcer
        >>> from trnkit.layout.spend_guard import EnforcementPlan, GuardedGroup, WatchdogPlan
        >>> stack = Stack(App(), "Guard")
        >>> watchdog = WatchdogPlan(
        ...     cluster="pretrain", poll_minutes=5, month_limit_usd=50_000, alert_percent=(100,),
        ...     spend_rate_usd_per_hour=100, fixed_usd_per_hour=1.5, rates=(),
        ...     groups=(GuardedGroup(
        ...         name="train", instance_type="trn1.32xlarge", purchase="on-demand", count=4,
        ...         capacity_reservation_id=None, block_start=None, block_scale_in=None),),
        ...     unused_block_minutes=30, idle_alert_minutes=60, idle_below_percent=1,
        ...     node_metrics_namespace="trnkit", namespace="trnkit/spend")
        >>> plan = EnforcementPlan(
        ...     mode="automatic", at_usd=50_000, at_spend_rate_usd_per_hour=None, grace_minutes=60,
        ...     checkpoint_minutes=10, protected_node_groups=(), idle_mode=None, idle_minutes=60,
        ...     idle_protected_node_groups=())
        >>> table = dynamodb.Table.from_table_name(stack, "Table", "ledger")
        >>> enforcer = SpendEnforcer(
        ...     stack, "SpendEnforcer", watchdog=watchdog, plan=plan, table=table,
        ...     topic=sns.Topic(stack, "Alerts"))
    """

    function: lambda_.IFunction
    """The function; `trnkit guard` finds it by its logical id in the stack."""

    dead_letters: sqs.IQueue
    """Runs that failed, for who looks for a reason."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        watchdog: WatchdogPlan,
        plan: EnforcementPlan,
        table: dynamodb.ITable,
        topic: sns.ITopic,
        key: kms.IKey | None = None,
        log_retention_days: int = 365,
    ) -> None:
        """Create the enforcer.

        Args:
            scope: Parent; its stack must be in the cluster's Region.
            construct_id: Id within the parent.
            watchdog: What the watchdog counts: the cluster, its groups, how often.
            plan: What is done, when, and to which groups never.
            table: The watchdog's table.
            topic: Who hears of it; of the same Region. One that is imported by its ARN must let
                CloudWatch publish already; the policy of one of this app is extended.
            key: The topic's key. The function's role is let use it; its policy must let IAM decide,
                as the CDK's keys do.
            log_retention_days: Days that the function's log is kept.

        Raises:
            ConstructError: A plan that does nothing or names groups that there are not, settings
                that are too long for a function, a topic of another region, or a value of another
                kind.
        """
        super().__init__(scope, construct_id)
        check_watchdog_plan("watchdog", watchdog)
        check_enforcement_plan(watchdog, plan)
        one_of("log_retention_days", log_retention_days, storage_limits().log_retention_days)
        resource("table", table)
        resource("topic", topic)
        same_region(self, table=table, topic=topic, key=key)
        environment = {
            "TRNKIT_SETTINGS": settings_json(enforcer_settings(watchdog, plan)),
            "TRNKIT_TABLE": table.table_name,
            "TRNKIT_TOPIC": topic.topic_arn,
        }
        statements = enforcer_statements(
            Stack.of(self), watchdog, plan, table.table_arn, topic, key
        )
        function = create_guard_function(
            self,
            handler="spend_guard.enforce.handler",
            description=f"Stops what the cluster {watchdog.cluster} spends too much",
            environment=environment,
            statements=statements,
            timeout=Duration.seconds(_TIMEOUT_SECONDS),
            memory_mib=_MEMORY_MIB,
            log_retention_days=log_retention_days,
        )
        letters = self._queue(function, watchdog.poll_minutes)
        self._poll(function, letters, watchdog)
        let_publish(self, "alarms", topic, key)
        self._alarms(function, letters, watchdog, topic)
        # The casts are for type checkers: CDK's classes name parameters unlike its interfaces.
        self.function = cast("lambda_.IFunction", function)
        self.dead_letters = cast("sqs.IQueue", letters)

    def _queue(self, function: lambda_.Function, poll_minutes: int) -> sqs.Queue:
        """What failed is not tried again: the next poll does the same."""
        letters = sqs.Queue(
            self,
            "DeadLetters",
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            enforce_ssl=True,
            retention_period=Duration.days(14),
        )
        function.configure_async_invoke(
            on_failure=cast("lambda_.IDestination", destinations.SqsDestination(letters)),
            retry_attempts=0,
            max_event_age=Duration.minutes(poll_minutes),
        )
        return letters

    def _poll(self, function: lambda_.Function, letters: sqs.Queue, watchdog: WatchdogPlan) -> None:
        poll = Duration.minutes(watchdog.poll_minutes)
        target = targets.LambdaFunction(
            cast("lambda_.IFunction", function),
            dead_letter_queue=cast("sqs.IQueue", letters),
            max_event_age=poll,
        )
        events.Rule(
            self,
            "Poll",
            description=f"Looks whether the cluster {watchdog.cluster} spends too much",
            schedule=events.Schedule.rate(poll),
            targets=[cast("events.IRuleTarget", target)],
        )

    def _alarms(
        self,
        function: lambda_.Function,
        letters: sqs.Queue,
        watchdog: WatchdogPlan,
        topic: sns.ITopic,
    ) -> None:
        data = cloudwatch.CfnAlarm
        function_name, queue_name = function.function_name, letters.queue_name
        for watched in _WATCHED:
            is_queue = watched.namespace == "AWS/SQS"
            dimension = data.DimensionProperty(
                name="QueueName" if is_queue else "FunctionName",
                value=queue_name if is_queue else function_name,
            )
            alarm = data(
                self,
                f"{watched.name}Alarm",
                alarm_description=f"trnkit cluster {watchdog.cluster}: the enforcer of its "
                f"spending {watched.says}; see docs/enforcement.md",
                namespace=watched.namespace,
                metric_name=watched.metric,
                dimensions=[dimension],
                statistic="Sum",
                period=watchdog.poll_minutes * 60,
                evaluation_periods=watched.polls,
                threshold=1,
                comparison_operator=watched.comparison,
                treat_missing_data=watched.missing,
                alarm_actions=[topic.topic_arn],
            )
            wait_for_policy(alarm, topic)
