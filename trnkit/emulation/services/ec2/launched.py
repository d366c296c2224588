"""Instances and network interfaces as a launch describes them.

moto gives every instance one interface, whatever cards and kinds were asked for, and keeps neither
placement group nor reservation. The classes bear moto's own names because its answers take field
names from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from moto.ec2.models.elastic_network_interfaces import Attachment
from moto.ec2.models.elastic_network_interfaces import NetworkInterface as MotoNetworkInterface
from moto.ec2.models.instances import Instance as MotoInstance

from trnkit.emulation.services.ec2 import instance_profiles, placement_groups
from trnkit.emulation.services.ec2.capacity_reservations import Reservation
from trnkit.emulation.services.ec2.images import root_volume_gib
from trnkit.emulation.services.ec2.instance_types import instance_type
from trnkit.emulation.services.ec2.launch_request import Interface, Launch
from trnkit.emulation.services.ec2.refusing import refuse, tags_for


class NetworkInterface(MotoNetworkInterface):
    """A network interface with its card and kind."""

    def __init__(self, launch: Launch, interface: Interface, instance: Any) -> None:
        asked = interface.asked
        backend, subnet = launch.backend, launch.backend.get_subnet(interface.subnet_id)
        has_addresses = interface.kind != "efa-only"
        self.network_card_index = interface.card
        super().__init__(
            backend,
            subnet,
            _address(subnet, asked, instance) if has_addresses else "",
            device_index=interface.device,
            public_ip_auto_assign=bool(_wants_public(asked, interface, subnet)),
            group_ids=list(interface.groups),
            description=str(asked.get("Description") or ""),
            tags=tags_for(launch.asked.get("TagSpecifications"), "network-interface"),
            # Interfaces of RunInstances go with the instance unless it is said otherwise:
            # https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_InstanceNetworkInterfaceSpecification.html
            delete_on_termination=asked.get("DeleteOnTermination") is not False,
            secondary_ips_count=asked.get("SecondaryPrivateIpAddressCount"),
            ipv6_addresses=[a["Ipv6Address"] for a in asked.get("Ipv6Addresses") or ()],
            ipv6_address_count=int(asked.get("Ipv6AddressCount") or 0),
        )
        self.interface_type = interface.kind
        # moto sets these two in its own way only; an EFA-only interface has no addresses.
        if not has_addresses:
            self.private_ip_address = None
            self.private_ip_addresses = []
            self.private_dns_name = None
        backend.enis[self.id] = self

    @property
    def attachment(self) -> Any:
        """How it is attached, with the card."""
        if not self.attachment_id:
            return None
        attachment = Attachment(self)
        attachment.network_card_index = self.network_card_index
        return attachment

    @property
    def group_set(self) -> Any:
        """Its own groups: an instance's groups are those of its first interface."""
        return list(self._group_set)


class Instance(MotoInstance):
    """An instance that a launch made."""

    def __init__(
        self, launch: Launch, index: int, reservation: Reservation | None, **kwargs: Any
    ) -> None:
        self.launch = launch
        asked = launch.asked
        super().__init__(
            launch.backend,
            launch.image.id,
            asked.get("UserData"),
            [],
            instance_type=launch.type_name,
            subnet_id=launch.subnet.id,
            key_name=asked.get("KeyName"),
            ebs_optimized=_ebs_optimized(launch),
            monitoring_state="enabled"
            if (asked.get("Monitoring") or {}).get("Enabled")
            else "disabled",
            disable_api_termination=asked.get("DisableApiTermination") or False,
            disable_api_stop=asked.get("DisableApiStop") or False,
            instance_initiated_shutdown_behavior=asked.get("InstanceInitiatedShutdownBehavior"),
            hibernation_options=asked.get("HibernationOptions"),
            metadata_options=asked.get("MetadataOptions") or {},
            region_name=launch.backend.region_name,
            ami_launch_index=index,
            # Not moto's shorthand: prep_nics below reads the launch itself.
            associate_public_ip=False,
            **kwargs,
        )
        self.hypervisor = "xen"
        self.ena_support = True
        self.security_groups = [*self.nics[0].group_set]
        self.lifecycle = None if launch.market == "on-demand" else launch.market
        self.cpu_options = asked.get("CpuOptions") or _cpu_options(launch.type_name)
        self.launched_from = launch.version
        self._place(launch)
        self._reserve(launch, reservation)
        profile = instance_profiles.profile_of(launch.backend, asked.get("IamInstanceProfile"))
        self.iam_instance_profile = profile

    def _place(self, launch: Launch) -> None:
        name, group_id = launch.placement.get("GroupName"), launch.placement.get("GroupId")
        placement: Any = self.placement
        placement.tenancy = launch.placement.get("Tenancy") or "default"
        placement.availability_zone_id = launch.zone.zone_id
        placement.partition_number = launch.placement.get("PartitionNumber")
        if name or group_id:
            group = placement_groups.find(launch.backend, name=name, group_id=group_id)
            placement.group_name, placement.group_id = group.name, group.group_id

    def _reserve(self, launch: Launch, reservation: Reservation | None) -> None:
        self.capacity_reservation_id = reservation.reservation_id if reservation else None
        self.capacity_block_id = reservation.capacity_block_id if reservation else None
        wish: Mapping[str, Any] = launch.reservation_wish
        told = dict(wish) or {"CapacityReservationPreference": "open"}
        self.capacity_reservation_specification = told

    def prep_nics(self, *told: Any, **also_told: Any) -> None:
        """Attach one interface for each that the launch describes."""
        del told, also_told
        self.nics: dict[Any, Any] = {}
        for interface in sorted(self.launch.interfaces, key=lambda i: (i.card, i.device)):
            if interface.is_new:
                nic: Any = NetworkInterface(self.launch, interface, self)
            else:
                backend = self.launch.backend
                nic = backend.get_network_interface(interface.asked["NetworkInterfaceId"])
                if nic.attachment_id:
                    refuse(
                        "InvalidNetworkInterface.InUse",
                        f"Interface: [{nic.id}] in use.",
                    )
            self.attach_eni(nic, interface.device)

    def attach_eni(self, eni: Any, device_index: int) -> str:
        """Attach an interface; moto keeps one for each device index, whatever the card."""
        card = getattr(eni, "network_card_index", 0)
        others = self.nics
        self.nics = {}
        attachment_id = super().attach_eni(eni, device_index)
        key = int(device_index) if card == 0 else (card, int(device_index))
        self.nics = {**others, key: eni}
        return attachment_id

    def detach_eni(self, eni: Any) -> None:
        """Take an interface off."""
        self.nics = {key: nic for key, nic in self.nics.items() if nic is not eni}
        super().detach_eni(eni)

    def terminate(self) -> Any:
        """End it; interfaces that stay are free again."""
        # moto writes over its state, and gives the state before back.
        before = super().terminate()
        for nic in [*self.nics.values()]:
            self.detach_eni(nic)
        return before

    @property
    def private_ip(self) -> str | None:
        """The first interface's address."""
        return self.nics[0].private_ip_address if 0 in self.nics else None

    @property
    def private_ip_address(self) -> str | None:
        """The first interface's address."""
        return self.private_ip

    @property
    def private_dns_name(self) -> str:
        """The name of the first interface's address."""
        return super().private_dns_name if self.private_ip else ""

    @property
    def public_ip(self) -> str | None:
        """The first interface's public address."""
        return self.nics[0].public_ip if 0 in self.nics else None

    @property
    def public_ip_address(self) -> str | None:
        """The first interface's public address."""
        return self.public_ip


