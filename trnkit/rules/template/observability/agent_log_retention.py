"""TRN641: log groups that a CloudWatch agent makes have a retention."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from trnkit.findings import Severity
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.reading.template_value import as_list, as_mapping, properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet

_LONGEST = 65_536
"""A parameter holds 8 KB at most; what is far longer is not read."""


def _check(stack_set: StackSet) -> Iterator[Violation]:
    made: frozenset[str] | None = None
    for resource in stack_set.resources("AWS::SSM::Parameter"):
        value = properties_of(resource)["Value"]
        endless = _endless(value.text() or "")
        if not endless:
            continue
        made = _group_names(stack_set) if made is None else made
        left = [name for name in endless if name not in made] if "" not in made else []
        if left:
            yield Violation(
                message=f"{resource.logical_id}: the CloudWatch agent makes the log "
                f"{'group' if len(left) == 1 else 'groups'} {alternatives(left, 'and')} when "
                "missing, and keeps what is in there for ever",
                hint="make the log group in a template with RetentionInDays, or give the agent "
                "retention_in_days",
                resource=resource,
                path=value.path,
            )


def _endless(text: str) -> list[str]:
    """Names of the log groups that an agent's configuration names without a retention."""
    if "log_group_name" not in text or len(text) > _LONGEST:
        return []
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return []
    listed = _at(document, "logs", "logs_collected", "files", "collect_list")
    kept: dict[str, bool] = {}
    for entry in as_list(listed) or ():
        name, days = _at(entry, "log_group_name"), _at(entry, "retention_in_days")
        # Braces stand for what the agent fills in.
        if isinstance(name, str) and name and "{" not in name:
            kept[name] = kept.get(name, False) or days not in (None, -1)
    return sorted(name for name, is_kept in kept.items() if not is_kept)


def _at(value: Any, *path: str) -> Any:
    for key in path:
        value = (as_mapping(value) or {}).get(key)
    return value


def _group_names(stack_set: StackSet) -> frozenset[str]:
    """Names of the log groups of the templates; with an empty one when some are not known."""
    groups = stack_set.resources("AWS::Logs::LogGroup")
    names = (properties_of(group)["LogGroupName"] for group in groups)
    # A group without a name gets one that no configuration can spell.
    return frozenset(name.text() or "" for name in names if not name.is_absent)


_HEAD = """\
Resources:
  AgentConfiguration:
    Type: AWS::SSM::Parameter
    Properties:
      Type: String
      Value: >-
        {"logs": {"logs_collected": {"files": {"collect_list": [{
        "file_path": "/var/log/messages", "log_group_name": "nodes"%s}]}}}}
"""

RULE = TemplateRule(
    id="TRN641",
    title="log groups that a CloudWatch agent makes have a retention",
    severity=Severity.INFO,
    why="The agent makes a log group that is not there, and without a number of days CloudWatch "
    "Logs keeps its events, and bills their storage, until somebody deletes them.",
    source="https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/"
    "CloudWatch-Agent-Configuration-File-Details.html",
    good=_HEAD % ', "retention_in_days": 30',
    bad=_HEAD % "",
    check=_check,
)
