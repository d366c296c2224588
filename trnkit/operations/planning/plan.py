"""`trnkit plan`: reads what is wanted, asks AWS what it has, and ranks the options."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from trnkit.aws.failures import AwsFailure
from trnkit.catalog import only_described_types
from trnkit.catalog.price_book import PriceBook
from trnkit.config.input_bytes import read_bytes
from trnkit.config.loader import MAX_BYTES, decode_cluster
from trnkit.errors import AwsError, ConfigurationError, UnreadableInputError, UsageError
from trnkit.findings import Severity, sort_findings
from trnkit.layout.price_book import price_book
from trnkit.operations.places import refuse_empty
from trnkit.operations.planning.aim import (
    EVERY,
    aim_of_file,
    aim_of_type,
    refuse_contradictions,
    stops_plan,
)
from trnkit.operations.planning.fit import misfits
from trnkit.operations.planning.options import Verdict
from trnkit.operations.planning.ranking import Wanted, rank
from trnkit.operations.planning.remarks import of_request, of_unknown_types
from trnkit.operations.planning.request import PlanRequest
from trnkit.operations.planning.unanswered import unanswered
from trnkit.rules import check_cluster

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trnkit.aws.session import AwsSession
    from trnkit.config import ClusterFile
    from trnkit.findings import Finding
    from trnkit.operations.planning.aim import PlanAim, PlanOptions
    from trnkit.operations.planning.market import RegionMarket
    from trnkit.operations.planning.options import Option
    from trnkit.operations.planning.unanswered import Unanswered

_FIRST_REGION = "us-east-1"
MOST_SECONDS = 60.0
"""For all Regions together, unless told otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedFile:
    """A cluster file as it was when it was read.

    Attributes:
        cluster: What it says.
        raw: Its bytes.
        findings: What `trnkit check` says of it.
    """

    cluster: ClusterFile
    raw: bytes
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What became of it.

    Attributes:
        options: Every option, the best first.
        findings: Of the file. Errors about its place alone do not keep AWS from being asked.
        unanswered: What AWS did not answer.
        file: The cluster file.
        request: What AWS was asked; None when it was not.
        asked_at: When it was asked.
        remarks: What the plan leaves out, and why.
    """

    options: tuple[Option, ...] = ()
    findings: tuple[Finding, ...] = ()
    unanswered: tuple[Unanswered, ...] = ()
    file: PlannedFile | None = None
    request: PlanRequest | None = None
    asked_at: datetime
    remarks: tuple[str, ...] = field(default=())

    @property
    def found(self) -> bool:
        """Whether something can be had, as far as was asked."""
        return any(option.verdict is Verdict.CAN for option in self.options)


def plan(
    said: PlanOptions,
    *,
    most_seconds: float = MOST_SECONDS,
    session: AwsSession | None = None,
    progress: Callable[[RegionMarket], None] | None = None,
    now: datetime | None = None,
) -> Plan:
    """Compare Regions, zones and ways to buy.

    Args:
        said: What the user wants.
        most_seconds: Seconds for all Regions together; what has no answer by then is unknown.
        session: Where AWS is asked; the credentials in use when left out.
        progress: Told each Region as it is done.
        now: The time; the machine's when left out.

    Raises:
        UsageError: The options contradict each other.
        AwsError: There are no credentials, or no question got any answer.
    """
    refuse_contradictions(said)
    moment = now or datetime.now(UTC)
    word_for_word, said = said, _from_now_on(said, moment)
    if said.file is None:
        aim = _remarked(word_for_word, aim_of_type(said), moment)
        return _asked(said, aim, None, most_seconds, session, progress, moment)
    try:
        planned = _read(said.file)
    except UnreadableInputError as error:
        return Plan(findings=(error.finding,), asked_at=moment)
    except ConfigurationError as error:
        return Plan(findings=error.findings, asked_at=moment)
    if any(stops_plan(finding) for finding in planned.findings):
        return Plan(findings=planned.findings, file=planned, asked_at=moment)
    aim = _remarked(word_for_word, aim_of_file(said, planned.cluster, moment), moment)
    with only_described_types(planned.cluster.described_types):
        return _asked(said, aim, planned, most_seconds, session, progress, moment)


def _remarked(said: PlanOptions, aim: PlanAim, moment: datetime) -> PlanAim:
    return replace(aim, remarks=(*aim.remarks, *of_request(said, aim, moment)))


def _from_now_on(said: PlanOptions, moment: datetime) -> PlanOptions:
    """The same without an earliest start that is over, which EC2 refuses and nobody needs.

    Raises:
        UsageError: The latest start is over.
    """
    if said.latest is not None and said.latest <= moment:
        raise UsageError("--start-before is in the past: no Capacity Block starts then")
    is_over = said.earliest is not None and said.earliest <= moment
    return replace(said, earliest=None) if is_over else said


def _read(file: str) -> PlannedFile:
    refuse_empty([file], "cluster file")
    start = "trnkit init writes a commented one to start from"
    folder = "name the cluster file in it"
    raw = read_bytes(file, file, most=MAX_BYTES, folder=folder, missing=start)
    cluster = decode_cluster(raw, file)
    findings = sort_findings(check_cluster(cluster))
    return PlannedFile(cluster=cluster, raw=raw, findings=findings)


def _asked(
    said: PlanOptions,
    aim: PlanAim,
    planned: PlannedFile | None,
    most_seconds: float,
    session: AwsSession | None,
    progress: Callable[[RegionMarket], None] | None,
    moment: datetime,
) -> Plan:
    # Imported here: boto3 is for commands that talk to AWS.
    from trnkit.aws.session import AwsSession
    from trnkit.operations.planning import asking

    session = session or AwsSession(most_seconds=most_seconds)
    regions = _regions(said, aim, session)
    request = PlanRequest(
        regions=regions,
        needs=aim.needs,
        purchases=frozenset(name for way in aim.ways for name in way.purchases),
        hours=aim.hours,
        earliest=aim.earliest,
        latest=aim.latest,
        services=aim.services,
        data_region=aim.data_region,
        cluster=aim.cluster,
        book=price_book(planned.cluster.config) if planned else PriceBook(),
    )
    markets = asking.ask_markets(
        request, session, most_seconds=most_seconds, progress=progress, now=moment
    )
    session.close()
    failures = unanswered(markets)
    if not session.answered and failures:
        raise AwsError(f"AWS could not be asked: {failures[0].message}")
    findings = planned.findings if planned else ()
    wanted = Wanted(
        request=request,
        ways=aim.ways,
        asked_at=moment,
        reserved=aim.reserved,
        data_uses=aim.data_uses,
        misfits=misfits(planned.cluster, planned.findings, markets) if planned else {},
        has_file=planned is not None,
        standing=aim.standing,
    )
    return Plan(
        options=rank(wanted, markets),
        findings=tuple(f for f in findings if f.severity is Severity.ERROR),
        unanswered=failures,
        file=planned,
        request=request,
        asked_at=moment,
        remarks=(*aim.remarks, *of_unknown_types(aim, markets), *_left_out(markets)),
    )


def _left_out(markets: Sequence[RegionMarket]) -> tuple[str, ...]:
    """What AWS offered and cannot mean; two node groups that want the same say it once."""
    remarks = [kind.blocks_remark for market in markets for kind in market.types]
    return tuple(dict.fromkeys(filter(None, remarks)))


def _regions(said: PlanOptions, aim: PlanAim, session: AwsSession) -> tuple[str, ...]:
    """The Regions to compare: those named, or those that are known to have what is wanted.

    Raises:
        AwsError: There are no credentials, or AWS did not say which Regions there are.
    """
    from trnkit.operations.planning import default_regions as places

    named = tuple(name for name in said.regions if name != EVERY)
    home = aim.home or (named[0] if named else session.default_region or _FIRST_REGION)
    session.credentials(home)
    if named:
        return tuple(dict.fromkeys(named))
    every = EVERY in said.regions
    if aim.stays and aim.home and not every:
        return (aim.home,)
    types = [need.instance_type for need in aim.needs]
    found = places.default_regions(session, types, home, every=every)
    if isinstance(found, AwsFailure):
        raise found
    # The file's own Region is compared even where nothing is known to be offered.
    return tuple(dict.fromkeys([*filter(None, [aim.home]), *found]))
