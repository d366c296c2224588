"""What holds for every check: it passes, it is denied, throttled, and in an empty account."""

from __future__ import annotations

import re

import pytest

from tests.trnkit.operations.preflight.conftest import IMPORTED, make_cluster
from tests.trnkit.operations.preflight.fake_account import (
    DENIED,
    THROTTLED,
    Refusal,
    answers,
    empty_account,
)
from trnkit.aws.permissions import read_operations
from trnkit.aws.service_quotas import LIST_SERVICE_QUOTAS
from trnkit.operations.preflight.check import list_checks

RESERVATION = {
    "CapacityReservationId": "cr-0123456789abcdef0",
    "OwnerId": "111122223333",
    "InstanceType": "trn2.48xlarge",
    "InstancePlatform": "Linux/UNIX",
    "AvailabilityZoneId": "use2-az3",
    "Tenancy": "default",
    "TotalInstanceCount": 4,
    "AvailableInstanceCount": 0,
    "State": "active",
    "InstanceMatchCriteria": "targeted",
}
RESERVED = {
    "capacity": {
        "type": "on-demand-reservation",
        "capacity_reservation_id": "cr-0123456789abcdef0",
    }
}
NODES = {
    "Reservations": [
        {
            "Instances": [
                {
                    "InstanceType": "trn2.48xlarge",
                    "CapacityReservationId": "cr-0123456789abcdef0",
                    "Tags": [{"Key": "trnkit-cluster", "Value": "pretrain"}],
                }
            ]
            * 4
        }
    ]
}
TYPE = {
    "InstanceType": "trn9.48xlarge",
    "VCpuInfo": {"DefaultVCpus": 384},
    "ProcessorInfo": {"SupportedArchitectures": ["x86_64"]},
}
ANSWERS = {
    "image": {"DescribeInstanceTypes": {"InstanceTypes": [TYPE]}},
    "vcpu-quota": {
        "GetServiceQuota": Refusal("NoSuchResourceException"),
        "GetAWSDefaultServiceQuota": {"Quota": {"Value": 5000.0}},
        "DescribeInstanceTypes": {"InstanceTypes": [TYPE]},
    },
    "reservation": {
        "DescribeCapacityReservations": {"CapacityReservations": [RESERVATION]},
        "DescribeInstances": NODES,
    },
    "subnets": {
        "DescribeInstances": {
            "Reservations": [
                {
                    "Instances": [
                        instance | {"SubnetId": "subnet-0123456789abcdef0"}
                        for instance in NODES["Reservations"][0]["Instances"]
                    ]
                }
            ]
        },
        "DescribeSubnets": {
            "Subnets": [
                {
                    "SubnetId": "subnet-0123456789abcdef0",
                    "VpcId": "vpc-0123456789abcdef0",
                    "AvailabilityZoneId": "use2-az3",
                    "AvailableIpAddressCount": 0,
                }
            ]
        },
    },
    "ways-out": {
        "DescribeRouteTables": {
            "RouteTables": [{"RouteTableId": "rtb-0123456789abcdef0", "Routes": []}]
        },
        "DescribeVpcEndpoints": {
            "VpcEndpoints": [
                {
                    "VpcEndpointId": f"vpce-{service}",
                    "ServiceName": f"com.amazonaws.us-east-2.{service}",
                    "VpcEndpointType": kind,
                    "State": "available",
                    "PrivateDnsEnabled": kind == "Interface",
                    "RouteTableIds": ["rtb-0123456789abcdef0"] if kind == "Gateway" else [],
                }
                for service, kind in (
                    ("s3", "Gateway"),
                    *(
                        (name, "Interface")
                        for name in ("autoscaling", "ec2", "ssm", "ssmmessages", "logs")
                    ),
                )
            ]
        },
    },
}
NEW = ({"instance_type": "trn9.48xlarge"}, {"capacity": {"type": "spot"}, "count": 1})
CLUSTERS = {
    "image": make_cluster(*NEW),
    "vcpu-quota": make_cluster(*NEW),
    "reservation": make_cluster(RESERVED),
    "subnets": make_cluster(network=IMPORTED),
    "ways-out": make_cluster(network=IMPORTED),
}
"""Files and accounts with which a check asks all that it may ever ask."""

