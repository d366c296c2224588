# What mounts share: mount points, /etc/fstab, patience.

replaced_source=

is_mount_path() { # path
  [[ "$1" == /?* ]] || { echo "no absolute path to mount at: \"$1\""; return 1; }
}

# Until something is mounted there nobody, not even root, writes to a mount point: a job whose file
# system is missing fails at once, and does not fill the root disk. A mount on top is not affected.
protect_mount_point() { # path
  { is_mount_path "$1" && mkdir -p "${root}$1" && ! mountpoint -q "${root}$1" && chattr +i "${root}$1"; } >/dev/null 2>&1
}

# One line for each path: of an earlier file system, or of earlier options, none is left.
put_in_fstab() { # source path type options
  local fstab="${root}/etc/fstab" text="" line source path wanted="$1 $2 $3 $4 0 0"
  replaced_source=
  is_mount_path "$2" || return 1
  # Not touched without need: mount would warn that systemd does not know it.
  mkdir -p "${root}$2" && { [[ -e "$fstab" ]] || : >"$fstab"; } || return 1
  while IFS= read -r line || [[ -n "$line" ]]; do
    read -r source path _ <<<"$line"
    if [[ "$source" == \#* || "$path" != "$2" ]]; then
      text+="$line"$'\n'
      continue
    fi
    [[ "$source" == "$1" ]] || replaced_source=$source
    text+=${wanted:+"$wanted"$'\n'}
    wanted=
  done <"$fstab"
  text+=${wanted:+"$wanted"$'\n'}
  [[ "$(printf '%sx' "$text")" != "$(cat "$fstab" && echo x)" ]] || return 0
  printf '%s' "$text" | write_file /etc/fstab || return 1
  # systemd may unmount what it still believes to be on the earlier source.
  [[ -z "$replaced_source" ]] || ! command -v systemctl >/dev/null || systemctl daemon-reload
}

# The same for a file system of the network.
add_to_fstab() { put_in_fstab "$1" "$2" "$3" "$4,_netdev,nofail,x-systemd.automount"; }

# Twenty tries in some eight minutes. A mount that hangs is ended, and not tried for ever.
mount_patiently() { # path why-no-try-helps command...
  local target="${root}$1" why=$2 seconds=${TRNKIT_MOUNT_SECONDS:-120}
  local try code output hung=0 delay=2
  shift 2
  if [[ -n "$replaced_source" ]] && mountpoint -q "$target"; then
    umount "$target" || { echo "$target is in use, and still $replaced_source: restart the node"; return 1; }
  fi
  # It may be no more than systemd's promise to mount it at the first access, which this is.
  ! mountpoint -q "$target" || set -- stat -f -c %T "$target"
  for ((try = 1; ; try++)); do
    output=$(timeout -k 10 "$seconds" "$@" 2>&1) && return 0
    code=$?
    echo "${output//$'\n'/ }"
    if ((code == 124 || code == 137)) && ((++hung == 3)); then
      echo "no answer to $* within $seconds seconds, three times"
      return 1
    fi
    ! "$why" "$output" || return 1
    ((try < 20)) || return 1
    sleep "${TRNKIT_RETRY_SECONDS:-$delay}"
    delay=$((delay < 30 ? delay * 2 : 30))
  done
}
