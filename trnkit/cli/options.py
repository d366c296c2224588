"""The options that `check` and `lint` share, so that both say them in the same words."""

from __future__ import annotations

import typer

FORMAT = typer.Option("--format", help="How to write the findings.")
FAIL_ON = typer.Option(
    "--fail-on", help="The least severity that fails, with exit code 1 (default: error)."
)
STRICT = typer.Option("--strict", help="Let warnings fail too, with exit code 1.")
SUPPRESS = typer.Option(
    "--suppress",
    metavar="ID=REASON",
    help='Switch a rule off, with a reason that is reported: TRN251="why". Repeatable.',
)
EXPLAIN = typer.Option("--explain", help="Say why each rule is there, and show a good example.")
OUTPUT = typer.Option(
    "--output",
    metavar="FILE",
    help="Write the report there, and the text to standard output all the same.",
)
