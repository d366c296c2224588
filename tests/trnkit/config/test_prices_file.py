"""A file of prices: what is read, what is refused, and where it says so."""

import os

import pytest
import yaml

from tests.synthesis import ROOT
from trnkit.config import ClusterConfig, load_cluster
from trnkit.config.prices_file import load_prices_file, read_prices_file, with_prices
from trnkit.errors import ConfigurationError, UnreadableInputError
from trnkit.operations.checking import check_context, check_files
from trnkit.operations.planning import trial
from trnkit.operations.rehearsal.changes import _by_absolute_names

EXAMPLE = ROOT / "examples" / "prices" / "agreement.yaml"
HEAD = 'version: 1\ndate: 2026-11-30\nsource: "Enterprise agreement"\n'
CLUSTER = {
    "name": "priced",
    "region": "us-east-2",
    "compute": {"node_groups": [{"name": "train", "instance_type": "trn2.48xlarge", "count": 2}]},
    "budget": {
        "limit_usd": 1000,
        "emails": ["ml-platform@example.com"],
        "prices_file": "prices.yaml",
    },
}


def refusals(text):
    with pytest.raises(ConfigurationError) as caught:
        read_prices_file(text, "prices.yaml")
    for finding in caught.value.findings:
        assert (finding.file, bool(finding.line), bool(finding.hint)) == ("prices.yaml", True, True)
        assert finding.headline().isprintable()
    return caught.value.findings


@pytest.fixture
def cluster(tmp_path):
    """Write a cluster file; the file of prices beside it is the test's."""
    path = tmp_path / "cluster.yaml"
    path.write_text(yaml.safe_dump(CLUSTER))
    return path


def test_the_example_states_prices_and_a_discount():
    file = load_prices_file(EXAMPLE)
    assert [(entry.key, entry.dollars) for entry in file.prices] == [
        ("trn2.48xlarge on-demand", 38.5),
        ("trn2.48xlarge capacity-block", 35.7608),
        ("fsx-lustre-persistent-2-ssd-250", 0.19),
    ]
    assert (file.discount.percent, file.region, file.date) == (12, "us-east-2", "2026-11-30")


def test_what_the_file_says_is_part_of_the_configuration(cluster, tmp_path):
    (tmp_path / "prices.yaml").write_bytes(EXAMPLE.read_bytes())
    loaded = load_cluster(cluster)
    assert loaded.prices == load_prices_file(EXAMPLE)
    assert loaded.config.budget.prices == loaded.prices


def test_a_python_user_brings_a_file_of_prices_himself():
    config = ClusterConfig.model_validate(CLUSTER)
    assert config.budget.prices is None
    priced = with_prices(config, load_prices_file(EXAMPLE))
    assert priced.budget.prices.source == "Enterprise agreement 2026, annex B"
    assert config.budget.prices is None


def test_without_a_file_there_are_no_prices(tmp_path):
    path = tmp_path / "cluster.yaml"
    budget = {key: value for key, value in CLUSTER["budget"].items() if key != "prices_file"}
    path.write_text(yaml.safe_dump(CLUSTER | {"budget": budget}))
    assert load_cluster(path).prices is None


