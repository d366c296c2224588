"""Settings: none is written that no part of a node reads, none is read that nobody writes."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest

from constructs_lib.compute import NodeBoot
from constructs_lib.compute.node_stages import INLINE_STEPS, first_stage
from tests.constructs_lib.compute.node.machine import BUNDLE
from tests.synthesis import ROOT
from trnkit.layout.boot_settings import HomeLine, LustreLine, S3Line, boot_settings
from trnkit.layout.node_settings import NodeSettings

NAME = re.compile(r"TRNKIT_[A-Z0-9_]+")
WRITTEN = re.compile(r"(?m)^(TRNKIT_[A-Z0-9_]+)=")
# A variable of a shell, or the name in quotes as Python asks the environment for it.
READ = re.compile(r"\$\{?(TRNKIT_[A-Z0-9_]+)|[\"'](TRNKIT_[A-Z0-9_]+)[\"']")
EVERYTHING = NodeSettings(
    cluster="a",
    node_group="b",
    region="us-east-2",
    instance_store_path="/local",
    huge_pages=1,
    compile_cache="/fsx/cache",
    report="lifecycle a",
    cloudwatch_agent=True,
    metrics_namespace="a",
    log_group_name="b",
    prometheus="private 9400",
)
BUNDLE_OF = SimpleNamespace(region="r", bucket_name="b", object_key="k", version="v", digest="d")
DOCS = (ROOT / "docs" / "boot.md").read_text()


def code_of(path):
    """A file without the lines that are comments."""
    return re.sub(r"(?m)^\s*#.*$", "", path.read_text())


def read_by(paths):
    return {a or b for path in paths for a, b in READ.findall(code_of(path))}


def shipped():
    paths = [BUNDLE.parent / "first_stage.sh", *BUNDLE.rglob("*")]
    return [p for p in paths if p.is_file() and "__pycache__" not in p.parts]


def carried():
    steps = [BUNDLE / "steps" / f"{name}.sh" for name in INLINE_STEPS]
    parts = [BUNDLE / f"{name}.sh" for name in ("lib", "report", "main")]
    return [*steps, *parts, BUNDLE.parent / "inline_stage.sh"]


def settings(*, whole_bundle):
    text = boot_settings(
        [LustreLine("a", "b", "/fsx")],
        logical_neuroncore_size="2",
        efa=True,
        lustre_over_efa=True,
        home=HomeLine("a", "b", "/home", "preferred"),
        s3=[S3Line("s3://a", "/data", "ro", "us-east-2")],
        node=EVERYTHING.lines(whole_bundle=whole_bundle),
    )
    return set(WRITTEN.findall(text))


def test_settings_have_every_name_that_there_is():
    """Else a field that somebody adds would be compared with nothing."""
    empty = {name for name in EVERYTHING.__slots__ if not getattr(EVERYTHING, name)}
    assert empty == set()


def documented(heading):
    """Names in the first column of the table below a heading of docs/boot.md."""
    (section,) = re.findall(rf"(?ms)^#+ {heading}\n(.*?)(?=^#|\Z)", DOCS)
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("|")]
    return {name for row in rows for name in NAME.findall(row)}


def test_each_setting_of_a_bundle_is_read_and_each_that_is_read_is_written():
    written = settings(whole_bundle=True)
    written |= set(WRITTEN.findall(first_stage(BUNDLE_OF)))
    unit = (BUNDLE / "systemd" / "trnkit-boot.service").read_text()
    written |= set(re.findall(r"(?m)^Environment=(TRNKIT_\w+)=", unit))
    assert written ^ read_by(shipped()) == documented("For tests")


def test_each_setting_in_user_data_alone_is_read_there():
    written = settings(whole_bundle=False)
    assert written - read_by(carried()) == set()
    ours = written | documented("For tests") | {"TRNKIT_LATER_BOOT"}
    # Whether there is a check is asked; there is none.
    assert read_by(carried()) - ours == {"TRNKIT_CHECK"}


def test_the_table_of_settings_names_all_of_them():
    assert documented("Settings") == settings(whole_bundle=True)


@pytest.mark.parametrize("boot", [NodeBoot(), NodeBoot(efa=False, logical_neuroncore_size=1)])
def test_a_boot_writes_no_other_names(boot):
    assert set(WRITTEN.findall(boot.settings())) <= settings(whole_bundle=True)
