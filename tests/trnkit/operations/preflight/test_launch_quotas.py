"""Quotas of what nodes are launched with: Auto Scaling groups, volumes, placement groups."""

from __future__ import annotations

import pytest

from tests.trnkit.operations.preflight.conftest import make_cluster
from tests.trnkit.operations.preflight.fake_account import OWN, Refusal, quota
from trnkit.operations.preflight.checks import launch_quotas

GIB = 4 * 512


def groups(number, most):
    return {
        "DescribeAccountLimits": {
            "NumberOfAutoScalingGroups": number,
            "MaxNumberOfAutoScalingGroups": most,
        }
    }


def own_groups(number):
    each = {
        "MinSize": 0,
        "MaxSize": 4,
        "DesiredCapacity": 4,
        "DefaultCooldown": 300,
        "AvailabilityZones": ["us-east-2b"],
        "HealthCheckType": "EC2",
        "CreatedTime": 0,
    }
    listed = [each | {"AutoScalingGroupName": f"group-{index}"} for index in range(number)]
    return {"DescribeAutoScalingGroups": {"AutoScalingGroups": listed}}


def volumes(*entries):
    return {"DescribeVolumes": {"Volumes": [{"VolumeId": "vol-1"} | entry for entry in entries]}}


def placements(number, own=0):
    each = {"GroupId": "pg-1", "GroupName": "x", "State": "available"}
    listed = [each] * (number - own) + [each | {"Tags": OWN}] * own
    return {"DescribePlacementGroups": {"PlacementGroups": listed}}


def the(done, words):
    (result,) = [result for result in done.results if words in result.message]
    return result


@pytest.mark.parametrize(
    ("number", "most", "own", "status", "words"),
    [
        (0, 2, 0, "ok", "takes 2 Auto Scaling groups, 2 of 2 with all else"),
        (0, 1, 0, "fail", "takes 2 Auto Scaling groups, and the quota has 1 left: 1 too few"),
        (498, 500, 0, "ok", "500 of 500"),
        (499, 500, 0, "fail", "1 left: 1 too few"),
        (500, 500, 0, "fail", "0 left: 2 too few"),
        (499, 500, 1, "ok", "takes 1 more Auto Scaling group, 500 of 500"),
        (500, 500, 1, "fail", "takes 1 more Auto Scaling group, and the quota has 0 left"),
        (500, 500, 2, "ok", "the cluster has its 2 Auto Scaling groups already"),
        (500, 500, 3, "ok", "already"),
    ],
)
def test_auto_scaling_groups(number, most, own, status, words, ask):
    done = ask("launch-quotas", make_cluster({}, {}), **groups(number, most), **own_groups(own))
    result = the(done, "Auto Scaling group")
    assert result.status == status
    assert words in result.message
    if status == "fail":
        assert "--service-code autoscaling --quota-code L-CDE20ADC" in result.command
        assert result.command.endswith(f"--desired-value {number + 2 - own}")


def test_only_the_cluster_s_own_groups_are_listed(ask):
    seen = []

    def answer(told, region):
        seen.append(told["Filters"])
        return {"AutoScalingGroups": []}

    ask("launch-quotas", DescribeAutoScalingGroups=answer)
    assert seen == [[{"Name": "tag:trnkit-cluster", "Values": ["pretrain"]}]]


@pytest.mark.parametrize("told", [{}, {"NumberOfAutoScalingGroups": 3}])
def test_limits_that_auto_scaling_does_not_tell_are_unknown(told, ask):
    done = ask("launch-quotas", DescribeAccountLimits=told)
    assert the(done, "Auto Scaling does not say").status == "unknown"


