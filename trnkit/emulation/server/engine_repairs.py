"""Where MiniStack's engine does something else than CloudFormation, put right.

Each repair says what it is about; the version of MiniStack is pinned, so that nothing of this
changes unseen.
"""

from __future__ import annotations

import copy
import functools
import re
from typing import Any

from trnkit.emulation.borrowed import module

_ENGINE = "ministack.services.cloudformation"

# Functions that CloudFormation evaluates inside of conditions, and the engine does not.
# Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/intrinsic-function-reference-conditions.html
_INSIDE_CONDITIONS = frozenset({"Fn::FindInMap", "Fn::Join", "Fn::Split", "Fn::Sub"})


def install() -> None:
    """Repair the engine, once, before its first request."""
    _evaluate_functions_in_conditions()
    _name_missing_exports()


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


_NO_EXPORT = re.compile(r"Export '(?P<name>.+)' not found")


def _name_missing_exports() -> None:
    """An import of nothing is refused in CloudFormation's words.

    Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/troubleshooting.html
    """
    plain = module(f"{_ENGINE}.engine")._resolve_refs

    @functools.wraps(plain)
    def resolve(*given: Any, **named: Any) -> Any:
        try:
            return plain(*given, **named)
        except ValueError as error:
            missing = _NO_EXPORT.fullmatch(str(error))
            if missing is None:
                raise
            raise ValueError(f"No export named {missing['name']} found.") from error

    for name in ("changesets", "engine", "handlers", "provisioners", "stacks"):
        module(f"{_ENGINE}.{name}")._resolve_refs = resolve
