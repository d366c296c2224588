"""The part of EC2's DescribeInstanceTypes answer that trnkit reads, key names as in the API.

Keys that are not here are EC2's affair and are skipped. What a cluster cannot be built without is
required: a whole entry has all of it. `trnkit` beside EC2's own keys holds what EC2 does not say;
beside `InstanceTypes` it is the head of a file that `trnkit catalog refresh` wrote.

Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_InstanceTypeInfo.html
"""

from __future__ import annotations

import re
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from trnkit.config.values import Day, Int, RegionName, Section, Text

_NAME = re.compile(r"[a-z][a-z0-9-]*\.[a-z0-9-]+")


def _is_name(value: str) -> str:
    if _NAME.fullmatch(value) is None:
        raise PydanticCustomError("shape", "must be an EC2 instance type such as trn2.48xlarge")
    return value


_Positive = Annotated[Int, Field(ge=1, le=1_000_000_000)]
_Small = Annotated[Int, Field(ge=1, le=512)]
_Index = Annotated[Int, Field(ge=0, le=511)]
_Gbps = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]
_Words = list[Annotated[str, Field(strict=True, max_length=100)]]
_Word = Annotated[str, Field(strict=True, max_length=200)]
_Flag = Annotated[bool, Field(strict=True)]
_Name = Annotated[str, Field(strict=True, max_length=60), AfterValidator(_is_name)]


class _Described(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, hide_input_in_errors=True)


class _Cpu(_Described):
    DefaultVCpus: _Positive
    DefaultCores: _Positive | None = None
    DefaultThreadsPerCore: _Small | None = None


class _Memory(_Described):
    SizeInMiB: _Positive | None = None


class _Card(_Described):
    NetworkCardIndex: _Index
    MaximumNetworkInterfaces: _Small
    InterfaceTypes: _Words | None = None
    BaselineBandwidthInGbps: _Gbps | None = None
    PeakBandwidthInGbps: _Gbps | None = None


class _Efa(_Described):
    MaximumEfaInterfaces: _Small


class _Network(_Described):
    EfaSupported: _Flag
    EfaInfo: _Efa | None = None
    NetworkCards: list[_Card] = Field(min_length=1, max_length=512)
    Ipv4AddressesPerInterface: _Positive | None = None
    NetworkPerformance: _Word | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.EfaSupported and self.EfaInfo is None:
            raise PydanticCustomError("shape", "must have EfaInfo, because EfaSupported is true")
        indices = [card.NetworkCardIndex for card in self.NetworkCards]
        if len(set(indices)) < len(indices):
            raise PydanticCustomError("shape", "must not have a NetworkCardIndex twice")
        if 0 not in indices:
            raise PydanticCustomError("shape", "must have a card with NetworkCardIndex 0")
        return self


class _Cores(_Described):
    Count: _Small | None = None
    Version: _Small | None = None


class _Device(_Described):
    Name: _Word | None = None
    Count: _Small | None = None
    CoreInfo: _Cores | None = None
    MemoryInfo: _Memory | None = None


class _Neuron(_Described):
    NeuronDevices: list[_Device] | None = None


class _Disk(_Described):
    Count: _Small
    SizeInGB: _Positive


class _Store(_Described):
    Disks: list[_Disk] | None = None
    NvmeSupport: _Word | None = None


class _EbsOptimized(_Described):
    BaselineBandwidthInMbps: _Positive | None = None
    MaximumBandwidthInMbps: _Positive | None = None
    BaselineIops: _Positive | None = None
    MaximumIops: _Positive | None = None


class _Ebs(_Described):
    EbsOptimizedInfo: _EbsOptimized | None = None
    MaximumEbsAttachments: _Positive | None = None


class _Placement(_Described):
    SupportedStrategies: _Words | None = None


class _Processor(_Described):
    SupportedArchitectures: _Words | None = None


class Extension(Section):
    """What EC2 does not say of a type; trnkit's own key `trnkit` in an entry."""

    logical_neuroncore_sizes: list[_Small] = Field(min_length=1, max_length=16)
    default_logical_neuroncore_size: _Small

    @model_validator(mode="after")
    def _default_is_one_of_them(self) -> Self:
        if self.default_logical_neuroncore_size not in self.logical_neuroncore_sizes:
            raise PydanticCustomError(
                "shape", "must have its default_logical_neuroncore_size among the sizes"
            )
        return self


class Description(_Described):
    """One entry of the answer."""

    InstanceType: _Name
    VCpuInfo: _Cpu
    NetworkInfo: _Network
    MemoryInfo: _Memory | None = None
    NeuronInfo: _Neuron | None = None
    InstanceStorageSupported: _Flag | None = None
    InstanceStorageInfo: _Store | None = None
    EbsInfo: _Ebs | None = None
    PlacementGroupInfo: _Placement | None = None
    ProcessorInfo: _Processor | None = None
    SupportedUsageClasses: _Words | None = None
    SupportedBootModes: _Words | None = None
    DedicatedHostsSupported: _Flag | None = None
    trnkit: Extension | None = None


class RefreshHead(Section):
    """What `trnkit catalog refresh` knows of the whole file."""

    version: Literal[1]
    read: Day
    regions: list[RegionName] = Field(min_length=1, max_length=100)
    offerings: dict[RegionName, dict[_Name, list[Annotated[Text, Field(max_length=40)]]]] = Field(
        default_factory=dict
    )

    @model_validator(mode="after")
    def _only_regions_that_were_asked(self) -> Self:
        if not set(self.offerings) <= set(self.regions):
            raise PydanticCustomError("shape", "must have offerings of its own regions only")
        return self


class Answer(_Described):
    """The whole answer, as `aws ec2 describe-instance-types` prints it."""

    InstanceTypes: list[Description] = Field(min_length=1)


class RefreshedAnswer(_Described):
    """What `trnkit catalog refresh` wrote: perhaps no type is new, and only zones are."""

    InstanceTypes: list[Description]
    trnkit: RefreshHead
