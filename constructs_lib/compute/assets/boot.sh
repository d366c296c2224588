#!/usr/bin/env bash
# First boot of a trnkit node: Neuron and EFA environment, then the shared file systems.
#
# Read from variables that the launch template sets above this text:
#   TRNKIT_LUSTRE_MOUNTS   lines of "dns-name mount-name path"
#   TRNKIT_LUSTRE_EFA      1 when the node reaches some of them over EFA
#   TRNKIT_HOME            "file-system-id dns-name path preferred|required" of the EFS file system
#   TRNKIT_LNC             physical NeuronCores per logical one
#   TRNKIT_EFA             1 when the node has EFA devices
# Safe to run again. Each step logs one line of JSON to /var/log/trnkit-boot.log.
# TRNKIT_ROOT moves every path below another folder, for tests.
set -u -o pipefail

root="${TRNKIT_ROOT:-}"
log_file="${root}/var/log/trnkit-boot.log"
failed=0
lustre_client=missing

json_text() { # text
  local text
  text=$(printf '%s' "$1" | LC_ALL=C tr -c '\040-\176' '?')
  text=${text//\\/\\\\}
  printf '%s' "${text//\"/\\\"}"
}

log() { # step status detail
  printf '{"time":"%s","step":"%s","status":"%s","detail":"%s"}\n' \
    "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$(json_text "$1")" "$2" "$(json_text "$3")" | tee -a "$log_file"
}

retry() { # attempts command...
  local attempts=$1 delay=2 try
  shift
  for ((try = 1; try <= attempts; try++)); do
    "$@" && return 0
    ((try == attempts)) || sleep "${TRNKIT_RETRY_SECONDS:-$delay}"
    delay=$((delay < 30 ? delay * 2 : 30))
  done
  return 1
}

step() { # name command...
  local name=$1 output
  shift
  if output=$("$@" 2>&1); then
    log "$name" ok ""
  else
    failed=1
    log "$name" failed "$(printf '%s' "$output" | tail -n 1 | cut -c 1-200)"
    return 1
  fi
}

write_file() { # path, and the text on standard input
  local file="${root}$1"
  mkdir -p "${file%/*}" && cat >"$file.new" && mv "$file.new" "$file"
}

without_names() { # file name=value... - the file without lines of these names
  local pattern="${*:2}"
  [[ -e "$1" ]] || return 0
  pattern=$(printf '%s' "$pattern" | tr ' ' '\n' | cut -d = -f 1 | tr '\n' '|')
  grep -vE "^(${pattern%|})=" "$1" || true
}

# Login shells read profile.d; pam_env brings /etc/environment to ssh commands, sudo and cron;
# systemd's defaults reach services and, through the restarted SSM agent, Run Command.
write_environment() {
  local settings=() other
  if [[ -n "${TRNKIT_LNC:-}" ]]; then
    settings+=("NEURON_LOGICAL_NC_CONFIG=$TRNKIT_LNC" "NEURON_RT_VIRTUAL_CORE_SIZE=$TRNKIT_LNC")
  fi
  [[ "${TRNKIT_EFA:-0}" != 1 ]] || settings+=(FI_PROVIDER=efa FI_EFA_USE_DEVICE_RDMA=1)
  printf '%s\n' 'PATH="$PATH:/opt/aws/neuron/bin"' ${settings[@]+"${settings[@]}"} | while read -r other; do
    echo "export $other"
  done | write_file /etc/profile.d/trnkit.sh || return 1
  if ((${#settings[@]} > 0)); then
    other=$(without_names "${root}/etc/environment" "${settings[@]}")
    printf '%s\n' ${other:+"$other"} "${settings[@]}" | write_file /etc/environment || return 1
  fi
  # After 01_efa.conf in order of name, so that it wins over it; * leaves root out.
  printf '%s nofile 65536\n' '* soft' '* hard' 'root soft' 'root hard' |
    write_file /etc/security/limits.d/99-trnkit.conf || return 1
  printf '%s\n' '[Manager]' 'DefaultLimitNOFILE=65536:524288' \
    ${settings[@]+"DefaultEnvironment=${settings[*]}"} |
    write_file /etc/systemd/system.conf.d/99-trnkit.conf || return 1
  command -v systemctl >/dev/null || return 0
  systemctl daemon-reexec || return 1
  systemctl --no-block try-restart amazon-ssm-agent.service snap.amazon-ssm-agent.amazon-ssm-agent.service || true
}

# Until something is mounted there nobody, not even root, writes to a mount point: a job whose file
# system is missing fails at once, and does not fill the root disk. A mount on top is not affected.
protect_mount_point() { # path
  { mkdir -p "${root}$1" && ! mountpoint -q "${root}$1" && chattr +i "${root}$1"; } >/dev/null 2>&1
}

apt() { DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=600 "$@"; }

lustre_client_works() { modprobe --dry-run lustre; }

install_lustre_client() {
  lustre_client_works && return 0
  if command -v apt-get >/dev/null; then
    local keyring="${root}/usr/share/keyrings/fsx-ubuntu-public-key.gpg" codename
    codename=$(. "${root}/etc/os-release" && echo "$VERSION_CODENAME") || return 1
    mkdir -p "${keyring%/*}" "${root}/etc/apt/sources.list.d" || return 1
    retry 5 curl -fsS -o "$keyring.asc" \
      https://fsx-lustre-client-repo-public-keys.s3.amazonaws.com/fsx-ubuntu-public-key.asc || return 1
    gpg --dearmor --yes -o "$keyring" "$keyring.asc" || return 1
    echo "deb [signed-by=$keyring] https://fsx-lustre-client-repo.s3.amazonaws.com/ubuntu $codename main" \
      >"${root}/etc/apt/sources.list.d/fsxlustreclientrepo.list"
    retry 5 apt update || return 1
    # The package for the running kernel: the meta package would bring another kernel.
    retry 5 apt install -y "lustre-client-modules-$(uname -r)" || return 1
  else
    retry 5 dnf -q install -y lustre-client || return 1
  fi
  lustre_client_works
}

# As AWS's guide sets up a client: TCP to find the servers, the first and the last device for data.
# Alone in a file below, to run again at every boot: LNet forgets.
configure_lustre_efa() {
  local interface path devices=()
  lnetctl net show --net efa 2>/dev/null | grep -q @efa && return 0
  read -r _ _ _ _ interface _ < <(ip -o -4 route show default)
  for path in "${root}"/sys/class/infiniband/*; do
    [[ ! -e "$path" ]] || devices+=("${path##*/}")
  done
  ((${#devices[@]} > 0)) || { echo "no EFA device"; return 1; }
  [[ -n "$interface" ]] || { echo "no default route"; return 1; }
  modprobe lnet && modprobe kefalnd "ipif_name=$interface" && modprobe ksocklnd || return 1
  lnetctl lnet configure || return 1
  lnetctl net del --net tcp
  lnetctl net add --net tcp --if "$interface" || return 1
  lnetctl net add --net efa --if "${devices[0]}" --peer-credits 32 || return 1
  if ((${#devices[@]} > 1)); then
    lnetctl net add --net efa --if "${devices[${#devices[@]} - 1]}" --peer-credits 32 || return 1
  fi
  lnetctl set discovery 1 && lnetctl udsp add --src efa --priority 0
}

keep_lustre_efa() {
  local script="${root}/usr/local/sbin/trnkit-lustre-efa"
  local unit="${root}/etc/systemd/system/trnkit-lustre-efa.service"
  mkdir -p "${script%/*}" "${unit%/*}" || return 1
  {
    printf '#!/usr/bin/env bash\nroot=""\n'
    declare -f configure_lustre_efa
    echo configure_lustre_efa
  } >"$script" || return 1
  printf '%s\n' '[Unit]' 'Description=EFA for Lustre' 'Wants=network-online.target' \
    'After=network-online.target' '[Service]' 'Type=oneshot' 'RemainAfterExit=yes' \
    'ExecStart=/bin/bash /usr/local/sbin/trnkit-lustre-efa' '[Install]' 'WantedBy=multi-user.target' \
    >"$unit" || return 1
  systemctl enable -q trnkit-lustre-efa.service
}

set_up_lustre_efa() { configure_lustre_efa && keep_lustre_efa; }

add_to_fstab() { # source path type options
  local fstab="${root}/etc/fstab"
  mkdir -p "${root}$2" || return 1
  touch "$fstab" || return 1
  grep -qF "$1 $2 " "$fstab" && return 0
  [[ -z "$(tail -c 1 "$fstab")" ]] || echo >>"$fstab"
  echo "$1 $2 $3 $4,_netdev,nofail,x-systemd.automount 0 0" >>"$fstab"
}

mount_lustre() { # dns-name mount-name path
  local options=defaults,relatime,flock,x-systemd.requires=systemd-networkd-wait-online.service
  [[ "${TRNKIT_LUSTRE_EFA:-0}" != 1 ]] || options+=,x-systemd.after=trnkit-lustre-efa.service
  add_to_fstab "$1@tcp:/$2" "$3" lustre "$options" || return 1
  # No number of retries would help.
  [[ $lustre_client == works ]] || { echo "there is no Lustre client"; return 1; }
  mountpoint -q "${root}$3" && return 0
  retry 20 mount -t lustre -o relatime,flock "$1@tcp:/$2" "${root}$3"
}

install_package() { # name
  if command -v apt-get >/dev/null; then
    retry 5 apt update || return 1
    retry 5 apt install -y "$1"
  else
    retry 5 dnf -q install -y "$1"
  fi
}

# Only Amazon Linux has a package of it.
efs_helper_works() {
  command -v mount.efs >/dev/null && return 0
  ! command -v apt-get >/dev/null && install_package amazon-efs-utils >&2 && command -v mount.efs >/dev/null
}

mount_home() { # file-system-id dns-name path preferred|required
  local source="$2:/" type=nfs4 package=nfs-common
  local options=nfsvers=4.1,rsize=1048576,wsize=1048576,hard,timeo=600,retrans=2,noresvport
  if efs_helper_works; then
    source="$1:/" type=efs options=tls,noresvport
  elif [[ $4 == required ]]; then
    echo "there is no EFS mount helper, and TLS is required"
    return 1
  elif ! command -v mount.nfs4 >/dev/null; then
    command -v apt-get >/dev/null || package=nfs-utils
    install_package "$package" || return 1
  fi
  add_to_fstab "$source" "$3" "$type" "$options" || return 1
  mountpoint -q "${root}$3" && return 0
  retry 20 mount -t "$type" -o "$options" "$source" "${root}$3"
}

# Only some nodes carry boot_s3.sh above this text.
with_s3() { ! declare -F "$1" >/dev/null || "$1"; }

main() {
  mkdir -p "${root}/var/log"
  step environment write_environment
  # Before anything that takes time: jobs may be waiting already.
  while read -r _ _ path; do
    [[ -z "$path" ]] || protect_mount_point "$path"
  done <<<"${TRNKIT_LUSTRE_MOUNTS:-}"
  if [[ -n "${TRNKIT_HOME:-}" ]]; then
    read -r id dns path mode <<<"$TRNKIT_HOME"
    protect_mount_point "$path"
  fi
  with_s3 protect_s3_mount_points
  if [[ -n "${TRNKIT_LUSTRE_MOUNTS:-}" ]]; then
    step lustre-client install_lustre_client && lustre_client=works
    if [[ "${TRNKIT_LUSTRE_EFA:-0}" == 1 && $lustre_client == works ]]; then
      step lustre-efa set_up_lustre_efa
    fi
    while read -r dns name path; do
      [[ -z "$dns" ]] || step "mount $path" mount_lustre "$dns" "$name" "$path"
    done <<<"$TRNKIT_LUSTRE_MOUNTS"
  fi
  if [[ -n "${TRNKIT_HOME:-}" ]]; then
    read -r id dns path mode <<<"$TRNKIT_HOME"
    step "mount $path" mount_home "$id" "$dns" "$path" "$mode"
  fi
  with_s3 mount_s3_buckets
  log boot "$([[ $failed == 0 ]] && echo ok || echo failed)" ""
  return "$failed"
}

[[ "${BASH_SOURCE[0]}" != "$0" ]] || main
