"""How enforcement stands, in lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trnkit.report.words import count_of, on_one_line

if TYPE_CHECKING:
    from trnkit.operations.guard_answer import GuardAnswer


def status_lines(answer: GuardAnswer) -> list[str]:
    """What it says, then state, plan, the next step and when: a line of the terminal each."""
    said = [] if not answer.text else [answer.text if answer.done else f"no: {answer.text}"]
    stands = _standing(answer.status) if answer.status else []
    failed = [f"  failed, tried again: {error}" for error in answer.errors]
    return [on_one_line(line) for line in (*said, *stands, *failed)]


def _standing(told: dict[str, Any]) -> list[str]:
    modes = [f"spending {told['mode'] or 'off'}", f"idle groups {told['idle_mode'] or 'off'}"]
    lines = [f"cluster {told['cluster']}: {told['stage']} ({', '.join(modes)})"]
    lines += _plan(told["plan"], told["mode"]) + _observation(told["observation"])
    for episode in told["episodes"]:
        lines += _episode(episode)
    lines += [f"  held: {name}, {_before(hold)}" for name, hold in told["held"].items()]
    for key, allowed in told["allowed"].items():
        more = "" if allowed["up_to"] is None else f" or ${allowed['up_to']:,.2f}"
        lines.append(f"  allowed by {allowed['by']}: {key} until {allowed['until']}{more}")
    if not told["episodes"]:
        lines.append("  next: nothing, unless a limit is passed")
    if told["unsent_messages"]:
        lines.append(f"  not sent yet: {count_of(told['unsent_messages'], 'message')}")
    return lines


def trail_lines(answer: GuardAnswer) -> list[str]:
    """The audit trail, an entry a line, the latest first."""
    lines: list[str] = []
    for entry in answer.trail:
        about = " ".join(str(entry[name]) for name in ("group", "key") if entry.get(name))
        said = entry.get("answer") or entry.get("cause") or ""
        line = f"{entry['at']}  {entry.get('what')}  {about or '-'}  by {entry.get('by')}"
        lines.append(f"{line}  ({entry.get('mode') or 'off'})  {said}")
    return [on_one_line(line) for line in lines] or ["nothing was decided yet"]


def _plan(plan: dict[str, Any], mode: str | None) -> list[str]:
    limits: list[str] = []
    if mode and plan["at_usd"] is not None:
        limits.append(f"${plan['at_usd']:,.2f} in the month")
    if mode and plan["at_spend_rate_usd_per_hour"] is not None:
        limits.append(f"${plan['at_spend_rate_usd_per_hour']:,.2f} an hour")
    lines = [f"  limits: {' or '.join(limits)}"] if limits else []
    lines.append(
        f"  then: warn, {plan['grace_minutes']} min, deny launches, checkpoint, "
        f"{plan['checkpoint_minutes']} min, scale in to zero"
    )
    if plan["stops_when_idle"]:
        lines.append(f"  idle for {plan['idle_minutes']} min: {', '.join(plan['stops_when_idle'])}")
    lines.append(f"  touches: {', '.join(plan['would_touch']) or 'none'}")
    if plan["never_touched"]:
        lines.append(f"  never touches: {', '.join(plan['never_touched'])}")
    return lines


def _observation(seen: dict[str, Any] | None) -> list[str]:
    if seen is None:
        return ["  the watchdog has seen nothing yet"]
    old = "" if seen["is_fresh"] else ", TOO OLD: no stage begins"
    lines = [
        f"  seen at {seen['at']}{old}: ${seen['month_to_date_usd']:,.2f} in {seen['month']}, "
        f"${seen['spend_rate_usd_per_hour']:,.2f} an hour"
    ]
    if seen["unpriced_instances"]:
        unpriced = count_of(seen["unpriced_instances"], "instance")
        lines.append(f"  not counted: {unpriced} without a known price")
    return [*lines, *(f"  not seen: {fault}" for fault in seen["faults"])]


def _episode(episode: dict[str, Any]) -> list[str]:
    what = "spending" if episode["key"] == "spend" else episode["key"].replace(":", " group ")
    dry = " (dry run)" if episode["dry_run"] else ""
    step, when = episode["next"]["step"], episode["next"]["not_before"]
    lines = [
        f"  {what}{dry}: {episode['stage']}, begun {episode['began']}: {episode['cause']}",
        f"    next: {step}{f', not before {when}' if when else ''}",
    ]
    for name, progress in episode["groups"].items():
        failing = f", failing at {progress['failing']}" if progress["failing"] else ""
        reason = f" ({progress['reason']})" if progress["reason"] else ""
        lines.append(f"    {name}: {progress['step'] or 'nothing done yet'}{reason}{failing}")
    return lines


def _before(hold: dict[str, Any]) -> str:
    by = ", ".join(hold["by"]) or "being released"
    return f"{hold['before']['desired']} nodes before, by {by}"
