"""What check cost-tag is asked with."""

from __future__ import annotations

from tests.trnkit.operations.preflight.situations import Situation


def tags(**statuses):
    """What billing knows of the tags that are asked for; what is not said here is active."""

    def answer(told, region):
        entries = [
            {"TagKey": key, "Type": "UserDefined", "Status": statuses.get(key, "Active")}
            for key in told["TagKeys"]
        ]
        return {"CostAllocationTags": entries}

    return answer


SITUATION = Situation(
    empty=("warning", "billing does not know tag trnkit-cluster yet"),
    well={"ListCostAllocationTags": tags()},
    nothing={"ListCostAllocationTags": {"CostAllocationTags": []}},
)
