import ast
import fcntl
import os
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import pytest

from scripts import setup, setup_steps
from scripts.setup_failures import SetupError, reason_in
from scripts.setup_steps import Checkout, Step

INPUTS = (
    *("requirements.lock", "package.json", "package-lock.json", ".npmrc", "pyproject.toml"),
    "scripts/setup_steps.py",
)


@pytest.fixture
def checkout(tmp_path):
    """A checkout with tiny locks and a .venv that runs this Python."""
    (tmp_path / "scripts").mkdir()
    for name in INPUTS:
        (tmp_path / name).write_text(f"content of {name}")
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    return Checkout(tmp_path)


@pytest.fixture
def ran(monkeypatch, checkout):
    """The names of the steps that ran, with steps that do nothing."""
    names = []

    def steps_for(_checkout):
        return [Step(name, name, lambda _, name=name: names.append(name)) for name in STEPS]

    monkeypatch.setattr(setup_steps, "steps_for", steps_for)
    (checkout.venv / "bin" / "trnkit").touch()
    for name, script in setup_steps.SHIMS.items():
        (checkout.venv / "bin" / name).touch()
        path = checkout.root / "node_modules" / script
        path.parent.mkdir(parents=True)
        path.touch()
    return names


STEPS = ["venv", "packages", "project", "tools", "warm"]


@pytest.mark.parametrize("version", [(2, 7, 18), (3, 6, 0), (3, 10, 13), (3, 14, 0)])
def test_a_python_that_will_not_do_is_said_with_the_remedy(version):
    problem = setup.python_problem(version)
    assert f"found {version[0]}.{version[1]}: install" in problem


@pytest.mark.parametrize("version", [(3, 11, 0), (3, 12, 4), (3, 13, 9)])
def test_a_python_that_will_do_is_no_problem(version):
    assert setup.python_problem(version) is None


def test_the_entry_point_parses_with_old_pythons():
    source = Path(setup.__file__).read_text()
    tree = ast.parse(source, feature_version=(3, 4))
    modern = (ast.JoinedStr, ast.AnnAssign, ast.NamedExpr, ast.Nonlocal)
    assert not [node for node in ast.walk(tree) if isinstance(node, modern)]
    assert not any(node.returns for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    assert source.isascii()


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        (
            "WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError("
            "Failed to establish a new connection: [Errno -3] Temporary failure in name resolution"
            ")': /x/\nERROR: No matching distribution found for attrs==26.1.0",
            "check the network",
        ),
        ("npm error code EAI_AGAIN\nnpm error syscall getaddrinfo", "check the network"),
        ("npm error code ENOTFOUND", "check the network"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS", "hash in the lock"),
        ("npm error code EINTEGRITY\nnpm error sha512-... integrity checksum", "hash in the lock"),
        ("ERROR: Could not install packages: [Errno 28] No space left on device", "disk is full"),
        ("npm error code ENOSPC", "disk is full"),
        ("ERROR: Could not install packages: [Errno 13] Permission denied: '/x'", "written"),
        ("OSError: [Errno 30] Read-only file system", "written"),
        ("ERROR: No matching distribution found for ruff==0.17.6", "lacks a pinned package"),
        ("SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED]", "certificate"),
        ("ERROR: HTTP error 401\n401 Client Error: Unauthorized", "credentials"),
    ],
)
def test_what_programs_print_becomes_a_reason_with_a_remedy(output, reason):
    found = reason_in(output)
    assert found is not None
    assert reason in found
    assert found.endswith(".")


def test_an_unknown_failure_shows_its_last_error_and_the_log(checkout):
    script = "import sys; print('working'); print('ERROR: moon too high'); sys.exit(3)"
    with pytest.raises(SetupError) as raised:
        setup_steps.run_logged(checkout, sys.executable, "-c", script)
    assert "ERROR: moon too high" in str(raised.value)
    assert str(checkout.log) in str(raised.value)
    assert "working" in checkout.log.read_text()


def test_a_full_disk_is_found_before_anything_is_touched(checkout, monkeypatch):
    usage = namedtuple("usage", "total used free")(10**12, 10**12, 5 * 10**8)
    monkeypatch.setattr(setup_steps.shutil, "disk_usage", lambda path: usage)
    with pytest.raises(SetupError, match=r"0\.5 GB left and 2 GB are needed: free some"):
        setup_steps.check_machine(checkout)


def test_a_python_without_venv_is_told_what_to_install(checkout, monkeypatch):
    monkeypatch.setattr(setup_steps.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SetupError, match=r"apt-get install python3\.\d+-venv"):
        setup_steps.check_machine(checkout)


def test_a_checkout_of_somebody_else_is_said(checkout, monkeypatch):
    monkeypatch.setattr(setup_steps.os, "access", lambda path, mode: False)
    with pytest.raises(SetupError, match=r"is not writable: give the checkout"):
        setup_steps.check_machine(checkout)


