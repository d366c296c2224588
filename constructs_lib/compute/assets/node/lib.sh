# What the steps of a node's boot share. Sourced, or joined with them into one text.
#
# TRNKIT_ROOT moves every path below another folder, for tests.

root="${TRNKIT_ROOT:-}"
log_file="${root}/var/log/trnkit-boot.log"
attempt=1
failed=0

json_text() { # text
  local text
  text=$(printf '%s' "$1" | LC_ALL=C tr -c '\040-\176' '?')
  text=${text//\\/\\\\}
  printf '%s' "${text//\"/\\\"}"
}

log() { # step status detail [seconds]
  printf '{"time":"%s","step":"%s","status":"%s","seconds":%d,"detail":"%s","attempt":%d}\n' \
    "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$(json_text "$1")" "$2" "${4:-0}" "$(json_text "$3")" \
    "$attempt" | tee -a "$log_file"
  return 0  # A full disk, which is what there may be to tell, decides nothing here.
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

# How the command of a step ends that has nothing to do, or did it with something to be told.
skip() { echo "$1"; return 120; }
warn() { echo "$1"; return 121; }

run_step() { # status-of-failure name command...
  local status=$1 name=$2 start=$SECONDS output code detail=""
  shift 2
  # Descriptor 9 is the lock: nothing that a step leaves running may hold it.
  output=$("$@" 2>&1 9>&-)
  code=$?
  case $code in
    0) status=ok ;;
    120) status=skipped ;;
    121) status=warning ;;
  esac
  [[ $code == 0 ]] || detail=$(printf '%s' "$output" | tail -n 1 | cut -c 1-200)
  log "$name" "$status" "$detail" $((SECONDS - start))
  [[ $code == 0 || $code == 12[01] ]]
}

step() { # name command... - a failure fails the boot
  run_step failed "$@" || { failed=1; return 1; }
}

step_warning() { run_step warning "$@"; }

# A file that says so already is left alone; of another the mode and the owner stay, and a link to it.
write_file() { # path, and the text on standard input
  local file="${root}$1" text
  text=$(cat) && mkdir -p "${file%/*}" || return 1
  if [[ -f "$file" && "$(<"$file")" == "$text" ]]; then return 0; fi
  [[ ! -L "$file" ]] || file=$(readlink -vf "$file") || return 1
  rm -f "$file.new"
  if ! { { [[ ! -e "$file" ]] || cp -p "$file" "$file.new"; } &&
    printf '%s\n' "$text" >"$file.new" && mv -fT "$file.new" "$file"; }; then
    rm -f "$file.new"
    return 1
  fi
  # Who writes other units makes systemd read them himself.
  [[ $1 != /etc/systemd/*99-trnkit.conf && $1 != */trnkit-boot.service ]] ||
    : >"${root}/run/trnkit/reload"
}

reload_systemd() { # when such a file was written
  if ! command -v systemctl >/dev/null || [[ ! -e "${root}/run/trnkit/reload" ]]; then return 0; fi
  systemctl daemon-reexec && rm -f "${root}/run/trnkit/reload"
}

imds() { # path - prints what the instance metadata says (version 2: with a token)
  local at="${TRNKIT_IMDS:-http://169.254.169.254}/latest" token
  token=$(curl -fsS --noproxy '*' -m 5 -X PUT -H 'X-aws-ec2-metadata-token-ttl-seconds: 300' \
    "$at/api/token") &&
    curl -fsS --noproxy '*' -m 5 -H "X-aws-ec2-metadata-token: $token" "$at/meta-data/$1"
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
