"""Where MiniStack's resource types do something else than AWS's, put right.

MiniStack's services keep and tell all that is set here; only the way from the template to them
loses it. Each repair says what it is about, and a test in tests/trnkit/emulation shows it. The
version of MiniStack is pinned, so that nothing of this changes unseen.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from trnkit.emulation.borrowed import module
from trnkit.emulation.resources.resource import Properties, Refused, random_id
from trnkit.emulation.server import bucket_settings
from trnkit.emulation.server.handler_changes import (
    Result,
    before_creation,
    then,
    with_properties,
)

_SERVICES = "ministack.services"
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


def install() -> None:
    """Repair MiniStack's resource types, once, before its first request."""
    handlers = module(f"{_SERVICES}.cloudformation.provisioners")._RESOURCE_HANDLERS
    _refuse_taken_names(handlers)
    _refuse_unknown_roles_and_policies(handlers)
    _name_log_groups(handlers)
    _ref_gives_names(handlers)
    _read_booleans(handlers)
    then(handlers["AWS::S3::Bucket"], bucket_settings.apply)
    _keep_buckets_with_objects(handlers)
    _encrypt_with_the_managed_key()
    then(handlers["AWS::IAM::Role"], _set_boundary)
    then(handlers["AWS::SNS::Topic"], _set_topic_attributes)
    then(handlers["AWS::SNS::Subscription"], _set_subscription_attributes)


def _refuse_taken_names(handlers: dict[str, dict[str, Any]]) -> None:
    """A name that is there already is taken; MiniStack writes over what has it.

    So a second deployment meets what the first one's deletion retained.
    Source: https://docs.aws.amazon.com/cloudformation-cli/latest/userguide/resource-type-test-contract-errors.html
    """
    iam, kms = module(f"{_SERVICES}.iam"), module(f"{_SERVICES}.kms")
    logs, ecr = module(f"{_SERVICES}.cloudwatch_logs"), module(f"{_SERVICES}.ecr")
    sns, functions = module(f"{_SERVICES}.sns"), module(f"{_SERVICES}.lambda_svc")
    dynamodb = module(f"{_SERVICES}.dynamodb")
    taken: dict[str, tuple[str, Callable[[str], bool]]] = {
        "AWS::DynamoDB::Table": ("TableName", lambda name: name in dynamodb._tables),
        "AWS::ECR::Repository": ("RepositoryName", lambda name: name in ecr._repositories),
        "AWS::IAM::ManagedPolicy": (
            "ManagedPolicyName",
            lambda name: any(p.get("PolicyName") == name for p in iam._policies.values()),
        ),
        "AWS::IAM::Role": ("RoleName", lambda name: name in iam._roles),
        "AWS::KMS::Alias": ("AliasName", lambda name: kms._alias_arn(name) in kms._aliases),
        "AWS::Lambda::Function": ("FunctionName", lambda name: name in functions._functions),
        "AWS::Logs::LogGroup": ("LogGroupName", lambda name: name in logs._log_groups),
        "AWS::SNS::Topic": (
            "TopicName",
            lambda name: any(topic.get("name") == name for topic in sns._topics.values()),
        ),
    }
    for kind, (key, exists) in taken.items():

        def check(
            properties: Properties,
            kind: str = kind,
            key: str = key,
            exists: Callable[[str], bool] = exists,
        ) -> None:
            name = properties.get(key)
            if name and exists(str(name)):
                raise Refused(f"Resource of type '{kind}' with identifier '{name}' already exists.")

        before_creation(handlers[kind], check)


