"""The verdict: pass, fail or unknown, and why."""

import json
import os

import pytest

from tests.trnkit.operations.smoke.samples import LOSSES, STEP, fabric, good, node, plan, report
from trnkit.errors import UnreadableInputError, UsageError
from trnkit.operations.smoke.results import read_results
from trnkit.operations.smoke.verdicts import Floors, judge


@pytest.fixture
def verdict(tmp_path):
    """Judge results that stand in files."""

    def call(results, **floors):
        for number, result in enumerate(results):
            (tmp_path / f"{number}.json").write_text(json.dumps(result))
        return judge(read_results([str(tmp_path)]), Floors(**floors))

    return call


def texts(found, status):
    return [f"{r.subject}: {r.text}" for r in found.reasons if r.status == status]


def test_a_good_test_passes_and_says_what_was_measured(verdict):
    found = verdict(good())
    assert (found.status, found.hosts) == ("pass", ("n0", "n1"))
    assert [b.bus_gbps for b in found.bandwidths] == [2500.0, 2500.0, 960.0]
    assert [b.floor_gbps for b in found.bandwidths] == [640.0, 640.0, 400.0]
    assert (
        "across 2 nodes: all-reduce: 960 Gbit/s (120 GB/s) reaches the floor of 400 Gbit/s "
        "(50 GB/s), 0.125 of one EFA interface x 16; the fraction is an assumption of trnkit"
    ) in texts(found, "pass")


def test_one_node_alone_needs_no_run_across_nodes(verdict):
    assert verdict(good(nodes=1, across_nodes=False)).status == "pass"


@pytest.mark.parametrize(
    ("changes", "gbytes", "status", "text"),
    [
        ({}, 40, "fail", "320 Gbit/s (40 GB/s) is below the floor of 400 Gbit/s"),
        ({}, 20, "fail", "less than one EFA interface gives (200 Gbit/s), which looks like TCP"),
        ({}, 50, "pass", "reaches the floor"),
        ({"efa_interfaces": 1}, 4, "pass", "32 Gbit/s (4 GB/s) reaches the floor of 25 Gbit/s"),
        (
            {"instance_type": "trn1.32xlarge", "ranks_per_node": 32, "efa_interfaces": 8},
            11,
            "fail",
            "less than one EFA interface gives (100 Gbit/s)",
        ),
        ({"instance_type": "trn9.96xlarge"}, 500, "unknown", "no floor is known: give one"),
    ],
)
def test_the_bandwidth_across_nodes(verdict, changes, gbytes, status, text):
    facts = plan(**changes)
    found = verdict([node("n0", plan=facts), node("n1", plan=facts), fabric(gbytes, plan=facts)])
    assert found.status == status
    assert any(text in reason.text for reason in found.reasons if reason.status == status)


def test_a_floor_of_ones_own_counts_instead(verdict):
    results = [node("n0"), node("n1"), fabric(40)]
    assert verdict(results, last=300).status == "pass"
    assert verdict(results, last=330).status == "fail"
    assert verdict(results, last=300, node=2501).status == "fail"


def test_a_low_floor_of_ones_own_does_not_hide_tcp(verdict):
    found = verdict([node("n0"), node("n1"), fabric(2)], last=1)
    assert found.status == "unknown"
    assert "looks like TCP" in texts(found, "unknown")[0]


def test_for_a_single_node_the_one_floor_is_the_nodes(verdict):
    results = good(nodes=1, across_nodes=False)
    assert verdict(results, last=2600).status == "fail"
    assert verdict(results, last=2400).status == "pass"


@pytest.mark.parametrize("floor", [float("nan"), float("inf")])
def test_a_floor_is_a_number(verdict, floor):
    with pytest.raises(UsageError, match="is no floor"):
        verdict(good(), last=floor)


def test_fewer_ranks_than_asked_for(verdict):
    part = {"status": "passed", "report": report(300, 64, reported_ranks=60)}
    found = verdict([node("n0", sweep=part), node("n1"), fabric()])
    assert texts(found, "fail")[0] == "node n0: the sweep ran over 60 ranks, not 64"


def test_a_node_that_gave_no_result(verdict):
    found = verdict([node("n0"), fabric()])
    assert texts(found, "fail") == ["node group train: 1 of 2 nodes gave a result of their own: n0"]


def test_no_run_across_nodes_is_unknown_not_passed(verdict):
    found = verdict([node("n0"), node("n1")])
    assert found.status == "unknown"
    assert texts(found, "unknown") == [
        "node group train: there is no result of the run across nodes"
    ]


