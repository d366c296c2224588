"""Whom a boot tells how it ended: lifecycle hook, stack, tag."""

from __future__ import annotations

import os
import signal
import subprocess
import time

import pytest

from tests.constructs_lib.compute.node.machine import BASH, BUNDLE, steps
from tests.constructs_lib.compute.node.metadata_service import INSTANCE

HOOK = "TRNKIT_REGION=us-east-2\nTRNKIT_REPORT='lifecycle booted'\n"
SIGNAL = "TRNKIT_REGION=us-east-2\nTRNKIT_REPORT='signal a-stack Group'\n"
FAILS = "TRNKIT_HUGE_PAGES=wrong\n"
PREFIX = "aws --region us-east-2 --cli-connect-timeout 10 --cli-read-timeout 30 "


def in_state(state, also=""):
    """An AWS CLI that knows the instance in a group whose name has a space."""
    return (
        f'case "$*" in *describe-auto-scaling-instances*) printf "a group\\t{state}\\n" ;;\n'
        f"{also} esac"
    )


def asked(node):
    return [call.removeprefix(PREFIX) for call in node.calls if call.startswith("aws ")]


def completed(result):
    return (
        "autoscaling complete-lifecycle-action --lifecycle-hook-name booted "
        f"--auto-scaling-group-name a group --instance-id {INSTANCE} "
        f"--lifecycle-action-result {result}"
    )


@pytest.mark.parametrize(
    ("settings", "result", "code"),
    [
        pytest.param("", "CONTINUE", 0, id="ready"),
        pytest.param(FAILS + "TRNKIT_BOOT_FAILURE=keep", "CONTINUE", 1, id="failed, kept"),
        pytest.param("TRNKIT_BOOT_FAILURE=keep", "CONTINUE", 0, id="ready, would be kept"),
    ],
)
@pytest.mark.parametrize("state", ["Pending:Wait", "Warmed:Pending:Wait"])
def test_a_hook_that_waits_is_told(cloud_node, settings, result, code, state):
    cloud_node.install("aws", in_state(state))
    found, log = cloud_node.run_boot(HOOK + settings)
    assert found == code
    assert asked(cloud_node) == [
        f"autoscaling describe-auto-scaling-instances --instance-ids {INSTANCE} --output text "
        "--query AutoScalingInstances[0].[AutoScalingGroupName,LifecycleState]",
        completed(result),
    ]
    assert steps(log)[-2:] == [("lifecycle booted", "ok"), ("boot", "failed" if code else "ok")]
    assert cloud_node.read("run/trnkit/node-state") == ("failed\n" if code else "ready\n")


@pytest.mark.parametrize("failure", ["", "TRNKIT_BOOT_FAILURE=replace"])
def test_the_time_out_of_the_hook_gives_a_failed_node_up(cloud_node, failure):
    cloud_node.install("aws", in_state("Pending:Wait"))
    code, log = cloud_node.run_boot(HOOK + FAILS + failure)
    assert code == 1
    assert not asked(cloud_node)
    assert log[-2]["status"] == "skipped"
    assert log[-2]["detail"].startswith("the hook's timeout gives the node up")


@pytest.mark.parametrize(
    "state",
    ["InService", "Standby", "EnteringStandby", "Pending:Proceed", "Warmed:Running", "Terminating"],
)
def test_a_hook_that_does_not_wait_is_not_told(cloud_node, state):
    cloud_node.install("aws", in_state(state))
    code, log = cloud_node.run_boot(HOOK)
    assert code == 0
    assert len(asked(cloud_node)) == 1
    assert log[-2]["status"] == "skipped"
    assert log[-2]["detail"] == f"no hook waits: the instance is {state}"


def test_an_instance_of_no_group_tells_nobody(cloud_node):
    cloud_node.install("aws", "echo None")
    code, log = cloud_node.run_boot(HOOK)
    assert code == 0
    assert len(asked(cloud_node)) == 1
    assert log[-2]["detail"] == "no hook waits: the instance is in no group"


def test_a_boot_that_is_faster_than_the_hook_waits_for_it(cloud_node):
    counter = cloud_node.behaviour / "described"
    cloud_node.install(
        "aws",
        f'case "$*" in *describe*) echo >>"{counter}"; '
        f"[[ $(<\"{counter}\") != *$'\\n'* ]] || :; state=Pending; "
        f'[[ $(grep -c "" "{counter}") -lt 3 ]] || state=Pending:Wait; '
        'printf "a group\\t$state\\n" ;; esac',
    )
    code, log = cloud_node.run_boot(HOOK)
    assert code == 0
    assert [call.split()[1] for call in asked(cloud_node)] == [
        *["describe-auto-scaling-instances"] * 3,
        "complete-lifecycle-action",
    ]
    assert ("lifecycle booted", "ok") in steps(log)


