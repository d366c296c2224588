"""Synthesis around a small stand-in for the CDK app, which fails in every way an app can."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.synthesis import ROOT
from trnkit.errors import UnreadableInputError
from trnkit.findings import Severity
from trnkit.operations.synthesis import last_words, synthesize

WRITE_ASSEMBLY = """\
import json, os, pathlib
out = pathlib.Path(os.environ["CDK_OUTDIR"])
(out / "cdk.out").write_text("{}")
stack = {
    "type": "aws:cloudformation:stack",
    "environment": "aws://unknown-account/us-east-2",
    "displayName": "pretrain/Network",
    "properties": {"templateFile": "n.template.json", "stackName": "pretrain-Network"},
}
(out / "manifest.json").write_text(json.dumps({"artifacts": {"n": stack}}))
resources = {"Vpc": {"Type": "AWS::EC2::VPC"}, "Meta": {"Type": "AWS::CDK::Metadata"}}
(out / "n.template.json").write_text(json.dumps({"Resources": resources}))
"""

REPORT = {
    "pluginReports": [
        {
            "pluginName": "trnkit",
            "conclusion": "failure",
            "violations": [
                {
                    "ruleName": "TRN251",
                    "description": "too many interfaces",
                    "suggestedFix": "use 16",
                    "severity": "error",
                    "violatingConstructs": [
                        {
                            "constructPath": "pretrain/Compute/Template",
                            "cloudFormationResource": {
                                "templatePath": "assembly-pretrain/c.template.json",
                                "logicalId": "Template",
                                "propertyPaths": ["Properties/LaunchTemplateData"],
                            },
                        }
                    ],
                }
            ],
        },
        {
            "pluginName": "CloudFormation Validate",
            "conclusion": "success",
            "violations": [
                {
                    "ruleName": "W3030",
                    "description": "no such strategy",
                    "severity": "warning",
                    "violatingConstructs": [
                        {
                            "constructPath": "pretrain/Compute/Group",
                            "cloudFormationResource": {
                                "templatePath": "assembly-pretrain/c.template.json",
                                "logicalId": "Group",
                                "propertyPaths": ["Properties.Strategy"],
                            },
                        }
                    ],
                }
            ],
        },
    ]
}


@pytest.fixture
def app(tmp_path):
    """A folder with a CDK app; write `app.py` into it."""
    folder = tmp_path / "app"
    folder.mkdir()
    context = {"context": {"flag": True, "config": "the default"}}
    (folder / "cdk.json").write_text(json.dumps(context))
    return folder


@pytest.fixture
def run(app, tmp_path):
    """Synthesize with the app whose text is given."""

    def call(text, *, environ=None, **options):
        (app / "app.py").write_text(text)
        return synthesize(
            ["cluster.yaml"],
            app_directory=app,
            out=str(tmp_path / "out"),
            environ={**os.environ, **(environ or {})},
            **options,
        )

    return call


def test_the_assembly_is_moved_into_place_and_described(run, tmp_path):
    synthesis = run(WRITE_ASSEMBLY)
    assert synthesis.succeeded
    (stack,) = synthesis.stacks
    assert (stack.id, stack.name, stack.region) == (
        "pretrain/Network", "pretrain-Network", "us-east-2"
    )  # fmt: skip
    assert stack.resource_types == {"AWS::EC2::VPC": 1}
    assert stack.template == tmp_path / "out" / "n.template.json"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["app", "out"]


def test_the_app_sees_its_context_and_no_account(run, tmp_path):
    text = "import json, os\nopen('seen.json', 'w').write(json.dumps(dict(os.environ)))\n"
    given = {
        "AWS_PROFILE": "production",
        "AWS_ACCESS_KEY_ID": "key",
        "CDK_DEFAULT_ACCOUNT": "111122223333",
        "CDK_VALIDATION": "true",
    }
    run(text + WRITE_ASSEMBLY, environ=given, validate=False)
    seen = json.loads((tmp_path / "app" / "seen.json").read_text())
    assert not {"AWS_PROFILE", "AWS_ACCESS_KEY_ID", "CDK_DEFAULT_ACCOUNT"} & set(seen)
    assert seen["AWS_EC2_METADATA_DISABLED"] == "true"
    assert seen["AWS_SHARED_CREDENTIALS_FILE"] == os.devnull
    assert seen["CDK_VALIDATION"] == "false"
    assert Path(seen["JSII_NODE"]).is_file()
    context = json.loads(seen["CDK_CONTEXT_JSON"])
    assert context == {"flag": True, "config": [str(Path("cluster.yaml").absolute())]}


def test_violations_become_findings(run):
    report = f"(out / 'validation-report.json').write_text({json.dumps(json.dumps(REPORT))})\n"
    synthesis = run(WRITE_ASSEMBLY + report + "raise SystemExit('Validation failed')")
    assert not synthesis.succeeded
    assert synthesis.failure is None
    error, warning = synthesis.findings
    assert (error.rule_id, error.severity, error.hint) == ("TRN251", Severity.ERROR, "use 16")
    assert error.path == "/Resources/Template/Properties/LaunchTemplateData"
    assert error.file == "assembly-pretrain/c.template.json"
    assert (warning.rule_id, warning.logical_id) == ("W3030", "Group")
    assert warning.evidence == "CloudFormation Validate, construct pretrain/Compute/Group"


@pytest.mark.parametrize(
    ("text", "failure"),
    [
        ("raise SystemExit('error: no Node')", "error: no Node"),
        ("raise RuntimeError('it is broken')", "it is broken"),
        ("import nothing_like_it", "No module named 'nothing_like_it'"),
        ("raise SystemExit(3)", "the CDK app ended with exit code 3 and without a word"),
        ("pass", "the CDK app wrote no cloud assembly"),
        ("import os\nos.kill(os.getpid(), 9)", "ended with exit code -9"),
        (WRITE_ASSEMBLY + "raise ValueError('late')", "late"),
    ],
)
def test_a_failure_is_one_sentence_and_a_log_and_changes_nothing(run, tmp_path, text, failure):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "cdk.out").write_text("old")
    (tmp_path / "out" / "manifest.json").write_text("old")
    synthesis = run(text)
    assert not synthesis.succeeded
    assert failure in synthesis.failure
    assert "Traceback" not in synthesis.failure
    assert synthesis.log.read_text().startswith("exit code ")
    synthesis.log.unlink()
    assert (tmp_path / "out" / "manifest.json").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["app", "out"]


def test_what_the_app_says_although_it_succeeds_is_kept(run):
    synthesis = run(WRITE_ASSEMBLY + "import sys\nprint('[Warning] old Node', file=sys.stderr)")
    assert synthesis.warnings == ("[Warning] old Node",)


def test_an_old_assembly_is_replaced_whole(run, tmp_path):
    run(WRITE_ASSEMBLY)
    (tmp_path / "out" / "stale.template.json").write_text("")
    run(WRITE_ASSEMBLY)
    assert not (tmp_path / "out" / "stale.template.json").exists()


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["keep.txt"], "lost: keep.txt;"),
        (["notes/a.md"], "lost: notes;"),
        ([".env"], "lost: .env;"),
        (["a", "b", "c", "d", "e"], "lost: a, b, c and 2 more;"),
    ],
)
def test_what_the_user_keeps_in_an_old_assembly_is_not_lost(run, tmp_path, names, said):
    run(WRITE_ASSEMBLY)
    for name in names:
        (tmp_path / "out" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "out" / name).write_text("mine")
    with pytest.raises(UnreadableInputError) as caught:
        run(WRITE_ASSEMBLY)
    assert said in str(caught.value)
    assert all((tmp_path / "out" / name).read_text() == "mine" for name in names)


def test_progress_tells_each_step(run):
    told = []
    run(WRITE_ASSEMBLY, progress=told.append)
    assert [line.partition(":")[0] for line in told] == ["synthesize", "judge"]


def test_strict_leaves_the_old_assembly_at_a_warning(run, tmp_path):
    report = {"pluginReports": [dict(REPORT["pluginReports"][1])]}
    text = f"(out / 'validation-report.json').write_text({json.dumps(json.dumps(report))})\n"
    assert run(WRITE_ASSEMBLY + text).succeeded
    (tmp_path / "out" / "old.template.json").write_text("")
    synthesis = run(WRITE_ASSEMBLY + text, strict=True)
    assert (synthesis.succeeded, synthesis.failure) == (False, None)
    assert [finding.rule_id for finding in synthesis.findings] == ["W3030"]
    assert (tmp_path / "out" / "old.template.json").exists()


def test_an_empty_folder_is_used(run, tmp_path):
    (tmp_path / "out").mkdir()
    assert run(WRITE_ASSEMBLY).succeeded


@pytest.mark.parametrize("kind", ["file", "other folder", "folder of the input", "current folder"])
def test_what_must_not_be_lost_is_not_replaced(run, tmp_path, kind, monkeypatch):
    out = tmp_path / "out"
    if kind == "file":
        out.write_text("")
    else:
        out.mkdir()
        (out / "manifest.json").write_text("{}")
    if kind.startswith(("folder", "current")):
        (out / "cdk.out").write_text("{}")
    monkeypatch.chdir(out if kind in ("current folder", "folder of the input") else tmp_path)
    with pytest.raises(UnreadableInputError):
        run(WRITE_ASSEMBLY)
    assert out.exists()


def test_a_place_that_cannot_be_written_is_reported(app, tmp_path):
    (tmp_path / "plain").write_text("")
    with pytest.raises(UnreadableInputError, match="Not a directory"):
        synthesize(["c"], app_directory=app, out=str(tmp_path / "plain" / "out"), environ={})


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_ends_the_app_and_cleans_up(app, tmp_path, number):
    marker = tmp_path / "pid"
    (app / "app.py").write_text(
        f"import os, time\nopen({str(marker)!r}, 'w').write(str(os.getpid()))\ntime.sleep(60)\n"
    )
    (tmp_path / "cluster.yaml").write_text((ROOT / "examples/trn2-pretrain.yaml").read_text())
    code = (
        "import pathlib, sys; import trnkit.toolchain as t; "
        f"t.cdk_app_directory = lambda: pathlib.Path({str(app)!r}); "
        "from trnkit.cli.main import main; main()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, "synth", "cluster.yaml"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for(lambda: marker.exists() and marker.read_text())
    process.send_signal(number)
    _, stderr = process.communicate(timeout=30)
    assert process.returncode == 128 + number
    assert "Traceback" not in stderr
    with pytest.raises(ProcessLookupError):
        os.kill(int(marker.read_text()), 0)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["app", "cluster.yaml", "pid"]


def wait_for(condition):
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("stderr", "words"),
    [
        ("Traceback (most recent call last):\n  File 'x'\n    f()\na.b.Error: why\n", "why"),
        (
            "jsii: x\n      at Kernel (/x)\nRuntimeError: Error: bad id: 'a b'\n",
            "Error: bad id: 'a b'",
        ),
        ("examples/x.yaml:3: error TRN201: no\n", "examples/x.yaml:3: error TRN201: no"),
    ],
)
def test_the_last_words_say_why(stderr, words):
    assert last_words(stderr, 1) == words
