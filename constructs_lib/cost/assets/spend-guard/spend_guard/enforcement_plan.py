"""What the enforcer was told to do, read from the function's settings."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

DRY_RUN, APPROVAL, AUTOMATIC = "dry-run", "approval", "automatic"
CAPACITY_BLOCK = "capacity-block"
SPEND = "spend"
"""Key of the episode of the whole cluster's spending."""


class SettingsError(Exception):
    """The settings of the function cannot be used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A node group.

    Attributes:
        name: Its name, the value of the tag `trnkit-node-group`.
        purchase: `on-demand`, `spot` or `capacity-block`.
        capacity_reservation_id: Its reservation, or None.
        driver: What scales it: `asg`, `pcs`, `eks`, `batch`, `sagemaker`.
        resource: Its name with the service; None: found by its tags (`asg` only).
    """

    name: str
    purchase: str
    capacity_reservation_id: str | None = None
    driver: str = "asg"
    resource: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Attributes are those of `EnforcementPlan` and, of `WatchdogPlan`, the first three.

    What is None may be left out of the settings.
    """

    cluster: str
    poll_minutes: int
    groups: tuple[Group, ...]
    mode: str | None = None
    at_usd: float | None = None
    at_spend_rate_usd_per_hour: float | None = None
    grace_minutes: int
    checkpoint_minutes: int
    protected_node_groups: tuple[str, ...]
    idle_mode: str | None = None
    idle_minutes: int
    idle_protected_node_groups: tuple[str, ...]

    @classmethod
    def read(cls, text: str) -> Plan:
        """Read the settings.

        Args:
            text: JSON, as `SpendEnforcer` writes it.

        Raises:
            SettingsError: It is something else.
        """
        try:
            told: dict[str, Any] = json.loads(text)
            told["groups"] = tuple(Group(**group) for group in told["groups"])
            for name in ("protected_node_groups", "idle_protected_node_groups"):
                told[name] = tuple(told[name])
            return cls(**told)
        except (ValueError, TypeError, KeyError) as error:
            raise SettingsError(f"TRNKIT_SETTINGS cannot be read: {error!r}") from error

    def group(self, name: str) -> Group | None:
        """A node group by its name, or None."""
        return next((group for group in self.groups if group.name == name), None)

    def mode_of(self, key: str) -> str | None:
        """The mode of an episode: of spending, or of an idle group."""
        return self.mode if key == SPEND else self.idle_mode

    def groups_of(self, key: str) -> tuple[str, ...]:
        """The groups that an episode may touch, in the file's order.

        Of a Capacity Block the fee is paid: stopping its nodes saves nothing.
        """
        protected = self.protected_node_groups
        if key != SPEND:
            protected = self.idle_protected_node_groups
        return tuple(
            group.name
            for group in self.groups
            if group.name not in protected
            and group.purchase != CAPACITY_BLOCK
            and key in (SPEND, idle_key(group.name))
        )


def idle_key(group: str) -> str:
    """Key of the episode of an idle group."""
    return f"idle:{group}"