@pytest.mark.parametrize(
    ("part", "status", "text"),
    [
        (
            {"status": "failed", "output_tail": ["golden mismatch on rank 3", "test failed"]},
            "fail",
            "the sweep found a wrong result: golden mismatch on rank 3; test failed",
        ),
        (
            {"status": "failed", "output_tail": ["OFI plugin is not installed"]},
            "fail",
            "the sweep failed: OFI plugin is not installed",
        ),
        (
            {"status": "failed", "message": "nccom-test left no report"},
            "fail",
            "the sweep failed: nccom-test left no report",
        ),
        (
            {
                "status": "hung",
                "seconds": 1800,
                "alive": ["neuron-bench (pid 7) D in efa_poll"],
                "output_tail": ["waiting for rank 77"],
            },
            "fail",
            "the sweep hung: it did not end within 1800 seconds; still alive: neuron-bench (pid 7) "
            "D in efa_poll; its last line: waiting for rank 77",
        ),
        (
            {"status": "interrupted", "seconds": 40},
            "unknown",
            "the sweep was stopped from outside after 40 seconds",
        ),
        (
            {"status": "running"},
            "fail",
            "the sweep was running when the result was written, so it ended with its node or job",
        ),
        (
            {"status": "skipped", "message": "the node check failed"},
            "unknown",
            "the sweep did not run: the node check failed",
        ),
        ({"status": "passed", "report": None}, "unknown", "its report holds no bandwidth"),
        (None, "unknown", "the sweep did not run"),
        (
            {"status": "passed", "report": report(312.5, 64, largest=2**26)},
            "unknown",
            "the report ends at 64 MiB, not at 1024 MiB, so its bandwidth is not compared",
        ),
    ],
)
def test_a_sweep_that_did_not_end_well(verdict, part, status, text):
    found = verdict([node("n0", sweep=part), node("n1"), fabric()])
    assert found.status == status
    assert any(text in reason for reason in texts(found, status)), found.reasons


def losses_of(first, last):
    """A step with as many losses as the plan has steps."""
    return {**STEP, "report": {"losses": [first, *LOSSES[1:-1], last]}}


@pytest.mark.parametrize(
    ("part", "status", "text"),
    [
        (losses_of(0.3, 0.3), "fail", "did not fall: 0.3 at first, 0.3"),
        (losses_of(0.3, "nan"), "fail", "0.3 at first, nan at the end"),
        (losses_of(10**400, 1), "fail", "did not fall: 1000"),
        (losses_of(0.3, True), "fail", "0.3 at first, True at the end"),
        (
            {**STEP, "report": {"losses": LOSSES[:2]}},
            "fail",
            "the training step reports 2 losses, and the plan has 20 steps",
        ),
        (
            {**STEP, "report": {"losses": [*LOSSES, 0]}},
            "fail",
            "the training step reports 21 losses, and the plan has 20 steps",
        ),
        ({**STEP, "report": {}}, "unknown", "holds no losses"),
        ({**STEP, "report": 7}, "unknown", "holds no losses"),
        (
            {"status": "failed", "message": "python has no package torch_xla"},
            "fail",
            "the training step failed: python has no package torch_xla",
        ),
    ],
)
def test_a_training_step_that_did_not_end_well(verdict, part, status, text):
    found = verdict([node("n0", step=part), node("n1"), fabric()])
    assert found.status == status
    assert any(text in reason for reason in texts(found, status)), found.reasons


def test_a_failed_node_check_is_what_matters(verdict):
    parts = {
        "check": {"status": "failed", "output_tail": ["15 of 16 chips"]},
        "sweep": {"status": "skipped", "message": "the node check failed"},
        "step": {"status": "skipped", "message": "the node check failed"},
    }
    found = verdict([node("n0", **parts), node("n1"), fabric()])
    assert texts(found, "fail") == ["node n0: the node check failed: 15 of 16 chips"]


def test_a_node_without_a_check_can_pass(verdict):
    skipped = {"status": "skipped", "message": "there is no trn-node-check here"}
    found = verdict([node("n0", check=skipped), node("n1"), fabric()])
    assert found.status == "pass"
    assert texts(found, "left out") == [
        "node n0: the node check did not run: there is no trn-node-check here"
    ]
    assert not any("n0: the node check" in text for text in texts(found, "pass"))


