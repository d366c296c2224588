"""What is done to drain a node, and to call it off, step by step."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

from trn_node_check.process import run_process

from .hooks import hooks_in, run_hook, trouble_with
from .journal import Journal, Step, complain, utc
from .settings import DrainSettings, SettingsError, read_settings
from .state import (
    NoLockError,
    StateError,
    called_off_by,
    is_called_off,
    only_one,
    read_state,
    remove_state,
    write_state,
)
from .targets import signal_target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FOLDER = "/etc/trnkit/drain.d"
CANCEL_FOLDER = "/etc/trnkit/drain-cancel.d"
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/aws/neuron/bin"
_WALL_SECONDS = 10.0
_CANCEL_WAIT_SECONDS = 30.0
_SHARE_OF_HOOKS = 0.5
"""Of the time that is left: what is signalled needs the rest to write its checkpoint."""

_DONE_BEFORE = ("ok", "skipped", "warning")


class _Task(NamedTuple):
    name: str
    do: Callable[[], Step]


class Drain:
    """One drain of this node: for the same deadline, each step is done once."""

    def __init__(self, root: str, deadline: int, reason: str) -> None:
        """Keep what is wanted.

        Args:
            root: What stands for `/`; empty on a node.
            deadline: When the node goes, in seconds since 1970.
            reason: Why, in a line.
        """
        self._root, self._deadline, self._reason = root, deadline, reason
        self._settings = DrainSettings()
        self._trouble = ""
        try:
            self._settings = read_settings(root)
        except SettingsError as error:
            # What can be done without them is done: people and hooks are told all the same.
            self._trouble = str(error)

    def run(self) -> bool:
        """Do it, and write down each step.

        Returns:
            Whether nothing failed.

        Raises:
            StateError: Another drain does not end.
        """
        try:
            with only_one(self._root, time.monotonic() + self._left()):
                return self._run()
        except NoLockError as error:
            # Twice is better than never.
            return self._run(Step("lock", "failed", str(error)))

    def plan(self) -> bool:
        """Say what would be done, and do nothing.

        Returns:
            Whether everything could be done.
        """
        journal = Journal(self._root, to_file=False)
        steps = [*self._plan_settings(), Step("state", "planned", f"until {utc(self._deadline)}")]
        if self._settings.wall:
            steps.append(Step("wall", "planned", self._words()))
        names, trouble = hooks_in(self._root, FOLDER)
        steps += [trouble] if trouble else []
        for name in names:
            within = f"within {self._settings.hook_seconds} s"
            said = trouble_with(self._root, FOLDER, name) or ("planned", within)
            steps.append(Step(f"hook:{name}", *said))
        environment = self._environment()
        for target in self._settings.targets:
            steps.append(signal_target(target, environment, dry_run=True))
        for step in steps:
            journal.tell(step, 0)
        return all(step.status != "failed" for step in steps)

    def _plan_settings(self) -> list[Step]:
        return [Step("settings", "failed", self._trouble)] if self._trouble else []

    def _run(self, trouble: Step | None = None) -> bool:
        journal = Journal(self._root, to_file=True)
        before = self._same_drain()
        if before and before.get("state") == "drained":
            failed = [step for step in before["steps"] if step.get("status") == "failed"]
            journal.tell(Step("drain", "skipped", "done for this deadline already"), 0)
            return not failed
        state: dict[str, Any] = before or {
            "schema": 1,
            "deadline": utc(self._deadline),
            "reason": self._reason,
            "began": utc(time.time()),
            "steps": [],
            "attempt": 0,
        }
        state["state"], state["attempt"] = "draining", state["attempt"] + 1
        done = {s["step"] for s in state["steps"] if s["status"] in _DONE_BEFORE}
        state["steps"] = [s for s in state["steps"] if s["step"] in done]
        # Before anything that takes time: jobs that look for the file see it first.
        trouble = self._keep(state) or trouble
        if trouble is not None:
            state["steps"].append(trouble.as_record())
            journal.tell(trouble, state["attempt"])
        begun = time.monotonic()
        for task in self._tasks(begun):
            if task.name in done:
                continue
            if is_called_off(self._root):
                journal.tell(Step("drain", "skipped", "called off"), state["attempt"])
                return True
            step = task.do()
            # What is told is done: whoever reads it may end this process.
            state["steps"].append(step.as_record())
            self._keep(state)
            journal.tell(step, state["attempt"])
        state["state"], state["ended"] = "drained", utc(time.time())
        self._keep(state)
        good = all(step["status"] != "failed" for step in state["steps"])
        end = Step("drain", "ok" if good else "failed", self._reason, time.monotonic() - begun)
        journal.tell(end, state["attempt"])
        return good

    def _keep(self, state: dict[str, Any]) -> Step | None:
        """Write the state; where that cannot be, hooks and signals are all that tells anybody."""
        try:
            write_state(self._root, state)
        except StateError as error:
            complain(str(error))
            return Step("state", "failed", str(error))
        return None

    def _same_drain(self) -> dict[str, Any] | None:
        try:
            found = read_state(self._root)
        except StateError:
            return None  # Not what this program writes: it is written anew.
        return found if found and found.get("deadline") == utc(self._deadline) else None

    def _tasks(self, begun: float) -> Iterator[_Task]:
        if self._trouble:
            yield _Task("settings", lambda: Step("settings", "failed", self._trouble))
        if self._settings.wall:
            yield _Task("wall", lambda: _wall(self._words(), self._environment()))
        hooks_end = begun + self._left() * _SHARE_OF_HOOKS
        names, trouble = hooks_in(self._root, FOLDER)
        if trouble is not None:
            yield _Task("hooks", lambda: trouble)
        for name in names:
            yield _Task(f"hook:{name}", lambda name=name: self._hook(name, hooks_end))
        for target in self._settings.targets:
            yield _Task(
                f"signal:{target.name}",
                lambda target=target: signal_target(target, self._environment(), dry_run=False),
            )

    def _hook(self, name: str, hooks_end: float) -> Step:
        until = min(time.monotonic() + self._settings.hook_seconds, hooks_end)
        return run_hook(self._root, FOLDER, name, self._environment(), until)

    def _left(self) -> float:
        return max(0.0, self._deadline - time.time())

    def _environment(self) -> dict[str, str]:
        return {
            **_environment(self._root, self._reason),
            "DEADLINE": utc(self._deadline),
            "SECONDS_LEFT": str(int(self._left())),
        }

    def _words(self) -> str:
        minutes = int(self._left() // 60)
        return (
            f"This node goes at {utc(self._deadline)}, in {minutes} minutes: {self._reason}. "
            "Write a checkpoint and stop."
        )


def called_off(root: str, reason: str) -> bool:
    """Say that the node stays, and run the hooks for that.

    Returns:
        Whether nothing failed.

    Raises:
        StateError: A drain is running and does not end after its present step, or the state
            cannot be removed.
    """
    journal, environment = Journal(root, to_file=True), _environment(root, reason)
    until = time.monotonic() + _hook_seconds(root) + _CANCEL_WAIT_SECONDS
    with called_off_by(root, until), only_one(root, until):
        try:
            nothing = read_state(root) is None
        except StateError:
            nothing = False  # Something is there, and it goes.
        if nothing:
            journal.tell(Step("cancel", "skipped", "nothing is drained"), 0)
            return True
        remove_state(root)
        settings, steps = DrainSettings(), []
        try:
            settings = read_settings(root)
        except SettingsError as error:
            steps.append(Step("settings", "failed", str(error)))
        if settings.wall:
            steps.append(_wall(f"This node stays: {reason}.", environment))
        names, trouble = hooks_in(root, CANCEL_FOLDER)
        steps += [trouble] if trouble else []
        for name in names:
            until = time.monotonic() + settings.hook_seconds
            steps.append(run_hook(root, CANCEL_FOLDER, name, environment, until))
        good = all(step.status != "failed" for step in steps)
        for step in (*steps, Step("cancel", "ok" if good else "failed", reason)):
            journal.tell(step, 1)
        return good


def _hook_seconds(root: str) -> int:
    """How long the step at which a drain is may take."""
    try:
        return read_settings(root).hook_seconds
    except SettingsError:
        return DrainSettings().hook_seconds


def _environment(root: str, reason: str) -> dict[str, str]:
    path = f"{root}/usr/bin:{_PATH}" if root else _PATH
    return {"PATH": path, "HOME": "/root", "LC_ALL": "C.UTF-8", "REASON": reason}


def _wall(words: str, environment: dict[str, str]) -> Step:
    command = ["wall", words]
    answer = run_process(command, name="wall", environment=environment, seconds=_WALL_SECONDS)
    if answer.good:
        return Step("wall", "ok", words)
    # People who are not told lose no work by it: jobs are told otherwise.
    return Step("wall", "warning", answer.trouble)
