"""A value that nobody can read costs its own answer, and is no mistake of ours."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime

import pytest
from botocore.awsrequest import AWSResponse

from trnkit.aws.ec2_spot import Ec2SpotGateway
from trnkit.aws.failures import AwsFailure, FailureKind
from trnkit.aws.gateway import Gateway
from trnkit.aws.pricing import PricingGateway
from trnkit.aws.session import AwsSession
from trnkit.aws.sts import GET_CALLER_IDENTITY, StsGateway

SCORES = (
    "<GetSpotPlacementScoresResponse><spotPlacementScoreSet><item><region>us-east-2</region>"
    "<availabilityZoneId>use2-az1</availabilityZoneId><score>{}</score></item>"
    "</spotPlacementScoreSet></GetSpotPlacementScoresResponse>"
)
PRICES = (
    "<DescribeSpotPriceHistoryResponse><spotPriceHistorySet><item>"
    "<instanceType>trn1.2xlarge</instanceType><spotPrice>0.4</spotPrice>"
    "<availabilityZone>us-east-2a</availabilityZone><timestamp>{}</timestamp></item>"
    "</spotPriceHistorySet></DescribeSpotPriceHistoryResponse>"
)
CALLER = (
    "<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>{}</Arn>"
    "<Account>111122223333</Account></GetCallerIdentityResult></GetCallerIdentityResponse>"
)


class Sent:
    """A body as urllib3 has it."""

    def __init__(self, text):
        self._body = text.encode()

    def stream(self):
        yield self._body


class Answering(AwsSession):
    """A session whose services answer one text, which botocore reads as always."""

    def __init__(self, text):
        super().__init__()
        self._text = text

    def client(self, service, region):
        client = super().client(service, region)
        client.meta.events.register_first(
            "before-send", lambda request, **_: AWSResponse(request.url, 200, {}, Sent(self._text))
        )
        return client


@pytest.fixture(autouse=True)
def credentials(monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.delenv("TRNKIT_DEBUG", raising=False)


def scores(text):
    gateway = Ec2SpotGateway(Answering(SCORES.format(text)), "us-east-2")
    return gateway.placement_scores("trn1.2xlarge", 1)


def spot_prices(text):
    gateway = Ec2SpotGateway(Answering(PRICES.format(text)), "us-east-2")
    return gateway.prices("trn1.2xlarge", datetime(2026, 11, 1, tzinfo=UTC))


def caller(text):
    return StsGateway(Answering(CALLER.format(text)), "us-east-2").caller()


def list_prices(row):
    gateway = PricingGateway(Answering(json.dumps({"PriceList": [row]})), "us-east-1")
    return gateway.on_demand_prices("trn1.2xlarge", date(2026, 11, 30))


@pytest.mark.parametrize(
    ("ask", "text", "operation", "words"),
    [
        (scores, "x3", "GetSpotPlacementScores", "cannot be read: ValueError"),
        (spot_prices, "tomorrow", "DescribeSpotPriceHistory", "cannot be read: ValueError"),
        (caller, "nobody", "GetCallerIdentity", "cannot be read: ValueError"),
        (list_prices, "[" * 100_000, "GetProducts", "a row of the price list cannot be read"),
        (list_prices, "[", "GetProducts", "a row of the price list cannot be read"),
    ],
)
def test_an_unreadable_value_makes_the_answer_unusable(ask, text, operation, words):
    with pytest.raises(AwsFailure) as caught:
        ask(text)
    failure = caught.value
    assert failure.kind is FailureKind.UNUSABLE
    assert failure.operation == operation
    assert words in str(failure)


def test_values_that_can_be_read_are_read():
    assert scores("3") == {"use2-az1": 3}
    assert len(spot_prices("2026-11-30T00:00:00Z")) == 1
    assert caller("arn:aws:iam::111122223333:user/me").name == "me"


def test_whoever_looks_for_the_place_gets_the_error_itself(monkeypatch):
    monkeypatch.setenv("TRNKIT_DEBUG", "1")
    with pytest.raises(ValueError, match="not enough values"):
        caller("nobody")


class Mistaken(Gateway):
    """A gateway with a mistake of ours before it asks."""

    service = "sts"
    operations = (GET_CALLER_IDENTITY,)

    def ask(self):
        return self._ask(GET_CALLER_IDENTITY)

    def ask_wrongly(self):
        return self._ask(GET_CALLER_IDENTITY, about=str(int("x")))


def test_a_mistake_of_ours_in_asking_is_no_failure_of_aws():
    gateway = Mistaken(Answering(CALLER.format("arn:aws:iam::111122223333:user/me")), "us-east-2")
    assert gateway.ask()["Account"] == "111122223333"
    with pytest.raises(ValueError, match="invalid literal"):
        gateway.ask_wrongly()


def test_what_breaks_in_botocore_before_there_is_an_answer_is_raised():
    session = Answering(CALLER.format("arn:aws:iam::111122223333:user/me"))

    def broken(**_):
        raise ValueError("a mistake")

    session.client("sts", "us-east-2").meta.events.register("before-call", broken)
    with pytest.raises(ValueError, match="a mistake"):
        Mistaken(session, "us-east-2").ask()
