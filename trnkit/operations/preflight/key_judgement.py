"""Whether a KMS key is there, encrypts, and lets those use it who need it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.aws.failures import AwsFailure, FailureKind
from trnkit.aws.identities import without_identities
from trnkit.aws.kms import DESCRIBE_KEY, GET_KEY_POLICY, LIST_GRANTS, KmsGateway
from trnkit.aws.sts import GET_CALLER_IDENTITY
from trnkit.operations.preflight.policy_judgement import PolicyAnswer, Verdict, judge_policy
from trnkit.operations.preflight.result import fail, ok, unknown, warning

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from trnkit.aws.kms import KeyDescription, KeyGrant
    from trnkit.config.yaml_reader import Path
    from trnkit.operations.preflight.account import AccountView
    from trnkit.operations.preflight.key_use import KeyUse
    from trnkit.operations.preflight.result import CheckResult

KEY_QUESTIONS = (DESCRIBE_KEY, GET_KEY_POLICY, LIST_GRANTS, GET_CALLER_IDENTITY)
"""All that a judgement may ask."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedKey:
    """A key, how it is named in messages, and how it is used.

    Attributes:
        name: Its id or ARN, or the ARN of an alias.
        label: What it is called in messages, without account.
        use: Who uses it for what.
        path: What in the file it is about.
    """

    name: str
    label: str
    use: KeyUse
    path: Path


def judge_key(
    account: AccountView, key: NamedKey, *, region: str | None = None
) -> Iterator[CheckResult]:
    """What is known of a key, one answer at least.

    Args:
        account: Whom to ask.
        key: Which, and what for.
        region: Where it must be; the cluster's Region when left out.

    Raises:
        AwsFailure: AWS gave no answer.
    """
    region = region or account.cluster.region
    parts = key.name.split(":")
    if len(parts) > 3 and parts[3] != region:
        yield fail(
            f"{key.label} is of {parts[3]}, and what it encrypts is in {region}",
            remedy=f"name a key of {region}; of a multi-Region key its replica there",
            path=key.path,
        )
        return
    kms = account.gateway(KmsGateway, region)
    try:
        found = account.once(("key", region, key.name), lambda: kms.key(key.name))
    except AwsFailure as failure:
        if failure.kind is not FailureKind.NOT_FOUND:
            raise
        yield fail(
            f"{region} has no {key.label}",
            remedy="name a key that exists",
            look=f"aws kms list-aliases --region {region}",
            path=key.path,
        )
        return
    yield _objection(key, found, region) or _judge_use(account, key, found, region)


def _objection(key: NamedKey, found: KeyDescription, region: str) -> CheckResult | None:
    """What keeps a key from encrypting anything for anybody."""
    command = f"aws kms {{}} --region {region} --key-id {found.key_id}"
    if found.state in ("PendingDeletion", "PendingReplicaDeletion"):
        when = f", on {found.deletion_date:%Y-%m-%d}" if found.deletion_date else ""
        return fail(
            f"{key.label} is going to be deleted{when}",
            remedy="cancel the deletion and enable the key, or name another",
            # A key whose deletion is cancelled is disabled.
            command=f"{command.format('cancel-key-deletion')} && {command.format('enable-key')}",
            path=key.path,
        )
    if found.state == "Disabled":
        return fail(
            f"{key.label} is disabled",
            remedy="enable it, or name another",
            command=command.format("enable-key"),
            path=key.path,
        )
    if found.usage not in (None, "ENCRYPT_DECRYPT") or found.spec not in (None, _SYMMETRIC):
        return fail(
            f"{key.label} is for {found.usage} with {found.spec}; volumes, file systems and "
            f"buckets take ENCRYPT_DECRYPT with {_SYMMETRIC}",
            remedy="name a symmetric encryption key",
            look=command.format("describe-key"),
            path=key.path,
        )
    if found.state is None or found.usage is None or found.spec is None:
        return unknown(
            f"AWS does not say state, usage and kind of {key.label}",
            remedy="look at the key in the console",
            look=command.format("describe-key"),
            path=key.path,
        )
    if found.state != "Enabled":
        return fail(
            f"{key.label} is {found.state}",
            remedy="wait until it is enabled, or name another",
            look=command.format("describe-key"),
            path=key.path,
        )
    return None


