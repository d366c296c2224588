"""Makes every kind of mistake in every example's templates, and asks the rules."""

from __future__ import annotations

import copy
import functools
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.synthesis import EXAMPLES, ROOT
from trnkit.config import load_cluster
from trnkit.layout.tags import budget_region
from trnkit.rules.engine import check_templates
from trnkit.rules.stack_set import StackSet, Template

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.mutations.kind import Kind
    from trnkit.config import ClusterConfig
    from trnkit.findings import Finding

GOLDEN = ROOT / "tests" / "golden" / "templates"


@dataclass(frozen=True, kw_only=True)
class Result:
    """What became of one kind.

    Attributes:
        kind: The kind.
        caught: Examples in which the claimed rule finds it.
        missed: Examples in which it does not.
        others: Further rules that find it somewhere.
    """

    kind: Kind
    caught: tuple[str, ...]
    missed: tuple[str, ...]
    others: tuple[str, ...]


def sweep(kind: Kind) -> Result:
    """Make a mistake in each example where there is something to get wrong."""
    caught: list[str] = []
    missed: list[str] = []
    others: set[str] = set()
    for example, mutated in wrong_templates(kind):
        before = {_key(finding) for finding in findings_of(example)}
        found = judge(example, {**bodies_of(example), kind.stack: mutated})
        new = {finding.rule_id for finding in found if _key(finding) not in before}
        (caught if kind.rule in new else missed).append(example)
        others |= new - {kind.rule}
    return Result(
        kind=kind, caught=tuple(caught), missed=tuple(missed), others=tuple(sorted(others))
    )


def wrong_templates(kind: Kind) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each example where there is something to get wrong, and its stack's template with it."""
    for path in EXAMPLES:
        bodies = bodies_of(path.stem)
        if kind.stack not in bodies or not kind.needs(bodies):
            continue
        mutated = copy.deepcopy(bodies[kind.stack])
        if not kind.change(mutated):
            continue
        assert mutated != bodies[kind.stack], f"{kind.id} changes nothing in {path.stem}"
        yield path.stem, mutated


@functools.cache
def bodies_of(example: str) -> dict[str, Any]:
    """The right templates of an example, by stack."""
    return {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted((GOLDEN / example).glob("*.json"))
    }


@functools.cache
def findings_of(example: str) -> tuple[Finding, ...]:
    """What the rules say of the right templates."""
    return judge(example, bodies_of(example))


def judge(example: str, bodies: dict[str, Any]) -> tuple[Finding, ...]:
    """Judge an example's templates together, each as of its Region."""
    cluster = cluster_of(example)
    return check_templates(
        StackSet(
            Template(
                name=f"{cluster.name}-{stack}",
                path=stack,
                body=body,
                region=region_of(example, stack),
            )
            for stack, body in bodies.items()
        )
    )


def region_of(example: str, stack: str) -> str:
    """The Region of a stack of an example."""
    cluster = cluster_of(example)
    return budget_region(cluster) if stack == "Cost" else cluster.region


@functools.cache
def cluster_of(example: str) -> ClusterConfig:
    """The cluster of an example."""
    return load_cluster(ROOT / "examples" / f"{example}.yaml").config


def _key(finding: Finding) -> tuple[str, str | None, str | None, str]:
    return finding.rule_id, finding.file, finding.path, finding.message
