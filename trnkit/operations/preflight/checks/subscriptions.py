"""TRN923: the alert topic lets AWS's cost services in, and who subscribes to it has confirmed.

The topic that is told of image builds has to exist; whom its policy lets in is not judged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.aws.cloudformation import DESCRIBE_STACKS, LIST_STACK_RESOURCES
from trnkit.aws.failures import AwsFailure
from trnkit.aws.identities import without_identities
from trnkit.aws.sns import GET_TOPIC_ATTRIBUTES, LIST_SUBSCRIPTIONS_BY_TOPIC, SnsGateway
from trnkit.aws.sts import GET_CALLER_IDENTITY
from trnkit.catalog import alert_topic_facts, anomaly_limits
from trnkit.layout.alert_endpoints import arn_account, arn_region, protocol_of, subscriber_id
from trnkit.layout.budgets import without_repeats
from trnkit.layout.tags import budget_region
from trnkit.operations.preflight.answering import answers_of
from trnkit.operations.preflight.billing import caller_account, own_cost_resources
from trnkit.operations.preflight.check import PreflightCheck
from trnkit.operations.preflight.policy_judgement import PolicyAnswer, Verdict, judge_policy
from trnkit.operations.preflight.result import fail, ok, unanswered, unknown, warning
from trnkit.operations.preflight.topic_access import publish_request
from trnkit.rules.reading.policy_statements import BUDGETS, COST_ALERTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from trnkit.aws.sns import SubscriptionDescription, TopicDescription
    from trnkit.config import ClusterConfig
    from trnkit.config.yaml_reader import Path
    from trnkit.operations.preflight.account import AccountView
    from trnkit.operations.preflight.result import CheckResult

_PATH: Path = ("budget", "topic_arn")
_IMAGES: Path = ("compute", "image_pipeline", "topic_arn")
_TOPIC, _SUBSCRIPTION = "AWS::SNS::Topic", "AWS::SNS::Subscription"


@dataclass(frozen=True, slots=True)
class _Topic:
    """The topic of the alerts.

    Attributes:
        arn: Its ARN.
        words: What it is called in messages.
        in_commands: Its ARN for a command, or what prints that.
        path: Where the file asks for it.
    """

    arn: str
    words: str
    in_commands: str
    path: Path


def _run(account: AccountView) -> Iterator[CheckResult]:
    yield from answers_of(_alerts(account), ("budget",))
    yield from answers_of(_image_builds(account), _IMAGES)


def _alerts(account: AccountView) -> Iterator[CheckResult]:
    cluster = account.cluster
    endpoints = _endpoints(cluster)
    imported = cluster.budget.topic_arn
    if not (imported or endpoints or _is_immediate(cluster)):
        return
    if imported:
        topic = _Topic(imported, "budget.topic_arn", imported, _PATH)
        yield from answers_of(_imported(account, topic, endpoints), _PATH)
        return
    made = [resource for resource in own_cost_resources(account) if resource.type == _TOPIC]
    if not made:
        asked = sum(_confirms(endpoint) for endpoint in endpoints)
        yield ok(
            f"the deployment makes the alert topic; {asked} of its subscribers must confirm then",
            path=("budget",),
        )
        return
    topic = _Topic(made[0].physical_id, "the alert topic", _printed(cluster), ("budget",))
    if account.gateway(SnsGateway, arn_region(topic.arn)).topic(topic.arn, about=topic.words):
        yield from _subscribers(account, topic, endpoints)
    else:
        yield warning(
            f"stack {cluster.name}-Cost has made the alert topic, and it is gone: nobody hears it",
            remedy="delete the stack, which is made again with the next deployment",
            command=f"aws cloudformation delete-stack --region {budget_region(cluster)} "
            f"--stack-name {cluster.name}-Cost",
            path=("budget",),
        )


def _endpoints(cluster: ClusterConfig) -> dict[str, Path]:
    """Who subscribes to the topic -> where the file says so."""
    budget = cluster.budget
    found: dict[str, Path] = {}
    if budget.delivery == "topic":
        found |= dict.fromkeys(without_repeats(budget.emails), ("budget", "emails"))
    for index, endpoint in enumerate(budget.topic_subscribers):
        found.setdefault(endpoint, ("budget", "topic_subscribers", index))
    return found


def _is_immediate(cluster: ClusterConfig) -> bool:
    """Whether anomalies are told through the topic."""
    anomalies = cluster.budget.anomaly_detection
    return anomalies is not None and anomalies.frequency in anomaly_limits().topic_frequencies


def _confirms(endpoint: str) -> bool:
    return protocol_of(endpoint) in alert_topic_facts().confirmed_protocols


def _printed(cluster: ClusterConfig) -> str:
    return (
        f"$(aws cloudformation describe-stacks --region {budget_region(cluster)} --stack-name "
        f"{cluster.name}-Cost --query \"Stacks[0].Outputs[?OutputKey=='AlertTopicArn']."
        'OutputValue" --output text)'
    )


def _imported(
    account: AccountView, topic: _Topic, endpoints: Mapping[str, Path]
) -> Iterator[CheckResult]:
    region = arn_region(topic.arn)
    if arn_account(topic.arn) != caller_account(account):
        yield fail(
            "budget.topic_arn is of another account than the credentials; AWS Budgets publishes "
            "to topics of its own account",
            remedy="name a topic of the account, or remove the line",
            path=_PATH,
        )
        return
    try:
        told = account.gateway(SnsGateway, region).topic(topic.arn, about=topic.words)
    except AwsFailure as failure:
        yield unanswered(failure, path=_PATH)
    else:
        if told is None:
            yield fail(
                f"{region} has no topic as budget.topic_arn names it",
                remedy="name one that exists, or remove the line",
                look=f"aws sns list-topics --region {region}",
                path=_PATH,
            )
            return
        yield from _let_in(account, told, topic)
    yield from _subscribers(account, topic, endpoints)


def _let_in(account: AccountView, told: TopicDescription, topic: _Topic) -> Iterator[CheckResult]:
    show = f"aws sns get-topic-attributes --region {arn_region(topic.arn)} --topic-arn {topic.arn}"
    services = [BUDGETS, *([COST_ALERTS] if _is_immediate(account.cluster) else [])]
    for service in services:
        yield _publishing(told, topic, service, show)
    if (told.key or "").endswith("alias/aws/sns"):
        yield fail(
            "budget.topic_arn is encrypted with alias/aws/sns, a key that "
            f"{' and '.join(services)} may not use: alerts are lost",
            remedy="encrypt the topic with a key of your own that lets them use it",
            look=show,
            path=_PATH,
        )


def _image_builds(account: AccountView) -> Iterator[CheckResult]:
    pipeline = account.cluster.compute.image_pipeline
    arn = pipeline.topic_arn if pipeline else None
    if arn is None:
        return
    words, region = "compute.image_pipeline.topic_arn", arn_region(arn)
    if account.gateway(SnsGateway, region).topic(arn, about=words):
        yield ok(f"{region} has the topic that is told of image builds", path=_IMAGES)
    else:
        yield warning(
            f"{region} has no topic as {words} names it: nobody is told of a build",
            remedy="name one that exists, or remove the line",
            look=f"aws sns list-topics --region {region}",
            path=_IMAGES,
        )


def _publishing(told: TopicDescription, topic: _Topic, service: str, show: str) -> CheckResult:
    answer = PolicyAnswer(Verdict.UNKNOWN, "AWS shows no policy")
    if told.policy is not None:
        answer = judge_policy(told.policy, publish_request(topic.arn, service))
    because = without_identities(answer.because)
    if answer.verdict is Verdict.UNKNOWN:
        return unknown(
            f"the policy of budget.topic_arn leaves open whether {service} may publish",
            evidence=because,
            remedy="allow it sns:Publish in a statement of its own, as `trnkit check` prints it",
            look=show,
            path=_PATH,
        )
    if answer.verdict is Verdict.DENIED:
        return fail(
            f"the policy of budget.topic_arn does not let {service} publish: alerts are lost",
            evidence=because,
            remedy="add the statement to it that `trnkit check` prints",
            look=show,
            path=_PATH,
        )
    return ok(
        f"the policy of budget.topic_arn lets {service} publish",
        evidence="it is encrypted; the policy of its key is not looked at" if told.key else None,
        path=_PATH,
    )


def _subscribers(
    account: AccountView, topic: _Topic, endpoints: Mapping[str, Path]
) -> Iterator[CheckResult]:
    gateway = account.gateway(SnsGateway, arn_region(topic.arn))
    subscribed = gateway.subscriptions(topic.arn, about=topic.words)
    made = [r.logical_id for r in own_cost_resources(account) if r.type == _SUBSCRIPTION]
    for endpoint, path in endpoints.items():
        mine = [s for s in subscribed if s.endpoint.lower() == endpoint.lower()]
        was_made = any(subscriber_id(endpoint) in logical_id for logical_id in made)
        yield _subscriber(topic, endpoint, mine, path, was_made=was_made)
    confirmed = sum(subscription.state == "confirmed" for subscription in subscribed)
    if not endpoints and not confirmed:
        yield warning(
            f"nobody has a confirmed subscription to {topic.words}: what goes through it alone is "
            "heard by nobody",
            remedy="subscribe somebody, for example in budget.topic_subscribers",
            path=topic.path,
        )
    elif not endpoints:
        yield ok(f"{topic.words} has {confirmed} confirmed subscriptions", path=topic.path)


def _subscriber(
    topic: _Topic,
    endpoint: str,
    mine: list[SubscriptionDescription],
    path: Path,
    *,
    was_made: bool,
) -> CheckResult:
    hours = alert_topic_facts().unconfirmed_hours
    states = {subscription.state for subscription in mine}
    if "confirmed" in states:
        return ok(f"{endpoint} hears what {topic.words} says", path=path)
    if "pending" in states:
        return warning(
            f"{endpoint} has not confirmed its subscription, and hears nothing",
            evidence=f"SNS drops a subscription that is not confirmed within {hours} hours",
            remedy="click the link in the mail from AWS"
            if protocol_of(endpoint) == "email"
            else "let the endpoint answer SNS's question",
            path=path,
        )
    if states or was_made:
        return warning(
            f"{endpoint} was subscribed by an earlier deployment and is no longer: it was not "
            f"confirmed within {hours} hours, or has left",
            remedy="subscribe it again: a deployment does not repeat what it has done",
            command=f"aws sns subscribe --region {arn_region(topic.arn)} --protocol "
            f"{protocol_of(endpoint)} --notification-endpoint {endpoint} --topic-arn "
            f"{topic.in_commands}",
            path=path,
        )
    must = ", and its owner must confirm then" if _confirms(endpoint) else ""
    return ok(f"{endpoint} is subscribed by the deployment{must}", path=path)


CHECK = PreflightCheck(
    id="TRN923",
    name="subscriptions",
    title="The alert topic lets AWS's cost services in, and who subscribes to it has confirmed",
    why="Alerts to a topic whose policy does not let AWS Budgets publish are lost, and so are "
    "those to an address that has not confirmed. Neither shows before the money is spent.",
    source="https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-sns-policy.html",
    needs=(
        DESCRIBE_STACKS,
        GET_CALLER_IDENTITY,
        GET_TOPIC_ATTRIBUTES,
        LIST_STACK_RESOURCES,
        LIST_SUBSCRIPTIONS_BY_TOPIC,
    ),
    run=_run,
)
