"""DataRepositoryAssociation: path shapes and what is written when."""

from __future__ import annotations

import pytest

from constructs_lib.storage import DataRepositoryAssociation
from trnkit.errors import ConstructError


@pytest.fixture
def make(stack):
    def association(**options):
        options = {
            "file_system_id": "fs-0123456789abcdef0",
            "file_system_path": "/data",
            "data_repository_path": "s3://example-bucket/corpus",
        } | options
        return DataRepositoryAssociation(stack, "Link", **options)

    return association


def properties(resources):
    (association,) = resources("AWS::FSx::DataRepositoryAssociation").values()
    return association["Properties"]


def test_imports_by_itself_and_exports_only_when_asked(make, resources):
    make()
    assert properties(resources)["S3"] == {
        "AutoImportPolicy": {"Events": ["NEW", "CHANGED", "DELETED"]}
    }


def test_export_events(make, resources):
    make(auto_import_events=(), auto_export_events=("NEW", "CHANGED"))
    assert properties(resources)["S3"] == {"AutoExportPolicy": {"Events": ["NEW", "CHANGED"]}}


@pytest.mark.parametrize("path", ["/", "/a", "/a/b", "/with space"])
def test_fsx_05_folder_accepted(make, resources, path):
    make(file_system_path=path)
    assert properties(resources)["FileSystemPath"] == path


@pytest.mark.parametrize("path", ["", "data", "/data/", "//data", "/a//b", "/a\nb"])
def test_fsx_05_folder_refused(make, path):
    with pytest.raises(ConstructError, match="file_system_path must be a path like /data"):
        make(file_system_path=path)


@pytest.mark.parametrize("path", ["s3://example-bucket", "s3://example-bucket/", "s3://a.b-c/p/q/"])
def test_fsx_05_repository_accepted(make, resources, path):
    make(data_repository_path=path)
    assert properties(resources)["DataRepositoryPath"] == path


@pytest.mark.parametrize(
    "path", ["", "example-bucket", "s3:/example-bucket", "s3://", "s3://Example", "https://x.s3"]
)
def test_fsx_05_repository_refused(make, path):
    with pytest.raises(ConstructError, match="data_repository_path must be like s3://"):
        make(data_repository_path=path)


def test_6_5_the_chunk_size_is_written_only_when_given(make, resources):
    make(imported_file_chunk_size_mib=512_000)
    assert properties(resources)["ImportedFileChunkSize"] == 512_000


def test_6_5_no_chunk_size_is_fsx_s_own(make, resources):
    make()
    assert "ImportedFileChunkSize" not in properties(resources)


@pytest.mark.parametrize("size", [0, -1, 512_001])
def test_6_5_chunk_sizes_that_fsx_does_not_have(make, size):
    with pytest.raises(ConstructError, match=f"must be 1 to 512000, got {size}"):
        make(imported_file_chunk_size_mib=size)
