"""Changes in place that delete: shorter retentions, policies that expire, less room.

Each function judges one differing property; None leaves it to the schema.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from trnkit.catalog import storage_limits
from trnkit.operations.changes.normal_form import Form, key_of
from trnkit.operations.changes.pairs import number_at, value_at
from trnkit.report.change_results import Effect, Verdict

if TYPE_CHECKING:
    from trnkit.operations.changes.differences import Difference
    from trnkit.operations.changes.pairs import ResourcePair

_DOCS = "https://docs.aws.amazon.com/"
_FSX_BACKUPS = f"{_DOCS}fsx/latest/LustreGuide/using-backups-fsx.html"
_KINESIS_PAGE = f"{_DOCS}kinesis/latest/APIReference/API_DecreaseStreamRetentionPeriod.html"
_SQS_PAGE = f"{_DOCS}AWSSimpleQueueService/latest/APIReference/API_SetQueueAttributes.html"
_ECR_PAGE = f"{_DOCS}AmazonECR/latest/userguide/LifecyclePolicies.html"
_TTL_PAGE = f"{_DOCS}amazondynamodb/latest/developerguide/TTL.html"
_LOGS_PAGE = f"{_DOCS}AmazonCloudWatchLogs/latest/APIReference/API_PutRetentionPolicy.html"
_REPLICA_PAGE = f"{_DOCS}amazondynamodb/latest/APIReference/API_ReplicationGroupUpdate.html"
_CACHE_PAGE = f"{_DOCS}AmazonElastiCache/latest/APIReference/API_ModifyCacheCluster.html"
_SECRET_PAGE = (
    f"{_DOCS}AWSCloudFormation/latest/TemplateReference/aws-resource-secretsmanager-secret.html"
)
_EXPORT_PAGE = f"{_DOCS}fsx/latest/APIReference/API_AutoExportPolicy.html"
_IMPORT_PAGE = f"{_DOCS}fsx/latest/APIReference/API_AutoImportPolicy.html"


def judge_log_group(pair: ResourcePair, difference: Difference) -> Effect | None:
    """A shorter retention deletes what is older."""
    if difference.top != "RetentionInDays":
        return None
    return _shorter(
        pair,
        "RetentionInDays",
        math.inf,
        what="log events older than {} days are deleted",
        hint="export them first: aws logs create-export-task",
        source=_LOGS_PAGE,
    )


def judge_stream(pair: ResourcePair, difference: Difference) -> Effect | None:
    """A shorter retention takes records away at once."""
    if difference.top != "RetentionPeriodHours":
        return None
    return _shorter(
        pair,
        "RetentionPeriodHours",
        storage_limits().stream_hours,
        what="records older than {} hours can no longer be read",
        hint="read them first, or keep the retention",
        source=_KINESIS_PAGE,
    )


def judge_queue(pair: ResourcePair, difference: Difference) -> Effect | None:
    """A shorter retention deletes messages that wait longer already."""
    if difference.top != "MessageRetentionPeriod":
        return None
    return _shorter(
        pair,
        "MessageRetentionPeriod",
        storage_limits().queue_seconds,
        what="messages that wait for more than {} seconds are deleted",
        hint="let them be received first, or keep the retention",
        source=_SQS_PAGE,
    )


def judge_cache(pair: ResourcePair, difference: Difference) -> Effect | None:
    """A node that is removed takes with it what it holds."""
    if difference.top != "NumCacheNodes":
        return None
    return _shorter(
        pair,
        "NumCacheNodes",
        1.0,
        what="nodes beyond {} are removed with the part of the cache that they hold",
        hint="keep the number while what is cached is needed",
        source=_CACHE_PAGE,
        longer="nodes are added",
    )


def _shorter(
    pair: ResourcePair,
    name: str,
    default: float,
    *,
    what: str,
    hint: str,
    source: str,
    longer: str = "what is in it is kept longer",
) -> Effect:
    """Whether a number gets smaller, with what that deletes; absent it is the default."""
    old, new = (_number(form, name, default) for form in (pair.old_form, pair.new_form))
    if old is None or new is None:
        return Effect(
            verdict=Verdict.CANNOT_BE_TOLD,
            message=f"whether {name} gets smaller, which deletes, cannot be told",
            hint="write both as numbers",
            source=source,
        )
    if new >= old:
        return Effect(verdict=Verdict.SAFE, message=longer)
    return _deletes(what.format(f"{new:g}"), hint, source)


def _number(form: Form, name: str, default: float) -> float | None:
    form = dict(form)
    return default if value_at(form, name) is None else number_at(form, name)


def _deletes(message: str, hint: str, source: str) -> Effect:
    return Effect(
        verdict=Verdict.DESTROYS_DATA, message=message, hint=hint, source=source, data="lost"
    )


def judge_repository(pair: ResourcePair, difference: Difference) -> Effect | None:
    """A lifecycle policy acts on the images that are there."""
    if difference.top != "LifecyclePolicy":
        return None
    if value_at(dict(pair.new_form), "LifecyclePolicy") is None:
        return Effect(verdict=Verdict.SAFE, message="images are kept longer")
    return _deletes(
        "images that the policy expires are deleted within a day, those that are there already too",
        "look what it meets: aws ecr start-lifecycle-policy-preview",
        _ECR_PAGE,
    )


def judge_table(pair: ResourcePair, difference: Difference) -> Effect | None:
    """Expiry of items, and replicas of a global table."""
    if difference.top == "TimeToLiveSpecification":
        return _time_to_live(pair)
    if difference.top == "Replicas":
        return _replicas(pair)
    return None


def _time_to_live(pair: ResourcePair) -> Effect:
    is_on = value_at(dict(pair.new_form), "TimeToLiveSpecification", "Enabled")
    if is_on is None or is_on == "false":
        return Effect(verdict=Verdict.SAFE, message="items no longer expire")
    return _deletes(
        "items whose expiry has passed are deleted, those that are in the table already too",
        "look which have the attribute with a time in the past",
        _TTL_PAGE,
    )


def _replicas(pair: ResourcePair) -> Effect | None:
    before, after = (_regions(form) for form in (pair.old_form, pair.new_form))
    gone = [region for region in before if region not in after]
    if not gone:
        return None
    return _deletes(
        f"the replica in {gone[0]} is deleted; the items stay in the other Regions only",
        "see that nobody reads it there, and that its last items have been replicated",
        _REPLICA_PAGE,
    )


def _regions(form: Form) -> list[str]:
    replicas = value_at(dict(form), "Replicas")
    if not isinstance(replicas, list):
        return [] if replicas is None else [key_of(replicas)]
    regions = [value_at(replica, "Region") for replica in replicas]
    return [r if isinstance(r, str) else key_of(r) for r in regions]


def judge_secret(pair: ResourcePair, difference: Difference) -> Effect | None:
    """Another rule for a generated value generates another value."""
    if difference.top != "GenerateSecretString":
        return None
    if value_at(dict(pair.new_form), "GenerateSecretString") is None:
        return Effect(
            verdict=Verdict.CANNOT_BE_TOLD,
            message="whether the generated value stays cannot be told",
            hint="read the value and keep it: aws secretsmanager get-secret-value",
            source=_SECRET_PAGE,
        )
    return Effect(
        verdict=Verdict.DESTROYS_DATA,
        message="another value is generated: what still uses the old one is locked out; it is kept "
        "as AWSPREVIOUS until the next change",
        hint="take the change back, or keep the old value: aws secretsmanager get-secret-value",
        source=_SECRET_PAGE,
        data="stays behind",
    )


def judge_link_events(pair: ResourcePair, difference: Difference) -> Effect | None:
    """Deletions that from now on cross a link between a file system and S3."""
    for policy, where, there, page in (
        ("AutoExportPolicy", "in the file system", "S3", _EXPORT_PAGE),
        ("AutoImportPolicy", "in S3", "the file system", _IMPORT_PAGE),
    ):
        old, new = (
            value_at(dict(form), "S3", policy, "Events") for form in (pair.old_form, pair.new_form)
        )
        is_here = difference.path[:2] in (("S3",), ("S3", policy))
        if is_here and _deletions(new) and not _deletions(old):
            return Effect(
                verdict=Verdict.INTERRUPTS,
                message=f"from then on what is deleted {where} is deleted in {there} too",
                hint="turn on versioning of the bucket"
                if there == "S3"
                else "leave DELETED out of AutoImportPolicy",
                source=page,
            )
    return None


def _deletions(events: Form) -> bool:
    """Whether deletions are among events, or may be."""
    if events is None:
        return False
    listed = events if isinstance(events, list) else [events]
    return any(event == "DELETED" or not isinstance(event, str) for event in listed)


def judge_backups(pair: ResourcePair) -> Effect | None:
    """Automatic backups of a Lustre file system that are kept for fewer days; absent is none."""
    way = ("LustreConfiguration", "AutomaticBackupRetentionDays")
    old, new = (value_at(dict(form), *way) for form in (pair.old_form, pair.new_form))
    before, after = (number_at(dict(form), *way) for form in (pair.old_form, pair.new_form))
    if old is None or before == 0 or (before is not None and after is not None and after >= before):
        return None
    is_off = "no more automatic backups are made, and " if after == 0 or new is None else ""
    return Effect(
        verdict=Verdict.CANNOT_BE_TOLD,
        message=f"{is_off}whether automatic backups that are there outlive the shorter retention "
        "is not documented",
        hint="make a backup of your own first: aws fsx create-backup",
        source=_FSX_BACKUPS,
    )
