#!/bin/bash
# Runs the test over Systems Manager with the AWS CLI, and gathers what the nodes say.
# Node group @NODE_GROUP@ of cluster @CLUSTER@: @NODES@ x @INSTANCE_TYPE@ in @REGION@.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
nodes=@NODES@
across=@ACROSS@
seconds=@SECONDS@
document=trn-smoke-@CLUSTER@
results=$here/results/$(date -u +%Y%m%dT%H%M%SZ)
export AWS_REGION=@REGION@ AWS_DEFAULT_REGION=@REGION@ AWS_PAGER=

# The document: new, or a new version of it, or the version that is there already.
if ! aws ssm describe-document --name "$document" >/dev/null 2>&1; then
    aws ssm create-document --name "$document" --document-type Command --document-format JSON \
        --content "file://$here/document.json" >/dev/null
elif ! answer=$(aws ssm update-document --name "$document" --document-format JSON \
    --document-version "\$LATEST" --content "file://$here/document.json" 2>&1); then
    case $answer in
    *DuplicateDocumentContent*) ;;
    *)
        echo "$answer" >&2
        exit 2
        ;;
    esac
fi

ids=()
addresses=()
while read -r id address; do
    ids+=("$id")
    addresses+=("$address")
done < <(aws ec2 describe-instances --output text \
    --filters "Name=tag:trnkit-cluster,Values=@CLUSTER@" \
    "Name=tag:trnkit-node-group,Values=@NODE_GROUP@" "Name=instance-state-name,Values=running" \
    --query 'Reservations[].Instances[].[InstanceId,PrivateIpAddress]' | sort | head -n "$nodes")
if [ "${#ids[@]}" -ne "$nodes" ]; then
    echo "trn-smoke: ${#ids[@]} of $nodes nodes are running" >&2
    exit 2
fi

# send ACTION PARAMETERS INSTANCE...: prints the ids of the commands, 50 instances each.
send() {
    local action=$1 parameters=$2
    shift 2
    while [ "$#" -gt 0 ]; do
        aws ssm send-command --document-name "$document" --document-version "\$LATEST" \
            --instance-ids "${@:1:50}" --parameters "{\"Action\": [\"$action\"]$parameters}" \
            --comment "trn-smoke $action" --query Command.CommandId --output text
        shift "$(($# > 50 ? 50 : $#))"
    done
}

# collect FOLDER COMMAND INSTANCE: waits for one node, keeps its output; fails when it failed.
collect() {
    local folder=$1 command=$2 id=$3 status end=$((SECONDS + seconds))
    mkdir -p "$folder"
    while :; do
        status=$(aws ssm get-command-invocation --command-id "$command" --instance-id "$id" \
            --query Status --output text 2>/dev/null) || status=Pending
        case $status in
        Pending | InProgress | Delayed) ;;
        *) break ;;
        esac
        if [ "$SECONDS" -ge "$end" ]; then
            echo "trn-smoke: $id did not answer; is its SSM agent online?" >&2
            return 1
        fi
        sleep 5
    done
    aws ssm get-command-invocation --command-id "$command" --instance-id "$id" \
        --query StandardOutputContent --output text >"$folder/$id.log"
    if [ "$status" != Success ]; then
        echo "trn-smoke: $id: $status" >&2
        aws ssm get-command-invocation --command-id "$command" --instance-id "$id" \
            --query StandardErrorContent --output text >&2
        return 1
    fi
}

# everywhere FOLDER ACTION PARAMETERS: the same on every node, at the same time.
everywhere() {
    local folder=$1 failed=0 number=0 command id commands
    commands=$(send "$2" "$3" "${ids[@]}")
    for command in $commands; do
        for id in "${ids[@]:number:50}"; do
            collect "$folder" "$command" "$id" || failed=1
        done
        number=$((number + 50))
    done
    return "$failed"
}

code=0
everywhere "$results" node "" || code=1

if [ "$across" = 1 ] && [ "$code" = 0 ]; then
    # Open MPI starts the other nodes over ssh: a key for this run, taken away afterwards.
    scratch=$(mktemp -d)
    trap 'everywhere "$scratch/forget" forget-key "" || true; rm -rf "$scratch"' EXIT
    collect "$scratch/key" "$(send make-key "" "${ids[0]}")" "${ids[0]}"
    public_key=$(grep -m 1 '^ssh-ed25519 ' "$scratch/key/${ids[0]}.log")
    everywhere "$scratch/trust" trust-key ", \"PublicKey\": [\"$public_key\"]"
    command=$(send fabric ", \"Hosts\": [\"${addresses[*]}\"]" "${ids[0]}")
    collect "$results/fabric" "$command" "${ids[0]}" || code=1
elif [ "$across" = 1 ]; then
    echo "trn-smoke: the run across nodes is left out, because a node failed by itself" >&2
fi

echo "next: trnkit smoke verdict $results"
exit "$code"
