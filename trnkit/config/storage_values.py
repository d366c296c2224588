"""The kinds of value that only `storage` holds: ids, ARNs, times and prefixes."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

from trnkit.config.values import Text


def _shape(pattern: str, expected: str) -> AfterValidator:
    compiled = re.compile(pattern)

    def check(value: str) -> str:
        if compiled.fullmatch(value) is None:
            raise PydanticCustomError("shape", "must be {expected}", {"expected": expected})
        return value

    return AfterValidator(check)


KmsKeyArn = Annotated[
    Text,
    _shape(
        r"arn:[a-z-]+:kms:[a-z0-9-]+:[0-9]{12}:key/[A-Za-z0-9-]+",
        "the ARN of a KMS key (not of an alias), like "
        "arn:aws:kms:us-east-2:111122223333:key/1234abcd-...",
    ),
]
LogGroupArn = Annotated[
    Text,
    _shape(
        r"arn:[a-z-]+:logs:[a-z0-9-]+:[0-9]{12}:log-group:[A-Za-z0-9._/#-]{1,512}",
        "the ARN of a log group without `:*` at its end",
    ),
]
FileSystemId = Annotated[
    Text, _shape(r"fs-([0-9a-f]{8}|[0-9a-f]{17})", "fs- and 8 or 17 hex digits")
]
SecurityGroupId = Annotated[
    Text, _shape(r"sg-([0-9a-f]{8}|[0-9a-f]{17})", "sg- and 8 or 17 hex digits")
]
LustreMountName = Annotated[
    Text, _shape(r"[A-Za-z0-9_-]{1,8}", "1 to 8 letters, digits, hyphens and underscores")
]
DailyTime = Annotated[
    Text, _shape(r"([01][0-9]|2[0-3]):[0-5][0-9]", "a time as HH:MM, from 00:00 to 23:59")
]
WeeklyTime = Annotated[
    Text,
    _shape(
        r"[1-7]:([01][0-9]|2[0-3]):[0-5][0-9]",
        "a time as d:HH:MM, with 1 for Monday to 7 for Sunday",
    ),
]
ObjectPrefix = Annotated[
    Text,
    _shape(
        r"((?!\.{1,2}(/|$))[A-Za-z0-9!_.*'()-]+/)*(?!\.{1,2}(/|$))[A-Za-z0-9!_.*'()-]+/?",
        "the beginning of keys, like runs/ or runs/a, without a leading or a doubled slash and "
        "without . or .. as a part",
    ),
]
MountedPrefix = Annotated[
    Text,
    _shape(
        r"((?!\.{1,2}(/|$))[A-Za-z0-9!_.=-]+/)*(?!\.{1,2}(/|$))[A-Za-z0-9!_.=-]+/?",
        "folders of keys, like tokenized/v2/, of letters, digits and ! - _ . = without a leading "
        "or a doubled slash and without . or .. as a part",
    ),
]
