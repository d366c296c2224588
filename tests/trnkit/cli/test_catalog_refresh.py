"""`trnkit catalog refresh`: against AWS's own data, and against what AWS might say tomorrow."""

from __future__ import annotations

import copy
import json
import re
import time
from datetime import UTC, date, datetime

import pytest
import yaml

from tests.synthesis import ROOT
from tests.trnkit.aws.described import DENIED, EXAMPLE, DescribedAws
from trnkit.aws.session import AwsSession
from trnkit.catalog import find_instance_type, zone_ids_offering
from trnkit.operations.catalog_refresh import asking
from trnkit.operations.catalog_refresh.refreshing import refresh_catalog

pytestmark = pytest.mark.usefixtures("no_added_types")

TODAY = datetime.now(UTC).date().isoformat()
NEW = json.loads(EXAMPLE.read_text())["InstanceTypes"][0]
NAME = NEW["InstanceType"]
OPERATIONS = {
    ("ec2", "DescribeInstanceTypes"),
    ("ec2", "DescribeInstanceTypeOfferings"),
    ("servicequotas", "ListServiceQuotas"),
    ("servicequotas", "GetAWSDefaultServiceQuota"),
}
CLUSTER = {
    "name": "preview",
    "region": "us-east-2",
    "instance_types_file": "types.json",
    "compute": {"node_groups": [{"name": "train", "instance_type": NAME, "count": 2}]},
    "budget": {"limit_usd": 100000, "scope": "account", "emails": ["ml@example.com"]},
}


@pytest.fixture
def aws(monkeypatch):
    """What AWS has, to be changed; every client of the command asks it."""
    there = DescribedAws()
    monkeypatch.setattr(AwsSession, "client", lambda self, *asked: there.client(*asked))
    return there


@pytest.fixture
def new_type(aws):
    """A type that the catalogue does not know, in two zones of us-east-2."""
    types, zones = aws.region("us-east-2")
    ours = {key: value for key, value in NEW.items() if key != "trnkit"}
    types[NAME], zones[NAME] = copy.deepcopy(ours), ["use2-az1", "use2-az3"]
    return types[NAME]


@pytest.fixture
def refresh(trnkit):
    """Run the command for one Region or several."""

    def call(*arguments, regions=("us-east-2",)):
        named = [part for region in regions for part in ("--region", region)]
        return trnkit("catalog", "refresh", *named, *arguments)

    return call


@pytest.fixture
def report(refresh):
    """The same as JSON."""

    def call(*arguments, **options):
        ran = refresh("--format", "json", *arguments, **options)
        return ran.code, json.loads(ran.out)

    return call


@pytest.fixture
def check_cluster(trnkit, folder):
    """Check a cluster file beside the refreshed one; returns its findings by rule."""

    def call(**keys):
        (folder / "cluster.yaml").write_text(yaml.safe_dump(CLUSTER | keys))
        content = json.loads(trnkit("check", "cluster.yaml", "--format", "json").out)
        return {f["rule_id"]: f for f in content["findings"] if f["severity"] != "info"}

    return call


def groups(instance_type):
    return {"node_groups": [{"name": "train", "instance_type": instance_type, "count": 2}]}


def of(content, name=NAME):
    (found,) = (one for one in content["instance_types"] if one["name"] == name)
    return found


def test_aws_s_own_data_agrees_with_the_catalogue(monkeypatch, report, folder):
    """moto's 1395 types and its offerings are what EC2 answered; it has no list of quotas."""
    from moto import mock_aws

    ask, quotas = AwsSession.client, DescribedAws()

    def client(self, service, region):
        if service == "ec2":
            return ask(self, service, region)
        return quotas.client(service, region)

    with mock_aws():
        monkeypatch.setattr(AwsSession, "client", client)
        code, content = report("--check")
    assert (code, content["stale"], content["complete"]) == (0, False, True)
    statuses = {one["name"]: one["status"] for one in content["instance_types"]}
    assert {n: s for n, s in statuses.items() if s != "same"} == dict.fromkeys(
        ("inf1.24xlarge", "inf1.2xlarge", "inf1.6xlarge", "inf1.xlarge"), "left out"
    )
    assert statuses["trn2.48xlarge"] == "same"


