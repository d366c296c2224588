# Environment and limits of every process on a node: Neuron, EFA.

environment_names=(NEURON_LOGICAL_NC_CONFIG NEURON_RT_VIRTUAL_CORE_SIZE)
environment_names+=(FI_PROVIDER FI_EFA_USE_DEVICE_RDMA FI_EFA_FORK_SAFE)

without_names() { # file name... - the file without lines of these names
  local pattern
  [[ -e "$1" ]] || return 0
  pattern=$(IFS='|' && echo "${*:2}")
  # Also lines that are no text in any encoding. 1: no line is left.
  grep -avE "^($pattern)=" "$1" || [[ $? == 1 ]]
}

# Only such kernels need to be told that a process with EFA may fork.
older_than_5_15() {
  local major=6 minor=0
  [[ ! -r "${root}/proc/sys/kernel/osrelease" ]] ||
    IFS=.- read -r major minor _ <"${root}/proc/sys/kernel/osrelease"
  ((10#$major < 5 || (10#$major == 5 && 10#$minor < 15)))
}

# For other steps: one more name in the environment of every process.
add_environment() { # name value
  local kept
  # Four readers with four ways to quote: what none of them needs to quote.
  [[ "$1" =~ ^[A-Z_][A-Z0-9_]*$ && "$2" =~ ^[A-Za-z0-9_./:@,+=~-]+$ ]] ||
    { echo "$1 cannot be put into the environment: $2"; return 1; }
  kept=$(without_names "${root}/etc/trnkit/environment" "$1") || return 1
  printf '%s\n' ${kept:+"$kept"} "$1=$2" | write_file /etc/trnkit/environment || return 1
  spread_environment
}

# Login shells read profile.d; pam_env brings /etc/environment to ssh commands, sudo and cron;
# systemd's defaults reach services and, through the restarted SSM agent, Run Command.
spread_environment() {
  local lines=() names=("${environment_names[@]}") line text
  while read -r line; do
    [[ -z "$line" ]] || { lines+=("$line"); names+=("${line%%=*}"); }
  done <"${root}/etc/trnkit/environment"
  # shellcheck disable=SC2016  # Each shell extends its own.
  printf 'export %s\n' 'PATH="$PATH:/opt/aws/neuron/bin"' ${lines[@]+"${lines[@]}"} |
    write_file /etc/profile.d/trnkit.sh || return 1
  text=$(without_names "${root}/etc/environment" "${names[@]}") || return 1
  if [[ -e "${root}/etc/environment" ]] || ((${#lines[@]} > 0)); then
    printf '%s\n' ${text:+"$text"} ${lines[@]+"${lines[@]}"} | write_file /etc/environment || return 1
  fi
  printf '%s\n' '[Manager]' DefaultLimitNOFILE=65536:524288 DefaultLimitMEMLOCK=infinity \
    ${lines[@]+"DefaultEnvironment=${lines[*]}"} |
    write_file /etc/systemd/system.conf.d/99-trnkit.conf || return 1
  reload_everywhere
}

reload_everywhere() {
  if ! command -v systemctl >/dev/null || [[ ! -e "${root}/run/trnkit/reload" ]]; then return 0; fi
  reload_systemd || return 1
  systemctl --no-block try-restart amazon-ssm-agent.service snap.amazon-ssm-agent.amazon-ssm-agent.service || true
}

write_limits() {
  local efa=/etc/security/limits.d/01_efa.conf text
  # After 01_efa.conf in order of name, so that it wins over it; * leaves root out.
  printf '%s\n' {'*',root}' '{soft,hard}' nofile 65536' {'*',root}' '{soft,hard}' memlock unlimited' |
    write_file /etc/security/limits.d/99-trnkit.conf || return 1
  [[ -e "${root}$efa" ]] || return 0
  text=$(awk '$3 == "nofile" && $4 ~ /^[0-9]+$/ && $4 < 65536 { sub(/[0-9]+[ \t]*$/, "65536") } { print }' \
    "${root}$efa") && write_file "$efa" <<<"$text"
}

# What brings work to a node may lock memory, and starts only while the boot runs or after it went well:
# a state that could not be written is no better than a failure.
write_drop_ins() {
  local service lines
  for service in slurmd kubelet ecs containerd; do
    lines=LimitMEMLOCK=infinity
    [[ $service != slurmd ]] || lines+=$'\nLimitNOFILE=131072:524288'  # Its own unit's number.
    [[ $service == containerd ]] ||
      lines+=$'\nExecStartPre=/bin/grep -qsx -e ready -e booting /run/trnkit/node-state'
    write_file "/etc/systemd/system/$service.service.d/99-trnkit.conf" <<<"[Service]
$lines" || return 1
  done
}

write_environment() {
  local settings=() kept
  if [[ -n "${TRNKIT_LNC:-}" ]]; then
    settings+=("NEURON_LOGICAL_NC_CONFIG=$TRNKIT_LNC" "NEURON_RT_VIRTUAL_CORE_SIZE=$TRNKIT_LNC")
    # The device plugin of Kubernetes reads it from here.
    write_file /opt/aws/neuron/logical_nc_config <<<"NEURON_LOGICAL_NC_CONFIG=$TRNKIT_LNC" || return 1
  fi
  if [[ "${TRNKIT_EFA:-0}" == 1 ]]; then
    settings+=(FI_PROVIDER=efa FI_EFA_USE_DEVICE_RDMA=1)
    ! older_than_5_15 || settings+=(FI_EFA_FORK_SAFE=1)
  fi
  # Names that other steps added stay, and stay where those put them: last.
  kept=$(without_names "${root}/etc/trnkit/environment" "${environment_names[@]}") || return 1
  printf '%s\n' ${settings[@]+"${settings[@]}"} ${kept:+"$kept"} |
    write_file /etc/trnkit/environment || return 1
  write_limits && write_drop_ins && spread_environment
}
