"""All mutants."""

from __future__ import annotations

from tests.rehearsal import (
    mutants_cost,
    mutants_identity,
    mutants_network,
    mutants_nodes,
    mutants_storage,
    mutants_template,
)

MUTANTS = (
    *mutants_network.MUTANTS,
    *mutants_nodes.MUTANTS,
    *mutants_storage.MUTANTS,
    *mutants_cost.MUTANTS,
    *mutants_identity.MUTANTS,
    *mutants_template.MUTANTS,
)
