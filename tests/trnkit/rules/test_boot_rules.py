"""Rules about how nodes boot, in cluster files."""

from __future__ import annotations

import pytest

from tests.trnkit.rules.judging import judge_cluster, of_rule, severities
from trnkit.errors import ConfigurationError

FSX = "storage: {lustre_file_systems: [{name: data, storage_capacity_gib: 4800, mount_path: /fsx}]}"


def nodes(boot: str, instance_type: str = "trn2.48xlarge") -> str:
    group = f"{{name: train, instance_type: {instance_type}, count: 1}}"
    return f"compute: {{boot: {{{boot}}}, node_groups: [{group}]}}\n"


@pytest.mark.parametrize(
    ("cache", "storage"),
    [
        ("/fsx/cache", FSX),
        ("/fsx/a/b", FSX),
        ("/home/shared/cache", "storage: {home_file_system: {mount_path: /home/shared}}"),
        ("/home/shared", "storage: {home_file_system: {mount_path: /home/shared}}"),
    ],
)
def test_caches_that_all_nodes_share(cache, storage):
    assert not of_rule("TRN248", judge_cluster(nodes(f"compile_cache: '{cache}'") + storage))


@pytest.mark.parametrize(
    ("cache", "storage", "words"),
    [
        ("/var/cache", FSX, "below nothing that the nodes mount"),
        ("/fsxs/cache", FSX, "below nothing"),
        ("/local/cache", "", "below nothing"),
        (
            "/data/corpus/cache",
            "storage: {s3_mountpoints: [{bucket_name: our-corpus, mount_path: /data/corpus}]}",
            "no file can be changed",
        ),
    ],
)
def test_caches_that_nodes_do_not_share(cache, storage, words):
    found = of_rule("TRN248", judge_cluster(nodes(f"compile_cache: '{cache}'") + storage))
    (finding,) = found
    assert words in finding.message
    assert finding.path == "compute.boot.compile_cache"


@pytest.mark.parametrize(
    "cache",
    ["/fsx/../etc", "/fsx/..", "/fsx/./a", "/fsx/...", "/fsx", "/fsx/", "fsx/a", "/fsx/a b"],
)
def test_no_cache_is_out_of_its_mount(cache):
    with pytest.raises(ConfigurationError, match="compile_cache"):
        judge_cluster(nodes(f"compile_cache: '{cache}'") + FSX)


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("", ["info"]),
        ("node_role: {managed_policy_arns: ['arn:aws:iam::aws:policy/AmazonS3FullAccess']}", []),
    ],
)
def test_a_cache_in_s3_needs_rights_that_somebody_gives(more, expected):
    text = nodes("compile_cache: 's3://our-cache/neuron'").rstrip().removesuffix("}")
    found = of_rule("TRN248", judge_cluster(f"{text}, {more}}}\n" if more else f"{text}}}\n"))
    assert severities("TRN248", found) == expected


@pytest.mark.parametrize(
    "path", ["/opt/trnkit", "/opt/trnkit/current", "/var/lib/trnkit", "/var/lib/cloud/x"]
)
def test_what_the_boot_needs_is_not_hidden(path):
    found = of_rule("TRN307", judge_cluster(nodes(f"instance_store_path: {path}")))
    assert [f.path for f in found] == ["compute.boot.instance_store_path"]


@pytest.mark.parametrize(
    ("pages", "instance_type", "expected"),
    [
        (5128, "trn2.48xlarge", []),
        (100_000, "trn2.48xlarge", []),
        (5127, "trn2.48xlarge", ["warning"]),
        (0, "trn2.48xlarge", ["warning"]),
        (0, "trn1.2xlarge", []),  # No EFA.
        (12_288, "trn1.2xlarge", []),  # A quarter of 32 GiB is left.
        (12_289, "trn1.2xlarge", ["warning"]),
        (15_360, "trn1.2xlarge", ["warning"]),  # 2 GiB are left.
        (15_361, "trn1.2xlarge", ["error"]),
        (16_384, "trn1.2xlarge", ["error"]),
        (1_000_000, "trn2.48xlarge", ["warning"]),
    ],
)
def test_huge_pages(pages, instance_type, expected):
    found = of_rule("TRN249", judge_cluster(nodes(f"huge_pages: {pages}", instance_type)))
    assert severities("TRN249", found) == expected


def test_what_inline_scripts_lack_is_refused_only_when_asked_for():
    assert not of_rule("TRN250", judge_cluster(nodes("delivery: inline")))
    assert not of_rule("TRN250", judge_cluster(nodes("delivery: inline, node_check: false")))
    found = of_rule(
        "TRN250",
        judge_cluster(
            nodes("delivery: inline, node_check: true")
            + "observability: {cloudwatch_agent: true, prometheus: {listen: private}, "
            "log_retention_days: 90, metrics_namespace: team}"
        ),
    )
    assert {finding.path for finding in found} == {
        "compute.boot.node_check",
        "observability.cloudwatch_agent",
        "observability.prometheus",
        "observability.metrics_namespace",
        "observability.log_retention_days",
    }


@pytest.mark.parametrize(
    ("text", "expected", "path"),
    [
        ("{}", [], None),
        ("{listen: private, allowed_cidrs: [10.0.0.0/16, 100.64.0.0/10]}", [], None),
        ("{listen: private}", ["warning"], "listen"),
        ("{allowed_cidrs: [10.0.0.0/16]}", ["error"], "allowed_cidrs"),
        ("{port: 46820}", ["error"], "port"),
    ],
)
def test_prometheus_is_served_where_it_comes_from(text, expected, path):
    found = of_rule("TRN601", judge_cluster(f"observability: {{prometheus: {text}}}\n"))
    assert severities("TRN601", found) == expected
    assert [f.path for f in found] == [f"observability.prometheus.{path}"] * len(expected)


def test_groups_of_others_may_admit_prometheus():
    group = "{name: train, instance_type: trn2.48xlarge, count: 1, additional_security_group_ids: "
    text = f"compute: {{node_groups: [{group}[sg-0123456789abcdef0]}}]}}\n"
    assert not of_rule(
        "TRN601", judge_cluster(f"{text}observability: {{prometheus: {{listen: private}}}}")
    )


def test_the_instance_store_has_a_folder_of_its_own():
    found = of_rule("TRN307", judge_cluster(nodes("instance_store_path: /fsx") + FSX))
    (finding,) = found
    assert finding.path == "compute.boot.instance_store_path"
    (finding,) = of_rule("TRN307", judge_cluster(nodes("instance_store_path: /usr/local")))
    assert "the system uses" in finding.message
    assert not of_rule("TRN307", judge_cluster(nodes("instance_store_path: null")))
