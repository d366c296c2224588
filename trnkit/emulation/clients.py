"""Clients of the emulated AWS that never see the user's credentials, profiles or proxies."""

from __future__ import annotations

import functools
import threading
from typing import Any

from trnkit.emulation.borrowed import module
from trnkit.emulation.resources.resource import Clients

ACCESS_KEY = "emulated"
"""Access key id and secret of every client; no real key looks like it."""

_FILES = ("config_file", "credentials_file")

_MAKING = threading.Lock()


@functools.cache
def _session() -> Any:
    core = module("botocore.session").Session()
    provider = module("botocore.configprovider")
    # Given here, values are not looked for in the environment or in the user's files.
    store = core.get_component("config_store")
    for name, variable in provider.BOTOCORE_DEFAUT_SESSION_VARIABLES.items():
        default = "" if name in _FILES else variable[2]
        store.set_config_provider(name, provider.ConstantProvider(default))
    loaders = module("botocore.loaders")
    loader = loaders.Loader([loaders.Loader.BUILTIN_DATA_PATH], include_default_search_paths=False)
    core.register_component("data_loader", loader)
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
