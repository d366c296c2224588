"""A file of DescribeInstanceTypes entries: what is read, what is refused, and where it says so."""

import copy
import json

import pytest
import yaml

from tests.synthesis import ROOT
from trnkit.catalog import find_instance_type, instance_type_names
from trnkit.config import load_cluster, read_instance_types
from trnkit.errors import ConfigurationError, UnreadableInputError
from trnkit.layout.efa import plan_interfaces
from trnkit.layout.nodes import neuron_cores
from trnkit.operations.checking import check_files
from trnkit.rules import check_cluster

pytestmark = pytest.mark.usefixtures("no_added_types")

EXAMPLE = ROOT / "examples" / "types" / "trn3-preview.json"
ENTRIES = json.loads(EXAMPLE.read_text())["InstanceTypes"]
CLUSTER = {
    "name": "preview",
    "region": "us-east-2",
    "instance_types_file": "types.json",
    "network": {"availability_zone_id": "use2-az1"},
    "compute": {
        "node_groups": [{"name": "train", "instance_type": "trn3-example.48xlarge", "count": 2}]
    },
    "budget": {"limit_usd": 1000, "emails": ["ml-platform@example.com"]},
}


@pytest.fixture
def write(tmp_path):
    """Write a types file; returns its path."""

    def text_or_value(content):
        path = tmp_path / "types.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content, indent=4))
        return path

    return text_or_value


@pytest.fixture
def cluster(tmp_path):
    """Write a cluster file beside the types file; returns its path."""

    def with_keys(name="cluster.yaml", **keys):
        path = tmp_path / name
        path.write_text(yaml.safe_dump(CLUSTER | keys))
        return path

    return with_keys


def changed(path, value, entry=0):
    """The first entry of the example with one value replaced, or removed (`...`)."""
    entries = copy.deepcopy(ENTRIES[entry : entry + 1])
    *parents, last = path
    section = entries[0]
    for part in parents:
        section = section[part]
    if value is ...:
        del section[last]
    else:
        section[last] = value
    return {"InstanceTypes": entries}


def refusals(path):
    with pytest.raises(ConfigurationError) as caught:
        read_instance_types(path)
    return caught.value.findings


def test_an_answer_as_the_cli_prints_it_becomes_types():
    large, small = read_instance_types(EXAMPLE)
    assert (large.name, large.vcpus, large.memory_mib) == ("trn3-example.48xlarge", 384, 4194304)
    assert (large.neuron_cores, large.maximum_efa_interfaces) == (128, 16)
    assert neuron_cores(large, 4).logical == 32
    assert neuron_cores(small) is None, "EC2 does not say which logical sizes a new chip has"
    assert large.device_memory_gib is None
    assert (large.source, large.date) == (("instance_types_file",), None)


def test_efa_04_a_new_type_with_an_ena_only_card_is_laid_out_by_its_description():
    large, _ = read_instance_types(EXAMPLE)
    plan = plan_interfaces(large)
    assert (plan[0].network_card_index, plan[0].interface_type) == (0, "interface")
    assert [(i.network_card_index, i.device_index) for i in plan[1:]] == [
        (card, 0) for card in range(1, 17)
    ]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(ENTRIES, id="list of entries"),
        pytest.param({"InstanceTypes": ENTRIES, "NextToken": "x"}, id="with further keys"),
        pytest.param(yaml.safe_dump({"InstanceTypes": ENTRIES}), id="as --output yaml prints it"),
        pytest.param(json.dumps(ENTRIES), id="one line"),
        pytest.param("\ufeff" + json.dumps(ENTRIES, indent="\t"), id="tabs and byte order mark"),
        pytest.param([*ENTRIES, *ENTRIES], id="each twice"),
    ],
)
def test_the_same_types_however_they_were_saved(write, content):
    assert read_instance_types(write(content)) == read_instance_types(EXAMPLE)


@pytest.mark.parametrize("name", instance_type_names())
def test_ec2_s_own_entries_are_whole(write, name):
    from moto.ec2.models.instance_types import INSTANCE_TYPES

    (entry,) = read_instance_types(write([INSTANCE_TYPES[name]]))
    assert entry.name == name


