from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.synthesis import ROOT
from tests.trnkit.cli.conftest import MINIMAL
from trnkit import __version__
from trnkit.cli import main


def test_the_version_is_one_line(trnkit):
    assert trnkit("--version").out == f"trnkit {__version__}\n"


def test_help_lists_every_verb(trnkit):
    ran = trnkit("--help")
    assert ran.code == 0
    for verb in main.verbs():
        assert f"\n  {verb} " in ran.out


@pytest.mark.parametrize("verb", main.verbs())
def test_every_verb_has_help_with_an_example(trnkit, verb):
    ran = trnkit(verb, "--help")
    assert ran.code == 0
    assert "Example" in ran.out or "COMMAND" in ran.out


def test_no_verb_shows_the_help_as_a_usage_error(trnkit):
    ran = trnkit()
    assert (ran.code, ran.out) == (2, "")
    assert "Commands:" in ran.err


def test_an_unknown_verb_gets_the_nearest(trnkit):
    ran = trnkit("chek")
    assert (ran.code, ran.out) == (2, "")
    assert "Did you mean 'check'?" in ran.err


def test_an_unexpected_exception_is_one_line(trnkit, monkeypatch):
    monkeypatch.setattr(main, "quick_check", lambda arguments: 1 / 0)
    ran = trnkit("check", "x")
    assert ran.code == 1
    assert ran.err.startswith("internal error: ZeroDivisionError: division by zero; please report")
    assert len(ran.err.splitlines()) == 1


def test_debugging_shows_the_traceback(trnkit, monkeypatch):
    monkeypatch.setattr(main, "quick_check", lambda arguments: 1 / 0)
    monkeypatch.setenv("TRNKIT_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        trnkit("check", "x")


def test_the_application_is_made_on_demand():
    assert type(main.app).__name__ == "Typer"
    with pytest.raises(AttributeError):
        main.nothing  # noqa: B018


def test_verbs_do_not_import_each_other(process):
    ran = process("rules", "TRN003", PYTHONVERBOSE="1")
    assert "TRN003" in ran.stdout
    assert "trnkit.cli.commands.rules" in ran.stderr
    for other in ("synth", "lint", "init", "catalog"):
        assert f"trnkit.cli.commands.{other}" not in ran.stderr


@pytest.mark.parametrize(
    ("arguments", "module"),
    [
        (("check", "cluster.yaml"), "pydantic"),
        (("check", "--help"), "typer"),
        (("lint", "t.yaml"), "typer"),
        (("--version",), "typer"),
    ],
)
def test_a_missing_dependency_is_named_and_is_no_internal_error(folder, arguments, module):
    (folder / "cluster.yaml").write_text(MINIMAL)
    # -S leaves out the packages of the environment.
    command = [sys.executable, "-S", "-m", "trnkit.cli.main", *arguments]
    ran = subprocess.run(
        command, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == (
        f"error: the installation is incomplete: the module {module} is missing; "
        "run `make setup` in a checkout, or install trnkit again\n"
    )


def test_a_missing_dependency_is_told_in_json_too(trnkit, monkeypatch):
    monkeypatch.setitem(sys.modules, "cfnlint", None)
    monkeypatch.delitem(sys.modules, "cfnlint.decode", raising=False)
    monkeypatch.delitem(sys.modules, "cfnlint.decode.decode", raising=False)
    ran = trnkit("lint", "t.yaml", "--generic", "--format", "json")
    assert ran.code == 2
    assert json.loads(ran.out)["failure"].startswith("the installation is incomplete: the module ")


def test_a_module_that_lacks_a_name_is_an_incomplete_installation(trnkit, monkeypatch):
    def fail(arguments):
        raise ImportError("cannot import name 'x' from 'typer'", name="typer")

    monkeypatch.setattr(main, "quick_check", fail)
    ran = trnkit("check", "x")
    assert ran.code == 2
    assert "is incomplete: cannot import name 'x' from 'typer'; run" in ran.err
