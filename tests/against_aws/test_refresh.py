"""`trnkit catalog refresh` and `trnkit images refresh` against an AWS over the network."""

from __future__ import annotations

import shutil

from tests.aws_server.faults import Fault, Rule
from tests.aws_server.server import operations_of
from tests.synthesis import ROOT
from trnkit.aws.permissions import read_operations

READS = {(operation.service, operation.name) for operation in read_operations()}


def test_the_catalogue_is_refreshed_from_pages_of_ec2_s_own_types(aws, trnkit, tmp_path):
    news = tmp_path / "types.json"
    done = trnkit(
        "catalog", "refresh", "--region", "us-east-2", "--output", str(news), "--format", "json"
    )
    assert done.code == 0, done.stdout[-2000:]
    told = done.json()
    assert told["complete"]
    assert {one["name"] for one in told["instance_types"]} >= {"trn1.32xlarge", "trn2.48xlarge"}
    assert news.exists() == told["written"]
    pages = [c for c in aws.calls if c.question.operation == "DescribeInstanceTypes"]
    assert len(pages) > 3
    assert operations_of(aws.calls) <= READS


def test_a_region_that_does_not_answer_costs_no_file_that_looks_complete(aws, trnkit, tmp_path):
    news = tmp_path / "types.json"
    cut = Rule(fault=Fault.HALF, operation="DescribeInstanceTypes", region="us-west-2")
    regions = ("--region", "us-west-2", "--region", "us-east-2")
    with aws.wrong(cut):
        done = trnkit("catalog", "refresh", *regions, "--output", str(news), "--format", "json")
    assert done.code != 0
    told = done.json()
    assert not told["complete"]
    (silent,) = (one for one in told["regions"] if one["region"] == "us-west-2")
    assert "Unable to parse response" in silent["unanswered"][0]["message"]
    assert not news.exists()


def test_the_images_of_a_lock_are_refreshed(aws, trnkit, tmp_path):
    for name in ("locked-image.yaml", "images.lock"):
        shutil.copy(ROOT / "examples" / name, tmp_path / name)
    before = (tmp_path / "images.lock").read_text(encoding="utf-8")
    done = trnkit("images", "refresh", str(tmp_path / "locked-image.yaml"), "--format", "json")
    assert done.code == 0, done.stdout
    assert (tmp_path / "images.lock").read_text(encoding="utf-8") != before
    assert operations_of(aws.calls) == {("ec2", "DescribeImages"), ("ssm", "GetParameter")}
    assert operations_of(aws.calls) <= READS


def test_a_denied_parameter_leaves_the_lock_as_it_was(aws, trnkit, tmp_path):
    for name in ("locked-image.yaml", "images.lock"):
        shutil.copy(ROOT / "examples" / name, tmp_path / name)
    before = (tmp_path / "images.lock").read_text(encoding="utf-8")
    with aws.wrong(Rule(fault=Fault.DENIED, service="ssm")):
        done = trnkit("images", "refresh", str(tmp_path / "locked-image.yaml"), "--format", "json")
    assert done.code == 3
    assert "let the role or user call ssm:GetParameter" in done.json()["failure"]
    assert (tmp_path / "images.lock").read_text(encoding="utf-8") == before