def test_a_node_of_which_there_is_no_check_is_unknown(verdict):
    found = verdict([node("n0", check=None), node("n1"), fabric()])
    assert found.status == "unknown"
    assert texts(found, "unknown") == ["node n0: the node check did not run"]


def test_parts_that_the_plan_does_not_have_are_not_missed(verdict):
    facts = plan(parts=["sweep", "step"])
    nodes = [node(host, plan=facts, check=None) for host in ("n0", "n1")]
    assert verdict([*nodes, fabric(plan=facts)]).status == "pass"


def test_what_was_left_out_is_no_pass(verdict):
    facts = plan(nodes=1, across_nodes=False, parts=["check"])
    left_out = {"status": "skipped", "message": "there is no trn-node-check here"}
    assert verdict([node("n0", plan=facts, check=left_out, sweep=None, step=None)]).status == (
        "unknown"
    )


@pytest.mark.parametrize(
    ("status", "word"),
    [("failed", "fail"), ("hung", "fail"), ("interrupted", "unknown"), ("running", "unknown")],
)
def test_a_result_that_says_worse_than_its_parts(verdict, status, word):
    found = verdict([{**node("n0"), "status": status}, node("n1"), fabric()])
    assert found.status == word
    assert texts(found, word) == [
        f"node n0: the result says {status}, and none of its parts says why"
    ]


@pytest.mark.parametrize("gbytes", [12_801, 1e290, 10**307])
def test_a_bandwidth_that_no_node_has_is_not_believed(verdict, gbytes):
    found = verdict([node("n0", gbytes), node("n1"), fabric()], last=1, node=1)
    assert found.status == "unknown"
    assert [b.subject for b in found.bandwidths] == ["node n1", "across 2 nodes"]
    assert (
        "which is more than 102400 Gbit/s and so was not measured" in (texts(found, "unknown")[0])
    )


def test_an_infinite_bandwidth_is_not_believed_whatever_the_time_says(verdict):
    told = report(312.5, 64)
    told["results"][-1]["busbw(GB/s)"] = float("inf")
    part = {"status": "passed", "report": told}
    found = verdict([node("n0", sweep=part), node("n1"), fabric()])
    assert texts(found, "unknown") == [
        "node n0: time and bandwidths of the report cannot all be right"
    ]
    told["results"] = [{"size(B)": 2**30, "busbw(GB/s)": 1.7e308}]
    found = verdict([node("n0", sweep=part), node("n1"), fabric()])
    assert found.status == "unknown"
    assert "the report leads to inf Gbit/s" in texts(found, "unknown")[0]


@pytest.mark.parametrize(
    ("changes", "gbytes", "status"),
    [
        ({}, 3_999, "pass"),
        ({}, 4_001, "unknown"),
        ({"efa_interfaces": 1}, 249, "pass"),
        ({"efa_interfaces": 1}, 251, "unknown"),
        ({"instance_type": "trn9.96xlarge"}, 124_000, "pass"),
        ({"instance_type": "trn9.96xlarge"}, 126_000, "unknown"),
    ],
)
def test_across_nodes_ten_times_the_interfaces_is_the_most(verdict, changes, gbytes, status):
    facts = plan(**changes)
    results = [node("n0", plan=facts), node("n1", plan=facts), fabric(gbytes, plan=facts)]
    assert verdict(results, last=1, node=1).status == status


def test_a_check_that_may_not_look_at_everything_passes_and_says_so(verdict):
    part = {"status": "passed", "message": "not everything could be checked: run it as root"}
    found = verdict([node("n0", check=part), node("n1"), fabric()])
    assert found.status == "pass"
    assert (
        "node n0: the node check passed; not everything could be checked: run it as root"
    ) in texts(found, "pass")


def test_an_outlier_is_named(verdict):
    facts = plan(nodes=4)
    speeds = {"n0": 312, "n1": 200, "n2": 310, "n3": 308}
    results = [node(host, gbytes, plan=facts) for host, gbytes in speeds.items()]
    found = verdict([*results, fabric(plan=facts)])
    assert texts(found, "fail") == [
        "node n1: is an outlier: 1600 Gbit/s (200 GB/s), 65 % of the median of the other 3, "
        "2480 Gbit/s (310 GB/s)"
    ]


def test_nodes_that_differ_a_little_are_no_outliers(verdict):
    assert verdict([node("n0", 312), node("n1", 255), fabric()]).status == "pass"


