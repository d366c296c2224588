"""What all commands do at the end: write one report to standard output, choose the exit code.

Without Typer, because `trnkit check` does without it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from trnkit.errors import AwsError, TrnkitError, UnreadableInputError, UsageError
from trnkit.findings import fails
from trnkit.report.text import render_text, summarize
from trnkit.report.words import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from trnkit.findings import FailOn, Finding

DataFormat = Literal["text", "json"]

_UNREADABLE_RULE = "TRN001"
_MAX_SOURCE_BYTES = 10_000_000


class OutputError(TrnkitError):
    """Standard output is closed, or what it goes to is full."""


def exit_code(findings: Iterable[Finding], *, fail_on: FailOn = "error") -> int:
    """2 when an input could not be read, 1 when something is as bad as `fail_on`, else 0."""
    findings = tuple(findings)
    return 2 if is_unreadable(findings) else int(fails(findings, fail_on=fail_on))


def show_findings(
    findings: Sequence[Finding],
    data_format: DataFormat,
    *,
    files: Sequence[str],
    extra: Mapping[str, Any] | None = None,
) -> None:
    """Write a report of findings in the format asked for.

    Args:
        findings: What was found.
        data_format: `text` or `json`.
        files: What was judged, for the summary line.
        extra: Further keys of the JSON object.
    """
    if data_format == "json":
        show_json(findings, extra)
    else:
        body = render_text(findings, sources=sources_of(findings), color=uses_color(sys.stdout))
        emit("\n".join([*([body, ""] if body else []), summarize(findings, files)]))


def show_json(findings: Iterable[Finding] = (), extra: Mapping[str, Any] | None = None) -> None:
    """Write one JSON object with the findings and further keys."""
    from trnkit.report.json_report import render_json

    emit(render_json(findings, extra))


def emit(text: str) -> None:
    """Write to standard output; a reader that has gone away (`| head`) is no error.

    Raises:
        OutputError: It cannot be written.
    """
    # Python leaves None where the shell closed a stream, whatever the type stubs say.
    stream: Any = sys.stdout
    if stream is None:
        raise OutputError("standard output is closed, so there is nowhere to write the result")
    try:
        stream.write(f"{text}\n")
        stream.flush()
    except BrokenPipeError:
        _silence(stream)
    except OSError as error:
        _silence(stream)
        reason = error.strerror or str(error)
        raise OutputError(f"standard output cannot be written: {reason}") from None


def complain(message: str) -> None:
    """Write one line to standard error, where there is one."""
    stream: Any = sys.stderr
    if stream is not None:
        with contextlib.suppress(OSError):
            print(printable(message), file=stream, flush=True)


def explain(error: Exception) -> tuple[int, str]:
    """The exit code of an exception that ended a command, and one line about it."""
    if isinstance(error, UnreadableInputError):
        found = error.finding
        return 2, f"error: {found.location()}: {found.message}; {found.hint}"
    if isinstance(error, AwsError):
        return 3, f"error: {error}"
    if isinstance(error, TrnkitError):
        return 2 if isinstance(error, UsageError | OutputError) else 1, f"error: {error}"
    if isinstance(error, MemoryError) or _lacks_memory(error):
        return 1, (
            "error: the system gives trnkit no more memory or threads; allow it more (`ulimit -v`, "
            "`ulimit -u`, the memory of the container)"
        )
    if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
        return 2, "error: too many open files; allow more of them: `ulimit -n 256`"
    if isinstance(error, OSError):
        place = error.filename or ("the current folder" if _is_gone() else None)
        return 2, f"error: {f'{place}: ' if place else ''}{error.strerror or error}"
    message = " ".join(str(error).split())
    if isinstance(error, ImportError):
        lacking = f"the module {error.name} is missing"
        what = lacking if isinstance(error, ModuleNotFoundError) and error.name else message
        return 2, (
            f"error: the installation is incomplete: {what}; run `make setup` in a checkout, or "
            "install trnkit again"
        )
    return 1, (
        f"internal error: {type(error).__name__}: {message}; please report it "
        "(TRNKIT_DEBUG=1 shows where it happened)"
    )


def _lacks_memory(error: Exception) -> bool:
    """Whether CPython says in other words that the system gave it nothing."""
    told = str(error)
    no_thread = isinstance(error, RuntimeError) and told == "can't start new thread"
    # An extension that got no memory, and did not say so.
    return no_thread or (
        isinstance(error, SystemError) and "without" in told and "exception" in told
    )


def _is_gone() -> bool:
    """Whether the current folder was removed, which errors of the system do not name."""
    try:
        Path.cwd()
    except OSError:
        return True
    return False


def settle_streams() -> None:
    """Write what is left in the buffers now: Python's own last try would end in a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # pyright: ignore[reportUnnecessaryComparison]
            try:
                stream.flush()
            except (OSError, ValueError):
                _silence(stream)


def _silence(stream: Any) -> None:
    """Let the rest of a stream go nowhere."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def is_terminal(stream: Any) -> bool:
    """Whether a person reads a stream; one that is closed nobody reads."""
    return stream is not None and stream.isatty()


def tell_who_waits(data_format: DataFormat = "text") -> Callable[[str], None]:
    """One line a step on standard error, for a person who waits; a program waits in silence."""

    def tell(line: str) -> None:
        if data_format == "text" and is_terminal(sys.stderr):
            complain(line)

    return tell


def uses_color(stream: Any) -> bool:
    """Whether a stream is a terminal that wants colours (https://no-color.org)."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return not plain and is_terminal(stream)


def table_width() -> int | None:
    """Columns for a table; None when neither a terminal nor the environment bounds them."""
    import shutil

    said = os.environ.get("COLUMNS", "")
    is_said = said.isascii() and said.isdigit() and int(said) > 0
    return shutil.get_terminal_size().columns if is_said or is_terminal(sys.stdout) else None


def read_standard_input(most: int) -> bytes:
    """At most one byte more than allowed of standard input.

    Raises:
        UnreadableInputError: It is closed, or cannot be read.
    """
    from trnkit.config.yaml_reader import unreadable
    from trnkit.operations.places import SHOWN_INPUT

    stream: Any = sys.stdin
    if stream is None:
        raise unreadable(SHOWN_INPUT, "standard input is closed", "name a file")
    try:
        return stream.buffer.read(most + 1)
    except OSError as error:
        reason = error.strerror or str(error)
        raise unreadable(SHOWN_INPUT, f"cannot be read: {reason}", "name a file") from None


def survive_narrow_encodings() -> None:
    """Make standard streams write what their encoding lacks as escapes instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def is_unreadable(findings: Iterable[Finding]) -> bool:
    """Whether some input could not be read."""
    return any(finding.rule_id == _UNREADABLE_RULE for finding in findings)


def sources_of(
    findings: Iterable[Finding], standard_input: bytes | None = None
) -> dict[str, list[str]]:
    """Lines of the files that findings point into; what cannot be shown is left out.

    Args:
        findings: What was found.
        standard_input: What was read from there.
    """
    sources: dict[str, list[str]] = {}
    if standard_input is not None:
        from trnkit.operations.places import SHOWN_INPUT

        sources[SHOWN_INPUT] = standard_input.decode("utf-8-sig", "replace").split("\n")
    for finding in findings:
        file = finding.file
        if file is None or finding.line is None or file in sources:
            continue
        path = Path(file)
        try:
            if path.is_file() and path.stat().st_size <= _MAX_SOURCE_BYTES:
                text = path.read_text(encoding="utf-8-sig", errors="replace")
                sources[file] = text.split("\n")
        except (OSError, ValueError):
            continue
    return sources
