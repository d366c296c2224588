"""Reads what `trn-smoke` wrote: results as files, or as lines of a log that somebody kept."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from trnkit.config.input_bytes import read_bytes
from trnkit.config.yaml_reader import clipped, unreadable
from trnkit.operations.places import place_at, refuse_empty

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

RESULT_MARK = "TRN-SMOKE-RESULT "
_MAX_BYTES = 20_000_000
_ENDINGS = (".json", ".log", ".out", ".txt")
_VALUE_SHOWN = 40
# Far above any cluster, and low enough for every calculation.
_MOST_NODES, _MOST_RANKS, _MOST_INTERFACES = 1_000_000, 100_000, 1_000
_MOST_BYTES, _MOST_STEPS, _MOST_SECONDS = 2**50, 10**9, 10**9

Name = Annotated[str, Field(min_length=1, max_length=255)]


class _Read(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class SweepPlan(_Read):
    """What of the sweep's plan is judged."""

    maximum_bytes: int = Field(ge=1, le=_MOST_BYTES)


class StepPlan(_Read):
    """What of the step's plan is judged."""

    steps: int = Field(ge=1, le=_MOST_STEPS)


class RunPlan(_Read):
    """What of a plan is judged."""

    cluster: Name
    node_group: Name
    instance_type: Name
    nodes: int = Field(ge=1, le=_MOST_NODES)
    across_nodes: bool = False
    # An all-reduce over one rank moves nothing, so it has no bus bandwidth.
    ranks_per_node: int = Field(ge=2, le=_MOST_RANKS)
    efa_interfaces: int = Field(0, ge=0, le=_MOST_INTERFACES)
    sweep: SweepPlan
    step: StepPlan
    parts: tuple[str, ...] | None = None

    def parts_of(self, scope: Literal["node", "fabric"]) -> tuple[str, ...]:
        """The parts that must be in a result.

        Args:
            scope: A node by itself, or all of them together.
        """
        if scope == "fabric":
            return ("sweep",)
        return ("check", "sweep", "step") if self.parts is None else self.parts


class Part(_Read):
    """What became of one part."""

    status: str
    seconds: float = Field(0.0, ge=0, le=_MOST_SECONDS, allow_inf_nan=False)
    message: str | None = None
    output_tail: tuple[str, ...] = ()
    alive: tuple[str, ...] = ()
    report: Any = None


class SmokeResult(_Read):
    """One result of `trn-smoke`."""

    kind: Literal["trn-smoke-result"]
    scope: Literal["node", "fabric"]
    host: Name
    started: Name
    plan: RunPlan
    parts: dict[str, Part]
    status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadResults:
    """What was found.

    Attributes:
        results: The results, of each host and scope the newest.
        reports: Reports of nccom-test that no `trn-smoke` wrapped: file -> content.
        problems: File -> why nothing, or not all of it, could be read.
    """

    results: tuple[SmokeResult, ...]
    reports: dict[str, Any]
    problems: dict[str, str]


def read_results(paths: Sequence[str]) -> ReadResults:
    """Read results from files and folders.

    Args:
        paths: As the user named them.

    Raises:
        UsageError: A name is empty.
        UnreadableInputError: One is not there, cannot be read, or is a folder without results.
    """
    refuse_empty(paths, "result")
    found: list[SmokeResult] = []
    reports: dict[str, Any] = {}
    problems: dict[str, str] = {}
    for file in [file for path in paths for file in _files(path)]:
        text = _text(file)
        content = _json(text)
        if _is_report(content):
            reports[file] = content
            continue
        if isinstance(content, dict) and content.get("kind") == "trn-smoke-plan":
            continue
        candidates = [content] if content is not None else list(_marked(text))
        if not candidates:
            problems[file] = "there is no result of trn-smoke in it"
        for candidate in candidates:
            try:
                found.append(SmokeResult.model_validate(candidate))
            except ValidationError as error:
                problems[file] = _what_is_wrong(error)
    return ReadResults(results=tuple(_newest(found)), reports=reports, problems=problems)


def _files(path: str) -> Iterable[str]:
    standing = place_at(path, path)
    if standing == "nothing":
        raise unreadable(path, "it does not exist", "name a result, or a folder of results")
    if standing != "folder":
        return [path]
    inside = sorted(
        str(file)
        for file in Path(path).rglob("*")
        if file.suffix in _ENDINGS and file.is_file() and not file.name.startswith(".")
    )
    if not inside:
        raise unreadable(path, "the folder holds no result", "name the folder of one run")
    return inside


def _text(file: str) -> str:
    folder, missing = "name the results in it", "name a result, or a folder of results"
    content = read_bytes(file, file, most=_MAX_BYTES, folder=folder, missing=missing)
    if len(content) > _MAX_BYTES:
        raise unreadable(file, f"it has more than {_MAX_BYTES} bytes", "name the result itself")
    return content.decode("utf-8-sig", "replace")


def _what_is_wrong(error: ValidationError) -> str:
    """The first key that is wrong, in words."""
    first = error.errors()[0]
    where = ".".join(map(str, first["loc"])) or "it"
    limits = first.get("ctx", {})
    for key, words in (("ge", "less than"), ("le", "more than")):
        if key in limits:
            shown = clipped(str(first["input"]), _VALUE_SHOWN)
            return f"{where} is {shown}, {words} {limits[key]:g}, which trn-smoke does not write"
    return f"{where} is not what trn-smoke writes, or was cut off"


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _is_report(content: Any) -> bool:
    """Whether it is nccom-test's own report."""
    if not isinstance(content, dict) or "kind" in content:
        return False
    return isinstance(cast("dict[str, Any]", content).get("results"), list)


def _marked(text: str) -> Iterator[Any]:
    """Results in the lines of a log; a line that was cut off is None."""
    for line in text.splitlines():
        if RESULT_MARK in line:
            yield _json(line.partition(RESULT_MARK)[2])


def _newest(found: Iterable[SmokeResult]) -> Iterator[SmokeResult]:
    """Of each host and scope the result that started last; files and logs may hold the same one."""
    last: dict[tuple[str, str, str, str], SmokeResult] = {}
    for result in found:
        plan = result.plan
        host = result.host if result.scope == "node" else ""
        key = (plan.cluster, plan.node_group, result.scope, host)
        if key not in last or result.started >= last[key].started:
            last[key] = result
    yield from sorted(last.values(), key=lambda result: (result.scope == "fabric", result.host))
