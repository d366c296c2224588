"""The CDK's own validator and cdk-nag, over templates that are included in an app."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from benchmarks.judges.judge import Said, Verdicts
from tests.synthesis import ROOT, cdk_context

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.judges.corpus import TemplateFile

SYNTH_FAILS: Final = "synth fails"
"""What stands for a rule where the CDK cannot make a stack of the template."""

_SECONDS: Final = 600
_SEVERITIES: Final[dict[str, Literal["error", "warning", "info"]]] = {
    "fatal": "error",
    "error": "error",
    "warning": "warning",
    "info": "info",
}


@dataclass(frozen=True)
class CdkJudge:
    """A plug-in of `cdk synth`."""

    plugin: Literal["validator", "nag"]
    at_a_time = 20

    @property
    def name(self) -> str:
        """How it is called."""
        return {"validator": "CDK's validator", "nag": "cdk-nag"}[self.plugin]

    @property
    def version(self) -> str:
        """Of the package."""
        return {
            "validator": f"aws-cdk-lib {version('aws-cdk-lib')}",
            "nag": version("cdk-nag"),
        }[self.plugin]

    def judge(self, files: Sequence[TemplateFile]) -> Verdicts:
        """Judge templates.

        One that the CDK cannot synthesize is taken out and the rest is judged without it. That is a
        finding of the CDK's, not of cdk-nag's, which never sees it.
        """
        if not files:
            return {}
        with tempfile.TemporaryDirectory(prefix="trnkit-judges-") as folder:
            out = Path(folder)
            self._run(files, out)
            failed = _read(out / "failed.json")
            if failed is None:
                return _verdicts(files, _read(out / "validation-report.json") or {})
        if failed["name"] is None and len(files) > 1:
            half = len(files) // 2
            return {**self.judge(files[:half]), **self.judge(files[half:])}
        name = failed["name"] or files[0].name
        said = {Said(SYNTH_FAILS, "error", "")} if self.plugin == "validator" else set[Said]()
        rest = [file for file in files if file.name != name]
        return {name: frozenset(said), **self.judge(rest)}

    def _run(self, files: Sequence[TemplateFile], out: Path) -> None:
        asked = {
            "out": str(out),
            "context": cdk_context(),
            "judge": self.plugin,
            "templates": [
                {"name": file.name, "path": str(file.path), "region": file.region} for file in files
            ],
        }
        run = subprocess.run(
            [sys.executable, "-m", "benchmarks.judges.cdk_app"],
            cwd=ROOT,
            env=os.environ | {"CDK_VALIDATION": "true"},
            input=json.dumps(asked),
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
        if run.returncode != 0:
            raise RuntimeError(f"the CDK app ended with {run.returncode}: {run.stderr[-2000:]}")


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


def _verdicts(files: Sequence[TemplateFile], report: dict[str, Any]) -> Verdicts:
    said: dict[str, set[Said]] = {file.name: set() for file in files}
    for plugin in report.get("pluginReports", []):
        for violation in plugin["violations"]:
            # cdk-nag has one rule for each thing it names in brackets.
            rule, _, what = violation["ruleName"].partition("[")
            severity = _SEVERITIES[violation["severity"].lower()]
            for construct in violation["violatingConstructs"]:
                stack, _, rest = construct["constructPath"].partition("/")
                paths = construct.get("cloudFormationResource", {}).get("propertyPaths", [])
                place = "/".join([rest.removeprefix("Template/"), what.rstrip("]"), *paths])
                said[stack].add(Said(rule, severity, place))
    return {name: frozenset(found) for name, found in said.items()}
