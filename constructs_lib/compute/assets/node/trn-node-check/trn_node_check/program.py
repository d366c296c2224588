"""The command line: which checks, how long, and where the report goes."""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import report as reports
from .expected import MOST_BYTES, PLACE, ExpectedFileError, read_expected
from .files import NotOrdinaryError, write_whole
from .machine import Machine, NotReadableError
from .metadata import instance_id
from .outcome import Outcome, unknown
from .table import CHECKS, Check
from .watchdog import watched

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .expected import Expected
    from .watchdog import Send

QUICK_SECONDS, QUICK_TOOL_SECONDS = 1.6, 1.0
"""All of --quick together, and each tool of it; a job's start waits for it."""
MOST_SECONDS, MOST_QUICK_SECONDS = 115.0, 8.0
"""After which the report is written with what is known by then, whatever hangs."""
MOST_TOOLS_SECONDS = 105.0
"""All tools of a full run together, so that none is left behind."""
WORKERS = 8
PRESENT = """exit codes:
  0  as expected, or warnings only
  1  something failed
  2  the options or the expected file cannot be used; nothing was checked
  3  nothing failed, but something could not be checked (run it as root)

TRNKIT_ROOT stands for / in tests, TRNKIT_IMDS for the address of the metadata service.
"""


class _UsageError(Exception):
    """Options, the expected file or the output file cannot be used."""


def main(arguments: Sequence[str]) -> int:
    """Run the program.

    Args:
        arguments: The command line without the program's name.

    Returns:
        The exit code.
    """
    try:
        return _main(arguments)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Who read has gone; Python would complain once more when it closes standard output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141


def _main(arguments: Sequence[str]) -> int:
    options = _parser().parse_args(arguments)
    if options.list:
        _print_list()
        return 0
    try:
        selected = _select(options.only, options.skip, quick=options.quick)
        report = _check(selected, options)
        as_json = options.format == "json"
        if options.output is None:
            sys.stdout.write(reports.as_json(report) if as_json else _for_terminal(report))
        else:
            text = reports.as_text(report, width=100, colour=False)
            _write(options.output, reports.as_json(report) if as_json else text)
            print(reports.summary(report))
        sys.stdout.flush()
        return reports.EXIT_CODES[report.verdict]
    except (_UsageError, ExpectedFileError) as error:
        return _refuse(options, str(error))


def _refuse(options: argparse.Namespace, message: str) -> int:
    print(f"trn-node-check: {reports.clean(message)}", file=sys.stderr)
    if options.format == "json":
        text = reports.error_as_json(message)
        if options.output is None:
            sys.stdout.write(text)
        else:
            # Else who reads the file takes the last good report for this one.
            try:
                _write(options.output, text)
            except _UsageError as error:
                if str(error) != message:
                    print(f"trn-node-check: {reports.clean(str(error))}", file=sys.stderr)
    return reports.EXIT_USAGE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="trn-node-check",
        description="Compares this machine with what its cluster file says it is.",
        epilog=PRESENT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--expected", metavar="FILE", help=f"what the node must be [{PLACE}]")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument("--only", metavar="A,B", help="these checks alone")
    parser.add_argument("--skip", metavar="A,B", help="all but these checks")
    parser.add_argument(
        "--output", metavar="FILE", help="write the report there, whole or not at all"
    )
    parser.add_argument(
        "--timeout", metavar="SECONDS", type=_seconds, default=10.0, help="for each tool [10]"
    )
    parser.add_argument(
        "--quick", action="store_true", help=f"what a job can wait for: {QUICK_SECONDS} s at most"
    )
    parser.add_argument("--list", action="store_true", help="the checks and what they are about")
    return parser


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 < value <= 3600:
        raise ValueError
    return value


def _print_list() -> None:
    width = max(len(check.name) for check in CHECKS)
    for check in CHECKS:
        print(f"{check.name:<{width}}  {'quick' if check.quick else '     '}  {check.about}")


def _select(only: str | None, skip: str | None, *, quick: bool) -> list[Check]:
    wanted, unwanted = _names("--only", only), _names("--skip", skip)
    return [
        check
        for check in CHECKS
        if (check.name in wanted if only is not None else check.quick or not quick)
        and check.name not in unwanted
    ]


def _names(option: str, text: str | None) -> list[str]:
    names = [name.strip() for name in (text or "").split(",") if name.strip()]
    known = [check.name for check in CHECKS]
    for name in names:
        if name not in known:
            from difflib import get_close_matches

            near = get_close_matches(name, known, n=3)
            hint = f"nearest: {', '.join(near)}" if near else "--list shows them"
            raise _UsageError(f"{option} names {name!r}, which is no check ({hint})")
    return names


