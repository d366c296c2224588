"""Results of trn-smoke as tests want them."""

import copy

GIB = 1024**3


def report(gbytes, ranks, *, largest=GIB, reported_ranks=None):
    """nccom-test's report of an all-reduce with this bus bandwidth at every size."""
    factor = 2 * (ranks - 1) / ranks
    shown = 2 * ((reported_ranks or ranks) - 1) / (reported_ranks or ranks)
    sizes = [size for size in (2**20, 2**26, 2**30) if size <= largest]
    return {
        "results": [
            {
                "size(B)": size,
                "count(elems)": size // 4,
                "type": "fp32",
                "algbw(GB/s)": gbytes / shown,
                "busbw(GB/s)": gbytes,
                "time:avg(us)": (shown if reported_ranks else factor) * size / (gbytes * 1e3),
            }
            for size in sizes
        ]
    }


def plan(**changes):
    return {
        "cluster": "pretrain",
        "node_group": "train",
        "instance_type": "trn2.48xlarge",
        "nodes": 2,
        "across_nodes": True,
        "ranks_per_node": 64,
        "efa_interfaces": 16,
        "sweep": {"maximum_bytes": GIB},
        "step": {"steps": 20},
        **changes,
    }


LOSSES = [round(0.32 * 0.8**number, 6) for number in range(20)]
STEP = {"status": "passed", "seconds": 20.0, "report": {"losses": LOSSES}}


def node(host, gbytes=312.5, *, plan=plan(), started="2026-11-30T10:00:00Z", **parts):  # noqa: B008
    """A node's result; parts replace its own, None leaves one out."""
    every = {
        "check": {"status": "passed", "seconds": 3.0},
        "sweep": {
            "status": "passed",
            "seconds": 60.0,
            "report": report(gbytes, plan["ranks_per_node"]),
        },
        "step": copy.deepcopy(STEP),
        **parts,
    }
    return {
        "schema": 1,
        "kind": "trn-smoke-result",
        "scope": "node",
        "host": host,
        "started": started,
        "plan": plan,
        "parts": {name: part for name, part in every.items() if part is not None},
        "status": "passed",
    }


def fabric(gbytes=120.0, *, plan=plan(), **sweep):  # noqa: B008
    """The result of the run across nodes."""
    ranks = plan["ranks_per_node"] * plan["nodes"]
    part = {"status": "passed", "seconds": 90.0, "report": report(gbytes, ranks), **sweep}
    return {**node("n0", plan=plan), "scope": "fabric", "parts": {"sweep": part}}


def good(**changes):
    """Results of a test that passes."""
    found = plan(**changes)
    nodes = [node(f"n{number}", plan=found) for number in range(found["nodes"])]
    return [*nodes, *([fabric(plan=found)] if found["across_nodes"] else [])]
