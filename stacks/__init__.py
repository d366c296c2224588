"""What is deployed together. `assembly.build` is the only place that wires stacks."""

from stacks.assembly import build
from stacks.compute_stack import ComputeStack
from stacks.cost_stack import CostStack
from stacks.network_stack import NetworkStack
from stacks.storage_stack import StorageStack

__all__ = ["ComputeStack", "CostStack", "NetworkStack", "StorageStack", "build"]
