# First stage of a node's boot, in user data: fetches the bundle, proves it, runs its boot.
# Set above: TRNKIT_REGION, TRNKIT_BUNDLE_BUCKET, _KEY, _VERSION, _SHA256 (of the
# list of files and their digests).
root=${TRNKIT_ROOT:-} limit=${TRNKIT_FETCH_SECONDS:-600}
opt=$root/opt/trnkit
bundle=$opt/$TRNKIT_BUNDLE_VERSION
export AWS_DEFAULT_REGION=$TRNKIT_REGION AWS_DEFAULT_OUTPUT=text LC_ALL=C

cloud() { timeout 60 aws "$@"; }

tell() { # FAILURE|SUCCESS
  local kind name id node group
  read -r kind name id <<<"${TRNKIT_REPORT:-}"
  node=$(<"$root/var/lib/cloud/data/instance-id")
  [[ ${TRNKIT_TAG_STATE:-} != 1 ]] || cloud ec2 create-tags --resources "$node" --tags Key=trnkit-node-state,Value=failed
  case $kind in
    lifecycle)
      # Else the hook's timeout gives the node up: until then people can look at it.
      [[ $1 == SUCCESS ]] || return 0
      group=$(cloud autoscaling describe-auto-scaling-instances --instance-ids "$node" \
        --query 'AutoScalingInstances[0].AutoScalingGroupName') &&
        cloud autoscaling complete-lifecycle-action --lifecycle-hook-name "$name" \
          --auto-scaling-group-name "$group" --instance-id "$node" --lifecycle-action-result CONTINUE ;;
    signal)
      cloud cloudformation signal-resource --stack-name "$name" --logical-resource-id "$id" \
        --unique-id "$node" --status "$1" ;;
  esac
}

give_up() { # what detail
  local pause d
  rm -rf ${new:+"$new" "$new.zip"}
  mkdir -p "$root"/{run/trnkit,var/log}
  echo failed >"$root/run/trnkit/node-state"
  printf '{"time":"%s","step":"bundle","status":"failed","seconds":%d,"detail":"%s","attempt":1}\n' \
    "$(date -u +%FT%TZ)" $SECONDS "$(printf %s "$1" "${2:+: $(tail -c 250 <<<"$2")}" | tr -c ' !#-[]-~' '?')" |
    tee -a "$root/var/log/trnkit-boot.log"
  # Without a bundle nothing starts that brings work.
  # On a full disk /run still works.
  for d in "$root"/{etc,run}/systemd/system/{slurmd,kubelet,ecs}.service.d; do
    mkdir -p "$d"
    printf '[Unit]\nConditionPathExists=/opt/trnkit/current\n' >"$d/98" && mv "$d"/98{,-trnkit.conf}
  done
  systemctl daemon-reload
  # shellcheck source=/dev/null
  . "$root/etc/trnkit/settings.sh"
  set -- FAILURE
  [[ ${TRNKIT_BOOT_FAILURE:-} != keep ]] || set -- SUCCESS
  for pause in 5 10 20 40; do
    tell "$1" && break
    sleep "${TRNKIT_RETRY_SECONDS:-$pause}"
  done
  exit 1
}

right() { # folder: holds the files that were published, as they were, and no other
  cd "$1" && [[ $(find ! -type d -printf '%P\0' | sort -z | xargs -0 sha256sum | sha256sum) == \
    "$TRNKIT_BUNDLE_SHA256  -" ]] || { echo 'other files'; false; }
}

fetch() { # file
  local pause=2 left
  while ((left = limit - SECONDS, left > 0)); do
    timeout $((left < 120 ? left : 120)) aws s3 cp --only-show-errors \
      "s3://$TRNKIT_BUNDLE_BUCKET/$TRNKIT_BUNDLE_KEY" "$1" && return
    sleep "${TRNKIT_RETRY_SECONDS:-$pause}"
    pause=$((pause < 30 ? pause * 2 : 30))
  done
  false
}

if ! (right "$bundle") >/dev/null 2>&1; then
  command -v aws >/dev/null || give_up 'no AWS CLI: install it in the image or set compute.boot.delivery: inline'
  new=$(mkdir -p "$opt" && mktemp -d "$opt/.XXXX") || give_up "cannot write $opt"
  said=$(fetch "$new.zip" 2>&1) || give_up 'cannot fetch the bundle' "$said"
  # Python drops .. and / from names; what was not published is refused.
  said=$({ python3 -m zipfile -e "$new.zip" "$new" && right "$new"; } 2>&1) || give_up 'wrong bundle' "$said"
  { chmod -R 755 "$new" && rm -rf "$bundle" "$new.zip" && mv -T "$new" "$bundle"; } || give_up "cannot install $bundle"
fi
ln -sfnT "$TRNKIT_BUNDLE_VERSION" "$opt/.$$" && mv -T "$opt/.$$" "$opt/current" &&
  exec bash "$opt/current/boot"
give_up "cannot install $bundle"
