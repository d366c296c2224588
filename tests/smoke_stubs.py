"""Programs that stand in for those of a node: nccom-test, trn-node-check, torch."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.synthesis import ROOT

PROGRAMS = ROOT / "constructs_lib" / "compute" / "assets" / "node" / "smoke"
MARK = "TRN-SMOKE-RESULT "

# As AWS's guide documents command line and report (2.29 edition), with the behaviours that matter.
NCCOM = """\
#!{python}
import json, os, signal, sys, time
given = sys.argv[1:]
place = os.environ["STUB_LOG"]
with open(place, "a") as log:
    wanted = ("NEURON", "FI_", "OMPI", "PATH")
    env = {{k: v for k, v in os.environ.items() if k.startswith(wanted)}}
    log.write(json.dumps({{"argv": given, "env": env}}) + "\\n")
mode = os.environ.get("STUB_NCCOM", "good")
def value(flag):
    return given[given.index(flag) + 1]
ranks, nodes = int(value("--nworkers")), int(value("--nnodes"))
size, most, factor = int(value("--minbytes")), int(value("--maxbytes")), int(value("--stepfactor"))
assert ranks % nodes == 0
if mode == "hang":
    print("compiling the collective", flush=True)
    if os.fork() == 0:
        time.sleep(600)
    time.sleep(600)
if mode == "wrong":
    print("  1048576    golden mismatch on rank 3")
    print("1 errors found - test failed")
    sys.exit(1)
if mode == "refuse":
    print("CCOM WARN Unable to run multi-instance workload. EFA is not enabled")
    sys.exit(1)
shared = 2 * (ranks - 1) / ranks
busbw = float(os.environ.get("STUB_GBYTES", "312.5"))
rows = []
while size <= most:
    rows.append({{
        "size(B)": size, "count(elems)": size // 4, "type": value("--datatype"),
        "algbw(GB/s)": busbw / shared, "busbw(GB/s)": busbw,
        "time:avg(us)": shared * size / (busbw * 1e3),
    }})
    size *= factor
print("Avg bus bandwidth: %s" % busbw)
if mode == "broken":
    open(value("--report-to-json-file"), "w").write("{{\\"results\\": [")
elif mode != "no-report":
    json.dump({{"results": rows}}, open(value("--report-to-json-file"), "w"))
