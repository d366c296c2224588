"""How long a node's boot takes by itself, with commands of the system that are instant.

    python -m benchmarks.boot_speed [RUNS]

The node is the tests' imitation of a trn2.48xlarge. Three boots of each example: from its user
data, again at once, and after a restart. The numbers are medians of RUNS (5). What a real node
waits for comes on top: the network, packages, mounts, disks.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.constructs_lib.compute.node.metadata_service import MetadataService
from tests.constructs_lib.compute.node.whole_machine import WholeNode
from tests.synthesis import ROOT

EXAMPLES = ("trn2-pretrain", "templates-only")
BOOTS = ("from user data", "again", "after a restart")


def seconds(boot: Callable[[], tuple[int, object]]) -> float:
    """How long one boot takes, which must end well."""
    begin = time.perf_counter()
    code, log = boot()
    took = time.perf_counter() - begin
    if code != 0:
        raise SystemExit(f"the boot ended with {code}: {log}")
    return took


def measure(example: str, service: MetadataService) -> list[float]:
    """Seconds of the three boots of a new node."""
    with tempfile.TemporaryDirectory() as name:
        node = WholeNode(Path(name), ROOT / "examples" / f"{example}.yaml", service)
        return [seconds(boot) for boot in (node.first_boot, node.boot_again, node.later_boot)]


def main() -> None:
    """Measure and print a table."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    service = MetadataService()
    print(f"| Example | {' | '.join(BOOTS)} |")
    print("|---|---|---|---|")
    for example in EXAMPLES:
        measured = [measure(example, service) for _ in range(runs)]
        medians = [statistics.median(column) for column in zip(*measured, strict=True)]
        print(f"| {example} | {' | '.join(f'{median:.1f} s' for median in medians)} |")
    service.stop()


if __name__ == "__main__":
    main()