def test_only_the_documented_operations_are_called_and_none_of_them_writes(aws, refresh):
    assert refresh(regions=("us-east-2", "us-west-2")).code == 0
    called = {operation for _, operation in aws.called}
    assert called == {operation for _, operation in OPERATIONS}
    assert all(re.match("Describe|List|Get", operation) for operation in called)
    page = (ROOT / "docs" / "catalog-refresh.md").read_text()
    named = set(re.findall(r"`([a-z0-9]+):([A-Z][A-Za-z]+)`", page))
    assert named == OPERATIONS
    policy = json.loads(re.search(r"```json\n(\{\s+\"Version\".*?)```", page, re.DOTALL)[1])
    (statement,) = policy["Statement"]
    assert set(statement["Action"]) == {f"{prefix}:{name}" for prefix, name in OPERATIONS}
    words = " ".join(refresh("--help").out.split())
    assert all(f"{prefix}:{name}" in words for prefix, name in OPERATIONS)


def test_a_new_type_is_usable_with_the_file_and_without_a_zone_by_hand(
    new_type, refresh, check_cluster, folder
):
    ran = refresh("--output", "types.json")
    assert ran.code == 0
    assert f"{NAME}  new\n" in ran.out
    assert f"zones of us-east-2: catalogue unknown, AWS use2-az1, use2-az3 ({TODAY})" in (ran.out)
    assert not {"TRN201", "TRN240", "TRN102"} & set(check_cluster())
    outside = check_cluster(network={"availability_zone_id": "use2-az2"})["TRN102"]
    assert "use2-az1 or use2-az3" in outside["message"]
    assert outside["evidence"] == f"instance_types_file, offerings of us-east-2 ({TODAY})"
    (folder / "types.json").unlink()
    assert "TRN005" in check_cluster()


def test_a_cluster_of_a_new_type_is_built_from_the_file(new_type, refresh, folder, synthesize):
    from trnkit.config import load_cluster
    from trnkit.layout.zones import compute_zone_id

    refresh("--output", "types.json")
    (folder / "cluster.yaml").write_text(yaml.safe_dump(CLUSTER))
    cluster = load_cluster("cluster.yaml")
    assert compute_zone_id(cluster.config) == "use2-az1"
    kind = find_instance_type(NAME)
    assert (kind.maximum_efa_interfaces, kind.date) == (16, TODAY)


def test_other_families_count_when_they_have_neuron_chips(aws, new_type, report):
    types, _ = aws.region("us-east-2")
    other = copy.deepcopy(new_type) | {"InstanceType": "zz1.48xlarge"}
    types["zz1.48xlarge"] = other
    types["zz2.48xlarge"] = {**other, "InstanceType": "zz2.48xlarge", "NeuronInfo": {}}
    code, content = report()
    names = {one["name"] for one in content["instance_types"]}
    assert (code, "zz1.48xlarge" in names, "zz2.48xlarge" in names) == (0, True, False)


def test_odd_fields_of_a_new_type_do_no_harm(aws, new_type, refresh, folder, check_cluster):
    new_type["NeuronInfo"]["NeuronDevices"][0]["Name"] = "Trainium9"
    new_type["SupportedUsageClasses"] = ["on-demand", "lunar-lease"]
    new_type["PlacementGroupInfo"] = {"SupportedStrategies": []}
    del new_type["MemoryInfo"]
    assert refresh("--output", "types.json").code == 0
    (entry,) = json.loads((folder / "types.json").read_text())["InstanceTypes"]
    assert "BareMetal" not in entry, "what no cluster is built from is left out"
    assert entry["SupportedUsageClasses"] == ["lunar-lease", "on-demand"]
    assert "TRN005" not in check_cluster()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda e: e["NetworkInfo"].pop("EfaInfo"), "must have EfaInfo"),
        (lambda e: e.pop("VCpuInfo"), "VCpuInfo: field required"),
        (lambda e: e["NetworkInfo"].update(NetworkCards=[]), "NetworkInfo.NetworkCards"),
    ],
    ids=["no EFA limit", "no vCPUs", "no cards"],
)
def test_a_new_type_without_what_is_needed_is_told_and_not_written(
    aws, new_type, refresh, folder, change, words
):
    change(new_type)
    ran = refresh("--output", "types.json")
    assert f"{NAME}  unusable\n" in ran.out
    assert words.lower() in ran.out.lower()
    content = json.loads((folder / "types.json").read_text())
    assert content["InstanceTypes"] == []
    assert content["trnkit"]["offerings"] == {}


