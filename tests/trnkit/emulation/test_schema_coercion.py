"""Numbers and booleans that a template gives as text, before the registry's schemas."""

from __future__ import annotations

import pytest

from trnkit.emulation.resources import registry_schema
from trnkit.emulation.resources.resource import Refused


def refusal(kind: str, properties: dict[str, object]) -> str | None:
    try:
        registry_schema.check(kind, "us-east-2", properties)
    except Refused as error:
        return str(error)
    return None


POLICY = {"Version": "2012-10-17", "Statement": []}


@pytest.mark.parametrize("days", [7, "7"])
def test_a_choice_of_numbers_takes_text(days):
    assert refusal("AWS::Logs::LogGroup", {"RetentionInDays": days}) is None


@pytest.mark.parametrize("days", [8, "8"])
def test_what_is_no_choice_is_refused_as_number_and_as_text(days):
    with pytest.raises(Refused, match="is not one of"):
        registry_schema.check("AWS::Logs::LogGroup", "us-east-2", {"RetentionInDays": days})


@pytest.mark.parametrize("days", [180, "180"])
def test_a_limit_takes_text(days):
    properties = {"KeyPolicy": POLICY, "EnableKeyRotation": "true", "RotationPeriodInDays": days}
    assert refusal("AWS::KMS::Key", properties) is None


@pytest.mark.parametrize("days", [1, "1", 99999, "99999"])
def test_what_is_over_a_limit_is_refused_as_number_and_as_text(days):
    properties = {"KeyPolicy": POLICY, "RotationPeriodInDays": days}
    with pytest.raises(Refused, match="than the m"):
        registry_schema.check("AWS::KMS::Key", "us-east-2", properties)
