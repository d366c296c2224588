"""Places in S3 that are mounted or linked, and the bytes that they take on a node."""

from __future__ import annotations

import pytest

from tests.trnkit.layout.test_storage import cluster
from trnkit.layout.boot_settings import (
    S3Line,
    largest_settings,
    s3_lines,
)
from trnkit.layout.s3_mountpoints import linked_places, mounted_places, object_prefix, s3_uri
from trnkit.layout.storage import has_storage, mounts_of

MOUNTS = (
    "storage: {s3_mountpoints: [{bucket_name: our-corpus, mount_path: /a}, "
    "{bucket_name: our-results, prefix: runs, mount_path: /b, read_only: false}]}"
)


@pytest.mark.parametrize(
    ("prefix", "expected"), [(None, ""), ("a", "a/"), ("a/", "a/"), ("a/b", "a/b/")]
)
def test_prefixes_end_with_one_slash(prefix, expected):
    assert object_prefix(prefix) == expected
    assert s3_uri("our-corpus", prefix) == f"s3://our-corpus/{expected}"


def test_what_is_mounted():
    found = cluster(MOUNTS)
    assert mounted_places(found) == ("s3://our-corpus/", "s3://our-results/runs/")
    assert s3_lines(found) == (
        S3Line("s3://our-corpus/", "/a", "ro", found.region),
        S3Line("s3://our-results/runs/", "/b", "rw", found.region),
    )
    assert [(m.name, m.mount_path, m.path) for m in mounts_of(found)] == [
        (None, "/a", ("storage", "s3_mountpoints", 0)),
        (None, "/b", ("storage", "s3_mountpoints", 1)),
    ]


def test_nothing_of_the_clusters_own_is_stored():
    assert not has_storage(cluster(MOUNTS))


def test_links_of_lustre():
    text = (
        "storage: {lustre_file_systems: [{name: fsx, storage_capacity_gib: 1200, "
        "data_repository_associations: [{file_system_path: /d, data_repository_path: 's3://b-b'},"
        "{file_system_path: /e, data_repository_path: 's3://c-c/x/'}]}]}"
    )
    assert [place for _, place in linked_places(cluster(text))] == ["s3://b-b/", "s3://c-c/x/"]


def test_ami_06_the_lines_take_room():
    group = cluster("").compute.node_groups[0]
    without, with_them = (largest_settings(cluster(text), group) for text in ("", MOUNTS))
    assert with_them > without + len(MOUNTS) / 2