@pytest.mark.parametrize(
    ("settings", "status", "code"),
    [("", "SUCCESS", 0), (FAILS, "FAILURE", 1), (FAILS + "TRNKIT_BOOT_FAILURE=keep", "SUCCESS", 1)],
)
def test_a_stack_is_signalled_once(cloud_node, settings, status, code):
    found, log = cloud_node.run_boot(SIGNAL + settings)
    assert found == code
    told = (
        "cloudformation signal-resource --stack-name a-stack --logical-resource-id Group "
        f"--unique-id {INSTANCE} --status {status}"
    )
    assert asked(cloud_node) == [told]
    assert ("signal a-stack Group", "ok") in steps(log)
    _, log = cloud_node.run_boot(SIGNAL + settings)
    assert asked(cloud_node) == [told], "a reboot tells nobody"
    assert ("signal a-stack Group", "skipped") in steps(log)


def test_a_machine_made_from_an_image_of_another_signals_for_itself(cloud_node, metadata):
    cloud_node.run_boot(SIGNAL)
    metadata.values["instance-id"] = "i-0fedcba9876543210"
    cloud_node.run_boot(SIGNAL)
    assert [call.split("--unique-id ")[1][:4] for call in asked(cloud_node)] == ["i-01", "i-0f"]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (HOOK, "ValidationError: No active Lifecycle Action found with instance ID i-1"),
        (SIGNAL, "ValidationError: Stack is in CREATE_COMPLETE state and cannot be signaled"),
    ],
)
def test_who_does_not_wait_any_longer_is_no_failure(cloud_node, settings, words):
    cloud_node.install(
        "aws", in_state("Pending:Wait", f"*complete-* | *signal-*) echo '{words}' >&2; exit 254 ;;")
    )
    code, log = cloud_node.run_boot(settings)
    assert code == 0
    assert log[-2]["status"] == "ok"
    assert sum("complete-" in call or "signal-" in call for call in asked(cloud_node)) == 1


@pytest.mark.parametrize(
    ("settings", "failing", "calls"),
    [
        (HOOK, "describe-auto-scaling-instances", 6),
        (HOOK, "complete-lifecycle-action", 6),
        (SIGNAL, "signal-resource", 6),
        ("TRNKIT_REGION=us-east-2\nTRNKIT_TAG_STATE=1\n", "create-tags", 7),
    ],
)
def test_a_report_that_fails_is_retried_and_logged_and_fails_no_boot(
    cloud_node, settings, failing, calls
):
    cloud_node.install(
        "aws",
        f'case "$*" in *{failing}*) echo AccessDenied >&2; exit 254 ;; esac\n'
        + in_state("Pending:Wait"),
    )
    code, log = cloud_node.run_boot(settings)
    assert code == 0
    assert sum(failing in call for call in asked(cloud_node)) == calls
    assert (log[-2]["status"], log[-2]["detail"]) == ("warning", "AccessDenied")
    assert steps(log)[-1] == ("boot", "ok")
    assert cloud_node.read("run/trnkit/node-state") == "ready\n"


def test_a_report_arrives_at_the_last_attempt(cloud_node):
    counter = cloud_node.behaviour / "count"
    cloud_node.install(
        "aws",
        f'case "$*" in *complete-*) echo >>"{counter}"; [[ $(grep -c "" "{counter}") == 6 ]] || '
        "exit 254 ;; esac\n" + in_state("Pending:Wait"),
    )
    _, log = cloud_node.run_boot(HOOK)
    assert ("lifecycle booted", "ok") in steps(log)


def test_the_tag_says_the_state(cloud_node):
    settings = "TRNKIT_REGION=us-east-2\nTRNKIT_TAG_STATE=1\n"
    tag = f"ec2 create-tags --resources {INSTANCE} --tags Key=trnkit-node-state,Value="
    cloud_node.install("aws", 'case "$*" in *booting) sleep 1 ;; esac')
    cloud_node.run_boot(settings)
    cloud_node.run_boot(settings + FAILS)
    assert asked(cloud_node) == [tag + state for state in ("booting", "ready", "booting", "failed")]


def test_without_a_region_the_machines_own_is_taken(cloud_node):
    cloud_node.run_boot("TRNKIT_TAG_STATE=1\n")
    assert cloud_node.calls[-1].startswith("aws --region us-west-2 ")


