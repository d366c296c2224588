"""Whatever happens in whatever order: what is never done, and what always is."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.constructs_lib.cost.enforcer.world import BEGIN, SIZES, World

OURS, OTHERS = ("train", "tune"), ("serve", "block")
GROUPS = st.sampled_from(OURS)


class Evenings(RuleBasedStateMachine):
    """A month of evenings, with people who change their minds and an AWS that is not always there.

    Attributes:
        wanted: The size that people gave each group last.
        warned: When the warning of an episode that is under way was delivered.
        hurried: Whether somebody wanted it now.
        last_step: What was done last to each group, for the order of steps.
    """

    @initialize(
        mode=st.sampled_from(["automatic", "automatic", "approval", "dry-run"]),
        grace=st.sampled_from([0, 15, 60]),
        checkpoint=st.sampled_from([0, 10]),
    )
    def begin(self, mode, grace, checkpoint):
        self.world = World(
            mode=mode, idle_mode=mode, grace_minutes=grace, checkpoint_minutes=checkpoint
        )
        self.wanted, self.warned, self.hurried = dict(SIZES), {}, False
        self.approved = False
        self.wrong = []
        world = self.world
        write, publish = world.scaling._write, world.sns.publish

        def watched_write(operation, name):
            found = write(operation, name)
            self._judge(operation, name.removeprefix("asg-"))
            return found

        def watched_publish(**message):
            publish(**message)
            subject = message["Subject"].partition("] ")[2]
            if "nodes will be stopped" in subject:
                key = subject.partition(":")[0]
                self.warned["spend" if key == "spending" else f"idle:{key.split()[-1]}"] = world.now

        world.scaling._write, world.sns.publish = watched_write, watched_publish
        self.releasing = False

    def _judge(self, operation, group):
        world, plan = self.world, self.world.plan
        if group in OTHERS:
            self.wrong.append(f"{operation} of the protected group {group}")
        if plan.mode == "dry-run":
            self.wrong.append(f"{operation} of {group} in a dry run")
        if operation == "update" and not self.releasing and not world.is_denied(group):
            self.wrong.append(f"{group} scaled in before its launches were denied")
        if operation == "suspend" and not self.hurried:
            grace = timedelta(minutes=plan.grace_minutes)
            keys = [key for key in ("spend", f"idle:{group}") if key in self.warned]
            if not any(world.now - self.warned[key] >= grace for key in keys):
                self.wrong.append(f"{group} denied before its grace time was over")
            if plan.mode == "approval" and not self.approved:
                self.wrong.append(f"{group} denied without approval")

    def _after(self):
        """A warning counts for the episode that it began; a group is restored only if none is."""
        episodes = self.world.state.episodes
        self.warned = {key: at for key, at in self.warned.items() if key in episodes}
        if "spend" not in episodes:
            self.hurried = False
        if not episodes:
            self.approved = False
        self.releasing = any(not hold.by for hold in self.world.state.holds.values())

    @rule(polls=st.integers(1, 16))
    def time_passes(self, polls):
        for _ in range(polls):
            self.world.pass_time()
            self._after()

    @rule(spent=st.sampled_from([0.0, 900.0, 1000.0, 1300.0, 2000.0]))
    def the_months_money(self, spent):
        self.world.spent = spent

    @rule(rate=st.sampled_from([5.0, 699.0, 700.0, 900.0]))
    def the_rate(self, rate):
        self.world.rate = rate

    @rule(group=GROUPS, idle=st.booleans())
    def work(self, group, idle):
        self.world.idle.pop(group, None)
        if idle:
            self.world.idle[group] = self.world.now

    @rule(operation=st.sampled_from(["suspend", "resume", "update", "describe"]), group=GROUPS)
    def aws_throttles(self, operation, group):
        broken = operation if operation == "describe" else (operation, group)
        self.world.scaling.broken ^= {broken}

    @rule()
    def the_topic_is_deaf_or_not(self):
        self.world.sns.broken = not self.world.sns.broken

    @rule()
    def systems_manager_is_there_or_not(self):
        self.world.ssm.broken = not self.world.ssm.broken

    @rule()
    def the_watchdog_is_there_or_not(self):
        self.world.watching = not self.world.watching

    @rule(action=st.sampled_from(["approve", "call-off", "stop-now", "status of nobody"]))
    def somebody_wants(self, action):
        if action == "status of nobody":
            return
        self.hurried = self.hurried or action == "stop-now"
        self.approved = self.approved or action == "approve"
        self.world.run(action)
        self._after()

    @rule(group=GROUPS, size=st.integers(1, 4))
    def somebody_changes_a_size(self, group, size):
        hold = self.world.state.holds.get(group)
        if hold is None or not hold.scaled_in:
            self.world.scaling.groups[group]["DesiredCapacity"] = size
            self.wanted[group] = size

    @rule()
    def it_runs_again_at_once(self):
        world = self.world
        world.see()
        world.run()
        self._after()
        # Without any grace time what was warned of begins with the next run.
        calm = ("held",) if world.plan.grace_minutes == 0 else ("held", "warned")
        if not world.errors and all(e.stage in calm for e in world.state.episodes.values()):
            before = (len(world.scaling.calls), len(world.sns.given), world.table.text)
            world.run()
            assert before == (len(world.scaling.calls), len(world.sns.given), world.table.text)

    @rule()
    def all_is_well_and_somebody_releases(self):
        world = self.world
        world.scaling.broken, world.sns.broken, world.ssm.broken = set(), False, False
        world.watching, world.spent, world.rate, world.idle = True, 0.0, 5.0, {}
        self.releasing = True
        world.run("release")
        self._after()
        for group in SIZES:
            assert world.size(group) == self.wanted[group]
            assert not world.is_denied(group)
        assert world.state.holds == {}
        assert world.state.episodes == {}

    @precondition(lambda self: self.world.state.allowances)
    @rule()
    def the_month_ends(self):
        self.world.now = BEGIN + timedelta(days=30) + (self.world.now - BEGIN)

    @invariant()
    def nothing_wrong_was_done(self):
        if hasattr(self, "world"):
            assert self.wrong == []
            assert all(self.world.size(group) == SIZES[group] for group in OTHERS)


Evenings.TestCase.settings = settings(
    max_examples=60,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
test_whatever_happens = Evenings.TestCase
