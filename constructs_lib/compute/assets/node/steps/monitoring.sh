# trn-metrics, and the CloudWatch agent that scrapes it and ships logs.
#
#   TRNKIT_CLOUDWATCH         1: the CloudWatch agent publishes metrics and ships logs
#   TRNKIT_METRICS_NAMESPACE  namespace of the metrics
#   TRNKIT_LOG_GROUP          log group, made by the stack: the agent makes none
#   TRNKIT_PROMETHEUS         "loopback PORT" or "private PORT", for a Prometheus server
#   TRNKIT_CLUSTER, TRNKIT_NODE_GROUP, TRNKIT_REGION
#
# A node without monitoring still works: what goes wrong here is a warning, and the boot goes on.
# shellcheck disable=SC2154 # root, here: lib.sh and boot

# https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/verify-CloudWatch-Agent-Package-Signature.html
cloudwatch_agent_key=937616F3450B7D806CBD9725D58167303B789C72
cloudwatch_agent_folder=/opt/aws/amazon-cloudwatch-agent

monitoring_wanted() { [[ "${TRNKIT_CLOUDWATCH:-0}" == 1 || -n "${TRNKIT_PROMETHEUS:-}" ]]; }

# Writes a file when its text is another, and then says so in the caller's variable `changed`.
update_file() { # path text
  [[ -f "${root}$1" && "$(<"${root}$1")" == "$2" ]] && return 0
  printf '%s\n' "$2" | write_file "$1" || return 1
  changed=1
}

