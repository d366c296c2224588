"""Which module knows which resource type; what none of them knows, the registry's schema says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeAlias

from trnkit.operations.changes import expiring, fleets, instances, lustre, networks, other_types
from trnkit.operations.changes.opaque import is_made_by_macro, what_becomes_of_macros
from trnkit.operations.changes.registry import SCHEMA_PAGE
from trnkit.report.change_results import Effect, Verdict

if TYPE_CHECKING:
    from trnkit.operations.changes.differences import Difference
    from trnkit.operations.changes.pairs import ResourcePair

IN_PLACE = Effect(verdict=Verdict.SAFE, message="it is changed in place")

Judge: TypeAlias = "Callable[[ResourcePair, Difference], Effect | None]"
WholeJudge: TypeAlias = "Callable[[ResourcePair], Iterator[Effect]]"

_BY_PROPERTY: dict[str, Judge] = {
    "AWS::AutoScaling::AutoScalingGroup": fleets.judge_auto_scaling_group,
    "AWS::Batch::ComputeEnvironment": fleets.judge_compute_environment,
    "AWS::Budgets::Budget": other_types.judge_budget,
    "AWS::CloudFormation::CustomResource": other_types.judge_custom_resource,
    "AWS::CloudFormation::Stack": other_types.judge_nested_stack,
    "AWS::CloudFormation::StackSet": other_types.judge_nested_stack,
    "AWS::DynamoDB::GlobalTable": expiring.judge_table,
    "AWS::DynamoDB::Table": expiring.judge_table,
    "AWS::EC2::CapacityReservation": instances.judge_reservation,
    "AWS::EC2::Instance": instances.judge_instance,
    "AWS::EC2::LaunchTemplate": fleets.judge_launch_template,
    "AWS::EC2::PlacementGroup": instances.judge_placement_group,
    "AWS::EC2::Route": networks.judge_route,
    "AWS::EC2::SecurityGroup": networks.judge_security_group,
    "AWS::EC2::VPCEndpoint": networks.judge_endpoint,
    "AWS::EC2::Volume": other_types.judge_volume,
    "AWS::ECR::Repository": expiring.judge_repository,
    "AWS::EKS::Cluster": other_types.judge_cluster,
    "AWS::EKS::Nodegroup": fleets.judge_node_group,
    "AWS::ElastiCache::CacheCluster": expiring.judge_cache,
    "AWS::FSx::DataRepositoryAssociation": lustre.judge_association,
    "AWS::FSx::FileSystem": lustre.judge,
    "AWS::IAM::ManagedPolicy": other_types.judge_permissions,
    "AWS::IAM::Policy": other_types.judge_permissions,
    "AWS::IAM::Role": other_types.judge_permissions,
    "AWS::IAM::RolePolicy": other_types.judge_permissions,
    "AWS::KMS::Key": other_types.judge_key,
    "AWS::Kinesis::Stream": expiring.judge_stream,
    "AWS::Logs::LogGroup": expiring.judge_log_group,
    "AWS::PCS::ComputeNodeGroup": fleets.judge_compute_node_group,
    "AWS::S3::Bucket": other_types.judge_bucket,
    "AWS::SQS::Queue": expiring.judge_queue,
    "AWS::SNS::Subscription": other_types.judge_subscription,
    "AWS::Scheduler::Schedule": other_types.judge_schedule,
    "AWS::SecretsManager::Secret": expiring.judge_secret,
    "AWS::SageMaker::Cluster": fleets.judge_hyperpod,
}
_WHOLE: dict[str, WholeJudge] = {
    "AWS::EC2::LaunchTemplate": fleets.judge_launch_template_whole,
    "AWS::FSx::FileSystem": lustre.judge_whole,
}
_CHANGE_SET = "make a change set and read its replacements: aws cloudformation create-change-set"


def judge_property(pair: ResourcePair, difference: Difference) -> Effect:
    """What one differing property of a resource does.

    The verdict of a replacement is that of the property alone; `lifecycle.replaced` says what it
    means for the resource.
    """
    kind = pair.new.type
    if is_made_by_macro(kind):
        return what_becomes_of_macros(kind)
    if difference.uncertain:
        return Effect(
            verdict=Verdict.CANNOT_BE_TOLD,
            message="what it refers to may have another value after the update, and then "
            "CloudFormation makes a new one",
            hint=_CHANGE_SET,
        )
    if difference.is_unknown:
        return Effect(
            verdict=Verdict.CANNOT_BE_TOLD,
            message="the value is nested too deeply to be compared",
            hint=_CHANGE_SET,
        )
    if difference.only_order:
        return Effect(
            verdict=Verdict.CANNOT_BE_TOLD,
            message="the same items in another order: AWS gives the order no meaning, but "
            "CloudFormation compares text and may make a new one",
            hint="keep the order of the old template",
        )
    if kind.startswith("Custom::"):
        kind = "AWS::CloudFormation::CustomResource"
    judge = _BY_PROPERTY.get(kind)
    known = judge(pair, difference) if judge else None
    return known or _by_schema(pair, difference)


def judge_whole(pair: ResourcePair) -> Iterator[Effect]:
    """What only the differences of a resource together tell."""
    judge = _WHOLE.get(pair.new.type)
    if judge is not None:
        yield from judge(pair)


def _by_schema(pair: ResourcePair, difference: Difference) -> Effect:
    schema = pair.schema
    if schema is None:
        return Effect(
            verdict=Verdict.CANNOT_BE_TOLD,
            message=f"the registry's copy here has no type {pair.new.type}",
            hint=_CHANGE_SET,
        )
    if not schema.has_property(difference.top):
        return Effect(
            verdict=Verdict.CANNOT_BE_TOLD,
            message=f"the registry's schema has no property {difference.top}",
            hint=_CHANGE_SET,
            source=SCHEMA_PAGE,
        )
    if schema.is_create_only(difference.path) or _contains_create_only(pair, difference):
        return Effect(
            verdict=Verdict.REPLACES,
            message="it cannot be changed in place: CloudFormation makes a new one",
            source=SCHEMA_PAGE,
            replaces=True,
        )
    if schema.is_conditional(difference.path):
        return Effect(
            verdict=Verdict.CANNOT_BE_TOLD,
            message="in some cases it is changed in place, in others a new one is made",
            hint=_CHANGE_SET,
            source=SCHEMA_PAGE,
        )
    if other_types.is_asset(difference):
        return Effect(verdict=Verdict.SAFE, message="another uploaded file, taken in place")
    return IN_PLACE


def _contains_create_only(pair: ResourcePair, difference: Difference) -> bool:
    """Whether a value that came or went as a whole has create-only properties in it."""
    schema = pair.schema
    if schema is None:
        return False
    for way in schema.below(difference.path):
        old, new = (_values(form, way) for form in (difference.old, difference.new))
        if old != new:
            return True
    return False


def _values(form: object, way: tuple[str, ...]) -> list[object]:
    """The values at a way, in which a `*` stands for every item."""
    if not way:
        return [form]
    name, rest = way[0], way[1:]
    if name == "*":
        items = form if isinstance(form, list) else []
        return [value for item in items for value in _values(item, rest)]
    if isinstance(form, dict) and name in form:
        return _values(form[name], rest)
    return []
