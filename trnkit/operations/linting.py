"""`trnkit lint`: rules over CloudFormation templates and other tools' files, whoever wrote them.

Templates of one folder that import from each other are judged together. A cloud
assembly (`cdk.out`) is judged by its manifest, which knows stack names and regions.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import unreadable
from trnkit.errors import UnreadableInputError, UsageError
from trnkit.findings import Finding, sort_findings
from trnkit.operations.document_files import DocumentFiles
from trnkit.operations.path_patterns import expand_pattern
from trnkit.operations.places import (
    SHOWN_INPUT,
    STANDARD_INPUT,
    place_at,
    real_path,
    refuse_empty,
)
from trnkit.operations.suppressions import GivenSuppression, suppress_given
from trnkit.operations.template_files import (
    NotATemplateError,
    TemplateFile,
    read_template,
    template_paths,
)
from trnkit.rules.cloud_assembly import is_assembly, read_assembly
from trnkit.rules.deployments import deployments
from trnkit.rules.engine import check_templates
from trnkit.rules.listing import rule_ids
from trnkit.rules.stack_set import StackSet, Template

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from trnkit.operations.generic.judges import GenericJudges
    from trnkit.rules.rule import Rule

# The shape only, so that a Region of tomorrow passes: us-gov-west-1, eusc-de-east-1.
_REGION = re.compile(r"[a-z]{2,5}(-[a-z]{2,12}){1,3}-[1-9][0-9]?")
_NESTED_TEMPLATES = "*.nested.template.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class LintReport:
    """What linting found.

    Attributes:
        templates: The templates judged, as the user named them.
        skipped: Files in folders that are neither templates nor documents that are understood.
        findings: In the order of a report.
        documents: Files of other tools that were judged.
        notes: What a reader must know beside them.
        other_rules: Documentation of the rules of the other judges that were asked, by tool and
            id; one that found nothing is here too.
    """

    templates: tuple[str, ...]
    skipped: tuple[str, ...]
    findings: tuple[Finding, ...]
    documents: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    other_rules: Mapping[str, Mapping[str, Rule]] = field(
        default_factory=dict[str, "Mapping[str, Rule]"]
    )


@dataclass(slots=True)
class _Collected:
    """Templates by the folder they are judged in, and what went wrong on the way."""

    region: str | None
    standard_input: bytes | None
    documents: DocumentFiles
    skip_others: bool
    groups: dict[Path, list[Template]] = field(default_factory=dict[Path, list[Template]])
    files: dict[str, TemplateFile] = field(default_factory=dict[str, TemplateFile])
    seen: set[Path] = field(default_factory=set[Path])
    met_again: int = 0
    skipped: list[str] = field(default_factory=list[str])
    findings: list[Finding] = field(default_factory=list[Finding])

    @property
    def size(self) -> int:
        """Grows with each file that is judged, cannot be read, or was met before."""
        judged = len(self.files) + len(self.documents.files)
        return judged + len(self.findings) + self.met_again


def lint_paths(
    paths: Sequence[str],
    *,
    region: str | None = None,
    standard_input: bytes | None = None,
    skip_others: bool = False,
    suppress: Sequence[GivenSuppression] = (),
    generic: bool = False,
    progress: Callable[[str], None] | None = None,
) -> LintReport:
    """Lint files, folders, cloud assemblies and standard input (`-`).

    Args:
        paths: What to lint. A file named here must be a template or another tool's document; in
            folders, and where a pattern matches, others are skipped.
        region: Region of templates whose own is not known.
        standard_input: The content for `-`.
        skip_others: Whether files that are named and are no templates are skipped too.
        suppress: The suppressions of the command line.
        generic: Whether generic judges are asked too.
        progress: Told how far they are, when they take long.

    Raises:
        UsageError: A path is empty, or the region has no region's shape.
    """
    refuse_empty(paths, "template")
    if region is not None and _REGION.fullmatch(region) is None:
        zone = f": write {region[:-1]}" if _REGION.fullmatch(region[:-1]) else ", as us-east-2 is"
        raise UsageError(f"--region {region!r} is no Region{zone}")
    collected = _Collected(region, standard_input, DocumentFiles(region), skip_others)
    for path in paths:
        try:
            _collect(collected, path)
        except UnreadableInputError as error:
            collected.findings.append(error.finding)
    judges = _generic_judges(progress) if generic else None
    findings = [
        *collected.findings,
        *_judge(collected, judges, suppress),
        *collected.documents.findings(),
    ]
    return LintReport(
        templates=tuple(collected.files),
        skipped=tuple(collected.skipped),
        findings=sort_findings(_suppressed(findings, suppress, judges)),
        documents=tuple(collected.documents.files),
        notes=(*collected.documents.notes(), *(judges.notes if judges else ())),
        other_rules=judges.rules if judges else {},
    )


def _suppressed(
    findings: list[Finding], suppress: Sequence[GivenSuppression], judges: GenericJudges | None
) -> list[Finding]:
    if not suppress:
        return findings
    judged = (*rule_ids("template"), *rule_ids("document"))
    others = judges.rule_ids if judges else None
    return suppress_given(findings, suppress, judged=judged, others=others)


def _generic_judges(progress: Callable[[str], None] | None) -> GenericJudges:
    # Imported here because their imports take a second, which only who asks for them needs to pay.
    from trnkit.operations.generic.judges import GenericJudges

    return GenericJudges(progress or _nobody)


def _nobody(line: str) -> None:
    """Who is told of progress when nobody asked."""


def _judge(
    collected: _Collected, judges: GenericJudges | None, suppress: Sequence[GivenSuppression]
) -> list[Finding]:
    """What our rules find, and the judges beside them, after suppressions in the templates."""
    findings: list[Finding] = []
    for templates in _deployments(collected):
        beside: list[Finding] = []
        if judges is not None:
            for template in templates:
                beside += judges.judge(collected.files[template.path], template.region)
        found = check_templates(
            StackSet(templates), beside=beside, others=judges.rule_ids if judges else None
        )
        if judges is not None:
            off = {entry.rule_id for entry in suppress}
            found = judges.without_repetitions(found, switched_off=off)
        findings += [_placed(collected, finding) for finding in found]
    return findings


def _deployments(collected: _Collected) -> Iterator[list[Template]]:
    """What is judged together: an assembly's stacks, else what hangs together in a folder."""
    for folder, templates in collected.groups.items():
        yield from [templates] if is_assembly(folder) else deployments(templates)