def test_a_known_type_in_another_zone_counts_for_who_names_the_file_only(
    aws, refresh, check_cluster
):
    aws.region("us-east-2")[1]["trn1.32xlarge"] = ["use2-az1"]
    ran = refresh("--output", "types.json")
    assert f"zones of us-east-2: catalogue use2-az3 (2026-11-30), AWS use2-az1 ({TODAY})" in ran.out
    wanted = {"network": {"availability_zone_id": "use2-az1"}, "compute": groups("trn1.32xlarge")}
    assert "TRN102" not in check_cluster(**wanted)
    assert "TRN102" in check_cluster(**wanted, instance_types_file=None)
    assert zone_ids_offering("trn1.32xlarge", "us-west-2"), "other regions stay"


def test_clusters_are_built_with_their_own_file_only(aws, refresh, folder):
    from trnkit.layout.zones import compute_zone_id
    from trnkit.operations.checking import check_files

    aws.region("us-east-2")[1]["trn1.32xlarge"] = ["use2-az1"]
    refresh("--output", "types.json")
    for name, file in (("new", "types.json"), ("old", None)):
        keys = {"name": name, "instance_types_file": file, "compute": groups("trn1.32xlarge")}
        (folder / f"{name}.yaml").write_text(yaml.safe_dump(CLUSTER | keys))
    found = check_files(["new.yaml", "old.yaml"])
    zones = {c.config.name: compute_zone_id(c.config) for c in found.clusters_in_turn()}
    assert zones == {"new": "use2-az1", "old": "use2-az3"}


def test_a_fact_that_changed_is_told_with_both_values_and_dates_and_taken(
    aws, refresh, check_cluster
):
    aws.region("us-east-2")[0]["trn2.48xlarge"]["VCpuInfo"]["DefaultVCpus"] = 384
    ran = refresh("--output", "types.json")
    line = f"vcpus: catalogue 192 (2026-11-30), AWS 384 ({TODAY}, us-east-2): taken"
    assert line in ran.out
    check_cluster(compute=groups("trn2.48xlarge"))
    kind = find_instance_type("trn2.48xlarge")
    assert (kind.vcpus, kind.device_memory_gib_per_chip, kind.date) == (384, 96, TODAY)
    assert kind.rdma_write, "what EC2 cannot say stays"


def test_what_aws_has_wrong_is_said_and_never_taken(aws, refresh, report, check_cluster):
    entry = aws.region("us-east-2")[0]["trn2.48xlarge"]
    entry["VCpuInfo"]["DefaultVCpus"] = 384
    entry["NeuronInfo"]["NeuronDevices"][0]["MemoryInfo"]["SizeInMiB"] = 700 * 1024
    _, content = report("--output", "types.json")
    (dispute,) = of(content, "trn2.48xlarge")["disputes"]
    assert (dispute["shipped"], dispute["live"], dispute["still"]) == (96, 700, False)
    assert "stays 96: AWS says 700 now" in refresh().out
    check_cluster(compute=groups("trn2.48xlarge"))
    kind = find_instance_type("trn2.48xlarge")
    assert (kind.vcpus, kind.device_memory_gib_per_chip) == (384, 96)


def test_a_disputed_fact_stays_whatever_aws_says(aws, report, check_cluster):
    types, _ = aws.region("ap-south-2")
    assert "trn2u.48xlarge" in types
    types["trn2u.48xlarge"]["SupportedUsageClasses"] = ["capacity-block", "on-demand", "spot"]
    code, content = report("--check", regions=["ap-south-2"])
    told = of(content, "trn2u.48xlarge")
    assert (code, told["status"], told["facts"]) == (0, "same", [])
    assert {d["field"]: d["live"] for d in told["disputes"]}["usage_classes"] == [
        "capacity-block",
        "on-demand",
        "spot",
    ]
    types["trn2u.48xlarge"]["SupportedUsageClasses"] = ["on-demand", "rental"]
    code, content = report("--check", regions=["ap-south-2"])
    (fact,) = of(content, "trn2u.48xlarge")["facts"]
    assert (code, fact["taken"], fact["kept"]) == (1, False, "sources are known to disagree on it")


def test_words_are_added_by_a_region_and_never_taken_away(aws, report, check_cluster):
    entry = aws.region("us-east-2")[0]["trn2.48xlarge"]
    entry["SupportedUsageClasses"] = ["on-demand"]
    assert report("--check")[0] == 0, "spot and blocks may be elsewhere"
    entry["SupportedUsageClasses"] = ["on-demand", "rental"]
    _, content = report("--output", "types.json")
    (fact,) = of(content, "trn2.48xlarge")["facts"]
    assert (fact["field"], fact["taken"]) == ("usage_classes", True)
    check_cluster(compute=groups("trn2.48xlarge"))
    assert find_instance_type("trn2.48xlarge").usage_classes == (
        "capacity-block",
        "on-demand",
        "rental",
        "spot",
    )


