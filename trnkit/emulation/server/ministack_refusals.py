"""What IAM, KMS, S3 and SNS refuse, and MiniStack's resource types take.

A template's properties are judged before MiniStack's functions see them, in the words of the API
by which CloudFormation would hand them on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from trnkit.emulation.borrowed import module
from trnkit.emulation.resources.resource import Properties, Refused
from trnkit.emulation.server import policy_documents
from trnkit.emulation.server.handler_changes import before
from trnkit.emulation.server.policy_documents import listed, parsed, statements

_LONGEST_OF_ROLE = 10_240
_LONGEST_TRUST = 2_048
_TOPIC_NAME = re.compile(r"[A-Za-z0-9_-]{1,256}")
_PROTOCOLS = frozenset(
    {
        "application",
        "email",
        "email-json",
        "firehose",
        "http",
        "https",
        "lambda",
        "sms",
        "sqs",
    }
)
_LOCKED_OUT = "The new key policy will not allow you to update the key policy in the future."
_LEAST_DAYS = {"ONEZONE_IA": 30, "STANDARD_IA": 30}


def install() -> None:
    """Let MiniStack's resource types refuse, too; once, before its first request."""
    handlers = module("ministack.services.cloudformation.provisioners")._RESOURCE_HANDLERS
    for name, check in _CHECKS.items():
        before(handlers[name], check)


def _malformed(problem: str | None) -> None:
    if problem:
        raise Refused(problem, code="MalformedPolicyDocument", service="Iam")


def _role(properties: Properties) -> None:
    """Policies by IAM's grammar and quotas, and managed policies that exist.

    Sources: https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreateRole.html,
    https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
    """
    trust = properties["AssumeRolePolicyDocument"]
    _malformed(policy_documents.problem_of_trust(trust))
    if policy_documents.size(trust) > _LONGEST_TRUST:
        message = f"Cannot exceed quota for ACLSizePerRole: {_LONGEST_TRUST}"
        raise Refused(message, code="LimitExceeded", service="Iam")
    total = 0
    for policy in properties.get("Policies") or ():
        _malformed(policy_documents.problem_of_identity(policy["PolicyDocument"]))
        total += policy_documents.size(policy["PolicyDocument"])
    if total > _LONGEST_OF_ROLE:
        name = properties.get("RoleName", "")
        message = f"Maximum policy size of {_LONGEST_OF_ROLE} bytes exceeded for role {name}"
        raise Refused(message.strip(), code="LimitExceeded", service="Iam")
    known = module("ministack.services.iam")._policies
    for arn in properties.get("ManagedPolicyArns") or ():
        # Of AWS's own policies MiniStack has not all.
        if ":iam::aws:" not in str(arn) and arn not in known:
            message = f"Policy {arn} does not exist or is not attachable."
            raise Refused(message, code="NoSuchEntity", service="Iam")


def _identity_policy(properties: Properties) -> None:
    """A policy by IAM's grammar.

    Source: https://docs.aws.amazon.com/IAM/latest/APIReference/API_PutRolePolicy.html
    """
    _malformed(policy_documents.problem_of_identity(properties["PolicyDocument"]))


def _profile(properties: Properties) -> None:
    """Roles that exist.

    Source: https://docs.aws.amazon.com/IAM/latest/APIReference/API_AddRoleToInstanceProfile.html
    """
    known = module("ministack.services.iam")._roles
    for role in properties.get("Roles") or ():
        if role not in known:
            message = f"The role with name {role} cannot be found."
            raise Refused(message, code="NoSuchEntity", service="Iam")


def _key(properties: Properties) -> None:
    """A policy that its owner can change, and rotation where there is any.

    Source: https://docs.aws.amazon.com/kms/latest/APIReference/API_CreateKey.html
    """
    policy = properties.get("KeyPolicy")
    problem = policy_documents.problem_of_resource(policy) if policy else None
    if problem is None and policy and not _bypasses(properties) and not _can_be_changed(policy):
        problem = _LOCKED_OUT
    if problem:
        raise Refused(problem, code="MalformedPolicyDocumentException", service="Kms")
    spec = str(properties.get("KeySpec") or "SYMMETRIC_DEFAULT")
    if str(properties.get("EnableKeyRotation")).lower() == "true" and spec != "SYMMETRIC_DEFAULT":
        # https://docs.aws.amazon.com/kms/latest/APIReference/API_EnableKeyRotation.html
        message = f"Key rotation is not supported for keys of the key spec {spec}."
        raise Refused(message, code="UnsupportedOperationException", service="Kms")


def _bypasses(properties: Properties) -> bool:
    return str(properties.get("BypassPolicyLockoutSafetyCheck")).lower() == "true"


def _can_be_changed(policy: Any) -> bool:
    """Whether a principal of AWS accounts may change the policy."""
    for statement in statements(parsed(policy)):
        actions = {str(action).lower() for action in listed(statement.get("Action", []))}
        principal = statement.get("Principal")
        of_account = principal == "*" or (isinstance(principal, Mapping) and "AWS" in principal)
        may = actions & {"*", "kms:*", "kms:put*", "kms:putkeypolicy"} or "NotAction" in statement
        if statement["Effect"] == "Allow" and of_account and may:
            return True
    return False


