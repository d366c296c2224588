from __future__ import annotations

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from tests.synthesis import ROOT
from trnkit.cli.output import uses_color


def answer(code: str, **environment: str) -> str:
    kept = {k: v for k, v in os.environ.items() if k != "PYDANTIC_DISABLE_PLUGINS"}
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env={**kept, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return ran.stdout.strip()


START = "import sys; from trnkit.cli.start_up import skip_plugin_search; skip_plugin_search(); "


def test_pydantic_works_without_looking_at_distributions():
    code = START + "import trnkit.config; print('importlib.metadata' in sys.modules)"
    assert answer(code) == "False"


def test_the_command_line_imports_no_pydantic_before_it_has_switched_that_off():
    code = "import sys, trnkit.cli.main, trnkit.cli.quick_check; print('pydantic' in sys.modules)"
    assert answer(code) == "False"


def test_whoever_wants_more_of_the_loader_gets_the_original():
    code = START + "from pydantic.plugin._loader import PYDANTIC_ENTRY_POINT_GROUP as g; print(g)"
    assert answer(code) == "pydantic"


UNPRICED = "gpus", "service_prices", "agreed_discount"


@pytest.mark.parametrize("example", ["trn2-pretrain", "trn2-capacity-block", "trn1-spot"])
def test_a_check_reads_no_prices_that_no_rule_needs(example):
    code = START + (
        "from trnkit.operations.checking import check_files; "
        f"check_files(['{ROOT}/examples/{example}.yaml']); "
        f"print([name for name in {UNPRICED} if 'trnkit.catalog.' + name in sys.modules])"
    )
    assert answer(code) == "[]"


def test_a_choice_of_plugins_stands():
    code = START + "print('pydantic.plugin._loader' in sys.modules)"
    assert answer(code, PYDANTIC_DISABLE_PLUGINS="mine") == "False"


@pytest.mark.parametrize(
    ("terminal", "environment", "color"),
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"NO_COLOR": ""}, True),
        (True, {"TERM": "dumb"}, False),
    ],
)
def test_colours_are_for_terminals_that_want_them(terminal, environment, color, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert uses_color(SimpleNamespace(isatty=lambda: terminal)) is color


INTERRUPTED_BY = """
import os, signal, sys
class Interrupts:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupts())
sys.argv[1:] = ["catalog", "list"]
{before}
from trnkit.cli.main import main
main()
"""


def interrupted(name: str, before: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", INTERRUPTED_BY.format(name=name, before=before)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    "name", ["trnkit.cli.output", "trnkit.findings", "trnkit.cli.start_up", "trnkit.cli.verb_group"]
)
def test_an_interrupt_while_importing_ends_as_any_other(name):
    ran = interrupted(name)
    assert (ran.returncode, ran.stdout, "Traceback" in ran.stderr) == (130, "", False)


@pytest.mark.parametrize("name", ["trnkit.findings", "trnkit.cli.verb_group"])
def test_an_interrupt_of_a_text_that_is_executed_is_no_other(name):
    """CPython ends by the signal after such a one, even when it was caught."""
    ran = interrupted(
        name,
        "import builtins; real = builtins.__import__\n"
        "def run(wanted, *more):\n"
        f"    if wanted == {name!r}:\n"
        "        exec('import os, signal; os.kill(os.getpid(), signal.SIGINT)')\n"
        "    return real(wanted, *more)\n"
        "builtins.__import__ = run",
    )
    assert (ran.returncode, ran.stdout, "Traceback" in ran.stderr) == (130, "", False)
