#!/bin/sh
# Deploys a cluster unless the account refuses it: any exit code of the preflight but 0 ends this.
# To be run in the checkout of trnkit, whose app `npx cdk` deploys: examples/gate/deploy.sh my.yaml
set -eu
file=${1:?"usage: deploy.sh cluster.yaml"}
trnkit preflight "$file"
npx cdk deploy -c config="$file" '**' --require-approval never
