"""The AWS of these tests is like AWS: its answers fit, and botocore reads what was meant."""

from __future__ import annotations

from datetime import UTC, datetime

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError
from moto.core.utils import get_service_model

from tests.aws_server.account import EMULATED
from tests.aws_server.faults import Fault, Rule, faulty_reply
from tests.aws_server.wire import Question, read_as_botocore_does, reply_with
from tests.trnkit.operations.preflight.situations import answers, empty_account
from trnkit.aws.failures import FailureKind, failure_from
from trnkit.aws.permissions import read_operations

MOMENT = datetime(2027, 3, 1, 11, 30, tzinfo=UTC)
# One operation of each protocol, and an answer with lists, numbers, moments and awkward letters.
SAMPLES = {
    "ec2": (
        "ec2",
        "DescribeCapacityBlockOfferings",
        {
            "CapacityBlockOfferings": [
                {"CapacityBlockOfferingId": "cb-1", "InstanceCount": 4, "StartDate": MOMENT},
                {"CapacityBlockOfferingId": "cb-2", "UpfrontFee": "1.50", "CurrencyCode": "USD"},
            ],
            "NextToken": "more",
        },
    ),
    "query": (
        "cloudformation",
        "ListExports",
        {"Exports": [{"Name": "a<b>&c", "Value": "subnet-1"}], "NextToken": "2"},
    ),
    "json": (
        "pricing",
        "GetProducts",
        {"FormatVersion": "aws_v1", "PriceList": ['{"sku": "A"}'], "NextToken": "x"},
    ),
    "rest-json": (
        "efs",
        "DescribeMountTargets",
        {"MountTargets": [], "Marker": "m"},
    ),
}


def question(service, operation):
    return Question(
        service=service, operation=operation, region="us-east-2", access_key="A", parameters={}
    )


@pytest.mark.parametrize("protocol", SAMPLES)
def test_what_a_client_reads_is_what_was_answered(protocol):
    service, operation, answer = SAMPLES[protocol]
    assert get_service_model(service).protocol == protocol
    asked = question(service, operation)
    assert read_as_botocore_does(asked, reply_with(asked, answer)) == answer


def test_every_operation_that_trnkit_may_ask_is_answered_in_its_shape(server):
    """Whatever is told as a value; what is told by a function is held to its shape when asked."""
    told = server.answers
    for operation in read_operations():
        name = f"{operation.service}.{operation.name}"
        assert name in told or name in EMULATED, f"nobody answers {name}"
        asked = question(operation.service, operation.name)
        for world in (told, answers(), empty_account()):
            answer = world.get(name, world.get(operation.name))
            if isinstance(answer, dict):
                read = read_as_botocore_does(asked, reply_with(asked, answer))
                assert _without_empty(answer) == _without_empty(read)


def _without_empty(told):
    """Some services leave empty lists out, and some send them."""
    return {name: value for name, value in told.items() if value not in ([], {}, None)}


def test_an_answer_that_aws_could_not_give_is_refused():
    asked = question("service-quotas", "GetServiceQuota")
    with pytest.raises(AssertionError, match=r"Invalid type for parameter Quota\.Value"):
        reply_with(asked, {"Quota": {"Value": "many"}})
    with pytest.raises(AssertionError, match="has no"):
        reply_with(asked, {"Qouta": {}})


KINDS = {
    Fault.THROTTLED: FailureKind.THROTTLED,
    Fault.DENIED: FailureKind.DENIED,
    Fault.DENIED_BY_ORGANIZATION: FailureKind.DENIED_BY_ORGANIZATION,
    Fault.NOT_ACCEPTED: FailureKind.NOT_ACCEPTED,
    Fault.REGION_OFF: FailureKind.REGION_OFF,
    Fault.EXPIRED: FailureKind.EXPIRED,
    Fault.SERVER_ERROR: FailureKind.UNREACHABLE,
}


@pytest.mark.parametrize("fault", KINDS)
@pytest.mark.parametrize("protocol", SAMPLES)
def test_each_refusal_is_understood_in_each_protocol(fault, protocol):
    service, operation, _ = SAMPLES[protocol]
    asked = question(service, operation)
    reply = faulty_reply(fault, asked)
    read = read_as_botocore_does(asked, reply)
    metadata = {"ResponseMetadata": {"HTTPStatusCode": reply.status}}
    failure = failure_from(
        ClientError(read | metadata, operation),
        service=service,
        operation=operation,
        region="us-east-2",
    )
    assert failure.kind is KINDS[fault]
    assert failure.code
    assert "arn:aws" not in str(failure)


def test_a_write_is_seen_for_what_it_is(server):
    """Or the assertion that nothing is written would hold of anything."""
    client = boto3.client(
        "ec2",
        region_name="us-east-2",
        endpoint_url=server.endpoint,
        config=Config(retries={"total_max_attempts": 1}),
    )
    with server.wrong(Rule(fault=Fault.DENIED)) as calls, pytest.raises(ClientError):
        client.purchase_capacity_block(
            CapacityBlockOfferingId="cb-0123456789abcdef0", InstancePlatform="Linux/UNIX"
        )
    (call,) = calls
    assert (call.question.service, call.question.operation) == ("ec2", "PurchaseCapacityBlock")
    assert call.question.parameters["CapacityBlockOfferingId"] == "cb-0123456789abcdef0"
    assert call.fault is Fault.DENIED


def test_an_operation_that_nobody_answers_is_a_problem_of_the_test(server):
    client = boto3.client(
        "sns",
        region_name="us-east-2",
        endpoint_url=server.endpoint,
        config=Config(retries={"total_max_attempts": 1}),
    )
    with server.wrong(), pytest.raises(ClientError):
        client.add_permission(TopicArn="a", Label="b", AWSAccountId=["1"], ActionName=["Publish"])
    problems, server.problems = server.problems, []
    assert problems


def test_refusals_of_the_account_come_with_their_status(server):
    client = boto3.client("cloudformation", region_name="us-east-2", endpoint_url=server.endpoint)
    with server.wrong(), pytest.raises(ClientError, match="does not exist") as raised:
        client.describe_stacks(StackName="pretrain-Network")
    assert raised.value.response["Error"]["Code"] == "ValidationError"
