"""Golden templates: what is scrubbed before comparing, and how a difference is shown."""

from __future__ import annotations

import difflib
import json
import re
from pathlib import Path
from typing import Any

from constructs_lib.compute import node_stages
from tests.synthesis import ROOT

GOLDEN = Path(__file__).parent / "templates"
ASSETS = ROOT / "constructs_lib" / "compute" / "assets"


def scrub(template: dict[str, Any]) -> str:
    """The template as text, without the text of the boot scripts and what follows from it."""
    text = json.dumps(template, indent=1, sort_keys=True)
    stage = node_stages.without_comments((ASSETS / "first_stage.sh").read_text())
    text = text.replace(json.dumps(stage)[1:-1], "<assets/first_stage.sh>")
    text = re.sub(r"(TRNKIT_BUNDLE_SHA256)=[0-9a-f]{64}", r"\1=<bundle>", text)
    text = re.sub(r"[0-9a-f]{64}\.zip", "<bundle>.zip", text)
    text = re.sub(r"(TRNKIT_BUNDLE_VERSION)=[0-9a-f]{16}", r"\1=<bundle>", text)
    text = re.sub(r"(<<'SCRIPTS' .*?\\n).+?(\\nSCRIPTS\\n)", r"\1<scripts>\2", text)
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