@pytest.mark.parametrize(
    ("lines", "rule_id", "message", "hint"),
    [
        ("- {item: ebs-gp3-storag, usd: 1}", "TRN005", "which no item is", "ebs-gp3-storage or"),
        ("- {item: zzz, usd: 1}", "TRN005", "which no item is", "trnkit prices list"),
        ("- {item: Ebs gp3, usd: 1}", "TRN005", "must be the key of an item", "ebs-gp3-storage"),
        ("- {item: ebs-gp3-storage, usd: 0}", "TRN005", "must be more than 0, got 0", "more"),
        ("- {item: ebs-gp3-storage, usd: -0.1}", "TRN005", "must be more than 0", "more"),
        ("- {item: ebs-gp3-storage, usd: .nan}", "TRN005", "must be a number", "digits"),
        ("- {item: ebs-gp3-storage, usd: .inf}", "TRN005", "must be a number", "digits"),
        ("- {item: ebs-gp3-storage, usd: 1e999}", "TRN005", "usd must be", ""),
        ("- {item: ebs-gp3-storage, usd: 1000001}", "TRN005", "at most 1000000", "or less"),
        ("- {item: ebs-gp3-storage, usd: '0.08'}", "TRN005", "must be a number", "without quotes"),
        ("- {item: ebs-gp3-storage, usd: $0.08}", "TRN005", "must be a number", "write 0.08"),
        ("- {item: ebs-gp3-storage, usd: true}", "TRN005", "must be a number", "number"),
        ("- {item: ebs-gp3-storage}", "TRN004", "prices[0].usd is required", "add `usd:`"),
        ("- {usd: 0.08}", "TRN004", "prices[0].item is required", "add `item:`"),
        ("- {}", "TRN004", "prices[0] names nothing", "add `item:`"),
        ("- {item: efa, usd: 1}", "TRN005", "is efa, which no item is called", ""),
        ("- {item: ebs-gp3-storage, eur: 1}", "TRN003", "has no key 'eur'", "usd"),
        (
            "- {instance_type: trn2.48xlarge, usd_per_hour: 38}",
            "TRN004",
            "prices[0].purchase is required",
            "add `purchase:`",
        ),
        (
            "- {instance_type: trn2.48xlarge, purchase: reserved, usd_per_hour: 38}",
            "TRN005",
            "must be on-demand, spot or capacity-block, got 'reserved'",
            "",
        ),
        (
            "- {instance_type: Trn2, purchase: spot, usd_per_hour: 38}",
            "TRN005",
            "must be an EC2 instance type",
            "trn2.48xlarge",
        ),
        (
            "- {instance_type: trn2.48xlarge, usd: 38}",
            "TRN005",
            "a price of two things",
            "instance_type, purchase",
        ),
        (
            "- {item: ebs-gp3-storage, usd: 1, region: Ohio}",
            "TRN005",
            "must be a Region like us-east-2",
            "us-east-2",
        ),
    ],
)
def test_an_entry_that_is_wrong_is_found_where_it_stands(lines, rule_id, message, hint):
    (finding,) = refusals(f"{HEAD}prices:\n  {lines}\n")
    assert (finding.rule_id, finding.line) == (rule_id, 5)
    assert message in finding.message
    assert hint in finding.hint


@pytest.mark.parametrize(
    ("more", "place"),
    [
        ("- {item: ebs-gp3-storage, usd: 0.08}", "for all Regions"),
        ("- {item: ebs-gp3-storage, usd: 0.07}", "for all Regions"),
    ],
)
def test_a_price_twice_is_an_error(more, place):
    text = f"{HEAD}prices:\n  - {{item: ebs-gp3-storage, usd: 0.07}}\n  {more}\n"
    (finding,) = refusals(text)
    assert finding.line == 6
    assert finding.message == (
        f"prices[1] is a second price of ebs-gp3-storage {place}, beside prices[0]"
    )


def test_the_file_s_region_makes_two_prices_the_same():
    (finding,) = refusals(
        f"{HEAD}region: us-east-2\nprices:\n  - {{item: ebs-gp3-storage, usd: 0.07}}\n"
        "  - {item: ebs-gp3-storage, usd: 0.06, region: us-east-2}\n"
    )
    assert "a second price of ebs-gp3-storage in us-east-2" in finding.message


