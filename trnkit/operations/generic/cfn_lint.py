"""cfn-lint as a judge: https://github.com/aws-cloudformation/cfn-lint.

Its own switches hold: `Metadata: cfn-lint: config: ignore_checks`, and a `.cfnlintrc` file.
"""

from __future__ import annotations

import importlib
import logging
from typing import TYPE_CHECKING, Any

from trnkit.findings import Finding, Severity
from trnkit.operations.generic.failures import BUGS, failure
from trnkit.rules.rule import Rule

if TYPE_CHECKING:
    from trnkit.operations.template_files import TemplateFile

TOOL = "cfn-lint"

_DOCUMENTATION = "https://github.com/aws-cloudformation/cfn-lint/blob/main/docs/rules.md"
_SEVERITIES = {"error": Severity.ERROR, "warning": Severity.WARNING}


class CfnLint:
    """Its rules, loaded once for all templates."""

    def __init__(self) -> None:
        logging.getLogger("cfnlint").setLevel(logging.CRITICAL)
        # It has no type information, and its import takes half a second.
        self._decoder: Any = importlib.import_module("cfnlint.decode.decode")
        self._config: Any = importlib.import_module("cfnlint.config")
        self._runner: Any = importlib.import_module("cfnlint.runner")
        self._helpers: Any = importlib.import_module("cfnlint.helpers")
        exceptions: Any = importlib.import_module("cfnlint.exceptions")
        self._own_error: type[Exception] = exceptions.CfnLintExitException
        self._regions = frozenset(self._helpers.REGIONS)
        self._collection: Any = self._runner.Runner(self._config.ConfigMixIn()).rules
        self.rules = {rule.id: _documentation(rule) for rule in self._collection.values()}

    def judge(self, file: TemplateFile, region: str | None) -> list[Finding]:
        """What it finds; that it failed is a finding too.

        Args:
            file: The template.
            region: Its region; one that cfn-lint does not know is left out, and it takes its own.
        """
        known = [region] if region in self._regions else [self._helpers.REGION_PRIMARY]
        try:
            # Decoded again, since what expands transforms and loops changes the template it reads.
            template, broken = self._decoder.decode_str(file.text)
            config = self._config.ConfigMixIn(regions=known)
            judged = self._runner.run_template_by_data(template, config, self._collection)
            matches: list[Any] = list(broken or judged)
        except (*BUGS, self._own_error) as error:
            return [failure(file, TOOL, _DOCUMENTATION, error)]
        return [_finding(file, match) for match in matches]


def _documentation(rule: Any) -> Rule:
    return Rule(
        id=str(rule.id),
        title=str(rule.shortdesc),
        severity=_SEVERITIES.get(str(rule.severity), Severity.INFO),
        why=str(rule.description),
        source=str(rule.source_url or "") or _DOCUMENTATION,
        good="",
        bad="",
    )


def _finding(file: TemplateFile, match: Any) -> Finding:
    rule = _documentation(match.rule)
    path = [str(part) for part in getattr(match, "path", None) or ()]
    in_resource = len(path) > 1 and path[0] == "Resources"
    return Finding(
        rule_id=rule.id,
        severity=rule.severity,
        message=str(match.message),
        path="/".join(["", *path]) if path else None,
        logical_id=path[1] if in_resource else None,
        file=file.path,
        line=int(match.linenumber) if match.linenumber else None,
        column=int(match.columnnumber) if match.linenumber and match.columnnumber else None,
        source=rule.source,
        tool=TOOL,
    )
