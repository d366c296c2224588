# With many interfaces a name may lead to any of them: the host's own leads to its primary address.
#
# cloud-init may write /etc/hosts anew at every boot (manage_etc_hosts); it does so before this runs.

map_host_name() {
  local address full name names text
  address=$(retry 5 imds local-ipv4) && full=$(retry 5 imds local-hostname) || return 1
  read -r name <"${root}/proc/sys/kernel/hostname" && [[ -n "$name" ]] || return 1
  names="$name ${name%%.*}"
  # Its long name too, unless somebody gave the host another.
  full=${full%% *}
  [[ "${full%%.*}" != "${name%%.*}" ]] || names="$full $names"
  text=$(awk -v names="$names" -v address="$address" '
    BEGIN {
      n = split(names, list, " ")
      for (i = 1; i <= n; i++) if (!mine[list[i]]++) ours = ours " " list[i]
    }
    / # trnkit$/ { next }
    /^[ \t]*(#|$)/ { print; next }
    {
      line = $1; names_left = 0; dropped = 0; comment = 0
      for (i = 2; i <= NF; i++) {
        if ($i ~ /^#/) comment = 1
        if (!comment && mine[$i]) { dropped = 1; continue }
        line = line " " $i
        if (!comment) names_left++
      }
      if (!dropped) print; else if (names_left) print line
    }
    END { print address ours " # trnkit" }' "${root}/etc/hosts") || return 1
  write_file /etc/hosts <<<"$text"
}

hosts_steps() {
  local path interfaces=0
  for path in "${root}"/sys/class/net/*/device; do
    [[ ! -e "$path" ]] || interfaces=$((interfaces + 1))
  done
  ((interfaces < 2)) || step hosts map_host_name
}
