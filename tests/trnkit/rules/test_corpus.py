"""Right templates as people write them have no findings; a slip in one of them has its finding."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.trnkit.rules.rewriting import REWRITERS, Set
from trnkit.findings import Finding, Severity
from trnkit.operations.linting import lint_paths
from trnkit.operations.template_files import read_template
from trnkit.rules import StackSet, Template, check_templates

CORPUS = Path(__file__).parent / "corpus"
FILES = sorted(str(p.relative_to(CORPUS)) for p in CORPUS.rglob("*.*"))
REGIONS = [None, "us-west-2"]


def loud(findings: tuple[Finding, ...]) -> list[str]:
    return [f"{f.rule_id} {f.message}" for f in findings if f.severity is not Severity.INFO]


@pytest.mark.parametrize("region", REGIONS)
def test_right_templates_have_no_findings(region: str | None):
    report = lint_paths([str(CORPUS)], region=region)
    assert len(report.templates) == len(FILES) == 13
    assert report.skipped == ()
    assert loud(report.findings) == []


@pytest.mark.parametrize("file", FILES)
def test_a_right_template_alone_has_no_findings(file: str):
    assert loud(lint_paths([str(CORPUS / file)]).findings) == []


def plain(value: Any) -> Any:
    """A parsed template without the parser's own types."""
    return json.loads(json.dumps(value))


def sets() -> dict[str, Set]:
    """The templates of each folder, and each at the top alone, but for loops and includes."""
    found: dict[str, Set] = {}
    for file in FILES:
        body = plain(read_template(str(CORPUS / file)).body)
        key = file if "/" not in file else file.split("/", 1)[0]
        if all("Type" in entry for entry in body["Resources"].values()):
            found.setdefault(key, {})[file.rpartition("/")[2]] = body
    return found


SETS = sets()


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("rewrite", REWRITERS, ids=lambda r: r.__name__)
def test_a_right_template_in_other_words_has_no_findings(rewrite: Callable[[Set], Set], name: str):
    if name == "nested" and rewrite.__name__ == "in_nested_stacks":
        pytest.skip("its templates are nested already")
    templates = [Template(n, n, body) for n, body in rewrite(SETS[name]).items()]
    assert loud(check_templates(StackSet(templates))) == []


SLIPS: list[tuple[str, str, str, str, str]] = [
    (
        "cluster-with-choices.yaml",
        "  EfaOut:\n    Type: AWS::EC2::SecurityGroupEgress\n    Condition: HasEfa",
        "  EfaOut:\n    Type: AWS::EC2::SecurityGroupEgress\n    Condition: IsLarge",
        "TRN151",
        "(when InstanceType is trn1.32xlarge and UseEfa is true)",
    ),
    (
        "cluster-with-choices.yaml",
        "HasMoreCards: !And [!Condition HasEfa, !Condition IsLarge]",
        "HasMoreCards: !Equals [a, a]",
        "TRN251",
        "(when",
    ),
    (
        "storage-new-or-restored.yaml",
        "[Persists, 125, !Ref AWS::NoValue]",
        "[Persists, 126, !Ref AWS::NoValue]",
        "TRN351",
        "(when Persists holds)",
    ),
    (
        "storage-new-or-restored.yaml",
        "AllowedValues: [1200, 2400, 4800]",
        "AllowedValues: [1200, 2400, 4801]",
        "TRN351",
        "Capacity is 4801",
    ),
    (
        "groups-in-a-loop.yaml",
        "Small: {Type: trn1.2xlarge",
        "Small: {Type: trn1.32xlarge",
        "TRN251",
        "",
    ),
    (
        "vpc-new-or-existing.yaml",
        "${AWS::Region}.s3",
        "${AWS::Region}.dynamodb",
        "TRN155",
        "(when MakesVpc holds)",
    ),
    (
        "nested/network.yaml",
        'Group, IpProtocol: "-1", Dest',
        "Group, IpProtocol: tcp, Dest",
        "TRN151",
        "",
    ),
    (
        "nested/root.yaml",
        "large: {Type: trn1.32xlarge",
        "large: {Type: trn1n.32xlarge",
        "TRN251",
        "",
    ),
    ("exports/rules.template.json", '"IpProtocol": "-1"', '"IpProtocol": "tcp"', "TRN151", ""),
]


@pytest.mark.parametrize(("file", "right", "wrong", "rule_id", "said"), SLIPS)
def test_a_slip_in_a_right_template_is_found(
    file: str, right: str, wrong: str, rule_id: str, said: str, tmp_path: Path
):
    shutil.copytree(CORPUS, tmp_path, dirs_exist_ok=True)
    path = tmp_path / file
    text = path.read_text()
    assert text.count(right) == 1
    path.write_text(text.replace(right, wrong))
    found = loud(lint_paths([str(tmp_path)]).findings)
    assert [text for text in found if text.startswith(rule_id) and said in text]
