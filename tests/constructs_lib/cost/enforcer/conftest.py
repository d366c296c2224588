"""The enforcer's package, as Lambda has it: at the root of the path."""

from __future__ import annotations

import sys

from tests.synthesis import ROOT

sys.path.insert(0, str(ROOT / "constructs_lib" / "cost" / "assets" / "spend-guard"))