_SYMMETRIC = "SYMMETRIC_DEFAULT"


def _judge_use(
    account: AccountView, key: NamedKey, found: KeyDescription, region: str
) -> CheckResult:
    use = key.use
    caller = account.caller(account.cluster.region)
    is_foreign = found.account != caller.account
    kms = account.gateway(KmsGateway, region)
    document = None
    if not is_foreign:
        document = account.once(("key policy", found.key_id), lambda: kms.policy(found.key_id))

    def judge(grants: Iterable[KeyGrant] = ()) -> dict[str, PolicyAnswer]:
        told: dict[str, PolicyAnswer] = {}
        for operation in (*use.must, *use.should):
            granted = _granted(grants, operation)
            if document is None:
                told[operation] = PolicyAnswer(max(granted, Verdict.UNKNOWN), "")
            else:
                request = use.request(operation, caller, region=region, key_id=found.key_id)
                told[operation] = judge_policy(document, request, otherwise=granted)
        return told

    answers = judge()
    grantee = use.grantee(caller)
    is_open = any(answer.verdict is not Verdict.ALLOWED for answer in answers.values())
    if grantee and "*" not in grantee and is_open:
        name = key.name if is_foreign else found.key_id
        answers = judge(account.once(("grants", name, grantee), lambda: kms.grants(name, grantee)))
    return _result(key, found, answers, region=region, is_foreign=is_foreign)


def _granted(grants: Iterable[KeyGrant], operation: str) -> Verdict:
    """Whether a grant allows an operation; unknown when only some that are constrained do."""
    granted = [grant for grant in grants if operation in grant.operations]
    if any(not grant.is_constrained for grant in granted):
        return Verdict.ALLOWED
    return Verdict.UNKNOWN if granted else Verdict.DENIED


def _result(
    key: NamedKey,
    found: KeyDescription,
    answers: dict[str, PolicyAnswer],
    *,
    region: str,
    is_foreign: bool,
) -> CheckResult:
    who = key.use.who
    look = f"aws kms get-key-policy --region {region} --key-id {found.key_id} --output text"
    missing = _of(key.use.must, answers, Verdict.DENIED)
    if missing:
        return fail(
            f"{key.label} does not let {who} call {_actions(missing)}: neither its policy nor a "
            "grant does",
            evidence=_because(answers[missing[0]]),
            remedy=f"allow {who} in the key's policy to call {_actions(key.use.must)}"
            f"{_further(key.use)}",
            look=look,
            path=key.path,
        )
    doubtful = _of(key.use.must, answers, Verdict.UNKNOWN)
    if doubtful:
        told = (
            f"{key.label} is of another account, whose key policy is told only there"
            if is_foreign
            else f"the policy of {key.label} does not tell"
        )
        return unknown(
            f"{told}: whether {who} may call {_actions(doubtful)}",
            evidence=_because(answers[doubtful[0]]),
            remedy="have it looked at by whoever knows the key, and leave the check out by name "
            "when it is right",
            look=None if is_foreign else look,
            path=key.path,
        )
    lacking = _of(key.use.should, answers, Verdict.DENIED)
    if lacking:
        return warning(
            f"{key.label} lets {who} do most, and not {_actions(lacking)}, which AWS asks for too",
            evidence=_because(answers[lacking[0]]),
            remedy=f"allow {who} in the key's policy to call {_actions(lacking)}",
            look=look,
            path=key.path,
        )
    return ok(f"{key.label} is enabled, and {who} may use it", path=key.path)


def _of(
    operations: Iterable[str], answers: Mapping[str, PolicyAnswer], verdict: Verdict
) -> list[str]:
    return [operation for operation in operations if answers[operation].verdict is verdict]


def _because(answer: PolicyAnswer) -> str | None:
    """The statement that decides."""
    return without_identities(answer.because) or None


def _actions(operations: Iterable[str]) -> str:
    return ", ".join(f"kms:{operation}" for operation in operations)


def _further(use: KeyUse) -> str:
    if not use.should:
        return ""
    return f", {_actions(use.should)}; kms:CreateGrant where kms:GrantIsForAWSResource is true"
