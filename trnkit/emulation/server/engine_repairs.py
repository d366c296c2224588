"""Where MiniStack's engine does something else than CloudFormation, put right.

Each repair says what it is about; the version of MiniStack is pinned, so that nothing of this
changes unseen.
"""

from __future__ import annotations

import copy
from typing import Any

from trnkit.emulation.borrowed import module

_ENGINE = "ministack.services.cloudformation"

# Functions that CloudFormation evaluates inside of conditions, and the engine does not.
# Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/intrinsic-function-reference-conditions.html
_INSIDE_CONDITIONS = frozenset({"Fn::FindInMap", "Fn::Join", "Fn::Split", "Fn::Sub"})


def install() -> None:
    """Repair the engine, once, before its first request."""
    _evaluate_functions_in_conditions()


def _evaluate_functions_in_conditions() -> None:
    engine = module(f"{_ENGINE}.engine")
    plain = engine._evaluate_conditions

    def evaluate(template: dict[str, Any], params: dict[str, Any]) -> dict[str, bool]:
        mappings = template.get("Mappings", {})

        def evaluated(value: Any) -> Any:
            if isinstance(value, list):
                return [evaluated(item) for item in value]
            if not isinstance(value, dict):
                return value
            if len(value) == 1 and next(iter(value)) in _INSIDE_CONDITIONS:
                return engine._resolve_refs(copy.deepcopy(value), {}, params, {}, mappings, "", "")
            return {key: evaluated(item) for key, item in value.items()}

        conditions = {k: evaluated(v) for k, v in (template.get("Conditions") or {}).items()}
        return plain({**template, "Conditions": conditions}, params)

    for name in ("changesets", "engine", "handlers", "stacks"):
        module(f"{_ENGINE}.{name}")._evaluate_conditions = evaluate
