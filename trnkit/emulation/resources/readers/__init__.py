"""How the services that MiniStack holds are asked about what its own resource types have made.

MiniStack creates, changes and deletes these; what is told here comes from the service's public API.
"""

from __future__ import annotations

from trnkit.emulation.resources.readers import (
    alarms,
    events,
    functions,
    identity,
    images,
    keys,
    logs,
    messages,
    objects,
    parameters,
    queues,
    tables,
)
from trnkit.emulation.resources.resource import Readable

READERS: tuple[Readable, ...] = (
    *alarms.READERS,
    *events.READERS,
    *functions.READERS,
    *identity.READERS,
    *images.READERS,
    *keys.READERS,
    *logs.READERS,
    *messages.READERS,
    *objects.READERS,
    *parameters.READERS,
    *queues.READERS,
    *tables.READERS,
)
