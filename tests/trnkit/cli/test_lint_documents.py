"""`trnkit lint` on documents of other tools, as a person sees it."""

from __future__ import annotations

import json

from tests.trnkit.cli.conftest import MINIMAL, TEMPLATE
from tests.trnkit.rules.documents.documents import (
    EKSCTL,
    KARPENTER,
    PARALLELCLUSTER,
    PYTORCH_JOB,
    SERVING,
)


def test_a_wrong_document_has_line_and_column_and_fails(trnkit, folder):
    (folder / "pcluster.yaml").write_text(PARALLELCLUSTER.replace("4800", "3600"))
    ran = trnkit("lint", "pcluster.yaml")
    assert ran.code == 1
    assert "pcluster.yaml:44:7" in ran.out
    assert "TRN330" in ran.out
    assert "shared storage fsx: StorageCapacity is 3600 GiB" in ran.out


def test_a_right_document_is_confirmed(trnkit, folder):
    (folder / "pool.yaml").write_text(KARPENTER)
    ran = trnkit("lint", "pool.yaml")
    assert (ran.code, ran.out) == (0, "no findings in pool.yaml\n")


def test_json_tells_documents_from_templates(trnkit, folder):
    (folder / "t.yaml").write_text(TEMPLATE)
    (folder / "job.yaml").write_text(PYTORCH_JOB.replace("5120Mi", "256"))
    ran = trnkit("lint", ".", "--format", "json")
    content = json.loads(ran.out)
    assert (content["templates"], content["documents"]) == (["t.yaml"], ["job.yaml"])
    (finding,) = [f for f in content["findings"] if f["rule_id"] == "TRN533"]
    assert (finding["file"], finding["logical_id"]) == ("job.yaml", None)
    assert finding["path"].startswith("spec.pytorchReplicaSpecs.Worker.template.spec.containers[0]")


def test_sarif_has_documents_too(trnkit, folder):
    (folder / "job.yaml").write_text(PYTORCH_JOB.replace("5120Mi", "256"))
    ran = trnkit("lint", "job.yaml", "--format", "sarif")
    (run,) = json.loads(ran.out)["runs"]
    assert [result["ruleId"] for result in run["results"]] == ["TRN533"]


def test_a_kind_that_is_not_understood_is_a_line(trnkit, folder):
    (folder / "service.yaml").write_text(SERVING.split("---\n")[0])
    ran = trnkit("lint", "service.yaml")
    assert ran.code == 0
    assert ran.out.endswith("1 document skipped: the kind Service is not understood\n")


def test_strict_lets_warnings_of_documents_fail(trnkit, folder):
    (folder / "c.yaml").write_text(EKSCTL.replace("    privateNetworking: true\n", ""))
    assert trnkit("lint", "c.yaml").code == 0
    assert trnkit("lint", "c.yaml", "--strict").code == 1


def test_a_rule_of_documents_is_explained(trnkit):
    ran = trnkit("rules", "TRN533")
    assert ran.code == 0
    assert "hugepages-2Mi" in ran.out
    assert "other formats" in ran.out


def test_a_cluster_file_cannot_suppress_a_rule_of_documents(trnkit, folder):
    (folder / "cluster.yaml").write_text(
        f"{MINIMAL}\nsuppress: [{{rule_id: TRN533, reason: nobody needs it}}]\n"
    )
    ran = trnkit("check", "cluster.yaml")
    assert ran.code == 1
    assert "judges documents of other tools" in ran.out