def test_a_price_for_a_region_stands_beside_one_for_all():
    file = read_prices_file(
        f"{HEAD}prices:\n  - {{item: ebs-gp3-storage, usd: 0.07}}\n"
        "  - {item: ebs-gp3-storage, usd: 0.06, region: us-east-2}\n",
        "prices.yaml",
    )
    assert len(file.prices) == 2


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("version: 1\nprices: [{item: ebs-gp3-storage, usd: 1}]\n", {"date", "source"}),
        ("version: 1\ndiscount: {percent: 3}\n", {"date", "source"}),
        ("version: 1\nsource: x\ndiscount: {percent: 3}\n", {"date"}),
        ("version: 1\n", {""}),
        ("version: 1\ndate: 2026-11-30\nsource: x\n", {""}),
        ("version: true\ndate: 2026-11-30\nsource: x\n", {"version"}),
        ("date: 2026-11-30\nsource: x\ndiscount: {percent: 3}\n", {"version"}),
        (f"{HEAD}discount: {{percent: 0}}\n", {"discount.percent"}),
        (f"{HEAD}discount: {{percent: 100}}\n", {"discount.percent"}),
        (f"{HEAD}discount: {{}}\n", {"discount.percent"}),
        (f"{HEAD}discount: {{percent: 3, not_on: [nat]}}\n", {"discount.not_on[0]"}),
        (f"{HEAD}discount: {{percent: 3, except: [nat]}}\n", {"discount.except"}),
        ("version: 1\ndate: 30.11.2026\nsource: x\ndiscount: {percent: 3}\n", {"date"}),
        ("version: 1\ndate: 2026-02-30\nsource: x\ndiscount: {percent: 3}\n", {"date"}),
        (f"{HEAD}prices: {{item: ebs-gp3-storage}}\n", {"prices"}),
        (f"{HEAD}prices: []\nprice: []\n", {"price"}),
    ],
)
def test_what_is_wrong_with_the_rest_of_a_file(text, paths):
    assert {finding.path for finding in refusals(text)} == paths


LISTED = "version: 1\nlist_prices:\n  read: 2026-11-30\n  regions: [us-east-2]\n  prices:\n"


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("{item: ebs-gp3-storage, usd: 1}", "list_prices.prices[0].region is required"),
        (
            "{item: ebs-gp3-storage, usd: 1, region: us-east-1}",
            "is us-east-1, which list_prices.regions lacks",
        ),
        (
            "{instance_type: trn2.48xlarge, purchase: spot, usd_per_hour: 9, region: us-east-2}",
            "must be on-demand, got spot",
        ),
    ],
)
def test_a_list_that_nobody_read_from_aws_is_refused(entry, message):
    (finding,) = refusals(f"{LISTED}    - {entry}\n")
    assert message in finding.message


def test_a_list_needs_no_source_of_one_s_own():
    entry = "{item: ebs-gp3-storage, usd: 0.08, region: us-east-2}"
    file = read_prices_file(f"{LISTED}    - {entry}\n", "prices.yaml")
    assert file.list_prices.prices[0].usd == 0.08


def test_a_key_twice_is_found_beside_other_mistakes():
    found = refusals(f"{HEAD}date: 2026-11-30\nprices: [{{item: ebs-gp3-storage, usd: 0}}]\n")
    assert [finding.rule_id for finding in found] == ["TRN002", "TRN005"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"- 1\n", "the file is no file of prices"),
        (b"prices\n", "the file is no file of prices"),
        (b"\xff\xfe\x00", "is not UTF-8"),
        (b"\x7fELF\x00\x01", "the character U+007F"),
        (b"#" * 1_100_000, "larger than"),
        (b"a: &a [*a]\n", "contains itself"),
        (b"a: !!python/object:os.system {}\n", "tag"),
        (b"x: " + b"[" * 200 + b"]" * 200, "deep"),
        (
            b"a: &a [1,1,1,1,1,1,1,1,1]\n"
            + b"".join(b"%c: &%c [%s]\n" % (n, n, b"*%c," % (n - 1) * 9) for n in b"bcdefgh"),
            "values",
        ),
    ],
)
def test_what_is_no_file_of_prices_is_said_of_the_key_that_names_it(
    cluster, tmp_path, content, message
):
    (tmp_path / "prices.yaml").write_bytes(content)
    with pytest.raises(ConfigurationError) as caught:
        load_cluster(cluster)
    (finding,) = caught.value.findings
    assert finding.rule_id == "TRN005"
    assert message in finding.message
    assert len(finding.message) < 300


