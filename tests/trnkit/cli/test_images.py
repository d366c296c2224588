"""`trnkit images`: against an AWS of this process, and against none."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import threading
import time
from datetime import UTC, date, datetime, timedelta

import pytest
import yaml
from botocore.exceptions import NoCredentialsError

from tests.synthesis import ROOT
from tests.trnkit.aws.published import BASE, published
from trnkit.aws.ec2 import Ec2Gateway
from trnkit.aws.failures import failure_from
from trnkit.aws.ssm import SsmGateway
from trnkit.config import load_image_lock

TODAY = datetime.now(UTC).date()
CLUSTER = """\
version: 1
name: {name}
region: {region}
compute:
  node_groups:
    - name: train
      instance_type: {instance_type}
      count: 2
      image:
        ssm_parameter: {parameter}
        lock_file: {lock}
budget:
  limit_usd: 100000
  scope: account
  emails: [ml@example.org]
"""


@pytest.fixture
def aws():
    with published() as place:
        yield place


@pytest.fixture
def write(folder):
    """Write a cluster file."""

    def with_keys(file="cluster.yaml", **keys):
        places = {"us-east-2": "trn2.48xlarge", "us-west-2": "trn1.32xlarge"}
        region = keys.setdefault("region", "us-east-2")
        usual = {
            "name": "locked",
            "parameter": BASE,
            "lock": "images.lock",
            "instance_type": places.get(region, "trn2.48xlarge"),
        }
        (folder / file).write_text(CLUSTER.format(**usual | keys))
        return folder / file

    return with_keys


@pytest.fixture
def no_answer(monkeypatch):
    """Every call fails; says how many there were."""
    calls = []

    def refuse(self, name):
        calls.append(name)
        error = NoCredentialsError()
        raise failure_from(error, service="ssm", operation="GetParameter", region="us-east-2")

    monkeypatch.setattr(SsmGateway, "parameter", refuse)
    return calls


def entries(folder, name="images.lock"):
    return {(i.ssm_parameter, i.region): i for i in load_image_lock(folder / name).images}


def test_from_no_lock_to_templates_that_may_be_made(aws, trnkit, folder, write):
    image_id = aws.image()
    aws.parameter(image_id)
    write()
    ran = trnkit("check", "cluster.yaml")
    assert (ran.code, "there is no such file" in ran.out) == (1, True)
    ran = trnkit("images", "refresh", "cluster.yaml")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines() == [
        "images.lock",
        f"  us-east-2  {BASE}",
        "    old   none",
        f"    new   {image_id}  Neuron SDK 2.32.0  made 2026-08-18  Base (Ubuntu 24.04) 20260818",
        "",
        "1 image changed; wrote images.lock",
        "next: read the difference, commit it, deploy; running nodes keep their image",
    ]
    image = entries(folder)[BASE, "us-east-2"]
    assert (image.ami_id, image.neuron_sdk, image.created) == (image_id, "2.32.0", "2026-08-18")
    assert image.instance_families == ("Inf2", "Trn1", "Trn1n", "Trn2", "Trn3")
    assert (image.architecture, image.root_device_name) == ("x86_64", "/dev/sda1")
    assert image.resolved == TODAY.isoformat()
    assert "TRN28" not in trnkit("check", "cluster.yaml").out
    assert trnkit("check", "cluster.yaml").code == 0


def test_ami_03_a_newer_image_is_shown_and_written_only_by_a_refresh(aws, trnkit, folder, write):
    old, new = aws.image(), aws.image(name="newer", description="Neuron SDK 2.33.0.")
    aws.parameter(old)
    write()
    assert trnkit("images", "refresh", "cluster.yaml").code == 0
    assert trnkit("images", "refresh", "cluster.yaml", "--check").code == 0
    aws.parameter(new)
    before = (folder / "images.lock").read_bytes()
    assert trnkit("check", "cluster.yaml").code == 0
    ran = trnkit("images", "refresh", "cluster.yaml", "--check")
    assert ran.code == 1
    assert f"    old   {old}  Neuron SDK 2.32.0" in ran.out
    assert f"    new   {new}  Neuron SDK 2.33.0" in ran.out
    assert ran.out.endswith(
        "out of date: 1 image changed; `trnkit images refresh cluster.yaml` writes them\n"
    )
    assert (folder / "images.lock").read_bytes() == before
    assert trnkit("images", "refresh", "cluster.yaml").code == 0
    assert entries(folder)[BASE, "us-east-2"].ami_id == new


def test_what_says_the_same_is_not_written_again(aws, trnkit, folder, write):
    aws.parameter(aws.image())
    write()
    trnkit("images", "refresh", "cluster.yaml")
    before = (folder / "images.lock").stat()
    ran = trnkit("images", "refresh", "cluster.yaml")
    assert "    same  ami-" in ran.out
    assert ran.out.endswith("0 images changed; wrote nothing\n")
    after = (folder / "images.lock").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_the_day_moves_when_the_image_stays(aws, trnkit, folder, write):
    aws.parameter(aws.image())
    write()
    trnkit("images", "refresh", "cluster.yaml")
    path = folder / "images.lock"
    path.write_text(path.read_text().replace(TODAY.isoformat(), "2026-01-05"))
    ran = trnkit("images", "refresh", "cluster.yaml", "--check")
    assert (ran.code, ran.out.splitlines()[-1]) == (0, "up to date")
    ran = trnkit("images", "refresh", "cluster.yaml")
    assert ran.out.endswith("0 images changed; wrote images.lock\n")
    assert entries(folder)[BASE, "us-east-2"].resolved == TODAY.isoformat()


def test_clusters_of_two_regions_share_a_lock(aws, trnkit, folder, write):
    (folder / "west").mkdir()
    aws.parameter(aws.image())
    aws.parameter(aws.image("us-west-2"), region="us-west-2")
    write("east.yaml", name="east")
    write("west/west.yaml", name="west", region="us-west-2", lock="../images.lock")
    assert trnkit("images", "refresh", "east.yaml").code == 0
    assert set(entries(folder)) == {(BASE, "us-east-2")}
    assert trnkit("images", "refresh", "west/west.yaml").code == 0
    assert set(entries(folder)) == {(BASE, "us-east-2"), (BASE, "us-west-2")}
    both = trnkit("images", "refresh", "east.yaml", "west/west.yaml", "--format", "json")
    content = json.loads(both.out)
    assert [entry["region"] for entry in content["entries"]] == ["us-east-2", "us-west-2"]
    assert {entry["lock_file"] for entry in content["entries"]} == {"images.lock"}
    assert trnkit("check", "east.yaml", "west/west.yaml").code == 0


EKS = "/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/neuron/recommended/image_id"
ECS = "/aws/service/ecs/optimized-ami/amazon-linux-2023/neuron/recommended/image_id"
BAKED = "/imagebuilder/trnkit/pretrain"


@pytest.mark.parametrize(
    ("parameter", "name"),
    [
        (EKS, "amazon-eks-node-al2023-x86_64-neuron-1.34-v20260714"),
        (ECS, "al2023-ami-ecs-neuron-hvm-2023.0.20260801-kernel-6.1-x86_64"),
        (BAKED, "pretrain-Images-ImagePipeline-2026-09-01T06-12-00.000Z"),
    ],
)
def test_images_of_services_and_of_one_s_own_are_locked_like_those_of_neuron(
    aws, trnkit, folder, write, parameter, name
):
    """What their descriptions do not tell is left out, and no rule guesses it."""
    image_id = aws.image(name=name, description="Kubernetes or nothing at all")
    aws.parameter(image_id, name=parameter)
    write(parameter=parameter)
    ran = trnkit("images", "refresh", "cluster.yaml")
    assert (ran.code, ran.err) == (0, "")
    (locked,) = entries(folder).values()
    assert (locked.ami_id, locked.name, locked.created) == (image_id, name, "2026-08-18")
    assert (locked.neuron_sdk, locked.instance_families) == (None, None)
    assert trnkit("images", "refresh", "cluster.yaml", "--check").code == 0
    found = json.loads(trnkit("images", "list", "cluster.yaml", "--format", "json").out)
    assert [image["behind"] for image in found["images"]] == [False]
    assert "older Neuron SDK" not in trnkit("images", "list", "cluster.yaml").out


def test_one_lock_holds_several_parameters_in_several_regions(aws, trnkit, folder, write):
    for region in ("us-east-2", "us-west-2"):
        for number, parameter in enumerate((BASE, EKS)):
            aws.parameter(aws.image(region, name=f"image {number}"), parameter, region)
    for number, (region, parameter) in enumerate(
        (region, parameter) for region in ("us-east-2", "us-west-2") for parameter in (BASE, EKS)
    ):
        write(f"{number}.yaml", name=f"cluster{number}", region=region, parameter=parameter)
    files = [f"{number}.yaml" for number in range(4)]
    assert trnkit("images", "refresh", *files).code == 0
    assert set(entries(folder)) == {
        (parameter, region) for region in ("us-east-2", "us-west-2") for parameter in (BASE, EKS)
    }


def test_an_image_with_an_older_sdk_is_pointed_out(aws, trnkit, folder, write):
    aws.parameter(aws.image())
    write()
    trnkit("images", "refresh", "cluster.yaml")
    ran = trnkit("images", "list", "cluster.yaml")
    assert "1 image has an older Neuron SDK than 2.33.0" in ran.out
    assert "(of 2026-10-19)" in ran.out
    path = folder / "images.lock"
    path.write_text(path.read_text().replace("2.32.0", "2.33.0"))
    assert "older Neuron SDK" not in trnkit("images", "list", "cluster.yaml").out


OLD_LOCK = """\
version: 1
images:
  - ssm_parameter: {parameter}
    region: us-east-2
    ami_id: ami-00000000000000001
    resolved: "2026-03-01"
