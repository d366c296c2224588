"""How the services that MiniStack holds are asked about what its own resource types have made.

MiniStack creates, changes and deletes these; what is told here comes from the service's public API.
"""

from __future__ import annotations

from trnkit.emulation.resources.readers import (
    identity,
    images,
    keys,
    logs,
    messages,
    objects,
    parameters,
)
from trnkit.emulation.resources.resource import Readable

READERS: tuple[Readable, ...] = (
    *identity.READERS,
    *images.READERS,
    *keys.READERS,
    *logs.READERS,
    *messages.READERS,
    *objects.READERS,
    *parameters.READERS,
)
