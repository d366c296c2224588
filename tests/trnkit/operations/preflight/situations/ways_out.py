"""What check ways-out is asked with."""

from __future__ import annotations

from tests.trnkit.operations.preflight.clusters import IMPORTED, make_cluster
from tests.trnkit.operations.preflight.situations import Situation

WHOLE = {
    "DescribeRouteTables": {
        "RouteTables": [{"RouteTableId": "rtb-0123456789abcdef0", "Routes": []}]
    },
    "DescribeVpcEndpoints": {
        "VpcEndpoints": [
            {
                "VpcEndpointId": f"vpce-{service}",
                "ServiceName": f"com.amazonaws.us-east-2.{service}",
                "VpcEndpointType": kind,
                "State": "available",
                "PrivateDnsEnabled": kind == "Interface",
                "RouteTableIds": ["rtb-0123456789abcdef0"] if kind == "Gateway" else [],
            }
            for service, kind in (
                ("s3", "Gateway"),
                *(
                    (name, "Interface")
                    for name in ("autoscaling", "ec2", "ssm", "ssmmessages", "logs", "monitoring")
                ),
            )
        ]
    },
}

SITUATION = Situation(
    empty=("unknown", "cannot be judged: the account does not see it"),
    cluster=make_cluster(network=IMPORTED),
    whole=WHOLE,
)