def _topic(properties: Properties) -> None:
    """A name that a topic can have.

    Source: https://docs.aws.amazon.com/sns/latest/api/API_CreateTopic.html
    """
    name = properties.get("TopicName")
    if name is None:
        return
    fifo = str(properties.get("FifoTopic")).lower() == "true"
    if fifo and not str(name).endswith(".fifo"):
        message = "Invalid parameter: Fifo Topic names must end with .fifo"
        raise Refused(message, code="InvalidParameter", service="Sns")
    if not _TOPIC_NAME.fullmatch(str(name).removesuffix(".fifo") if fifo else str(name)):
        message = "Invalid parameter: Topic Name"
        raise Refused(message, code="InvalidParameter", service="Sns")


def _topic_policy(properties: Properties) -> None:
    """A policy by the grammar.

    Source: https://docs.aws.amazon.com/sns/latest/api/API_SetTopicAttributes.html
    """
    problem = policy_documents.problem_of_resource(properties["PolicyDocument"])
    if problem:
        message = f"Invalid parameter: Policy Error: {problem}"
        raise Refused(message, code="InvalidParameter", service="Sns")


def _subscription(properties: Properties) -> None:
    """A protocol that there is.

    Source: https://docs.aws.amazon.com/sns/latest/api/API_Subscribe.html
    """
    protocol = properties.get("Protocol")
    if protocol not in _PROTOCOLS:
        message = f"Invalid parameter: Does not support this protocol string: {protocol}"
        raise Refused(message, code="InvalidParameter", service="Sns")


def _bucket(properties: Properties) -> None:
    """Encryption and lifecycle rules whose parts go together.

    Sources: https://docs.aws.amazon.com/AmazonS3/latest/API/API_ServerSideEncryptionByDefault.html,
    https://docs.aws.amazon.com/AmazonS3/latest/userguide/lifecycle-transition-general-considerations.html
    """
    encryption: Mapping[str, Any] = properties.get("BucketEncryption") or {}
    for rule in encryption.get("ServerSideEncryptionConfiguration") or ():
        default: Mapping[str, Any] = rule.get("ServerSideEncryptionByDefault") or {}
        if default.get("KMSMasterKeyID") and default.get("SSEAlgorithm") == "AES256":
            _invalid(
                "a KMSMasterKeyID is not applicable if the default sse algorithm is not aws:kms or "
                "aws:kms:dsse"
            )
    lifecycle: Mapping[str, Any] = properties.get("LifecycleConfiguration") or {}
    for rule in lifecycle.get("Rules") or ():
        _lifecycle_rule(rule)


def _lifecycle_rule(rule: Mapping[str, Any]) -> None:
    moves = [
        (str(move["StorageClass"]), int(move["TransitionInDays"]))
        for move in rule.get("Transitions") or ()
        if "TransitionInDays" in move
    ]
    for storage_class, days in moves:
        least = _LEAST_DAYS.get(storage_class, 0)
        if days < least:
            _invalid(
                f"'Days' in Transition action must be greater than or equal to {least} for "
                f"storageClass '{storage_class}'"
            )
        if "ExpirationInDays" in rule and int(rule["ExpirationInDays"]) <= days:
            prefix = rule.get("Prefix", "")
            _invalid(
                f"'Days' in the Expiration action for prefix '{prefix}' must be greater than "
                "'Days' in the Transition action"
            )


def _invalid(message: str) -> None:
    raise Refused(message, code="InvalidArgument", service="S3")


def _bucket_policy(properties: Properties) -> None:
    """A policy by the grammar, about the bucket that it is put on.

    Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketPolicy.html
    """
    document = properties["PolicyDocument"]
    problem = policy_documents.problem_of_resource(document)
    if problem is None:
        for statement in statements(parsed(document)):
            for resource in listed(statement.get("Resource", [])):
                if not _is_in(str(resource), str(properties["Bucket"])):
                    problem = "Policy has invalid resource"
    if problem:
        raise Refused(problem, code="MalformedPolicy", service="S3")


def _is_in(resource: str, bucket: str) -> bool:
    """Whether an ARN, which may hold a wildcard, is that of a bucket or of something in it."""
    name = resource.partition(":::")[2].partition("/")[0]
    pattern = "".join({"*": ".*", "?": "."}.get(part, re.escape(part)) for part in name)
    return resource == "*" or re.fullmatch(pattern, bucket) is not None


_CHECKS: dict[str, Callable[[Properties], None]] = {
    "AWS::IAM::InstanceProfile": _profile,
    "AWS::IAM::Policy": _identity_policy,
    "AWS::IAM::Role": _role,
    "AWS::KMS::Key": _key,
    "AWS::S3::Bucket": _bucket,
    "AWS::S3::BucketPolicy": _bucket_policy,
    "AWS::SNS::Subscription": _subscription,
    "AWS::SNS::Topic": _topic,
    "AWS::SNS::TopicPolicy": _topic_policy,
}