def test_regions_that_disagree_are_not_believed(aws, report, folder):
    aws.region("us-east-2")[0]["trn1.32xlarge"]["VCpuInfo"]["DefaultVCpus"] = 130
    _, content = report("--output", "types.json", regions=["us-east-2", "us-west-2"])
    told = of(content, "trn1.32xlarge")
    assert told["problems"] == ["the regions that were asked do not agree on vcpus"]
    assert [(f["regions"], f["taken"]) for f in told["facts"]] == [(["us-east-2"], False)]
    assert json.loads((folder / "types.json").read_text())["InstanceTypes"] == []


def test_a_type_that_is_gone(aws, refresh, check_cluster):
    types, zones = aws.region("us-east-2")
    del types["trn1.32xlarge"], zones["trn1.32xlarge"]
    ran = refresh("--output", "types.json")
    assert "trn1.32xlarge  gone\n" in ran.out
    assert (
        "no zone of us-east-2 offers trn1.32xlarge"
        in (check_cluster(compute=groups("trn1.32xlarge"))["TRN102"]["message"])
    )
    assert refresh("--check").code == 1


def test_a_type_without_a_zone_is_not_taken_for_gone(aws, report, folder):
    aws.region("us-east-2")[1]["trn2.48xlarge"] = []
    aws.only_in_region["us-east-2"] = ["trn2.48xlarge"]
    _, content = report("--output", "types.json")
    (zone,) = of(content, "trn2.48xlarge")["zones"]
    assert zone["kept"] == "AWS offers it in the region and names no zone"
    assert json.loads((folder / "types.json").read_text())["trnkit"]["offerings"] == {}


def test_types_that_are_offered_nowhere_are_not_all_gone(aws, report):
    aws.region("us-east-2")[1].clear()
    code, content = report("--check")
    assert (code, content["stale"], content["instance_types"]) == (3, None, [])
    (one,) = content["regions"][0]["unanswered"]
    assert (one["kind"], one["operation"]) == ("unusable", "DescribeInstanceTypeOfferings")


def test_a_region_with_nothing_at_all_has_said_nothing(aws, report, folder):
    aws.types["us-east-2"], aws.zones["us-east-2"] = {}, {}
    aws.applied = {}
    code, content = report("--output", "types.json")
    assert (code, content["complete"], content["stale"]) == (3, False, None)
    assert (content["instance_types"], list(folder.iterdir())) == ([], [])
    (one,) = content["regions"][0]["unanswered"]
    assert (one["kind"], one["operation"]) == ("unusable", "DescribeInstanceTypes")
    assert "it is empty, and the catalogue has 8 instance types there" in one["message"]
    code, content = report("--check", regions=["eu-central-2"])
    assert (code, content["instance_types"]) == (0, []), "nothing there, and nothing was expected"


def test_quotas_are_compared_with_the_default_and_yours_is_shown(aws, refresh, report):
    aws.default["L-6B0D517C"] = 8.0
    ran = refresh("--check")
    assert ran.code == 1
    row = next(line.split("  ") for line in ran.out.splitlines() if "L-6B0D517C" in line)
    assert [cell.strip() for cell in row if cell.strip()][1:4] == ["0 (2026-11-30)", "8", "differs"]
    _, content = report()
    quotas = {one["quota_code"]: one for one in content["regions"][0]["quotas"]}
    assert quotas["L-2C3B7624"]["applied"] == 1152
    assert (quotas["L-1945791B"]["applied"], quotas["L-1945791B"]["differs"]) == (None, False)


def test_a_quota_that_a_region_lacks_or_cannot_tell(aws, report):
    aws.applied["L-2C3B7624"] = None
    aws.refuse("GetAWSDefaultServiceQuota", "NoSuchResourceException")
    code, content = report("--check")
    assert code == 0
    assert {one["default"] for one in content["regions"][0]["quotas"]} == {None}
    assert {one["applied"] for one in content["regions"][0]["quotas"]} == {None}


