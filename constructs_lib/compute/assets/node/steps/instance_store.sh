# NVMe instance store: one file system over all its disks, made when they are empty.
#
#   TRNKIT_INSTANCE_STORE   where to mount it
#
# Its data outlives a reboot, but neither a stop nor the instance.

store_name=trnkit

# By model: EBS volumes are NVMe disks too, and names change from start to start.
store_disks() {
  local disk model
  for disk in "${root}"/sys/block/nvme*; do
    [[ -r "$disk/device/model" && "${disk##*/}" != nvme*c* ]] || continue
    read -r model <"$disk/device/model"
    [[ "$model" != "Amazon EC2 NVMe Instance Storage" ]] || echo "${root}/dev/${disk##*/}"
  done
}

expected_store_disks() { # prints nothing when it is not known
  local file="${root}/etc/trnkit/expected.json"
  [[ ! -e "$file" ]] || python3 -c 'import json, sys
try:
    disks = (json.load(open(sys.argv[1])).get("instance_store") or {}).get("disks", 0)
except (OSError, ValueError, AttributeError):
    disks = None
if type(disks) is not int or not 0 <= disks < 1000:
    sys.exit("/etc/trnkit/expected.json is broken: instance_store.disks is no number of disks")
print(disks or "")' "$file"
}

# Deep Learning AMIs have a service of their own for these disks.
wait_for_image_store() {
  command -v systemctl >/dev/null && systemctl -q is-enabled dlami-nvme.service 2>/dev/null || return 0
  timeout 300 systemctl start dlami-nvme.service || echo "dlami-nvme.service failed"
}

store_mounts() { # disk... - where file systems on them are mounted, the first first
  local numbers number target
  numbers=$(lsblk -nro MAJ:MIN "$@") || return 1
  findmnt -nro MAJ:MIN,TARGET | while read -r number target; do
    ! grep -qxF "$number" <<<"$numbers" || echo "$target"
  done
}

held_by() { # device - prints nothing when it is blank, "ours", or what somebody else has there
  local signatures type label
  signatures=$(wipefs --noheadings --output TYPE,LABEL "$1") || { echo "cannot read $1" >&2; return 1; }
  [[ -n "$signatures" ]] || return 0
  while read -r type label; do
    case "$type ${label##*:}" in
      "xfs $store_name" | "ext4 $store_name" | "linux_raid_member $store_name") ;;
      *) echo "$type${label:+ $label}" && return 0 ;;
    esac
  done <<<"$signatures"
  echo ours
}

array_of() { # disk - prints the array that it is part of
  local holder
  for holder in "${root}/sys/block/${1##*/}/holders"/md*; do
    [[ ! -e "$holder" ]] || echo "${root}/dev/${holder##*/}"
  done
}

install_mdadm() {
  command -v mdadm >/dev/null && return 0
  if command -v apt-get >/dev/null; then
    # Recommended with it is a mail server.
    retry 5 apt update && retry 5 apt install -y --no-install-recommends mdadm
  else
    install_package mdadm
  fi
}

# Sets store_device, and store_made when the array is new.
set_up_array() { # blank-disks disk...
  local blank=$1 array
  shift
  install_mdadm || return 1
  # At a later boot udev may be putting the array together just now.
  ! command -v udevadm >/dev/null || udevadm settle --timeout=60
  array=$(array_of "$1")
  if [[ -n "$array" ]] && { ((blank > 0)) ||
    [[ "$(cat "${root}/sys/block/${array##*/}/md/array_state")" == inactive ]]; }; then
    mdadm --stop "$array" || return 1
    array=
  fi
  if ((blank > 0)); then
    # Of an array without redundancy nothing is left when one of its disks is new.
    mdadm --create "/dev/md/$store_name" --run --level=0 --raid-devices=$# --metadata=1.2 \
      --homehost=any --name="$store_name" "$@" || return 1
    store_made=1
  elif [[ -z "$array" ]]; then
    mdadm --assemble "/dev/md/$store_name" "$@" || return 1
  fi
  store_device=$(array_of "$1")
  [[ -n "$store_device" ]] || { echo "mdadm made no array of $*"; return 1; }
}

# The disks come trimmed; what is freed later is trimmed once a week.
make_store_file_system() { # device
  if command -v mkfs.xfs >/dev/null; then
    mkfs.xfs -q -f -K -L "$store_name" "$1" || return 1
  else
    mkfs.ext4 -q -F -E nodiscard -L "$store_name" "$1" || return 1
  fi
  log instance-store ok "made a file system on ${*:2}" >&3
  ! command -v systemctl >/dev/null || systemctl enable -q --now fstrim.timer ||
    log instance-store warning "fstrim.timer cannot be enabled: nothing is trimmed" >&3
}

mount_store_device() { # device path
  local uuid
  uuid=$(blkid -p -o value -s UUID "$1") && [[ -n "$uuid" ]] || { echo "no UUID on $1"; return 1; }
  put_in_fstab "UUID=$uuid" "$2" auto noatime,nofail,x-systemd.device-timeout=30 || return 1
  # After a reboot systemd may have been faster by a moment.
  mount -o noatime "$1" "${root}$2" || store_mounts "$1" | grep -qxF "${root}$2" || return 1
  chmod 1777 "${root}$2"
}

use_image_store() { # where-it-is-mounted path
  # Not in fstab: before the image has mounted it, that would bind a folder of the root disk.
  mount --bind "$1" "${root}$2" && chmod 1777 "${root}$2" || return 1
  log instance-store ok "uses $1, which the image mounted" >&3
}

mount_instance_store() { # path
  local disks=() wanted mounts disk held foreign="" blank=0 store_device store_made=
  is_mount_path "$1" || return 1
  wait_for_image_store
  mapfile -t disks < <(store_disks)
  wanted=$(expected_store_disks) || return 1
  if ((${#disks[@]} < ${wanted:-1})); then
    echo "found ${#disks[@]} disks of the NVMe instance store, expected ${wanted:-at least one}"
    return 1
  fi
  mounts=$(store_mounts "${disks[@]}") || return 1
  ! grep -qxF "${root}$1" <<<"$mounts" || return 0
  ! mountpoint -q "${root}$1" || { echo "something else is mounted at $1"; return 1; }
  for disk in "${disks[@]}"; do
    held=$(held_by "$disk") || return 1
    [[ -n "$held" ]] || blank=$((blank + 1))
    [[ -z "$held" || "$held" == ours ]] || foreign="$disk holds $held"
  done
  if [[ -n "$foreign" ]]; then
    [[ -z "$mounts" ]] || { use_image_store "${mounts%%$'\n'*}" "$1"; return; }
    echo "$foreign, which is not of trnkit: left as it is"
    return 1
  fi
  store_device=${disks[0]}
  if ((${#disks[@]} > 1)); then
    set_up_array "$blank" "${disks[@]}" || return 1
    held=$(held_by "$store_device") || return 1
  fi
  if [[ -n "$store_made" || -z "$held" ]]; then
    make_store_file_system "$store_device" "${disks[@]}" || return 1
  elif [[ "$held" != ours ]]; then
    echo "$store_device holds $held, which is not of trnkit: left as it is"
    return 1
  fi
  mount_store_device "$store_device" "$1"
}

instance_store_steps() {
  [[ -n "${TRNKIT_INSTANCE_STORE:-}" ]] || return 0
  protect_mount_point "$TRNKIT_INSTANCE_STORE"
  # What a step says is kept for its failure; what it decided goes to the log by another way.
  step instance-store mount_instance_store "$TRNKIT_INSTANCE_STORE" 3>&1
}
