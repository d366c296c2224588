"""The distribution: what is in the wheel, and that it works where there is no checkout."""

from __future__ import annotations

import json
import subprocess
import tomllib
import zipfile
from email import message_from_string

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from scripts.test_lowest import NOT_ABOUT_RANGES, TESTS, lowest_versions
from tests.synthesis import ROOT
from trnkit import __version__

PACKAGES = ("trnkit", "constructs_lib", "stacks")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def requirements():
    return [Requirement(line) for line in PROJECT["dependencies"]]


def locked():
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    pins = [line.split(" ")[0].split("==") for line in lines if "==" in line and line[0].isalpha()]
    return {name.lower(): Version(version.rstrip("\\")) for name, version in pins}


@pytest.fixture(scope="module")
def names(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


@pytest.fixture(scope="module")
def metadata(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        return message_from_string(archive.read(name).decode())


def test_the_top_level_has_the_three_packages_and_nothing_else(names):
    tops = {name.partition("/")[0] for name in names}
    info = {top for top in tops if top.endswith(".dist-info")}
    assert tops - info == set(PACKAGES)
    assert len(info) == 1


def test_it_holds_every_file_of_the_packages_the_app_and_the_examples(names):
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *PACKAGES, "examples"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listing.returncode:
        pytest.skip("not a git checkout")
    files = {name for name in listing.stdout.splitlines() if (ROOT / name).is_file()}
    expected = {name.replace("examples/", "trnkit/_examples/", 1) for name in files}
    expected |= {"trnkit/_cdk_app/app.py", "trnkit/_cdk_app/cdk.json"}
    assert {name for name in names if ".dist-info/" not in name} == expected


def test_what_is_not_python_is_there_too(names):
    """Each of these was forgotten by some package once: data, scripts, schema, markers."""
    for name in (
        "constructs_lib/compute/assets/first_stage.sh",
        "constructs_lib/compute/assets/inline_stage.sh",
        "constructs_lib/compute/assets/image/efa.yaml",
        "constructs_lib/compute/assets/node/boot",
        "constructs_lib/compute/assets/node/steps/lustre.sh",
        "constructs_lib/compute/assets/node/trn-node-check/trn-node-check",
        "constructs_lib/compute/assets/node/systemd/trnkit-boot.service",
        "trnkit/catalog/data/instance_types.json",
        "trnkit/config/cluster.schema.json",
        "trnkit/operations/starter.yaml",
        "trnkit/_examples/trn2-pretrain.yaml",
        "trnkit/_examples/types/trn3-preview.json",
        "trnkit/_examples/images.lock",
        *(f"{package}/py.typed" for package in PACKAGES),
    ):
        assert name in names


def test_no_test_and_no_compiled_file_is_in_it(names):
    parts = {part for name in names for part in name.split("/")}
    assert not parts & {"tests", "test", "__pycache__", "scripts", "benchmarks", "conftest.py"}
    assert not [name for name in names if name.endswith((".pyc", ".so", "requirements.lock"))]


def test_the_metadata_say_what_it_is(metadata, names):
    assert metadata["Name"] == "trnkit"
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Requires-Python"] == "<3.14,>=3.11"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert metadata.get_payload().startswith("# trnkit")
    assert [name for name in names if name.endswith("/licenses/LICENSE")]
    told = metadata.get_all("Classifier")
    for version in ("3.11", "3.12", "3.13"):
        assert f"Programming Language :: Python :: {version}" in told
    assert "Typing :: Typed" in told
    told = {line.lower() for line in metadata.get_all("Requires-Dist")}
    extra = {line for line in told if line.endswith("; extra == 'rehearse'")}
    assert told - extra == {str(requirement).lower() for requirement in requirements()}
    assert {line.partition("=")[0].partition("[")[0].strip("<>") for line in extra} >= {
        "ministack",
        "moto",
    }
    assert metadata.get_all("Provides-Extra") == ["rehearse"]


@pytest.mark.parametrize("requirement", requirements(), ids=lambda requirement: requirement.name)
def test_a_range_ends_below_the_next_major_version_and_holds_the_locked_one(requirement):
    bounds = {spec.operator: Version(spec.version) for spec in requirement.specifier}
    assert set(bounds) == {">=", "<"}
    assert bounds["<"].release == (bounds[">="].major + 1,)
    assert locked()[requirement.name.lower()] in requirement.specifier


def test_the_lowest_versions_that_are_tested_are_those_of_the_ranges():
    lowest = {f"{r.name}=={spec.version}" for r in requirements() for spec in r.specifier}
    pins = lowest_versions()
    assert set(pins) <= lowest
    assert len(pins) == len(requirements())
    assert all((ROOT / test.partition("::")[0]).exists() for test in (*TESTS, *NOT_ABOUT_RANGES))


def test_every_import_is_of_the_wheel(installation, tmp_path):
    # The wheel's own Node, as docs/python.md has it: whatever `node` is first on PATH is not ours.
    code = (
        "import os; from trnkit.toolchain import use_bundled_node; use_bundled_node(os.environ)\n"
        "import stacks, constructs_lib, trnkit; print(stacks, constructs_lib, trnkit, sep='|')"
    )
    done = installation.run("python", "-c", code, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    home = str(installation.python.parent.parent)
    assert [home in module for module in done.stdout.split("|")] == [True, True, True]
    assert str(ROOT) not in done.stdout


def test_the_command_says_its_version(command):
    done = command("--version")
    assert (done.returncode, done.stdout) == (0, f"trnkit {__version__}\n")


def test_from_init_to_templates_without_a_checkout(command, tmp_path):
    assert command("init").returncode == 0
    assert command("check", "cluster.yaml").returncode == 0
    done = command("synth", "cluster.yaml", "--no-cdk-validation", "--format", "json")
    assert (done.returncode, done.stderr) == (0, "")
    stacks = json.loads(done.stdout)["stacks"]
    kinds = {kind for stack in stacks for kind in stack["resource_types"]}
    assert {"AWS::EC2::LaunchTemplate", "AWS::FSx::FileSystem", "AWS::Budgets::Budget"} <= kinds
    assert command("lint", "cdk.out").returncode == 0


def test_an_example_with_a_type_of_its_own_comes_with_its_file(command, tmp_path):
    assert command("init", "--example", "custom-type").returncode == 0
    done = command("check", "cluster.yaml")
    assert done.returncode == 0, done.stdout
    assert (tmp_path / "types" / "trn3-preview.json").is_file()


TEN_LINES = """\
import os
from trnkit.toolchain import use_bundled_node
use_bundled_node(os.environ)
from aws_cdk import App, Stack
from constructs_lib.compute import MachineImage, TrainiumLaunchTemplate
from constructs_lib.network import ClusterVpc, EfaSecurityGroup
stack = Stack(App(outdir="out"), "Fabric")
vpc = ClusterVpc(stack, "Vpc", availability_zone_id="use2-az3").vpc
TrainiumLaunchTemplate(
    stack, "Nodes", instance_type="trn2.48xlarge", instance_profile=None,
    image=MachineImage(image_id="ami-0123456789abcdef0"),
    security_groups=[EfaSecurityGroup(stack, "Efa", vpc=vpc).security_group])
stack.node.root.synth()
"""


def test_a_small_python_app_without_yaml_synthesizes(installation, tmp_path):
    (tmp_path / "mine.py").write_text(TEN_LINES)
    done = installation.run("python", "mine.py", cwd=tmp_path, CDK_VALIDATION="false")
    assert (done.returncode, done.stderr) == (0, "")
    template = json.loads((tmp_path / "out" / "Fabric.template.json").read_text())
    (nodes,) = (
        resource["Properties"]["LaunchTemplateData"]
        for resource in template["Resources"].values()
        if resource["Type"] == "AWS::EC2::LaunchTemplate"
    )
    assert len(nodes["NetworkInterfaces"]) == 17