def test_no_network_is_one_sentence(checkout, monkeypatch, capsys):
    pin = f"trnkit-is-not-there==1 --hash=sha256:{'0' * 64}\n"
    (checkout.root / "requirements.lock").write_text(pin)
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/")
    monkeypatch.setenv("PIP_RETRIES", "1")
    monkeypatch.setattr(setup_steps, "make_venv", lambda checkout: None)

    assert setup_steps.main(checkout.root) == 1
    error = capsys.readouterr().err
    assert error.startswith("setup: the package index could not be reached: check the network")
    assert error.count("\n") == 1


def test_a_failing_file_operation_is_one_sentence(checkout, monkeypatch, capsys):
    def full(_checkout):
        raise OSError(28, "No space left on device", "/x/y")

    monkeypatch.setattr(setup_steps, "make_venv", full)
    assert setup_steps.main(checkout.root) == 1
    assert "the disk is full" in capsys.readouterr().err


def test_all_steps_run_once(checkout, ran, capsys):
    setup_steps.run_steps(checkout)
    assert ran == STEPS
    capsys.readouterr()

    setup_steps.run_steps(checkout)
    assert ran == STEPS
    assert capsys.readouterr().out == f"setup: {checkout.venv} is up to date\n"


@pytest.mark.parametrize(
    ("file", "again"),
    [
        ("pyproject.toml", ["project"]),
        ("package-lock.json", ["tools"]),
        ("scripts/setup_steps.py", ["project", "tools"]),
        ("requirements.lock", STEPS),
    ],
)
def test_a_changed_file_repeats_what_it_matters_to(checkout, ran, file, again):
    setup_steps.run_steps(checkout)
    ran.clear()
    (checkout.root / file).write_text("changed")
    setup_steps.run_steps(checkout)
    assert ran == again


@pytest.mark.parametrize(
    ("stopped_in", "again"), [("packages", STEPS), ("tools", ["tools", "warm"])]
)
def test_a_set_up_that_was_stopped_goes_on_where_it_must(
    checkout, ran, monkeypatch, stopped_in, again
):
    def stop(_checkout):
        raise KeyboardInterrupt

    whole = setup_steps.steps_for(checkout)
    broken = [Step(s.name, s.label, stop) if s.name == stopped_in else s for s in whole]
    with monkeypatch.context() as patch:
        patch.setattr(setup_steps, "steps_for", lambda _: broken)
        assert setup_steps.main(checkout.root) == 130
    ran.clear()
    setup_steps.run_steps(checkout)
    assert ran == again


@pytest.mark.parametrize("lost", [".venv/bin/python", ".venv/setup.json"])
def test_a_broken_environment_is_made_anew(checkout, ran, lost):
    setup_steps.run_steps(checkout)
    ran.clear()
    (checkout.root / lost).unlink()
    setup_steps.run_steps(checkout)
    assert ran == STEPS


def test_a_damaged_stamp_counts_for_nothing(checkout, ran):
    checkout.stamp.write_text("{")
    setup_steps.run_steps(checkout)
    assert ran == STEPS


def test_lost_node_modules_are_installed_again(checkout, ran):
    setup_steps.run_steps(checkout)
    ran.clear()
    (checkout.root / "node_modules" / setup_steps.SHIMS["cdk"]).unlink()
    setup_steps.run_steps(checkout)
    assert ran == ["tools"]


def test_children_see_the_bundled_node_first_and_none_of_the_traps(checkout, monkeypatch):
    monkeypatch.setenv("PATH", "/broken")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("PIP_TARGET", "/elsewhere")
    environ = setup_steps.child_environment(checkout)
    assert environ["PATH"] == f"{checkout.node_home}/bin{os.pathsep}/broken"
    assert not {"PYTHONDONTWRITEBYTECODE", "PIP_TARGET"} & set(environ)


def test_a_shim_runs_its_script_with_the_bundled_node(checkout, tmp_path):
    node = checkout.venv / "bin" / "node"
    node.write_text('#!/bin/sh\necho "$JSII_NODE $@"\n')
    node.chmod(0o755)
    setup_steps.write_shim(checkout, "cdk", tmp_path / "cdk.js")
    environ = {"PATH": os.environ["PATH"]}
    command = [checkout.venv / "bin" / "cdk", "a b"]
    ended = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
    assert ended.stdout == f"{node} {tmp_path / 'cdk.js'} a b\n"


def test_two_set_ups_do_not_work_at_once(checkout):
    taken = pytest.raises(BlockingIOError)
    with setup_steps.only_setup_here(checkout), (checkout.root / INPUTS[0]).open() as lock, taken:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_packages_for_windows_are_not_counted():
    pins = ["a==1", "b==2 ; python_version < '3.12'", "b==3", "c==1 ; sys_platform == 'win32'"]
    assert setup_steps.count_packages(" \\\n    --hash=x\n".join(pins)) == 2
