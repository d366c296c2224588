"""Links of a Lustre file system to S3, and the backups that they exclude."""

from __future__ import annotations

from trnkit.catalog import storage_limits
from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection

OLD_LINKS = ("ImportPath", "ExportPath", "AutoImportPolicy", "ImportedFileChunkSize")
"""Settings of the older kind of link, which the file system itself has."""


def judge_old_link(
    key: str, deployment_type: str | None, *, has_associations: bool, associations: str
) -> Objection | None:
    """Judge a setting of the older kind of link.

    Args:
        key: Its name.
        deployment_type: The file system's; None is not known.
        has_associations: Whether it has links of the newer kind too.
        associations: Where the newer kind is written.
    """
    if not has_associations and deployment_type != "PERSISTENT_2":
        return None
    reason = "PERSISTENT_2" if deployment_type == "PERSISTENT_2" else "an association"
    text = f"has {key}, which FSx refuses together with {reason}"
    return Objection(text, f"remove {key}; link S3 with {associations}")


def judge_linked_backups(key: str, days: int | None) -> tuple[Severity, Objection]:
    """What is wrong with automatic backups of a file system that is linked to S3."""
    off = days == 0
    effect = "the next change of the stack then fails" if off else "FSx has no backups of it"
    shown = "" if days is None else str(days)
    text = f"has {key} {shown} and is linked to S3; {effect}"
    hint = f"remove {key}, also when it is 0"
    return Severity.WARNING if off else Severity.ERROR, Objection(text, hint)


def judge_retention(days: int, deployment_type: str) -> Objection | None:
    """Judge how long automatic backups are kept; 0 is none at all."""
    if days == 0:
        return None
    most = storage_limits().lustre_backup_days
    if not 0 < days <= most:
        text = f"is {days}; FSx keeps backups for 0 to {most} days"
        return Objection(text, f"take at most {most}")
    if deployment_type.startswith("SCRATCH"):
        text = f"is {days}, but {deployment_type} has no backups"
        return Objection(text, "remove it, or take a PERSISTENT type")
    return None