def give_volumes(instance: Instance) -> None:
    """Make and attach the volumes of an instance: its root volume, and those of the launch."""
    launch = instance.launch
    image = launch.image
    mappings: dict[str, Mapping[str, Any]] = {
        str(m["DeviceName"]): m for m in launch.asked.get("BlockDeviceMappings") or ()
    }
    mappings.setdefault(image.root_device_name, {"Ebs": {}})
    for device, mapping in mappings.items():
        if mapping.get("NoDevice") is not None or mapping.get("VirtualName"):
            continue
        ebs: Mapping[str, Any] = mapping.get("Ebs") or {}
        is_root = device == image.root_device_name
        volume = launch.backend.create_volume(
            size=int(ebs.get("VolumeSize") or (root_volume_gib(image) if is_root else 0)) or None,
            zone_name=launch.zone.name,
            snapshot_id=ebs.get("SnapshotId") or (image.ebs_snapshot.id if is_root else None),
            encrypted=bool(ebs.get("Encrypted")),
            kms_key_id=ebs.get("KmsKeyId"),
            volume_type=ebs.get("VolumeType") or "gp3",
            iops=ebs.get("Iops"),
            throughput=ebs.get("Throughput"),
        )
        volume.add_tags(tags_for(launch.asked.get("TagSpecifications"), "volume"))
        keep = ebs.get("DeleteOnTermination") is False
        launch.backend.attach_volume(volume.id, instance.id, device, not keep)


def _address(subnet: Any, asked: Mapping[str, Any], instance: Any) -> str:
    """An address of the subnet.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
    """
    wanted = asked.get("PrivateIpAddress") or next(
        (a["PrivateIpAddress"] for a in asked.get("PrivateIpAddresses") or () if a.get("Primary")),
        None,
    )
    if wanted:
        subnet.request_ip(wanted, instance=instance)
        return str(wanted)
    try:
        return subnet.get_available_subnet_ip(instance=instance)
    except (StopIteration, RuntimeError):
        refuse(
            "InsufficientFreeAddressesInSubnet",
            f"There are not enough free addresses in subnet '{subnet.id}' to satisfy the requested "
            "number of instances.",
        )


def _wants_public(asked: Mapping[str, Any], interface: Interface, subnet: Any) -> bool:
    wish = asked.get("AssociatePublicIpAddress")
    if wish is None:
        return interface.is_primary and subnet.map_public_ip_on_launch in (True, "true")
    return bool(wish)


def _ebs_optimized(launch: Launch) -> bool:
    support = (instance_type(launch.type_name) or {}).get("EbsInfo", {}).get("EbsOptimizedSupport")
    return bool(launch.asked.get("EbsOptimized")) or support == "default"


def _cpu_options(type_name: str) -> dict[str, int]:
    known = (instance_type(type_name) or {}).get("VCpuInfo", {})
    return {
        "CoreCount": int(known.get("DefaultCores", 1)),
        "ThreadsPerCore": int(known.get("DefaultThreadsPerCore", 1)),
    }
