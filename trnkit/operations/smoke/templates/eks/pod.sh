#!/bin/bash
# One pod of the test: this node by itself, then, from the first pod, all together over ssh.
# TRN_SMOKE_PODS: how many pods take part in the run across nodes; 0: there is none.
set -uo pipefail

# The places below are fixed in a pod; tests move them.
service=trn-smoke
index=${JOB_COMPLETION_INDEX:?this runs in a pod of an Indexed Job}
pods=${TRN_SMOKE_PODS:?}
# Both count from the start of this script.
wait_seconds=${TRN_SMOKE_WAIT_SECONDS:?}
end_seconds=${TRN_SMOKE_END_SECONDS:?}
key_from=${TRN_SMOKE_KEY:-/etc/trn-smoke-key/id}
home=${TRN_SMOKE_HOME:-/root}
state=${TRN_SMOKE_STATE:-/tmp/trn-smoke}
programs=${TRN_SMOKE_PROGRAMS:-/opt/trn-smoke}

fail() {
    echo "trn-smoke: $*" >&2
    exit 2
}

# Other pods reach this one as soon as it is there, long before it is asked for anything.
start_sshd() {
    PATH=$PATH:/usr/sbin:/opt/amazon/openmpi/bin
    local program
    for program in sshd ssh ssh-keygen mpirun; do
        command -v "$program" >/dev/null ||
            fail "the image has no $program, which nccom-test needs across pods"
    done
    mkdir -p "$home/.ssh" /run/sshd || fail "cannot make $home/.ssh"
    chmod 700 "$home/.ssh" || fail "cannot protect $home/.ssh"
    install -m 600 "$key_from" "$home/.ssh/id_ed25519" || fail "there is no key at $key_from"
    install -m 600 "$key_from.pub" "$home/.ssh/authorized_keys" || fail "there is no key at $key_from.pub"
    printf 'Host *\n  BatchMode yes\n  StrictHostKeyChecking no\n  UserKnownHostsFile /dev/null\n  LogLevel ERROR\n' >"$home/.ssh/config"
    # What runs over ssh gets nothing of the container's environment otherwise.
    printf '%s=%s\n' PATH "$PATH" LD_LIBRARY_PATH "${LD_LIBRARY_PATH:-}" >"$home/.ssh/environment"
    chmod 600 "$home/.ssh/config" "$home/.ssh/environment"
    ssh-keygen -A >/dev/null || fail "cannot make host keys"
    # sshd wants its whole path.
    "$(command -v sshd)" -o PermitUserEnvironment=yes -o PermitRootLogin=prohibit-password ||
        fail "sshd does not start"
}

pod_name() { echo "$service-$1.$service"; }

# Prints the address of a pod once it is done with its own node.
address_of_ready() {
    local name address
    name=$(pod_name "$1")
    while [ "$SECONDS" -lt "$wait_seconds" ]; do
        address=$(getent ahostsv4 "$name" | awk 'NR == 1 { print $1 }')
        if [ -n "$address" ] && ssh -o ConnectTimeout=5 "$address" "test -e '$state/ready'"; then
            echo "$address"
            return 0
        fi
        sleep 2
    done
    echo "trn-smoke: pod $name was not ready within $wait_seconds seconds" >&2
    return 1
}

run() { python3 "$programs/trn-smoke" --plan "$programs/plan.json" "$@"; }

mkdir -p "$state" || fail "cannot make $state"
if [ "$pods" -gt 1 ]; then
    start_sshd
fi

run
code=$?
if [ "$pods" -le 1 ]; then
    exit "$code"
fi
# Whole at once, because the first pod reads it as soon as it is there.
echo "$code" >"$state/code" || fail "cannot write in $state"
mv "$state/code" "$state/ready" || fail "cannot write in $state"

if [ "$index" != 0 ]; then
    until [ -e "$state/done" ]; do
        if [ "$SECONDS" -ge "$end_seconds" ]; then
            echo "trn-smoke: the first pod did not end within $end_seconds seconds" >&2
            exit 3
        fi
        sleep 2
    done
    exit "$code"
fi

addresses=()
ready=1
for ((pod = 0; pod < pods; pod++)); do
    if address=$(address_of_ready "$pod"); then
        addresses+=("$address")
        # shellcheck disable=SC2029 # the path is the same on both sides
        other=$(ssh "$address" "cat '$state/ready'") || other=unknown
        if [ "$other" != 0 ]; then
            echo "trn-smoke: the run across nodes is left out, because pod $pod failed by itself" >&2
            ready=0
        fi
    else
        ready=0
    fi
done
if [ "$ready" = 1 ]; then
    run --scope fabric --hosts "${addresses[@]}"
    across=$?
    [ "$code" -ne 0 ] || code=$across
else
    [ "$code" -ne 0 ] || code=1
fi
for address in "${addresses[@]}"; do
    # shellcheck disable=SC2029 # the path is the same on both sides
    ssh "$address" "touch '$state/done'" || echo "trn-smoke: cannot tell $address that it is over" >&2
done
exit "$code"
