"""What the template rules find of mistakes made by script in the templates of the examples.

    python -m benchmarks.golden_mutations

Each kind of mistake is made in every example where it can be made. A rule claims it; the table says
in how many of them the rule finds it, and which further rules do.
"""

from __future__ import annotations

import sys
import time

from tests.mutations.kinds import BY_SUBJECT
from tests.mutations.sweep import findings_of, sweep
from tests.synthesis import EXAMPLES
from trnkit.findings import Severity


def main() -> int:
    """Print the table; 1 when a claim does not hold."""
    begin = time.perf_counter()
    wrong = [f for e in EXAMPLES for f in findings_of(e.stem) if f.severity is Severity.ERROR]
    made = missed = kinds = 0
    for subject, listed in BY_SUBJECT.items():
        print(f"\n{subject}\n{'-' * len(subject)}")
        for kind in listed:
            result = sweep(kind)
            total = len(result.caught) + len(result.missed)
            kinds, made, missed = kinds + 1, made + total, missed + len(result.missed)
            others = f"  also {', '.join(result.others)}" if result.others else ""
            print(f"{kind.id:48} {kind.rule}  {len(result.caught):2} of {total:2}{others}")
    seconds = time.perf_counter() - begin
    print(
        f"\n{kinds} kinds, {made} wrong templates, {made - missed} found by the rule that claims "
        f"them, {missed} missed; {len(wrong)} errors in the right templates; {seconds:.0f} s"
    )
    return int(bool(missed or wrong))


if __name__ == "__main__":
    sys.exit(main())
