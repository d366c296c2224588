"""Clients of the emulated AWS that never see the user's credentials, profiles or proxies."""

from __future__ import annotations

import functools
import threading
from typing import Any

from trnkit.emulation.borrowed import module
from trnkit.emulation.resources.resource import Clients

ACCESS_KEY = "emulated"
"""Access key id and secret of every client; no real key looks like it."""

_MAKING = threading.Lock()


@functools.cache
def _session() -> Any:
    # Given here, values are not looked for in the environment or in the user's files.
    core = module("botocore.session").Session(
        session_vars={
            "profile": (None, None, None, None),
            "config_file": (None, None, "", None),
            "credentials_file": (None, None, "", None),
        }
    )
    return module("boto3").Session(
        aws_access_key_id=ACCESS_KEY,
        aws_secret_access_key=ACCESS_KEY,
        aws_session_token=ACCESS_KEY,
        region_name="us-east-1",
        botocore_session=core,
    )


def clients_of(endpoint: str | None, region: str) -> Clients:
    """What gives the clients of a region.

    Args:
        endpoint: URL of the emulated AWS, None inside of it.
        region: The region's name.
    """

    @functools.cache
    def client(service: str) -> Any:
        config = module("botocore.config").Config(
            connect_timeout=5,
            read_timeout=60,
            retries={"total_max_attempts": 2, "mode": "standard"},
            proxies={},
            s3={"addressing_style": "path"},
            ignore_configured_endpoint_urls=endpoint is None,
            parameter_validation=True,
            inject_host_prefix=False,
        )
        with _MAKING:
            return _session().client(
                service,
                region_name=region,
                endpoint_url=endpoint,
                config=config,
            )

    return client