@pytest.mark.parametrize(
    ("operation", "permission"),
    [(name, f"{prefix}:{name}") for prefix, name in sorted(OPERATIONS) if prefix == "ec2"],
)
def test_a_region_that_refuses_is_told_and_nothing_is_written(
    aws, new_type, refresh, folder, operation, permission
):
    aws.refuse(operation, "UnauthorizedOperation", DENIED, region="us-west-2", status=403)
    ran = refresh("--output", "types.json", regions=["us-east-2", "us-west-2"])
    assert ran.code == 3
    assert f"let the role or user call {permission}" in ran.out
    assert "us-west-2: no answer about instance types; nothing of it is compared" in ran.out
    assert f"{NAME}  new" in ran.out, "what the other region said is told"
    assert "types.json is not written: it would look complete and is not" in ran.out
    assert list(folder.iterdir()) == []
    assert "arn:" not in ran.out
    assert "12345678" not in ran.out + ran.err
    assert "k3xQ" not in ran.out


@pytest.mark.parametrize("name", ["ListServiceQuotas", "GetAWSDefaultServiceQuota"])
def test_quotas_that_are_refused_do_not_hold_up_the_file(aws, new_type, refresh, folder, name):
    aws.refuse(name, "AccessDeniedException", DENIED, status=400)
    ran = refresh("--output", "types.json")
    assert ran.code == 3
    assert f"let the role or user call servicequotas:{name}" in ran.out
    assert "quotas unknown" in ran.out
    assert "arn:" not in ran.out
    assert NAME in (folder / "types.json").read_text(), "the file holds no quotas"


@pytest.mark.parametrize(
    ("code", "status", "kind"),
    [
        ("RequestLimitExceeded", 503, "throttled"),
        ("ExpiredToken", 400, "expired"),
        ("AuthFailure", 401, "not-accepted"),
        ("OptInRequired", 403, "region-off"),
        ("InternalError", 500, "unreachable"),
    ],
)
def test_every_kind_of_refusal_is_told_in_both_formats(aws, refresh, report, code, status, kind):
    aws.refuse("DescribeInstanceTypes", code, status=status)
    ended, content = report("--check")
    assert (ended, content["complete"], content["instance_types"]) == (3, False, [])
    assert content["stale"] is None
    (one,) = content["regions"][0]["unanswered"]
    assert (one["kind"], one["operation"]) == (kind, "DescribeInstanceTypes")
    for arguments in ((), ("--check",)):
        told = refresh(*arguments).out
        assert one["message"] in told
        assert "whether the catalogue is up to date is not known" in told
        assert "is up to date, as far" not in told


def test_an_answer_that_stops_in_the_middle_is_none(aws, new_type, report):
    aws.page = 3
    aws.refuse("DescribeInstanceTypes", "RequestLimitExceeded", status=503, page=3)
    code, content = report("--output", "types.json")
    assert (code, content["instance_types"], content["written"]) == (3, [], False)


def test_without_credentials_no_further_region_is_asked(trnkit, monkeypatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name)
    ran = trnkit("catalog", "refresh", "--region", "us-east-2", "--region", "us-west-2")
    assert ran.code == 3
    assert "sign in (`aws configure` or `aws sso login`), or set AWS_PROFILE" in ran.out
    assert "us-west-2 was not asked, for the same reason" in ran.out


@pytest.mark.parametrize(
    ("hangs", "known"),
    [
        ("DescribeInstanceTypes", False),
        ("DescribeInstanceTypeOfferings", False),
        ("ListServiceQuotas", True),
        ("GetAWSDefaultServiceQuota", True),
    ],
)
def test_a_call_that_hangs_costs_the_time_and_its_region(
    aws, new_type, report, folder, monkeypatch, hangs, known
):
    monkeypatch.setattr(asking, "_HEAD_START", 0.2)
    aws.hang(hangs, region="us-west-2")
    began = time.monotonic()
    code, content = report(
        "--timeout", "4", "--output", "types.json", regions=["us-west-2", "us-east-2"]
    )
    assert (code, time.monotonic() - began < 10) == (3, True)
    west, east = content["regions"]
    assert (west["types_answered"], west["complete"], east["complete"]) == (known, False, True)
    (one,) = west["unanswered"]
    assert (one["kind"], one["operation"]) == ("late", hangs)
    assert of(content)["status"] == "new", "what the other Region said is told"
    assert (folder / "types.json").exists() == known


