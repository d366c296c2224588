"""Instance profiles, which another service keeps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from trnkit.emulation.services.ec2.refusing import refuse

Profile = Mapping[str, str]
"""``Arn`` and ``Id`` of an instance profile."""

ProfileReader = Callable[[str, str], Profile | None]
"""Gives an instance profile by account and name, None when there is none."""


def _of_moto(account: str, name: str) -> Profile | None:
    """The profile that moto's own IAM has."""
    from moto.iam.exceptions import NotFoundException
    from moto.iam.models import iam_backends

    try:
        profile: Any = iam_backends[account]["aws"].get_instance_profile(name)
    except NotFoundException:
        return None
    return {"Arn": profile.arn, "Id": profile.id}


_reader: list[ProfileReader] = [_of_moto]


def set_profile_reader(read: ProfileReader) -> None:
    """Say who answers for instance profiles.

    Args:
        read: Gives a profile by account and name, None when there is none.
    """
    _reader[0] = read


def profile_of(backend: Any, named: Mapping[str, Any] | None) -> Profile | None:
    """The profile that a launch names.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_IamInstanceProfileSpecification.html

    Raises:
        EC2ClientError: There is no such profile.
    """
    if not named:
        return None
    arn, name = named.get("Arn"), named.get("Name")
    if arn and name:
        refuse(
            "InvalidParameterCombination",
            "The parameter iamInstanceProfile.name may not be used in combination with "
            "iamInstanceProfile.arn",
        )
    profile = _reader[0](backend.account_id, str(name or str(arn).rpartition("/")[2]))
    if profile is None or (arn and profile["Arn"] != arn):
        kind, told = ("arn", "ARN") if arn else ("name", "name")
        refuse(
            "InvalidParameterValue",
            f"Value ({arn or name}) for parameter iamInstanceProfile.{kind} is invalid. "
            f"Invalid IAM Instance Profile {told}",
        )
    return profile
