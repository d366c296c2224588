"""Writes the pages that are made from the code: `python -m scripts.generate_docs`.

With `--check` it writes nothing and ends with exit code 1 when a page is not what the code says.
"""

from __future__ import annotations

import argparse
import difflib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.doc_pages import (
    catalog_page,
    cluster_schema,
    config_page,
    constructs_page,
    cost_comparison_page,
    cost_page,
    coverage_page,
    preflight_page,
    refusals_page,
    rehearsal_page,
    rules_page,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROOT = Path(__file__).resolve().parent.parent

PAGES: dict[str, Callable[[], str]] = {
    "docs/catalog.md": catalog_page.render,
    "docs/config.md": config_page.render,
    "docs/constructs.md": constructs_page.render,
    "docs/cost.md": cost_page.render,
    "docs/cost-comparison.md": cost_comparison_page.render,
    "docs/coverage.md": coverage_page.render,
    "docs/preflight.md": preflight_page.render,
    "docs/rehearsal-refusals.md": refusals_page.render,
    "docs/rehearsal.md": rehearsal_page.render,
    "docs/rules.md": rules_page.render,
    "trnkit/config/cluster.schema.json": cluster_schema.render,
}
"""File, from the root of the checkout -> what makes its text."""


def difference(name: str) -> str:
    """What a file lacks or has too much, as a unified diff; empty when it is up to date."""
    path = ROOT / name
    written = path.read_text(encoding="utf-8") if path.is_file() else ""
    lines = difflib.unified_diff(
        written.splitlines(),
        PAGES[name]().splitlines(),
        f"{name} (file)",
        f"{name} (code)",
        "",
        "",
        1,
        "",
    )
    return "\n".join(list(lines)[:60])


def write(name: str) -> bool:
    """Write a file; says whether that changed it."""
    path, text = ROOT / name, PAGES[name]()
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
    return True


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or compare all pages."""
    parser = argparse.ArgumentParser(prog="python -m scripts.generate_docs", description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare only")
    if parser.parse_args(arguments).check:
        stale = [text for name in PAGES if (text := difference(name))]
        print(
            "\n".join([*stale, "run `make docs`"])
            if stale
            else "the generated pages are up to date"
        )
        return int(bool(stale))
    for name in PAGES:
        print(f"{'wrote' if write(name) else 'unchanged'} {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
