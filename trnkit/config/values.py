"""The kinds of value a cluster file holds, each with its own clear refusal.

Numbers and booleans are strict (`"4"` is not 4, `no` is not false); text accepts an unquoted
number as it is written, so that `account: 012345678901` keeps its zero and `2.15` its digits.
"""

from __future__ import annotations

import ipaddress
import re
from datetime import date, datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, Strict
from pydantic_core import PydanticCustomError

Change = Literal["in place", "new nodes only", "replaces nodes", "replaces", "destroys data"]

IpAddressType = Literal["ipv4", "dualstack"]
"""Which addresses something has, in the words of EC2: IPv4 alone, or IPv4 and IPv6."""


class Section(BaseModel):
    """Base of every section: frozen, and a key it does not know is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


def setting(
    default: Any = ..., *, change: Change = "in place", example: object = None, **options: Any
) -> Any:
    """A field of a section, with what changing it later does to a deployed cluster.

    Args:
        default: The value used when the key is absent; `...` makes it required.
        change: `in place`, `new nodes only`, `replaces nodes`, `replaces` or `destroys data`.
        example: A value to show in docs/config.md.
        options: Passed on to `pydantic.Field` (description, ge, le, max_length...).
    """
    extra: dict[str, Any] = {"change": change}
    if example is not None:
        extra["examples"] = [example]
    return Field(default, json_schema_extra=extra, **options)


def _as_written(value: Any) -> Any:
    return getattr(value, "text", value)


def _without_placeholder(value: str) -> str:
    """The CDK keeps values it fills in later as `${Token[...]}`, CloudFormation as `${Name}`."""
    if "${" in value or "#{" in value:
        raise PydanticCustomError(
            "shape", "must not hold ${ or #{, which begin a value that is filled in later"
        )
    return value


def matching(pattern: str, expected: str) -> AfterValidator:
    """Text of one shape, said in words when it is another, with no placeholder in it."""
    compiled = re.compile(pattern)

    def check(value: str) -> str:
        if compiled.fullmatch(value) is None:
            raise PydanticCustomError("shape", "must be {expected}", {"expected": expected})
        return _without_placeholder(value)

    return AfterValidator(check)


_PRIVATE = [
    ipaddress.IPv4Network(block) for block in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")
]
_SHARED = ipaddress.IPv4Network("100.64.0.0/10")


def _block(value: str, largest: int, smallest: int, limits: str) -> ipaddress.IPv4Network:
    try:
        network = ipaddress.IPv4Network(value)
    except ValueError:
        raise PydanticCustomError(
            "shape", "must be an IPv4 block with its host bits zero, like 10.0.0.0/16"
        ) from None
    if str(network) != value:
        raise PydanticCustomError("shape", "must be written as {block}", {"block": str(network)})
    if not largest <= network.prefixlen <= smallest:
        raise PydanticCustomError("shape", "must be between {limits}", {"limits": limits})
    return network


def _cidr(value: str) -> str:
    network = _block(value, 16, 22, "/16 (the largest VPC) and /22 (room for all subnets)")
    if not any(network.subnet_of(block) for block in _PRIVATE):
        raise PydanticCustomError(
            "shape", "must be private addresses (10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16)"
        )
    return value


def _secondary_cidr(value: str) -> str:
    network = _block(value, 16, 24, "/16 (the largest subnet) and /24 (room for nodes)")
    if not any(network.subnet_of(block) for block in (*_PRIVATE, _SHARED)):
        raise PydanticCustomError(
            "shape",
            "must be private addresses (10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16) or of "
            "100.64.0.0/10",
        )
    return value


def _existing_cidr(value: str) -> str:
    _block(value, 16, 28, "/16 and /28, as AWS allows")
    return value


def _allowed_cidr(value: str) -> str:
    network = _block(value, 8, 32, "/8 and /32")
    if not any(network.subnet_of(block) for block in (*_PRIVATE, _SHARED)):
        raise PydanticCustomError(
            "shape",
            "must be private addresses (10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16) or of "
            "100.64.0.0/10",
        )
    return value


def _filled(value: str) -> str:
    if not value.strip():
        raise PydanticCustomError("shape", "must not be empty")
    if any(ord(character) < 32 or 127 <= ord(character) < 160 for character in value):
        raise PydanticCustomError("shape", "must not hold control characters")
    return _without_placeholder(value)


def _each_once(value: tuple[Any, ...]) -> tuple[Any, ...]:
    twice = next((item for item in value if value.count(item) > 1), None)
    if twice is not None:
        raise PydanticCustomError("shape", "must not name {twice} twice", {"twice": str(twice)})
    return value


EachOnce = AfterValidator(_each_once)
"""For lists in which AWS refuses an entry that is there already."""

_raw = BeforeValidator(_as_written)

Text = Annotated[str, _raw, AfterValidator(_filled), Field(max_length=512)]
Int = Annotated[int, Strict()]
Bool = Annotated[bool, Strict()]
Number = Annotated[float, Strict(), Field(allow_inf_nan=False)]

AccountId = Annotated[str, _raw, matching(r"[0-9]{12}", "12 digits")]
ClusterName = Annotated[
    str,
    _raw,
    matching(
        r"[a-z][a-z0-9-]{0,28}[a-z0-9]",
        "2 to 30 lower-case letters, digits and hyphens, beginning with a letter",
    ),
]
GroupName = Annotated[
    str,
    _raw,
    matching(
        r"[a-z][a-z0-9-]{1,23}[a-z0-9]",
        "3 to 25 lower-case letters, digits and hyphens, beginning with a letter",
    ),
]
Email = Annotated[
    str,
    _raw,
    matching(
        r"[^@\s\x00-\x1f\x7f,;<>()\"]{1,64}@[A-Za-z0-9.-]{1,180}\.[A-Za-z]{2,}",
        "one e-mail address",
    ),
    Field(max_length=250),
]
Cidr = Annotated[str, _raw, AfterValidator(_cidr)]
SecondaryCidr = Annotated[str, _raw, AfterValidator(_secondary_cidr)]
AllowedCidr = Annotated[str, _raw, AfterValidator(_allowed_cidr)]
ExistingCidr = Annotated[str, _raw, AfterValidator(_existing_cidr)]
_DIGITS = "([0-9a-f]{8}|[0-9a-f]{17})"
VpcId = Annotated[str, _raw, matching(f"vpc-{_DIGITS}", "vpc- and 17 hex digits")]
SubnetId = Annotated[str, _raw, matching(f"subnet-{_DIGITS}", "subnet- and 17 hex digits")]
RouteTableId = Annotated[str, _raw, matching(f"rtb-{_DIGITS}", "rtb- and 17 hex digits")]
SecurityGroupId = Annotated[str, _raw, matching(f"sg-{_DIGITS}", "sg- and 17 hex digits")]
AmiId = Annotated[str, _raw, matching(r"ami-([0-9a-f]{8}|[0-9a-f]{17})", "ami- and 17 hex digits")]
SsmParameter = Annotated[
    str,
    _raw,
    matching(
        r"((/[A-Za-z0-9_.-]+){1,16}|(?!(?i:aws|ssm))[A-Za-z0-9_.-]+)"
        r"(:([0-9]{1,10}|[A-Za-z_][A-Za-z0-9_.-]{0,99}))?",
        "the name of an SSM parameter, like /my/image or my-image (letters, digits, . _ -, and one "
        "/ before each part), without resolve:ssm: and not its ARN",
    ),
    Field(max_length=1011),
]
"""Source: https://docs.aws.amazon.com/systems-manager/latest/userguide/sysman-paramstore-su-create.html"""
ZoneId = Annotated[
    str,
    _raw,
    matching(
        r"[a-z]{2,8}[0-9]{1,2}(-[a-z]{3}[0-9]{1,2})?-az[0-9]{1,2}",
        "a zone id such as use2-az3 (zone names differ from account to account)",
    ),
]
TagKey = Annotated[
    str,
    _raw,
    matching(
        r"(?![Aa][Ww][Ss]:)[\w .:/=+\-@]{1,128}",
        "1 to 128 letters, digits, spaces or _ . : / = + - @, and not begin with aws: in any case",
    ),
]
TagValue = Annotated[
    str,
    _raw,
    matching(r"[\w .:/=+\-@]{0,256}", "at most 256 letters, digits, spaces or _ . : / = + - @"),
]
MountPath = Annotated[
    str,
    _raw,
    matching(
        r"(/[A-Za-z0-9][A-Za-z0-9._-]{0,254}){1,6}",
        "an absolute path of letters, digits and . _ - like /fsx, with at most 6 folders of at "
        "most 255 characters",
    ),
]
CompileCache = Annotated[
    str,
    _raw,
    matching(
        # A hidden folder is one; . and .. are none.
        r"(/\.?[A-Za-z0-9_][A-Za-z0-9._-]{0,253}){2,8}"
        r"|s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[A-Za-z0-9._=-]{1,255}){0,8}",
        "a folder below a mount point, like /fsx/neuron-compile-cache, or an s3:// address",
    ),
    Field(max_length=512),
]
MetricNamespace = Annotated[
    str,
    _raw,
    matching(
        r"(?!AWS/)[A-Za-z0-9_/#-][A-Za-z0-9._/#-]{0,254}",
        "1 to 255 letters, digits or . _ / # -, and not begin with AWS/, which is AWS's own",
    ),
]
CurrencyCode = Annotated[str, _raw, matching(r"[A-Z]{3}", "three capital letters, like USD")]
TopicArn = Annotated[
    str,
    _raw,
    matching(
        r"arn:aws[a-z-]*:sns:[a-z0-9-]{4,30}:[0-9]{12}:[A-Za-z0-9_-]{1,256}",
        "the ARN of a standard SNS topic",
    ),
]
TopicEndpoint = Annotated[
    str,
    _raw,
    matching(
        r"https://[A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?(/[!-~]{0,1024})?"
        r"|arn:aws[a-z-]*:lambda:[a-z0-9-]{4,30}:[0-9]{12}:function:[A-Za-z0-9_-]{1,64}"
        r"(:[A-Za-z0-9_$-]{1,128})?"
        r"|arn:aws[a-z-]*:sqs:[a-z0-9-]{4,30}:[0-9]{12}:[A-Za-z0-9_-]{1,80}",
        "an https:// address, or the ARN of a Lambda function or of a standard SQS queue",
    ),
]
AnomalyMonitorArn = Annotated[
    str,
    _raw,
    matching(
        r"arn:aws[a-z-]*:ce::[0-9]{12}:anomalymonitor/[A-Za-z0-9-]{1,128}",
        "the ARN of a Cost Anomaly Detection monitor",
    ),
]
CapacityReservationId = Annotated[
    str, _raw, matching(r"cr-[0-9a-f]{17}", "cr- and 17 hex digits (0-9, a-f)")
]
ResourceGroupArn = Annotated[
    str,
    _raw,
    matching(
        r"arn:aws[a-z-]*:resource-groups:[a-z0-9-]+:[0-9]{12}:group/[\w.-]{1,300}",
        "the ARN of a resource group, like "
        "arn:aws:resource-groups:us-east-2:111122223333:group/my-reservations",
    ),
]
KmsKeyArn = Annotated[
    str,
    _raw,
    matching(
        r"arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:(key/[A-Za-z0-9-]{1,100}|alias/[\w/-]{1,250})",
        "the ARN of a KMS key or alias, like "
        "arn:aws:kms:us-east-2:111122223333:key/12345678-1234-1234-1234-123456789012",
    ),
]


