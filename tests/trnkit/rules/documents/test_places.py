"""Where findings are: file, line and column, also over several documents and files."""

from __future__ import annotations

from tests.trnkit.rules.documents.documents import (
    KARPENTER,
    PARALLELCLUSTER,
)
from tests.trnkit.rules.judging import judge_documents


def place(text, rule):
    (finding,) = [f for f in judge_documents(text) if f.rule_id == rule]
    return finding.path, finding.line, finding.column


def test_a_finding_has_the_place_of_its_key():
    where = place(PARALLELCLUSTER.replace("4800", "3600"), "TRN330")
    line = PARALLELCLUSTER[: PARALLELCLUSTER.index("StorageCapacity")].count("\n") + 1
    assert where == ("SharedStorage[1].FsxLustreSettings.StorageCapacity", line, 7)


def test_a_place_counts_from_the_beginning_of_the_file_not_of_its_document():
    text = KARPENTER.replace("httpTokens: required", "httpTokens: optional")
    line = text[: text.index("httpTokens")].count("\n") + 1
    assert place(text, "TRN244") == ("spec.metadataOptions.httpTokens", line, 5)


def test_a_missing_key_is_placed_at_what_lacks_it():
    text = PARALLELCLUSTER.replace("      PerUnitStorageThroughput: 250\n", "")
    path, line, _ = place(text, "TRN330")
    assert path == "SharedStorage[1].FsxLustreSettings.PerUnitStorageThroughput"
    assert text.splitlines()[line - 1].strip() == "FsxLustreSettings:"


def test_a_class_is_found_in_another_file_of_the_folder():
    pool, node_class = KARPENTER.split("---\n")
    assert not judge_documents(pool, node_class)
    wrong = node_class.replace("al2023@v20260714", "windows2022@latest")
    (finding,) = judge_documents(pool, wrong)
    assert (finding.rule_id, finding.file) == ("TRN243", "1.yaml")


def test_one_class_of_several_pools_is_told_once():
    pool, node_class = KARPENTER.split("---\n")
    second = pool.replace("name: trn2", "name: second")
    wrong = node_class.replace("httpTokens: required", "httpTokens: optional")
    found = judge_documents(pool, second, wrong.replace("al2023@v20260714", "windows2022@latest"))
    assert sorted(f.rule_id for f in found) == ["TRN243", "TRN244"]


def test_the_region_of_the_command_line_is_that_of_documents_without_one():
    pool = KARPENTER.replace("topology.kubernetes.io/zone", "example.com/rack")
    assert not judge_documents(pool)
    (finding,) = judge_documents(pool, region="eu-west-1")
    assert finding.rule_id == "TRN130"
