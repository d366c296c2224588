"""`trnkit images refresh`: asks AWS what parameters hold, and writes it into locks.

Everything is asked first. A lock is written only when all answers are there, whole or not at all.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from trnkit.config.image_lock import MAX_IMAGES, ImageLock
from trnkit.config.yaml_reader import unreadable
from trnkit.errors import UnreadableInputError, UsageError
from trnkit.operations.image_facts import locked_from
from trnkit.operations.image_uses import image_uses, same_place
from trnkit.operations.lock_text import lock_text
from trnkit.operations.places import place_at, place_to_write
from trnkit.operations.whole_files import refuse_unwritable, write_whole
from trnkit.rules.judging.region_shape import is_region_shaped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import date

    from trnkit.aws.ec2 import Ec2Gateway, ImageDescription
    from trnkit.aws.session import AwsSession
    from trnkit.config import LockedImage
    from trnkit.findings import Finding
    from trnkit.operations.image_uses import ImageUses
    from trnkit.operations.planning.questions import Questions


@dataclass(frozen=True, slots=True, kw_only=True)
class Refreshed:
    """One entry of a lock, before and now.

    Attributes:
        lock_file: The lock, as a path from here.
        old: What stood there; None when nothing did.
        new: What the parameter holds.
    """

    lock_file: str
    old: LockedImage | None
    new: LockedImage

    @property
    def moved(self) -> bool:
        """Whether nodes would get another image."""
        return self.old is None or self.old.ami_id != self.new.ami_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Refresh:
    """What became of a refresh.

    Attributes:
        files: The cluster files, each once.
        findings: What cannot be read; then nothing was asked.
        entries: Every entry that was asked for.
        written: Locks that were written.
    """

    files: tuple[str, ...]
    findings: tuple[Finding, ...] = ()
    entries: tuple[Refreshed, ...] = ()
    written: tuple[str, ...] = ()

    @property
    def stale(self) -> bool:
        """Whether a lock is, or was, not what the parameters hold."""
        return any(entry.moved for entry in self.entries)


def refresh_images(
    files: Sequence[str],
    *,
    today: date,
    check: bool = False,
    most_seconds: float = 60.0,
    session: AwsSession | None = None,
    progress: Callable[[str], None] | None = None,
) -> Refresh:
    """Ask AWS what the parameters of cluster files hold, and write it into their locks.

    Entries of other clusters in the same locks stay as they are.

    Args:
        files: Cluster files.
        today: The day that new entries carry.
        check: Compare only; nothing is written.
        most_seconds: Seconds for all questions together; one without an answer by then has failed.
        session: Where AWS is asked; the credentials in use when left out.
        progress: Told each question as it is asked.

    Raises:
        UsageError: A name is empty, no file names a lock, or a region is none.
        UnreadableInputError: A lock cannot be written where it should be.
        AwsError: AWS refused, lacks a parameter, or could not be reached.
        ImageValueError: A parameter holds no id of an image.
    """
    found = image_uses(files)
    if found.findings:
        return Refresh(files=found.files, findings=tuple(found.findings))
    _refuse_regions(found)
    if not check:
        for shown in found.locks:
            _refuse_place(shown)
    answers = _ask(found, today, session, progress, most_seconds)
    shown_as: dict[str, str] = {}
    wanted: dict[str, dict[tuple[str, str], LockedImage]] = defaultdict(dict)
    for use in found.uses:
        place = same_place(use.lock_file)
        shown_as.setdefault(place, use.lock_file)
        key = (use.ssm_parameter, use.region)
        wanted[place][key] = answers[key]
    entries: list[Refreshed] = []
    texts: dict[str, str] = {}
    for place, images in wanted.items():
        shown = shown_as[place]
        before = {(i.ssm_parameter, i.region): i for i in _images(found.locks[shown])}
        entries += [
            Refreshed(lock_file=shown, old=before.get(key), new=new)
            for key, new in sorted(images.items())
        ]
        after = before | images
        if len(after) > MAX_IMAGES:
            raise UsageError(
                f"{shown} would hold {len(after)} images, and a lock takes {MAX_IMAGES}"
            )
        texts[shown] = lock_text(ImageLock(version=1, images=tuple(after.values())))
    written = () if check else tuple(shown for shown, text in texts.items() if _write(shown, text))
    return Refresh(files=found.files, entries=tuple(entries), written=written)


def _images(lock: ImageLock | None) -> Iterable[LockedImage]:
    return lock.images if lock else ()


def _refuse_regions(found: ImageUses) -> None:
    for use in found.uses:
        if not is_region_shaped(use.region):
            raise UsageError(f"{use.file}: region {use.region!r} is no Region, as us-east-2 is")


def _refuse_place(shown: str) -> None:
    """Say what stands in the way before AWS is asked; a lock that is there was read already."""
    target = place_to_write(shown)
    if place_at(target.parent, shown) != "folder":
        raise unreadable(shown, "its folder does not exist", "create the folder first")
    try:
        refuse_unwritable(target)
    except OSError as error:
        raise _unwritten(shown, error) from None


def _ask(
    found: ImageUses,
    today: date,
    session: AwsSession | None,
    progress: Callable[[str], None] | None,
    most_seconds: float,
) -> dict[tuple[str, str], LockedImage]:
    """Parameter and Region -> what it holds, one Region after the other.

    Raises:
        AwsFailure: The first question that has no answer.
    """
    # Imported here: boto3 is for commands that talk to AWS.
    from trnkit.aws.ec2 import Ec2Gateway
    from trnkit.aws.session import AwsSession
    from trnkit.aws.ssm import GET_PARAMETER, SsmGateway
    from trnkit.operations.planning.questions import Questions

    questions = Questions(most_seconds)
    session = session or AwsSession(most_seconds=most_seconds)
    by_region: dict[str, set[str]] = defaultdict(set)
    for use in found.uses:
        by_region[use.region].add(use.ssm_parameter)
    if by_region:
        session.credentials(min(by_region))
    answers: dict[tuple[str, str], LockedImage] = {}
    for region, names in sorted(by_region.items()):
        if progress:
            progress(f"ask {region}: {', '.join(sorted(names))}")
        ssm = SsmGateway(session, region)
        ec2 = _Images(questions, Ec2Gateway(session, region), region)
        values = [
            questions.ask(GET_PARAMETER, region, partial(ssm.parameter, name), about=name).answer()
            for name in sorted(names)
        ]
        for image in locked_from(values, ec2, region=region, today=today):
            answers[image.ssm_parameter, region] = image
    return answers


@dataclass(frozen=True, slots=True)
class _Images:
    """Images of a Region, asked with the end of all questions."""

    questions: Questions
    gateway: Ec2Gateway
    region: str

    def images(self, image_ids: Sequence[str]) -> dict[str, ImageDescription]:
        from trnkit.aws.ec2 import DESCRIBE_IMAGES

        ask = partial(self.gateway.images, image_ids)
        return self.questions.ask(DESCRIBE_IMAGES, self.region, ask).answer()


def _write(shown: str, text: str) -> bool:
    """Write a lock unless it says the same already."""
    target = place_to_write(shown)
    try:
        if target.is_file() and target.read_bytes() == text.encode():
            return False
        write_whole(target, text, replace=True)
    except OSError as error:
        raise _unwritten(shown, error) from None
    return True


def _unwritten(shown: str, error: OSError) -> UnreadableInputError:
    reason = error.strerror or str(error)
    return unreadable(shown, f"cannot be written: {reason}", "check path and permissions")
