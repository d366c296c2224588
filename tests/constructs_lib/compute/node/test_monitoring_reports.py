"""What trn-metrics makes of reports and files, without a process: every shape they may have."""

from __future__ import annotations

import ast
import copy
import json
import sys
from pathlib import Path

import pytest

from tests.constructs_lib.compute.node.monitoring_machine import (
    HARDWARE,
    MONITORING,
    SYSTEM,
    find,
    parse,
    report,
    runtime,
)

sys.path.insert(0, str(MONITORING))
try:
    from trn_metrics import exposition, families, growth, neuron_monitor, neuron_report, node_files
finally:
    sys.path.remove(str(MONITORING))

SOURCES = [MONITORING / "trn-metrics", *sorted(MONITORING.rglob("*.py"))]


class Reports:
    """Reports given one after the other, and what they amount to."""

    def __init__(self, *reports):
        self.kept = neuron_report.NeuronReports()
        for one in reports:
            self.take(one)

    def take(self, one):
        # Through JSON, as it comes.
        self.kept.take(json.loads(json.dumps(one)))
        return self

    @property
    def samples(self):
        return parse(exposition.render([*self.kept.samples(), *self.kept.node_samples()]))

    def find(self, name, **labels):
        return find(self.samples, name, **labels)


@pytest.mark.parametrize("runtimes", [[], None, {}, "none", [None], [7]])
def test_no_runtime_in_whatever_form_is_an_idle_node(runtimes):
    seen = Reports(report(neuron_runtime_data=runtimes))
    assert seen.find("trn_node_neuroncores_in_use") == 0
    assert seen.find("trn_node_neuron_devices") == 16
    assert not [name for name, _ in seen.samples if name == "neuroncore_utilization_ratio"]


@pytest.mark.parametrize("part", ["system_data", "instance_info", "neuron_hardware_info"])
@pytest.mark.parametrize("value", [None, [], "text", 7, {}])
def test_a_part_of_another_form_says_nothing(part, value):
    seen = Reports(report(runtime(), **{part: value}))
    assert seen.find("neuroncore_utilization_ratio", neuroncore="0") == 0.42


def mutilated(document):
    """The document with each of its members in turn replaced by something else."""

    def walk(value, path):
        yield path
        if isinstance(value, dict | list):
            for key in list(value) if isinstance(value, dict) else range(len(value)):
                yield from walk(value[key], (*path, key))

    for path in walk(document, ()):
        for other in (None, [], {}, "text", True, 1e400, -1, [[]], {"": None}):
            made = copy.deepcopy(document)
            place = made
            for key in path[:-1]:
                place = place[key]
            if path:
                place[path[-1]] = other
                yield made


def test_no_report_of_any_form_breaks_it_or_the_text():
    count = 0
    for one in mutilated(report(runtime())):
        seen = Reports(one, report(runtime()))
        assert seen.find("neuroncore_utilization_ratio", neuroncore="0") == 0.42
        Reports(one).samples  # noqa: B018 - is parsed
        count += 1
    assert count > 500


def test_several_runtimes_are_told_apart_by_their_tag():
    other = runtime("other", completed=7)
    cores = other["report"]["neuroncore_counters"]
    cores["neuroncores_in_use"] = {"5": {"neuroncore_utilization": 90.0}}
    seen = Reports(report(runtime(), other))
    assert seen.find("neuroncore_utilization_ratio", runtime_tag="my_app_1", neuroncore="0") == 0.42
    assert seen.find("neuroncore_utilization_ratio", runtime_tag="other", neuroncore="5") == 0.9
    assert seen.find("execution_status_total", runtime_tag="other", status_type="completed") == 7
    assert seen.find("trn_node_neuroncores_in_use") == 3
    assert seen.find("trn_node_executions_completed_total") == 130
    assert seen.find("trn_node_executions_failed_total") == 6
    assert seen.find("trn_node_execution_errors_total") == 6


def test_two_processes_with_one_tag_are_added_up():
    seen = Reports(report(runtime("same", completed=5), runtime("same", completed=6)))
    assert seen.find("execution_status_total", status_type="completed") == 11
    assert seen.find("neuron_runtime_memory_used_bytes", memory_location="host") == 2 * 6997643264
    assert seen.find("neuroncore_utilization_ratio", neuroncore="0") == 0.42


def test_a_runtime_without_a_tag_is_named_by_its_process():
    assert Reports(report(runtime(""))).find("execution_latency_seconds", percentile="p0")
    assert Reports(report(runtime(None))).find(
        "execution_status_total", runtime_tag="4711", status_type="completed"
    )


