# Lustre file systems: client, EFA, mounts.

lustre_client=missing

lustre_client_works() { modprobe --dry-run lustre; }

# A package for another kernel would not load, and the meta package would bring another kernel.
# Sets lustre_kernels, and ends the retries, when the repository has none for the running one.
try_lustre_modules() { # kernel
  local output
  output=$(apt install -y "lustre-client-modules-$1" 2>&1) && return 0
  echo "$output"
  [[ "$output" == *"Unable to locate package"* ]] || return 1
  lustre_kernels=$(apt-cache search --names-only '^lustre-client-modules-[0-9]' |
    grep -oE '^lustre-client-modules-\S+' | cut -d - -f 4-)
  # No kernel at all: its list did not arrive, which apt-get update takes for a warning.
  [[ -n "$lustre_kernels" ]] || { apt update && return 1; }
}

install_lustre_modules() {
  local kernel lustre_kernels="" near
  kernel=$(uname -r)
  retry 5 apt update || return 1
  retry 5 try_lustre_modules "$kernel" || return 1
  [[ -n "$lustre_kernels" ]] || return 0
  near=$(printf '%s\n' "$kernel" "$lustre_kernels" | sort -V | grep -xF -B 2 -A 1 -e "$kernel" |
    grep -vxF -e "$kernel" | tr '\n' ' ')
  echo "no Lustre client for kernel $kernel; the nearest with one: ${near% }; use an image with such" \
    "a kernel, and hold it"
  return 1
}

install_lustre_client() {
  tune_lustre_modules || return 1
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
    install_lustre_modules || return 1
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

# For what the kernel forgets at every boot.
keep_at_boot() { # name command lines-of-[Unit]...
  printf '%s\n' '[Unit]' "${@:3}" '[Service]' 'Type=oneshot' 'RemainAfterExit=yes' "ExecStart=$2" \
    '[Install]' 'WantedBy=multi-user.target' | write_file "/etc/systemd/system/$1.service" || return 1
  systemctl enable -q "$1.service"
}

set_up_lustre_efa() {
  local script=/usr/local/sbin/trnkit-lustre-efa
  configure_lustre_efa || return 1
  printf '#!/usr/bin/env bash\nroot=""\n%s\nconfigure_lustre_efa\n' "$(declare -f configure_lustre_efa)" |
    write_file "$script" || return 1
  keep_at_boot trnkit-lustre-efa "/bin/bash $script" 'Description=EFA for Lustre' \
    'Wants=network-online.target' 'After=network-online.target'
}

lustre_client_cpus() { grep -cs ^processor "${root}/proc/cpuinfo"; }

# As AWS tunes a client of more than 64 vCPUs. Modules that are loaded already have it at the next boot.
tune_lustre_modules() {
  local cpus
  cpus=$(lustre_client_cpus)
  ((cpus > 64)) || return 0
  printf 'options %s\n' 'ptlrpc ptlrpcd_per_cpt_max=32' 'ksocklnd credits=2560' |
    write_file /etc/modprobe.d/trnkit-lustre.conf
}

# As AWS tunes a client of more than 64 GiB, and of more than 64 vCPUs. What lctl sets goes with the
# mount.
lustre_settings() {
  local cpus kib=0
  cpus=$(lustre_client_cpus)
  read -r _ kib _ < <(grep -s ^MemTotal: "${root}/proc/meminfo")
  ((kib <= 64 * 1024 * 1024)) ||
    echo "ldlm.namespaces.*.lru_max_age=600000 ldlm.namespaces.*.lru_size=$((100 * cpus))"
  ((cpus <= 64)) || echo 'osc.*OST*.max_rpcs_in_flight=32 mdc.*.max_rpcs_in_flight=64' \
    'mdc.*.max_mod_rpcs_in_flight=50'
}

tune_lustre_mounts() { # settings-in-words path...
  local settings=()
  read -ra settings <<<"${1//$'\n'/ }"
  lctl set_param "${settings[@]}" && keep_at_boot trnkit-lustre-tuning \
    "lctl set_param ${settings[*]}" 'Description=Tuning of Lustre' "RequiresMountsFor=${*:2}"
}

# What the kernel says when a server does not want a client of this version.
lustre_refused() { # what-mount-said
  local said words='\(([0-9.]+)\) refused .*incompatible version \(([0-9.]+)'
  # The kernel does not name the file system, so mount must have said what goes with it.
  [[ "$1" == *"Invalid argument"* ]] || return 1
  said=$(dmesg 2>/dev/null | tail -n 20 | grep -E "$words" | tail -n 1)
  [[ "$said" =~ $words ]] || return 1
  echo "the file system has Lustre ${BASH_REMATCH[1]}, which refuses a client of ${BASH_REMATCH[2]}:" \
    "update the file system's Lustre version"
}

mount_lustre() { # dns-name mount-name path
  local options=defaults,relatime,flock,x-systemd.requires=systemd-networkd-wait-online.service
  [[ "${TRNKIT_LUSTRE_EFA:-0}" != 1 ]] || options+=,x-systemd.after=trnkit-lustre-efa.service
  add_to_fstab "$1@tcp:/$2" "$3" lustre "$options" || return 1
  # No number of retries would help.
  [[ $lustre_client == works ]] || { echo "there is no Lustre client"; return 1; }
  mount_patiently "$3" lustre_refused mount -t lustre -o relatime,flock "$1@tcp:/$2" "${root}$3"
}

protect_lustre_mount_points() {
  local path
  while read -r _ _ path; do
    [[ -z "$path" ]] || protect_mount_point "$path"
  done <<<"${TRNKIT_LUSTRE_MOUNTS:-}"
}

lustre_steps() {
  local dns name path settings mounted=()
  [[ -n "${TRNKIT_LUSTRE_MOUNTS:-}" ]] || return 0
  step lustre-client install_lustre_client && lustre_client=works
  if [[ "${TRNKIT_LUSTRE_EFA:-0}" == 1 && $lustre_client == works ]]; then
    # Over TCP the file systems are mounted all the same: slower, and said.
    step_warning lustre-efa set_up_lustre_efa
  fi
  while read -r dns name path; do
    [[ -z "$dns" ]] || { step "mount ${path:-$dns}" mount_lustre "$dns" "$name" "$path" && mounted+=("$path"); }
  done <<<"$TRNKIT_LUSTRE_MOUNTS"
  settings=$(lustre_settings)
  # A node that is a little slower still works.
  [[ -z "$settings" ]] || ((${#mounted[@]} == 0)) ||
    step_warning lustre-tuning tune_lustre_mounts "$settings" "${mounted[@]}"
}