@pytest.mark.parametrize("settings", ["", "TRNKIT_REPORT=none\n", "TRNKIT_TAG_STATE=0\n"])
def test_who_wants_no_report_needs_no_cli_and_no_metadata(plain_node, settings):
    code, log = plain_node.run_boot(settings)
    assert (code, steps(log)) == (0, [("environment", "ok"), ("boot", "ok")])
    assert plain_node.errors == ""


def test_an_image_without_a_cli_is_told_what_to_do(plain_node):
    code, log = plain_node.run_boot(HOOK)
    assert code == 0
    assert log[-2]["step"] == "report"
    assert log[-2]["status"] == "warning"
    assert "install it in the image" in log[-2]["detail"]


def test_without_metadata_the_report_is_a_warning(plain_node):
    plain_node.install("aws")
    code, log = plain_node.run_boot(HOOK)
    assert code == 0
    assert steps(log)[-2:] == [("lifecycle booted", "warning"), ("boot", "ok")]
    assert "127.0.0.1" in log[-2]["detail"]
    assert plain_node.calls == []


def test_metadata_that_comes_late_is_waited_for(cloud_node, metadata):
    metadata.failures = 4
    _, log = cloud_node.run_boot(SIGNAL)
    assert ("signal a-stack Group", "ok") in steps(log)


@pytest.mark.parametrize("report", ["lifecycle", "mail a@example.com", "LIFECYCLE x"])
def test_a_report_nobody_knows_is_told(cloud_node, report):
    code, log = cloud_node.run_boot(f"TRNKIT_REPORT={report!r}\nTRNKIT_REGION=us-east-2\n")
    assert code == 0
    assert log[-2]["status"] in ("warning", "skipped")


def test_a_long_boot_keeps_the_hook_waiting_and_stops_with_the_boot(cloud_node):
    cloud_node.install("aws", in_state("Pending:Wait"))
    cloud_node.install("mount", "sleep 3")
    settings = HOOK + "TRNKIT_LUSTRE_MOUNTS='a.host name /fsx'\n"
    cloud_node.environment["TRNKIT_HEARTBEAT_SECONDS"] = "0.5"
    code, _ = cloud_node.run_boot(settings)
    assert code == 0
    beats = [call for call in asked(cloud_node) if "heartbeat" in call]
    assert set(beats) == {
        "autoscaling record-lifecycle-action-heartbeat --lifecycle-hook-name booted "
        f"--auto-scaling-group-name a group --instance-id {INSTANCE}"
    }
    assert 2 <= len(beats) <= 6
    assert asked(cloud_node)[-1] == completed("CONTINUE")
    before = len(cloud_node.calls)
    time.sleep(1.2)
    assert len(cloud_node.calls) == before


def test_a_reboot_of_a_node_in_service_beats_for_nobody(cloud_node):
    cloud_node.install("aws", in_state("InService"))
    cloud_node.install("mount", "sleep 2")
    cloud_node.environment["TRNKIT_HEARTBEAT_SECONDS"] = "0.3"
    cloud_node.run_boot(HOOK + "TRNKIT_LUSTRE_MOUNTS='a.host name /fsx'\n")
    assert {call.split()[1] for call in asked(cloud_node)} == {"describe-auto-scaling-instances"}


def test_a_shutdown_in_the_middle_reports_nothing_and_the_next_boot_completes(cloud_node):
    cloud_node.install("aws", in_state("Pending:Wait"))
    cloud_node.install("mount", f'echo >"{cloud_node.behaviour}/reached"; exec sleep 30')
    settings = HOOK + "TRNKIT_LUSTRE_MOUNTS='a.host name /fsx'\n"
    cloud_node.write("etc/trnkit/settings.sh", settings)
    boot = subprocess.Popen(
        [BASH, str(BUNDLE / "boot")],
        env=cloud_node.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    end = time.monotonic() + 20
    while not (cloud_node.behaviour / "reached").exists():
        assert time.monotonic() < end
        time.sleep(0.05)
    assert cloud_node.read("run/trnkit/node-state") == "booting\n"
    os.killpg(boot.pid, signal.SIGTERM)
    assert boot.wait(10) == 143
    assert cloud_node.read("run/trnkit/node-state") == "failed\n"
    last = cloud_node.read("var/log/trnkit-boot.log").splitlines()[-1]
    assert '"step":"boot","status":"failed"' in last
    assert "the next boot starts over" in last
    assert asked(cloud_node) == []
    cloud_node.install("mount")
    code, _ = cloud_node.run_boot(settings)
    assert code == 0
    assert asked(cloud_node)[-1] == completed("CONTINUE")
