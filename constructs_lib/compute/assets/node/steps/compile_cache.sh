# Cache of compiled graphs, shared by the nodes.
#
#   TRNKIT_COMPILE_CACHE   a folder on a shared file system, or an S3 URL
#
# The compiler's version is part of the key of an entry already. A folder for each SDK is there to be
# deleted with it.

sdk_name() {
  local name=aws-neuronx-runtime-lib version="" found
  if command -v dpkg-query >/dev/null; then
    version=$(dpkg-query -W -f '${Version}' "$name" 2>/dev/null)
  elif command -v rpm >/dev/null; then
    version=$(rpm -q --qf '%{VERSION}' "$name" 2>/dev/null) || version=
  fi
  if [[ -z "$version" ]]; then
    name=neuronx-cc
    for found in "${root}"/opt/*/lib/python3*/site-packages/neuronx_cc-*.dist-info; do
      [[ ! -e "$found" ]] || version=${found##*/neuronx_cc-}
    done
    version=${version%.dist-info}
  fi
  name="${version:+$name-}${version:-unknown}"
  echo "${name//[^A-Za-z0-9._-]/_}"
}

# A folder below a mount point at which nothing is mounted would be one of the root disk.
on_a_mount() { # path
  local path=${1%/}
  while [[ -n "$path" ]]; do
    ! mountpoint -q "${root}$path" || return 0
    path=${path%/*}
  done
  echo "no file system is mounted at $1 or above it"
  return 1
}

# The same on all nodes at once: whoever comes second finds what it wanted.
make_cache_folder() { # path
  on_a_mount "$1" || return 1
  mkdir -p "${root}$1" || return 1
  [[ "$(stat -c %a "${root}$1")" == 1777 ]] || chmod 1777 "${root}$1"
}

set_compile_cache() { # path-or-url
  local url
  case "$1/" in
    s3://*) ;;
    */./* | */../* | [!/]*) echo "no absolute path without . and .., and no S3 URL: $1" && return 1 ;;
  esac
  url="${1%/}/$(sdk_name)"
  [[ "$url" == s3://* ]] || make_cache_folder "$url" || return 1
  add_environment NEURON_COMPILE_CACHE_URL "$url"
}

compile_cache_steps() {
  [[ -z "${TRNKIT_COMPILE_CACHE:-}" ]] || step compile-cache set_compile_cache "$TRNKIT_COMPILE_CACHE"
}
