"""The report of `check` and `lint`: in which form, to where, and from which severity on it fails.

Without Typer, because `trnkit check` does without it.
"""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from trnkit.cli.output import (
    OutputError,
    complain,
    emit,
    exit_code,
    explain,
    is_unreadable,
    sources_of,
    uses_color,
)
from trnkit.errors import UsageError
from trnkit.report.text import render_text, summarize
from trnkit.report.words import on_one_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trnkit.errors import AwsError
    from trnkit.findings import FailOn, Finding
    from trnkit.report.junit import JunitCase
    from trnkit.rules.rule import Rule

ReportFormat = Literal["text", "json", "sarif", "junit"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportOptions:
    """What the user wants of a report.

    Attributes:
        form: In which format; `own` is the command's own, which `Report.own` holds.
        fail_on: The least severity that makes the command fail.
        explain: Whether each rule is explained where it is first met.
        output: The file that gets the report; None for standard output.
    """

    form: ReportFormat | Literal["own"] = "text"
    fail_on: FailOn = "error"
    explain: bool = False
    output: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a report is about.

    Attributes:
        findings: What was found.
        files: What was judged, as the user named it.
        inputs: Every file that was read, which the report must not replace.
        extra: Further keys of the JSON object.
        last_lines: Text only: what follows the summary line.
        summary: Text only: what to say for the summary line, "" for none.
        text_findings: Text only: what to say for `findings`; a person needs some things but once.
        standard_input: Text only: what was read from there, to show lines of.
        own_rules: Documentation of what is no rule of ours and is reported as one, by id.
        other_rules: Documentation of the rules of the other tools that were asked, by tool and id.
        cases: JUnit only: what was asked, where that is more than findings.
        own: The report in a format that only its command has.
    """

    findings: Sequence[Finding]
    files: Sequence[str]
    inputs: Sequence[str] = ()
    extra: Mapping[str, Any] | None = None
    last_lines: Sequence[str] = ()
    summary: str | None = None
    text_findings: Sequence[Finding] | None = None
    standard_input: bytes | None = None
    own_rules: Mapping[str, Rule] = field(default_factory=dict[str, "Rule"])
    other_rules: Mapping[str, Mapping[str, Rule]] = field(
        default_factory=dict[str, "Mapping[str, Rule]"]
    )
    cases: Sequence[JunitCase] = ()
    own: str = ""


def chosen_severity(fail_on: FailOn | None, *, strict: bool) -> FailOn:
    """What `--fail-on` and `--strict` say together.

    Raises:
        UsageError: They disagree.
    """
    if strict and fail_on not in (None, "warning"):
        raise UsageError(f"--strict means --fail-on warning, not {fail_on}: keep one of the two")
    return "warning" if strict else fail_on or "error"


def summarize_unseen(findings: Sequence[Finding], file: str) -> str:
    """The summary line of a command that does not show all that a file's own rules find.

    Args:
        findings: What `trnkit check` says.
        file: The cluster file.
    """
    told = summarize(findings, [file])
    return f"{told}: see `trnkit check {on_one_line(shlex.quote(file))}`" if findings else told


def write_report(report: Report, options: ReportOptions) -> int:
    """Write a report, and return the exit code.

    With an output file the report goes there in its format, and standard output gets the text, so
    that the log of a pipeline says it too, also when the file cannot be written in the end.

    Raises:
        UsageError: The output file is one of the inputs, or its name is empty.
        UnreadableInputError: Its name can be no place for a file.
        OutputError: The report cannot be written.
    """
    target = refuse_output(options.output, report.inputs)
    if target is None:
        emit(_rendered(report, options, color=uses_color(sys.stdout)))
    else:
        as_text = ReportOptions(fail_on=options.fail_on, explain=options.explain)
        try:
            _write_file(_rendered(report, options), options.output or "", target)
        finally:
            emit(_rendered(report, as_text, color=uses_color(sys.stdout)))
    return exit_code(report.findings, fail_on=options.fail_on)


def report_failure(error: AwsError, file: str | None, options: ReportOptions) -> int:
    """Say that AWS could not be asked: a line for who waits, and the report of it.

    A SARIF log is not written: one without results tells a code host that the findings of the run
    before are mended.

    Args:
        error: Why.
        file: What the report would have been about.
        options: How it was wanted.

    Returns:
        The exit code.

    Raises:
        AwsError: The error again, where it is to be raised for whoever looks for it.
        UsageError: The output file is the input, or its name is empty.
        OutputError: The report cannot be written.
    """
    if os.environ.get("TRNKIT_DEBUG") == "1":
        raise error
    code, line = explain(error)
    failure = line.removeprefix("error: ")
    text = None
    if options.form == "json":
        from trnkit.report.json_report import render_json

        kind = getattr(error, "kind", None)
        text = render_json([], {"failure": failure, **({} if kind is None else {"kind": kind})})
    elif options.form == "junit":
        from trnkit.report.junit import JunitCase, render_junit_cases

        case = JunitCase(name="ask AWS", kind="error", message=failure, details=failure)
        text = render_junit_cases([case], file=file or "trnkit")
    target = refuse_output(options.output, [file] if file else [])
    if text is not None and target is not None:
        _write_file(text, options.output or "", target)
    elif text is not None:
        emit(text)
    if options.form != "json" or options.output is not None:
        complain(line)
    return code


def _rendered(report: Report, options: ReportOptions, *, color: bool = False) -> str:
    findings = report.findings
    if options.form == "own":
        return report.own
    if options.form == "json":
        from trnkit.report.json_report import render_json

        return render_json(findings, {**(report.extra or {}), **_explained_json(report, options)})
    if options.form == "sarif":
        return _sarif(report)
    if options.form == "junit":
        from trnkit.report.junit import render_junit, render_junit_cases

        if report.cases:
            return render_junit_cases(report.cases, file=report.files[0])
        return render_junit(findings, files=report.files, fail_on=options.fail_on)
    return _as_text(report, options, color=color)


def _as_text(report: Report, options: ReportOptions, *, color: bool) -> str:
    findings = report.findings if report.text_findings is None else report.text_findings
    sources = sources_of(findings, report.standard_input)
    explained = _rules_of(report) if options.explain else None
    body = render_text(findings, sources=sources, color=color, explained=explained)
    summary = summarize(findings, report.files) if report.summary is None else report.summary
    shown = [summary] if summary else []
    return "\n".join([*([body, ""] if body else []), *shown, *report.last_lines])


def _rules_of(report: Report) -> dict[str, Rule]:
    """Documentation of the rules that have findings, by id."""
    from trnkit.operations.explaining import documented_rules

    met = {finding.rule_id for finding in report.findings}
    others = [rule for rules in report.other_rules.values() for rule in rules.values()]
    return {rule.id: rule for rule in (*others, *documented_rules()) if rule.id in met}


def _explained_json(report: Report, options: ReportOptions) -> dict[str, Any]:
    if not options.explain:
        return {}
    from trnkit.operations.explaining import rule_as_dict

    rules = sorted(_rules_of(report).values(), key=lambda rule: rule.id)
    return {"rules": [rule_as_dict(rule) for rule in rules]}


def _sarif(report: Report) -> str:
    from trnkit import __version__
    from trnkit.operations.explaining import documented_rules
    from trnkit.report.sarif import render_sarif

    return render_sarif(
        report.findings,
        rules={**{rule.id: rule for rule in documented_rules()}, **report.own_rules},
        version=__version__,
        directory=Path.cwd(),
        executed=not is_unreadable(report.findings),
        other_rules=report.other_rules,
    )


def refuse_output(output: str | None, inputs: Sequence[str]) -> Path | None:
    """Where the report goes, unless it cannot go there: to be asked before a long work.

    Args:
        output: The file that gets the report; None for standard output.
        inputs: Every file that is read, which the report must not replace.

    Raises:
        UsageError: The output file is one of the inputs, or its name is empty.
        UnreadableInputError: Its name can be no place for a file.
        OutputError: It is no place where a file can be written.
    """
    if output is None:
        return None
    from trnkit.operations.places import place_to_write, real_path, refuse_empty
    from trnkit.operations.whole_files import refuse_unwritable

    refuse_empty([output], "file for --output")
    target = place_to_write(output)
    if target in {real_path(path) for path in inputs if _may_be_path(path)}:
        raise UsageError(f"--output {output} would replace what was judged: name another file")
    if target.is_dir():
        raise OutputError(f"{on_one_line(output)} is a folder: name a file with --output")
    try:
        refuse_unwritable(target)
    except OSError as error:
        raise _unwritten(output, error) from None
    return target


def _write_file(text: str, output: str, target: Path) -> None:
    from trnkit.operations.whole_files import write_whole

    try:
        write_whole(target, f"{text}\n", replace=True)
    except OSError as error:
        raise _unwritten(output, error) from None


def _unwritten(output: str, error: OSError) -> OutputError:
    reason = error.strerror or str(error)
    return OutputError(f"{on_one_line(output)} cannot be written: {reason}")


def _may_be_path(path: str) -> bool:
    """A name that can be no path was a finding already, and is replaced by nothing."""
    try:
        os.path.realpath(path)
    except (OSError, ValueError):
        return False
    return True