def test_executions_of_each_period_add_up_and_a_new_runtime_begins_at_nothing():
    seen = Reports(*(report(runtime(completed=n)) for n in (3, 4, 0)))
    assert seen.find("execution_status_total", status_type="completed") == 7
    seen.take(report())
    assert seen.find("execution_status_total", status_type="completed") is None
    assert seen.find("trn_node_executions_completed_total") == 7
    seen.take(report(runtime(completed=5)))
    assert seen.find("execution_status_total", status_type="completed") == 5
    assert seen.find("trn_node_executions_completed_total") == 12


def test_negative_counts_make_no_counter_fall():
    seen = Reports(report(runtime(completed=5)), report(runtime(completed=-3)))
    assert seen.find("execution_status_total", status_type="completed") == 5


def with_ecc(uncorrected, **more):
    system = copy.deepcopy(SYSTEM)
    system["neuron_hw_counters"]["neuron_devices"][0]["mem_ecc_uncorrected"] = uncorrected
    system["neuron_hw_counters"].update(more)
    return report(system_data=system)


def test_ecc_events_count_once_and_go_on_when_the_driver_begins_again():
    event = {"event_type": "mem_ecc_uncorrected", "neuron_device_index": "0"}
    seen = Reports()
    for shown, total in ((2, 2), (2, 2), (5, 5), (0, 5), (1, 6), (1, 6)):
        seen.take(with_ecc(shown))
        assert seen.find("hardware_ecc_events_total", **event) == total
        assert seen.find("trn_node_ecc_uncorrected_total") == total


def test_an_error_of_a_group_hides_its_numbers_and_is_counted():
    bad = runtime()
    bad["report"]["neuroncore_counters"]["error"] = "timed out"
    seen = Reports(report(bad), with_ecc(9, error="no driver"))
    assert seen.find("trn_neuron_report_errors") == 1
    assert seen.find("trn_node_ecc_uncorrected_total") == 0
    seen = Reports(report(bad))
    assert seen.find("trn_neuron_report_errors") == 1
    assert seen.find("neuroncore_utilization_ratio", neuroncore="0") is None
    assert seen.find("execution_status_total", status_type="completed") == 123


def test_an_error_of_a_runtime_hides_all_of_it_but_its_counters():
    bad = runtime()
    bad["error"] = "gone"
    seen = Reports(report(runtime(completed=4)), report(bad))
    assert seen.find("trn_neuron_report_errors") == 1
    assert seen.find("execution_status_total", status_type="completed") == 4
    assert seen.find("neuroncore_utilization_ratio", neuroncore="0") is None


def test_a_node_without_driver_has_no_devices():
    seen = Reports(
        report(
            neuron_hardware_info={
                "neuron_device_count": 0,
                "neuroncore_per_device_count": 0,
                "error": "no driver",
            }
        )
    )
    assert seen.find("trn_node_neuron_devices") == 0
    assert seen.find("trn_node_neuroncore_utilization_ratio") is None
    assert seen.find("neuron_hardware_info") is None
    assert seen.find("trn_neuron_report_errors") == 1


def test_no_model_running_has_no_latency():
    idle = runtime()
    idle["report"]["execution_stats"]["latency_stats"] = {
        "total_latency": None,
        "device_latency": None,
    }
    names = {name for name, _ in Reports(report(idle)).samples}
    assert "execution_latency_seconds" not in names
    assert "execution_status_total" in names


@pytest.mark.parametrize(
    "tag", ['a"b', "a\\b", "a\nb", "a\\", "{}", 'x="1",y="2"', "é", "\udc80", "#", "", "x" * 9999]
)
def test_tags_of_any_text_are_labels(tag):
    seen = Reports(report(runtime(tag)))
    (found,) = {
        dict(labels)["runtime_tag"]
        for name, labels in seen.samples
        if name == "execution_status_total" and ("status_type", "completed") in labels
    }
    expected = tag.encode("utf-8", "replace").decode()[:256] or "4711"
    assert found == expected


def test_a_flood_of_runtimes_does_not_pile_up():
    seen = Reports()
    for round_ in range(40):
        seen.take(report(*(runtime(f"{round_}-{n}") for n in range(300))))
    assert len(seen.kept._counters) <= 256 * 2
    assert len(exposition.render(seen.kept.samples()).splitlines()) < 25_000


def test_names_that_never_repeat_are_counted_as_other_and_do_not_pile_up():
    seen, names = Reports(), 32
    for round_ in range(300):
        one = runtime(**{f"outcome-{round_}-{n}": 1 for n in range(20)})
        errors = {f"error-{round_}-{n}": 2 for n in range(names)}
        one["report"]["execution_stats"]["error_summary"] = errors
        one["neuron_runtime_tag"] = "one"
        instance = {"instance_id": f"i-{round_}"}
        seen.take(report(one, instance_info=instance))
    kept = sum(len(counts) for counts in seen.kept._counters.values())
    assert kept == 2 * (neuron_report.MOST_NAMES + 1)
    # None is lost: the sum over the names is what the reports said.
    counted = {
        dict(labels)["error_type"]: value
        for (name, labels), value in seen.samples.items()
        if name == "execution_errors_total"
    }
    assert sum(counted.values()) == 300 * names * 2 == seen.find("trn_node_execution_errors_total")
    assert counted["other"] == (300 * names - neuron_report.MOST_NAMES) * 2
    assert seen.find("trn_metrics_dropped_series") >= names
    assert seen.find("execution_errors_total", error_type="error-0-0", instance_id="i-299") == 2


