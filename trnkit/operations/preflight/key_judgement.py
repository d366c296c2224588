"""Whether a KMS key is there, encrypts, and lets those use it who need it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.aws.failures import AwsFailure, FailureKind
from trnkit.aws.kms import DESCRIBE_KEY, GET_KEY_POLICY, LIST_GRANTS, KmsGateway
from trnkit.aws.sts import GET_CALLER_IDENTITY
from trnkit.operations.preflight.resource_policy import allows
from trnkit.operations.preflight.result import fail, ok, unknown, warning

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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
            command=f"aws kms list-aliases --region {region}",
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
            command=command.format("cancel-key-deletion"),
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
            command=command.format("describe-key"),
            path=key.path,
        )
    if found.state is None or found.usage is None or found.spec is None:
        return unknown(
            f"AWS does not say state, usage and kind of {key.label}",
            remedy="look at the key in the console",
            command=command.format("describe-key"),
            path=key.path,
        )
    if found.state != "Enabled":
        return fail(
            f"{key.label} is {found.state}",
            remedy="wait until it is enabled, or name another",
            command=command.format("describe-key"),
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

    def judge(grants: Iterable[KeyGrant] = ()) -> dict[str, bool | None]:
        return {
            operation: _granted(grants, operation) or None
            if document is None
            else allows(
                document,
                use.request(operation, caller, region),
                otherwise=_granted(grants, operation),
            )
            for operation in (*use.must, *use.should)
        }

    verdicts = judge()
    grantee = use.grantee(caller)
    if grantee and "*" not in grantee and not all(verdicts.values()):
        name = key.name if is_foreign else found.key_id
        verdicts = judge(account.once(("grants", name, grantee), lambda: kms.grants(name, grantee)))
    return _result(key, found, verdicts, region=region, is_foreign=is_foreign)


def _granted(grants: Iterable[KeyGrant], operation: str) -> bool | None:
    """Whether a grant allows an operation; None when only some that are constrained do."""
    granted = [grant for grant in grants if operation in grant.operations]
    return any(not grant.is_constrained for grant in granted) or (None if granted else False)


def _result(
    key: NamedKey,
    found: KeyDescription,
    verdicts: dict[str, bool | None],
    *,
    region: str,
    is_foreign: bool,
) -> CheckResult:
    who = key.use.who
    command = f"aws kms get-key-policy --region {region} --key-id {found.key_id} --output text"
    missing = [o for o in key.use.must if verdicts[o] is False]
    if missing:
        return fail(
            f"{key.label} lets {who} not call {_actions(missing)}, neither by its policy nor by "
            "grants",
            remedy=f"allow {who} in the key's policy to call {_actions(key.use.must)}"
            f"{_further(key.use)}",
            command=command,
            path=key.path,
        )
    doubtful = [o for o in key.use.must if verdicts[o] is None]
    if doubtful:
        told = (
            f"{key.label} is of another account, whose key policy is told only there"
            if is_foreign
            else f"the policy of {key.label} does not tell"
        )
        return unknown(
            f"{told}: whether {who} may call {_actions(doubtful)}",
            remedy="have it looked at by whoever knows the key, and leave the check out by name "
            "when it is right",
            command=None if is_foreign else command,
            path=key.path,
        )
    lacking = [o for o in key.use.should if verdicts[o] is False]
    if lacking:
        return warning(
            f"{key.label} lets {who} do most, and not {_actions(lacking)}, which AWS asks for too",
            remedy=f"allow {who} in the key's policy to call {_actions(lacking)}",
            command=command,
            path=key.path,
        )
    return ok(f"{key.label} is enabled, and {who} may use it", path=key.path)


def _actions(operations: Iterable[str]) -> str:
    return ", ".join(f"kms:{operation}" for operation in operations)


def _further(use: KeyUse) -> str:
    if not use.should:
        return ""
    return f", {_actions(use.should)}; kms:CreateGrant where kms:GrantIsForAWSResource is true"
