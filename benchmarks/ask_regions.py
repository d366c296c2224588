"""How long `trnkit plan` over ten Regions and `trnkit preflight` take, with 150 ms a call.

    python -m benchmarks.ask_regions [RUNS]

The commands run as processes, against an AWS on 127.0.0.1 that answers each call after 150 ms and,
in the second half, throttles every tenth. A chain is a question after the other, where each waits
for the one before: the longest that a single Region's questions, or a single check, makes when it
is asked alone, with nothing else under way, its clients made and its connections open. Runs take
turns, and the smallest time of each counts. To hold, on a machine that does nothing else: the whole
command takes at most 4 times the longest chain, start of Python and all, and so does asking under
throttling, from the first question to the last answer. The start is the same command, refused
before it asks.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections import defaultdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.against_aws.command import ACCESS_KEY, SECRET, CommandLine  # noqa: E402
from tests.aws_server.account import aws_for_examples  # noqa: E402
from tests.aws_server.faults import Fault, Rule  # noqa: E402
from tests.aws_server.market import TEN_REGIONS  # noqa: E402
from trnkit.aws.session import AwsSession  # noqa: E402
from trnkit.config import load_cluster  # noqa: E402
from trnkit.operations.planning.asking import ask_markets  # noqa: E402
from trnkit.operations.planning.market import NodeNeed  # noqa: E402
from trnkit.operations.planning.request import PlanRequest  # noqa: E402
from trnkit.operations.preflight.account import AccountView  # noqa: E402
from trnkit.operations.preflight.check import list_checks  # noqa: E402
from trnkit.operations.preflight.running import run_checks  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.aws_server.server import AwsServer, Call

LATENCY = 0.15
MOST = 4.0
EXAMPLE = ROOT / "examples" / "trn2-pretrain.yaml"
PLAN = ("plan", "--instance-type", "trn1.32xlarge", "--count", "4", "--hours", "168", "--regions")
COMMANDS = {
    "plan": (*PLAN, ",".join(TEN_REGIONS), "--format", "json"),
    "preflight": ("preflight", str(EXAMPLE), "--format", "json"),
}
NOTHING = {
    "plan": ("plan", "--instance-type", "trn1.32xlarge", "--count", "4", "--regions", "nowhere"),
    "preflight": ("preflight", str(EXAMPLE), "--only", "nothing"),
}
"""The same commands, ended before anything is asked."""


def plan_chain(session: AwsSession, aws: AwsServer) -> float:
    """Seconds of the slowest Region, each asked alone."""
    need = NodeNeed(instance_type="trn1.32xlarge", count=4)
    ways = frozenset({"on-demand", "on-demand-reservation", "spot", "capacity-block"})
    slowest = 0.0
    for region in TEN_REGIONS:
        request = PlanRequest(regions=(region,), needs=(need,), purchases=ways, hours=168)
        slowest = max(slowest, _span(aws, partial(ask_markets, request, session, most_seconds=60)))
    return slowest


def preflight_chain(session: AwsSession, aws: AwsServer) -> float:
    """Seconds of the slowest check, each run alone."""
    cluster = load_cluster(EXAMPLE).config
    slowest = 0.0
    for check in list_checks():
        account = AccountView(cluster, session)
        slowest = max(slowest, _span(aws, partial(run_checks, [check], account, most_seconds=60)))
    return slowest


def _span(aws: AwsServer, ask: Callable[[], object]) -> float:
    """Seconds from the first question of something to its last answer."""
    with aws.wrong(latency=LATENCY) as calls:
        ask()
    return span_of(calls)


def span_of(calls: list[Call]) -> float:
    """Seconds from the first question to the last answer; 0 without any."""
    return max((c.ended for c in calls), default=0) - min((c.began for c in calls), default=0)


def measure(aws: AwsServer, runs: int) -> dict[str, dict[str, float]]:
    """The smallest times of each command, by what was measured."""
    best: dict[str, dict[str, float]] = defaultdict(dict)

    def keep(name: str, what: str, seconds: float) -> None:
        best[name][what] = min(best[name].get(what, seconds), seconds)

    session = AwsSession()
    with tempfile.TemporaryDirectory() as home:
        trnkit = CommandLine(aws.endpoint, Path(home))
        for _ in range(runs + 1):
            keep("plan", "chain", plan_chain(session, aws))
            keep("preflight", "chain", preflight_chain(session, aws))
            for name, arguments in COMMANDS.items():
                keep(name, "start", trnkit(*NOTHING[name]).seconds)
                for more, rules in (
                    ("", ()),
                    (" throttled", (Rule(fault=Fault.THROTTLED, every=10),)),
                ):
                    with aws.wrong(*rules, latency=LATENCY) as calls:
                        done = trnkit(*arguments)
                    assert done.code == 0, done.stdout
                    keep(name, f"asking{more}", span_of(calls))
                    keep(name, f"command{more}", done.seconds)
                    keep(name, f"calls{more}", len(calls))
    assert not aws.problems, "\n".join(aws.problems)
    return best


def main() -> None:
    """Measure and print a table; exit code 1 when a number is not held."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with aws_for_examples() as aws:
        os.environ.update(
            AWS_ACCESS_KEY_ID=ACCESS_KEY,
            AWS_SECRET_ACCESS_KEY=SECRET,
            AWS_ENDPOINT_URL=aws.endpoint,
        )
        best = measure(aws, runs)
    print(f"{'':10} {'':18} {'s':>7} {'x chain':>8} {'calls':>6}")
    held = True
    for name, told in best.items():
        chain = told["chain"]
        for what in (
            "chain",
            "start",
            "asking",
            "command",
            "asking throttled",
            "command throttled",
        ):
            calls = told.get(f"calls{what.removeprefix('asking').removeprefix('command')}", "")
            print(f"{name:10} {what:18} {told[what]:7.2f} {told[what] / chain:8.2f} {calls:>6}")
        numbers = {
            "command / chain": told["command"] / chain,
            "asking throttled / chain": told["asking throttled"] / chain,
        }
        for what, number in numbers.items():
            held = held and number <= MOST
            word = "held" if number <= MOST else "NOT HELD"
            print(f"{name:10} {word}: {what} = {number:.2f}, at most {MOST:g}")
    sys.exit(not held)


if __name__ == "__main__":
    main()
