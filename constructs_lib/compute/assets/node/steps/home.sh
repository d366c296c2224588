# Home folders on EFS.

# Only Amazon Linux has a package of it.
efs_helper_works() {
  command -v mount.efs >/dev/null && return 0
  ! command -v apt-get >/dev/null && install_package amazon-efs-utils >&2 && command -v mount.efs >/dev/null
}

mount_home() { # file-system-id dns-name path preferred|required
  local source="$2:/" type=nfs4 package=nfs-common
  local options=nfsvers=4.1,rsize=1048576,wsize=1048576,hard,timeo=600,retrans=2,noresvport
  is_mount_path "$3" || return 1
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
  mount_patiently "$3" false mount -t "$type" -o "$options" "$source" "${root}$3"
}

protect_home_mount_point() {
  local path
  read -r _ _ path _ <<<"${TRNKIT_HOME:-}"
  [[ -z "$path" ]] || protect_mount_point "$path"
}

home_steps() {
  local id dns path mode
  [[ -n "${TRNKIT_HOME:-}" ]] || return 0
  read -r id dns path mode <<<"$TRNKIT_HOME"
  step "mount ${path:-$id}" mount_home "$id" "$dns" "$path" "$mode"
}
