"""The cluster file as a whole."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError

from trnkit.config.budget import BudgetConfig
from trnkit.config.compute import ComputeConfig
from trnkit.config.network import NetworkConfig
from trnkit.config.observability import ObservabilityConfig
from trnkit.config.orchestrator import OrchestratorConfig
from trnkit.config.policy import PolicyConfig
from trnkit.config.storage import StorageConfig
from trnkit.config.values import AccountId, ClusterName, Section, TagKey, TagValue, Text, setting


def not_a_boolean(value: Any) -> Any:
    """Python holds `true` for 1; a file that says so is confused all the same."""
    if isinstance(value, bool):
        raise PydanticCustomError("shape", "must be 1")
    return value


LEAST_REASON = 10
"""Characters of the reason for a suppression, wherever it stands."""


class Suppression(Section):
    """A rule that is switched off for this file, and why."""

    rule_id: Text = setting(example="TRN204", description="The rule, as `trnkit check` prints it.")
    reason: Text = setting(
        min_length=LEAST_REASON,
        description=f"Why it does not apply here, in {LEAST_REASON} characters or more; printed at "
        "each check.",
    )


class ClusterConfig(Section):
    """A cluster of AWS Trainium nodes: what the user asked for, defaults filled in.

    Every section is a frozen pydantic model, so a Python user may build one without YAML.
    """

    version: Annotated[Literal[1], BeforeValidator(not_a_boolean)] = setting(
        1, description="Version of this file format."
    )
    name: ClusterName = setting(
        change="destroys data",
        example="pretrain",
        description="Name of the cluster; prefixes its stacks and is its cost tag's value.",
    )
    account: AccountId | None = setting(
        None,
        change="replaces",
        example="111122223333",
        description="The account to deploy into. Left out: that of the credentials in use.",
    )
    region: Text = setting(change="destroys data", example="us-east-2", description="AWS Region.")
    tags: dict[TagKey, TagValue] = setting(
        {},
        max_length=40,
        description="Tags on every resource, beside the cluster's own `trnkit-cluster`.",
    )
    instance_types_file: Text | None = setting(
        None,
        change="new nodes only",
        example="types/trn3-preview.json",
        description="A file that describes instance types the catalogue does not have, as "
        "`aws ec2 describe-instance-types` prints them; relative to this file. Its content is part "
        "of the input: nothing is fetched. It cannot change what the catalogue says, unless "
        "`trnkit catalog refresh` wrote it and it is not older.",
    )
    network: NetworkConfig = setting(NetworkConfig(), description="The VPC.")
    compute: ComputeConfig = setting(description="The accelerated nodes.")
    orchestrator: OrchestratorConfig = setting(OrchestratorConfig(), description="The scheduler.")
    storage: StorageConfig = setting(StorageConfig(), description="Shared file systems.")
    budget: BudgetConfig = setting(description="The budget alarm.")
    observability: ObservabilityConfig = setting(
        ObservabilityConfig(), description="Metrics and logs of the nodes."
    )
    policy: PolicyConfig = setting(
        PolicyConfig(), description="The rule packs that judge the templates at every synth."
    )
    suppress: tuple[Suppression, ...] = setting(
        (), description="Rules switched off for this file, each with a reason."
    )
