"""How these tests put an input before one rule."""

from __future__ import annotations

import contextlib
import re
from copy import deepcopy
from typing import Any

import yaml

from tests.synthesis import ROOT
from trnkit.config import read_cluster
from trnkit.config.yaml_reader import read_yaml_documents
from trnkit.findings import Finding
from trnkit.rules import (
    Document,
    DocumentSet,
    StackSet,
    Template,
    check_cluster,
    check_documents,
    check_templates,
)

SMALLEST_CLUSTER: dict[str, Any] = {
    "name": "smallest",
    "region": "us-east-2",
    "compute": {"node_groups": [{"name": "train", "instance_type": "trn2.48xlarge", "count": 1}]},
    "budget": {"limit_usd": 1000, "emails": ["ml-platform@example.com"]},
}


def overlaid(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    """Mappings are merged, everything else (lists too) is replaced."""
    result = deepcopy(below)
    for key, value in above.items():
        both = isinstance(value, dict) and isinstance(result.get(key), dict)
        result[key] = overlaid(result[key], value) if both else value
    return result


def judge_cluster(overlay: str) -> tuple[Finding, ...]:
    """All findings on the smallest cluster with some YAML laid over it."""
    # The base loader keeps `2.10` as it is written; the second one gives numbers their type.
    written = yaml.load(overlay, yaml.BaseLoader)
    text = yaml.safe_dump(overlaid(SMALLEST_CLUSTER, _typed(written) or {}))
    with contextlib.chdir(ROOT):  # An example may name a file of the checkout.
        return check_cluster(read_cluster(text, "cluster.yaml"))


def _typed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _typed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_typed(item) for item in value]
    if re.fullmatch(r"-?[0-9]+", str(value)):
        return int(value)
    if re.fullmatch(r"0\.[0-9]+", str(value)):  # No version begins so.
        return float(value)
    return {"true": True, "false": False, "null": None}.get(value, value)


def judge_documents(*texts: str, region: str | None = None) -> tuple[Finding, ...]:
    """All findings on files of other tools; `# region: NAME` first says where they are for."""
    documents: list[Document] = []
    for number, text in enumerate(texts):
        named = re.match(r"# region: (\S+)", text)
        for read in read_yaml_documents(text, f"{number}.yaml"):
            documents.append(Document(read.file, read, named[1] if named else region))
    return check_documents(DocumentSet(documents))


def judge_template(*bodies: str | dict[str, Any], region: str | None = None) -> tuple[Finding, ...]:
    """All findings on templates; `# region: NAME` in the first line says where one is for."""
    templates: list[Template] = []
    for number, body in enumerate(bodies):
        parsed = yaml.safe_load(body) if isinstance(body, str) else body
        named = re.match(r"# region: (\S+)", body) if isinstance(body, str) else None
        templates.append(
            Template(f"stack-{number}", f"{number}.yaml", parsed, named[1] if named else region)
        )
    return check_templates(StackSet(templates))


def of_rule(rule_id: str, findings: tuple[Finding, ...]) -> list[Finding]:
    """The findings of one rule."""
    return [finding for finding in findings if finding.rule_id == rule_id]


def severities(rule_id: str, findings: tuple[Finding, ...]) -> list[str]:
    """Their severities, worst first."""
    return [finding.severity.value for finding in of_rule(rule_id, findings)]