def test_a_full_counter_of_one_runtime_takes_no_place_from_another():
    seen = Reports()
    for round_ in range(10):
        seen.take(
            report(runtime("loud", **{f"{round_}-{n}": 1 for n in range(32)}), runtime("calm"))
        )
    assert seen.find("execution_status_total", runtime_tag="calm", status_type="completed") > 0


def test_one_report_cannot_give_a_gauge_more_series_than_it_may_have():
    flood = []
    for number in range(8):
        one = runtime(f"tag-{number}")
        cores = {f"{n}": {"neuroncore_utilization": 1.0} for n in range(512)}
        one["report"]["neuroncore_counters"]["neuroncores_in_use"] = cores
        flood.append(one)
    seen = Reports(report(*flood))
    shown = [name for name, _ in seen.samples if name == "neuroncore_utilization_ratio"]
    assert len(shown) == neuron_report.MOST_SERIES == 2048
    assert seen.find("trn_metrics_dropped_series") == 8 * 512 - 2048
    # The next report begins anew.
    assert seen.take(report(runtime())).find("trn_metrics_dropped_series") == 0


def test_a_full_trn2_node_is_far_below_the_limits():
    full = runtime()
    cores = {str(n): {"neuroncore_utilization": 50.0} for n in range(128)}
    full["report"]["neuroncore_counters"]["neuroncores_in_use"] = cores
    hardware = {**HARDWARE, "neuroncore_per_device_count": 8, "logical_neuroncore_config": 1}
    seen = Reports(report(full, neuron_hardware_info=hardware))
    assert seen.find("trn_node_neuroncore_utilization_ratio") == 0.5
    assert seen.find("trn_node_neuroncores_in_use") == 128
    assert len(seen.samples) < exposition.MOST_SAMPLES / 10


def test_the_text_stops_at_its_limit(monkeypatch):
    monkeypatch.setattr(exposition, "MOST_SAMPLES", 3)
    made = [
        exposition.Sample(families.UTILIZATION, exposition.labels_of({"n": n}), n) for n in range(9)
    ]
    assert len(parse(exposition.render(made))) == 3


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *((0.0, "0"), (1e15, "1000000000000000"), (0.1, "0.1"), (-2.5, "-2.5")),
        *((1e300, "1e+300"), (float("inf"), "+Inf"), (float("-inf"), "-Inf")),
    ],
)
def test_numbers_are_written_as_prometheus_reads_them(value, text):
    made = exposition.render([exposition.Sample(families.NODE_READY, (), value)])
    assert made.splitlines()[-1] == f"trn_node_ready {text}"


def test_a_name_is_of_one_kind():
    other = families.NODE_READY._replace(kind="counter")
    with pytest.raises(ValueError, match="trn_node_ready"):
        exposition.render(
            [exposition.Sample(families.NODE_READY, (), 1), exposition.Sample(other, (), 1)]
        )


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_lines_come_whole_however_they_were_cut(size):
    text = b"one\n\ntwo\n" + b"x" * 50 + b"\nthree\nhalf"
    lines, got = neuron_monitor.Lines(most_bytes=20), []
    for at in range(0, len(text), size):
        got += lines.feed(text[at : at + size])
    assert got == [b"one", b"", b"two", b"three"]
    assert lines.too_long == 1


def test_growth_follows_no_more_counters_than_it_may():
    sums = growth.Growth(most_keys=2)
    assert [sums.see(key, 5) for key in "abc"] == [5, 5, 0]
    assert sums.see("a", 3) == 3
    assert sums.total == 13


class Files:
    def __init__(self, root):
        self.root, self.files = root, node_files.NodeFiles(root)

    def put(self, path, text):
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        return target

    def counter(self, device, name, text):
        return self.put(f"sys/class/infiniband/{device}/ports/1/hw_counters/{name}", text)

    @property
    def samples(self):
        return parse(exposition.render(self.files.samples()))


@pytest.fixture
def files(tmp_path):
    return Files(tmp_path)


def test_a_node_without_files_says_nothing(files):
    assert list(files.files.samples()) == []
    assert files.files.node_samples() == []


