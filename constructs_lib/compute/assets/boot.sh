#!/usr/bin/env bash
# First boot of a trnkit node: Neuron and EFA environment, then the Lustre file systems.
#
# Read from variables that the launch template sets above this text:
#   TRNKIT_LUSTRE_MOUNTS   lines of "dns-name mount-name path"
#   TRNKIT_LNC             physical NeuronCores per logical one
#   TRNKIT_EFA             1 when the node has EFA devices
# Safe to run again. Each step logs one line of JSON to /var/log/trnkit-boot.log.
# TRNKIT_ROOT moves every path below another folder, for tests.
set -u -o pipefail

root="${TRNKIT_ROOT:-}"
log_file="${root}/var/log/trnkit-boot.log"
failed=0

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
  fi
}

write_environment() {
  local file="${root}/etc/profile.d/trnkit.sh"
  mkdir -p "${root}/etc/profile.d"
  {
    echo "export PATH=\"\$PATH:/opt/aws/neuron/bin\""
    if [[ -n "${TRNKIT_LNC:-}" ]]; then
      echo "export NEURON_LOGICAL_NC_CONFIG=${TRNKIT_LNC}"
      echo "export NEURON_RT_VIRTUAL_CORE_SIZE=${TRNKIT_LNC}"
    fi
    if [[ "${TRNKIT_EFA:-0}" == 1 ]]; then
      echo "export FI_PROVIDER=efa"
      echo "export FI_EFA_USE_DEVICE_RDMA=1"
    fi
  } >"$file.new" && mv "$file.new" "$file"
}

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
    retry 5 apt-get -qq update || return 1
    # The package for the running kernel: the meta package would bring another kernel.
    DEBIAN_FRONTEND=noninteractive retry 5 apt-get -qq install -y "lustre-client-modules-$(uname -r)" || return 1
  else
    retry 5 dnf -q install -y lustre-client || return 1
  fi
  lustre_client_works
}

mount_lustre() { # dns-name mount-name path
  local fstab="${root}/etc/fstab" options=defaults,relatime,flock,_netdev,nofail,x-systemd.automount
  options+=,x-systemd.requires=systemd-networkd-wait-online.service
  mkdir -p "${root}$3" || return 1
  touch "$fstab" || return 1
  if ! grep -qF "$1@tcp:/$2 $3 " "$fstab"; then
    [[ -z "$(tail -c 1 "$fstab")" ]] || echo >>"$fstab"
    echo "$1@tcp:/$2 $3 lustre $options 0 0" >>"$fstab"
  fi
  mountpoint -q "${root}$3" && return 0
  retry 20 mount -t lustre -o relatime,flock "$1@tcp:/$2" "${root}$3"
}

main() {
  mkdir -p "${root}/var/log"
  step environment write_environment
  if [[ -n "${TRNKIT_LUSTRE_MOUNTS:-}" ]]; then
    step lustre-client install_lustre_client
    while read -r dns name path; do
      [[ -z "$dns" ]] || step "mount $path" mount_lustre "$dns" "$name" "$path"
    done <<<"$TRNKIT_LUSTRE_MOUNTS"
  fi
  log boot "$([[ $failed == 0 ]] && echo ok || echo failed)" ""
  return "$failed"
}

[[ "${BASH_SOURCE[0]}" != "$0" ]] || main
