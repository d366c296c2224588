"""The manifest that pre-commit reads: https://pre-commit.com/#new-hooks."""

from __future__ import annotations

import re
import shlex

import pytest
import yaml

from tests.synthesis import ROOT
from trnkit.cli.main import run

KEYS = {
    "id": str, "name": str, "description": str, "entry": str, "language": str, "files": str,
    "types": list, "require_serial": bool,
}  # fmt: skip
REQUIRED = {"id", "name", "entry", "language", "files"}
HOOKS = {h["id"]: h for h in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}


def test_there_is_a_hook_for_each_of_the_two():
    assert list(HOOKS) == ["trnkit-check", "trnkit-lint"]


@pytest.mark.parametrize("hook", HOOKS.values(), ids=list(HOOKS))
def test_a_hook_has_keys_that_pre_commit_knows(hook):
    assert set(hook) >= REQUIRED
    assert {key: type(value) for key, value in hook.items()} == {key: KEYS[key] for key in hook}
    assert hook["language"] == "python", "so that pre-commit installs the package"


@pytest.mark.parametrize("hook", HOOKS.values(), ids=list(HOOKS))
def test_what_a_hook_runs_exists(hook, capsys):
    program, *arguments = shlex.split(hook["entry"])
    assert program == "trnkit"
    assert run([*arguments, "--help"]) == 0
    assert all(argument in capsys.readouterr().out for argument in arguments[1:])


@pytest.mark.parametrize(
    ("hook", "file", "taken"),
    [
        ("trnkit-check", "cluster.yaml", True),
        ("trnkit-check", "clusters/cluster-eu.yml", True),
        ("trnkit-check", "deploy/values.yaml", False),
        ("trnkit-check", "my-cluster.yaml", False),
        ("trnkit-lint", "stacks/network.yaml", True),
        ("trnkit-lint", "t.template", True),
        ("trnkit-lint", "cdk.out/a.template.json", True),
        ("trnkit-lint", "README.md", False),
        ("trnkit-lint", "jsonx/a.py", False),
    ],
)
def test_a_hook_takes_the_files_it_is_for(hook, file, taken):
    assert bool(re.search(HOOKS[hook]["files"], file)) is taken
