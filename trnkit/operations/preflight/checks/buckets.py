"""TRN926: the buckets that the file names are there, where they must be, and let the cluster in."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from trnkit.aws.failures import AwsFailure, FailureKind
from trnkit.aws.identities import without_identities
from trnkit.aws.kms import DESCRIBE_KEY, GET_KEY_POLICY, KmsGateway
from trnkit.aws.s3 import GET_BUCKET_ENCRYPTION, GET_BUCKET_POLICY, HEAD_BUCKET, S3Gateway
from trnkit.aws.sts import GET_CALLER_IDENTITY
from trnkit.operations.preflight.answering import answers_of
from trnkit.operations.preflight.bucket_access import denies_use
from trnkit.operations.preflight.check import PreflightCheck
from trnkit.operations.preflight.cluster_buckets import buckets_of
from trnkit.operations.preflight.key_judgement import NamedKey, judge_key
from trnkit.operations.preflight.key_use import link_use
from trnkit.operations.preflight.policy_judgement import Verdict
from trnkit.operations.preflight.result import Status, fail, ok, unknown, warning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.operations.preflight.account import AccountView
    from trnkit.operations.preflight.cluster_buckets import BucketUse
    from trnkit.operations.preflight.result import CheckResult


def _run(account: AccountView) -> Iterator[CheckResult]:
    for use in buckets_of(account.cluster):
        yield from answers_of(_one(account, use), use.path)


def _one(account: AccountView, use: BucketUse) -> Iterator[CheckResult]:
    region = account.cluster.region
    s3 = account.gateway(S3Gateway)
    try:
        home = account.once(("bucket", use.name), lambda: s3.head(use.name)).region
    except AwsFailure as failure:
        if failure.kind is FailureKind.NOT_FOUND:
            yield fail(
                f"there is no bucket {use.name}",
                remedy="correct the name, or make the bucket",
                command=f"aws s3 mb s3://{use.name} --region {region}",
                path=use.path,
            )
            return
        if failure.home is not None and failure.home != region:
            # S3 tells the Region also whoever may not use the bucket.
            yield from _far(use, failure.home, region)
        raise
    if home is None:
        yield unknown(
            f"S3 does not say in which Region bucket {use.name} is",
            remedy=f"look whether it is in {region}",
            look=f"aws s3api get-bucket-location --region {region} --bucket {use.name}",
            path=use.path,
        )
        return
    problems = [*_far(use, home, region)] if home != region else []
    for look in (_access, _encryption):
        problems += answers_of(look(account, use, home), use.path)
    yield from problems
    if not problems:
        yield ok(
            f"bucket {use.name} is in {home}, and denies {use.who} nothing that is needed",
            path=use.path,
        )


def _far(use: BucketUse, home: str, region: str) -> Iterator[CheckResult]:
    told = f"bucket {use.name} is in {home}, and the cluster in {region}"
    if use.kind == "mount":
        yield fail(
            f"{told}: the nodes ask for it in {region}, and do not mount it",
            remedy=f"copy what is needed to a bucket in {region}, or move the cluster to {home}",
            path=use.path,
        )
    elif use.imports:
        yield fail(
            f"{told}: FSx imports by itself from buckets of its own Region only",
            remedy=f"link a bucket in {region}, or write `auto_import_events: []` and import by "
            "tasks",
            # Where the file is silent about events, their place would be the link's first key.
            path=use.path,
        )
    else:
        yield warning(
            f"{told}: all data crosses Regions, slower and at a price",
            remedy=f"link a bucket in {region}",
            path=use.path,
        )


def _access(account: AccountView, use: BucketUse, home: str) -> Iterator[CheckResult]:
    s3 = account.gateway(S3Gateway, home)
    look = f"aws s3api get-bucket-policy --region {home} --bucket {use.name} --output text"
    try:
        document = account.once(("bucket policy", use.name), lambda: s3.policy(use.name))
    except AwsFailure as failure:
        if failure.code != "MethodNotAllowed":
            raise
        yield unknown(
            f"bucket {use.name} is of another account, which alone can read its policy: whether "
            f"{use.who} may use it",
            remedy="have the bucket's owner look, and leave the check out by name when it is right",
            path=use.path,
        )
        return
    if document is None:
        return
    caller = account.caller(account.cluster.region)
    denied = denies_use(document, use, caller, account.cluster.name)
    certain = [action for action, told in denied.items() if told.verdict is Verdict.DENIED]
    doubtful = [action for action, told in denied.items() if told.verdict is Verdict.UNKNOWN]
    evidence = "".join(
        without_identities(denied[action].because) for action in (certain or doubtful)[:1]
    )
    if certain:
        yield fail(
            f"the policy of bucket {use.name} denies {use.who} {', '.join(certain)}",
            evidence=evidence,
            remedy=f"let the statement that denies it leave {use.who} out",
            look=look,
            path=use.path,
        )
    elif doubtful:
        yield unknown(
            f"the policy of bucket {use.name} denies some {', '.join(doubtful)}: whether that of "
            f"{use.who} too",
            evidence=evidence,
            remedy="look at the conditions, and leave the check out by name when they are right",
            look=look,
            path=use.path,
        )


def _encryption(account: AccountView, use: BucketUse, home: str) -> Iterator[CheckResult]:
    s3 = account.gateway(S3Gateway, home)
    found = account.once(("bucket encryption", use.name), lambda: s3.encryption(use.name))
    if found is None or not found.is_kms or found.kms_key is None:
        return
    if use.kind == "mount":
        yield from _key_of_mount(account, use, found.kms_key, home)
        return
    label = f"the key of bucket {use.name}"
    partition = account.caller(account.cluster.region).partition
    link = link_use(
        f"arn:{partition}:s3:::{use.name}", has_bucket_key=found.has_bucket_key, writes=use.writes
    )
    key = NamedKey(name=found.kms_key, label=label, use=link, path=use.path)
    for result in judge_key(account, key, region=home):
        if result.status is Status.FAIL and not use.writes:
            # Objects that are there already may have been encrypted otherwise.
            yield replace(result, status=Status.WARNING)
        elif result.status is not Status.OK:
            yield result


def _key_of_mount(
    account: AccountView, use: BucketUse, name: str, home: str
) -> Iterator[CheckResult]:
    """The nodes' role gets rights on the key that the file names, and on no other."""
    kms = account.gateway(KmsGateway, home)
    found = account.once(("key", home, name), lambda: kms.key(name))
    named = (use.kms_key or "").rpartition("/")[2]
    # AWS's own key for S3 lets in whoever of the account may read the objects.
    if found.is_aws_managed or named == found.key_id:
        return
    what = "names another" if named else "names no kms_key_arn"
    told = f"new objects of bucket {use.name} are encrypted with a KMS key, and the file {what}"
    remedy = "write the bucket's key as kms_key_arn"
    look = f"aws s3api get-bucket-encryption --region {home} --bucket {use.name}"
    path = (*use.path[:-1], "kms_key_arn")
    if account.cluster.compute.node_role.managed_policy_arns:
        yield unknown(
            f"{told}: whether a managed policy of the nodes' role lets them read these",
            remedy=remedy,
            look=look,
            path=path,
        )
    else:
        yield warning(f"{told}: the nodes cannot read them", remedy=remedy, look=look, path=path)


CHECK = PreflightCheck(
    id="TRN926",
    name="buckets",
    title="The buckets that the file names are there, where they must be, and let the cluster in",
    why="A link to a bucket that is not there fails with its file system, after half an hour. FSx "
    "imports by itself only from buckets of its own Region, and reads encrypted objects only when "
    "the key's policy lets its service-linked role in; the nodes mount buckets of the cluster's "
    "Region. Whether the account's IAM policies are enough for a bucket of another account, its "
    "owner alone can tell.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/create-dra-linked-data-repo.html",
    needs=(
        HEAD_BUCKET,
        GET_BUCKET_POLICY,
        GET_BUCKET_ENCRYPTION,
        DESCRIBE_KEY,
        GET_KEY_POLICY,
        GET_CALLER_IDENTITY,
    ),
    run=_run,
)