@pytest.mark.parametrize(
    ("there", "tib", "status", "desired"),
    [
        ([], 2.0, "ok", None),
        ([], 1.0, "fail", 2),
        ([{"Size": 1024}], 3.0, "ok", None),
        # One GiB more than 3 TiB: the next whole TiB is what AWS can give.
        ([{"Size": 1025}], 3.0, "fail", 4),
        ([{"Size": 1024}, {"Size": 1024}], 3.0, "fail", 4),
        ([{"Size": 512, "Tags": OWN}], 2.0, "ok", None),
        ([{"Size": 512, "Tags": OWN}, {"Size": 1}], 2.0, "fail", 3),
        ([{"Size": 9000}], 5.0, "fail", 11),
    ],
)
def test_storage_of_volumes_to_the_gib(there, tib, status, desired, ask):
    done = ask("launch-quotas", **volumes(*there), GetServiceQuota=quota(tib))
    result = the(done, "gp3 volumes")
    assert result.status == status
    if desired:
        assert result.command == (
            "aws service-quotas request-service-quota-increase --region us-east-2 --service-code "
            f"ebs --quota-code L-7A658B76 --desired-value {desired}"
        )


def test_root_and_additional_volumes_of_all_groups_add_up(ask):
    extra = [{"device_name": "/dev/sdf", "size_gib": 1024}]
    cluster = make_cluster(
        {"count": 1, "root_volume_size_gib": 512},
        {"count": 2, "root_volume_size_gib": 256, "additional_volumes": extra},
    )
    done = ask("launch-quotas", cluster, **volumes(), GetServiceQuota=quota(3.0))
    assert "takes 3072 GiB on gp3 volumes, 3072 of 3072" in the(done, "gp3 volumes").message


def test_nodes_that_run_have_their_volumes(ask):
    told = volumes(*[{"Size": 512, "Tags": OWN}] * 4)
    done = ask("launch-quotas", **told, GetServiceQuota=Refusal("InternalError"))
    assert the(done, "gp3").message == "the cluster has its 2048 GiB on gp3 volumes already"


def test_only_gp3_volumes_are_asked_for(ask):
    seen = []

    def answer(told, region):
        seen.append(told["Filters"])
        return {"Volumes": []}

    ask("launch-quotas", DescribeVolumes=answer)
    assert seen == [[{"Name": "volume-type", "Values": ["gp3"]}]]


@pytest.mark.parametrize(
    ("number", "tib", "status"),
    [(3, 50.0, "ok"), (4, 50.0, "unknown"), (4, 1.0, "fail")],
)
def test_more_volumes_than_are_read_are_unknown_and_no_failure_less(
    number, tib, status, monkeypatch, ask
):
    monkeypatch.setattr(launch_quotas, "_MOST_VOLUMES", 3)
    told = volumes(*[{"Size": 1}] * number)
    done = ask("launch-quotas", **told, GetServiceQuota=quota(tib))
    result = the(done, "gp3 volumes")
    assert result.status == status
    if status == "unknown":
        assert "us-east-2 has more than 3 gp3 volumes" in result.message
        assert "get-service-quota --region us-east-2 --service-code ebs" in result.look


def test_a_cluster_without_nodes_takes_no_storage(ask):
    done = ask("launch-quotas", make_cluster({"count": 0}))
    assert len(done.results) == 1
    assert "DescribeVolumes" not in {name for _, name, _ in ask.sessions[0].asked}


@pytest.mark.parametrize(
    ("number", "own", "status"),
    [(498, 0, "ok"), (499, 0, "warning"), (499, 1, "ok"), (500, 1, "warning"), (500, 2, "ok")],
)
def test_placement_groups_are_a_warning_at_the_most(number, own, status, ask):
    done = ask("launch-quotas", make_cluster({}, {}), **placements(number, own))
    result = the(done, "placement group")
    assert result.status == status
    if status == "warning":
        assert "AWS documents 500 at most" in result.message
        assert result.look.startswith("aws ec2 describe-placement-groups --region us-east-2")


def test_nodes_without_a_placement_group_ask_for_none(ask):
    ask("launch-quotas", make_cluster({"placement": {"cluster": False}}))
    assert "DescribePlacementGroups" not in {name for _, name, _ in ask.sessions[0].asked}