"""


def test_a_lock_from_before_keeps_working(aws, trnkit, folder, write):
    write()
    (folder / "images.lock").write_text(OLD_LOCK.format(parameter=BASE))
    assert trnkit("check", "cluster.yaml").code == 0
    ran = trnkit("images", "list", "cluster.yaml")
    assert ran.code == 0
    assert "older Neuron SDK" not in ran.out


def test_what_other_clusters_locked_stays_as_it_is(aws, trnkit, folder, write):
    aws.parameter(aws.image())
    other = {
        "ssm_parameter": "/theirs",
        "region": "eu-north-1",
        "ami_id": "ami-0123456789abcdef0",
        "resolved": "2025-12-24",
    }
    (folder / "images.lock").write_text(yaml.safe_dump({"version": 1, "images": [other]}))
    write()
    trnkit("images", "refresh", "cluster.yaml")
    images = entries(folder)
    assert images["/theirs", "eu-north-1"].model_dump(exclude_none=True) == other
    assert list(images) == [(BASE, "us-east-2"), ("/theirs", "eu-north-1")], "sorted"


def test_a_file_in_json_for_a_pipeline(aws, trnkit, folder, write):
    image_id = aws.image()
    aws.parameter(image_id)
    write()
    content = json.loads(trnkit("images", "refresh", "cluster.yaml", "--format", "json").out)
    assert (content["schema"], content["findings"], content["check"]) == (1, [], False)
    assert (content["stale"], content["written"]) == (True, ["images.lock"])
    (entry,) = content["entries"]
    assert (entry["changed"], entry["old"], entry["new"]["ami_id"]) == (True, None, image_id)
    ran = trnkit("images", "refresh", "cluster.yaml", "--check", "--format", "json")
    content = json.loads(ran.out)
    assert (ran.code, content["stale"], content["written"]) == (0, False, [])


def test_nothing_is_written_when_one_of_two_regions_gives_no_answer(aws, trnkit, folder, write):
    aws.parameter(aws.image())
    write("east.yaml", name="east", lock="east.lock")
    write("west.yaml", name="west", lock="west.lock", region="us-west-2")
    ran = trnkit("images", "refresh", "east.yaml", "west.yaml")
    assert (ran.code, ran.out) == (3, "")
    assert f"for {BASE} found nothing (ParameterNotFound" in ran.err
    assert sorted(path.name for path in folder.iterdir()) == ["east.yaml", "west.yaml"]


def test_no_credentials_is_exit_code_3_and_the_lock_stays(trnkit, folder, write, no_answer):
    write()
    ran = trnkit("images", "refresh", "cluster.yaml")
    assert (ran.code, ran.out) == (3, "")
    assert ran.err.startswith("error: ssm GetParameter in us-east-2 needs credentials")
    assert "aws sso login" in ran.err
    content = json.loads(trnkit("images", "refresh", "cluster.yaml", "--format", "json").out)
    assert (content["kind"], content["findings"]) == ("no-credentials", [])
    assert not (folder / "images.lock").exists()


def test_a_parameter_that_holds_no_id_is_exit_code_1(aws, trnkit, folder, write):
    aws.parameter('{"image_id": "ami-1"}')
    write()
    ran = trnkit("images", "refresh", "cluster.yaml")
    assert (ran.code, ran.out) == (1, "")
    assert "no id of an image; name one that holds an id alone" in ran.err
    assert not (folder / "images.lock").exists()


@pytest.mark.parametrize("verb", [("list",), ("refresh",), ("refresh", "--check")], ids=" ".join)
@pytest.mark.parametrize(
    ("content", "code", "message"),
    [
        (b"", 1, "the file is empty"),
        (b"\x00", 1, "U+0000"),
        (b"version: 1\nimages: [1]\n", 1, "images[0] must be a section"),
        (b"version: 1\nimages: []\nversion: 1\n", 1, "stands twice"),
        (b"<<<<<<< HEAD\n", 1, "merge conflict"),
    ],
)
def test_a_broken_lock_is_told_and_left_alone(
    trnkit, folder, write, no_answer, verb, content, code, message
):
    write()
    (folder / "images.lock").write_bytes(content)
    ran = trnkit("images", *verb, "cluster.yaml")
    assert ran.code == code, ran
    assert message in ran.out
    assert "images.lock:" in ran.out
    assert (folder / "images.lock").read_bytes() == content
    assert no_answer == []


@pytest.mark.parametrize("verb", [("list",), ("refresh",), ("refresh", "--check")], ids=" ".join)
@pytest.mark.parametrize("lock", ["loop", "folder", "pipe", "loop/x"])
def test_a_lock_that_is_no_file_is_told_and_left_alone(
    trnkit, folder, write, no_answer, verb, lock
):
    (folder / "loop").symlink_to("loop")
    (folder / "folder").mkdir()
    os.mkfifo(folder / "pipe")
    write(lock=lock)
    before = sorted(path.name for path in folder.iterdir())
    ran = trnkit("images", *verb, "cluster.yaml")
    assert ran.code == 1, ran
    assert "image.lock_file is" in ran.out
    assert sorted(path.name for path in folder.iterdir()) == before
    assert no_answer == []


def test_a_missing_folder_is_told_before_aws_is_asked(trnkit, folder, write, no_answer):
    write(lock="locks/images.lock")
    ran = trnkit("images", "refresh", "cluster.yaml")
    assert (ran.code, ran.out) == (2, "")
    assert "its folder does not exist; create the folder first" in ran.err
    assert no_answer == []


def test_a_region_that_is_none_is_told_before_aws_is_asked(trnkit, write, no_answer):
    write(region="mars", instance_type="trn2.48xlarge")
    ran = trnkit("images", "refresh", "cluster.yaml")
    assert (ran.code, ran.out) == (2, "")
    assert "region 'mars' is no Region" in ran.err
    assert no_answer == []


@pytest.mark.parametrize("verb", ["list", "refresh"])
def test_a_file_without_a_lock_says_how_to_name_one(trnkit, cluster_file, verb):
    ran = trnkit("images", verb, "cluster.yaml")
    assert (ran.code, ran.out) == (2, "")
    assert "write `image:` and below it `lock_file: images.lock`" in ran.err


@pytest.mark.parametrize("verb", ["list", "refresh"])
@pytest.mark.parametrize("path", ["", "nowhere.yaml", "loop", "a" * 300, "with\0nul", "-", "."])
def test_a_cluster_file_that_cannot_be_read_is_exit_code_2(trnkit, folder, no_answer, verb, path):
    (folder / "loop").symlink_to("loop")
    for report_format in ("text", "json"):
        ran = trnkit("images", verb, path, "--format", report_format)
        assert ran.code == 2, ran
        assert "internal error" not in ran.err
    content = json.loads(ran.out)
    assert content["findings"] or content["failure"]
    assert no_answer == []


def test_a_link_to_a_lock_stays_a_link(aws, trnkit, folder, write):
    aws.parameter(aws.image())
    (folder / "shared").mkdir()
    (folder / "images.lock").symlink_to("shared/images.lock")
    write()
    assert trnkit("images", "refresh", "cluster.yaml").code == 0
    assert (folder / "images.lock").is_symlink()
    assert entries(folder / "shared")[BASE, "us-east-2"]
    assert sorted(p.name for p in (folder / "shared").iterdir()) == ["images.lock"]


def test_a_write_that_fails_leaves_the_old_lock_whole(aws, trnkit, folder, write, monkeypatch):
    aws.parameter(aws.image())
    write()
    trnkit("images", "refresh", "cluster.yaml")
    before = (folder / "images.lock").read_bytes()
    aws.parameter(aws.image(name="newer"))

    def refuse(self, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", refuse)
    ran = trnkit("images", "refresh", "cluster.yaml")
    assert (ran.code, ran.out) == (2, "")
    assert "cannot be written: No space left on device" in ran.err
    assert (folder / "images.lock").read_bytes() == before
    assert sorted(path.name for path in folder.iterdir()) == ["cluster.yaml", "images.lock"]


def test_the_lock_gets_ordinary_permissions(aws, trnkit, folder, write):
    aws.parameter(aws.image())
    write()
    trnkit("images", "refresh", "cluster.yaml")
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE((folder / "images.lock").stat().st_mode) == 0o666 & ~mask


def test_a_list_counts_days_and_points_out_what_is_old(aws, trnkit, folder, write):
    aws.parameter(aws.image())
    write()
    trnkit("images", "refresh", "cluster.yaml")
    path = folder / "images.lock"
    day = TODAY - timedelta(days=100)
    path.write_text(path.read_text().replace(TODAY.isoformat(), day.isoformat()))
    ran = trnkit("images", "list", "cluster.yaml")
    assert ran.code == 0
    heading, row = ran.out.splitlines()[:2]
    words = " ".join(heading.split())
    assert words == "REGION PARAMETER AMI NEURON SDK MADE RESOLVED DAYS LOCK"
    assert row.split()[-2:] == ["100", "images.lock"]
    assert "1 image was asked for more than 90 days ago" in ran.out
    assert "`trnkit images refresh --check cluster.yaml`" in ran.out
    ran = trnkit("images", "list", "cluster.yaml", "--max-age-days", "100")
    assert "days ago" not in ran.out
    (image,) = json.loads(trnkit("images", "list", "cluster.yaml", "--format", "json").out)[
        "images"
    ]
    assert (image["age_days"], image["old"], image["groups"]) == (100, True, ["train"])
    assert image["locked"]["resolved"] == day.isoformat()


def test_a_list_without_a_lock_says_what_is_missing(trnkit, write, no_answer):
    write()
    ran = trnkit("images", "list", "cluster.yaml")
    assert ran.code == 1
    assert ran.out.splitlines()[1].split()[2] == "missing"
    assert "TRN281" in ran.out
    content = json.loads(trnkit("images", "list", "cluster.yaml", "--format", "json").out)
    assert [finding["rule_id"] for finding in content["findings"]] == ["TRN281"]
    assert (content["images"][0]["locked"], content["images"][0]["age_days"]) == (None, None)
    assert no_answer == []


def test_a_check_has_no_clock(trnkit, folder, write, monkeypatch):
    entry = {
        "ssm_parameter": BASE,
        "region": "us-east-2",
        "ami_id": "ami-00000000000000001",
        "resolved": date(2001, 1, 1).isoformat(),
    }
    (folder / "images.lock").write_text(yaml.safe_dump({"version": 1, "images": [entry]}))
    write()
    old = trnkit("check", "cluster.yaml")
    entry["resolved"] = "2999-12-31"
    (folder / "images.lock").write_text(yaml.safe_dump({"version": 1, "images": [entry]}))
    assert trnkit("check", "cluster.yaml") == old
    assert old.code == 0


@pytest.mark.parametrize("command", ["check", "images list"])
def test_what_asks_nobody_imports_no_boto3(command):
    example = str(ROOT / "examples" / "locked-image.yaml")
    code = (
        "import sys; from trnkit.cli.main import run;"
        f"code = run([*{command!r}.split(), {example!r}]);"
        "print(code, [m for m in ('boto3', 'botocore', 'trnkit.aws') if m in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert ran.stdout.splitlines()[-1] == "0 []", ran.stderr


def test_an_example_brings_its_lock(trnkit, folder):
    ran = trnkit("init", "mine.yaml", "--example", "locked-image")
    assert ran.out.startswith("wrote mine.yaml and images.lock\n")
    assert (folder / "images.lock").read_text() == (ROOT / "examples/images.lock").read_text()
    ran = trnkit("check", "mine.yaml")
    assert (ran.code, "TRN284" in ran.out) == (0, True)


@pytest.mark.parametrize("hangs", ["parameter", "images"])
def test_a_call_that_hangs_costs_the_time_and_writes_nothing(
    aws, trnkit, folder, write, monkeypatch, hangs
):
    aws.parameter(aws.image())
    write()
    gateway = {"parameter": SsmGateway, "images": Ec2Gateway}[hangs]
    monkeypatch.setattr(gateway, hangs, lambda *asked: threading.Event().wait())
    began = time.monotonic()
    ran = trnkit("images", "refresh", "cluster.yaml", "--timeout", "1")
    assert (ran.code, time.monotonic() - began < 10) == (3, True)
    assert "got no answer in time" in ran.err
    assert not (folder / "images.lock").exists()


def test_a_lock_behind_a_redirection_is_refused_before_aws_is_asked(
    no_answer, trnkit, folder, write
):
    (folder / "images.lock").write_text(before := "version: 1\nimages: []\n")
    with (folder / "images.lock").open() as stream:
        (folder / "other.lock").symlink_to(f"/dev/fd/{stream.fileno()}")
        write(lock="other.lock")
        ran = trnkit("images", "refresh", "cluster.yaml")
    assert (ran.code, ran.out, no_answer) == (2, "", [])
    assert "name a file on disk" in ran.err
    assert (folder / "images.lock").read_text() == before
