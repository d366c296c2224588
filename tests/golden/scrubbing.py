"""Golden templates: what is scrubbed before comparing, and how a difference is shown."""

from __future__ import annotations

import difflib
import json
from pathlib import Path
from typing import Any

from tests.synthesis import ROOT

GOLDEN = Path(__file__).parent / "templates"
ASSETS = ROOT / "constructs_lib" / "compute" / "assets"


def scrub(template: dict[str, Any]) -> str:
    """The template as text, without the text of the boot scripts."""
    text = json.dumps(template, indent=1, sort_keys=True)
    for name in ("boot.sh", "boot_s3.sh"):
        script = json.dumps((ASSETS / name).read_text())[1:-1]
        text = text.replace(script, f"<assets/{name}>")
    return text + "\n"


def difference(name: str, expected: str, actual: str) -> str:
    """Resources that came, went or changed, then the text difference."""
    old, new = (json.loads(text)["Resources"] for text in (expected, actual))
    lines = [f"{name} is not as frozen; TRNKIT_UPDATE_GOLDEN=1 writes it anew"]
    for title, keys in (
        ("added", new.keys() - old.keys()),
        ("removed", old.keys() - new.keys()),
        ("changed", {key for key in new.keys() & old.keys() if new[key] != old[key]}),
    ):
        lines += [f"  {title}: {key} ({(new | old)[key]['Type']})" for key in sorted(keys)]
    diff = difflib.unified_diff(
        expected.splitlines(), actual.splitlines(), "frozen", "now", lineterm="", n=2
    )
    return "\n".join([*lines, *list(diff)[:120]])
