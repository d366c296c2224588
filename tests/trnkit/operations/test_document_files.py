"""Files of other tools are told from templates and from everything else, and parsed."""

from __future__ import annotations

import time

import pytest

from tests.trnkit.rules.documents.documents import (
    EKSCTL,
    KARPENTER,
    PARALLELCLUSTER,
    PYTORCH_JOB,
    RIGHT,
    SERVING,
)
from trnkit.errors import UnreadableInputError
from trnkit.findings import Severity
from trnkit.operations.document_files import MAX_VALUES, DocumentFiles, is_recognised
from trnkit.operations.linting import lint_paths

SERVICE = SERVING.split("---\n")[0]
HELM = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "train.name" . }}
spec:
  template:
    spec:
      {{- if .Values.neuron }}
      containers: [{name: a, resources: {limits: {aws.amazon.com/neuron: {{ .Values.count }} }}}]
      {{- end }}
"""


@pytest.mark.parametrize("name", RIGHT)
def test_every_format_is_recognised(name, tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text(RIGHT[name])
    report = lint_paths([str(path)])
    assert report.documents == (str(path),)
    assert (report.templates, report.findings) == ((), ())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---\n",
        "a: 1\n",
        "name: x\ncompute: {node_groups: []}\n",
        "kind: Pod\n",
        "apiVersion: v1\n",
        "Scheduling: {}\nHeadNode: {}\n",
        "# apiVersion and kind\n",
    ],
)
def test_what_has_not_the_keys_of_a_format_is_not_recognised(text):
    assert not is_recognised(text)


def test_a_manifest_in_json_is_recognised(tmp_path):
    path = tmp_path / "pod.json"
    path.write_text(
        '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"containers": '
        '[{"name": "b", "resources": {"limits": {"aws.amazon.com/neurondevice": 1}}}]}}'
    )
    (finding,) = lint_paths([str(path)]).findings
    assert (finding.rule_id, finding.line) == ("TRN530", 1)


def test_a_named_file_of_an_unknown_kind_is_a_note_and_no_error(tmp_path):
    path = tmp_path / "service.yaml"
    path.write_text(SERVICE)
    report = lint_paths([str(path)])
    assert (report.findings, report.documents) == ((), ())
    assert report.notes == ("1 document skipped: the kind Service is not understood",)


def test_kinds_that_are_not_understood_are_counted_beside_those_that_are(tmp_path):
    path = tmp_path / "all.yaml"
    other = "---\n".join(f"apiVersion: v1\nkind: {kind}\n" for kind in ["A", "B", "A", "C", "D"])
    path.write_text(f"{SERVING}---\n{other}")
    report = lint_paths([str(path)])
    assert report.documents == (str(path),)
    assert report.notes == (
        "6 documents skipped: the kinds Service, A and B (3 of 5) are not understood",
    )


def test_what_asks_for_neuron_in_an_unknown_kind_is_said_to_be_unjudged(tmp_path):
    path = tmp_path / "ray.yaml"
    path.write_text(
        "apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {name: r}\nspec:\n  headGroupSpec:\n"
        "    template: {spec: {containers: [{resources: {limits: {aws.amazon.com/neuron: 1}}}]}}"
    )
    (finding,) = lint_paths([str(path)]).findings
    assert (finding.rule_id, finding.severity) == ("TRN539", Severity.INFO)
    assert finding.message.startswith("RayCluster r: ")


def test_files_of_a_folder_are_judged_together_and_others_skipped(tmp_path):
    pool, node_class = KARPENTER.split("---\n")
    (tmp_path / "pool.yaml").write_text(pool)
    (tmp_path / "class.yml").write_text(node_class.replace("al2023@v20260714", "al2@latest"))
    (tmp_path / "service.yaml").write_text(SERVICE)
    (tmp_path / "values.yaml").write_text("count: 16\n")
    report = lint_paths([str(tmp_path)])
    assert [finding.rule_id for finding in report.findings] == ["TRN243"]
    assert [name.rpartition("/")[2] for name in report.documents] == ["class.yml", "pool.yaml"]
    assert [name.rpartition("/")[2] for name in report.skipped] == ["service.yaml", "values.yaml"]


def test_documents_of_another_folder_are_judged_by_themselves(tmp_path):
    pool, node_class = KARPENTER.split("---\n")
    for name, text in (("one", pool), ("two", node_class.replace("al2023@v20260714", "al2@x"))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.yaml").write_text(text)
    assert lint_paths([str(tmp_path)]).findings == ()


def test_the_region_of_the_command_line_reaches_documents(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text(EKSCTL.replace("  region: us-east-2\n", ""))
    findings = lint_paths([str(path)], region="eu-west-1").findings
    assert {finding.rule_id for finding in findings} == {"TRN130", "TRN242"}


def test_standard_input(tmp_path):
    text = PYTORCH_JOB.replace("5120Mi", '"256"')
    (finding,) = lint_paths(["-"], standard_input=text.encode()).findings
    assert (finding.rule_id, finding.file) == ("TRN533", "<stdin>")


def test_a_helm_template_that_is_named_says_what_to_do(tmp_path):
    path = tmp_path / "deployment.yaml"
    path.write_text(HELM)
    (finding,) = lint_paths([str(path)]).findings
    assert finding.rule_id == "TRN001"
    assert "a Helm chart's template" in finding.message
    assert "helm template" in (finding.hint or "")


def test_a_template_of_another_kind_says_what_to_do(tmp_path):
    path = tmp_path / "pcluster.yaml"
    path.write_text(PARALLELCLUSTER.replace("ubuntu2204", "{{ os }}"))
    (finding,) = lint_paths([str(path)]).findings
    assert finding.message == "a template with {{ }} in it, not the YAML that it makes"


def test_helm_templates_of_a_folder_are_a_note(tmp_path):
    (tmp_path / "a.yaml").write_text(SERVING)
    (tmp_path / "b.yaml").write_text(HELM)
    report = lint_paths([str(tmp_path)])
    assert report.findings == ()
    assert report.notes[-1] == "1 file skipped: templates with {{ }}; render them first"


def test_quoted_placeholders_are_yaml_and_are_not_known(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text(SERVING.replace('"2"', '"{{ .Values.cores }}"'))
    report = lint_paths([str(path)])
    assert (report.findings, report.documents) == ((), (str(path),))


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        (SERVING.replace("          image", "\t  image"), "a tab is used for indentation", 17),
        (SERVING.replace("replicas: 2", "replicas: *x"), "the alias *x has no anchor", 10),
        (SERVING.replace("replicas: 2", "replicas: !Ref x"), "the tag !Ref is not allowed", 10),
        (SERVING + "spec: [\n", "not valid YAML", None),
    ],
)
def test_a_broken_file_about_neuron_is_an_error_with_its_place(text, message, line, tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text(text)
    for named in (str(path), str(tmp_path)):
        (finding,) = lint_paths([named]).findings
        assert (finding.rule_id, finding.severity) == ("TRN001", Severity.ERROR)
        assert message in finding.message
        assert line in (None, finding.line)


def test_a_broken_file_about_something_else_is_skipped_in_a_folder(tmp_path):
    (tmp_path / "a.yaml").write_text(SERVING)
    (tmp_path / "b.yaml").write_text("apiVersion: v1\nkind: Pod\nspec: [\n")
    assert lint_paths([str(tmp_path)]).findings == ()


def test_a_key_that_stands_twice_is_found_where_neuron_is_named(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text(SERVING.replace("  replicas: 2\n", "  replicas: 2\n  replicas: 3\n"))
    (finding,) = lint_paths([str(path)]).findings
    assert (finding.rule_id, finding.line) == ("TRN002", 11)
    path.write_text(path.read_text().replace("aws.amazon.com/neuroncore", "nvidia.com/gpu"))
    assert lint_paths([str(path)]).findings == ()


BOMB = "\n".join(
    ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a bomb of aliases", SERVING + BOMB + "\n", f"more than {MAX_VALUES} values"),
        ("an alias of itself", SERVING + "x: &x [*x]\n", "contains itself"),
        ("deep nesting", SERVING + "x: " + "[" * 5000 + "]" * 5000 + "\n", "nested deeper"),
        ("many values", SERVING + "x:\n" + "- 1\n" * 2_000_000, f"more than {MAX_VALUES} values"),
    ],
)
def test_a_hostile_file_is_answered_soon(name, text, message, tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text(text)
    before = time.monotonic()
    (finding,) = lint_paths([str(path)]).findings
    assert message in finding.message
    assert time.monotonic() - before < 20


def test_schemas_of_custom_resources_may_nest_deep(tmp_path):
    path = tmp_path / "x.yaml"
    schema = "{properties: " * 100 + "1" + "}" * 100
    crd = f"apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: {schema}\n"
    path.write_text(f"{SERVING}---\n{crd}")
    assert lint_paths([str(path)]).documents == (str(path),)


def test_ten_megabytes_of_text_are_read(tmp_path):
    path = tmp_path / "x.yaml"
    long = f'"{"x" * 9_900_000}"'
    path.write_text(SERVING.replace("name: vllm", f"name: vllm\n          args: [{long}]"))
    before = time.monotonic()
    assert lint_paths([str(path)]).documents == (str(path),)
    assert time.monotonic() - before < 20


def test_what_is_larger_is_no_template_and_no_document(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text(SERVING + "#" * 10_000_000)
    (finding,) = lint_paths([str(path)]).findings
    assert "larger than 10,000,000 bytes" in finding.message


def test_a_file_that_is_no_text_is_not_ours(tmp_path):
    files = DocumentFiles(None)
    assert files.add(None, "x", tmp_path, named=True) == "not ours"
    assert files.add("apiVersion: v1\nkind: Pod\n---\n", "y", tmp_path, named=False) == "judged"
    with pytest.raises(UnreadableInputError):
        files.add("apiVersion: v1\nkind: [\n", "z", tmp_path, named=True)
