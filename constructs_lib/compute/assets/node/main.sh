# The order of the steps, and what comes of them.

# A node carries only the steps that it needs when all of them stand in its user data.
if_present() { ! declare -F "$1" >/dev/null || "$@"; }

set_state() { # booting | ready | failed
  echo "$1" >"${root}/run/trnkit/node-state.new" &&
    mv "${root}/run/trnkit/node-state.new" "${root}/run/trnkit/node-state"
}

# The lock ends with this shell, however it ends.
wait_for_turn() {
  exec 9>"${root}/run/trnkit/boot.lock" || { failed=1; return 0; }
  flock -n 9 && return 0
  log turn warning "another boot is running: this one waits for it"
  flock -w "${TRNKIT_LOCK_SECONDS:-7200}" 9
}

# Counts the boots of this machine. An image that was made of a node brings the node's settings, its
# service and its count: there the service does nothing, and the boot of user data starts anew.
count_boot() {
  local file="${root}/var/lib/trnkit/boots" now=unknown of="" count=0
  [[ ! -r "${root}/var/lib/cloud/data/instance-id" ]] ||
    read -r now <"${root}/var/lib/cloud/data/instance-id"
  [[ ! -r "$file" ]] || read -r of count <"$file"
  if [[ "$of" != "$now" ]]; then
    [[ -z "$of" || "${TRNKIT_LATER_BOOT:-0}" != 1 ]] || return 1
    count=0
  fi
  [[ "$count" =~ ^[0-9]{1,9}$ ]] || count=0
  attempt=$((10#$count + 1))
  { echo "$now $attempt" >"$file.new" && mv "$file.new" "$file"; } 2>/dev/null ||
    log count warning "cannot write /var/lib/trnkit/boots"
  return 0
}

# What runs the boot again at every later boot. A link is what systemctl enable makes.
keep_booting() {
  local wants="${root}/etc/systemd/system/multi-user.target.wants" command
  write_file /etc/logrotate.d/trnkit <<<"/var/log/trnkit-boot.log {
  monthly
  maxsize 1M
  rotate 6
  compress
  delaycompress
  missingok
  notifempty
}" || return 1
  # In user data alone the unit is a function that node_stages.py adds.
  if declare -F boot_unit >/dev/null; then boot_unit; else cat "${here:-}/systemd/trnkit-boot.service"; fi |
    write_file /etc/systemd/system/trnkit-boot.service &&
    mkdir -p "$wants" "${root}/usr/local/bin" &&
    ln -sfn ../trnkit-boot.service "$wants/trnkit-boot.service" || return 1
  for command in trn-node-check trn-drain; do
    [[ ! -e "${here:-}/$command/$command" ]] ||
      ln -sfn "/opt/trnkit/current/$command/$command" "${root}/usr/local/bin/$command" || return 1
  done
}

check_node() {
  local program said code
  program="${here:-}/trn-node-check/trn-node-check"
  [[ -e "$program" ]] || { skip "the node check is not part of this delivery"; return; }
  said=$(timeout -k 10 "${TRNKIT_CHECK_SECONDS:-600}" "$program" --format json \
    --output "${root}/run/trnkit/node-check.json" 2>&1)
  code=$?
  said=${said##*$'\n'}
  case $code in
    0) return 0 ;;
    3) warn "${said:-something could not be checked}" ;;
    124 | 137) echo "the node check did not end in time" && return 1 ;;
    *) echo "${said:-the node check ended with $code}" && return 1 ;;
  esac
}

# A shutdown in the middle says nothing about the node: nothing is reported, the next boot starts over.
interrupted() {
  trap '' TERM INT HUP
  trap - EXIT
  if_present end_report
  set_state failed
  log boot failed "stopped by a signal: the next boot starts over" $SECONDS
  exit 143
}

run_steps() {
  local output
  output=$(keep_booting 2>&1) || { failed=1; log service failed "$output"; }
  step environment write_environment
  # Before anything that takes time: jobs may be waiting already.
  if_present protect_lustre_mount_points
  if_present protect_home_mount_point
  if_present protect_s3_mount_points
  if_present packages_steps
  if_present kernel_steps
  if_present hosts_steps
  if_present instance_store_steps
  if_present lustre_steps
  if_present home_steps
  if_present s3_steps
  if_present compile_cache_steps
  if_present container_steps
  if_present monitoring_steps
  [[ "${TRNKIT_CHECK:-0}" != 1 ]] || step node-check check_node
}

# A boot that ends anywhere but at its end.
cut_off() { # why
  trap - EXIT
  mkdir -p "${root}/var/log" "${root}/run/trnkit"
  set_state failed
  log boot failed "$1" $SECONDS
  exit 1
}

main() {
  umask 022
  trap 'cut_off "there are no settings: /etc/trnkit/settings.sh ended the boot"' EXIT
  # shellcheck source=/dev/null
  . "${root}/etc/trnkit/settings.sh" || cut_off "there are no settings: /etc/trnkit/settings.sh cannot be read"
  trap 'cut_off "ended in the middle"' EXIT
  run_boot
  local code=$?
  trap - EXIT
  return "$code"
}

run_boot() {
  local result=ok
  mkdir -p "${root}/var/log" "${root}/var/lib/trnkit" "${root}/run/trnkit" || failed=1
  wait_for_turn || { log boot failed "another boot does not end"; return 1; }
  # First of all: without a state nothing starts that brings work.
  set_state booting || failed=1
  count_boot || { log boot skipped "made from an image of another node: user data runs the boot"; return 0; }
  trap interrupted TERM INT HUP
  if_present begin_report
  run_steps
  [[ $failed == 0 ]] || result=failed
  if_present end_report
  trap - TERM INT HUP
  # Before any report: work may arrive with it.
  set_state "${result/ok/ready}" || { failed=1; result=failed; }
  if_present report_steps "$result"
  log boot "$result" "" $SECONDS
  return "$failed"
}