def test_every_entry_of_ec2_can_be_read(write):
    """A few at a time: a whole dump is beyond the limit of 20,000 values, and nobody needs it."""
    from moto.ec2.models.instance_types import INSTANCE_TYPES

    entries = [entry for entry in INSTANCE_TYPES.values() if "NetworkCards" in entry["NetworkInfo"]]
    for start in range(0, len(entries), 40):
        assert len(read_instance_types(write(entries[start : start + 40]))) > 0


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("InstanceType",), ..., "[0].InstanceType is required and missing"),
        (("InstanceType",), "Trn3", "[0].InstanceType must be an EC2 instance type such as"),
        (("InstanceType",), 3, "[0].InstanceType must be text, got 3"),
        (("VCpuInfo",), ..., "[0].VCpuInfo is required and missing"),
        (("VCpuInfo",), None, "[0].VCpuInfo has no value"),
        (("VCpuInfo",), [], "[0].VCpuInfo must be a section"),
        (("VCpuInfo", "DefaultVCpus"), 0, "DefaultVCpus must be at least 1, got 0"),
        (("VCpuInfo", "DefaultVCpus"), "8", "DefaultVCpus must be a whole number, got '8'"),
        (("NetworkInfo", "EfaSupported"), "yes", "EfaSupported must be true or false"),
        (("NetworkInfo", "EfaInfo"), ..., "NetworkInfo must have EfaInfo, because EfaSupported"),
        (("NetworkInfo", "EfaInfo", "MaximumEfaInterfaces"), 600, "must be at most 512, got 600"),
        (("NetworkInfo", "NetworkCards"), [], "NetworkCards must have at least one entry"),
        (("NetworkInfo", "NetworkCards"), {}, "NetworkCards must be a list"),
        (
            ("NetworkInfo", "NetworkCards", 1, "NetworkCardIndex"),
            0,
            "NetworkInfo must not have a NetworkCardIndex twice",
        ),
        (
            ("NetworkInfo", "NetworkCards", 0, "NetworkCardIndex"),
            99,
            "NetworkInfo must have a card with NetworkCardIndex 0",
        ),
        (
            ("NetworkInfo", "NetworkCards", 1, "InterfaceTypes", 0),
            7,
            "NetworkCards[1].InterfaceTypes[0] must be text",
        ),
        (("NeuronInfo", "NeuronDevices", 0, "Count"), -1, "NeuronDevices[0].Count must be at le"),
        (("trnkit", "lnc"), 2, "[0].trnkit has no key 'lnc'"),
        (("trnkit", "default_logical_neuroncore_size"), 8, "among the sizes"),
        (("trnkit", "logical_neuroncore_sizes"), [], "must have at least one entry"),
    ],
)
def test_what_an_entry_must_be(write, path, value, message):
    (finding,) = refusals(write(changed(path, value)))
    assert message in finding.message
    assert finding.path.startswith("InstanceTypes[0]")
    assert finding.file.endswith("types.json")
    assert finding.line > 1
    assert "Traceback" not in finding.headline()


def test_every_problem_of_a_file_at_once_with_the_remedy(write):
    content = changed(("VCpuInfo",), ...)
    content["InstanceTypes"].append({"InstanceType": "trn3-example.6xlarge"})
    found = refusals(write(content))
    assert [f.path for f in found] == [
        "InstanceTypes[0].VCpuInfo",
        "InstanceTypes[1].NetworkInfo",
        "InstanceTypes[1].VCpuInfo",
    ]
    assert {f.rule_id for f in found} == {"TRN004"}
    assert all("aws ec2 describe-instance-types" in f.hint for f in found)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "no DescribeInstanceTypes answer"),
        ("[]", "no DescribeInstanceTypes answer"),
        ("7", "no DescribeInstanceTypes answer"),
        ('{"InstanceTypes": [', "neither JSON nor YAML"),
        ('{"a":' * 100, "nested deeper than"),
        ("[" * 100_000, "nested deeper than"),
        ("[" + "1, " * 30_000 + "]", "more than 20000 values"),
        ("[" + " " * 1_000_000 + "]", "larger than 1,000,000 bytes"),
        ("\x00", r"U\+0000"),
        ("<html></html>", "no DescribeInstanceTypes answer"),
    ],
)
def test_content_that_is_no_answer(write, content, message):
    with pytest.raises(UnreadableInputError, match=message):
        read_instance_types(write(content))


def test_an_empty_answer_and_a_key_twice(write):
    assert (
        "InstanceTypes must have at least one entry"
        in refusals(write({"InstanceTypes": []}))[0].message
    )
    text = json.dumps(ENTRIES[0]).replace('"BareMetal"', '"InstanceType": "x.y", "BareMetal"')
    assert "stands twice" in refusals(write(f"[{text}]"))[0].message


def test_a_known_type_is_not_redefined(write):
    from moto.ec2.models.instance_types import INSTANCE_TYPES

    wrong = INSTANCE_TYPES["trn2.48xlarge"] | {"VCpuInfo": {"DefaultVCpus": 200}}
    (finding,) = refusals(write([INSTANCE_TYPES["trn1.32xlarge"], wrong]))
    assert finding.message == (
        "[1] describes trn2.48xlarge otherwise than the catalogue: vcpus 200, not 192"
    )
    assert find_instance_type("trn2.48xlarge").vcpus == 192


