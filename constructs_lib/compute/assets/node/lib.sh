# What the steps of a node's boot share. Sourced, or joined with them into one text.
#
# TRNKIT_ROOT moves every path below another folder, for tests.

root="${TRNKIT_ROOT:-}"
log_file="${root}/var/log/trnkit-boot.log"
failed=0

json_text() { # text
  local text
  text=$(printf '%s' "$1" | LC_ALL=C tr -c '\040-\176' '?')
  text=${text//\\/\\\\}
  printf '%s' "${text//\"/\\\"}"
}

log() { # step status detail
  printf '{"time":"%s","step":"%s","status":"%s","detail":"%s"}\n' \
    "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$(json_text "$1")" "$2" "$(json_text "$3")" | tee -a "$log_file"
}

retry() { # attempts command...
  local attempts=$1 delay=2 try
  shift
  for ((try = 1; try <= attempts; try++)); do
    "$@" && return 0
    ((try == attempts)) || sleep "${TRNKIT_RETRY_SECONDS:-$delay}"
    delay=$((delay < 30 ? delay * 2 : 30))
  done
  return 1
}

step() { # name command...
  local name=$1 output
  shift
  if output=$("$@" 2>&1); then
    log "$name" ok ""
  else
    failed=1
    log "$name" failed "$(printf '%s' "$output" | tail -n 1 | cut -c 1-200)"
    return 1
  fi
}

write_file() { # path, and the text on standard input
  local file="${root}$1"
  mkdir -p "${file%/*}" && cat >"$file.new" && mv "$file.new" "$file"
}

apt() { DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=600 "$@"; }

install_package() { # name
  if command -v apt-get >/dev/null; then
    retry 5 apt update || return 1
    retry 5 apt install -y "$1"
  else
    retry 5 dnf -q install -y "$1"
  fi
}
