#!/usr/bin/env bash
# Boot of a node whose scripts stand in its user data: unpacks them and runs them.
set -u -o pipefail

unpack() {
  python3 -c '
import base64, bz2, sys
text = "".join(sys.stdin.read().split()).translate({44: 36, 46: 123})
sys.stdout.buffer.write(bz2.decompress(base64.b85decode(text)))'
}

root=${TRNKIT_ROOT:-} folder=$root/opt/trnkit/inline
mkdir -p "$folder" && unpack >"$folder/new" <<'SCRIPTS' && cd "$folder" && chmod 755 new &&
@SCRIPTS@
SCRIPTS
mv -T new boot && ln -sfnT inline ../current && exec "$folder/boot"
mkdir -p "$root"/{run/trnkit,var/log}
echo failed >"$root/run/trnkit/node-state"
printf '{"time":"%s","step":"boot","status":"failed","seconds":0,"detail":"cannot unpack","attempt":1}\n' "$(date -u +%FT%TZ)" | tee -a "$root/var/log/trnkit-boot.log"
exit 1
