"""A minimal training step on one logical NeuronCore: a small MLP whose loss must fall.

Run with the Python of the framework. `--stack xla` is PyTorch NeuronX over PyTorch/XLA, whose last
version for training is 2.9; `--stack native` is TorchNeuron, for Trainium2 and later.
https://awsdocs-neuron.readthedocs-hosted.com/en/latest/torch/tutorials/tutorial-simple-training.html
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import json
import math
import sys
import time
from typing import Any

_PACKAGES = {"xla": ("torch", "torch_xla", "torch_neuronx"), "native": ("torch", "torch_neuronx")}
_DISTRIBUTIONS = ("torch", "torch-xla", "torch-neuronx", "neuronx-cc", "libneuronxla")
_CALLED = {"xla": "PyTorch NeuronX over PyTorch/XLA", "native": "TorchNeuron"}
_WIDTH, _BATCH, _RATE = 128, 256, 0.05


class StepError(Exception):
    """The step cannot run, or did not do what it must; the message says so."""


def load_stack(stack: str) -> tuple[Any, Any, Any]:
    """Load the framework: torch, the device, and what is called at the end of each step.

    Args:
        stack: `xla`, `native`, or `cpu`, which shows that the program is right and no more.

    Raises:
        StepError: A package is missing, or the device is not a Neuron one.
    """
    modules = {name: _load(name, stack) for name in _PACKAGES.get(stack, ("torch",))}
    torch = modules["torch"]
    if stack == "xla":
        model = _load("torch_xla.core.xla_model", stack)
        device = model.xla_device()
        hardware = str(model.xla_device_hw(device)).upper()
        if hardware != "NEURON":
            raise StepError(f"PyTorch/XLA found {hardware} and no Neuron device")
        return torch, device, getattr(modules["torch_xla"], "sync", None) or model.mark_step
    return torch, torch.device("neuron" if stack == "native" else "cpu"), lambda: None


def train(torch: Any, device: Any, end_step: Any, steps: int, seed: int) -> list[float]:
    """Train the model on one batch that never changes, and return the loss of each step.

    Weights and data are made on the CPU, so that a seed means the same on every device.

    Args:
        torch: The framework.
        device: Where to train.
        end_step: Called after each step.
        steps: How many.
        seed: Of the weights and the batch.
    """
    torch.manual_seed(seed)
    layers = (torch.nn.Linear(_WIDTH, _WIDTH), torch.nn.Tanh(), torch.nn.Linear(_WIDTH, 1))
    model = torch.nn.Sequential(*layers).to(device)
    inputs = torch.randn(_BATCH, _WIDTH)
    targets = inputs.mean(1, keepdim=True).tanh() + 0.5
    inputs, targets = inputs.to(device), targets.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=_RATE)
    losses: list[float] = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(inputs), targets)
        loss.backward()
        optimizer.step()
        end_step()
        losses.append(float(loss.detach().cpu().item()))
    return losses


def judge(losses: list[float]) -> str | None:
    """What is wrong with the losses; None when they are finite and fell.

    Args:
        losses: The loss of each step.
    """
    odd = [number for number, loss in enumerate(losses, 1) if not math.isfinite(loss)]
    if odd:
        return f"the loss of step {odd[0]} is {losses[odd[0] - 1]}"
    if len(losses) < 2 or losses[-1] >= 0.9 * losses[0]:
        return f"the loss did not fall: {losses[0]:.6g} at first, {losses[-1]:.6g} at the end"
    return None


def versions() -> dict[str, str]:
    """Versions of Python and of the packages that matter, those that are there."""
    found = {"python": ".".join(map(str, sys.version_info[:3]))}
    for name in _DISTRIBUTIONS:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def run(stack: str, steps: int, seed: int) -> dict[str, Any]:
    """Run the step and describe what came of it.

    Args:
        stack: `xla`, `native` or `cpu`.
        steps: How many steps.
        seed: Of weights and data.
    """
    began = time.monotonic()
    report: dict[str, Any] = {"stack": stack, "steps": steps, "seed": seed, "message": None}
    losses: list[float] = []
    try:
        torch, device, end_step = load_stack(stack)
        report["device"] = str(device)
        losses = train(torch, device, end_step, steps, seed)
        report["message"] = judge(losses)
    except StepError as error:
        report["message"] = str(error)
    # JSON has no word for what is not a number.
    report["losses"] = [loss if math.isfinite(loss) else str(loss) for loss in losses]
    report["seconds"] = round(time.monotonic() - began, 3)
    report["versions"] = versions()
    return report


def main(arguments: list[str] | None = None) -> int:
    """Run the step, write its report, and return 0 when the loss fell."""
    parser = argparse.ArgumentParser(description="A minimal training step on a Neuron device.")
    parser.add_argument("--stack", choices=("xla", "native", "cpu"), required=True)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", required=True, help="the file of the report")
    given = parser.parse_args(arguments)
    report = run(given.stack, given.steps, given.seed)
    with open(given.output, "w", encoding="utf-8") as file:  # noqa: PTH123
        json.dump(report, file)
    if report["message"]:
        print(report["message"], file=sys.stderr)
    return int(report["message"] is not None)


def _load(name: str, stack: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        missing = error.name or name
        raise StepError(
            f"{sys.executable} has no package {missing}, which {_CALLED.get(stack, 'the step')} "
            "needs: name its Python with --python, or choose another stack"
        ) from None


if __name__ == "__main__":
    sys.exit(main())
