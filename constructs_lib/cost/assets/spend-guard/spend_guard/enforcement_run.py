"""Carries out what the state machine decides: takes the lease, asks AWS, writes, sends."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

from . import enforcement_messages as words
from .asking import ASKING_ERRORS
from .enforcement_commands import STOP_NOW
from .enforcement_machine import decide
from .enforcement_outcomes import Outcome, delivered, record
from .enforcement_plan import Group
from .enforcement_store import BusyError, Kept, Store
from .enforcement_turn import ALLOW, CHECKPOINT, DENY, GO_ON, Action, Answer, Decision
from .standing import Target
from .tags import CLUSTER_TAG, NODE_GROUP_TAG
from .targets import Targets

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from .enforcement_commands import Command
    from .enforcement_plan import Plan

_WAIT_SECONDS = 1.0
_MOST_WAITS = 60
_ROUNDS_AT_ONCE = 3
_SHORTEST_COMMAND_SECONDS = 30
_REASON = "--reason 'trnkit guard'"
_DRAIN = "/opt/trnkit/current/trn-drain/trn-drain"


class Surroundings(NamedTuple):
    """What a run works with.

    Attributes:
        plan: What was set.
        store: The table.
        client: Makes a client of a service.
        topic: ARN of the topic.
        clock: The time.
        sleep: Waits for seconds.
    """

    plan: Plan
    store: Store
    client: Callable[[str], Any]
    topic: str
    clock: Callable[[], datetime]
    sleep: Callable[[float], None] = time.sleep


class Run:
    """One run: a poll, or a command.

    Attributes:
        errors: What went wrong; nothing of it stopped the rest.
    """

    def __init__(self, around: Surroundings, owner: str, command: Command | None = None) -> None:
        self._around, self._owner, self._command = around, owner, command
        self._targets = Targets(around.plan, around.client)
        self._written = 0
        self._now_targets: dict[str, Target] = {}
        self.errors: list[str] = []

    def go(self) -> Answer | None:
        """Do it.

        Raises:
            BusyError: Another run is under way, and stays so.
        """
        kept = self._take()
        try:
            return self._decide_and_act(kept)
        finally:
            self._around.store.give_back(self._owner)

    def _take(self) -> Kept:
        """A poll leaves it to the next one; a person waits."""
        waits = _MOST_WAITS if self._command else 0
        for _ in range(waits):
            try:
                return self._around.store.take(self._owner, self._around.clock())
            except BusyError:
                self._around.sleep(_WAIT_SECONDS)
        return self._around.store.take(self._owner, self._around.clock())

    def _decide_and_act(self, kept: Kept) -> Answer | None:
        answer = None
        stops = self._command is not None and self._command.action == STOP_NOW
        command = self._command
        for _ in range(_ROUNDS_AT_ONCE if stops else 1):
            now = self._around.clock()
            decision = self._decision(kept, command, now)
            answer = answer or decision.answer
            if decision.state != kept.state or decision.actions or decision.notes:
                # Written before anything is done: a run that dies is repeated, never forgotten.
                kept = self._around.store.save(Kept(decision.state, kept.version), self._owner)
            kept = self._send(kept)
            self._remember_notes(decision, kept, now)
            if not decision.actions:
                break
            kept = self._act(kept, decision.actions, now)
            command = None
        return answer

    def _decision(self, kept: Kept, command: Command | None, now: datetime) -> Decision:
        state = kept.state
        targets: dict[str, Target] = {}
        if state.episodes or state.holds or command is not None:
            also = [
                Group(name=name, purchase="", driver=hold.driver, resource=hold.resource)
                for name, hold in state.holds.items()
            ]
            targets = self._targets.read(also)
            self.errors += [
                f"{name}: {target.detail}"
                for name, target in targets.items()
                if target.status == "unreadable"
            ]
        seen = self._around.store.observation()
        self._now_targets = targets
        return decide(state, seen, self._around.plan, now, command, targets)

    def _act(self, kept: Kept, actions: tuple[Action, ...], now: datetime) -> Kept:
        outcomes = [self._outcome(action) for action in actions]
        decision = record(kept.state, outcomes, self._around.plan, self._around.clock())
        kept = self._around.store.save(Kept(decision.state, kept.version), self._owner)
        for outcome in outcomes:
            self._remember(now, kept.version, _entry_of(outcome, self._around.plan))
        self._remember_notes(decision, kept, now)
        return self._send(kept)

    def _outcome(self, action: Action) -> Outcome:
        """Do one thing; what AWS refuses is told, and the others are done all the same."""
        if action.dry_run:
            return Outcome(action)
        target = self._now_targets.get(action.group, Target(status="gone"))
        if action.kind == ALLOW and target.status == "unreadable":
            return Outcome(action, error=target.detail)
        if action.kind == ALLOW and (why := _not_there(action, target)):
            had = action.before["desired"]
            return Outcome(
                action, remark=f"it is {why} now and was not touched; it had {had} nodes"
            )
        try:
            return Outcome(action, remark=self._do(action, target))
        except ASKING_ERRORS as error:
            self.errors.append(f"{action.kind} {action.group}: {error}")
            return Outcome(action, error=str(error))

    def _do(self, action: Action, target: Target) -> str | None:
        driver = self._targets.driver(action.driver)
        if action.kind == DENY:
            driver.deny_launches(action.resource, target)
        elif action.kind == CHECKPOINT:
            comment = f"checkpoint before {action.deadline}"
            self._tell(action.group, f"--deadline {action.deadline} {_REASON}", comment)
        elif action.kind == GO_ON:
            self._tell(action.group, "--cancel", "the checkpoint is called off")
        elif action.kind == ALLOW:
            remark = driver.restore(action.resource, target, action.before)
            return self._let_go_on(action) or remark
        else:
            driver.scale_in(action.resource, target)
        return None

    def _let_go_on(self, action: Action) -> str | None:
        """Call the drain of nodes off that run on; a group is released all the same if it fails."""
        if action.before["scaled_in"] or not action.before["told"]:
            return None
        try:
            self._tell(action.group, "--cancel", "the checkpoint is called off")
        except ASKING_ERRORS as error:
            return (
                f"its nodes could not be told to go on ({error}); run on each: trn-drain --cancel"
            )
        return None

    def _tell(self, group: str, options: str, comment: str) -> None:
        """Tell the group's nodes something, through Systems Manager."""
        plan = self._around.plan
        seconds = max(plan.checkpoint_minutes * 60, _SHORTEST_COMMAND_SECONDS)
        self._around.client("ssm").send_command(
            DocumentName="AWS-RunShellScript",
            Targets=[
                {"Key": f"tag:{CLUSTER_TAG}", "Values": [plan.cluster]},
                {"Key": f"tag:{NODE_GROUP_TAG}", "Values": [group]},
            ],
            Parameters={
                "commands": [f"{_DRAIN} {options}"],
                "executionTimeout": [str(seconds)],
            },
            Comment=comment,
            TimeoutSeconds=seconds,
            MaxConcurrency="100%",
            MaxErrors="100%",
        )

    def _send(self, kept: Kept) -> Kept:
        """Send what lies in the outbox; what is not sent stays there."""
        sent: list[str] = []
        for message in kept.state.outbox:
            try:
                self._around.client("sns").publish(
                    TopicArn=self._around.topic,
                    Subject=message.subject,
                    Message=words.by_protocol(message.subject, message.text),
                    MessageStructure="json",
                )
            except ASKING_ERRORS as error:
                self.errors.append(f"message {message.id}: {error}")
                break  # The order in which people read them is kept.
            sent.append(message.id)
        if not sent:
            return kept
        state = delivered(kept.state, sent, self._around.plan, self._around.clock())
        return self._around.store.save(Kept(state, kept.version), self._owner)

    def _remember_notes(self, decision: Decision, kept: Kept, now: datetime) -> None:
        for note in decision.notes:
            mode = self._around.plan.mode_of(note.key or "spend")
            self._remember(now, kept.version, {**note._asdict(), "mode": mode})

    def _remember(self, now: datetime, version: int, entry: dict[str, Any]) -> None:
        self._written += 1
        try:
            self._around.store.remember(now, version * 1000 + self._written, entry)
        except ASKING_ERRORS as error:
            self.errors.append(f"audit trail: {error}")


def _not_there(action: Action, target: Target) -> str:
    """Why what was held is not what is found now; empty: it is."""
    if target.status != "ok":
        return target.status
    return "" if target.resource == action.resource else f"replaced by {target.resource}"


def _entry_of(outcome: Outcome, plan: Plan) -> dict[str, Any]:
    action = outcome.action
    done = "would be done (dry run)" if action.dry_run else "done"
    return {
        "what": action.kind,
        "key": action.key,
        "group": action.group,
        "resource": action.resource,
        "by": "enforcer",
        "mode": plan.mode_of(action.key or "spend"),
        "cause": action.why,
        "before": action.before,
        "answer": outcome.error or outcome.remark or done,
    }
