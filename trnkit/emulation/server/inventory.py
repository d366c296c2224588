"""What the engine holds of every stack: the properties as it resolved them, and what is behind."""

from __future__ import annotations

import json
from typing import Any

from trnkit.emulation.borrowed import module
from trnkit.emulation.resources.resource import Proof


def of_all_stacks(proofs: dict[str, Proof]) -> bytes:
    """Every stack with its resources.

    Args:
        proofs: What stands behind the types that have a service.

    Returns:
        A JSON list of objects: ``name``, ``region``, ``status``, ``template``, and ``resources`` by
        logical id, each with ``type``, ``physical_id``, ``properties`` and ``proof``.
    """
    stacks = module("ministack.services.cloudformation")._stacks
    answer: list[dict[str, Any]] = []
    for (_, region, name), stack in sorted(stacks._data.items()):
        resources = {
            logical_id: {
                "type": record.get("ResourceType", ""),
                "physical_id": record.get("PhysicalResourceId", ""),
                "properties": record.get("Properties") or {},
                "attributes": record.get("Attributes") or {},
                "proof": proofs.get(record.get("ResourceType", ""), Proof.SCHEMA).value,
            }
            for logical_id, record in (stack.get("_resources") or {}).items()
        }
        answer.append(
            {
                "name": name,
                "region": region,
                "status": stack.get("StackStatus", ""),
                "template": stack.get("_template") or {},
                "resources": resources,
            }
        )
    return json.dumps(answer, default=str).encode()
