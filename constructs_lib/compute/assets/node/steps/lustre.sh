# Lustre file systems: client, EFA, mounts.

lustre_client=missing

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

mount_lustre() { # dns-name mount-name path
  local options=defaults,relatime,flock,x-systemd.requires=systemd-networkd-wait-online.service
  [[ "${TRNKIT_LUSTRE_EFA:-0}" != 1 ]] || options+=,x-systemd.after=trnkit-lustre-efa.service
  add_to_fstab "$1@tcp:/$2" "$3" lustre "$options" || return 1
  # No number of retries would help.
  [[ $lustre_client == works ]] || { echo "there is no Lustre client"; return 1; }
  mountpoint -q "${root}$3" && return 0
  retry 20 mount -t lustre -o relatime,flock "$1@tcp:/$2" "${root}$3"
}

protect_lustre_mount_points() {
  local path
  while read -r _ _ path; do
    [[ -z "$path" ]] || protect_mount_point "$path"
  done <<<"${TRNKIT_LUSTRE_MOUNTS:-}"
}

lustre_steps() {
  local dns name path
  [[ -n "${TRNKIT_LUSTRE_MOUNTS:-}" ]] || return 0
  step lustre-client install_lustre_client && lustre_client=works
  if [[ "${TRNKIT_LUSTRE_EFA:-0}" == 1 && $lustre_client == works ]]; then
    step lustre-efa set_up_lustre_efa
  fi
  while read -r dns name path; do
    [[ -z "$dns" ]] || step "mount $path" mount_lustre "$dns" "$name" "$path"
  done <<<"$TRNKIT_LUSTRE_MOUNTS"
}
