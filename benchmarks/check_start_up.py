"""How long `trnkit check` takes to start, beside the imports it cannot do without.

    python benchmarks/check_start_up.py [RUNS]

The programs take turns, and the smallest time of each counts: what a machine adds by being busy is
never negative. To hold: `trnkit check` of an example at most 1.6 times the imports, at most 80 MB.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = "examples/trn2-pretrain.yaml"
HELD_RATIO = 1.6
HELD_MEGABYTES = 80

PROGRAMS = {
    "python -c pass": ["-c", "pass"],
    "import pydantic, yaml, typer": ["-c", "import pydantic, yaml, typer"],
    "trnkit check": ["-m", "trnkit.cli.main", "check", EXAMPLE],
    "trnkit check --help": ["-m", "trnkit.cli.main", "check", "--help"],
    "trnkit catalog list": ["-m", "trnkit.cli.main", "catalog", "list"],
}


def measure(arguments: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """Run once: seconds, and megabytes at the highest."""
    begin = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{arguments} ended with exit code {process.returncode}")
    unit = 1024 * 1024 if sys.platform == "darwin" else 1024
    return seconds, usage.ru_maxrss / unit


def main() -> None:
    """Measure and print a table; exit code 1 when a number is not held."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    best = dict.fromkeys(PROGRAMS, (float("inf"), 0.0))
    with tempfile.TemporaryDirectory() as cache:
        # All programs run from compiled files, as installed ones do, wherever this is run.
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": cache}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for _ in range(runs + 1):
            for name, arguments in PROGRAMS.items():
                best[name] = min(best[name], measure(arguments, environment))
    reference = best["import pydantic, yaml, typer"][0]
    for name, (seconds, megabytes) in best.items():
        ratio = seconds / reference
        print(f"{name:32} {seconds * 1000:6.0f} ms  {ratio:5.2f} x  {megabytes:5.0f} MB")
    seconds, megabytes = best["trnkit check"]
    held = seconds <= HELD_RATIO * reference and megabytes <= HELD_MEGABYTES
    print(f"held: {'yes' if held else 'no'} (<= {HELD_RATIO} x, <= {HELD_MEGABYTES} MB)")
    sys.exit(not held)


if __name__ == "__main__":
    main()
