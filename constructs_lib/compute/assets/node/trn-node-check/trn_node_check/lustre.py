"""Lustre's client: its connections to the servers, and the network it reaches them by."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .outcome import Outcome, failed, passed, skipped, unknown, warned

if TYPE_CHECKING:
    from .expected import Expected
    from .machine import Machine

AS_ROOT = "run this check as root: sudo trn-node-check"
_STATE = re.compile(
    r"^([a-z]+)\.(\S+?)\.state=[ \t]*(?:\n[ \t]*)?current_state:[ \t]*(\w+)", re.MULTILINE
)
_DEVICE = re.compile(r"^[ \t]*\d+[ \t]+(\S+)[ \t]+(mgc|mdc|osc)[ \t]+(\S+)", re.MULTILINE)
_GOOD = {"FULL", "IDLE"}
"""IDLE: connected on demand, after a while without use."""


def check_servers(machine: Machine, expected: Expected) -> list[Outcome]:
    """The client is connected to every server of its file systems."""
    if not any(mount.kind == "lustre" for mount in expected.mounts):
        return [skipped("no Lustre mount is expected")]
    wanted = "all servers connected"
    listed = machine.run("lctl", "dl")
    if not listed.good:
        remedy = "install the Lustre client" if listed.ending == "missing" else AS_ROOT
        return [unknown(listed.trouble, wanted, remedy)]
    devices = _DEVICE.findall(listed.output)
    if not devices:
        return [unknown("lctl dl lists no client device", wanted, AS_ROOT)]
    states = machine.run("lctl", "get_param", "mdc.*.state", "osc.*.state")
    found = {(kind, name): state for kind, name, state in _STATE.findall(states.output)}
    away = {_target(name): state for (_, name), state in found.items() if state not in _GOOD}
    away.update({_target(name): state for state, _, name in devices if state != "UP"})
    servers = sum(kind in ("mdc", "osc") for _, kind, _ in devices)
    remedy = "`sudo lctl ping` the server; look at the file system's state and security group"
    if away:
        several = ", ".join(f"{name} is {state}" for name, state in sorted(away.items())[:6])
        return [failed(f"{len(away)} of {servers} servers are away: {several}", wanted, remedy)]
    if not found and not states.good:
        return [unknown(f"{servers} devices are up; {states.trouble}", wanted, AS_ROOT)]
    return [passed(f"{servers} servers connected", wanted)]


def _target(name: str) -> str:
    """`fs-OST0001` of `fs-OST0001-osc-ffff90523b0ed800`."""
    return re.sub(r"-(mdc|osc)-\w+$", "", name)


def check_network(machine: Machine, expected: Expected) -> list[Outcome]:
    """Lustre goes over EFA where it should; else it still works, over TCP and slower."""
    if not any(mount.kind == "lustre" and mount.efa for mount in expected.mounts):
        return [skipped("no Lustre over EFA is expected")]
    wanted = "LNet on efa, up"
    answer = machine.run("lnetctl", "net", "show", "--net", "efa")
    if answer.ending == "missing":
        return [unknown(answer.trouble, wanted, "install the Lustre client")]
    if answer.ending != "ended":
        return [unknown(answer.trouble, wanted, "run `sudo lnetctl net show` by hand")]
    if not answer.good and "ermission" in answer.errors and not machine.is_root:
        return [unknown(answer.trouble, wanted, AS_ROOT)]
    interfaces = _efa_states(answer.output)
    remedy = "`sudo systemctl restart trnkit-lustre-efa.service`, then mount the file systems again"
    if not interfaces:
        return [warned("LNet has no efa network: Lustre goes over TCP", wanted, remedy)]
    down = [state for state in interfaces if state != "up"]
    if down:
        found = f"{len(down)} of {len(interfaces)} efa interfaces of LNet are {down[0]}"
        return [warned(found, wanted, remedy)]
    return [passed(f"{len(interfaces)} efa interfaces of LNet are up", wanted)]


def _efa_states(text: str) -> list[str]:
    """The status of each interface whose nid ends with @efa, or @efa and a number."""
    states: list[str] = []
    efa = False
    for line in text.splitlines():
        words = line.strip().lstrip("- ").split()
        if len(words) != 2:
            continue
        if words[0] == "nid:":
            network = words[1].rpartition("@")[2]
            efa = network.rstrip("0123456789") == "efa"
        elif words[0] == "status:" and efa:
            states.append(words[1])
            efa = False
    return states