def _collect(collected: _Collected, path: str) -> None:
    if path == STANDARD_INPUT:
        _add(collected, path, named=True)
        return
    matches = expand_pattern(path)
    if matches is not None:
        _collect_matches(collected, path, matches)
    elif place_at(path, path) != "folder":
        _add(collected, path, named=True)
    else:
        before = collected.size
        _collect_folder(collected, Path(path))
        if collected.size == before:
            raise unreadable(
                path, "the folder holds no CloudFormation template", "name another folder or a file"
            )


def _collect_matches(collected: _Collected, pattern: str, matches: Sequence[str]) -> None:
    """What a pattern matches: files that are no templates are skipped, as they are in folders."""
    before = collected.size
    for path in matches:
        if place_at(path, path) == "folder":
            _collect_folder(collected, Path(path))
        else:
            _try_to_add(collected, path)
    if collected.size == before:
        raise unreadable(
            pattern, "the pattern matches no CloudFormation template", "check the pattern"
        )


def _collect_folder(collected: _Collected, folder: Path) -> None:
    inside: set[Path] = set()
    if is_assembly(folder):
        _collect_assembly(collected, folder)
        return
    for file in template_paths(folder):
        if any(parent in inside for parent in file.parents):
            continue
        if is_assembly(file.parent):
            inside.add(file.parent)
            _collect_assembly(collected, file.parent)
        else:
            _try_to_add(collected, str(file))


def _collect_assembly(collected: _Collected, folder: Path) -> None:
    """Stacks of the manifest, with their regions, and the templates of their nested stacks."""
    try:
        stacks = read_assembly(folder)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise unreadable(
            str(folder / "manifest.json"), f"not a manifest: {reason}", "synthesize again"
        ) from None
    regions: dict[Path, str | None] = {}
    for stack in stacks:
        regions.setdefault(stack.template.parent, stack.region)
        _try_to_add(collected, str(stack.template), name=stack.name, region=stack.region)
    for parent, region in regions.items():
        for file in sorted(parent.glob(_NESTED_TEMPLATES)):
            _try_to_add(collected, str(file), region=region)


def _try_to_add(
    collected: _Collected, path: str, *, name: str | None = None, region: str | None = None
) -> None:
    try:
        _add(collected, path, name=name, region=region)
    except UnreadableInputError as error:
        collected.findings.append(error.finding)


def _add(
    collected: _Collected,
    path: str,
    *,
    named: bool = False,
    name: str | None = None,
    region: str | None = None,
) -> None:
    location = real_path(path)
    if location in collected.seen:
        collected.met_again += 1
        return
    collected.seen.add(location)
    content = (collected.standard_input or b"") if path == STANDARD_INPUT else None
    try:
        file = read_template(path, standard_input=content)
    except NotATemplateError as error:
        shown = SHOWN_INPUT if content is not None else path
        named = named and not collected.skip_others
        outcome = collected.documents.add(error.text, shown, location.parent, named=named)
        if outcome == "judged" or (named and outcome == "not understood"):
            return
        if not named:
            collected.skipped.append(path)
            return
        message = f"not a CloudFormation template: {error}"
        raise unreadable(shown, message, "name a template, a folder or a cdk.out") from None
    stem = Path(path).name.removesuffix(".json").removesuffix(".template")
    template = Template(
        name=name or Path(stem).stem,
        path=file.path,
        body=file.body,
        region=region or collected.region,
    )
    collected.files[file.path] = file
    collected.groups.setdefault(location.parent, []).append(template)


def _placed(collected: _Collected, finding: Finding) -> Finding:
    """The finding with the line and column of its path in the file."""
    file = collected.files.get(finding.file or "") if finding.line is None else None
    mark = file.locate(finding.path) if file and finding.path else None
    if mark is None:
        return finding
    return finding.at(file=finding.file, line=mark.line, column=mark.column)