def test_a_region_that_nobody_has_is_not_reached(trnkit, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    ran = trnkit("catalog", "refresh", "--region", "eu-central-9", "--check")
    assert ran.code == 3
    assert "got no answer" in ran.out


@pytest.mark.parametrize("region", ["us-esat-2", "us-east-2c", "", "us-east-2 "])
def test_a_region_that_can_be_none_is_refused_before_anything_is_asked(aws, refresh, region):
    ran = refresh(regions=["us-east-2", region])
    assert (ran.code, aws.called) == (2, [])
    assert "is no Region" in ran.err


def test_the_same_answers_make_the_same_bytes_in_any_order(aws, new_type, refresh, folder):
    refresh("--output", "one.json", regions=["us-east-2", "us-west-2"])
    aws.types["us-east-2"] = dict(reversed(aws.types["us-east-2"].items()))
    aws.region("us-east-2")[1][NAME].reverse()
    refresh("--output", "two.json", regions=["us-west-2", "us-east-2", "us-west-2"])
    one = (folder / "one.json").read_bytes()
    assert one == (folder / "two.json").read_bytes()
    assert json.loads(one)["trnkit"]["regions"] == ["us-east-2", "us-west-2"]
    assert (
        "says the same already"
        in refresh("--output", "one.json", regions=["us-east-2", "us-west-2"]).out
    )


def test_a_check_of_a_file_is_about_the_file(aws, new_type, refresh, folder):
    assert refresh("--check").code == 1
    assert refresh("--check", "--output", "types.json").code == 1
    assert list(folder.iterdir()) == []
    refresh("--output", "types.json")
    path = folder / "types.json"
    path.write_text(path.read_text().replace(TODAY, "2026-01-01"))
    before = path.read_bytes()
    ran = refresh("--check", "--output", "types.json")
    assert (ran.code, "types.json is up to date" in ran.out) == (0, True)
    aws.region("us-east-2")[1][NAME].append("use2-az2")
    ran = refresh("--check", "--output", "types.json")
    assert (ran.code, path.read_bytes()) == (1, before)


def test_what_a_person_added_stays(new_type, refresh, folder):
    refresh("--output", "types.json")
    path = folder / "types.json"
    content = json.loads(path.read_text())
    own = {"logical_neuroncore_sizes": [1, 4], "default_logical_neuroncore_size": 4}
    content["InstanceTypes"][0]["trnkit"] = own
    path.write_text(json.dumps(content))
    assert refresh("--output", "types.json").code == 0
    assert json.loads(path.read_text())["InstanceTypes"][0]["trnkit"] == own
    assert refresh("--check", "--output", "types.json").code == 0


@pytest.mark.parametrize("content", ["name: pretrain\n", "[]", "{", json.dumps([NEW]), ""])
def test_another_file_is_not_replaced(aws, refresh, folder, content):
    path = folder / "cluster.yaml"
    path.write_text(content)
    ran = refresh("--output", "cluster.yaml")
    assert (ran.code, aws.called, path.read_text()) == (2, [], content)
    assert "is no file of `trnkit catalog refresh`" in ran.err


def test_regions_of_the_file_are_not_lost(aws, refresh, folder):
    refresh("--output", "types.json", regions=["us-east-2", "us-west-2"])
    ran = refresh("--output", "types.json")
    assert ran.code == 2
    assert "add --region us-west-2" in ran.err


@pytest.mark.parametrize("output", ["nowhere/types.json", ".", ""])
def test_a_place_where_nothing_can_be_written(aws, refresh, output):
    ran = refresh("--output", output)
    assert (ran.code, aws.called) == (2, [])


def test_an_interrupted_write_leaves_the_file_as_it_was(
    aws, new_type, refresh, folder, monkeypatch
):
    refresh("--output", "types.json")
    before = (folder / "types.json").read_bytes()
    aws.region("us-east-2")[1][NAME].append("use2-az2")

    def interrupt(self, target):
        raise KeyboardInterrupt

    monkeypatch.setattr("pathlib.Path.replace", interrupt)
    assert refresh("--output", "types.json").code == 130
    assert (folder / "types.json").read_bytes() == before
    assert [path.name for path in folder.iterdir()] == ["types.json"]


def test_a_full_disk_is_told(new_type, refresh, folder, monkeypatch):
    def refuse(self, target):
        raise OSError(28, "No space left on device", str(target))

    monkeypatch.setattr("pathlib.Path.replace", refuse)
    ran = refresh("--output", "types.json")
    assert (ran.code, "No space left on device" in ran.err) == (2, True)
    assert list(folder.iterdir()) == []


def test_a_huge_answer_is_read_page_by_page_and_a_file_that_nobody_could_read_is_not_written(
    aws, new_type, refresh, report, folder
):
    types, _ = aws.region("us-east-2")
    plain = {"InstanceType": "m9.large", "VCpuInfo": {"DefaultVCpus": 2}}
    types.update({f"m9.{i}xlarge": plain | {"InstanceType": f"m9.{i}xlarge"} for i in range(3000)})
    code, content = report("--output", "types.json")
    assert (code, content["written"]) == (0, True)
    assert len(aws.called) > 30
    (folder / "types.json").unlink()
    types.update(
        {f"trn9.{i}xlarge": new_type | {"InstanceType": f"trn9.{i}xlarge"} for i in range(200)}
    )
    ran = refresh("--output", "types.json")
    assert ran.code == 2
    assert "ask fewer regions" in ran.err
    assert list(folder.iterdir()) == []


def test_a_catalogue_that_is_newer_than_the_file_wins(
    aws, new_type, refresh, check_cluster, folder
):
    aws.region("us-east-2")[1]["trn1.32xlarge"] = ["use2-az1"]
    aws.region("us-east-2")[0]["trn2.48xlarge"]["VCpuInfo"]["DefaultVCpus"] = 384
    refresh("--output", "types.json")
    path = folder / "types.json"
    path.write_text(path.read_text().replace(TODAY, "2026-11-29"))
    wanted = {"network": {"availability_zone_id": "use2-az1"}, "compute": groups("trn1.32xlarge")}
    assert "TRN102" in check_cluster(**wanted)
    assert find_instance_type("trn2.48xlarge").vcpus == 192
    assert find_instance_type(NAME) is not None, "a type that it does not know stays usable"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"version": 2}, "trnkit.version"),
        ({"read": "yesterday"}, "trnkit.read"),
        ({"regions": ["us-west-2"]}, "offerings of its own regions only"),
        ({"offerings": {"us-east-2": {"no type": []}}}, "trnkit.offerings"),
        ({"surprise": 1}, "surprise"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_a_head_that_was_damaged_is_told(new_type, refresh, check_cluster, folder, change, words):
    refresh("--output", "types.json")
    path = folder / "types.json"
    content = json.loads(path.read_text())
    content["trnkit"] |= change
    path.write_text(json.dumps(content))
    findings = check_cluster()
    assert {"TRN003", "TRN005"} & set(findings)
    assert any(words in f["message"] for f in findings.values())


def test_the_text_for_a_person_says_what_to_do_next(aws, new_type, refresh):
    assert "news: name a file with --output to use it" in refresh().out
    ran = refresh("--output", "types.json")
    assert "wrote types.json" in ran.out
    assert "`instance_types_file: types.json`" in ran.out
    assert refresh("--check", "--output", "types.json").out.endswith("as far as AWS answered\n")


def test_a_clock_before_the_catalogue_takes_nothing(aws, new_type, folder):
    aws.region("us-east-2")[0]["trn2.48xlarge"]["VCpuInfo"]["DefaultVCpus"] = 384
    aws.region("us-east-2")[1]["trn1.32xlarge"] = ["use2-az1"]
    done = refresh_catalog(
        ["us-east-2"], today=date(2026, 1, 1), output="types.json", session=AwsSession()
    )
    by_name = {one.name: one for one in done.types}
    assert by_name["trn2.48xlarge"].facts[0].kept == "the catalogue is newer"
    assert by_name["trn1.32xlarge"].zones[0].kept == "the catalogue is newer"
    content = json.loads((folder / "types.json").read_text())
    assert content["trnkit"]["offerings"] == {"us-east-2": {NAME: ["use2-az1", "use2-az3"]}}
    assert [one["InstanceType"] for one in content["InstanceTypes"]] == [NAME]


def test_two_files_that_differ_about_a_type_cannot_be_used_together(
    aws, new_type, refresh, trnkit, folder
):
    refresh("--output", "types.json")
    aws.region("us-east-2")[1][NAME].append("use2-az2")
    refresh("--output", "later.json")
    for name in ("types", "later"):
        keys = {"name": name, "instance_types_file": f"{name}.json"}
        (folder / f"{name}.yaml").write_text(yaml.safe_dump(CLUSTER | keys))
    content = json.loads(trnkit("check", "types.yaml", "later.yaml", "--format", "json").out)
    (conflict,) = (f for f in content["findings"] if f["rule_id"] == "TRN005")
    assert conflict["file"] == "later.json"
    assert f"describes {NAME} otherwise than in what was read before" in conflict["message"]


def test_the_file_shows_a_type_with_its_zones(aws, new_type, refresh, trnkit):
    refresh("--output", "types.json")
    ran = trnkit("catalog", "show", NAME, "--file", "types.json")
    assert ran.code == 0
    assert f"{NAME}  (as of {TODAY})" in ran.out
    assert "us-east-2  use2-az1, use2-az3" in ran.out


def test_a_region_that_the_catalogue_does_not_know(aws, report, check_cluster):
    types, zones = aws.region("eu-central-2")
    offered = aws.region("us-east-2")[0]["trn2.48xlarge"]
    types["trn2.48xlarge"], zones["trn2.48xlarge"] = offered, ["euc2-az2"]
    code, content = report("--output", "types.json", regions=["eu-central-2"])
    (zone,) = of(content, "trn2.48xlarge")["zones"]
    assert (code, zone["shipped"], zone["live"]) == (0, None, ["euc2-az2"])
    assert "TRN102" not in check_cluster(region="eu-central-2", compute=groups("trn2.48xlarge"))
    assert "TRN102" in check_cluster(
        region="eu-central-2", compute=groups("trn2.48xlarge"), instance_types_file=None
    )


def test_cards_and_disks_that_changed_are_told_in_words_and_as_values(aws, refresh, report):
    entry = aws.region("us-east-2")[0]["trn2.48xlarge"]
    entry["NetworkInfo"]["NetworkCards"] = entry["NetworkInfo"]["NetworkCards"][:3]
    entry["NetworkInfo"]["NetworkCards"][2]["MaximumNetworkInterfaces"] = 9
    entry["EbsInfo"]["MaximumEbsAttachments"] = 99
    out = refresh().out
    assert "AWS 2 cards from 0 (maximum_network_interfaces 2, efa_supported yes" in out
    assert "1 card from 2 (maximum_network_interfaces 9" in out
    assert "maximum_attachments 99" in out
    facts = {fact["field"]: fact for fact in of(report()[1], "trn2.48xlarge")["facts"]}
    assert [card["index"] for card in facts["network_cards"]["live"]] == [0, 1, 2]
    assert facts["ebs"]["live"]["maximum_attachments"] == 99
    assert facts["ebs"]["shipped"]["maximum_attachments"] == 64


def test_what_a_description_leaves_open_is_no_difference(aws, report):
    entry = aws.region("us-east-2")[0]["trn2.48xlarge"]
    for key in ("EbsInfo", "ProcessorInfo", "NeuronInfo", "SupportedBootModes", "MemoryInfo"):
        del entry[key]
    code, content = report("--check")
    told = of(content, "trn2.48xlarge")
    assert (code, told["status"], told["facts"]) == (0, "same", [])
    assert told["disputes"][0]["still"] is False, "EC2 says nothing of the chips any more"


def test_a_part_of_a_fact_that_is_left_open_stays(aws, refresh, report, check_cluster):
    entry = aws.region("us-east-2")[0]["trn2.48xlarge"]
    del entry["EbsInfo"]["EbsOptimizedInfo"]
    for card in entry["NetworkInfo"]["NetworkCards"]:
        del card["BaselineBandwidthInGbps"]
    assert report("--check")[0] == 0
    entry["EbsInfo"]["MaximumEbsAttachments"] = 99
    refresh("--output", "types.json")
    check_cluster(compute=groups("trn2.48xlarge"))
    kind = find_instance_type("trn2.48xlarge")
    assert (kind.ebs.maximum_attachments, kind.ebs.maximum_iops) == (99, 260000)
    assert kind.network_cards[1].baseline_gbps == 200


def test_a_place_that_takes_no_file_is_told_before_aws_is_asked(aws, refresh, folder):
    before = "before"
    (folder / "types.json").write_text(before)
    with (folder / "types.json").open() as stream:
        for place in (f"/dev/fd/{stream.fileno()}", "/dev/null", ".", "nowhere/types.json"):
            ran = refresh("--output", place)
            assert (ran.code, ran.out, aws.called) == (2, "", []), place
    assert (folder / "types.json").read_text() == before


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_file_that_cannot_be_written_in_the_end_leaves_the_report(
    aws, new_type, refresh, monkeypatch, form
):
    def full(*asked, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(f"{refresh_catalog.__module__}.write_whole", full)
    ran = refresh("--output", "types.json", "--format", form)
    assert ran.code == 2
    assert "types.json cannot be written: No space left on device" in ran.err
    assert NAME in ran.out
    assert form == "text" or json.loads(ran.out)["not_written"] == "No space left on device"
