# What the kernel keeps for a node's jobs: huge pages for EFA, the port of their rendezvous.

apply_sysctl() { # file line
  write_file "$1" <<<"$2" && sysctl -q -p "${root}$1"
}

reserve_huge_pages() { # number of 2 MiB
  local got
  [[ "$1" =~ ^[0-9]{1,9}$ ]] || { echo "not a number of huge pages: $1"; return 1; }
  apply_sysctl /etc/sysctl.d/99-trnkit-huge-pages.conf "vm.nr_hugepages = $1" || return 1
  read -r got <"${root}/proc/sys/vm/nr_hugepages" || return 1
  if ((got < 10#$1)); then
    # Free memory may lie in pieces.
    sysctl -q -w vm.compact_memory=1
    sysctl -q -p "${root}/etc/sysctl.d/99-trnkit-huge-pages.conf" || return 1
    read -r got <"${root}/proc/sys/vm/nr_hugepages" || return 1
  fi
  ((got >= 10#$1)) || { echo "only $got of $1 huge pages: memory is in use"; return 1; }
}

# Keeps the port of a job's rendezvous from being given to some connection, with what is kept already.
reserve_port() { # port
  local now part from
  [[ "$1" =~ ^[0-9]{1,5}$ ]] || { echo "not a port: $1"; return 1; }
  read -r now <"${root}/proc/sys/net/ipv4/ip_local_reserved_ports"
  for part in ${now//,/ }; do
    from=${part%-*}
    ((10#$1 < from || 10#$1 > ${part#*-})) || { part=found; break; }
  done
  [[ "${part:-}" == found ]] || now=${now:+$now,}$1
  apply_sysctl /etc/sysctl.d/99-trnkit-ports.conf "net.ipv4.ip_local_reserved_ports = $now"
}

# What the EFA driver's own configuration reserves: without any huge pages, EFA is slower or fails.
# https://docs.aws.amazon.com/eks/latest/userguide/node-efa.html
kernel_steps() {
  local pages=${TRNKIT_HUGE_PAGES:-} now=0
  if [[ -z "$pages" && -n "${TRNKIT_EFA_HUGE_PAGES:-}" && ! -e "${root}/etc/security/limits.d/01_efa.conf" ]]; then
    [[ ! -r "${root}/proc/sys/vm/nr_hugepages" ]] || read -r now <"${root}/proc/sys/vm/nr_hugepages"
    [[ "$now" != 0 ]] || pages=$TRNKIT_EFA_HUGE_PAGES
  fi
  [[ -z "$pages" ]] || step huge-pages reserve_huge_pages "$pages"
  [[ -z "${TRNKIT_RENDEZVOUS_PORT:-}" ]] || step rendezvous-port reserve_port "$TRNKIT_RENDEZVOUS_PORT"
}