@pytest.mark.parametrize("kind", ["nothing", "folder", "pipe", "loop", "device"])
def test_what_is_no_file_is_said_of_the_key_that_names_it(cluster, tmp_path, kind):
    place = tmp_path / "prices.yaml"
    words = {
        "nothing": "there is no such file",
        "folder": "this is a folder",
        "pipe": "this is not a regular file",
        "loop": "cannot be read",
        "device": "this is not a regular file",
    }
    if kind == "folder":
        place.mkdir()
    elif kind == "pipe":
        os.mkfifo(place)
    elif kind in ("loop", "device"):
        place.symlink_to("/dev/zero" if kind == "device" else place)
    with pytest.raises(ConfigurationError) as caught:
        load_cluster(cluster)
    (finding,) = caught.value.findings
    assert (finding.rule_id, finding.path) == ("TRN005", "budget.prices_file")
    assert words[kind] in finding.message
    assert finding.file == str(cluster)


def test_every_mistake_of_both_files_is_told_at_once(cluster, tmp_path):
    cluster.write_text(cluster.read_text() + "zzz: 1\n")
    (tmp_path / "prices.yaml").write_text(f"{HEAD}prices: [{{item: ebs-gp3-storage, usd: 0}}]\n")
    with pytest.raises(ConfigurationError) as caught:
        load_cluster(cluster)
    prices = tmp_path / "prices.yaml"
    assert {(one.file, one.rule_id, one.line) for one in caught.value.findings} == {
        (str(cluster), "TRN003", 13),
        (str(prices), "TRN005", 4),
    }


@pytest.mark.parametrize("named", ["", " ", "a\0b", [], {}, 3.5, True])
def test_a_name_that_can_be_none_is_one_finding_of_the_key(cluster, named):
    wrong = CLUSTER | {"budget": CLUSTER["budget"] | {"prices_file": named}}
    cluster.write_text(yaml.safe_dump(wrong))
    with pytest.raises(ConfigurationError) as caught:
        load_cluster(cluster)
    assert [finding.path for finding in caught.value.findings] == ["budget.prices_file"]


def test_a_file_alone_that_cannot_be_read_is_unreadable(tmp_path):
    with pytest.raises(UnreadableInputError) as caught:
        load_prices_file(tmp_path / "missing.yaml")
    assert "trnkit prices refresh" in caught.value.finding.hint


def test_a_name_of_the_package_leads_to_it():
    import trnkit.config

    assert trnkit.config.load_prices_file is load_prices_file
    assert trnkit.config.with_prices is with_prices


def test_check_and_synthesis_know_no_day(cluster, tmp_path):
    old = EXAMPLE.read_text(encoding="utf-8").replace("date: 2026-11-30", "date: 2001-01-01")
    (tmp_path / "prices.yaml").write_text(old, encoding="utf-8")
    of_old = [finding.headline() for finding in check_files([str(cluster)]).findings]
    (tmp_path / "prices.yaml").write_bytes(EXAMPLE.read_bytes())
    assert [finding.headline() for finding in check_files([str(cluster)]).findings] == of_old


def test_synthesis_is_handed_what_the_file_says(cluster, tmp_path):
    (tmp_path / "prices.yaml").write_bytes(EXAMPLE.read_bytes())
    report = check_context({"config": str(cluster)}.get)
    (loaded,) = report.clusters_in_turn()
    assert loaded.config.budget.prices == load_prices_file(EXAMPLE)


def test_a_plan_s_trial_of_another_value_keeps_the_prices(cluster, tmp_path, monkeypatch):
    (tmp_path / "prices.yaml").write_bytes(EXAMPLE.read_bytes())
    loaded, judged = load_cluster(cluster), []
    monkeypatch.setattr(trial, "check_cluster", lambda tried: judged.append(tried.config) or [])
    trial.new_errors(loaded, (), [(("budget", "limit_usd"), 5)])
    (config,) = judged
    assert (config.budget.limit_usd, config.budget.prices) == (5, loaded.prices)


def test_a_rehearsal_s_copy_finds_the_file(cluster, tmp_path, monkeypatch):
    (tmp_path / "prices.yaml").write_bytes(EXAMPLE.read_bytes())
    monkeypatch.chdir(tmp_path)
    data = _by_absolute_names(yaml.safe_load(cluster.read_text()), "cluster.yaml")
    assert data["budget"]["prices_file"] == str(tmp_path / "prices.yaml")
