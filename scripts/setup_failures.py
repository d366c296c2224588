"""What can go wrong in ``make setup``, as sentences."""

from __future__ import annotations

import re

# What pip, npm and the system print, and what it means; the first that matches is the reason.
REASONS = (
    (
        r"DO NOT MATCH THE HASHES|EINTEGRITY",
        "a package differs from the hash in the lock, so nothing of it was used: run `make setup` "
        "again, and if it stays, ask who runs your package mirror.",
    ),
    (
        r"No space left on device|ENOSPC|Disk quota exceeded|EDQUOT",
        "the disk is full: free 2 GB where the checkout and the temporary folder are, then run "
        "`make setup` again.",
    ),
    (
        r"CERTIFICATE_VERIFY_FAILED|SELF_SIGNED_CERT|UNABLE_TO_(GET|VERIFY)",
        "the package index shows a certificate that this machine does not trust: name your "
        "company's certificates in PIP_CERT and NODE_EXTRA_CA_CERTS, then run `make setup` again.",
    ),
    (
        r"\b(401|403) (Client )?Error|\bE40[13]\b|\bENEEDAUTH\b",
        "the package index refused your credentials: renew the log-in that pip and npm use, then "
        "run `make setup` again.",
    ),
    (
        r"new connection|name resolution|Name or service not known|nodename nor servname"
        r"|[Nn]etwork is unreachable|[Cc]onnection (refused|reset|aborted|broken)|[Tt]imed out"
        r"|ProxyError|Max retries|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH"
        r"|FETCH_ERROR",
        "the package index could not be reached: check the network and the proxy, then run "
        "`make setup` again.",
    ),
    (
        r"Permission denied|EACCES|\bEPERM\b|[Rr]ead-only file system|EROFS",
        "a file could not be written: give the checkout to the user who runs `make setup`.",
    ),
    (
        r"No matching distribution|ETARGET|\bE404\b",
        "the package index lacks a pinned package, or has none for this machine: use Linux "
        "(x86-64, arm64) or macOS, and a mirror that is up to date.",
    ),
)


class SetupError(Exception):
    """One sentence that says what is wrong and what to do about it."""


def reason_in(output: str) -> str | None:
    """Find the reason of a failure in what a program printed."""
    for pattern, reason in REASONS:
        if re.search(pattern, output):
            return reason
    return None
