"""EC2 and Service Quotas as told: real clients whose answers botocore's own shapes have checked."""

from __future__ import annotations

import copy
import threading
import types

import boto3
from botocore.awsrequest import AWSResponse
from botocore.validate import ParamValidator

from tests.synthesis import ROOT
from trnkit.aws.session import AwsSession
from trnkit.catalog import instance_type_names

EXAMPLE = ROOT / "examples" / "types" / "trn3-preview.json"
CATALOGUED = instance_type_names()
DENIED = (
    "You are not authorized to perform this operation. User: "
    "arn:aws:sts::123456789012:assumed-role/ci/build is not authorized to perform: "
    "ec2:DescribeInstanceTypes because no identity-based policy allows it. Encoded authorization "
    "failure message: k3xQ-vN_x2rTzP account 123456789012"
)


class DescribedAws(AwsSession):
    """What each Region has. `types` and `zones` begin as moto has them, which is AWS's own data."""

    def __init__(self):
        super().__init__()
        from moto.ec2.models.instance_types import INSTANCE_TYPE_OFFERINGS, INSTANCE_TYPES

        self._known = INSTANCE_TYPES
        self._offered = INSTANCE_TYPE_OFFERINGS["availability-zone-id"]
        self.types, self.zones, self.only_in_region = {}, {}, {}
        self.applied, self.default = {"L-2C3B7624": 1152.0}, {"L-2C3B7624": 0.0, "L-6B0D517C": 0.0}
        self.refusals, self.called, self.page = {}, [], 100
        self.hanging = set()

    def region(self, name):
        """The types and zones of a Region, to be changed."""
        if name not in self.types:
            zones = {}
            for offering in self._offered.get(name, ()):
                if offering["InstanceType"] in CATALOGUED:
                    zones.setdefault(offering["InstanceType"], []).append(offering["Location"])
            self.zones[name] = zones
            self.types[name] = {t: copy.deepcopy(dict(self._known[t])) for t in zones}
        return self.types[name], self.zones[name]

    def refuse(self, operation, code, message="as AWS says it", *, region=None, status=400, page=0):
        """Let an operation fail, in one Region or in all."""
        self.refusals[operation] = (region, code, message, status, page)

    def hang(self, operation, *, region):
        """Let an operation give no answer in one Region."""
        self.hanging.add((region, operation))

    def client(self, service, region):
        with self._making:
            if (service, region) not in self._clients:
                client = boto3.client(service, region_name=region)
                client.meta.events.register("before-parameter-build", self._remember)
                client.meta.events.register("before-call", self._answer)
                self._clients[service, region] = client
            return self._clients[service, region]

    def _remember(self, params, context, **_):
        context["asked"] = dict(params)

    def _answer(self, model, context, **_):
        region, asked = context["client_region"], context["asked"]
        self.called.append((region, model.name))
        if (region, model.name) in self.hanging:
            threading.Event().wait()
        start = int(asked.get("NextToken") or 0)
        refusal = self.refusals.get(model.name)
        if refusal and refusal[0] in (None, region) and start >= refusal[4]:
            error = {"Error": {"Code": refusal[1], "Message": refusal[2]}}
            return _http(refusal[3]), error | {"ResponseMetadata": {"HTTPStatusCode": refusal[3]}}
        answer = getattr(self, model.name)(region, asked, start)
        report = ParamValidator().validate(answer, model.output_shape)
        assert not report.has_errors(), report.generate_report()
        return _http(200), answer | {"ResponseMetadata": {"HTTPStatusCode": 200}}

    def _paged(self, key, members, start):
        more = {"NextToken": str(start + self.page)} if start + self.page < len(members) else {}
        return {key: members[start : start + self.page], **more}

    def DescribeInstanceTypes(self, region, asked, start):
        assert "Filters" not in asked, "EC2 has no filter for Neuron chips"
        return self._paged("InstanceTypes", list(self.region(region)[0].values()), start)

    def DescribeInstanceTypeOfferings(self, region, asked, start):
        (condition,) = asked["Filters"]
        assert condition["Name"] == "instance-type"
        assert len(condition["Values"]) <= 200
        kind, zones = asked["LocationType"], self.region(region)[1]
        offered = {name: places for name, places in zones.items() if places}
        if kind == "region":
            only = self.only_in_region.get(region, ())
            offered = {name: [region] for name in [*offered, *only]}
        members = [
            {"InstanceType": name, "LocationType": kind, "Location": place}
            for name, places in offered.items()
            for place in places
            if name in condition["Values"]
        ]
        return self._paged("InstanceTypeOfferings", members, start)

    def ListServiceQuotas(self, region, asked, start):
        assert asked["ServiceCode"] == "ec2"
        members = [_quota(region, code, value) for code, value in self.applied.items()]
        return self._paged("Quotas", members, start)

    def GetAWSDefaultServiceQuota(self, region, asked, start):
        code = asked["QuotaCode"]
        return {"Quota": _quota(region, code, self.default.get(code, 5.0))}


def _quota(region, code, value):
    told = {} if value is None else {"Value": value}
    return {
        "ServiceCode": "ec2",
        "QuotaCode": code,
        "QuotaArn": f"arn:aws:servicequotas:{region}:123456789012:ec2/{code}",
        **told,
    }


def _http(status):
    return AWSResponse("https://example.com", status, {}, types.SimpleNamespace(stream=lambda: []))
