#!/bin/bash
# Runs the test in the current namespace of kubectl, and gathers what the pods say.
# Node group @NODE_GROUP@ of cluster @CLUSTER@: @NODES@ x @INSTANCE_TYPE@.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
pods=@NODES@
across=@ACROSS@
seconds=@DEADLINE_SECONDS@
results=$here/results/$(date -u +%Y%m%dT%H%M%SZ)
scratch=$(mktemp -d)

trap 'rm -rf "$scratch"; kubectl delete secret trn-smoke-key --ignore-not-found >/dev/null || true' EXIT

kubectl delete job trn-smoke --ignore-not-found --wait=true
kubectl create configmap trn-smoke --dry-run=client -o yaml \
    --from-file="$here/node" --from-file="$here/plan.json" --from-file="$here/pod.sh" |
    kubectl apply -f -
if [ "$across" = 1 ]; then
    # A key for this run only: nothing of it stays in this folder.
    ssh-keygen -q -t ed25519 -N '' -C trn-smoke -f "$scratch/id"
    kubectl create secret generic trn-smoke-key --dry-run=client -o yaml \
        --from-file="$scratch/id" --from-file="$scratch/id.pub" | kubectl apply -f -
fi
kubectl apply -f "$here/job.yaml"

end=$((SECONDS + seconds + 120))
while :; do
    state=$(kubectl get job trn-smoke -o 'jsonpath={.status.conditions[?(@.status=="True")].type}')
    case $state in
    *Complete*) break ;;
    *Failed*) break ;;
    esac
    if [ "$SECONDS" -ge "$end" ]; then
        echo "trn-smoke: the job did not end; are there $pods free nodes? kubectl describe job trn-smoke" >&2
        break
    fi
    sleep 5
done

mkdir -p "$results"
for ((pod = 0; pod < pods; pod++)); do
    kubectl logs --tail=-1 -l "job-name=trn-smoke,batch.kubernetes.io/job-completion-index=$pod" \
        >"$results/pod-$pod.log" || echo "trn-smoke: no log of pod $pod" >&2
done
echo "next: trnkit smoke verdict $results"
case ${state:-} in
*Failed*) exit 1 ;;
*Complete*) exit 0 ;;
*) exit 3 ;;
esac
