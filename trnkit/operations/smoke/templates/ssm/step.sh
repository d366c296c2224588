#!/bin/bash
# The step of the SSM document: unpacks the programs that it carries, and does what was asked for.
set -uo pipefail

action='{{ Action }}'
hosts='{{ Hosts }}'
public_key='{{ PublicKey }}'
root=${TRNKIT_ROOT:-}
ssh_folder=$root/root/.ssh
key=$ssh_folder/trn-smoke
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

forget() {
    rm -f "$key" "$key.pub"
    if [ -f "$ssh_folder/authorized_keys" ]; then
        sed -i '/ trn-smoke$/d' "$ssh_folder/authorized_keys"
    fi
}

run() {
    base64 -d <<'END' | tar -xz -C "$work" || exit 2
@PROGRAMS@
END
    python3 "$work/trn-smoke" --plan "$work/plan.json" --output "$root/var/log/trn-smoke" "$@"
}

case $action in
node)
    run
    ;;
make-key)
    mkdir -p "$ssh_folder" && chmod 700 "$ssh_folder" && forget &&
        ssh-keygen -q -t ed25519 -N '' -C trn-smoke -f "$key" && cat "$key.pub"
    ;;
trust-key)
    if [ -z "$public_key" ]; then
        echo "trn-smoke: PublicKey is empty" >&2
        exit 2
    fi
    mkdir -p "$ssh_folder" && chmod 700 "$ssh_folder" &&
        printf '%s\n' "$public_key" >>"$ssh_folder/authorized_keys" &&
        chmod 600 "$ssh_folder/authorized_keys"
    ;;
forget-key)
    forget
    ;;
fabric)
    export OMPI_MCA_plm_rsh_args="-i $key -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR"
    read -r -a addresses <<<"$hosts"
    run --scope fabric --hosts "${addresses[@]}"
    ;;
esac