fill_in() { # template NAME=value...
  local text pair
  text=$(cat "$1") || return 1
  shift
  for pair in "$@"; do
    # In quotes: bash 5.2 would take & for what was matched.
    text=${text//"@${pair%%=*}@"/"$(json_text "${pair#*=}")"}
  done
  printf '%s\n' "$text"
}

# Where trn-metrics listens, and who may connect.
listening_settings() {
  local where=$1 port=$2 mac blocks="" words=()
  if [[ $where == private ]]; then
    mac=$(retry 5 imds mac) || return 1
    blocks=$(retry 5 imds "network/interfaces/macs/$mac/vpc-ipv4-cidr-blocks") || return 1
  fi
  printf '%s\n' '[Service]' "Environment=TRN_METRICS_LISTEN=$where TRN_METRICS_PORT=$port"
  read -rd '' -a words <<<"$blocks"
  [[ ${#words[@]} == 0 ]] || echo "IPAddressAllow=${words[*]}"
}

# Restarts a unit when a file of it changed, starts it when it does not run, else leaves it alone.
keep_unit() { # unit changed
  [[ $2 == 0 ]] || systemctl daemon-reload || return 1
  systemctl enable -q "$1" || return 1
  if [[ $2 == 1 ]]; then
    systemctl restart --no-block "$1"
  elif ! systemctl is-active -q "$1"; then
    systemctl start --no-block "$1"
  fi
}

set_up_metrics() { # where port
  local folder="$here/monitoring" units=/etc/systemd/system changed=0 listen
  if ! listen=$(listening_settings "$1" "$2"); then
    echo "the instance metadata does not answer"
    return 1
  fi
  update_file "$units/trn-metrics.service" "$(<"$folder/trn-metrics.service")" || return 1
  update_file "$units/trn-metrics.service.d/listen.conf" "$listen" || return 1
  # A newer bundle is another program under the same path.
  update_file /etc/trnkit/trn-metrics.version "$here" || return 1
  keep_unit trn-metrics.service "$changed"
}

set_up_kernel_log() {
  local unit=trn-kernel-log.service changed=0
  update_file "/etc/systemd/system/$unit" "$(<"$here/monitoring/$unit")" || return 1
  keep_unit "$unit" "$changed"
}

cloudwatch_agent_works() {
  [[ -x "${root}$cloudwatch_agent_folder/bin/amazon-cloudwatch-agent-ctl" ]]
}

# From the bucket of the node's own region, which a gateway endpoint for S3 reaches.
download_cloudwatch_agent() { # folder
  local bucket=amazoncloudwatch-agent key=assets/amazon-cloudwatch-agent.gpg machine=amd64 near
  near="https://$bucket-$TRNKIT_REGION.s3.$TRNKIT_REGION.amazonaws.com"
  [[ "$(uname -m)" != aarch64 ]] || machine=arm64
  local package="ubuntu/$machine/latest/amazon-cloudwatch-agent.deb"
  retry 5 curl -fsS --max-time 300 -o "$1/agent.deb" "$near/$package" || return 1
  retry 5 curl -fsS --max-time 60 -o "$1/agent.deb.sig" "$near/$package.sig" || return 1
  # AWS documents the key in one bucket for all regions; its fingerprint is what counts.
  curl -fsS --max-time 20 -o "$1/key" "$near/$key" ||
    retry 3 curl -fsS --max-time 20 -o "$1/key" "https://$bucket.s3.amazonaws.com/$key"
}

# VALIDSIG ends with the fingerprint of the primary key: nothing but that key's signature will do.
cloudwatch_agent_is_signed() { # folder
  local status file="$1/agent.deb"
  gpg --homedir "$1" --batch -q --import "$1/key" || return 1
  status=$(gpg --homedir "$1" --batch --status-fd 1 --verify "$file.sig" "$file") || return 1
  grep -qE "^\[GNUPG:\] VALIDSIG .* $cloudwatch_agent_key\$" <<<"$status"
}

install_cloudwatch_agent() {
  local folder result=1
  cloudwatch_agent_works && return 0
  if ! command -v apt-get >/dev/null; then
    install_package amazon-cloudwatch-agent && cloudwatch_agent_works
    return
  fi
  folder=$(mktemp -d) || return 1
  if ! download_cloudwatch_agent "$folder"; then
    echo "the CloudWatch agent cannot be downloaded"
  elif ! cloudwatch_agent_is_signed "$folder"; then
    echo "the CloudWatch agent is not signed by AWS's key, and is not installed"
  else
    # apt reads the package as a user of its own.
    chmod 755 "$folder"
    retry 3 apt install -y "$folder/agent.deb" && cloudwatch_agent_works && result=0
  fi
  rm -rf "$folder"
  return "$result"
}

# Somebody else's configuration stays, and ours is added.
apply_cloudwatch_configuration() { # file
  local verb=fetch-config other
  for other in "${root}$cloudwatch_agent_folder"/etc/amazon-cloudwatch-agent.d/*; do
    case $other in
      */file_trnkit-cloudwatch-agent.json* | *.tmp) ;;
      *) [[ ! -e $other ]] || verb=append-config ;;
    esac
  done
  "${root}$cloudwatch_agent_folder/bin/amazon-cloudwatch-agent-ctl" -a "$verb" -m ec2 -s \
    -c "file:$1"
}

configure_cloudwatch_agent() { # address port
  local folder="$here/monitoring" changed=0 id text template target settings
  local configuration=/etc/trnkit/trnkit-cloudwatch-agent.json
  if ! id=$(retry 5 imds instance-id); then
    echo "the instance metadata does not answer"
    return 1
  fi
  settings=("CLUSTER=${TRNKIT_CLUSTER:-}" "NODE_GROUP=${TRNKIT_NODE_GROUP:-}" "REGION=$TRNKIT_REGION"
    "NAMESPACE=${TRNKIT_METRICS_NAMESPACE:-trnkit}" "LOG_GROUP=$TRNKIT_LOG_GROUP"
    "INSTANCE_ID=$id" "ADDRESS=$1" "PORT=$2")
  for template in amazon-cloudwatch-agent.json prometheus-scrape.yaml; do
    target=$configuration
    [[ $template == *.json ]] || target=/etc/trnkit/$template
    text=$(fill_in "$folder/$template" "${settings[@]}") || return 1
    update_file "$target" "$text" || return 1
  done
  [[ $changed == 0 ]] && systemctl is-active -q amazon-cloudwatch-agent.service && return 0
  if ! apply_cloudwatch_configuration "${root}$configuration"; then
    # So that the next boot tries again.
    rm -f "${root}$configuration"
    return 1
  fi
  systemctl enable -q amazon-cloudwatch-agent.service
}

stop_monitoring() {
  local unit
  for unit in trn-metrics.service trn-kernel-log.service; do
    if [[ -e "${root}/etc/systemd/system/$unit" ]]; then
      systemctl disable -q --now "$unit" || return 1
      rm -f "${root}/etc/systemd/system/$unit"
    fi
  done
}

monitoring_steps() {
  local where port address=127.0.0.1
  if ! monitoring_wanted; then
    [[ ! -e "${root}/etc/systemd/system/trn-metrics.service" ]] || step_warning metrics stop_monitoring
    return 0
  fi
  read -r where port <<<"${TRNKIT_PROMETHEUS:-loopback 9400}"
  step_warning metrics set_up_metrics "$where" "$port"
  [[ "${TRNKIT_CLOUDWATCH:-0}" == 1 ]] || return 0
  if [[ -z "${TRNKIT_LOG_GROUP:-}" || -z "${TRNKIT_REGION:-}" ]]; then
    log cloudwatch-agent warning "there is no log group or no region for it"
    return 0
  fi
  step_warning kernel-log set_up_kernel_log
  step_warning cloudwatch-agent install_cloudwatch_agent || return 0
  # trn-metrics listens at one address; the agent asks there.
  [[ $where != private ]] || address=$(retry 5 imds local-ipv4) || address=127.0.0.1
  step_warning cloudwatch-configuration configure_cloudwatch_agent "$address" "$port"
  return 0
}
