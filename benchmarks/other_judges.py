"""What this toolkit and other judges find of the same wrong templates: docs/side-by-side.md.

    python -m benchmarks.other_judges --checkov PATH [--date 2026-01-31]

The wrong templates are those of `tests/mutations` and `tests/rehearsal`. checkov is no dependency:
install it in an environment of its own (`pip install checkov`) and give the path of its executable.
Without it the tables are printed and no page is written, because a column would be missing. The
numbers in the README are written too. It takes eight minutes of computing, by two processes.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from benchmarks.judges.cdk import CdkJudge
from benchmarks.judges.checkov import Checkov
from benchmarks.judges.comparison import columns_of_others, our_column
from benchmarks.judges.corpus import mistakes
from benchmarks.judges.linters import CfnLint, CloudFormationValidate
from benchmarks.judges.page import PAGE, readme_with, render, summary
from tests.synthesis import ROOT


def main() -> int:
    """Ask all judges, print the summary, write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--checkov", type=Path, help="checkov's executable; without it no page")
    parser.add_argument("--date", help="of the page; that of the newest commit by default")
    given = parser.parse_args()
    if given.checkov and not given.checkov.is_file():
        parser.error(f"--checkov: there is no file {given.checkov}")
    wrong = list(mistakes())
    # The slowest one first, so that it is not alone at the end.
    judges = [CfnLint(), CloudFormationValidate(), CdkJudge("validator"), CdkJudge("nag")]
    judges += [Checkov(given.checkov)] if given.checkov else []
    columns = (our_column(wrong), *columns_of_others(judges, wrong))
    print(summary(wrong, columns))
    if not given.checkov:
        print("no page written: it needs --checkov PATH", file=sys.stderr)
        return 0
    PAGE.write_text(render(wrong, columns, given.date or _date_of_commit()), encoding="utf-8")
    readme = ROOT / "README.md"
    text = readme_with(readme.read_text(encoding="utf-8"), wrong, columns)
    readme.write_text(text, encoding="utf-8")
    return 0


def _date_of_commit() -> str:
    asked = ["git", "-C", str(ROOT), "log", "-1", "--format=%cs"]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
