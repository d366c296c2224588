# Environment of every process on a node: Neuron, EFA, limits.

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
