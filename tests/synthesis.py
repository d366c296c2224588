"""Synthesis for tests: a cluster in, its templates as plain values out."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trnkit.config import ClusterConfig

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.yaml"))


@dataclass(frozen=True)
class Assembly:
    """A synthesized cluster: `templates["Network"]` and so on, and the folder they are in."""

    directory: Path
    templates: dict[str, dict[str, Any]]
    regions: dict[str, str]
    paths: dict[str, Path]

    def resources(self, stack: str, kind: str) -> dict[str, dict[str, Any]]:
        """Resources of one CloudFormation type, by logical id."""
        everything = self.templates[stack]["Resources"]
        return {key: value for key, value in everything.items() if value["Type"] == kind}

    def only(self, stack: str, kind: str) -> dict[str, Any]:
        """The properties of the single resource of a type."""
        (resource,) = self.resources(stack, kind).values()
        return resource["Properties"]


def cdk_context() -> dict[str, Any]:
    """The feature flags of cdk.json, which `App()` does not read by itself."""
    return json.loads((ROOT / "cdk.json").read_text())["context"]


def synthesize_cluster(cluster: ClusterConfig, *, validate: bool = False) -> Assembly:
    """Synthesize one cluster in this process, into a temporary folder."""
    from aws_cdk import App, DefaultStackSynthesizer

    from stacks import build

    directory = Path(tempfile.mkdtemp(prefix="trnkit-test-"))
    app = App(
        context=cdk_context(),
        default_stack_synthesizer=DefaultStackSynthesizer(generate_bootstrap_version_rule=False),
        outdir=str(directory),
        builtin_cloud_formation_validation=validate,
    )
    build(app, cluster)
    app.synth()
    return read_assembly(directory, cluster.name)


def read_assembly(directory: Path, stage: str) -> Assembly:
    """The templates of one stage of a cloud assembly, by stack id."""
    folder = directory / f"assembly-{stage}"
    manifest = json.loads((folder / "manifest.json").read_text())
    templates, regions, paths = {}, {}, {}
    for artifact in manifest["artifacts"].values():
        if artifact["type"] != "aws:cloudformation:stack":
            continue
        stack = artifact["displayName"].rpartition("/")[2]
        paths[stack] = folder / artifact["properties"]["templateFile"]
        templates[stack] = json.loads(paths[stack].read_text())
        regions[stack] = artifact["environment"].rpartition("/")[2]
    return Assembly(directory, templates, regions, paths)


@functools.cache
def example_assembly(path: Path) -> Assembly:
    """A shipped example, synthesized once for all tests that only read it."""
    from trnkit.config import load_cluster

    return synthesize_cluster(load_cluster(path).config)


def run_app(
    configs: list[Path], out: Path, *, validate: bool = False, cwd: Path = ROOT, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run app.py as the CDK CLI does, in a process of its own.

    Args:
        configs: Cluster files.
        out: The cloud assembly to write.
        validate: Whether CDK's own validator runs too.
        cwd: Where the process starts.
        environment: Variables to set beside a bare minimum.
    """
    context = cdk_context() | {"config": [str(path) for path in configs]}
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "JSII_NODE") if name in os.environ}
    variables = kept | {
        "CDK_OUTDIR": str(out),
        "CDK_CONTEXT_JSON": json.dumps(context),
        "CDK_VALIDATION": "true" if validate else "false",
    }
    return subprocess.run(
        [sys.executable, str(ROOT / "app.py")],
        cwd=cwd,
        env=variables | environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