def _refuse_unknown_roles_and_policies(handlers: dict[str, dict[str, Any]]) -> None:
    """IAM puts nothing into a profile, and attaches nothing to a role, that does not exist.

    Source: https://docs.aws.amazon.com/IAM/latest/APIReference/API_AddRoleToInstanceProfile.html
    """
    iam = module(f"{_SERVICES}.iam")

    def roles_exist(properties: Properties) -> None:
        for role in properties.get("Roles") or ():
            if role not in iam._roles:
                message = f"The role with name {role} cannot be found."
                raise Refused(message, code="NoSuchEntity", service="Iam")

    def policies_exist(properties: Properties) -> None:
        for arn in properties.get("ManagedPolicyArns") or ():
            # Of AWS's own policies MiniStack has not all.
            if ":iam::aws:" not in str(arn) and arn not in iam._policies:
                message = f"Policy {arn} does not exist or is not attachable."
                raise Refused(message, code="NoSuchEntity", service="Iam")

    before_creation(handlers["AWS::IAM::InstanceProfile"], roles_exist)
    before_creation(handlers["AWS::IAM::Role"], policies_exist)


def _name_log_groups(handlers: dict[str, dict[str, Any]]) -> None:
    """A log group without a name gets a new one each time, so that a retained one stays as it is.

    Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-logs-loggroup.html
    """
    handler = handlers["AWS::Logs::LogGroup"]
    create, update = handler["create"], handler["update"]

    @functools.wraps(create)
    def created(logical_id: str, properties: Properties, stack: str, *rest: Any) -> Result:
        name = f"{stack}-{logical_id}-{random_id(12, _LETTERS)}"
        return create(logical_id, {"LogGroupName": name} | dict(properties), stack, *rest)

    @functools.wraps(update)
    def updated(physical_id: str, old: Properties, new: Properties, *rest: Any) -> Result:
        same = {"LogGroupName": physical_id}
        return update(physical_id, same | dict(old), same | dict(new), *rest)

    handler["create"], handler["update"] = created, updated


def _ref_gives_names(handlers: dict[str, dict[str, Any]]) -> None:
    """``Ref`` gives the name of an instance profile, and the bucket of a bucket policy.

    Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-iam-instanceprofile.html
    """
    iam = module(f"{_SERVICES}.iam")
    profiles = handlers["AWS::IAM::InstanceProfile"]
    create, update, delete = profiles["create"], profiles["update"], profiles["delete"]

    def arn(name: str) -> str:
        return str((iam._instance_profiles.get(name) or {}).get("Arn", name))

    def created(*given: Any) -> Result:
        made, attributes = create(*given)
        return made.rsplit("/", 1)[-1], attributes

    def updated(physical_id: str, *rest: Any) -> Result:
        made, attributes = update(arn(physical_id), *rest)
        return made.rsplit("/", 1)[-1], attributes

    def deleted(physical_id: str, *rest: Any) -> None:
        delete(arn(physical_id), *rest)

    profiles.update(create=created, update=updated, delete=deleted)

    policies = handlers["AWS::S3::BucketPolicy"]
    for step in ("create", "update"):
        make = policies[step]

        def named_by_bucket(*given: Any, make: Callable[..., Result] = make) -> Result:
            made, attributes = make(*given)
            return made.removesuffix("-policy"), attributes

        policies[step] = named_by_bucket


def _read_booleans(handlers: dict[str, dict[str, Any]]) -> None:
    """Text "false" of a template is false; MiniStack's keys take any text for true.

    Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-kms-key.html
    """

    def shaped(properties: Properties) -> dict[str, Any]:
        read = dict(properties)
        for name in ("Enabled", "EnableKeyRotation", "MultiRegion"):
            if name in read:
                read[name] = str(read[name]).lower() == "true"
        for name in ("RotationPeriodInDays", "PendingWindowInDays"):
            if name in read:
                read[name] = int(read[name])
        return read

    with_properties(handlers["AWS::KMS::Key"], shaped)


