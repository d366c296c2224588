"""checkov, which is no dependency: it brings a hundred packages."""

from __future__ import annotations

import json
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from benchmarks.judges.judge import Said, Verdicts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.judges.corpus import TemplateFile

_SECONDS: Final = 1800


@dataclass(frozen=True)
class Checkov:
    """checkov, without its platform: every failed check fails the run, none has a severity."""

    executable: Path
    name = "checkov"
    at_a_time = 1000

    @property
    def version(self) -> str:
        """What it says itself."""
        return self._run("--version").strip()

    def judge(self, files: Sequence[TemplateFile]) -> Verdicts:
        """Judge templates, all in one run over a folder with nothing else in it."""
        with tempfile.TemporaryDirectory(prefix="trnkit-judges-") as folder:
            for file in files:
                (Path(folder) / f"{file.name}.json").write_bytes(file.path.read_bytes())
            told = self._run(
                "--directory",
                folder,
                "--framework",
                "cloudformation",
                "--output",
                "json",
                "--compact",
                "--skip-download",
            )
        said: dict[str, set[Said]] = {file.name: set() for file in files}
        for failed in _failed_checks(told):
            name = Path(failed["file_path"]).stem
            said[name].add(Said(failed["check_id"], "error", failed["resource"]))
        return {name: frozenset(found) for name, found in said.items()}

    def _run(self, *arguments: str) -> str:
        run = subprocess.run(
            [str(self.executable), *arguments],
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
        # 1 when a check failed.
        if run.returncode not in (0, 1) or not run.stdout:
            raise RuntimeError(f"checkov ended with {run.returncode}: {run.stderr[-2000:]}")
        return run.stdout


def _failed_checks(told: str) -> list[dict[str, Any]]:
    report = json.loads(told)
    if not report["summary"]["resource_count"]:
        raise RuntimeError("checkov has read no template")
    return report["results"]["failed_checks"]