def _prepare(options: argparse.Namespace) -> tuple[Expected, Machine]:
    environment = dict(os.environ)
    root = environment.get("TRNKIT_ROOT", "")
    machine = Machine(
        environment,
        root=root,
        seconds=min(options.timeout, QUICK_TOOL_SECONDS) if options.quick else options.timeout,
        quick=options.quick,
        until=time.monotonic() + (QUICK_SECONDS if options.quick else MOST_TOOLS_SECONDS),
    )
    place = options.expected or str(machine.path(PLACE))
    try:
        text = Machine({}).text(str(Path(place).absolute()), most=MOST_BYTES)
    except NotReadableError as error:
        raise _UsageError(str(error)) from error
    return read_expected(place, text), machine


def _check(checks: list[Check], options: argparse.Namespace) -> reports.Report:
    begin = time.monotonic()
    most = MOST_QUICK_SECONDS if options.quick else MOST_SECONDS
    told: dict[str, Any] = {}
    try:
        for key, value in watched(lambda send: _work(checks, options, send), begin + most):
            told[key] = value
    except OSError as error:
        raise _UsageError(f"no process could be started: {error.strerror}") from error
    if "refused" in told:
        raise _UsageError(told["refused"])
    took = time.monotonic() - begin
    over = took >= most
    if "expected" not in told:
        why = f"was not read within {most:.0f} s" if over else "was not read: the check was ended"
        raise _UsageError(f"{options.expected or PLACE} {why}")
    why = f"no answer within {most:.0f} s" if over else "the check itself was ended"
    missing = unknown(why, "an answer", "look for file systems that hang: `sudo dmesg`, `mount`")
    return reports.Report(
        expected=told["expected"],
        instance_id=told.get("instance_id"),
        time=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        quick=options.quick,
        seconds=took,
        lines=tuple(
            line
            for check in checks
            for line in told.get(f"check {check.name}", [reports.Line(check.name, missing, took)])
        ),
    )


def _work(checks: list[Check], options: argparse.Namespace, send: Send) -> None:
    """All that opens files or runs tools: in a process of its own, which may never end."""
    try:
        expected, machine = _prepare(options)
    except (_UsageError, ExpectedFileError) as error:
        send(("refused", str(error)))
        return
    except Exception as error:  # a fault of ours, which nobody would see from here
        send(("refused", f"the check itself failed: {type(error).__name__}: {error}"))
        return
    send(("expected", expected))
    _run_together(checks, machine, expected, send)
    try:
        send(("instance_id", instance_id(machine)))
    except NotReadableError:
        return  # the report goes without it


def _run_together(checks: list[Check], machine: Machine, expected: Expected, send: Send) -> None:
    """Run checks side by side, so that together they take as long as the slowest."""
    waiting = list(reversed(checks))

    def work() -> None:
        while True:
            try:
                check = waiting.pop()
            except IndexError:
                return
            send((f"check {check.name}", _run(check, machine, expected)))

    workers = [threading.Thread(target=work) for _ in range(min(WORKERS, len(checks)))]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def _run(check: Check, machine: Machine, expected: Expected) -> list[reports.Line]:
    begin = time.monotonic()
    try:
        outcomes = check.run(machine, expected)
    except NotReadableError as error:
        by_hand = "read the file by hand, and `sudo dmesg`"
        remedy = by_hand if machine.is_root else "run this check as root: sudo trn-node-check"
        outcomes: list[Outcome] = [unknown(str(error), "", remedy)]
    except Exception as error:  # a fault of ours says nothing about the node
        found = f"the check itself failed: {type(error).__name__}: {error}"
        outcomes = [unknown(found, "", "report this as a defect of trn-node-check")]
    took = time.monotonic() - begin
    return [reports.Line(check.name, outcome, took) for outcome in outcomes]


def _for_terminal(report: reports.Report) -> str:
    terminal = sys.stdout.isatty()
    named = os.environ.get("TERM", "") not in ("", "dumb")
    colour = terminal and named and not os.environ.get("NO_COLOR")
    width = os.get_terminal_size(sys.stdout.fileno()).columns if terminal else 100
    return reports.as_text(report, width=max(60, min(width, 160)), colour=colour)


def _write(place: str, text: str) -> None:
    try:
        write_whole(place, text)
    except NotOrdinaryError as error:
        said = "only an ordinary file is replaced, no device, pipe, link or folder"
        raise _UsageError(f"{place} cannot be written: {said}") from error
    except OSError as error:
        raise _UsageError(f"{place} cannot be written: {error.strerror}") from error
