"""How long a synthesis takes and how much memory, beside an app with nothing in it.

    python benchmarks/synth_speed.py [RUNS]

The programs take turns, and the smallest time of each counts. Memory is that of the largest process
of a run (Python's or Node's). To hold: the default cluster at most 2 times an empty app without the
CDK's validator; 20 clusters in one app at most 5 times one, with at most 2 times the memory; one
cluster at most 250 MB.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from trnkit.operations.synthesis import app_environment  # noqa: E402

EXAMPLE = ROOT / "examples" / "trn2-pretrain.yaml"
CLUSTERS = 20
EMPTY_APP = "from aws_cdk import App\nApp().synth()\n"
EMPTY, ONE, FEW, MANY, VALIDATED = (
    "an empty app",
    "the default cluster",
    "5 clusters",
    f"{CLUSTERS} clusters",
    "the default cluster, with the CDK's validator",
)


def measure(
    program: Path, files: list[Path], folder: Path, *, validate: bool
) -> tuple[float, float]:
    """Run once: seconds, and megabytes of the largest process."""
    out = folder / "out"
    environment = app_environment(
        os.environ, ROOT, [str(file) for file in files], out, validate=validate
    )
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # compiled files, as everybody has them
    begin = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, str(program)],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    words = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stderr.close()
    if process.returncode != 0:
        raise SystemExit(words.decode())
    shutil.rmtree(out)
    return seconds, usage.ru_maxrss / (1024 * 1024 if sys.platform == "darwin" else 1024)


def write_clusters(folder: Path) -> list[Path]:
    """The default cluster under many names."""
    text = EXAMPLE.read_text(encoding="utf-8")
    files: list[Path] = []
    for number in range(CLUSTERS):
        files.append(folder / f"{number}.yaml")
        files[-1].write_text(text.replace("name: pretrain", f"name: pretrain-{number}"))
    return files


def main() -> None:
    """Measure and print a table; exit code 1 when a number is not held."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        empty = folder / "empty.py"
        empty.write_text(EMPTY_APP)
        app, many = ROOT / "app.py", write_clusters(folder)
        programs = {
            EMPTY: (empty, [], False),
            ONE: (app, [EXAMPLE], False),
            FEW: (app, many[:5], False),
            MANY: (app, many, False),
            VALIDATED: (app, [EXAMPLE], True),
        }
        times = dict.fromkeys(programs, float("inf"))
        memory = dict.fromkeys(programs, 0.0)
        for _ in range(runs + 1):
            for key, (program, files, validate) in programs.items():
                seconds, megabytes = measure(program, files, folder, validate=validate)
                times[key] = min(times[key], seconds)
                memory[key] = max(memory[key], megabytes)
    for key, seconds in times.items():
        print(f"{key:46} {seconds:6.2f} s  {seconds / times[EMPTY]:5.2f} x  {memory[key]:5.0f} MB")
    numbers = {
        f"{ONE} / {EMPTY}": (times[ONE] / times[EMPTY], 2),
        f"{MANY} / {ONE}": (times[MANY] / times[ONE], 5),
        f"memory of {MANY} / of one": (memory[MANY] / memory[ONE], 2),
        "memory of one in MB": (memory[ONE], 250),
    }
    for key, (number, most) in numbers.items():
        print(f"{'held' if number <= most else 'NOT HELD'}: {key} = {number:.2f}, at most {most}")
    sys.exit(any(number > most for number, most in numbers.values()))


if __name__ == "__main__":
    main()