"""

CHECK = """\
#!/bin/sh
[ "$1 $2 $3" = "--format json --output" ] || exit 2
printf '{"schema": 1, "verdict": "stub"}' > "$4"
echo "15 of 16 chips"
exit ${STUB_CHECK:-0}
"""


@dataclass
class Node:
    """A root folder that looks like a node."""

    root: Path
    log: Path

    def program(self, place: str, text: str) -> Path:
        path = self.root / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("{python}", sys.executable))
        path.chmod(0o755)
        return path

    def environment(self, **more: str) -> dict[str, str]:
        here = {
            "TRNKIT_ROOT": str(self.root),
            "STUB_LOG": str(self.log),
            "PATH": os.environ["PATH"],
        }
        return {**here, **more}

    def calls(self) -> list[dict[str, Any]]:
        """What nccom-test was called with."""
        if not self.log.exists():
            return []
        return [json.loads(line) for line in self.log.read_text().splitlines()]


def make_node(root: Path, *, check: bool = True) -> Node:
    node = Node(root=root, log=root / "nccom.jsonl")
    node.program("opt/aws/neuron/bin/nccom-test", NCCOM.format(python=sys.executable))
    if check:
        node.program("usr/local/bin/trn-node-check", CHECK)
    return node


def plan(**changes: Any) -> dict[str, Any]:
    defaults = json.loads((PROGRAMS / "default_plan.json").read_text())
    facts = {
        "cluster": "pretrain",
        "node_group": "train",
        "instance_type": "trn2.48xlarge",
        "nodes": 2,
        "across_nodes": True,
        "ranks_per_node": 64,
        "logical_neuroncore_size": 2,
        "efa_interfaces": 16,
        "step": {"steps": 20, "seed": 1, "stack": "cpu", "python": None},
    }
    return {**defaults, **facts, **changes}


def result_in(output: str) -> dict[str, Any]:
    """The result that trn-smoke printed."""
    (line,) = [line for line in output.splitlines() if MARK in line]
    return json.loads(line.partition(MARK)[2])


def run_smoke(
    node: Node, given: dict[str, Any] | None, *arguments: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run trn-smoke as on a node."""
    command = [sys.executable, str(PROGRAMS / "trn-smoke"), *arguments]
    if given is not None:
        file = node.root / "plan.json"
        file.write_text(json.dumps(given))
        command += ["--plan", str(file)]
    return subprocess.run(
        command,
        env=node.environment(**environment),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


TORCH = '''\
"""Just enough of torch for the training step: vectors on the CPU, gradients of one loss."""
import math
import os
import random
import types

_SEED = random.Random(0)

def manual_seed(seed):
    _SEED.seed(seed)

def device(name):
    return name

class Tensor:
    def __init__(self, rows): self.rows = rows
    def to(self, device): MOVED.append(str(device)); return self
    def mean(self, axis, keepdim): return Tensor([[sum(r) / len(r)] for r in self.rows])
    def tanh(self): return Tensor([[math.tanh(x) for x in r] for r in self.rows])
    def __add__(self, number): return Tensor([[x + number for x in r] for r in self.rows])

MOVED = []

def randn(rows, columns):
    return Tensor([[_SEED.gauss(0, 1) for _ in range(columns)] for _ in range(rows)])

class Linear:
    def __init__(self, inputs, outputs): self.weight = _SEED.uniform(-0.1, 0.1)

class Tanh: pass

class Sequential:
    """Reduced to one number: the prediction is the bias, which is what the loss falls by."""
    def __init__(self, *layers): self.bias = layers[-1].weight; self.slope = 0.0
    def to(self, device): MOVED.append(str(device)); return self
    def parameters(self): return [self]
    def __call__(self, inputs): return self

class Loss:
    def __init__(self, model, targets):
        flat = [row[0] for row in targets.rows]
        gap = [model.bias - x for x in flat]
        self.value = sum(x * x for x in gap) / len(gap)
        self.model, self.gradient = model, 2 * sum(gap) / len(gap)
    def backward(self): self.model.slope = self.gradient
    def detach(self): return self
    def cpu(self): return self
    def item(self):
        mode = os.environ.get("STUB_TORCH")
        return math.nan if mode == "nan" else 1.0 if mode == "flat" else self.value

class SGD:
    def __init__(self, parameters, lr): self.parameters, self.lr = parameters, lr
    def zero_grad(self): self.parameters[0].slope = 0.0
    def step(self): self.parameters[0].bias -= self.lr * self.parameters[0].slope

nn = types.SimpleNamespace(Linear=Linear, Tanh=Tanh, Sequential=Sequential,
    functional=types.SimpleNamespace(mse_loss=lambda model, targets: Loss(model, targets)))
optim = types.SimpleNamespace(SGD=SGD)
'''

XLA_MODEL = """\
import os
STEPS = []
def xla_device(): return "xla:0"
def xla_device_hw(device): return os.environ.get("STUB_HARDWARE", "NEURON")
def mark_step(): STEPS.append(1)
"""


def write_torch(folder: Path, *, xla: bool = False, neuronx: bool = False) -> Path:
    """Stub packages for PYTHONPATH."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "torch.py").write_text(TORCH)
    if neuronx:
        (folder / "torch_neuronx.py").write_text("")
    if xla:
        core = folder / "torch_xla" / "core"
        core.mkdir(parents=True)
        (folder / "torch_xla" / "__init__.py").write_text("")
        (core / "__init__.py").write_text("")
        (core / "xla_model.py").write_text(XLA_MODEL)
    return folder