def _not_there_already(value: str) -> str:
    if value.endswith(":aws:policy/AmazonSSMManagedInstanceCore"):
        raise PydanticCustomError("shape", "must be left out, because every node has it already")
    return value


ManagedPolicyArn = Annotated[
    str,
    _raw,
    matching(
        r"arn:aws[a-z-]*:iam::(aws|[0-9]{12}):policy/([\w+=,.@-]{1,64}/){0,8}[\w+=,.@-]{1,128}",
        "the ARN of a managed policy, like arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess",
    ),
    AfterValidator(_not_there_already),
]
PlacementGroupName = Annotated[
    str,
    _raw,
    matching(
        r"(arn:aws[a-z-]*:ec2:[a-z0-9-]+:[0-9]{12}:placement-group/)?[^\s:/][^\x00-\x1f:/]{0,254}",
        "the name or the ARN of a placement group",
    ),
]
DeviceName = Annotated[
    str,
    _raw,
    matching(r"/dev/(sd[a-z][0-9]*|xvd[a-z]{1,2})", "a device name like /dev/sdf"),
]


def _moment(value: str) -> str:
    """A moment in UTC, kept as text: a YAML reader that guesses time zones is of no use here."""
    try:
        datetime.strptime(value, "%Y-%m-%dT%H:%M:%S%z")
    except ValueError:
        raise PydanticCustomError("shape", "must be a day and time that exist") from None
    return value


UtcTime = Annotated[
    str,
    _raw,
    matching(
        r"20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z",
        "a time in UTC like 2027-03-01T11:30:00Z",
    ),
    AfterValidator(_moment),
]


def _day(value: str) -> str:
    try:
        date.fromisoformat(value)
    except ValueError:
        raise PydanticCustomError("shape", "must be a day that exists") from None
    return value


Day = Annotated[
    str,
    _raw,
    matching(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", "a day like 2026-09-01"),
    AfterValidator(_day),
]
RegionName = Annotated[
    str, _raw, matching(r"[a-z]{2,5}(-[a-z]{2,12}){1,3}-[0-9]{1,2}", "a Region like us-east-2")
]
SdkVersion = Annotated[
    str, _raw, matching(r"[0-9]{1,3}(\.[0-9]{1,4}){1,3}", "a version like 2.32.0")
]
InstanceFamily = Annotated[
    str, _raw, matching(r"[A-Za-z][A-Za-z0-9-]{1,19}", "a family of instance types like Trn2")
]
Architecture = Annotated[
    str, _raw, matching(r"[a-z0-9_]{3,20}", "an architecture like x86_64 or arm64")
]
