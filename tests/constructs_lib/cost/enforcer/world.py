"""A cluster in memory: groups, a topic, a table and a clock, each of which may fail."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from botocore.exceptions import ClientError
from spend_guard.enforcement_commands import Command
from spend_guard.enforcement_plan import Group, Plan
from spend_guard.enforcement_run import Run, Surroundings
from spend_guard.enforcement_state import State
from spend_guard.enforcement_store import BusyError, Kept, LostLeaseError
from spend_guard.moments import month_of
from spend_guard.observation import GroupObservation, Observation

BEGIN = datetime(2026, 11, 6, 18, 0, tzinfo=UTC)
"""A Friday evening."""

PLAN = Plan(
    cluster="pretrain",
    poll_minutes=5,
    groups=(
        Group(name="train", purchase="on-demand"),
        Group(name="tune", purchase="spot"),
        Group(name="serve", purchase="on-demand"),
        Group(name="block", purchase="capacity-block"),
    ),
    mode="automatic",
    at_usd=1000.0,
    at_spend_rate_usd_per_hour=700.0,
    grace_minutes=60,
    checkpoint_minutes=10,
    protected_node_groups=("serve",),
    idle_mode="automatic",
    idle_minutes=60,
    idle_protected_node_groups=("serve",),
)
SIZES = {"train": 16, "tune": 4, "serve": 2, "block": 8}


def refusal(operation, code="Throttling"):
    return ClientError({"Error": {"Code": code, "Message": "Rate exceeded"}}, operation)


class Memory:
    """The table."""

    def __init__(self, world):
        self._world, self.text, self.version, self.owner = world, None, 0, None
        self.entries = []

    def look(self):
        return Kept(State.read(self.text), self.version)

    def take(self, owner, now):
        if self.owner is not None:
            raise BusyError("another run is under way")
        self.owner = owner
        return self.look()

    def save(self, kept, owner):
        if self.owner != owner or kept.version != self.version:
            raise LostLeaseError("another run has written since")
        self.text, self.version = kept.state.as_json(), self.version + 1
        return Kept(kept.state, self.version)

    def give_back(self, owner):
        if self.owner == owner:
            self.owner = None

    def observation(self):
        return self._world.observation

    def remember(self, at, number, entry):
        self.entries.append({"at": at.isoformat(), **json.loads(json.dumps(entry))})

    def trail(self, most):
        return self.entries[::-1][:most]


class Scaling:
    """Auto Scaling; `broken` are operations, or pairs of those and a group, that are throttled."""

    def __init__(self, cluster):
        self.groups = {
            name: {
                "AutoScalingGroupName": f"asg-{name}",
                "MinSize": 0,
                "MaxSize": size,
                "DesiredCapacity": size,
                "SuspendedProcesses": [],
                "Tags": [
                    {"Key": "trnkit-cluster", "Value": cluster},
                    {"Key": "trnkit-node-group", "Value": name},
                ],
            }
            for name, size in SIZES.items()
        }
        self.calls, self.broken = [], set()

    def _call(self, operation, group=None):
        if self.broken & {operation, (operation, group)}:
            raise refusal(operation)

    def _find(self, operation, name):
        found = [g for g in self.groups.values() if g["AutoScalingGroupName"] == name]
        if not found:
            raise refusal(operation, "ValidationError")
        return found[0]

    def _write(self, operation, name):
        group = name.removeprefix("asg-")
        self._call(operation, group)
        self.calls.append((operation, group))
        return self._find(operation, name)

    def get_paginator(self, operation):
        return self

    def paginate(self, Filters):
        self._call("describe")
        for group in self.groups.values():
            yield {"AutoScalingGroups": [deepcopy(group)]}

    def suspend_processes(self, AutoScalingGroupName, ScalingProcesses):
        group = self._write("suspend", AutoScalingGroupName)
        group["SuspendedProcesses"] = [{"ProcessName": name} for name in ScalingProcesses]

    def resume_processes(self, AutoScalingGroupName, ScalingProcesses):
        self._write("resume", AutoScalingGroupName)["SuspendedProcesses"] = []

    def update_auto_scaling_group(self, AutoScalingGroupName, **sizes):
        group = self._write("update", AutoScalingGroupName)
        if not sizes["MinSize"] <= sizes["DesiredCapacity"] <= group["MaxSize"]:
            raise refusal("update", "ValidationError")
        group.update(sizes)


class Recorder:
    """SNS or Systems Manager: remembers what it is given."""

    def __init__(self):
        self.given, self.broken = [], False

    def publish(self, **asked):
        assert asked["MessageStructure"] == "json"
        told = json.loads(asked["Message"])
        return self._take({**asked, "Message": told["default"], "chat": told["https"]})

    def send_command(self, **asked):
        return self._take(asked)

    def _take(self, asked):
        if self.broken:
            raise refusal("Publish")
        self.given.append(asked)


class World:
    """All of it, and the enforcer that looks after it."""

    def __init__(self, **plan):
        self.plan, self.now = replace(PLAN, **plan), BEGIN
        self.scaling, self.sns, self.ssm = Scaling(self.plan.cluster), Recorder(), Recorder()
        self.table, self.observation = Memory(self), None
        self.spent, self.rate, self.idle, self.watching = 0.0, 100.0, {}, True
        self.idle_known = True
        self.runs = 0
        self.errors = []

    def client(self, service):
        return {"autoscaling": self.scaling, "sns": self.sns, "ssm": self.ssm}[service]

    def see(self):
        """The watchdog looks."""
        if not self.watching:
            return
        groups = {
            name: GroupObservation(group["DesiredCapacity"], self.idle.get(name), self.idle_known)
            for name, group in self.scaling.groups.items()
        }
        self.observation = Observation(
            self.now, month_of(self.now), self.spent, self.rate, 0, groups
        )

    def run(self, action=None, by="ana"):
        """The enforcer runs once, now."""
        around = Surroundings(
            self.plan, self.table, self.client, "topic", lambda: self.now, lambda seconds: None
        )
        self.runs += 1
        run = Run(around, f"run-{self.runs}", Command(action, by) if action else None)
        answer = run.go()
        self.errors = run.errors
        return answer

    def pass_time(self, minutes=None):
        """Time passes, and at its end watchdog and enforcer poll; each of them every poll."""
        end = self.now + timedelta(minutes=minutes or self.plan.poll_minutes)
        while self.now < end:
            self.now = min(end, self.now + timedelta(minutes=self.plan.poll_minutes))
            self.see()
            self.run()

    @property
    def state(self):
        return self.table.look().state

    @property
    def stage(self):
        episode = self.state.episodes.get("spend")
        return episode.stage if episode else "watching"

    @property
    def subjects(self):
        return [message["Subject"].partition("] ")[2] for message in self.sns.given]

    def size(self, group):
        return self.scaling.groups[group]["DesiredCapacity"]

    def is_denied(self, group):
        return bool(self.scaling.groups[group]["SuspendedProcesses"])
