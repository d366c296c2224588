"""How long the emulated AWS takes to start, and a whole rehearsal of the default example.

    python benchmarks/rehearsal_speed.py [RUNS]

Starts take turns with imports that the emulation cannot do without, and the smallest time of each
counts. Memory is the most that the process of the emulated AWS used. To hold: a start at most 2 s
and at most 2.5 times the imports; the rehearsal at most 60 s, with at most 450 MB.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from trnkit.emulation.process import emulated_aws  # noqa: E402

EXAMPLE = ROOT / "examples" / "trn2-pretrain.yaml"
IMPORTS = "import boto3, hypercorn.asyncio, moto.core.models, ministack.app"


def environment(cache: str) -> dict[str, str]:
    """Ours, with compiled files, as everybody has them."""
    given = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": cache}
    given.pop("PYTHONDONTWRITEBYTECODE", None)
    return given


def imports(cache: str) -> float:
    """Seconds for the imports."""
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-c", IMPORTS], env=environment(cache), check=True)
    return time.perf_counter() - begin


def start() -> tuple[float, float]:
    """Seconds until the emulated AWS is ready, and its megabytes then."""
    begin = time.perf_counter()
    with emulated_aws("111122223333") as aws:
        seconds = time.perf_counter() - begin
        status = Path(f"/proc/{aws.process.pid}/status")
        if not status.exists():
            return seconds, 0.0
        peak = status.read_text(encoding="ascii").partition("VmHWM:")[2].split()[0]
        return seconds, int(peak) / 1024


def rehearse(cache: str) -> dict[str, float]:
    """Seconds of a whole rehearsal and of its steps, and megabytes of its emulated AWS."""
    begin = time.perf_counter()
    ran = subprocess.run(
        [sys.executable, "-m", "trnkit.cli.main", "rehearse", str(EXAMPLE), "--format", "json"],
        env=environment(cache),
        stdout=subprocess.PIPE,
        check=True,
    )
    whole = time.perf_counter() - begin
    (told,) = json.loads(ran.stdout)["rehearsals"]
    steps = {f"step {step['name']}": float(step["seconds"]) for step in told["steps"]}
    return {"rehearsal": whole, **steps, "memory": float(told["memory_mib"] or 0)}


def main() -> None:
    """Measure and print a table; exit code 1 when a number is not held."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    best: dict[str, float] = {}

    def keep(name: str, seconds: float) -> None:
        best[name] = min(best.get(name, seconds), seconds)

    memory = {"start": 0.0, "rehearsal": 0.0}
    with tempfile.TemporaryDirectory() as cache:
        # The server takes its environment from ours.
        os.environ.update(environment(cache))
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        for _ in range(runs + 1):
            keep("imports", imports(cache))
            seconds, megabytes = start()
            keep("start", seconds)
            memory["start"] = max(memory["start"], megabytes)
        for _ in range(max(1, runs // 2)):
            measured = rehearse(cache)
            memory["rehearsal"] = max(memory["rehearsal"], measured.pop("memory"))
            for name, seconds in measured.items():
                keep(name, seconds)
    for name, seconds in best.items():
        more = f"{memory[name]:6.0f} MB" if memory.get(name) else ""
        print(f"{name:14} {seconds:6.2f} s  {seconds / best['imports']:6.2f} x {more}")
    numbers = {
        "start in s": (best["start"], 2),
        "start / imports": (best["start"] / best["imports"], 2.5),
        "rehearsal in s": (best["rehearsal"], 60),
        "memory of the rehearsal in MB": (memory["rehearsal"], 450),
    }
    for name, (number, most) in numbers.items():
        print(f"{'held' if number <= most else 'NOT HELD'}: {name} = {number:.2f}, at most {most}")
    sys.exit(any(number > most for number, most in numbers.values()))


if __name__ == "__main__":
    main()
