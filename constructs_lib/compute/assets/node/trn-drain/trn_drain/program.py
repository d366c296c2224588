"""The command line, and the order of what is done."""

from __future__ import annotations

import argparse
import calendar
import json
import os
import re
import sys
import time
from typing import TYPE_CHECKING

from .drain import CANCEL_FOLDER, FOLDER, Drain, called_off
from .journal import LOG, last_line
from .settings import PLACE as SETTINGS
from .state import PLACE, StateError, read_state

if TYPE_CHECKING:
    from collections.abc import Sequence

DONE, FAILED, USAGE = 0, 1, 2
_MOST_REASON = 200
PRESENT = f"""{PLACE} says until when; the log is {LOG}.
Executables in {FOLDER} run in order, with DEADLINE, REASON and SECONDS_LEFT in the environment;
those in {CANCEL_FOLDER} when the drain is called off. {SETTINGS} names what gets a signal.

exit codes:
  0  done, or done before for the same deadline
  1  something failed; everything else was done
  2  the options cannot be used, or not by this user; nothing was done

TRNKIT_ROOT stands for / in tests.
"""


class _UsageError(Exception):
    """The options cannot be used."""


def main(arguments: Sequence[str]) -> int:
    """Run the program.

    Args:
        arguments: The command line without the program's name.

    Returns:
        The exit code.
    """
    options = _parser().parse_args(arguments)
    root = os.environ.get("TRNKIT_ROOT", "")
    try:
        if options.dry_run and not options.deadline:
            raise _UsageError("--dry-run goes with --deadline alone")
        if options.status:
            print(json.dumps(read_state(root) or {"schema": 1, "state": "none"}, indent=1))
            return DONE
        if os.geteuid() != 0 and not root and not options.dry_run:
            raise _UsageError("only root may drain a node")
        if options.cancel:
            return DONE if called_off(root, _reason(options.reason or "called off")) else FAILED
        drain = Drain(root, _deadline(options.deadline), _reason(options.reason))
        return DONE if (drain.plan() if options.dry_run else drain.run()) else FAILED
    except (_UsageError, StateError) as error:
        print(f"trn-drain: {error}", file=sys.stderr)
        return USAGE if isinstance(error, _UsageError) else FAILED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="trn-drain",
        description="Tells what runs on this node to write a checkpoint and stop. It ends no "
        "process by itself.",
        epilog=PRESENT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    doing = parser.add_mutually_exclusive_group(required=True)
    doing.add_argument("--deadline", metavar="UTC", help="when the node goes: 2027-03-08T10:50:00Z")
    doing.add_argument("--status", action="store_true", help="print whether the node is drained")
    doing.add_argument("--cancel", action="store_true", help="call the drain off")
    parser.add_argument("--reason", metavar="TEXT", help="why, in a line; needed with --deadline")
    parser.add_argument(
        "--dry-run", action="store_true", help="with --deadline: print what would be done"
    )
    return parser


def _deadline(text: str) -> int:
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z", text):
        raise _UsageError(f"--deadline must be in UTC, as 2027-03-08T10:50:00Z, got {text!r}")
    try:
        moment = calendar.timegm(time.strptime(text, "%Y-%m-%dT%H:%M:%SZ"))
    except ValueError:
        raise _UsageError(f"--deadline is no moment: {text}") from None
    # A command that was sent to a node of the past must not stop the work of the present.
    if moment <= time.time():
        raise _UsageError(f"--deadline has passed: {text}")
    return moment


def _reason(text: str | None) -> str:
    reason = last_line(text or "")[:_MOST_REASON]
    if not reason:
        raise _UsageError("--reason must say why")
    return reason