CHECKS = list_checks()
ASKED = [(check, operation) for check in CHECKS for operation in check.needs]


def whole(check):
    return CLUSTERS.get(check.name, make_cluster()), answers(**ANSWERS.get(check.name, {}))


def by_name(value):
    return getattr(value, "name", None)


def test_the_checks_are_these():
    assert [f"{check.id} {check.name}" for check in CHECKS] == [
        "TRN901 account",
        "TRN902 credentials",
        "TRN903 bootstrap",
        "TRN904 zone",
        "TRN905 offering",
        "TRN906 vcpu-quota",
        "TRN907 reservation",
        "TRN908 image",
        "TRN909 subnets",
        "TRN910 ways-out",
        "TRN911 stack-names",
    ]


@pytest.mark.parametrize("check", CHECKS, ids=by_name)
def test_a_check_documents_itself(check):
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", check.name)
    assert check.source.startswith("https://docs.aws.amazon.com/")
    assert check.why.endswith(".")
    assert not check.title.endswith(".")


@pytest.mark.parametrize("check", CHECKS, ids=by_name)
def test_it_passes_and_asks_all_that_it_declares(check, ask):
    cluster, told = whole(check)
    done = ask(check.name, cluster, told)
    assert done.status == "ok", done.results
    asked = {name for _, name, _ in ask.sessions[0].asked}
    assert asked == {operation.name for operation in check.needs}


def test_all_that_the_policy_allows_is_asked_by_a_check_or_by_the_catalogue_s_refresh():
    by_checks = {operation for _, operation in ASKED}
    assert set(read_operations()) - by_checks == {LIST_SERVICE_QUOTAS}


@pytest.mark.parametrize(("check", "operation"), ASKED, ids=by_name)
def test_a_denied_permission_is_unknown_and_named(check, operation, ask):
    cluster, told = whole(check)
    done = ask(check.name, cluster, told | {operation.name: DENIED})
    assert done.status == "unknown"
    unknown = [result for result in done.results if result.status == "unknown"]
    action = operation.permission or f"{operation.service}:{operation.name}"
    for result in unknown:
        assert f"let the role or user call {action}" in result.remedy
        assert "trnkit iam-policy" in result.remedy


@pytest.mark.parametrize(("check", "operation"), ASKED, ids=by_name)
def test_a_throttled_call_is_unknown(check, operation, ask):
    cluster, told = whole(check)
    done = ask(check.name, cluster, told | {operation.name: THROTTLED})
    assert done.status == "unknown"
    assert any("was throttled" in result.message for result in done.results)


EMPTY = {
    "account": ("ok", "us-east-2 accepts the credentials"),
    "credentials": ("ok", "temporary credentials of a role"),
    "bootstrap": ("fail", "us-east-2 is not bootstrapped for the CDK"),
    "zone": ("fail", "zone use2-az3 is none of 0 in us-east-2"),
    "offering": ("fail", "use2-az3 does not offer trn2.48xlarge; no zone of us-east-2 does"),
    "vcpu-quota": ("unknown", "GetAWSDefaultServiceQuota in us-east-2 for L-2C3B7624"),
    "reservation": ("fail", "this account sees no reservation cr-0123456789abcdef0"),
    "image": ("fail", "us-east-2 has no parameter /aws/service/neuron"),
    "subnets": ("fail", "this account sees no subnet subnet-0123456789abcdef0"),
    "ways-out": ("unknown", "cannot be judged: the account does not see it"),
    "stack-names": ("ok", "no stack is named pretrain-Network in us-east-2"),
}


@pytest.mark.parametrize("name", EMPTY)
def test_an_empty_account(name, ask):
    cluster = CLUSTERS[name] if name in ("reservation", "subnets", "ways-out") else None
    done = ask(name, cluster, empty_account())
    status, words = EMPTY[name]
    assert done.status == status
    assert words in done.results[0].message


@pytest.mark.parametrize("check", CHECKS, ids=by_name)
def test_whatever_fails_says_what_to_do(check, ask):
    done = ask(check.name, CLUSTERS.get(check.name), empty_account())
    for result in done.results:
        assert (result.status == "ok") == (result.remedy is None)
        assert result.message[0].islower() or result.message.split()[0].rstrip(",").isalnum()
        assert not result.message.endswith(".")
