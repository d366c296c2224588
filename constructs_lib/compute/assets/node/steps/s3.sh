# Mountpoint for Amazon S3.
#
#   TRNKIT_S3_MOUNTS   lines of "s3-uri path ro|rw region"
#   TRNKIT_S3_PACKAGE  "package-url keys-url fingerprint..." for systems with apt-get

mountpoint_installed() { command -v mount.mount-s3 >/dev/null; }

# The key is believed for its fingerprint, the package for its signature by that key.
fetch_mountpoint() { # folder package-url keys-url fingerprint...
  local folder=$1 url=$2 keys_url=$3 file="$1/mount-s3.deb" known status
  shift 3
  known=$(IFS='|' && echo "$*")
  retry 5 curl -fsS -o "$folder/KEYS" "$keys_url" || return 1
  retry 5 curl -fsS -o "$file" "$url" || return 1
  retry 5 curl -fsS -o "$file.asc" "$url.asc" || return 1
  gpg --homedir "$folder" --batch -q --import "$folder/KEYS" || return 1
  # The last word is the fingerprint of the key, whichever of its subkeys signed.
  status=$(gpg --homedir "$folder" --batch --status-fd 1 --verify "$file.asc" "$file" 2>/dev/null) &&
    grep -qE "^\[GNUPG:\] VALIDSIG .* ($known)\$" <<<"$status" && return 0
  echo "the signature of $url is not by a known key"
  return 1
}

install_mountpoint() {
  local folder words
  mountpoint_installed && return 0
  if command -v apt-get >/dev/null; then
    folder=$(mktemp -d) || return 1
    read -ra words <<<"$TRNKIT_S3_PACKAGE"
    fetch_mountpoint "$folder" "${words[@]}" || return 1
    retry 5 apt update || return 1
    retry 5 apt install -y "$folder/mount-s3.deb" || return 1
  else
    install_package mount-s3 || return 1
  fi
  mountpoint_installed
}

mount_s3() { # s3-uri path ro|rw region
  local options="$3,nosuid,nodev,allow-other,region=$4" unit
  # Everybody on a node has its role anyway; without these only root could add files.
  [[ $3 == ro ]] || options+=,dir-mode=0777,file-mode=0666
  add_to_fstab "$1" "$2" mount-s3 "$options" || return 1
  mountpoint_installed || { echo "Mountpoint is not installed"; return 1; }
  # In a unit of its own, so that the client does not end with this script.
  unit=$(systemd-escape --path --suffix=mount "$2") && systemctl daemon-reload || return 1
  mount_patiently "$2" false systemctl start "$unit"
}

protect_s3_mount_points() {
  local path
  while read -r _ path _; do
    [[ -z "$path" ]] || protect_mount_point "$path"
  done <<<"${TRNKIT_S3_MOUNTS:-}"
}

s3_steps() {
  local uri path mode region
  [[ -n "${TRNKIT_S3_MOUNTS:-}" ]] || return 0
  step mountpoint install_mountpoint
  while read -r uri path mode region; do
    [[ -z "$uri" ]] || step "mount ${path:-$uri}" mount_s3 "$uri" "$path" "$mode" "$region"
  done <<<"$TRNKIT_S3_MOUNTS"
}
