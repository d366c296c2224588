"""What the CloudWatch agent, Prometheus and systemd are given: keys they know, and few metrics."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest
import yaml

from tests.constructs_lib.compute.node.monitoring_machine import (
    MONITORING,
    Machine,
    report,
    runtime,
)
from tests.synthesis import ROOT

AGENT = json.loads((MONITORING / "amazon-cloudwatch-agent.json").read_text())
EMF = AGENT["logs"]["metrics_collected"]["prometheus"]["emf_processor"]
UNITS = ["trn-metrics.service", "trn-kernel-log.service"]
PAGE = (ROOT / "docs" / "monitoring.md").read_text()

# What the agent's published schema admits at each place that we use (translator/config/schema.json
# of aws/amazon-cloudwatch-agent), in words of our own. A set: these keys and no others.
KNOWN = {
    "": {"agent", "metrics", "logs", "traces"},
    "agent": {
        *("metrics_collection_interval", "region", "logfile", "debug", "credentials"),
        *("omit_hostname", "run_as_user", "internal"),
    },
    "metrics": {
        *("namespace", "append_dimensions", "aggregation_dimensions", "metrics_collected"),
        *("metrics_destinations", "force_flush_interval", "credentials", "endpoint_override"),
    },
    "metrics.append_dimensions": {
        *("ImageId", "InstanceId", "InstanceType", "AutoScalingGroupName"),
    },
    "metrics.metrics_collected": {"cpu", "mem", "swap", "disk"},
    "metrics.metrics_collected.cpu": {
        *("totalcpu", "resources", "measurement", "append_dimensions"),
        "metrics_collection_interval",
    },
    "metrics.metrics_collected.mem": {
        *("measurement", "append_dimensions", "metrics_collection_interval"),
    },
    "metrics.metrics_collected.swap": {
        *("measurement", "append_dimensions", "metrics_collection_interval"),
    },
    "metrics.metrics_collected.disk": {
        *("resources", "measurement", "ignore_file_system_types", "drop_device"),
        *("append_dimensions", "metrics_collection_interval"),
    },
    "logs": {
        *("metrics_collected", "logs_collected", "log_stream_name", "force_flush_interval"),
        *("credentials", "endpoint_override", "concurrency"),
    },
    "logs.metrics_collected": {"prometheus"},
    "logs.metrics_collected.prometheus": {
        *("cluster_name", "log_group_name", "prometheus_config_path", "emf_processor"),
        *("ecs_service_discovery", "disable_metric_extraction"),
    },
    "logs.metrics_collected.prometheus.emf_processor": {
        *("metric_declaration_dedup", "metric_namespace", "metric_unit", "metric_declaration"),
    },
    "logs.metrics_collected.prometheus.emf_processor.metric_declaration[]": {
        *("source_labels", "label_matcher", "label_separator", "dimensions", "metric_selectors"),
    },
    "logs.logs_collected": {"files"},
    "logs.logs_collected.files": {"collect_list"},
    "logs.logs_collected.files.collect_list[]": {
        *("file_path", "log_group_name", "log_stream_name", "log_group_class", "timezone"),
        *("multi_line_start_pattern", "timestamp_format", "trim_timestamp", "encoding"),
        *("auto_removal", "blacklist", "publish_multi_logs", "retention_in_days", "filters"),
    },
    "logs.logs_collected.files.collect_list[].filters[]": {"type", "expression"},
}
FREE = {
    *(f"metrics.metrics_collected.{kind}.append_dimensions" for kind in ("cpu", "mem", "swap")),
    "metrics.metrics_collected.disk.append_dimensions",
    "logs.metrics_collected.prometheus.emf_processor.metric_unit",
}
"""Where keys are names of ours."""


def places(value, at=""):
    """Each object of a document with the place where it stands."""
    if isinstance(value, dict):
        yield at, value
        for key, member in value.items():
            yield from places(member, f"{at}.{key}".lstrip("."))
    elif isinstance(value, list):
        for member in value:
            yield from places(member, f"{at}[]")


def test_the_agent_knows_every_key():
    for place, value in places(AGENT):
        if place not in FREE:
            assert value.keys() <= KNOWN[place], place


def test_the_agent_makes_no_log_group_and_sets_no_retention():
    """Both are the stack's: the node's role may do neither, and the agent would fail at it."""
    groups = {v["log_group_name"] for _, v in places(AGENT) if "log_group_name" in v}
    assert groups == {"@LOG_GROUP@"}
    assert not [p for p, v in places(AGENT) if {"retention_in_days", "log_group_class"} & v.keys()]


def test_each_file_has_a_stream_of_its_own_named_after_the_node_and_the_file():
    files = AGENT["logs"]["logs_collected"]["files"]["collect_list"]
    for file in files:
        name = file["file_path"].rpartition("/")[2]
        assert file["log_stream_name"] == f"{{instance_id}}/{name}"
    assert {file["file_path"] for file in files} >= {
        "/var/log/trnkit-boot.log",
        "/var/log/trnkit-drain.log",
        "/var/log/cloud-init-output.log",
        "/var/log/syslog",
        "/var/log/messages",
        "/var/log/trnkit-kernel.log",
        "/run/trnkit/node-check.json",
    }


def test_every_regular_expression_compiles():
    patterns = []
    for _, value in places(AGENT):
        for key in ("expression", "multi_line_start_pattern", "label_matcher"):
            patterns += [value[key]] if key in value else []
        patterns += value.get("metric_selectors", [])
    assert patterns, "the configuration has none, or keeps them elsewhere"
    assert [pattern for pattern in patterns if re.compile(pattern).pattern != pattern] == []


def test_a_new_check_result_begins_an_event_whether_it_is_one_line_or_many():
    (check,) = (
        file
        for file in AGENT["logs"]["logs_collected"]["files"]["collect_list"]
        if file["file_path"].endswith("node-check.json")
    )
    begins = re.compile(check["multi_line_start_pattern"])
    assert begins.search('{"verdict": "ok"}')
    assert not begins.search('  {"name": "efa"}')


@pytest.fixture
def node_page(tmp_path):
    """Names and kinds that trn-metrics serves to the agent on a busy node with all there is."""
    machine = Machine(tmp_path)
    machine.says(report(runtime()))
    machine.file("run/trnkit/node-state", "ready\n")
    machine.file("run/trnkit/node-check.json", '{"verdict": "ok"}')
    machine.file("sys/class/infiniband/efa_0/ports/1/hw_counters/rx_bytes", "1\n")
    machine.start()
    machine.until_reports(1)
    yield {name for name, _ in machine.scrape("/metrics/node")}
    machine.stop()


def declared(name):
    (declaration,) = EMF["metric_declaration"]
    return any(re.search(selector, name) for selector in declaration["metric_selectors"])


def test_all_that_is_scraped_becomes_a_metric_and_nothing_else_is_scraped(node_page):
    (job,) = yaml.safe_load((MONITORING / "prometheus-scrape.yaml").read_text())["scrape_configs"]
    assert job["metrics_path"] == "/metrics/node"
    assert len(node_page) < job["sample_limit"]
    assert all(declared(name) for name in node_page)
    # The units are those of these metrics; a ratio has none.
    assert set(EMF["metric_unit"]) == node_page - {"trn_node_neuroncore_utilization_ratio"}


def test_the_number_of_metrics_is_the_one_that_the_page_states(node_page):
    collected = AGENT["metrics"]["metrics_collected"]
    of_agent = sum(len(part["measurement"]) for part in collected.values())
    assert collected["cpu"]["totalcpu"] is True
    assert "resources" not in collected["cpu"]
    assert collected["disk"]["resources"] == ["/"]
    total = len(node_page) + of_agent
    assert f"**{total} metrics a node**" in PAGE
    assert f"{total} more for each node group" in PAGE
    # At the first tier's list price, as the page works out.
    assert f"${total * 0.30:.2f}" in PAGE
    for name in node_page:
        assert f"`{name}`" in PAGE


def test_dimensions_are_those_of_the_page_on_both_ways():
    (declaration,) = EMF["metric_declaration"]
    assert declaration["dimensions"] == [
        ["ClusterName", "NodeGroup", "InstanceId"],
        ["ClusterName", "NodeGroup"],
    ]
    assert AGENT["metrics"]["aggregation_dimensions"] == [["ClusterName", "NodeGroup"]]
    (job,) = yaml.safe_load((MONITORING / "prometheus-scrape.yaml").read_text())["scrape_configs"]
    (target,) = job["static_configs"]
    assert set(target["labels"]) == {"ClusterName", "NodeGroup", "InstanceId"}
    assert set(declaration["source_labels"]) <= set(target["labels"])


def settings_of(unit):
    found = {}
    for line in (MONITORING / unit).read_text().splitlines():
        key, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            found.setdefault(key, []).append(value)
    return found


@pytest.mark.parametrize("unit", UNITS)
def test_units_are_started_again_without_end(unit):
    settings = settings_of(unit)
    assert settings["Restart"] == ["always"]
    assert settings["StartLimitIntervalSec"] == ["0"]
    assert settings["NoNewPrivileges"] == ["yes"]
    assert settings["WantedBy"] == ["multi-user.target"]


def test_trn_metrics_talks_to_this_node_and_its_metadata_only():
    settings = settings_of("trn-metrics.service")
    assert settings["IPAddressDeny"] == ["any"]
    assert settings["IPAddressAllow"] == ["localhost 169.254.169.254"]
    assert settings["CapabilityBoundingSet"][0].split() == [
        *("CAP_SYS_PTRACE", "CAP_DAC_OVERRIDE", "CAP_DAC_READ_SEARCH"),
    ]
    assert "CAP_NET" not in settings["CapabilityBoundingSet"][0]


def test_systemd_accepts_the_units(tmp_path):
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("there is no systemd")
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    for unit in UNITS:
        text = (MONITORING / unit).read_text()
        # Programs that this machine need not have.
        text = re.sub(r"^ExecStart=\S+", f"ExecStart={program}", text, flags=re.MULTILINE)
        (tmp_path / unit).write_text(text)
    ran = subprocess.run(
        [analyze, "verify", "--man=no", *(str(tmp_path / unit) for unit in UNITS)],
        capture_output=True,
        text=True,
        check=False,
    )
    ours = [line for line in ran.stderr.splitlines() if "trn-" in line or str(tmp_path) in line]
    assert (ran.returncode, ours) == (0, [])


def test_what_the_kernel_says_of_neuron_hardware_is_kept():
    (start,) = settings_of("trn-kernel-log.service")["ExecStart"]
    pattern = re.compile(re.search(r'--grep "([^"]+)"', start).group(1), re.IGNORECASE)
    for line in (
        "NEURON_HW_ERR=HBM_UNCORRECTABLE_ERROR instance-id=i-1 action=TERMINATE_INSTANCE",
        "efa 0000:ad:00.0: Failed to process command",
        "LustreError: 11-0: fs-MDT0000-mdc: operation ldlm_enqueue failed: rc = -107",
        "Out of memory: Killed process 4711 (python)",
        "INFO: task python:4711 blocked for more than 120 seconds.",
    ):
        assert pattern.search(line), line
    assert not pattern.search("IPv6: ADDRCONF(NETDEV_CHANGE): eth0: link becomes ready")