def test_one_name_with_two_contents_in_one_file(write):
    content = [ENTRIES[0], changed(("VCpuInfo", "DefaultVCpus"), 8)["InstanceTypes"][0]]
    (finding,) = refusals(write(content))
    assert "[1] describes trn3-example.48xlarge otherwise than above" in finding.message


def test_a_cluster_file_names_it_relative_to_itself(write, cluster, monkeypatch, tmp_path):
    write(ENTRIES)
    path = cluster()
    monkeypatch.chdir("/")
    assert [entry.name for entry in load_cluster(path).described_types] == [
        "trn3-example.48xlarge",
        "trn3-example.3xlarge",
    ]
    assert not [f for f in check_cluster(load_cluster(path)) if f.severity == "error"]


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ("nowhere.json", "instance_types_file is nowhere.json: there is no such file"),
        (".", "instance_types_file is .: this is a folder"),
        ("https://example.com/types.json", "there is no such file"),
        ("/dev/zero", "this is not a regular file"),
        (" ", "instance_types_file must not be empty"),
        (7, "there is no such file"),
        (["types.json"], "instance_types_file must be text"),
    ],
)
def test_a_name_that_cannot_be_used_is_a_finding_about_the_cluster_file(cluster, named, message):
    path = cluster(instance_types_file=named)
    with pytest.raises(ConfigurationError) as caught:
        load_cluster(path)
    (finding,) = caught.value.findings
    assert message in finding.message
    assert (finding.rule_id, finding.file, finding.path) == (
        "TRN005",
        str(path),
        "instance_types_file",
    )
    assert "instance_types_file" in path.read_text().splitlines()[finding.line - 1]


def test_problems_of_both_files_come_together(write, cluster):
    write(changed(("VCpuInfo",), ...))
    with pytest.raises(ConfigurationError) as caught:
        load_cluster(cluster(regoin="us-east-2"))
    assert [f.rule_id for f in caught.value.findings] == ["TRN003", "TRN004"]


def test_a_broken_types_file_is_named_with_its_line(write, cluster):
    types = write('{\n "InstanceTypes": [\n {"a" 1}\n]}')
    with pytest.raises(ConfigurationError) as caught:
        load_cluster(cluster())
    (finding,) = caught.value.findings
    assert (finding.file, finding.line) == (str(types), 3)


def test_a_type_of_another_cluster_s_file_is_unknown_in_any_order(write, cluster):
    write(ENTRIES)
    with_file = str(cluster("a.yaml"))
    keys = {key: value for key, value in CLUSTER.items() if key != "instance_types_file"}
    without = cluster("b.yaml")
    without.write_text(yaml.safe_dump(keys | {"name": "other"}))
    for order in ([with_file, str(without)], [str(without), with_file]):
        errors = [f for f in check_files(order).findings if f.severity == "error"]
        assert [(f.rule_id, f.file) for f in errors] == [("TRN201", str(without))]


def test_the_zone_must_be_named_and_other_zone_rules_keep_quiet(write, cluster):
    write(ENTRIES)
    found = check_cluster(load_cluster(cluster(network={})))
    assert [f.rule_id for f in found if f.severity == "error"] == ["TRN240"]
    mixed = {
        "node_groups": [
            {"name": "old", "instance_type": "trn2.48xlarge", "count": 2},
            {"name": "new", "instance_type": "trn3-example.48xlarge", "count": 2},
        ]
    }
    found = check_cluster(load_cluster(cluster(network={}, compute=mixed)))
    assert [f.rule_id for f in found if f.severity == "error"] == ["TRN240"]


def test_rules_judge_a_described_type_by_its_description(write, cluster):
    write(ENTRIES)
    group = CLUSTER["compute"]["node_groups"][0]

    def errors(**keys):
        compute = {"node_groups": [group | keys]}
        found = check_cluster(load_cluster(cluster(compute=compute)))
        return [(f.rule_id, f.evidence) for f in found if f.severity == "error"]

    assert errors(efa={"interfaces": 17}) == [
        ("TRN202", "its description, trn3-example.48xlarge: 16 EFA interfaces")
    ]
    assert [rule for rule, _ in errors(logical_neuroncore_size=8)] == ["TRN203"]
    small = {"instance_type": "trn3-example.3xlarge", "logical_neuroncore_size": 2}
    assert [rule for rule, _ in errors(**small)] == ["TRN241"]
