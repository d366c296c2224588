"""Options of several commands, so that all say them in the same words, and the many of `lint`."""

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
REGION = typer.Option(
    "--region", metavar="REGION", help="Region of templates that do not say theirs."
)
GENERIC = typer.Option(
    "--generic", help="Add what cfn-lint, and cloudformation-validate if it is there, find."
)
SKIP_OTHERS = typer.Option(
    "--skip-others", help="Skip named files that are no templates, for hooks."
)