def _keep_buckets_with_objects(handlers: dict[str, dict[str, Any]]) -> None:
    """S3 deletes no bucket that holds something; MiniStack's type deletes it with all of it.

    Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucket.html
    """
    s3 = module(f"{_SERVICES}.s3")
    delete = handlers["AWS::S3::Bucket"]["delete"]

    @functools.wraps(delete)
    def deleted(physical_id: str, *rest: Any) -> None:
        bucket = s3._buckets.get(physical_id)
        if bucket and (bucket["objects"] or s3._bucket_has_versions(physical_id)):
            message = "The bucket you tried to delete is not empty"
            raise Refused(message, code="BucketNotEmpty", service="S3")
        delete(physical_id, *rest)

    handlers["AWS::S3::Bucket"]["delete"] = deleted


def _encrypt_with_the_managed_key() -> None:
    """An upload that asks for ``aws:kms`` and names no key takes AWS's own; MiniStack refuses it.

    So do the CDK CLI's uploads to the bucket of ``cdk bootstrap``.
    Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html
    """
    s3, responses = module(f"{_SERVICES}.s3"), module("ministack.core.responses")
    plain = s3._resolve_sse_write_headers
    kind, key = "x-amz-server-side-encryption", "x-amz-server-side-encryption-aws-kms-key-id"

    @functools.wraps(plain)
    def resolved(headers: dict[str, str], bucket: str) -> Any:
        if headers.get(kind) == "aws:kms" and not headers.get(key):
            where = f"{responses.get_region()}:{responses.get_account_id()}"
            headers = headers | {key: f"arn:aws:kms:{where}:alias/aws/s3"}
        return plain(headers, bucket)

    s3._resolve_sse_write_headers = resolved


def _set_boundary(physical_id: str, new: Properties, old: Properties) -> None:
    """MiniStack drops the permissions boundary of a role."""
    role = module(f"{_SERVICES}.iam")._roles[physical_id]
    role["PermissionsBoundary"] = new.get("PermissionsBoundary") or None


_TOPIC = (
    "ContentBasedDeduplication",
    "FifoThroughputScope",
    "KmsMasterKeyId",
    "SignatureVersion",
    "TracingConfig",
)


def _set_topic_attributes(physical_id: str, new: Properties, old: Properties) -> None:
    """MiniStack drops a topic's key and makes its name what is displayed.

    Source: https://docs.aws.amazon.com/sns/latest/api/API_SetTopicAttributes.html
    """
    attributes = module(f"{_SERVICES}.sns")._topics[physical_id]["attributes"]
    attributes["DisplayName"] = str(new.get("DisplayName", ""))
    for name in _TOPIC:
        if new.get(name) is not None:
            value = new[name]
            attributes[name] = str(value).lower() if isinstance(value, bool) else str(value)
        elif name in old:
            attributes.pop(name, None)


def _set_subscription_attributes(physical_id: str, new: Properties, old: Properties) -> None:
    """MiniStack's type makes subscriptions that do not tell what they are, or to no topic at all.

    Those by e-mail wait for a click of the recipient, as those by HTTP wait for an answer.
    Source: https://docs.aws.amazon.com/sns/latest/dg/sns-email-notifications.html
    """
    sns = module(f"{_SERVICES}.sns")
    topic = sns._topics.get(new["TopicArn"])
    if topic is None:
        raise Refused("Topic does not exist", code="NotFound", service="Sns")
    (line,) = [line for line in topic["subscriptions"] if line["arn"] == physical_id]
    if "PendingConfirmation" not in line["attributes"]:
        waits = line["protocol"] in ("email", "email-json", "http", "https")
        line["confirmed"] = not waits
        line["token"] = random_id(64) if waits else None
        line["attributes"] |= {
            "ConfirmationWasAuthenticated": str(not waits).lower(),
            "Endpoint": line["endpoint"],
            "Owner": line["owner"],
            "PendingConfirmation": str(waits).lower(),
            "Protocol": line["protocol"],
            "SubscriptionArn": physical_id,
            "TopicArn": line["topic_arn"],
        }
    sns._refresh_subscription_counts(topic)
