"""How many bytes of EC2's 16,384 the user data of every example takes.

    python -m benchmarks.user_data

Prints the table of docs/boot.md: one row for each node group. "Bytes" is the user data with each
name that is known at deployment only at 80 bytes, which none exceeds; "counted" is what the check
of the cluster file counts before anything is synthesized. Exit code 1 when that is less.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.constructs_lib.compute.test_example_user_data import user_data
from tests.synthesis import EXAMPLES
from trnkit.config import load_cluster
from trnkit.layout.boot_settings import MAXIMUM_USER_DATA_BYTES, largest_user_data


def rows(path: Path) -> list[tuple[str, str, int, int]]:
    """Of each node group of an example: its name, how scripts come, bytes, bytes as counted."""
    cluster = load_cluster(path).config
    texts = dict(user_data(path))
    found: list[tuple[str, str, int, int]] = []
    for group in cluster.compute.node_groups:
        name = f"NodeGroup{group.name}LaunchTemplate".replace("-", "")
        (text,) = (text for logical_id, text in texts.items() if logical_id.startswith(name))
        size = len(text.encode())
        row = (group.name, cluster.compute.boot.delivery, size, largest_user_data(cluster, group))
        found.append(row)
    return found


def main() -> None:
    """Print the table."""
    print("| Example | Node group | Delivery | Bytes | Counted | Left |")
    print("|---|---|---|---|---|---|")
    held = True
    for path in EXAMPLES:
        for group, delivery, size, counted in rows(path):
            left = MAXIMUM_USER_DATA_BYTES - counted
            print(f"| {path.stem} | {group} | {delivery} | {size:,} | {counted:,} | {left:,} |")
            held = held and size <= counted < MAXIMUM_USER_DATA_BYTES
    sys.exit(not held)


if __name__ == "__main__":
    main()
