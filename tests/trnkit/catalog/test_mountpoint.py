"""Where Mountpoint comes from; nothing floats."""

from __future__ import annotations

import re

from trnkit import catalog


def test_the_download_is_a_fixed_version_of_a_kind_that_fstab_can_name():
    found, use = catalog.mountpoint_download(), catalog.mountpoint_use()
    assert found.url.count(found.version) == 2
    assert "latest" not in found.url
    assert number(found.version) >= number(use.first_version_with_fstab)


def test_fingerprints_are_whole():
    found = catalog.mountpoint_download().fingerprints
    assert len(set(found)) == len(found)
    assert all(re.fullmatch(r"[0-9A-F]{40}", fingerprint) for fingerprint in found)


def test_each_system_has_one_source():
    repository, download = catalog.mountpoint_repository(), catalog.mountpoint_download()
    assert not set(repository.operating_systems) & set(download.operating_systems)
    assert {*repository.operating_systems, *download.operating_systems} == set(
        catalog.operating_systems()
    )


def test_packages_are_for_the_architecture_of_every_type():
    for name in catalog.instance_type_names():
        assert f"/{catalog.instance_type(name).architecture}/" in catalog.mountpoint_download().url


def test_names_of_other_kinds_are_told_apart():
    names = catalog.s3_bucket_names()
    assert names.other_kinds["--x-s3"] == "a directory bucket"
    assert "xn--" in names.refused_prefixes


def number(version):
    return tuple(map(int, version.split(".")))
