"""What the gateways ask, and what becomes of the answers."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime

import boto3
import pytest
from botocore.stub import Stubber

from tests.trnkit.aws.published import BASE, TOLD
from trnkit.aws.ec2 import Ec2Gateway
from trnkit.aws.failures import AwsFailure, FailureKind
from trnkit.aws.session import AwsSession
from trnkit.aws.ssm import SsmGateway


class Stubbed(AwsSession):
    """A session whose one client answers as told."""

    def __init__(self, service):
        super().__init__()
        self._client = boto3.client(service, region_name="us-east-2")
        self.answers = Stubber(self._client)

    def client(self, service, region):
        return self._client


def test_a_parameter(aws):
    aws.parameter("ami-0123456789abcdef0")
    value = SsmGateway(AwsSession(), "us-east-2").parameter(BASE)
    assert (value.name, value.value, value.version) == (BASE, "ami-0123456789abcdef0", 1)
    assert value.last_modified == datetime(2026, 8, 21, tzinfo=UTC)
    with pytest.raises(dataclasses.FrozenInstanceError):
        value.value = "other"


def test_a_version_of_a_parameter(aws):
    aws.parameter("ami-00000000000000001")
    aws.parameter("ami-00000000000000002")
    gateway = SsmGateway(AwsSession(), "us-east-2")
    assert gateway.parameter(BASE).value == "ami-00000000000000002"
    assert gateway.parameter(f"{BASE}:1").value == "ami-00000000000000001"
    with pytest.raises(AwsFailure) as caught:
        gateway.parameter(f"{BASE}:7")
    assert caught.value.kind is FailureKind.NOT_FOUND


def test_cap_15_a_parameter_of_another_region_is_not_found(aws):
    aws.parameter("ami-0123456789abcdef0", region="us-west-2")
    with pytest.raises(AwsFailure) as caught:
        SsmGateway(AwsSession(), "us-east-2").parameter(BASE)
    failure = caught.value
    assert (failure.kind, failure.code) == (FailureKind.NOT_FOUND, "ParameterNotFound")
    assert (failure.service, failure.operation, failure.region) == (
        "ssm",
        "GetParameter",
        "us-east-2",
    )
    assert f"for {BASE} found nothing" in str(failure)


def test_images(aws):
    first, second = aws.image(), aws.image(name="other", description="")
    found = Ec2Gateway(AwsSession(), "us-east-2").images([first, second])
    assert list(found) == [first, second]
    image = found[first]
    assert (image.name, image.description) == ("Base (Ubuntu 24.04) 20260818", TOLD)
    assert image.creation_date.startswith("2026-08-18")
    assert (image.architecture, image.root_device_name) == ("x86_64", "/dev/sda1")
    assert image.root_volume_size_gib


def test_an_image_that_is_not_there(aws):
    with pytest.raises(AwsFailure) as caught:
        Ec2Gateway(AwsSession(), "us-east-2").images(["ami-0123456789abcdef0"])
    assert caught.value.kind is FailureKind.NOT_FOUND
    assert "ami-0123456789abcdef0" in str(caught.value)


def test_only_the_volume_of_the_root_device_counts():
    session = Stubbed("ec2")
    mappings = [
        {"DeviceName": "/dev/sdb", "VirtualName": "ephemeral0"},
        {"DeviceName": "/dev/sdf", "Ebs": {"VolumeSize": 7}},
        {"DeviceName": "/dev/sda1", "Ebs": {"VolumeSize": 105}},
    ]
    image = {"ImageId": "ami-1", "RootDeviceName": "/dev/sda1", "BlockDeviceMappings": mappings}
    asked = {"ImageIds": ["ami-1", "ami-2", "ami-3"], "IncludeDeprecated": True}
    answer = {"Images": [image, image | {"ImageId": "ami-2", "RootDeviceName": "/dev/sdb"}]}
    answer["Images"].append({"ImageId": "ami-3"})
    session.answers.add_response("describe_images", answer, asked)
    with session.answers:
        found = Ec2Gateway(session, "us-east-2").images(asked["ImageIds"])
    assert [i.root_volume_size_gib for i in found.values()] == [105, None, None]
    assert found["ami-3"].name is None


def test_one_client_for_each_service_and_region(aws):
    session = AwsSession()
    assert session.client("ssm", "us-east-2") is session.client("ssm", "us-east-2")
    assert session.client("ssm", "us-east-2") is not session.client("ssm", "us-west-2")


def test_time_limits_and_retries(aws):
    config = AwsSession().client("ssm", "us-east-2").meta.config
    assert (config.connect_timeout, config.read_timeout) == (5, 20)
    assert (config.retries["mode"], config.retries["total_max_attempts"]) == ("standard", 5)
    assert "trnkit/" in config.user_agent_extra


def test_a_throttled_call_is_tried_again(monkeypatch):
    """With the real HTTP layer below: moto and Stubber stand above the retries."""
    from botocore.awsrequest import AWSResponse
    from botocore.httpsession import URLLib3Session

    tried = []

    class Raw:
        def stream(self):
            yield b'{"__type": "ThrottlingException", "message": "Rate exceeded"}'

    def send(self, request):
        tried.append(request.url)
        return AWSResponse(request.url, 400, {}, Raw())

    monkeypatch.setattr(URLLib3Session, "send", send)
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    with pytest.raises(AwsFailure) as caught:
        SsmGateway(AwsSession(), "us-east-2").parameter(BASE)
    assert caught.value.kind is FailureKind.THROTTLED
    assert len(tried) == 5
