"""What check block-schedule is asked with."""

from __future__ import annotations

from tests.trnkit.operations.preflight.clusters import make_cluster
from tests.trnkit.operations.preflight.situations import Situation

BLOCK = {
    "capacity": {
        "type": "capacity-block",
        "capacity_reservation_id": "cr-0123456789abcdef0",
        "start": "2027-03-01T11:30:00Z",
        "end": "2027-03-08T11:30:00Z",
    }
}

SITUATION = Situation(
    empty=("ok", "group-0 starts 2027-03-01T11:30:00Z and is emptied at 2027-03-08T10:50:00Z"),
    cluster=make_cluster(BLOCK),
)
