# Tells others how a boot ended. That a report fails is logged, and never fails the boot.
#
#   TRNKIT_REPORT        "lifecycle HOOK" | "signal STACK LOGICAL-ID" | none
#   TRNKIT_BOOT_FAILURE  replace: the hook's timeout gives up a node that failed; keep: it enters service
#   TRNKIT_TAG_STATE     1: the instance's tag trnkit-node-state says what /run/trnkit/node-state says

node=""
region=""
reporter=""
tagger=""

identify() {
  [[ -n "$node" ]] || node=$(retry 5 imds instance-id) || return 1
  region=${TRNKIT_REGION:-$region}
  [[ -n "$region" ]] || region=$(retry 5 imds placement/region)
}

cloud() { # arguments of aws...
  timeout -k 5 60 aws --region "$region" --cli-connect-timeout 10 --cli-read-timeout 30 "$@"
}

tag_state() { # state
  cloud ec2 create-tags --resources "$node" --tags "Key=trnkit-node-state,Value=$1"
}

# "group<tab>state", or "None" for an instance of no group.
lifecycle_state() {
  cloud autoscaling describe-auto-scaling-instances --instance-ids "$node" --output text \
    --query 'AutoScalingInstances[0].[AutoScalingGroupName,LifecycleState]'
}

tag_booting() { identify && tag_state booting; }

# Keeps a hook waiting that waits already: a step may take longer than the hook's timeout. Ends after
# two hours, so that the hook's own timeout ends a boot that hangs.
keep_waiting() { # hook
  local beat answer
  trap 'kill $(jobs -p) 2>/dev/null; exit' TERM
  for ((beat = 0; beat < 24; beat++)); do
    sleep "${TRNKIT_HEARTBEAT_SECONDS:-300}" &
    wait $!
    kill -0 $$ || return
    identify && answer=$(lifecycle_state) && [[ "$answer" == *Pending:Wait ]] || continue
    cloud autoscaling record-lifecycle-action-heartbeat --lifecycle-hook-name "$1" \
      --auto-scaling-group-name "${answer%%$'\t'*}" --instance-id "$node"
  done
}

begin_report() {
  local kind hook
  command -v aws >/dev/null || return 0
  read -r kind hook _ <<<"${TRNKIT_REPORT:-none}"
  if [[ "${TRNKIT_TAG_STATE:-0}" == 1 ]]; then
    tag_booting </dev/null >/dev/null 2>&1 9>&- &
    tagger=$!
  fi
  if [[ "$kind" == lifecycle ]]; then
    keep_waiting "$hook" </dev/null >/dev/null 2>&1 9>&- &
    reporter=$!
  fi
}

end_report() {
  if [[ -n "$reporter" ]]; then
    kill "$reporter"
    wait "$reporter"
    reporter=""
  fi 2>/dev/null
  # Not killed: it could still arrive, after the tag of how the boot ended.
  [[ -z "$tagger" ]] || wait "$tagger"
  tagger=""
}

# A hook waits in Pending:Wait, and in a warm pool in Warmed:Pending:Wait. In any other state, as after
# a reboot, in Standby or with no hook, there is nobody to tell.
complete_lifecycle() { # hook ok|failed
  local answer group state try
  if [[ $2 != ok && "${TRNKIT_BOOT_FAILURE:-replace}" != keep ]]; then
    skip "the hook's timeout gives the node up: until then it can be looked at"
    return
  fi
  identify || return 1
  for try in 1 2 3 4 5 6; do
    answer=$(retry 6 lifecycle_state) || return 1
    IFS=$'\t' read -r group state <<<"$answer"
    case "$state" in
      *Pending:Wait) break ;;
      *Pending) sleep "${TRNKIT_RETRY_SECONDS:-5}" ;;
      *) skip "no hook waits: the instance is ${state:-in no group}"; return ;;
    esac
  done
  retry 6 tell_hook "$1" "$group" || return 1
}

tell_hook() { # hook group
  local answer
  answer=$(cloud autoscaling complete-lifecycle-action --lifecycle-hook-name "$1" \
    --auto-scaling-group-name "$2" --instance-id "$node" --lifecycle-action-result CONTINUE 2>&1) ||
    [[ "$answer" == *"No active Lifecycle Action"* ]] || { echo "$answer"; return 1; }
}

signal_stack() { # stack logical-id ok|failed
  local status=SUCCESS answer told="${root}/var/lib/trnkit/signalled"
  [[ $3 == ok || "${TRNKIT_BOOT_FAILURE:-replace}" == keep ]] || status=FAILURE
  identify || return 1
  [[ ! -e "$told" || "$(<"$told")" != "$node" ]] || { skip "told before"; return; }
  retry 6 tell_stack "$1" "$2" "$status" || return 1
  echo "$node" >"$told"
}

tell_stack() { # stack logical-id status
  local answer
  answer=$(cloud cloudformation signal-resource --stack-name "$1" --logical-resource-id "$2" \
    --unique-id "$node" --status "$3" 2>&1) ||
    # A node that comes after the stack is complete.
    [[ "$answer" == *"cannot be signaled"* ]] || { echo "$answer"; return 1; }
}

tag_result() { identify && retry 6 tag_state "$1"; }

report_steps() { # ok|failed
  local kind name id
  read -r kind name id <<<"${TRNKIT_REPORT:-none}"
  if [[ "$kind" == none && "${TRNKIT_TAG_STATE:-0}" != 1 ]]; then return 0; fi
  if ! command -v aws >/dev/null; then
    log report warning "there is no AWS CLI to report with: install it in the image"
    return 0
  fi
  [[ "${TRNKIT_TAG_STATE:-0}" != 1 ]] || step_warning tag tag_result "${1/ok/ready}"
  case "$kind" in
    none) ;;
    lifecycle) step_warning "lifecycle $name" complete_lifecycle "$name" "$1" ;;
    signal) step_warning "signal $name $id" signal_stack "$name" "$id" "$1" ;;
    *) log report warning "TRNKIT_REPORT is neither lifecycle, signal nor none: $kind" ;;
  esac
}
