"""What EC2 refuses of a launch whatever capacity there is: the request itself is wrong.

The words are EC2's where they are known, its error codes always.
Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from trnkit.emulation.services.ec2 import capacity_reservations, instance_profiles, placement_groups
from trnkit.emulation.services.ec2.images import root_volume_gib
from trnkit.emulation.services.ec2.instance_types import instance_type
from trnkit.emulation.services.ec2.interface_refusals import check_interfaces
from trnkit.emulation.services.ec2.launch_request import Launch
from trnkit.emulation.services.ec2.launch_templates import checked_user_data
from trnkit.emulation.services.ec2.refusing import invalid, missing, refuse

_HOPS = range(1, 65)
_MARKETS = ("on-demand", "spot", "capacity-block", "interruptible-capacity-reservation")
_PREFERENCES = ("open", "none", "capacity-reservations-only")
_NEED_IOPS = frozenset({"io1", "io2"})
_LARGEST_GIB = {
    "gp2": 16384,
    "gp3": 65536,
    "io1": 16384,
    "io2": 65536,
    "sc1": 16384,
    "st1": 16384,
    "standard": 1024,
}
_GP3_IOPS_PER_GIB = 500
_GP3_MIBPS_PER_IOPS = 0.25
_GP3_LEAST_IOPS = 3000
_GP3_LEAST_MIBPS = 125


def check_request(launch: Launch) -> None:
    """Refuse a launch that no capacity would make right.

    Raises:
        EC2ClientError: The first thing that is wrong.
    """
    for check in _CHECKS:
        check(launch)


def _check_type(launch: Launch) -> None:
    """A type that exists.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RunInstances.html
    """
    if not launch.type_name:
        missing("InstanceType")
    if instance_type(launch.type_name) is None:
        refuse("InvalidParameterValue", f"Invalid value '{launch.type_name}' for InstanceType.")


def _check_image(launch: Launch) -> None:
    """An image that fits the type.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ComponentsAMIs.html
    """
    image, info = launch.image, instance_type(launch.type_name) or {}
    architectures = info.get("ProcessorInfo", {}).get("SupportedArchitectures", ())
    if image.architecture and architectures and image.architecture not in architectures:
        refuse(
            "InvalidParameterValue",
            f"The architecture '{','.join(architectures)}' of the specified instance type does not "
            f"match the architecture '{image.architecture}' of the specified AMI. Specify an "
            "instance type and an AMI that have matching architectures, and try again.",
        )
    if (
        info.get("NetworkInfo", {}).get("EnaSupport") == "required"
        and getattr(image, "ena_support", True) is False
    ):
        refuse(
            "InvalidParameterCombination",
            "Enhanced networking with the Elastic Network Adapter (ENA) is required for the "
            f"'{launch.type_name}' instance type. Ensure that you are using an AMI that is enabled "
            "for ENA.",
        )


def _check_user_data(launch: Launch) -> None:
    """User data that is Base64 and not too long.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/user-data.html
    """
    user_data = launch.asked.get("UserData")
    checked_user_data(str(user_data) if user_data else None, "InvalidParameterValue")


def _check_metadata(launch: Launch) -> None:
    """Values that the instance metadata service takes.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_InstanceMetadataOptionsRequest.html
    """
    options: Mapping[str, Any] = launch.asked.get("MetadataOptions") or {}
    hops = options.get("HttpPutResponseHopLimit")
    if hops is not None and int(hops) not in _HOPS:
        invalid(hops, "HttpPutResponseHopLimit", "Specify an integer from 1 to 64.")
    allowed = {
        "HttpTokens": ("optional", "required"),
        "HttpEndpoint": ("enabled", "disabled"),
        "HttpProtocolIpv6": ("enabled", "disabled"),
        "InstanceMetadataTags": ("enabled", "disabled"),
    }
    for name, values in allowed.items():
        if options.get(name) not in (None, *values):
            invalid(options[name], name, f"Valid values are {' and '.join(values)}.")


def _check_cpu(launch: Launch) -> None:
    """Cores and threads that the type can have.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/cpu-options-supported-instances-values.html
    """
    options: Mapping[str, Any] = launch.asked.get("CpuOptions") or {}
    cores, threads = options.get("CoreCount"), options.get("ThreadsPerCore")
    if (cores is None) != (threads is None):
        refuse(
            "InvalidParameterCombination",
            "Both the core count and threads per core must be specified in the CpuOptions.",
        )
    if cores is None or threads is None:
        return
    known = (instance_type(launch.type_name) or {}).get("VCpuInfo", {})
    valid = {
        "CoreCount": (cores, known.get("ValidCores")),
        "ThreadsPerCore": (threads, known.get("ValidThreadsPerCore")),
    }
    for name, (value, values) in valid.items():
        if values and int(value) not in values:
            invalid(value, name, f"It is not valid for instance type '{launch.type_name}'.")


def _check_ebs_optimized(launch: Launch) -> None:
    """EBS optimization where the type has it.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ebs-optimized.html
    """
    support = (instance_type(launch.type_name) or {}).get("EbsInfo", {}).get("EbsOptimizedSupport")
    if launch.asked.get("EbsOptimized") and support == "unsupported":
        refuse(
            "Unsupported",
            "EBS-optimized instances are not supported for your requested configuration.",
        )


def _check_block_devices(launch: Launch) -> None:
    """Volumes that can be made, each device once.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_EbsBlockDevice.html
    """
    mappings = launch.asked.get("BlockDeviceMappings") or []
    for name, times in Counter(str(m.get("DeviceName")) for m in mappings).items():
        if times > 1:
            refuse(
                "InvalidBlockDeviceMapping",
                f"The device '{name}' is used in more than one block-device mapping",
            )
    for mapping in mappings:
        ebs: Mapping[str, Any] = mapping.get("Ebs") or {}
        size = ebs.get("VolumeSize")
        if mapping.get("DeviceName") == launch.image.root_device_name:
            least, snapshot = root_volume_gib(launch.image), launch.image.ebs_snapshot.id
            if size is not None and int(size) < least:
                refuse(
                    "InvalidBlockDeviceMapping",
                    f"Volume of size {size}GB is smaller than snapshot '{snapshot}', "
                    f"expect size >= {least}GB",
                )
        elif ebs and size is None and not ebs.get("SnapshotId"):
            refuse("MissingParameter", "The request must contain the parameter size or snapshotId")
        if ebs.get("KmsKeyId") and ebs.get("Encrypted") in (None, False):
            refuse(
                "InvalidParameterDependency",
                "The parameter KmsKeyId requires the parameter Encrypted to be set.",
            )
        if ebs:
            _check_volume_type(ebs, int(size or root_volume_gib(launch.image)))


def _check_volume_type(ebs: Mapping[str, Any], size_gib: int) -> None:
    """A size and IOPS that the volume's type has; types that are not known are not judged.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_EbsBlockDevice.html
    """
    kind = str(ebs.get("VolumeType") or "gp2")
    if kind in _NEED_IOPS and ebs.get("Iops") is None:
        refuse("MissingParameter", f"The parameter iops must be specified for {kind} volumes.")
    largest = _LARGEST_GIB.get(kind, size_gib)
    if size_gib > largest:
        refuse(
            "InvalidParameterValue",
            f"Volume of {size_gib}GiB is too large for volume type {kind}; maximum is "
            f"{largest}GiB.",
        )
    if kind == "gp3":
        _check_gp3(ebs, size_gib)


def _check_gp3(ebs: Mapping[str, Any], size_gib: int) -> None:
    """Ratios of size, IOPS and throughput.

    Source: https://docs.aws.amazon.com/ebs/latest/userguide/general-purpose.html#gp3-ebs-volume-type
    """
    iops = int(ebs.get("Iops") or _GP3_LEAST_IOPS)
    throughput = int(ebs.get("Throughput") or _GP3_LEAST_MIBPS)
    if iops < _GP3_LEAST_IOPS:
        invalid(iops, "iops", f"Volume iops of {iops} is too low; minimum is {_GP3_LEAST_IOPS}.")
    if throughput < _GP3_LEAST_MIBPS:
        invalid(throughput, "throughput", f"The minimum is {_GP3_LEAST_MIBPS} MiB/s.")
    if iops > max(_GP3_LEAST_IOPS, size_gib * _GP3_IOPS_PER_GIB):
        invalid(iops, "iops", f"Iops to volume size ratio exceeds {_GP3_IOPS_PER_GIB}.")
    if throughput > iops * _GP3_MIBPS_PER_IOPS:
        invalid(
            throughput, "throughput", f"Throughput to iops ratio exceeds {_GP3_MIBPS_PER_IOPS}."
        )


def _check_placement(launch: Launch) -> None:
    """A placement group that exists and takes the type.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/placement-strategies.html
    """
    name, group_id = launch.placement.get("GroupName"), launch.placement.get("GroupId")
    if not name and not group_id:
        return
    group = placement_groups.find(launch.backend, name=name, group_id=group_id)
    info = (instance_type(launch.type_name) or {}).get("PlacementGroupInfo", {})
    if group.strategy not in info.get("SupportedStrategies", (group.strategy,)):
        refuse(
            "InvalidParameterCombination",
            f"Placement groups may not be used with instances of type '{launch.type_name}'.",
        )
    if launch.market == "capacity-block":
        # https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-blocks.html
        refuse("InvalidParameterCombination", "Capacity Blocks do not support placement groups.")


def _check_key_and_role(launch: Launch) -> None:
    """A key pair and an instance profile that exist.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_IamInstanceProfileSpecification.html
    """
    if key_name := launch.asked.get("KeyName"):
        launch.backend.describe_key_pairs(key_names=[key_name])
    instance_profiles.profile_of(launch.backend, launch.asked.get("IamInstanceProfile"))


def _check_market(launch: Launch) -> None:
    """A market with the options that go with it.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_InstanceMarketOptionsRequest.html
    """
    options: Mapping[str, Any] = launch.asked.get("InstanceMarketOptions") or {}
    target = launch.reservation_wish.get("CapacityReservationTarget")
    if launch.market not in _MARKETS:
        invalid(launch.market, "MarketType", f"Valid values are {', '.join(_MARKETS)}.")
    if options.get("SpotOptions") and launch.market != "spot":
        refuse(
            "InvalidParameterCombination",
            "Spot options can be specified only when the market type is spot.",
        )
    if launch.market == "capacity-block" and not target:
        refuse(
            "InvalidParameterCombination",
            "A Capacity Reservation target must be specified when the market type is "
            "capacity-block.",
        )
    if launch.market == "spot" and target:
        refuse(
            "InvalidParameterCombination",
            "Spot Instances can't be launched into a Capacity Reservation.",
        )
    price = (options.get("SpotOptions") or {}).get("MaxPrice")
    if price is not None and not _is_price(str(price)):
        invalid(price, "MaxPrice", "Specify a price in USD that is greater than 0.")


def _is_price(text: str) -> bool:
    try:
        return float(text) > 0
    except ValueError:
        return False


def _check_reservation_wish(launch: Launch) -> None:
    """A wish for reservations that does not contradict itself.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CapacityReservationSpecification.html
    """
    preference = launch.reservation_wish.get("CapacityReservationPreference")
    target: Mapping[str, Any] = launch.reservation_wish.get("CapacityReservationTarget") or {}
    if preference not in (None, *_PREFERENCES):
        invalid(preference, "CapacityReservationPreference")
    if target and preference not in (None, "capacity-reservations-only"):
        refuse(
            "InvalidParameterCombination",
            "You can't specify a Capacity Reservation target when the Capacity Reservation "
            f"preference is {preference}.",
        )
    named, group = (
        target.get("CapacityReservationId"),
        target.get("CapacityReservationResourceGroupArn"),
    )
    if named and group:
        refuse(
            "InvalidParameterCombination",
            "You can specify either a Capacity Reservation ID or a resource group ARN, not both.",
        )
    reservation = capacity_reservations.reservations_of(launch.backend).get(str(named))
    if reservation and reservation.is_block != (launch.market == "capacity-block"):
        # https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-launch.html
        refuse("InvalidParameterValue", "The market type (purchasing) option is not valid.")
    if reservation and reservation.is_block and launch.placement.get("GroupName"):
        refuse("InvalidParameterCombination", "Capacity Blocks do not support placement groups.")


_CHECKS: tuple[Callable[[Launch], None], ...] = (
    _check_type,
    _check_image,
    _check_user_data,
    check_interfaces,
    _check_metadata,
    _check_cpu,
    _check_ebs_optimized,
    _check_block_devices,
    _check_placement,
    _check_key_and_role,
    _check_market,
    _check_reservation_wish,
)