def test_efa_counters_have_the_names_of_the_cloudwatch_agent(files):
    names = {
        "rx_bytes": "efa_rx_bytes",
        "tx_bytes": "efa_tx_bytes",
        "rx_drops": "efa_rx_dropped",
        "rdma_read_bytes": "efa_rdma_read_bytes",
        "rdma_write_bytes": "efa_rdma_write_bytes",
        "rdma_write_recv_bytes": "efa_rdma_write_recv_bytes",
        "retrans_bytes": "efa_retrans_bytes",
        "retrans_pkts": "efa_retrans_pkts",
        "retrans_timeout_events": "efa_retrans_timeout_events",
        "impaired_remote_conn_events": "efa_impaired_remote_conn_events",
        "unresponsive_remote_events": "efa_unresponsive_remote_events",
    }
    for value, name in enumerate(names, start=1):
        files.counter("rdmap0s6", name, f"{value}\n")
    files.counter("rdmap0s6", "lifespan", "12\n")
    for value, name in enumerate(names.values(), start=1):
        assert find(files.samples, name, device="rdmap0s6") == value
    assert find(files.samples, "trn_node_efa_remote_faults_total") == 10 + 11
    assert find(files.samples, "trn_node_efa_rdma_bytes_total") == 4 + 5


@pytest.mark.parametrize("text", ["", "-1\n", "many\n", "٣\n", "1.5\n", "0x10\n"])
def test_a_counter_that_is_no_number_is_left_out(files, text):
    files.counter("efa_0", "rx_bytes", text)
    assert list(files.files.samples()) == []


def test_the_sum_over_devices_never_falls(files):
    for device, shown in (("efa_0", "100"), ("efa_1", "50")):
        files.counter(device, "rx_bytes", shown)
    assert find(files.samples, "trn_node_efa_rx_bytes_total") == 150
    files.counter("efa_0", "rx_bytes", "30")  # Its driver began again.
    assert find(files.samples, "trn_node_efa_rx_bytes_total") == 180
    files.counter("efa_1", "rx_bytes", "").unlink()
    assert find(files.samples, "trn_node_efa_rx_bytes_total") == 180
    assert find(files.samples, "efa_rx_bytes", device="efa_0") == 30


@pytest.mark.parametrize(
    ("text", "ready"),
    [("ready\n", 1), ("booting", 0), ("failed\n", 0), ("", None), ("rea", None), ("dy", None)],
)
def test_the_state_is_one_of_three_words(files, text, ready):
    files.put("run/trnkit/node-state", text)
    kept = list(files.files.samples())
    samples = parse(exposition.render(kept)) if kept else {}
    assert find(samples, "trn_node_ready") == ready
    states = {
        dict(labels)["state"]: v for (n, labels), v in samples.items() if n == "trn_node_state"
    }
    if ready is None:
        assert states == {}
    else:
        word = text.strip()
        assert states == {s: float(s == word) for s in ("booting", "ready", "failed")}


@pytest.mark.parametrize(
    ("text", "passed"),
    [
        *(('{"verdict": "ok"}', 1), ('{"verdict": "warning"}', 1)),
        *(('{"verdict": "failed"}', 0), ('{"verdict": "unknown"}', 0)),
        *(("", None), ("{", None), ("[]", None), ('{"verdict": 1}', None), ("{}", None)),
        ("[" * 100_000, None),
    ],
)
def test_the_node_check_passed_or_not_or_nobody_knows(files, text, passed):
    file = files.put("run/trnkit/node-check.json", text)
    samples = parse(exposition.render(files.files.samples()))
    assert find(samples, "trn_node_check_ok") == passed
    assert find(samples, "trn_node_check_timestamp_seconds") == file.stat().st_mtime


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_it_is_python_3_9_and_imports_nothing_but_the_standard_library(path):
    tree = ast.parse(path.read_text(), feature_version=(3, 9))
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module]
        for name in names:
            top = name.partition(".")[0]
            assert top in sys.stdlib_module_names or top == "trn_metrics"
            # These, and what follows, came later.
            assert top not in ("tomllib",)
        # `X | Y` between types at run time is of 3.10; annotations are text here.
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance":
            assert not isinstance(node.args[1], ast.BinOp)
        if isinstance(node, ast.Call):
            used = {keyword.arg for keyword in node.keywords}
            assert not (getattr(node.func, "id", "") == "zip" and "strict" in used)
            assert not (getattr(node.func, "id", "") == "dataclass" and used & {"slots", "kw_only"})
    if path.suffix == ".py" and path.name != "__init__.py":
        assert "from __future__ import annotations" in path.read_text()


def test_the_program_can_be_run():
    assert Path(MONITORING / "trn-metrics").stat().st_mode & 0o111
    assert (MONITORING / "trn-metrics").read_text().startswith("#!/usr/bin/python3 -I\n")
