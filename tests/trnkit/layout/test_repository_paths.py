"""The two ends of an S3 link, and folders over which nothing is mounted."""

from __future__ import annotations

import pytest

from trnkit.layout.mount_paths import belongs_to_the_system
from trnkit.layout.repository_paths import judge_file_system_path, judge_repository_path


@pytest.mark.parametrize("path", ["/", "/data", "/data/", "/a.b/..c/...", "/data set"])
def test_folders_that_can_be_linked(path):
    assert judge_file_system_path(path) is None


@pytest.mark.parametrize(
    ("path", "reason", "hint"),
    [
        ("data", "does not begin with a slash", "write /data"),
        ("/a//b", "holds an empty folder name", "write /a/b"),
        ("/a/../b", "holds . or .. as a folder name", "write /a/b"),
        ("/./a", "holds . or .. as a folder name", "write /a"),
        ("/..", "holds . or .. as a folder name", "write /"),
        ("/a\nb", "holds control characters", "write /ab"),
    ],
)
def test_folders_that_cannot(path, reason, hint):
    found = judge_file_system_path(path)
    assert found is not None
    assert found.text.endswith(reason)
    assert found.hint == hint


@pytest.mark.parametrize(
    "path", ["s3://abc", "s3://a.b.c/x", "s3://1.2.3/x", "s3://300.1.1.1", "s3://a-b/x/../y"]
)
def test_places_in_s3(path):
    assert judge_repository_path(path) is None


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("s3://a..b", "no two full stops"),
        ("s3://192.168.0.1", "like an IP address"),
        ("s3://192.168.0.1/x", "like an IP address"),
        ("s3://ab", "must be s3://bucket"),
        ("s3://-ab-", "must be s3://bucket"),
        ("s3://abc/x\ty", "must be s3://bucket"),
    ],
)
def test_places_that_s3_does_not_have(path, reason):
    found = judge_repository_path(path)
    assert found is not None
    assert reason in found.text
    assert found.text.isprintable()


@pytest.mark.parametrize(
    ("path", "system"),
    [("/etc", True), ("/etc/x", True), ("/home", True), ("/home/shared", False), ("/fsx", False)],
)
def test_folders_of_the_system(path, system):
    assert belongs_to_the_system(path) is system
