"""Suppressions of the command line, and those of template rules at synth."""

from __future__ import annotations

import json

import pytest

from tests.trnkit.cli.conftest import MINIMAL
from tests.trnkit.rules.test_cloud_assembly import stack, write
from tests.trnkit.rules.test_template_metadata import BOTH_PLACES, body, entry, suppress
from trnkit.config import read_cluster
from trnkit.errors import UsageError
from trnkit.findings import Finding, Severity, Suppression
from trnkit.operations.suppressions import (
    GivenSuppression,
    read_suppressions,
    suppress_given,
    suppressed_at_synth,
)

REASON = "agreed with the owners"
CONFIG = ("TRN204",)
TEMPLATES = ("TRN251",)


@pytest.mark.parametrize("none", [None, [], ()])
def test_without_suppressions_there_are_none(none):
    assert read_suppressions(none) == ()


def test_an_id_and_a_reason_which_may_hold_the_sign_between_them():
    given = read_suppressions(["TRN251=count = 8  is\nenough", " E3002 = an old property"])
    assert given == (
        GivenSuppression("TRN251", "count = 8 is enough"),
        GivenSuppression("E3002", "an old property"),
    )
    assert read_suppressions(f"TRN251={REASON}") == (GivenSuppression("TRN251", REASON),)


@pytest.mark.parametrize(
    "text", ["TRN251", "TRN251=", "TRN251=   ", "TRN251=too short", "=a reason without id", "=", ""]
)
def test_without_a_reason_it_is_wrong_usage(text):
    with pytest.raises(UsageError, match="a reason of at least 10 characters"):
        read_suppressions([text])


def test_an_id_twice_is_wrong_usage():
    with pytest.raises(UsageError, match="TRN251 is given twice"):
        read_suppressions([f"TRN251={REASON}", "TRN251=another reason"])


def found(rule_id="TRN204", **more):
    return Finding(rule_id=rule_id, severity=Severity.ERROR, message="it is wrong", **more)


def given(*rule_ids):
    return [GivenSuppression(rule_id, REASON) for rule_id in rule_ids]


def test_every_finding_of_the_rule_becomes_information_with_the_reason():
    findings = [found(file="a"), found(file="b"), found("TRN205")]
    first, second, other = suppress_given(findings, given("TRN204"), judged=CONFIG)
    assert [first.severity, second.severity] == [Severity.INFO, Severity.INFO]
    assert first.message == f"suppressed ({REASON}): it is wrong"
    assert first.suppression == Suppression(kind="external", reason=REASON)
    assert other == findings[2]


@pytest.mark.parametrize(
    ("rule_id", "others", "severity", "message"),
    [
        ("TRN204", None, "warning", "suppresses nothing: it does not fire"),
        ("TRN251", None, "warning", "suppresses nothing: it judges templates"),
        ("TRN999", None, "error", "names no rule"),
        ("TRN001", None, "error", "cannot be switched off, it is about the file itself"),
        ("E3002", None, "warning", "suppresses nothing: only other judges have such rules"),
        ("E3002", {"E3002"}, "warning", "suppresses nothing: it does not fire"),
        ("E3003", {"E3002"}, "error", "names no rule"),
    ],
)
def test_what_is_no_use_is_a_finding(rule_id, others, severity, message):
    (said,) = suppress_given([], given(rule_id), judged=CONFIG, others=others)
    assert (said.rule_id, said.severity) == ("TRN006", severity)
    assert said.message == f"--suppress {rule_id} {message}"


def test_a_rule_over_cluster_files_is_idle_where_templates_are_judged():
    (said,) = suppress_given([], given("TRN204"), judged=TEMPLATES)
    assert said.message == "--suppress TRN204 suppresses nothing: it judges cluster files"


def test_about_rules_that_are_asked_at_another_step_nothing_is_said():
    assert suppress_given([], given("TRN251"), judged=CONFIG, elsewhere=TEMPLATES) == []


def test_packs_of_rules_are_asked_at_synth_alone():
    packed = given("AwsSolutions-IAM4")
    assert suppress_given([], packed, judged=CONFIG, elsewhere=TEMPLATES) == []
    (said,) = suppress_given([], packed, judged=TEMPLATES)
    assert said.message == (
        "--suppress AwsSolutions-IAM4 suppresses nothing: only `trnkit synth` asks it"
    )


def test_rules_over_other_formats_are_switched_off_where_they_are_asked():
    assert suppress_given([found("TRN230")], given("TRN230"), judged=("TRN230",))[0].suppression
    (said,) = suppress_given([], given("TRN230"), judged=CONFIG)
    assert said.message == "--suppress TRN230 judges documents of other tools alone"


def test_what_is_suppressed_already_makes_the_command_line_idle():
    done = found().suppressed(Suppression(kind="inSource", reason="in the file itself"))
    kept, said = suppress_given([done], given("TRN204"), judged=CONFIG)
    assert kept == done
    assert said.message == "--suppress TRN204 suppresses nothing: it does not fire"


def assembly(folder, **options):
    artifact = stack(templateFile="n.json", stackName="pretrain-Compute")
    write(folder, {"n": artifact | {"displayName": "pretrain/Compute"}})
    (folder / "n.json").write_text(json.dumps(body(**options)))
    return folder


def cluster(*rule_ids):
    entries = "".join(f"  - {{rule_id: {name}, reason: {REASON}}}\n" for name in rule_ids)
    return read_cluster(MINIMAL + (f"suppress:\n{entries}" if entries else ""), "cluster.yaml")


def test_synth_lists_what_the_cluster_file_suppressed_in_its_templates(tmp_path):
    told = suppressed_at_synth([cluster(BOTH_PLACES)], [], assembly(tmp_path))
    assert [(f.rule_id, f.logical_id, f.file) for f in told] == [
        (BOTH_PLACES, "Nodes", "n.json"),
        (BOTH_PLACES, "Others", "n.json"),
    ]
    assert {f.suppression for f in told} == {Suppression(kind="inSource", reason=REASON)}


def test_synth_lists_what_the_command_line_suppressed_and_what_for_nothing(tmp_path):
    *told, idle = suppressed_at_synth([cluster()], given(BOTH_PLACES, "TRN353"), assembly(tmp_path))
    assert {(f.rule_id, f.suppression) for f in told} == {
        (BOTH_PLACES, Suppression(kind="external", reason=REASON))
    }
    assert idle.message == "--suppress TRN353 suppresses nothing: it does not fire"


def test_what_metadata_suppresses_the_report_of_the_cdk_has_already(tmp_path):
    metadata = suppress(entry())
    folder = assembly(tmp_path, nodes=metadata, others=metadata)
    (idle,) = suppressed_at_synth([cluster(BOTH_PLACES)], [], folder)
    assert idle.message == f"suppress[0] suppresses nothing: no template breaks {BOTH_PLACES}"


def test_without_suppressions_no_template_is_read(tmp_path):
    write(tmp_path, {"n": stack(templateFile="missing.json")})
    assert suppressed_at_synth([cluster()], given("TRN204"), tmp_path) == []
