"""Instance types, offerings and quotas: what is asked, and what becomes of the answers."""

from __future__ import annotations

import boto3
import pytest
from botocore.stub import Stubber

from tests.trnkit.aws.described import DENIED, DescribedAws
from tests.trnkit.operations.preflight import fake_account
from tests.trnkit.operations.preflight.fake_account import FakeAccount, Refusal
from trnkit.aws.failures import AwsFailure, FailureKind
from trnkit.aws.identities import without_identities
from trnkit.aws.instance_types import InstanceTypeGateway
from trnkit.aws.service_quotas import ServiceQuotasGateway
from trnkit.aws.session import AwsSession

REGION = "us-east-2"


class Stubbed(AwsSession):
    """A session whose one client answers as told; the stub holds answers to botocore's shapes."""

    def __init__(self, service):
        super().__init__()
        self._client = boto3.client(service, region_name=REGION)
        self.answers = Stubber(self._client)

    def client(self, service, region):
        assert (service, region) == (self._client.meta.service_model.service_name, REGION)
        return self._client


def test_types_come_from_all_pages_and_only_with_neuron_chips():
    session = Stubbed("ec2")
    neuron = {"NeuronDevices": [{"Count": 1, "Name": "Trainium9"}]}
    first = [{"InstanceType": "trn2u.48xlarge"}, {"InstanceType": "m7i.large"}, {}]
    second = [{"InstanceType": "zz1.large", "NeuronInfo": neuron}, {"InstanceType": "inf1.xlarge"}]
    answer = {"InstanceTypes": first, "NextToken": "more"}
    session.answers.add_response("describe_instance_types", answer, {"MaxResults": 100})
    asked = {"MaxResults": 100, "NextToken": "more"}
    session.answers.add_response("describe_instance_types", {"InstanceTypes": second}, asked)
    with session.answers:
        found = InstanceTypeGateway(session, REGION).neuron_types()
    assert [one.name for one in found] == ["inf1.xlarge", "trn2u.48xlarge", "zz1.large"]
    assert found[2].entry["NeuronInfo"] == neuron
    session.answers.assert_no_pending_responses()


def test_offerings_are_asked_by_200_names_at_most():
    session = Stubbed("ec2")
    names = [f"trn9.{number}xlarge" for number in range(201)]
    for values, place in ((names[:200], "use2-az3"), (names[200:], "use2-az1")):
        offered = {"InstanceType": values[0], "Location": place}
        session.answers.add_response(
            "describe_instance_type_offerings",
            {"InstanceTypeOfferings": [offered, offered]},
            {
                "LocationType": "availability-zone-id",
                "Filters": [{"Name": "instance-type", "Values": values}],
                "MaxResults": 100,
            },
        )
    with session.answers:
        found = InstanceTypeGateway(session, REGION).offerings(names, "availability-zone-id")
    assert found == {"trn9.0xlarge": ("use2-az3",), "trn9.200xlarge": ("use2-az1",)}


def test_quotas_of_other_codes_are_skipped():
    session = Stubbed("service-quotas")
    quotas = [{"QuotaCode": "L-1", "Value": 7.0}, {"QuotaCode": "L-2", "Value": 8.0}]
    session.answers.add_response(
        "list_service_quotas",
        {"Quotas": [*quotas, {"QuotaCode": "L-3"}]},
        {"ServiceCode": "ec2", "MaxResults": 100},
    )
    with session.answers:
        found = ServiceQuotasGateway(session, REGION).applied("ec2", {"L-1", "L-3"})
    assert found == {"L-1": 7.0}


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1.0, "many", "1_000", [], True])
def test_a_quota_of_no_number_is_no_answer(value, monkeypatch):
    # What stands between may send what AWS's own shape forbids; boto3 hands it on.
    monkeypatch.setattr(fake_account, "validate_parameters", lambda *_: None)
    told = {"QuotaCode": "L-1", "Value": value}

    def gateway(**answers):
        return ServiceQuotasGateway(FakeAccount(answers), REGION)

    absent = Refusal("NoSuchResourceException")
    asks = [
        lambda: gateway(GetServiceQuota={"Quota": told}).quota("ec2", "L-1"),
        lambda: gateway(GetServiceQuota=absent, GetAWSDefaultServiceQuota={"Quota": told}).quota(
            "ec2", "L-1"
        ),
        lambda: gateway(GetAWSDefaultServiceQuota={"Quota": told}).default("ec2", "L-1"),
        lambda: gateway(ListServiceQuotas={"Quotas": [told]}).applied("ec2", {"L-1"}),
    ]
    operations = []
    for ask in asks:
        with pytest.raises(AwsFailure) as caught:
            ask()
        assert caught.value.kind is FailureKind.UNUSABLE
        assert f"for L-1 was answered with nothing that can be used (the value is {value!r})" in (
            str(caught.value)
        )
        operations.append(caught.value.operation)
    default = "GetAWSDefaultServiceQuota"
    assert operations == ["GetServiceQuota", default, default, "ListServiceQuotas"]


@pytest.mark.parametrize(
    ("operation", "permission"),
    [
        ("ListServiceQuotas", "servicequotas:ListServiceQuotas"),
        ("GetAWSDefaultServiceQuota", "servicequotas:GetAWSDefaultServiceQuota"),
        ("DescribeInstanceTypes", "ec2:DescribeInstanceTypes"),
        ("DescribeInstanceTypeOfferings", "ec2:DescribeInstanceTypeOfferings"),
    ],
)
def test_a_refusal_names_the_permission_as_iam_does_and_nobody_s_id(operation, permission):
    session = DescribedAws()
    session.refuse(operation, "AccessDeniedException", DENIED, status=403)
    types, quotas = InstanceTypeGateway(session, REGION), ServiceQuotasGateway(session, REGION)
    ask = {
        "DescribeInstanceTypes": types.neuron_types,
        "DescribeInstanceTypeOfferings": lambda: types.offerings(["trn2.48xlarge"], "region"),
        "ListServiceQuotas": lambda: quotas.applied("ec2", {"L-2C3B7624"}),
        "GetAWSDefaultServiceQuota": lambda: quotas.default("ec2", "L-2C3B7624"),
    }
    with pytest.raises(AwsFailure) as caught:
        ask[operation]()
    assert (caught.value.kind, caught.value.operation) == (FailureKind.DENIED, operation)
    assert f"let the role or user call {permission}" in str(caught.value)
    assert "arn:" not in str(caught.value)
    assert "1234" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "User: arn:aws-us-gov:iam::123456789012:user/x is not authorized",
            "User: (an ARN) is not authorized",
        ),
        (
            "the account 123456789012, or 1234567890123",
            "the account (an account), or 1234567890123",
        ),
        ("Encoded authorization failure message: aBc-_9 at noon", " at noon"),
        ("nothing to hide in L-2C3B7624", "nothing to hide in L-2C3B7624"),
    ],
)
def test_words_without_identities(text, said):
    assert without_identities(text) == said