def test_of_two_results_of_a_node_the_newer_one_counts(verdict):
    old = node("n0", 10, started="2026-11-30T09:00:00Z")
    assert verdict([node("n0"), old, node("n1"), fabric()]).status == "pass"


def test_results_of_different_tests_are_not_judged_together(verdict):
    with pytest.raises(UsageError, match="several tests"):
        verdict([node("n0"), node("n1", plan=plan(node_group="other"))])


def test_results_are_found_in_logs(tmp_path):
    lines = ["trn-smoke: check ...", f"0: TRN-SMOKE-RESULT {json.dumps(node('n0'))}", "bye"]
    (tmp_path / "pod-0.log").write_text("\n".join(lines))
    lines = [f"TRN-SMOKE-RESULT {json.dumps(found)}" for found in (node("n1"), fabric())]
    (tmp_path / "pod-1.log").write_text("\n".join(lines))
    assert judge(read_results([str(tmp_path)]), Floors()).status == "pass"


def of_plan(**changes):
    """The text of a result whose plan says something else."""
    found = node("n0")
    return json.dumps({**found, "plan": {**found["plan"], **changes}})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("no such thing", "there is no result of trn-smoke in it"),
        ("TRN-SMOKE-RESULT {", "it is not what trn-smoke writes, or was cut off"),
        ("{}", "is not what trn-smoke writes"),
        ("[" * 200_000, "there is no result of trn-smoke in it"),
        (json.dumps({**node("n0"), "plan": {}}), "plan.cluster is not what trn-smoke writes"),
        (json.dumps({**node("n0"), "parts": {"sweep": 1}}), "parts.sweep is not what"),
        (json.dumps({**node("n0"), "host": ""}), "host is not what trn-smoke writes"),
        (of_plan(ranks_per_node=1), "plan.ranks_per_node is 1, less than 2, which trn-smoke"),
        (of_plan(efa_interfaces=10**400), f"plan.efa_interfaces is 1{'0' * 36}..., more than 1000"),
        (of_plan(nodes=10**400), "plan.nodes is 1"),
        (of_plan(sweep={"maximum_bytes": 10**400}), "plan.sweep.maximum_bytes is 1"),
        (of_plan(step={"steps": 0}), "plan.step.steps is 0, less than 1"),
        (
            json.dumps({**node("n0"), "parts": {"sweep": {"status": "hung", "seconds": 1e308}}}),
            "parts.sweep.seconds is 1e+308, more than 1e+09",
        ),
    ],
)
def test_what_is_no_result_makes_the_verdict_unknown(tmp_path, text, why):
    file = tmp_path / "x.json"
    file.write_text(text)
    found = judge(read_results([str(file)]), Floors())
    assert found.status == "unknown"
    assert any(why in reason.text for reason in found.reasons)


def test_a_report_of_nccom_test_alone_needs_a_floor(tmp_path):
    file = tmp_path / "report.json"
    file.write_text(json.dumps(report(312.5, 64)))
    read = read_results([str(file)])
    assert judge(read, Floors()).status == "unknown"
    assert judge(read, Floors(last=2500)).status == "pass"
    assert judge(read, Floors(last=2501)).status == "fail"
    file.write_text(json.dumps(report(1e300, 64)))
    assert judge(read_results([str(file)]), Floors(last=1)).status == "unknown"
    odd = report(312.5, 64)
    odd["results"][-1]["algbw(GB/s)"] = float("inf")
    file.write_text(json.dumps(odd))
    assert judge(read_results([str(file)]), Floors(last=1)).status == "unknown"


def test_the_plan_beside_the_results_is_passed_over(tmp_path):
    (tmp_path / "plan.json").write_text(json.dumps({"kind": "trn-smoke-plan"}))
    (tmp_path / "n0.json").write_text(
        json.dumps(node("n0", plan=plan(nodes=1, across_nodes=False)))
    )
    assert judge(read_results([str(tmp_path)]), Floors()).status == "pass"


@pytest.mark.parametrize("name", ["absent.json", "empty", "\0"])
def test_what_cannot_be_read_is_an_error(tmp_path, name):
    (tmp_path / "empty").mkdir()
    with pytest.raises(UnreadableInputError):
        read_results([str(tmp_path / name)])


def test_a_pipe_with_a_name_is_not_read(tmp_path):
    os.mkfifo(tmp_path / "results.json")
    with pytest.raises(UnreadableInputError, match="not a regular file"):
        read_results([str(tmp_path / "results.json")])


def test_an_empty_name_is_refused():
    with pytest.raises(UsageError):
        read_results([""])
